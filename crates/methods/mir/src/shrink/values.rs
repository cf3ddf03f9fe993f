//! Simplifies values: replaces rvalues and calls by constants or by one of their operands, and operands by constants.

use super::super::program::{Operand, Program, Rvalue, Statement, Terminator};
use super::super::types::{Float, Kind, TypeId, Types};
use super::super::visit::{Mention, MentionMut, change, read};
use super::{Source, blocks};

/// Function, block, statement.
type At = (usize, usize, usize);

/// Simpler values of a scalar type than the given one.
pub(super) fn simpler(types: &Types, of: TypeId, bits: u128) -> Vec<u128> {
    let ones = |width: u32| u128::MAX >> (128 - width);
    let mut all = match types.kind(of) {
        Kind::Float(Float::F32) => {
            let whole = f32::from_bits(bits as u32).trunc();
            let short = (bits as u32) & 0xffff_0000;
            [0.0, 1.0, whole]
                .map(|it| u128::from(it.to_bits()))
                .into_iter()
                .chain([short.into()])
                .collect()
        }
        Kind::Float(Float::F64) => {
            let whole = f64::from_bits(bits as u64).trunc();
            let short = (bits as u64) & 0xffff_ffff_0000_0000;
            [0.0, 1.0, whole]
                .map(|it| u128::from(it.to_bits()))
                .into_iter()
                .chain([short.into()])
                .collect()
        }
        Kind::Int(int) if int.signed && bits >> (int.bits() - 1) & 1 == 1 => {
            let away = bits.wrapping_neg() & ones(int.bits());
            let length = 128 - away.leading_zeros();
            vec![
                0,
                1,
                ones(int.bits()),
                away,
                (away >> 1).wrapping_neg() & ones(int.bits()),
                away >> (length / 2),
            ]
        }
        Kind::Tuple(_) => vec![],
        _ => {
            let length = 128 - bits.leading_zeros();
            vec![0, 1, bits >> (length / 2), bits >> 1]
        }
    };
    all.retain(|it| *it != bits);
    all.dedup();
    all
}

/// Constants that may replace a scalar: the observed value, else 0 and 1. A pointer becomes null, or its observed
/// address if it was invalid.
fn constants(types: &Types, of: TypeId, observed: Option<&u128>) -> Vec<Operand> {
    if matches!(types.kind(of), Kind::Pointer { .. }) && !types.is_wide(of) {
        return vec![Operand::constant(of, observed.copied().unwrap_or(0))];
    }
    if !types.is_scalar(of) {
        return vec![];
    }
    let one = match types.kind(of) {
        Kind::Float(Float::F32) => u128::from(1_f32.to_bits()),
        Kind::Float(Float::F64) => u128::from(1_f64.to_bits()),
        _ => 1,
    };
    let mut all: Vec<u128> = observed.copied().into_iter().collect();
    all.extend([0, one].into_iter().filter(|bits| Some(bits) != observed));
    all.into_iter().map(|bits| Operand::constant(of, bits)).collect()
}

fn is_constant(operand: &Operand, bits: Option<&u128>) -> bool {
    matches!(operand, Operand::Constant(it) if Some(&it.bits) == bits)
}

/// Assignments that may replace calls: function, block, operand.
pub(super) fn calls(source: &Source) -> Vec<(usize, usize, Operand)> {
    let program = &source.program;
    let mut all = vec![];
    for (function, number) in blocks(program) {
        let body = &program.functions[function];
        let block = &body.blocks[number];
        let Terminator::Call { arguments, destination, .. } = &block.terminator else { continue };
        let Some(of) = destination.type_in(&body.locals, &program.types) else { continue };
        let observed = source.observed.assigned.get(&(function, number, block.statements.len()));
        let given = arguments.iter();
        let given = given.filter(|it| it.type_in(&body.locals, &program.types) == Some(of));
        let replacements =
            constants(&program.types, of, observed).into_iter().chain(given.cloned());
        all.extend(replacements.map(|operand| (function, number, operand)));
    }
    all
}

pub(super) fn replace_call(
    source: &Source,
    (function, block, operand): (usize, usize, Operand),
) -> Option<Program> {
    let mut smaller = source.program.clone();
    let block = &mut smaller.functions[function].blocks[block];
    let Terminator::Call { destination, target, .. } = &block.terminator else { return None };
    block.statements.push(Statement::Assign(destination.clone(), Rvalue::Use(operand)));
    block.terminator = Terminator::Goto(*target);
    Some(smaller)
}

/// All statements of a program.
fn statements(program: &Program) -> impl Iterator<Item = (At, &Statement)> {
    blocks(program).flat_map(|(function, block)| {
        let statements = program.functions[function].blocks[block].statements.iter().enumerate();
        statements.map(move |(index, statement)| ((function, block, index), statement))
    })
}

/// Operands that may replace rvalues.
pub(super) fn rvalues(source: &Source) -> Vec<(At, Operand)> {
    let program = &source.program;
    let mut all = vec![];
    for (at, statement) in statements(program) {
        let Statement::Assign(place, rvalue) = statement else { continue };
        // Plain operands have their own pass.
        if matches!(rvalue, Rvalue::Use(_)) {
            continue;
        }
        let locals = &program.functions[at.0].locals;
        let Some(of) = place.type_in(locals, &program.types) else { continue };
        let parts = rvalue.operands().into_iter();
        let parts = parts.filter(|it| it.type_in(locals, &program.types) == Some(of)).cloned();
        let observed = source.observed.assigned.get(&at);
        let replacements = constants(&program.types, of, observed).into_iter().chain(parts);
        all.extend(replacements.map(|operand| (at, operand)));
    }
    all
}

/// Of these, the observed constants.
pub(super) fn observed_rvalues(source: &Source) -> Vec<(At, Operand)> {
    let mut all = rvalues(source);
    all.retain(|(at, operand)| is_constant(operand, source.observed.assigned.get(at)));
    all
}

pub(super) fn set_rvalue(program: &mut Program, (at, operand): &(At, Operand)) {
    let statement = &mut program.functions[at.0].blocks[at.1].statements[at.2];
    if let Statement::Assign(_, rvalue) = statement {
        *rvalue = Rvalue::Use(operand.clone());
    }
}

/// Simpler operands, each with its position. The terminator counts as the statement after the last.
pub(super) fn operands(source: &Source) -> Vec<(At, usize, Operand)> {
    let program = &source.program;
    let mut all = vec![];
    for (function, block) in blocks(program) {
        let it = &program.functions[function].blocks[block];
        for index in 0..=it.statements.len() {
            let at = (function, block, index);
            let mut position = 0;
            let mut visit = |mention: Mention<'_>| {
                if let Mention::Operand(operand) = mention {
                    let replacements = simpler_operands(source, at, position, operand);
                    all.extend(replacements.into_iter().map(|it| (at, position, it)));
                    position += 1;
                }
            };
            match it.statements.get(index) {
                Some(statement) => read::statement(statement, &mut visit),
                None => read::terminator(&it.terminator, &mut visit),
            }
        }
    }
    all
}

fn simpler_operands(source: &Source, at: At, position: usize, operand: &Operand) -> Vec<Operand> {
    let types = &source.program.types;
    match operand {
        Operand::Function(..) | Operand::Parameter(_) => vec![],
        Operand::Constant(it) => {
            let all = simpler(types, it.of, it.bits).into_iter();
            all.map(|bits| Operand::constant(it.of, bits)).collect()
        }
        Operand::Copy(place) | Operand::Move(place) => {
            let of = place.type_in(&source.program.functions[at.0].locals, types);
            let observed = source.observed.operands.get(&(at.0, at.1, at.2, position));
            let mut all = of.map_or(vec![], |of| constants(types, of, observed));
            if matches!(operand, Operand::Move(_)) {
                all.push(Operand::Copy(place.clone()));
            }
            all
        }
    }
}

/// Of these, the observed constants.
pub(super) fn observed_operands(source: &Source) -> Vec<(At, usize, Operand)> {
    let observed = |at: &At, position| source.observed.operands.get(&(at.0, at.1, at.2, position));
    let mut all = operands(source);
    all.retain(|(at, position, operand)| is_constant(operand, observed(at, *position)));
    all
}

pub(super) fn set_operand(program: &mut Program, (at, wanted, new): &(At, usize, Operand)) {
    let block = &mut program.functions[at.0].blocks[at.1];
    let mut position = 0;
    let mut replace = |mention: MentionMut<'_>| {
        if let MentionMut::Operand(operand) = mention {
            if position == *wanted {
                *operand = new.clone();
            }
            position += 1;
        }
    };
    match block.statements.get_mut(at.2) {
        Some(statement) => change::statement(statement, &mut replace),
        None => change::terminator(&mut block.terminator, &mut replace),
    }
}
