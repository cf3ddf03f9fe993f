//! A corpus of programs of any language, from a folder: the files with the extension of the language. What is no text,
//! or too large, is left out and counted. A folder with very many programs is thinned out evenly.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use forge::Language;
use text::MOST_BYTES;
use text::corpus::{Corpus, Entry};

use super::CorpusError;

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

/// How deep folders may be nested, so that a link to a parent ends.
const DEPTH: usize = 32;

/// Why a file is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unused {
    NotText,
    TooLarge,
    Unreadable,
    Thinned,
}

impl fmt::Display for Unused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotText => out.write_str("not text"),
            Self::TooLarge => write!(out, "larger than {} KiB", MOST >> 10),
            Self::Unreadable => out.write_str("cannot be read"),
            Self::Thinned => write!(out, "more than {PROGRAMS} programs"),
        }
    }
}

/// The programs of a language below a folder, or one program, and how many files were left out for which reason.
pub fn programs(
    place: &Path,
    language: &Language,
) -> Result<(Corpus, BTreeMap<Unused, usize>), CorpusError> {
    let mut files = vec![];
    if place.is_file() {
        files.push(place.to_owned());
    } else {
        find(place, language.extension(), DEPTH, &mut files).map_err(|source| CorpusError::Io {
            doing: "read",
            path: place.to_owned(),
            source,
        })?;
    }
    files.sort();
    let mut unused: BTreeMap<Unused, usize> = BTreeMap::new();
    let mut entries = vec![];
    for file in &files {
        match entry(place, file, language) {
            Ok(entry) => entries.push(entry),
            Err(why) => *unused.entry(why).or_default() += 1,
        }
    }
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
        extension: language.extension().to_owned(),
        language: language.name().to_owned(),
    })?;
    Ok((corpus, unused))
}

fn find(
    folder: &Path,
    extension: &str,
    depth: usize,
    files: &mut Vec<PathBuf>,
) -> std::io::Result<()> {
    for found in std::fs::read_dir(folder)? {
        let path = found?.path();
        if path.is_dir() {
            // What is inside of a folder may be unreadable, which is no reason to give up.
            if depth > 0 {
                let _ = find(&path, extension, depth - 1, files);
            }
        } else if path.extension().is_some_and(|it| it == extension) {
            files.push(path);
        }
    }
    Ok(())
}

fn entry(place: &Path, file: &Path, language: &Language) -> Result<Entry, Unused> {
    let size = file.metadata().map_err(|_| Unused::Unreadable)?.len();
    if size > MOST {
        return Err(Unused::TooLarge);
    }
    let bytes = std::fs::read(file).map_err(|_| Unused::Unreadable)?;
    let text = String::from_utf8(bytes).map_err(|_| Unused::NotText)?;
    let name = file.strip_prefix(place).ok().filter(|it| !it.as_os_str().is_empty());
    let name = name.unwrap_or(file).to_string_lossy().into_owned();
    Ok(Entry { name, text: for_any_version(text, language) })
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
        write("d.c", b"\xff\xfe");
        write("e.c", &[b' '; 9000]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("deep/loop")).unwrap();
        let c = Language::new("c");
        let (corpus, unused) = programs(folder.path(), &c).unwrap();
        let names: Vec<&str> = corpus.entries.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a.c", "deep/b.c"]);
        assert!(unused[&Unused::NotText] >= 1 && unused[&Unused::TooLarge] >= 1, "{unused:?}");
        let empty = programs(folder.path(), &Language::new("zig")).unwrap_err();
        assert!(empty.to_string().contains("no .zig file"), "{empty}");
        assert!(programs(&folder.path().join("missing"), &c).is_err());
        assert_eq!(programs(&folder.path().join("a.c"), &c).unwrap().0.entries.len(), 1);
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
        let (corpus, unused) = programs(folder.path(), &Language::new("c")).unwrap();
        assert_eq!((corpus.entries.len(), unused[&Unused::Thinned]), (PROGRAMS, PROGRAMS / 2));
        let late = corpus.entries.iter().filter(|it| it.name.as_str() >= "01500.c").count();
        assert_eq!(late, PROGRAMS / 2);
    }
}
