//! A compiler that is called by a command line for every program, and whose output is run by another.

use std::path::Path;

use forge::{Case, Input, Language, Observation, Outcome, Program};

use super::described::Identity;
use super::failure::{behaviour, not_observed};
use super::passes::Passes;
use super::template::Template;
use super::{Attempt, Axis, Bench, ByHand, Point, Target, TargetName, Unusable};
use crate::exec::{ExecError, Limits, Order, Run, Scratch};
use crate::setting::Setting;

#[derive(Debug)]
pub struct CommandTarget {
    identity: Identity,
    compile: Template,
    run: Option<Template>,
    passes: Option<Passes>,
}

impl CommandTarget {
    pub(super) fn new(
        identity: Identity,
        compile: Template,
        run: Option<Template>,
        passes: Option<Passes>,
    ) -> Self {
        Self { identity, compile, run, passes }
    }

    /// The command line for a program, with the artifact at `out`.
    fn fill(
        &self,
        template: &Template,
        program: &Program,
        out: &str,
        setting: &Setting,
    ) -> Vec<String> {
        template.fill(|hole| match hole {
            "in" => program.file_name(),
            "out" => out.to_owned(),
            option => setting.value(option).unwrap_or_default().to_owned(),
        })
    }

    fn compile_line(&self, program: &Program, out: &str, setting: &Setting) -> Vec<String> {
        let mut line = self.fill(&self.compile, program, out, setting);
        line.extend(setting.extra.iter().cloned());
        line
    }

    fn start(
        &self,
        line: &[String],
        stdin: &str,
        limits: &Limits,
        bench: &Bench,
        scratch: &Scratch,
    ) -> Result<Run, ExecError> {
        let mut order = Order::new(line).stdin(stdin).limits(limits.clone());
        for (name, value) in &self.identity.env {
            order = order.env(name, value);
        }
        bench.runner.run(&order, scratch)
    }

    /// Compiles one program and runs it on every input. The folder is fresh each time, so that nothing
    /// that one run of a compiler does to its files can reach the next.
    fn observe(
        &self,
        program: &Program,
        inputs: &[Input],
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Vec<(Option<usize>, Outcome)>, ExecError> {
        let scratch = bench.runner.scratch()?;
        let (run, out) = self.compile(program, setting, bench, &scratch)?;
        if let Some(outcome) = self.identity.classifier.compile_failure(&run, &bench.compile) {
            return Ok(vec![(None, outcome)]);
        }
        if self.compile.mentions("out") && !Path::new(&out).exists() {
            return Ok(vec![(None, Outcome::NoArtifact)]);
        }
        let Some(template) = &self.run else { return Ok(vec![(None, Outcome::Accepted)]) };
        let mut outcomes = vec![];
        for (index, input) in inputs.iter().enumerate() {
            let mut line = self.fill(template, program, &out, setting);
            line.extend(input.arguments.iter().cloned());
            let run = self.start(&line, &input.stdin, &bench.run, bench, &scratch)?;
            outcomes.push((Some(index), behaviour(&run, &bench.run)));
        }
        Ok(outcomes)
    }

    fn compile(
        &self,
        program: &Program,
        setting: &Setting,
        bench: &Bench,
        scratch: &Scratch,
    ) -> Result<(Run, String), ExecError> {
        let name = program.file_name();
        scratch.write(&name, program.source.as_bytes()).map_err(|source| ExecError::Io {
            doing: "write the program into its scratch directory",
            source,
        })?;
        let out = artifact(program);
        let line = self.compile_line(program, &out, setting);
        let run = self.start(&line, "", &bench.compile, bench, scratch)?;
        Ok((run, scratch.path().join(out).display().to_string()))
    }
}

fn artifact(program: &Program) -> String {
    format!("{}.out", program.name)
}

impl Target for CommandTarget {
    fn name(&self) -> &TargetName {
        &self.identity.name
    }

    fn language(&self) -> &Language {
        &self.identity.language
    }

    fn settings(&self) -> &[Setting] {
        &self.identity.settings
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        let observe_case = |case: &&Case| {
            let mut observations = vec![];
            for (program, source) in case.programs.iter().enumerate() {
                let outcomes = self
                    .observe(source, &case.inputs, setting, bench)
                    .unwrap_or_else(|error| vec![(None, not_observed(&error))]);
                observations.extend(outcomes.into_iter().map(|(input, outcome)| Observation {
                    program,
                    setting: setting.name.clone(),
                    input,
                    outcome,
                }));
            }
            observations
        };
        Attempt::Each(cases.iter().map(observe_case).collect())
    }

    fn axes(&self, case: &Case, setting: &Setting, bench: &Bench) -> Vec<Axis> {
        let mut axes = option_axes(&self.identity.settings, setting);
        if let (Some(passes), Some(program)) = (&self.passes, case.programs.last())
            && let Ok(scratch) = bench.runner.scratch()
            && let Ok((run, _)) = self.compile(program, &passes.listing(setting), bench, &scratch)
        {
            let printed = format!("{}\n{}", run.stderr.text(), run.stdout.text());
            axes.extend(passes.axis(setting, &printed));
        }
        axes
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        let out = artifact(program);
        let run_out = format!("./{out}");
        // What the environment needs to hold is a part of the command.
        let env = |line: Vec<String>| match self.identity.env.as_slice() {
            [] => line,
            variables => {
                let variables = variables.iter().map(|(name, value)| format!("{name}={value}"));
                std::iter::once("env".to_owned()).chain(variables).chain(line).collect()
            }
        };
        let run = |run: &Template| {
            let mut line = self.fill(run, program, &run_out, setting);
            line.extend(input.arguments.iter().cloned());
            env(line)
        };
        ByHand::Steps {
            compile: env(self.compile_line(program, &out, setting)),
            run: self.run.as_ref().map(run),
        }
    }

    fn probe(&self, bench: &Bench) -> Result<String, Unusable> {
        let program = self.compile.fill(|_| String::new()).into_iter().next().unwrap_or_default();
        let asked = self.identity.version.clone();
        probe(&self.identity, asked.unwrap_or_else(|| vec![program, "--version".to_owned()]), bench)
    }
}

/// Starts a compiler once, to see that it is there and what it calls itself.
pub(super) fn probe(
    identity: &Identity,
    line: Vec<String>,
    bench: &Bench,
) -> Result<String, Unusable> {
    let unusable = |error: ExecError| Unusable(format!("target `{}`: {error}", identity.name));
    let scratch = bench.runner.scratch().map_err(unusable)?;
    let mut order = Order::new(line).limits(bench.compile.clone());
    for (name, value) in &identity.env {
        order = order.env(name, value);
    }
    let run = bench.runner.run(&order, &scratch).map_err(unusable)?;
    let text = format!("{}\n{}", run.stdout.text(), run.stderr.text());
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    // A compiler need not know `--version`, so what it answers otherwise is not its version.
    Ok(line.filter(|_| run.ending.success()).unwrap_or_default().to_owned())
}

/// For each option, its values up to the one that is set, all other options staying as they are.
pub(super) fn option_axes(settings: &[Setting], setting: &Setting) -> Vec<Axis> {
    let axis = |(option, value): &(String, String)| {
        let mut points: Vec<Point> = vec![];
        for candidate in settings.iter().filter_map(|setting| setting.value(option)) {
            if points.iter().all(|point| point.label != candidate) {
                let setting = setting.with(option, candidate);
                points.push(Point { label: candidate.to_owned(), setting });
            }
        }
        let end = points.iter().position(|point| point.label == *value)?;
        points.truncate(end + 1);
        (points.len() > 1).then(|| Axis { name: option.clone(), points })
    };
    setting.values.iter().filter_map(axis).collect()
}
