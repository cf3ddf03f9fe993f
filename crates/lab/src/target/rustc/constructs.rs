//! Which constructs of custom MIR a version of rustc supports, found out by probing once.
//!
//! Some constructs exist in one version and not in the next. If a missing construct has no effect, it is stripped, so
//! that every version can compile the same ticket. For others, such as a cast or an intrinsic that was added later, the
//! version's error message names what it lacks; programs that use it are then skipped for that version.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock, PoisonError, RwLock};

use regex::Regex;

/// A construct that some versions lack, and that can be stripped without effect.
struct Construct {
    /// A text that every program with the construct contains.
    mark: &'static str,
    /// A statement with the construct, for the probe.
    statement: &'static str,
    strip: fn(&str) -> String,
}

const CONSTRUCTS: [Construct; 1] = [
    // Only Miri uses it. 1.96 has it, 1.97 does not.
    Construct {
        mark: "Retag(",
        statement: "Retag(p);",
        strip: |source| without(RETAG.as_ref(), source),
    },
];

/// A whole statement, with its line if nothing else is on it.
static RETAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^[ \t]*Retag\([^;\n]*\);[ \t]*\n|\bRetag\([^;\n]*\);[ \t]*").ok()
});

fn without(pattern: Option<&Regex>, source: &str) -> String {
    pattern.map_or_else(|| source.to_owned(), |it| it.replace_all(source, "").into_owned())
}

/// The oldest supported version. Older ones lack syntax (`&raw const`, inline constants) and have intrinsics with other
/// types, so they would reject valid programs.
const OLDEST: (u64, u64) = (1, 85);

/// The messages with which a version reports a missing intrinsic, a missing construct of custom MIR, or a terminator that
/// it can parse but not compile.
static LACKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x) cannot\ find\ function\ `(?<intrinsic>\w+)`\ in\ module\ `core::intrinsics`
        | cannot\ find\ function,\ tuple\ struct\ or\ tuple\ variant\ `(?<construct>[A-Z][a-z]\w*)`
        | `(?<terminator>\w+)`\ terminator\ is\ not\ yet\ supported",
    )
    .ok()
});

/// Only programs that contain this text use custom MIR.
pub(super) const CUSTOM_MIR: &str = "custom_mir";

/// What is known about a version so far.
#[derive(Debug, Default)]
pub(super) struct Constructs {
    /// Why custom MIR as a whole is rejected, if it is.
    rejection: OnceLock<Option<String>>,
    has: [OnceLock<bool>; CONSTRUCTS.len()],
    /// The names that it has reported as missing.
    lacks: RwLock<BTreeSet<String>>,
}

impl Constructs {
    /// If this program uses custom MIR: why the version rejects custom MIR as a whole, if it does. `rejection` returns
    /// why the compiler rejects a program.
    pub(super) fn custom_mir_rejection<E>(
        &self,
        source: &str,
        rejection: impl Fn(&str) -> Result<Option<String>, E>,
    ) -> Result<Option<String>, E> {
        if !source.contains(CUSTOM_MIR) {
            return Ok(None);
        }
        once(&self.rejection, || rejection(&probe(""))).cloned()
    }

    /// A name that the program uses and this version is known to lack.
    pub(super) fn missing(&self, source: &str) -> Option<String> {
        let lacks = self.lacks.read().unwrap_or_else(PoisonError::into_inner);
        if lacks.is_empty() || !source.contains(CUSTOM_MIR) {
            return None;
        }
        lacks.iter().find(|name| mentions(source, name)).cloned()
    }

    /// Learns missing names from the compiler's output for some programs. Returns whether one is new.
    pub(super) fn learn(&self, output: &str, sources: &[&str]) -> bool {
        let found = LACKS.iter().flat_map(|lacks| lacks.captures_iter(output));
        let names = found.filter_map(|groups| {
            let name = ["intrinsic", "construct", "terminator"];
            name.iter().find_map(|name| groups.name(name)).map(|it| it.as_str().to_owned())
        });
        // A name that no program uses, or that is stripped anyway, would be learnt without removing any program from the
        // batch, and the caller would retry forever.
        let names: Vec<String> = names
            .filter(|name| sources.iter().any(|it| it.contains(CUSTOM_MIR) && mentions(it, name)))
            .collect();
        let mut lacks = self.lacks.write().unwrap_or_else(PoisonError::into_inner);
        let known = lacks.len();
        lacks.extend(names);
        lacks.len() > known
    }

    /// The source with missing constructs stripped.
    pub(super) fn strip_missing<'a, E>(
        &self,
        source: &'a str,
        rejection: impl Fn(&str) -> Result<Option<String>, E>,
    ) -> Result<Cow<'a, str>, E> {
        let mut stripped = Cow::Borrowed(source);
        if !source.contains(CUSTOM_MIR) {
            return Ok(stripped);
        }
        for (construct, has) in CONSTRUCTS.iter().zip(&self.has) {
            if !source.contains(construct.mark) {
                continue;
            }
            // If custom MIR is rejected as a whole, the probe says nothing about the construct.
            let has = once(has, || {
                let rejected = rejection(&probe(construct.statement))?.is_some();
                Ok(!rejected || self.custom_mir_rejection(source, &rejection)?.is_some())
            })?;
            if !has {
                stripped = Cow::Owned((construct.strip)(&stripped));
            }
        }
        Ok(stripped)
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

/// Whether a source uses a name, as a whole word, without defining it.
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

/// The value of the cell, which `find` initialises. An error is not stored, so the next call tries again.
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

    /// Strips a source for a compiler that rejects programs with this text. Also returns the number of probes.
    fn strip(rejects: &str, source: &str) -> (String, u32) {
        let probes = Cell::new(0);
        let rejection = |source: &str| {
            probes.set(probes.get() + 1);
            Ok::<_, ()>(source.contains(rejects).then(|| "no".to_owned()))
        };
        let constructs = Constructs::default();
        let first = constructs.strip_missing(source, rejection).expect("no error").into_owned();
        assert_eq!(constructs.strip_missing(source, rejection).as_deref(), Ok(first.as_str()));
        (first, probes.get())
    }

    #[test]
    fn a_missing_construct_is_probed_once_and_stripped() {
        assert_eq!(strip("Retag(", PROGRAM), (WITHOUT.to_owned(), 2));
        assert_eq!(strip("nothing of it", PROGRAM), (PROGRAM.to_owned(), 1));
        assert_eq!(strip("Retag(", WITHOUT), (WITHOUT.to_owned(), 0));
        let plain = "fn main() { Retag(_5); }";
        assert_eq!(strip("Retag(", plain), (plain.to_owned(), 0));
    }

    #[test]
    fn nothing_is_stripped_if_custom_mir_is_rejected_as_a_whole() {
        assert_eq!(strip("fn", PROGRAM), (PROGRAM.to_owned(), 2));
        let constructs = Constructs::default();
        let rejection = |_: &str| Ok::<_, ()>(Some("no".to_owned()));
        assert_eq!(constructs.custom_mir_rejection(PROGRAM, rejection), Ok(Some("no".to_owned())));
        assert_eq!(constructs.custom_mir_rejection("fn main() {}", rejection), Ok(None));
    }

    #[test]
    fn reported_missing_names_are_remembered() {
        let source = "#![feature(custom_mir)]\nfn f0() { _1 = CastUnsize(_2); TailCall(f1(_1)) }\n\
                      fn Own() { core::intrinsics::disjoint_bitor(1, 2) }\n";
        let constructs = Constructs::default();
        assert_eq!(constructs.missing(source), None);
        let output =
            "error[E0425]: cannot find function `disjoint_bitor` in module `core::intrinsics`\n";
        assert!(constructs.learn(output, &[source]));
        assert!(!constructs.learn(output, &[source]));
        assert_eq!(constructs.missing(source).as_deref(), Some("disjoint_bitor"));
        assert_eq!(constructs.missing("#![feature(custom_mir)] fn disjoint_bitors() {}"), None);
        let variant = |name: &str| {
            format!("cannot find function, tuple struct or tuple variant `{name}` in this scope")
        };
        assert!(constructs.learn(&variant("CastUnsize"), &[source]));
        assert!(constructs.learn("`TailCall` terminator is not yet supported by `x`", &[source]));
        // A name that the program defines or does not use, or a program in plain Rust, teaches nothing.
        assert!(!constructs.learn(&variant("Own"), &[source]));
        assert!(!constructs.learn(&variant("Other"), &[source]));
        assert!(!constructs.learn(&variant("CastOdd"), &["fn main() { CastOdd(); }"]));
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
    fn a_failed_probe_is_repeated() {
        let constructs = Constructs::default();
        assert_eq!(constructs.strip_missing(PROGRAM, |_| Err("disk full")), Err("disk full"));
        let rejects = |source: &str| Ok::<_, ()>(source.contains("Retag").then(String::new));
        assert_eq!(constructs.strip_missing(PROGRAM, rejects).as_deref(), Ok(WITHOUT));
    }
}
