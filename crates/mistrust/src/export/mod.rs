//! Reports in files, one source file per format. The exporters are listeners. The folder of a single finding is written
//! by `lab`.

mod exporter;
mod file;
pub(crate) mod html;
pub(crate) mod jsonl;
pub(crate) mod junit;
pub(crate) mod sarif;

#[cfg(test)]
pub(crate) mod specimens;

pub(crate) use exporter::Exporter;
pub(crate) use file::{check, write_atomically};
pub(crate) use jsonl::JsonLines;
pub(crate) use junit::JUnit;
pub(crate) use sarif::Sarif;
