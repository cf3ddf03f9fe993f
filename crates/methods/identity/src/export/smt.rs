//! Goals as SMT-LIB scripts: a goal is valid if its negation is unsatisfiable.

use std::collections::HashMap;
use std::fmt::Write;

use crate::kernel::{Goal, Op, TermId, Terms};

/// A script for a goal at a fixed width; the expected answer is `unsat`. `None` if the logic cannot
/// express the goal: a power with a variable exponent, or a symbolic width.
pub fn script(title: &str, goal: &Goal) -> Option<String> {
    Some(format!("; {title}: unsat means that it holds\n(set-logic QF_BV)\n{}", problem(goal)?))
}

/// The script without its header, so that several fit in one file, between `(push 1)` and
/// `(pop 1)`.
pub fn problem(goal: &Goal) -> Option<String> {
    let terms = &goal.terms;
    let mut text = String::new();
    let mut names: HashMap<TermId, String> = HashMap::new();
    for term in terms.in_order(&[goal.holds]) {
        let node = terms.node(term);
        let bits = node.width.as_fixed()?;
        let name = if let Op::Variable(index) = node.op {
            let _ = writeln!(text, "(declare-const v{index} (_ BitVec {bits}))");
            format!("v{index}")
        } else {
            let args: Vec<&str> = node.args().iter().map(|arg| names[arg].as_str()).collect();
            let body = expression(terms, term, &args)?;
            if args.is_empty() {
                body
            } else {
                let name = format!("t{}", term.0);
                let _ = writeln!(text, "(define-fun {name} () (_ BitVec {bits}) {body})");
                name
            }
        };
        names.insert(term, name);
    }
    let _ = writeln!(text, "(assert (= {} #b0))\n(check-sat)", names[&goal.holds]);
    Some(text)
}

fn expression(terms: &Terms, term: TermId, args: &[&str]) -> Option<String> {
    let node = terms.node(term);
    let bits = node.width.as_fixed()?;
    let wide = |index: usize| terms.width(node.args[index]).as_fixed();
    let flag = |condition: String| format!("(ite {condition} #b1 #b0)");
    let number = |n: u32, bits: u16| format!("(_ bv{n} {bits})");
    Some(match node.op {
        Op::Literal(index) => format!("(_ bv{} {bits})", terms.integer(index)),
        Op::Neg => format!("(bvneg {})", args[0]),
        Op::Not => format!("(bvnot {})", args[0]),
        Op::Ite => format!("(ite (= {} #b1) {} {})", args[0], args[1], args[2]),
        Op::Zext => format!("((_ zero_extend {}) {})", bits.checked_sub(wide(0)?)?, args[0]),
        Op::Sext => format!("((_ sign_extend {}) {})", bits.checked_sub(wide(0)?)?, args[0]),
        Op::Extract(low) => {
            let low = low.as_fixed()?;
            format!("((_ extract {} {low}) {})", low + bits - 1, args[0])
        }
        Op::Bswap => {
            let bytes =
                (0..bits / 8).map(|i| format!("((_ extract {} {}) {})", 8 * i + 7, 8 * i, args[0]));
            let bytes: Vec<String> = bytes.collect();
            if bytes.len() == 1 { bytes.concat() } else { format!("(concat {})", bytes.join(" ")) }
        }
        Op::Popcount => {
            let ones = (0..bits).map(|i| widened(args[0], i, bits));
            ones.reduce(|sum, one| format!("(bvadd {sum} {one})"))?
        }
        Op::Clz | Op::Ctz => {
            let mut count = number(bits.into(), bits);
            for distance in (0..bits).rev() {
                let bit = if node.op == Op::Clz { bits - 1 - distance } else { distance };
                let found = number(distance.into(), bits);
                count =
                    format!("(ite (= ((_ extract {bit} {bit}) {}) #b1) {found} {count})", args[0]);
            }
            count
        }
        Op::Exp => {
            let times = terms.literal_value(node.args[1]).and_then(|n| u32::try_from(n).ok())?;
            let product = (0..times.min(65)).map(|_| args[0].to_string());
            if times > 64 {
                return None;
            }
            product.reduce(|a, b| format!("(bvmul {a} {b})")).unwrap_or_else(|| number(1, bits))
        }
        Op::Same => flag(format!("(= {} {})", args[0], args[1])),
        Op::Below => flag(format!("(bvult {} {})", args[0], args[1])),
        Op::SignedBelow => flag(format!("(bvslt {} {})", args[0], args[1])),
        Op::Power => {
            let bits = wide(0)?;
            let (zero, one) = (number(0, bits), number(1, bits));
            let rest = format!("(= (bvand {0} (bvsub {0} {one})) {zero})", args[0]);
            flag(format!("(and (not (= {} {zero})) {rest})", args[0]))
        }
        Op::MulOverflows | Op::SignedMulOverflows => {
            let bits = wide(0)?;
            let extend = if node.op == Op::MulOverflows { "zero_extend" } else { "sign_extend" };
            let [a, b] = [0, 1].map(|i| format!("((_ {extend} {bits}) {})", args[i]));
            let product = format!("(bvmul {a} {b})");
            let back = format!("((_ {extend} {bits}) ((_ extract {} 0) {product}))", bits - 1);
            flag(format!("(not (= {product} {back}))"))
        }
        op => format!("({} {} {})", plain(op)?, args[0], args[1]),
    })
}

/// Bit `i` of a word, zero-extended.
fn widened(word: &str, i: u16, bits: u16) -> String {
    format!("((_ zero_extend {}) ((_ extract {i} {i}) {word}))", bits - 1)
}

fn plain(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Add => "bvadd",
        Op::Sub => "bvsub",
        Op::Mul => "bvmul",
        Op::And => "bvand",
        Op::Or => "bvor",
        Op::Xor => "bvxor",
        Op::Shl => "bvshl",
        Op::Lshr => "bvlshr",
        Op::Ashr => "bvashr",
        Op::Udiv => "bvudiv",
        Op::Urem => "bvurem",
        Op::Concat => "concat",
        _ => return None,
    })
}
