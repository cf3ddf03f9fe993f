//! Proven identities on integer expressions: a tree of instructions becomes a term, rules of the shared
//! library are applied to it, and the term becomes instructions again. The result is a richer source; that
//! it is equal to the old one, where no operand is poison, keeps it defined where the old one was.

use std::sync::LazyLock;

use forge::Entropy;
use identity::Library;
use identity::apply::Rulebook;
use identity::kernel::{Extent, Op as Operator, Semantics, TermId, Terms};

use super::Subject;
use crate::crossover::Builder;
use crate::ir::{
    BinaryOp, BlockId, CastOp, Code, Constant, Instruction, LocalId, Op, Operand, Predicate, Type,
};

/// The widths that rules are prepared for.
const WIDTHS: [u16; 4] = [8, 16, 32, 64];

/// The most levels of instructions that become one term.
const DEPTH: u32 = 4;

/// The most nodes of a term.
const MOST_NODES: u32 = 24;

/// One in so many of the synthesised rules is used; they are many and alike.
const THINNING: usize = 8;

/// The rules that hold for LLVM's integers without flags, prepared on first use, since that takes a moment.
static BOOK: LazyLock<Option<Rulebook>> = LazyLock::new(|| {
    let library = Library::shared();
    let semantics = Semantics::named("llvm")?;
    let wanted = |rule: usize, width: u16| {
        let is_chosen = rule % THINNING == usize::from(width) / 8 % THINNING;
        !library.entries[rule].is_synthesised() || is_chosen
    };
    let speaks = |op, from: &[u16], to| is_spoken(op, from, to);
    Some(Rulebook::speaking(&library.entries, semantics, &WIDTHS, &speaks, &wanted))
});

fn is_spoken(op: Operator, from: &[u16], to: u16) -> bool {
    binary(op).is_some()
        || predicate(op).is_some()
        || extreme(op).is_some()
        || match op {
            Operator::Neg
            | Operator::Not
            | Operator::Ite
            | Operator::Zext
            | Operator::Sext
            | Operator::Extract(_) => true,
            Operator::Concat => from.iter().sum::<u16>() == to,
            _ => false,
        }
}

fn binary(op: Operator) -> Option<BinaryOp> {
    Some(match op {
        Operator::Add => BinaryOp::Add,
        Operator::Sub => BinaryOp::Sub,
        Operator::Mul => BinaryOp::Mul,
        Operator::And => BinaryOp::And,
        Operator::Or => BinaryOp::Or,
        Operator::Xor => BinaryOp::Xor,
        Operator::Shl => BinaryOp::Shl,
        Operator::Lshr => BinaryOp::LShr,
        Operator::Ashr => BinaryOp::AShr,
        Operator::Udiv => BinaryOp::UDiv,
        Operator::Urem => BinaryOp::URem,
        Operator::Sdiv => BinaryOp::SDiv,
        Operator::Srem => BinaryOp::SRem,
        _ => return None,
    })
}

fn predicate(op: Operator) -> Option<Predicate> {
    Some(match op {
        Operator::Eq => Predicate::Eq,
        Operator::Ne => Predicate::Ne,
        Operator::Ult => Predicate::Ult,
        Operator::Ule => Predicate::Ule,
        Operator::Ugt => Predicate::Ugt,
        Operator::Uge => Predicate::Uge,
        Operator::Slt => Predicate::Slt,
        Operator::Sle => Predicate::Sle,
        Operator::Sgt => Predicate::Sgt,
        Operator::Sge => Predicate::Sge,
        _ => return None,
    })
}

/// The predicate with which a minimum or maximum takes its first operand.
fn extreme(op: Operator) -> Option<Predicate> {
    Some(match op {
        Operator::Umin => Predicate::Ult,
        Operator::Umax => Predicate::Ugt,
        Operator::Smin => Predicate::Slt,
        Operator::Smax => Predicate::Sgt,
        _ => return None,
    })
}

pub(super) fn apply(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let book = BOOK.as_ref()?;
    let code = subject.function.code()?;
    let mut roots = vec![];
    for block in code.block_ids() {
        for (index, instruction) in code.block(block).instructions.iter().enumerate() {
            let width = match (&instruction.op, instruction.result) {
                (Op::Binary(_), Some(result)) => width(&code.local(result).ty),
                _ => None,
            };
            if width.is_some() {
                roots.push((block, index));
            }
        }
    }
    let (block, index) = *entropy.pick(&roots)?;
    let result = code.block(block).instructions[index].result?;
    let mut reading = Reading::new(code);
    let root = reading.local(result, DEPTH)?;
    let (terms, leaves) = (reading.terms, reading.leaves);
    let mut material = book.material(terms);
    let count = entropy.between(1, 3) as usize;
    let mutant = book.stack(&mut material, root, count, MOST_NODES, entropy);
    if mutant.root == root {
        return None;
    }
    let terms = material.into_terms();
    let code = subject.function.code_mut()?;
    let mut writing = Writing { terms: &terms, leaves: &leaves, builder: Builder::new(code) };
    let value = writing.value(mutant.root)?;
    let inserted = writing.builder.instructions;
    replace(code, (block, index), result, &value, inserted);
    Some(())
}

/// The new instructions stand behind the old root, whose uses are uses of the new value. What then has no
/// use is removed.
fn replace(
    code: &mut Code,
    (block, index): (BlockId, usize),
    result: LocalId,
    value: &Operand,
    inserted: Vec<Instruction>,
) {
    for operand in code.instructions_mut().flat_map(|it| &mut it.operands) {
        if operand.as_local() == Some(result) {
            operand.value = value.value.clone();
        }
    }
    code.block_mut(block).instructions.splice(index + 1..=index, inserted);
    drop_unused(code);
}

/// Removes operators without uses.
fn drop_unused(code: &mut Code) {
    loop {
        let mut used = vec![false; code.locals.len()];
        for operand in code.instructions().flat_map(|it| &it.operands) {
            if let Some(local) = operand.as_local() {
                used[local.0 as usize] = true;
            }
        }
        let mut changed = false;
        for block in &mut code.blocks {
            block.instructions.retain(|it| {
                let is_dead =
                    matches!(it.op, Op::Binary(_) | Op::ICmp(_) | Op::Select | Op::Cast(..))
                        && it.result.is_some_and(|it| !used[it.0 as usize]);
                changed |= is_dead;
                !is_dead
            });
        }
        if !changed {
            return;
        }
    }
}

fn width(ty: &Type) -> Option<u16> {
    match ty {
        Type::Int(width) => u16::try_from(*width).ok().filter(|it| WIDTHS.contains(it)),
        _ => None,
    }
}

/// Instructions as terms.
struct Reading<'a> {
    code: &'a Code,
    terms: Terms,
    leaves: Vec<Operand>,
}

impl<'a> Reading<'a> {
    fn new(code: &'a Code) -> Self {
        Self { code, terms: Terms::new(), leaves: vec![] }
    }

    fn local(&mut self, local: LocalId, depth: u32) -> Option<TermId> {
        let ty = self.code.local(local).ty.clone();
        let operand = Operand::local(ty, local);
        self.operand(&operand, depth)
    }

    fn operand(&mut self, operand: &Operand, depth: u32) -> Option<TermId> {
        let width = width(&operand.ty)?;
        let extent = Extent::fixed(width);
        if let Some(Constant::Int(value)) = operand.as_constant() {
            return Some(self.terms.literal(*value, extent));
        }
        let defined = operand
            .as_local()
            .and_then(|local| self.code.instructions().find(|it| it.result == Some(local)));
        if let Some(instruction) = defined.filter(|_| depth > 0)
            && let Some(term) = self.instruction(instruction, extent, depth)
        {
            return Some(term);
        }
        let known = self.leaves.iter().position(|it| it == operand);
        let at = known.unwrap_or_else(|| {
            self.leaves.push(operand.clone());
            self.leaves.len() - 1
        });
        Some(self.terms.variable(u16::try_from(at).ok()?, extent))
    }

    fn instruction(&mut self, it: &Instruction, extent: Extent, depth: u32) -> Option<TermId> {
        match &it.op {
            Op::Binary(op) => {
                let operator = ALL.into_iter().find(|it| binary(*it) == Some(*op))?;
                let a = self.operand(&it.operands[0], depth - 1)?;
                let b = self.operand(&it.operands[1], depth - 1)?;
                Some(self.terms.apply_at(operator, &[a, b], extent))
            }
            Op::Cast(op @ (CastOp::ZExt | CastOp::SExt | CastOp::Trunc), _) => {
                width(&it.operands[0].ty)?;
                let a = self.operand(&it.operands[0], depth - 1)?;
                let operator = match op {
                    CastOp::ZExt => Operator::Zext,
                    CastOp::SExt => Operator::Sext,
                    _ => Operator::Extract(Extent::fixed(0)),
                };
                Some(self.terms.apply_at(operator, &[a], extent))
            }
            Op::Select => {
                let condition = it.operands[0].as_local()?;
                let test = self.code.instructions().find(|it| it.result == Some(condition))?;
                let Op::ICmp(wanted) = test.op else { return None };
                let operator = COMPARISONS.into_iter().find(|it| predicate(*it) == Some(wanted))?;
                if width(&test.operands[0].ty) != extent.as_fixed() {
                    return None;
                }
                let a = self.operand(&test.operands[0], depth - 1)?;
                let b = self.operand(&test.operands[1], depth - 1)?;
                let test = self.terms.apply_at(operator, &[a, b], extent);
                let yes = self.operand(&it.operands[1], depth - 1)?;
                let no = self.operand(&it.operands[2], depth - 1)?;
                Some(self.terms.apply_at(Operator::Ite, &[test, yes, no], extent))
            }
            _ => None,
        }
    }
}

const ALL: [Operator; 13] = [
    Operator::Add,
    Operator::Sub,
    Operator::Mul,
    Operator::And,
    Operator::Or,
    Operator::Xor,
    Operator::Shl,
    Operator::Lshr,
    Operator::Ashr,
    Operator::Udiv,
    Operator::Urem,
    Operator::Sdiv,
    Operator::Srem,
];

const COMPARISONS: [Operator; 10] = [
    Operator::Eq,
    Operator::Ne,
    Operator::Ult,
    Operator::Ule,
    Operator::Ugt,
    Operator::Uge,
    Operator::Slt,
    Operator::Sle,
    Operator::Sgt,
    Operator::Sge,
];

/// Terms as instructions.
struct Writing<'a> {
    terms: &'a Terms,
    leaves: &'a [Operand],
    builder: Builder<'a>,
}

impl Writing<'_> {
    fn value(&mut self, term: TermId) -> Option<Operand> {
        let node = self.terms.node(term);
        let width = u32::from(node.width.as_fixed()?);
        let ty = Type::Int(width);
        match node.op {
            Operator::Variable(at) => return self.leaves.get(usize::from(at)).cloned(),
            Operator::Literal(index) => {
                let value = u128::try_from(self.terms.integer(index)).ok()?;
                return Some(Operand::int(width, value));
            }
            _ => {}
        }
        let mut args = vec![];
        for arg in node.args() {
            args.push(self.value(*arg)?);
        }
        let [a, rest @ ..] = args.as_slice() else { return None };
        let a = a.clone();
        if let Some(op) = binary(node.op) {
            return Some(self.builder.binary(op, a, rest.first()?.clone()));
        }
        if let Some(predicate) = predicate(node.op) {
            let pair = vec![a, rest.first()?.clone()];
            let test = self.builder.add("test", Type::BOOL, Op::ICmp(predicate), pair);
            return Some(self.cast(CastOp::ZExt, test, &ty));
        }
        if let Some(predicate) = extreme(node.op) {
            let pair = vec![a.clone(), rest.first()?.clone()];
            let test = self.builder.add("test", Type::BOOL, Op::ICmp(predicate), pair);
            let all = vec![test, a, rest.first()?.clone()];
            return Some(self.builder.add("pick", ty, Op::Select, all));
        }
        let from = a.ty.int_width()?;
        Some(match node.op {
            Operator::Neg => self.builder.binary(BinaryOp::Sub, Operand::int(width, 0), a),
            Operator::Not => self.builder.binary(BinaryOp::Xor, a, Operand::int(width, u128::MAX)),
            Operator::Ite => {
                let pair = vec![a, Operand::int(from, 0)];
                let test = self.builder.add("test", Type::BOOL, Op::ICmp(Predicate::Ne), pair);
                let all = vec![test, rest.first()?.clone(), rest.get(1)?.clone()];
                self.builder.add("pick", ty, Op::Select, all)
            }
            Operator::Zext => self.cast(CastOp::ZExt, a, &ty),
            Operator::Sext => self.cast(CastOp::SExt, a, &ty),
            Operator::Extract(low) => {
                let low = u128::from(low.as_fixed()?);
                let shifted = match low {
                    0 => a,
                    low => self.builder.binary(BinaryOp::LShr, a, Operand::int(from, low)),
                };
                self.cast(CastOp::Trunc, shifted, &ty)
            }
            Operator::Concat => {
                let low = rest.first()?.clone();
                let by = Operand::int(width, u128::from(low.ty.int_width()?));
                let (high, low) =
                    (self.cast(CastOp::ZExt, a, &ty), self.cast(CastOp::ZExt, low, &ty));
                let high = self.builder.binary(BinaryOp::Shl, high, by);
                self.builder.binary(BinaryOp::Or, high, low)
            }
            _ => return None,
        })
    }

    fn cast(&mut self, op: CastOp, value: Operand, to: &Type) -> Operand {
        if value.ty == *to {
            return value;
        }
        self.builder.add("cast", to.clone(), Op::Cast(op, to.clone()), vec![value])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_of;
    use super::*;
    use crate::ir::Module;
    use crate::prove::{Limits, Proof, Side, prove};

    #[test]
    fn identities_change_the_text_and_not_the_meaning() {
        let text = "define i8 @f(i8 noundef %x, i8 noundef %y) {\n  %a = and i8 %x, %y\n  %b = or i8 \
                    %x, %y\n  %c = add i8 %a, %b\n  %d = icmp ult i8 %c, 9\n  %e = select i1 %d, i8 \
                    %c, i8 %y\n  %f = xor i8 %e, 5\n  ret i8 %f\n}\n";
        let source = Module::parse(text).unwrap();
        let made = all_of(text, 19, 40, apply);
        assert!(made.len() > 20);
        let mut proven = 0;
        for text in &made {
            let target = Module::parse(text).unwrap();
            let side = |module| Side { module, function: &module.functions[0] };
            // Some are beyond the limit of the solver, but none is refuted.
            match prove(side(&source), side(&target), Limits::default()) {
                Proof::Holds => proven += 1,
                Proof::Fails(_) => panic!("{text}"),
                Proof::Unknown(_) => {}
            }
        }
        assert!(proven > made.len() / 2, "{proven} of {}", made.len());
    }
}
