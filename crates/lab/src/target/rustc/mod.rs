//! rustc. The real binary is called, not rustup's shim; many programs share one crate, as modules.
//!
//! A Rust program is a whole source file with a `pub fn main()`. In a batch each becomes a module, its
//! crate attributes move to the top, and the variable `MISTRUST_PROGRAM` says which `main` runs.

mod crates;
mod dialect;
mod passes;
mod settings;
mod statement;
mod toolchain;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use expression::languages::rust::DIALECT as EXPRESSION;
use forge::{Case, Input, Interface, Language, Observation, Outcome, Program, Reason};

use super::failure::{Classifier, behaviour, not_observed};
use super::joint::Joint;
use super::native;
use super::{
    Attempt, Axis, Batch, Bench, ByHand, PassControl, PassId, Reads, Seen, Spec, Target,
    TargetName, Unusable, batch,
};
use crate::exec::{ExecError, Limits, Order, Run, Scratch};
use crate::setting::Setting;

use dialect::Dialect;
pub use toolchain::{Toolchain, find, from_path};

/// So many programs share a crate: the cost of starting rustc is then small against theirs.
const BATCH: usize = 50;

/// Large programs share a crate only up to here: it has to fit into the limits of one run.
const BATCH_BYTES: usize = 1 << 20;

/// What the interpreter of MIR ran takes a millisecond when it is compiled: what takes so much longer does not
/// end. The clock may run on while a busy machine lets it wait.
const SHORT: Duration = Duration::from_millis(200);
const SHORT_WALL: Duration = Duration::from_secs(3);

/// Custom MIR, a dialect of Rust that only rustc reads.
const MIR: &str = "mir";

/// Which program of a batch runs.
const PROGRAM: &str = "MISTRUST_PROGRAM";

#[derive(Debug)]
pub struct RustcTarget {
    spec: Spec,
    rustc: PathBuf,
    release: String,
    classifier: Classifier,
    dialect: Dialect,
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
            reads: reads.map(|(language, of)| Reads::new(language, of, batch)).to_vec(),
            schedule: settings::schedule(&all, &occasional),
            settings: all,
            occasional,
        };
        Self {
            spec,
            rustc: toolchain.rustc,
            release: toolchain.release,
            // Without patterns of its own there is none that could be wrong.
            classifier: Classifier::default(),
            dialect: Dialect::default(),
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

    /// Why a small program is rejected, if it is.
    fn refusal(&self, source: &str, bench: &Bench) -> Result<Option<String>, ExecError> {
        let setting = self.spec.reference().cloned().unwrap_or_else(Setting::plain);
        let scratch = bench.runner.scratch()?;
        let run = self.compile(source, &setting, &bench.compile, bench, &scratch)?;
        let message = match self.classifier.compile_failure(&run, &bench.compile) {
            Some(Outcome::Rejected { message } | Outcome::Crashed { message, .. }) => message,
            _ => return Ok(None),
        };
        Ok(Some(message.lines().next().unwrap_or_default().to_owned()))
    }

    /// The program as this version is shown it.
    fn fit<'a>(&self, program: &'a Program, bench: &Bench) -> Result<Cow<'a, Program>, ExecError> {
        let refusal = |source: &str| self.refusal(source, bench);
        Ok(match self.dialect.fit(&program.source, refusal)? {
            Cow::Borrowed(_) => Cow::Borrowed(program),
            Cow::Owned(source) => Cow::Owned(Program { source, ..program.clone() }),
        })
    }

    /// Shows the cases that this version can read to it; of the others it says what is lacking.
    fn observe(
        &self,
        cases: &[&Case],
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Attempt, ExecError> {
        let lack = |case: &&Case| {
            case.programs.iter().find_map(|program| self.dialect.lack(&program.source))
        };
        let lacks: Vec<Option<String>> = cases.iter().map(lack).collect();
        if lacks.iter().all(Option::is_none) {
            return self.observe_readable(cases, setting, bench);
        }
        let readable: Vec<&Case> = cases
            .iter()
            .zip(&lacks)
            .filter_map(|(case, lack)| lack.is_none().then_some(*case))
            .collect();
        let seen = match readable.as_slice() {
            [] => vec![],
            readable => match self.observe_readable(readable, setting, bench)? {
                Attempt::Each(seen) => seen,
                // Only some of them may have failed.
                Attempt::Together(_) | Attempt::TooMuch(_) => {
                    let settings = std::slice::from_ref(setting);
                    let seen = batch::observe(self, readable, settings, bench).observations;
                    seen.into_iter().map(Seen::from).collect()
                }
            },
        };
        let mut seen = seen.into_iter();
        let each = lacks.into_iter().map(|lack| match lack {
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
    fn observe_readable(
        &self,
        cases: &[&Case],
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Attempt, ExecError> {
        let programs: Vec<Cow<'_, Program>> = cases
            .iter()
            .flat_map(|case| &case.programs)
            .map(|program| self.fit(program, bench))
            .collect::<Result<_, _>>()?;
        let programs: Vec<&Program> = programs.iter().map(Cow::as_ref).collect();
        let scratch = bench.runner.scratch()?;
        // Each further program of a batch adds a tenth of the time that one may take.
        let more = (programs.len() as u32).saturating_sub(1);
        let limits = Limits {
            wall: bench.compile.wall + bench.compile.wall / 10 * more,
            cpu: bench.compile.cpu + bench.compile.cpu / 10 * more,
            ..bench.compile.clone()
        };
        // What the method `expression` wrote has a runner of its own.
        let joint = Joint::of(&EXPRESSION, cases);
        let source = match &joint {
            Some(joint) => joint.source.clone(),
            None => crates::batch(&programs),
        };
        let run = self.compile(&source, setting, &limits, bench, &scratch)?;
        if let Some(outcome) = self.classifier.compile_failure(&run, &limits) {
            let text = run.stderr.text();
            let sources: Vec<&str> = programs.iter().map(|it| it.source.as_str()).collect();
            // Another worker may have learnt the same in the meantime.
            let is_lacking = |source: &&str| self.dialect.lack(source).is_some();
            if self.dialect.learn(&text, &sources) || sources.iter().any(is_lacking) {
                return self.observe(cases, setting, bench);
            }
            return match settings::unchecked(setting) {
                Some(unchecked) if passes::is_checked_too_strictly(&text) => {
                    self.observe_without_check(cases, setting, &unchecked, bench)
                }
                _ => Ok(Attempt::Together(passes::explained(outcome, &text))),
            };
        }
        let binary = scratch.path().join("case");
        if !binary.exists() {
            return Ok(Attempt::Together(Outcome::NoArtifact));
        }
        if let Some(joint) = &joint {
            return Ok(
                match native::answers(joint, &[binary.display().to_string()], bench, &scratch)? {
                    Ok(outcomes) => joint.observed(cases.len(), setting, outcomes),
                    Err(outcome) => Attempt::Together(outcome),
                },
            );
        }
        let mut number = 0;
        let mut each = vec![];
        for case in cases {
            let mut observations = vec![];
            let limits = run_limits(case, bench);
            for program in 0..case.programs.len() {
                for (input, given) in case.inputs.iter().enumerate() {
                    let line = std::iter::once(binary.display().to_string())
                        .chain(given.arguments.iter().cloned());
                    let order = Order::new(line)
                        .env(PROGRAM, number.to_string())
                        .stdin(given.stdin.as_str())
                        .limits(limits.clone());
                    let run = bench.runner.run(&order, &scratch)?;
                    observations.push(Observation {
                        program,
                        setting: setting.name.clone(),
                        input: Some(input),
                        outcome: behaviour(&run, &limits),
                    });
                }
                number += 1;
            }
            each.push(Seen::from(observations));
        }
        Ok(Attempt::Each(each))
    }

    /// That a program does not pass a check which is too strict says nothing about the compiler: it is
    /// observed without it, and the others of its batch with it.
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

/// How long the programs of a case may run.
fn run_limits(case: &Case, bench: &Bench) -> Limits {
    let mut limits = bench.run.clone();
    let is_mir = |program: &Program| program.language == Language::new(MIR);
    if case.programs.iter().all(is_mir) {
        limits.wall = limits.wall.min(SHORT_WALL);
        limits.cpu = limits.cpu.min(SHORT);
    }
    limits
}

impl RustcTarget {
    /// Whether this version compiles programs like this one at all.
    fn is_readable(&self, program: &Program, bench: &Bench) -> Result<(), Unusable> {
        let version = self.spec.name.version.as_deref().unwrap_or_default();
        if let Some(why) = dialect::too_old(version)
            && program.source.contains(dialect::CUSTOM_MIR)
        {
            return Err(Unusable(format!("{} is too old: {why}", self.spec.name)));
        }
        let refusal = self.dialect.refuses(&program.source, |source| self.refusal(source, bench));
        match refusal {
            // What could not be tried is no reason to refuse.
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

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }

    fn shown(&self, case: &Case, bench: &Bench) -> Case {
        let fit = |program: &Program| match self.fit(program, bench) {
            Ok(fitted) => fitted.into_owned(),
            Err(_) => program.clone(),
        };
        Case { programs: case.programs.iter().map(fit).collect(), ..case.clone() }
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        self.observe(cases, setting, bench)
            .unwrap_or_else(|error| Attempt::Together(not_observed(&error)))
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        let mut compile = vec!["env".to_owned(), "RUSTC_BOOTSTRAP=1".to_owned()];
        let out = format!("{}.out", program.name);
        compile.extend(self.line(&program.file_name(), &out, setting));
        let mut run = vec![format!("./{out}")];
        run.extend(input.arguments.iter().cloned());
        ByHand::Steps { compile, run: Some(run) }
    }

    fn probe(&self, program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        if !self.rustc.exists() {
            return Err(Unusable(format!("{} does not exist any more", self.rustc.display())));
        }
        if let Some(program) = program {
            self.is_readable(program, bench)?;
        }
        Ok(self.release.clone())
    }
}

impl PassControl for RustcTarget {
    fn axes(&self, case: &Case, setting: &Setting, bench: &Bench) -> Vec<Axis> {
        let Some(program) = case.programs.last() else { return vec![] };
        let listed = |setting: &Setting| {
            let scratch = bench.runner.scratch().ok()?;
            let source = &self.fit(program, bench).ok()?.source;
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
