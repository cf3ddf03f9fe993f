//! The description of a user's compiler in `mistrust.toml`:
//!
//! ```toml
//! [target.mycc]
//! language = "c"
//! compile = ["mycc", "-O{opt}", "-o", "{out}", "{in}"]
//! run = ["{out}"]
//! settings = { opt = ["0", "1", "2"] }
//! ```

use std::path::Path;
use std::sync::Arc;

use forge::Interface;
use regex::Regex;
use serde::Deserialize;
use thiserror::Error;

use super::command::CommandTarget;
use super::failure::Classifier;
use super::hosted::HostedTarget;
use super::native;
use super::passes::Passes;
use super::template::{Template, UnknownPlaceholder};
use super::text;
use super::{Batch, Reads, Schedule, Spec, Target, TargetName};
use crate::setting::Setting;

/// The languages in which a generated function comes with a `main` that calls it, so that any compiler of the
/// language can be used.
const WITH_MAIN: &[&str] = &["c", "bitint", "rust", "zig"];

/// The largest number of combinations of settings.
const MOST_SETTINGS: usize = 10_000;

/// A `[target.NAME]` table of `mistrust.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    pub language: String,
    /// Compiles `{in}` to `{out}`.
    #[serde(default)]
    pub compile: Option<Vec<String>>,
    /// Runs `{out}`; the arguments of the case are appended. Without it, programs are only compiled.
    #[serde(default)]
    pub run: Option<Vec<String>>,
    /// A persistent process that compiles and runs, instead of `compile` and `run`.
    #[serde(default)]
    pub host: Option<Vec<String>>,
    /// How many cases a request to a host contains.
    #[serde(default)]
    pub batch: Option<usize>,
    /// The values of each option, from the least to the most optimising. All combinations are used.
    #[serde(default)]
    pub settings: toml::Table,
    /// A command that prints the version.
    #[serde(default)]
    pub version: Option<Vec<String>>,
    /// Environment variables for the compiler.
    #[serde(default)]
    pub env: std::collections::BTreeMap<String, String>,
    /// Patterns in the compiler's output that mean an internal error, besides the built-in ones.
    #[serde(default)]
    pub crash: Vec<String>,
    /// Patterns that mean a documented limit, which is not a bug.
    #[serde(default)]
    pub limit: Vec<String>,
    /// How to stop after the n-th pass, for bisection.
    #[serde(default)]
    pub passes: Option<PassesDescription>,
    /// How coverage of the compiler is measured.
    #[serde(default)]
    pub coverage: Means,
}

/// How coverage of a described compiler with a command line is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Means {
    /// By breakpoints in its machine code.
    #[default]
    Breakpoints,
    /// It was compiled by `afl-cc`.
    Afl,
    /// Not at all.
    None,
}

/// How a described compiler stops after a number of passes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassesDescription {
    /// Arguments that make the compiler stop optimising after `{n}` steps.
    pub limit: Vec<String>,
    /// Matches what the compiler prints for each step; the group `pass` is its name.
    pub pattern: String,
}

/// Why a description is invalid.
#[derive(Debug, Error)]
pub enum DescriptionError {
    #[error("target `{target}`: {message}")]
    Invalid { target: String, message: String },
}

impl Description {
    /// Makes the target. Relative paths of programs, and `{here}`, are relative to `here`, the folder of the
    /// description.
    pub fn build(&self, name: &str, here: &Path) -> Result<Arc<dyn Target>, DescriptionError> {
        let invalid =
            |message: String| DescriptionError::Invalid { target: name.to_owned(), message };
        let located = |words: &Vec<String>| locate(words, here);
        let batch = Batch::of(self.batch.unwrap_or(20).max(1));
        let identity = Identity {
            spec: Spec {
                name: TargetName::from(name.to_owned()),
                reads: self.reads(batch),
                settings: settings(&self.settings).map_err(invalid)?,
                occasional: vec![],
                schedule: Schedule::All,
            },
            version: self.version.as_ref().map(located),
            env: self.env.clone().into_iter().collect(),
            classifier: Classifier::new(&self.crash, &self.limit).map_err(invalid)?,
        };
        let options: Vec<&str> = self.settings.keys().map(String::as_str).collect();
        match (&self.compile, &self.host) {
            (Some(compile), None) => {
                let run = self.run.as_ref().map(located);
                let target = self.command(identity, &located(compile), run, &options);
                let target = target.map_err(invalid)?;
                Ok(Arc::new(target))
            }
            (None, Some(host)) if self.run.is_none() && self.passes.is_none() => {
                require_program(host).map_err(invalid)?;
                Ok(Arc::new(HostedTarget::new(identity, located(host))))
            }
            (None, Some(_)) => {
                Err(invalid("`run` and `passes` belong to `compile`, not to `host`".to_owned()))
            }
            _ => Err(invalid("needs either `compile` (and `run`) or `host`".to_owned())),
        }
    }

    /// A compiler with a command line reads whole programs and any text, and functions if these come with a `main`.
    fn reads(&self, batch: Batch) -> Vec<Reads> {
        let language = self.language.as_str();
        if self.host.is_some() {
            return vec![Reads::new(language, Interface::Program, batch)];
        }
        let functions = (self.run.is_some() && WITH_MAIN.contains(&language))
            .then(|| Reads::new(language, Interface::Function, Batch::of(native::BATCH)));
        let programs = Reads::new(language, Interface::Program, Batch::ALONE);
        functions.into_iter().chain([programs, text::reads(language)]).collect()
    }

    fn command(
        &self,
        identity: Identity,
        compile: &[String],
        run: Option<Vec<String>>,
        options: &[&str],
    ) -> Result<CommandTarget, String> {
        if self.batch.is_some() {
            return Err("`batch` belongs to `host`, not to `compile`".to_owned());
        }
        let placeholders = |own: &[&'static str]| -> Vec<String> {
            own.iter().chain(options).map(|placeholder| (*placeholder).to_owned()).collect()
        };
        let template = |words: &[String], own: &[&'static str]| {
            require_program(words)?;
            let placeholders = placeholders(own);
            let placeholders: Vec<&str> = placeholders.iter().map(String::as_str).collect();
            Template::new(words, &placeholders)
                .map_err(|unknown: UnknownPlaceholder| unknown.to_string())
        };
        let compile = template(compile, &["in", "out"])?;
        if !compile.mentions("in") {
            return Err("`compile` must contain `{in}`, the source file".to_owned());
        }
        let run = run.map(|run| template(&run, &["in", "out"])).transpose()?;
        if let Some(run) = &run {
            if !run.mentions("out") && !run.mentions("in") {
                return Err(
                    "`run` must contain `{out}`, the compiled program (or `{in}`, for an interpreter)"
                        .to_owned(),
                );
            }
            if run.mentions("out") && !compile.mentions("out") {
                return Err(
                    "`run` starts `{out}`, but `compile` does not contain it, so the file would not exist"
                        .to_owned(),
                );
            }
        }
        let used = |option: &&&str| {
            compile.mentions(option) || run.as_ref().is_some_and(|run| run.mentions(option))
        };
        if let Some(unused) = options.iter().find(|option| !used(option)) {
            return Err(format!(
                "no command contains `{{{unused}}}`, so settings.{unused} has no effect"
            ));
        }
        let passes = match &self.passes {
            Some(passes) => Some(Passes {
                limit: Template::new(&passes.limit, &["n"]).map_err(|error| error.to_string())?,
                pattern: pass_pattern(&passes.pattern)?,
            }),
            None => None,
        };
        Ok(CommandTarget::new(identity, compile, run, passes, self.coverage))
    }
}

/// The properties that all described targets share.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) spec: Spec,
    pub(super) version: Option<Vec<String>>,
    pub(super) env: Vec<(String, String)>,
    pub(super) classifier: Classifier,
}

/// Commands run in a scratch directory, so files beside the description need absolute paths.
fn locate(words: &[String], here: &Path) -> Vec<String> {
    let mut words: Vec<String> =
        words.iter().map(|word| word.replace("{here}", &here.display().to_string())).collect();
    if let Some(program) = words.first_mut()
        && program.contains('/')
        && !program.starts_with(['/', '{'])
    {
        *program = here.join(&*program).display().to_string();
    }
    words
}

fn require_program(words: &[String]) -> Result<(), String> {
    match words.first() {
        Some(program) if !program.is_empty() => Ok(()),
        _ => Err("a command needs at least the name of a program".to_owned()),
    }
}

fn pass_pattern(pattern: &str) -> Result<Regex, String> {
    let regex = Regex::new(pattern).map_err(|error| format!("passes.pattern: {error}"))?;
    if regex.capture_names().flatten().any(|name| name == "pass") {
        Ok(regex)
    } else {
        Err("passes.pattern needs a group named `pass`, as in `(?<pass>\\w+)`".to_owned())
    }
}

/// All combinations, the first option varying slowest.
fn settings(table: &toml::Table) -> Result<Vec<Setting>, String> {
    let mut combinations: Vec<Vec<(String, String)>> = vec![vec![]];
    for (option, values) in table {
        if ["in", "out", "n"].contains(&option.as_str()) {
            return Err(format!("`{option}` cannot be the name of an option"));
        }
        let values = values.as_array().filter(|values| !values.is_empty());
        let values =
            values.ok_or_else(|| format!("settings.{option} has to be a list of values"))?;
        let words: Vec<String> = values
            .iter()
            .map(|value| match value {
                toml::Value::String(text) => Ok(text.clone()),
                toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => {
                    Ok(value.to_string())
                }
                _ => Err(format!("settings.{option}: {value} is not a string or number")),
            })
            .collect::<Result<_, _>>()?;
        if combinations.len().saturating_mul(words.len()) > MOST_SETTINGS {
            return Err(format!(
                "settings: more than {MOST_SETTINGS} combinations of values, and all are used: give fewer values"
            ));
        }
        combinations = combinations
            .iter()
            .flat_map(|chosen| {
                words.iter().map(move |word| {
                    let mut chosen = chosen.clone();
                    chosen.push((option.clone(), word.clone()));
                    chosen
                })
            })
            .collect();
    }
    Ok(combinations.into_iter().map(Setting::of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(text: &str) -> Result<Arc<dyn Target>, String> {
        let description: Description = toml::from_str(text).map_err(|error| error.to_string())?;
        description.build("mycc@1.2", Path::new("/here")).map_err(|error| error.to_string())
    }

    #[test]
    fn the_documented_example_makes_a_target() {
        let target = build(
            "language = 'c'\ncompile = ['mycc', '-O{opt}', '-flto={lto}', '-o', '{out}', '{in}']\n\
             run = ['{out}']\nsettings = { opt = ['0', '1', 2], lto = [true, false] }",
        )
        .unwrap();
        let names: Vec<&str> = target.spec().settings.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names[..2], ["lto=true,opt=0", "lto=true,opt=1"]);
        assert_eq!(names.len(), 6);
        assert_eq!((target.name().family.as_str(), target.spec().language().name()), ("mycc", "c"));
    }

    #[test]
    fn an_invalid_description_is_rejected_with_the_reason() {
        let error = |text: &str| build(text).expect_err(text);
        let cases = [
            ("compile = ['x', '{in}']", "missing field `language`"),
            ("language = 'c'\ncompil = ['x']", "unknown field `compil`"),
            ("language = 'c'", "needs either `compile` (and `run`) or `host`"),
            ("language = 'c'\ncompile = []", "name of a program"),
            ("language = 'c'\ncompile = ['x', '{im}']", "`{im}` in `{im}` is not defined"),
            ("language = 'c'\ncompile = ['x']", "must contain `{in}`"),
            ("language = 'c'\ncompile = ['x', '{in}']\nsettings = { opt = 3 }", "a list of values"),
            (
                &format!(
                    "language = 'c'\ncompile = ['x{{a}}{{b}}{{c}}{{d}}{{e}}', '{{in}}']\n[settings]\n{}",
                    ["a", "b", "c", "d", "e"].map(|it| format!("{it} = {:?}\n", [0; 9])).concat()
                ),
                "more than 10000 combinations",
            ),
            ("language = 'c'\ncompile = ['x', '{in}']\ncrash = ['(']", "crash pattern"),
            ("language = 'c'\nhost = ['x']\nrun = ['y']", "belong to `compile`"),
            ("language = 'c'\ncompile = ['x', '{in}']\nbatch = 3", "belongs to `host`"),
            (
                "language = 'c'\ncompile = ['x', '{in}']\nrun = ['{out}']",
                "`compile` does not contain it",
            ),
            (
                "language = 'c'\ncompile = ['x', '{in}', '{out}']\nrun = ['./a.out']",
                "`run` must contain `{out}`",
            ),
            (
                "language = 'c'\ncompile = ['x', '{in}']\nsettings = { opt = [1, 2] }",
                "no command contains `{opt}`",
            ),
            (
                "language = 'c'\ncompile = ['x', '{in}']\n[passes]\nlimit = ['{n}']\npattern = 'x'",
                "a group named `pass`",
            ),
        ];
        for (text, expected) in cases {
            let error = error(text);
            assert!(error.contains(expected), "{text:?} gives {error:?}");
        }
    }
}
