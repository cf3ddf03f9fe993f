//! What the languages of TON have in common: signed integers of 257 bits, and the syntax of statements and expressions.
//! Operators stand between spaces and each is in parentheses, since FunC takes `-a` for a name. How functions are declared
//! is in `tolk.rs` and `func.rs`; operators that combine others are in `combined.rs`.

use num_bigint::BigInt;

use super::combined::combined;
use crate::dialect::Limits;
use crate::printer::operators::{COMPOUND, Class, Operator};
use crate::printer::{Applied, Head, Page, Printer, Repeat, Role, assignment};
use crate::{Constants, Found, Idiom, Kind, Named, Style, Typed, Writing};
use identity::kernel::{Op, TermId, Trap};

/// A call takes more than a millisecond.
pub(super) const LIMITS: Limits = Limits { inputs: 10, nodes: 60, text: 250 };

/// The style in which comparisons are choices.
const CHOSEN: &str = "chosen";

/// The style in which comparisons are numbers: truth is −1 to the machine.
const NUMERIC: &str = "numeric";

/// The style with the operators of `combined.rs`.
pub(super) const COMBINED: &str = "joined";

/// The styles of a language that has these idioms.
pub(super) const fn styles(idioms: &'static [Idiom]) -> [Style; 3] {
    let chosen = Style {
        name: CHOSEN,
        semantics: "ton",
        signed: true,
        widths: &[257],
        usual: &[],
        no_wrap: false,
        supports,
        idioms,
        trap,
    };
    [chosen, Style { name: NUMERIC, ..chosen }, Style { name: COMBINED, no_wrap: true, ..chosen }]
}

/// All but unsigned ones and quotients that round towards zero.
fn supports(op: Op, _from: &[u16], _to: u16) -> bool {
    match op {
        Op::Neg | Op::Not | Op::Ite => true,
        _ => Operator::of(op).is_some_and(|it| it.is_signed(true) && it.class != Class::Division),
    }
}

pub(super) fn constants(style: &Style) -> Constants {
    let typed = Typed { semantics: style.semantics, supports: constant, names: true };
    Constants { typed: Some(typed), literals: None, bounded: None }
}

/// Without choices and calls.
fn constant(op: Op, from: &[u16], to: u16) -> bool {
    let is_excluded = |it: Operator| it.class == Class::Comparison || it.class == Class::Extreme;
    op != Op::Ite && supports(op, from, to) && !Operator::of(op).is_some_and(is_excluded)
}

/// The exit codes of the TON virtual machine.
fn trap(trap: Trap) -> &'static str {
    match trap {
        Trap::Overflow | Trap::Division => "exit 4",
        Trap::Range => "exit 5",
    }
}

/// What the languages spell differently.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling {
    /// A variable with its type.
    pub(super) declared: fn(&str) -> String,
    /// A truth value as a number.
    pub(super) truth: fn(&str) -> String,
    /// Before the name of a constant, and before the declaration of a local variable.
    pub(super) constant: &'static str,
    pub(super) local: &'static str,
    /// The functions that divide a product: rounded down, to the nearest number, and up.
    pub(super) muldiv: [&'static str; 3],
    /// The quotient and the remainder, from a function that returns both.
    pub(super) divmod: [fn(&str, &str) -> String; 2],
    /// The minimum and the maximum, from a function that returns both.
    pub(super) minmax: [fn(&str, &str) -> String; 2],
    /// The remainder of a product.
    pub(super) mulmod: fn(&str, &str, &str) -> String,
    /// Whether there is a remainder of a division that rounds up.
    pub(super) modc: bool,
}

/// A language of TON: the parts that `tolk.rs` and `func.rs` have.
pub(super) trait Ton: std::fmt::Debug {
    const SPELLING: Spelling;

    /// The first line of a function.
    fn head(head: &Head) -> String;
}

impl<L: Ton> Printer for L {
    type State = ();

    /// The least number has no literal.
    fn literal(&self, value: &BigInt, kind: Kind) -> String {
        let least = -(BigInt::from(1) << (kind.width - 1));
        match value {
            _ if *value == least => format!("({} - 1)", value + 1),
            _ if *value < BigInt::ZERO => format!("({value})"),
            _ => value.to_string(),
        }
    }

    fn operator(&self, at: &Applied<'_>) -> String {
        operator(at, &L::SPELLING)
    }

    fn idiom(&self, _: &Writing<'_>, found: &Found, args: &[String]) -> Option<String> {
        Some(match found.idiom {
            Idiom::Sign => format!("sign({})", args[0]),
            Idiom::ThreeWay => (L::SPELLING.truth)(&format!("({} <=> {})", args[0], args[1])),
            Idiom::Abs => format!("abs({})", args[0]),
            Idiom::LogicalAnd => format!("((({} != 0) && ({} != 0)) ? 1 : 0)", args[0], args[1]),
            Idiom::LogicalOr => format!("((({} != 0) || ({} != 0)) ? 1 : 0)", args[0], args[1]),
            Idiom::LogicalNot => format!("((!({} != 0)) ? 1 : 0)", args[0]),
            _ => return None,
        })
    }

    fn counter(&self, step: usize) -> String {
        format!("i{step}")
    }

    fn constant(&self, constant: &Named, value: &str) -> String {
        format!("{}{} = {value};", L::SPELLING.constant, constant.name)
    }

    fn parameter(&self, parameter: &Named) -> String {
        (L::SPELLING.declared)(&parameter.name)
    }

    fn open(page: &mut Page<'_, Self>, head: &Head) {
        page.line(L::head(head));
    }

    fn close(page: &mut Page<'_, Self>, head: &Head, result: TermId) {
        let result = page.value(result);
        page.line(format!("    return {result};\n}}"));
        if head.role == Role::Entry {
            page.line("");
        }
    }

    fn define(page: &mut Page<'_, Self>, local: &Named, value: &str) {
        let Spelling { local: keyword, declared, .. } = L::SPELLING;
        page.line(format!("    {keyword}{} = {value};", declared(&local.name)));
    }

    fn branch(page: &mut Page<'_, Self>, local: &Named, _: TermId, parts: [TermId; 3]) {
        let [condition_text, yes, no] = parts.map(|it| page.value(it));
        let test = condition(&condition_text, page.writing, parts[0]);
        let name = &local.name;
        Self::define(page, local, "0");
        page.line(format!("    if {test} {{\n        {name} = {yes};"));
        page.line(format!("    }} else {{\n        {name} = {no};\n    }}"));
    }

    /// Both kinds of loop occur, by the parity of the trip count.
    fn repeat(page: &mut Page<'_, Self>, local: &Named, repeat: Repeat) {
        let [start, body] = [repeat.start, repeat.body].map(|it| page.value(it));
        let counter = Named { name: page.printer.counter(page.step), ..local.clone() };
        let update = assignment(&local.name, &body, COMPOUND, None);
        let (i, times) = (&counter.name, repeat.times);
        let head = match times % 2 {
            0 => format!("while ({i} < {times})"),
            _ => format!("repeat ({times})"),
        };
        Self::define(page, local, &start);
        Self::define(page, &counter, "0");
        page.line(format!("    {head} {{\n        {update};\n        {i} = ({i} + 1);\n    }}"));
    }
}

fn operator(at: &Applied<'_>, spelling: &Spelling) -> String {
    if let Some(combined) = combined(at, spelling) {
        return combined;
    }
    let (node, args) = (at.node, at.args);
    let infix = |sign: &str| format!("({} {sign} {})", args[0], args[1]);
    if let Some(operator) = Operator::of(node.op) {
        return match (operator.class, at.writing.style.name) {
            (Class::Comparison, NUMERIC) => {
                format!("(- {})", (spelling.truth)(&infix(operator.sign)))
            }
            (Class::Comparison, _) => format!("({} ? 1 : 0)", infix(operator.sign)),
            (Class::Extreme, _) => format!("{}({}, {})", operator.word, args[0], args[1]),
            _ => infix(operator.sign),
        };
    }
    match node.op {
        Op::Neg => format!("(- {})", args[0]),
        Op::Not => format!("(~ {})", args[0]),
        Op::Ite => {
            let condition = condition(&args[0], at.writing, node.args[0]);
            format!("({condition} ? {} : {})", args[1], args[2])
        }
        _ => args.join(", "),
    }
}

/// A word as a condition. The choice that makes a comparison a word is undone.
fn condition(text: &str, writing: &Writing<'_>, term: TermId) -> String {
    let is_comparison = writing.terms.op(term).is_comparison();
    let flag = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(" ? 1 : 0)"));
    match flag {
        Some(flag) if is_comparison => flag.to_owned(),
        _ => format!("({text} != 0)"),
    }
}
