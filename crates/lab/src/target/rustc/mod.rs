//! rustc. The real binary is called, not rustup's shim. A batch is one crate.
//!
//! A Rust program is a source file with a `pub fn main()`. In a batch it becomes a module, its crate attributes are moved
//! to the top, and the environment variable `MISTRUST_PROGRAM` selects the `main` to run.

mod constructs;
mod crates;
mod passes;
mod settings;
mod statement;
mod toolchain;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use expression::languages::rust::DIALECT as EXPRESSION;
use forge::{Case, Feedback, Input, Interface, Language, Observation, Outcome, Program, Reason};

use super::failure::{Classifier, behaviour, not_observed};
use super::joint::Joint;
use super::native;
use super::text::{self, Surveyed};
use super::{
    Attempt, Axis, Batch, Bench, ByHand, PassControl, PassId, Reads, Seen, Spec, Target,
    TargetName, Unusable, batch,
};
use crate::coverage::{Maker as _, Measure, NativeMaker, Parts, Unmeasured, Watch};
use crate::exec::{ExecError, Limits, Order, Run, Scratch};
use crate::setting::Setting;

use constructs::Constructs;
pub use toolchain::{Toolchain, find, from_path};

/// The number of programs per crate, so that the start of rustc is a small part of the cost.
const BATCH: usize = 50;

/// The size limit of a crate, so that compiling it stays within the limits of one run.
const BATCH_BYTES: usize = 1 << 20;

/// A program that the MIR interpreter could run takes about a millisecond, so one that takes this much CPU time does
/// not terminate. The wall-clock limit is higher, because the machine may be busy.
const MIR_CPU: Duration = Duration::from_millis(200);
const MIR_WALL: Duration = Duration::from_secs(3);

/// Custom MIR, which only rustc reads.
const MIR: &str = "mir";

/// The environment variable that selects the program of a batch.
const PROGRAM: &str = "MISTRUST_PROGRAM";

/// What is emitted for a program that is not entered.
const OBJECT: &str = "case.out";

/// What rustc says of a crash with features that only its own library may use: it is no bug.
const INTERNAL_FEATURES: &str = "using internal features is not supported";

/// rustc at a version.
#[derive(Debug)]
pub struct RustcTarget {
    spec: Spec,
    rustc: PathBuf,
    release: String,
    classifier: Classifier,
    constructs: Constructs,
    maker: NativeMaker,
}

impl RustcTarget {
    pub fn new(toolchain: Toolchain) -> Self {
        let (all, occasional) = (settings::all(), settings::occasional());
        let batch = Batch { cases: BATCH, bytes: BATCH_BYTES };
        let reads = [
            (MIR, Interface::Program),
            ("rust", Interface::Function),
            ("rust", Interface::Program),
        ];
        let spec = Spec {
            name: TargetName::new("rustc", Some(&toolchain.version)),
            reads: reads
                .map(|(language, of)| Reads::new(language, of, batch))
                .into_iter()
                .chain([text::reads("rust")])
                .collect(),
            schedule: settings::schedule(&all, &occasional),
            settings: all,
            occasional,
        };
        Self {
            spec,
            maker: NativeMaker::new(Parts::Rustc(toolchain.rustc.clone())),
            rustc: toolchain.rustc,
            release: toolchain.release,
            classifier: Classifier::default(),
            constructs: Constructs::default(),
        }
    }

    pub fn path(&self) -> &Path {
        &self.rustc
    }

    fn line(&self, source: &str, out: &str, setting: &Setting) -> Vec<String> {
        let mut line = vec![self.rustc.display().to_string(), "--edition=2021".to_owned()];
        line.extend(["--cap-lints=allow", "--crate-name=case"].map(str::to_owned));
        line.extend(
            setting.values.iter().filter_map(|(option, value)| settings::flag(option, value)),
        );
        line.extend(setting.extra.iter().cloned());
        line.extend(["-o".to_owned(), out.to_owned(), source.to_owned()]);
        line
    }

    /// The command for a program that is not entered: without optimisations it is only analysed, else compiled.
    fn line_of_text(&self, program: &Program, out: &str, setting: &Setting) -> Vec<String> {
        let is_reference = self.spec.reference().is_some_and(|it| it.name == setting.name);
        let emit = if is_reference { "--emit=metadata" } else { "--emit=obj" };
        let mut line = self.line(&program.file_name(), out, setting);
        line.retain(|word| !word.starts_with("--edition="));
        let edition = format!("--edition={}", edition(&program.source));
        line.splice(1..1, [edition, "--crate-type=lib".to_owned(), emit.to_owned()]);
        line
    }

    /// The outcome of compiling a program that is not entered.
    fn survey(&self, program: &Program, setting: &Setting, bench: &Bench) -> Surveyed {
        text::surveyed(self.object(program, setting, bench))
    }

    /// What is emitted for a text, and the coverage that was measured if the bench asks for it.
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

    /// Compiles a program that is not entered.
    fn object(&self, program: &Program, setting: &Setting, bench: &Bench) -> text::Made {
        let scratch = bench.runner.scratch()?;
        scratch.write(program.file_name(), program.bytes()).map_err(|source| ExecError::Io {
            doing: "write the program into its scratch directory",
            source,
        })?;
        let mut order = Order::new(self.line_of_text(program, OBJECT, setting))
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUST_BACKTRACE", "1")
            .limits(bench.compile.clone());
        let watch = Watch::over(&mut order, Some(&self.maker), &scratch, bench);
        let run = bench.runner.run(&order, &scratch)?;
        let failure = self.classifier.failure_on_text(&run, &bench.compile, &program.source);
        let outcome = match failure {
            Some(Outcome::Crashed { .. }) if run.stderr.text().contains(INTERNAL_FEATURES) => {
                Outcome::Unobserved(Reason::Limit("a crash with internal features".to_owned()))
            }
            failure => failure.unwrap_or(Outcome::Accepted),
        };
        let feedback = watch.feedback(&outcome);
        drop(watch);
        Ok((scratch, Surveyed { outcome, feedback }))
    }

    fn compile(
        &self,
        source: &str,
        setting: &Setting,
        limits: &Limits,
        bench: &Bench,
        scratch: &Scratch,
    ) -> Result<Run, ExecError> {
        scratch.write("case.rs", source).map_err(|source| ExecError::Io {
            doing: "write the program into its scratch directory",
            source,
        })?;
        let order = Order::new(self.line("case.rs", "case", setting))
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUST_BACKTRACE", "1")
            .limits(limits.clone());
        bench.runner.run(&order, scratch)
    }

    /// Why a program is rejected under the reference setting, if it is.
    fn rejection(&self, source: &str, bench: &Bench) -> Result<Option<String>, ExecError> {
        let setting = self.spec.reference().cloned().unwrap_or_else(Setting::plain);
        let scratch = bench.runner.scratch()?;
        let run = self.compile(source, &setting, &bench.compile, bench, &scratch)?;
        let failure = self.classifier.compile_failure(&run, &bench.compile);
        let message = failure.as_ref().and_then(|it| it.rejection().or_else(|| it.crash()));
        Ok(message.map(|message| message.lines().next().unwrap_or_default().to_owned()))
    }

    /// The program with constructs stripped that this version lacks.
    fn strip<'a>(
        &self,
        program: &'a Program,
        bench: &Bench,
    ) -> Result<Cow<'a, Program>, ExecError> {
        let rejection = |source: &str| self.rejection(source, bench);
        Ok(match self.constructs.strip_missing(&program.source, rejection)? {
            Cow::Borrowed(_) => Cow::Borrowed(program),
            Cow::Owned(source) => Cow::Owned(Program { source, ..program.clone() }),
        })
    }

    /// Observes the cases that this version supports; for the others, reports the missing construct.
    fn observe(
        &self,
        cases: &[&Case],
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Attempt, ExecError> {
        let missing = |case: &&Case| {
            case.programs.iter().find_map(|program| self.constructs.missing(&program.source))
        };
        let missing: Vec<Option<String>> = cases.iter().map(missing).collect();
        if missing.iter().all(Option::is_none) {
            return self.observe_supported(cases, setting, bench);
        }
        let supported: Vec<&Case> = cases
            .iter()
            .zip(&missing)
            .filter_map(|(case, missing)| missing.is_none().then_some(*case))
            .collect();
        let seen = match supported.as_slice() {
            [] => vec![],
            supported => match self.observe_supported(supported, setting, bench)? {
                Attempt::Each(seen) => seen,
                // Splits the batch, because only some of the cases may fail.
                Attempt::Together(_) | Attempt::TooMuch(_) => {
                    let settings = std::slice::from_ref(setting);
                    let seen = batch::observe(self, supported, settings, bench).observations;
                    seen.into_iter().map(Seen::from).collect()
                }
            },
        };
        let mut seen = seen.into_iter();
        let each = missing.into_iter().map(|missing| match missing {
            None => seen.next().unwrap_or_default(),
            Some(name) => {
                let what = format!("{} lacks `{name}`", self.spec.name);
                Seen::from(vec![Observation {
                    program: 0,
                    setting: setting.name.clone(),
                    input: None,
                    outcome: Outcome::Unobserved(Reason::Lacks(what)),
                }])
            }
        });
        Ok(Attempt::Each(each.collect()))
    }

    /// Compiles all programs of all cases as one crate, and runs each on its inputs.
    fn observe_supported(
        &self,
        cases: &[&Case],
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Attempt, ExecError> {
        let programs: Vec<Cow<'_, Program>> = cases
            .iter()
            .flat_map(|case| &case.programs)
            .map(|program| self.strip(program, bench))
            .collect::<Result<_, _>>()?;
        let programs: Vec<&Program> = programs.iter().map(Cow::as_ref).collect();
        let scratch = bench.runner.scratch()?;
        // Each further program of a batch adds a tenth of the time limit for one.
        let more = (programs.len() as u32).saturating_sub(1);
        let limits = Limits {
            wall: bench.compile.wall + bench.compile.wall / 10 * more,
            cpu: bench.compile.cpu + bench.compile.cpu / 10 * more,
            ..bench.compile.clone()
        };
        // Functions of the method `expression` are combined differently.
        let joint = Joint::of(&EXPRESSION, cases);
        let source = match &joint {
            Some(joint) => joint.source.clone(),
            None => crates::batch(&programs),
        };
        let run = self.compile(&source, setting, &limits, bench, &scratch)?;
        if let Some(outcome) = self.classifier.compile_failure(&run, &limits) {
            let text = run.stderr.text();
            let sources: Vec<&str> = programs.iter().map(|it| it.source.as_str()).collect();
            // Another worker may have learnt the same name in the meantime.
            let is_unsupported = |source: &&str| self.constructs.missing(source).is_some();
            if self.constructs.learn(&text, &sources) || sources.iter().any(is_unsupported) {
                return self.observe(cases, setting, bench);
            }
            return match settings::unchecked(setting) {
                Some(unchecked) if passes::is_checked_too_strictly(&text) => {
                    self.observe_without_check(cases, setting, &unchecked, bench)
                }
                _ => Ok(Attempt::Together(passes::normalised(outcome, &text))),
            };
        }
        let binary = scratch.path().join("case");
        if !binary.exists() {
            return Ok(Attempt::Together(Outcome::NoArtifact));
        }
        if let Some(joint) = &joint {
            return Ok(match native::answers(joint, &["./case".to_owned()], bench, &scratch)? {
                Ok(outcomes) => joint.observed(cases.len(), setting, outcomes),
                Err(outcome) => Attempt::Together(outcome),
            });
        }
        let mut number = 0;
        let mut each = vec![];
        for case in cases {
            let mut observations = vec![];
            let limits = run_limits(case, bench);
            for program in 0..case.programs.len() {
                for (input, given) in case.inputs.iter().enumerate() {
                    let line =
                        std::iter::once("./case".to_owned()).chain(given.arguments.iter().cloned());
                    let order = Order::new(line)
                        .env(PROGRAM, number.to_string())
                        .stdin(given.stdin.as_str())
                        .limits(limits.clone());
                    let outcome = match bench.runner.run(&order, &scratch) {
                        Ok(run) => behaviour(&run, &limits),
                        Err(error) => native::unstarted(error)?,
                    };
                    observations.push(Observation {
                        program,
                        setting: setting.name.clone(),
                        input: Some(input),
                        outcome,
                    });
                }
                number += 1;
            }
            each.push(Seen::from(observations));
        }
        Ok(Attempt::Each(each))
    }

    /// The MIR validator is sometimes too strict, so its rejection of such a program is not a bug: that program is observed
    /// without the validator, and the others of its batch with it.
    fn observe_without_check(
        &self,
        cases: &[&Case],
        setting: &Setting,
        unchecked: &Setting,
        bench: &Bench,
    ) -> Result<Attempt, ExecError> {
        if cases.len() == 1 {
            return self.observe(cases, unchecked, bench);
        }
        let half = |cases: &[&Case]| {
            batch::observe(self, cases, std::slice::from_ref(setting), bench).observations
        };
        let (left, right) = cases.split_at(cases.len() / 2);
        let both = half(left).into_iter().chain(half(right));
        Ok(Attempt::Each(both.map(Seen::from).collect()))
    }
}

/// The edition that a test of rustc asks for: `//@ edition:2024`.
fn edition(source: &str) -> &str {
    let wanted =
        source.lines().filter_map(|line| line.trim().strip_prefix("//@")).find_map(|line| {
            let edition =
                line.trim().strip_prefix("edition")?.trim_start_matches([':', ' ']).trim();
            matches!(edition, "2015" | "2018" | "2021" | "2024").then_some(edition)
        });
    wanted.unwrap_or("2021")
}

/// The run limits of a case.
fn run_limits(case: &Case, bench: &Bench) -> Limits {
    let mut limits = bench.run.clone();
    let is_mir = |program: &Program| program.language == Language::new(MIR);
    if case.programs.iter().all(is_mir) {
        limits.wall = limits.wall.min(MIR_WALL);
        limits.cpu = limits.cpu.min(MIR_CPU);
    }
    limits
}

impl RustcTarget {
    /// Checks that this version supports programs of this kind.
    fn require_support(&self, program: &Program, bench: &Bench) -> Result<(), Unusable> {
        let version = self.spec.name.version.as_deref().unwrap_or_default();
        if let Some(why) = constructs::too_old(version)
            && program.source.contains(constructs::CUSTOM_MIR)
        {
            return Err(Unusable(format!("{} is too old: {why}", self.spec.name)));
        }
        let rejection = self
            .constructs
            .custom_mir_rejection(&program.source, |source| self.rejection(source, bench));
        match rejection {
            // A failed probe is not evidence.
            Ok(None) | Err(_) => Ok(()),
            Ok(Some(why)) => Err(Unusable(format!(
                "{} does not compile custom MIR, even with RUSTC_BOOTSTRAP=1 ({why})",
                self.spec.name
            ))),
        }
    }
}

impl Target for RustcTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn executables(&self) -> Vec<PathBuf> {
        vec![self.rustc.clone()]
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }

    fn shown(&self, case: &Case, bench: &Bench) -> Case {
        let strip = |program: &Program| match self.strip(program, bench) {
            Ok(stripped) => stripped.into_owned(),
            Err(_) => program.clone(),
        };
        Case { programs: case.programs.iter().map(strip).collect(), ..case.clone() }
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
        self.maker.prepare(bench)
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        let mut compile = vec!["env".to_owned(), "RUSTC_BOOTSTRAP=1".to_owned()];
        let out = format!("{}.out", program.name);
        if text::is_text(program) {
            compile.extend(self.line_of_text(program, &out, setting));
            return ByHand::Steps { compile, run: None };
        }
        compile.extend(self.line(&program.file_name(), &out, setting));
        let mut run = vec![format!("./{out}")];
        run.extend(input.arguments.iter().cloned());
        ByHand::Steps { compile, run: Some(run) }
    }

    fn probe(&self, program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        if !self.rustc.exists() {
            return Err(Unusable(format!("{} no longer exists", self.rustc.display())));
        }
        if let Some(program) = program {
            self.require_support(program, bench)?;
        }
        Ok(self.release.clone())
    }
}

impl PassControl for RustcTarget {
    fn axes(&self, case: &Case, setting: &Setting, bench: &Bench) -> Vec<Axis> {
        let Some(program) = case.programs.last() else { return vec![] };
        let listed = |setting: &Setting| {
            let scratch = bench.runner.scratch().ok()?;
            let source = &self.strip(program, bench).ok()?.source;
            let run = self.compile(source, setting, &bench.compile, bench, &scratch).ok()?;
            Some(run.stderr.text())
        };
        passes::axes(setting, listed)
    }

    fn without(&self, setting: &Setting, pass: &PassId) -> Option<Setting> {
        passes::without(setting, pass)
    }

    fn alone(&self, pass: &PassId) -> Vec<&Setting> {
        if !pass.is_in(passes::MIR) {
            return vec![];
        }
        let runs_it = |setting: &&Setting| {
            let single = setting.name.strip_prefix("only-").map(passes::mir_pass);
            single.is_some_and(|single| {
                single == *pass || pass.turn.is_none() && single.is_same_pass(pass)
            })
        };
        self.spec.occasional.iter().filter(runs_it).collect()
    }

    fn verified(&self, setting: &Setting) -> Option<Setting> {
        settings::checked(setting)
    }

    fn rejected_after(&self, message: &str) -> Option<PassId> {
        passes::rejected_after(message)
    }
}
