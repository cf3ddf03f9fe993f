//! A corpus of programs of any language, from a folder: the files with the extension of the language, or the strings of
//! Python files. What is too large is left out and counted. A folder with very many programs is thinned out evenly.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use forge::Language;
use text::MOST_BYTES;
use text::corpus::{Corpus, Entry};

use super::{CorpusError, strings};

/// Mutants must have room to grow.
const MOST: u64 = MOST_BYTES as u64 / 2;

/// The most programs. All are compiled as they are before the first mutant.
const PROGRAMS: usize = 2000;

/// Lines that tie a program to versions of a compiler, by language. They are removed, so that programs for one version can
/// be used for another.
const VERSIONS: &[(&str, &[&str])] = &[
    ("solidity", &["pragma solidity"]),
    ("vyper", &["# @version", "#@version", "# pragma version", "#pragma version"]),
];

/// A file of Python tests may be larger than a program.
const MOST_PYTHON: u64 = 1 << 20;

/// Of a folder with more, the wrong one was most likely given.
const FILES: usize = 200_000;
const ENTRIES: usize = 2_000_000;

/// How deep folders may be nested, so that a link to a parent ends.
const DEPTH: usize = 32;

/// Why a file is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unused {
    /// It has a null byte, so that it is an image or an archive rather than a program.
    Binary,
    TooLarge,
    Unreadable,
    Thinned,
}

impl fmt::Display for Unused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => out.write_str("binary"),
            Self::TooLarge => write!(out, "larger than {} KiB", MOST >> 10),
            Self::Unreadable => out.write_str("cannot be read"),
            Self::Thinned => write!(out, "more than {PROGRAMS} programs"),
        }
    }
}

/// Where the programs in a folder are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Each file is one.
    Files,
    /// They are strings in Python files.
    Strings,
}

/// The programs of a folder, and how many files were left out for which reason.
#[derive(Debug)]
pub struct Programs {
    pub corpus: Corpus,
    pub unused: BTreeMap<Unused, usize>,
}

/// The programs of a language below a folder, or one program.
pub fn programs(place: &Path, language: &Language) -> Result<Programs, CorpusError> {
    read(place, language, Reading::Files)
}

pub(super) fn read(
    place: &Path,
    language: &Language,
    reading: Reading,
) -> Result<Programs, CorpusError> {
    let extension = match reading {
        Reading::Files => language.extension(),
        Reading::Strings => "py",
    };
    let mut files = vec![];
    if place.is_file() {
        files.push(place.to_owned());
    } else {
        let mut seen = 0;
        find(place, extension, DEPTH, &mut seen, &mut files).map_err(|source| CorpusError::Io {
            doing: "read",
            path: place.to_owned(),
            source,
        })?;
        if files.len() > FILES || seen > ENTRIES {
            return Err(CorpusError::TooMany { path: place.to_owned(), most: FILES });
        }
    }
    files.sort();
    let mut unused: BTreeMap<Unused, usize> = BTreeMap::new();
    let mut entries = vec![];
    for file in &files {
        let found = match reading {
            Reading::Files => entry(place, file, language).map(|entry| vec![entry]),
            Reading::Strings => in_strings(place, file, language, &mut unused),
        };
        match found {
            Ok(mut found) => entries.append(&mut found),
            Err(why) => *unused.entry(why).or_default() += 1,
        }
    }
    entries.sort();
    let count = entries.len();
    if count > PROGRAMS {
        unused.insert(Unused::Thinned, count - PROGRAMS);
        let is_kept = |at: usize| at * PROGRAMS / count != (at + 1) * PROGRAMS / count;
        let mut at = 0..count;
        entries.retain(|_| at.next().is_some_and(is_kept));
    }
    let corpus = Corpus::new(language.clone(), entries);
    let corpus = corpus.map_err(|_| CorpusError::NoPrograms {
        path: place.to_owned(),
        extension: extension.to_owned(),
        language: language.name().to_owned(),
    })?;
    Ok(Programs { corpus, unused })
}

fn find(
    folder: &Path,
    extension: &str,
    depth: usize,
    seen: &mut usize,
    files: &mut Vec<PathBuf>,
) -> std::io::Result<()> {
    for found in std::fs::read_dir(folder)? {
        let path = found?.path();
        *seen += 1;
        if files.len() > FILES || *seen > ENTRIES {
            break;
        }
        if path.is_dir() {
            // What is inside of a folder may be unreadable, which is no reason to give up.
            if depth > 0 {
                let _ = find(&path, extension, depth - 1, seen, files);
            }
        } else if path.extension().is_some_and(|it| it == extension) {
            files.push(path);
        }
    }
    Ok(())
}

fn entry(place: &Path, file: &Path, language: &Language) -> Result<Entry, Unused> {
    let text = for_any_version(text(file, MOST)?, language);
    Ok(Entry { name: name(place, file), text })
}

/// The programs in a Python file.
fn in_strings(
    place: &Path,
    file: &Path,
    language: &Language,
    unused: &mut BTreeMap<Unused, usize>,
) -> Result<Vec<Entry>, Unused> {
    let (text, name) = (text(file, MOST_PYTHON)?, name(place, file));
    let mut entries = vec![];
    for (line, program) in strings::programs(&text) {
        if program.len() as u64 > MOST {
            *unused.entry(Unused::TooLarge).or_default() += 1;
            continue;
        }
        let text = for_any_version(program, language);
        entries.push(Entry { name: format!("{name}:{line}"), text });
    }
    Ok(entries)
}

fn text(file: &Path, most: u64) -> Result<String, Unused> {
    let metadata = file.metadata().map_err(|_| Unused::Unreadable)?;
    if !metadata.is_file() {
        return Err(Unused::Unreadable);
    }
    if metadata.len() > most {
        return Err(Unused::TooLarge);
    }
    let bytes = std::fs::read(file).map_err(|_| Unused::Unreadable)?;
    match bytes.contains(&0) {
        true => Err(Unused::Binary),
        false => Ok(forge::source_of(&bytes)),
    }
}

fn name(place: &Path, file: &Path) -> String {
    let name = file.strip_prefix(place).ok().filter(|it| !it.as_os_str().is_empty());
    name.unwrap_or(file).to_string_lossy().into_owned()
}

fn for_any_version(text: String, language: &Language) -> String {
    let rows = VERSIONS.iter().find(|(name, _)| *name == language.common_name());
    let Some((_, starts)) = rows else { return text };
    let is_tied = |line: &&str| starts.iter().any(|it| line.trim_start().starts_with(it));
    text.split_inclusive('\n').filter(|line| !is_tied(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_folders_and_others_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        write("a.c", b"int a;");
        write("deep/b.c", b"int b;");
        write("c.h", b"int c;");
        write("d.c", b"int d\xff\xfe;");
        write("f.c", b"\x7fELF\0");
        write("e.c", &[b' '; 9000]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("deep/loop")).unwrap();
        let c = Language::new("c");
        let Programs { corpus, unused } = programs(folder.path(), &c).unwrap();
        let names: Vec<&str> = corpus.entries.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a.c", "d.c", "deep/b.c"]);
        assert_eq!(forge::bytes_of(&corpus.entries[1].text).as_ref(), b"int d\xff\xfe;");
        assert!(unused[&Unused::Binary] >= 1 && unused[&Unused::TooLarge] >= 1, "{unused:?}");
        let empty = programs(folder.path(), &Language::new("zig")).unwrap_err();
        assert!(empty.to_string().contains("no .zig file"), "{empty}");
        assert!(programs(&folder.path().join("missing"), &c).is_err());
        assert_eq!(programs(&folder.path().join("a.c"), &c).unwrap().corpus.entries.len(), 1);
    }

    #[test]
    fn version_pragmas_are_removed() {
        let cut =
            |language: &str, text: &str| for_any_version(text.to_owned(), &Language::new(language));
        assert_eq!(cut("solidity-0.6", "pragma solidity ^0.8.0;\ncontract C {}"), "contract C {}");
        assert_eq!(cut("vyper", "# @version 0.3.1\nx: uint256\n"), "x: uint256\n");
        assert_eq!(cut("c", "pragma solidity"), "pragma solidity");
    }

    #[test]
    fn a_large_folder_is_thinned_out_evenly() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..PROGRAMS + PROGRAMS / 2 {
            std::fs::write(folder.path().join(format!("{number:05}.c")), number.to_string())
                .unwrap();
        }
        let Programs { corpus, unused } = programs(folder.path(), &Language::new("c")).unwrap();
        assert_eq!((corpus.entries.len(), unused[&Unused::Thinned]), (PROGRAMS, PROGRAMS / 2));
        let late = corpus.entries.iter().filter(|it| it.name.as_str() >= "01500.c").count();
        assert_eq!(late, PROGRAMS / 2);
    }
}
