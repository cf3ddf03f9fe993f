//! Theorems, and rewriting by them: the composition of proven rules. A theorem is an equation that
//! holds for all values of its variables in the total semantics, at every width from some width on.
//! It can be constructed only from a certificate that the checker accepts. Core operators are total
//! under every semantics, so that a theorem may rewrite any goal in either direction.

use super::cases::replaced;
use super::certificate::Certificate;
use super::check::check;
use super::extent::Extent;
use super::goal::{Equation, Goal, Relation, Scope};
use super::meaning::Meaning;
use super::op::Op;
use super::rejection::Rejection;
use super::semantics::WORDS;
use super::term::{TermId, Terms};

/// A proven equation.
#[derive(Clone, Debug)]
pub struct Theorem {
    terms: Terms,
    sides: [TermId; 2],
    least: u16,
    /// One more than the greatest variable index.
    variables: usize,
}

impl Theorem {
    /// Checks the certificate of an unconditional equation for all widths from `least` on.
    pub fn new(
        equation: &Equation,
        least: u16,
        certificate: &Certificate,
    ) -> Result<Self, Rejection> {
        if !equation.conditions.is_empty() {
            return Err("a theorem has no conditions".into());
        }
        let inexpressible = |reason: super::meaning::Inexpressible| Rejection(reason.to_string());
        let goal = Goal::new(equation, &WORDS, Relation::Exact, Scope::From(least));
        check(&goal.map_err(inexpressible)?, certificate)?;
        let mut terms = Terms::new();
        let mut meaning = Meaning::new(&equation.terms, &mut terms, &WORDS, least);
        let [left, right] = equation.sides;
        // In the total semantics the value is the whole outcome.
        let sides = [
            meaning.of(left).map_err(inexpressible)?.value,
            meaning.of(right).map_err(inexpressible)?.value,
        ];
        let mut variables = 0;
        for term in terms.in_order(&sides) {
            let (op, width) = (terms.op(term), terms.width(term));
            // It must be well-formed at every width of a goal.
            let anywhere = match op {
                Op::Bits(of) => of == Extent::WORD,
                Op::Extract(_) | Op::Concat | Op::Bswap => false,
                _ => true,
            };
            if !anywhere || width != Extent::WORD && (width != Extent::BIT || op.arity() == 0) {
                return Err("a theorem may contain only words of width w and flags of them".into());
            }
            if let Op::Variable(index) = op {
                variables = variables.max(usize::from(index) + 1);
            }
        }
        Ok(Self { terms, sides, least, variables })
    }

    /// Both sides, in core terms.
    pub fn sides(&self) -> (&Terms, [TermId; 2]) {
        (&self.terms, self.sides)
    }

    /// Replaces all occurrences of one side of an instance by the other. Old and new goal are
    /// equivalent.
    fn applied(&self, goal: &Goal, step: &Rewriting) -> Result<Goal, Rejection> {
        let known = step.operands.iter().all(|operand| (operand.0 as usize) < goal.terms.len());
        if !known || step.operands.len() != self.variables {
            return Err("a theorem has the wrong number of operands or an unknown one".into());
        }
        let mut goal = goal.clone();
        let widths: Vec<Extent> =
            step.operands.iter().map(|&operand| goal.terms.width(operand)).collect();
        let width = *widths.first().ok_or("a theorem has no variables")?;
        if widths.iter().any(|&other| other != width) {
            return Err("the operands of a theorem differ in width".into());
        }
        let [from, to] = if step.backwards { [1, 0] } else { [0, 1] }.map(|side| {
            self.instance(self.sides[side], &step.operands, width, &mut goal.terms, goal.scope)
        });
        let (from, to) = (from?, to?);
        let old = goal.terms.node(from);
        goal.holds = replaced(&mut goal.terms, goal.holds, |_, node| (node == old).then_some(to));
        Ok(goal)
    }

    /// A side with its variables replaced by operands, in the arena of a goal.
    fn instance(
        &self,
        side: TermId,
        operands: &[TermId],
        width: Extent,
        terms: &mut Terms,
        scope: Scope,
    ) -> Result<TermId, Rejection> {
        let mut operand = |_: &mut Terms, node: super::term::Node| match node.op {
            Op::Variable(index) => operands.get(usize::from(index)).copied(),
            _ => None,
        };
        match (scope, width.as_fixed()) {
            // Both use the same `w`.
            (Scope::From(least), None) if width == Extent::WORD && least >= self.least => {
                Ok(terms.import(&self.terms, side, &mut operand))
            }
            (Scope::At(_), Some(bits)) if bits >= self.least => {
                let mut fixed = Terms::new();
                let side = fixed.at_width(&self.terms, side, bits);
                let side = side.ok_or("a theorem is not well-formed at a width")?;
                Ok(terms.import(&fixed, side, &mut operand))
            }
            _ => Err("a theorem does not hold at a width of its operands".into()),
        }
    }
}

/// One rewrite by a theorem.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rewriting {
    /// The index among the theorems given to the checker.
    pub theorem: u16,
    pub backwards: bool,
    /// Terms of the goal as it is after the previous steps, in the order of the theorem's
    /// variables.
    pub operands: Vec<TermId>,
}

/// The goal after some rewrites. It implies the original goal.
pub fn rewritten(
    goal: &Goal,
    steps: &[Rewriting],
    theorems: &[Theorem],
) -> Result<Goal, Rejection> {
    let mut goal = goal.clone();
    for step in steps {
        let theorem = theorems.get(usize::from(step.theorem)).ok_or("there is no such theorem")?;
        goal = theorem.applied(&goal, step)?;
    }
    Ok(goal)
}
