//! Solidity: checked arithmetic, `unchecked` blocks and inline assembly, on words of every kind of
//! width: of machine words, of addresses, and odd ones. Versions before 0.8 have arithmetic that wraps and no `unchecked`: what is written for
//! them is a dialect of its own, since it is another language in all that matters here.

use std::fmt::Write as _;

use num_bigint::BigInt;

use super::yul;
use crate::program::Step;
use crate::{
    Constants, Dialect, Entry, Found, Frame, Idiom, Inline, Kind, Named, STEM, Style, TrapKinds,
    Typed, Writing,
};
use identity::kernel::{Node, Op, TermId, Trap};

/// All that there are.
const WIDTHS: &[u16] = &[
    8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168,
    176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256,
];

/// What contracts are written with: the words of the machine above all.
const USUAL: &[u16] = &[8, 16, 32, 64, 128, 160, 256, 256, 256, 256];

const UNSIGNED: Style = Style {
    name: "unsigned",
    semantics: "solidity-unsigned",
    signed: false,
    widths: WIDTHS,
    usual: USUAL,
    no_wrap: false,
    speaks,
    idioms: &[Idiom::LogicalAnd, Idiom::LogicalOr, Idiom::LogicalNot],
    trap: panic,
};

/// The operators that have a compound assignment.
const ASSIGNED: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];

const ASSEMBLY: Style = Style {
    name: "assembly",
    semantics: "evm",
    signed: false,
    widths: &[256],
    usual: &[],
    no_wrap: false,
    speaks: yul::speaks,
    idioms: yul::IDIOMS,
    trap: yul::trap,
};

/// Versions from 0.8 on.
pub const DIALECT: Dialect = Dialect {
    name: "expression-solidity",
    summary: "functions over integers in Solidity and their proven mutants, results known",
    language: "solidity",
    comment: "//",
    styles: &[
        UNSIGNED,
        Style { name: "signed", semantics: "solidity-signed", signed: true, ..UNSIGNED },
        Style { name: "unchecked", semantics: "solidity-unchecked", ..UNSIGNED },
        Style {
            name: "unchecked-signed",
            semantics: "solidity-unchecked",
            signed: true,
            ..UNSIGNED
        },
        ASSEMBLY,
    ],
    inputs: 32,
    ending: "",
    nodes: 80,
    text: 250,
    frame,
    items,
    constants,
    idiom,
    // The code is part of the returned data: Solidity documentation, "Panic via assert and Error via require",
    // "0x11: If an arithmetic operation results in underflow or overflow outside of an unchecked block.",
    // "0x12: If you divide or modulo by zero". Which of two competes is open ("The evaluation order of
    // expressions is not specified"), so that such inputs are ambiguous.
    traps: TrapKinds::Distinct,
};

/// Versions from 0.5 to 0.7.
pub const OLD: Dialect = Dialect {
    name: "expression-old-solidity",
    summary: "functions over integers in Solidity before 0.8 and their proven mutants, results known",
    language: "old-solidity",
    styles: &[
        Style { name: "wrapping", semantics: "solidity-unchecked", trap: invalid, ..UNSIGNED },
        Style {
            name: "wrapping-signed",
            semantics: "solidity-unchecked",
            signed: true,
            speaks: old_signed,
            trap: invalid,
            ..UNSIGNED
        },
        // Assembly does not see the constants of the contract yet.
        Style { name: "old-assembly", ..ASSEMBLY },
    ],
    // All that it has for what is deep is the stack of the machine, of which it reaches 16 words.
    nodes: 50,
    text: 120,
    ..DIALECT
};

fn speaks(op: Op, from: &[u16], to: u16) -> bool {
    let is_type = |width: u16| width.is_multiple_of(8) && (8..=256).contains(&width);
    if !from.iter().chain([&to]).all(|&width| is_type(width)) {
        return false;
    }
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => true,
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Shl | Op::Lshr | Op::Ashr => true,
        Op::Ite | Op::Zext | Op::Sext | Op::Umin | Op::Umax | Op::Smin | Op::Smax => true,
        Op::Extract(_) | Op::Concat | Op::Exp => true,
        Op::Addmod | Op::Mulmod => to == 256,
        _ => op.is_comparison(),
    }
}

/// An exponent once had to be of the type of its base, and have no sign all the same.
fn old_signed(op: Op, from: &[u16], to: u16) -> bool {
    op != Op::Exp && speaks(op, from, to)
}

/// The argument of `Panic(uint256)`.
fn panic(trap: Trap) -> &'static str {
    match trap {
        Trap::Division => "panic 0x12",
        Trap::Overflow | Trap::Range => "panic 0x11",
    }
}

/// Before there were panics, there was an instruction that is none.
fn invalid(_: Trap) -> &'static str {
    "invalid"
}

/// Initial values are checked, whatever is not checked elsewhere. Assembly sees plain numbers alone.
fn constants(style: &Style) -> Constants {
    let semantics = match style.name {
        "assembly" | "old-assembly" => return Constants::default(),
        _ if style.name.starts_with("wrapping") => style.semantics,
        _ if style.signed => "solidity-signed",
        _ => "solidity-unsigned",
    };
    Constants {
        typed: Some(Typed { semantics, speaks: style.speaks, names: true }),
        literals: Some(|text, kind| format!("{}({text})", name(kind))),
        bounded: None,
    }
}

fn name(kind: Kind) -> String {
    format!("{}int{}", if kind.signed { "" } else { "u" }, kind.width)
}

fn frame(_: &[Entry]) -> Frame {
    Frame { before: "contract Judged {\n".to_owned(), after: "}\n".to_owned() }
}

fn declared(all: &[Named]) -> String {
    let all: Vec<String> = all.iter().map(|it| format!("{} {}", name(it.kind), it.name)).collect();
    all.join(", ")
}

fn items(writing: &Writing<'_>) -> String {
    match writing.style.name {
        "assembly" => module(writing) + &assembly(writing, yul::Around::Contract),
        "old-assembly" => assembly(writing, yul::Around::OldContract),
        style => {
            let unchecked = style.starts_with("unchecked");
            module(writing) + &helpers(writing, unchecked) + &function(writing, unchecked)
        }
    }
}

/// The constants of the contract. Assembly sees those that are plain numbers.
fn module(writing: &Writing<'_>) -> String {
    let mut out = String::new();
    for (constant, value) in writing.constants() {
        let _ = writeln!(out, "    {} constant {} = {value};", name(constant.kind), constant.name);
    }
    for (constant, text) in writing.folded(&number, &operator) {
        let _ = writeln!(out, "    {} constant {} = {text};", name(constant.kind), constant.name);
    }
    out
}

fn assembly(writing: &Writing<'_>, around: yul::Around) -> String {
    let parameters = declared(&writing.parameters());
    let helpers = yul::helpers(writing, around);
    let body = yul::constants(writing, around) + &yul::body(writing);
    let mut out = String::new();
    let _ = writeln!(out, "    function {STEM}({parameters}) external pure returns (uint256 r) {{");
    out.push_str("        assembly {\n");
    for (name, function) in yul::FUNCTIONS {
        let call = format!("{name}(");
        if helpers.contains(&call) || body.contains(&call) {
            let _ = writeln!(out, "            {function}");
        }
    }
    let _ = write!(out, "{helpers}            {{\n{body}            }}\n        }}\n    }}\n");
    out
}

fn helpers(writing: &Writing<'_>, unchecked: bool) -> String {
    let mut out = String::new();
    for (index, step) in writing.body.steps.iter().enumerate() {
        let Step::Call { body, inline, .. } = step else { continue };
        if !writing.declares(index) {
            continue;
        }
        let (own, carried) = writing.helper_parameters(index);
        let parameters = declared(&[own, carried].concat());
        let kind = name(writing.kind_of(*body));
        let text = say(writing, *body, index);
        let (result, text) = match inline {
            Inline::Always => (format!("{kind} z"), format!("z = {text};")),
            Inline::Free | Inline::Never => (kind, format!("return {text};")),
        };
        let text = if unchecked { format!("unchecked {{ {text} }}") } else { text };
        let _ = writeln!(
            out,
            "    function {}({parameters}) internal pure returns ({result}) {{ {text} }}",
            writing.helper(index)
        );
    }
    out
}

fn function(writing: &Writing<'_>, unchecked: bool) -> String {
    let mut out = String::new();
    let kind = name(writing.kind_of(writing.body.result));
    let parameters = declared(&writing.parameters());
    let _ = writeln!(out, "    function {STEM}({parameters}) external pure returns ({kind}) {{");
    if unchecked {
        out.push_str("        unchecked {\n");
    }
    for (index, step) in writing.body.steps.iter().enumerate() {
        let kind = name(writing.kind_of(step.value()));
        let local = writing.local(index);
        let _ = match step {
            Step::Let { term } => match writing.choice(*term) {
                Some([condition, yes, no]) => {
                    let condition = tested(writing, condition, &say(writing, condition, index));
                    let [yes, no] = [yes, no].map(|it| say(writing, it, index));
                    writeln!(
                        out,
                        "        {kind} {local};\n        if {condition} {{ {local} = {yes}; }} else {{ {local} = {no}; }}"
                    )
                }
                None => writeln!(out, "        {kind} {local} = {};", say(writing, *term, index)),
            },
            Step::Loop { times, start, body } => writeln!(
                out,
                "        {kind} {local} = {};\n        for ({kind} i = 0; i < {times}; i++) {};",
                say(writing, *start, index),
                writing.assignment(
                    &local,
                    &say(writing, *body, index),
                    ASSIGNED,
                    Some(&number(&BigInt::from(1), writing.kind_of(*body)))
                )
            ),
            Step::Call { arguments, inline, .. } => {
                let (own, carried) = writing.helper_parameters(index);
                let kinds: Vec<String> =
                    own.iter().chain(&carried).map(|it| name(it.kind)).collect();
                let given = arguments.iter().map(|&argument| say(writing, argument, index));
                let all: Vec<String> = given.chain(carried.into_iter().map(|it| it.name)).collect();
                let (helper, all) = (writing.helper(index), all.join(", "));
                match inline {
                    // What is called through a variable is hard to inline.
                    Inline::Never => writeln!(
                        out,
                        "        function ({}) internal pure returns ({kind}) f{index} = {helper};\n        \
                         {kind} {local} = f{index}({all});",
                        kinds.join(", ")
                    ),
                    Inline::Free | Inline::Always => {
                        writeln!(out, "        {kind} {local} = {helper}({all});")
                    }
                }
            }
        };
    }
    let steps = writing.body.steps.len();
    let _ = writeln!(out, "        return {};", say(writing, writing.body.result, steps));
    out.push_str(if unchecked { "        }\n    }\n" } else { "    }\n" });
    out
}

fn say(writing: &Writing<'_>, term: TermId, step: usize) -> String {
    writing.say(term, step, &number, &operator)
}

/// In decimal digits: forty hexadecimal ones would be an address.
fn number(value: &BigInt, kind: Kind) -> String {
    format!("{}({value})", name(kind))
}

fn operator(writing: &Writing<'_>, node: Node, args: &[String]) -> String {
    let to = node.width.as_fixed().unwrap_or(0);
    let from = writing.width(node.args[0]);
    let signed = writing.style.signed;
    let at = |signed, width| name(Kind { signed, width });
    // A word as a number with a sign or without, and back.
    let seen = |text: &str, width: u16, as_signed: bool| {
        if as_signed == signed {
            text.to_owned()
        } else {
            format!("{}({text})", at(as_signed, width))
        }
    };
    let own = |text: String, was_signed: bool| {
        if was_signed == signed { text } else { format!("{}{text}", at(signed, to)) }
    };
    let infix = |sign: &str, as_signed: bool| {
        let [a, b] = [&args[0], &args[1]].map(|it| seen(it, from, as_signed));
        own(format!("({a} {sign} {b})"), as_signed)
    };
    // Amounts and exponents have no sign.
    let raised = |sign: &str, as_signed: bool| {
        let (a, b) = (seen(&args[0], from, as_signed), seen(&args[1], from, false));
        own(format!("({a} {sign} {b})"), as_signed)
    };
    let word = at(signed, to);
    let compare = |sign: &str, as_signed: bool| {
        let [a, b] = [&args[0], &args[1]].map(|it| seen(it, from, as_signed));
        format!("({a} {sign} {b}{})", truth(&word))
    };
    let choose = |sign: &str, as_signed: bool| {
        let [a, b] = [&args[0], &args[1]].map(|it| seen(it, from, as_signed));
        format!("({a} {sign} {b} ? {} : {})", args[0], args[1])
    };
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
        Op::Shl => raised("<<", signed),
        Op::Lshr => raised(">>", false),
        Op::Ashr => raised(">>", true),
        Op::Exp => raised("**", signed),
        Op::Neg if signed => format!("(-{})", args[0]),
        Op::Neg => format!("({word}(0) - {})", args[0]),
        Op::Not => format!("(~{})", args[0]),
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
        Op::Ite => {
            let condition = tested(writing, node.args[0], &args[0]);
            format!("({condition} ? {} : {})", args[1], args[2])
        }
        Op::Zext => wider(&args[0], from, to, signed, false),
        Op::Sext => wider(&args[0], from, to, signed, true),
        Op::Extract(low) => {
            let low = low.as_fixed().unwrap_or(0);
            let word = seen(&args[0], from, false);
            let shifted = if low == 0 { word } else { format!("({word} >> {low})") };
            own(format!("({}({shifted}))", at(false, to)), false)
        }
        Op::Concat => {
            let below = writing.width(node.args[1]);
            let high = wider(&args[0], from, to, signed, false);
            let low = wider(&args[1], below, to, signed, false);
            format!("(({high} << {below}) | {low})")
        }
        Op::Addmod | Op::Mulmod => {
            let words: Vec<String> = args.iter().map(|it| seen(it, to, false)).collect();
            let name = if node.op == Op::Addmod { "addmod" } else { "mulmod" };
            own(format!("({name}({}))", words.join(", ")), false)
        }
        _ => args.join(", "),
    }
}

/// A word as a condition. What was made a word of a comparison is one again.
fn tested(writing: &Writing<'_>, term: TermId, text: &str) -> String {
    let plain = text.strip_suffix(&format!("{})", truth(&name(writing.kind_of(term)))));
    match plain.filter(|_| writing.terms.op(term).is_comparison()) {
        Some(comparison) => format!("{comparison})"),
        None => format!("({text} != 0)"),
    }
}

/// How a comparison becomes a word.
fn truth(word: &str) -> String {
    format!(" ? {word}(1) : {word}(0)")
}

/// Extends a word by zeros or by its sign.
fn wider(text: &str, from: u16, to: u16, signed: bool, with_sign: bool) -> String {
    let at = |signed, width| name(Kind { signed, width });
    let narrow = if with_sign == signed {
        text.to_owned()
    } else {
        format!("{}({text})", at(with_sign, from))
    };
    let wide = format!("{}({narrow})", at(with_sign, to));
    if with_sign == signed { wide } else { format!("{}({wide})", at(signed, to)) }
}

fn idiom(writing: &Writing<'_>, found: &Found, step: usize, args: &[String]) -> Option<String> {
    let truth = truth(&name(writing.kind(found.width)));
    Some(match found.idiom {
        Idiom::LogicalAnd => format!("(({} != 0) && ({} != 0){truth})", args[0], args[1]),
        Idiom::LogicalOr => format!("(({} != 0) || ({} != 0){truth})", args[0], args[1]),
        Idiom::LogicalNot => format!("(!({} != 0){truth})", args[0]),
        _ => return yul::idiom(writing, found, step, args),
    })
}
