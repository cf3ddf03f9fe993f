//! The syntax of Zig.

use num_bigint::BigInt;

use crate::printer::operators::{Class, Operator};
use crate::printer::{Applied, Head, Page, Printer, Repeat, Role, assignment};
use crate::{Found, Idiom, Inline, Kind, Named, Writing};
use identity::kernel::{Op, TermId};

/// The operators with a compound assignment.
const COMPOUND: &[&str] = &[
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "+%", "-%", "*%", "+|", "-|", "*|", "<<|",
];

#[derive(Debug)]
pub(super) struct Zig;

impl Printer for Zig {
    type State = ();

    fn literal(&self, value: &BigInt, kind: Kind) -> String {
        format!("@as({kind}, {value})")
    }

    /// Operands are in parentheses, calls, or names; so is the result.
    fn operator(&self, at: &Applied<'_>) -> String {
        operator(at)
    }

    fn idiom(&self, writing: &Writing<'_>, found: &Found, args: &[String]) -> Option<String> {
        idiom(writing.kind(found.width), found.idiom, args)
    }

    fn initial(&self, value: &BigInt, _: Kind) -> String {
        value.to_string()
    }

    fn constant(&self, constant: &Named, value: &str) -> String {
        format!("const {}: {} = {value};", constant.name, constant.kind)
    }

    fn parameter(&self, parameter: &Named) -> String {
        format!("{}: {}", parameter.name, parameter.kind)
    }

    fn open(page: &mut Page<'_, Self>, head: &Head) {
        let specifier = match head.role {
            // `inline` evaluates known arguments at compile time, where an error in a branch that is never taken counts.
            Role::Helper(Inline::Free | Inline::Always) => "",
            Role::Entry | Role::Helper(Inline::Never) => "noinline ",
        };
        let Head { name, parameters, result, .. } = head;
        page.line(format!("{specifier}fn {name}({parameters}) {result} {{"));
        // An unused parameter is an error.
        for name in &head.names {
            page.line(format!("    _ = &{name};"));
        }
    }

    fn close(page: &mut Page<'_, Self>, _: &Head, result: TermId) {
        let result = page.value(result);
        page.line(format!("    return {result};\n}}\n"));
    }

    /// A variable that is never changed or never used is an error.
    fn define(page: &mut Page<'_, Self>, local: &Named, value: &str) {
        let Named { name, kind } = local;
        page.line(format!("    var {name}: {kind} = {value};\n    _ = &{name};"));
    }

    fn repeat(page: &mut Page<'_, Self>, local: &Named, repeat: Repeat) {
        let [start, body] = [repeat.start, repeat.body].map(|it| page.value(it));
        let update = assignment(&local.name, &body, COMPOUND, None);
        let (kind, times) = (local.kind, repeat.times);
        Self::define(page, local, &start);
        page.line(format!("    {{\n        var i: {kind} = 0;"));
        page.line(format!("        while (i < {times}) : (i += 1) {update};\n    }}"));
    }
}

/// The same bits as a word of another sign.
pub(super) fn cast(text: &str, from: Kind, to: Kind) -> String {
    if from == to { text.to_owned() } else { format!("@as({to}, @bitCast({text}))") }
}

fn operand(at: &Applied<'_>, n: usize, signed: bool) -> String {
    cast(&at.args[n], at.kind(n), Kind { signed, ..at.kind(n) })
}

fn result(at: &Applied<'_>, text: &str, signed: bool) -> String {
    cast(text, Kind { signed, ..at.own() }, at.own())
}

fn infix(at: &Applied<'_>, sign: &str, signed: bool) -> String {
    let text = format!("({} {sign} {})", operand(at, 0, signed), operand(at, 1, signed));
    result(at, &text, signed)
}

fn call(at: &Applied<'_>, name: &str, signed: bool) -> String {
    let text = format!("{name}({}, {})", operand(at, 0, signed), operand(at, 1, signed));
    result(at, &text, signed)
}

/// The amount of a shift: its type has just the bits that it needs.
fn amount(text: &str, width: u16) -> String {
    let bits = u16::try_from(16 - (width - 1).leading_zeros()).unwrap_or(8);
    format!("@as(u{bits}, @intCast({text}))")
}

fn binary(at: &Applied<'_>, operator: Operator) -> Option<String> {
    let signed = operator.is_signed(at.signed());
    // Operators that do not wrap panic in a safe build, and are a promise in a fast one.
    let promise = at.writing.promise(at.node);
    let fits = if at.signed() { promise.signed } else { promise.unsigned };
    let sign = operator.sign;
    Some(match operator.class {
        Class::Sum if fits => infix(at, sign, signed),
        Class::Sum => infix(at, &format!("{sign}%"), signed),
        Class::Bitwise => infix(at, sign, signed),
        Class::Division if promise.exact && operator.word == "div" => call(at, "@divExact", signed),
        Class::Division => match operator.op {
            Op::Sdiv => call(at, "@divTrunc", true),
            Op::Srem => call(at, "@rem", true),
            _ => infix(at, sign, false),
        },
        Class::Floored if operator.op == Op::Fdiv => call(at, "@divFloor", true),
        // `@mod` is not specified for a negative divisor.
        Class::Floored if is_positive(at.writing, at.node.args[1]) => call(at, "@mod", true),
        Class::Floored => {
            let [a, b] = [0, 1].map(|n| operand(at, n, true));
            result(at, &format!("({a} -% (@divFloor({a}, {b}) *% {b}))"), true)
        }
        Class::Shift => {
            let exact = match operator.op {
                Op::Shl => fits.then_some("@shlExact"),
                _ => promise.exact.then_some("@shrExact"),
            };
            let word = operand(at, 0, signed);
            let amount = amount(&operand(at, 1, false), at.kind(0).width);
            let text = match exact {
                Some(name) => format!("{name}({word}, {amount})"),
                None => format!("({word} {sign} {amount})"),
            };
            result(at, &text, signed)
        }
        Class::Comparison => {
            let (a, b) = (operand(at, 0, signed), operand(at, 1, signed));
            format!("@as({}, if ({a} {sign} {b}) 1 else 0)", at.own())
        }
        // Without a cast its type has just the bits that the result needs, by what is known of the operands.
        Class::Extreme => {
            let (a, b) = (operand(at, 0, signed), operand(at, 1, signed));
            let kind = Kind { signed, ..at.own() };
            result(at, &format!("@as({kind}, @{}({a}, {b}))", operator.word), signed)
        }
    })
}

fn operator(at: &Applied<'_>) -> String {
    let (node, args, own) = (at.node, at.args, at.own());
    if let Some(text) = Operator::of(node.op).and_then(|it| binary(at, it)) {
        return text;
    }
    let widened = |signed: bool| {
        let wide = Kind { signed, ..own };
        cast(&format!("@as({wide}, {})", operand(at, 0, signed)), wide, own)
    };
    let bits = Kind { signed: false, ..own };
    let counted = |name: &str| format!("@as({own}, {name}({}))", args[0]);
    match node.op {
        Op::Not => format!("(~{})", args[0]),
        Op::Neg if at.signed() && at.writing.promise(node).signed => format!("(-{})", args[0]),
        Op::Neg if at.signed() => format!("(-%{})", args[0]),
        Op::Neg => format!("(0 -% {})", args[0]),
        Op::Ite => {
            format!("@as({own}, if ({} != 0) {} else {})", args[0], args[1], args[2])
        }
        Op::Zext => widened(false),
        Op::Sext => widened(true),
        Op::Extract(low) => {
            let low = low.as_fixed().unwrap_or(0);
            cast(&format!("@as({bits}, @truncate({} >> {low}))", operand(at, 0, false)), bits, own)
        }
        Op::Concat => {
            let below = at.kind(1).width;
            let part = |n: usize| format!("@as({bits}, {})", operand(at, n, false));
            cast(&format!("(({} << {below}) | {})", part(0), part(1)), bits, own)
        }
        Op::Clz => counted("@clz"),
        Op::Ctz => counted("@ctz"),
        Op::Popcount => counted("@popCount"),
        Op::Bswap => format!("@byteSwap({})", args[0]),
        _ => args.join(", "),
    }
}

/// Whether a term is a constant above zero, as a signed number.
fn is_positive(writing: &Writing<'_>, term: TermId) -> bool {
    let kind = Kind { signed: true, width: writing.width(term) };
    writing.terms.literal_value(term).is_some_and(|it| kind.number(it) > BigInt::ZERO)
}

fn idiom(own: Kind, idiom: Idiom, args: &[String]) -> Option<String> {
    let at = |n: usize, signed: bool| cast(&args[n], own, Kind { signed, ..own });
    let infix = |sign: &str, signed: bool| {
        let text = format!("({} {sign} {})", at(0, signed), at(1, signed));
        cast(&text, Kind { signed, ..own }, own)
    };
    let overflows = |name: &str| {
        format!("@as({own}, {name}WithOverflow({}, {})[1])", at(0, false), at(1, false))
    };
    let truth = |text: &str| format!("@as({own}, if ({text}) 1 else 0)");
    Some(match idiom {
        Idiom::Abs => {
            let bits = Kind { signed: false, ..own };
            cast(&format!("@as({bits}, @abs({}))", at(0, true)), bits, own)
        }
        Idiom::SaturatingAdd => infix("+|", false),
        Idiom::SaturatingSub => infix("-|", false),
        Idiom::SaturatingMul => infix("*|", false),
        Idiom::SaturatingShl => infix("<<|", false),
        Idiom::SignedSaturatingAdd => infix("+|", true),
        Idiom::SignedSaturatingSub => infix("-|", true),
        Idiom::AddOverflows => overflows("@add"),
        Idiom::SubOverflows => overflows("@sub"),
        Idiom::MulOverflows => overflows("@mul"),
        Idiom::ShlOverflows => {
            let amount = amount(&at(1, false), own.width);
            format!("@as({own}, @shlWithOverflow({}, {amount})[1])", at(0, false))
        }
        Idiom::ReverseBits => format!("@bitReverse({})", args[0]),
        Idiom::LogicalAnd => truth(&format!("({} != 0) and ({} != 0)", args[0], args[1])),
        Idiom::LogicalOr => truth(&format!("({} != 0) or ({} != 0)", args[0], args[1])),
        Idiom::LogicalNot => truth(&format!("!({} != 0)", args[0])),
        _ => return None,
    })
}
