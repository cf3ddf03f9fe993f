//! Vyper, from 0.4 on: checked arithmetic, signed and unsigned, and the `unsafe` functions, which wrap.
//! Shifts and complements exist for some types alone: where words are narrower they are written by others
//! that come to the same. The language folds constants itself, and rejects what it sees to fail.

use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::expression::program::Step;
use crate::expression::{Dialect, Entry, Frame, Kind, Named, STEM, Style, Writing};
use crate::identity::kernel::{Node, Op, TermId, Trap};

const WIDTHS: &[u16] = &[8, 16, 32, 64, 128, 256];

/// The largest result, in terms, that is returned without a variable. What is returned is optimised several
/// times over by the legacy code generator, each time as a whole.
const RETURNED: usize = 8;

const UNSIGNED: Style = Style {
    name: "unsigned",
    semantics: "vyper-unsigned",
    signed: false,
    widths: WIDTHS,
    speaks: unsigned,
    trap,
};

pub const DIALECT: Dialect = Dialect {
    name: "expression-vyper",
    summary: "functions over integers in Vyper and their proven mutants, results known",
    language: "vyper",
    comment: "#",
    styles: &[
        UNSIGNED,
        Style {
            name: "signed",
            semantics: "vyper-signed",
            signed: true,
            speaks: signed,
            ..UNSIGNED
        },
        // Division is checked all the same, and whatever is checked reverts.
        Style { name: "unsafe", semantics: "solidity-unchecked", speaks: unsigned, ..UNSIGNED },
        Style { name: "words", semantics: "evm", widths: &[256], speaks: words, ..UNSIGNED },
    ],
    inputs: 32,
    ending: "",
    // The time of the legacy code generator grows with the square of the depth.
    nodes: 40,
    text: 50,
    frame,
    items,
};

fn are_types(from: &[u16], to: u16) -> bool {
    let is_type = |width: u16| width.is_multiple_of(8) && (8..=256).contains(&width);
    from.iter().chain([&to]).all(|&width| is_type(width))
}

fn unsigned(op: Op, from: &[u16], to: u16) -> bool {
    are_types(from, to)
        && match op {
            Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => true,
            Op::Udiv | Op::Urem | Op::Shl | Op::Lshr | Op::Zext | Op::Extract(_) | Op::Ite => true,
            Op::Umin | Op::Umax | Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Ugt | Op::Uge => true,
            Op::Addmod | Op::Mulmod => to == 256,
            _ => false,
        }
}

fn signed(op: Op, from: &[u16], to: u16) -> bool {
    are_types(from, to)
        && match op {
            Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => true,
            Op::Sdiv | Op::Srem | Op::Sext | Op::Ite => true,
            Op::Smin | Op::Smax | Op::Eq | Op::Ne | Op::Slt | Op::Sle | Op::Sgt | Op::Sge => true,
            Op::Shl | Op::Ashr => to == 256,
            _ => false,
        }
}

fn words(op: Op, from: &[u16], to: u16) -> bool {
    let checked = matches!(op, Op::Urem | Op::Addmod | Op::Mulmod);
    to == 256
        && from.iter().all(|&width| width == 256)
        && (op == Op::Exp || !checked && unsigned(op, from, to))
}

/// One way to stop, whatever the reason.
fn trap(_: Trap) -> &'static str {
    "revert"
}

fn name(kind: Kind) -> String {
    format!("{}int{}", if kind.signed { "" } else { "u" }, kind.width)
}

fn frame(_: &[Entry]) -> Frame {
    Frame { before: String::new(), after: String::new() }
}

fn declared(all: &[Named]) -> String {
    let all: Vec<String> = all.iter().map(|it| format!("{}: {}", it.name, name(it.kind))).collect();
    all.join(", ")
}

fn items(writing: &Writing<'_>) -> String {
    let mut out = String::new();
    for (constant, value) in writing.constants() {
        let _ = writeln!(out, "{}: constant({}) = {value}", constant.name, name(constant.kind));
    }
    for (index, step) in writing.body.steps.iter().enumerate() {
        let Step::Call { body, .. } = step else { continue };
        let (own, carried) = writing.helper_parameters(index);
        let _ = writeln!(
            out,
            "\n@internal\n@pure\ndef {}({}) -> {}:\n    return {}",
            writing.helper(index),
            declared(&[own, carried].concat()),
            name(writing.kind_of(*body)),
            say(writing, *body, index)
        );
    }
    let _ = writeln!(
        out,
        "\n@external\n@pure\ndef {STEM}({}) -> {}:",
        declared(&writing.parameters()),
        name(writing.kind_of(writing.body.result))
    );
    for (index, step) in writing.body.steps.iter().enumerate() {
        let kind = name(writing.kind_of(step.value()));
        let local = writing.local(index);
        let _ = match step {
            Step::Let { term } => {
                writeln!(out, "    {local}: {kind} = {}", say(writing, *term, index))
            }
            Step::Loop { times, start, body } => writeln!(
                out,
                "    {local}: {kind} = {}\n    for i: {kind} in range({times}):\n        {local} = {}",
                say(writing, *start, index),
                say(writing, *body, index)
            ),
            Step::Call { arguments, .. } => {
                let (_, carried) = writing.helper_parameters(index);
                let own = arguments.iter().map(|&argument| say(writing, argument, index));
                let all: Vec<String> = own.chain(carried.into_iter().map(|it| it.name)).collect();
                let call = format!("self.{}({})", writing.helper(index), all.join(", "));
                writeln!(out, "    {local}: {kind} = {call}")
            }
        };
    }
    let (result, steps) = (writing.body.result, writing.body.steps.len());
    let said = say(writing, result, steps);
    let _ = if writing.terms.in_order(&[result]).len() > RETURNED {
        let (local, kind) = (writing.local(steps), name(writing.kind_of(result)));
        writeln!(out, "    {local}: {kind} = {said}\n    return {local}\n")
    } else {
        writeln!(out, "    return {said}\n")
    };
    out
}

fn say(writing: &Writing<'_>, term: TermId, step: usize) -> String {
    writing.say(term, step, &number, &operator)
}

/// A literal is of whatever type fits, unless it is converted; one that fits a single type can't be.
fn number(value: &BigInt, kind: Kind) -> String {
    let most: BigInt = BigInt::from(1) << 255;
    let least: BigInt = BigInt::from(-1) << 247;
    let largest = *value >= most || *value < least;
    if largest { value.to_string() } else { format!("convert({value}, {})", name(kind)) }
}

fn operator(writing: &Writing<'_>, node: Node, args: &[String]) -> String {
    let to = node.width.as_fixed().unwrap_or(0);
    let from = writing.width(node.args[0]);
    let signed = writing.style.signed;
    let (kind, wraps) = (writing.kind(to), !writing.style.semantics.starts_with("vyper"));
    let own = name(kind);
    let infix = |sign: &str| format!("({} {sign} {})", args[0], args[1]);
    let arithmetic = |sign: &str, function: &str| {
        if wraps { format!("{function}({}, {})", args[0], args[1]) } else { infix(sign) }
    };
    let compare = |sign: &str| {
        let [yes, no] = [1, 0].map(|value| number(&value.into(), kind));
        format!("({yes} if {} else {no})", infix(sign))
    };
    let mask = |width: u16| {
        let ones: BigInt = (BigInt::from(1) << width) - 1;
        number(&ones, Kind { signed: false, width: 256 })
    };
    // A constant is not shifted by more than all bits, which comes to the same.
    let amount = || {
        let literal = node.args().get(1).and_then(|&it| writing.terms.literal_value(it));
        let beyond = literal.is_some_and(|it| *it > BigInt::from(256));
        if beyond { number(&256.into(), writing.kind(256)) } else { args[1].clone() }
    };
    // A shift of a narrower word takes place in a wide one, from which what does not fit is cut off.
    let shift = |sign: &str| {
        if to == 256 && signed {
            let amount = format!("convert(convert({}, bytes32), uint256)", amount());
            return format!("({} {sign} {amount})", args[0]);
        }
        if to == 256 {
            return format!("({} {sign} {})", args[0], amount());
        }
        let [word, amount] = [&args[0], &args[1]].map(|it| format!("convert({it}, uint256)"));
        format!("convert((({word} {sign} {amount}) & {}), {own})", mask(to))
    };
    match node.op {
        Op::Add => arithmetic("+", "unsafe_add"),
        Op::Sub => arithmetic("-", "unsafe_sub"),
        Op::Mul => arithmetic("*", "unsafe_mul"),
        Op::Neg if signed => format!("(-{})", args[0]),
        Op::Neg if wraps => format!("unsafe_sub({}, {})", number(&BigInt::ZERO, kind), args[0]),
        Op::Neg => format!("({} - {})", number(&BigInt::ZERO, kind), args[0]),
        Op::Not if to == 256 && !signed => format!("(~{})", args[0]),
        Op::Not => {
            let ones = if signed { BigInt::from(-1) } else { (BigInt::from(1) << to) - 1 };
            format!("({} ^ {})", args[0], number(&ones, kind))
        }
        Op::And => infix("&"),
        Op::Or => infix("|"),
        Op::Xor => infix("^"),
        Op::Udiv if writing.style.semantics == "evm" => {
            format!("unsafe_div({}, {})", args[0], args[1])
        }
        Op::Udiv | Op::Sdiv => infix("//"),
        Op::Urem | Op::Srem => infix("%"),
        Op::Shl => shift("<<"),
        Op::Lshr | Op::Ashr => shift(">>"),
        Op::Exp => format!("pow_mod256({}, {})", args[0], args[1]),
        Op::Eq => compare("=="),
        Op::Ne => compare("!="),
        Op::Ult | Op::Slt => compare("<"),
        Op::Ule | Op::Sle => compare("<="),
        Op::Ugt | Op::Sgt => compare(">"),
        Op::Uge | Op::Sge => compare(">="),
        Op::Umin | Op::Smin => format!("min({}, {})", args[0], args[1]),
        Op::Umax | Op::Smax => format!("max({}, {})", args[0], args[1]),
        Op::Ite => {
            let zero = number(&BigInt::ZERO, writing.kind(from));
            format!("({} if ({} != {zero}) else {})", args[1], args[0], args[2])
        }
        Op::Zext | Op::Sext => format!("convert({}, {own})", args[0]),
        Op::Extract(low) => {
            let wide = match from {
                256 => args[0].clone(),
                _ => format!("convert({}, uint256)", args[0]),
            };
            let low = low.as_fixed().unwrap_or(0);
            let shifted = if low == 0 { wide } else { format!("({wide} >> {low})") };
            format!("convert(({shifted} & {}), {own})", mask(to))
        }
        Op::Addmod => format!("uint256_addmod({})", args.join(", ")),
        Op::Mulmod => format!("uint256_mulmod({})", args.join(", ")),
        _ => args.join(", "),
    }
}
