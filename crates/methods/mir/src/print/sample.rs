//! A program with every construct of the model, for tests of the printers. Its functions are in `sample/`.

mod first;
mod functions;
mod maker;

use self::first::{Shapes, main_function};
use self::functions::{all_intrinsics, branches, panics};
pub(super) use self::maker::{FunctionMaker, at, copy, number};
use crate::program::Projection::{Deref, Field};
use crate::program::{
    Callee, Constant, Function, Inlining, Operand, Operator, Program, Rvalue, Static, Terminator,
};
use crate::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types, Variant as Case, Width};

pub(super) const I16: Int = Int { signed: true, width: Width::W16 };
const I128: Int = Int { signed: true, width: Width::W128 };
const U128: Int = Int { signed: false, width: Width::W128 };

struct All {
    types: Types,
    functions: Vec<Function>,
}

pub(super) fn everything() -> Program {
    sample(false)
}

/// Every construct that can be expressed in plain Rust.
pub(super) fn everything_plain() -> Program {
    sample(true)
}

fn sample(only_plain: bool) -> Program {
    let mut types = Types::new();
    let int = |int: Int| types.int(int);
    let (i16, i128, u128) = (int(I16), int(I128), int(U128));
    let pair = types.intern(Kind::Tuple(vec![Types::U8, i16]));
    let one = types.intern(Kind::Tuple(vec![Types::U8]));
    let array = types.intern(Kind::Array(pair, 3));
    let union_bytes = types.intern(Kind::Array(Types::U8, 4));
    let adt = |shape: Shape, repr: Repr| Adt { shape, repr, destructor: None };
    let plain = types.declare(adt(Shape::Struct(vec![Types::U8, array]), Repr::Rust));
    let union = types.declare(adt(Shape::Union(vec![Types::U32, union_bytes]), Repr::C));
    let case = |fields: &[TypeId], discriminant: Option<i128>| Case {
        fields: fields.to_vec(),
        discriminant,
    };
    let cases = vec![
        case(&[], None),
        case(&[array, Types::U32], None),
        case(&[types.intern(Kind::Bool)], None),
    ];
    let variants = types.declare(adt(Shape::Enum(cases), Repr::Int(Int::U8)));
    let coded = vec![case(&[], Some(-3)), case(&[Types::U8], Some(7)), case(&[], None)];
    let coded = types.declare(adt(Shape::Enum(coded), Repr::Int(I16)));
    let long = types
        .declare(adt(Shape::Enum(vec![case(&[], Some(9)), case(&[], None)]), Repr::Int(Int::U64)));
    let packed = types.declare(adt(Shape::Struct(vec![Types::U8, Types::U64]), Repr::Packed));
    let aligned = types.declare(adt(Shape::Struct(vec![Types::U8]), Repr::Align(32)));
    let clear = types.declare(adt(Shape::Struct(vec![Types::U64]), Repr::Transparent));
    let empty = types.declare(adt(Shape::Struct(vec![]), Repr::C));
    let function = Kind::Function { parameters: vec![Types::U32], returns: Types::U32 };
    let function = types.intern(function);
    let nested = types.intern(Kind::Tuple(vec![Types::U8, variants]));
    // Types with a destructor, a reference and a box.
    let mutable = |types: &mut Types, to| types.intern(Kind::Reference { mutable: true, to });
    let shared = |types: &mut Types, to| types.intern(Kind::Reference { mutable: false, to });
    let to_u32 = mutable(&mut types, Types::U32);
    let owner = if only_plain {
        Types::U32
    } else {
        types.declare(Adt {
            shape: Shape::Struct(vec![to_u32, Types::U32]),
            repr: Repr::Rust,
            destructor: Some(2),
        })
    };
    let to_owner = mutable(&mut types, owner);
    let heap = types.intern(Kind::Heap(pair));
    let generic = types.intern(Kind::Parameter(0));
    let other = types.intern(Kind::Parameter(1));
    let generic_pair = types.intern(Kind::Tuple(vec![generic, other]));
    let ref_u32 = shared(&mut types, Types::U32);

    let statics = vec![
        Static { mutable: true, of: Types::U64, value: vec![5] },
        Static { mutable: false, of: plain, value: vec![1, 2, 3, 4, 5, 6, 0xfff9] },
        Static { mutable: false, of: Types::F32, value: vec![0x3f80_0001] },
    ];
    let mut all = All { types, functions: vec![] };
    all.functions.push(FunctionMaker::new(Types::UNIT, &[]).function);
    // f1: the target of a function pointer.
    let mut maker = FunctionMaker::new(Types::U32, &[Types::U32]);
    maker.function.inlining = Inlining::Never;
    maker.set(at(0, &[]), Rvalue::Binary(Operator::Add, copy(1), number(Types::U32, 3)));
    all.functions.push(maker.finish());
    if !only_plain {
        // f2: the destructor.
        let mut maker = FunctionMaker::new(Types::UNIT, &[to_owner]);
        let reference = maker.value(to_u32, Rvalue::Use(Operand::Copy(at(1, &[Deref, Field(0)]))));
        let added = Rvalue::Binary(
            Operator::Add,
            Operand::Copy(at(reference, &[Deref])),
            Operand::Copy(at(1, &[Deref, Field(1)])),
        );
        maker.set(at(reference, &[Deref]), added);
        all.functions.push(maker.finish());
        // f3: a generic function.
        let mut maker = FunctionMaker::new(generic_pair, &[generic, other]);
        maker.function.generics = 2;
        maker.function.inlining = Inlining::Always;
        let pair_of = Rvalue::Aggregate(generic_pair, 0, vec![copy(1), copy(2)]);
        maker.set(at(0, &[]), pair_of);
        all.functions.push(maker.finish());
        // f4: returns one of two references.
        let mut maker = FunctionMaker::new(ref_u32, &[ref_u32, ref_u32, Types::BOOL]);
        let (yes, no) = (2, 1);
        let arms = vec![(1, yes)];
        maker.end(Terminator::Switch { on: copy(3), arms, otherwise: no });
        maker.set(at(0, &[]), Rvalue::Use(copy(1)));
        maker.end(Terminator::Goto(3));
        maker.set(at(0, &[]), Rvalue::Use(copy(2)));
        maker.end(Terminator::Goto(3));
        all.functions.push(maker.finish());
        // f5: panics, with a cleanup block; f6: makes a tail call of f1.
        all.functions.push(panics(owner, to_u32));
        let mut maker = FunctionMaker::new(Types::U32, &[Types::U32]);
        maker.end(Terminator::TailCall {
            callee: Callee::Function(1, vec![]),
            arguments: vec![copy(1)],
        });
        all.functions.push(maker.function);
    }
    all.functions.push(all_intrinsics(&mut all.types));
    if only_plain {
        all.functions.push(branches());
    }
    let function_type = function;
    let shapes =
        Shapes { pair, one, plain, union, variants, coded, long, packed, aligned, clear, empty };
    let first = main_function(
        &mut all.types,
        &shapes,
        function_type,
        nested,
        heap,
        i128,
        u128,
        i16,
        only_plain,
    );
    all.functions[0] = first;
    let arguments = vec![
        Constant { of: Types::U32, bits: 41 },
        Constant { of: i16, bits: 0xfffe },
        Constant { of: Types::F32, bits: u128::from(1.25_f32.to_bits()) },
        Constant { of: Types::F64, bits: u128::from((-0.0_f64).to_bits()) },
        Constant { of: Types::CHAR, bits: 0x1f600 },
        Constant { of: Types::BOOL, bits: 1 },
        Constant { of: i128, bits: u128::MAX - 6 },
        Constant { of: u128, bits: 1 << 100 },
        Constant { of: Types::F64, bits: u128::from(f64::INFINITY.to_bits()) },
    ];
    Program { types: all.types, statics, traits: vec![], functions: all.functions, arguments }
}
