//! Yul: the words of the EVM, on which every operator is a total function. The program is an object whose
//! code takes the number of a function and its arguments as words, and returns one.
//!
//! The body of a function is the same in the inline assembly of Solidity, which is written in
//! `solidity.rs` and takes it from here.

use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::dialect::{Limits, no_trap};
use crate::printer::operators::{self, Operator};
use crate::printer::{Applied, Head, Page, Printer, Repeat, Role};
use crate::{
    Constants, Dialect, Entry, Found, Frame, Idiom, Inline, Kind, Named, Style, TrapKinds, Typed,
    Writing,
};
use identity::kernel::{Op, TermId};

pub const DIALECT: Dialect = Dialect {
    name: "expression-yul",
    summary: "functions over words of the EVM in Yul and their proven mutants, results known",
    language: "yul",
    comment: "//",
    styles: &[Style { name: "words", ..WORDS }],
    ending: "",
    limits: Limits::inputs(32),
    frame,
    items,
    constants,
    // Solidity documentation 0.8, "Yul", "EVM Dialect": `div(x, y)` is "x / y or 0 if y == 0", `mod(x, y)` is "x % y, 0 if
    // y == 0", and so on: every operator has a result.
    traps: TrapKinds::Never,
};

/// The words of the EVM, here and in inline assembly.
pub(super) const WORDS: Style = Style {
    name: "assembly",
    semantics: "evm",
    signed: false,
    widths: &[256],
    usual: &[],
    no_wrap: false,
    supports,
    idioms: IDIOMS,
    trap: no_trap,
};

const IDIOMS: &[Idiom] = &[Idiom::SignExtend8, Idiom::SignExtend16, Idiom::SignExtend32];

fn supports(op: Op, from: &[u16], to: u16) -> bool {
    let are_words = from.iter().chain([&to]).all(|&width| width == 256);
    are_words
        && match op {
            Op::Zext | Op::Sext | Op::Extract(_) => false,
            Op::Exp | Op::Byte | Op::Addmod | Op::Mulmod => true,
            _ => operators::is_universal(op),
        }
}

/// Constants are variables, whose values may be any expressions.
fn constants(style: &Style) -> Constants {
    let typed = Typed { semantics: style.semantics, supports, names: true };
    Constants { typed: Some(typed), literals: None, bounded: None }
}

/// Functions for operators that the EVM does not have, by name.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    ("select", "function select(c, x, y) -> z { switch c case 0 { z := y } default { z := x } }"),
    ("umin", "function umin(x, y) -> z { z := y if lt(x, y) { z := x } }"),
    ("umax", "function umax(x, y) -> z { z := x if lt(x, y) { z := y } }"),
    ("smin", "function smin(x, y) -> z { z := y if slt(x, y) { z := x } }"),
    ("smax", "function smax(x, y) -> z { z := x if slt(x, y) { z := y } }"),
];

const BEFORE: &str = "\
object \"Judged\" {
    code {
        datacopy(0, dataoffset(\"Runtime\"), datasize(\"Runtime\"))
        return(0, datasize(\"Runtime\"))
    }
    object \"Runtime\" {
        code {
            switch calldataload(0)
";

fn frame(entries: &[Entry]) -> Frame {
    let mut before = BEFORE.to_owned();
    for (index, entry) in entries.iter().enumerate() {
        let words =
            (1..=entry.signature.parameters.len()).map(|n| format!("calldataload({})", n * 32));
        let call = format!("{}({})", entry.name, words.collect::<Vec<_>>().join(", "));
        let _ = writeln!(before, "            case {index} {{ mstore(0, {call}) return(0, 32) }}");
    }
    before.push_str("            default { revert(0, 0) }\n");
    for (_, function) in FUNCTIONS {
        let _ = writeln!(before, "            {function}");
    }
    Frame { before, after: "        }\n    }\n}\n".to_owned() }
}

fn items(writing: &Writing<'_>) -> String {
    let mut page = Page::new(&Yul { around: Around::Object }, writing);
    page.helpers();
    page.function();
    page.out
}

/// What the code is inside of. Yul has no constants: where it cannot refer to those of a contract, they are variables of
/// each function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Around {
    Object,
    Contract,
    /// Of Solidity before 0.6, where assembly cannot refer to constants and has no `leave`.
    OldContract,
}

/// Helpers are functions. The function under test has its parameters around it, and its result in `r`.
#[derive(Debug)]
pub(super) struct Yul {
    pub(super) around: Around,
}

impl Printer for Yul {
    type State = ();

    fn literal(&self, value: &BigInt, _: Kind) -> String {
        value.to_string()
    }

    fn operator(&self, at: &Applied<'_>) -> String {
        operator(at)
    }

    fn idiom(&self, _: &Writing<'_>, found: &Found, args: &[String]) -> Option<String> {
        let last = match found.idiom {
            Idiom::SignExtend8 => 0,
            Idiom::SignExtend16 => 1,
            Idiom::SignExtend32 => 3,
            _ => return None,
        };
        Some(format!("signextend({last}, {})", args[0]))
    }

    fn constant(&self, constant: &Named, value: &str) -> String {
        format!("    let {} := {value}", constant.name)
    }

    fn parameter(&self, parameter: &Named) -> String {
        parameter.name.clone()
    }

    /// A name that is visible around a function cannot be declared in it again, not even as a parameter: what is `k0`
    /// outside is `q0` in a helper.
    fn open(page: &mut Page<'_, Self>, head: &Head) {
        let Head { name, parameters, .. } = head;
        let around = page.printer.around;
        match head.role {
            Role::Helper(_) => {
                let parameters = parameters.replace('k', "q");
                page.line(format!("function {name}({parameters}) -> z {{"));
            }
            Role::Entry if around == Around::Object => {
                page.line(format!("function {name}({parameters}) -> r {{"));
            }
            Role::Entry => {}
        }
        if around != Around::Contract {
            page.constants();
        }
    }

    fn close(page: &mut Page<'_, Self>, head: &Head, result: TermId) {
        let result = page.value(result);
        let around = page.printer.around;
        match head.role {
            Role::Helper(inline) => {
                page.line(format!("    z := {}", result.replace('k', "q")));
                // Some inliners skip functions with `leave`.
                if inline == Inline::Never && around != Around::OldContract {
                    page.line("    leave");
                }
                page.line("}");
            }
            Role::Entry => {
                page.line(format!("    r := {result}"));
                if around == Around::Object {
                    page.line("}");
                }
            }
        }
    }

    fn define(page: &mut Page<'_, Self>, local: &Named, value: &str) {
        page.line(format!("    let {} := {value}", local.name));
    }

    fn branch(page: &mut Page<'_, Self>, local: &Named, _: TermId, parts: [TermId; 3]) {
        let [condition, yes, no] = parts.map(|it| page.value(it));
        Self::define(page, local, &no);
        page.line(format!("    if {condition} {{ {} := {yes} }}", local.name));
    }

    fn repeat(page: &mut Page<'_, Self>, local: &Named, repeat: Repeat) {
        let [start, body] = [repeat.start, repeat.body].map(|it| page.value(it));
        let (name, times) = (&local.name, repeat.times);
        Self::define(page, local, &start);
        page.line(format!(
            "    for {{ let i := 0 }} lt(i, {times}) {{ i := add(i, 1) }} {{ {name} := {body} }}"
        ));
    }
}

/// The instructions whose operands are in the order of the operator's.
const INSTRUCTIONS: &[(Op, &str)] = &[
    (Op::Not, "not"),
    (Op::Udiv, "div"),
    (Op::Urem, "mod"),
    (Op::Sdiv, "sdiv"),
    (Op::Srem, "smod"),
    (Op::Exp, "exp"),
    (Op::Byte, "byte"),
    (Op::Addmod, "addmod"),
    (Op::Mulmod, "mulmod"),
    (Op::Ult, "lt"),
    (Op::Ugt, "gt"),
    (Op::Slt, "slt"),
    (Op::Sgt, "sgt"),
    (Op::Umin, "umin"),
    (Op::Umax, "umax"),
    (Op::Smin, "smin"),
    (Op::Smax, "smax"),
    (Op::Ite, "select"),
];

fn operator(at: &Applied<'_>) -> String {
    let (node, args) = (at.node, at.args);
    let all = args.join(", ");
    if let Some((_, name)) = INSTRUCTIONS.iter().find(|(op, _)| *op == node.op) {
        return format!("{name}({all})");
    }
    // The amount of a shift comes first.
    let shift = |name: &str| format!("{name}({}, {})", args[1], args[0]);
    match node.op {
        Op::Neg => format!("sub(0, {all})"),
        Op::Shl => shift("shl"),
        Op::Lshr => shift("shr"),
        Op::Ashr => extension(at).unwrap_or_else(|| shift("sar")),
        Op::Eq if args[1] == "0" => format!("iszero({})", args[0]),
        Op::Ne => format!("iszero(eq({all}))"),
        Op::Ule => format!("iszero(gt({all}))"),
        Op::Uge => format!("iszero(lt({all}))"),
        Op::Sle => format!("iszero(sgt({all}))"),
        Op::Sge => format!("iszero(slt({all}))"),
        op => match Operator::of(op) {
            Some(operator) => format!("{}({all})", operator.word),
            None => all,
        },
    }
}

/// A shift to the left and back by the same whole bytes, as `signextend`.
fn extension(at: &Applied<'_>) -> Option<String> {
    let (terms, node, args) = (at.writing.terms, at.node, at.args);
    let amount = terms.literal_value(node.args[1])?;
    let inner = terms.node(node.args[0]);
    if inner.op != Op::Shl || inner.args[1] != node.args[1] {
        return None;
    }
    let bits = u16::try_from(amount).ok().filter(|bits| bits % 8 == 0 && *bits < 256)?;
    let word = args[0].strip_prefix(&format!("shl({}, ", args[1]))?.strip_suffix(')')?;
    Some(format!("signextend({}, {word})", 31 - bits / 8))
}
