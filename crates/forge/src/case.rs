//! A case: programs, their inputs, the promise about them, and how they were made. A case is plain
//! data. A finding stores the whole case, so it stays usable after the generator changes.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Fingerprint, Interface, Language, Model, Origin, Promise};

/// Programs, inputs, a promise about them, and how they were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// A reduced case keeps the origin of the case that it was reduced from.
    #[serde(alias = "ticket")]
    pub origin: Origin,
    /// The first is the base, the rest are variants of it.
    pub programs: Vec<Program>,
    /// Never empty if the case is to be run: a program without arguments has one empty input.
    pub inputs: Vec<Input>,
    pub promise: Promise,
    /// How it was made, one line per step, for readers of reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trail: Vec<String>,
    /// The method's own representation of the programs, on which shrinking works.
    #[serde(default, skip_serializing_if = "Model::is_absent")]
    pub model: Model,
}

/// One program of a case: its name, language, interface and source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// `base`, `variant-1`, …; also the stem of the file name.
    #[serde(deserialize_with = "file_stem")]
    pub name: String,
    pub language: Language,
    #[serde(default)]
    pub interface: Interface,
    pub source: String,
}

/// The input of one run of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The function to call, for programs with several entry points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stdin: String,
}

impl Case {
    /// The measure that reduction minimises: the bytes of all programs, then the number of inputs.
    pub fn size(&self) -> (usize, usize) {
        (self.programs.iter().map(|program| program.source.len()).sum(), self.inputs.len())
    }

    /// Equal for cases that no target can distinguish.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut fields: Vec<&[u8]> = vec![];
        for program in &self.programs {
            fields.extend([program.language.name().as_bytes(), program.source.as_bytes()]);
        }
        for input in &self.inputs {
            fields.push(input.entry.as_deref().unwrap_or("").as_bytes());
            fields.extend(input.arguments.iter().map(|argument| argument.as_bytes()));
            fields.push(input.stdin.as_bytes());
        }
        let promise = format!("{:?}", self.promise);
        fields.push(promise.as_bytes());
        Fingerprint::of(fields)
    }
}

/// The longest name of a program, and of a language, in a stored case.
pub(crate) const LONGEST_NAME: usize = 64;

/// A stored case may come from anywhere, and the name becomes a part of a path.
fn file_stem<'de, D: Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
    let name = String::deserialize(reader)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
    if starts_well && name.len() <= LONGEST_NAME && name.bytes().all(is_plain) {
        return Ok(name);
    }
    Err(D::Error::custom(format!(
        "{name:?} is no name of a program: letters, digits, `_`, `-` and `.`, at most {LONGEST_NAME} of them"
    )))
}

impl Program {
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.name, self.language.extension())
    }

    /// What its file contains: the source, with carried bytes as they are (see [`crate::source_of`]).
    pub fn bytes(&self) -> std::borrow::Cow<'_, [u8]> {
        crate::bytes_of(&self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_program_cannot_name_a_path() {
        let read = |name: &str, language: &str| {
            let text =
                format!("{{\"name\": {name:?}, \"language\": {language:?}, \"source\": \"\"}}");
            serde_json::from_str::<Program>(&text)
        };
        for name in ["base", "variant-1", "C0.sol", "_x"] {
            assert_eq!(read(name, "c++").unwrap().name, name);
        }
        let long = "x".repeat(LONGEST_NAME + 1);
        for name in ["", "/home/x/", "..", ".", "../x", "-o", "a b", "a\0", "ü", &long] {
            assert!(read(name, "c").is_err(), "{name:?}");
        }
        for language in ["", "../bashrc", "c/", ".c", &long] {
            assert!(read("base", language).is_err(), "{language:?}");
        }
    }
}
