//! A compiler that is called with a command line for every program; another command line runs its output.

use std::path::PathBuf;

use forge::{Case, Input, Interface, Observation, Outcome, Program};

use super::described::{Identity, Means};
use super::failure::{behaviour, not_observed};
use super::joint::Joint;
use super::native;
use super::passes::Passes;
use super::template::Template;
use super::text::{self, Surveyed};
use super::{Attempt, Axis, Bench, ByHand, PassControl, Spec, Target, Unusable};
use crate::coverage::{AflMaker, Maker, Measure, NativeMaker, Parts, Unmeasured, Watch};
use crate::exec::{ExecError, Limits, Order, Run, Scratch};
use crate::setting::Setting;

/// A described compiler with a command line.
#[derive(Debug)]
pub struct CommandTarget {
    identity: Identity,
    compile: Template,
    run: Option<Template>,
    passes: Option<Passes>,
    maker: Option<Box<dyn Maker>>,
}

impl CommandTarget {
    pub(super) fn new(
        identity: Identity,
        compile: Template,
        run: Option<Template>,
        passes: Option<Passes>,
        coverage: Means,
    ) -> Self {
        let mut words = compile.fill(|_| String::new());
        words.truncate(1);
        let program = native::executables(&words).into_iter().next();
        let program = program.or_else(|| words.pop().map(PathBuf::from)).unwrap_or_default();
        let maker: Option<Box<dyn Maker>> = match coverage {
            Means::Breakpoints => Some(Box::new(NativeMaker::new(Parts::Whole(program)))),
            Means::Afl => Some(Box::new(AflMaker::new(program.display().to_string()))),
            Means::None => None,
        };
        Self { identity, compile, run, passes, maker }
    }

    /// The outcome of compiling a program that is not entered.
    fn survey(
        &self,
        program: &Program,
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Surveyed, ExecError> {
        let scratch = bench.runner.scratch()?;
        write(program, &scratch)?;
        let line = self.compile_line(program, &artifact(program), setting);
        let mut order = self.order(&line, "", &bench.compile);
        let watch = Watch::over(&mut order, self.maker.as_deref(), &scratch, bench);
        let run = bench.runner.run(&order, &scratch)?;
        let classifier = &self.identity.classifier;
        let failure = classifier.failure_on_text(&run, &bench.compile, &program.source);
        let outcome = failure.unwrap_or(Outcome::Accepted);
        let feedback = watch.feedback(&outcome);
        Ok(Surveyed { outcome, feedback })
    }

    /// A command line for a program whose compiled form is at `out`.
    fn fill(
        &self,
        template: &Template,
        program: &Program,
        out: &str,
        setting: &Setting,
    ) -> Vec<String> {
        template.fill(|placeholder| match placeholder {
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
        bench.runner.run(&self.order(line, stdin, limits), scratch)
    }

    fn order(&self, line: &[String], stdin: &str, limits: &Limits) -> Order {
        let mut order = Order::new(line).stdin(stdin).limits(limits.clone());
        for (name, value) in &self.identity.env {
            order = order.env(name, value);
        }
        order
    }

    /// Compiles one program and runs it on every input. Each call uses a new folder, so that runs of the compiler
    /// cannot influence each other through files.
    fn observe(
        &self,
        program: &Program,
        inputs: &[Input],
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Vec<(Option<usize>, Outcome)>, ExecError> {
        let scratch = bench.runner.scratch()?;
        let (run, out) = self.compile(program, setting, bench, &scratch)?;
        let (classifier, limits) = (&self.identity.classifier, &bench.compile);
        if let Some(outcome) = classifier.compile_failure(&run, limits) {
            return Ok(vec![(None, outcome)]);
        }
        if self.compile.mentions("out") && !scratch.path().join(&out).exists() {
            return Ok(vec![(None, Outcome::NoArtifact)]);
        }
        let Some(template) = &self.run else { return Ok(vec![(None, Outcome::Accepted)]) };
        let mut outcomes = vec![];
        for (index, input) in inputs.iter().enumerate() {
            let mut line = self.fill(template, program, &out, setting);
            line.extend(input.arguments.iter().cloned());
            let run = self.start(&line, &input.stdin, &bench.run, bench, &scratch);
            let outcome = match run {
                Ok(run) => behaviour(&run, &bench.run),
                Err(error) if line.first() == Some(&out) => native::unstarted(error)?,
                Err(error) => return Err(error),
            };
            outcomes.push((Some(index), outcome));
        }
        Ok(outcomes)
    }

    /// Combines functions into one program that reads calls from its input, if the language supports that.
    fn joint(&self, cases: &[&Case]) -> Option<Joint> {
        let programs = || cases.iter().flat_map(|case| &case.programs);
        let functions = programs().all(|program| program.interface == Interface::Function);
        if !functions || self.run.is_none() {
            return None;
        }
        let dialect = expression::languages::of(programs().next()?.language.name())?;
        Joint::of(dialect, cases)
    }

    fn observe_jointly(
        &self,
        joint: &Joint,
        cases: usize,
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Attempt, ExecError> {
        let scratch = bench.runner.scratch()?;
        let program = Program {
            name: "base".to_owned(),
            language: self.identity.spec.language().clone(),
            interface: Interface::Program,
            source: joint.source.clone(),
        };
        let limits = native::shared(&bench.compile, joint.entries.len());
        let shared = Bench { compile: limits, ..bench.clone() };
        let (run, out) = self.compile(&program, setting, &shared, &scratch)?;
        if let Some(outcome) = self.identity.classifier.compile_failure(&run, &shared.compile) {
            return Ok(Attempt::Together(outcome));
        }
        if self.compile.mentions("out") && !scratch.path().join(&out).exists() {
            return Ok(Attempt::Together(Outcome::NoArtifact));
        }
        let line = self.run.as_ref().map(|run| self.fill(run, &program, &out, setting));
        Ok(match native::answers(joint, &line.unwrap_or_default(), bench, &scratch)? {
            Ok(outcomes) => joint.observed(cases, setting, outcomes),
            Err(outcome) => Attempt::Together(outcome),
        })
    }

    fn compile(
        &self,
        program: &Program,
        setting: &Setting,
        bench: &Bench,
        scratch: &Scratch,
    ) -> Result<(Run, String), ExecError> {
        write(program, scratch)?;
        let out = artifact(program);
        let line = self.compile_line(program, &out, setting);
        let run = self.start(&line, "", &bench.compile, bench, scratch)?;
        // Relative to the working folder, whose path need not be UTF-8.
        Ok((run, format!("./{out}")))
    }
}

fn write(program: &Program, scratch: &Scratch) -> Result<(), ExecError> {
    let written = scratch.write(program.file_name(), program.bytes());
    written.map(|_| ()).map_err(|source| ExecError::Io {
        doing: "write the program into its scratch directory",
        source,
    })
}

fn artifact(program: &Program) -> String {
    format!("{}.out", program.name)
}

impl Target for CommandTarget {
    fn spec(&self) -> &Spec {
        &self.identity.spec
    }

    /// Functions share one run of the compiler; each whole program has its own.
    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        if let Some(joint) = self.joint(cases) {
            return self
                .observe_jointly(&joint, cases.len(), setting, bench)
                .unwrap_or_else(|error| Attempt::Together(not_observed(&error)));
        }
        let survey = |program: &Program| {
            let surveyed = self.survey(program, setting, bench);
            surveyed.unwrap_or_else(|error| not_observed(&error).into())
        };
        if let Some(attempt) = text::attempt(cases, setting, survey) {
            return attempt;
        }
        let observe_case = |case: &Case| {
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
        Attempt::Each(cases.iter().map(|case| observe_case(case).into()).collect())
    }

    fn coverage(&self, bench: &Bench) -> Result<Measure, Unmeasured> {
        let none = || Unmeasured("the description switches it off".to_owned());
        self.maker.as_ref().ok_or_else(none)?.prepare(bench)
    }

    fn executables(&self) -> Vec<PathBuf> {
        let words = self.compile.fill(|_| String::new());
        let more = self.run.as_ref().map(|run| run.fill(|_| String::new())).unwrap_or_default();
        [native::executables(&words), native::executables(&more)].concat()
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        let out = artifact(program);
        let run_out = format!("./{out}");
        // The environment variables are part of the command.
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
            run: self.run.as_ref().filter(|_| !text::is_text(program)).map(run),
        }
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        let program = self.compile.fill(|_| String::new()).into_iter().next().unwrap_or_default();
        let line = self.identity.version.clone();
        probe(&self.identity, line.unwrap_or_else(|| vec![program, "--version".to_owned()]), bench)
    }
}

impl PassControl for CommandTarget {
    fn axes(&self, case: &Case, setting: &Setting, bench: &Bench) -> Vec<Axis> {
        let mut axes = Axis::of_options(&self.identity.spec.settings, setting);
        if let (Some(passes), Some(program)) = (&self.passes, case.programs.last())
            && let Ok(scratch) = bench.runner.scratch()
            && let Ok((run, _)) = self.compile(program, &passes.listing(setting), bench, &scratch)
        {
            let printed = format!("{}\n{}", run.stderr.text(), run.stdout.text());
            axes.extend(passes.axis(setting, &printed));
        }
        axes
    }
}

/// Starts a compiler once, to check that it exists and to get its version.
pub(super) fn probe(
    identity: &Identity,
    line: Vec<String>,
    bench: &Bench,
) -> Result<String, Unusable> {
    let unusable = |error: ExecError| Unusable(format!("target `{}`: {error}", identity.spec.name));
    let scratch = bench.runner.scratch().map_err(unusable)?;
    let mut order = Order::new(line).limits(bench.compile.clone());
    for (name, value) in &identity.env {
        order = order.env(name, value);
    }
    let run = bench.runner.run(&order, &scratch).map_err(unusable)?;
    // A compiler need not support `--version`; the output of a failed call is not a version.
    if !run.ending.success() {
        return Ok(String::new());
    }
    Ok(format!("{}\n{}", run.stdout.text(), run.stderr.text()).trim().to_owned())
}
