//! A hunt with a compiler in the test process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forge::Method;
use lab::campaign::{Campaign, Choice, Line, Options, Shard};
use lab::event::{Ended, Event, Listener, Summary};
use lab::folder::Folders;
use lab::stop::Stop;
use lab::store::SqliteStore;
use lab::target::Target;
use lab::triage::known::KnownBugs;
use smoke::Smoke;

use crate::inline::{Inline, bench};

#[derive(Default)]
pub(crate) struct Heard(pub(crate) Mutex<Vec<Event>>);

impl Heard {
    /// Checks that the first event about each finding is `Found`, for any number of workers.
    fn assert_found_first(&self) {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for event in self.0.lock().unwrap().iter() {
            let (id, is_new) = match event {
                Event::Found { finding } => (&finding.id, true),
                Event::Advanced { finding } => (&finding.id, false),
                Event::Again { id, .. } | Event::Reducing { id, .. } | Event::Merged { id, .. } => {
                    (id, false)
                }
                Event::Started(_)
                | Event::Progress(_)
                | Event::Working { .. }
                | Event::Flaky { .. }
                | Event::Warning { .. }
                | Event::Finished(_) => continue,
            };
            let is_first = seen.insert(id.clone());
            assert!(is_first || !is_new, "{id} has an event before `Found`");
        }
    }
}

impl Listener for Heard {
    fn hear(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

pub(crate) fn hunt(
    target: Inline,
    cases: u64,
    folder: &tempfile::TempDir,
    heard: &Heard,
) -> Summary {
    hunt_with(Arc::new(Smoke::toy()), target, cases, folder, heard)
}

pub(crate) fn hunt_with(
    method: Arc<dyn Method>,
    target: Inline,
    cases: u64,
    folder: &tempfile::TempDir,
    heard: &Heard,
) -> Summary {
    hunt_hurried(method, target, cases, folder, heard, Duration::from_secs(60))
}

/// A hunt in which a reduction may take only so long.
pub(crate) fn hunt_hurried(
    method: Arc<dyn Method>,
    target: Inline,
    cases: u64,
    folder: &tempfile::TempDir,
    heard: &Heard,
    reduce_time: Duration,
) -> Summary {
    let out = folder.path().join("out");
    let store = SqliteStore::open(&out, "test").unwrap();
    let targets: Vec<Arc<dyn Target>> = vec![Arc::new(target)];
    let folders = Folders::new(&out, targets.clone());
    let campaign = Campaign {
        lines: vec![Line::drawn(method, targets)],
        relatives: vec![],
        versions: BTreeMap::new(),
        options: Options {
            seed: 1,
            time: None,
            grace: Duration::ZERO,
            cases: Some(cases),
            jobs: 2,
            shard: Shard::whole(),
            choice: Choice::default(),
            all_findings: false,
            reduce_time,
            alive_tv: None,
            command: "test".to_owned(),
        },
        store: &store,
        out,
        bench: bench(folder),
        known: KnownBugs::default(),
        listeners: vec![&folders, heard],
        stop: Stop::default(),
    };
    let summary = campaign.run().unwrap();
    assert!(!matches!(summary.ended, Ended::Failed(_)), "{:?}", summary.ended);
    heard.assert_found_first();
    summary
}
