//! Simplifies types: removes fields and variants, shortens arrays, and replaces scalar types, references and layouts.

use super::super::program::{Operand, Program, Projection, Rvalue, Statement, Terminator};
use super::super::types::{Adt, Float, Kind, Repr, Shape, TypeId, Types};
use super::super::visit::{MentionMut, change};
use super::manually_drop::remove_manually_drop;
use super::weight::type_of;
use super::{Source, retype};

#[derive(Clone, Copy)]
pub(super) enum Edit {
    /// Turn all references into raw pointers.
    AllRaw,
    /// Replace a scalar type by another everywhere.
    Scalar(TypeId, TypeId),
    /// Remove an unused field: type, variant if it is an enum, field.
    Field(TypeId, usize, usize),
    /// Remove an unused variant; the next one may keep its discriminant.
    Variant(TypeId, usize, bool),
    /// Change the length of an array.
    Length(TypeId, u64),
    NoDestructor(TypeId),
    Repr(TypeId, Repr),
    /// Remove an explicit discriminant.
    Discriminant(TypeId, usize),
    /// Replace `ManuallyDrop<T>` by `T`.
    ManuallyDrop(TypeId),
    /// Turn the references of one type into raw pointers.
    Raw(TypeId),
    /// Replace a scalar type by another in the locals and constants of a function.
    ScalarIn(usize, TypeId, TypeId),
}

pub(super) fn list(source: &Source) -> Vec<Edit> {
    let types = &source.program.types;
    let mut all = vec![Edit::AllRaw];
    for from in types.all().take(Types::new().len()) {
        all.extend(simpler_scalars(types, from).map(|to| Edit::Scalar(from, to)));
    }
    for of in types.all().skip(Types::new().len()) {
        match types.kind(of) {
            Kind::Tuple(parts) => {
                all.extend((0..parts.len()).rev().map(|field| Edit::Field(of, 0, field)));
            }
            Kind::Array(_, length) => {
                let shorter = [1, length / 2, length.saturating_sub(1)];
                all.extend(
                    shorter.iter().filter(|it| *it < length).map(|it| Edit::Length(of, *it)),
                );
            }
            Kind::Reference { .. } => all.push(Edit::Raw(of)),
            Kind::Manual(_) => all.push(Edit::ManuallyDrop(of)),
            Kind::Adt(index) => adt_edits(of, &types.adts[*index], &mut all),
            _ => {}
        }
    }
    for (number, function) in source.program.functions.iter().enumerate() {
        for from in types.all().take(Types::new().len()) {
            if function.locals.contains(&from) {
                all.extend(simpler_scalars(types, from).map(|to| Edit::ScalarIn(number, from, to)));
            }
        }
    }
    all
}

/// Simpler scalar types of the same kind.
fn simpler_scalars(types: &Types, from: TypeId) -> impl Iterator<Item = TypeId> + '_ {
    const INTS: [TypeId; 5] = [Types::I32, Types::U8, Types::U32, Types::USIZE, Types::U64];
    let to: &[TypeId] = match types.kind(from) {
        Kind::Int(_) => &INTS,
        Kind::Float(_) => &[Types::F64],
        _ => &[],
    };
    to.iter().copied().filter(move |to| type_of(types, *to) < type_of(types, from))
}

fn adt_edits(of: TypeId, adt: &Adt, all: &mut Vec<Edit>) {
    match &adt.shape {
        Shape::Struct(fields) | Shape::Union(fields) => {
            all.extend((0..fields.len()).rev().map(|field| Edit::Field(of, 0, field)));
        }
        Shape::Enum(variants) => {
            for (number, variant) in variants.iter().enumerate().rev() {
                all.extend([true, false].map(|keep| Edit::Variant(of, number, keep)));
                let fields = (0..variant.fields.len()).rev();
                all.extend(fields.map(|field| Edit::Field(of, number, field)));
                all.extend(variant.discriminant.map(|_| Edit::Discriminant(of, number)));
            }
        }
    }
    all.extend(adt.destructor.map(|_| Edit::NoDestructor(of)));
    let simpler = match adt.repr {
        Repr::CInt(int) => Some(Repr::Int(int)),
        Repr::PackedTo(_) => Some(Repr::Packed),
        _ => None,
    };
    let other = [Repr::Rust, Repr::C].into_iter().filter(|repr| *repr != adt.repr);
    all.extend(other.chain(simpler).map(|repr| Edit::Repr(of, repr)));
}

pub(super) fn apply(source: &Source, edit: Edit) -> Option<Program> {
    let mut smaller = source.program.clone();
    match edit {
        Edit::AllRaw => to_raw_pointers(&mut smaller, &|_| true),
        Edit::ManuallyDrop(of) => remove_manually_drop(&mut smaller, of)?,
        Edit::Raw(of) => to_raw_pointers(&mut smaller, &|it| it == of),
        Edit::Scalar(from, to) => scalar(&mut smaller, from, to),
        Edit::ScalarIn(function, from, to) => scalar_in(&mut smaller, function, from, to),
        Edit::Field(of, variant, field) => drop_field(&mut smaller, of, variant, field)?,
        Edit::Variant(of, variant, keep) => drop_variant(&mut smaller, of, variant, keep)?,
        Edit::Length(of, length) => shorten(&mut smaller, of, length),
        Edit::NoDestructor(of) => edit_adt(&mut smaller, of, &|adt| adt.destructor = None),
        Edit::Repr(of, repr) => change_repr(&mut smaller, of, repr),
        Edit::Discriminant(of, variant) => edit_adt(&mut smaller, of, &|adt| {
            if let Shape::Enum(variants) = &mut adt.shape {
                variants[variant].discriminant = None;
            }
        }),
    }
    Some(smaller)
}

fn edit_adt(program: &mut Program, of: TypeId, edit: &dyn Fn(&mut Adt)) {
    retype::rebuild(program, &|_| true, &|_, kind| kind.clone(), &|it, adt| {
        let mut adt = adt.clone();
        if it == of {
            edit(&mut adt);
        }
        adt
    });
}

/// Changes the representation. Locals that hold discriminants get the new discriminant type.
fn change_repr(program: &mut Program, of: TypeId, repr: Repr) {
    let new = repr.int().map_or(Types::ISIZE, |int| program.types.int(int));
    for function in &mut program.functions {
        let mut holders = vec![];
        for statement in function.blocks.iter().flat_map(|it| &it.statements) {
            if let Statement::Assign(to, Rvalue::Discriminant(place)) = statement
                && to.projections.is_empty()
                && place.type_in(&function.locals, &program.types) == Some(of)
            {
                holders.push(to.local);
            }
        }
        holders.into_iter().for_each(|local| function.locals[local] = new);
    }
    edit_adt(program, of, &|adt| adt.repr = repr);
}

/// Removes the scalars of statics that belong to removed parts, which are given by type and index.
fn remove_static_scalars(program: &mut Program, removed: &dyn Fn(TypeId, u64) -> bool) {
    fn mask(
        types: &Types,
        of: TypeId,
        kept: bool,
        removed: &dyn Fn(TypeId, u64) -> bool,
        all: &mut Vec<bool>,
    ) {
        let mut part = |number: u64, part: TypeId| {
            mask(types, part, kept && !removed(of, number), removed, all);
        };
        match types.kind(of) {
            Kind::Array(element, length) => (0..*length).for_each(|it| part(it, *element)),
            _ if types.is_scalar(of) => all.push(kept),
            _ => (0..).zip(types.fields(of)).for_each(|(it, of)| part(it, *of)),
        }
    }
    for it in &mut program.statics {
        let mut keep = vec![];
        mask(&program.types, it.of, true, removed, &mut keep);
        super::sweep::retain(&mut it.value, &keep);
    }
}

/// None if the field is used.
fn drop_field(program: &mut Program, of: TypeId, variant: usize, field: usize) -> Option<()> {
    let is_union = program.types.is_union(of);
    let is_enum = program.types.is_enum(of);
    let mut used = false;
    let lower = |number: &mut usize| {
        let own = *number;
        *number -= usize::from(own > field);
        own == field
    };
    retype::projections(program, &mut |it, projection| match projection {
        Projection::Field(number) if it == of => used |= lower(number),
        Projection::Variant(of_variant, number) if it == of && *of_variant == variant => {
            used |= lower(number);
        }
        _ => {}
    });
    retype::aggregates(program, of, &mut |number, parts| {
        if is_union {
            used |= lower(number);
        } else if !is_enum || *number == variant {
            parts.remove(field);
        }
    });
    if used {
        return None;
    }
    remove_static_scalars(program, &|it, number| it == of && number == field as u64);
    let drop_from = |fields: &mut Vec<TypeId>| {
        fields.remove(field);
    };
    retype::rebuild(
        program,
        &|_| true,
        &|it, kind| {
            let mut kind = kind.clone();
            if it == of
                && let Kind::Tuple(parts) = &mut kind
            {
                drop_from(parts);
            }
            kind
        },
        &|it, adt| {
            let mut adt = adt.clone();
            if it == of {
                match &mut adt.shape {
                    Shape::Struct(fields) | Shape::Union(fields) => drop_from(fields),
                    Shape::Enum(variants) => drop_from(&mut variants[variant].fields),
                }
            }
            adt
        },
    );
    Some(())
}

/// None if the variant is used.
fn drop_variant(program: &mut Program, of: TypeId, variant: usize, keep: bool) -> Option<()> {
    let discriminants = program.types.discriminants(of);
    let mut used = false;
    let mut lower = |number: &mut usize| {
        used |= *number == variant;
        *number -= usize::from(*number > variant);
    };
    retype::aggregates(program, of, &mut |number, _| lower(number));
    for function in &mut program.functions {
        let (locals, types) = (&function.locals, &program.types);
        for statement in function.blocks.iter_mut().flat_map(|it| &mut it.statements) {
            if let Statement::SetDiscriminant(place, number) = statement
                && place.type_in(locals, types) == Some(of)
            {
                lower(number);
            }
        }
    }
    retype::projections(program, &mut |it, projection| match projection {
        Projection::Variant(number, _) if it == of => lower(number),
        _ => {}
    });
    if used {
        return None;
    }
    edit_adt(program, of, &|adt| {
        let Shape::Enum(variants) = &mut adt.shape else { return };
        variants.remove(variant);
        if let (true, Some(next)) = (keep, variants.get_mut(variant)) {
            next.discriminant = discriminants.get(variant + 1).copied();
        }
    });
    Some(())
}

fn shorten(program: &mut Program, of: TypeId, length: u64) {
    retype::aggregates(program, of, &mut |_, parts| parts.truncate(length as usize));
    retype::assignments(program, &mut |types, locals, place, rvalue| {
        if let Rvalue::Repeat(_, count) = rvalue
            && place.type_in(locals, types) == Some(of)
        {
            *count = length;
        }
    });
    remove_static_scalars(program, &|it, number| it == of && number >= length);
    let shorter = |it: TypeId, kind: &Kind| match kind {
        Kind::Array(element, _) if it == of => Kind::Array(*element, length),
        _ => kind.clone(),
    };
    retype::rebuild(program, &|_| true, &shorter, &|_, adt| adt.clone());
}

/// References of some types become raw pointers.
fn to_raw_pointers(program: &mut Program, which: &dyn Fn(TypeId) -> bool) {
    retype::assignments(program, &mut |types, locals, place, rvalue| {
        if let Rvalue::Reference(mutable, of) = rvalue
            && place.type_in(locals, types).is_some_and(which)
        {
            *rvalue = Rvalue::AddressOf(*mutable, of.clone());
        }
    });
    for function in &mut program.functions {
        let (locals, types) = (&function.locals, &program.types);
        for block in &mut function.blocks {
            block.statements.retain(|statement| match statement {
                Statement::Retag(place) => !place.type_in(locals, types).is_some_and(which),
                _ => true,
            });
        }
    }
    let pointer = |it: TypeId, kind: &Kind| match kind {
        Kind::Reference { mutable, to } if which(it) => {
            Kind::Pointer { mutable: *mutable, to: *to }
        }
        _ => kind.clone(),
    };
    retype::rebuild(program, &|_| true, &pointer, &|_, adt| adt.clone());
}

/// The bits of a number converted by `as`.
fn convert(types: &Types, from: TypeId, to: TypeId, bits: u128) -> u128 {
    match (types.kind(from), types.kind(to)) {
        (Kind::Int(from), Kind::Int(to)) => {
            let unused = 128 - from.bits();
            let whole = match from.signed {
                true => ((bits << unused) as i128 >> unused) as u128,
                false => bits,
            };
            whole & (u128::MAX >> (128 - to.bits()))
        }
        (Kind::Float(Float::F32), Kind::Float(Float::F64)) => {
            f64::from(f32::from_bits(bits as u32)).to_bits().into()
        }
        _ => bits,
    }
}

fn scalar(program: &mut Program, from: TypeId, to: TypeId) {
    let types = program.types.clone();
    let as_new = |bits: &mut u128| *bits = convert(&types, from, to, *bits);
    for argument in program.arguments.iter_mut().filter(|it| it.of == from) {
        as_new(&mut argument.bits);
    }
    for it in &mut program.statics {
        let scalars = Program::scalars(&types, it.of).unwrap_or_default();
        let own = scalars.iter().zip(&mut it.value).filter(|(of, _)| **of == from);
        own.for_each(|(_, bits)| as_new(bits));
    }
    for function in 0..program.functions.len() {
        convert_constants(program, function, from, to);
    }
    let ints = (types.as_int(from), types.as_int(to));
    let repr = |repr: Repr| match (repr, ints) {
        (Repr::Int(own), (Some(old), Some(new))) if own == old => Repr::Int(new),
        (Repr::CInt(own), (Some(old), Some(new))) if own == old => Repr::CInt(new),
        _ => repr,
    };
    let kind = |it: TypeId, kind: &Kind| match kind {
        Kind::Value(of, bits) if *of == from => {
            Kind::Value(*of, convert(&types, from, to, (*bits).into()) as u64)
        }
        _ if it == from => types.kind(to).clone(),
        kind => kind.clone(),
    };
    retype::rebuild(program, &|_| true, &kind, &|_, adt| Adt {
        repr: repr(adt.repr),
        ..adt.clone()
    });
    remove_identity_casts(program);
}

fn scalar_in(program: &mut Program, function: usize, from: TypeId, to: TypeId) {
    convert_constants(program, function, from, to);
    change::function(&mut program.functions[function], &mut |mention| {
        if let MentionMut::Type(of) = mention
            && *of == from
        {
            *of = to;
        }
    });
    remove_identity_casts(program);
}

/// Converts the constants and the switch arms of a function to another type.
fn convert_constants(program: &mut Program, function: usize, from: TypeId, to: TypeId) {
    let types = &program.types;
    let as_new = |bits: &mut u128| *bits = convert(types, from, to, *bits);
    let function = &mut program.functions[function];
    for block in &mut function.blocks {
        if let Terminator::Switch { on, arms, .. } = &mut block.terminator
            && on.type_in(&function.locals, types) == Some(from)
        {
            arms.iter_mut().for_each(|(bits, _)| as_new(bits));
        }
    }
    change::function(function, &mut |mention| {
        if let MentionMut::Operand(Operand::Constant(constant)) = mention
            && constant.of == from
        {
            as_new(&mut constant.bits);
        }
    });
}

/// Replaces casts to the same type, which the change has created, by copies.
pub(super) fn remove_identity_casts(program: &mut Program) {
    retype::assignments(program, &mut |types, locals, _, rvalue| {
        if let Rvalue::Cast(operand, to)
        | Rvalue::PointerCast(operand, to)
        | Rvalue::Transmute(operand, to) = rvalue
            && operand.type_in(locals, types) == Some(*to)
        {
            *rvalue = Rvalue::Use(operand.clone());
        }
    });
}
