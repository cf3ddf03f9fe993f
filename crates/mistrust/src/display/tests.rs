use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use lab::event::{Event, Listener, Work};

use super::{Display, DisplayOptions};
use crate::export::specimens;

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
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
    let paper = Paper::default();
    let display = Display::writing_to(options, width, Box::new(paper.clone()));
    events.iter().for_each(|event| display.hear(event));
    String::from_utf8(paper.0.lock().unwrap().clone()).unwrap()
}

#[test]
fn a_hunt_is_told_in_plain_lines() {
    let text = printed(PLAIN, None, &specimens::events());
    specimens::compare("display-plain.txt", &text);
}

#[test]
fn verbose_tells_of_what_comes_to_nothing_too() {
    let options = DisplayOptions { verbose: 1, ..PLAIN };
    specimens::compare("display-verbose.txt", &printed(options, None, &specimens::events()));
}

#[test]
fn quiet_tells_of_findings_and_the_end_and_keeps_warnings_until_then() {
    let options = DisplayOptions { quiet: true, interactive: true, ..PLAIN };
    specimens::compare("display-quiet.txt", &printed(options, Some(80), &specimens::events()));
}

#[test]
fn in_a_terminal_no_line_of_the_table_is_wider_than_it() {
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
fn a_hunt_without_findings_says_so() {
    let text = printed(PLAIN, None, &[Event::Finished(specimens::nothing())]);
    assert!(text.contains("no findings in 10,000 cases"), "{text}");
    let mut summary = specimens::nothing();
    summary.tally.cases = 0;
    let text = printed(PLAIN, None, &[Event::Finished(summary)]);
    assert!(text.contains("no case was tried"), "{text}");
}

#[test]
fn what_compilers_print_cannot_steer_the_terminal() {
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
