//! Prints terms and rules in the syntax of `parse/`. Printing then parsing yields the same rule.

use std::fmt::Write;

use super::kernel::{Extent, Op, TermId, Terms};
use super::parse::{FUNCTIONS, UNARY, infix};
use super::rule::{Rule, Variable, WIDEST};

/// A term of a rule in infix notation.
pub fn term(terms: &Terms, variables: &[Variable], root: TermId) -> String {
    let mut text = String::new();
    Printer {
        terms,
        name: &|index| variables.get(usize::from(index)).map(|variable| variable.name.clone()),
    }
    .write(&mut text, root, 0);
    text
}

/// A rule as a block of a rule file.
pub fn rule(rule: &Rule) -> String {
    let side = |side| term(rule.terms(), &rule.variables, side);
    let mut text =
        format!("rule {}\n    {} = {}\n", rule.name, side(rule.left()), side(rule.right()));
    let conditions: Vec<String> =
        rule.equation.conditions.iter().map(|&condition| side(condition)).collect();
    let mut clause = |keyword: &str, what: String| {
        if !what.is_empty() {
            text.push_str("    ");
            text.push_str(keyword);
            text.push_str(&what);
            text.push('\n');
        }
    };
    let declared = rule.variables.iter().filter(|variable| variable.width != Extent::WORD);
    let declared: Vec<String> = declared.map(|v| format!("{}: {}", v.name, v.width)).collect();
    clause("vars ", declared.join(", "));
    clause("where ", conditions.join(", "));
    let mut widths = Vec::new();
    if rule.widths.least > 1 {
        widths.push(format!("width >= {}", rule.widths.least));
    }
    if rule.widths.most < WIDEST {
        widths.push(format!("width <= {}", rule.widths.most));
    }
    if rule.widths.multiple > 1 {
        widths.push(format!("width % {} == 0", rule.widths.multiple));
    }
    if !rule.widths.only.is_empty() {
        let only: Vec<String> = rule.widths.only.iter().map(u16::to_string).collect();
        widths.push(format!("width in {}", only.join(", ")));
    }
    clause("", widths.join(", "));
    clause(
        "source ",
        rule.source.as_ref().map(|source| format!("\"{source}\"")).unwrap_or_default(),
    );
    for claim in &rule.claims {
        let relation = format!("{:?}", claim.relation).to_lowercase();
        clause("claims ", format!("{} {relation}", claim.semantics));
    }
    clause("grade ", rule.grade.map(|grade| grade.to_string()).unwrap_or_default());
    text
}

struct Printer<'a> {
    terms: &'a Terms,
    name: &'a dyn Fn(u16) -> Option<String>,
}

impl Printer<'_> {
    /// `level` is the precedence of the context.
    fn write(&self, text: &mut String, term: TermId, level: usize) {
        let node = self.terms.node(term);
        let args = node.args();
        if let Some((sign, own)) = infix(node.op) {
            self.group(text, own < level, |text| {
                // `?:` extends as far right as possible, so that it needs parentheses before an
                // operator.
                let choice = self.terms.op(args[0]) == Op::Ite;
                self.write(text, args[0], own + usize::from(choice));
                text.push_str(&format!(" {sign} "));
                self.write(text, args[1], own + 1);
            });
            return;
        }
        match node.op {
            Op::Variable(index) => {
                text.push_str(&(self.name)(index).unwrap_or_else(|| format!("v{index}")));
            }
            Op::Literal(index) => {
                let n = self.terms.integer(index);
                // Large literals are more readable in hexadecimal.
                if n.bits() > 16 {
                    let sign = if n.sign() == num_bigint::Sign::Minus { "-" } else { "" };
                    let _ = write!(text, "{sign}0x{:x}", n.magnitude());
                } else {
                    let _ = write!(text, "{n}");
                }
            }
            Op::Bits(extent) => {
                let _ = write!(text, "{extent}");
            }
            Op::Neg | Op::Not => {
                text.push(if node.op == Op::Neg { '-' } else { '~' });
                // A minus directly before a number would become part of the number.
                let literal = node.op == Op::Neg && self.terms.literal_value(args[0]).is_some();
                self.group(text, literal, |text| self.write(text, args[0], UNARY));
            }
            Op::Ite => self.group(text, level > 0, |text| {
                self.write(text, args[0], 1);
                text.push_str(" ? ");
                self.write(text, args[1], 1);
                text.push_str(" : ");
                self.write(text, args[2], 1);
            }),
            Op::Zext | Op::Sext => {
                let name = if node.op == Op::Zext { "zext" } else { "sext" };
                self.resize(text, name, args[0], &[node.width]);
            }
            Op::Extract(low) if low == Extent::fixed(0) => {
                self.resize(text, "trunc", args[0], &[node.width]);
            }
            Op::Extract(low) => {
                let high = node.width.plus(Extent { plus: low.plus - 1, ..low }).unwrap_or(low);
                self.resize(text, "extract", args[0], &[high, low]);
            }
            op => {
                let name =
                    FUNCTIONS.iter().find(|(_, o)| *o == op).map(|(name, _)| (*name).to_string());
                text.push_str(&name.unwrap_or_else(|| format!("{op:?}").to_lowercase()));
                text.push('(');
                for (index, &arg) in args.iter().enumerate() {
                    text.push_str(if index > 0 { ", " } else { "" });
                    self.write(text, arg, 0);
                }
                text.push(')');
            }
        }
    }

    fn resize(&self, text: &mut String, name: &str, operand: TermId, extents: &[Extent]) {
        text.push_str(name);
        text.push('(');
        self.write(text, operand, 0);
        for extent in extents {
            let _ = write!(text, ", {extent}");
        }
        text.push(')');
    }

    fn group(&self, text: &mut String, needed: bool, inner: impl FnOnce(&mut String)) {
        text.push_str(if needed { "(" } else { "" });
        inner(text);
        text.push_str(if needed { ")" } else { "" });
    }
}
