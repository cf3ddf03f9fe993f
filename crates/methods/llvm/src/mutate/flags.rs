//! Flags: added where an instruction may have them, dropped where it has them.

use forge::Entropy;

use super::Subject;
use crate::ir::{BinaryOp, CastOp, Flags, Instruction, Op, Type};

const FAST: [Flags; 7] = [
    Flags::REASSOC,
    Flags::NNAN,
    Flags::NINF,
    Flags::NSZ,
    Flags::ARCP,
    Flags::CONTRACT,
    Flags::AFN,
];

/// The flags that an instruction may have in a version.
pub(super) fn legal(instruction: &Instruction, version: u32) -> Vec<Flags> {
    let since = |first: u32, flags: &[Flags]| {
        if version >= first { flags.to_vec() } else { vec![] }
    };
    match &instruction.op {
        Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl) => {
            vec![Flags::NUW, Flags::NSW]
        }
        Op::Binary(BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::LShr | BinaryOp::AShr) => {
            vec![Flags::EXACT]
        }
        Op::Binary(BinaryOp::Or) => since(18, &[Flags::DISJOINT]),
        Op::Binary(BinaryOp::And | BinaryOp::Xor | BinaryOp::URem | BinaryOp::SRem) => vec![],
        Op::Cast(CastOp::ZExt, _) => since(18, &[Flags::NNEG]),
        Op::Cast(CastOp::UiToFp, _) => since(19, &[Flags::NNEG]),
        Op::Cast(CastOp::Trunc, _) => since(19, &[Flags::NUW, Flags::NSW]),
        Op::ICmp(_) => since(20, &[Flags::SAMESIGN]),
        Op::GetElementPtr { .. } => {
            let mut flags = vec![Flags::INBOUNDS];
            flags.extend(since(19, &[Flags::NUW, Flags::NUSW]));
            flags
        }
        Op::FloatBinary(_) | Op::FNeg | Op::FCmp(_) => FAST.to_vec(),
        Op::Select | Op::Phi(_) => match instruction.operands.last().map(|it| it.ty.lane()) {
            Some(Type::Float(_)) => FAST.to_vec(),
            _ => vec![],
        },
        Op::Call(call) => match call.returns.lane() {
            Type::Float(_) => FAST.to_vec(),
            _ => vec![],
        },
        _ => vec![],
    }
}

pub(super) fn toggle(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let version = subject.version;
    let code = subject.function.code_mut()?;
    let mut users: Vec<(&mut Instruction, Vec<Flags>)> = code
        .instructions_mut()
        .map(|instruction| {
            let legal = legal(instruction, version);
            (instruction, legal)
        })
        .filter(|(_, legal)| !legal.is_empty())
        .collect();
    let at = entropy.below(users.len() as u64) as usize;
    let (instruction, legal) = users.get_mut(at)?;
    let flag = *entropy.pick(legal)?;
    if instruction.flags.has(flag) {
        instruction.flags = instruction.flags.without(flag);
        // `inbounds` implies `nusw`, which is then not printed.
        if flag == Flags::NUSW {
            instruction.flags = instruction.flags.without(Flags::INBOUNDS);
        }
    } else {
        instruction.flags |= flag;
    }
    Some(())
}
