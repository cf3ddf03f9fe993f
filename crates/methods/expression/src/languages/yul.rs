//! Yul: the words of the EVM, on which every operator is a total function. The program is an object whose
//! code takes the number of a function and its arguments as words, and returns one.
//!
//! The body of a function is the same in the inline assembly of Solidity, which is written in
//! `solidity.rs` and takes it from here.

use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::program::Step;
use crate::{
    Constants, Dialect, Entry, Found, Frame, Idiom, Inline, Kind, STEM, Style, TrapKinds, Typed,
    Writing,
};
use identity::kernel::{Node, Op, TermId, Trap};

pub const DIALECT: Dialect = Dialect {
    name: "expression-yul",
    summary: "functions over words of the EVM in Yul and their proven mutants, results known",
    language: "yul",
    comment: "//",
    styles: &[Style {
        name: "words",
        semantics: "evm",
        signed: false,
        widths: &[256],
        usual: &[],
        no_wrap: false,
        speaks,
        idioms: IDIOMS,
        trap,
    }],
    inputs: 32,
    ending: "",
    nodes: 80,
    text: 250,
    frame,
    items,
    constants: constants_of,
    idiom,
    // Nothing traps: Ethereum yellow paper, appendix H, defines division by zero as 0.
    traps: TrapKinds::Distinct,
};

pub(super) const IDIOMS: &[Idiom] = &[Idiom::SignExtend8, Idiom::SignExtend16, Idiom::SignExtend32];

pub(super) fn speaks(op: Op, from: &[u16], to: u16) -> bool {
    if to != 256 || from.iter().any(|&width| width != 256) {
        return false;
    }
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => true,
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Shl | Op::Lshr | Op::Ashr => true,
        Op::Ite | Op::Umin | Op::Umax | Op::Smin | Op::Smax => true,
        Op::Exp | Op::Byte | Op::Addmod | Op::Mulmod => true,
        _ => op.is_comparison(),
    }
}

/// Nothing traps.
pub(super) fn trap(_: Trap) -> &'static str {
    "trap"
}

/// They are variables, which may be anything.
fn constants_of(style: &Style) -> Constants {
    let typed = Typed { semantics: style.semantics, speaks, names: true };
    Constants { typed: Some(typed), literals: None, bounded: None }
}

/// What no operator of the machine does, by name. Expressions use these names.
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
    let mut out = helpers(writing, Around::Object);
    let parameters: Vec<String> = writing.parameters().into_iter().map(|it| it.name).collect();
    let _ = writeln!(out, "function {STEM}({}) -> r {{", parameters.join(", "));
    out.push_str(&constants(writing, Around::Object));
    out.push_str(&body(writing));
    out.push_str("}\n");
    out
}

/// What a body is written into. Yul has no constants of its own: where those of the contract cannot be
/// seen they are variables of each function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Around {
    Object,
    Contract,
    /// Before 0.6, where a function cannot be left early either.
    OldContract,
}

/// The declarations of the constants of the module.
pub(super) fn constants(writing: &Writing<'_>, around: Around) -> String {
    let mut out = String::new();
    if around != Around::Contract {
        for (constant, value) in writing.constants() {
            let _ = writeln!(out, "    let {} := {value}", constant.name);
        }
        for (constant, text) in writing.folded(&number, &operator) {
            let _ = writeln!(out, "    let {} := {text}", constant.name);
        }
    }
    out
}

/// The functions that steps call. A name that is visible around a function can't be used in it again,
/// not even for a parameter, so that what is `k0` outside is `q0` here.
pub(super) fn helpers(writing: &Writing<'_>, around: Around) -> String {
    let mut out = String::new();
    for (index, step) in writing.body.steps.iter().enumerate() {
        let Step::Call { body, inline, .. } = step else { continue };
        if !writing.declares(index) {
            continue;
        }
        let (own, carried) = writing.helper_parameters(index);
        let names = own.into_iter().chain(carried).map(|it| it.name.replace('k', "q"));
        let parameters = names.collect::<Vec<_>>().join(", ");
        let text = say(writing, *body, index).replace('k', "q");
        let _ = writeln!(out, "function {}({parameters}) -> z {{", writing.helper(index));
        out.push_str(&constants(writing, around));
        let _ = match inline {
            // A function that can be left early is one that some inliners leave alone.
            Inline::Never if around != Around::OldContract => {
                writeln!(out, "    z := {text}\n    leave\n}}")
            }
            _ => writeln!(out, "    z := {text}\n}}"),
        };
    }
    out
}

/// The steps, and the result in `r`.
pub(super) fn body(writing: &Writing<'_>) -> String {
    let mut out = String::new();
    for (index, step) in writing.body.steps.iter().enumerate() {
        let local = writing.local(index);
        let _ = match step {
            Step::Let { term } => match writing.choice(*term) {
                Some(parts) => {
                    let [condition, yes, no] = parts.map(|it| say(writing, it, index));
                    writeln!(
                        out,
                        "    let {local} := {no}\n    if {condition} {{ {local} := {yes} }}"
                    )
                }
                None => writeln!(out, "    let {local} := {}", say(writing, *term, index)),
            },
            Step::Loop { times, start, body } => writeln!(
                out,
                "    let {local} := {}\n    for {{ let i := 0 }} lt(i, {times}) {{ i := add(i, 1) }} \
                 {{ {local} := {} }}",
                say(writing, *start, index),
                say(writing, *body, index)
            ),
            Step::Call { arguments, .. } => {
                let (_, carried) = writing.helper_parameters(index);
                let own = arguments.iter().map(|&argument| say(writing, argument, index));
                let all: Vec<String> = own.chain(carried.into_iter().map(|it| it.name)).collect();
                writeln!(out, "    let {local} := {}({})", writing.helper(index), all.join(", "))
            }
        };
    }
    let steps = writing.body.steps.len();
    let _ = writeln!(out, "    r := {}", say(writing, writing.body.result, steps));
    out
}

fn say(writing: &Writing<'_>, term: TermId, step: usize) -> String {
    writing.say(term, step, &number, &operator)
}

fn number(value: &BigInt, _: Kind) -> String {
    value.to_string()
}

fn operator(writing: &Writing<'_>, node: Node, args: &[String]) -> String {
    let all = args.join(", ");
    // The amount of a shift comes first.
    let swapped = || format!("{}, {}", args[1], args[0]);
    match node.op {
        Op::Add => format!("add({all})"),
        Op::Sub => format!("sub({all})"),
        Op::Mul => format!("mul({all})"),
        Op::Neg => format!("sub(0, {all})"),
        Op::Not => format!("not({all})"),
        Op::And => format!("and({all})"),
        Op::Or => format!("or({all})"),
        Op::Xor => format!("xor({all})"),
        Op::Udiv => format!("div({all})"),
        Op::Urem => format!("mod({all})"),
        Op::Sdiv => format!("sdiv({all})"),
        Op::Srem => format!("smod({all})"),
        Op::Shl => format!("shl({})", swapped()),
        Op::Lshr => format!("shr({})", swapped()),
        Op::Ashr => extension(writing, node, args).unwrap_or_else(|| format!("sar({})", swapped())),
        Op::Exp => format!("exp({all})"),
        Op::Byte => format!("byte({all})"),
        Op::Addmod => format!("addmod({all})"),
        Op::Mulmod => format!("mulmod({all})"),
        Op::Eq if args[1] == "0" => format!("iszero({})", args[0]),
        Op::Eq => format!("eq({all})"),
        Op::Ne => format!("iszero(eq({all}))"),
        Op::Ult => format!("lt({all})"),
        Op::Ugt => format!("gt({all})"),
        Op::Ule => format!("iszero(gt({all}))"),
        Op::Uge => format!("iszero(lt({all}))"),
        Op::Slt => format!("slt({all})"),
        Op::Sgt => format!("sgt({all})"),
        Op::Sle => format!("iszero(sgt({all}))"),
        Op::Sge => format!("iszero(slt({all}))"),
        Op::Umin => format!("umin({all})"),
        Op::Umax => format!("umax({all})"),
        Op::Smin => format!("smin({all})"),
        Op::Smax => format!("smax({all})"),
        Op::Ite => format!("select({all})"),
        _ => all,
    }
}

pub(super) fn idiom(_: &Writing<'_>, found: &Found, _: usize, args: &[String]) -> Option<String> {
    let last = match found.idiom {
        Idiom::SignExtend8 => 0,
        Idiom::SignExtend16 => 1,
        Idiom::SignExtend32 => 3,
        _ => return None,
    };
    Some(format!("signextend({last}, {})", args[0]))
}

/// A shift to the left and back by the same whole bytes is what `signextend` is for.
fn extension(writing: &Writing<'_>, node: Node, args: &[String]) -> Option<String> {
    let amount = writing.terms.literal_value(node.args[1])?;
    let inner = writing.terms.node(node.args[0]);
    if inner.op != Op::Shl || inner.args[1] != node.args[1] {
        return None;
    }
    let bits = u16::try_from(amount).ok().filter(|bits| bits % 8 == 0 && *bits < 256)?;
    let word = args[0].strip_prefix(&format!("shl({}, ", args[1]))?.strip_suffix(')')?;
    Some(format!("signextend({}, {word})", 31 - bits / 8))
}
