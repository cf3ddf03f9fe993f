//! Writes every event as one line of JSON, for programs that monitor a hunt. Very long texts are truncated, and models
//! of cases are omitted; the finding's folder has both complete.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use lab::event::{Event, Listener};
use serde::Serialize;
use serde_json::{Map, Value};

use super::exporter::{Exporter, Problem, locked};

/// The version of the format.
const VERSION: u32 = 2;
/// The maximal length of a text in bytes.
const TEXT: usize = 256 * 1024;

type Clock = fn() -> SystemTime;

pub(crate) struct JsonLines {
    name: PathBuf,
    out: Mutex<Option<Box<dyn Write + Send>>>,
    clock: Clock,
    problem: Problem,
}

#[derive(Serialize)]
struct Line {
    version: u32,
    /// Seconds since 1970.
    at: f64,
    event: Value,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl JsonLines {
    /// `-` is standard output. An existing file is appended to.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let out: Box<dyn Write + Send> = if path == Path::new("-") {
            Box::new(std::io::stdout())
        } else {
            Box::new(append(path).with_context(|| format!("cannot write {}", path.display()))?)
        };
        Ok(Self::writing_to(path, out, SystemTime::now))
    }

    fn writing_to(name: &Path, out: Box<dyn Write + Send>, clock: Clock) -> Self {
        Self {
            name: name.to_owned(),
            out: Mutex::new(Some(out)),
            clock,
            problem: Problem::default(),
        }
    }
}

fn append(path: &Path) -> std::io::Result<std::fs::File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
    // A killed hunt may have left an incomplete line. (Pipes and devices cannot be checked.)
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(-1)).is_ok() {
        file.read_exact(&mut last)?;
    }
    if last != [b'\n'] {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

fn line(event: &Event, at: SystemTime) -> anyhow::Result<String> {
    let mut value = serde_json::to_value(event)?;
    shorten(&mut value);
    let Value::Object(mut rest) = value else { anyhow::bail!("an event is not an object") };
    let event = rest.remove("event").unwrap_or(Value::Null);
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let at = since.as_millis() as f64 / 1000.0;
    Ok(serde_json::to_string(&Line { version: VERSION, at, event, rest })? + "\n")
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > TEXT => {
            let end = text.floor_char_boundary(TEXT);
            let more = text.len() - end;
            text.truncate(end);
            text.push_str(&format!("… and {more} more bytes"));
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(fields) => {
            if let Some(Value::Object(case)) = fields.get_mut("case") {
                case.remove("model");
            }
            fields.values_mut().for_each(shorten);
        }
        _ => {}
    }
}

impl Listener for JsonLines {
    fn hear(&self, event: &Event) {
        let mut out = locked(&self.out);
        let Some(file) = out.as_mut() else { return };
        let written = line(event, (self.clock)()).and_then(|line| {
            // One write per line, so that two hunts can share a file.
            file.write_all(line.as_bytes())?;
            Ok(file.flush()?)
        });
        if written.is_err() {
            // The pipe is closed or the disk is full: nothing more is written.
            *out = None;
        }
        self.problem
            .note(written.with_context(|| format!("events: cannot write {}", self.name.display())));
    }
}

impl Exporter for JsonLines {
    fn problem(&self) -> Option<String> {
        self.problem.get()
    }
}

impl std::fmt::Debug for JsonLines {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("JsonLines").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::export::specimens;

    fn clock() -> SystemTime {
        UNIX_EPOCH + Duration::from_micros(1_767_225_600_250_999)
    }

    fn exported(events: &[Event]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/events.jsonl");
        let lines = JsonLines::writing_to(&path, Box::new(append(&path).unwrap()), clock);
        events.iter().for_each(|event| lines.hear(event));
        assert_eq!(lines.problem(), None);
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn every_event_is_a_line() {
        let text = exported(&specimens::events());
        specimens::compare("events.jsonl", &text);
        assert_eq!(text.lines().count(), specimens::events().len());
    }

    #[test]
    fn a_line_parses_back_to_the_event() {
        for event in specimens::events() {
            let text = exported(std::slice::from_ref(&event));
            let read: Event = serde_json::from_str(&text).unwrap();
            assert_eq!(std::mem::discriminant(&read), std::mem::discriminant(&event));
            assert_eq!(exported(&[read]), text);
        }
    }

    #[test]
    fn hostile_text_stays_on_its_line_and_long_text_is_truncated() {
        let text = exported(&[Event::Finished(specimens::hostile())]);
        assert_eq!(text.lines().count(), 1);
        assert!(!text.trim_end().chars().any(|character| character < ' '));
        assert!(text.len() < 10_000_000, "{} bytes", text.len());
        let read: Event = serde_json::from_str(&text).unwrap();
        let Event::Finished(summary) = read else { panic!("{read:?}") };
        assert!(summary.findings[0].version.contains("\x1b[31mred"));
    }

    #[test]
    fn events_are_appended_after_an_incomplete_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        std::fs::write(&path, "{\"half\":").unwrap();
        let warning = Event::Warning { message: "x".to_owned() };
        JsonLines::open(&path).unwrap().hear(&warning);
        JsonLines::open(&path).unwrap().hear(&warning);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], "{\"half\":");
        assert!(serde_json::from_str::<Event>(lines[2]).is_ok());
    }

    #[test]
    fn an_error_is_stored_and_reported() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let lines = JsonLines::writing_to(Path::new("e.jsonl"), Box::new(Full), clock);
        specimens::events().iter().for_each(|event| lines.hear(event));
        let problem = lines.problem().unwrap();
        assert!(problem.contains("e.jsonl") && problem.contains("storage"), "{problem}");
    }
}
