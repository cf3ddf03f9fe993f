//! WebAssembly text. Words of 32 and 64 bits have types; words of 8 and 16 bits are kept in an `i32` whose high bits are zero,
//! as compilers of C do and optimisers expect.
//!
//! The two styles are: branches and shifts, as in the first version of WebAssembly, and `select` (where neither side can
//! trap) with the sign-extension operators.

use num_bigint::BigInt;

use crate::dialect::Limits;
use crate::printer::operators::{self, Class, Operator};
use crate::printer::{Applied, Call, Head, Page, Printer, Repeat, Role, print};
use crate::program::Step;
use crate::{
    Constants, Dialect, Found, Frame, Idiom, Kind, Named, STEM, Style, TrapKinds, Writing,
};
use identity::kernel::{Op, TermId, Trap};

/// Widths of types first: most programs have these.
const WIDTHS: &[u16] = &[32, 64, 8, 16];

/// The style with `select` and the sign-extension operators.
const DENSE: &str = "dense";

pub const DIALECT: Dialect = Dialect {
    name: "expression-wasm",
    summary: "functions over integers in WebAssembly and their proven mutants, results known",
    language: "wasm",
    comment: ";;",
    styles: &[
        PLAIN,
        Style {
            name: DENSE,
            idioms: &[Idiom::SignExtend8, Idiom::SignExtend16, Idiom::SignExtend32],
            ..PLAIN
        },
    ],
    ending: "",
    limits: Limits::inputs(24),
    frame: |_| Frame { before: "(module\n".to_owned(), after: ")\n".to_owned() },
    items: |writing| print(&Wasm, writing),
    constants: |_| Constants::default(),
    // Core specification 2.0, "Administrative Instructions": "The trap instruction represents the occurrence of a trap.
    // Traps are bubbled up through nested instruction sequences, ultimately reducing the entire program to a single trap
    // instruction, signalling abrupt termination." "Results": "A result is the outcome of a computation. It is either
    // a sequence of values or a trap." A trap has no kind: an optimiser may swap a division by zero and an overflow.
    traps: TrapKinds::Alike,
};

const PLAIN: Style = Style {
    name: "plain",
    semantics: "wasm",
    signed: false,
    widths: WIDTHS,
    usual: &[],
    no_wrap: false,
    supports,
    idioms: &[],
    trap,
};

fn supports(op: Op, from: &[u16], to: u16) -> bool {
    let is_known = from.iter().chain([&to]).all(|width| WIDTHS.contains(width));
    is_known
        && match op {
            // A quotient that does not fit a narrow word would not trap.
            Op::Sdiv | Op::Rotl | Op::Rotr | Op::Clz | Op::Ctz => to >= 32,
            Op::Popcount | Op::IsPower | Op::Concat => true,
            _ => operators::is_universal(op),
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

/// The type that holds words of a width.
fn holder(width: u16) -> &'static str {
    if width == 64 { "i64" } else { "i32" }
}

#[derive(Debug)]
struct Wasm;

impl Printer for Wasm {
    type State = ();

    const SEPARATOR: &'static str = " ";

    /// Signed, which all tools read alike.
    fn literal(&self, value: &BigInt, kind: Kind) -> String {
        let own = Kind { signed: kind.width >= 32, ..kind };
        format!("({}.const {})", holder(kind.width), own.number(value))
    }

    fn operator(&self, at: &Applied<'_>) -> String {
        operator(at)
    }

    /// Narrow words have zeros above, which these operators would not leave.
    fn idiom(&self, _: &Writing<'_>, found: &Found, args: &[String]) -> Option<String> {
        let bits = match found.idiom {
            Idiom::SignExtend8 => 8,
            Idiom::SignExtend16 => 16,
            Idiom::SignExtend32 => 32,
            _ => return None,
        };
        let own = holder(found.width);
        (found.width >= 32).then(|| format!("({own}.extend{bits}_s {})", args[0]))
    }

    fn variable(&self, name: String) -> String {
        format!("(local.get ${name})")
    }

    fn global(&self, name: String) -> String {
        format!("(global.get ${name})")
    }

    /// Each loop has its own, since their types differ.
    fn counter(&self, step: usize) -> String {
        format!("i{step}")
    }

    /// Old versions of tools want a global to be declared before it is used.
    fn constant(&self, constant: &Named, value: &str) -> String {
        format!("(global ${} {} {value})", constant.name, holder(constant.kind.width))
    }

    fn parameter(&self, parameter: &Named) -> String {
        format!("(param ${} {})", parameter.name, holder(parameter.kind.width))
    }

    fn open(page: &mut Page<'_, Self>, head: &Head) {
        let Head { name, parameters, role, .. } = head;
        let result = holder(head.result.width);
        let export = match role {
            Role::Helper(_) => String::new(),
            Role::Entry => format!(" (export \"{STEM}\")"),
        };
        let parameters = match role {
            Role::Entry if parameters.is_empty() => String::new(),
            Role::Entry | Role::Helper(_) => format!(" {parameters}"),
        };
        page.line(format!("(func ${name}{export}{parameters} (result {result})"));
        if *role == Role::Entry {
            declare_locals(page);
        }
    }

    fn close(page: &mut Page<'_, Self>, _: &Head, result: TermId) {
        let result = page.value(result);
        page.line(format!("    {result})"));
    }

    fn define(page: &mut Page<'_, Self>, local: &Named, value: &str) {
        page.line(format!("    (local.set ${} {value})", local.name));
    }

    fn repeat(page: &mut Page<'_, Self>, local: &Named, repeat: Repeat) {
        let [start, body] = [repeat.start, repeat.body].map(|it| page.value(it));
        let (step, times, of) = (page.step, repeat.times, holder(local.kind.width));
        let (name, counter) = (&local.name, page.printer.counter(step));
        Self::define(page, local, &start);
        page.line(format!("    (loop $l{step}\n        (local.set ${name} {body})"));
        page.line(format!(
            "        (local.set ${counter} ({of}.add (local.get ${counter}) ({of}.const 1)))\n        \
             (br_if $l{step} ({of}.lt_u (local.get ${counter}) ({of}.const {times}))))"
        ));
    }

    fn call(_: &mut Page<'_, Self>, call: &Call) -> String {
        let all: Vec<&str> = call.arguments.iter().map(|(text, _)| text.as_str()).collect();
        format!("(call ${} {})", call.helper, all.join(Self::SEPARATOR))
    }
}

/// The results of all steps, and the counters of loops.
fn declare_locals(page: &mut Page<'_, Wasm>) {
    for (index, step) in page.writing.body.steps.iter().enumerate() {
        let of = holder(page.writing.width(step.value()));
        page.line(format!("    (local ${} {of})", page.writing.local(index)));
        if matches!(step, Step::Loop { .. }) {
            page.line(format!("    (local ${} {of})", page.printer.counter(index)));
        }
    }
}

fn binary(at: &Applied<'_>, operator: Operator) -> String {
    let (from, to) = (at.kind(0).width, at.own().width);
    let (own, dense) = (holder(from), is_dense(at));
    let is_signed = operator.is_signed(false);
    let word = match operator.letter() {
        Some(letter) if operator.class != Class::Extreme => format!("{}_{letter}", operator.word),
        _ => operator.word.to_owned(),
    };
    let [a, b] = [&at.args[0], &at.args[1]].map(|arg| match is_signed {
        true => extended(arg, from, dense),
        false => arg.clone(),
    });
    match operator.class {
        Class::Sum => trimmed(format!("({own}.{word} {a} {b})"), to),
        Class::Bitwise => format!("({own}.{word} {a} {b})"),
        Class::Division | Class::Floored => {
            let text = format!("({own}.{word} {a} {b})");
            if operator.op == Op::Srem { trimmed(text, to) } else { text }
        }
        Class::Shift => {
            let text = format!("({own}.{word} {a} {})", amount(&at.args[1], from));
            if operator.op == Op::Lshr { text } else { trimmed(text, to) }
        }
        Class::Comparison if operator.op == Op::Eq && *b == format!("({own}.const 0)") => {
            flag(format!("({own}.eqz {a})"), to)
        }
        Class::Comparison => flag(format!("({own}.{word} {a} {b})"), to),
        Class::Extreme => {
            let comparison = if word == "min" { "lt" } else { "gt" };
            let letter = if is_signed { 's' } else { 'u' };
            let condition = format!("({own}.{comparison}_{letter} {a} {b})");
            format!("(select {} {} {condition})", at.args[0], at.args[1])
        }
    }
}

fn is_dense(at: &Applied<'_>) -> bool {
    at.writing.style.name == DENSE
}

fn operator(at: &Applied<'_>) -> String {
    let (node, args) = (at.node, at.args);
    if let Some(operator) = Operator::of(node.op) {
        return binary(at, operator);
    }
    let (from, to) = (at.kind(0).width, at.own().width);
    let (own, dense) = (holder(from), is_dense(at));
    match node.op {
        Op::Neg => trimmed(format!("({own}.sub ({own}.const 0) {})", args[0]), to),
        Op::Not => {
            let ones = Wasm.literal(&BigInt::from(-1), at.own());
            format!("({own}.xor {} {ones})", args[0])
        }
        Op::Rotl => format!("({own}.rotl {} {})", args[0], args[1]),
        Op::Rotr => format!("({own}.rotr {} {})", args[0], args[1]),
        Op::Clz => format!("({own}.clz {})", args[0]),
        Op::Ctz => format!("({own}.ctz {})", args[0]),
        Op::Popcount => format!("({own}.popcnt {})", args[0]),
        Op::IsPower => flag(format!("({own}.eq ({own}.popcnt {}) ({own}.const 1))", args[0]), to),
        Op::Ite => {
            let (condition, [yes, no]) = (condition(&args[0], from), [&args[1], &args[2]]);
            if dense && !(traps(yes) || traps(no)) {
                format!("(select {yes} {no} {condition})")
            } else {
                format!("(if (result {}) {condition} (then {yes}) (else {no}))", holder(to))
            }
        }
        Op::Zext => widened(&args[0], from, to),
        Op::Sext if to == 64 && dense && from < 32 => {
            format!("(i64.extend{from}_s (i64.extend_i32_u {}))", args[0])
        }
        Op::Sext if to == 64 => format!("(i64.extend_i32_s {})", extended(&args[0], from, dense)),
        Op::Sext => trimmed(extended(&args[0], from, dense), to),
        Op::Extract(low) => extract(&args[0], low.as_fixed().unwrap_or(0), from, to),
        Op::Concat => {
            let (whole, below) = (holder(to), at.kind(1).width);
            let (high, low) = (widened(&args[0], from, to), widened(&args[1], below, to));
            format!("({whole}.or ({whole}.shl {high} ({whole}.const {below})) {low})")
        }
        _ => args.join(" "),
    }
}

/// The `i32` of a comparison as a word.
fn flag(text: String, width: u16) -> String {
    if width == 64 { format!("(i64.extend_i32_u {text})") } else { text }
}

/// A word in the type that holds a wider one.
fn widened(text: &str, from: u16, to: u16) -> String {
    match holder(from) == holder(to) {
        true => text.to_owned(),
        false => format!("(i64.extend_i32_u {text})"),
    }
}

/// The low bits of a narrow word, with zeros above.
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

/// The amount of a shift, modulo the width. WebAssembly does this for the widths of its types.
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

/// A word as a condition. The extension that makes a comparison a word is undone.
fn condition(text: &str, width: u16) -> String {
    if width < 64 {
        return text.to_owned();
    }
    let flag = text.strip_prefix("(i64.extend_i32_u ").and_then(|rest| rest.strip_suffix(')'));
    flag.map_or_else(|| format!("(i64.ne {text} (i64.const 0))"), str::to_owned)
}

/// Whether an expression can trap, so that it must not be evaluated unconditionally.
fn traps(text: &str) -> bool {
    ["div_", "rem_"].iter().any(|word| text.contains(word))
}
