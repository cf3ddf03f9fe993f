//! Which pointers leave a function: what is stored, passed on, returned or turned into a number may be known
//! to others afterwards. A static and cautious answer.

use crate::ir::{CastOp, Code, Instruction, LocalId, Op, Value};

/// Whether the address in a local may become known outside of the function.
pub(super) fn escapes(code: &Code, local: LocalId) -> bool {
    let mut derived = vec![false; code.locals.len()];
    derived[local.0 as usize] = true;
    // Pointers flow through phis backwards as well, so that one pass may not be enough.
    loop {
        let mut is_done = true;
        for instruction in code.instructions() {
            for (at, operand) in instruction.operands.iter().enumerate() {
                let Value::Local(used) = operand.value else { continue };
                if !derived[used.0 as usize] {
                    continue;
                }
                match (flow(instruction, at), instruction.result) {
                    (Flow::Stays, _) => {}
                    (Flow::Result, Some(result)) => {
                        is_done &= derived[result.0 as usize];
                        derived[result.0 as usize] = true;
                    }
                    (Flow::Result | Flow::Leaves, _) => return true,
                }
            }
        }
        if is_done {
            return false;
        }
    }
}

/// Pointers that others made, by local: they may be into whatever others know.
pub(super) fn foreign_pointers(code: &Code) -> Vec<bool> {
    let mut foreign = vec![false; code.locals.len()];
    loop {
        let mut is_done = true;
        for instruction in code.instructions() {
            let Some(result) = instruction.result else { continue };
            let at = result.0 as usize;
            if foreign[at] || !code.local(result).ty.lane().is_pointer() {
                continue;
            }
            let is_foreign = match &instruction.op {
                Op::Alloca { .. } => false,
                Op::GetElementPtr { .. } | Op::Phi(_) | Op::Select | Op::Freeze => {
                    let uses = instruction.operands.iter().filter_map(|it| it.as_local());
                    uses.into_iter().any(|it| foreign[it.0 as usize])
                }
                _ => true,
            };
            if is_foreign {
                foreign[at] = true;
                is_done = false;
            }
        }
        if is_done {
            return foreign;
        }
    }
}

/// Whether some access is through a pointer that others made.
pub(super) fn follows_foreign_pointers(code: &Code) -> bool {
    let foreign = foreign_pointers(code);
    code.instructions().any(|instruction| {
        let accesses = match &instruction.op {
            Op::Load(..) => &instruction.operands[..1],
            Op::Store(_) => &instruction.operands[1..],
            Op::Call(call) => &instruction.operands[..call.arguments().min(2)],
            _ => &[],
        };
        let is_memory = !matches!(instruction.op, Op::Call(_))
            || instruction.callee().is_some_and(|name| name.starts_with("llvm.mem"));
        is_memory && accesses.iter().filter_map(|it| it.as_local()).any(|it| foreign[it.0 as usize])
    })
}

enum Flow {
    Stays,
    Result,
    Leaves,
}

/// What becomes of an address that is an operand.
fn flow(instruction: &Instruction, at: usize) -> Flow {
    match &instruction.op {
        Op::Load(..) | Op::ICmp(_) => Flow::Stays,
        Op::Store(_) if at == 1 => Flow::Stays,
        Op::GetElementPtr { .. } | Op::Phi(_) | Op::Select | Op::Freeze => Flow::Result,
        Op::Cast(CastOp::BitCast, _) => Flow::Result,
        Op::Call(_) => match instruction.callee() {
            Some(name) if is_local(name) => Flow::Stays,
            _ => Flow::Leaves,
        },
        _ => Flow::Leaves,
    }
}

/// Intrinsics that access what their operands point to, and tell nobody.
fn is_local(name: &str) -> bool {
    let names = [
        "llvm.lifetime.",
        "llvm.memcpy.",
        "llvm.memmove.",
        "llvm.memset.",
        "llvm.assume",
        "llvm.dbg.",
    ];
    names.iter().any(|it| name.starts_with(it))
}
