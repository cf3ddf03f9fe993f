//! Terms as expressions, from the printer's literals, operators and built-ins.

use super::{Applied, Page, Printer};
use crate::dialect::STEM;
use crate::folding::literally;
use crate::writing::{Leaf, Named};
use identity::kernel::TermId;

impl<P: Printer> Page<'_, P> {
    /// A term as an expression.
    pub(crate) fn text(&self, term: TermId) -> String {
        let writing = self.writing;
        if let Some(name) = self.names.get(&term) {
            return name.clone();
        }
        if let Some(n) = writing.folded.iter().position(|it| it.term == term) {
            return match writing.literals.filter(|_| !writing.folded[n].named) {
                Some(typed) => {
                    let literal = literally(writing.terms, term, writing.style.signed);
                    typed(&literal, writing.kind_of(term))
                }
                None => self.printer.global(format!("{STEM}_C{n}")),
            };
        }
        if let Some(found) = writing.idiom(term) {
            let built_in = self.printer.idiom(writing, &found, &self.texts(&found.args));
            if let Some(text) = built_in {
                return text;
            }
        }
        match writing.leaf(term) {
            Some(leaf) => self.leaf(leaf),
            None => self.operator(term),
        }
    }

    fn texts(&self, terms: &[TermId]) -> Vec<String> {
        terms.iter().map(|&term| self.text(term)).collect()
    }

    fn operator(&self, term: TermId) -> String {
        let node = self.writing.terms.node(term);
        let args = &self.texts(node.args());
        self.printer.operator(&Applied { writing: self.writing, node, args })
    }

    fn leaf(&self, leaf: Leaf) -> String {
        match leaf {
            Leaf::Literal(value, kind) => self.printer.literal(&value, kind),
            Leaf::Global(name) => self.printer.global(name),
            Leaf::Parameter(name) => self.printer.variable(name),
            Leaf::Step(step) => self.printer.variable(self.writing.local(step)),
            Leaf::Accumulator => self.printer.variable(self.writing.local(self.step)),
            Leaf::Counter => self.printer.variable(self.printer.counter(self.step)),
        }
    }

    /// The constants of the module whose initial values are expressions, with these.
    pub(super) fn constant_expressions(&self) -> Vec<(Named, String)> {
        let writing = self.writing;
        let all = writing.folded.iter().enumerate().filter(|(_, it)| it.named);
        all.map(|(n, folded)| {
            let text = match folded.literal {
                true => literally(writing.terms, folded.term, writing.style.signed),
                false => self.operator(folded.term),
            };
            (Named { name: format!("{STEM}_C{n}"), kind: writing.kind_of(folded.term) }, text)
        })
        .collect()
    }
}

/// The assignment of a text to a local variable: a compound assignment if the text is the variable, one of these
/// operators and another operand, in parentheses; `++` or `--` if that operand is `one`.
pub(crate) fn assignment(local: &str, text: &str, signs: &[&str], one: Option<&str>) -> String {
    let inside = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let operands = inside.and_then(|it| it.strip_prefix(local)?.strip_prefix(' '));
    let Some((sign, rest)) = operands.and_then(|it| it.split_once(' ')) else {
        return format!("{local} = {text}");
    };
    match sign {
        "+" | "-" if one == Some(rest) => format!("{local}{sign}{sign}"),
        _ if signs.contains(&sign) && is_operand(rest) => format!("{local} {sign}= {rest}"),
        _ => format!("{local} = {text}"),
    }
}

/// Whether a text is one operand: its parentheses match, and it has no space outside of them.
fn is_operand(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().all(|letter| {
        depth += i32::from(matches!(letter, '(' | '[' | '{'));
        depth -= i32::from(matches!(letter, ')' | ']' | '}'));
        depth > 0 || letter != ' ' && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_of_the_variable_are_compound_assignments() {
        let signs = ["+", "-", "<<"];
        for (text, expected) in [
            ("(s0 + (a0 * a1))", "s0 += (a0 * a1)"),
            ("(s0 + 1)", "s0++"),
            ("(s0 - 1)", "s0--"),
            ("(s0 << f(a0, a1))", "s0 <<= f(a0, a1)"),
            ("(s0 * a0)", "s0 = (s0 * a0)"),
            ("(s01 + a0)", "s0 = (s01 + a0)"),
            ("(s0 + a0) * (a1 + a2)", "s0 = (s0 + a0) * (a1 + a2)"),
            ("(s0 + a0 ? a1 : a2)", "s0 = (s0 + a0 ? a1 : a2)"),
        ] {
            assert_eq!(assignment("s0", text, &signs, Some("1")), expected);
        }
        assert_eq!(assignment("s0", "(s0 + 1)", &signs, None), "s0 += 1");
    }
}
