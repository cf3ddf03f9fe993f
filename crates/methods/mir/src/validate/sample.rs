//! A valid program that uses most constructs of the model, for tests.

use super::super::intrinsic::Intrinsic;
use super::super::program::{
    Block, Callee, Constant, Function, Inlining, Operand, Operator, Place, Program, Projection,
    Reason, Rvalue, Statement, Static, Terminator, Unwind,
};
use super::super::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types, Variant};

/// The types of the sample that tests use.
pub(crate) struct Names {
    pub(crate) pair: TypeId,
    pub(crate) array: TypeId,
    pub(crate) structure: TypeId,
    pub(crate) packed: TypeId,
    pub(crate) union: TypeId,
    pub(crate) choice: TypeId,
    pub(crate) pointer: TypeId,
    pub(crate) reference: TypeId,
    pub(crate) to_array: TypeId,
    pub(crate) to_slice: TypeId,
    pub(crate) heap: TypeId,
    pub(crate) function: TypeId,
    pub(crate) dropped: TypeId,
    pub(crate) to_dropped: TypeId,
    pub(crate) parameter: TypeId,
}

fn declare(types: &mut Types, shape: Shape, repr: Repr) -> TypeId {
    types.declare(Adt { shape, repr, destructor: None })
}

fn names(types: &mut Types) -> Names {
    let u32 = Types::U32;
    let array = types.intern(Kind::Array(u32, 4));
    let bytes = types.intern(Kind::Array(Types::U8, 4));
    let slice = types.intern(Kind::Slice(u32));
    let variant = |fields: Vec<TypeId>, discriminant| Variant { fields, discriminant };
    let variants = vec![
        variant(vec![], None),
        variant(vec![u32], Some(7)),
        variant(vec![Types::U8, Types::BOOL], None),
    ];
    let structure = declare(types, Shape::Struct(vec![u32, array, Types::U8]), Repr::C);
    let dropped = types.declare(Adt {
        shape: Shape::Struct(vec![u32]),
        repr: Repr::Rust,
        destructor: Some(2),
    });
    Names {
        pair: types.intern(Kind::Tuple(vec![u32, Types::BOOL])),
        array,
        structure,
        packed: declare(types, Shape::Struct(vec![Types::U8, u32]), Repr::Packed),
        union: declare(types, Shape::Union(vec![u32, bytes]), Repr::C),
        choice: declare(types, Shape::Enum(variants), Repr::Int(Int::U8)),
        pointer: types.intern(Kind::Pointer { mutable: true, to: u32 }),
        reference: types.intern(Kind::Reference { mutable: true, to: u32 }),
        to_array: types.intern(Kind::Pointer { mutable: false, to: array }),
        to_slice: types.intern(Kind::Pointer { mutable: false, to: slice }),
        heap: types.intern(Kind::Heap(u32)),
        function: types.intern(Kind::Function { parameters: vec![u32], returns: u32 }),
        dropped,
        to_dropped: types.intern(Kind::Reference { mutable: true, to: dropped }),
        parameter: types.intern(Kind::Parameter(0)),
    }
}

pub(crate) fn number(bits: u128) -> Operand {
    Operand::constant(Types::U32, bits)
}

pub(crate) fn local(local: usize) -> Place {
    Place::local(local)
}

fn field(of: usize, field: usize) -> Place {
    local(of).then(Projection::Field(field))
}

pub(crate) fn set(to: Place, value: Rvalue) -> Statement {
    Statement::Assign(to, value)
}

pub(crate) fn block(statements: Vec<Statement>, terminator: Terminator) -> Block {
    Block { cleanup: false, statements, terminator }
}

pub(crate) fn call(
    callee: Callee,
    arguments: Vec<Operand>,
    to: usize,
    target: usize,
) -> Terminator {
    let destination = local(to);
    Terminator::Call { callee, arguments, destination, target, unwind: Unwind::Continue }
}

pub(crate) fn function(locals: Vec<TypeId>, parameters: usize, blocks: Vec<Block>) -> Function {
    Function {
        generics: 0,
        constants: vec![],
        inlining: Inlining::Free,
        locals,
        parameters,
        blocks,
        debug: vec![],
    }
}

/// Function 0 of the sample. Its locals are listed with their indices.
fn first(names: &Names) -> Function {
    let locals = vec![
        Types::UNIT,      // 0
        Types::U32,       // 1, a parameter
        Types::U64,       // 2, a parameter
        Types::U32,       // 3
        names.pair,       // 4
        names.array,      // 5
        names.structure,  // 6
        names.packed,     // 7
        names.union,      // 8
        names.choice,     // 9
        names.pointer,    // 10
        names.reference,  // 11
        names.to_array,   // 12
        names.to_slice,   // 13
        names.heap,       // 14
        names.function,   // 15
        names.dropped,    // 16
        Types::USIZE,     // 17
        Types::U8,        // 18
        Types::BOOL,      // 19
        Types::UNIT,      // 20
        names.to_dropped, // 21
    ];
    let word = Rvalue::Cast(Operand::local(2), Types::U32);
    let index = local(5).then(Projection::Index(17));
    let payload = local(9).then(Projection::Variant(1, 0));
    let scalars = vec![
        Statement::StorageLive(3),
        set(local(3), word),
        set(local(3), Rvalue::Binary(Operator::Div, Operand::local(3), number(7))),
        set(local(3), Rvalue::Binary(Operator::Shl, Operand::local(3), Operand::local(2))),
        set(local(4), Rvalue::Checked(Operator::Add, Operand::local(3), Operand::local(1))),
        set(local(5), Rvalue::Repeat(Operand::local(1), 4)),
        set(local(17), Rvalue::Use(Operand::constant(Types::USIZE, 2))),
        set(index.clone(), Rvalue::Not(Operand::Copy(index))),
        set(
            local(6),
            Rvalue::Aggregate(
                names.structure,
                0,
                vec![number(3), Operand::local(5), Operand::constant(Types::U8, 9)],
            ),
        ),
        set(
            local(7),
            Rvalue::Aggregate(names.packed, 0, vec![Operand::constant(Types::U8, 1), number(2)]),
        ),
        set(local(8), Rvalue::Aggregate(names.union, 0, vec![number(5)])),
        set(local(9), Rvalue::Aggregate(names.choice, 1, vec![number(6)])),
        set(payload, Rvalue::Use(number(8))),
        set(local(18), Rvalue::Discriminant(local(9))),
    ];
    let pointers = vec![
        set(local(10), Rvalue::AddressOf(true, local(3))),
        set(Place::deref(10), Rvalue::Use(number(1))),
        set(local(11), Rvalue::Reference(true, local(3))),
        Statement::Retag(local(11)),
        set(local(12), Rvalue::AddressOf(false, local(5))),
        set(local(13), Rvalue::Unsize(Operand::local(12), names.to_slice)),
        set(local(17), Rvalue::Length(Operand::local(13))),
        set(local(10), Rvalue::Offset(Operand::local(10), Operand::constant(Types::USIZE, 0))),
        set(local(17), Rvalue::Cast(Operand::local(10), Types::USIZE)),
        set(local(15), Rvalue::Use(Operand::Function(1, names.function))),
        set(local(10), Rvalue::Static(0)),
        Statement::SetDiscriminant(local(9), 0),
        Statement::Assume(Operand::constant(Types::BOOL, 1)),
    ];
    let callee = Callee::Function(1, vec![]);
    let generic = Callee::Function(3, vec![Types::U32]);
    let unwinding = Terminator::Call {
        callee,
        arguments: vec![Operand::Move(field(6, 0))],
        destination: local(3),
        target: 4,
        unwind: Unwind::Cleanup(14),
    };
    let dropping = Terminator::Drop { place: local(16), target: 9, unwind: Unwind::Cleanup(14) };
    let made = Rvalue::Aggregate(names.dropped, 0, vec![Operand::local(3)]);
    let add = Callee::Intrinsic(Intrinsic::WrappingAdd);
    let cleaning = Terminator::Drop {
        place: local(16),
        target: 15,
        unwind: Unwind::Terminate(Reason::InCleanup),
    };
    let records = vec![local(3), local(9), field(4, 1), local(2)];
    let blocks = vec![
        block(scalars, Terminator::Goto(1)),
        block(
            pointers,
            Terminator::Switch { on: Operand::local(18), arms: vec![(7, 2), (0, 2)], otherwise: 3 },
        ),
        block(vec![set(local(3), Rvalue::Use(number(40)))], Terminator::Goto(3)),
        block(vec![], unwinding),
        block(vec![], call(generic, vec![Operand::local(3)], 3, 5)),
        block(vec![], call(Callee::Pointer(local(15)), vec![Operand::local(3)], 3, 6)),
        block(vec![], call(Callee::Catch(4), vec![], 19, 7)),
        block(vec![], call(add, vec![Operand::local(3), number(1)], 3, 8)),
        block(vec![set(local(16), made)], dropping),
        block(vec![], call(Callee::NewBox, vec![Operand::local(3)], 14, 10)),
        block(vec![], call(Callee::BoxToPointer, vec![Operand::Move(local(14))], 10, 11)),
        block(vec![], call(Callee::BoxFromPointer, vec![Operand::local(10)], 14, 12)),
        block(vec![], Terminator::Record { values: records, target: 13 }),
        block(vec![Statement::StorageDead(3)], Terminator::Return),
        Block { cleanup: true, statements: vec![], terminator: cleaning },
        Block { cleanup: true, statements: vec![], terminator: Terminator::Resume },
    ];
    function(locals, 2, blocks)
}

pub(crate) fn sample() -> (Program, Names) {
    let mut types = Types::new();
    let names = names(&mut types);
    let u32 = Types::U32;
    let plus = Rvalue::Binary(Operator::Add, Operand::local(1), number(1));
    let plain =
        function(vec![u32, u32], 1, vec![block(vec![set(local(0), plus)], Terminator::Return)]);
    let written = Place::deref(1).then(Projection::Field(0));
    let destructor = function(
        vec![Types::UNIT, names.to_dropped],
        1,
        vec![block(vec![set(written, Rvalue::Use(number(0)))], Terminator::Return)],
    );
    let same = block(vec![set(local(0), Rvalue::Use(Operand::local(1)))], Terminator::Return);
    let mut generic = function(vec![names.parameter; 2], 1, vec![same]);
    generic.generics = 1;
    let raise = function(
        vec![Types::UNIT],
        0,
        vec![
            block(vec![], call(Callee::Raise, vec![], 0, 1)),
            block(vec![], Terminator::Unreachable),
        ],
    );
    let tail = Terminator::TailCall {
        callee: Callee::Function(1, vec![]),
        arguments: vec![Operand::local(1)],
    };
    let tail = function(vec![u32, u32], 1, vec![block(vec![], tail)]);
    let program = Program {
        traits: vec![],
        statics: vec![Static { mutable: true, of: u32, value: vec![5] }],
        functions: vec![first(&names), plain, destructor, generic, raise, tail],
        arguments: vec![Constant { of: u32, bits: 12 }, Constant { of: Types::U64, bits: 300 }],
        types,
    };
    (program, names)
}
