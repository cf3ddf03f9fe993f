//! What makes two broken promises the same bug.
//!
//! A crash is identified by its message, without the parts that differ from run to run, and its top frames. A crash
//! whose whole message differs from run to run is identified by the culprit pass and the shape of the reduced
//! program. Wrong behaviour has no message: it is identified by the culprit pass or, while that is unknown, by the
//! promise and the class of settings that break it.

use std::fmt;
use std::sync::LazyLock;

use forge::{Fingerprint, Origin, Promise};
use regex::Regex;
use serde::{Deserialize, Deserializer, Serialize};

use crate::culprit::read_pass;
use crate::setting::Setting;
use crate::target::PassId;
use crate::verdict::{Breach, BreachKind, Fault, STACK_OVERFLOW};

/// The number of frames of a backtrace that are compared.
const FRAMES: usize = 3;
/// The detail of a crash without a stable message.
const UNSTABLE: &str = "the message differs from run to run";
/// Longer messages are truncated.
const MESSAGE: usize = 400;

/// What identifies a bug: equal signatures are the same bug.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signature {
    /// The compiler without its version.
    pub target: String,
    pub kind: BreachKind,
    /// The normalised message of a crash, rejection or contradiction; for other failures, a description.
    pub detail: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
    /// For failures without a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circumstances: Option<Circumstances>,
    /// The culprit passes, in order, without their turns.
    #[serde(
        default,
        alias = "culprit",
        deserialize_with = "stored_passes",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub passes: Vec<PassId>,
    /// The shape of the reduced program, for a crash without a stable message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Fingerprint>,
    /// Set if every sighting is a separate finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Origin>,
}

/// The circumstances of a failure without a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Circumstances {
    /// The promise that a program broke; `None` if the compiler itself failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<String>,
    /// The class of the first setting that reproduces it.
    pub class: String,
}

impl Signature {
    pub fn of(target: &str, promise: &Promise, setting: &Setting, breach: &Breach) -> Self {
        let speaks = breach.has_message();
        // The statement of a contradiction contains names of the program, and so may the reason why it is invalid.
        let names_program =
            speaks || matches!(breach.kind, BreachKind::Contradiction | BreachKind::Acceptance);
        // A hang of the compiler does not depend on the promise.
        let of_the_program = breach.fault() == Fault::Emitted;
        let circumstances = Circumstances {
            promise: of_the_program.then(|| promise.name().to_owned()),
            class: setting.class.clone(),
        };
        Self {
            target: target.to_owned(),
            kind: breach.kind,
            detail: match breach {
                _ if names_program => Self::message(breach),
                Breach { unstable: true, .. } => UNSTABLE.to_owned(),
                _ => breach.message.clone(),
            },
            frames: match breach.unstable {
                true => vec![],
                false => breach.frames.iter().take(FRAMES).map(|it| normalise(it)).collect(),
            },
            circumstances: (!speaks).then_some(circumstances),
            passes: vec![],
            shape: None,
            only: None,
        }
    }

    /// The normalised message of a crash, rejection or contradiction.
    pub fn message(breach: &Breach) -> String {
        normalise(&breach.message)
    }

    /// The signature with culprit passes. They replace the circumstances and the description of the failure, which
    /// are less specific.
    #[must_use]
    pub fn with_passes(&self, passes: &[PassId]) -> Self {
        if passes.is_empty() || self.circumstances.is_none() {
            return self.clone();
        }
        Self {
            // A miscompiled program may also hang.
            kind: if self.is_of_program() { BreachKind::Miscompilation } else { self.kind },
            // A pass can have such a bug besides a miscompile, so these two stay distinct. So do kinds of failed
            // refinements: what a pass may do to undef is a question of its own.
            detail: match self.detail.as_str() {
                UNSTABLE | STACK_OVERFLOW => self.detail.clone(),
                _ if self.is_refinement() => self.detail.clone(),
                _ => String::new(),
            },
            circumstances: None,
            passes: passes.iter().map(PassId::without_turn).collect(),
            ..self.clone()
        }
    }

    /// The culprit passes, as text.
    pub fn blamed(&self) -> Option<String> {
        let names: Vec<String> = self.passes.iter().map(ToString::to_string).collect();
        (!names.is_empty()).then(|| names.join(" + "))
    }

    /// Whether the program fails, not the compiler, and the culprit is unknown.
    pub fn is_of_program(&self) -> bool {
        self.circumstances.as_ref().is_some_and(|it| it.promise.is_some())
    }

    /// Whether one bug of a pass may show both. A miscompiled program may do anything; an optimised function, which is
    /// compared with its source, does the same sort of wrong.
    pub fn may_be_as(&self, other: &Self) -> bool {
        self.is_of_program()
            && other.is_of_program()
            && (!self.is_refinement() || self.detail == other.detail)
    }

    fn is_refinement(&self) -> bool {
        let promise = self.circumstances.as_ref().and_then(|it| it.promise.as_deref());
        promise == Some(Promise::Refines.name())
    }

    /// Whether deep nesting may be the cause: a stack overflow, or corrupted memory.
    pub fn is_deep(&self) -> bool {
        [STACK_OVERFLOW, UNSTABLE].contains(&self.detail.as_str())
    }

    /// Whether it identifies the bug without bisection, as the message of a crash does.
    pub fn is_precise(&self) -> bool {
        self.circumstances.is_none()
    }

    /// Equal for equal bugs.
    pub fn key(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_else(|_| format!("{self:?}"));
        blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.target, self.kind)?;
        if let Some(passes) = self.blamed() {
            write!(out, " by {passes}")?;
        }
        if !self.detail.is_empty() {
            let first = self.detail.lines().next().unwrap_or_default();
            write!(out, ": {first}")?;
        }
        if let Some(circumstances) = &self.circumstances {
            write!(out, " ({})", circumstances.class)?;
        }
        Ok(())
    }
}

/// Stored passes: a list, or the text of the first version, such as `GVN (MIR) + Inline (MIR)`.
fn stored_passes<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<PassId>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Present(Vec<PassId>),
        First(String),
    }
    Ok(match Stored::deserialize(reader)? {
        Stored::Present(passes) => passes,
        Stored::First(text) => text.split(" + ").map(|it| read_pass(it).without_turn()).collect(),
    })
}

/// Patterns of text that differs between two runs of one crash, and their replacements. The order matters: patterns
/// whose matches contain others come first.
static VOLATILE: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    [
        (r"\x1b\[[0-9;]*m", ""),
        // Paths keep their last component, unless it is temporary.
        (r"(?:/[\w.@+-]+)*/(?:tmp|scratch|var/folders)/[^\s:'`,)]*", "TMP"),
        (r"[\w.@+-]*(?:/[\w.@+-]+)+/([\w.@+-]+)", "$1"),
        (r"\b[A-Za-z]:(?:\\[\w.@+-]+)+\\([\w.@+-]+)", "$1"),
        // The programs of a case, and their compiled files.
        (r"\b(?:base|variant-\d+)\.(\w+)", "PROGRAM.$1"),
        (r"0x[0-9a-fA-F]+", "ADDR"),
        (r"\b[0-9a-fA-F]{12,}\b", "HASH"),
        (r"::h[0-9a-f]{16}\b", ""),
        (r"(\.\w{1,5}):\d+(?::\d+)?", "$1:LINE"),
        (r"\b(line|column|Line|Column) \d+", "$1 LINE"),
        (r"\b(pid|thread|process|ThreadId)([ (#]*)\d+", "$1$2N"),
        (r"\b\d+(\.\d+)?( ?)(ms|s|seconds|bytes|KB|MB|kB)\b", "N$2$3"),
        // Names that a generator numbers: v17, _42, bb3, p0, tmp.12.
        (r"\b(v|_|bb|p|fn|tmp\.?|var|x|f)(\d+)\b", "${1}N"),
        (r"\b\d+\b", "N"),
        (r"[ \t]+", " "),
    ]
    .into_iter()
    // The patterns are constants, and a test compiles them all.
    .filter_map(|(pattern, instead)| Some((Regex::new(pattern).ok()?, instead)))
    .collect()
});

/// The text without paths of scratch directories, which differ from run to run.
pub fn without_scratch(text: &str) -> String {
    match VOLATILE.get(1) {
        Some((path, instead)) => path.replace_all(text, *instead).into_owned(),
        None => text.to_owned(),
    }
}

/// The message without text that differs from run to run or from program to program.
pub fn normalise(message: &str) -> String {
    let mut text = message.trim().to_owned();
    for (pattern, instead) in VOLATILE.iter() {
        text = pattern.replace_all(&text, *instead).into_owned();
    }
    match text.char_indices().nth(MESSAGE) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_differs_from_run_to_run_is_removed() {
        let same = [
            (
                "thread 'rustc' (123) panicked at compiler/rustc_mir/src/gvn.rs:12:5:\nindex 7",
                "thread 'rustc' (9) panicked at /build/x/rustc_mir/src/gvn.rs:99:1:\nindex 3",
            ),
            (
                "/tmp/a1b2/scratch/1-2/base.c:3:1: internal compiler error: in f, at x.cc:10",
                "/tmp/zzz/base.c:77:12: internal compiler error: in f, at x.cc:12",
            ),
            ("Assertion `v17 != 0x7ffe12' failed.", "Assertion `v3 != 0x1' failed."),
            ("\u{1b}[31merror\u{1b}[0m: took 12 ms", "error: took 3000 ms"),
            ("core::f::h0123456789abcdef", "core::f"),
            ("base.c:1:2: error: no", "variant-2.c:7:7: error: no"),
        ];
        for (one, other) in same {
            assert_eq!(normalise(one), normalise(other));
        }
    }

    #[test]
    fn one_pass_can_have_several_sorts_of_failed_refinements() {
        let sign = |promise: &str, detail: &str| Signature {
            target: "opt".to_owned(),
            kind: BreachKind::Miscompilation,
            detail: detail.to_owned(),
            frames: vec![],
            circumstances: Some(Circumstances {
                promise: Some(promise.to_owned()),
                class: "passes".to_owned(),
            }),
            passes: vec![],
            shape: None,
            only: None,
        };
        let blamed = |promise: &str, detail: &str| {
            sign(promise, detail).with_passes(&[PassId::new("InstCombinePass")])
        };
        assert_ne!(blamed("refines", "poison"), blamed("refines", "wrong"));
        assert_eq!(blamed("yields", "a crash"), blamed("yields", "a wrong value"));
        assert!(!sign("refines", "poison").may_be_as(&sign("refines", "wrong")));
        assert!(sign("refines", "wrong").may_be_as(&sign("refines", "wrong")));
        assert!(sign("yields", "a crash").may_be_as(&sign("yields", "a wrong value")));
    }

    #[test]
    fn the_culprit_of_the_first_version_is_read_as_passes() {
        let read = |field: &str| {
            let text =
                format!(r#"{{"target": "rustc", "kind": "miscompilation", "detail": ""{field}}}"#);
            serde_json::from_str::<Signature>(&text).unwrap()
        };
        let pass = |name: &str| PassId::new(name).in_layer("MIR");
        let first = read(r#", "culprit": "Inline (MIR) + DeadStoreElimination-final (MIR)""#);
        assert_eq!(first.passes, [pass("Inline"), pass("DeadStoreElimination")]);
        let present = serde_json::to_string(&first).unwrap();
        assert_eq!(serde_json::from_str::<Signature>(&present).unwrap(), first);
        assert_eq!(read("").passes, []);
    }

    #[test]
    fn the_text_of_a_message_is_kept() {
        let different = [
            ("in vrp_shift, at tree-vrp.cc:10", "in vrp_mul, at tree-vrp.cc:10"),
            ("bad byte \\xff\\xfe", "bad byte \\xff\\xfd"),
            ("cannot find a.b", "cannot find a/b"),
            ("expected bool", "expected u8"),
        ];
        for (one, other) in different {
            assert_ne!(normalise(one), normalise(other));
        }
    }

    #[test]
    fn scratch_paths_are_removed_from_reasons() {
        let reason =
            |run: &str| format!("cannot start /home/me/out/scratch/{run}/base.out: no such file");
        assert_eq!(without_scratch(&reason("17-3")), without_scratch(&reason("99-1")));
        assert!(without_scratch(&reason("1")).ends_with(": no such file"));
        assert_eq!(without_scratch("lacks `f128` in /usr/lib"), "lacks `f128` in /usr/lib");
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(VOLATILE.len(), 15);
    }
}
