//! C, with the integers of `<stdint.h>` and `__int128`, and, as a language of its own since few compilers
//! have it, C with `_BitInt` of odd widths. Words narrower than `int` are promoted by the language (but for
//! `_BitInt`): what is computed is converted back after every operator, and computed in unsigned numbers
//! where words wrap.
//!
//! The program is its own runner: it reads lines with the number of a function and its arguments, and
//! answers each with a line; or it is given the arguments of the first one on the command line.

use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::program::Step;
use crate::{
    Constants, Dialect, Entry, Found, Frame, Idiom, Inline, Kind, Signature, Style, TrapKinds,
    Typed, Writing,
};
use identity::kernel::{Node, Op, TermId, Trap};

const WIDTHS: &[u16] = &[8, 16, 32, 64, 128];

/// As C has it: what overflows is undefined.
const SIGNED: Style = Style {
    name: "signed",
    semantics: "c-signed",
    signed: true,
    widths: WIDTHS,
    usual: &[],
    no_wrap: false,
    speaks,
    idioms: SIGNED_IDIOMS,
    trap,
};

/// Those whose patterns never overflow where the word does not.
const SIGNED_IDIOMS: &[Idiom] = &[
    Idiom::Abs,
    Idiom::Parity,
    Idiom::FirstSet,
    Idiom::RedundantSigns,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

const UNSIGNED_IDIOMS: &[Idiom] = &[
    Idiom::AddOverflows,
    Idiom::SubOverflows,
    Idiom::MulOverflows,
    Idiom::Parity,
    Idiom::FirstSet,
    Idiom::RedundantSigns,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

const LOGICAL_IDIOMS: &[Idiom] = &[Idiom::LogicalAnd, Idiom::LogicalOr, Idiom::LogicalNot];

/// The operators that have a compound assignment.
const ASSIGNED: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];

/// Beside bytes, half words and words, and beside what is put together from them; none that has another name.
const ODD: &[u16] =
    &[4, 7, 9, 13, 17, 24, 31, 33, 48, 63, 65, 96, 127, 129, 160, 192, 200, 255, 256];

const PRECISE_SIGNED: &str = "bit-precise-signed";

const USUAL: &[u16] = &[7, 24, 33, 65, 129, 256];

pub const DIALECT: Dialect = Dialect {
    name: "expression-c",
    summary: "functions over integers in C and their proven mutants, results known",
    language: "c",
    comment: "//",
    styles: &[
        Style {
            name: "unsigned",
            semantics: "c-unsigned",
            signed: false,
            widths: WIDTHS,
            usual: &[],
            no_wrap: false,
            speaks,
            idioms: UNSIGNED_IDIOMS,
            trap,
        },
        SIGNED,
    ],
    inputs: 24,
    ending: "\n",
    nodes: 80,
    text: 250,
    frame,
    items,
    constants,
    idiom,
    // A trap cannot be expected: C17 6.5p5, "If an exceptional condition occurs during the evaluation of an
    // expression (that is, if the result is not mathematically defined or not in the range of representable
    // values for its type), the behavior is undefined."
    traps: TrapKinds::Distinct,
};

/// C23's integers of any width.
pub const BIT_PRECISE: Dialect = Dialect {
    name: "expression-bitint",
    summary: "the same in C with _BitInt of odd widths",
    language: "bitint",
    styles: &[
        Style {
            name: "bit-precise",
            semantics: "llvm",
            signed: false,
            widths: ODD,
            usual: USUAL,
            no_wrap: false,
            speaks: precise,
            idioms: LOGICAL_IDIOMS,
            trap,
        },
        Style {
            name: PRECISE_SIGNED,
            widths: ODD,
            usual: USUAL,
            speaks: precise,
            idioms: LOGICAL_IDIOMS,
            ..SIGNED
        },
    ],
    frame: wide_frame,
    ..DIALECT
};

/// Words of the machine alone, which rules may leave for wider ones.
fn speaks(op: Op, from: &[u16], to: u16) -> bool {
    from.iter().chain([&to]).all(|width| WIDTHS.contains(width)) && says(op, to)
}

/// All others, which have no names of their own.
fn precise(op: Op, from: &[u16], to: u16) -> bool {
    !from.iter().chain([&to]).any(|width| WIDTHS.contains(width)) && says(op, to)
}

fn says(op: Op, to: u16) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => true,
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Shl | Op::Lshr | Op::Ashr => true,
        Op::Ite | Op::Zext | Op::Sext | Op::Umin | Op::Umax | Op::Smin | Op::Smax => true,
        Op::Extract(_) | Op::Concat => true,
        Op::Bswap => matches!(to, 16 | 32 | 64),
        Op::Popcount | Op::Clz | Op::Ctz => WIDTHS.contains(&to) && to <= 64,
        _ => op.is_comparison(),
    }
}

/// Where a negative number is shifted to the left, Clang takes no `_BitInt` for a constant ("cannot compile this static
/// initializer yet").
fn initial(op: Op, from: &[u16], to: u16) -> bool {
    op != Op::Shl && precise(op, from, to)
}

/// A variable is no constant, even if it is one.
fn constants(style: &Style) -> Constants {
    let speaks: fn(Op, &[u16], u16) -> bool =
        if style.name == PRECISE_SIGNED { initial } else { style.speaks };
    let typed = Typed { semantics: style.semantics, speaks, names: false };
    Constants { typed: Some(typed), literals: None, bounded: None }
}

/// Nothing traps: what would is undefined, and is not done.
fn trap(_: Trap) -> &'static str {
    "trap"
}

fn name(kind: Kind) -> String {
    match (kind.width, kind.signed) {
        (128, true) => "i128".to_owned(),
        (128, false) => "u128".to_owned(),
        (width, true) if WIDTHS.contains(&width) => format!("int{width}_t"),
        (width, false) if WIDTHS.contains(&width) => format!("uint{width}_t"),
        (width, true) => format!("_BitInt({width})"),
        (width, false) => format!("unsigned _BitInt({width})"),
    }
}

const BEFORE: &str = "\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef u128 widest;

";

const WIDE_BEFORE: &str = "\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef unsigned _BitInt(264) widest;

";

/// Reads and writes numbers of any kind.
const NUMBERS: &str = "\
static widest next(char **at) {
    while (**at == ' ') ++*at;
    int negative = **at == '-';
    if (negative) ++*at;
    widest value = 0;
    while (**at >= '0' && **at <= '9') value = value * 10 + (widest)(*(*at)++ - '0');
    return negative ? -value : value;
}

static void show(widest value, int negative) {
    char text[96];
    int at = sizeof text;
    text[--at] = 0;
    if (negative) value = -value;
    do text[--at] = (char)('0' + (int)(value % 10)); while (value /= 10);
    printf(\"%s%s\\n\", negative ? \"-\" : \"\", text + at);
    fflush(stdout);
}

#ifdef __clang__
__attribute__((noinline, optnone))
#else
__attribute__((noinline, optimize(\"O0\")))
#endif
static void answer(int function, char **at) {
    switch (function) {
";

/// Arguments of the command line are those of the first function.
const MAIN: &str = "    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        char all[4096] = \"\";
        size_t used = 0;
        for (int n = 1; n < argc; n++)
            used += (size_t)snprintf(all + used, sizeof all - used, \"%s \", argv[n]);
        char *at = all;
        answer(0, &at);
        return 0;
    }
    char *line = 0;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *at = line;
        int function = (int)next(&at);
        answer(function, &at);
    }
    return 0;
}
";

fn frame(entries: &[Entry]) -> Frame {
    Frame { before: BEFORE.to_owned(), after: runner(entries) }
}

fn wide_frame(entries: &[Entry]) -> Frame {
    Frame { before: WIDE_BEFORE.to_owned(), after: runner(entries) }
}

/// A `main` that calls all of them.
fn runner(entries: &[Entry]) -> String {
    let mut after = NUMBERS.to_owned();
    for (index, entry) in entries.iter().enumerate() {
        let Signature { parameters, result } = &entry.signature;
        let _ = writeln!(after, "    case {index}: {{");
        for (n, kind) in parameters.iter().enumerate() {
            let kind = name(*kind);
            let _ = writeln!(after, "        {kind} a{n} = ({kind})next(at);");
        }
        let arguments: Vec<String> = (0..parameters.len()).map(|n| format!("a{n}")).collect();
        let call = format!("{}({})", entry.name, arguments.join(", "));
        let negative = if result.signed { "result < 0" } else { "0" };
        let _ = writeln!(
            after,
            "        {} result = {call};\n        show((widest)result, {negative});\n        break;\n    }}",
            name(*result)
        );
    }
    after.push_str(MAIN);
    after
}

fn items(writing: &Writing<'_>) -> String {
    let mut out = String::new();
    for (constant, value) in writing.constants() {
        let text = number(&value, constant.kind);
        let _ = writeln!(out, "static const {} {} = {text};", name(constant.kind), constant.name);
    }
    for (constant, text) in writing.folded(&number, &operator) {
        let _ = writeln!(out, "static const {} {} = {text};", name(constant.kind), constant.name);
    }
    for (index, step) in writing.body.steps.iter().enumerate() {
        if let Step::Call { body, inline, .. } = step
            && writing.declares(index)
        {
            let (own, carried) = writing.helper_parameters(index);
            let parameters: Vec<String> = own
                .iter()
                .chain(&carried)
                .map(|it| format!("{} {}", name(it.kind), it.name))
                .collect();
            let attribute = match inline {
                Inline::Free => "",
                Inline::Always => "inline __attribute__((always_inline)) ",
                Inline::Never => "__attribute__((noinline)) ",
            };
            let _ = writeln!(
                out,
                "static {attribute}{} {}({}) {{\n    return {};\n}}",
                name(writing.kind_of(*body)),
                writing.helper(index),
                parameters.join(", "),
                say(writing, *body, index)
            );
        }
    }
    let parameters: Vec<String> =
        writing.parameters().iter().map(|it| format!("{} {}", name(it.kind), it.name)).collect();
    let _ = writeln!(
        out,
        "__attribute__((noinline)) {} judged({}) {{",
        name(writing.kind_of(writing.body.result)),
        if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") }
    );
    for (index, step) in writing.body.steps.iter().enumerate() {
        let kind = name(writing.kind_of(step.value()));
        let local = writing.local(index);
        let _ = match step {
            Step::Let { term } => match writing.choice(*term) {
                Some(parts) => {
                    let [condition, yes, no] = parts.map(|it| say(writing, it, index));
                    writeln!(
                        out,
                        "    {kind} {local};\n    if ({condition}) {local} = {yes};\n    else {local} = {no};"
                    )
                }
                None => writeln!(out, "    {kind} {local} = {};", say(writing, *term, index)),
            },
            Step::Loop { times, start, body } => writeln!(
                out,
                "    {kind} {local} = {};\n    for ({kind} i = 0; i < {times}; i++) {};",
                say(writing, *start, index),
                writing.assignment(
                    &local,
                    &say(writing, *body, index),
                    ASSIGNED,
                    Some(&number(&BigInt::from(1), writing.kind_of(*body)))
                )
            ),
            Step::Call { arguments, .. } => {
                let (_, carried) = writing.helper_parameters(index);
                let own = arguments.iter().map(|&argument| say(writing, argument, index));
                let all: Vec<String> = own.chain(carried.into_iter().map(|it| it.name)).collect();
                writeln!(out, "    {kind} {local} = {}({});", writing.helper(index), all.join(", "))
            }
        };
    }
    let steps = writing.body.steps.len();
    let _ = writeln!(out, "    return {};\n}}\n", say(writing, writing.body.result, steps));
    out
}

fn say(writing: &Writing<'_>, term: TermId, step: usize) -> String {
    writing.say(term, step, &number, &operator)
}

fn number(value: &BigInt, kind: Kind) -> String {
    let own = name(kind);
    let over = if *value < BigInt::ZERO { BigInt::from(1) << kind.width } else { BigInt::ZERO };
    let bits = value + over;
    if !WIDTHS.contains(&kind.width) {
        return format!("(({own})0x{bits:x}uwb)");
    }
    if kind.width <= 64 {
        return format!("(({own})0x{bits:x}u{})", if kind.width == 64 { "ll" } else { "" });
    }
    let (high, low) = (&bits >> 64_u32, &bits & BigInt::from(u64::MAX));
    format!("(({own})((u128)0x{high:x}ull << 64 | 0x{low:x}ull))")
}

/// An expression of one kind as one of another.
fn cast(text: &str, from: Kind, to: Kind) -> String {
    if from == to { text.to_owned() } else { format!("({}){text}", name(to)) }
}

/// What an expression of this kind is promoted to.
fn promoted(kind: Kind) -> Kind {
    let width = if WIDTHS.contains(&kind.width) { kind.width.max(32) } else { kind.width };
    Kind { width, ..kind }
}

/// Operands are in parentheses, or names; so is what is returned.
fn operator(writing: &Writing<'_>, node: Node, args: &[String]) -> String {
    let own = writing.kind(node.width.as_fixed().unwrap_or(0));
    let here = writing.kind(writing.width(node.args[0]));
    // The n-th operand as a word that is signed or not, wide enough not to be promoted to another kind.
    let operand = |n: usize, signed: bool| {
        let exact = Kind { signed, ..writing.kind(writing.width(node.args[n])) };
        cast(&cast(&args[n], writing.kind(exact.width), exact), exact, promoted(exact))
    };
    let result = |text: String, kind: Kind| {
        if kind == own { format!("({text})") } else { format!("(({})({text}))", name(own)) }
    };
    let infix = |sign: &str, signed: bool| {
        let text = format!("{} {sign} {}", operand(0, signed), operand(1, signed));
        result(text, promoted(Kind { signed, ..here }))
    };
    let shift = |sign: &str, signed: bool| {
        let text = format!("{} {sign} {}", operand(0, signed), operand(1, false));
        result(text, promoted(Kind { signed, ..here }))
    };
    let compare = |sign: &str, signed: bool| {
        let text = format!("{} {sign} {}", operand(0, signed), operand(1, signed));
        result(text, Kind { signed: true, width: 32 })
    };
    let choose = |sign: &str, signed: bool| {
        let [a, b] = [operand(0, signed), operand(1, signed)];
        result(format!("{a} {sign} {b} ? {a} : {b}"), promoted(Kind { signed, ..here }))
    };
    let signed = writing.style.signed;
    let unsigned = Kind { signed: false, ..here };
    match node.op {
        Op::Add => infix("+", signed),
        Op::Sub => infix("-", signed),
        Op::Mul => infix("*", signed),
        Op::And => infix("&", signed),
        Op::Or => infix("|", signed),
        Op::Xor => infix("^", signed),
        Op::Udiv => infix("/", false),
        Op::Urem => infix("%", false),
        Op::Sdiv => infix("/", true),
        Op::Srem => infix("%", true),
        Op::Shl => shift("<<", signed),
        Op::Lshr => shift(">>", false),
        Op::Ashr => shift(">>", true),
        Op::Neg => result(format!("-{}", operand(0, signed)), promoted(here)),
        Op::Not => result(format!("~{}", operand(0, signed)), promoted(here)),
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
        Op::Umin => choose("<", false),
        Op::Umax => choose(">", false),
        Op::Smin => choose("<", true),
        Op::Smax => choose(">", true),
        Op::Ite => result(format!("{} ? {} : {}", args[0], args[1], args[2]), promoted(own)),
        Op::Zext => format!("({})", cast(&cast(&args[0], here, unsigned), unsigned, own)),
        Op::Sext => {
            let exact = Kind { signed: true, ..here };
            format!("({})", cast(&cast(&args[0], here, exact), exact, own))
        }
        Op::Extract(low) => {
            let low = low.as_fixed().unwrap_or(0);
            let whole = operand(0, false);
            let moved = if low == 0 { whole } else { format!("({whole} >> {low})") };
            format!("(({}){moved})", name(own))
        }
        Op::Concat => {
            let below = writing.width(node.args[1]);
            let low = Kind { signed: false, width: below };
            let whole = Kind { signed: false, ..own };
            let high = cast(&cast(&args[0], here, unsigned), unsigned, whole);
            let low = cast(&cast(&args[1], writing.kind(below), low), low, whole);
            result(format!("{high} << {below} | {low}"), promoted(whole))
        }
        Op::Bswap => {
            let swapped = format!("__builtin_bswap{}({})", own.width, operand(0, false));
            result(swapped, unsigned)
        }
        Op::Clz | Op::Ctz => {
            let exact = cast(&args[0], here, unsigned);
            let (name, extra) = match (node.op, own.width) {
                (Op::Ctz, _) => ("ctz", 0),
                (_, width) => ("clz", 64 - width),
            };
            let count = format!("__builtin_{name}ll({exact}) - {extra}");
            let text = format!("{exact} ? {count} : {}", own.width);
            result(text, Kind { signed: true, width: 32 })
        }
        Op::Popcount => {
            let exact = cast(&args[0], here, unsigned);
            let count = format!("__builtin_popcountll({exact})");
            result(count, Kind { signed: true, width: 32 })
        }
        _ => args.join(", "),
    }
}

/// An `int` as a word of a kind.
fn flag(text: &str, kind: Kind) -> String {
    format!("(({})({text}))", name(kind))
}

fn idiom(writing: &Writing<'_>, found: &Found, _: usize, args: &[String]) -> Option<String> {
    let kind = writing.kind(found.width);
    let unsigned = Kind { signed: false, ..kind };
    let exact = |n: usize| cast(&args[n], kind, unsigned);
    let is_word = matches!(found.width, 32 | 64);
    let overflows = |function: &str| {
        let own = name(unsigned);
        flag(
            &format!("__builtin_{function}_overflow({}, {}, &({own}){{0}})", exact(0), exact(1)),
            kind,
        )
    };
    // Functions with these names end in `ll` where they take 64 bits.
    let of_word = |function: &str| {
        let (long, of) = if found.width == 64 { ("ll", "long long") } else { ("", "int") };
        let prefix = if found.width == 64 && function == "abs" { "ll" } else { "" };
        let suffix = if prefix.is_empty() { long } else { "" };
        flag(&format!("__builtin_{prefix}{function}{suffix}(({of}){})", args[0]), kind)
    };
    Some(match found.idiom {
        Idiom::AddOverflows => overflows("add"),
        Idiom::SubOverflows => overflows("sub"),
        Idiom::MulOverflows => overflows("mul"),
        Idiom::Abs if is_word => of_word("abs"),
        Idiom::RedundantSigns if is_word => of_word("clrsb"),
        Idiom::FirstSet if found.width <= 64 => {
            flag(&format!("__builtin_ffsll((long long){})", exact(0)), kind)
        }
        Idiom::Parity => flag(&format!("__builtin_parityll({})", exact(0)), kind),
        Idiom::LogicalAnd => flag(&format!("{} && {}", args[0], args[1]), kind),
        Idiom::LogicalOr => flag(&format!("{} || {}", args[0], args[1]), kind),
        Idiom::LogicalNot => flag(&format!("!{}", args[0]), kind),
        _ => return None,
    })
}
