//! Types: each is made of earlier ones, or points to later ones, so none contains itself, and rustc takes what is
//! declared.

use super::super::program::{Function, Program};
use super::super::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types, Variant, Width};
use super::{Check, Flaw, Spot, ensure, is_value};

pub(super) fn check(program: &Program) -> Result<(), Flaw> {
    let types = &program.types;
    let mut named = vec![false; types.adts.len()];
    let plain = Types::new();
    ensure(
        types.len() >= plain.len() && plain.all().all(|of| types.kind(of) == plain.kind(of)),
        "the scalars are not at their places",
    )
    .map_err(|what| Flaw { what, at: Spot::Program })?;
    if let Some(of) = types.infinitely_sized() {
        return Err(Flaw { what: "a type that contains itself", at: Spot::Type(of.0 as usize) });
    }
    for of in types.all().skip(plain.len()) {
        let flaw = |what| Flaw { what, at: Spot::Type(of.0 as usize) };
        one(types, of, &mut named).map_err(flaw)?;
        if let Kind::Object(which) = types.kind(of) {
            let there = *which < program.traits.len();
            ensure(there, "a trait that is not there").map_err(flaw)?;
        }
    }
    ensure(named.iter().all(|named| *named), "a declaration that no type names")
        .map_err(|what| Flaw { what, at: Spot::Program })
}

fn one(types: &Types, of: TypeId, named: &mut [bool]) -> Check {
    let kind = types.kind(of);
    ensure(types.find(kind) == Some(of), "the same type twice")?;
    let earlier = |part: &TypeId| ensure(*part < of, "a part that is not declared before");
    let sized = |part: &TypeId| ensure(!is_slice(types, *part), "a slice by value");
    let value = |part: &TypeId| {
        earlier(part)?;
        ensure(!types.is_constant(*part), "a constant as a type")?;
        sized(part)
    };
    let plain = |part: &TypeId| {
        sized(part)?;
        ensure(!types.is_generic(*part), "a type parameter where none can be")
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
            ensure(!types.is_constant(*to), "a constant as a type")
        }
        Kind::Constant(_, part) => {
            earlier(part)?;
            ensure(can_be_constant(types, *part), "a constant parameter of such a type")
        }
        Kind::Value(part, bits) => {
            earlier(part)?;
            let good = can_be_constant(types, *part) && is_value(types, *part, (*bits).into());
            ensure(good, "a constant that is no value of its type")
        }
        Kind::Function { parameters, returns } => {
            let mut all = parameters.iter().chain([returns]);
            all.try_for_each(|part| earlier(part).and_then(|()| plain(part)))
        }
        Kind::Adt(index) => {
            let adt = types.adts.get(*index).ok_or("a declaration that is not there")?;
            named[*index] = true;
            let there =
                |part: &TypeId| ensure((part.0 as usize) < types.len(), "a type that is not there");
            adt.parts().try_for_each(|part| there(&part).and_then(|()| plain(&part)))?;
            declaration(types, of, adt)
        }
        _ => Ok(()),
    }
}

/// Whether a constant parameter can be of a type.
pub(super) fn can_be_constant(types: &Types, of: TypeId) -> bool {
    match types.kind(of) {
        Kind::Int(int) => int.width != Width::W128,
        kind => matches!(kind, Kind::Bool | Kind::Char),
    }
}

/// A slice, or another thing that is nowhere but behind pointers.
pub(super) fn is_slice(types: &Types, of: TypeId) -> bool {
    types.is_unsized(of)
}

fn declaration(types: &Types, of: TypeId, adt: &Adt) -> Check {
    match &adt.shape {
        Shape::Struct(fields) => structure(types, adt, fields),
        Shape::Union(fields) => {
            ensure(adt.repr == Repr::C, "a union that is not `repr(C)`")?;
            ensure(adt.destructor.is_none(), "a union with a destructor")?;
            ensure(!fields.is_empty(), "a union without fields")?;
            // What must not be dropped with it.
            let manual = |field: TypeId| matches!(types.kind(field), Kind::Manual(_));
            let good = |field: &TypeId| {
                types.layout(*field).solid && (types.is_copy(*field) || manual(*field))
            };
            ensure(fields.iter().all(good), "a field of a union that is not solid")
        }
        Shape::Enum(variants) => enumeration(types, of, adt.repr, variants),
    }
}

fn structure(types: &Types, adt: &Adt, fields: &[TypeId]) -> Check {
    match adt.repr {
        Repr::Rust | Repr::C => Ok(()),
        Repr::Transparent => ensure(fields.len() == 1, "`transparent` of not one field"),
        Repr::Packed | Repr::PackedTo(_) | Repr::RustPacked(_) => {
            let packing = adt.repr.packing().unwrap_or(1);
            ensure(packing.is_power_of_two() && packing <= 1 << 29, "a packing that cannot be")?;
            ensure(adt.destructor.is_none(), "a packed struct with a destructor")?;
            let aligned = fields.iter().any(|field| holds_aligned(types, *field));
            ensure(!aligned, "a packed struct with an aligned one in it")
        }
        Repr::Align(least) | Repr::RustAlign(least) => {
            ensure(least.is_power_of_two() && least <= 1 << 29, "an alignment that cannot be")
        }
        Repr::Int(_) | Repr::CInt(_) => Err("a struct with the representation of an integer"),
    }
}

fn holds_aligned(types: &Types, of: TypeId) -> bool {
    match types.kind(of) {
        Kind::Tuple(parts) => parts.iter().any(|part| holds_aligned(types, *part)),
        Kind::Array(element, _) | Kind::Manual(element) => holds_aligned(types, *element),
        Kind::Adt(index) => {
            let adt = &types.adts[*index];
            adt.repr.alignment().is_some() || adt.parts().any(|part| holds_aligned(types, part))
        }
        _ => false,
    }
}

fn enumeration(types: &Types, of: TypeId, repr: Repr, variants: &[Variant]) -> Check {
    ensure(!variants.is_empty(), "an enum without variants")?;
    let int = match repr {
        Repr::Int(int) | Repr::CInt(int) => int,
        Repr::RustAlign(least) => {
            ensure(least.is_power_of_two() && least <= 1 << 29, "an alignment that cannot be")?;
            Int::ISIZE
        }
        Repr::Rust => Int::ISIZE,
        Repr::C => Int::C,
        _ => return Err("an enum with the representation of a struct"),
    };
    ensure(int.width != Width::W128, "an enum with a representation of 128 bits")?;
    let explicit = variants.iter().any(|variant| variant.discriminant.is_some());
    let fields = variants.iter().any(|variant| !variant.fields.is_empty());
    ensure(
        !(explicit && fields) || repr.int().is_some(),
        "explicit discriminants and fields without a representation",
    )?;
    let mut numbers = types.discriminants(of);
    let bits = int.bits() - u32::from(int.signed);
    let least = if int.signed { -(1_i128 << bits) } else { 0 };
    let range = least..1_i128 << bits;
    ensure(numbers.iter().all(|number| range.contains(number)), "a discriminant out of range")?;
    numbers.sort_unstable();
    ensure(numbers.windows(2).all(|pair| pair[0] != pair[1]), "the same discriminant twice")
}

/// Destructors have the right signature; called when those of all functions are known to be sound.
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
            "a destructor with another signature",
        )
        .map_err(|what| Flaw { what, at: Spot::Type(of.0 as usize) })?;
    }
    Ok(())
}
