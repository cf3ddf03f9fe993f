//! Operators of TON's virtual machine that combine several: a product that is divided, a quotient that is rounded up or to the
//! nearest number. The machine does not limit the product inside to 257 bits, so that a combination equals its parts only
//! where these do not overflow. Other divisions return quotient and remainder, of which one is taken.

use num_bigint::BigInt;

use super::ton::{COMBINED, Spelling};
use crate::printer::Applied;
use identity::kernel::{Node, Op, TermId};

/// An operator together with those inside of it, as one that the virtual machine has, where the inner ones fit.
pub(super) fn combined(at: &Applied<'_>, spelling: &Spelling) -> Option<String> {
    let (writing, node, args) = (at.writing, at.node, at.args);
    // A term without variables may become a constant, in which none of these is allowed.
    let parts = writing.terms.in_order(node.args());
    let varies = parts.iter().any(|&part| matches!(writing.terms.op(part), Op::Variable(_)));
    if writing.style.name != COMBINED || !varies {
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
