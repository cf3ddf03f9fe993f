//! A compiler made of closures, and functions to build one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forge::{Behaviour, Case, Input, Interface, Observation, Outcome, Program};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::setting::Setting;
use lab::stop::Stop;
use lab::target::{
    Attempt, Axis, Batch, Bench, ByHand, PassControl, PassId, Reads, Rotation, Schedule, Seen,
    Spec, Target, TargetName, Unusable,
};
use lab::triage::examiner::Examiner;

pub(crate) type Observe = dyn Fn(&Program, &Setting) -> Outcome + Send + Sync;
pub(crate) type Together = dyn Fn(&[&Case]) -> bool + Send + Sync;
pub(crate) type Passes = dyn Fn(&Program) -> Vec<&'static str> + Send + Sync;

/// A compiler made of closures.
pub(crate) struct Inline {
    pub(crate) spec: Spec,
    /// One setting per pass, if passes can be disabled.
    pub(crate) alone: Vec<Setting>,
    pub(crate) observe: Box<Observe>,
    pub(crate) passes: Box<Passes>,
    /// Fails a whole batch for these indices.
    pub(crate) together: Box<Together>,
    pub(crate) attempts: AtomicU64,
    pub(crate) walls: Mutex<Vec<Duration>>,
}

impl Inline {
    pub(crate) fn new(
        observe: impl Fn(&Program, &Setting) -> Outcome + Send + Sync + 'static,
    ) -> Self {
        let setting = |level: &str| Setting::of(vec![("opt".to_owned(), level.to_owned())]);
        Self {
            spec: Spec {
                name: TargetName::from("inline".to_owned()),
                reads: vec![Reads::new("toy", Interface::Program, Batch::ALONE)],
                settings: vec![setting("0"), setting("2")],
                occasional: vec![],
                schedule: Schedule::All,
            },
            alone: vec![],
            observe: Box::new(observe),
            passes: Box::new(|_| vec![]),
            together: Box::new(|_| false),
            attempts: AtomicU64::new(0),
            walls: Mutex::default(),
        }
    }

    /// Adds occasional settings. All settings then rotate, one per case.
    pub(crate) fn with_occasional(mut self, occasional: Vec<Setting>) -> Self {
        let all = self.spec.settings.iter().chain(&occasional);
        self.spec.schedule = Schedule::Turns(vec![Rotation::singly(1, all)]);
        self.spec.occasional = occasional;
        self
    }
}

impl Target for Inline {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        self.attempts.fetch_add(1, Ordering::SeqCst);
        self.walls.lock().unwrap().push(bench.compile.wall);
        if (self.together)(cases) {
            return Attempt::Together(crash("the batch died"));
        }
        let observe = |case: &&Case| {
            let programs = case.programs.iter().enumerate();
            let observation = |(program, source)| Observation {
                program,
                setting: setting.name.clone(),
                input: Some(0),
                outcome: (self.observe)(source, setting),
            };
            Seen::from(programs.map(observation).collect::<Vec<_>>())
        };
        Attempt::Each(cases.iter().map(observe).collect())
    }

    fn by_hand(&self, program: &Program, _input: &Input, setting: &Setting) -> ByHand {
        let compile = vec!["inline".to_owned(), setting.name.clone(), program.file_name()];
        ByHand::Steps { compile, run: None }
    }

    fn probe(&self, _program: Option<&Program>, _bench: &Bench) -> Result<String, Unusable> {
        Ok("inline 1".to_owned())
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }
}

impl PassControl for Inline {
    fn axes(&self, case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        let passes = (self.passes)(&case.programs[0]).into_iter().map(PassId::new);
        let limited = |limit: usize| Setting {
            extra: [setting.extra.clone(), vec![limit.to_string()]].concat(),
            ..setting.clone()
        };
        Axis::of_passes(passes, limited).into_iter().collect()
    }

    fn without(&self, setting: &Setting, pass: &PassId) -> Option<Setting> {
        let leaves_out = !self.alone.is_empty();
        let mut without = setting.clone();
        without.extra.push(format!("-{pass}"));
        leaves_out.then_some(without)
    }

    fn alone(&self, pass: &PassId) -> Vec<&Setting> {
        self.alone.iter().filter(|setting| setting.extra == [format!("+{pass}")]).collect()
    }

    fn verified(&self, setting: &Setting) -> Option<Setting> {
        let mut verified = setting.clone();
        verified.extra.push("check".to_owned());
        Some(verified)
    }

    fn rejected_after(&self, message: &str) -> Option<PassId> {
        message.strip_prefix("broken by ").map(PassId::new)
    }
}

pub(crate) fn crash(message: &str) -> Outcome {
    Outcome::Crashed { signal: None, message: message.to_owned(), frames: vec![] }
}

pub(crate) fn value(text: &str) -> Outcome {
    Outcome::Ran(Behaviour::Value(text.to_owned()))
}

/// How many statements of a program use an operator.
pub(crate) fn count(program: &Program, operator: &str) -> usize {
    program.source.lines().filter(|line| line.split(' ').nth(2) == Some(operator)).count()
}

/// The pass limit of a bisection; without one, all passes run.
pub(crate) fn limit(setting: &Setting) -> usize {
    setting.extra.iter().find_map(|limit| limit.parse().ok()).unwrap_or(usize::MAX)
}

pub(crate) fn crashes_on_two_xors() -> Inline {
    Inline::new(
        |program, _| if count(program, "xor") >= 2 { crash("xor twice") } else { value("") },
    )
}

/// A compiler with three passes that miscompiles if all passes in `wrong` run, and whose verifier rejects the output of
/// `broken`.
pub(crate) fn chained(wrong: &'static [&'static str], broken: Option<&'static str>) -> Inline {
    passing(move |_, runs| wrong.iter().all(|pass| runs(pass)), broken)
}

/// A compiler with three passes. `wrong` decides from a program and the running passes whether it is miscompiled.
pub(crate) fn passing(
    wrong: impl Fn(&Program, &dyn Fn(&str) -> bool) -> bool + Send + Sync + 'static,
    broken: Option<&'static str>,
) -> Inline {
    const PASSES: [&str; 3] = ["first", "second", "third"];
    let runs = |setting: &Setting, pass: &str| {
        let given = |mark: char| setting.extra.contains(&format!("{mark}{pass}"));
        let position = PASSES.iter().position(|other| *other == pass).unwrap();
        let alone = setting.extra.iter().any(|it| it.starts_with('+'));
        let asked = if alone { given('+') } else { setting.name == "opt=2" };
        asked && !given('-') && position < limit(setting)
    };
    let mut target = Inline::new(move |program, setting| {
        let checks = setting.extra.iter().any(|it| it == "check");
        match broken.filter(|pass| checks && runs(setting, pass)) {
            Some(pass) => crash(&format!("broken by {pass}")),
            None if wrong(program, &|pass| runs(setting, pass)) => value("wrong"),
            None => value("right"),
        }
    });
    let alone = |pass: &str| Setting { extra: vec![format!("+{pass}")], ..Setting::plain() };
    target.alone = PASSES.iter().map(|pass| alone(pass)).collect();
    target.passes = Box::new(|_| PASSES.to_vec());
    target
}

pub(crate) fn bench(folder: &tempfile::TempDir) -> Bench {
    let runner = Runner::new(folder.path().join("scratch"), SandboxPolicy::Off).unwrap();
    Bench { runner, compile: Limits::default(), run: Limits::default(), coverage: None }
}

pub(crate) fn examiner(target: impl Target + 'static, folder: &tempfile::TempDir) -> Examiner {
    Examiner::new(Arc::new(target), bench(folder), Stop::default())
}
