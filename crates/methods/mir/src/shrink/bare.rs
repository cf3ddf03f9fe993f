//! `ManuallyDrop<T>` as `T`, everywhere. What is dropped then may be another thing, which whoever asks finds out.

use super::super::program::{Callee, Program, Rvalue, Statement, Terminator};
use super::super::types::{Kind, TypeId};
use super::{retype, types};

/// None if it is no such type.
pub(super) fn bare(program: &mut Program, of: TypeId) -> Option<()> {
    let Kind::Manual(inside) = *program.types.kind(of) else { return None };
    for function in &mut program.functions {
        for block in &mut function.blocks {
            let Terminator::Call { callee, arguments, destination, target, .. } = &block.terminator
            else {
                continue;
            };
            let [argument] = arguments.as_slice() else { continue };
            let kept = match callee {
                Callee::NewManual => destination.type_in(&function.locals, &program.types),
                Callee::ManualToInner => argument.type_in(&function.locals, &program.types),
                _ => None,
            };
            if kept == Some(of) {
                let value = Rvalue::Use(argument.clone());
                block.statements.push(Statement::Assign(destination.clone(), value));
                block.terminator = Terminator::Goto(*target);
            }
        }
    }
    let becomes = |it: TypeId| (it == of).then_some(inside);
    let (kind, adt) =
        (&|_: TypeId, kind: &Kind| kind.clone(), &|_: TypeId, adt: &_| Clone::clone(adt));
    retype::rebuild_but(program, &|_| true, &becomes, kind, adt);
    types::plain_casts(program);
    Some(())
}
