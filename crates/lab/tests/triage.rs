//! Reduction, bisection, splitting and merging, with a compiler that lives in the test.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "this is all test code")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forge::{
    Behaviour, Case, Input, Language, Method, Observation, Outcome, Program, Promise, Ticket,
};
use lab::batch;
use lab::campaign::{Campaign, Choice, Line, Options, Shard};
use lab::event::{Ended, Event, Listener, Summary};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::finding::Exhibit;
use lab::setting::Setting;
use lab::stop::Stop;
use lab::store::Store;
use lab::target::{Attempt, Axis, Bench, ByHand, Point, Target, TargetName, Unusable};
use lab::triage::culprit;
use lab::triage::examiner::Examiner;
use lab::triage::known::KnownBugs;
use lab::triage::reduce::{Goal, Reduction, Step, reduce};
use smoke::Smoke;

type Observe = dyn Fn(&Program, &Setting) -> Outcome + Send + Sync;
type Together = dyn Fn(&[&Case]) -> bool + Send + Sync;
type Passes = dyn Fn(&Program) -> Vec<&'static str> + Send + Sync;

/// A compiler made of closures.
struct Inline {
    name: TargetName,
    language: Language,
    settings: Vec<Setting>,
    /// If there are any, all settings take turns, one for each case.
    occasional: Vec<Setting>,
    /// One for each pass, where passes can be left out.
    alone: Vec<Setting>,
    batch: usize,
    batch_bytes: usize,
    observe: Box<Observe>,
    passes: Box<Passes>,
    /// Fails a whole batch for these indices.
    together: Box<Together>,
    attempts: AtomicU64,
    walls: Mutex<Vec<Duration>>,
}

impl Inline {
    fn new(observe: impl Fn(&Program, &Setting) -> Outcome + Send + Sync + 'static) -> Self {
        let setting = |level: &str| Setting::of(vec![("opt".to_owned(), level.to_owned())]);
        Self {
            name: TargetName::from("inline".to_owned()),
            language: Language::new("smoke"),
            settings: vec![setting("0"), setting("2")],
            occasional: vec![],
            alone: vec![],
            batch: 1,
            batch_bytes: usize::MAX,
            observe: Box::new(observe),
            passes: Box::new(|_| vec![]),
            together: Box::new(|_| false),
            attempts: AtomicU64::new(0),
            walls: Mutex::default(),
        }
    }
}

impl Target for Inline {
    fn name(&self) -> &TargetName {
        &self.name
    }

    fn language(&self) -> &Language {
        &self.language
    }

    fn settings(&self) -> &[Setting] {
        &self.settings
    }

    fn occasional(&self) -> &[Setting] {
        &self.occasional
    }

    fn settings_for(&self, cases: &[Case]) -> Vec<Setting> {
        let all = [self.settings(), self.occasional()].concat();
        match self.occasional.as_slice() {
            [] => all,
            _ => vec![all[cases[0].ticket.index as usize % all.len()].clone()],
        }
    }

    fn batch_size(&self) -> usize {
        self.batch
    }

    fn batch_bytes(&self) -> usize {
        self.batch_bytes
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
            programs.map(observation).collect()
        };
        Attempt::Each(cases.iter().map(observe).collect())
    }

    fn axes(&self, case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        let names = (self.passes)(&case.programs[0]);
        let labels = std::iter::once("no pass").chain(names).map(str::to_owned);
        let point = |(limit, label): (usize, String)| Point {
            label,
            setting: Setting {
                extra: [setting.extra.clone(), vec![limit.to_string()]].concat(),
                ..setting.clone()
            },
        };
        let points: Vec<Point> = labels.enumerate().map(point).collect();
        if points.len() > 1 { vec![Axis { name: "pass".to_owned(), points }] } else { vec![] }
    }

    fn without(&self, setting: &Setting, pass: &str) -> Option<Setting> {
        let leaves_out = !self.alone.is_empty();
        let mut without = setting.clone();
        without.extra.push(format!("-{pass}"));
        leaves_out.then_some(without)
    }

    fn alone(&self, pass: &str) -> Option<&Setting> {
        self.alone.iter().find(|setting| setting.extra == [format!("+{pass}")])
    }

    fn checked(&self, setting: &Setting) -> Option<Setting> {
        let mut checked = setting.clone();
        checked.extra.push("check".to_owned());
        Some(checked)
    }

    fn breaker(&self, message: &str) -> Option<String> {
        message.strip_prefix("broken by ").map(str::to_owned)
    }

    fn by_hand(&self, program: &Program, _input: &Input, setting: &Setting) -> ByHand {
        let compile = vec!["inline".to_owned(), setting.name.clone(), program.file_name()];
        ByHand::Steps { compile, run: None }
    }

    fn probe(&self, _bench: &Bench) -> Result<String, Unusable> {
        Ok("inline 1".to_owned())
    }
}

fn crash(message: &str) -> Outcome {
    Outcome::Crashed { signal: None, message: message.to_owned(), frames: vec![] }
}

fn value(text: &str) -> Outcome {
    Outcome::Ran(Behaviour::Value(text.to_owned()))
}

/// How many statements of a program use an operator.
fn count(program: &Program, operator: &str) -> usize {
    program.source.lines().filter(|line| line.split(' ').nth(2) == Some(operator)).count()
}

/// The pass limit of a bisection; without one, all passes run.
fn limit(setting: &Setting) -> usize {
    setting.extra.iter().find_map(|limit| limit.parse().ok()).unwrap_or(usize::MAX)
}

fn bench(folder: &tempfile::TempDir) -> Bench {
    let runner = Runner::new(folder.path().join("scratch"), SandboxPolicy::Off).unwrap();
    Bench { runner, compile: Limits::default(), run: Limits::default() }
}

/// The first case with this promise that the target fails on.
fn failing(examiner: &Examiner, promise: &str) -> Exhibit {
    (0..500)
        .filter_map(|index| Smoke::toy().make(&Ticket::new("smoke-toy", 1, index)))
        .filter(|case| case.promise.name() == promise)
        .find_map(|case| examiner.exhibit(&case, examiner.target.settings()))
        .expect("some case fails")
}

fn reduce_with(
    examiner: &Examiner,
    start: &Exhibit,
    jobs: usize,
    stop_after: Option<u64>,
) -> (Reduction, Vec<Step>) {
    let signature = examiner.sign(&start.case, &start.breach);
    let culprits = culprit::locate(examiner, start);
    let smoke = Smoke::toy();
    let goal = Goal {
        method: &smoke,
        examiner,
        signature: &signature,
        pass: culprit::pass(&culprits),
        with: &[],
        jobs,
        deadline: None,
    };
    let stop = Stop::default();
    let mut steps = vec![];
    let reduction = reduce(&goal, start.clone(), &stop, |step, _| {
        steps.push(step.clone());
        if stop_after == Some(step.step) {
            stop.set();
        }
        Ok::<(), std::convert::Infallible>(())
    });
    (reduction.unwrap(), steps)
}

fn crashes_on_two_xors() -> Inline {
    Inline::new(
        |program, _| if count(program, "xor") >= 2 { crash("xor twice") } else { value("") },
    )
}

#[test]
fn one_at_a_time_and_four_at_a_time_end_at_the_same_case() {
    let folder = tempfile::tempdir().unwrap();
    let examiner = Examiner { target: Arc::new(crashes_on_two_xors()), bench: bench(&folder) };
    let start = failing(&examiner, "survives");
    let (one, steps) = reduce_with(&examiner, &start, 1, None);
    let (four, _) = reduce_with(&examiner, &start, 4, None);
    assert!(one.finished && four.finished);
    assert_eq!(one.exhibit.case, four.exhibit.case);
    let program = &one.exhibit.case.programs[0];
    assert_eq!(count(program, "xor"), 2);
    assert_eq!(program.source.matches('=').count(), 2, "{}", program.source);
    assert_eq!(steps.len() as u64, one.steps);
    assert!(steps.windows(2).all(|pair| pair[0].tries < pair[1].tries));
}

#[test]
fn a_reduction_that_is_stopped_goes_on_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let examiner = Examiner { target: Arc::new(crashes_on_two_xors()), bench: bench(&folder) };
    let start = failing(&examiner, "survives");
    let (whole, _) = reduce_with(&examiner, &start, 2, None);
    let (stopped, steps) = reduce_with(&examiner, &start, 2, Some(2));
    assert!(!stopped.finished);
    assert_eq!(steps.len(), 2);
    let (resumed, _) = reduce_with(&examiner, &stopped.exhibit, 2, None);
    assert!(resumed.finished);
    assert_eq!(resumed.exhibit.case.size(), whole.exhibit.case.size());
}

/// A method whose cases promise what a compiler is asked for.
struct Right(Smoke);

/// The case with the promise to be right.
fn right(case: Case) -> Case {
    let behaviours = vec![Behaviour::Value("right".into()); case.inputs.len()];
    Case { promise: Promise::Yields(behaviours), ..case }
}

impl Method for Right {
    fn name(&self) -> &str {
        "right"
    }

    fn summary(&self) -> &str {
        ""
    }

    fn language(&self) -> Language {
        self.0.language()
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let toy = Ticket::new(self.0.name(), ticket.seed, ticket.index);
        // The compiler answers once.
        let made = self.0.make(&toy)?;
        Some(right(Case { ticket: ticket.clone(), inputs: made.inputs[..1].to_vec(), ..made }))
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> forge::Candidates<'a> {
        Box::new(self.0.smaller(case).map(|smaller| smaller.map(right)))
    }
}

/// A case with both `xor` and `mul`, which promises to be right.
fn with_both() -> Case {
    let smoke = Smoke::toy();
    let both = (0..500)
        .step_by(5)
        .filter_map(|index| smoke.make(&Ticket::new("smoke-toy", 1, index)))
        .find(|case| count(&case.programs[0], "xor") > 0 && count(&case.programs[0], "mul") > 0)
        .expect("a case with both");
    right(Case { inputs: both.inputs[..1].to_vec(), ..both })
}

#[test]
fn a_reduction_does_not_slide_to_another_bug() {
    // Two passes, each with a bug of its own, and nothing in the outcome that tells them apart.
    let two_bugs = |program: &Program, setting: &Setting| {
        let first = count(program, "xor") >= 1 && limit(setting) >= 1;
        let second = count(program, "mul") >= 1 && limit(setting) >= 2;
        value(if first || second { "wrong" } else { "right" })
    };
    let mut target = Inline::new(two_bugs);
    target.settings.truncate(1);
    target.passes = Box::new(|_| vec!["one", "two"]);
    let folder = tempfile::tempdir().unwrap();
    let examiner = Examiner { target: Arc::new(target), bench: bench(&folder) };
    let start = examiner.exhibit(&with_both(), examiner.target.settings()).expect("it fails");
    let culprits = culprit::locate(&examiner, &start);
    assert_eq!(culprit::pass(&culprits), Some("one"));
    let signature = examiner.sign(&start.case, &start.breach);
    let method = Right(Smoke::toy());
    let goal = Goal {
        method: &method,
        examiner: &examiner,
        signature: &signature,
        pass: Some("one"),
        with: &[],
        jobs: 2,
        deadline: None,
    };
    let end = reduce(&goal, start, &Stop::default(), |_, _| Ok::<(), ()>(())).unwrap();
    let program = &end.exhibit.case.programs[0];
    assert_eq!((count(program, "xor"), count(program, "mul")), (1, 0), "{}", program.source);
    assert_eq!(culprit::pass(&culprit::locate(&examiner, &end.exhibit)), Some("one"));
}

/// A compiler with three passes, which goes wrong whenever those in `wrong` all run, and whose own check rejects
/// what `broken` makes.
fn chained(wrong: &'static [&'static str], broken: Option<&'static str>) -> Inline {
    passing(move |_, runs| wrong.iter().all(|pass| runs(pass)), broken)
}

/// A compiler with three passes, for which `wrong` says of a program and what runs whether it goes wrong.
fn passing(
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

#[test]
fn a_culprit_is_blamed_alone_or_with_those_it_needs_or_the_check_tells_who_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let blamed = |wrong, broken| {
        let target = Arc::new(chained(wrong, broken)) as Arc<dyn Target>;
        let examiner = Examiner { target, bench: bench(&folder) };
        let case = Smoke::toy().make(&Ticket::new("smoke-toy", 1, 0)).unwrap();
        let expected = Promise::Yields(vec![Behaviour::Value("right".into())]);
        let case = Case { promise: expected, inputs: case.inputs[..1].to_vec(), ..case };
        let exhibit = examiner.exhibit(&case, examiner.target.settings()).expect("it fails");
        let culprit = culprit::locate(&examiner, &exhibit).remove(0);
        (culprit.name(), culprit.shown_by)
    };
    let plain = |name: &str| (name.to_owned(), None);
    assert_eq!(blamed(&["third"], None), plain("third"));
    // What the check says of others does not matter to a pass that does harm alone.
    assert_eq!(blamed(&["third"], Some("first")), plain("third"));
    assert_eq!(blamed(&["first", "third"], None), plain("first + third"));
    let shown = ("first".to_owned(), Some("third".to_owned()));
    assert_eq!(blamed(&["first", "third"], Some("first")), shown);
    // It rejects what has nothing to do with the failure.
    assert_eq!(blamed(&["first", "third"], Some("second")), plain("first + third"));
    assert_eq!(blamed(&["first", "second", "third"], None), plain("first + second + third"));
}

#[test]
fn a_pass_that_needs_another_is_to_blame_if_one_edit_makes_it_do_harm_alone() {
    // The third gets `xor` wrong, but where there is `mul`, too, it sees it only after the first.
    blamed_at_last("third", |program, runs| {
        let hidden = count(program, "mul") > 0 && !runs("first");
        runs("third") && count(program, "xor") > 0 && !hidden
    });
    // The first does, but where there is `mul`, too, that shows only after the third.
    blamed_at_last("first", |program, runs| {
        let hidden = count(program, "mul") > 0 && !runs("third");
        runs("first") && count(program, "xor") > 0 && !hidden
    });
}

/// Reduces what the first and the third pass get wrong together, until one of them is to blame.
fn blamed_at_last(
    pass: &str,
    wrong: impl Fn(&Program, &dyn Fn(&str) -> bool) -> bool + Send + Sync + 'static,
) {
    let folder = tempfile::tempdir().unwrap();
    let examiner = Examiner { target: Arc::new(passing(wrong, None)), bench: bench(&folder) };
    let start = examiner.exhibit(&with_both(), examiner.target.settings()).expect("it fails");
    let blamed = |exhibit: &Exhibit| culprit::locate(&examiner, exhibit).remove(0).name();
    assert_eq!(blamed(&start), "first + third");
    let signature = examiner.sign(&start.case, &start.breach);
    let method = Right(Smoke::toy());
    let needed = ["first".to_owned()];
    let goal = Goal {
        method: &method,
        examiner: &examiner,
        signature: &signature,
        pass: Some("third"),
        with: &needed,
        jobs: 1,
        deadline: None,
    };
    let mut seen = vec![];
    let end = reduce(&goal, start, &Stop::default(), |_, exhibit| {
        let program = &exhibit.case.programs[0];
        seen.push((count(program, "xor"), count(program, "mul")));
        Ok::<(), ()>(())
    })
    .unwrap();
    assert!(end.finished);
    // Only when nothing else was left.
    assert!(seen.contains(&(1, 1)), "{seen:?}");
    assert_eq!(seen.last(), Some(&(1, 0)));
    assert_eq!(blamed(&end.exhibit), pass);
}

#[test]
fn patience_adapts_to_what_fails_quickly_but_not_to_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let hangs = |program: &Program, _: &Setting| {
        let hung = Outcome::Hung { stage: forge::Stage::Compile, seconds: 30 };
        if count(program, "xor") >= 1 { hung } else { value("") }
    };
    for (target, adapts) in [(crashes_on_two_xors(), true), (Inline::new(hangs), false)] {
        let target = Arc::new(target);
        let examiner =
            Examiner { target: Arc::clone(&target) as Arc<dyn Target>, bench: bench(&folder) };
        let start = failing(&examiner, "survives");
        reduce_with(&examiner, &start, 1, None);
        let walls = target.walls.lock().unwrap();
        let shortest = walls.iter().min().unwrap();
        assert_eq!(*shortest < Limits::default().wall, adapts);
    }
}

#[test]
fn a_batch_is_split_until_the_culprits_stand_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut target = crashes_on_two_xors();
    let culprits = [13, 37];
    target.together =
        Box::new(move |cases| cases.iter().any(|case| culprits.contains(&case.ticket.index)));
    let cases: Vec<Case> = (0..64)
        .map(|index| Smoke::toy().make(&Ticket::new("smoke-toy", 1, index)).unwrap())
        .collect();
    let shown: Vec<&Case> = cases.iter().collect();
    let setting = target.settings[..1].to_vec();
    let sightings = batch::observe(&target, &shown, &setting, &bench(&folder));
    for (index, observations) in sightings.observations.iter().enumerate() {
        let died = matches!(&observations[0].outcome,
            Outcome::Crashed { message, .. } if message == "the batch died");
        assert_eq!(died, culprits.contains(&(index as u64)), "case {index}");
    }
    assert!(sightings.unexplained.is_empty());
    // Two culprits among 64 take at most two ways down the tree.
    assert!(target.attempts.load(Ordering::SeqCst) <= 1 + 2 * 2 * 6);
}

/// The cases of the first tickets.
fn toys(count: u64) -> Vec<Case> {
    let make = |index| Smoke::toy().make(&Ticket::new("smoke-toy", 1, index)).unwrap();
    (0..count).map(make).collect()
}

#[test]
fn a_batch_whose_parts_are_fine_is_reported_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let mut target = crashes_on_two_xors();
    target.together = Box::new(|cases| cases.len() > 4);
    let cases = toys(8);
    let shown: Vec<&Case> = cases.iter().collect();
    let setting = target.settings[..1].to_vec();
    let sightings = batch::observe(&target, &shown, &setting, &bench(&folder));
    let [unexplained] = &sightings.unexplained[..] else { panic!("{sightings:?}") };
    assert_eq!(unexplained.outcome, crash("the batch died"));
    assert!(sightings.observations.iter().all(|observations| !observations.is_empty()));
}

/// Functions of which nothing is known but that a compiler has to survive them.
struct Survivors(Box<dyn Method>);

impl Method for Survivors {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn summary(&self) -> &str {
        self.0.summary()
    }

    fn language(&self) -> Language {
        self.0.language()
    }

    fn space(&self) -> Option<u64> {
        self.0.space()
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        Some(Case { promise: Promise::Survives, ..self.0.make(ticket)? })
    }

    fn whole(&self, case: &Case) -> Case {
        self.0.whole(case)
    }

    fn crowd(&self, cases: &[Case]) -> Option<Case> {
        self.0.crowd(cases)
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> forge::Candidates<'a> {
        self.0.smaller(case)
    }
}

#[test]
fn functions_that_a_compiler_only_dies_of_together_become_one_case_that_is_reduced() {
    const MOST: usize = 12;
    let functions = |source: &str| source.matches("function judged").count();
    let method = Survivors(methods::named("expression-solidity").unwrap());
    let mut target = Inline::new(|_, _| value(""));
    target.language = method.language();
    target.batch = 8;
    target.together = Box::new(move |cases| {
        let programs = cases.iter().flat_map(|case| &case.programs);
        programs.map(|program| functions(&program.source)).sum::<usize>() >= MOST
    });
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt_with(Arc::new(method), target, 8, &folder, &heard);
    let [finding] = &summary.findings[..] else { panic!("{summary:?}") };
    let store = Store::read(&folder.path().join("out")).unwrap();
    let finding = store.finding(&finding.id).unwrap();
    let (original, reduced) = (&finding.original.case, &finding.best().case);
    assert_eq!((original.programs.len(), reduced.programs.len()), (1, 1));
    assert!(reduced.size() < original.size());
    let left = functions(&reduced.programs[0].source);
    assert!((MOST..MOST + 3).contains(&left), "{left}: {}", reduced.programs[0].source);
}

/// With a compiler that takes minutes for what a batch is split into, the end of the time is not waited for.
#[test]
fn a_batch_is_not_split_further_once_the_time_is_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut target = crashes_on_two_xors();
    target.together = Box::new(|cases| cases.len() > 1);
    let cases = toys(8);
    let shown: Vec<&Case> = cases.iter().collect();
    // All eight, four, two, one and one; then the next two, and it is over before they are split.
    let is_over = || target.attempts.load(Ordering::SeqCst) >= 6;
    let sightings =
        batch::observe_until(&is_over, &target, &shown, &target.settings[..1], &bench(&folder));
    assert_eq!(sightings.complete, 2);
    assert_eq!(target.attempts.load(Ordering::SeqCst), 6);
    let seen: Vec<bool> = sightings.observations.iter().map(|it| !it.is_empty()).collect();
    assert_eq!(seen, [true, true, false, false, false, false, false, false]);
}

#[test]
fn a_batch_ends_where_there_are_enough_cases_or_bytes() {
    let mut target = crashes_on_two_xors();
    (target.batch, target.batch_bytes) = (4, 100);
    let case = |size: &usize| {
        let case = Smoke::toy().make(&Ticket::new("smoke-toy", 1, 0)).unwrap();
        let source = "x".repeat(*size);
        Case { programs: vec![Program { source, ..case.programs[0].clone() }], ..case }
    };
    let cases: Vec<Case> = [10, 10, 10, 10, 10, 90, 1, 500, 60, 60].iter().map(case).collect();
    let portions = batch::portions(&target, &cases);
    let sizes: Vec<usize> = portions.iter().map(|portion| portion.len()).collect();
    assert_eq!(sizes, [4, 2, 1, 1, 1, 1]);
    assert_eq!(portions.concat(), cases);
    assert!(batch::portions(&target, &[]).is_empty());
}

#[derive(Default)]
struct Heard(Mutex<Vec<Event>>);

impl Listener for Heard {
    fn hear(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

fn hunt(target: Inline, cases: u64, folder: &tempfile::TempDir, heard: &Heard) -> Summary {
    hunt_with(Arc::new(Smoke::toy()), target, cases, folder, heard)
}

fn hunt_with(
    method: Arc<dyn Method>,
    target: Inline,
    cases: u64,
    folder: &tempfile::TempDir,
    heard: &Heard,
) -> Summary {
    let store = Store::open(&folder.path().join("out"), "test").unwrap();
    let campaign = Campaign {
        lines: vec![Line { method, targets: vec![Arc::new(target)] }],
        relatives: vec![],
        versions: BTreeMap::new(),
        options: Options {
            seed: 1,
            time: None,
            cases: Some(cases),
            jobs: 2,
            shard: Shard::whole(),
            choice: Choice::default(),
            all_findings: false,
            reduce_time: Duration::from_secs(60),
            command: "test".to_owned(),
            only: None,
        },
        store: &store,
        bench: bench(folder),
        known: KnownBugs::default(),
        listeners: vec![heard],
        stop: Stop::default(),
    };
    campaign.run().unwrap()
}

#[test]
fn findings_that_bisection_shows_to_be_one_are_merged() {
    // One pass, whose bug shows at level 1 where there is much to do, and else only at level 2: two
    // classes of settings. The passes of large programs are not listed, as if listing them failed, so
    // there are two findings at first, and one once both are reduced.
    let wrong = |program: &Program, setting: &Setting| {
        let enough = match setting.value("opt") {
            Some("2") => count(program, "xor") >= 1,
            Some("1") => count(program, "xor") >= 2,
            _ => false,
        };
        value(if enough && limit(setting) >= 1 { "wrong" } else { "" })
    };
    let mut target = Inline::new(wrong);
    target.settings.insert(1, Setting::of(vec![("opt".to_owned(), "1".to_owned())]));
    target.passes =
        Box::new(
            |program| {
                if program.source.matches('=').count() <= 2 { vec!["gvn"] } else { vec![] }
            },
        );
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt(target, 100, &folder, &heard);
    assert_eq!(summary.ended, Ended::Cases);
    let merged: Vec<(String, String)> = heard
        .0
        .lock()
        .unwrap()
        .iter()
        .filter_map(|event| match event {
            Event::Merged { id, into } => Some((id.clone(), into.clone())),
            _ => None,
        })
        .collect();
    let [(gone, kept)] = merged.as_slice() else { panic!("{merged:?}") };
    let by_gvn: Vec<_> = summary
        .findings
        .iter()
        .filter(|finding| finding.signature.culprit.as_deref() == Some("gvn"))
        .collect();
    let [finding] = by_gvn.as_slice() else { panic!("{by_gvn:?}") };
    assert_eq!(finding.id, *kept);
    assert!(summary.findings.iter().all(|finding| finding.id != *gone));
    // Every ticket that showed either of them is kept, and asking for the one gives the other.
    let store = Store::read(&folder.path().join("out")).unwrap();
    assert_eq!(store.finding(gone).unwrap().id, *kept);
    assert_eq!(store.sightings(kept).unwrap().len() as u64, finding.sightings);
    assert!(finding.sightings >= 3);
}

#[test]
fn two_passes_that_do_the_same_harm_alone_are_two_findings() {
    // Both get `xor` wrong, the third only where it runs alone, as if the first left it nothing to do.
    let wrong = |program: &Program, runs: &dyn Fn(&str) -> bool| {
        count(program, "xor") > 0 && (runs("first") || runs("third"))
    };
    let mut target = passing(wrong, None);
    let alone = target.alone.iter().zip(["only-first", "only-second", "only-third"]);
    target.alone =
        alone.map(|(setting, name)| Setting { name: name.to_owned(), ..setting.clone() }).collect();
    target.occasional = target.alone.clone();
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt_with(Arc::new(Right(Smoke::toy())), target, 60, &folder, &heard);
    let mut blamed: Vec<&str> =
        summary.findings.iter().filter_map(|it| it.signature.culprit.as_deref()).collect();
    blamed.sort_unstable();
    assert_eq!(blamed, ["first", "third"]);
    assert!(summary.findings.iter().all(|it| it.reduced.is_some()));
}

#[test]
fn what_the_check_says_of_a_wrong_program_is_no_finding_beside_it() {
    // A pass that gets `xor` wrong, of which the check tells where it is asked; and one that makes what only the check minds.
    let observe = |program: &Program, setting: &Setting| {
        let runs = |pass: usize| limit(setting) >= pass;
        let checks = setting.extra.iter().any(|it| it == "check");
        let optimises = setting.value("opt") != Some("0");
        match (checks, optimises) {
            (true, _) if runs(1) && count(program, "xor") > 0 => crash("broken by gvn"),
            (true, _) if runs(2) && count(program, "mul") > 0 => crash("broken by sroa"),
            (false, true) if runs(1) && count(program, "xor") > 0 => value("wrong"),
            _ => value("right"),
        }
    };
    let mut target = Inline::new(observe);
    target.passes = Box::new(|_| vec!["gvn", "sroa"]);
    let mut lint = Setting { name: "lint".to_owned(), ..Setting::plain() };
    lint.extra.push("check".to_owned());
    target.occasional = vec![lint];
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt_with(Arc::new(Right(Smoke::toy())), target, 60, &folder, &heard);
    let titles: Vec<String> = summary.findings.iter().map(lab::finding::Finding::title).collect();
    assert_eq!(titles.len(), 2, "{titles:?}");
    let wrong = summary.findings.iter().find(|it| it.signature.culprit.as_deref() == Some("gvn"));
    let wrong = wrong.unwrap_or_else(|| panic!("{titles:?}"));
    assert_eq!(wrong.faces.len(), 1);
    assert_eq!(wrong.faces[0].detail, "broken by gvn");
    assert!(titles.iter().any(|title| title.contains("broken by sroa")), "{titles:?}");
    // Both kinds of sightings are its own.
    let store = Store::read(&folder.path().join("out")).unwrap();
    let seen = store.sightings(&wrong.id).unwrap();
    let of_lint = seen.iter().filter(|(ticket, _)| ticket.index % 3 == 2).count();
    assert!(of_lint > 0 && of_lint < seen.len(), "{seen:?}");
    let report = folder.path().join("out").join(wrong.folder()).join("report.md");
    assert!(std::fs::read_to_string(report).unwrap().contains("`broken by gvn`"));
}

#[test]
fn what_only_an_occasional_setting_shows_is_confirmed_and_completed_under_it() {
    let wrong = |program: &Program, setting: &Setting| {
        if setting.name == "only-gvn" && count(program, "xor") >= 1 {
            crash("broken by gvn")
        } else {
            value("")
        }
    };
    let mut target = Inline::new(wrong);
    let only = |name: &str| Setting { name: name.to_owned(), ..Setting::plain() };
    target.occasional = vec![only("only-sroa"), only("only-gvn")];
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt(target, 40, &folder, &heard);
    let findings = summary.findings.iter();
    let by_gvn: Vec<_> =
        findings.filter(|finding| finding.signature.detail == "broken by gvn").collect();
    let [finding] = by_gvn.as_slice() else { panic!("{by_gvn:?}") };
    assert_eq!(finding.progress, lab::finding::Progress::Complete);
    assert!(finding.sightings >= 2, "{}", finding.sightings);
    let reduced = finding.reduced.as_ref().expect("it is reduced");
    assert_eq!(count(&reduced.case.programs[0], "xor"), 1);
    // The setting that showed it is enough to confirm it. What comes of it is looked at under every ordinary
    // setting, and under no other occasional one.
    let all: &[&str] = &["opt=0", "opt=2", "only-gvn"];
    for (exhibit, shown) in [(&finding.original, &all[2..]), (reduced, all)] {
        assert_eq!(exhibit.breach.settings, ["only-gvn"]);
        let mut names: Vec<&str> =
            exhibit.observations.iter().map(|seen| seen.setting.as_str()).collect();
        names.dedup();
        assert_eq!(names, shown);
    }
    let report = folder.path().join("out").join(finding.folder()).join("report.md");
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains("inline only-gvn base"), "{report}");
}

/// The smoke, which tells each program as it is, but for its first line.
struct Retold(Smoke, Vec<&'static str>);

impl Method for Retold {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn summary(&self) -> &str {
        ""
    }
    fn language(&self) -> Language {
        self.0.language()
    }
    fn space(&self) -> Option<u64> {
        None
    }
    fn make(&self, ticket: &Ticket) -> Option<Case> {
        self.0.make(ticket)
    }
    fn whole(&self, case: &Case) -> Case {
        self.0.whole(case)
    }
    fn smaller<'a>(&'a self, case: &'a Case) -> forge::Candidates<'a> {
        self.0.smaller(case)
    }
    fn retellings(&self, case: &Case) -> Vec<Case> {
        let tell = |way: &&str| {
            let mut told = case.clone();
            told.programs[0].source.insert_str(0, &format!("# {way}\n"));
            told.trail.push(format!("told {way}"));
            told
        };
        self.1.iter().map(tell).collect()
    }
}

#[test]
fn retellings_that_fail_alike_are_kept_with_the_finding() {
    let target = || {
        Inline::new(|program, _| match program.source.lines().next() {
            Some("# well") => value(""),
            Some("# wrongly") => Outcome::Rejected { message: "what is that?".to_owned() },
            _ if count(program, "xor") >= 2 => crash("xor twice"),
            _ => value(""),
        })
    };
    let folder = tempfile::tempdir().unwrap();
    let ways = vec!["well", "plainly", "wrongly", "briefly"];
    let method = || Arc::new(Retold(Smoke::toy(), ways.clone())) as Arc<dyn Method>;
    let heard = Heard::default();
    let summary = hunt_with(method(), target(), 40, &folder, &heard);
    let crash = |summary: &Summary| {
        let is_it = |it: &&lab::finding::Finding| it.signature.detail == "xor twice";
        summary.findings.iter().find(is_it).cloned().unwrap()
    };
    let finding = crash(&summary);
    let told = |finding: &lab::finding::Finding| {
        let last = |exhibit: &Exhibit| exhibit.case.trail.last().cloned().unwrap();
        finding.retold.iter().map(last).collect::<Vec<String>>()
    };
    assert_eq!(told(&finding), ["told plainly", "told briefly"]);
    // The retelling is of the reduced program, and whoever listens hears of it.
    let reduced = &finding.reduced.as_ref().unwrap().case.programs[0].source;
    assert_eq!(finding.retold[0].case.programs[0].source, format!("# plainly\n{reduced}"));
    let is_told =
        |event: &Event| matches!(event, Event::Advanced { finding } if finding.retold.len() == 2);
    assert!(heard.0.lock().unwrap().iter().any(is_told));
    let path = folder.path().join("out").join(finding.folder());
    for number in ["retold-1", "retold-2"] {
        let script = std::fs::read_to_string(path.join(number).join("replay.sh")).unwrap();
        assert!(script.contains("cp \"$here\"/base."), "{script}");
        assert!(path.join(number).join("case.json").exists());
    }
    let report = std::fs::read_to_string(path.join("report.md")).unwrap();
    assert!(report.contains("told another way") && report.contains("told plainly"), "{report}");
    // The same hunt again changes nothing.
    let again = hunt_with(method(), target(), 40, &folder, &Heard::default());
    assert_eq!(crash(&again), finding);
    // A finding that is told anew in fewer ways leaves no old ones behind.
    let store = Store::open(&folder.path().join("out"), "test").unwrap();
    let fewer = lab::finding::Finding { retold: finding.retold[..1].to_vec(), ..finding };
    let examiner = Examiner { target: Arc::new(target()), bench: bench(&folder) };
    store.write_folder(&fewer, &lab::triage::replay::replay(&examiner, &fewer)).unwrap();
    assert!(path.join("retold-1").exists() && !path.join("retold-2").exists());
}

#[test]
#[should_panic(expected = "a bug of ours")]
fn a_panic_of_ours_is_not_swallowed() {
    let folder = tempfile::tempdir().unwrap();
    hunt(Inline::new(|_, _| panic!("a bug of ours")), 10, &folder, &Heard::default());
}
