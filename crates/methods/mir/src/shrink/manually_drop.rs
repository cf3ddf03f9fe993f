//! Replaces `ManuallyDrop<T>` by `T` everywhere. More values may be dropped then; the interpreter decides whether the
//! candidate is still defined.

use super::super::program::{Callee, Program, Rvalue, Statement, Terminator};
use super::super::types::{Kind, TypeId};
use super::{retype, types};

/// None if the type is not a `ManuallyDrop`.
pub(super) fn remove_manually_drop(program: &mut Program, of: TypeId) -> Option<()> {
    let Kind::Manual(inside) = *program.types.kind(of) else { return None };
    for function in &mut program.functions {
        for block in &mut function.blocks {
            let Terminator::Call { callee, arguments, destination, target, .. } = &block.terminator
            else {
                continue;
            };
            let [argument] = arguments.as_slice() else { continue };
            let wrapped = match callee {
                Callee::NewManual => destination.type_in(&function.locals, &program.types),
                Callee::ManualToInner => argument.type_in(&function.locals, &program.types),
                _ => None,
            };
            if wrapped == Some(of) {
                let value = Rvalue::Use(argument.clone());
                block.statements.push(Statement::Assign(destination.clone(), value));
                block.terminator = Terminator::Goto(*target);
            }
        }
    }
    let becomes = |it: TypeId| (it == of).then_some(inside);
    let (kind, adt) =
        (&|_: TypeId, kind: &Kind| kind.clone(), &|_: TypeId, adt: &_| Clone::clone(adt));
    retype::rebuild_replacing(program, &|_| true, &becomes, kind, adt);
    types::remove_identity_casts(program);
    Some(())
}
