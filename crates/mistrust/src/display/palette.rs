//! The text styles of the display; all are empty without colour.

use anstyle::{AnsiColor, Style};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Palette {
    pub(crate) strong: Style,
    pub(crate) faint: Style,
    pub(crate) bad: Style,
    pub(crate) good: Style,
    pub(crate) caution: Style,
}

impl Palette {
    pub(crate) fn new(color: bool) -> Self {
        if !color {
            return Self::default();
        }
        Self {
            strong: Style::new().bold(),
            faint: Style::new().dimmed(),
            bad: AnsiColor::Red.on_default().bold(),
            good: AnsiColor::Green.on_default().bold(),
            caution: AnsiColor::Yellow.on_default(),
        }
    }
}

/// Applies a style to a text.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
