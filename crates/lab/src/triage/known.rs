//! Known bugs are data: `known-bugs/*.toml`, with an entry for each bug that is reported upstream. A finding that
//! matches an entry is stored and marked as known. It hides no other finding.
//!
//! ```toml
//! [[bug]]
//! name = "GVN merges moved operands"
//! target = "rustc"
//! kind = "miscompilation"          # optional
//! culprit = "GVN"                  # optional, a pass without its turn; several: "A + B"
//! message = "index out of bounds"  # optional, a part of the normalised message
//! frame = "rustc_mir_transform"    # optional, a part of one of the top frames
//! program = ["select", "poison"]   # optional, what the reduced program or its wrong behaviour has
//! link = "https://…"               # optional
//! ```

use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use crate::culprit::read_pass;
use crate::finding::{Exhibit, Finding, KnownAs};
use crate::signature::Signature;
use crate::target::PassId;
use crate::verdict::BreachKind;

/// The entries of all known-bug files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownBugs {
    bugs: Vec<Bug>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bug {
    name: String,
    target: String,
    #[serde(default)]
    kind: Option<BreachKind>,
    #[serde(default)]
    culprit: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    frame: Option<String>,
    /// All of these are in the text of the smallest program, or in what it does wrong.
    #[serde(default)]
    program: Vec<String>,
    #[serde(default)]
    link: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    bug: Vec<Bug>,
}

/// Why known-bug files cannot be read.
#[derive(Debug, Error)]
pub enum KnownBugsError {
    #[error("cannot read {path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path}: {message}", path = path.display())]
    Invalid { path: PathBuf, message: String },
}

impl KnownBugs {
    /// Reads every `.toml` file of a folder. A missing folder counts as empty.
    pub fn read(folder: &Path) -> Result<Self, KnownBugsError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| KnownBugsError::Io { path, source }
        };
        let entries = match std::fs::read_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            entries => entries.map_err(io(folder))?,
        };
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.map(|entry| entry.path()).map_err(io(folder)))
            .collect::<Result<_, _>>()?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        paths.sort();
        let mut known = Self::default();
        for path in paths {
            let text = std::fs::read_to_string(&path).map_err(io(&path))?;
            known.add(&text).map_err(|message| KnownBugsError::Invalid { path, message })?;
        }
        Ok(known)
    }

    /// Adds the bugs of a file, given as text.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        for bug in &file.bug {
            let name = &bug.name;
            let parts =
                [("culprit", &bug.culprit), ("message", &bug.message), ("frame", &bug.frame)];
            if parts.iter().all(|(_, part)| part.is_none()) {
                return Err(format!(
                    "`{name}` would match everything: give a `culprit`, `message` or `frame`"
                ));
            }
            let is_empty =
                |part: &Option<String>| part.as_ref().is_some_and(|it| it.trim().is_empty());
            if let Some((part, _)) = parts.iter().find(|(_, part)| is_empty(part)) {
                return Err(format!("`{name}`: an empty `{part}` would match everything"));
            }
        }
        self.bugs.extend(file.bug);
        Ok(())
    }

    /// Marks a stored finding as known or unknown. Returns whether that changed.
    pub fn apply(&self, finding: &mut Finding) -> bool {
        let by_corpus = finding.known.clone().filter(|it| it.by_corpus);
        let reduced = finding.reduced.as_ref().map(text);
        let known = self.find(&finding.signature, reduced.as_deref()).or(by_corpus);
        let changed = known != finding.known;
        finding.known = known;
        changed
    }

    /// The bug of a failure that is not reduced. Entries about the program wait until it is.
    pub fn matching(&self, signature: &Signature) -> Option<KnownAs> {
        self.find(signature, None)
    }

    fn find(&self, signature: &Signature, reduced: Option<&str>) -> Option<KnownAs> {
        let bug = self.bugs.iter().find(|bug| bug.matches(signature, reduced))?;
        Some(KnownAs { name: bug.name.clone(), link: bug.link.clone(), by_corpus: false })
    }
}

/// Whether exactly these passes are the culprits. Their layers are optional.
fn blames(signature: &Signature, culprit: &str) -> bool {
    let wanted: Vec<PassId> = culprit.split(" + ").map(|name| read_pass(name.trim())).collect();
    let is = |(pass, wanted): (&PassId, &PassId)| {
        pass.name == wanted.name && (wanted.layer.is_none() || wanted.layer == pass.layer)
    };
    !signature.passes.is_empty()
        && signature.passes.len() == wanted.len()
        && signature.passes.iter().zip(&wanted).all(is)
}

/// What an entry about the program looks at.
fn text(exhibit: &Exhibit) -> String {
    let sources = exhibit.case.programs.iter().map(|program| program.source.as_str());
    sources.chain([exhibit.breach.message.as_str()]).collect::<Vec<_>>().join("\n")
}

impl Bug {
    fn matches(&self, signature: &Signature, reduced: Option<&str>) -> bool {
        let contains = |text: &str, part: &String| text.contains(part.as_str());
        let has = |part: &String| reduced.is_some_and(|text| contains(text, part));
        self.target == signature.target
            && self.kind.is_none_or(|kind| kind == signature.kind)
            && self.culprit.as_ref().is_none_or(|it| blames(signature, it))
            && self.message.as_ref().is_none_or(|part| contains(&signature.detail, part))
            && self
                .frame
                .as_ref()
                .is_none_or(|part| signature.frames.iter().any(|frame| contains(frame, part)))
            && self.program.iter().all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crash(target: &str, detail: &str, frames: &[&str]) -> Signature {
        Signature {
            target: target.into(),
            kind: BreachKind::Crash,
            detail: detail.into(),
            frames: frames.iter().map(|&frame| frame.into()).collect(),
            circumstances: None,
            passes: vec![],
            shape: None,
            only: None,
        }
    }

    #[test]
    fn an_entry_matches_its_bug_and_no_other() {
        let mut known = KnownBugs::default();
        let text = "[[bug]]\nname = 'b'\ntarget = 't'\nmessage = 'boom'\nframe = 'gvn'\nlink = 'L'";
        known.add(text).unwrap();
        let matches = |signature: &Signature| known.matching(signature).is_some();
        assert!(matches(&crash("t", "a boom here", &["x", "mir::gvn::f"])));
        assert!(!matches(&crash("u", "a boom here", &["mir::gvn::f"])));
        assert!(!matches(&crash("t", "a bang here", &["mir::gvn::f"])));
        assert!(!matches(&crash("t", "a boom here", &["mir::sroa::f"])));
    }

    #[test]
    fn an_entry_about_the_program_waits_for_the_reduced_one() {
        let mut known = KnownBugs::default();
        let text =
            "[[bug]]\nname = 'b'\ntarget = 't'\nmessage = 'boom'\nprogram = ['select', 'nuw']";
        known.add(text).unwrap();
        let signature = crash("t", "boom", &[]);
        assert!(known.matching(&signature).is_none());
        let matches = |text: &str| known.find(&signature, Some(text)).is_some();
        assert!(matches("%r = add nuw i8 %x, 1\n%s = select i1 %c, i8 %x, i8 %r"));
        assert!(!matches("%s = select i1 %c, i8 %x, i8 %r"));
    }

    #[test]
    fn a_culprit_matches_without_layer_and_turn() {
        let mut known = KnownBugs::default();
        let entry =
            |culprit: &str| format!("[[bug]]\nname = 'b'\ntarget = 't'\nculprit = '{culprit}'\n");
        known.add(&entry("DeadStoreElimination")).unwrap();
        known.add(&entry("A + B (MIR)")).unwrap();
        let blaming = |passes: &[PassId]| Signature {
            kind: BreachKind::Miscompilation,
            passes: passes.iter().map(PassId::without_turn).collect(),
            ..crash("t", "", &[])
        };
        let mir = |name: &str| PassId::new(name).in_layer("MIR");
        let dead = mir("DeadStoreElimination").at_turn(Some("final"));
        assert!(known.matching(&blaming(std::slice::from_ref(&dead))).is_some());
        assert!(known.matching(&blaming(&[mir("A"), mir("B")])).is_some());
        assert!(known.matching(&blaming(&[mir("A"), dead])).is_none());
        assert!(known.matching(&blaming(&[mir("B")])).is_none());
        assert!(known.matching(&blaming(&[])).is_none());
    }

    #[test]
    fn an_entry_that_would_hide_everything_is_refused() {
        let error = KnownBugs::default().add("[[bug]]\nname = 'b'\ntarget = 't'").unwrap_err();
        assert!(error.contains("would match everything"), "{error}");
        for part in ["culprit", "message", "frame"] {
            let text = format!("[[bug]]\nname = 'b'\ntarget = 't'\nmessage = 'x'\n{part} = ' '");
            let text =
                if part == "message" { text.replacen("message = 'x'\n", "", 1) } else { text };
            let error = KnownBugs::default().add(&text).unwrap_err();
            assert!(error.contains(&format!("an empty `{part}`")), "{error}");
        }
        let error = KnownBugs::default().add("[[bug]]\nnam = 'b'").unwrap_err();
        assert!(error.contains("unknown field `nam`"), "{error}");
    }
}
