//! Native-code compilers, which differ only in their options. The joint source of many programs is compiled to one
//! executable, which reads calls from its input and prints one line per call. If a call kills the process, that is
//! the outcome of the call; the remaining calls are made in a new process.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use expression::Dialect;
use forge::{Behaviour, Case, Feedback, Input, Outcome, Program, Stage};

use super::failure::{Classifier, not_observed, signal_name};
use super::joint::Joint;
use super::text::{self, Surveyed};
use super::{
    Attempt, Axis, Bench, ByHand, PassControl, Schedule, Spec, Target, TargetName, Unusable,
};
use crate::coverage::{Maker, Measure, NativeMaker, Parts, Unmeasured, Watch};
use crate::exec::{Ending, ExecError, Limits, Order, Run, Scratch};
use crate::setting::Setting;

/// The number of cases per executable.
pub(super) const BATCH: usize = 100;

/// The object file of a program that is not entered.
const OBJECT: &str = "case.o";

/// How often an executable is started for one batch. A batch in which more calls kill the process is split.
const MAX_STARTS: usize = 16;

/// The differences between native compilers.
pub trait Compiler: Send + Sync + std::fmt::Debug {
    /// The command that compiles `source` to the executable `out`.
    fn line(&self, source: &str, out: &str, setting: &Setting) -> Vec<String>;

    /// The command that compiles `source` to the object file `out`, without linking.
    fn object(&self, source: &str, out: &str, setting: &Setting) -> Vec<String>;

    fn env(&self) -> &[(String, String)] {
        &[]
    }

    /// The subfolder of the scratch directory that it uses as a cache, to be kept for the next run.
    fn cache(&self) -> Option<&'static str> {
        None
    }

    /// The axes for bisection. `printed` returns the compiler's output under a setting.
    fn axes(&self, setting: &Setting, printed: &dyn Fn(&Setting) -> Option<String>) -> Vec<Axis>;

    /// The command that prints its version.
    fn version(&self) -> Vec<String>;

    /// The files whose coverage is measured, if it can be.
    fn parts(&self) -> Option<Parts> {
        None
    }
}

/// A compiler that emits native executables.
#[derive(Debug)]
pub struct NativeTarget {
    spec: Spec,
    dialect: &'static Dialect,
    compiler: Box<dyn Compiler>,
    classifier: Classifier,
    /// Whether its programs read their arguments from standard input instead of the command line.
    by_input: bool,
    /// Unused scratch directories that contain only the compiler's cache.
    warm: Mutex<Vec<Scratch>>,
    maker: Option<NativeMaker>,
}

impl NativeTarget {
    pub fn new(
        name: TargetName,
        dialect: &'static Dialect,
        compiler: Box<dyn Compiler>,
        settings: Vec<Setting>,
    ) -> Self {
        let schedule = Schedule::all_but_reference(&settings);
        let mut reads = Joint::reads(dialect, BATCH);
        reads.push(text::reads(dialect.language));
        let spec = Spec { name, reads, settings, occasional: vec![], schedule };
        let classifier = Classifier::default();
        let (warm, maker) = (Mutex::default(), compiler.parts().map(NativeMaker::new));
        Self { spec, dialect, compiler, classifier, by_input: false, warm, maker }
    }

    /// The same target for texts only, which are compiled and not run.
    #[must_use]
    pub fn of_texts(mut self) -> Self {
        self.spec.reads.retain(|it| it.interface == forge::Interface::Text);
        self
    }

    /// The same target for programs that read their arguments from standard input only.
    #[must_use]
    pub fn by_input(self) -> Self {
        Self { by_input: true, ..self }
    }

    /// Runs the compiler. The executable, if it wrote one, is `case` in the returned directory.
    fn compile(
        &self,
        source: &str,
        setting: &Setting,
        limits: &Limits,
        bench: &Bench,
    ) -> Result<(Run, Scratch), ExecError> {
        let warm = || self.warm.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = self.compiler.cache().and_then(|_| warm().pop());
        let scratch = kept.map_or_else(|| bench.runner.scratch(), Ok)?;
        let file = format!("case.{}", self.spec.language().extension());
        let io = |doing: &'static str| move |source| ExecError::Io { doing, source };
        scratch.write(&file, source).map_err(io("write the program into its scratch directory"))?;
        let line = self.compiler.line(&file, "case", setting);
        let mut order = Order::new(line).limits(limits.clone());
        for (name, value) in self.compiler.env() {
            order = order.env(name, value);
        }
        let run = bench.runner.run(&order, &scratch)?;
        // A killed compiler may leave an incomplete cache, so that is dropped. Programs run in a directory without
        // the cache, so that they cannot change it.
        let Some(cache) = self.compiler.cache().filter(|_| matches!(run.ending, Ending::Exited(_)))
        else {
            return Ok((run, scratch));
        };
        let fresh = bench.runner.scratch()?;
        let made = scratch.path().join("case");
        if made.exists() {
            // They may be two file systems.
            std::fs::copy(&made, fresh.path().join("case")).map_err(io("copy an executable"))?;
        }
        if scratch.clear_except(cache).is_ok() {
            warm().push(scratch);
        }
        Ok((run, fresh))
    }

    /// The outcome of compiling a program that is not entered.
    fn survey(&self, program: &Program, setting: &Setting, bench: &Bench) -> Surveyed {
        text::surveyed(self.object(program, setting, bench))
    }

    /// The object file of a text, and the coverage that was measured if the bench asks for it.
    ///
    /// # Errors
    /// The outcome of a failed compilation.
    pub fn code_of_text(
        &self,
        program: &Program,
        setting: &Setting,
        bench: &Bench,
    ) -> (Result<Vec<u8>, Outcome>, Option<Feedback>) {
        text::code(self.object(program, setting, bench), OBJECT)
    }

    /// Compiles a program that is not entered to an object file.
    fn object(&self, program: &Program, setting: &Setting, bench: &Bench) -> text::Made {
        let scratch = bench.runner.scratch()?;
        let file = program.file_name();
        scratch.write(&file, program.bytes()).map_err(|source| ExecError::Io {
            doing: "write the program into its scratch directory",
            source,
        })?;
        let line = self.compiler.object(&file, OBJECT, setting);
        let mut order = Order::new(line).limits(bench.compile.clone());
        for (name, value) in self.compiler.env() {
            order = order.env(name, value);
        }
        let maker = self.maker.as_ref().map(|maker| maker as &dyn Maker);
        let watch = Watch::over(&mut order, maker, &scratch, bench);
        let run = bench.runner.run(&order, &scratch)?;
        let failure = self.classifier.failure_on_text(&run, &bench.compile, &program.source);
        let outcome = failure.unwrap_or(Outcome::Accepted);
        let feedback = watch.feedback(&outcome);
        drop(watch);
        Ok((scratch, Surveyed { outcome, feedback }))
    }

    fn observe(
        &self,
        cases: &[&Case],
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Attempt, ExecError> {
        let Some(joint) = Joint::of(self.dialect, cases) else { return Ok(Joint::foreign()) };
        let limits = shared(&bench.compile, joint.entries.len());
        let (run, scratch) = self.compile(&joint.source, setting, &limits, bench)?;
        if let Some(outcome) = self.classifier.compile_failure(&run, &limits) {
            return Ok(Attempt::Together(outcome));
        }
        let binary = scratch.path().join("case");
        if !binary.exists() {
            return Ok(Attempt::Together(Outcome::NoArtifact));
        }
        Ok(match answers(&joint, &["./case".to_owned()], bench, &scratch)? {
            Ok(outcomes) => joint.observed(cases.len(), setting, outcomes),
            Err(outcome) => Attempt::Together(outcome),
        })
    }
}

/// The files that a command consists of: its program, looked up in `PATH`, and the scripts or programs that it names.
pub(super) fn executables(line: &[String]) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |(at, word): (usize, &String)| {
        if word.contains('/') {
            return Some(PathBuf::from(word));
        }
        let folders = std::env::split_paths(&path).filter(|_| at == 0);
        folders.map(|folder| folder.join(word)).find(|file| file.is_file())
    };
    let files = line.iter().enumerate().filter_map(found);
    files.filter(|file| file.is_absolute() && file.is_file()).collect()
}

/// The limits for several programs: each further one adds a tenth of the time.
pub(super) fn shared(limits: &Limits, programs: usize) -> Limits {
    let more = (programs as u32).saturating_sub(1);
    Limits {
        wall: limits.wall + limits.wall / 10 * more,
        cpu: limits.cpu + limits.cpu / 10 * more,
        ..limits.clone()
    }
}

/// The outcome of each call, made by running the executable `line`. If too many calls kill the process, the outcome
/// of the last one.
pub(super) fn answers(
    joint: &Joint,
    line: &[String],
    bench: &Bench,
    scratch: &Scratch,
) -> Result<Result<Vec<Outcome>, Outcome>, ExecError> {
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(joint.calls.len());
    for _ in 0..MAX_STARTS {
        let mut stdin = String::new();
        for call in &joint.calls[outcomes.len()..] {
            stdin.push_str(&call.entry.to_string());
            for argument in &call.arguments {
                stdin.push(' ');
                stdin.push_str(&argument.to_string());
            }
            stdin.push('\n');
        }
        let order = Order::new(line).stdin(stdin.as_str()).limits(bench.run.clone());
        let run = match bench.runner.run(&order, scratch) {
            Ok(run) => run,
            Err(error) if line.first().is_some_and(|it| it.starts_with("./")) => {
                return unstarted(error).map(Err);
            }
            Err(error) => return Err(error),
        };
        let left = joint.calls.len() - outcomes.len();
        let printed = run.stdout.text();
        outcomes.extend(printed.split_inclusive('\n').take(left).filter_map(answer));
        if outcomes.len() == joint.calls.len() {
            return Ok(Ok(outcomes));
        }
        outcomes.push(death(&run, &bench.run));
        if outcomes.len() == joint.calls.len() {
            return Ok(Ok(outcomes));
        }
    }
    let last = outcomes.pop();
    Ok(Err(last.unwrap_or(Outcome::NoArtifact)))
}

/// The outcome if the file that a compiler wrote cannot be started. Other errors are none of the compiler's.
pub(super) fn unstarted(error: ExecError) -> Result<Outcome, ExecError> {
    let why = match error {
        // The file is there: it names an interpreter that is not.
        ExecError::NotFound { .. } => "the interpreter that it names is missing",
        ExecError::PermissionDenied { .. } => "it is not marked as executable",
        ExecError::NotExecutable { .. } => "it is no executable of this machine",
        ExecError::NoProgram
        | ExecError::NoSpace { .. }
        | ExecError::Overloaded { .. }
        | ExecError::Scratch { .. }
        | ExecError::Confinement { .. }
        | ExecError::Unkillable { .. }
        | ExecError::Starved { .. }
        | ExecError::Late
        | ExecError::Io { .. } => return Err(error),
    };
    Ok(Outcome::Unrunnable { why: why.to_owned() })
}

/// The outcome on a line of output. An incomplete line is not an answer.
fn answer(line: &str) -> Option<Outcome> {
    let text = line.strip_suffix('\n')?;
    Some(Outcome::Ran(match text.strip_prefix('!') {
        Some(code) => Behaviour::Trap { code: code.to_owned(), output: String::new() },
        None => Behaviour::Value(line.to_owned()),
    }))
}

/// The outcome of the call that ended the process.
fn death(run: &Run, limits: &Limits) -> Outcome {
    let trap = |code: String| Outcome::Ran(Behaviour::Trap { code, output: String::new() });
    match run.ending {
        Ending::Exited(code) => trap(format!("exit {code}")),
        Ending::Signalled(signal) => trap(signal_name(signal)),
        Ending::TimedOut => Outcome::Hung { stage: Stage::Run, seconds: limits.wall.as_secs() },
        Ending::Exceeded(resource) => Outcome::Exhausted { stage: Stage::Run, resource },
    }
}

impl Target for NativeTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn executables(&self) -> Vec<PathBuf> {
        executables(&self.compiler.version())
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        if let Some(attempt) =
            text::attempt(cases, setting, |program| self.survey(program, setting, bench))
        {
            return attempt;
        }
        self.observe(cases, setting, bench)
            .unwrap_or_else(|error| Attempt::Together(not_observed(&error)))
    }

    fn coverage(&self, bench: &Bench) -> Result<Measure, Unmeasured> {
        let none = || Unmeasured(format!("that of {} is not measured", self.spec.name.family));
        self.maker.as_ref().ok_or_else(none)?.prepare(bench)
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        let out = format!("{}.out", program.name);
        let line = match text::is_text(program) {
            true => self.compiler.object(&program.file_name(), &out, setting),
            false => self.compiler.line(&program.file_name(), &out, setting),
        };
        let compile = match self.compiler.env() {
            [] => line,
            variables => {
                let variables = variables.iter().map(|(name, value)| format!("{name}={value}"));
                std::iter::once("env".to_owned()).chain(variables).chain(line).collect()
            }
        };
        if text::is_text(program) {
            return ByHand::Steps { compile, run: None };
        }
        let given = input.arguments.iter().cloned();
        let run = if self.by_input {
            let words: Vec<String> = std::iter::once("0".to_owned()).chain(given).collect();
            vec!["sh".to_owned(), "-c".to_owned(), format!("echo {} | ./{out}", words.join(" "))]
        } else {
            std::iter::once(format!("./{out}")).chain(given).collect()
        };
        ByHand::Steps { compile, run: Some(run) }
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        let unusable = |error: ExecError| Unusable(format!("target `{}`: {error}", self.spec.name));
        let scratch = bench.runner.scratch().map_err(unusable)?;
        let mut order = Order::new(self.compiler.version()).limits(bench.compile.clone());
        for (name, value) in self.compiler.env() {
            order = order.env(name, value);
        }
        let run = bench.runner.run(&order, &scratch).map_err(unusable)?;
        if !run.ending.success() {
            let why = run.stderr.text();
            return Err(Unusable(format!(
                "target `{}` does not start: {}",
                self.spec.name,
                why.trim()
            )));
        }
        Ok(run.stdout.text().trim().to_owned())
    }
}

impl PassControl for NativeTarget {
    fn axes(&self, case: &Case, setting: &Setting, bench: &Bench) -> Vec<Axis> {
        let Some(program) = case.programs.last() else { return vec![] };
        let printed = |setting: &Setting| {
            let source = program.source.as_str();
            let (run, _) = self.compile(source, setting, &bench.compile, bench).ok()?;
            Some(format!("{}\n{}", run.stderr.text(), run.stdout.text()))
        };
        let mut axes = Axis::of_options(&self.spec.settings, setting);
        axes.extend(self.compiler.axes(setting, &printed));
        axes
    }
}
