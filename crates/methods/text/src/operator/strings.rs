//! The string operators of mutation testing: a string is searched from a random position on and replaced. They know
//! nothing of tokens.

use std::ops::Range;

use forge::Entropy;

use super::{Edit, swapped};

/// How many operators are tried until one applies.
const TRIES: usize = 16;

/// One operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// A string becomes another.
    Replace(&'static str, &'static str),
    /// What is between two strings becomes another string, the second string included.
    Between(&'static str, &'static str, &'static str),
    /// What is between two strings stands there twice, each time with the second string.
    Duplicate(&'static str, &'static str),
    /// Two neighbours, which end with a separator, are exchanged: between a start, the separator and an end.
    Swap(&'static str, &'static str, &'static str),
}

use Rule::{Between, Duplicate, Replace, Swap};

const RULES: [Rule; 64] = [
    // A statement is not executed, or in another way.
    Replace("\n", "\nif (0==1)\n"),
    Replace("\n", "\nwhile (1==1)\n"),
    Replace("\n", "\nbreak;\n"),
    Replace("\n", "\ncontinue;\n"),
    Replace("if", "while"),
    Replace("while", "if"),
    // Conditions.
    Replace("(", "(!"),
    Replace("!", ""),
    Replace("&&", "||"),
    Replace("||", "&&"),
    Replace("true", "false"),
    Replace("false", "true"),
    // Comparisons.
    Replace("==", "!="),
    Replace("!=", "=="),
    Replace("==", "<"),
    Replace("==", ">"),
    Replace("==", "="),
    Replace("=", "=="),
    Replace("<", ">"),
    Replace(">", "<"),
    Replace("<", "<="),
    Replace(">", ">="),
    Replace("<", "=="),
    Replace(">", "=="),
    // Steps and constants.
    Replace("++", "--"),
    Replace("--", "++"),
    Replace("0", "1"),
    Replace("1", "0"),
    // Arithmetic: every pair of operators.
    Replace("+", "-"),
    Replace("+", "*"),
    Replace("+", "/"),
    Replace("+", "%"),
    Replace("-", "+"),
    Replace("-", "*"),
    Replace("-", "/"),
    Replace("-", "%"),
    Replace("*", "+"),
    Replace("*", "-"),
    Replace("*", "/"),
    Replace("*", "%"),
    Replace("/", "+"),
    Replace("/", "-"),
    Replace("/", "*"),
    Replace("/", "%"),
    Replace("%", "+"),
    Replace("%", "-"),
    Replace("%", "*"),
    Replace("%", "/"),
    // Deletions: a statement, a block, arguments, a line, a word such as `const`.
    Between(";", ";", ";"),
    Between("{", "}", "}"),
    Between("(", ")", ")"),
    Between("\n", "\n", ""),
    Between(" ", " ", ""),
    // Exchanges: statements, arguments at the start, inside and at the end of a list, words, lines.
    Swap(";", ";", ";"),
    Swap("(", ",", ","),
    Swap("(", ",", ")"),
    Swap(",", ",", ","),
    Swap(",", ",", ")"),
    Swap(" ", " ", " "),
    Swap("\n", "\n", "\n"),
    // Duplications: a line, a statement, a construct with braces, one with parentheses.
    Duplicate("\n", "\n"),
    Duplicate(";", ";"),
    Duplicate("\n", "}"),
    Duplicate(" ", ")"),
];

pub(super) fn edits(text: &str, entropy: &mut Entropy) -> Option<Vec<Edit>> {
    (0..TRIES).find_map(|_| {
        let rule = *entropy.pick(&RULES)?;
        let position = entropy.below(text.len().max(1) as u64) as usize;
        rule.edits(text, position)
    })
}

/// The first place of a string from a position on, or else from the start.
fn search(text: &str, wanted: &str, from: usize) -> Option<Range<usize>> {
    let from = (from..=text.len()).find(|at| text.is_char_boundary(*at))?;
    let found = text[from..].find(wanted).map(|at| from + at).or_else(|| text.find(wanted))?;
    Some(found..found + wanted.len())
}

/// The first place of a string after a position.
fn after(text: &str, wanted: &str, from: usize) -> Option<Range<usize>> {
    let found = from + text.get(from..)?.find(wanted)?;
    Some(found..found + wanted.len())
}

impl Rule {
    fn edits(self, text: &str, position: usize) -> Option<Vec<Edit>> {
        match self {
            Replace(wanted, with) => Some(vec![(search(text, wanted, position)?, with.to_owned())]),
            Between(start, end, with) => {
                let start = search(text, start, position)?;
                let end = after(text, end, start.end)?;
                Some(vec![(start.end..end.end, with.to_owned())])
            }
            Duplicate(start, end) => {
                let start = search(text, start, position)?;
                let end = after(text, end, start.end)?;
                Some(vec![(end.end..end.end, text[start.end..end.end].to_owned())])
            }
            Swap(start, separator, end) => {
                let start = search(text, start, position)?;
                let separator = after(text, separator, start.end)?;
                let end = after(text, end, separator.end)?;
                swapped(text, &(start.end..separator.start), &(separator.end..end.start))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::applied;
    use super::*;

    fn changed(rule: Rule, text: &str, position: usize) -> Option<String> {
        Some(applied(text, rule.edits(text, position)?))
    }

    #[test]
    fn the_operators_are_64_different_ones() {
        let different: BTreeSet<String> = RULES.iter().map(|it| format!("{it:?}")).collect();
        assert_eq!(different.len(), 64);
    }

    #[test]
    fn each_form_of_operator_changes_a_program() {
        let text = "a = 1; b(x, y, z); c();\nd();\n";
        let is = |rule: Rule, expected: &str| assert_eq!(changed(rule, text, 0).unwrap(), expected);
        is(Replace("1", "0"), "a = 0; b(x, y, z); c();\nd();\n");
        is(Between(";", ";", ";"), "a = 1;; c();\nd();\n");
        is(Between("\n", "\n", ""), "a = 1; b(x, y, z); c();\n");
        is(Swap("(", ",", ","), "a = 1; b( y,x, z); c();\nd();\n");
        is(Duplicate(";", ";"), "a = 1; b(x, y, z); b(x, y, z); c();\nd();\n");
        assert_eq!(changed(Replace("while", "if"), text, 0), None);
    }

    #[test]
    fn the_search_begins_at_a_position_and_starts_over_at_the_end() {
        assert_eq!(changed(Replace("1", "2"), "1 1", 1).unwrap(), "1 2");
        assert_eq!(changed(Replace("1", "2"), "1 ä", 3).unwrap(), "2 ä");
    }

    /// The published code never makes a `while` an `if`.
    #[test]
    fn a_while_becomes_an_if() {
        assert_eq!(changed(Replace("while", "if"), "while (a)", 0).unwrap(), "if (a)");
        assert!(RULES.contains(&Replace("while", "if")));
    }
}
