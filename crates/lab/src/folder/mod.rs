//! A listener that renders a folder for each finding, for people and for scripts:
//!
//! ```text
//! findings/1a2b3c4d/
//!   report.md        ready to paste into a bug tracker
//!   replay.sh        reproduces the bug with the compiler alone
//!   case.ll …        what it needs besides programs, if anything
//!   case.json        the complete case as generated
//!   base.c …         its programs
//!   evidence.json    the observations
//!   finding.json     everything, machine-readable
//!   reduced/         the same for the reduced case
//!   reduction.jsonl  the steps of the reduction, one per line
//!   alive2.ll        for LLVM: the function before and after, as Alive2's site takes them
//!   restated-1/      the same in another form, if there is one, with its own replay.sh
//! ```

mod report;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use forge::Observation;
use serde::{Deserialize, Serialize};

use crate::alive2;
use crate::event::{Event, Listener};
use crate::finding::{Exhibit, Finding, Step};
use crate::store::StoreError;
use crate::target::Target;
use crate::triage::replay::{Replay, replay};
use crate::verdict::Breach;

/// Renders the folders of an output folder.
#[derive(Debug)]
pub struct Folders {
    out: PathBuf,
    /// The targets whose command lines appear in the scripts.
    targets: Vec<Arc<dyn Target>>,
    failure: Mutex<Option<StoreError>>,
}

impl Folders {
    pub fn new(out: &Path, targets: Vec<Arc<dyn Target>>) -> Self {
        Self { out: out.to_owned(), targets, failure: Mutex::default() }
    }

    pub fn of(&self, finding: &Finding) -> PathBuf {
        self.out.join(finding.folder())
    }

    /// Writes or updates the folder of a finding.
    pub fn render(&self, finding: &Finding) -> Result<(), StoreError> {
        let is_its = |target: &&Arc<dyn Target>| target.name().to_string() == finding.target;
        match self.targets.iter().find(is_its) {
            Some(target) => self.write(finding, &replay(target.as_ref(), finding)),
            None => Ok(()),
        }
    }

    /// Writes the folders of findings that are missing: the database is the record.
    pub fn restore(&self, findings: &[Finding]) -> Result<(), StoreError> {
        let mut missing = findings.iter().filter(|finding| !self.of(finding).exists());
        missing.try_for_each(|finding| self.render(finding))
    }

    fn write(&self, finding: &Finding, replay: &Replay) -> Result<(), StoreError> {
        let folder = self.of(finding);
        write_exhibit(&folder, &finding.original)?;
        match &finding.reduced {
            Some(reduced) => write_exhibit(&folder.join("reduced"), reduced)?,
            // A reduction of an earlier representative is outdated.
            None => {
                let _ = fs::remove_dir_all(folder.join("reduced"));
                let _ = fs::remove_file(folder.join("reduction.jsonl"));
            }
        }
        let restated = finding.restated.iter().zip(&replay.restated);
        for (number, (exhibit, replay)) in (1..).zip(restated) {
            let restated = folder.join(format!("restated-{number}"));
            write_exhibit(&restated, exhibit)?;
            write_replay(&restated, replay)?;
        }
        // So are its restated forms.
        let stale = |number: usize| folder.join(format!("restated-{number}"));
        for old in (finding.restated.len() + 1..).map(stale).take_while(|folder| folder.exists()) {
            fs::remove_dir_all(&old).map_err(StoreError::io("remove", &old))?;
        }
        write_replay(&folder, replay)?;
        write_atomically(&folder.join("finding.json"), &json(finding))?;
        let alive2_file = folder.join(alive2::FILE);
        match alive2::module(finding.best()) {
            Some(text) => write_atomically(&alive2_file, text.as_bytes())?,
            None => drop(fs::remove_file(&alive2_file)),
        }
        let report = report::render(finding, replay);
        write_atomically(&folder.join("report.md"), report.as_bytes())
    }

    /// Adds a line to the log of a reduction.
    fn log(&self, id: &str, step: &Step) -> Result<(), StoreError> {
        let path = self.out.join("findings").join(id).join("reduction.jsonl");
        let mut line = serde_json::to_vec(step).unwrap_or_default();
        line.push(b'\n');
        let file = fs::OpenOptions::new().create(true).append(true).open(&path);
        file.and_then(|mut file| file.write_all(&line)).map_err(StoreError::io("write", &path))
    }
}

impl Listener for Folders {
    fn hear(&self, event: &Event) {
        let written = match event {
            Event::Found { finding } | Event::Advanced { finding } => self.render(finding),
            Event::Reducing { id, step } => self.log(id, step),
            Event::Started(_)
            | Event::Progress(_)
            | Event::Working { .. }
            | Event::Again { .. }
            | Event::Flaky { .. }
            | Event::Merged { .. }
            | Event::Warning { .. }
            | Event::Finished(_) => Ok(()),
        };
        if let Err(error) = written {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        }
    }

    fn failure(&self) -> Option<String> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map(ToString::to_string)
    }
}

/// The contents of `evidence.json`.
#[derive(Serialize, Deserialize)]
struct Evidence {
    breach: Breach,
    observations: Vec<Observation>,
}

fn write_exhibit(folder: &Path, exhibit: &Exhibit) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(StoreError::io("create", folder))?;
    for program in &exhibit.case.programs {
        write_atomically(&folder.join(program.file_name()), &program.bytes())?;
    }
    write_atomically(&folder.join("case.json"), &json(&exhibit.case))?;
    let evidence =
        Evidence { breach: exhibit.breach.clone(), observations: exhibit.observations.clone() };
    write_atomically(&folder.join("evidence.json"), &json(&evidence))
}

fn write_replay(folder: &Path, replay: &Replay) -> Result<(), StoreError> {
    for (name, text) in &replay.files {
        write_atomically(&folder.join(name), text.as_bytes())?;
    }
    write_script(folder, &replay.script)
}

fn write_script(folder: &Path, script: &str) -> Result<(), StoreError> {
    let path = folder.join("replay.sh");
    write_atomically(&path, script.as_bytes())?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
        .map_err(StoreError::io("make executable", &path))
}

fn json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Replaces a file atomically: readers see the old or the new contents, also after a crash.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let temporary = PathBuf::from(temporary);
    let write = || {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(&temporary, path)
    };
    write().map_err(|source| {
        let _ = fs::remove_file(&temporary);
        StoreError::io("write", path)(source)
    })
}
