//! Canonical names of types, signatures and selectors.

use std::fmt::Write as _;

use crate::keccak::keccak;
use crate::model::{FIXED_POINTS, Length, Type, TypeId};
use crate::view::View;

/// Appends the name of a type as signatures have it.
pub fn canonical(view: &View<'_>, id: TypeId, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match view.underlying(view.ty(id)) {
        Type::Uint(bits) => write!(out, "uint{bits}"),
        Type::Int(bits) => write!(out, "int{bits}"),
        Type::FixedBytes(bytes) => write!(out, "bytes{bytes}"),
        Type::Bool => write!(out, "bool"),
        Type::Fixed(which) => write!(out, "{}", fraction(which)),
        Type::Address | Type::Contract(_) => write!(out, "address"),
        Type::Enum(_) => write!(out, "uint8"),
        Type::Bytes => write!(out, "bytes"),
        Type::String => write!(out, "string"),
        Type::Array(element, length) => {
            canonical(view, element, out);
            match length {
                Length::Fixed(length) => write!(out, "[{length}]"),
                Length::Dynamic | Length::Variable(_) => write!(out, "[]"),
            }
        }
        Type::Struct(which) => {
            tuple(view, view.fields(which), out);
            Ok(())
        }
        Type::Mapping(..) | Type::Wrapper(_) | Type::Function(..) | Type::Variable(_) => Ok(()),
    };
}

/// The name of a fixed-point type.
pub(crate) fn fraction(which: u8) -> &'static str {
    FIXED_POINTS.get(usize::from(which)).copied().unwrap_or(FIXED_POINTS[0])
}

fn tuple(view: &View<'_>, types: &[TypeId], out: &mut String) {
    out.push('(');
    for (index, id) in types.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        canonical(view, *id, out);
    }
    out.push(')');
}

pub fn signature(view: &View<'_>, name: &str, types: &[TypeId]) -> String {
    let mut out = String::with_capacity(64);
    out.push_str(name);
    tuple(view, types, &mut out);
    out
}

pub fn selector(view: &View<'_>, name: &str, types: &[TypeId]) -> [u8; 4] {
    let hash = keccak(signature(view, name, types).as_bytes());
    [hash[0], hash[1], hash[2], hash[3]]
}
