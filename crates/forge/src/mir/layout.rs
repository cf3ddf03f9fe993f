//! Where the parts of a value lie in our memory. rustc lays structs and tuples out as it likes; that our
//! order is another one cannot be seen, because programs look at bytes only through unions of types that
//! have no padding, whose layout is fixed.

use super::types::{Adt, Kind, Type};

pub(super) fn size(of: &Type, adts: &[Adt]) -> usize {
    match of {
        Type::Bool => 1,
        Type::Char => 4,
        Type::Int(int) => int.bits() as usize / 8,
        Type::Pointer(..) => 8,
        Type::Array(element, length) => size(element, adts) * *length as usize,
        Type::Tuple(parts) => parts.iter().map(|part| size(part, adts)).sum(),
        Type::Adt(index) => {
            let sizes = adts[*index].fields.iter().map(|field| size(field, adts));
            match adts[*index].kind {
                Kind::Struct => sizes.sum(),
                Kind::Union => sizes.max().unwrap_or(0),
            }
        }
    }
}

/// Where a field begins.
pub(super) fn offset(of: &Type, field: usize, adts: &[Adt]) -> usize {
    if of.is_union(adts) {
        return 0;
    }
    of.fields(adts)[..field].iter().map(|part| size(part, adts)).sum()
}
