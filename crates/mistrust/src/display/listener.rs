//! The display as a listener: passes each event to the narration, which returns lines of text, and prints them above the
//! live lines, if there are any.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use anstream::{AutoStream, ColorChoice};
use lab::event::{Event, Listener};

use super::live::Live;
use super::narration::Narration;
use super::printable::printable;

#[derive(Clone, Copy, Debug)]
pub(crate) struct DisplayOptions {
    /// Only findings and the summary.
    pub(crate) quiet: bool,
    /// How often `-v` was given.
    pub(crate) verbose: u8,
    /// Whether the output is a terminal, so that lines can be redrawn.
    pub(crate) interactive: bool,
    pub(crate) color: bool,
    /// The number of workers.
    pub(crate) jobs: usize,
}

impl DisplayOptions {
    /// Detects the capabilities of standard error, and respects `NO_COLOR` and similar variables.
    pub(crate) fn detect(quiet: bool, verbose: u8, jobs: usize) -> Self {
        let stderr = std::io::stderr();
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            quiet,
            verbose,
            interactive: stderr.is_terminal() && !dumb,
            color: AutoStream::choice(&stderr) != ColorChoice::Never,
            jobs,
        }
    }
}

pub(crate) struct Display {
    state: Mutex<State>,
}

struct State {
    narration: Narration,
    live: Option<Live>,
    out: Box<dyn Write + Send>,
}

impl Display {
    pub(crate) fn new(options: DisplayOptions) -> Self {
        let choice = if options.color { ColorChoice::Always } else { ColorChoice::Never };
        let out = AutoStream::new(std::io::stderr(), choice);
        let width = console::Term::stderr().size_checked().map(|(_, columns)| columns.into());
        Self::writing_to(options, width, Box::new(out))
    }

    /// Without a width, lines are not limited to the width of a terminal.
    pub(crate) fn writing_to(
        options: DisplayOptions,
        width: Option<usize>,
        out: Box<dyn Write + Send>,
    ) -> Self {
        let live = (options.interactive && !options.quiet).then(|| Live::new(&options));
        let narration = Narration::new(options, width);
        Self { state: Mutex::new(State { narration, live, out }) }
    }

    /// Removes the live lines.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.live.take().iter().for_each(Live::end);
    }

    /// Prints a line that is not an event, such as the path of a written file.
    pub(crate) fn note(&self, line: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { live, out, .. } = &mut *state;
        let line = printable(line);
        let mut print = || writeln!(out, "{line}");
        let _ = match live {
            Some(live) => live.above(print),
            None => print(),
        };
    }
}

impl Listener for Display {
    fn hear(&self, event: &Event) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { narration, live, out } = &mut *state;
        let lines = narration.tell(event);
        match event {
            Event::Progress(tally) => {
                let total = narration.total(tally);
                live.iter().for_each(|live| live.progress(tally, total.clone()));
            }
            Event::Working { .. } | Event::Reducing { .. } => {
                if let Some((worker, text)) = narration.worker(event) {
                    live.iter().for_each(|live| live.working(worker, &text));
                }
            }
            Event::Finished(_) => live.take().iter().for_each(Live::end),
            Event::Started(_)
            | Event::Found { .. }
            | Event::Again { .. }
            | Event::Flaky { .. }
            | Event::Advanced { .. }
            | Event::Merged { .. }
            | Event::Warning { .. } => {}
        }
        if lines.is_empty() {
            return;
        }
        // If standard error cannot be written to, there is nowhere to report that.
        let mut print = || lines.iter().try_for_each(|line| writeln!(out, "{line}"));
        let _ = match live {
            Some(live) => live.above(print),
            None => print(),
        };
        let _ = out.flush();
    }
}

impl std::fmt::Debug for Display {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Display").finish_non_exhaustive()
    }
}
