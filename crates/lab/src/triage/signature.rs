//! What makes two broken promises the same bug.
//!
//! A crash is known by its message, stripped of everything that differs from run to run, and its top
//! frames. Wrong behaviour has no message: it is known by the pass that causes it, and, while that is
//! unknown, by the promise and the class of settings that break it.

use std::fmt;
use std::sync::LazyLock;

use forge::{Promise, Ticket};
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::setting::Setting;
use crate::verdict::{Breach, BreachKind};

/// How many frames of a backtrace count.
const FRAMES: usize = 3;
/// Of a longer message, this much counts.
const MESSAGE: usize = 400;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signature {
    /// The compiler without its version.
    pub target: String,
    pub kind: BreachKind,
    /// The normalised message of a crash or rejection; of the rest, how it fails.
    pub detail: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
    /// For what has no message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circumstances: Option<Circumstances>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub culprit: Option<String>,
    /// Set where every sighting is to be a finding of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Ticket>,
}

/// Under which circumstances something without a message is seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Circumstances {
    /// The promise that a program broke; none where it is the compiler itself that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<String>,
    /// The class of the first setting that shows it.
    pub class: String,
}

impl Signature {
    pub fn of(target: &str, promise: &Promise, setting: &Setting, breach: &Breach) -> Self {
        let speaks = matches!(breach.kind, BreachKind::Crash | BreachKind::Rejection);
        // A compiler that does not end does so whatever was promised of the program.
        let of_the_program = breach.kind == BreachKind::Miscompilation || breach.input.is_some();
        let circumstances = Circumstances {
            promise: of_the_program.then(|| promise.name().to_owned()),
            class: setting.class.clone(),
        };
        Self {
            target: target.to_owned(),
            kind: breach.kind,
            detail: if speaks { Self::message(breach) } else { breach.message.clone() },
            frames: breach.frames.iter().take(FRAMES).map(|frame| normalise(frame)).collect(),
            circumstances: (!speaks).then_some(circumstances),
            culprit: None,
            only: None,
        }
    }

    /// What counts of the message of a crash or rejection.
    pub fn message(breach: &Breach) -> String {
        normalise(&breach.message)
    }

    /// Signed again, once the culprit is known. How the wrong behaviour showed itself says less than
    /// the pass that caused it, and no longer counts.
    pub fn with_culprit(&self, culprit: Option<&str>) -> Self {
        match culprit {
            Some(culprit) if self.circumstances.is_some() => Self {
                // A program that was compiled wrongly may as well hang.
                kind: if self.is_of_program() { BreachKind::Miscompilation } else { self.kind },
                detail: String::new(),
                circumstances: None,
                culprit: Some(culprit.to_owned()),
                ..self.clone()
            },
            _ => self.clone(),
        }
    }

    /// Whether it is the program that fails, and not the compiler, and its culprit is unknown.
    pub fn is_of_program(&self) -> bool {
        self.circumstances.as_ref().is_some_and(|it| it.promise.is_some())
    }

    /// A message makes a crash recognisable at once; everything else has to be bisected first.
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
        if let Some(culprit) = &self.culprit {
            write!(out, " by {culprit}")?;
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

/// What differs between two runs of one crash, and what to write instead. The order counts: the parts
/// that can hold others come first.
static VOLATILE: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    [
        (r"\x1b\[[0-9;]*m", ""),
        // Paths keep their last component, unless it is temporary.
        (r"(?:/[\w.@+-]+)*/(?:tmp|scratch|var/folders)/[^\s:'`,)]*", "TMP"),
        (r"[\w.@+-]*(?:/[\w.@+-]+)+/([\w.@+-]+)", "$1"),
        (r"\b[A-Za-z]:(?:\\[\w.@+-]+)+\\([\w.@+-]+)", "$1"),
        // The programs of a case, and what is made of them.
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

/// The message without what differs from run to run or from program to program.
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
    fn what_differs_from_run_to_run_does_not_count() {
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
    fn what_makes_a_message_stays() {
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
    fn every_pattern_is_one() {
        assert_eq!(VOLATILE.len(), 15);
    }
}
