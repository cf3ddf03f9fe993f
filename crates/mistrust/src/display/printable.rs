//! Untrusted text for the terminal: escaped, and truncated by its width in columns.

pub(crate) use lab::printable::block;

/// The maximal length of a text in bytes.
const MOST: usize = 1 << 20;

/// Escapes a text with any number of lines.
pub(crate) fn printable(text: &str) -> String {
    block(text, MOST)
}

/// Escapes a text to one line of at most `columns`.
pub(crate) fn line(text: &str, columns: usize) -> String {
    console::truncate_str(&lab::printable::line(text, columns), columns, "…").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_truncated_to_its_width() {
        assert_eq!(line("twelve bytes", 12), "twelve bytes");
        assert_eq!(line("twelve bytes", 11), "twelve byt…");
        // Wide characters take two columns each.
        assert_eq!(line("漢字漢字", 5), "漢字…");
        assert_eq!(line(&"x".repeat(10_000_000), 4), "xxx…");
    }
}
