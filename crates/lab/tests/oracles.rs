//! Each oracle alone: a planted bug that it can see is found, confirmed, reduced and reported once, and a correct compiler
//! gives no findings.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "this is all test code")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use forge::{Candidates, Case, Interface, Language, Method, Promise, Ticket};
use lab::campaign::{Campaign, Choice, Line, Options, Shard};
use lab::event::Ended;
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::finding::{Finding, Progress};
use lab::stop::Stop;
use lab::store::SqliteStore;
use lab::target::Bench;
use lab::target::described::Description;
use lab::triage::known::KnownBugs;
use smoke::Smoke;

/// With this seed, each planted bug fails at least two of the first 80 cases of every promise that can see it.
const SEED: u64 = 1;

/// The cases of `smoke` with one kind of promise: every fifth.
struct Only {
    smoke: Smoke,
    remainder: u64,
    /// Promises that invalid programs are rejected. `smoke` promises only that the compiler survives them.
    rejects: bool,
}

/// Whether a statement uses a value that is never defined.
fn is_invalid(case: &Case) -> bool {
    let source = &case.programs[0].source;
    let statements = source.lines().filter(|line| line.contains('=')).count();
    let value = |word: &str| word.strip_prefix('v')?.parse::<usize>().ok();
    source.split_whitespace().filter_map(value).any(|value| value >= statements)
}

/// The case with the promise `Rejects`, if it is invalid.
fn rejected(case: Case) -> Option<Case> {
    is_invalid(&case).then(|| Case {
        promise: Promise::Rejects,
        trail: vec!["a value is not defined".to_owned()],
        ..case
    })
}

impl Only {
    /// The corresponding ticket of `smoke`.
    fn of_smoke(&self, ticket: &Ticket) -> Ticket {
        Ticket::new("smoke-toy", ticket.seed, ticket.index * 5 + self.remainder)
    }
}

impl Method for Only {
    fn name(&self) -> &str {
        "smoke-toy"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn summary(&self) -> &str {
        "one promise of smoke"
    }

    fn language(&self) -> Language {
        self.smoke.language()
    }

    fn interface(&self) -> Interface {
        self.smoke.interface()
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let case = self.smoke.make(&self.of_smoke(ticket))?;
        let case = if self.rejects { rejected(case.clone()).unwrap_or(case) } else { case };
        // Findings must refer to our ticket; the model makes the case independent of the other ticket.
        Some(Case { origin: ticket.clone().into(), ..case })
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        if case.promise == Promise::Rejects {
            return Box::new(self.smoke.smaller(case).map(|smaller| smaller.and_then(rejected)));
        }
        self.smoke.smaller(case)
    }
}

/// The fake compiler. Cargo builds the examples of a package with its tests, but not if only one test is requested.
fn toyc() -> &'static Path {
    static DRILLC: OnceLock<PathBuf> = OnceLock::new();
    DRILLC.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let profile = test.parent().and_then(Path::parent).expect("target/PROFILE/deps/TEST");
        let name = profile.file_name().expect("a name").to_string_lossy();
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--workspace", "--example", "toyc"])
            .args(["--profile", if name == "debug" { "dev" } else { &name }])
            .arg("--target-dir")
            .arg(profile.parent().expect("a folder"))
            .status();
        assert!(status.expect("cargo starts").success());
        profile.join("examples/toyc")
    })
}

/// Hunts with the cases of one promise.
fn hunt(promise: &str, bug: Option<&str>, cases: u64) -> Vec<Finding> {
    let names = ["yields", "compiles", "survives", "agrees", "equivalent"];
    let rejects = promise == "rejects";
    let of_smoke = if rejects { "survives" } else { promise };
    let remainder = names.iter().position(|name| *name == of_smoke).expect("a promise") as u64;
    let bugs = bug.map_or(String::new(), |bug| format!("'--bug', '{bug}', "));
    let description: Description = toml::from_str(&format!(
        "language = 'toy'\ncompile = [{:?}, {bugs}'-O{{opt}}', '-o', '{{out}}', '{{in}}']\n\
         run = ['{{out}}']\nsettings = {{ opt = ['0', '1', '2'] }}\n\
         passes = {{ limit = ['--pass-limit', '{{n}}'], pattern = 'pass \\d+: (?<pass>\\w+)' }}",
        toyc()
    ))
    .unwrap();
    let target = description.build("toyc", Path::new("/")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let store = SqliteStore::open(&out, "test").unwrap();
    let runner = Runner::new(folder.path().join("scratch"), SandboxPolicy::BestEffort);
    let limits = Limits::default();
    let method = Only { smoke: Smoke::toy(), remainder, rejects };
    let campaign = Campaign {
        lines: vec![Line::drawn(Arc::new(method), vec![target])],
        relatives: vec![],
        versions: BTreeMap::new(),
        options: Options {
            seed: SEED,
            time: None,
            grace: Duration::ZERO,
            cases: Some(cases),
            jobs: 2,
            shard: Shard::whole(),
            choice: Choice::default(),
            all_findings: false,
            reduce_time: Duration::from_secs(600),
            alive_tv: None,
            command: "test".to_owned(),
        },
        store: &store,
        out,
        bench: Bench {
            runner: runner.unwrap(),
            compile: limits.clone(),
            run: limits,
            coverage: None,
        },
        known: KnownBugs::default(),
        listeners: vec![],
        stop: Stop::default(),
    };
    let summary = campaign.run().unwrap();
    assert_eq!((summary.ended, summary.flaky), (Ended::Cases, vec![]));
    assert_eq!(summary.tally.skipped, 0, "{:?}", summary.skipped);
    summary.findings
}

/// The operators of a program, in order.
fn operators(finding: &Finding) -> Vec<String> {
    let source = &finding.best().case.programs[0].source;
    let operator = |line: &str| line.split(' ').nth(2).map(str::to_owned);
    source.lines().filter(|line| line.contains('=')).filter_map(operator).collect()
}

#[track_caller]
fn found_once(promise: &str, bug: &str, kind: &str, core: &[&str]) {
    let findings = hunt(promise, Some(bug), 80);
    let [finding] = findings.as_slice() else {
        panic!("{bug}: {} findings: {findings:#?}", findings.len());
    };
    assert_eq!(finding.signature.kind.name(), kind);
    assert_eq!(finding.best().case.promise.name(), promise);
    assert_eq!(finding.progress, Progress::Complete);
    assert!(finding.sightings >= 2, "duplicates are counted");
    let operators = operators(finding);
    for operator in core {
        assert!(operators.iter().any(|other| other == operator), "{operators:?}");
    }
    assert!(operators.len() <= core.len().max(1) + 1, "{operators:?}");
}

#[test]
fn survives() {
    found_once("survives", "crash-undefined", "crash", &[]);
}

#[test]
fn compiles() {
    found_once("compiles", "reject-equal", "wrong rejection", &["equal"]);
}

#[test]
fn rejects() {
    found_once("rejects", "accept-undefined", "wrong acceptance", &[]);
}

#[test]
fn yields() {
    found_once("yields", "wrong-all", "miscompilation", &["less"]);
}

#[test]
fn agrees() {
    found_once("agrees", "wrong-sub", "miscompilation", &["add", "sub"]);
}

#[test]
fn equivalent() {
    found_once("equivalent", "wrong-left", "miscompilation", &["or"]);
}

#[test]
fn a_correct_compiler_keeps_every_promise() {
    for promise in ["survives", "compiles", "rejects", "yields", "agrees", "equivalent"] {
        let findings = hunt(promise, None, 20);
        assert!(findings.is_empty(), "{promise}: {findings:?}");
    }
}

/// An oracle that cannot see a bug reports nothing, so the bugs above are not found by accident.
#[test]
fn promises_unrelated_to_a_bug_are_kept() {
    assert!(hunt("survives", Some("wrong-all"), 20).is_empty());
    assert!(hunt("compiles", Some("wrong-all"), 20).is_empty());
    assert!(hunt("survives", Some("accept-undefined"), 20).is_empty());
    // Every level and both programs are wrong in the same way.
    assert!(hunt("agrees", Some("wrong-all"), 20).is_empty());
    assert!(hunt("equivalent", Some("wrong-all"), 20).is_empty());
}
