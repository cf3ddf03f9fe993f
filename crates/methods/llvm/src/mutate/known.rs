//! Known values: the interpreter runs the function on an input, and so knows what a value is there. What is
//! inserted keeps the function defined on that input: code that this input does not reach, a constant where
//! the value is equal to it, an assumption that is true there, flags that are true there.
//!
//! A value is learnt by a probe: a copy of the function that returns it.

use forge::Entropy;

use super::Subject;
use super::declare::call;
use super::flags::legal;
use crate::crossover::{any_constant, ends_function, split};
use crate::interpret::{Choices, Input, Interpreter, Lane, Limits, Outcome, Program, Value as Run};
use crate::ir::{
    BinaryOp, BlockId, Constant, Function, Instruction, LocalId, Module, Op, Operand, Predicate,
    Type, Value,
};
use crate::refine::inputs;

/// How many inputs are tried, until the function is defined on one.
const INPUTS: usize = 4;

/// A larger function is not run.
const MOST_INSTRUCTIONS: usize = 80;

/// A value behind whose definition something can be inserted, and what it is on an input.
struct Known {
    /// Behind its definition.
    block: BlockId,
    index: usize,
    local: LocalId,
    width: u32,
    value: u128,
}

fn run(module: &Module, function: &Function, input: &Input) -> Outcome {
    let program = Program::new(module, function);
    let limits = Limits { steps: 500, ..Limits::default() };
    Interpreter::run(&program, input, &mut Choices::sampled(1), limits).outcome
}

/// An input on which the function returns.
fn defined_input(subject: &Subject<'_>, entropy: &mut Entropy) -> Option<(Input, Outcome)> {
    let function = &subject.function;
    if function.code()?.instructions().count() > MOST_INSTRUCTIONS {
        return None;
    }
    let program = Program::new(subject.module, function);
    if program.unsupported().is_some() {
        return None;
    }
    let drawn = inputs(&program, function, INPUTS, entropy);
    drawn.into_iter().find_map(|input| {
        let outcome = run(subject.module, function, &input);
        matches!(outcome, Outcome::Returned { .. }).then_some((input, outcome))
    })
}

/// A value of the function and what it is on some input.
fn known(subject: &Subject<'_>, entropy: &mut Entropy) -> Option<Known> {
    let (input, _) = defined_input(subject, entropy)?;
    let code = subject.function.code()?;
    let mut places = vec![];
    for block in code.block_ids() {
        let instructions = &code.block(block).instructions;
        for (index, instruction) in instructions.iter().enumerate() {
            let next_is_phi = instructions.get(index + 1).is_some_and(Instruction::is_phi);
            if let Some(local) = instruction.result
                && let Type::Int(width @ 1..=64) = code.local(local).ty
                && !instruction.op.is_terminator()
                && !next_is_phi
                && !ends_function(instruction)
            {
                places.push((block, index + 1, local, width));
            }
        }
    }
    let (block, index, local, width) = *entropy.pick(&places)?;
    let value = probe(subject, &input, (block, index, local))?;
    Some(Known { block, index, local, width, value })
}

/// What a value is on an input, if the input reaches it and it is neither poison nor undef.
fn probe(
    subject: &Subject<'_>,
    input: &Input,
    (block, index, local): (BlockId, usize, LocalId),
) -> Option<u128> {
    let mut probe = subject.function.clone();
    let ty = probe.code()?.local(local).ty.clone();
    probe.header.returns = ty.clone();
    probe.header.return_attributes.0.clear();
    let code = probe.code_mut()?;
    for at in code.block_ids() {
        let last = code.block_mut(at).instructions.last_mut()?;
        // Another way out says nothing about the value.
        if let Op::Return = last.op {
            last.operands = vec![Operand::constant(ty.clone(), Constant::Poison)];
        }
    }
    let old = code.block(block).terminator().map(|it| it.op.successors()).unwrap_or_default();
    let instructions = &mut code.block_mut(block).instructions;
    instructions.truncate(index);
    instructions.push(Instruction::new(None, Op::Return, vec![Operand::local(ty, local)]));
    for to in old {
        for instruction in &mut code.block_mut(to).instructions {
            if let Op::Phi(from) = &mut instruction.op
                && let Some(at) = from.iter().position(|it| *it == block)
            {
                from.remove(at);
                instruction.operands.remove(at);
            }
        }
    }
    match run(subject.module, &probe, input) {
        Outcome::Returned { value: Some(Run::Lane(Lane::Bits(bits))), .. } => Some(bits),
        _ => None,
    }
}

/// A condition that is true exactly where the value is `constant`, and the instructions that compute it.
fn equals(subject: &mut Subject<'_>, known: &Known, constant: u128) -> Option<Instruction> {
    let code = subject.function.code_mut()?;
    let is = code.add_local("is", Type::BOOL);
    let pair = vec![
        Operand::local(Type::Int(known.width), known.local),
        Operand::int(known.width, constant),
    ];
    Some(Instruction::new(Some(is), Op::ICmp(Predicate::Eq), pair))
}

/// A block that the input does not reach: it calls something, changes the value, or is said to be
/// unreachable.
pub(super) fn insert_dead_code(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let known = known(subject, entropy)?;
    let ty = Type::Int(known.width);
    let Constant::Int(other) = any_constant(subject.module, &ty, entropy)? else { return None };
    if other == known.value {
        return None;
    }
    let test = equals(subject, &known, other)?;
    let condition = Operand::local(Type::BOOL, test.result?);
    let way = entropy.below(4);
    let value = Operand::local(ty.clone(), known.local);
    let body = match way {
        0 => vec![],
        1 => vec![subject.unknown("dead", None, vec![value.clone()])?],
        _ => {
            let changed = subject.function.code_mut()?.add_local("changed", ty.clone());
            let op = Op::Binary(*entropy.pick(&[BinaryOp::Add, BinaryOp::Xor, BinaryOp::Mul])?);
            let constant = any_constant(subject.module, &ty, entropy)?;
            let pair = vec![value.clone(), Operand::constant(ty.clone(), constant)];
            vec![Instruction::new(Some(changed), op, pair)]
        }
    };
    let changed = body.last().and_then(|it| it.result);
    let code = subject.function.code_mut()?;
    let tail = split(code, known.block, known.index);
    let dead = code.add_block("dead");
    let head = &mut code.block_mut(known.block).instructions;
    head.push(test);
    head.push(Instruction::new(None, Op::CondBranch(dead, tail), vec![condition]));
    let end = if way == 0 { Op::Unreachable } else { Op::Branch(tail) };
    let end = Instruction::new(None, end, vec![]);
    code.block_mut(dead).instructions = body.into_iter().chain([end]).collect();
    if let Some(changed) = changed {
        // What follows uses the value as it is on the way that was taken.
        let joined = code.add_local("joined", ty.clone());
        let values = vec![value, Operand::local(ty, changed)];
        let phi = Instruction::new(Some(joined), Op::Phi(vec![known.block, dead]), values);
        for instruction in &mut code.block_mut(tail).instructions {
            for operand in &mut instruction.operands {
                if operand.as_local() == Some(known.local) {
                    operand.value = Value::Local(joined);
                }
            }
        }
        code.block_mut(tail).instructions.insert(0, phi);
    }
    Some(())
}

/// Where the value is equal to what it is on the input, the constant is used instead.
pub(super) fn insert_equal_value(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let known = known(subject, entropy)?;
    let ty = Type::Int(known.width);
    let test = equals(subject, &known, known.value)?;
    let condition = Operand::local(Type::BOOL, test.result?);
    let code = subject.function.code_mut()?;
    let value = Operand::local(ty.clone(), known.local);
    let constant = Operand::int(known.width, known.value);
    let same = code.add_local("same", ty);
    let by_branch = entropy.chance(2, 3);
    let (block, start) = if by_branch {
        let tail = split(code, known.block, known.index);
        let equal = code.add_block("equal");
        let head = &mut code.block_mut(known.block).instructions;
        head.push(test);
        head.push(Instruction::new(None, Op::CondBranch(equal, tail), vec![condition]));
        let on = Instruction::new(None, Op::Branch(tail), vec![]);
        code.block_mut(equal).instructions.push(on);
        let phi = Op::Phi(vec![known.block, equal]);
        let phi = Instruction::new(Some(same), phi, vec![value, constant]);
        code.block_mut(tail).instructions.insert(0, phi);
        (tail, 1)
    } else {
        let pick = Instruction::new(Some(same), Op::Select, vec![condition, constant, value]);
        let instructions = &mut code.block_mut(known.block).instructions;
        instructions.splice(known.index..known.index, [test, pick]);
        (known.block, known.index + 2)
    };
    let mut changed = false;
    for instruction in code.block_mut(block).instructions.iter_mut().skip(start) {
        for operand in &mut instruction.operands {
            if operand.as_local() == Some(known.local) {
                operand.value = Value::Local(same);
                changed = true;
            }
        }
    }
    changed.then_some(())
}

/// An assumption that is true on the input.
pub(super) fn insert_assumption(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let known = known(subject, entropy)?;
    let ty = Type::Int(known.width);
    let value = Operand::local(ty.clone(), known.local);
    let Constant::Int(drawn) = any_constant(subject.module, &ty, entropy)? else { return None };
    let constant = match entropy.below(4) {
        0 => known.value,
        1 => Constant::int(known.value.wrapping_add(1), known.width).as_int()?,
        2 => Constant::int(known.value.wrapping_sub(1), known.width).as_int()?,
        _ => drawn,
    };
    let code = subject.function.code_mut()?;
    let mut inserted = vec![];
    let (tested, seen) = if entropy.chance(1, 4) {
        // Some of its bits.
        let mask = *entropy.pick(&[1, 3, 7, 1 << (known.width - 1)])?;
        let masked = code.add_local("masked", ty.clone());
        let pair = vec![value, Operand::int(known.width, mask)];
        inserted.push(Instruction::new(Some(masked), Op::Binary(BinaryOp::And), pair));
        let Constant::Int(mask) = Constant::int(mask, known.width) else { return None };
        (Operand::local(ty, masked), known.value & mask)
    } else {
        (value, known.value)
    };
    let holding: Vec<Predicate> = Predicate::ALL
        .iter()
        .copied()
        .filter(|it| holds(*it, seen, constant, known.width))
        .collect();
    let predicate = *entropy.pick(&holding)?;
    let fact = code.add_local("fact", Type::BOOL);
    let pair = vec![tested, Operand::int(known.width, constant)];
    inserted.push(Instruction::new(Some(fact), Op::ICmp(predicate), pair));
    let fact = Operand::local(Type::BOOL, fact);
    inserted.push(call(subject.module, "llvm.assume", None, vec![fact])?);
    let code = subject.function.code_mut()?;
    code.block_mut(known.block).instructions.splice(known.index..known.index, inserted);
    Some(())
}

fn holds(predicate: Predicate, a: u128, b: u128, width: u32) -> bool {
    // The sign moves to the top.
    let signed = |value: u128| (value << (128 - width)).cast_signed();
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Sgt => signed(a) > signed(b),
        Predicate::Sge => signed(a) >= signed(b),
        Predicate::Slt => signed(a) < signed(b),
        Predicate::Sle => signed(a) <= signed(b),
    }
}

/// Every flag that does not change what the function does on the input.
pub(super) fn add_true_flags(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let (input, before) = defined_input(subject, entropy)?;
    let code = subject.function.code()?;
    let mut places = vec![];
    for block in code.block_ids() {
        for (index, instruction) in code.block(block).instructions.iter().enumerate() {
            let missing = legal(instruction, subject.version)
                .into_iter()
                .filter(|flag| !instruction.flags.has(*flag));
            places.extend(missing.map(|flag| (block, index, flag)));
        }
    }
    let mut added = 0;
    while let Some(at) = (!places.is_empty()).then(|| entropy.below(places.len() as u64)) {
        let (block, index, flag) = places.swap_remove(at as usize);
        let mut changed = subject.function.clone();
        changed.code_mut()?.block_mut(block).instructions[index].flags |= flag;
        if run(subject.module, &changed, &input) == before {
            subject.function = changed;
            added += 1;
        }
        if added == 4 {
            break;
        }
    }
    (added > 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_of;
    use super::*;

    const TEXT: &str = "define i8 @f(i8 %x, i8 %y) {\n  %a = and i8 %x, 15\n  %b = add i8 %a, 3\n  \
                        %c = xor i8 %b, %y\n  ret i8 %c\n}\n";

    /// Whether some input of the old function is one on which the new one returns.
    fn is_still_defined(text: &str) -> bool {
        let module = Module::parse(text).unwrap();
        let function = &module.functions[0];
        let program = Program::new(&module, function);
        let drawn = inputs(&program, function, 300, &mut Entropy::keyed(7));
        drawn.iter().any(|it| matches!(run(&module, function, it), Outcome::Returned { .. }))
    }

    #[test]
    fn dead_code_is_not_reached_on_the_input() {
        let made = all_of(TEXT, 19, 60, insert_dead_code);
        for wanted in ["unreachable", "call void @dead.i8(", "phi i8"] {
            assert!(made.iter().any(|it| it.contains(wanted)), "{wanted}");
        }
        assert!(made.iter().all(|it| is_still_defined(it)));
    }

    #[test]
    fn equal_values_and_assumptions_keep_the_function_defined() {
        let equal = all_of(TEXT, 19, 40, insert_equal_value);
        assert!(equal.iter().any(|it| it.contains("%same = phi i8")));
        assert!(equal.iter().any(|it| it.contains("%same = select i1 %is")));
        let assumed = all_of(TEXT, 19, 40, insert_assumption);
        assert!(assumed.iter().all(|it| it.contains("call void @llvm.assume(i1 %fact)")));
        assert!(equal.iter().chain(&assumed).all(|it| is_still_defined(it)));
    }

    #[test]
    fn flags_are_true_on_the_input() {
        let made = all_of(TEXT, 19, 20, add_true_flags);
        assert!(made.iter().any(|it| it.contains("add nuw nsw i8 %a, 3")));
        assert!(made.iter().all(|it| is_still_defined(it)));
    }
}
