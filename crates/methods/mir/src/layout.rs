//! The layout of types in the interpreter's memory. Pointers have 64 bits.
//!
//! rustc chooses the layout of `repr(Rust)` types. The interpreter's layout can differ, which is not observable:
//! programs access bytes only of types with a fixed layout.

use super::types::{Adt, Float, Int, Kind, Repr, Shape, TypeId, Types};

#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) size: usize,
    pub(crate) align: usize,
    /// rustc has the same layout, so programs may rely on it. For a pointer the pointee must be fixed too, because the
    /// pointer can be transmuted to a pointer to another type.
    pub(crate) fixed: bool,
    /// Fixed, and every byte belongs to a scalar (no padding, no pointers): its bytes can be read.
    pub(crate) bytes_readable: bool,
    /// Some bit patterns are invalid. A type with readable bytes and without this can be made from any initialised bytes.
    pub(crate) has_invalid_values: bool,
    /// It contains a pointer, reference, box or function pointer.
    pub(crate) pointers: bool,
    /// Its name in source text contains a lifetime: it contains a reference or trait object, or points to a type that
    /// does.
    pub(crate) has_lifetime: bool,
    /// The offsets of the fields, per variant. Structs, tuples and unions have one variant.
    pub(crate) fields: Vec<Vec<usize>>,
    /// Of an enum, the size of its tag, which is at offset 0. An enum whose layout rustc chooses has an internal tag in
    /// the interpreter's memory: the index of the variant. The tags of other enums are their discriminants.
    pub(crate) tag: usize,
}

/// The size of an internal tag.
const INTERNAL_TAG: usize = 4;

pub(crate) fn of(kind: &Kind, types: &Types) -> Layout {
    let scalar = |size: usize, has_invalid_values: bool| Layout {
        size,
        align: size,
        fixed: true,
        bytes_readable: true,
        has_invalid_values,
        ..Layout::default()
    };
    let pointer = |size: usize, fixed: bool, has_lifetime: bool| Layout {
        size,
        align: 8,
        fixed,
        pointers: true,
        has_invalid_values: true,
        has_lifetime,
        ..Layout::default()
    };
    match kind {
        Kind::Bool => scalar(1, true),
        Kind::Char => scalar(4, true),
        Kind::Int(int) => scalar(int.bits() as usize / 8, false),
        Kind::Float(Float::F32) => scalar(4, false),
        Kind::Float(Float::F64) => scalar(8, false),
        Kind::Pointer { to, .. } | Kind::Reference { to, .. } => {
            let wide = types.is_unsized(*to);
            let refers = matches!(kind, Kind::Reference { .. });
            let (size, to) = (if wide { 16 } else { 8 }, types.layout(*to));
            pointer(size, to.fixed, refers || to.has_lifetime)
        }
        Kind::Heap(to) => {
            let wide = types.is_unsized(*to);
            let (size, to) = (if wide { 16 } else { 8 }, types.layout(*to));
            pointer(size, to.fixed, to.has_lifetime)
        }
        Kind::Function { .. } => pointer(8, true, false),
        Kind::Array(element, length) => {
            let element = types.layout(*element);
            Layout {
                // A file can ask for any size. It is refused afterwards.
                size: element.size.saturating_mul(*length as usize).min(1 << 40),
                tag: 0,
                fields: vec![],
                ..element.clone()
            }
        }
        Kind::Manual(inside) => Layout { tag: 0, fields: vec![], ..types.layout(*inside).clone() },
        Kind::Slice(element) => {
            Layout { size: 0, fields: vec![], ..types.layout(*element).clone() }
        }
        Kind::Tuple(parts) => {
            let layout = in_order(parts, types, 0, None);
            Layout { fixed: parts.is_empty(), bytes_readable: parts.is_empty(), ..layout }
        }
        Kind::ArrayOf(part, _) => {
            Layout { align: 1, has_lifetime: types.layout(*part).has_lifetime, ..Layout::default() }
        }
        Kind::Parameter(_) | Kind::Constant(..) | Kind::Value(..) => {
            Layout { align: 1, ..Layout::default() }
        }
        Kind::Object(_) => Layout { align: 1, has_lifetime: true, ..Layout::default() },
        Kind::Adt(index) => adt(&types.adts[*index], types),
    }
}

fn adt(adt: &Adt, types: &Types) -> Layout {
    match &adt.shape {
        Shape::Struct(fields) => {
            let layout = in_order(fields, types, 0, adt.repr.packing());
            let layout = aligned(layout, adt.repr);
            let fixed = layout.fixed && !adt.repr.is_free();
            Layout { fixed, bytes_readable: fixed && layout.bytes_readable, ..layout }
        }
        Shape::Union(fields) => {
            let layouts = || fields.iter().map(|field| types.layout(*field));
            let align = layouts().map(|field| field.align).max().unwrap_or(1);
            let size = layouts().map(|field| field.size).max().unwrap_or(0).next_multiple_of(align);
            Layout {
                size,
                align,
                fixed: layouts().all(|field| field.fixed),
                // A field that is shorter than the union leaves bytes uninitialised.
                bytes_readable: false,
                has_invalid_values: false,
                pointers: layouts().any(|field| field.pointers),
                has_lifetime: layouts().any(|field| field.has_lifetime),
                fields: vec![vec![0; fields.len()]],
                tag: 0,
            }
        }
        Shape::Enum(variants) => {
            let tag = match adt.repr {
                Repr::Int(int) | Repr::CInt(int) => int.bits() as usize / 8,
                Repr::C => Int::C.bits() as usize / 8,
                _ => INTERNAL_TAG,
            };
            // `repr(C)` puts the fields of all variants into a union after the tag, so they begin at one offset.
            let first = match adt.repr {
                Repr::C | Repr::CInt(_) => {
                    let parts = variants.iter().flat_map(|variant| &variant.fields);
                    let align = parts.map(|part| types.layout(*part).align).max();
                    tag.next_multiple_of(align.unwrap_or(1))
                }
                _ => tag,
            };
            let each: Vec<Layout> = variants
                .iter()
                .map(|variant| in_order(&variant.fields, types, first, None))
                .collect();
            let align =
                each.iter().map(|variant| variant.align).max().unwrap_or(1).max(tag.min(16));
            let size = each.iter().map(|variant| variant.size).max().unwrap_or(tag);
            let fieldless = variants.iter().all(|variant| variant.fields.is_empty());
            let fixed = !adt.repr.is_free() && each.iter().all(|variant| variant.fixed);
            let layout = Layout {
                size: size.next_multiple_of(align),
                align,
                fixed,
                bytes_readable: fixed && fieldless,
                has_invalid_values: true,
                pointers: each.iter().any(|variant| variant.pointers),
                has_lifetime: each.iter().any(|variant| variant.has_lifetime),
                fields: each.into_iter().flat_map(|variant| variant.fields).collect(),
                tag,
            };
            aligned(layout, adt.repr)
        }
    }
}

/// Applies `align(N)`.
fn aligned(layout: Layout, repr: Repr) -> Layout {
    let align = layout.align.max(repr.alignment().unwrap_or(1) as usize);
    let size = layout.size.next_multiple_of(align);
    Layout { bytes_readable: layout.bytes_readable && size == layout.size, size, align, ..layout }
}

/// Fields in declaration order after a tag, as `repr(C)` has them.
fn in_order(fields: &[TypeId], types: &Types, tag: usize, packing: Option<u64>) -> Layout {
    let mut layout = Layout {
        size: tag,
        align: tag.max(1),
        fixed: true,
        bytes_readable: tag == 0,
        fields: vec![vec![]],
        ..Layout::default()
    };
    for field in fields {
        let part = types.layout(*field);
        let align = packing.map_or(part.align, |most| part.align.min(most as usize));
        let at = layout.size.next_multiple_of(align);
        layout.bytes_readable &= part.bytes_readable && at == layout.size;
        layout.fixed &= part.fixed;
        layout.has_invalid_values |= part.has_invalid_values;
        layout.pointers |= part.pointers;
        layout.has_lifetime |= part.has_lifetime;
        layout.align = layout.align.max(align);
        layout.fields[0].push(at);
        layout.size = at + part.size;
    }
    let size = layout.size.next_multiple_of(layout.align);
    Layout { bytes_readable: layout.bytes_readable && size == layout.size, size, ..layout }
}

#[cfg(test)]
mod tests {
    use std::mem::{align_of, offset_of, size_of};

    use proptest::prelude::*;

    use super::super::types::Variant;
    use super::*;

    /// rustc's own layout of a type that is declared here: size, alignment, offsets.
    macro_rules! by_rustc {
        ($of:ty $(, $field:tt)*) => {
            (size_of::<$of>(), align_of::<$of>(), vec![$(offset_of!($of, $field)),*])
        };
    }

    fn ours(types: &Types, of: TypeId) -> (usize, usize, Vec<usize>) {
        let layout = types.layout(of);
        assert!(layout.fixed);
        (layout.size, layout.align, layout.fields.first().cloned().unwrap_or_default())
    }

    fn structure(types: &mut Types, fields: &[TypeId], repr: Repr) -> TypeId {
        let shape = Shape::Struct(fields.to_vec());
        types.declare(Adt { shape, repr, destructor: None })
    }

    fn union(types: &mut Types, fields: &[TypeId]) -> TypeId {
        let shape = Shape::Union(fields.to_vec());
        types.declare(Adt { shape, repr: Repr::C, destructor: None })
    }

    #[test]
    fn fixed_layouts_agree_with_rustc() {
        #[repr(C)]
        struct Plain(u8, u32, u16, u128, bool);
        #[repr(C, packed)]
        struct Packed(u8, u32, [u16; 3], f64);
        #[repr(C, align(32))]
        struct Aligned(u8, u64);
        #[repr(C, packed(2))]
        struct Half(u8, u32, u64, [u16; 3]);
        #[repr(C)]
        struct Hollow(u8, [u64; 0], (), u16);
        #[repr(transparent)]
        struct Clear([u16; 3]);
        #[repr(C)]
        struct Nested(u8, Plain, Packed, char, Aligned);
        #[repr(C)]
        union Either {
            a: [u8; 5],
            b: u32,
            c: Aligned0,
        }
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Aligned0(u16, u16);

        let mut types = Types::new();
        let int = |types: &Types, bits: u32, signed: bool| {
            let int = Int::all().find(|int| int.bits() == bits && int.signed == signed);
            types.int(int.expect("there is one"))
        };
        let (short, wide) = (int(&types, 16, false), int(&types, 128, false));
        let plain = [Types::U8, Types::U32, short, wide, Types::BOOL];
        let plain = structure(&mut types, &plain, Repr::C);
        assert_eq!(ours(&types, plain), by_rustc!(Plain, 0, 1, 2, 3, 4));
        let three = types.intern(Kind::Array(short, 3));
        let packed = [Types::U8, Types::U32, three, Types::F64];
        let packed = structure(&mut types, &packed, Repr::Packed);
        assert_eq!(ours(&types, packed), by_rustc!(Packed, 0, 1, 2, 3));
        let aligned = structure(&mut types, &[Types::U8, Types::U64], Repr::Align(32));
        assert_eq!(ours(&types, aligned), by_rustc!(Aligned, 0, 1));
        let clear = structure(&mut types, &[three], Repr::Transparent);
        assert_eq!(ours(&types, clear), by_rustc!(Clear, 0));
        let nested = [Types::U8, plain, packed, Types::CHAR, aligned];
        let nested = structure(&mut types, &nested, Repr::C);
        assert_eq!(ours(&types, nested), by_rustc!(Nested, 0, 1, 2, 3, 4));
        let bytes = types.intern(Kind::Array(Types::U8, 5));
        let pair = structure(&mut types, &[short, short], Repr::C);
        let either = union(&mut types, &[bytes, Types::U32, pair]);
        assert_eq!(ours(&types, either), by_rustc!(Either, a, b, c));
        let half = [Types::U8, Types::U32, Types::U64, three];
        let half = structure(&mut types, &half, Repr::PackedTo(2));
        assert_eq!(ours(&types, half), by_rustc!(Half, 0, 1, 2, 3));
        let none = types.intern(Kind::Array(Types::U64, 0));
        let hollow = structure(&mut types, &[Types::U8, none, Types::UNIT, short], Repr::C);
        assert_eq!(ours(&types, hollow), by_rustc!(Hollow, 0, 1, 2, 3));
        // Exactly the types without padding can be read byte by byte.
        for (of, bytes_readable) in [(plain, false), (packed, true), (clear, true), (pair, true)] {
            assert_eq!(types.layout(of).bytes_readable, bytes_readable);
        }
    }

    #[test]
    fn layouts_of_enums_with_an_integer_repr_agree_with_rustc() {
        #[repr(u8)]
        enum Byte {
            _A(u8, u32),
            _B(u64),
            _C,
        }
        #[repr(i16)]
        enum Short {
            _A = -3,
            _B = 7,
        }
        #[repr(u64)]
        enum Wide {
            _A(u8),
            _B([u16; 5], bool),
        }
        let mut types = Types::new();
        let int = |bits: u32, signed: bool| {
            Int::all().find(|int| int.bits() == bits && int.signed == signed).expect("there is one")
        };
        let short = types.int(int(16, false));
        let five = types.intern(Kind::Array(short, 5));
        let mut declare = |repr: Int, variants: &[&[TypeId]]| {
            let variants = variants
                .iter()
                .map(|fields| Variant { fields: fields.to_vec(), discriminant: None })
                .collect();
            let shape = Shape::Enum(variants);
            types.declare(Adt { shape, repr: Repr::Int(repr), destructor: None })
        };
        let byte = declare(int(8, false), &[&[Types::U8, Types::U32], &[Types::U64], &[]]);
        let fieldless = declare(int(16, true), &[&[], &[]]);
        let wide = declare(int(64, false), &[&[Types::U8], &[five, Types::BOOL]]);
        let rustc = [
            (size_of::<Byte>(), align_of::<Byte>()),
            (size_of::<Short>(), align_of::<Short>()),
            (size_of::<Wide>(), align_of::<Wide>()),
        ];
        let sizes =
            [byte, fieldless, wide].map(|of| (types.layout(of).size, types.layout(of).align));
        assert_eq!(sizes, rustc);
        #[repr(C, u8)]
        enum Both {
            _A(u8, u16),
            _B([u16; 5], bool),
        }
        #[repr(C, u64)]
        enum Large {
            _A(u8),
            _B(u8, u128),
        }
        let mut in_c = |repr: Int, variants: &[&[TypeId]]| {
            let variants = variants
                .iter()
                .map(|fields| Variant { fields: fields.to_vec(), discriminant: None })
                .collect();
            let shape = Shape::Enum(variants);
            types.declare(Adt { shape, repr: Repr::CInt(repr), destructor: None })
        };
        let both = in_c(int(8, false), &[&[Types::U8, short], &[five, Types::BOOL]]);
        let huge = Types::new().int(int(128, false));
        let large = in_c(int(64, false), &[&[Types::U8], &[Types::U8, huge]]);
        let rustc =
            [(size_of::<Both>(), align_of::<Both>()), (size_of::<Large>(), align_of::<Large>())];
        assert_eq!([both, large].map(|of| (types.layout(of).size, types.layout(of).align)), rustc);
        // The tag comes first, then the fields of each variant.
        assert_eq!(types.layout(both).fields, [vec![2, 4], vec![2, 12]]);
        assert_eq!(types.layout(large).fields, [vec![16], vec![16, 32]]);
        assert_eq!(types.layout(byte).fields, [vec![1, 4], vec![8], vec![]]);
        assert_eq!(types.layout(wide).fields, [vec![8], vec![8, 18]]);
    }

    #[test]
    fn layouts_of_enums_with_repr_c_agree_with_rustc() {
        #[derive(Clone, Copy)]
        #[repr(C)]
        enum Plain {
            _A = -3,
            B = 7,
        }
        #[derive(Clone, Copy)]
        #[repr(C)]
        enum Mixed {
            A(u8, u16),
            _B(u64),
            _C,
        }
        #[repr(C)]
        enum Small {
            _A(u8),
            _B([u16; 5], bool),
        }
        let mut types = Types::new();
        let short = types.int(Int { signed: false, width: super::super::types::Width::W16 });
        let five = types.intern(Kind::Array(short, 5));
        let mut declare = |variants: &[(&[TypeId], Option<i128>)]| {
            let variants = variants
                .iter()
                .map(|(fields, discriminant)| Variant {
                    fields: fields.to_vec(),
                    discriminant: *discriminant,
                })
                .collect();
            types.declare(Adt { shape: Shape::Enum(variants), repr: Repr::C, destructor: None })
        };
        let plain = declare(&[(&[], Some(-3)), (&[], Some(7))]);
        let mixed = declare(&[(&[Types::U8, short], None), (&[Types::U64], None), (&[], None)]);
        let small = declare(&[(&[Types::U8], None), (&[five, Types::BOOL], None)]);
        let rustc = [
            (size_of::<Plain>(), align_of::<Plain>()),
            (size_of::<Mixed>(), align_of::<Mixed>()),
            (size_of::<Small>(), align_of::<Small>()),
        ];
        let sizes = [plain, mixed, small].map(|of| (types.layout(of).size, types.layout(of).align));
        assert_eq!(sizes, rustc);
        assert!(types.layout(plain).bytes_readable && types.layout(mixed).fixed);
        assert_eq!(types.layout(mixed).fields, [vec![8, 10], vec![8], vec![]]);
        assert_eq!(types.layout(small).fields, [vec![4], vec![4, 14]]);
        // The actual offset of the second field.
        let value = Mixed::A(1, 2);
        let Mixed::A(1, second) = &value else { panic!("it is that one") };
        let by = std::ptr::from_ref(second).addr() - std::ptr::from_ref(&value).addr();
        assert_eq!((by, Plain::B as i32), (10, 7));
    }

    /// The size and offsets of a C struct of scalars, by the algorithm of the Rust reference.
    fn by_the_reference(sizes: &[usize]) -> (usize, Vec<usize>) {
        let mut end = 0_usize;
        let offsets = sizes
            .iter()
            .map(|size| {
                let at = end.div_ceil(*size) * size;
                end = at + size;
                at
            })
            .collect();
        let align = sizes.iter().copied().max().unwrap_or(1);
        (end.div_ceil(align) * align, offsets)
    }

    proptest! {
        #[test]
        fn struct_layouts_follow_the_reference_and_fields_do_not_overlap(
            picks in prop::collection::vec(0usize..17, 0..9), packed: bool,
        ) {
            let mut types = Types::new();
            let all: Vec<TypeId> = types.all().filter(|of| types.is_scalar(*of)).collect();
            let fields: Vec<TypeId> = picks.iter().map(|pick| all[pick % all.len()]).collect();
            let sizes: Vec<usize> = fields.iter().map(|of| types.size(*of)).collect();
            let repr = if packed { Repr::Packed } else { Repr::C };
            let of = structure(&mut types, &fields, repr);
            let layout = types.layout(of);
            if !packed {
                prop_assert_eq!((layout.size, layout.fields[0].clone()), by_the_reference(&sizes));
            }
            let sum: usize = sizes.iter().sum();
            prop_assert_eq!(layout.bytes_readable, layout.size == sum);
            for (at, pair) in layout.fields[0].windows(2).enumerate() {
                prop_assert!(pair[0] + sizes[at] <= pair[1]);
            }
        }
    }
}
