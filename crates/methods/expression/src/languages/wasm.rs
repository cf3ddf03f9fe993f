//! WebAssembly text. Words of 32 and 64 bits are its own; words of 8 and 16 bits are kept in an `i32` whose
//! high bits are zero, which is how compilers of C lay them down and what optimisers look for.
//!
//! The two styles differ in what they are written with: branches and shifts, as the first version of
//! WebAssembly has them, or `select` (where neither side can trap) and the operators that extend signs.

use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::program::Step;
use crate::{
    Constants, Dialect, Entry, Found, Frame, Idiom, Kind, STEM, Style, TrapKinds, Writing,
};
use identity::kernel::{Node, Op, TermId, Trap};

/// Most words are of a size that the machine has.
const WIDTHS: &[u16] = &[32, 64, 8, 16];

/// The style with `select` and the operators that extend signs.
const DENSE: &str = "dense";

pub const DIALECT: Dialect = Dialect {
    name: "expression-wasm",
    summary: "functions over integers in WebAssembly and their proven mutants, results known",
    language: "wasm",
    comment: ";;",
    styles: &[
        Style {
            name: "plain",
            semantics: "wasm",
            signed: false,
            widths: WIDTHS,
            usual: &[],
            no_wrap: false,
            speaks,
            idioms: &[],
            trap,
        },
        Style {
            name: DENSE,
            semantics: "wasm",
            signed: false,
            widths: WIDTHS,
            usual: &[],
            no_wrap: false,
            speaks,
            idioms: &[Idiom::SignExtend8, Idiom::SignExtend16, Idiom::SignExtend32],
            trap,
        },
    ],
    inputs: 24,
    ending: "",
    nodes: 80,
    text: 250,
    frame,
    items,
    constants: |_| Constants::default(),
    idiom,
    // Core specification, "Administrative Instructions": "The trap instruction
    // represents the occurrence of a trap. Traps are bubbled up through nested instruction sequences,
    // ultimately reducing the entire program to a single trap instruction, signalling abrupt termination."
    // That instruction has no kind, and a result is "either a sequence of values or a trap": an optimiser may
    // swap a division by zero and an overflow.
    traps: TrapKinds::Alike,
};

fn speaks(op: Op, from: &[u16], to: u16) -> bool {
    let known = |width: &u16| WIDTHS.contains(width);
    if !from.iter().chain([&to]).all(known) {
        return false;
    }
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => true,
        Op::Udiv | Op::Urem | Op::Srem | Op::Shl | Op::Lshr | Op::Ashr => true,
        // The quotient of a narrow word that does not fit would not trap.
        Op::Sdiv | Op::Rotl | Op::Rotr | Op::Clz | Op::Ctz => to >= 32,
        Op::Popcount | Op::IsPower | Op::Ite | Op::Zext | Op::Sext => true,
        Op::Umin | Op::Umax | Op::Smin | Op::Smax => true,
        Op::Extract(_) | Op::Concat => true,
        _ => op.is_comparison(),
    }
}

/// As the specification calls them.
fn trap(trap: Trap) -> &'static str {
    match trap {
        Trap::Overflow => "integer overflow",
        Trap::Division => "integer divide by zero",
        Trap::Range => "unreachable",
    }
}

fn frame(_: &[Entry]) -> Frame {
    Frame { before: "(module\n".to_owned(), after: ")\n".to_owned() }
}

/// The type that holds words of a width.
fn holder(width: u16) -> &'static str {
    if width == 64 { "i64" } else { "i32" }
}

fn items(writing: &Writing<'_>) -> String {
    let mut out = String::new();
    // Early versions of tools want a global to be there before it is used.
    for (constant, value) in writing.constants() {
        let (name, of) = (&constant.name, holder(constant.kind.width));
        let _ = writeln!(out, "(global ${name} {of} {})", number(&value, constant.kind));
    }
    for (index, step) in writing.body.steps.iter().enumerate() {
        if let Step::Call { body, .. } = step
            && writing.declares(index)
        {
            let (own, carried) = writing.helper_parameters(index);
            let all = own.into_iter().chain(carried);
            let parameters: Vec<String> =
                all.map(|it| format!("(param ${} {})", it.name, holder(it.kind.width))).collect();
            let _ = writeln!(
                out,
                "(func ${} {} (result {})\n    {})",
                writing.helper(index),
                parameters.join(" "),
                holder(writing.width(*body)),
                say(writing, *body, index)
            );
        }
    }
    let parameters: Vec<String> = writing
        .parameters()
        .iter()
        .map(|it| format!(" (param ${} {})", it.name, holder(it.kind.width)))
        .collect();
    let result = holder(writing.width(writing.body.result));
    let _ =
        writeln!(out, "(func ${STEM} (export \"{STEM}\"){} (result {result})", parameters.concat());
    for (index, step) in writing.body.steps.iter().enumerate() {
        let of = holder(writing.width(step.value()));
        let _ = writeln!(out, "    (local ${} {of})", writing.local(index));
        if matches!(step, Step::Loop { .. }) {
            let _ = writeln!(out, "    (local ${} {of})", counter(index));
        }
    }
    for (index, step) in writing.body.steps.iter().enumerate() {
        let local = writing.local(index);
        let of = holder(writing.width(step.value()));
        let _ = match step {
            Step::Let { term } => {
                writeln!(out, "    (local.set ${local} {})", say(writing, *term, index))
            }
            Step::Loop { times, start, body } => {
                let turn = counter(index);
                writeln!(
                    out,
                    "    (local.set ${local} {})\n    (loop $l{index}\n        \
                     (local.set ${local} {})\n        \
                     (local.set ${turn} ({of}.add (local.get ${turn}) ({of}.const 1)))\n        \
                     (br_if $l{index} ({of}.lt_u (local.get ${turn}) ({of}.const {times}))))",
                    say(writing, *start, index),
                    say(writing, *body, index)
                )
            }
            Step::Call { arguments, .. } => {
                let (_, carried) = writing.helper_parameters(index);
                let own = arguments.iter().map(|&argument| say(writing, argument, index));
                let all: Vec<String> =
                    own.chain(carried.iter().map(|it| operand(&it.name, index))).collect();
                let helper = writing.helper(index);
                writeln!(out, "    (local.set ${local} (call ${helper} {}))", all.join(" "))
            }
        };
    }
    let steps = writing.body.steps.len();
    let _ = writeln!(out, "    {})", say(writing, writing.body.result, steps));
    out
}

/// The counter of the loop of a step: each has a type of its own.
fn counter(step: usize) -> String {
    format!("i{step}")
}

fn say(writing: &Writing<'_>, term: TermId, step: usize) -> String {
    let operator = |writing: &Writing<'_>, node: Node, args: &[String]| {
        let args: Vec<String> = args.iter().map(|arg| operand(arg, step)).collect();
        operator(writing, node, &args)
    };
    operand(&writing.say(term, step, &number, &operator), step)
}

/// Names stand for what is to be got from them.
fn operand(text: &str, step: usize) -> String {
    match text {
        _ if text.starts_with('(') => text.to_owned(),
        _ if text.starts_with(STEM) => format!("(global.get ${text})"),
        "i" => format!("(local.get ${})", counter(step)),
        _ => format!("(local.get ${text})"),
    }
}

fn number(value: &BigInt, kind: Kind) -> String {
    // What is written with a sign is read alike by all.
    let own = Kind { signed: kind.width >= 32, ..kind };
    format!("({}.const {})", holder(kind.width), own.number(value))
}

fn operator(writing: &Writing<'_>, node: Node, args: &[String]) -> String {
    let to = node.width.as_fixed().unwrap_or(0);
    let from = writing.width(node.args[0]);
    let (own, dense) = (holder(from), writing.style.name == DENSE);
    let extended = |arg: &String| extended(arg, from, dense);
    let unsigned = |word: &str| format!("({own}.{word} {} {})", args[0], args[1]);
    let signed =
        |word: &str| format!("({own}.{word} {} {})", extended(&args[0]), extended(&args[1]));
    let compare = |text: String| if to == 64 { format!("(i64.extend_i32_u {text})") } else { text };
    let choose = |condition: String| format!("(select {} {} {condition})", args[0], args[1]);
    match node.op {
        Op::Add => trimmed(unsigned("add"), to),
        Op::Sub => trimmed(unsigned("sub"), to),
        Op::Mul => trimmed(unsigned("mul"), to),
        Op::And => unsigned("and"),
        Op::Or => unsigned("or"),
        Op::Xor => unsigned("xor"),
        Op::Neg => trimmed(format!("({own}.sub ({own}.const 0) {})", args[0]), to),
        Op::Not => {
            format!("({own}.xor {} {})", args[0], number(&BigInt::from(-1), writing.kind(to)))
        }
        Op::Udiv => unsigned("div_u"),
        Op::Urem => unsigned("rem_u"),
        Op::Sdiv => signed("div_s"),
        Op::Srem => trimmed(signed("rem_s"), to),
        Op::Shl => trimmed(format!("({own}.shl {} {})", args[0], amount(&args[1], from)), to),
        Op::Lshr => format!("({own}.shr_u {} {})", args[0], amount(&args[1], from)),
        Op::Ashr => {
            let (value, amount) = (extended(&args[0]), amount(&args[1], from));
            trimmed(format!("({own}.shr_s {value} {amount})"), to)
        }
        Op::Rotl => unsigned("rotl"),
        Op::Rotr => unsigned("rotr"),
        Op::Clz => format!("({own}.clz {})", args[0]),
        Op::Ctz => format!("({own}.ctz {})", args[0]),
        Op::Popcount => format!("({own}.popcnt {})", args[0]),
        Op::IsPower => compare(format!("({own}.eq ({own}.popcnt {}) ({own}.const 1))", args[0])),
        Op::Eq if args[1] == format!("({own}.const 0)") => {
            compare(format!("({own}.eqz {})", args[0]))
        }
        Op::Eq => compare(unsigned("eq")),
        Op::Ne => compare(unsigned("ne")),
        Op::Ult => compare(unsigned("lt_u")),
        Op::Ule => compare(unsigned("le_u")),
        Op::Ugt => compare(unsigned("gt_u")),
        Op::Uge => compare(unsigned("ge_u")),
        Op::Slt => compare(signed("lt_s")),
        Op::Sle => compare(signed("le_s")),
        Op::Sgt => compare(signed("gt_s")),
        Op::Sge => compare(signed("ge_s")),
        Op::Umin => choose(unsigned("lt_u")),
        Op::Umax => choose(unsigned("gt_u")),
        Op::Smin => choose(signed("lt_s")),
        Op::Smax => choose(signed("gt_s")),
        Op::Ite => {
            let (condition, [yes, no]) = (condition(&args[0], from), [&args[1], &args[2]]);
            if dense && !(traps(yes) || traps(no)) {
                format!("(select {yes} {no} {condition})")
            } else {
                format!("(if (result {}) {condition} (then {yes}) (else {no}))", holder(to))
            }
        }
        Op::Zext if own == holder(to) => args[0].clone(),
        Op::Zext => format!("(i64.extend_i32_u {})", args[0]),
        Op::Sext if to == 64 && dense && from < 32 => {
            format!("(i64.extend{from}_s (i64.extend_i32_u {}))", args[0])
        }
        Op::Sext if to == 64 => format!("(i64.extend_i32_s {})", extended(&args[0])),
        Op::Sext => trimmed(extended(&args[0]), to),
        Op::Extract(low) => extract(&args[0], low.as_fixed().unwrap_or(0), from, to),
        Op::Concat => {
            let below = writing.width(node.args[1]);
            let whole = holder(to);
            let [high, low] = [(&args[0], from), (&args[1], below)].map(|(arg, width)| {
                let widens = whole != holder(width);
                if widens { format!("(i64.extend_i32_u {arg})") } else { arg.clone() }
            });
            format!("({whole}.or ({whole}.shl {high} ({whole}.const {below})) {low})")
        }
        _ => args.join(" "),
    }
}

/// A narrow word again.
fn trimmed(text: String, width: u16) -> String {
    if width >= 32 {
        text
    } else {
        format!("(i32.and {text} (i32.const {}))", (1_u32 << width) - 1)
    }
}

/// A word as a signed number of the type that holds it.
fn extended(text: &str, width: u16, dense: bool) -> String {
    match width {
        32.. => text.to_owned(),
        _ if dense => format!("(i32.extend{width}_s {text})"),
        _ => {
            let by = 32 - width;
            format!("(i32.shr_s (i32.shl {text} (i32.const {by})) (i32.const {by}))")
        }
    }
}

/// An amount of a shift counts modulo the width, which machines see to for their own widths alone.
fn amount(text: &str, width: u16) -> String {
    if width >= 32 {
        text.to_owned()
    } else {
        format!("(i32.and {text} (i32.const {}))", width - 1)
    }
}

fn extract(text: &str, low: u16, from: u16, to: u16) -> String {
    let own = holder(from);
    let mut text = text.to_owned();
    if low > 0 {
        text = format!("({own}.shr_u {text} ({own}.const {low}))");
    }
    if own != holder(to) {
        text = format!("(i32.wrap_i64 {text})");
    }
    trimmed(text, to)
}

/// A word as a condition. What was made a word of 64 bits for no other reason is itself again.
fn condition(text: &str, width: u16) -> String {
    if width < 64 {
        return text.to_owned();
    }
    let flag = text.strip_prefix("(i64.extend_i32_u ").and_then(|rest| rest.strip_suffix(')'));
    flag.map_or_else(|| format!("(i64.ne {text} (i64.const 0))"), str::to_owned)
}

/// Whether an expression can trap, so that it must not be evaluated for nothing.
fn traps(text: &str) -> bool {
    ["div_", "rem_"].iter().any(|word| text.contains(word))
}

/// Narrow words have zeros above, which the operators would not leave.
fn idiom(_: &Writing<'_>, found: &Found, step: usize, args: &[String]) -> Option<String> {
    let bits = match found.idiom {
        Idiom::SignExtend8 => 8,
        Idiom::SignExtend16 => 16,
        Idiom::SignExtend32 => 32,
        _ => return None,
    };
    let own = holder(found.width);
    (found.width >= 32).then(|| format!("({own}.extend{bits}_s {})", operand(&args[0], step)))
}
