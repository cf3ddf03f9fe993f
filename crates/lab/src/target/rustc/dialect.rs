//! What a version of rustc has of custom MIR, found out by trying, once.
//!
//! Some constructs are there in one version and not in the next. Those that have no effect are left out
//! where they are missing, so that the same ticket can be shown to every version.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

/// A construct that some versions lack, and whose absence changes nothing.
struct Construct {
    /// What every program that has it contains.
    mark: &'static str,
    /// A statement that has it, for the probe.
    statement: &'static str,
    leave_out: fn(&str) -> String,
}

const CONSTRUCTS: [Construct; 1] = [
    // Miri's business alone. It went away after 1.95.
    Construct {
        mark: "Retag(",
        statement: "Retag(p);",
        leave_out: |source| without(RETAG.as_ref(), source),
    },
];

/// A statement of its own, with its line if nothing else is on it.
static RETAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^[ \t]*Retag\([^;\n]*\);[ \t]*\n|\bRetag\([^;\n]*\);[ \t]*").ok()
});

fn without(pattern: Option<&Regex>, source: &str) -> String {
    pattern.map_or_else(|| source.to_owned(), |it| it.replace_all(source, "").into_owned())
}

/// In a program without it, what looks like a construct is something else.
const CUSTOM_MIR: &str = "custom_mir";

/// What is known of a version so far.
#[derive(Debug, Default)]
pub(super) struct Dialect {
    /// Why custom MIR as a whole is not accepted, if so.
    refusal: OnceLock<Option<String>>,
    has: [OnceLock<bool>; CONSTRUCTS.len()],
}

impl Dialect {
    /// Why no program in custom MIR is accepted, where this is one. `refusal` says why the compiler
    /// rejects a program, if it does.
    pub(super) fn refuses<E>(
        &self,
        source: &str,
        refusal: impl Fn(&str) -> Result<Option<String>, E>,
    ) -> Result<Option<String>, E> {
        if !source.contains(CUSTOM_MIR) {
            return Ok(None);
        }
        once(&self.refusal, || refusal(&probe(""))).cloned()
    }

    /// The source without the constructs that are missing.
    pub(super) fn fit<'a, E>(
        &self,
        source: &'a str,
        refusal: impl Fn(&str) -> Result<Option<String>, E>,
    ) -> Result<Cow<'a, str>, E> {
        let mut fitted = Cow::Borrowed(source);
        if !source.contains(CUSTOM_MIR) {
            return Ok(fitted);
        }
        for (construct, has) in CONSTRUCTS.iter().zip(&self.has) {
            if !source.contains(construct.mark) {
                continue;
            }
            // Where nothing is accepted, a rejection says nothing about the construct.
            let has = once(has, || {
                let rejected = refusal(&probe(construct.statement))?.is_some();
                Ok(!rejected || self.refuses(source, &refusal)?.is_some())
            })?;
            if !has {
                fitted = Cow::Owned((construct.leave_out)(&fitted));
            }
        }
        Ok(fitted)
    }
}

/// What is in the cell, or else what is found out; what cannot be found out is asked again next time.
fn once<T, E>(cell: &OnceLock<T>, find: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    match cell.get() {
        Some(known) => Ok(known),
        None => {
            let found = find()?;
            Ok(cell.get_or_init(|| found))
        }
    }
}

/// The smallest program in custom MIR, with one more statement.
fn probe(statement: &str) -> String {
    format!(
        "#![feature(custom_mir, core_intrinsics)]\nuse core::intrinsics::mir::*;\n\
         #[custom_mir(dialect = \"runtime\", phase = \"initial\")]\npub fn f(a: u32) -> u32 {{{{\n\
         {{ let RET: u32; let p: &u32;\n{{ {{\n\
         {{ p = &a; {statement} RET = *p; Return() }};\nRET }}}}}}}}}}\npub fn main() {{ f(0); }}\n"
    )
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const PROGRAM: &str = "#![feature(custom_mir)]\n{ _1 = 2;\n    Retag(_5);\nRetag((*_5).f0);\n\
                           _2 = _1; Retag(Field::<u8>(Variant(_3, 1), 0)); _4 = _2;\nReturn() }\n";
    const WITHOUT: &str = "#![feature(custom_mir)]\n{ _1 = 2;\n_2 = _1; _4 = _2;\nReturn() }\n";

    /// A compiler that rejects what contains a text, and counts how often it is asked.
    fn fit(rejects: &str, source: &str) -> (String, u32) {
        let asked = Cell::new(0);
        let refusal = |source: &str| {
            asked.set(asked.get() + 1);
            Ok::<_, ()>(source.contains(rejects).then(|| "no".to_owned()))
        };
        let dialect = Dialect::default();
        let first = dialect.fit(source, refusal).expect("it answers").into_owned();
        assert_eq!(dialect.fit(source, refusal).as_deref(), Ok(first.as_str()));
        (first, asked.get())
    }

    #[test]
    fn what_is_missing_is_left_out_and_asked_for_once() {
        assert_eq!(fit("Retag(", PROGRAM), (WITHOUT.to_owned(), 2));
        assert_eq!(fit("nothing of it", PROGRAM), (PROGRAM.to_owned(), 1));
        assert_eq!(fit("Retag(", WITHOUT), (WITHOUT.to_owned(), 0));
        let plain = "fn main() { Retag(_5); }";
        assert_eq!(fit("Retag(", plain), (plain.to_owned(), 0));
    }

    #[test]
    fn a_compiler_that_accepts_nothing_lacks_nothing_in_particular() {
        assert_eq!(fit("fn", PROGRAM), (PROGRAM.to_owned(), 2));
        let dialect = Dialect::default();
        let refusal = |_: &str| Ok::<_, ()>(Some("no".to_owned()));
        assert_eq!(dialect.refuses(PROGRAM, refusal), Ok(Some("no".to_owned())));
        assert_eq!(dialect.refuses("fn main() {}", refusal), Ok(None));
    }

    #[test]
    fn what_cannot_be_found_out_is_asked_again() {
        let dialect = Dialect::default();
        assert_eq!(dialect.fit(PROGRAM, |_| Err("disk full")), Err("disk full"));
        let rejects = |source: &str| Ok::<_, ()>(source.contains("Retag").then(String::new));
        assert_eq!(dialect.fit(PROGRAM, rejects).as_deref(), Ok(WITHOUT));
    }
}
