//! A case: programs, their inputs, the promise about them, and how they were made. A case is plain
//! data. A finding stores the whole case, so it stays usable after the generator changes.

use serde::{Deserialize, Serialize};

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

impl Program {
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.name, self.language.extension())
    }

    /// What its file contains: the source, with carried bytes as they are (see [`crate::source_of`]).
    pub fn bytes(&self) -> std::borrow::Cow<'_, [u8]> {
        crate::bytes_of(&self.source)
    }
}
