//! A statement of MIR as rustc prints it when its check rejects it, read far enough to tell what it writes and what it
//! reads: the check takes all parts of a variable for the same memory, and MIR does not.

/// A place that begins in a variable, by the steps that lead to it. Types are left out.
#[derive(Debug, PartialEq, Eq)]
struct Place<'t> {
    steps: Vec<&'t str>,
}

impl Place<'_> {
    /// Whether one is the other or a part of it, whatever the program has computed before.
    fn contains(&self, other: &Self) -> bool {
        other.steps.starts_with(&self.steps)
    }
}

/// Whether a statement reads what it writes, for all that can be seen: the same place, or a part of it. Two fields, or two
/// elements by different indices, are different places; and what is read to find a place is a number of its own. Of what
/// cannot be understood the check is believed.
pub(super) fn reads_what_it_writes(statement: &str) -> bool {
    let Some((to, from)) = statement.split_once(" = ") else { return true };
    let Some((to, "")) = place(to) else { return true };
    let read = read(from);
    read.is_empty() || read.iter().any(|from| to.contains(from) || from.contains(&to))
}

/// Whether a statement copies something onto itself, and does nothing else.
pub(super) fn is_onto_itself(statement: &str) -> bool {
    let sides = statement.split_once(" = ");
    sides.is_some_and(|(to, from)| from.strip_prefix("copy ").unwrap_or(from) == to)
}

/// The operands of a value that are places.
fn read(value: &str) -> Vec<Place<'_>> {
    let mut found = vec![];
    // A statement of an older version has no word before what it copies.
    found.extend(place(value).filter(|(_, rest)| rest.is_empty()).map(|(place, _)| place));
    for word in ["copy ", "move "] {
        let operands = value.split(word).skip(1);
        found.extend(operands.filter_map(|operand| Some(place(operand)?.0)));
    }
    found
}

/// A place at the beginning of a text, and what follows it.
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

/// `*_1)`, `_1.0: u8)` or `_1 as Some)`, the parenthesis before it being read.
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

/// Where the parenthesis is that closes one which was opened before the text.
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
    fn what_reads_what_it_writes_is_told_from_what_reads_beside_it() {
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
            assert!(reads_what_it_writes(overlapping), "{overlapping}");
        }
        for apart in [
            "(_3.0: i32) = copy (_3.1: i32)",
            "(_3.0: (i32, u8)) = copy ((_3.1: ((i32, u8), i8)).0: (i32, u8))",
            "_4[_2] = copy _4[_6]",
            "_2 = copy _4[_2]",
            "((_1 as Some).0: u32) = copy ((_1 as Some).1: u32) as u32 (IntToInt)",
            "_1 = copy _12",
            "(*_1) = copy (*_2)",
        ] {
            assert!(!reads_what_it_writes(apart), "{apart}");
        }
    }

    #[test]
    fn a_copy_onto_itself_is_that_and_nothing_else() {
        assert!(is_onto_itself("(_7.1: u8) = copy (_7.1: u8)"));
        assert!(is_onto_itself("_1 = _1"));
        assert!(!is_onto_itself("_1 = S0 { f0: copy _1 }"));
    }
}
