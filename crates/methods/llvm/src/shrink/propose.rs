//! Which edits are worth a try, the boldest first.

use crate::cfg::Cfg;
use crate::crossover::points;
use crate::ir::{Constant, Header, LocalId, Module, Op, Operand, Parameter, Type};

use super::edit::{Edit, Owner};
use super::passes::shorter;

/// All edits, the boldest first.
pub(super) fn edits(module: &Module, passes: &str) -> Vec<Edit> {
    let mut edits: Vec<Edit> = shorter(passes).into_iter().map(Edit::Passes).collect();
    if module.functions.len() > 1 {
        edits.extend((0..module.functions.len()).map(Edit::KeepFunction));
    }
    for number in 0..module.functions.len() {
        control(module, number, &mut edits);
    }
    for number in 0..module.functions.len() {
        data(module, number, &mut edits);
    }
    for number in 0..module.functions.len() {
        details(module, number, &mut edits);
    }
    if module.triple.is_some() {
        edits.push(Edit::DropTriple);
    }
    if module.data_layout.is_some() {
        edits.push(Edit::DropDataLayout);
    }
    let initialised = module
        .globals
        .iter()
        .enumerate()
        .filter(|(_, it)| it.initialiser.as_ref().is_some_and(|it| *it != Constant::Zero));
    edits.extend(initialised.map(|(at, _)| Edit::DropInitialiser(at)));
    edits
}

fn control(module: &Module, number: usize, edits: &mut Vec<Edit>) {
    let Some(code) = module.functions[number].code() else { return };
    for block in code.block_ids() {
        let last = code.block(block).instructions.len().saturating_sub(1);
        let Some(terminator) = code.block(block).terminator() else { continue };
        let mut successors = terminator.op.successors();
        successors.dedup();
        if let Op::Switch { cases, .. } = &terminator.op {
            edits.extend((0..cases.len()).map(|case| Edit::DropCase((number, block, last), case)));
        }
        if !matches!(terminator.op, Op::Branch(_)) {
            edits.extend(successors.iter().map(|to| Edit::Jump((number, block, last), *to)));
        }
        if !successors.is_empty() {
            edits.push(Edit::ReturnHere(number, block));
        }
    }
}

fn data(module: &Module, number: usize, edits: &mut Vec<Edit>) {
    let function = &module.functions[number];
    let Some(code) = function.code() else { return };
    // From the end: what is used last is needed by the least.
    for block in code.block_ids().collect::<Vec<_>>().into_iter().rev() {
        let instructions = &code.block(block).instructions;
        for (index, instruction) in instructions.iter().enumerate().rev() {
            if instruction.op.is_terminator() {
                continue;
            }
            let Some(result) = instruction.result else {
                edits.push(Edit::Delete((number, block, index)));
                continue;
            };
            let ty = &code.local(result).ty;
            for operand in instruction.operands.iter().filter(|operand| operand.ty == *ty) {
                edits.push(Edit::Replace(number, result, operand.clone()));
            }
            if *ty == function.header.returns {
                edits.push(Edit::Return(number, result));
            }
            let same = |(_, it): &(u32, &Parameter)| it.ty == *ty;
            for (at, _) in (0..).zip(&function.header.parameters).filter(same) {
                let parameter = Operand::local(ty.clone(), LocalId(at));
                edits.push(Edit::Replace(number, result, parameter));
            }
            edits.push(Edit::MakeParameter(number, result));
            if let Some(zero) = zero(ty) {
                edits.push(Edit::Replace(number, result, Operand::constant(ty.clone(), zero)));
            }
        }
    }
    for (at, parameter) in function.header.parameters.iter().enumerate() {
        // One parameter for two of a type.
        let before = function.header.parameters[..at].iter().position(|it| it.ty == parameter.ty);
        if let Some(first) = before {
            let first = Operand::local(parameter.ty.clone(), LocalId(first as u32));
            edits.push(Edit::Replace(number, LocalId(at as u32), first));
        }
        edits.push(Edit::DropParameter(number, at));
        if let Some(zero) = zero(&parameter.ty) {
            let zero = Operand::constant(parameter.ty.clone(), zero);
            edits.push(Edit::Replace(number, LocalId(at as u32), zero));
        }
    }
}

fn details(module: &Module, number: usize, edits: &mut Vec<Edit>) {
    let function = &module.functions[number];
    let Some(code) = function.code() else { return };
    if !function.header.attributes.is_empty() {
        edits.push(Edit::DropFunctionAttributes(number));
    }
    if !function.header.return_attributes.is_empty() {
        edits.push(Edit::DropReturnAttributes(number));
    }
    for (at, parameter) in function.header.parameters.iter().enumerate() {
        if !parameter.attributes.is_empty() {
            edits.push(Edit::DropParameterAttributes(number, at));
        }
    }
    attributes(&function.header, number, edits);
    if !function.header.metadata.is_empty() {
        edits.push(Edit::DropFunctionMetadata(number));
    }
    for block in code.block_ids() {
        for (index, instruction) in code.block(block).instructions.iter().enumerate() {
            let at = (number, block, index);
            edits.extend(instruction.flags.iter().map(|flag| Edit::DropFlags(at, flag)));
            if !instruction.metadata.is_empty() {
                edits.push(Edit::DropMetadata(at));
            }
            if let Op::Load(_, memory) | Op::Store(memory) = &instruction.op
                && (memory.volatile || memory.ordering.is_some())
            {
                edits.push(Edit::PlainAccess(at));
            }
            if let Op::Call(call) = &instruction.op
                && (!call.attributes.is_empty()
                    || !call.return_attributes.is_empty()
                    || call.tail.is_some()
                    || call.argument_attributes.iter().any(|it| !it.is_empty()))
            {
                edits.push(Edit::DropCallAttributes(at));
            }
        }
    }
    let mut widths: Vec<u32> = code.locals.iter().filter_map(|it| it.ty.int_width()).collect();
    widths.sort_unstable();
    widths.dedup();
    for from in widths {
        for to in [1, 2, 4, 8, 16, 32].into_iter().filter(|to| *to < from) {
            edits.push(Edit::Narrow(number, from, to));
        }
    }
    let lanes = code.locals.iter().filter_map(|it| it.ty.lanes().filter(|_| it.ty.is_vector()));
    if let Some(most) = lanes.max() {
        edits.push(Edit::Lanes(number, None));
        edits.extend((most > 2).then_some(Edit::Lanes(number, Some(2))));
    }
    for point in points(module, code, &Cfg::new(code)) {
        let user = &code.block(point.user.block).instructions[point.user.index];
        let Some(constant) = user.operands[point.operand].as_constant() else { continue };
        for simpler in simpler(constant, &point.ty) {
            edits.push(Edit::Constant(number, point.clone(), simpler));
        }
    }
}

/// Attributes one by one, where they are several.
fn attributes(header: &Header, number: usize, edits: &mut Vec<Edit>) {
    let mut each = |owner: Owner, count: usize| {
        if count > 1 {
            edits.extend((0..count).map(|at| Edit::DropAttribute(number, owner, at)));
        }
    };
    for (at, parameter) in header.parameters.iter().enumerate() {
        each(Owner::Parameter(at), parameter.attributes.0.len());
    }
    each(Owner::Result, header.return_attributes.0.len());
    each(Owner::Function, header.attributes.0.len());
}

/// The simplest constant of a type.
fn zero(ty: &Type) -> Option<Constant> {
    match ty {
        Type::Int(1..=128) => Some(Constant::Int(0)),
        Type::Float(_) => Some(Constant::Float(0)),
        Type::Vector { .. } | Type::Array { .. } | Type::Struct { .. } => Some(Constant::Zero),
        Type::Pointer { .. } => Some(Constant::Null),
        _ => None,
    }
}

fn simpler(constant: &Constant, ty: &Type) -> Vec<Constant> {
    match (constant, ty) {
        (Constant::Int(value), Type::Int(width)) if *value > 1 => {
            let small = [0, 1, value / 2, value & 0xff];
            let mut small: Vec<u128> = small.into_iter().filter(|it| it < value).collect();
            small.dedup();
            let mut all: Vec<Constant> = small.into_iter().map(Constant::Int).collect();
            let ones = Constant::int(u128::MAX, *width);
            if ones != *constant {
                all.push(ones);
            }
            all
        }
        (Constant::Int(1), _) => vec![Constant::Int(0)],
        (Constant::Float(bits), _) if *bits != 0 => vec![Constant::Float(0)],
        (Constant::Vector(lanes), Type::Vector { of, .. }) => {
            let mut all = vec![Constant::Zero];
            for (at, lane) in lanes.iter().enumerate() {
                for simpler in simpler(lane, of).into_iter().take(2) {
                    let mut lanes = lanes.to_vec();
                    lanes[at] = simpler;
                    all.push(Constant::Vector(lanes.into()));
                }
                if let Some(first) = lanes.first().filter(|first| *first != lane) {
                    let mut lanes = lanes.to_vec();
                    lanes[at] = first.clone();
                    all.push(Constant::Vector(lanes.into()));
                }
            }
            all
        }
        (Constant::Splat(_), _) => vec![Constant::Zero],
        (Constant::Undef, _) => vec![Constant::Poison],
        _ => vec![],
    }
}
