//! What is written for other programs and for readers who were not there, one file per format. The
//! exporters only listen; what a single finding's folder holds is written by `lab`.

mod exporter;
mod file;
pub(crate) mod html;
pub(crate) mod jsonl;
pub(crate) mod junit;
pub(crate) mod sarif;

#[cfg(test)]
pub(crate) mod specimens;

pub(crate) use exporter::Exporter;
pub(crate) use file::write_atomically;
pub(crate) use jsonl::JsonLines;
pub(crate) use junit::JUnit;
pub(crate) use sarif::Sarif;
