//! Visitors of everything a program mentions, read-only and mutable, for the printer and the shrinker.
//!
//! The order is pre-order: an operand, then its place, then the locals of the place. Operands of a statement or
//! terminator are visited in order.

use super::object::Trait;
use super::program::{
    Block, Callee, Function, Local, Named, Operand, Place, Program, Projection, Rvalue, Statement,
    Terminator,
};
use super::types::TypeId;

/// A mention in a program.
#[derive(Debug)]
pub(crate) enum Mention<'a> {
    Local(&'a Local),
    Place(&'a Place),
    Operand(&'a Operand),
    Type(&'a TypeId),
    Function(&'a usize),
    Static(&'a usize),
}

/// A mention in a program, to be changed.
#[derive(Debug)]
pub(crate) enum MentionMut<'a> {
    Local(&'a mut Local),
    Place(&'a mut Place),
    Operand(&'a mut Operand),
    Type(&'a mut TypeId),
    Function(&'a mut usize),
    Static(&'a mut usize),
}

macro_rules! walk {
    ($name:ident, $Mention:ident $(, $mut:ident)?) => {
        pub(crate) mod $name {
            use super::*;

            type Visit<'v> = &'v mut dyn FnMut($Mention<'_>);

            /// All functions, traits, statics, arguments and destructors. Not the types inside of types.
            pub(crate) fn program(program: &$($mut)? Program, visit: Visit<'_>) {
                for each in &$($mut)? program.types.adts {
                    if let Some(destructor) = &$($mut)? each.destructor {
                        visit($Mention::Function(destructor));
                    }
                }
                for each in &$($mut)? program.statics {
                    visit($Mention::Type(&$($mut)? each.of));
                }
                for each in &$($mut)? program.arguments {
                    visit($Mention::Type(&$($mut)? each.of));
                }
                for each in &$($mut)? program.traits {
                    object(each, visit);
                }
                for each in &$($mut)? program.functions {
                    function(each, visit);
                }
            }

            /// The types of a trait's methods, and its implementations.
            pub(crate) fn object(object: &$($mut)? Trait, visit: Visit<'_>) {
                for each in &$($mut)? object.methods {
                    for of in &$($mut)? each.parameters {
                        visit($Mention::Type(of));
                    }
                    visit($Mention::Type(&$($mut)? each.returns));
                }
                for each in &$($mut)? object.implementations {
                    visit($Mention::Type(&$($mut)? each.of));
                    for number in &$($mut)? each.functions {
                        visit($Mention::Function(number));
                    }
                }
            }

            /// The types of its locals and const parameters, its blocks, and its debug info.
            pub(crate) fn function(function: &$($mut)? Function, visit: Visit<'_>) {
                for of in &$($mut)? function.constants {
                    visit($Mention::Type(of));
                }
                for of in &$($mut)? function.locals {
                    visit($Mention::Type(of));
                }
                for each in &$($mut)? function.blocks {
                    block(each, visit);
                }
                for each in &$($mut)? function.debug {
                    named(each, visit);
                }
            }

            pub(crate) fn named(named: &$($mut)? Named, visit: Visit<'_>) {
                match named {
                    Named::Place(of) => place(of, visit),
                    Named::Constant(constant) => visit($Mention::Type(&$($mut)? constant.of)),
                }
            }

            pub(crate) fn block(block: &$($mut)? Block, visit: Visit<'_>) {
                for each in &$($mut)? block.statements {
                    statement(each, visit);
                }
                terminator(&$($mut)? block.terminator, visit);
            }

            pub(crate) fn statement(statement: &$($mut)? Statement, visit: Visit<'_>) {
                match statement {
                    Statement::Assign(to, value) => {
                        place(to, visit);
                        rvalue(value, visit);
                    }
                    Statement::StorageLive(local) | Statement::StorageDead(local) => {
                        visit($Mention::Local(local));
                    }
                    Statement::SetDiscriminant(of, _) | Statement::Retag(of) => place(of, visit),
                    Statement::Assume(condition) => operand(condition, visit),
                }
            }

            pub(crate) fn rvalue(rvalue: &$($mut)? Rvalue, visit: Visit<'_>) {
                match rvalue {
                    Rvalue::Use(one)
                    | Rvalue::Not(one)
                    | Rvalue::Negate(one)
                    | Rvalue::Length(one)
                    | Rvalue::Repeat(one, _) => operand(one, visit),
                    Rvalue::Cast(one, of)
                    | Rvalue::Transmute(one, of)
                    | Rvalue::PointerCast(one, of)
                    | Rvalue::Unsize(one, of)
                    | Rvalue::RepeatOf(one, of) => {
                        operand(one, visit);
                        visit($Mention::Type(of));
                    }
                    Rvalue::Binary(_, left, right)
                    | Rvalue::Checked(_, left, right)
                    | Rvalue::Offset(left, right) => {
                        operand(left, visit);
                        operand(right, visit);
                    }
                    Rvalue::Aggregate(of, _, parts) => {
                        visit($Mention::Type(of));
                        for part in parts {
                            operand(part, visit);
                        }
                    }
                    Rvalue::AddressOf(_, of)
                    | Rvalue::Reference(_, of)
                    | Rvalue::Discriminant(of) => place(of, visit),
                    Rvalue::Static(number) => visit($Mention::Static(number)),
                }
            }

            pub(crate) fn terminator(terminator: &$($mut)? Terminator, visit: Visit<'_>) {
                match terminator {
                    Terminator::Switch { on, .. } => operand(on, visit),
                    Terminator::Call { callee: called, arguments, destination, .. } => {
                        callee(called, visit);
                        for argument in arguments {
                            operand(argument, visit);
                        }
                        place(destination, visit);
                    }
                    Terminator::TailCall { callee: called, arguments } => {
                        callee(called, visit);
                        for argument in arguments {
                            operand(argument, visit);
                        }
                    }
                    Terminator::Drop { place: of, .. } => place(of, visit),
                    Terminator::Record { values, .. } => {
                        for value in values {
                            place(value, visit);
                        }
                    }
                    Terminator::Goto(_)
                    | Terminator::Return
                    | Terminator::Unreachable
                    | Terminator::Resume
                    | Terminator::Terminate(_) => {}
                }
            }

            fn callee(callee: &$($mut)? Callee, visit: Visit<'_>) {
                match callee {
                    Callee::Function(number, generics) => {
                        visit($Mention::Function(number));
                        for of in generics {
                            visit($Mention::Type(of));
                        }
                    }
                    Callee::Catch(number) => visit($Mention::Function(number)),
                    Callee::Pointer(pointer) => place(pointer, visit),
                    _ => {}
                }
            }

            pub(crate) fn operand(operand: &$($mut)? Operand, visit: Visit<'_>) {
                visit($Mention::Operand(&$($mut)? *operand));
                match operand {
                    Operand::Copy(of) | Operand::Move(of) => place(of, visit),
                    Operand::Constant(constant) => visit($Mention::Type(&$($mut)? constant.of)),
                    Operand::Function(number, of) => {
                        visit($Mention::Function(number));
                        visit($Mention::Type(of));
                    }
                    Operand::Parameter(of) => visit($Mention::Type(of)),
                }
            }

            pub(crate) fn place(place: &$($mut)? Place, visit: Visit<'_>) {
                visit($Mention::Place(&$($mut)? *place));
                visit($Mention::Local(&$($mut)? place.local));
                for projection in &$($mut)? place.projections {
                    if let Projection::Index(local) = projection {
                        visit($Mention::Local(local));
                    }
                }
            }
        }
    };
}

walk!(read, Mention);
walk!(change, MentionMut, mut);
