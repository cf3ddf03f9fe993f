//! The syntax of C. Operands narrower than `int` are promoted: each is cast to the kind that the operator needs, and each
//! result back to its own.

use num_bigint::BigInt;

use crate::languages::widths::MACHINE;
use crate::printer::operators::{COMPOUND, Class, Operator};
use crate::printer::{Applied, Head, Page, Printer, Repeat, Role, assignment};
use crate::{Found, Idiom, Inline, Kind, Named, Writing};
use identity::kernel::{Op, TermId};

/// The kind of comparisons and of most built-ins.
const INT: Kind = Kind { signed: true, width: 32 };

#[derive(Debug)]
pub(super) struct C;

impl Printer for C {
    type State = ();

    fn literal(&self, value: &BigInt, kind: Kind) -> String {
        let own = name(kind);
        let over = if *value < BigInt::ZERO { BigInt::from(1) << kind.width } else { BigInt::ZERO };
        let bits = value + over;
        match kind.width {
            64 => format!("(({own})0x{bits:x}ull)"),
            128 => {
                let (high, low) = (&bits >> 64_u32, &bits & BigInt::from(u64::MAX));
                format!("(({own})((u128)0x{high:x}ull << 64 | 0x{low:x}ull))")
            }
            width if MACHINE.contains(&width) => format!("(({own})0x{bits:x}u)"),
            _ => format!("(({own})0x{bits:x}uwb)"),
        }
    }

    /// Operands are in parentheses, or names; so is the result.
    fn operator(&self, at: &Applied<'_>) -> String {
        operator(at)
    }

    fn idiom(&self, writing: &Writing<'_>, found: &Found, args: &[String]) -> Option<String> {
        idiom(writing.kind(found.width), found.idiom, args)
    }

    fn constant(&self, constant: &Named, value: &str) -> String {
        format!("static const {} {} = {value};", name(constant.kind), constant.name)
    }

    fn parameter(&self, parameter: &Named) -> String {
        format!("{} {}", name(parameter.kind), parameter.name)
    }

    fn open(page: &mut Page<'_, Self>, head: &Head) {
        let specifiers = match head.role {
            Role::Entry => "__attribute__((noinline))",
            Role::Helper(Inline::Free) => "static",
            Role::Helper(Inline::Always) => "static inline __attribute__((always_inline))",
            Role::Helper(Inline::Never) => "static __attribute__((noinline))",
        };
        let parameters = match head.role {
            Role::Entry if head.parameters.is_empty() => "void",
            _ => &head.parameters,
        };
        page.line(format!("{specifiers} {} {}({parameters}) {{", name(head.result), head.name));
    }

    fn close(page: &mut Page<'_, Self>, head: &Head, result: TermId) {
        let result = page.value(result);
        page.line(format!("    return {result};\n}}"));
        if head.role == Role::Entry {
            page.line("");
        }
    }

    fn define(page: &mut Page<'_, Self>, local: &Named, value: &str) {
        page.line(format!("    {} {} = {value};", name(local.kind), local.name));
    }

    fn branch(page: &mut Page<'_, Self>, local: &Named, _: TermId, parts: [TermId; 3]) {
        let [condition, yes, no] = parts.map(|it| page.value(it));
        let (kind, local) = (name(local.kind), &local.name);
        page.line(format!("    {kind} {local};"));
        page.line(format!("    if ({condition}) {local} = {yes};\n    else {local} = {no};"));
    }

    fn repeat(page: &mut Page<'_, Self>, local: &Named, repeat: Repeat) {
        let [start, body] = [repeat.start, repeat.body].map(|it| page.value(it));
        let one = page.printer.literal(&BigInt::from(1), local.kind);
        let update = assignment(&local.name, &body, COMPOUND, Some(&one));
        Self::define(page, local, &start);
        let (kind, times) = (name(local.kind), repeat.times);
        page.line(format!("    for ({kind} i = 0; i < {times}; i++) {update};"));
    }
}

pub(super) fn name(kind: Kind) -> String {
    match (kind.width, kind.signed) {
        (128, true) => "i128".to_owned(),
        (128, false) => "u128".to_owned(),
        (width, true) if MACHINE.contains(&width) => format!("int{width}_t"),
        (width, false) if MACHINE.contains(&width) => format!("uint{width}_t"),
        (width, true) => format!("_BitInt({width})"),
        (width, false) => format!("unsigned _BitInt({width})"),
    }
}

/// An expression of one kind as one of another.
fn cast(text: &str, from: Kind, to: Kind) -> String {
    if from == to { text.to_owned() } else { format!("({}){text}", name(to)) }
}

/// What an expression of this kind is promoted to.
fn promoted(kind: Kind) -> Kind {
    let width = if MACHINE.contains(&kind.width) { kind.width.max(32) } else { kind.width };
    Kind { width, ..kind }
}

/// The n-th operand, signed or not, without a promotion.
fn exact(at: &Applied<'_>, n: usize, signed: bool) -> String {
    cast(&at.args[n], at.kind(n), Kind { signed, ..at.kind(n) })
}

/// The n-th operand, signed or not, wide enough not to be promoted to another kind.
fn operand(at: &Applied<'_>, n: usize, signed: bool) -> String {
    let kind = Kind { signed, ..at.kind(n) };
    cast(&exact(at, n, signed), kind, promoted(kind))
}

/// An expression of a kind as the result.
fn result(at: &Applied<'_>, text: &str, kind: Kind) -> String {
    let own = at.own();
    if kind == own { format!("({text})") } else { format!("(({})({text}))", name(own)) }
}

fn infix(at: &Applied<'_>, operator: Operator) -> Option<String> {
    let signed = operator.is_signed(at.signed());
    let kind = promoted(Kind { signed, ..at.kind(0) });
    let is_shift = operator.class == Class::Shift;
    let (a, b) = (operand(at, 0, signed), operand(at, 1, signed && !is_shift));
    let text = format!("{a} {} {b}", operator.sign);
    Some(match operator.class {
        Class::Sum | Class::Bitwise | Class::Division | Class::Shift => result(at, &text, kind),
        Class::Comparison => result(at, &text, INT),
        Class::Extreme => result(at, &format!("{text} ? {a} : {b}"), kind),
        Class::Floored => return None,
    })
}

fn operator(at: &Applied<'_>) -> String {
    let (node, args, own) = (at.node, at.args, at.own());
    if let Some(text) = Operator::of(node.op).and_then(|it| infix(at, it)) {
        return text;
    }
    let (signed, here) = (at.signed(), at.kind(0));
    let unsigned = Kind { signed: false, ..here };
    match node.op {
        Op::Neg => result(at, &format!("-{}", operand(at, 0, signed)), promoted(here)),
        Op::Not => result(at, &format!("~{}", operand(at, 0, signed)), promoted(here)),
        Op::Ite => result(at, &format!("{} ? {} : {}", args[0], args[1], args[2]), promoted(own)),
        Op::Zext => format!("({})", cast(&exact(at, 0, false), unsigned, own)),
        Op::Sext => {
            let signed = Kind { signed: true, ..here };
            format!("({})", cast(&exact(at, 0, true), signed, own))
        }
        Op::Extract(low) => {
            let low = low.as_fixed().unwrap_or(0);
            let whole = operand(at, 0, false);
            let shifted = if low == 0 { whole } else { format!("({whole} >> {low})") };
            format!("(({}){shifted})", name(own))
        }
        Op::Concat => {
            let below = at.kind(1).width;
            let whole = Kind { signed: false, ..own };
            let high = cast(&exact(at, 0, false), unsigned, whole);
            let low = Kind { signed: false, width: below };
            let low = cast(&exact(at, 1, false), low, whole);
            result(at, &format!("{high} << {below} | {low}"), promoted(whole))
        }
        Op::Bswap => {
            let swapped = format!("__builtin_bswap{}({})", own.width, operand(at, 0, false));
            result(at, &swapped, unsigned)
        }
        Op::Clz | Op::Ctz => {
            let exact = exact(at, 0, false);
            let (name, extra) = match (node.op, own.width) {
                (Op::Ctz, _) => ("ctz", 0),
                (_, width) => ("clz", 64 - width),
            };
            let count = format!("__builtin_{name}ll({exact}) - {extra}");
            result(at, &format!("{exact} ? {count} : {}", own.width), INT)
        }
        Op::Popcount => result(at, &format!("__builtin_popcountll({})", exact(at, 0, false)), INT),
        _ => args.join(", "),
    }
}

fn idiom(kind: Kind, idiom: Idiom, args: &[String]) -> Option<String> {
    let unsigned = Kind { signed: false, ..kind };
    let exact = |n: usize| cast(&args[n], kind, unsigned);
    let is_word = matches!(kind.width, 32 | 64);
    let overflows = |function: &str| {
        let own = name(unsigned);
        format!("__builtin_{function}_overflow({}, {}, &({own}){{0}})", exact(0), exact(1))
    };
    // An `int` as a word.
    let int = match idiom {
        Idiom::AddOverflows => overflows("add"),
        Idiom::SubOverflows => overflows("sub"),
        Idiom::MulOverflows => overflows("mul"),
        Idiom::Abs if kind.width == 64 => format!("__builtin_llabs((long long){})", args[0]),
        Idiom::Abs if is_word => format!("__builtin_abs((int){})", args[0]),
        Idiom::RedundantSigns if kind.width == 64 => {
            format!("__builtin_clrsbll((long long){})", args[0])
        }
        Idiom::RedundantSigns if is_word => format!("__builtin_clrsb((int){})", args[0]),
        Idiom::FirstSet if kind.width <= 64 => {
            format!("__builtin_ffsll((long long){})", exact(0))
        }
        Idiom::Parity => format!("__builtin_parityll({})", exact(0)),
        Idiom::LogicalAnd => format!("{} && {}", args[0], args[1]),
        Idiom::LogicalOr => format!("{} || {}", args[0], args[1]),
        Idiom::LogicalNot => format!("!{}", args[0]),
        _ => return None,
    };
    Some(format!("(({})({int}))", name(kind)))
}
