//! A hunt with one line in its own folder, for tests from the oracle to the report.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lab::campaign::{Campaign, Choice, Line, Options, Shard};
use lab::event::{Ended, Summary};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::finding::Finding;
use lab::folder::Folders;
use lab::stop::Stop;
use lab::store::SqliteStore;
use lab::target::Bench;
use lab::triage::known::KnownBugs;

/// The output folder of [`hunt`].
pub(crate) fn out(folder: &Path) -> PathBuf {
    folder.join("out")
}

/// Hunts with this many cases and one worker, so that the order of the cases is fixed.
#[expect(clippy::allow_attributes, reason = "an expectation would fail where it is used")]
#[allow(dead_code, reason = "not every test binary uses each function")]
pub(crate) fn hunt(line: Line, cases: u64, folder: &Path) -> Summary {
    hunt_with(line, cases, 1, folder)
}

/// Hunts with this many cases and workers.
pub(crate) fn hunt_with(line: Line, cases: u64, jobs: usize, folder: &Path) -> Summary {
    let out = out(folder);
    let store = SqliteStore::open(&out, "test").unwrap();
    let runner = Runner::new(folder.join("scratch"), SandboxPolicy::Off).unwrap();
    let limits = Limits::default();
    let folders = Folders::new(&out, line.targets.clone());
    let campaign = Campaign {
        lines: vec![line],
        relatives: vec![],
        versions: BTreeMap::new(),
        options: Options {
            seed: 1,
            time: None,
            grace: Duration::ZERO,
            cases: Some(cases),
            jobs,
            shard: Shard::whole(),
            choice: Choice::default(),
            all_findings: false,
            reduce_time: Duration::from_secs(60),
            alive_tv: None,
            command: "test".to_owned(),
        },
        store: &store,
        out,
        bench: Bench { runner, compile: limits.clone(), run: limits, coverage: None },
        known: KnownBugs::default(),
        listeners: vec![&folders],
        stop: Stop::default(),
    };
    let summary = campaign.run().unwrap();
    assert!(!matches!(summary.ended, Ended::Failed(_)), "{:?}", summary.ended);
    summary
}

/// A file of the folder of a finding.
#[expect(clippy::allow_attributes, reason = "an expectation would fail where it is used")]
#[allow(dead_code, reason = "not every test binary uses each function")]
pub(crate) fn file(folder: &Path, finding: &Finding, name: &str) -> String {
    std::fs::read_to_string(out(folder).join(finding.folder()).join(name)).unwrap()
}
