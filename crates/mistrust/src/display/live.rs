//! The lines that are redrawn during a hunt: one per worker, if there is room, and one for the total. Their text comes
//! from the narration.

use std::fmt;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::event::Tally;

use super::listener::DisplayOptions;
use super::palette::{Palette, paint};
use super::printable;

/// The maximal number of worker lines.
const WORKERS: usize = 8;
/// The templates of a worker's line (and of the total while the duration is unknown), and of the total.
const LINE: &str = "{wide_msg}";
const BAR: &str = "  {bar:20} {wide_msg}";
/// The resolution of the progress bar.
const STEPS: u64 = 1000;

pub(crate) struct Live {
    lines: MultiProgress,
    workers: Vec<ProgressBar>,
    total: ProgressBar,
    palette: Palette,
}

impl Live {
    pub(crate) fn new(options: &DisplayOptions) -> Self {
        let lines = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(8));
        let rows = console::Term::stderr().size_checked().map_or(24, |(rows, _)| rows.into());
        let shown = options.jobs.min(WORKERS).min(rows / 2);
        let line = || lines.add(ProgressBar::no_length().with_style(style(LINE)));
        let workers = (0..shown).map(|_| line()).collect();
        let total = line();
        Self { lines, workers, total, palette: Palette::new(options.color) }
    }

    pub(crate) fn working(&self, worker: usize, what: &str) {
        let Some(line) = self.workers.get(worker) else { return };
        let text = format!("{:>4}  {}", worker + 1, printable::line(what, 200));
        line.set_message(paint(self.palette.faint, &text));
    }

    pub(crate) fn progress(&self, tally: &Tally, text: String) {
        let elapsed = tally.elapsed.as_secs_f64();
        let whole = tally.left.map(|left| elapsed + left.as_secs_f64());
        if let Some(whole) = whole.filter(|whole| *whole > 0.0) {
            self.total.set_style(style(BAR).progress_chars("━╸─"));
            self.total.set_length(STEPS);
            self.total.set_position((elapsed / whole * STEPS as f64) as u64);
        }
        self.total.set_message(text);
        self.total.tick();
    }

    /// Prints permanent lines above the live lines.
    pub(crate) fn above<R>(&self, print: impl FnOnce() -> R) -> R {
        self.lines.suspend(print)
    }

    pub(crate) fn end(&self) {
        self.workers.iter().chain([&self.total]).for_each(ProgressBar::finish_and_clear);
    }
}

fn style(template: &str) -> ProgressStyle {
    // The templates are constants, and a test parses them.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

impl fmt::Debug for Live {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Live").field("workers", &self.workers.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_parse() {
        assert!([LINE, BAR].iter().all(|template| ProgressStyle::with_template(template).is_ok()));
    }
}
