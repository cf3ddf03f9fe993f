//! Zig, with integers of any width. Operators wrap (`+%`), or are those that must not overflow (`+`) where on the
//! inputs of a program they don't; what they leave undefined (division by zero, a shift by too much) is not done. The program is its own runner, as in C, and uses the C library, since
//! Zig's own changes from version to version.

use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::program::Step;
use crate::{
    Constants, Dialect, Entry, Found, Frame, Idiom, Inline, Kind, Named, Style, TrapKinds, Typed,
    Writing,
};
use identity::kernel::{Node, Op, TermId, Trap};

/// Any number of bits is a type: those of machines, their neighbours, and odd ones.
const WIDTHS: &[u16] = &[4, 7, 8, 13, 16, 24, 32, 33, 48, 63, 64, 65, 96, 128, 129, 200, 255, 256];

const USUAL: &[u16] = &[8, 16, 32, 64, 128, 256];

const UNSIGNED: Style = Style {
    name: "unsigned",
    semantics: "llvm",
    signed: false,
    widths: WIDTHS,
    usual: USUAL,
    no_wrap: false,
    speaks,
    idioms: IDIOMS,
    trap,
};

const IDIOMS: &[Idiom] = &[
    Idiom::Abs,
    Idiom::SaturatingAdd,
    Idiom::SaturatingSub,
    Idiom::SaturatingMul,
    Idiom::SaturatingShl,
    Idiom::SignedSaturatingAdd,
    Idiom::SignedSaturatingSub,
    Idiom::AddOverflows,
    Idiom::SubOverflows,
    Idiom::MulOverflows,
    Idiom::ShlOverflows,
    Idiom::ReverseBits,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

/// The operators that have a compound assignment.
const ASSIGNED: &[&str] = &[
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "+%", "-%", "*%", "+|", "-|", "*|", "<<|",
];

pub const DIALECT: Dialect = Dialect {
    name: "expression-zig",
    summary: "functions over integers in Zig and their proven mutants, results known",
    language: "zig",
    comment: "//",
    styles: &[
        UNSIGNED,
        Style { name: "signed", signed: true, ..UNSIGNED },
        Style { name: "plain-unsigned", no_wrap: true, ..UNSIGNED },
        Style { name: "plain-signed", signed: true, no_wrap: true, ..UNSIGNED },
    ],
    inputs: 24,
    ending: "\n",
    nodes: 80,
    text: 250,
    frame,
    items,
    constants,
    idiom,
    // A trap cannot be expected: the language reference calls overflow and division by zero illegal behavior,
    // which panics in the safe build modes and is undefined in the others.
    traps: TrapKinds::Distinct,
};

fn speaks(op: Op, from: &[u16], to: u16) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => true,
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Shl | Op::Lshr | Op::Ashr => true,
        Op::Fdiv | Op::Fmod => true,
        Op::Ite | Op::Zext | Op::Sext | Op::Umin | Op::Umax | Op::Smin | Op::Smax => true,
        // The count does not fit into words that are too narrow for it.
        Op::Clz | Op::Ctz | Op::Popcount => to >= 8,
        Op::Bswap => to.is_multiple_of(8),
        Op::Extract(_) => true,
        Op::Concat => from.iter().sum::<u16>() == to,
        _ => op.is_comparison(),
    }
}

fn constants(style: &Style) -> Constants {
    let typed = Typed { semantics: style.semantics, speaks, names: true };
    Constants { typed: Some(typed), literals: None, bounded: None }
}

/// Nothing traps: what would is undefined, and is not done.
fn trap(_: Trap) -> &'static str {
    "trap"
}

/// What it does without more words at a failed check makes every program compile half of the library.
const BEFORE: &str = "\
const debug = @import(\"std\").debug;
pub const panic = debug.no_panic;
extern fn getchar() c_int;
extern fn putchar(c: c_int) c_int;
extern fn fflush(file: ?*anyopaque) c_int;

";

/// Reads and writes numbers of any kind.
const NUMBERS: &str = "\
var given: ?[*][*:0]u8 = null;
var given_count: usize = 0;
var at_end = false;

fn next() u256 {
    var value: u256 = 0;
    var negative = false;
    if (given) |arguments| {
        if (given_count == 0) return 0;
        var at: usize = 0;
        const text = arguments[0];
        given = arguments + 1;
        given_count -= 1;
        if (text[0] == '-') {
            negative = true;
            at = 1;
        }
        while (text[at] != 0) : (at += 1) value = value *% 10 +% (text[at] -% '0');
    } else {
        var c = getchar();
        while (c == ' ' or c == '\\n') c = getchar();
        if (c < 0) at_end = true;
        if (c == '-') {
            negative = true;
            c = getchar();
        }
        while (c >= '0' and c <= '9') : (c = getchar()) value = value *% 10 +% @as(u8, @intCast(c - '0'));
    }
    return if (negative) 0 -% value else value;
}

fn show(value: u256, negative: bool) void {
    var text: [90]u8 = undefined;
    var at: usize = 90;
    var rest = if (negative) 0 -% value else value;
    while (true) {
        at -= 1;
        text[at] = '0' + @as(u8, @intCast(rest % 10));
        rest /= 10;
        if (rest == 0) break;
    }
    if (negative) _ = putchar('-');
    while (at < 90) : (at += 1) _ = putchar(text[at]);
    _ = putchar('\\n');
    _ = fflush(null);
}

fn answer(function: u256) void {
";

/// Arguments of the command line are those of the first function.
const MAIN: &str = "}

pub export fn main(argc: c_int, argv: [*][*:0]u8) c_int {
    if (argc > 1) {
        given = argv + 1;
        given_count = @intCast(argc - 1);
        answer(0);
        return 0;
    }
    while (true) {
        const function = next();
        if (at_end) return 0;
        answer(function);
    }
}
";

fn frame(entries: &[Entry]) -> Frame {
    let mut after = NUMBERS.to_owned();
    for (index, Entry { name, signature }) in entries.iter().enumerate() {
        let _ = writeln!(after, "    if (function == {index}) {{");
        for (n, kind) in signature.parameters.iter().enumerate() {
            let bits = Kind { signed: false, ..*kind };
            let word = format!("@as({bits}, @truncate(next()))");
            let _ = writeln!(after, "        const a{n}: {kind} = {};", cast(&word, bits, *kind));
        }
        let arguments: Vec<String> =
            (0..signature.parameters.len()).map(|n| format!("a{n}")).collect();
        let call = format!("{name}({})", arguments.join(", "));
        let _ = match signature.result.signed {
            true => writeln!(
                after,
                "        const result: i256 = {call};\n        show(@bitCast(result), result < 0);\n    }}"
            ),
            false => writeln!(after, "        show({call}, false);\n    }}"),
        };
    }
    after.push_str(MAIN);
    Frame { before: BEFORE.to_owned(), after }
}

fn items(writing: &Writing<'_>) -> String {
    let mut out = String::new();
    for (constant, value) in writing.constants() {
        let (name, kind) = (constant.name, constant.kind);
        let _ = writeln!(out, "const {name}: {kind} = {value};");
    }
    for (constant, text) in writing.folded(&number, &operator) {
        let _ = writeln!(out, "const {}: {} = {text};", constant.name, constant.kind);
    }
    // A parameter that is not used is an error.
    let head = |all: &[Named]| {
        let all: Vec<String> = all.iter().map(|it| format!("{}: {}", it.name, it.kind)).collect();
        all.join(", ")
    };
    let touch = |out: &mut String, names: &[Named]| {
        for it in names {
            let _ = writeln!(out, "    _ = &{};", it.name);
        }
    };
    for (index, step) in writing.body.steps.iter().enumerate() {
        if let Step::Call { body, inline, .. } = step
            && writing.declares(index)
        {
            let (own, carried) = writing.helper_parameters(index);
            let all = [own, carried].concat();
            let word = match inline {
                // `inline` would be a promise that constants are known where the body is compiled, and what
                // is wrong with them in a branch that is never taken would be an error.
                Inline::Free | Inline::Always => "",
                Inline::Never => "noinline ",
            };
            let kind = writing.kind_of(*body);
            let _ = writeln!(out, "{word}fn {}({}) {kind} {{", writing.helper(index), head(&all));
            touch(&mut out, &all);
            let _ = writeln!(out, "    return {};\n}}\n", say(writing, *body, index));
        }
    }
    let parameters = writing.parameters();
    let kind = writing.kind_of(writing.body.result);
    let _ = writeln!(out, "noinline fn judged({}) {kind} {{", head(&parameters));
    touch(&mut out, &parameters);
    for (index, step) in writing.body.steps.iter().enumerate() {
        let (kind, local) = (writing.kind_of(step.value()), writing.local(index));
        let _ = match step {
            Step::Let { term } => writeln!(
                out,
                "    var {local}: {kind} = {};\n    _ = &{local};",
                say(writing, *term, index)
            ),
            Step::Loop { times, start, body } => writeln!(
                out,
                "    var {local}: {kind} = {};\n    _ = &{local};\n    {{\n        var i: {kind} = 0;\n        \
                 while (i < {times}) : (i += 1) {};\n    }}",
                say(writing, *start, index),
                writing.assignment(&local, &say(writing, *body, index), ASSIGNED, None)
            ),
            Step::Call { arguments, .. } => {
                let (_, carried) = writing.helper_parameters(index);
                let own = arguments.iter().map(|&argument| say(writing, argument, index));
                let all: Vec<String> = own.chain(carried.into_iter().map(|it| it.name)).collect();
                let call = format!("{}({})", writing.helper(index), all.join(", "));
                writeln!(out, "    var {local}: {kind} = {call};\n    _ = &{local};")
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
    format!("@as({kind}, {value})")
}

/// The same bits as a word of another sign.
fn cast(text: &str, from: Kind, to: Kind) -> String {
    if from == to { text.to_owned() } else { format!("@as({to}, @bitCast({text}))") }
}

/// Operands are in parentheses, calls, or names; so is what is returned.
fn operator(writing: &Writing<'_>, node: Node, args: &[String]) -> String {
    let own = writing.kind(node.width.as_fixed().unwrap_or(0));
    let signed = writing.style.signed;
    let here = writing.width(node.args[0]);
    let operand = |n: usize, signed: bool| {
        let kind = writing.kind(writing.width(node.args[n]));
        cast(&args[n], kind, Kind { signed, ..kind })
    };
    let result = |text: String, signed: bool| cast(&text, Kind { signed, width: own.width }, own);
    let infix = |sign: &str, signed: bool| {
        result(format!("({} {sign} {})", operand(0, signed), operand(1, signed)), signed)
    };
    let compare = |sign: &str, signed: bool| {
        let text = format!("({} {sign} {})", operand(0, signed), operand(1, signed));
        format!("@as({own}, if {text} 1 else 0)")
    };
    let call = |name: &str, signed: bool| {
        result(format!("{name}({}, {})", operand(0, signed), operand(1, signed)), signed)
    };
    // Its type has just the bits that the result can have, from what is known of the operands.
    let extreme = |name: &str, signed: bool| {
        let kind = Kind { signed, ..own };
        let text = format!("{name}({}, {})", operand(0, signed), operand(1, signed));
        result(format!("@as({kind}, {text})"), signed)
    };
    let shift = |sign: &str, signed: bool| {
        // The type of an amount has just the bits that it needs.
        let bits = u16::try_from(16 - (here - 1).leading_zeros()).unwrap_or(8);
        let amount = format!("@as(u{bits}, @intCast({}))", operand(1, false));
        result(format!("({} {sign} {amount})", operand(0, signed)), signed)
    };
    // Operators that do not wrap stop a safe build, and are a promise to a fast one.
    let promise = writing.promise(node);
    let fits = if signed { promise.signed } else { promise.unsigned };
    let sum = |plain: &str, wrapping: &str| infix(if fits { plain } else { wrapping }, signed);
    let shift_exact = |name: &str, signed: bool| {
        let bits = u16::try_from(16 - (here - 1).leading_zeros()).unwrap_or(8);
        let amount = format!("@as(u{bits}, @intCast({}))", operand(1, false));
        result(format!("{name}({}, {amount})", operand(0, signed)), signed)
    };
    let counted = |name: &str| format!("@as({own}, {name}({}))", args[0]);
    match node.op {
        Op::Add => sum("+", "+%"),
        Op::Sub => sum("-", "-%"),
        Op::Mul => sum("*", "*%"),
        Op::And => infix("&", signed),
        Op::Or => infix("|", signed),
        Op::Xor => infix("^", signed),
        Op::Not => format!("(~{})", args[0]),
        Op::Neg if signed && fits => format!("(-{})", args[0]),
        Op::Neg if signed => format!("(-%{})", args[0]),
        Op::Neg => format!("(0 -% {})", args[0]),
        Op::Udiv if promise.exact => call("@divExact", false),
        Op::Sdiv if promise.exact => call("@divExact", true),
        Op::Shl if fits => shift_exact("@shlExact", signed),
        Op::Lshr if promise.exact => shift_exact("@shrExact", false),
        Op::Ashr if promise.exact => shift_exact("@shrExact", true),
        Op::Udiv => infix("/", false),
        Op::Urem => infix("%", false),
        Op::Fdiv => call("@divFloor", true),
        // What a negative divisor does in `@mod` is not specified.
        Op::Fmod if is_positive(writing, node.args[1]) => call("@mod", true),
        Op::Fmod => {
            let [a, b] = [operand(0, true), operand(1, true)];
            result(format!("({a} -% (@divFloor({a}, {b}) *% {b}))"), true)
        }
        Op::Sdiv => call("@divTrunc", true),
        Op::Srem => call("@rem", true),
        Op::Shl => shift("<<", signed),
        Op::Lshr => shift(">>", false),
        Op::Ashr => shift(">>", true),
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
        Op::Umin => extreme("@min", false),
        Op::Umax => extreme("@max", false),
        Op::Smin => extreme("@min", true),
        Op::Smax => extreme("@max", true),
        Op::Ite => {
            format!("@as({own}, if ({} != 0) {} else {})", args[0], args[1], args[2])
        }
        Op::Zext => {
            let wide = Kind { signed: false, ..own };
            cast(&format!("@as({wide}, {})", operand(0, false)), wide, own)
        }
        Op::Sext => {
            let wide = Kind { signed: true, ..own };
            cast(&format!("@as({wide}, {})", operand(0, true)), wide, own)
        }
        Op::Extract(low) => {
            let low = low.as_fixed().unwrap_or(0);
            let bits = Kind { signed: false, ..own };
            cast(&format!("@as({bits}, @truncate({} >> {low}))", operand(0, false)), bits, own)
        }
        Op::Concat => {
            let below = writing.width(node.args[1]);
            let bits = Kind { signed: false, ..own };
            let part = |n: usize| format!("@as({bits}, {})", operand(n, false));
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

fn idiom(writing: &Writing<'_>, found: &Found, _: usize, args: &[String]) -> Option<String> {
    let own = writing.kind(found.width);
    let at = |n: usize, signed: bool| cast(&args[n], own, Kind { signed, ..own });
    let infix = |sign: &str, signed: bool| {
        let text = format!("({} {sign} {})", at(0, signed), at(1, signed));
        cast(&text, Kind { signed, ..own }, own)
    };
    let overflows = |name: &str| {
        format!("@as({own}, {name}WithOverflow({}, {})[1])", at(0, false), at(1, false))
    };
    let truth = |text: &str| format!("@as({own}, if ({text}) 1 else 0)");
    Some(match found.idiom {
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
            let bits = u16::try_from(16 - (found.width - 1).leading_zeros()).unwrap_or(8);
            let amount = format!("@as(u{bits}, @intCast({}))", at(1, false));
            format!("@as({own}, @shlWithOverflow({}, {amount})[1])", at(0, false))
        }
        Idiom::ReverseBits => format!("@bitReverse({})", args[0]),
        Idiom::LogicalAnd => truth(&format!("({} != 0) and ({} != 0)", args[0], args[1])),
        Idiom::LogicalOr => truth(&format!("({} != 0) or ({} != 0)", args[0], args[1])),
        Idiom::LogicalNot => truth(&format!("!({} != 0)", args[0])),
        _ => return None,
    })
}
