//! The files of a batch of contract cases. A source can have several files: a line `==== Source: NAME ====` starts one.
//! If several programs share a run of the compiler, each gets a folder of its own, and imports are mapped into it.

use std::collections::BTreeMap;

use forge::{Case, Program};

/// The name of the only file of a source without a line that starts one.
const ONLY: &str = "case.sol";

/// One program of a case, as files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// The index of the case in the batch.
    pub(super) case: usize,
    pub(super) program: usize,
    /// Empty, or a folder with a slash at its end.
    folder: String,
    files: Vec<(String, String)>,
}

impl Unit {
    /// The programs of some cases. With one, file names are those of the source, as in a report.
    pub(super) fn of(cases: &[&Case]) -> Vec<Self> {
        let programs = cases.iter().enumerate().flat_map(|(case, it)| {
            it.programs.iter().enumerate().map(move |(program, it)| (case, program, it))
        });
        let alone = cases.iter().map(|case| case.programs.len()).sum::<usize>() == 1;
        let unit = |(case, program, it): (usize, usize, &Program)| Self {
            case,
            program,
            folder: if alone { String::new() } else { format!("case{case}-{program}/") },
            files: files(&it.source),
        };
        programs.map(unit).collect()
    }

    /// A program that is compiled alone.
    pub(super) fn alone(program: &Program) -> Self {
        Self { case: 0, program: 0, folder: String::new(), files: files(&program.source) }
    }

    /// Adds its files to the sources of a request; `head` is put in front of each.
    pub(super) fn add_to(&self, sources: &mut BTreeMap<String, String>, head: &str) {
        for (name, text) in &self.files {
            sources.insert(format!("{}{name}", self.folder), format!("{head}{text}"));
        }
    }

    /// The remappings by which its imports are found in its folder.
    pub(super) fn remappings(&self) -> impl Iterator<Item = String> + '_ {
        let folder = &self.folder;
        let several = self.files.len() > 1 && !folder.is_empty();
        let names = self.files.iter().filter(move |_| several);
        names.map(move |(name, _)| format!("{folder}:{name}={folder}{name}"))
    }

    /// Whether a source of the request is one of its files.
    pub(super) fn has(&self, source: &str) -> bool {
        self.files.iter().any(|(name, _)| source.strip_prefix(&self.folder) == Some(name))
    }

    /// The sources in which a contract may be, and its name: `C` or `file.sol:C`.
    pub(super) fn places<'a>(&self, contract: &'a str) -> (Vec<String>, &'a str) {
        let (file, name) = match contract.rsplit_once(':') {
            Some((file, name)) => (Some(file), name),
            None => (None, contract),
        };
        let fits = self.files.iter().filter(|(it, _)| file.is_none_or(|file| it == file));
        (fits.map(|(it, _)| format!("{}{it}", self.folder)).collect(), name)
    }
}

/// The files of a source.
fn files(source: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = vec![];
    for line in source.split_inclusive('\n') {
        let name = line.trim_end().strip_prefix("==== Source: ");
        if let Some(name) = name.and_then(|it| it.strip_suffix("====")) {
            files.push((name.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
        } else if !line.trim().is_empty() {
            files.push((ONLY.to_owned(), line.to_owned()));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use forge::{Interface, Language, Model, Promise, Ticket};

    fn case(source: &str) -> Case {
        Case {
            origin: Ticket::new("text", 0, 0).into(),
            programs: vec![Program {
                name: "base".into(),
                language: Language::new("solidity"),
                interface: Interface::Contract,
                source: source.to_owned(),
            }],
            inputs: vec![],
            promise: Promise::Compiles,
            trail: vec![],
            model: Model::absent(),
        }
    }

    #[test]
    fn a_source_is_one_file_or_several() {
        assert_eq!(files("contract C {}\n"), [("case.sol".into(), "contract C {}\n".into())]);
        let two = files("==== Source: a.sol ====\nA\n==== Source: b/c.sol ====\nB\nC");
        assert_eq!(two, [("a.sol".into(), "A\n".into()), ("b/c.sol".into(), "B\nC".into())]);
    }

    #[test]
    fn programs_that_share_a_run_get_folders_and_remappings() {
        let (one, two) = (case("X"), case("==== Source: a ====\nA\n==== Source: b ====\nB\n"));
        let alone = Unit::of(&[&two]);
        assert_eq!(alone[0].remappings().count(), 0);
        assert!(alone[0].has("a") && !alone[0].has("c"));
        let units = Unit::of(&[&one, &two]);
        let mut sources = BTreeMap::new();
        for unit in &units {
            unit.add_to(&mut sources, "");
        }
        let names: Vec<&String> = sources.keys().collect();
        assert_eq!(names, ["case0-0/case.sol", "case1-0/a", "case1-0/b"]);
        assert_eq!(units[0].remappings().count(), 0);
        let remappings: Vec<String> = units[1].remappings().collect();
        assert_eq!(remappings, ["case1-0/:a=case1-0/a", "case1-0/:b=case1-0/b"]);
        assert!(units[1].has("case1-0/b") && !units[0].has("case1-0/b"));
        assert_eq!(units[1].places("b:C"), (vec!["case1-0/b".to_owned()], "C"));
        assert_eq!(units[1].places("C").0.len(), 2);
    }
}
