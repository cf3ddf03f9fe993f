//! Coverage of compilers that are Python packages, through `sys.monitoring`: a line of the package reports once and then
//! runs at full speed. Older Pythons than 3.12 only have tracing, which costs a multiple.

use std::ffi::OsStr;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::json;

use super::{Maker, Measure, Start, Unmeasured};
use crate::exec::Order;
use crate::target::Bench;

const PRELUDE: &str = include_str!("prelude.py");
const SURVEY: &str = include_str!("survey.py");

/// The variable with which the prelude is told the files of the package.
const VARIABLE: &str = "MISTRUST_COVERAGE";

/// Measures a compiler that is a Python package.
#[derive(Debug)]
pub(crate) struct PythonMaker {
    python: Vec<String>,
    package: &'static str,
    prepared: OnceLock<Result<Prepared, Unmeasured>>,
}

#[derive(Debug)]
struct Prepared {
    told: String,
    measure: Measure,
}

/// What the survey prints.
#[derive(Deserialize)]
#[serde(untagged)]
enum Survey {
    Cannot { why: String },
    Files { folder: String, files: Vec<(String, u64)>, lines: u64, digest: String },
}

impl PythonMaker {
    /// With the command that starts Python.
    pub(crate) fn new(python: Vec<String>, package: &'static str) -> Self {
        Self { python, package, prepared: OnceLock::new() }
    }

    fn prepared(&self, bench: &Bench) -> Result<&Prepared, Unmeasured> {
        self.prepared.get_or_init(|| self.surveyed(bench)).as_ref().map_err(Clone::clone)
    }

    fn surveyed(&self, bench: &Bench) -> Result<Prepared, Unmeasured> {
        let scratch = bench.runner.scratch()?;
        let words = ["-c", SURVEY, self.package].map(str::to_owned);
        let argv: Vec<String> = self.python.iter().cloned().chain(words).collect();
        let run = bench.runner.run(&Order::new(argv).limits(bench.compile.clone()), &scratch)?;
        let printed = run.stdout.text();
        let failed = |error: serde_json::Error| {
            let said = run.stderr.text();
            let last = said.lines().last().unwrap_or_default();
            Unmeasured(format!("the package {} cannot be read: {error}; {last}", self.package))
        };
        match serde_json::from_str(&printed).map_err(failed)? {
            Survey::Cannot { why } => Err(Unmeasured(why)),
            Survey::Files { folder, files, lines, digest } => {
                let tag = digest.get(..8).and_then(|it| u32::from_str_radix(it, 16).ok());
                let measure = Measure {
                    means: "the lines of its Python package",
                    blocks: lines,
                    is_repeatable: true,
                    tag: tag.unwrap_or_default(),
                };
                let told = json!({ "folder": folder, "files": files }).to_string();
                Ok(Prepared { told, measure })
            }
        }
    }
}

impl Maker for PythonMaker {
    fn prepare(&self, bench: &Bench) -> Result<Measure, Unmeasured> {
        Ok(self.prepared(bench)?.measure.clone())
    }

    fn equip(&self, start: &mut Start, bench: &Bench) -> Result<(), Unmeasured> {
        let prepared = self.prepared(bench)?;
        start.env.push((VARIABLE.into(), prepared.told.clone().into()));
        // The order of sets of strings must be the same in each process.
        start.env.push(("PYTHONHASHSEED".into(), "0".into()));
        if let Some(script) = start.argv.get_mut(2) {
            *script = [OsStr::new(PRELUDE), OsStr::new("\n"), script].into_iter().collect();
        }
        Ok(())
    }
}
