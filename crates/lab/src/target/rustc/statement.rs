//! Parses a MIR statement from the message of rustc's MIR validator, as far as needed to see which places it writes and
//! reads. The validator treats all parts of a variable as overlapping, which is too strict.

/// A place: a variable and its projections, without types.
#[derive(Debug, PartialEq, Eq)]
struct Place<'t> {
    steps: Vec<&'t str>,
}

impl Place<'_> {
    /// Whether `other` is this place or a part of it.
    fn contains(&self, other: &Self) -> bool {
        other.steps.starts_with(&self.steps)
    }
}

/// Whether a statement reads the place that it writes, or a part of it. Two fields, or two elements with different index
/// variables, are different places, and an index variable is not part of the indexed place. For a statement that cannot be
/// parsed, the validator is trusted.
pub(super) fn has_overlap(statement: &str) -> bool {
    let Some((to, from)) = statement.split_once(" = ") else { return true };
    let Some((to, "")) = place(to) else { return true };
    let read = read(from);
    read.is_empty() || read.iter().any(|from| to.contains(from) || from.contains(&to))
}

/// Whether a statement is a self-copy.
pub(super) fn is_self_copy(statement: &str) -> bool {
    let sides = statement.split_once(" = ");
    sides.is_some_and(|(to, from)| from.strip_prefix("copy ").unwrap_or(from) == to)
}

/// The operands of an rvalue that are places.
fn read(value: &str) -> Vec<Place<'_>> {
    let mut found = vec![];
    // Older versions print a copied place without `copy`.
    found.extend(place(value).filter(|(_, rest)| rest.is_empty()).map(|(place, _)| place));
    for word in ["copy ", "move "] {
        let operands = value.split(word).skip(1);
        found.extend(operands.filter_map(|operand| Some(place(operand)?.0)));
    }
    found
}

/// Parses a place at the beginning of a text. Returns the rest.
fn place(text: &str) -> Option<(Place<'_>, &str)> {
    let (mut place, mut rest) = match text.strip_prefix('(') {
        Some(inside) => enclosed(inside)?,
        None => {
            let digits = text.strip_prefix('_')?;
            let end = digits.find(|it: char| !it.is_ascii_digit()).unwrap_or(digits.len());
            if end == 0 {
                return None;
            }
            (Place { steps: vec![&text[..=end]] }, &text[1 + end..])
        }
    };
    while let Some(index) = rest.strip_prefix('[') {
        let (index, after) = index.split_once(']')?;
        place.steps.push(index);
        rest = after;
    }
    Some((place, rest))
}

/// Parses `*_1)`, `_1.0: u8)` or `_1 as Some)`; the opening parenthesis is already consumed.
fn enclosed(text: &str) -> Option<(Place<'_>, &str)> {
    if let Some(pointer) = text.strip_prefix('*') {
        let (mut place, rest) = place(pointer)?;
        place.steps.push("*");
        return Some((place, rest.strip_prefix(')')?));
    }
    let (mut place, rest) = place(text)?;
    let end = closing(rest)?;
    let step = rest[..end].split_once(": ").map_or(&rest[..end], |(field, _)| field);
    place.steps.push(step);
    Some((place, &rest[end + 1..]))
}

/// The position of the parenthesis that closes one opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, it) in text.char_indices() {
        match it {
            '(' => open += 1,
            ')' if open == 0 => return Some(at),
            ')' => open -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_and_disjoint_places_are_distinguished() {
        for overlapping in [
            "_1 = copy _1",
            "(_7.1: u8) = copy (_7.1: u8)",
            "(_7.1: u8) = (_7.1: u8)",
            "_1 = S0 { f0: copy _2, f1: copy (_1.1: (u8, fn(u8) -> u8)) }",
            "(_1.0: (u8, u16)) = (copy _3, move ((_1.0: (u8, u16)).1: u16))",
            "((_1 as Some).0: u32) = copy ((_1 as Some).0: u32) as u32 (Transmute)",
            "_4[_2] = copy _4[_2]",
            "_4[_2] = copy _4",
            "_4 = [copy _4[0 of 3]; 3]",
            "((*_5).1: u8) = copy ((*_5).1: u8)",
            "no statement",
            "what = copy _1",
            "_1 = what",
        ] {
            assert!(has_overlap(overlapping), "{overlapping}");
        }
        for disjoint in [
            "(_3.0: i32) = copy (_3.1: i32)",
            "(_3.0: (i32, u8)) = copy ((_3.1: ((i32, u8), i8)).0: (i32, u8))",
            "_4[_2] = copy _4[_6]",
            "_2 = copy _4[_2]",
            "((_1 as Some).0: u32) = copy ((_1 as Some).1: u32) as u32 (IntToInt)",
            "_1 = copy _12",
            "(*_1) = copy (*_2)",
        ] {
            assert!(!has_overlap(disjoint), "{disjoint}");
        }
    }

    #[test]
    fn a_self_copy_is_recognised() {
        assert!(is_self_copy("(_7.1: u8) = copy (_7.1: u8)"));
        assert!(is_self_copy("_1 = _1"));
        assert!(!is_self_copy("_1 = S0 { f0: copy _1 }"));
    }
}
