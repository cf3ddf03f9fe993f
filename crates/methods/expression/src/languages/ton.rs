//! What the languages of TON have in common: the integers of its machine, of 257 bits with a sign, and how
//! expressions over them are written. Operators stand between spaces and all in parentheses, since FunC
//! takes `-a` for a name. How functions are declared is for `tolk.rs` and `func.rs`.

use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::program::Step;
use crate::{Constants, Found, Idiom, Kind, Style, Typed, Writing};
use identity::kernel::{Node, Op, TermId, Trap};

/// The style in which comparisons are choices.
const CHOSEN: &str = "chosen";

/// The style in which comparisons are numbers: truth is −1 to the machine.
const NUMERIC: &str = "numeric";

/// The style in which a product that is divided at once, and a quotient that is rounded up or to the nearest number, are
/// one operation, as the machine has them: it divides the whole product, so that this is the same only where that fits.
/// Other divisions give quotient and remainder, of which one is taken.
const JOINED: &str = "joined";

/// The styles of a language that has these idioms.
pub(super) const fn styles(idioms: &'static [Idiom]) -> [Style; 3] {
    let chosen = Style {
        name: CHOSEN,
        semantics: "ton",
        signed: true,
        widths: &[257],
        usual: &[],
        no_wrap: false,
        speaks,
        idioms,
        trap,
    };
    [chosen, Style { name: NUMERIC, ..chosen }, Style { name: JOINED, no_wrap: true, ..chosen }]
}

/// The operators that have a compound assignment.
const ASSIGNED: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];

fn speaks(op: Op, _from: &[u16], _to: u16) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => true,
        // There is no other division, and no shift but that of signed numbers.
        Op::Fdiv | Op::Fmod | Op::Shl | Op::Ashr | Op::Ite | Op::Smin | Op::Smax => true,
        Op::Eq | Op::Ne | Op::Slt | Op::Sle | Op::Sgt | Op::Sge => true,
        _ => false,
    }
}

pub(super) fn constants(style: &Style) -> Constants {
    let typed = Typed { semantics: style.semantics, speaks: constant, names: true };
    Constants { typed: Some(typed), literals: None, bounded: None }
}

/// Without choices and calls.
fn constant(op: Op, _from: &[u16], _to: u16) -> bool {
    matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor)
        || matches!(op, Op::Fdiv | Op::Fmod | Op::Shl | Op::Ashr)
}

/// The exit codes of the machine.
fn trap(trap: Trap) -> &'static str {
    match trap {
        Trap::Overflow | Trap::Division => "exit 4",
        Trap::Range => "exit 5",
    }
}

/// How a language writes what the others write otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling {
    /// A variable with its type.
    pub(super) declared: fn(&str) -> String,
    /// A truth value as a number.
    pub(super) truth: fn(&str) -> String,
    /// What declares a local variable.
    pub(super) local: &'static str,
    /// What divides a product: rounded down, to the nearest number, and up.
    pub(super) muldiv: [&'static str; 3],
    /// The quotient and the remainder of a division that gives both.
    pub(super) divmod: [fn(&str, &str) -> String; 2],
    /// The lesser and the greater of two numbers, from a function that gives both.
    pub(super) minmax: [fn(&str, &str) -> String; 2],
    /// The remainder of a product.
    pub(super) mulmod: fn(&str, &str, &str) -> String,
    /// Whether a remainder can be rounded up, which only one of the languages has kept.
    pub(super) modc: bool,
}

/// An idiom in one of the languages.
pub(super) fn idiom(found: &Found, step: usize, args: &[String]) -> Option<String> {
    let args: Vec<String> = args.iter().map(|arg| named(arg, step)).collect();
    Some(match found.idiom {
        Idiom::Sign => format!("sign({})", args[0]),
        Idiom::ThreeWay => format!("({} <=> {})", args[0], args[1]),
        Idiom::Abs => format!("abs({})", args[0]),
        Idiom::LogicalAnd => format!("((({} != 0) && ({} != 0)) ? 1 : 0)", args[0], args[1]),
        Idiom::LogicalOr => format!("((({} != 0) || ({} != 0)) ? 1 : 0)", args[0], args[1]),
        Idiom::LogicalNot => format!("((!({} != 0)) ? 1 : 0)", args[0]),
        _ => return None,
    })
}

/// The counter has a name of its own in each loop.
fn named(text: &str, step: usize) -> String {
    if text == "i" { counter(step) } else { text.to_owned() }
}

/// The body of the function: its steps, and what it returns.
pub(super) fn body(writing: &Writing<'_>, spelling: Spelling) -> String {
    let mut out = String::new();
    let say = |term, step| say(writing, term, step, spelling);
    for (index, step) in writing.body.steps.iter().enumerate() {
        let name = writing.local(index);
        let local = format!("    {}{}", spelling.local, (spelling.declared)(&name));
        let _ = match step {
            Step::Let { term } => match writing.choice(*term) {
                Some([tested, yes, no]) => {
                    let test = condition(&say(tested, index), writing, tested);
                    writeln!(
                        out,
                        "{local} = 0;\n    if {test} {{\n        {name} = {};\n    }} else {{\n        {name} = {};\n    }}",
                        say(yes, index),
                        say(no, index)
                    )
                }
                None => writeln!(out, "{local} = {};", say(*term, index)),
            },
            Step::Loop { times, start, body } => {
                let turn = counter(index);
                // Both kinds of loop, by what is there anyway.
                let head = match times % 2 {
                    0 => format!("while ({turn} < {times})"),
                    _ => format!("repeat ({times})"),
                };
                writeln!(
                    out,
                    "{local} = {};\n    {}{} = 0;\n    {head} {{\n        {};\n        \
                     {turn} = ({turn} + 1);\n    }}",
                    say(*start, index),
                    spelling.local,
                    (spelling.declared)(&turn),
                    writing.assignment(&name, &say(*body, index), ASSIGNED, None)
                )
            }
            Step::Call { arguments, .. } => {
                let (_, carried) = writing.helper_parameters(index);
                let own = arguments.iter().map(|&argument| say(argument, index));
                let all: Vec<String> = own.chain(carried.into_iter().map(|it| it.name)).collect();
                writeln!(out, "{local} = {}({});", writing.helper(index), all.join(", "))
            }
        };
    }
    let steps = writing.body.steps.len();
    let _ = writeln!(out, "    return {};", say(writing.body.result, steps));
    out
}

/// The counter of the loop of a step.
fn counter(step: usize) -> String {
    format!("i{step}")
}

pub(super) fn say(writing: &Writing<'_>, term: TermId, step: usize, spelling: Spelling) -> String {
    let named = |text: &str| named(text, step);
    let operator = |writing: &Writing<'_>, node: Node, args: &[String]| {
        let args: Vec<String> = args.iter().map(|arg| named(arg)).collect();
        operator(writing, node, &args, spelling)
    };
    named(&writing.say(term, step, &number, &operator))
}

/// The least number has no literal.
pub(super) fn number(value: &BigInt, kind: Kind) -> String {
    let least = -(BigInt::from(1) << (kind.width - 1));
    match value {
        _ if *value == least => format!("({} - 1)", value + 1),
        _ if *value < BigInt::ZERO => format!("({value})"),
        _ => value.to_string(),
    }
}

/// The constants that are made of others, with their expressions.
pub(super) fn folded(writing: &Writing<'_>, spelling: Spelling) -> Vec<(String, String)> {
    let operator = |writing: &Writing<'_>, node: Node, args: &[String]| {
        operator(writing, node, args, spelling)
    };
    let all = writing.folded(&number, &operator).into_iter();
    all.map(|(constant, text)| (constant.name, text)).collect()
}

fn operator(writing: &Writing<'_>, node: Node, args: &[String], spelling: Spelling) -> String {
    let infix = |sign: &str| format!("({} {sign} {})", args[0], args[1]);
    let compare = |sign: &str| match writing.style.name {
        CHOSEN | JOINED => format!("(({} {sign} {}) ? 1 : 0)", args[0], args[1]),
        _ => format!("(- {})", (spelling.truth)(&infix(sign))),
    };
    if let Some(joined) = joined(writing, node, args, spelling) {
        return joined;
    }
    match node.op {
        Op::Add => infix("+"),
        Op::Sub => infix("-"),
        Op::Mul => infix("*"),
        Op::Fdiv => infix("/"),
        Op::Fmod => infix("%"),
        Op::And => infix("&"),
        Op::Or => infix("|"),
        Op::Xor => infix("^"),
        Op::Shl => infix("<<"),
        Op::Ashr => infix(">>"),
        Op::Neg => format!("(- {})", args[0]),
        Op::Not => format!("(~ {})", args[0]),
        Op::Eq => compare("=="),
        Op::Ne => compare("!="),
        Op::Slt => compare("<"),
        Op::Sle => compare("<="),
        Op::Sgt => compare(">"),
        Op::Sge => compare(">="),
        Op::Smin => format!("min({}, {})", args[0], args[1]),
        Op::Smax => format!("max({}, {})", args[0], args[1]),
        Op::Ite => {
            format!("({} ? {} : {})", condition(&args[0], writing, node.args[0]), args[1], args[2])
        }
        _ => args.join(", "),
    }
}

/// An operator together with those inside of it, where the machine has them in one and the inner ones fit.
fn joined(
    writing: &Writing<'_>,
    node: Node,
    args: &[String],
    spelling: Spelling,
) -> Option<String> {
    // Of numbers alone a constant may be made, where none of these is allowed.
    let parts = writing.terms.in_order(node.args());
    let varies = parts.iter().any(|&part| matches!(writing.terms.op(part), Op::Variable(_)));
    if writing.style.name != JOINED || !varies {
        return None;
    }
    let fits = |node: Node| writing.promise(node).signed;
    let inner = |term: TermId, op: Op| {
        let node = writing.terms.node(term);
        (node.op == op && fits(node)).then_some(node)
    };
    // An amount that is known, above zero and in range.
    let amount = |term: TermId| {
        let value = u16::try_from(writing.terms.literal_value(term)?).ok()?;
        (1..=256).contains(&value).then_some(value)
    };
    let [down, nearest, up] = spelling.muldiv;
    match node.op {
        Op::Fdiv => {
            if let Some(text) = rounded(&inner, node, args, nearest) {
                return Some(text);
            }
            let whole = writing.terms.node(node.args[0]);
            match whole.op {
                Op::Mul if fits(whole) => {
                    let (a, b) = operands(&args[0], " * ")?;
                    Some(format!("{down}({a}, {b}, {})", args[1]))
                }
                // It may be a part of a quotient that is rounded up.
                Op::Neg => None,
                _ => Some(spelling.divmod[0](&args[0], &args[1])),
            }
        }
        Op::Fmod if inner(node.args[0], Op::Mul).is_some() => {
            let (a, b) = operands(&args[0], " * ")?;
            Some((spelling.mulmod)(a, b, &args[1]))
        }
        // The quotient of the least number and −1 does not fit; their remainder alone does.
        Op::Fmod if fits(node) && inner(node.args[0], Op::Neg).is_none() => {
            Some(spelling.divmod[1](&args[0], &args[1]))
        }
        Op::Smin => Some(spelling.minmax[0](&args[0], &args[1])),
        Op::Smax => Some(spelling.minmax[1](&args[0], &args[1])),
        // ⌊(x + 2^(n − 1)) / 2^n⌋ is x / 2^n, rounded to the nearest number.
        Op::Ashr => {
            let (sum, by) = (inner(node.args[0], Op::Add)?, amount(node.args[1])?);
            let half = writing.terms.literal_value(sum.args[1])?;
            (*half == BigInt::from(1) << (by - 1)).then_some(())?;
            let (a, _) = operands(&args[0], " + ")?;
            Some(format!("({a} ~>> {})", args[1]))
        }
        // −⌊−x / 2^n⌋ is x / 2^n rounded up, and −(−x mod y) what is left then of x / y.
        Op::Neg if fits(node) && inner(node.args[0], Op::Ashr).is_some() => {
            let shift = inner(node.args[0], Op::Ashr)?;
            inner(shift.args[0], Op::Neg)?;
            amount(shift.args[1])?;
            let (a, b) = operands(&args[0], " >> ")?;
            let whole = a.strip_prefix("(- ")?.strip_suffix(')')?;
            Some(format!("({whole} ^>> {b})"))
        }
        Op::Neg if fits(node) && spelling.modc && inner(node.args[0], Op::Fmod).is_some() => {
            let rest = inner(node.args[0], Op::Fmod)?;
            inner(rest.args[0], Op::Neg)?;
            let (a, b) = operands(&args[0], " % ")?;
            let whole = a.strip_prefix("(- ")?.strip_suffix(')')?;
            Some(format!("({whole} ^% {b})"))
        }
        // −⌊−x / y⌋ is x / y rounded up.
        Op::Neg if fits(node) => {
            let quotient = inner(node.args[0], Op::Fdiv)?;
            let minus = inner(quotient.args[0], Op::Neg)?;
            let (a, b) = operands(&args[0], " / ")?;
            let whole = a.strip_prefix("(- ")?.strip_suffix(')')?;
            let product = inner(minus.args[0], Op::Mul).and_then(|_| operands(whole, " * "));
            Some(match product {
                Some((x, y)) => format!("{up}({x}, {y}, {b})"),
                None => format!("({whole} ^/ {b})"),
            })
        }
        _ => None,
    }
}

/// ⌊(x + x + y) / (y + y)⌋ is x / y, rounded to the nearest number.
fn rounded(
    inner: &dyn Fn(TermId, Op) -> Option<Node>,
    node: Node,
    args: &[String],
    muldiv: &str,
) -> Option<String> {
    let sum = inner(node.args[0], Op::Add)?;
    let double = inner(sum.args[0], Op::Add)?;
    let divisor = inner(node.args[1], Op::Add)?;
    let doubles = [double, divisor].iter().all(|it| it.args[0] == it.args[1]);
    if !doubles || divisor.args[0] != sum.args[1] {
        return None;
    }
    let (whole, _) = operands(operands(&args[0], " + ")?.0, " + ")?;
    let (by, _) = operands(&args[1], " + ")?;
    let product = inner(double.args[0], Op::Mul).and_then(|_| operands(whole, " * "));
    Some(match product {
        Some((x, y)) => format!("{muldiv}({x}, {y}, {by})"),
        None => format!("({whole} ~/ {by})"),
    })
}

/// The texts of what an operator stands between: it is in parentheses, and its operands are, or are names and numbers.
fn operands<'a>(text: &'a str, sign: &str) -> Option<(&'a str, &'a str)> {
    split(text.strip_prefix('(')?.strip_suffix(')')?, sign)
}

/// The two operands of a text, at the operator that is in no parentheses.
fn split<'a>(text: &'a str, sign: &str) -> Option<(&'a str, &'a str)> {
    let mut depth = 0_i32;
    for (at, letter) in text.char_indices() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth == 0 && text[at..].starts_with(sign) {
            return Some((&text[..at], &text[at + sign.len()..]));
        }
    }
    None
}

/// A word as a condition. What was made a word of a comparison is one again.
fn condition(text: &str, writing: &Writing<'_>, term: TermId) -> String {
    let is_comparison = writing.terms.op(term).is_comparison();
    let flag = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(" ? 1 : 0)"));
    match flag {
        Some(flag) if is_comparison => flag.to_owned(),
        _ => format!("({text} != 0)"),
    }
}
