//! The weight of a program, which every candidate lowers: the sum of the costs of its parts.
//!
//! The costs define what is simpler: a jump than a call, a constant than a copy, an `i32` than a `u128`. A
//! replacement must cost less than what it replaces.

use super::super::object::Trait;
use super::super::program::{
    Callee, Constant, Function, Inlining, Named, Operand, Place, Program, Rvalue, Statement,
    Terminator, Unwind,
};
use super::super::types::{Adt, Float, Int, Kind, Repr, Shape, TypeId, Types, Width};

pub(crate) fn weight(program: &Program) -> u64 {
    let types = &program.types;
    let functions = program.functions.iter().map(|it| function(types, it)).sum::<u64>();
    let arguments = program.arguments.iter().map(|it| 500 + constant(types, it)).sum::<u64>();
    let statics = program.statics.iter().map(|it| {
        1000 + type_of(types, it.of) + it.value.iter().map(|bits| 10 + length(*bits)).sum::<u64>()
    });
    let traits = program.traits.iter().map(|it| object(types, it)).sum::<u64>();
    functions + arguments + statics.sum::<u64>() + traits + declared(types)
}

fn object(types: &Types, object: &Trait) -> u64 {
    let methods = object.methods.iter().map(|it| {
        let parts = it.parameters.iter().chain([&it.returns]);
        1000 + parts.map(|of| 300 + type_of(types, *of)).sum::<u64>()
    });
    let all = object.implementations.iter().map(|it| 500 + type_of(types, it.of));
    methods.sum::<u64>() + all.sum::<u64>()
}

fn function(types: &Types, function: &Function) -> u64 {
    let locals = function.locals.iter().map(|of| 600 + type_of(types, *of)).sum::<u64>();
    let blocks = function.blocks.iter().map(|block| {
        let statements = block.statements.iter().map(|it| statement(types, it)).sum::<u64>();
        1000 + u64::from(block.cleanup) * 500 + statements + terminator(types, &block.terminator)
    });
    let inlining = if function.inlining == Inlining::Free { 0 } else { 100 };
    5000 + locals
        + inlining
        + 2500 * function.parameters as u64
        + 2000 * function.generics as u64
        + blocks.sum::<u64>()
        + function.debug.iter().map(|it| named(types, it)).sum::<u64>()
}

fn named(types: &Types, named: &Named) -> u64 {
    match named {
        Named::Place(of) => 500 + place(of),
        Named::Constant(it) => 400 + constant(types, it),
    }
}

fn statement(types: &Types, statement: &Statement) -> u64 {
    match statement {
        Statement::Assign(to, value) => 2000 + place(to) + rvalue(types, value),
        Statement::StorageLive(_) | Statement::StorageDead(_) => 1000,
        Statement::SetDiscriminant(of, _) | Statement::Retag(of) => 1500 + place(of),
        // More than recording it, with the additional block.
        Statement::Assume(condition) => 4500 + operand(types, condition),
    }
}

fn rvalue(types: &Types, rvalue: &Rvalue) -> u64 {
    let operands = rvalue.operands().into_iter().map(|it| operand(types, it)).sum::<u64>();
    let own = match rvalue {
        Rvalue::Use(_) => 0,
        Rvalue::Not(_) | Rvalue::Negate(_) | Rvalue::Length(_) => 300,
        Rvalue::Binary(..) => 350,
        Rvalue::Checked(..) | Rvalue::Offset(..) => 400,
        Rvalue::Cast(_, of) | Rvalue::PointerCast(_, of) => 350 + type_of(types, *of),
        Rvalue::Transmute(_, of) | Rvalue::Unsize(_, of) => 400 + type_of(types, *of),
        Rvalue::Aggregate(of, number, parts) => {
            400 + type_of(types, *of) + *number as u64 + 50 * parts.len() as u64
        }
        Rvalue::Repeat(_, count) => 400 + (*count).min(1000),
        Rvalue::RepeatOf(..) => 1500,
        Rvalue::AddressOf(_, of) | Rvalue::Discriminant(of) => 500 + place(of),
        Rvalue::Reference(_, of) => 550 + place(of),
        Rvalue::Static(_) => 500,
    };
    own + operands
}

fn terminator(types: &Types, terminator: &Terminator) -> u64 {
    let operands = || terminator.operands().into_iter().map(|it| 200 + operand(types, it));
    match terminator {
        Terminator::Goto(_) => 500,
        Terminator::Switch { arms, .. } => 1000 + 500 * arms.len() as u64 + operands().sum::<u64>(),
        Terminator::Call { callee: it, destination, unwind: on, .. } => {
            4000 + callee(types, it) + place(destination) + unwind(*on) + operands().sum::<u64>()
        }
        Terminator::Drop { place: of, unwind: on, .. } => 3000 + place(of) + unwind(*on),
        Terminator::TailCall { callee: it, .. } => {
            4000 + callee(types, it) + operands().sum::<u64>()
        }
        Terminator::Record { values, .. } => {
            2000 + values.iter().map(|it| 300 + place(it)).sum::<u64>()
        }
        Terminator::Return => 200,
        Terminator::Unreachable | Terminator::Resume | Terminator::Terminate(_) => 250,
    }
}

fn callee(types: &Types, callee: &Callee) -> u64 {
    match callee {
        Callee::Function(_, generics) => {
            generics.iter().map(|of| 300 + type_of(types, *of)).sum::<u64>()
        }
        Callee::Pointer(of) => 500 + place(of),
        Callee::Method(..) => 700,
        Callee::Catch(_) => 800,
        Callee::Raise => 100,
        _ => 300,
    }
}

fn unwind(unwind: Unwind) -> u64 {
    match unwind {
        Unwind::Unreachable => 0,
        Unwind::Continue => 20,
        Unwind::Terminate(_) => 30,
        Unwind::Cleanup(_) => 200,
    }
}

fn operand(types: &Types, operand: &Operand) -> u64 {
    match operand {
        Operand::Constant(it) => constant(types, it),
        Operand::Copy(of) => 300 + place(of),
        Operand::Move(of) => 350 + place(of),
        Operand::Function(_, of) => 400 + type_of(types, *of),
        Operand::Parameter(_) => 200,
    }
}

fn place(place: &Place) -> u64 {
    100 * place.projections.len() as u64
}

fn constant(types: &Types, constant: &Constant) -> u64 {
    type_of(types, constant.of) + number(types, constant)
}

fn number(types: &Types, constant: &Constant) -> u64 {
    let bits = constant.bits;
    match types.kind(constant.of) {
        Kind::Int(int) if int.signed && bits >> (int.bits() - 1) & 1 == 1 => {
            let rest = !bits << (128 - int.bits()) >> (128 - int.bits());
            1 + length(rest)
        }
        // A float with few significant bits is simpler.
        Kind::Float(Float::F32) => 2 * (32 - u64::from(trailing(bits, 32))),
        Kind::Float(Float::F64) => 2 * (64 - u64::from(trailing(bits, 64))),
        _ => length(bits),
    }
}

fn trailing(bits: u128, width: u32) -> u32 {
    bits.trailing_zeros().min(width)
}

/// The number of significant bits.
fn length(bits: u128) -> u64 {
    u64::from(128 - bits.leading_zeros())
}

/// The cost of a mention of a type.
pub(super) fn type_of(types: &Types, of: TypeId) -> u64 {
    match types.kind(of) {
        Kind::Bool => 0,
        Kind::Int(int) => int_cost(*int),
        Kind::Float(Float::F64) => 1,
        Kind::Float(Float::F32) => 2,
        Kind::Char => 6,
        Kind::Tuple(parts) if parts.is_empty() => 0,
        Kind::Tuple(_) | Kind::Array(..) | Kind::Pointer { .. } | Kind::Slice(_) => 20,
        Kind::Reference { .. } | Kind::Function { .. } => 25,
        Kind::Adt(_) | Kind::Heap(_) | Kind::Object(_) => 30,
        Kind::Manual(_) => 35,
        Kind::Parameter(_) | Kind::ArrayOf(..) => 40,
        Kind::Constant(..) => 60,
        // At most the cost of any other constant.
        Kind::Value(of, bits) => number(types, &Constant { of: *of, bits: (*bits).into() }).min(50),
    }
}

fn int_cost(int: Int) -> u64 {
    match (int.width, int.signed) {
        (Width::W32, true) => 0,
        (Width::W8, false) => 1,
        (Width::W32, false) => 2,
        (Width::Size, false) => 3,
        (Width::W64, false) => 4,
        (Width::W64, true) => 5,
        (Width::Size, true) => 6,
        (Width::W8 | Width::W16, _) => 7,
        (Width::W128, false) => 8,
        (Width::W128, true) => 9,
    }
}

/// The cost of all types but the scalars, which every program has.
fn declared(types: &Types) -> u64 {
    let scalars = Types::new().len();
    let each = types.all().skip(scalars).map(|of| match types.kind(of) {
        Kind::Tuple(parts) => {
            300 + parts.iter().map(|part| 50 + type_of(types, *part)).sum::<u64>()
        }
        Kind::Value(..) => 0,
        Kind::ArrayOf(part, _) => 400 + type_of(types, *part),
        Kind::Array(part, count) => 300 + (*count).min(5000) + type_of(types, *part),
        Kind::Slice(part) | Kind::Heap(part) | Kind::Manual(part) => 300 + type_of(types, *part),
        Kind::Pointer { to, .. } => 300 + type_of(types, *to),
        Kind::Reference { to, .. } => 310 + type_of(types, *to),
        Kind::Function { parameters, returns } => {
            let all = parameters.iter().chain([returns]);
            300 + all.map(|part| 50 + type_of(types, *part)).sum::<u64>()
        }
        _ => 300,
    });
    each.sum::<u64>() + types.adts.iter().map(|it| adt(types, it)).sum::<u64>()
}

fn adt(types: &Types, adt: &Adt) -> u64 {
    let parts = adt.parts().map(|part| 100 + type_of(types, part)).sum::<u64>();
    let variants = match &adt.shape {
        Shape::Enum(variants) => variants
            .iter()
            .map(|it| 200 + it.discriminant.map_or(0, |it| 30 + length(it.unsigned_abs())))
            .sum(),
        Shape::Struct(_) | Shape::Union(_) => 0,
    };
    let repr = match adt.repr {
        Repr::Rust => 0,
        Repr::C => 10,
        Repr::Int(int) => 20 + int_cost(int),
        Repr::CInt(int) => 30 + int_cost(int),
        Repr::Transparent | Repr::Packed => 40,
        Repr::Align(_) | Repr::RustAlign(_) => 50,
        Repr::PackedTo(_) | Repr::RustPacked(_) => 60,
    };
    1000 + parts + variants + repr + adt.destructor.map_or(0, |_| 500)
}
