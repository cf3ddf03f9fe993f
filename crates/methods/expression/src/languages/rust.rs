//! Rust. What overflow does is said at every operator (`wrapping_add`, `checked_add(..).unwrap()`,
//! `saturating_add`), so that it does not depend on how the compiler is called.
//!
//! The program is its own runner, as in C.

use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::program::{ACCUMULATOR, Step};
use crate::{
    Constants, Dialect, Entry, Found, Frame, Idiom, Inline, Kind, Signature, Style, TrapKinds,
    Typed, Writing,
};
use identity::kernel::{Node, Op, TermId, Trap};

const WIDTHS: &[u16] = &[8, 16, 32, 64, 128];

pub const DIALECT: Dialect = Dialect {
    name: "expression-rust",
    summary: "functions over integers in Rust and their proven mutants, results known",
    language: "rust",
    comment: "//",
    styles: &[
        style("wrapping", "rust-wrapping", false, WRAPPING_IDIOMS),
        style("wrapping-signed", "rust-wrapping", true, WRAPPING_IDIOMS),
        style("checked", "rust-unsigned", false, UNSIGNED_IDIOMS),
        style("checked-signed", "rust-signed", true, SIGNED_IDIOMS),
        Style {
            speaks: speaks_saturating,
            ..style("saturating", "saturating-unsigned", false, UNSIGNED_IDIOMS)
        },
        Style {
            speaks: speaks_saturating,
            ..style("saturating-signed", "saturating-signed", true, SIGNED_IDIOMS)
        },
        // Plain operators, and functions that must not overflow, where they don't on the inputs.
        Style { no_wrap: true, ..style("plain", "rust-wrapping", false, UNSIGNED_IDIOMS) },
        Style { no_wrap: true, ..style("plain-signed", "rust-wrapping", true, SIGNED_IDIOMS) },
    ],
    inputs: 24,
    ending: "\n",
    nodes: 80,
    text: 250,
    frame,
    items,
    constants,
    idiom,
    // A panic is distinct from an abort or a signal, but all panics have one code: documentation of
    // `Option::unwrap`, "Panics if the self value equals None.", and of `wrapping_div`, "This function will
    // panic if rhs is zero." The message is not compared.
    traps: TrapKinds::Distinct,
};

const fn style(
    name: &'static str,
    semantics: &'static str,
    signed: bool,
    idioms: &'static [Idiom],
) -> Style {
    let (widths, usual) = (WIDTHS, &[]);
    Style { name, semantics, signed, widths, usual, no_wrap: false, speaks, idioms, trap }
}

/// Those whose patterns do not overflow.
const SIGNED_IDIOMS: &[Idiom] = &[
    Idiom::Sign,
    Idiom::ThreeWay,
    Idiom::Abs,
    Idiom::CountZeros,
    Idiom::LeadingOnes,
    Idiom::TrailingOnes,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

const UNSIGNED_IDIOMS: &[Idiom] = &[
    Idiom::UnsignedThreeWay,
    Idiom::AbsDiff,
    Idiom::CountZeros,
    Idiom::LeadingOnes,
    Idiom::TrailingOnes,
    Idiom::Log2,
    Idiom::DivCeil,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

const WRAPPING_IDIOMS: &[Idiom] = &[
    Idiom::Sign,
    Idiom::ThreeWay,
    Idiom::UnsignedThreeWay,
    Idiom::Abs,
    Idiom::AbsDiff,
    Idiom::SignedAbsDiff,
    Idiom::SaturatingAdd,
    Idiom::SaturatingSub,
    Idiom::SaturatingMul,
    Idiom::SignedSaturatingAdd,
    Idiom::SignedSaturatingSub,
    Idiom::AddOverflows,
    Idiom::SubOverflows,
    Idiom::MulOverflows,
    Idiom::SignedAddOverflows,
    Idiom::SignedSubOverflows,
    Idiom::SignedMulOverflows,
    Idiom::ReverseBits,
    Idiom::EuclideanRemainder,
    Idiom::EuclideanQuotient,
];

/// The operators that have a compound assignment.
const ASSIGNED: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "^"];

fn speaks(op: Op, from: &[u16], to: u16) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => true,
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Shl | Op::Lshr | Op::Ashr => true,
        Op::Ite | Op::Zext | Op::Sext | Op::Umin | Op::Umax | Op::Smin | Op::Smax => true,
        Op::Rotl | Op::Rotr | Op::Clz | Op::Ctz | Op::Popcount | Op::Bswap => true,
        Op::Extract(_) | Op::IsPower => true,
        // The exponent is a `u32`.
        Op::Exp => to <= 32,
        Op::Concat => from.iter().all(|width| WIDTHS.contains(width)) && WIDTHS.contains(&to),
        _ => op.is_comparison(),
    }
}

/// Rust has no shifts that saturate.
fn speaks_saturating(op: Op, from: &[u16], to: u16) -> bool {
    !matches!(op, Op::Shl | Op::Lshr | Op::Ashr) && speaks(op, from, to)
}

fn constants(style: &Style) -> Constants {
    let speaks = match style.name.starts_with("checked") {
        true => constant_checked,
        false => constant,
    };
    Constants {
        typed: Some(Typed { semantics: style.semantics, speaks, names: true }),
        literals: None,
        bounded: None,
    }
}

/// `min` and `max` are functions of a trait, which constants cannot call.
fn constant(op: Op, _: &[u16], _: u16) -> bool {
    !matches!(op, Op::Umin | Op::Umax | Op::Smin | Op::Smax)
}

/// So is the conversion of the amount of a shift.
fn constant_checked(op: Op, from: &[u16], to: u16) -> bool {
    !matches!(op, Op::Shl | Op::Lshr | Op::Ashr) && constant(op, from, to)
}

/// All panics look alike to who started the program.
fn trap(_: Trap) -> &'static str {
    "exit 101"
}

/// Reads and writes numbers of any kind.
const NUMBERS: &str = "\
fn next(words: &mut std::str::SplitWhitespace<'_>) -> u128 {
    let word = words.next().unwrap_or(\"0\");
    match word.strip_prefix('-') {
        Some(rest) => rest.parse::<u128>().unwrap().wrapping_neg(),
        None => word.parse().unwrap(),
    }
}

fn answer(function: usize, words: &mut std::str::SplitWhitespace<'_>) {
    match function {
";

/// Arguments of the command line are those of the first function.
const MAIN: &str = "        _ => {}
    }
}

pub fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    if !given.is_empty() {
        return answer(0, &mut given.join(\" \").split_whitespace());
    }
    std::panic::set_hook(Box::new(|_| {}));
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let mut words = line.split_whitespace();
        let function = next(&mut words) as usize;
        if std::panic::catch_unwind(move || answer(function, &mut words)).is_err() {
            println!(\"!exit 101\");
        }
    }
}
";

fn frame(entries: &[Entry]) -> Frame {
    let mut after = NUMBERS.to_owned();
    for (index, Entry { name, signature }) in entries.iter().enumerate() {
        let Signature { parameters, .. } = signature;
        let arguments: Vec<String> =
            parameters.iter().map(|kind| format!("next(words) as {kind}")).collect();
        let arguments = arguments.join(", ");
        let _ = writeln!(after, "        {index} => println!(\"{{}}\", {name}({arguments})),");
    }
    after.push_str(MAIN);
    Frame { before: String::new(), after }
}

fn items(writing: &Writing<'_>) -> String {
    let mut out = String::new();
    for (constant, value) in writing.constants() {
        let (name, kind) = (constant.name, constant.kind);
        let value = number(&value, kind);
        let _ = writeln!(out, "#[allow(non_upper_case_globals)]\nconst {name}: {kind} = {value};");
    }
    for (constant, text) in writing.folded(&number, &operator) {
        let (name, kind) = (constant.name, constant.kind);
        let _ = writeln!(out, "#[allow(non_upper_case_globals)]\nconst {name}: {kind} = {text};");
    }
    let declared = |all: &[crate::Named]| -> String {
        let all: Vec<String> = all.iter().map(|it| format!("{}: {}", it.name, it.kind)).collect();
        all.join(", ")
    };
    for (index, step) in writing.body.steps.iter().enumerate() {
        if let Step::Call { body, inline, .. } = step
            && writing.declares(index)
        {
            let (own, carried) = writing.helper_parameters(index);
            let attribute = match inline {
                Inline::Free => "",
                Inline::Always => "#[inline(always)]\n",
                Inline::Never => "#[inline(never)]\n",
            };
            let _ = writeln!(
                out,
                "{attribute}fn {}({}) -> {} {{\n    {}\n}}\n",
                writing.helper(index),
                declared(&[own, carried].concat()),
                writing.kind_of(*body),
                say(writing, *body, index)
            );
        }
    }
    let _ = writeln!(
        out,
        "#[inline(never)]\nfn judged({}) -> {} {{",
        declared(&writing.parameters()),
        writing.kind_of(writing.body.result)
    );
    for (index, step) in writing.body.steps.iter().enumerate() {
        let (kind, local) = (writing.kind_of(step.value()), writing.local(index));
        let _ = match step {
            Step::Let { term } => match writing.choice(*term) {
                Some(parts) => {
                    let [condition, yes, no] = parts.map(|it| say(writing, it, index));
                    writeln!(
                        out,
                        "    let {local}: {kind};\n    if {condition} != 0 {{\n        {local} = {yes};\n    }} \
                         else {{\n        {local} = {no};\n    }}"
                    )
                }
                None => writeln!(out, "    let {local}: {kind} = {};", say(writing, *term, index)),
            },
            Step::Loop { times, start, body } => writeln!(
                out,
                "    let mut {local}: {kind} = {};\n    for i in 0..{times}{kind} {{\n        \
                 {};\n    }}",
                say(writing, *start, index),
                writing.assignment(&local, &say(writing, *body, index), ASSIGNED, None)
            ),
            Step::Call { arguments, .. } => {
                let (_, carried) = writing.helper_parameters(index);
                let own = arguments.iter().map(|&argument| say(writing, argument, index));
                let all: Vec<String> = own.chain(carried.into_iter().map(|it| it.name)).collect();
                let helper = writing.helper(index);
                writeln!(out, "    let {local}: {kind} = {helper}({});", all.join(", "))
            }
        };
    }
    let steps = writing.body.steps.len();
    let _ = writeln!(out, "    {}\n}}\n", say(writing, writing.body.result, steps));
    out
}

fn say(writing: &Writing<'_>, term: TermId, step: usize) -> String {
    writing.say(term, step, &number, &operator)
}

fn number(value: &BigInt, kind: Kind) -> String {
    if *value < BigInt::ZERO { format!("({value}_{kind})") } else { format!("{value}_{kind}") }
}

fn cast(text: &str, from: Kind, to: Kind) -> String {
    if from == to { text.to_owned() } else { format!("({text} as {to})") }
}

/// Operands are in parentheses, calls, or names; so is what is returned.
fn operator(writing: &Writing<'_>, node: Node, args: &[String]) -> String {
    let own = writing.kind(node.width.as_fixed().unwrap_or(0));
    let signed = writing.style.signed;
    let operand = |n: usize, signed: bool| {
        let kind = writing.kind(writing.width(node.args[n]));
        cast(&args[n], kind, Kind { signed, ..kind })
    };
    let result = |text: String, signed: bool, width: u16| cast(&text, Kind { signed, width }, own);
    let here = writing.width(node.args[0]);
    let mode = if writing.style.name.starts_with("checked") {
        "checked"
    } else if writing.style.name.starts_with("saturating") {
        "saturating"
    } else {
        "wrapping"
    };
    // An operator that says what happens at its edges.
    let call = |name: &str, mode: &str, signed: bool, arguments: &str| {
        let text = format!("{}.{mode}_{name}({arguments})", operand(0, signed));
        let text = if mode == "checked" { format!("{text}.unwrap()") } else { text };
        result(text, signed, here)
    };
    let divided = |name: &str, signed: bool| {
        // Remainders and unsigned quotients do not overflow, and have no saturating form.
        let mode = match mode {
            "saturating" if name == "rem" || !signed => "wrapping",
            mode => mode,
        };
        call(name, mode, signed, &operand(1, signed))
    };
    // Where a result fits there is a plain operator for it and, with a constant, a function that leaves it
    // undefined otherwise.
    let promise = writing.promise(node);
    let fits = |signed: bool| if signed { promise.signed } else { promise.unsigned };
    let is_constant =
        |n: usize| node.args().get(n).is_some_and(|&it| writing.terms.literal_value(it).is_some());
    // The accumulator of a loop has a compound assignment.
    let is_updated = writing.terms.op(node.args[0]) == Op::Variable(ACCUMULATOR);
    let plain = |sign: &str, name: &str, signed: bool| match fits(signed) {
        true if is_constant(1) && !is_updated => {
            let (a, b) = (operand(0, signed), operand(1, signed));
            result(format!("unsafe {{ {a}.unchecked_{name}({b}) }}"), signed, here)
        }
        true => {
            let text = format!("({} {sign} {})", operand(0, signed), operand(1, signed));
            result(text, signed, here)
        }
        false => call(name, mode, signed, &operand(1, signed)),
    };
    let shifted = |name: &str, signed: bool| {
        // The amount is a `u32`; what does not fit is too much by any measure.
        let amount = operand(1, false);
        let amount = match mode {
            "checked" => format!("u32::try_from({amount}).unwrap_or(u32::MAX)"),
            _ => format!("({amount} as u32)"),
        };
        call(name, mode, signed, &amount)
    };
    let infix = |sign: &str, signed: bool| {
        let text = format!("({} {sign} {})", operand(0, signed), operand(1, signed));
        result(text, signed, here)
    };
    let compare = |sign: &str, signed: bool| {
        format!("(({} {sign} {}) as {own})", operand(0, signed), operand(1, signed))
    };
    let choose = |name: &str, signed: bool| {
        let text = format!("{}.{name}({})", operand(0, signed), operand(1, signed));
        result(text, signed, here)
    };
    let counted = |name: &str| format!("({}.{name}() as {own})", operand(0, false));
    match node.op {
        Op::Add => plain("+", "add", signed),
        Op::Sub => plain("-", "sub", signed),
        Op::Mul => plain("*", "mul", signed),
        Op::Neg if signed && promise.signed => format!("(-{})", args[0]),
        // It fits unless the least number is divided by −1, and panics like the plain operator.
        Op::Udiv if writing.style.no_wrap => infix("/", false),
        Op::Urem if writing.style.no_wrap => infix("%", false),
        Op::Sdiv if promise.signed => infix("/", true),
        Op::Srem if promise.signed => infix("%", true),
        Op::Shl | Op::Lshr | Op::Ashr if writing.style.no_wrap && is_amount(writing, node) => {
            let sign = if node.op == Op::Shl { "<<" } else { ">>" };
            let signed = if node.op == Op::Shl { signed } else { node.op == Op::Ashr };
            result(format!("({} {sign} {})", operand(0, signed), operand(1, false)), signed, here)
        }
        Op::Exp => call("pow", mode, signed, &format!("{} as u32", operand(1, false))),
        Op::IsPower => format!("({}.is_power_of_two() as {own})", operand(0, false)),
        // Unsigned numbers have no `saturating_neg`: it is what zero minus the number is.
        Op::Neg if mode == "saturating" => {
            format!("{}.saturating_sub({})", number(&BigInt::ZERO, own), args[0])
        }
        Op::Neg => call("neg", mode, signed, ""),
        Op::Not => format!("(!{})", args[0]),
        Op::And => infix("&", signed),
        Op::Or => infix("|", signed),
        Op::Xor => infix("^", signed),
        Op::Udiv => divided("div", false),
        Op::Urem => divided("rem", false),
        Op::Sdiv => divided("div", true),
        Op::Srem => divided("rem", true),
        Op::Shl => shifted("shl", signed),
        Op::Lshr => shifted("shr", false),
        Op::Ashr => shifted("shr", true),
        Op::Rotl | Op::Rotr => {
            let name = if node.op == Op::Rotl { "rotate_left" } else { "rotate_right" };
            // The amount counts modulo the width, which is a power of two.
            format!("{}.{name}({} as u32)", args[0], operand(1, false))
        }
        Op::Eq => compare("==", signed),
        Op::Ne => compare("!=", signed),
        Op::Ult => compare("<", false),
        Op::Ule => compare("<=", false),
        Op::Ugt => compare(">", false),
        Op::Uge => compare(">=", false),
        Op::Slt => compare("<", true),
        Op::Sle => compare("<=", true),
        Op::Sgt => compare(">", true),
        Op::Sge => compare(">=", true),
        Op::Umin => choose("min", false),
        Op::Umax => choose("max", false),
        Op::Smin => choose("min", true),
        Op::Smax => choose("max", true),
        Op::Ite => format!("(if {} != 0 {{ {} }} else {{ {} }})", args[0], args[1], args[2]),
        Op::Zext => result(operand(0, false), false, here),
        Op::Sext => result(operand(0, true), true, here),
        Op::Extract(low) => {
            let low = low.as_fixed().unwrap_or(0);
            let moved = format!("({} >> {low}_u32)", operand(0, false));
            let moved = if low == 0 { operand(0, false) } else { moved };
            format!("({moved} as {own})")
        }
        Op::Concat => {
            let below = writing.width(node.args[1]);
            let whole = Kind { signed: false, ..own };
            let part = |n: usize| format!("({} as {whole})", operand(n, false));
            let text = format!("(({} << {below}_u32) | {})", part(0), part(1));
            cast(&text, whole, own)
        }
        Op::Clz => counted("leading_zeros"),
        Op::Ctz => counted("trailing_zeros"),
        Op::Popcount => counted("count_ones"),
        Op::Bswap => format!("{}.swap_bytes()", args[0]),
        _ => args.join(", "),
    }
}

/// Whether the amount of a shift is a constant below the width.
fn is_amount(writing: &Writing<'_>, node: Node) -> bool {
    let amount = writing.terms.literal_value(node.args[1]);
    amount.is_some_and(|it| *it < BigInt::from(writing.width(node.args[0])))
}

fn idiom(writing: &Writing<'_>, found: &Found, _: usize, args: &[String]) -> Option<String> {
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
