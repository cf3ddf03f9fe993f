//! The component types of aggregates, and the operations on them, by name.

use super::super::program::{Callee, Function, Operand, Program, Rvalue, Statement, Terminator};
use super::super::types::{Kind, Repr, Shape, TypeId, Types};
use super::super::visit::{Mention, read};
use super::name;

/// The names that must occur in some program.
pub(super) const WANTED: &str = "\
        in-tuple-reference in-tuple-const-pointer in-tuple-wide in-tuple-heap in-tuple-function \
        in-tuple-unit in-tuple-empty in-struct-reference in-struct-const-pointer in-struct-wide \
        in-struct-heap in-struct-function in-struct-unit in-struct-empty in-array-reference \
        in-array-const-pointer in-array-wide in-array-heap in-array-function in-array-empty \
        in-enum-reference in-enum-wide in-enum-heap in-enum-unit in-enum-empty \
        in-tuple-manual in-struct-manual in-array-manual in-enum-manual in-option-manual in-union-manual \
        in-tuple-object in-struct-object in-array-object in-option-object \
        object-of-reference object-of-pointer object-of-heap method-of-owning drop-of-object \
        in-option-reference in-option-wide in-option-heap in-option-function in-option-pointer \
        discriminant-large discriminant-descending discriminant-largest \
        call-of-Field call-of-Index call-of-Variant call-of-Deref \
        drop-of-Field drop-of-Index drop-of-Variant drop-of-Enum drop-of-Struct drop-of-Tuple \
        drop-of-Array drop-of-Heap drop-of-Manual generic-with-1 generic-with-2 generic-with-3 generic-in-generic \
        constant-alone constant-with-types constant-of-Bool constant-of-Char constant-of-Int constant-passed-on \
        constant-length-zero \
        float-plus-Infinite float-minus-Infinite float-plus-Subnormal float-minus-Subnormal \
        float-minus-Zero float-plus-Nan";

/// The names that occur in a program.
pub(super) fn of(program: &Program) -> Vec<String> {
    let mut all = parts(&program.types);
    let methods = program.traits.iter().flat_map(|it| &it.implementations);
    let owning = methods.into_iter().any(|it| program.types.needs_drop(it.of));
    all.extend(owning.then(|| "method-of-owning".to_owned()));
    all.extend(program.functions.iter().flat_map(|function| operations(program, function)));
    all
}

/// The types of components that are not scalars, by the kind of aggregate.
fn parts(types: &Types) -> Vec<String> {
    let mut all = vec![];
    let mut inside = |whole: &str, part: TypeId| {
        let what = match types.kind(part) {
            _ if types.object(part).is_some() => "object".to_owned(),
            _ if types.is_wide(part) => "wide".to_owned(),
            Kind::Pointer { mutable: false, .. } => "const-pointer".to_owned(),
            Kind::Tuple(parts) if parts.is_empty() => "unit".to_owned(),
            _ if types.size(part) == 0 => "empty".to_owned(),
            kind => name(kind).to_lowercase(),
        };
        all.push(format!("in-{whole}-{what}"));
    };
    for of in types.all() {
        match types.kind(of) {
            Kind::Tuple(parts) => parts.iter().for_each(|part| inside("tuple", *part)),
            Kind::Array(element, _) => inside("array", *element),
            Kind::Adt(index) => match &types.adts[*index].shape {
                Shape::Struct(fields) => fields.iter().for_each(|part| inside("struct", *part)),
                Shape::Union(fields) => fields.iter().for_each(|part| inside("union", *part)),
                Shape::Enum(variants) => {
                    let lone = variants.iter().all(|variant| variant.fields.len() < 2);
                    let option =
                        lone && variants.len() == 2 && types.adts[*index].repr == Repr::Rust;
                    let whole = if option { "option" } else { "enum" };
                    let parts = variants.iter().flat_map(|variant| &variant.fields);
                    parts.for_each(|part| inside(whole, *part));
                }
            },
            _ => {}
        }
    }
    for of in types.all().filter(|of| types.is_enum(*of)) {
        let numbers = types.discriminants(of);
        let extreme = |number: &i128| number.unsigned_abs() >= 1 << 31;
        all.extend(numbers.iter().any(extreme).then(|| "discriminant-large".to_owned()));
        let descends = numbers.windows(2).any(|pair| pair[0] > pair[1]);
        all.extend(descends.then(|| "discriminant-descending".to_owned()));
        let largest = numbers.contains(&i128::from(u64::MAX));
        all.extend(largest.then(|| "discriminant-largest".to_owned()));
    }
    all
}

/// Calls and drops of components, generic arguments, and float constants.
fn operations(program: &Program, function: &Function) -> Vec<String> {
    let types = &program.types;
    let mut all = vec![];
    for statement in function.blocks.iter().flat_map(|it| &it.statements) {
        if let Statement::Assign(_, Rvalue::Unsize(_, of)) = statement
            && types.object(*of).is_some()
        {
            all.push(format!("object-of-{}", name(types.kind(*of)).to_lowercase()));
        }
    }
    for block in &function.blocks {
        match &block.terminator {
            Terminator::Call { callee: Callee::Pointer(place), .. } => {
                all.extend(place.projections.last().map(|it| format!("call-of-{}", name(it))));
            }
            Terminator::Call { callee: Callee::Function(_, with), .. } if !with.is_empty() => {
                let generic = with.iter().any(|of| types.is_generic(*of));
                all.push(format!("generic-with-{}", with.len()));
                all.extend(generic.then(|| "generic-in-generic".to_owned()));
                all.extend(with.iter().filter_map(|of| match types.kind(*of) {
                    Kind::Value(Types::USIZE, 0) => Some("constant-length-zero".to_owned()),
                    Kind::Value(of, _) => Some(format!("constant-of-{}", name(types.kind(*of)))),
                    Kind::Constant(..) => Some("constant-passed-on".to_owned()),
                    _ => None,
                }));
                let constants = with.iter().filter(|of| types.is_constant(**of)).count();
                let alone = if constants == with.len() { "alone" } else { "with-types" };
                all.extend((constants > 0).then(|| format!("constant-{alone}")));
            }
            Terminator::Drop { place, .. }
                if place
                    .type_in(&function.locals, types)
                    .is_some_and(|of| types.object(of).is_some()) =>
            {
                all.push("drop-of-object".to_owned());
            }
            Terminator::Drop { place, .. } => {
                all.extend(place.projections.last().map(|it| format!("drop-of-{}", name(it))));
                let of = place.type_in(&function.locals, types);
                all.extend(of.map(|of| match types.adt(of) {
                    Some(adt) => format!("drop-of-{}", name(&adt.shape)),
                    None => format!("drop-of-{}", name(types.kind(of))),
                }));
            }
            _ => {}
        }
        read::block(block, &mut |mention| {
            if let Mention::Operand(Operand::Constant(constant)) = mention
                && constant.of == Types::F64
            {
                let value = f64::from_bits(constant.bits as u64);
                let sign = if value.is_sign_negative() { "minus" } else { "plus" };
                all.push(format!("float-{sign}-{:?}", value.classify()));
            }
        });
    }
    all
}
