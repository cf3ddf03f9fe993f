//! Where the parts of a value lie in our memory. Pointers have 64 bits.
//!
//! rustc lays `repr(Rust)` types out as it likes. That we may use another order for them cannot be seen,
//! because programs look at bytes only where the layout is fixed.

use super::types::{Adt, Float, Kind, Repr, Shape, TypeId, Types};

#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) size: usize,
    pub(crate) align: usize,
    /// rustc lays it out in the same way, so that programs may rely on it.
    pub(crate) fixed: bool,
    /// Fixed, and every byte belongs to a number (no padding, no pointers): the bytes can be read.
    pub(crate) solid: bool,
    /// There are bits that are no value of it; a solid type without this can be made from any bytes.
    pub(crate) picky: bool,
    /// A pointer, reference, box or function pointer is in it.
    pub(crate) pointers: bool,
    /// Where the fields begin, for each variant; structs, tuples and unions have one.
    pub(crate) fields: Vec<Vec<usize>>,
    /// Of an enum, how many bytes its tag has; it begins at 0. A `repr(Rust)` enum has a tag of our own in
    /// our memory, which holds the number of the variant; other enums' tags hold the discriminant.
    pub(crate) tag: usize,
}

/// The tag of a `repr(Rust)` enum.
const OUR_TAG: usize = 4;

pub(crate) fn of(kind: &Kind, types: &Types) -> Layout {
    let scalar = |size: usize, picky: bool| Layout {
        size,
        align: size,
        fixed: true,
        solid: true,
        picky,
        ..Layout::default()
    };
    let pointer = |size: usize| Layout {
        size,
        align: 8,
        fixed: true,
        pointers: true,
        picky: true,
        ..Layout::default()
    };
    match kind {
        Kind::Bool => scalar(1, true),
        Kind::Char => scalar(4, true),
        Kind::Int(int) => scalar(int.bits() as usize / 8, false),
        Kind::Float(Float::F32) => scalar(4, false),
        Kind::Float(Float::F64) => scalar(8, false),
        Kind::Pointer { to, .. } | Kind::Reference { to, .. } => {
            pointer(if matches!(types.kind(*to), Kind::Slice(_)) { 16 } else { 8 })
        }
        Kind::Heap(_) | Kind::Function { .. } => pointer(8),
        Kind::Array(element, length) => {
            let element = types.layout(*element);
            Layout {
                size: element.size * *length as usize,
                tag: 0,
                fields: vec![],
                ..element.clone()
            }
        }
        Kind::Slice(element) => {
            Layout { size: 0, fields: vec![], ..types.layout(*element).clone() }
        }
        Kind::Tuple(parts) => {
            let layout = in_order(parts, types, 0, false);
            Layout { fixed: parts.is_empty(), solid: parts.is_empty(), ..layout }
        }
        Kind::Parameter(_) => Layout { align: 1, ..Layout::default() },
        Kind::Adt(index) => adt(&types.adts[*index], types),
    }
}

fn adt(adt: &Adt, types: &Types) -> Layout {
    match &adt.shape {
        Shape::Struct(fields) => {
            let layout = in_order(fields, types, 0, adt.repr == Repr::Packed);
            match adt.repr {
                Repr::Rust => Layout { fixed: false, solid: false, ..layout },
                Repr::Align(least) => {
                    let align = layout.align.max(least as usize);
                    let size = layout.size.next_multiple_of(align);
                    Layout { solid: layout.solid && size == layout.size, size, align, ..layout }
                }
                _ => layout,
            }
        }
        Shape::Union(fields) => {
            let layouts = || fields.iter().map(|field| types.layout(*field));
            let align = layouts().map(|field| field.align).max().unwrap_or(1);
            let size = layouts().map(|field| field.size).max().unwrap_or(0).next_multiple_of(align);
            Layout {
                size,
                align,
                fixed: layouts().all(|field| field.fixed),
                // Some bytes may have been set by no field.
                solid: false,
                picky: false,
                pointers: layouts().any(|field| field.pointers),
                fields: vec![vec![0; fields.len()]],
                tag: 0,
            }
        }
        Shape::Enum(variants) => {
            let tag = match adt.repr {
                Repr::Int(int) => int.bits() as usize / 8,
                _ => OUR_TAG,
            };
            let each: Vec<Layout> = variants
                .iter()
                .map(|variant| in_order(&variant.fields, types, tag, false))
                .collect();
            let align =
                each.iter().map(|variant| variant.align).max().unwrap_or(1).max(tag.min(16));
            let size = each.iter().map(|variant| variant.size).max().unwrap_or(tag);
            let fieldless = variants.iter().all(|variant| variant.fields.is_empty());
            let fixed =
                matches!(adt.repr, Repr::Int(_)) && each.iter().all(|variant| variant.fixed);
            Layout {
                size: size.next_multiple_of(align),
                align,
                fixed,
                solid: fixed && fieldless,
                picky: true,
                pointers: each.iter().any(|variant| variant.pointers),
                fields: each.into_iter().flat_map(|variant| variant.fields).collect(),
                tag,
            }
        }
    }
}

/// One field after the other, as `repr(C)` has it, after some bytes of a tag.
fn in_order(fields: &[TypeId], types: &Types, tag: usize, packed: bool) -> Layout {
    let mut layout = Layout {
        size: tag,
        align: tag.max(1),
        fixed: true,
        solid: tag == 0,
        fields: vec![vec![]],
        ..Layout::default()
    };
    for field in fields {
        let part = types.layout(*field);
        let align = if packed { 1 } else { part.align };
        let at = layout.size.next_multiple_of(align);
        layout.solid &= part.solid && at == layout.size;
        layout.fixed &= part.fixed;
        layout.picky |= part.picky;
        layout.pointers |= part.pointers;
        layout.align = layout.align.max(align);
        layout.fields[0].push(at);
        layout.size = at + part.size;
    }
    let size = layout.size.next_multiple_of(layout.align);
    Layout { solid: layout.solid && size == layout.size, size, ..layout }
}
