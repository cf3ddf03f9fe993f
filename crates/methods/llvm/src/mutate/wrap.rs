//! Code around a whole function: a condition that the compiler cannot know, or a loop. Code inside of a
//! function comes from crossovers.

use forge::Entropy;

use super::Subject;
use crate::crossover::{Builder, add_parameters, any_constant};
use crate::ir::{
    Attributes, BinaryOp, BlockId, Code, Constant, FloatBinaryOp, Global, Instruction, LocalId,
    Memory, Op, Operand, Parameter, Predicate, Type,
};

/// A larger function is not wrapped.
const MOST_INSTRUCTIONS: usize = 60;

/// Whether all ways out of the function are known.
fn can_be_wrapped(subject: &Subject<'_>) -> Option<()> {
    let code = subject.function.code()?;
    let is_plain = |it: &Instruction| match &it.op {
        Op::Call(call) => {
            let callee = it.callee().unwrap_or_default();
            call.tail.as_deref() != Some("musttail")
                && !callee.starts_with("llvm.localescape")
                && !callee.starts_with("llvm.experimental.deoptimize")
                && !callee.starts_with("llvm.coro")
                && !callee.starts_with("llvm.call.preallocated")
        }
        Op::Alloca { modifier, .. } => modifier.is_none(),
        _ => true,
    };
    let fits = code.instructions().count() <= MOST_INSTRUCTIONS
        && code.instructions().all(is_plain)
        && !matches!(subject.function.header.returns, Type::Token | Type::Other(_));
    fits.then_some(())
}

/// A new entry before the old one, with the local variables of the old one. Returns the old one.
fn new_entry(code: &mut Code) -> BlockId {
    let old = code.add_block("inner");
    let entry = code.block_mut(BlockId(0));
    let is_slot = |it: &Instruction| {
        matches!(it.op, Op::Alloca { .. })
            && it.operands.iter().all(|it| it.as_constant().is_some())
    };
    let (slots, rest): (Vec<_>, Vec<_>) =
        std::mem::take(&mut entry.instructions).into_iter().partition(is_slot);
    entry.instructions = slots;
    code.block_mut(old).instructions = rest;
    for instruction in code.instructions_mut() {
        if let Op::Phi(from) = &mut instruction.op {
            from.iter_mut().filter(|it| **it == BlockId(0)).for_each(|it| *it = old);
        }
    }
    old
}

/// A condition around the function. Where it does not hold, the function returns something simple.
pub(super) fn in_condition(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    can_be_wrapped(subject)?;
    let returns = subject.function.header.returns.clone();
    let condition = condition(subject, entropy)?;
    let simple = match &returns {
        Type::Void => None,
        ty => Some(simple(subject, ty, entropy)?),
    };
    let code = subject.function.code_mut()?;
    let old = new_entry(code);
    let other = code.add_block("other");
    let (yes, no) = if entropy.chance(1, 2) { (old, other) } else { (other, old) };
    let entry = &mut code.block_mut(BlockId(0)).instructions;
    entry.extend(condition.before);
    entry.push(Instruction::new(None, Op::CondBranch(yes, no), vec![condition.value]));
    let back = Instruction::new(None, Op::Return, simple.into_iter().collect());
    code.block_mut(other).instructions.push(back);
    Some(())
}

struct Condition {
    before: Vec<Instruction>,
    value: Operand,
}

/// Something that no pass can evaluate: a new parameter, a comparison of one, a volatile load, or what an
/// unknown function returns.
fn condition(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<Condition> {
    let parameters = &subject.function.header.parameters;
    let ints: Vec<(LocalId, Type)> = (0..)
        .zip(parameters)
        .filter(|(_, it)| matches!(it.ty, Type::Int(1..=128)))
        .map(|(at, it)| (LocalId(at), it.ty.clone()))
        .collect();
    let way = entropy.below(5);
    if way < 2
        && let Some((local, ty)) = entropy.pick(&ints).cloned()
    {
        let constant = any_constant(subject.module, &ty, entropy)?;
        let predicate = *entropy.pick(Predicate::ALL)?;
        let code = subject.function.code_mut()?;
        let mut builder = Builder::new(code);
        let operands = vec![Operand::local(ty.clone(), local), Operand::constant(ty, constant)];
        let value = builder.add("guard", Type::BOOL, Op::ICmp(predicate), operands);
        return Some(Condition { before: builder.instructions, value });
    }
    match way {
        2 => {
            let name = "opaque.flag";
            if subject.module.header(name).is_some() || subject.module.has_typed_pointers {
                return None;
            }
            if subject.module.global(name).is_none() {
                subject.module.globals.push(Global {
                    name: name.into(),
                    prefix: "external".into(),
                    is_constant: false,
                    ty: Type::BOOL,
                    space: 0,
                    initialiser: None,
                    align: None,
                    suffix: "".into(),
                });
            }
            let memory = Memory { align: Some(1), volatile: true, ordering: None };
            let mut builder = Builder::new(subject.function.code_mut()?);
            let address = Operand::constant(Type::POINTER, Constant::Global(name.into()));
            let load = Op::Load(Type::BOOL, memory);
            let value = builder.add("guard", Type::BOOL, load, vec![address]);
            Some(Condition { before: builder.instructions, value })
        }
        3 => {
            let local = subject.function.code_mut()?.add_local("guard", Type::BOOL);
            let call = subject.unknown("opaque", Some((local, Type::BOOL)), vec![])?;
            Some(Condition { before: vec![call], value: Operand::local(Type::BOOL, local) })
        }
        _ => {
            let value = fresh(subject, &Type::BOOL)?;
            Some(Condition { before: vec![], value })
        }
    }
}

/// A new parameter.
fn fresh(subject: &mut Subject<'_>, ty: &Type) -> Option<Operand> {
    let at = LocalId(subject.function.header.parameters.len() as u32);
    let parameter = Parameter { ty: ty.clone(), attributes: Attributes::default() };
    add_parameters(&mut subject.function, &[&parameter])?;
    Some(Operand::local(ty.clone(), at))
}

/// A parameter or a constant of a type.
fn simple(subject: &mut Subject<'_>, ty: &Type, entropy: &mut Entropy) -> Option<Operand> {
    let fitting: Vec<LocalId> = (0..)
        .zip(&subject.function.header.parameters)
        .filter(|(_, it)| it.ty == *ty)
        .map(|(at, _)| LocalId(at))
        .collect();
    if let Some(local) = entropy.pick(&fitting)
        && entropy.chance(1, 2)
    {
        return Some(Operand::local(ty.clone(), *local));
    }
    any_constant(subject.module, ty, entropy).map(|it| Operand::constant(ty.clone(), it))
}

/// A loop around the function, with a small number of iterations. What the function returns is accumulated,
/// or replaces a parameter in the next iteration.
pub(super) fn in_loop(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    can_be_wrapped(subject)?;
    let returns = subject.function.header.returns.clone();
    let code = subject.function.code()?;
    if !code.instructions().any(|it| matches!(it.op, Op::Return)) {
        return None;
    }
    let carried: Vec<LocalId> = (0..)
        .zip(&subject.function.header.parameters)
        .filter(|(_, it)| it.ty == returns)
        .map(|(at, _)| LocalId(at))
        .collect();
    let carried = entropy.pick(&carried).copied().filter(|_| entropy.chance(3, 4));
    let start = match (&returns, carried) {
        (Type::Void, _) => None,
        (ty, Some(local)) => Some(Operand::local(ty.clone(), local)),
        (ty, None) => {
            let start = any_constant(subject.module, ty, entropy)?;
            Some(Operand::constant(ty.clone(), start))
        }
    };
    let limit = limit(subject, entropy)?;
    let width = limit.value.ty.int_width()?;
    let code = subject.function.code_mut()?;
    let head = new_entry(code);
    let (latch, exit) = (code.add_block("latch"), code.add_block("exit"));
    let entry = &mut code.block_mut(BlockId(0)).instructions;
    entry.extend(limit.before);
    entry.push(Instruction::new(None, Op::Branch(head), vec![]));
    let (i, next) =
        (code.add_local("i", Type::Int(width)), code.add_local("i.next", Type::Int(width)));
    let int = |local| Operand::local(Type::Int(width), local);
    let edges = || Op::Phi(vec![BlockId(0), latch]);
    let mut phis =
        vec![Instruction::new(Some(i), edges(), vec![Operand::int(width, 0), int(next)])];
    let mut tail = vec![];
    let mut result = None;
    if let Some(start) = start {
        let ty = returns;
        let state = Operand::local(ty.clone(), code.add_local("state", ty.clone()));
        // Every use of the parameter is one of the state of the loop.
        if let Some(local) = carried {
            let inside = code.blocks.iter_mut().skip(1).flat_map(|it| &mut it.instructions);
            for operand in inside.flat_map(|it| &mut it.operands) {
                if operand.as_local() == Some(local) {
                    operand.value = state.value.clone();
                }
            }
        }
        let ways = returned(code, latch);
        let came = code.add_local("came", ty.clone());
        let (blocks, values): (Vec<_>, Vec<_>) = ways.into_iter().unzip();
        tail.push(Instruction::new(Some(came), Op::Phi(blocks), values));
        let came = Operand::local(ty.clone(), came);
        let new = match (carried, join(&ty, entropy)) {
            (None, Some(op)) => {
                let new = code.add_local("state.next", ty.clone());
                tail.push(Instruction::new(Some(new), op, vec![state.clone(), came]));
                Operand::local(ty.clone(), new)
            }
            _ => came,
        };
        phis.push(Instruction::new(state.as_local(), edges(), vec![start, new.clone()]));
        result = Some(new);
    } else {
        returned(code, latch);
    }
    code.block_mut(head).instructions.splice(0..0, phis);
    let go = code.add_local("go", Type::BOOL);
    tail.push(Instruction::new(
        Some(next),
        Op::Binary(BinaryOp::Add),
        vec![int(i), Operand::int(width, 1)],
    ));
    let test = Op::ICmp(Predicate::Ult);
    tail.push(Instruction::new(Some(go), test, vec![int(next), limit.value]));
    let go = Operand::local(Type::BOOL, go);
    tail.push(Instruction::new(None, Op::CondBranch(head, exit), vec![go]));
    code.block_mut(latch).instructions = tail;
    let back = Instruction::new(None, Op::Return, result.into_iter().collect());
    code.block_mut(exit).instructions.push(back);
    Some(())
}

/// Every return goes to a block instead. The blocks that do, with what they returned.
fn returned(code: &mut Code, to: BlockId) -> Vec<(BlockId, Operand)> {
    let mut ways = vec![];
    for (block, at) in code.blocks.iter_mut().zip(0..) {
        let Some(last) = block.instructions.last_mut() else { continue };
        if let Op::Return = last.op {
            let values = std::mem::take(&mut last.operands);
            *last = Instruction::new(None, Op::Branch(to), vec![]);
            ways.extend(values.into_iter().map(|value| (BlockId(at), value)));
        }
    }
    ways
}

/// How many iterations there are: a constant, or a few bits of a parameter.
fn limit(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<Condition> {
    if entropy.chance(1, 2) {
        let width = *entropy.pick(&[8, 32, 64])?;
        let count = u128::from(entropy.between(1, 6));
        return Some(Condition { before: vec![], value: Operand::int(width, count) });
    }
    let ints: Vec<(LocalId, u32)> = (0..)
        .zip(&subject.function.header.parameters)
        .filter_map(|(at, it)| match it.ty {
            Type::Int(width @ 3..=64) => Some((LocalId(at), width)),
            _ => None,
        })
        .collect();
    let (value, width) = match entropy.pick(&ints) {
        Some((local, width)) => (Operand::local(Type::Int(*width), *local), *width),
        None => (fresh(subject, &Type::Int(32))?, 32),
    };
    let mut builder = Builder::new(subject.function.code_mut()?);
    let value = builder.binary(BinaryOp::And, value, Operand::int(width, 3));
    Some(Condition { before: builder.instructions, value })
}

/// An operator that accumulates values of a type.
fn join(ty: &Type, entropy: &mut Entropy) -> Option<Op> {
    match ty.lane() {
        Type::Int(_) => {
            let ops = [BinaryOp::Add, BinaryOp::Xor, BinaryOp::Mul, BinaryOp::Or, BinaryOp::Sub];
            entropy.pick(&ops).copied().map(Op::Binary)
        }
        Type::Float(_) => Some(Op::FloatBinary(FloatBinaryOp::Add)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_of;
    use super::*;

    const TEXT: &str = "define i8 @f(i8 %x, i8 %y) {\nentry:\n  %s = alloca i8, align 1\n  %c = icmp \
                        ult i8 %x, %y\n  br i1 %c, label %a, label %b\n\na:\n  %d = add i8 %x, 1\n  \
                        ret i8 %d\n\nb:\n  %e = phi i8 [ %y, %entry ]\n  ret i8 %e\n}\n";

    #[test]
    fn conditions_around_a_function_are_unknown() {
        let made = all_of(TEXT, 19, 100, in_condition);
        for wanted in ["load volatile i1", "call i1 @opaque.i1()", "i1 %extra", "%guard = icmp"] {
            assert!(made.iter().any(|it| it.contains(wanted)), "{wanted}");
        }
        assert!(made.iter().all(|it| it.contains("phi i8 [ %y, %inner ]")));
    }

    #[test]
    fn loops_around_a_function_carry_its_result() {
        let made = all_of(TEXT, 19, 100, in_loop);
        assert!(made.iter().any(|it| it.contains("%state = phi i8 [ %x, %entry ]")));
        assert!(made.iter().any(|it| it.contains("%state.next = ")));
        assert!(made.iter().all(|it| it.contains("%came = phi i8 [ %d, %a ], [ %e, %b ]")));
        let void = "define void @f(ptr %p) {\n  store i8 1, ptr %p, align 1\n  ret void\n}\n";
        assert!(all_of(void, 19, 20, in_loop).iter().all(|it| it.contains("icmp ult")));
    }
}
