//! Hunts over a corpus that grows, with a compiler inside of this process whose coverage is a function of the program. A
//! hunt that is killed, or has more workers, ends with the same pool and findings; a flood of one crash costs the
//! others little.

#![expect(clippy::unwrap_used, reason = "this is all test code")]

mod hunting;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forge::{
    Case, Feedback, Fingerprint, Input, Interface, Language, Method as _, Observation, Origin,
    Outcome, Program,
};
use lab::campaign::Line;
use lab::campaign::generations::{self, Arm, Record};
use lab::event::Summary;
use lab::finding::Finding;
use lab::setting::Setting;
use lab::store::{Leases as _, Pools as _, SqliteStore};
use lab::target::{
    Attempt, Batch, Bench, ByHand, Reads, Schedule, Seen, Spec, Target, TargetName, Unusable,
};
use text::corpus::{Corpus, Entry};
use text::{MIXES, Mutate};

/// The number of cases of a hunt, over all runs.
const CASES: u64 = 1_920;

/// A program with this word is the seed of the flood.
const FLOOD: &str = "torrent";

/// Crashes on programs with certain pairs of neighbouring tokens. Each pair is a block.
struct Pairs {
    spec: Spec,
    measures: bool,
    floods: bool,
    /// Slow enough that a hunt can be killed in the middle.
    pause: Duration,
}

fn number(text: &str) -> u64 {
    let fingerprint = Fingerprint::of([text.as_bytes()]).to_string();
    u64::from_str_radix(&fingerprint[..8], 16).unwrap()
}

fn pairs() -> Pairs {
    let spec = Spec {
        name: TargetName::new("pairs", None),
        reads: vec![Reads::new("c", Interface::Text, Batch::of(8))],
        settings: vec![Setting::plain()],
        occasional: vec![],
        schedule: Schedule::All,
    };
    Pairs { spec, measures: true, floods: false, pause: Duration::ZERO }
}

impl Pairs {
    fn compile(&self, source: &str) -> (Outcome, Vec<u64>) {
        let tokens: Vec<String> = source
            .split_whitespace()
            .flat_map(|word| word.split_inclusive(|it: char| !it.is_alphanumeric()))
            .map(str::to_owned)
            .collect();
        let pairs: BTreeSet<String> = tokens.windows(2).map(|it| it.join(" ")).collect();
        let crash = |message: String| {
            let message = format!("internal compiler error: {message}");
            Outcome::Crashed { signal: None, message, frames: vec![] }
        };
        if self.floods && source.contains(FLOOD) && number(source).is_multiple_of(10) {
            return (crash("in torrent".to_owned()), vec![]);
        }
        if let Some(bad) = pairs.iter().map(|it| number(it)).find(|it| it % 211 == 0) {
            // A message for each, in letters, because numbers are no part of a signature.
            let letter = |at: u32| char::from(b'a' + ((bad / 211) >> (4 * at) & 15) as u8);
            let word: String = (0..4).map(letter).collect();
            return (crash(format!("in pass {word}")), vec![]);
        }
        let open = |bracket: char| source.matches(bracket).count();
        let outcome = match open('{') == open('}') {
            true => Outcome::Accepted,
            false => Outcome::Rejected { message: "unbalanced".to_owned() },
        };
        (outcome, pairs.iter().map(|it| number(it) % 4096).collect())
    }
}

impl Target for Pairs {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, _bench: &Bench) -> Attempt {
        let see = |case: &&Case| {
            std::thread::sleep(self.pause);
            let (outcome, features) = self.compile(&case.programs[0].source);
            let setting = setting.name.clone();
            Seen {
                observations: vec![Observation { program: 0, setting, input: None, outcome }],
                feedback: self.measures.then_some(Feedback { features }),
            }
        };
        Attempt::Each(cases.iter().map(see).collect())
    }

    fn by_hand(&self, program: &Program, _input: &Input, _setting: &Setting) -> ByHand {
        ByHand::Steps { compile: vec!["pairs".to_owned(), program.file_name()], run: None }
    }

    fn probe(&self, _program: Option<&Program>, _bench: &Bench) -> Result<String, Unusable> {
        Ok("pairs 1".to_owned())
    }
}

/// Programs without a crash, except for the last, which crashes as it is.
fn corpus() -> Arc<Corpus> {
    let compiler = pairs();
    let operators = ["+", "-", "*", "<", "==", "&&", "|", "^"];
    let mut entries = vec![];
    for at in 0.. {
        let operator = operators[at % 8];
        let name = if at == 0 { FLOOD.to_owned() } else { format!("f{at}") };
        let text = format!(
            "int {name} ( int a , int b ) {{ if ( a {operator} {at} ) {{ return b ; }} \
             while ( b {operator} a ) {{ b = b {operator} g{at} ( a ) ; }} return a ; }}"
        );
        let crashes = matches!(compiler.compile(&text).0, Outcome::Crashed { .. });
        let is_last = entries.len() == 40;
        if crashes == is_last {
            entries.push(Entry { name: format!("{at}.c"), text });
        }
        if entries.len() > 40 {
            break;
        }
    }
    Arc::new(Corpus::new(Language::new("c"), entries).unwrap())
}

fn line(target: Pairs) -> Line {
    Line::grown(Arc::new(Mutate::new(corpus(), MIXES[0])), Arc::new(target))
}

/// What a hunt ends with: the stored generations, and what matters of the findings.
fn result(folder: &Path) -> (Vec<(u64, Record)>, Vec<String>) {
    let store = SqliteStore::read(&hunting::out(folder)).unwrap();
    let lines = store.lines().unwrap();
    let [(_, cases)] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!(*cases, CASES);
    let brief = |it: &Finding| {
        let best = &it.best().case;
        format!("{} {} {:?} {}", it.id, it.original.case.origin, it.known, best.programs[0].source)
    };
    let mut findings: Vec<String> =
        lab::store::Findings::findings(&store).unwrap().iter().map(brief).collect();
    findings.sort();
    (store.generations(1).unwrap(), findings)
}

fn hunt(target: Pairs, jobs: usize, folder: &Path) -> Summary {
    hunting::hunt_with(line(target), CASES, jobs, folder)
}

#[test]
fn one_and_two_workers_end_with_the_same_pool_and_findings() {
    let folders = [1, 2].map(|jobs| {
        let folder = tempfile::tempdir().unwrap();
        hunt(pairs(), jobs, folder.path());
        folder
    });
    let [one, two] = folders.map(|folder| result(folder.path()));
    assert!(one.0.iter().any(|(_, record)| record.arms.contains_key(&Arm::Guided)));
    assert!(one.1.len() > 5, "{:?}", one.1);
    assert_eq!(one, two);
}

/// Not a test by itself: the next one runs it in a process of its own, and kills that.
#[test]
#[ignore = "started by another test"]
fn a_hunt_that_will_be_killed() {
    let Ok(folder) = std::env::var("HUNT_FOLDER") else { return };
    let jobs = std::env::var("HUNT_JOBS").unwrap().parse().unwrap();
    let target = Pairs { pause: Duration::from_millis(2), ..pairs() };
    hunt(target, jobs, Path::new(&folder));
}

#[test]
fn a_hunt_that_is_killed_five_times_ends_with_the_same_pool_and_findings() {
    let undisturbed = tempfile::tempdir().unwrap();
    hunt(pairs(), 2, undisturbed.path());
    for jobs in ["1", "2"] {
        let folder = tempfile::tempdir().unwrap();
        let cases = || {
            let store = SqliteStore::read(&hunting::out(folder.path())).ok()?;
            lab::store::Leases::cases(&store).ok()
        };
        let start = || {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "a_hunt_that_will_be_killed", "--ignored", "--quiet"])
                .env("HUNT_FOLDER", folder.path())
                .env("HUNT_JOBS", jobs)
                .spawn()
                .unwrap()
        };
        for kill in 1..=5 {
            let mut child = start();
            // Somewhere in the middle of a generation, later each time.
            let began = Instant::now();
            while cases().unwrap_or(0) < kill * CASES / 8 && child.try_wait().unwrap().is_none() {
                assert!(began.elapsed() < Duration::from_secs(600), "the hunt makes no progress");
                std::thread::sleep(Duration::from_millis(3 * kill));
            }
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let before = cases().unwrap();
        assert!(before < CASES, "it was never killed: {before}");
        assert!(start().wait().unwrap().success());
        assert_eq!(result(folder.path()), result(undisturbed.path()), "{jobs} workers");
    }
}

#[test]
fn a_crash_of_a_program_as_it_is_is_known_and_the_program_has_no_children() {
    let folder = tempfile::tempdir().unwrap();
    let summary = hunt(pairs(), 1, folder.path());
    let by_corpus = |it: &&Finding| it.known.as_ref().is_some_and(|known| known.by_corpus);
    let known: Vec<&Finding> = summary.findings.iter().filter(by_corpus).collect();
    let [known] = known.as_slice() else { panic!("{} known", known.len()) };
    assert!(known.reduced.is_none());
    let (records, _) = result(folder.path());
    let method = Mutate::new(corpus(), MIXES[0]);
    let crashing = method.lineage(&known.original.case).unwrap().seed.unwrap();
    let print = known.original.case.fingerprint();
    for (generation, record) in &records {
        assert!(!record.children.contains_key(&crashing) || *generation < 2);
        for generations::Entry { case, .. } in &record.entries {
            assert_ne!(case.fingerprint(), print);
            if let Origin::Derived(derivation) = &case.origin {
                assert_ne!(derivation.parents, [print]);
            }
        }
    }
}

#[test]
fn a_target_that_measures_nothing_gets_the_cases_of_its_tickets() {
    let folder = tempfile::tempdir().unwrap();
    let target = Pairs { measures: false, ..pairs() };
    let summary = hunt(target, 1, folder.path());
    let drawn = |it: &Finding| matches!(it.origin(), Origin::Drawn(_));
    // Tickets that begin with a program that crashes are replaced.
    let count = summary.findings.iter().filter(|it| drawn(it)).count();
    assert!(count * 10 > summary.findings.len() * 8, "{count} of {}", summary.findings.len());
    let (records, _) = result(folder.path());
    let mut arms: BTreeMap<Arm, u64> = BTreeMap::new();
    for (arm, gain) in records.iter().flat_map(|(_, record)| &record.arms) {
        *arms.entry(*arm).or_default() += gain.cases;
    }
    assert!(arms[&Arm::Guided] * 10 < arms[&Arm::Blind], "{arms:?}");
}

#[test]
fn a_flood_costs_the_other_signatures_a_fifth_at_most() {
    let count = |floods: bool| {
        let folder = tempfile::tempdir().unwrap();
        let summary = hunt(Pairs { floods, ..pairs() }, 1, folder.path());
        let others = |it: &&Finding| !it.signature.detail.contains("torrent");
        (summary.findings.iter().filter(others).count(), summary.tally.broken)
    };
    let ((without, _), (with, broken)) = (count(false), count(true));
    assert!(broken > 0 && with * 5 >= without * 4, "{with} with the flood, {without} without");
}
