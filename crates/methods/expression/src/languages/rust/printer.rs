//! The syntax of Rust.

use num_bigint::BigInt;

use crate::printer::operators::{Class, Operator};
use crate::printer::{Applied, Head, Page, Printer, Repeat, Role, assignment};
use crate::program::ACCUMULATOR;
use crate::{Found, Idiom, Inline, Kind, Named, Writing};
use identity::kernel::{Op, TermId};

/// The operators with a compound assignment. The amount of a shift is written with a cast.
const COMPOUND: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "^"];

#[derive(Debug)]
pub(super) struct Rust;

impl Printer for Rust {
    type State = ();

    fn literal(&self, value: &BigInt, kind: Kind) -> String {
        if *value < BigInt::ZERO { format!("({value}_{kind})") } else { format!("{value}_{kind}") }
    }

    /// Operands are in parentheses, calls, or names; so is the result.
    fn operator(&self, at: &Applied<'_>) -> String {
        operator(at)
    }

    fn idiom(&self, writing: &Writing<'_>, found: &Found, args: &[String]) -> Option<String> {
        idiom(writing, found, args)
    }

    fn constant(&self, constant: &Named, value: &str) -> String {
        let Named { name, kind } = constant;
        format!("#[allow(non_upper_case_globals)]\nconst {name}: {kind} = {value};")
    }

    fn parameter(&self, parameter: &Named) -> String {
        format!("{}: {}", parameter.name, parameter.kind)
    }

    fn open(page: &mut Page<'_, Self>, head: &Head) {
        match head.role {
            Role::Helper(Inline::Free) => {}
            Role::Helper(Inline::Always) => page.line("#[inline(always)]"),
            Role::Entry | Role::Helper(Inline::Never) => page.line("#[inline(never)]"),
        }
        page.line(format!("fn {}({}) -> {} {{", head.name, head.parameters, head.result));
    }

    fn close(page: &mut Page<'_, Self>, _: &Head, result: TermId) {
        let result = page.value(result);
        page.line(format!("    {result}\n}}\n"));
    }

    fn define(page: &mut Page<'_, Self>, local: &Named, value: &str) {
        page.line(format!("    let {}: {} = {value};", local.name, local.kind));
    }

    fn branch(page: &mut Page<'_, Self>, local: &Named, _: TermId, parts: [TermId; 3]) {
        let [condition, yes, no] = parts.map(|it| page.value(it));
        let Named { name, kind } = local;
        page.line(format!("    let {name}: {kind};\n    if {condition} != 0 {{"));
        page.line(format!(
            "        {name} = {yes};\n    }} else {{\n        {name} = {no};\n    }}"
        ));
    }

    fn repeat(page: &mut Page<'_, Self>, local: &Named, repeat: Repeat) {
        let [start, body] = [repeat.start, repeat.body].map(|it| page.value(it));
        let Named { name, kind } = local;
        let (times, update) = (repeat.times, assignment(name, &body, COMPOUND, None));
        page.line(format!("    let mut {name}: {kind} = {start};"));
        page.line(format!("    for i in 0..{times}{kind} {{\n        {update};\n    }}"));
    }
}

fn cast(text: &str, from: Kind, to: Kind) -> String {
    if from == to { text.to_owned() } else { format!("({text} as {to})") }
}

/// What a function does where its result does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Overflow {
    Wrapping,
    Checked,
    Saturating,
}

impl Overflow {
    fn of(writing: &Writing<'_>) -> Self {
        match writing.style.name {
            name if name.starts_with("checked") => Self::Checked,
            name if name.starts_with("saturating") => Self::Saturating,
            _ => Self::Wrapping,
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Wrapping => "wrapping",
            Self::Checked => "checked",
            Self::Saturating => "saturating",
        }
    }
}

fn operand(at: &Applied<'_>, n: usize, signed: bool) -> String {
    let kind = at.kind(n);
    cast(&at.args[n], kind, Kind { signed, ..kind })
}

/// An expression as wide as the first operand, as the result.
fn result(at: &Applied<'_>, text: &str, signed: bool) -> String {
    let width = at.kind(0).width;
    cast(text, Kind { signed, width }, at.own())
}

fn infix(at: &Applied<'_>, sign: &str, signed: bool) -> String {
    let text = format!("({} {sign} {})", operand(at, 0, signed), operand(at, 1, signed));
    result(at, &text, signed)
}

/// A function that says what happens on overflow.
fn call(at: &Applied<'_>, name: &str, overflow: Overflow, signed: bool, arguments: &str) -> String {
    let receiver = operand(at, 0, signed);
    let text = format!("{receiver}.{}_{name}({arguments})", overflow.prefix());
    match overflow {
        Overflow::Checked => result(at, &format!("{text}.unwrap()"), signed),
        Overflow::Wrapping | Overflow::Saturating => result(at, &text, signed),
    }
}

/// Where the result fits there is a plain operator and, with a constant, a function for which overflow is undefined.
fn sum(at: &Applied<'_>, operator: Operator, signed: bool) -> String {
    let terms = at.writing.terms;
    let promise = at.writing.promise(at.node);
    let fits = if signed { promise.signed } else { promise.unsigned };
    let is_constant = at.node.args().get(1).is_some_and(|&it| terms.literal_value(it).is_some());
    // The accumulator of a loop has a compound assignment.
    let is_updated = terms.op(at.node.args[0]) == Op::Variable(ACCUMULATOR);
    match fits {
        true if is_constant && !is_updated => {
            let (a, b) = (operand(at, 0, signed), operand(at, 1, signed));
            let text = format!("unsafe {{ {a}.unchecked_{}({b}) }}", operator.word);
            result(at, &text, signed)
        }
        true => infix(at, operator.sign, signed),
        false => {
            let overflow = Overflow::of(at.writing);
            call(at, operator.word, overflow, signed, &operand(at, 1, signed))
        }
    }
}

/// Signed ones fit unless the least number is divided by −1, and panic like the plain operator.
fn division(at: &Applied<'_>, operator: Operator, signed: bool) -> String {
    let writing = at.writing;
    let is_plain = if signed { writing.promise(at.node).signed } else { writing.style.no_wrap };
    if is_plain {
        return infix(at, operator.sign, signed);
    }
    // Remainders and unsigned quotients do not overflow, and have no saturating form.
    let overflow = match Overflow::of(writing) {
        Overflow::Saturating if operator.word == "rem" || !signed => Overflow::Wrapping,
        overflow => overflow,
    };
    call(at, operator.word, overflow, signed, &operand(at, 1, signed))
}

fn shift(at: &Applied<'_>, operator: Operator, signed: bool) -> String {
    let writing = at.writing;
    let amount = operand(at, 1, false);
    let known = writing.terms.literal_value(at.node.args[1]);
    let width = BigInt::from(at.kind(0).width);
    if writing.style.no_wrap && known.is_some_and(|it| *it < width) {
        let text = format!("({} {} {amount})", operand(at, 0, signed), operator.sign);
        return result(at, &text, signed);
    }
    // The amount is a `u32`; one that does not fit is too large for any width.
    let overflow = Overflow::of(writing);
    let amount = match overflow {
        Overflow::Checked => format!("u32::try_from({amount}).unwrap_or(u32::MAX)"),
        Overflow::Wrapping | Overflow::Saturating => format!("({amount} as u32)"),
    };
    call(at, operator.word, overflow, signed, &amount)
}

fn binary(at: &Applied<'_>, operator: Operator) -> Option<String> {
    let signed = operator.is_signed(at.signed());
    Some(match operator.class {
        Class::Sum => sum(at, operator, signed),
        Class::Bitwise => infix(at, operator.sign, signed),
        Class::Division => division(at, operator, signed),
        Class::Shift => shift(at, operator, signed),
        Class::Comparison => {
            let (a, b) = (operand(at, 0, signed), operand(at, 1, signed));
            format!("(({a} {} {b}) as {})", operator.sign, at.own())
        }
        Class::Extreme => {
            let (a, b) = (operand(at, 0, signed), operand(at, 1, signed));
            result(at, &format!("{a}.{}({b})", operator.word), signed)
        }
        Class::Floored => return None,
    })
}

fn operator(at: &Applied<'_>) -> String {
    let (writing, node, args, own) = (at.writing, at.node, at.args, at.own());
    if let Some(text) = Operator::of(node.op).and_then(|it| binary(at, it)) {
        return text;
    }
    let signed = at.signed();
    let overflow = Overflow::of(writing);
    let counted = |name: &str| format!("({}.{name}() as {own})", operand(at, 0, false));
    match node.op {
        Op::Neg if signed && writing.promise(node).signed => format!("(-{})", args[0]),
        // Unsigned numbers have no `saturating_neg`: it is what zero minus the number is.
        Op::Neg if overflow == Overflow::Saturating => {
            format!("{}.saturating_sub({})", Rust.literal(&BigInt::ZERO, own), args[0])
        }
        Op::Neg => call(at, "neg", overflow, signed, ""),
        Op::Not => format!("(!{})", args[0]),
        Op::Exp => {
            let exponent = format!("{} as u32", operand(at, 1, false));
            call(at, "pow", overflow, signed, &exponent)
        }
        // The amount counts modulo the width, which is a power of two.
        Op::Rotl => format!("{}.rotate_left({} as u32)", args[0], operand(at, 1, false)),
        Op::Rotr => format!("{}.rotate_right({} as u32)", args[0], operand(at, 1, false)),
        Op::Ite => format!("(if {} != 0 {{ {} }} else {{ {} }})", args[0], args[1], args[2]),
        Op::Zext => result(at, &operand(at, 0, false), false),
        Op::Sext => result(at, &operand(at, 0, true), true),
        Op::Extract(low) => {
            let low = low.as_fixed().unwrap_or(0);
            let whole = operand(at, 0, false);
            let shifted = if low == 0 { whole } else { format!("({whole} >> {low}_u32)") };
            format!("({shifted} as {own})")
        }
        Op::Concat => {
            let below = writing.width(node.args[1]);
            let whole = Kind { signed: false, ..own };
            let part = |n: usize| format!("({} as {whole})", operand(at, n, false));
            cast(&format!("(({} << {below}_u32) | {})", part(0), part(1)), whole, own)
        }
        Op::IsPower => counted("is_power_of_two"),
        Op::Clz => counted("leading_zeros"),
        Op::Ctz => counted("trailing_zeros"),
        Op::Popcount => counted("count_ones"),
        Op::Bswap => format!("{}.swap_bytes()", args[0]),
        _ => args.join(", "),
    }
}

fn idiom(writing: &Writing<'_>, found: &Found, args: &[String]) -> Option<String> {
    let own = writing.kind(found.width);
    let at = |n: usize, signed: bool| cast(&args[n], own, Kind { signed, ..own });
    let both = |function: &str, signed: bool| {
        let text = format!("{}.{function}({})", at(0, signed), at(1, signed));
        cast(&text, Kind { signed, ..own }, own)
    };
    let overflows = |function: &str, signed: bool| {
        format!("({}.overflowing_{function}({}).1 as {own})", at(0, signed), at(1, signed))
    };
    let counted = |function: &str| format!("({}.{function}() as {own})", at(0, false));
    let ordered =
        |signed: bool| format!("({}.cmp(&{}) as i8 as {own})", at(0, signed), at(1, signed));
    let truth = |text: &str| format!("(({text}) as {own})");
    Some(match found.idiom {
        Idiom::Sign => {
            cast(&format!("{}.signum()", at(0, true)), Kind { signed: true, ..own }, own)
        }
        Idiom::ThreeWay => ordered(true),
        Idiom::UnsignedThreeWay => ordered(false),
        Idiom::Abs => {
            let word = at(0, true);
            let text = match writing.style.name {
                "checked-signed" => format!("{word}.checked_abs().unwrap()"),
                "saturating-signed" => format!("{word}.saturating_abs()"),
                // The same bits, as a number that always fits.
                "wrapping" => return Some(format!("{word}.unsigned_abs()")),
                _ => format!("{word}.wrapping_abs()"),
            };
            cast(&text, Kind { signed: true, ..own }, own)
        }
        Idiom::AbsDiff => both("abs_diff", false),
        Idiom::SignedAbsDiff => {
            let text = format!("{}.abs_diff({})", at(0, true), at(1, true));
            cast(&text, Kind { signed: false, ..own }, own)
        }
        Idiom::SaturatingAdd => both("saturating_add", false),
        Idiom::SaturatingSub => both("saturating_sub", false),
        Idiom::SaturatingMul => both("saturating_mul", false),
        Idiom::SignedSaturatingAdd => both("saturating_add", true),
        Idiom::SignedSaturatingSub => both("saturating_sub", true),
        Idiom::AddOverflows => overflows("add", false),
        Idiom::SubOverflows => overflows("sub", false),
        Idiom::MulOverflows => overflows("mul", false),
        Idiom::SignedAddOverflows => overflows("add", true),
        Idiom::SignedSubOverflows => overflows("sub", true),
        Idiom::SignedMulOverflows => overflows("mul", true),
        Idiom::ReverseBits => format!("{}.reverse_bits()", args[0]),
        Idiom::CountZeros => counted("count_zeros"),
        Idiom::LeadingOnes => counted("leading_ones"),
        Idiom::TrailingOnes => counted("trailing_ones"),
        Idiom::Log2 => format!("(({} | 1).ilog2() as {own})", at(0, false)),
        Idiom::EuclideanRemainder => both("wrapping_rem_euclid", true),
        Idiom::EuclideanQuotient => both("wrapping_div_euclid", true),
        Idiom::DivCeil => both("div_ceil", false),
        Idiom::LogicalAnd => truth(&format!("{} != 0 && {} != 0", args[0], args[1])),
        Idiom::LogicalOr => truth(&format!("{} != 0 || {} != 0", args[0], args[1])),
        Idiom::LogicalNot => truth(&format!("!({} != 0)", args[0])),
        _ => return None,
    })
}
