//! Scalars to vectors and back: a function that works lane by lane does so with another number of lanes;
//! where a whole function cannot, one instruction does, with splats before and an extracted lane behind it.

use std::sync::Arc;

use forge::Entropy;

use super::Subject;
use super::declare::{call, mangled};
use crate::crossover::Builder;
use crate::ir::{
    CastOp, Code, Constant, Function, Instruction, LocalId, Module, Op, Operand, Type, Value,
};

const LANES: [u32; 4] = [2, 4, 3, 8];

/// Intrinsics that work lane by lane, and whether a last argument is a flag, which is no vector.
const LANE_WISE: &[(&str, bool)] = &[
    ("umin", false),
    ("umax", false),
    ("smin", false),
    ("smax", false),
    ("uadd.sat", false),
    ("usub.sat", false),
    ("sadd.sat", false),
    ("ssub.sat", false),
    ("ushl.sat", false),
    ("sshl.sat", false),
    ("fshl", false),
    ("fshr", false),
    ("bswap", false),
    ("bitreverse", false),
    ("ctpop", false),
    ("ctlz", true),
    ("cttz", true),
    ("abs", true),
    ("fabs", false),
    ("floor", false),
    ("ceil", false),
    ("trunc", false),
    ("sqrt", false),
    ("minnum", false),
    ("maxnum", false),
    ("minimum", false),
    ("maximum", false),
    ("copysign", false),
    ("canonicalize", false),
    ("fma", false),
];

/// The row of an intrinsic.
fn lane_wise(callee: &str) -> Option<(&'static str, bool)> {
    let name = callee.strip_prefix("llvm.")?;
    let is_it = |row: &&(&str, bool)| {
        let types = name.strip_prefix(row.0).and_then(|it| it.strip_prefix('.'));
        types.is_some_and(|it| !it.contains('.'))
    };
    LANE_WISE.iter().find(is_it).copied()
}

/// Whether an instruction does the same in each lane.
fn is_lane_wise(instruction: &Instruction) -> bool {
    match &instruction.op {
        Op::Binary(_)
        | Op::FloatBinary(_)
        | Op::FNeg
        | Op::ICmp(_)
        | Op::FCmp(_)
        | Op::Select
        | Op::Freeze => true,
        Op::Cast(op, _) => !matches!(
            op,
            CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrToAddr | CastOp::AddrSpaceCast
        ),
        Op::Call(call) => {
            call.bundles.is_empty()
                && instruction.callee().is_some_and(|it| lane_wise(it).is_some())
        }
        _ => false,
    }
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Int(1..=128) | Type::Float(_))
}

/// The number of lanes that values have: none for scalars.
type Lanes = Option<u32>;

fn relaned(ty: &Type, lanes: Lanes) -> Type {
    match lanes {
        Some(lanes) => Type::vector(lanes, ty.lane().clone()),
        None => ty.lane().clone(),
    }
}

fn lanes_of(ty: &Type) -> Option<Lanes> {
    match ty {
        Type::Vector { lanes, scalable: false, of } if is_number(of) => Some(Some(*lanes)),
        ty if is_number(ty) => Some(None),
        _ => None,
    }
}

/// A whole function if it works lane by lane, else one instruction.
pub(super) fn change(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code()?;
    if let Some(lanes) = common_lanes(code, &subject.function.header.returns)
        && entropy.chance(2, 3)
    {
        let new = match lanes {
            None => Some(*entropy.pick(&LANES)?),
            Some(_) if entropy.chance(2, 3) => None,
            Some(_) => Some(*entropy.pick(&LANES)?),
        };
        subject.function = whole(subject.module, &subject.function, new)?;
        return Some(());
    }
    one(subject, entropy)
}

/// The number of lanes of everything in the function, if that is one number.
fn common_lanes(code: &Code, returns: &Type) -> Option<Lanes> {
    let lanes = lanes_of(returns)?;
    let fits = |it: &Instruction| match &it.op {
        Op::Phi(_) | Op::Return | Op::Branch(_) => true,
        _ => is_lane_wise(it),
    };
    let all = code.locals.iter().all(|it| lanes_of(&it.ty) == Some(lanes))
        && code.instructions().all(fits);
    all.then_some(lanes)
}

/// Gives a function that works lane by lane another number of lanes, none for scalars. None if it does not.
pub fn with_lanes(module: &mut Module, name: &str, lanes: Option<u32>) -> Option<()> {
    let function = module.function(name)?.clone();
    let old = common_lanes(function.code()?, &function.header.returns)?;
    if old == lanes {
        return None;
    }
    let changed = whole(module, &function, lanes)?;
    *module.function_mut(name)? = changed;
    Some(())
}

/// Every type of the function gets another number of lanes.
fn whole(module: &mut Module, function: &Function, lanes: Lanes) -> Option<Function> {
    let mut function = function.clone();
    let header = &mut function.header;
    header.returns = relaned(&header.returns, lanes);
    // Extensions and ranges are for scalars, or have a type in them.
    for name in ["signext", "zeroext", "range"] {
        header.return_attributes.remove(name);
        header.parameters.iter_mut().for_each(|it| it.attributes.remove(name));
    }
    header.parameters.iter_mut().for_each(|it| it.ty = relaned(&it.ty, lanes));
    let code = function.code_mut()?;
    code.locals.iter_mut().for_each(|it| it.ty = relaned(&it.ty, lanes));
    for instruction in code.instructions_mut() {
        relane(module, instruction, lanes)?;
    }
    Some(function)
}

/// An instruction that works lane by lane, with other lanes. Operands keep their values; constants are
/// adapted.
fn relane(module: &mut Module, instruction: &mut Instruction, lanes: Lanes) -> Option<()> {
    let callee = instruction.callee().map(str::to_owned);
    let row = callee.as_deref().and_then(lane_wise);
    let arguments = match &instruction.op {
        Op::Call(call) => call.arguments() - usize::from(row?.1),
        _ => instruction.operands.len(),
    };
    for operand in &mut instruction.operands[..arguments] {
        if let Value::Constant(constant) = &mut operand.value {
            *constant = constant_with_lanes(constant, &operand.ty, lanes)?;
        }
        operand.ty = relaned(&operand.ty, lanes);
    }
    match &mut instruction.op {
        Op::Cast(_, to) => *to = relaned(to, lanes),
        Op::Call(inner) => {
            let ty = relaned(&inner.returns, lanes);
            let name = format!("llvm.{}.{}", row?.0, mangled(&ty)?);
            let result = instruction.result?;
            let mut operands = instruction.operands.clone();
            operands.pop();
            let made = call(module, &name, Some((result, ty)), operands)?;
            let flags = instruction.flags;
            *instruction = made;
            instruction.flags = flags;
        }
        _ => {}
    }
    instruction.metadata.clear();
    Some(())
}

fn constant_with_lanes(constant: &Constant, ty: &Type, lanes: Lanes) -> Option<Constant> {
    let first = match (constant, ty) {
        (Constant::Zero, Type::Vector { of, .. }) => match **of {
            Type::Int(_) => Constant::Int(0),
            _ => Constant::Float(0),
        },
        _ => constant.lane(0)?.clone(),
    };
    Some(match lanes {
        None => first,
        Some(lanes) => {
            // Lanes beyond the old ones begin again.
            let old = ty.lanes().filter(|_| ty.is_vector()).unwrap_or(1);
            let lane = |at: u32| match constant {
                Constant::Zero => Some(first.clone()),
                _ => constant.lane((at % old) as usize).cloned(),
            };
            Constant::Vector((0..lanes).map(lane).collect::<Option<Arc<[_]>>>()?)
        }
    })
}

/// One instruction becomes a vector of itself, from which a lane is taken; or a vector of a few lanes is
/// computed lane by lane.
fn one(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code()?;
    let mut places = vec![];
    for block in code.block_ids() {
        for (index, instruction) in code.block(block).instructions.iter().enumerate() {
            let all = instruction.operands.iter().all(|it| lanes_of(&it.ty).is_some());
            if is_lane_wise(instruction)
                && !matches!(instruction.op, Op::Call(_))
                && all
                && let Some(lanes) = lanes_of(&code.local(instruction.result?).ty)
                && lanes.is_none_or(|it| it <= 4)
            {
                places.push((block, index, lanes));
            }
        }
    }
    let (block, index, lanes) = *entropy.pick(&places)?;
    let code = subject.function.code_mut()?;
    let old = code.block(block).instructions[index].clone();
    let result = old.result?;
    let mut builder = Builder::new(code);
    let made = match lanes {
        None => vectorised(&mut builder, &old, entropy)?,
        Some(lanes) => scalarised(&mut builder, &old, lanes)?,
    };
    let mut inserted = builder.instructions;
    // The last one defines what the old one did.
    let last = inserted.iter_mut().find(|it| it.result == Some(made))?;
    last.result = Some(result);
    code.block_mut(block).instructions.splice(index..=index, inserted);
    Some(())
}

fn vectorised(
    builder: &mut Builder<'_>,
    old: &Instruction,
    entropy: &mut Entropy,
) -> Option<LocalId> {
    let lanes = *entropy.pick(&LANES[..2])?;
    let at = entropy.below(u64::from(lanes));
    let mut operands = vec![];
    for operand in &old.operands {
        let ty = relaned(&operand.ty, Some(lanes));
        operands.push(match operand.as_constant() {
            Some(constant) => {
                Operand::constant(ty, constant_with_lanes(constant, &operand.ty, Some(lanes))?)
            }
            None if entropy.chance(1, 2) => builder.splat(operand, &ty),
            // The other lanes are anything.
            None => {
                let poison = Operand::constant(ty.clone(), Constant::Poison);
                let index = Operand::int(32, u128::from(at));
                let operands = vec![poison, operand.clone(), index];
                builder.add("in", ty, Op::InsertElement, operands)
            }
        });
    }
    // Where a lane of a divisor is poison, the whole division is undefined.
    if let Op::Binary(op) = &old.op
        && (op.word().ends_with("div") || op.word().ends_with("rem"))
        && operands[1].as_local().is_some()
    {
        operands[1] = builder.splat(&old.operands[1], &operands[1].ty.clone());
    }
    let scalar = builder.code.local(old.result?).ty.clone();
    let ty = relaned(&scalar, Some(lanes));
    let op = match &old.op {
        Op::Cast(op, _) => Op::Cast(*op, ty.clone()),
        other => other.clone(),
    };
    let wide = builder.add("wide", ty, op, operands);
    builder.instructions.last_mut()?.flags = old.flags;
    let index = Operand::int(32, u128::from(at));
    builder.add("lane", scalar, Op::ExtractElement, vec![wide, index]).as_local()
}

fn scalarised(builder: &mut Builder<'_>, old: &Instruction, lanes: u32) -> Option<LocalId> {
    let ty = builder.code.local(old.result?).ty.clone();
    let mut vector = Operand::constant(ty.clone(), Constant::Poison);
    for at in 0..lanes {
        let index = Operand::int(32, u128::from(at));
        let mut operands = vec![];
        for operand in &old.operands {
            // The condition of a select may be one for all lanes.
            if !operand.ty.is_vector() {
                operands.push(operand.clone());
                continue;
            }
            let lane = operand.ty.lane().clone();
            let pair = vec![operand.clone(), index.clone()];
            operands.push(builder.add("lane", lane, Op::ExtractElement, pair));
        }
        let lane = ty.lane().clone();
        let op = match &old.op {
            Op::Cast(op, _) => Op::Cast(*op, lane.clone()),
            other => other.clone(),
        };
        let scalar = builder.add("scalar", lane, op, operands);
        builder.instructions.last_mut()?.flags = old.flags;
        vector = builder.add("vector", ty.clone(), Op::InsertElement, vec![vector, scalar, index]);
    }
    vector.as_local()
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_of;
    use super::*;

    #[test]
    fn a_function_becomes_one_over_vectors_and_back() {
        let text = "declare i8 @llvm.ctlz.i8(i8, i1)\ndefine i8 @f(i8 zeroext %x) {\n  %a = add nsw \
                    i8 %x, 3\n  %b = call i8 @llvm.ctlz.i8(i8 %a, i1 true)\n  %c = icmp ult i8 %b, \
                    %x\n  %d = select i1 %c, i8 %a, i8 7\n  ret i8 %d\n}\n";
        let made = all_of(text, 19, 60, change);
        let wide = made.iter().find(|it| it.contains("define <2 x i8> @f(<2 x i8> %x)")).unwrap();
        assert!(wide.contains("@llvm.ctlz.v2i8(<2 x i8> %a, i1 true)"), "{wide}");
        let back = all_of(wide, 19, 60, change);
        assert!(back.iter().any(|it| {
            it.contains("define i8 @f(i8 %x)") && it.contains("%a = add nsw i8 %x, 3")
        }));
    }

    #[test]
    fn one_instruction_is_vectorised_or_scalarised() {
        let text = "define i8 @f(i8 %x, ptr %p) {\n  %a = add nsw i8 %x, 3\n  store i8 %a, ptr %p, \
                    align 1\n  ret i8 %a\n}\n";
        let made = all_of(text, 19, 30, change);
        assert!(
            made.iter().all(|it| it.contains("%wide = add nsw <") && it.contains("%a = extract"))
        );
        let text = "define <2 x i8> @f(<2 x i8> %x, ptr %p) {\n  %a = sub <2 x i8> %x, <i8 1, i8 2>\n  \
                    ret <2 x i8> %a\n}\n";
        let made = all_of(text, 19, 30, change);
        assert!(made.iter().all(|it| it.contains("%scalar = sub i8 ")));
    }
}
