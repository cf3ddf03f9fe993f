//! The library as a Lean 4 project: one theorem per rule, in the total semantics, for Lean to
//! check. Ring equations are stated for a variable width and left to `grind`, whose ring solver
//! supports `BitVec`; the others are bit-blasted by `bv_decide` at a fixed width.

use std::collections::HashMap;
use std::fmt::Write;

use crate::kernel::{Goal, Op, Relation, Scope, TermId, Terms, WORDS};
use crate::library::Entry;
use crate::print;
use crate::rule::Rule;
use crate::standing::Standing;

/// A file of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lean {
    pub path: String,
    pub text: String,
}

/// All files. A rule without a theorem appears in a comment with the reason.
pub fn project(entries: &[&Entry]) -> Vec<Lean> {
    let mut files = vec![
        Lean { path: "lean-toolchain".into(), text: "leanprover/lean4:v4.24.0\n".into() },
        Lean {
            path: "lakefile.toml".into(),
            text: "name = \"mistrust-rules\"\ndefaultTargets = [\"Rules\"]\n\n[[lean_lib]]\nname = \"Rules\"\n".into(),
        },
    ];
    let mut sources: Vec<&str> = entries.iter().map(|entry| entry.source.as_str()).collect();
    sources.dedup();
    let mut root = String::new();
    for source in sources {
        let module = camel(source);
        let _ = writeln!(root, "import Rules.{module}");
        let rules = entries.iter().filter(|entry| entry.source == source);
        let mut text = String::from(
            "import Std.Tactic.BVDecide\n\nset_option maxRecDepth 100000\n\nnamespace Rules\n",
        );
        for entry in rules {
            text.push('\n');
            text.push_str(&theorem(entry));
        }
        text.push_str("\nend Rules\n");
        files.push(Lean { path: format!("Rules/{module}.lean"), text });
    }
    files.push(Lean { path: "Rules.lean".into(), text: root });
    files
}

fn theorem(entry: &Entry) -> String {
    let rule = &entry.rule;
    let block: String = print::rule(rule).lines().map(|line| format!("-- {line}\n")).collect();
    let Standing::Proven { relation: Relation::Exact, where_to } = entry.standing(&WORDS) else {
        return format!("{block}-- not proven in the total semantics, so there is no theorem\n");
    };
    let any_width = where_to.iter().any(|proven| proven.scope == Scope::From(1)) && is_ring(rule);
    let width = if any_width { None } else { width(entry) };
    match statement(rule, width) {
        Some((binders, statement)) => {
            let tactic =
                if any_width { "grind" } else { "bv_decide (config := { timeout := 120 })" };
            let word = width.map_or("w".to_string(), |width| width.to_string());
            let name = rule.name.replace('-', "_");
            let free = if any_width { "{w : Nat} " } else { "" };
            format!(
                "{block}theorem {name} {free}{} :\n    {statement} := by\n  {tactic}\n",
                binders.replace("WIDTH", &word)
            )
        }
        None => format!(
            "{block}-- has an operator that Lean's bit-vectors lack, so there is no theorem\n"
        ),
    }
}

/// Only ring operators on words of one width, without conditions.
fn is_ring(rule: &Rule) -> bool {
    let ring = |term| {
        let node = rule.terms().node(term);
        matches!(node.op, Op::Variable(_) | Op::Literal(_) | Op::Add | Op::Sub | Op::Mul | Op::Neg)
    };
    rule.equation.conditions.is_empty()
        && rule.terms().in_order(&rule.equation.sides).into_iter().all(ring)
}

/// The width of a theorem: the most preferred proven one that bit-blasting can be expected to
/// close.
fn width(entry: &Entry) -> Option<u16> {
    let heavy = |term| {
        let terms = entry.rule.terms();
        let variable = |id: TermId| terms.literal_value(id).is_none();
        match terms.op(term) {
            Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Fdiv | Op::Fmod | Op::Exp => {
                terms.args(term).iter().all(|&arg| variable(arg))
            }
            Op::Addmod | Op::Mulmod => true,
            _ => false,
        }
    };
    let hard = entry.rule.terms().in_order(&entry.rule.equation.sides).into_iter().any(heavy);
    let preferred: &[u16] =
        if hard { &[8, 16, 32, 64, 128, 256] } else { &[64, 32, 128, 256, 16, 8, 257] };
    preferred.iter().copied().find(|&width| entry.relation(&WORDS, width).is_some())
}

/// The binders of the variables, and the statement.
fn statement(rule: &Rule, width: Option<u16>) -> Option<(String, String)> {
    let scope = width.map_or(Scope::From(1), Scope::At);
    let goal = Goal::new(&rule.equation, &WORDS, Relation::Exact, scope).ok()?;
    let terms = &goal.terms;
    let mut names: HashMap<TermId, String> = HashMap::new();
    let mut binders = Vec::new();
    for term in terms.in_order(&[goal.holds]) {
        let node = terms.node(term);
        let text = if let Op::Variable(index) = node.op {
            let name = rule.variables[usize::from(index)].name.clone();
            let bits = node.width.as_fixed().map_or("WIDTH".to_string(), |bits| bits.to_string());
            binders.push(format!("({name} : BitVec {bits})"));
            name
        } else {
            let args: Vec<&str> = node.args().iter().map(|arg| names[arg].as_str()).collect();
            expression(terms, term, &args)?
        };
        names.insert(term, text);
    }
    if let (Op::Same, [left, right]) = (terms.op(goal.holds), terms.args(goal.holds)) {
        return Some((binders.join(" "), format!("{} = {}", names[left], names[right])));
    }
    Some((binders.join(" "), format!("{} = 1#1", names[&goal.holds])))
}

fn expression(terms: &Terms, term: TermId, args: &[&str]) -> Option<String> {
    let node = terms.node(term);
    let bits = node.width.as_fixed();
    let wide = |index: usize| terms.width(node.args[index]).as_fixed();
    let flag = |condition: String| format!("(BitVec.ofBool ({condition}))");
    Some(match node.op {
        Op::Literal(index) => match bits {
            Some(bits) => format!("{}#{bits}", terms.integer(index)),
            None => format!("(BitVec.ofInt w ({}))", terms.integer(index)),
        },
        Op::Neg => format!("(-{})", args[0]),
        Op::Not => format!("(~~~{})", args[0]),
        Op::Add => format!("({} + {})", args[0], args[1]),
        Op::Sub => format!("({} - {})", args[0], args[1]),
        Op::Mul => format!("({} * {})", args[0], args[1]),
        Op::And => format!("({} &&& {})", args[0], args[1]),
        Op::Or => format!("({} ||| {})", args[0], args[1]),
        Op::Xor => format!("({} ^^^ {})", args[0], args[1]),
        Op::Shl => format!("({} <<< {})", args[0], args[1]),
        Op::Lshr => format!("({} >>> {})", args[0], args[1]),
        Op::Ashr => format!("(BitVec.sshiftRight' {} {})", args[0], args[1]),
        // Lean's x / 0 is 0; the total semantics follows SMT-LIB.
        Op::Udiv => format!("(BitVec.smtUDiv {} {})", args[0], args[1]),
        Op::Urem => format!("({} % {})", args[0], args[1]),
        Op::Ite => format!("(if {} = 1#1 then {} else {})", args[0], args[1], args[2]),
        Op::Zext => format!("(BitVec.zeroExtend {} {})", bits?, args[0]),
        Op::Sext => format!("(BitVec.signExtend {} {})", bits?, args[0]),
        Op::Extract(low) => {
            format!("(BitVec.extractLsb' {} {} {})", low.as_fixed()?, bits?, args[0])
        }
        Op::Concat => format!("({} ++ {})", args[0], args[1]),
        Op::Clz => format!("(BitVec.clz {})", args[0]),
        Op::Bswap => {
            let bytes =
                (0..bits? / 8).map(|i| format!("BitVec.extractLsb' {} 8 {}", 8 * i, args[0]));
            let bytes: Vec<String> = bytes.collect();
            format!("({})", bytes.join(" ++ "))
        }
        Op::Ctz | Op::Popcount => bit_count(node.op, bits?, args[0])?,
        Op::Exp => {
            let times = terms
                .literal_value(node.args[1])
                .and_then(|n| u32::try_from(n).ok())
                .filter(|n| *n <= 64)?;
            let factors = vec![args[0]; times as usize];
            if times == 0 { format!("1#{}", bits?) } else { format!("({})", factors.join(" * ")) }
        }
        Op::Same => flag(format!("{} == {}", args[0], args[1])),
        Op::Below => flag(format!("BitVec.ult {} {}", args[0], args[1])),
        Op::SignedBelow => flag(format!("BitVec.slt {} {}", args[0], args[1])),
        Op::Power => {
            let bits = wide(0)?;
            flag(format!("{0} != 0#{bits} && ({0} &&& ({0} - 1#{bits})) == 0#{bits}", args[0]))
        }
        _ => return None,
    })
}

/// Bit counts, expanded bit by bit.
fn bit_count(op: Op, bits: u16, word: &str) -> Option<String> {
    let bit = |i: u16| format!("BitVec.extractLsb' {i} 1 {word}");
    if op == Op::Popcount {
        let ones: Vec<String> =
            (0..bits).map(|i| format!("BitVec.zeroExtend {bits} ({})", bit(i))).collect();
        return Some(format!("({})", ones.join(" + ")));
    }
    let mut count = format!("{bits}#{bits}");
    for i in (0..bits).rev() {
        count = format!("(if {} = 1#1 then {i}#{bits} else {count})", bit(i));
    }
    Some(count)
}

/// `linear-mba` → `LinearMba`.
fn camel(name: &str) -> String {
    let capitalised = |part: &str| {
        let mut characters = part.chars();
        characters
            .next()
            .map(|c| c.to_uppercase().chain(characters).collect::<String>())
            .unwrap_or_default()
    };
    name.split('-').map(capitalised).collect()
}
