//! Solidity: checked arithmetic, `unchecked` blocks and inline assembly, at all widths that are types. Versions before 0.8
//! have arithmetic that wraps and no `unchecked`: what is written for them is a dialect of its own.

use std::fmt::Write as _;

use num_bigint::BigInt;

use super::widths::{EVM, EVM_USUAL, are_evm};
use super::yul::{self, Around, Yul};
use crate::dialect::Limits;
use crate::printer::operators::{self, COMPOUND, Class, Operator};
use crate::printer::{Applied, Call, Head, Page, Printer, Repeat, Role, assignment, print};
use crate::{
    Constants, Dialect, Found, Frame, Idiom, Inline, Kind, Named, STEM, Style, TrapKinds, Typed,
    Writing,
};
use identity::kernel::{Op, TermId, Trap};

const UNSIGNED: Style = Style {
    name: "unsigned",
    semantics: "solidity-unsigned",
    signed: false,
    widths: EVM,
    usual: EVM_USUAL,
    no_wrap: false,
    supports,
    idioms: &[Idiom::LogicalAnd, Idiom::LogicalOr, Idiom::LogicalNot],
    trap: panic,
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
        yul::WORDS,
    ],
    ending: "",
    limits: Limits::inputs(32),
    frame: |_| Frame { before: "contract Judged {\n".to_owned(), after: "}\n".to_owned() },
    items,
    constants,
    // Documentation 0.8, "Panic via assert and Error via require": "The error code supplied with the error data indicates the
    // kind of panic." "0x11: If an arithmetic operation results in underflow or overflow outside of an unchecked { ... }
    // block." "0x12; If you divide or modulo by zero (e.g. 5 / 0 or 23 % 0)." Two traps may compete: "Order of Evaluation of
    // Expressions", "The evaluation order of expressions is not specified (more formally, the order in which the children of
    // one node in the expression tree are evaluated is not specified, but they are of course evaluated before the node
    // itself)."
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
            supports: old_signed,
            trap: invalid,
            ..UNSIGNED
        },
        // Assembly cannot refer to the constants of the contract yet.
        Style { name: "old-assembly", ..yul::WORDS },
    ],
    // Deep expressions need the stack of the EVM, of which the top 16 words can be reached.
    limits: Limits { inputs: 32, nodes: 50, text: 120 },
    ..DIALECT
};

fn supports(op: Op, from: &[u16], to: u16) -> bool {
    are_evm(from, to)
        && match op {
            Op::Concat | Op::Exp => true,
            Op::Addmod | Op::Mulmod => to == 256,
            _ => operators::is_universal(op),
        }
}

/// Old versions want an exponent that has the type of the base and is unsigned.
fn old_signed(op: Op, from: &[u16], to: u16) -> bool {
    op != Op::Exp && supports(op, from, to)
}

/// The argument of `Panic(uint256)`.
fn panic(trap: Trap) -> &'static str {
    match trap {
        Trap::Division => "panic 0x12",
        Trap::Overflow | Trap::Range => "panic 0x11",
    }
}

/// Before 0.8 a failed check was an invalid instruction.
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
        typed: Some(Typed { semantics, supports: style.supports, names: true }),
        literals: Some(|text, kind| format!("{}({text})", name(kind))),
        bounded: None,
    }
}

pub(super) fn name(kind: Kind) -> String {
    format!("{}int{}", if kind.signed { "" } else { "u" }, kind.width)
}

fn items(writing: &Writing<'_>) -> String {
    match writing.style.name {
        "assembly" => {
            let mut page = Page::new(&Solidity, writing);
            page.constants();
            page.out + &assembly(writing, Around::Contract)
        }
        "old-assembly" => assembly(writing, Around::OldContract),
        _ => print(&Solidity, writing),
    }
}

/// A function of inline assembly, with the functions that it uses inside of it.
fn assembly(writing: &Writing<'_>, around: Around) -> String {
    let parameters: Vec<String> =
        writing.parameters().iter().map(|it| Solidity.parameter(it)).collect();
    let parameters = parameters.join(", ");
    let yul = Yul { around };
    let [mut helpers, mut body] = [Page::new(&yul, writing), Page::new(&yul, writing)];
    helpers.helpers();
    body.function();
    let mut out = String::new();
    let _ = writeln!(out, "    function {STEM}({parameters}) external pure returns (uint256 r) {{");
    out.push_str("        assembly {\n");
    for (name, function) in yul::FUNCTIONS {
        let call = format!("{name}(");
        if helpers.out.contains(&call) || body.out.contains(&call) {
            let _ = writeln!(out, "            {function}");
        }
    }
    let (helpers, body) = (helpers.out, body.out);
    let _ = write!(out, "{helpers}            {{\n{body}            }}\n        }}\n    }}\n");
    out
}

#[derive(Debug)]
struct Solidity;

impl Solidity {
    fn is_unchecked(writing: &Writing<'_>) -> bool {
        writing.style.name.starts_with("unchecked")
    }
}

impl Printer for Solidity {
    type State = ();

    /// In decimal digits: forty hexadecimal ones would be an address.
    fn literal(&self, value: &BigInt, kind: Kind) -> String {
        format!("{}({value})", name(kind))
    }

    fn operator(&self, at: &Applied<'_>) -> String {
        operator(at)
    }

    fn idiom(&self, writing: &Writing<'_>, found: &Found, args: &[String]) -> Option<String> {
        let truth = truth(&name(writing.kind(found.width)));
        Some(match found.idiom {
            Idiom::LogicalAnd => format!("(({} != 0) && ({} != 0){truth})", args[0], args[1]),
            Idiom::LogicalOr => format!("(({} != 0) || ({} != 0){truth})", args[0], args[1]),
            Idiom::LogicalNot => format!("(!({} != 0){truth})", args[0]),
            _ => return None,
        })
    }

    fn initial(&self, value: &BigInt, _: Kind) -> String {
        value.to_string()
    }

    fn constant(&self, constant: &Named, value: &str) -> String {
        format!("    {} constant {} = {value};", name(constant.kind), constant.name)
    }

    fn parameter(&self, parameter: &Named) -> String {
        format!("{} {}", name(parameter.kind), parameter.name)
    }

    fn open(page: &mut Page<'_, Self>, head: &Head) {
        let kind = name(head.result);
        let (visibility, result) = match head.role {
            Role::Entry => ("external", kind),
            Role::Helper(Inline::Always) => ("internal", format!("{kind} z")),
            Role::Helper(Inline::Free | Inline::Never) => ("internal", kind),
        };
        let Head { name, parameters, .. } = head;
        let signature = format!("{name}({parameters}) {visibility} pure returns ({result})");
        let _ = write!(page.out, "    function {signature} {{");
        if head.role == Role::Entry {
            page.line("");
            if Self::is_unchecked(page.writing) {
                page.line("        unchecked {");
            }
        }
    }

    /// A helper is one line.
    fn close(page: &mut Page<'_, Self>, head: &Head, result: TermId) {
        let result = page.value(result);
        let is_unchecked = Self::is_unchecked(page.writing);
        let statement = match head.role {
            Role::Helper(Inline::Always) => format!("z = {result};"),
            Role::Entry | Role::Helper(Inline::Free | Inline::Never) => format!("return {result};"),
        };
        match head.role {
            Role::Entry => {
                page.line(format!("        {statement}"));
                if is_unchecked {
                    page.line("        }");
                }
                page.line("    }");
            }
            Role::Helper(_) if is_unchecked => {
                page.line(format!(" unchecked {{ {statement} }} }}"));
            }
            Role::Helper(_) => page.line(format!(" {statement} }}")),
        }
    }

    fn define(page: &mut Page<'_, Self>, local: &Named, value: &str) {
        page.line(format!("        {} {} = {value};", name(local.kind), local.name));
    }

    fn branch(page: &mut Page<'_, Self>, local: &Named, _: TermId, parts: [TermId; 3]) {
        let [condition, yes, no] = parts.map(|it| page.value(it));
        let condition = tested(page.writing, parts[0], &condition);
        let (kind, local) = (name(local.kind), &local.name);
        page.line(format!("        {kind} {local};"));
        page.line(format!(
            "        if {condition} {{ {local} = {yes}; }} else {{ {local} = {no}; }}"
        ));
    }

    fn repeat(page: &mut Page<'_, Self>, local: &Named, repeat: Repeat) {
        let [start, body] = [repeat.start, repeat.body].map(|it| page.value(it));
        let one = page.printer.literal(&BigInt::from(1), local.kind);
        let update = assignment(&local.name, &body, COMPOUND, Some(&one));
        Self::define(page, local, &start);
        let (kind, times) = (name(local.kind), repeat.times);
        page.line(format!("        for ({kind} i = 0; i < {times}; i++) {update};"));
    }

    /// A call through a variable is hard to inline.
    fn call(page: &mut Page<'_, Self>, call: &Call) -> String {
        match call.inline {
            Inline::Free | Inline::Always => call.text(Self::SEPARATOR),
            Inline::Never => {
                let kinds: Vec<String> =
                    call.arguments.iter().map(|(_, kind)| name(*kind)).collect();
                let (kinds, result) = (kinds.join(", "), name(call.result));
                let (pointer, helper) = (format!("f{}", page.step), &call.helper);
                page.line(format!(
                    "        function ({kinds}) internal pure returns ({result}) {pointer} = {helper};"
                ));
                Call { helper: pointer, ..call.clone() }.text(Self::SEPARATOR)
            }
        }
    }
}

/// A word read as signed or not.
fn seen(at: &Applied<'_>, text: &str, width: u16, signed: bool) -> String {
    if signed == at.signed() {
        text.to_owned()
    } else {
        format!("{}({text})", name(Kind { signed, width }))
    }
}

/// A text in parentheses, signed or not, as the result.
fn own(at: &Applied<'_>, text: &str, signed: bool) -> String {
    if signed == at.signed() { text.to_owned() } else { format!("{}{text}", name(at.own())) }
}

fn infix(at: &Applied<'_>, operator: Operator) -> Option<String> {
    let signed = operator.is_signed(at.signed());
    let is_shift = operator.class == Class::Shift;
    let from = at.kind(0).width;
    let a = seen(at, &at.args[0], from, signed);
    let b = seen(at, &at.args[1], from, signed && !is_shift);
    let text = format!("{a} {} {b}", operator.sign);
    Some(match operator.class {
        Class::Sum | Class::Bitwise | Class::Division | Class::Shift => {
            own(at, &format!("({text})"), signed)
        }
        Class::Comparison => format!("({text}{})", truth(&name(at.own()))),
        Class::Extreme => format!("({text} ? {} : {})", at.args[0], at.args[1]),
        Class::Floored => return None,
    })
}

fn operator(at: &Applied<'_>) -> String {
    let (node, args) = (at.node, at.args);
    if let Some(text) = Operator::of(node.op).and_then(|it| infix(at, it)) {
        return text;
    }
    let (to, from, signed) = (at.own().width, at.kind(0).width, at.signed());
    let modular = |name: &str| {
        let words: Vec<String> = args.iter().map(|it| seen(at, it, to, false)).collect();
        own(at, &format!("({name}({}))", words.join(", ")), false)
    };
    match node.op {
        // Exponents are unsigned.
        Op::Exp => format!("({} ** {})", args[0], seen(at, &args[1], from, false)),
        Op::Neg if signed => format!("(-{})", args[0]),
        Op::Neg => format!("({}(0) - {})", name(at.own()), args[0]),
        Op::Not => format!("(~{})", args[0]),
        Op::Ite => {
            let condition = tested(at.writing, node.args[0], &args[0]);
            format!("({condition} ? {} : {})", args[1], args[2])
        }
        Op::Zext => wider(&args[0], from, to, signed, false),
        Op::Sext => wider(&args[0], from, to, signed, true),
        Op::Extract(low) => {
            let low = low.as_fixed().unwrap_or(0);
            let word = seen(at, &args[0], from, false);
            let shifted = if low == 0 { word } else { format!("({word} >> {low})") };
            let unsigned = name(Kind { signed: false, width: to });
            own(at, &format!("({unsigned}({shifted}))"), false)
        }
        Op::Concat => {
            let below = at.kind(1).width;
            let high = wider(&args[0], from, to, signed, false);
            let low = wider(&args[1], below, to, signed, false);
            format!("(({high} << {below}) | {low})")
        }
        Op::Addmod => modular("addmod"),
        Op::Mulmod => modular("mulmod"),
        _ => args.join(", "),
    }
}

/// A word as a condition. The choice that makes a comparison a word is undone.
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
