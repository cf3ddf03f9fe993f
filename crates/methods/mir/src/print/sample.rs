//! A program with every construct of the model, for tests of the printers.

use super::super::intrinsic::{Family, Intrinsic};
use super::super::program::{
    Block, Callee, Constant, Function, Inlining, Named, Operand, Operator, Place, Program,
    Projection, Reason, Rvalue, Statement, Static, Terminator, Unwind,
};
use super::super::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types, Variant as Case, Width};
use Projection::{Deref, Field, Index, Variant};

pub(super) const I16: Int = Int { signed: true, width: Width::W16 };
const I128: Int = Int { signed: true, width: Width::W128 };
const U128: Int = Int { signed: false, width: Width::W128 };

/// A function under construction.
pub(super) struct FunctionMaker {
    function: Function,
    statements: Vec<Statement>,
}

pub(super) fn at(local: usize, projections: &[Projection]) -> Place {
    Place { local, projections: projections.to_vec() }
}

pub(super) fn copy(local: usize) -> Operand {
    Operand::local(local)
}

pub(super) fn number(of: TypeId, bits: u128) -> Operand {
    Operand::constant(of, bits)
}

impl FunctionMaker {
    pub(super) fn new(returns: TypeId, parameters: &[TypeId]) -> Self {
        let locals = std::iter::once(returns).chain(parameters.iter().copied()).collect();
        let function = Function {
            generics: 0,
            constants: vec![],
            inlining: Inlining::Free,
            locals,
            parameters: parameters.len(),
            blocks: vec![],
            debug: vec![],
        };
        Self { function, statements: vec![] }
    }

    pub(super) fn local(&mut self, of: TypeId) -> usize {
        self.function.locals.push(of);
        self.function.locals.len() - 1
    }

    pub(super) fn add(&mut self, statement: Statement) {
        self.statements.push(statement);
    }

    pub(super) fn set(&mut self, place: Place, rvalue: Rvalue) {
        self.add(Statement::Assign(place, rvalue));
    }

    /// A new local with a value.
    pub(super) fn value(&mut self, of: TypeId, rvalue: Rvalue) -> usize {
        let local = self.local(of);
        self.set(Place::local(local), rvalue);
        local
    }

    pub(super) fn next(&self) -> usize {
        self.function.blocks.len() + 1
    }

    pub(super) fn end(&mut self, terminator: Terminator) {
        self.end_as(terminator, false);
    }

    fn end_as(&mut self, terminator: Terminator, cleanup: bool) {
        let statements = std::mem::take(&mut self.statements);
        self.function.blocks.push(Block { cleanup, statements, terminator });
    }

    pub(super) fn record(&mut self, values: &[Place]) {
        let target = self.next();
        self.end(Terminator::Record { values: values.to_vec(), target });
    }

    fn call_into(&mut self, callee: Callee, arguments: Vec<Operand>, to: Place, unwind: Unwind) {
        let target = self.next();
        self.end(Terminator::Call { callee, arguments, destination: to, target, unwind });
    }

    pub(super) fn call(&mut self, callee: Callee, arguments: Vec<Operand>, of: TypeId) -> usize {
        let local = self.local(of);
        self.call_into(callee, arguments, Place::local(local), Unwind::Unreachable);
        local
    }

    pub(super) fn finish(mut self) -> Function {
        self.end(Terminator::Return);
        self.function
    }
}

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

struct Shapes {
    pair: TypeId,
    one: TypeId,
    plain: TypeId,
    union: TypeId,
    variants: TypeId,
    coded: TypeId,
    long: TypeId,
    packed: TypeId,
    aligned: TypeId,
    clear: TypeId,
    empty: TypeId,
}

/// A function that panics, and drops a value while it unwinds.
fn panics(owner: TypeId, to_u32: TypeId) -> Function {
    let mut maker = FunctionMaker::new(Types::UNIT, &[to_u32, Types::U32]);
    let parts = vec![Operand::Move(at(1, &[])), copy(2)];
    let owned = maker.value(owner, Rvalue::Aggregate(owner, 0, parts));
    let unit = maker.local(Types::UNIT);
    let arms = vec![(0, 4)];
    maker.end(Terminator::Switch { on: copy(2), arms, otherwise: 1 });
    maker.call_into(Callee::Raise, vec![], Place::local(unit), Unwind::Cleanup(2));
    let drop = Terminator::Drop {
        place: at(owned, &[]),
        target: 3,
        unwind: Unwind::Terminate(Reason::InCleanup),
    };
    maker.end_as(drop, true);
    maker.end_as(Terminator::Resume, true);
    let drop = Terminator::Drop { place: at(owned, &[]), target: 5, unwind: Unwind::Continue };
    maker.end(drop);
    // The call of `Raise` never returns, but its target must not be the cleanup block that follows.
    if let Terminator::Call { target, .. } = &mut maker.function.blocks[1].terminator {
        *target = 6;
    }
    maker.end(Terminator::Return);
    maker.end(Terminator::Unreachable);
    maker.function.debug = vec![
        Named::Place(at(1, &[Deref])),
        Named::Place(at(owned, &[Field(1)])),
        Named::Constant(Constant { of: Types::U8, bits: 7 }),
    ];
    maker.function
}

/// A function that calls all intrinsics.
fn all_intrinsics(types: &mut Types) -> Function {
    let mut maker = FunctionMaker::new(Types::UNIT, &[]);
    let overflow = types.intern(Kind::Tuple(vec![Types::U32, Types::BOOL]));
    let mutable = types.intern(Kind::Pointer { mutable: true, to: Types::U32 });
    let constant = types.intern(Kind::Pointer { mutable: false, to: Types::U32 });
    let bytes = types.intern(Kind::Pointer { mutable: false, to: Types::U8 });
    let row = types.intern(Kind::Array(Types::U32, 4));
    let to_row = types.intern(Kind::Pointer { mutable: true, to: row });
    let parts = (0..4).map(|index| number(Types::U32, 0x0102_0304 << index)).collect();
    let row = maker.value(row, Rvalue::Aggregate(row, 0, parts));
    let pointer = maker.value(to_row, Rvalue::AddressOf(true, at(row, &[])));
    let first = maker.value(mutable, Rvalue::PointerCast(copy(pointer), mutable));
    let second = maker.value(mutable, Rvalue::Offset(copy(first), number(Types::USIZE, 2)));
    let read = maker.value(constant, Rvalue::Cast(copy(second), constant));
    let start = maker.value(constant, Rvalue::Cast(copy(first), constant));
    let byte = maker.value(bytes, Rvalue::PointerCast(copy(read), bytes));
    let other = maker.value(bytes, Rvalue::PointerCast(copy(start), bytes));
    for intrinsic in Intrinsic::ALL {
        let word = |bits| number(Types::U32, bits);
        let float = |number: f64| Operand::constant(Types::F64, u128::from(number.to_bits()));
        let count = number(Types::USIZE, 1);
        let (arguments, of) = match intrinsic.family() {
            Family::IntToInt | Family::IntToU32 => (vec![word(0x12_3000)], Types::U32),
            Family::Rotate | Family::Shift => (vec![word(0x8000_0001), word(3)], Types::U32),
            Family::IntInt => (vec![word(12), word(3)], Types::U32),
            Family::Overflow => (vec![word(3), word(4)], overflow),
            Family::Select => (vec![number(Types::BOOL, 1), word(3), word(4)], Types::U32),
            Family::Copy => (vec![copy(start), copy(second), count], Types::UNIT),
            Family::WriteBytes => (vec![copy(second), number(Types::U8, 0x5a), count], Types::UNIT),
            Family::CompareBytes => {
                (vec![copy(byte), copy(other), number(Types::USIZE, 4)], Types::I32)
            }
            Family::Swap => (vec![copy(first), copy(second)], Types::UNIT),
            Family::Load => (vec![copy(read)], Types::U32),
            Family::Store => (vec![copy(second), word(99)], Types::UNIT),
            Family::ArithOffset => (vec![copy(read), number(Types::ISIZE, 1)], constant),
            Family::OffsetFrom => (vec![copy(read), copy(start)], Types::ISIZE),
            Family::Float => (vec![float(6.25)], Types::F64),
            Family::FloatFloat => (vec![float(6.25), float(-1.0)], Types::F64),
            Family::FloatFloatFloat => (vec![float(6.25), float(-1.0), float(1e300)], Types::F64),
            Family::FloatToInt => (vec![float(6.25)], Types::I32),
            Family::Bool => (vec![number(Types::BOOL, 1)], Types::BOOL),
        };
        let result = maker.call(Callee::Intrinsic(intrinsic), arguments, of);
        if types.is_scalar(of) {
            maker.record(&[at(result, &[])]);
        } else if of == overflow {
            maker.record(&[at(result, &[Field(0)]), at(result, &[Field(1)])]);
        }
    }
    maker.finish()
}

#[expect(clippy::too_many_arguments, reason = "types that the whole program shares")]
fn main_function(
    types: &mut Types,
    shapes: &Shapes,
    function: TypeId,
    nested: TypeId,
    heap: TypeId,
    i128: TypeId,
    u128: TypeId,
    i16: TypeId,
    only_plain: bool,
) -> Function {
    let parameters =
        [Types::U32, i16, Types::F32, Types::F64, Types::CHAR, Types::BOOL, i128, u128, Types::F64];
    let mut maker = FunctionMaker::new(Types::BOOL, &parameters);
    maker.set(at(0, &[]), Rvalue::Use(number(Types::BOOL, 0)));
    let mut pointer_to = |mutable, to| types.intern(Kind::Pointer { mutable, to });
    let pair_pointer = pointer_to(true, shapes.pair);
    let pair_constant = pointer_to(false, shapes.pair);
    let slice = types.intern(Kind::Slice(Types::U8));
    let bytes = types.intern(Kind::Array(Types::U8, 4));
    let wide = types.intern(Kind::Pointer { mutable: false, to: slice });
    let wide_mut = types.intern(Kind::Pointer { mutable: true, to: slice });
    let wide_ref = types.intern(Kind::Reference { mutable: false, to: slice });
    let to_bytes = types.intern(Kind::Pointer { mutable: true, to: bytes });
    let ref_bytes = types.intern(Kind::Reference { mutable: false, to: bytes });
    let to_u32 = types.intern(Kind::Reference { mutable: true, to: Types::U32 });
    let ref_u32 = types.intern(Kind::Reference { mutable: false, to: Types::U32 });
    let raw_u64 = types.intern(Kind::Pointer { mutable: true, to: Types::U64 });
    let raw_bool = types.intern(Kind::Pointer { mutable: true, to: Types::BOOL });
    let ref_plain = types.intern(Kind::Reference { mutable: false, to: shapes.plain });
    let ref_f32 = types.intern(Kind::Reference { mutable: false, to: Types::F32 });
    let checked = types.intern(Kind::Tuple(vec![Types::U32, Types::BOOL]));
    let array = types.intern(Kind::Array(shapes.pair, 3));
    let unit_pair = types.intern(Kind::Tuple(vec![Types::U8, Types::UNIT]));

    // The parameters, and all casts.
    maker.record(&[at(1, &[]), at(2, &[]), at(3, &[]), at(4, &[])]);
    maker.record(&[at(5, &[]), at(6, &[]), at(7, &[])]);
    maker.record(&[at(8, &[]), at(9, &[])]);
    for (from, to) in [
        (1, i16),
        (2, Types::U64),
        (2, u128),
        (3, Types::F64),
        (3, Types::U8),
        (4, Types::F32),
        (9, i128),
        (5, Types::U8),
        (6, Types::I32),
        (1, Types::F64),
    ] {
        let cast = maker.value(to, Rvalue::Cast(copy(from), to));
        maker.record(&[at(cast, &[])]);
    }
    let byte = maker.value(Types::U8, Rvalue::Use(number(Types::U8, 0x41)));
    let letter = maker.value(Types::CHAR, Rvalue::Cast(copy(byte), Types::CHAR));
    let sent = maker.value(Types::CHAR, Rvalue::Use(number(Types::CHAR, 0x27)));
    let bits = maker.value(Types::U32, Rvalue::Transmute(copy(3), Types::U32));
    maker.record(&[at(letter, &[]), at(sent, &[]), at(bits, &[])]);
    // All operators.
    for operator in [
        Operator::Add,
        Operator::Sub,
        Operator::Mul,
        Operator::Div,
        Operator::Rem,
        Operator::BitAnd,
        Operator::BitOr,
        Operator::BitXor,
        Operator::Shl,
        Operator::Shr,
        Operator::Eq,
        Operator::Ne,
        Operator::Lt,
        Operator::Le,
        Operator::Gt,
        Operator::Ge,
    ] {
        let of = if operator.compares() { Types::BOOL } else { i16 };
        let minus = number(i16, 0xffff);
        let result = maker.value(of, Rvalue::Binary(operator, copy(2), minus));
        maker.record(&[at(result, &[])]);
    }
    let negated = maker.value(i16, Rvalue::Negate(number(i16, 0xfffb)));
    let inverted = maker.value(i16, Rvalue::Not(number(i16, 0xfffb)));
    let not = maker.value(Types::BOOL, Rvalue::Not(copy(6)));
    let float = maker.value(Types::F64, Rvalue::Negate(copy(4)));
    maker.record(&[at(negated, &[]), at(inverted, &[]), at(not, &[]), at(float, &[])]);
    for operator in [Operator::Add, Operator::Sub, Operator::Mul] {
        let result = maker
            .value(checked, Rvalue::Checked(operator, copy(1), number(Types::U32, 0x9000_0000)));
        maker.record(&[at(result, &[Field(0)]), at(result, &[Field(1)])]);
    }
    for bits in [f64::MAX, 5e-324, f64::NEG_INFINITY, 0.1] {
        let bits = u128::from(bits.to_bits());
        let float = maker.value(Types::F64, Rvalue::Use(number(Types::F64, bits)));
        maker.record(&[at(float, &[])]);
    }
    for bits in [f32::MAX, f32::MIN_POSITIVE, 0.1, -0.0, f32::INFINITY] {
        let bits = u128::from(bits.to_bits());
        let float = maker.value(Types::F32, Rvalue::Use(number(Types::F32, bits)));
        maker.record(&[at(float, &[])]);
    }
    let nan = maker.value(Types::F32, Rvalue::Use(number(Types::F32, 0x7fc0_0000)));
    let is = Rvalue::Binary(Operator::Ne, copy(nan), copy(nan));
    let is_nan = maker.value(Types::BOOL, is);
    let least = maker.value(i128, Rvalue::Use(number(i128, 1 << 127)));
    let most = maker.value(u128, Rvalue::Use(number(u128, u128::MAX)));
    maker.record(&[at(is_nan, &[]), at(least, &[])]);
    maker.record(&[at(most, &[])]);

    // Aggregates, and places inside them.
    let two = vec![copy(byte), copy(2)];
    let pair = maker.value(shapes.pair, Rvalue::Aggregate(shapes.pair, 0, two));
    let one = maker.value(shapes.one, Rvalue::Aggregate(shapes.one, 0, vec![copy(byte)]));
    let unit = maker.value(Types::UNIT, Rvalue::Use(number(Types::UNIT, 0)));
    let two = vec![copy(byte), number(Types::UNIT, 0)];
    maker.value(unit_pair, Rvalue::Aggregate(unit_pair, 0, two));
    maker.value(Types::UNIT, Rvalue::Aggregate(Types::UNIT, 0, vec![]));
    let pairs = maker.value(array, Rvalue::Repeat(copy(pair), 3));
    let moved = maker.value(shapes.pair, Rvalue::Use(copy(pair)));
    let three = vec![copy(pair), Operand::Move(at(moved, &[])), copy(pair)];
    let listed = maker.value(array, Rvalue::Aggregate(array, 0, three));
    let index = maker.value(Types::USIZE, Rvalue::Use(number(Types::USIZE, 2)));
    maker.set(at(pairs, &[Index(index), Field(1)]), Rvalue::Use(number(i16, 77)));
    maker.record(&[at(pairs, &[Index(index), Field(1)]), at(listed, &[Index(index), Field(0)])]);
    let fields = vec![Operand::Copy(at(one, &[Field(0)])), copy(pairs)];
    let plain = maker.value(shapes.plain, Rvalue::Aggregate(shapes.plain, 0, fields));
    maker.record(&[at(plain, &[Field(1), Index(index), Field(1)]), at(plain, &[Field(0)])]);
    let union = maker.value(shapes.union, Rvalue::Aggregate(shapes.union, 0, vec![copy(1)]));
    let four = maker.value(bytes, Rvalue::Repeat(number(Types::U8, 9), 4));
    let other = maker.value(shapes.union, Rvalue::Aggregate(shapes.union, 1, vec![copy(four)]));
    maker.set(at(union, &[Field(1), Index(index)]), Rvalue::Use(number(Types::U8, 1)));
    maker.record(&[at(union, &[Field(0)]), at(other, &[Field(1), Index(index)])]);
    let none = maker.value(shapes.variants, Rvalue::Aggregate(shapes.variants, 0, vec![]));
    let fields = vec![copy(pairs), copy(1)];
    let some = maker.value(shapes.variants, Rvalue::Aggregate(shapes.variants, 1, fields));
    maker.record(&[at(none, &[]), at(some, &[]), at(some, &[Variant(1, 1)])]);
    if !only_plain {
        let two = vec![copy(byte), copy(some)];
        let nested = maker.value(nested, Rvalue::Aggregate(nested, 0, two));
        let deep = [Field(1), Variant(1, 0), Index(index), Field(1)];
        maker.set(at(nested, &deep), Rvalue::Use(number(i16, 31)));
        let raw = types.intern(Kind::Pointer { mutable: true, to: i16 });
        let raw = maker.value(raw, Rvalue::AddressOf(true, at(nested, &deep)));
        let more = Rvalue::Binary(Operator::Mul, Operand::Copy(at(raw, &[Deref])), number(i16, 3));
        maker.set(at(raw, &[Deref]), more);
        maker.record(&[at(nested, &deep), at(raw, &[Deref])]);
        let inner = at(nested, &[Field(1), Variant(1, 1)]);
        let reference = maker.value(to_u32, Rvalue::Reference(true, inner.clone()));
        maker.add(Statement::Retag(at(reference, &[])));
        maker.set(at(reference, &[Deref]), Rvalue::Use(number(Types::U32, 17)));
        let read = maker.value(ref_u32, Rvalue::Reference(false, inner.clone()));
        maker.record(&[at(read, &[Deref]), inner.clone()]);
        maker.call_into(
            Callee::Function(1, vec![]),
            vec![copy(1)],
            inner.clone(),
            Unwind::Continue,
        );
        maker.record(std::slice::from_ref(&inner));
    }
    // Discriminants.
    let coded = maker.value(shapes.coded, Rvalue::Aggregate(shapes.coded, 1, vec![copy(byte)]));
    let read = maker.value(i16, Rvalue::Discriminant(at(coded, &[])));
    if !only_plain {
        maker.add(Statement::SetDiscriminant(at(coded, &[]), 2));
    }
    maker.record(&[at(coded, &[]), at(read, &[])]);
    if !only_plain {
        maker.add(Statement::SetDiscriminant(at(coded, &[]), 0));
    }
    let long = maker.value(shapes.long, Rvalue::Aggregate(shapes.long, 1, vec![]));
    maker.add(Statement::SetDiscriminant(at(long, &[]), 0));
    let read = maker.value(Types::U8, Rvalue::Discriminant(at(some, &[])));
    maker.record(&[at(coded, &[]), at(long, &[]), at(read, &[])]);
    // The other ADTs, and pointers.
    let fields = vec![copy(byte), number(Types::U64, u128::from(u64::MAX))];
    let packed = maker.value(shapes.packed, Rvalue::Aggregate(shapes.packed, 0, fields));
    let aligned =
        maker.value(shapes.aligned, Rvalue::Aggregate(shapes.aligned, 0, vec![copy(byte)]));
    let field = vec![number(Types::U64, 1 << 40)];
    let clear = maker.value(shapes.clear, Rvalue::Aggregate(shapes.clear, 0, field));
    maker.value(shapes.empty, Rvalue::Aggregate(shapes.empty, 0, vec![]));
    maker.record(&[at(packed, &[Field(1)]), at(aligned, &[Field(0)]), at(clear, &[Field(0)])]);
    let pointer = maker.value(pair_pointer, Rvalue::AddressOf(true, at(pairs, &[Index(index)])));
    let back = maker.value(
        pair_pointer,
        Rvalue::Offset(copy(pointer), number(Types::ISIZE, u128::from(u64::MAX))),
    );
    let shared = maker.value(pair_constant, Rvalue::Cast(copy(back), pair_constant));
    let found = maker.value(pair_constant, Rvalue::AddressOf(false, at(pointer, &[Deref])));
    maker.record(&[at(shared, &[Deref, Field(1)]), at(found, &[Deref, Field(1)])]);
    let raw = maker.value(to_bytes, Rvalue::AddressOf(true, at(four, &[])));
    let long_pointer = maker.value(wide_mut, Rvalue::Unsize(copy(raw), wide_mut));
    let length = maker.value(Types::USIZE, Rvalue::Length(copy(long_pointer)));
    let reference = maker.value(ref_bytes, Rvalue::Reference(false, at(four, &[])));
    let long_reference = maker.value(wide_ref, Rvalue::Unsize(copy(reference), wide_ref));
    let raw_slice = maker.value(wide, Rvalue::AddressOf(false, at(long_reference, &[Deref])));
    let again = maker.value(Types::USIZE, Rvalue::Length(copy(raw_slice)));
    maker.record(&[
        at(length, &[]),
        at(again, &[]),
        at(long_pointer, &[Deref, Index(index)]),
        at(long_reference, &[Deref, Index(index)]),
    ]);
    let address = maker.value(Types::USIZE, Rvalue::Cast(copy(raw), Types::USIZE));
    let returned = maker.value(to_bytes, Rvalue::Cast(copy(address), to_bytes));
    maker.record(&[at(returned, &[Deref, Index(index)])]);
    // Statics.
    let first = maker.value(raw_u64, Rvalue::Static(0));
    let more =
        Rvalue::Binary(Operator::Add, Operand::Copy(at(first, &[Deref])), number(Types::U64, 1));
    maker.set(at(first, &[Deref]), more);
    let second = maker.value(ref_plain, Rvalue::Static(1));
    let third = maker.value(ref_f32, Rvalue::Static(2));
    maker.record(&[
        at(first, &[Deref]),
        at(second, &[Deref, Field(1), Index(index), Field(1)]),
        at(third, &[Deref]),
    ]);
    // Storage, assumptions.
    let stored = maker.local(Types::U32);
    maker.add(Statement::StorageLive(stored));
    maker.set(at(stored, &[]), Rvalue::Use(copy(1)));
    maker.record(&[at(stored, &[])]);
    maker.add(Statement::StorageDead(stored));
    maker.add(Statement::Assume(copy(6)));
    // Switches.
    for (on, arms) in [
        (copy(1), vec![(7, 1), (41, 0)]),
        (Operand::Move(at(2, &[])), vec![(5, 1), (0xfffe, 0)]),
        (copy(5), vec![(0x41, 1), (0x1f600, 0)]),
        (copy(6), vec![(0, 1)]),
        (copy(7), vec![(u128::MAX - 6, 0), (1, 1)]),
        (Operand::Copy(at(second, &[Deref, Field(0)])), vec![(9, 1)]),
    ] {
        let next = maker.next();
        let arms = arms.into_iter().map(|(bits, which)| (bits, next + which)).collect();
        maker.end(Terminator::Switch { on, arms, otherwise: next });
        maker.end(Terminator::Goto(next + 2));
        maker.end(Terminator::Unreachable);
    }
    // Calls of all kinds.
    let pointer = maker.value(function, Rvalue::Use(Operand::Function(1, function)));
    let called = maker.call(Callee::Pointer(at(pointer, &[])), vec![copy(1)], Types::U32);
    if !only_plain {
        let tail = maker.call(Callee::Function(6, vec![]), vec![copy(1)], Types::U32);
        let with = vec![Types::U32, Types::BOOL];
        let two = vec![copy(1), copy(6)];
        let generic = maker.call(Callee::Function(3, with), two, checked);
        let hidden = maker.call(Callee::BlackBox, vec![copy(generic)], checked);
        maker.record(&[at(called, &[]), at(tail, &[]), at(hidden, &[Field(0)])]);
        let left = maker.value(ref_u32, Rvalue::Reference(false, at(called, &[])));
        let right = maker.value(ref_u32, Rvalue::Reference(false, at(tail, &[])));
        let three = vec![copy(left), copy(right), copy(6)];
        let chosen = maker.call(Callee::Function(4, vec![]), three, ref_u32);
        maker.record(&[at(chosen, &[Deref])]);
        // An enum with a reference and a function pointer that returns a reference.
        let parameters = vec![ref_u32, ref_u32, Types::BOOL];
        let choice = types.intern(Kind::Function { parameters, returns: ref_u32 });
        let cases = vec![
            Case { fields: vec![], discriminant: None },
            Case { fields: vec![ref_u32, choice], discriminant: None },
        ];
        let shape = Shape::Enum(cases);
        let lender = types.declare(Adt { shape, repr: Repr::Rust, destructor: None });
        let two = vec![copy(left), Operand::Function(4, choice)];
        let lender = maker.value(lender, Rvalue::Aggregate(lender, 1, two));
        let lent = maker.value(ref_u32, Rvalue::Use(Operand::Copy(at(lender, &[Variant(1, 0)]))));
        let three = vec![copy(right), Operand::Move(at(lent, &[])), number(Types::BOOL, 0)];
        let through = Callee::Pointer(at(lender, &[Variant(1, 1)]));
        let chosen = maker.call(through, three, ref_u32);
        maker.record(&[at(chosen, &[Deref]), at(lender, &[])]);
        for amount in [0, 5] {
            let reference = maker.value(to_u32, Rvalue::Reference(true, at(called, &[])));
            let two = vec![copy(reference), number(Types::U32, amount)];
            let panicked = maker.call(Callee::Catch(5), two, Types::BOOL);
            maker.record(&[at(panicked, &[]), at(called, &[])]);
        }
        let boxed = maker.call(Callee::NewBox, vec![copy(pair)], heap);
        let raw =
            maker.call(Callee::BoxToPointer, vec![Operand::Move(at(boxed, &[]))], pair_pointer);
        maker.record(&[at(raw, &[Deref, Field(1)])]);
        let boxed = maker.call(Callee::BoxFromPointer, vec![copy(raw)], heap);
        let target = maker.next();
        maker.end(Terminator::Drop { place: at(boxed, &[]), target, unwind: Unwind::Unreachable });
    } else {
        maker.record(&[at(called, &[])]);
    }
    let raw = maker.value(raw_bool, Rvalue::AddressOf(true, at(0, &[])));
    maker.set(at(raw, &[Deref]), Rvalue::Use(number(Types::BOOL, 1)));
    let intrinsics = if only_plain { 2 } else { 7 };
    maker.call_into(Callee::Function(intrinsics, vec![]), vec![], at(unit, &[]), Unwind::Continue);
    if only_plain {
        for number in 0..6 {
            let arguments = vec![super::sample::number(Types::U32, number)];
            let result = maker.call(Callee::Function(3, vec![]), arguments, Types::U32);
            maker.record(&[at(result, &[])]);
        }
    }
    maker.record(&[at(0, &[])]);
    maker.finish()
}

/// Branches that join, and loops with several exits.
fn branches() -> Function {
    let mut maker = FunctionMaker::new(Types::U32, &[Types::U32]);
    let word = |bits| number(Types::U32, bits);
    let steps = maker.local(Types::U32);
    let inner = maker.local(Types::U32);
    let flag = |maker: &mut FunctionMaker, rvalue| copy(maker.value(Types::BOOL, rvalue));
    let plus = |local, bits| Rvalue::Binary(Operator::Add, copy(local), word(bits));
    let test = |operator, local, bits| Rvalue::Binary(operator, copy(local), word(bits));
    // 0: branches to 1, 2 or 3, which join in 5, partly through 4.
    maker.set(at(0, &[]), Rvalue::Use(word(0)));
    maker.end(Terminator::Switch { on: copy(1), arms: vec![(0, 1), (1, 2)], otherwise: 3 });
    maker.set(at(0, &[]), plus(0, 1));
    maker.end(Terminator::Goto(4));
    maker.set(at(0, &[]), plus(0, 2));
    maker.end(Terminator::Goto(5));
    maker.set(at(0, &[]), plus(0, 3));
    maker.end(Terminator::Goto(4));
    maker.set(at(0, &[]), plus(0, 10));
    maker.end(Terminator::Goto(5));
    // 5: the preheader; 6: the loop header; 7: the loop body; 8: an inner loop; 9 and 10: exits.
    maker.set(at(steps, &[]), Rvalue::Use(copy(1)));
    maker.end(Terminator::Goto(6));
    let on = flag(&mut maker, test(Operator::Lt, steps, 4));
    maker.end(Terminator::Switch { on, arms: vec![(0, 11)], otherwise: 7 });
    maker.set(at(steps, &[]), plus(steps, 1));
    maker.set(at(inner, &[]), Rvalue::Use(word(0)));
    maker.end(Terminator::Goto(8));
    maker.set(at(inner, &[]), plus(inner, 1));
    maker.set(at(0, &[]), Rvalue::Binary(Operator::Mul, copy(0), word(3)));
    let on = flag(&mut maker, test(Operator::Eq, inner, 2));
    maker.end(Terminator::Switch { on, arms: vec![(1, 9)], otherwise: 10 });
    let on = flag(&mut maker, test(Operator::Gt, 0, 5000));
    maker.end(Terminator::Switch { on, arms: vec![(1, 12)], otherwise: 6 });
    let on = flag(&mut maker, test(Operator::Gt, 0, 900));
    maker.end(Terminator::Switch { on, arms: vec![(1, 6)], otherwise: 8 });
    maker.set(at(0, &[]), plus(0, 100));
    maker.end(Terminator::Goto(13));
    maker.set(at(0, &[]), plus(0, 1000));
    maker.end(Terminator::Goto(13));
    maker.finish()
}
