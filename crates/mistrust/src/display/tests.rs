//! What the display prints for the events of a hunt, compared with golden files.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use lab::event::{Event, Listener, Work};

use super::{Display, DisplayOptions};
use crate::export::specimens;

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const PLAIN: DisplayOptions =
    DisplayOptions { quiet: false, verbose: 0, interactive: false, color: false, jobs: 2 };

fn printed(options: DisplayOptions, width: Option<usize>, events: &[Event]) -> String {
    let buffer = Buffer::default();
    let display = Display::writing_to(options, width, Box::new(buffer.clone()));
    events.iter().for_each(|event| display.hear(event));
    String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap()
}

#[test]
fn a_hunt_is_printed_in_plain_lines() {
    let text = printed(PLAIN, None, &specimens::events());
    specimens::compare("display-plain.txt", &text);
}

#[test]
fn verbose_also_prints_workers_duplicates_and_flaky_failures() {
    let options = DisplayOptions { verbose: 1, ..PLAIN };
    specimens::compare("display-verbose.txt", &printed(options, None, &specimens::events()));
}

#[test]
fn quiet_prints_findings_and_the_summary_with_warnings_at_the_end() {
    let options = DisplayOptions { quiet: true, interactive: true, ..PLAIN };
    specimens::compare("display-quiet.txt", &printed(options, Some(80), &specimens::events()));
}

#[test]
fn the_table_fits_the_terminal() {
    let options = DisplayOptions { interactive: true, color: true, ..PLAIN };
    let text = printed(options, Some(100), &specimens::events());
    specimens::compare("display-color.txt", &text);
    let table = text.lines().skip_while(|line| !line.contains(" status"));
    assert!(table.clone().count() >= 4);
    for line in table.take(4) {
        assert!(console::measure_text_width(line) <= 100, "{line}");
    }
}

#[test]
fn a_hunt_without_findings_is_reported_as_such() {
    let text = printed(PLAIN, None, &[Event::Finished(specimens::nothing())]);
    assert!(text.contains("no findings in 10,000 cases"), "{text}");
    let mut summary = specimens::nothing();
    summary.tally.cases = 0;
    let text = printed(PLAIN, None, &[Event::Finished(summary)]);
    assert!(text.contains("no case was tried"), "{text}");
}

#[test]
fn compiler_output_cannot_send_terminal_escapes() {
    let summary = specimens::hostile();
    let poison = summary.findings[0].version.clone();
    let events = [
        Event::Working { worker: 0, work: Work::Diagnosing { origin: poison.clone() } },
        Event::Found { finding: summary.findings[0].clone() },
        Event::Advanced { finding: summary.findings[0].clone() },
        Event::Flaky { flaky: summary.flaky[0].clone() },
        Event::Warning { message: poison.clone() },
        Event::Again { id: poison.clone(), origin: poison, sightings: 2 },
        Event::Finished(summary),
    ];
    let text = printed(DisplayOptions { verbose: 2, ..PLAIN }, Some(100), &events);
    assert!(text.contains("\\x1b[31mred"));
    assert!(!text.chars().any(|character| character.is_control() && character != '\n'));
    assert!(text.len() < 10_000, "{} bytes", text.len());
}
