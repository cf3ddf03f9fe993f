//! A side-by-side diff of expected and actual output, without long runs of equal lines.

use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::display::printable;

/// The maximal number of bytes that are compared.
const TEXT: usize = 32 * 1024;
const LINE: usize = 1_000;
const ROWS: usize = 400;
/// The number of equal lines shown around a difference.
const AROUND: usize = 3;

#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Contrast {
    rows: Vec<Row>,
    /// A remark on differences that the rows do not show.
    note: Option<String>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Row {
    differs: bool,
    /// The number of equal lines that this row replaces; 0 for a row with lines.
    left_out: usize,
    expected: Option<Numbered>,
    actual: Option<Numbered>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Numbered {
    number: usize,
    text: String,
}

pub(crate) fn contrast(expected: &str, actual: &str) -> Contrast {
    let shown = [expected, actual].map(|text| printable::block(text, TEXT));
    let lines = [0, 1].map(|side| shown[side].lines().collect::<Vec<&str>>());
    let numbered = |side: usize, index: usize| {
        let text = lines[side].get(index)?;
        Some(Numbered { number: index + 1, text: printable::line(text, LINE) })
    };
    let mut rows = vec![];
    let mut differ = false;
    let operations = capture_diff_slices(Algorithm::Myers, &lines[0], &lines[1]);
    for (place, operation) in operations.iter().enumerate() {
        let (old, new) = (operation.old_range(), operation.new_range());
        if !matches!(operation, DiffOp::Equal { .. }) {
            differ = true;
            let count = old.len().max(new.len());
            rows.extend((0..count).map(|index| Row {
                differs: true,
                left_out: 0,
                expected: (index < old.len()).then(|| numbered(0, old.start + index)).flatten(),
                actual: (index < new.len()).then(|| numbered(1, new.start + index)).flatten(),
            }));
            continue;
        }
        let before = if place == 0 { 0 } else { AROUND };
        let after = if place + 1 == operations.len() { 0 } else { AROUND };
        let left_out = if old.len() > before + after + 1 { old.len() - before - after } else { 0 };
        for index in 0..old.len() {
            if left_out > 0 && index == before {
                rows.push(Row { differs: false, left_out, expected: None, actual: None });
            }
            if left_out == 0 || index < before || index >= before + left_out {
                let (expected, actual) =
                    (numbered(0, old.start + index), numbered(1, new.start + index));
                rows.push(Row { differs: false, left_out: 0, expected, actual });
            }
        }
    }
    let note = if rows.len() > ROWS {
        let more = rows.len() - ROWS;
        rows.truncate(ROWS);
        Some(format!("{more} more lines are not shown."))
    } else if !differ && expected != actual {
        Some("The difference is in line ends or beyond the lines shown.".to_owned())
    } else {
        None
    };
    Contrast { rows, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line per row: `=` or `!`, then the numbers and texts of both sides.
    fn drawn(expected: &str, actual: &str) -> Vec<String> {
        let side = |line: &Option<Numbered>| {
            line.as_ref().map_or("-".to_owned(), |line| format!("{}:{}", line.number, line.text))
        };
        contrast(expected, actual)
            .rows
            .iter()
            .map(|row| match row.left_out {
                0 => format!(
                    "{} {} {}",
                    if row.differs { '!' } else { '=' },
                    side(&row.expected),
                    side(&row.actual)
                ),
                count => format!("… {count}"),
            })
            .collect()
    }

    #[test]
    fn differing_lines_are_side_by_side() {
        assert_eq!(
            drawn("a\nb\nc\n", "a\nx\nc\nd"),
            ["= 1:a 1:a", "! 2:b 2:x", "= 3:c 3:c", "! - 4:d"]
        );
        assert_eq!(drawn("", "x"), ["! - 1:x"]);
    }

    #[test]
    fn a_long_run_of_equal_lines_is_omitted() {
        let same: String = (0..20).map(|number| format!("{number}\n")).collect();
        let rows = drawn(&format!("{same}a\n{same}"), &format!("{same}b\n{same}"));
        assert_eq!(rows[0], "… 17");
        assert_eq!(rows[4], "! 21:a 21:b");
        assert_eq!(rows[8], "… 17");
        assert_eq!(rows.len(), 9);
    }

    #[test]
    fn an_invisible_difference_has_a_note() {
        let note = contrast("a\n", "a").note.unwrap();
        assert!(note.contains("line ends"), "{note}");
        assert_eq!(contrast("a\n", "a\n").note, None);
        let many: String = (0..1_000).map(|number| format!("{number}\n")).collect();
        let cut = contrast(&many, "");
        assert_eq!(cut.rows.len(), ROWS);
        assert_eq!(cut.note.unwrap(), "600 more lines are not shown.");
    }
}
