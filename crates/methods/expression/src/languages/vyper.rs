//! Vyper, from 0.4 on: checked arithmetic, signed and unsigned, and the `unsafe` functions, which wrap.
//! Shifts and complements exist for some types alone: where words are narrower they are written by others
//! that come to the same. The language folds constants itself, and rejects what it sees to fail.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::program::Step;
use crate::{
    Constants, Dialect, Entry, Found, Frame, Idiom, Kind, Named, STEM, Style, TrapKinds, Writing,
};
use identity::kernel::{Node, Op, TermId, Terms, Trap};

/// All that there are.
const WIDTHS: &[u16] = &[
    8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168,
    176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256,
];

/// What contracts are written with: the words of the machine above all.
const USUAL: &[u16] = &[8, 16, 32, 64, 128, 160, 256, 256, 256, 256];

/// The largest term, in nodes, that is written as one expression. What is inside of an expression is optimised
/// over and over by the legacy code generator, once for each level and each time as a whole.
const WHOLE: usize = 8;

/// How deep the expressions are that a larger term is written as, each a variable of its own.
const LEVELS: usize = 4;

const UNSIGNED: Style = Style {
    name: "unsigned",
    semantics: "vyper-unsigned",
    signed: false,
    widths: WIDTHS,
    usual: USUAL,
    no_wrap: false,
    speaks: unsigned,
    idioms: LOGICAL,
    trap,
};

const LOGICAL: &[Idiom] = &[Idiom::LogicalAnd, Idiom::LogicalOr, Idiom::LogicalNot];

/// The operators that have a compound assignment.
const ASSIGNED: &[&str] = &["+", "-", "*", "//", "%", "&", "|", "^"];

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
            idioms: &[Idiom::Abs, Idiom::LogicalAnd, Idiom::LogicalOr, Idiom::LogicalNot],
            ..UNSIGNED
        },
        // Division is checked all the same, and whatever is checked reverts.
        Style { name: "unsafe", semantics: "solidity-unchecked", speaks: unsigned, ..UNSIGNED },
        Style {
            name: "words",
            semantics: "evm",
            widths: &[256],
            usual: &[],
            no_wrap: false,
            speaks: words,
            ..UNSIGNED
        },
    ],
    inputs: 32,
    ending: "",
    // The time of the legacy code generator grows with the square of the depth.
    nodes: 40,
    text: 50,
    frame,
    items,
    constants,
    idiom,
    // All checks of the language revert, with no data, so that there is one code. A revert is distinct from an
    // invalid instruction and from exhausted gas.
    traps: TrapKinds::Distinct,
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

/// A constant is an expression of literals, and `convert` is not folded. Each literal and each result is of the
/// type of the constant, and words that are narrower or signed are not shifted.
fn constants(_: &Style) -> Constants {
    let typed = |text: &str, kind| format!("convert({text}, {})", name(kind));
    let speaks = |op: Op, kind: Kind| match op {
        Op::Shl | Op::Lshr => kind.width == 256 && !kind.signed,
        Op::Ashr | Op::Neg => false,
        _ => true,
    };
    Constants { typed: None, literals: Some(typed), bounded: Some(speaks) }
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
    let mut page = Page { writing, out: String::new(), variables: 0 };
    for (constant, value) in writing.constants() {
        page.line(0, &format!("{}: constant({}) = {value}", constant.name, name(constant.kind)));
    }
    for (constant, text) in writing.folded(&number, &operator) {
        let (kind, text) = (name(constant.kind), text.replace('/', "//"));
        page.line(0, &format!("{}: constant({kind}) = {text}", constant.name));
    }
    for (index, step) in writing.body.steps.iter().enumerate() {
        let Step::Call { body, .. } = step else { continue };
        if !writing.declares(index) {
            continue;
        }
        let (own, carried) = writing.helper_parameters(index);
        page.head("internal", &writing.helper(index), &[own, carried].concat(), *body);
        page.result(*body, index);
    }
    page.head("external", STEM, &writing.parameters(), writing.body.result);
    for (index, step) in writing.body.steps.iter().enumerate() {
        let kind = name(writing.kind_of(step.value()));
        let local = writing.local(index);
        match step {
            Step::Let { term } => match writing.choice(*term) {
                Some([condition, yes, no]) => {
                    let zero = number(&BigInt::ZERO, writing.kind_of(condition));
                    let said = page.say(condition, index, 1);
                    page.line(
                        1,
                        &format!(
                            "{local}: {kind} = {}",
                            number(&BigInt::ZERO, writing.kind_of(*term))
                        ),
                    );
                    page.line(1, &format!("if {said} != {zero}:"));
                    let said = page.say(yes, index, 2);
                    page.line(2, &format!("{local} = {said}"));
                    page.line(1, "else:");
                    let said = page.say(no, index, 2);
                    page.line(2, &format!("{local} = {said}"));
                }
                None => {
                    let said = page.say(*term, index, 1);
                    page.line(1, &format!("{local}: {kind} = {said}"));
                }
            },
            Step::Loop { times, start, body } => {
                let said = page.say(*start, index, 1);
                page.line(1, &format!("{local}: {kind} = {said}"));
                page.line(1, &format!("for i: {kind} in range({times}):"));
                let said = page.say(*body, index, 2);
                page.line(2, &writing.assignment(&local, &said, ASSIGNED, None));
            }
            Step::Call { arguments, .. } => {
                let (_, carried) = writing.helper_parameters(index);
                let own = arguments.iter().map(|&argument| page.say(argument, index, 1));
                let mut all: Vec<String> = own.collect();
                all.extend(carried.into_iter().map(|it| it.name));
                let call = format!("self.{}({})", writing.helper(index), all.join(", "));
                page.line(1, &format!("{local}: {kind} = {call}"));
            }
        }
    }
    page.result(writing.body.result, writing.body.steps.len());
    page.line(0, "");
    page.out
}

/// What is written so far.
struct Page<'a> {
    writing: &'a Writing<'a>,
    out: String,
    /// How many variables it has for parts of terms.
    variables: usize,
}

impl Page<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 4 * indent);
    }

    fn head(&mut self, seen: &str, function: &str, parameters: &[Named], result: TermId) {
        self.line(0, &format!("\n@{seen}\n@pure"));
        let kind = name(self.writing.kind_of(result));
        self.line(0, &format!("def {function}({}) -> {kind}:", declared(parameters)));
    }

    fn result(&mut self, term: TermId, step: usize) {
        let mut said = self.say(term, step, 1);
        if self.writing.terms.in_order(&[term]).len() > WHOLE {
            said = self.variable(term, &said, 1);
        }
        self.line(1, &format!("return {said}"));
    }

    /// A variable for a term, which is called by its name from now on.
    fn variable(&mut self, term: TermId, said: &str, indent: usize) -> String {
        let variable = format!("t{}", self.variables);
        self.variables += 1;
        let kind = name(self.writing.kind_of(term));
        self.line(indent, &format!("{variable}: {kind} = {said}"));
        variable
    }

    /// The term as an expression, after lines with what it is made of if it is large. That may stop the
    /// program in another order, which nobody sees, since there is one way to stop. What a choice takes only
    /// at times stays where it is.
    fn say(&mut self, term: TermId, step: usize, indent: usize) -> String {
        let (writing, terms) = (self.writing, self.writing.terms);
        let parts = terms.in_order(&[term]);
        let mut names = HashMap::new();
        if parts.len() > WHOLE {
            let always = always(terms, term);
            let mut levels: HashMap<TermId, usize> = HashMap::new();
            for part in parts {
                let below = terms.args(part).iter().filter_map(|arg| levels.get(arg)).max();
                let mut level = below.map_or(0, |below| below + 1);
                if level == LEVELS && part != term && always.contains(&part) {
                    let said = writing.say_by(&names, part, step, &number, &operator);
                    names.insert(part, self.variable(part, &said, indent));
                    level = 0;
                }
                levels.insert(part, level);
            }
        }
        writing.say_by(&names, term, step, &number, &operator)
    }
}

/// The parts of a term that are computed whatever their operands are.
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

fn idiom(writing: &Writing<'_>, found: &Found, _: usize, args: &[String]) -> Option<String> {
    let kind = writing.kind(found.width);
    let [no, yes] = [0, 1].map(|value| number(&BigInt::from(value), kind));
    let test = |n: usize| format!("({} != {no})", args[n]);
    let truth = |text: String| format!("({yes} if ({text}) else {no})");
    Some(match found.idiom {
        // It is there for the widest numbers alone.
        Idiom::Abs if found.width == 256 => format!("abs({})", args[0]),
        Idiom::LogicalAnd => truth(format!("{} and {}", test(0), test(1))),
        Idiom::LogicalOr => truth(format!("{} or {}", test(0), test(1))),
        Idiom::LogicalNot => truth(format!("not {}", test(0))),
        _ => return None,
    })
}
