//! Checks types: each refers to earlier types, except through the fields of declarations; none contains itself; and
//! rustc accepts the declarations.

use super::super::program::{Function, Program};
use super::super::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types, Variant, Width};
use super::{Check, Flaw, Location, ensure, is_value};

pub(super) fn check(program: &Program) -> Result<(), Flaw> {
    let types = &program.types;
    let mut named = vec![false; types.adts.len()];
    let plain = Types::new();
    ensure(
        types.len() >= plain.len() && plain.all().all(|of| types.kind(of) == plain.kind(of)),
        "scalar types are not at their fixed indices",
    )
    .map_err(|what| Flaw { what, at: Location::Program })?;
    if let Some(of) = types.infinitely_sized() {
        return Err(Flaw { what: "type contains itself", at: Location::Type(of.0 as usize) });
    }
    for of in types.all().skip(plain.len()) {
        let flaw = |what| Flaw { what, at: Location::Type(of.0 as usize) };
        check_type(types, of, &mut named).map_err(flaw)?;
        if let Kind::Object(which) = types.kind(of) {
            let there = *which < program.traits.len();
            ensure(there, "unknown trait").map_err(flaw)?;
        }
    }
    ensure(named.iter().all(|named| *named), "declaration without a type")
        .map_err(|what| Flaw { what, at: Location::Program })
}

fn check_type(types: &Types, of: TypeId, named: &mut [bool]) -> Check {
    let kind = types.kind(of);
    ensure(types.find(kind) == Some(of), "duplicate type")?;
    let earlier =
        |part: &TypeId| ensure(*part < of, "type refers to a type that is not declared before it");
    let sized = |part: &TypeId| ensure(!types.is_unsized(*part), "unsized type by value");
    let value = |part: &TypeId| {
        earlier(part)?;
        ensure(!types.is_constant(*part), "constant used as a type")?;
        sized(part)
    };
    let plain = |part: &TypeId| {
        sized(part)?;
        ensure(!types.is_generic(*part), "type parameter not allowed here")
    };
    match kind {
        Kind::Tuple(parts) => parts.iter().try_for_each(value),
        Kind::Heap(part) if matches!(types.kind(*part), Kind::Object(_)) => earlier(part),
        Kind::Array(part, _)
        | Kind::ArrayOf(part, _)
        | Kind::Slice(part)
        | Kind::Heap(part)
        | Kind::Manual(part) => value(part),
        Kind::Pointer { to, .. } | Kind::Reference { to, .. } => {
            earlier(to)?;
            ensure(!types.is_constant(*to), "constant used as a type")
        }
        Kind::Constant(_, part) => {
            earlier(part)?;
            ensure(can_be_constant(types, *part), "const parameter of an unsupported type")
        }
        Kind::Value(part, bits) => {
            earlier(part)?;
            let good = can_be_constant(types, *part) && is_value(types, *part, (*bits).into());
            ensure(good, "constant is not a valid value of its type")
        }
        Kind::Function { parameters, returns } => {
            let mut all = parameters.iter().chain([returns]);
            all.try_for_each(|part| earlier(part).and_then(|()| plain(part)))
        }
        Kind::Adt(index) => {
            let adt = types.adts.get(*index).ok_or("unknown declaration")?;
            named[*index] = true;
            let there = |part: &TypeId| ensure((part.0 as usize) < types.len(), "unknown type");
            adt.parts().try_for_each(|part| there(&part).and_then(|()| plain(&part)))?;
            declaration(types, of, adt)
        }
        _ => Ok(()),
    }
}

/// Whether a const parameter can have a type.
pub(super) fn can_be_constant(types: &Types, of: TypeId) -> bool {
    match types.kind(of) {
        Kind::Int(int) => int.width != Width::W128,
        kind => matches!(kind, Kind::Bool | Kind::Char),
    }
}

fn declaration(types: &Types, of: TypeId, adt: &Adt) -> Check {
    match &adt.shape {
        Shape::Struct(fields) => structure(types, adt, fields),
        Shape::Union(fields) => {
            ensure(adt.repr == Repr::C, "union is not `repr(C)`")?;
            ensure(adt.destructor.is_none(), "union with a destructor")?;
            ensure(!fields.is_empty(), "union without fields")?;
            // A union does not drop its fields, so rustc requires `Copy` or `ManuallyDrop`.
            let manual = |field: TypeId| matches!(types.kind(field), Kind::Manual(_));
            let good = |field: &TypeId| {
                types.layout(*field).bytes_readable && (types.is_copy(*field) || manual(*field))
            };
            ensure(
                fields.iter().all(good),
                "union field has padding or pointers, or neither `Copy` nor `ManuallyDrop`",
            )
        }
        Shape::Enum(variants) => enumeration(types, of, adt.repr, variants),
    }
}

fn structure(types: &Types, adt: &Adt, fields: &[TypeId]) -> Check {
    match adt.repr {
        Repr::Rust | Repr::C => Ok(()),
        Repr::Transparent => {
            ensure(fields.len() == 1, "`repr(transparent)` needs exactly one field")
        }
        Repr::Packed | Repr::PackedTo(_) | Repr::RustPacked(_) => {
            let packing = adt.repr.packing().unwrap_or(1);
            ensure(packing.is_power_of_two() && packing <= 1 << 29, "invalid packing")?;
            ensure(adt.destructor.is_none(), "packed struct with a destructor")?;
            let aligned = fields.iter().any(|field| contains_aligned(types, *field));
            ensure(!aligned, "packed struct contains a type with `repr(align)`")
        }
        Repr::Align(least) | Repr::RustAlign(least) => {
            ensure(least.is_power_of_two() && least <= 1 << 29, "invalid alignment")
        }
        Repr::Int(_) | Repr::CInt(_) => Err("struct with an integer `repr`"),
    }
}

fn contains_aligned(types: &Types, of: TypeId) -> bool {
    match types.kind(of) {
        Kind::Tuple(parts) => parts.iter().any(|part| contains_aligned(types, *part)),
        Kind::Array(element, _) | Kind::Manual(element) => contains_aligned(types, *element),
        Kind::Adt(index) => {
            let adt = &types.adts[*index];
            adt.repr.alignment().is_some() || adt.parts().any(|part| contains_aligned(types, part))
        }
        _ => false,
    }
}

fn enumeration(types: &Types, of: TypeId, repr: Repr, variants: &[Variant]) -> Check {
    ensure(!variants.is_empty(), "enum without variants")?;
    let int = match repr {
        Repr::Int(int) | Repr::CInt(int) => int,
        Repr::RustAlign(least) => {
            ensure(least.is_power_of_two() && least <= 1 << 29, "invalid alignment")?;
            Int::ISIZE
        }
        Repr::Rust => Int::ISIZE,
        Repr::C => Int::C,
        _ => return Err("enum with a `repr` for structs"),
    };
    ensure(int.width != Width::W128, "enum with a 128-bit `repr`")?;
    let explicit = variants.iter().any(|variant| variant.discriminant.is_some());
    let fields = variants.iter().any(|variant| !variant.fields.is_empty());
    ensure(
        !(explicit && fields) || repr.int().is_some(),
        "explicit discriminants and fields without an integer `repr`",
    )?;
    let mut numbers = types.discriminants(of);
    let bits = int.bits() - u32::from(int.signed);
    let least = if int.signed { -(1_i128 << bits) } else { 0 };
    let range = least..1_i128 << bits;
    ensure(numbers.iter().all(|number| range.contains(number)), "discriminant out of range")?;
    numbers.sort_unstable();
    ensure(numbers.windows(2).all(|pair| pair[0] != pair[1]), "duplicate discriminant")
}

/// Checks the signatures of destructors. The signatures of all functions must have been checked before.
pub(super) fn destructors(program: &Program) -> Result<(), Flaw> {
    let types = &program.types;
    for of in types.all() {
        let Some(destructor) = types.adt(of).and_then(|adt| adt.destructor) else { continue };
        let takes = |parameters: &[TypeId]| match parameters {
            [one] => *types.kind(*one) == Kind::Reference { mutable: true, to: of },
            _ => false,
        };
        let good = |function: &Function| {
            function.generics == 0
                && function.returns() == Types::UNIT
                && takes(function.parameter_types())
        };
        ensure(
            program.functions.get(destructor).is_some_and(good),
            "destructor signature mismatch",
        )
        .map_err(|what| Flaw { what, at: Location::Type(of.0 as usize) })?;
    }
    Ok(())
}
