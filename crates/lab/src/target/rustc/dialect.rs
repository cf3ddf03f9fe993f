//! What a version of rustc has of custom MIR, found out by trying, once.
//!
//! Some constructs are there in one version and not in the next. Those that have no effect are left out
//! where they are missing, so that the same ticket can be shown to every version. Of the others, such as a cast
//! or an intrinsic that came later, a version says itself that it lacks them, by name; a program that has one is
//! then not shown to it any more.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock, PoisonError, RwLock};

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
    // Miri's business alone. 1.96 has it, 1.97 has not.
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

/// The oldest version that generated programs are written for. Older ones lack syntax (`&raw const`, inline
/// constants) and have intrinsics with other types, which they would reject as mistakes of the program.
const OLDEST: (u64, u64) = (1, 85);

/// How a version says that it lacks a name: of an intrinsic, of a construct of custom MIR, or of one that it can
/// parse and not compile.
static LACKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x) cannot\ find\ function\ `(?<intrinsic>\w+)`\ in\ module\ `core::intrinsics`
        | cannot\ find\ function,\ tuple\ struct\ or\ tuple\ variant\ `(?<construct>[A-Z][a-z]\w*)`
        | `(?<terminator>\w+)`\ terminator\ is\ not\ yet\ supported",
    )
    .ok()
});

/// In a program without it, what looks like a construct is something else.
pub(super) const CUSTOM_MIR: &str = "custom_mir";

/// What is known of a version so far.
#[derive(Debug, Default)]
pub(super) struct Dialect {
    /// Why custom MIR as a whole is not accepted, if so.
    refusal: OnceLock<Option<String>>,
    has: [OnceLock<bool>; CONSTRUCTS.len()],
    /// The names that it said it lacks.
    lacks: RwLock<BTreeSet<String>>,
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

    /// A name that a program has and this version lacks, as far as is known.
    pub(super) fn lack(&self, source: &str) -> Option<String> {
        let lacks = self.lacks.read().unwrap_or_else(PoisonError::into_inner);
        if lacks.is_empty() || !source.contains(CUSTOM_MIR) {
            return None;
        }
        lacks.iter().find(|name| mentions(source, name)).cloned()
    }

    /// Learns from what the compiler said of some programs; false where there is nothing new in it.
    pub(super) fn learn(&self, said: &str, sources: &[&str]) -> bool {
        let found = LACKS.iter().flat_map(|lacks| lacks.captures_iter(said));
        let names = found.filter_map(|groups| {
            let name = ["intrinsic", "construct", "terminator"];
            name.iter().find_map(|name| groups.name(name)).map(|it| it.as_str().to_owned())
        });
        // What leads nobody out of the batch, or is left out anyway, would be asked for ever.
        let names: Vec<String> = names
            .filter(|name| sources.iter().any(|it| it.contains(CUSTOM_MIR) && mentions(it, name)))
            .collect();
        let mut lacks = self.lacks.write().unwrap_or_else(PoisonError::into_inner);
        let known = lacks.len();
        lacks.extend(names);
        lacks.len() > known
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

/// Why a version is too old for generated programs, if it is.
pub(super) fn too_old(version: &str) -> Option<String> {
    let mut numbers = version.split('.').map(|part| part.parse::<u64>().ok());
    let (Some(Some(major)), Some(Some(minor))) = (numbers.next(), numbers.next()) else {
        return None;
    };
    let (oldest, least) = OLDEST;
    ((major, minor) < OLDEST).then(|| format!("generated programs need {oldest}.{least} or newer"))
}

/// Whether a name stands in a source as a word, and is not one that the source defines.
fn mentions(source: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    source.match_indices(name).any(|(at, _)| {
        let before = source[..at].chars().next_back();
        let after = source[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    }) && !["fn", "struct", "enum", "union"]
        .iter()
        .any(|keyword| source.contains(&format!("{keyword} {name}")))
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
    fn what_a_version_says_that_it_lacks_is_remembered() {
        let source = "#![feature(custom_mir)]\nfn f0() { _1 = CastUnsize(_2); TailCall(f1(_1)) }\n\
                      fn Own() { core::intrinsics::disjoint_bitor(1, 2) }\n";
        let dialect = Dialect::default();
        assert_eq!(dialect.lack(source), None);
        let said =
            "error[E0425]: cannot find function `disjoint_bitor` in module `core::intrinsics`\n";
        assert!(dialect.learn(said, &[source]));
        assert!(!dialect.learn(said, &[source]));
        assert_eq!(dialect.lack(source).as_deref(), Some("disjoint_bitor"));
        assert_eq!(dialect.lack("#![feature(custom_mir)] fn disjoint_bitors() {}"), None);
        let variant = |name: &str| {
            format!("cannot find function, tuple struct or tuple variant `{name}` in this scope")
        };
        assert!(dialect.learn(&variant("CastUnsize"), &[source]));
        assert!(dialect.learn("`TailCall` terminator is not yet supported by `x`", &[source]));
        // What a program defines itself, or does not have, or says as plain Rust, is nothing that is lacking.
        assert!(!dialect.learn(&variant("Own"), &[source]));
        assert!(!dialect.learn(&variant("Other"), &[source]));
        assert!(!dialect.learn(&variant("CastOdd"), &["fn main() { CastOdd(); }"]));
    }

    #[test]
    fn versions_that_lack_syntax_are_too_old() {
        assert!(too_old("1.84.1").is_some_and(|why| why.contains("1.85 or newer")));
        assert!(too_old("1.63.0").is_some());
        for version in ["1.85.0", "1.97.0-nightly", "2.0.0", "dev"] {
            assert_eq!(too_old(version), None);
        }
    }

    #[test]
    fn what_cannot_be_found_out_is_asked_again() {
        let dialect = Dialect::default();
        assert_eq!(dialect.fit(PROGRAM, |_| Err("disk full")), Err("disk full"));
        let rejects = |source: &str| Ok::<_, ()>(source.contains("Retag").then(String::new));
        assert_eq!(dialect.fit(PROGRAM, rejects).as_deref(), Ok(WITHOUT));
    }
}
