//! The folder of a finding, for people and for scripts:
//!
//! ```text
//! findings/1a2b3c4d/
//!   report.md      ready to paste into a tracker
//!   replay.sh      shows the bug with nothing but the compiler
//!   case.json      the case as it was generated, whole
//!   base.c …       its programs
//!   evidence.json  what was observed
//!   finding.json   everything, for programs
//!   reduced/       the same for the smallest case that shows the bug
//!   reduction.jsonl  how it got so small, a step a line
//!   retold-1/      the same told another way, if there is one, with a replay.sh of its own
//! ```

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use forge::Observation;
use serde::{Deserialize, Serialize};

use super::database::Store;
use super::error::StoreError;
use super::report;
use crate::finding::{Exhibit, Finding};
use crate::triage::reduce::Step;
use crate::triage::replay::Replay;
use crate::verdict::Breach;

impl Store {
    pub fn folder(&self, finding: &Finding) -> PathBuf {
        self.out().join(finding.folder())
    }

    /// Writes or renews the folder of a finding.
    pub fn write_folder(&self, finding: &Finding, replay: &Replay) -> Result<(), StoreError> {
        let folder = self.folder(finding);
        write_exhibit(&folder, &finding.original)?;
        match &finding.reduced {
            Some(reduced) => write_exhibit(&folder.join("reduced"), reduced)?,
            // What an earlier representative was reduced to does not belong to this one.
            None => {
                let _ = fs::remove_dir_all(folder.join("reduced"));
                let _ = fs::remove_file(folder.join("reduction.jsonl"));
            }
        }
        for (number, (exhibit, replay)) in (1..).zip(finding.retold.iter().zip(&replay.retold)) {
            let retold = folder.join(format!("retold-{number}"));
            write_exhibit(&retold, exhibit)?;
            write_script(&retold, &replay.script)?;
        }
        // Those of an earlier representative, too.
        let stale = |number: usize| folder.join(format!("retold-{number}"));
        for old in (finding.retold.len() + 1..).map(stale).take_while(|folder| folder.exists()) {
            fs::remove_dir_all(&old).map_err(StoreError::io("remove", &old))?;
        }
        write_script(&folder, &replay.script)?;
        write_atomically(&folder.join("finding.json"), &json(finding))?;
        let report = report::render(finding, replay);
        write_atomically(&folder.join("report.md"), report.as_bytes())
    }

    /// Notes a step of a reduction, with the case that it led to. A reduction that is stopped goes on
    /// from the last one.
    pub fn write_step(
        &self,
        finding: &Finding,
        step: &Step,
        exhibit: &Exhibit,
    ) -> Result<(), StoreError> {
        let folder = self.folder(finding);
        write_exhibit(&folder.join("reduced"), exhibit)?;
        let path = folder.join("reduction.jsonl");
        let mut line = serde_json::to_vec(step).unwrap_or_default();
        line.push(b'\n');
        fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(&line))
            .map_err(StoreError::io("write", &path))
    }

    /// Where an interrupted reduction got to.
    pub fn last_step(&self, finding: &Finding) -> Option<Exhibit> {
        let folder = self.folder(finding).join("reduced");
        let case = serde_json::from_slice(&fs::read(folder.join("case.json")).ok()?).ok()?;
        let evidence: Evidence =
            serde_json::from_slice(&fs::read(folder.join("evidence.json")).ok()?).ok()?;
        Some(Exhibit { case, breach: evidence.breach, observations: evidence.observations })
    }
}

/// What `evidence.json` holds.
#[derive(Serialize, Deserialize)]
struct Evidence {
    breach: Breach,
    observations: Vec<Observation>,
}

fn write_exhibit(folder: &Path, exhibit: &Exhibit) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(StoreError::io("create", folder))?;
    for program in &exhibit.case.programs {
        write_atomically(&folder.join(program.file_name()), program.source.as_bytes())?;
    }
    write_atomically(&folder.join("case.json"), &json(&exhibit.case))?;
    let evidence =
        Evidence { breach: exhibit.breach.clone(), observations: exhibit.observations.clone() };
    write_atomically(&folder.join("evidence.json"), &json(&evidence))
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

/// Replaces a file at once: a reader sees the old one or the new one, and a crash leaves one of them.
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
