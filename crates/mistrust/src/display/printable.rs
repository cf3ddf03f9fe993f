//! Hostile text for the terminal: escaped as everywhere, and cut by the columns that it takes.

pub(crate) use lab::printable::block;

/// More than this of one text is no use on a terminal.
const MOST: usize = 1 << 20;

/// A text of any number of lines.
pub(crate) fn printable(text: &str) -> String {
    block(text, MOST)
}

/// Everything on one line, no wider than `columns`.
pub(crate) fn line(text: &str, columns: usize) -> String {
    console::truncate_str(&lab::printable::line(text, columns), columns, "…").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_width_asked_for() {
        assert_eq!(line("twelve bytes", 12), "twelve bytes");
        assert_eq!(line("twelve bytes", 11), "twelve byt…");
        // Wide characters take two columns each.
        assert_eq!(line("漢字漢字", 5), "漢字…");
        assert_eq!(line(&"x".repeat(10_000_000), 4), "xxx…");
    }
}
