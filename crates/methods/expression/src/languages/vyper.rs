//! Vyper, from 0.4 on: checked arithmetic, signed and unsigned, and the `unsafe` functions, which wrap. Some types have no
//! shifts or complement: these are written with other operators. The compiler folds constants, and rejects those that
//! overflow.

use std::collections::{HashMap, HashSet};

use num_bigint::BigInt;

use super::solidity::name;
use super::widths::{EVM, EVM_USUAL, are_evm};
use crate::dialect::Limits;
use crate::printer::operators::{Class, Operator};
use crate::printer::{Applied, Call, Head, Page, Printer, Repeat, Role, assignment, print};
use crate::{Constants, Dialect, Found, Frame, Idiom, Kind, Named, Style, TrapKinds, Writing};
use identity::kernel::{Op, TermId, Terms, Trap};

/// The largest term, in nodes, that is written as one expression. The legacy code generator optimises a whole expression
/// again at each of its levels.
const WHOLE: usize = 8;

/// The depth of the expressions that a larger term is split into, each with a variable.
const DEPTH: usize = 4;

const UNSIGNED: Style = Style {
    name: "unsigned",
    semantics: "vyper-unsigned",
    signed: false,
    widths: EVM,
    usual: EVM_USUAL,
    no_wrap: false,
    supports: unsigned,
    idioms: LOGICAL,
    trap,
};

/// The widest type.
const WORD: Kind = Kind { signed: false, width: 256 };

const LOGICAL: &[Idiom] = &[Idiom::LogicalAnd, Idiom::LogicalOr, Idiom::LogicalNot];

/// The operators with a compound assignment.
const COMPOUND: &[&str] = &["+", "-", "*", "//", "%", "&", "|", "^"];

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
            supports: signed,
            idioms: &[Idiom::Abs, Idiom::LogicalAnd, Idiom::LogicalOr, Idiom::LogicalNot],
            ..UNSIGNED
        },
        // Division is checked all the same, and whatever is checked reverts.
        Style { name: "unsafe", semantics: "solidity-unchecked", supports: unsigned, ..UNSIGNED },
        Style {
            name: "words",
            semantics: "evm",
            widths: &[256],
            usual: &[],
            no_wrap: false,
            supports: words,
            ..UNSIGNED
        },
    ],
    ending: "",
    // The time of the legacy code generator grows with the square of the depth.
    limits: Limits { inputs: 32, nodes: 40, text: 50 },
    frame: |_| Frame { before: String::new(), after: String::new() },
    items: |writing| print(&Vyper, writing),
    constants,
    // Documentation, front page: "Bounds and overflow checking: On array accesses and arithmetic." "Built-in Functions",
    // `uint256_mulmod`: "Reverts if c == 0." It tells no kinds of reverts apart: all have one code, which is distinct from an
    // invalid instruction and from exhausted gas.
    traps: TrapKinds::Distinct,
};

fn unsigned(op: Op, from: &[u16], to: u16) -> bool {
    are_evm(from, to)
        && match op {
            Op::Neg | Op::Not | Op::Ite | Op::Zext | Op::Extract(_) => true,
            Op::Addmod | Op::Mulmod => to == 256,
            _ => Operator::of(op).is_some_and(|it| !it.is_signed(false)),
        }
}

fn signed(op: Op, from: &[u16], to: u16) -> bool {
    are_evm(from, to)
        && match op {
            Op::Neg | Op::Not | Op::Ite | Op::Sext => true,
            Op::Shl | Op::Ashr => to == 256,
            Op::Fdiv | Op::Fmod => false,
            _ => Operator::of(op).is_some_and(|it| it.is_signed(true)),
        }
}

fn words(op: Op, from: &[u16], to: u16) -> bool {
    let checked = matches!(op, Op::Urem | Op::Addmod | Op::Mulmod);
    to == 256
        && from.iter().all(|&width| width == 256)
        && (op == Op::Exp || !checked && unsigned(op, from, to))
}

/// A constant is an expression of literals, and `convert` is not folded. Each literal and each result has the type of the
/// constant, and only `uint256` has shifts.
fn constants(_: &Style) -> Constants {
    let typed = |text: &str, kind| format!("convert({text}, {})", name(kind));
    let supports = |op: Op, kind: Kind| match op {
        Op::Shl | Op::Lshr => kind.width == 256 && !kind.signed,
        Op::Ashr | Op::Neg => false,
        _ => true,
    };
    Constants { typed: None, literals: Some(typed), bounded: Some(supports) }
}

fn trap(_: Trap) -> &'static str {
    "revert"
}

#[derive(Debug)]
struct Vyper;

/// What a Vyper source has so far.
#[derive(Default, Debug)]
struct State {
    /// How many variables stand for parts of terms.
    variables: usize,
    /// The levels of indentation of the statement that is being written, below those of the function.
    nested: usize,
}

impl Printer for Vyper {
    type State = State;

    /// A literal has whatever type fits, unless it is converted; one that fits a single type cannot be converted.
    fn literal(&self, value: &BigInt, kind: Kind) -> String {
        let most: BigInt = BigInt::from(1) << 255;
        let least: BigInt = BigInt::from(-1) << 247;
        let largest = *value >= most || *value < least;
        if largest { value.to_string() } else { format!("convert({value}, {})", name(kind)) }
    }

    fn operator(&self, at: &Applied<'_>) -> String {
        operator(at)
    }

    fn idiom(&self, writing: &Writing<'_>, found: &Found, args: &[String]) -> Option<String> {
        let kind = writing.kind(found.width);
        let [no, yes] = [0, 1].map(|value| self.literal(&BigInt::from(value), kind));
        let test = |n: usize| format!("({} != {no})", args[n]);
        let truth = |text: String| format!("({yes} if ({text}) else {no})");
        Some(match found.idiom {
            // Narrower types have none.
            Idiom::Abs if found.width == 256 => format!("abs({})", args[0]),
            Idiom::LogicalAnd => truth(format!("{} and {}", test(0), test(1))),
            Idiom::LogicalOr => truth(format!("{} or {}", test(0), test(1))),
            Idiom::LogicalNot => truth(format!("not {}", test(0))),
            _ => return None,
        })
    }

    fn value(page: &mut Page<'_, Self>, term: TermId) -> String {
        value(page, term)
    }

    fn initial(&self, value: &BigInt, _: Kind) -> String {
        value.to_string()
    }

    fn constant(&self, constant: &Named, value: &str) -> String {
        let value = value.replace('/', "//");
        format!("{}: constant({}) = {value}", constant.name, name(constant.kind))
    }

    fn parameter(&self, parameter: &Named) -> String {
        format!("{}: {}", parameter.name, name(parameter.kind))
    }

    fn open(page: &mut Page<'_, Self>, head: &Head) {
        let visibility = match head.role {
            Role::Entry => "external",
            Role::Helper(_) => "internal",
        };
        let (kind, Head { name, parameters, .. }) = (name(head.result), head);
        page.line(format!("\n@{visibility}\n@pure"));
        page.line(format!("def {name}({parameters}) -> {kind}:"));
    }

    fn close(page: &mut Page<'_, Self>, head: &Head, result: TermId) {
        let mut value = page.value(result);
        if page.writing.terms.in_order(&[result]).len() > WHOLE {
            value = variable(page, result, &value);
        }
        statement(page, &format!("return {value}"));
        if head.role == Role::Entry {
            page.line("");
        }
    }

    fn define(page: &mut Page<'_, Self>, local: &Named, value: &str) {
        statement(page, &format!("{}: {} = {value}", local.name, name(local.kind)));
    }

    fn branch(page: &mut Page<'_, Self>, local: &Named, _: TermId, parts: [TermId; 3]) {
        let [condition, yes, no] = parts;
        let zero = |kind: Kind| page.printer.literal(&BigInt::ZERO, kind);
        let (untrue, initial) = (zero(page.writing.kind_of(condition)), zero(local.kind));
        let condition = page.value(condition);
        Self::define(page, local, &initial);
        statement(page, &format!("if {condition} != {untrue}:"));
        nested(page, yes, |value| format!("{} = {value}", local.name));
        statement(page, "else:");
        nested(page, no, |value| format!("{} = {value}", local.name));
    }

    fn repeat(page: &mut Page<'_, Self>, local: &Named, repeat: Repeat) {
        let start = page.value(repeat.start);
        Self::define(page, local, &start);
        statement(page, &format!("for i: {} in range({}):", name(local.kind), repeat.times));
        nested(page, repeat.body, |value| assignment(&local.name, value, COMPOUND, None));
    }

    fn call(_: &mut Page<'_, Self>, call: &Call) -> String {
        format!("self.{}", call.text(Self::SEPARATOR))
    }
}

/// A line of a function.
fn statement(page: &mut Page<'_, Vyper>, text: &str) {
    page.line(format!("{:1$}{text}", "", 4 + 4 * page.state.nested));
}

/// A statement inside of another one, with the value of a term.
fn nested(page: &mut Page<'_, Vyper>, term: TermId, text: impl Fn(&str) -> String) {
    page.state.nested += 1;
    let value = page.value(term);
    statement(page, &text(&value));
    page.state.nested -= 1;
}

/// A variable for a term, and its name.
fn variable(page: &mut Page<'_, Vyper>, term: TermId, value: &str) -> String {
    let variable = format!("t{}", page.state.variables);
    page.state.variables += 1;
    let kind = name(page.writing.kind_of(term));
    statement(page, &format!("{variable}: {kind} = {value}"));
    variable
}

/// The term as an expression, after the declarations of variables for its parts if it is large. They may change the order
/// of traps, which is not observable: all revert. Parts that are evaluated under a condition stay where they are.
fn value(page: &mut Page<'_, Vyper>, term: TermId) -> String {
    let terms = page.writing.terms;
    let parts = terms.in_order(&[term]);
    if parts.len() > WHOLE {
        let always = always(terms, term);
        let mut levels: HashMap<TermId, usize> = HashMap::new();
        for part in parts {
            let below = terms.args(part).iter().filter_map(|arg| levels.get(arg)).max();
            let mut level = below.map_or(0, |below| below + 1);
            if level == DEPTH && part != term && always.contains(&part) {
                let text = page.text(part);
                let name = variable(page, part, &text);
                page.names.insert(part, name);
                level = 0;
            }
            levels.insert(part, level);
        }
    }
    let text = page.text(term);
    page.names.clear();
    text
}

/// The parts of a term that are evaluated unconditionally.
fn always(terms: &Terms, root: TermId) -> HashSet<TermId> {
    let mut all = HashSet::new();
    let mut left = vec![root];
    while let Some(term) = left.pop() {
        if all.insert(term) {
            let args = terms.args(term);
            let chooses = terms.op(term) == Op::Ite;
            left.extend(if chooses { &args[..1] } else { args });
        }
    }
    all
}

/// As many ones as a width has bits, as a number of a kind.
fn ones(width: u16, kind: Kind) -> String {
    Vyper.literal(&((BigInt::from(1) << width) - 1), kind)
}

/// A shift of a narrower word is one of a wide word, of which the lowest bits are taken.
fn shift(at: &Applied<'_>, sign: &str) -> String {
    let (args, to) = (at.args, at.own().width);
    if to != 256 {
        let [word, amount] = [&args[0], &args[1]].map(|it| format!("convert({it}, uint256)"));
        let bits = format!("(({word} {sign} {amount}) & {})", ones(to, WORD));
        return format!("convert({bits}, {})", name(at.own()));
    }
    // The compiler rejects larger constants. A shift by 256 gives the same result.
    let known = at.writing.terms.literal_value(at.node.args[1]);
    let amount = match known.is_some_and(|it| *it > BigInt::from(256)) {
        true => Vyper.literal(&256.into(), at.own()),
        false => args[1].clone(),
    };
    match at.signed() {
        true => format!("({} {sign} convert(convert({amount}, bytes32), uint256))", args[0]),
        false => format!("({} {sign} {amount})", args[0]),
    }
}

fn binary(at: &Applied<'_>, operator: Operator) -> Option<String> {
    let (args, sign) = (at.args, operator.sign);
    let call = |name: &str| format!("{name}({}, {})", args[0], args[1]);
    let infix = |sign: &str| format!("({} {sign} {})", args[0], args[1]);
    Some(match operator.class {
        Class::Sum if wraps(at) => call(&format!("unsafe_{}", operator.word)),
        Class::Division if operator.op == Op::Udiv && at.writing.style.semantics == "evm" => {
            call("unsafe_div")
        }
        Class::Division if operator.word == "div" => infix("//"),
        Class::Sum | Class::Bitwise | Class::Division => infix(sign),
        Class::Shift => shift(at, sign),
        Class::Comparison => {
            let [yes, no] = [1, 0].map(|value| Vyper.literal(&value.into(), at.own()));
            format!("({yes} if {} else {no})", infix(sign))
        }
        Class::Extreme => call(operator.word),
        Class::Floored => return None,
    })
}

/// Whether sums are not checked.
fn wraps(at: &Applied<'_>) -> bool {
    !at.writing.style.semantics.starts_with("vyper")
}

fn operator(at: &Applied<'_>) -> String {
    let (node, args, kind) = (at.node, at.args, at.own());
    if let Some(text) = Operator::of(node.op).and_then(|it| binary(at, it)) {
        return text;
    }
    let (to, from) = (kind.width, at.kind(0).width);
    let zero = |kind: Kind| Vyper.literal(&BigInt::ZERO, kind);
    match node.op {
        Op::Neg if at.signed() => format!("(-{})", args[0]),
        Op::Neg if wraps(at) => format!("unsafe_sub({}, {})", zero(kind), args[0]),
        Op::Neg => format!("({} - {})", zero(kind), args[0]),
        Op::Not if at.signed() => {
            format!("({} ^ {})", args[0], Vyper.literal(&BigInt::from(-1), kind))
        }
        Op::Not if to == 256 => format!("(~{})", args[0]),
        Op::Not => format!("({} ^ {})", args[0], ones(to, kind)),
        Op::Exp => format!("pow_mod256({}, {})", args[0], args[1]),
        Op::Ite => {
            format!("({} if ({} != {}) else {})", args[1], args[0], zero(at.kind(0)), args[2])
        }
        Op::Zext | Op::Sext => format!("convert({}, {})", args[0], name(kind)),
        Op::Extract(low) => {
            let wide = match from {
                256 => args[0].clone(),
                _ => format!("convert({}, uint256)", args[0]),
            };
            let low = low.as_fixed().unwrap_or(0);
            let shifted = if low == 0 { wide } else { format!("({wide} >> {low})") };
            format!("convert(({shifted} & {}), {})", ones(to, WORD), name(kind))
        }
        Op::Addmod => format!("uint256_addmod({})", args.join(", ")),
        Op::Mulmod => format!("uint256_mulmod({})", args.join(", ")),
        _ => args.join(", "),
    }
}
