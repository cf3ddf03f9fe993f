//! Terminators, calls and cleanup blocks.

use super::*;
use crate::intrinsic::Intrinsic;
use crate::program::{Reason, Unwind};
use crate::types::{Int, Width};

fn tail(callee: Callee, arguments: Vec<Operand>) -> Terminator {
    Terminator::TailCall { callee, arguments }
}

#[test]
fn terminators_are_checked() {
    rejects(&[
        ("unknown block", |p, _| end(p, 2, Terminator::Goto(99))),
        ("jump to the first block", |p, _| end(p, 2, Terminator::Goto(0))),
        ("jump into or out of cleanup", |p, _| end(p, 2, Terminator::Goto(14))),
        ("jump into or out of cleanup", |p, _| end(p, 15, Terminator::Goto(3))),
        ("return in a cleanup block", |p, _| end(p, 15, Terminator::Return)),
        ("resume outside of cleanup", |p, _| end(p, 2, Terminator::Resume)),
        ("abort outside of cleanup", |p, _| end(p, 2, Terminator::Terminate(Reason::Abi))),
        ("tail call in a cleanup block", |p, _| {
            end(p, 15, tail(Callee::Function(1, vec![]), vec![]));
        }),
        ("tail call signature mismatch", |p, _| {
            end(p, 2, tail(Callee::Function(1, vec![]), vec![number(1)]));
        }),
        ("tail call of a callee that is not a function", |p, _| {
            end(p, 2, tail(Callee::BlackBox, vec![number(1)]));
        }),
        ("cleanup block may unwind", |p, _| {
            end(p, 14, call(Callee::Raise, vec![], 20, 15));
        }),
        ("abort reason `InCleanup` outside of cleanup", |p, _| {
            let unwind = Unwind::Terminate(Reason::InCleanup);
            end(p, 8, Terminator::Drop { place: local(16), target: 9, unwind });
        }),
        ("unwind target is not a cleanup block", |p, _| {
            let place = local(16);
            end(p, 8, Terminator::Drop { place, target: 9, unwind: Unwind::Cleanup(13) });
        }),
        ("switch on an unsupported type", |p, _| {
            end(
                p,
                1,
                Terminator::Switch { on: Operand::local(10), arms: vec![(0, 2)], otherwise: 3 },
            );
        }),
        ("switch without arms", |p, _| {
            end(p, 1, Terminator::Switch { on: number(1), arms: vec![], otherwise: 3 });
        }),
        ("switch on a bool with more than one arm", |p, _| {
            let on = Operand::constant(Types::BOOL, 1);
            end(p, 1, Terminator::Switch { on, arms: vec![(0, 2), (1, 3)], otherwise: 3 });
        }),
        ("switch arm is not a valid value of the type", |p, _| {
            end(p, 1, Terminator::Switch { on: byte(1), arms: vec![(256, 2)], otherwise: 3 });
        }),
        ("duplicate switch arm", |p, _| {
            end(p, 1, Terminator::Switch { on: byte(1), arms: vec![(1, 2), (1, 3)], otherwise: 3 });
        }),
        ("record of a value that is neither a scalar nor an enum", |p, _| {
            end(p, 12, Terminator::Record { values: vec![local(4)], target: 13 });
        }),
        ("record of too few or too many words", |p, _| {
            end(p, 12, Terminator::Record { values: vec![], target: 13 });
        }),
        ("record of too few or too many words", |p, _| {
            end(p, 12, Terminator::Record { values: vec![local(3); 5], target: 13 });
        }),
        ("the first block is a cleanup block", |p, _| p.functions[0].blocks[0].cleanup = true),
    ]);
    accepts(&[
        ("four words", |p, _| {
            let of = p.types.int(Int { signed: true, width: Width::W128 });
            let wide = extra(p, of);
            let values = vec![local(wide), local(3), local(3)];
            end(p, 12, Terminator::Record { values, target: 13 });
        }),
        ("a call in cleanup", |p, _| {
            let mut terminator = call(Callee::Raise, vec![], 20, 15);
            if let Terminator::Call { unwind, .. } = &mut terminator {
                *unwind = Unwind::Unreachable;
            }
            end(p, 14, terminator);
        }),
    ]);
}

#[test]
fn calls_are_checked() {
    rejects(&[
        ("unknown function", |p, _| end(p, 2, call(Callee::Function(9, vec![]), vec![], 3, 3))),
        ("wrong number of arguments", |p, _| {
            end(p, 2, call(Callee::Function(1, vec![]), vec![], 3, 3));
        }),
        ("argument type mismatch", |p, _| {
            end(p, 2, call(Callee::Function(1, vec![]), vec![byte(1)], 3, 3));
        }),
        ("return type mismatch", |p, _| {
            end(p, 2, call(Callee::Function(1, vec![]), vec![number(1)], 18, 3));
        }),
        ("wrong number of generic arguments", |p, _| {
            end(p, 2, call(Callee::Function(3, vec![]), vec![number(1)], 3, 3));
        }),
        ("not `Copy`", |p, n| {
            let argument = vec![Operand::Move(local(14))];
            end(p, 2, call(Callee::Function(3, vec![n.heap]), argument, 14, 3));
        }),
        ("argument type mismatch", |p, _| {
            end(p, 2, call(Callee::Function(3, vec![Types::U8]), vec![number(1)], 3, 3));
        }),
        ("callee is not a function pointer", |p, _| {
            end(p, 2, call(Callee::Pointer(local(3)), vec![], 3, 3));
        }),
        ("return type mismatch", |p, _| end(p, 2, call(Callee::Catch(4), vec![], 3, 3))),
        ("invalid arguments for the intrinsic", |p, _| {
            let rotate = Callee::Intrinsic(Intrinsic::RotateLeft);
            end(p, 2, call(rotate, vec![number(1), byte(1)], 3, 3));
        }),
        ("not a box of this type", |p, _| end(p, 2, call(Callee::NewBox, vec![number(1)], 3, 3))),
        ("not a pointer to the content type of the box", |p, _| {
            end(p, 2, call(Callee::BoxToPointer, vec![Operand::local(14)], 12, 3));
        }),
        ("return type mismatch", |p, _| end(p, 2, call(Callee::BlackBox, vec![number(1)], 18, 3))),
        ("return type mismatch", |p, _| end(p, 2, call(Callee::Raise, vec![], 3, 3))),
        ("move of a packed field into a call", |p, _| {
            let part = local(7).then(Projection::Field(1));
            end(p, 2, call(Callee::Function(1, vec![]), vec![Operand::Move(part)], 3, 3));
        }),
        ("call destination in a packed struct", |p, _| {
            let mut terminator = call(Callee::Function(1, vec![]), vec![number(1)], 3, 3);
            if let Terminator::Call { destination, .. } = &mut terminator {
                *destination = local(7).then(Projection::Field(1));
            }
            end(p, 2, terminator);
        }),
    ]);
    accepts(&[
        ("a copy of a packed field", |p, _| {
            let part = local(7).then(Projection::Field(1));
            end(p, 2, call(Callee::Function(1, vec![]), vec![Operand::Copy(part)], 3, 3));
        }),
        ("a generic call", |p, n| {
            let argument = vec![Operand::Copy(local(4))];
            end(p, 2, call(Callee::Function(3, vec![n.pair]), argument, 4, 3));
        }),
    ]);
}

#[test]
fn cleanup_funclets_form_a_tree() {
    /// Makes block 14 branch to two cleanup blocks, and adds unwind edges into blocks 15 and 16.
    fn cleanup(program: &mut Program, first: usize, second: usize) {
        let on = Operand::local(19);
        let both = Terminator::Switch { on, arms: vec![(0, first)], otherwise: second };
        end(program, 14, both);
        let blocks = &mut program.functions[0].blocks;
        let last = blocks[15].clone();
        blocks.extend([last.clone(), last]);
        if let Terminator::Drop { unwind, .. } = &mut blocks[8].terminator {
            *unwind = Unwind::Cleanup(15);
        }
        if let Terminator::Call { unwind, .. } = &mut blocks[9].terminator {
            *unwind = Unwind::Cleanup(16);
        }
    }
    rejects(&[
        ("cleanup funclet with several successors", |p, _| cleanup(p, 15, 16)),
        ("cleanup funclets form a cycle", |p, _| {
            cleanup(p, 15, 15);
            end(p, 15, Terminator::Goto(16));
            end(p, 16, Terminator::Goto(15));
        }),
    ]);
    accepts(&[
        ("one successor is in the same funclet", |p, _| cleanup(p, 15, 17)),
        ("a cycle within a funclet", |p, _| {
            cleanup(p, 15, 17);
            end(p, 17, Terminator::Goto(14));
        }),
    ]);
}
