//! Casts, transmutes, offsets, counts and switches, distinguished by their types and operands.

use super::super::program::{Callee, Operand, Program, Rvalue, Statement, Terminator};
use super::super::types::Kind;
use super::name;

pub(super) const WANTED: [&str; 25] = [
    "array long",
    "call itself",
    "cast bool-to-int",
    "cast char-to-int",
    "cast float-to-float",
    "cast float-to-int",
    "cast int-to-char",
    "cast int-to-float",
    "cast int-to-int",
    "cast int-to-pointer",
    "cast pointer-to-int",
    "cast pointer-to-pointer",
    "cast wide-to-thin",
    "count ArithOffset",
    "count CompareBytes",
    "count CopyNonoverlapping",
    "count CopyOverlapping",
    "count WriteBytes",
    "offset by-place",
    "offset negative",
    "switch many-arms",
    "switch shared-target",
    "transmute pointer-to-pointer",
    "transmute pointer-to-reference",
    "transmute reference-to-pointer",
];

pub(super) fn of(program: &Program) -> Vec<String> {
    let types = &program.types;
    let kind = |of| match types.kind(of) {
        Kind::Pointer { .. } if types.is_wide(of) => "wide".to_owned(),
        other => name(other).to_lowercase(),
    };
    let mut all = vec![];
    let long = |of| matches!(types.kind(of), Kind::Array(_, length) if *length >= 32);
    all.extend(types.all().any(long).then(|| "array long".to_owned()));
    for (number, function) in program.functions.iter().enumerate() {
        let of = |operand: &Operand| operand.type_in(&function.locals, types);
        for block in &function.blocks {
            for statement in &block.statements {
                let Statement::Assign(_, rvalue) = statement else { continue };
                match rvalue {
                    Rvalue::Cast(one, to) => {
                        let to = if types.is_wide(*to) { "wide".to_owned() } else { kind(*to) };
                        let from = of(one).map(kind).unwrap_or_default();
                        let thin = if from == "wide" { "thin" } else { "pointer" };
                        all.push(format!("cast {from}-to-{}", to.replace("pointer", thin)));
                    }
                    Rvalue::Transmute(one, to) => {
                        let from = of(one).map(kind).unwrap_or_default();
                        all.push(format!("transmute {from}-to-{}", kind(*to)));
                    }
                    Rvalue::Offset(_, Operand::Constant(by)) if by.bits >> 63 == 1 => {
                        all.push("offset negative".to_owned());
                    }
                    Rvalue::Offset(_, Operand::Copy(_)) => all.push("offset by-place".to_owned()),
                    _ => {}
                }
            }
            match &block.terminator {
                Terminator::Switch { arms, .. } => {
                    let mut targets: Vec<usize> = arms.iter().map(|(_, target)| *target).collect();
                    targets.sort_unstable();
                    targets.dedup();
                    all.extend((arms.len() >= 8).then(|| "switch many-arms".to_owned()));
                    let shared = targets.len() < arms.len();
                    all.extend(shared.then(|| "switch shared-target".to_owned()));
                }
                Terminator::Call { callee: Callee::Function(callee, _), .. } => {
                    all.extend((*callee == number).then(|| "call itself".to_owned()));
                }
                Terminator::Call { callee: Callee::Intrinsic(intrinsic), arguments, .. } => {
                    let hidden = matches!(arguments.last(), Some(Operand::Copy(_)));
                    all.extend(hidden.then(|| format!("count {intrinsic:?}")));
                }
                _ => {}
            }
        }
    }
    all
}
