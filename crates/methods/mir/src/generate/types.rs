//! Draws the types of a program, and constants of a type.

use forge::Entropy;

use super::super::program::{Constant, Program, Static};
use super::super::scalar;
use super::super::types::{Adt, Float, Int, Kind, Repr, Shape, TypeId, Types, Variant};
use super::by_value;
use super::parts;
use super::recursive_types::Node;
use super::swarm::Swarm;

/// The types of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Palette {
    pub(super) scalars: Vec<TypeId>,
    /// All types that a local may have.
    pub(super) all: Vec<TypeId>,
    /// Types with drop glue.
    pub(super) owning: Vec<TypeId>,
    /// Pointers, references, boxes and function pointers that may be fields.
    pub(super) links: Vec<TypeId>,
    /// Aggregates with a function pointer.
    pub(super) holders: Vec<TypeId>,
    /// Zero-sized types; among them `()`, which is not in `all`.
    pub(super) zero_sized: Vec<TypeId>,
    /// Structs, tuples and arrays large enough not to be passed in registers.
    pub(super) large: Vec<TypeId>,
    /// Structs and tuples with padding.
    pub(super) padded: Vec<TypeId>,
    /// Recursive types.
    pub(super) nodes: Vec<Node>,
}

pub(super) fn palette(entropy: &mut Entropy, swarm: &Swarm, types: &mut Types) -> Palette {
    let mut palette = Palette { scalars: vec![Types::BOOL, Types::USIZE], ..Palette::default() };
    let ints: Vec<Int> = Int::all().filter(|int| swarm.wide || int.bits() < 128).collect();
    for _ in 0..entropy.between(2, 5) {
        if let Some(int) = entropy.pick(&ints) {
            palette.scalars.push(types.int(*int));
        }
    }
    if swarm.chars {
        palette.scalars.push(Types::CHAR);
    }
    if swarm.floats {
        let both = entropy.chance(1, 2);
        let wide = entropy.chance(1, 2);
        if both || wide {
            palette.scalars.push(Types::F64);
        }
        if both || !wide {
            palette.scalars.push(Types::F32);
        }
    }
    if swarm.retags || swarm.intrinsics {
        palette.scalars.push(Types::U32);
    }
    palette.scalars.sort_unstable();
    palette.scalars.dedup();
    palette.all.clone_from(&palette.scalars);
    if swarm.zero_sized
        && let Some(empty) = parts::zero_sized(entropy, types, &palette)
    {
        palette.all.extend(&empty);
        palette.zero_sized = empty;
        palette.zero_sized.push(Types::UNIT);
    }
    let mut rounds = [swarm.arrays, swarm.tuples, swarm.structs, swarm.enums, swarm.unions];
    // Kinds alternate, so that every kind may contain every other.
    while rounds.iter().any(|left| *left > 0) {
        for (kind, left) in rounds.iter_mut().enumerate() {
            if *left == 0 {
                continue;
            }
            *left -= 1;
            let made = match kind {
                0 => array(entropy, swarm, types, &palette),
                1 => tuple(entropy, types, &palette),
                2 => structure(entropy, types, &palette),
                3 => enumeration(entropy, swarm, types, &palette),
                _ => union(entropy, types, &palette),
            };
            palette.add(types, made);
        }
        if entropy.chance(2, 3)
            && let Some(link) = parts::link(entropy, swarm, types, &palette)
        {
            palette.links.push(link);
            palette.add(types, link);
            // The declaration takes lines.
            if swarm.enums > 0 && swarm.lines >= 60 && entropy.chance(1, 2) {
                let option = parts::option(entropy, types, link);
                palette.add(types, option);
            }
            if types.needs_drop(link) {
                let owner = parts::owner(entropy, types, link);
                palette.add(types, owner);
                if swarm.manual {
                    parts::manual(entropy, types, &mut palette, link);
                }
            }
        }
    }
    if swarm.padded {
        by_value::padded(entropy, swarm, types, &mut palette);
    }
    // `ManuallyDrop` of any type, also of one without drop glue.
    if swarm.manual
        && swarm.lines >= 60
        && entropy.chance(1, 3)
        && let Some(of) = entropy.pick(&palette.all).copied()
    {
        parts::manual(entropy, types, &mut palette, of);
    }
    palette
}

impl Palette {
    /// Adds a type that a local may have.
    pub(super) fn add(&mut self, types: &Types, of: TypeId) {
        self.all.push(of);
        if types.needs_drop(of) {
            self.owning.push(of);
        }
        if types.size(of) > 16 {
            self.large.push(of);
        }
    }
}

/// The type of a field or element: mostly a scalar.
fn part(entropy: &mut Entropy, types: &Types, palette: &Palette) -> TypeId {
    if entropy.chance(1, 4) {
        let from = match entropy.below(5) {
            0 | 1 if !palette.links.is_empty() => &palette.links,
            2 if !palette.zero_sized.is_empty() => &palette.zero_sized,
            _ => &palette.all,
        };
        // Types that are not `Copy` are rarer, because their values are moved and cannot be used again.
        if let Some(of) = entropy.pick(from)
            && types.size(*of) <= 48
            && (types.is_copy(*of) || entropy.chance(1, 3))
        {
            return *of;
        }
    }
    entropy.pick(&palette.scalars).copied().unwrap_or(Types::U64)
}

/// The largest long array, in bytes.
const LONG: u64 = 256;

fn array(entropy: &mut Entropy, swarm: &Swarm, types: &mut Types, palette: &Palette) -> TypeId {
    if swarm.long && entropy.chance(3, 4) {
        let numbers: Vec<TypeId> = (palette.scalars.iter().copied())
            .filter(|of| matches!(types.kind(*of), Kind::Int(_) | Kind::Float(_)))
            .collect();
        if let Some(element) = entropy.pick(&numbers).copied() {
            let most = (LONG / types.size(element) as u64).min(64);
            return types.intern(Kind::Array(element, entropy.between(9, most)));
        }
    }
    let element = part(entropy, types, palette);
    let length = if !palette.zero_sized.is_empty() && entropy.chance(1, 12) {
        0
    } else {
        entropy.between(1, 8)
    };
    types.intern(Kind::Array(element, length))
}

fn tuple(entropy: &mut Entropy, types: &mut Types, palette: &Palette) -> TypeId {
    if entropy.chance(1, 3)
        && let Some(int) = entropy.pick(&palette.scalars)
        && types.as_int(*int).is_some()
    {
        return types.intern(Kind::Tuple(vec![*int, Types::BOOL]));
    }
    let parts = (0..entropy.between(1, 5)).map(|_| part(entropy, types, palette)).collect();
    types.intern(Kind::Tuple(parts))
}

fn structure(entropy: &mut Entropy, types: &mut Types, palette: &Palette) -> TypeId {
    // Several fields of one type, which can be permuted.
    let alike = entropy.chance(1, 4).then(|| part(entropy, types, palette));
    let count = if alike.is_some() { entropy.between(2, 6) } else { entropy.between(1, 5) };
    let mut fields: Vec<TypeId> =
        (0..count).map(|_| alike.unwrap_or_else(|| part(entropy, types, palette))).collect();
    let repr = match entropy.below(11) {
        0..=4 => Repr::Rust,
        5..=6 => Repr::C,
        7..=8 if !fields.iter().any(|of| is_overaligned(types, *of) || types.needs_drop(*of)) => {
            match entropy.below(4) {
                0 => Repr::PackedTo(2 << entropy.below(2)),
                1 => Repr::RustPacked(1 << entropy.below(3)),
                _ => Repr::Packed,
            }
        }
        7..=8 => Repr::C,
        9 if entropy.chance(1, 2) => Repr::RustAlign(2 << entropy.below(5)),
        9 => Repr::Align(8 << entropy.below(3)),
        _ => {
            fields.truncate(1);
            Repr::Transparent
        }
    };
    types.declare(Adt { shape: Shape::Struct(fields), repr, destructor: None })
}

/// Whether a type contains one with `repr(align)`, which a packed struct must not contain.
fn is_overaligned(types: &Types, of: TypeId) -> bool {
    match types.kind(of) {
        Kind::Tuple(parts) => parts.iter().any(|part| is_overaligned(types, *part)),
        Kind::Array(element, _) | Kind::Manual(element) => is_overaligned(types, *element),
        Kind::Adt(index) => {
            let adt = &types.adts[*index];
            adt.repr.alignment().is_some() || adt.parts().any(|part| is_overaligned(types, part))
        }
        _ => false,
    }
}

/// The size in bytes from which a variant is so much larger than the others that `EnumSizeOpt` copies variants by
/// their own size.
const BULKY: u64 = 144;

/// An array that makes its variant bulky.
fn bulk(entropy: &mut Entropy, types: &mut Types, palette: &Palette) -> TypeId {
    let element = entropy.pick(&palette.scalars).copied().unwrap_or(Types::U64);
    let length = BULKY / (types.size(element) as u64).max(1);
    types.intern(Kind::Array(element, entropy.between(length, length + 4)))
}

fn enumeration(
    entropy: &mut Entropy,
    swarm: &Swarm,
    types: &mut Types,
    palette: &Palette,
) -> TypeId {
    let fieldless = entropy.chance(1, 4);
    let small: Vec<Int> = Int::all().filter(|int| int.bits() < 128).collect();
    let int = entropy.pick(&small).copied().unwrap_or(Int::U8);
    let repr = match entropy.below(9) {
        0 | 1 => Repr::Int(int),
        2 => Repr::C,
        3 => Repr::CInt(int),
        4 if entropy.chance(1, 2) => Repr::RustAlign(2 << entropy.below(5)),
        _ => Repr::Rust,
    };
    let count = entropy.between(1, 4) + u64::from(fieldless);
    let explicit = (fieldless || repr.int().is_some()) && entropy.chance(1, 2);
    let int = repr.int().unwrap_or(if repr == Repr::C { Int::C } else { Int::ISIZE });
    let mut discriminants =
        if explicit { discriminants(entropy, int, count as usize) } else { vec![] }.into_iter();
    let bulky = swarm.lines >= 60 && !fieldless && count > 1 && entropy.chance(1, 6);
    let bulk = bulky.then(|| bulk(entropy, types, palette));
    let variants = (0..count)
        .map(|number| {
            // One variant with fields and some without, so that rustc uses niches.
            let fields = if fieldless || (number > 0 && entropy.chance(1, 2)) {
                0
            } else {
                entropy.between(1, 3)
            };
            let mut fields: Vec<TypeId> =
                (0..fields).map(|_| part(entropy, types, palette)).collect();
            if number == 0 {
                fields.extend(bulk);
            }
            Variant { fields, discriminant: discriminants.next().flatten() }
        })
        .collect();
    types.declare(Adt { shape: Shape::Enum(variants), repr, destructor: None })
}

/// Distinct discriminants: ascending, descending, extreme or random. One that follows its predecessor may be
/// implicit.
fn discriminants(entropy: &mut Entropy, int: Int, count: usize) -> Vec<Option<i128>> {
    let bits = int.bits() - u32::from(int.signed);
    let (least, most) = (if int.signed { -(1_i128 << bits) } else { 0 }, (1_i128 << bits) - 1);
    let edges = [least, least + 1, -1, 0, 1, most / 2, most - 1, most];
    let edges: Vec<i128> = edges.into_iter().filter(|edge| (least..=most).contains(edge)).collect();
    let way = entropy.below(4);
    let mut next = match way {
        0 if int.signed => -i128::from(entropy.below(21)),
        0 => 0,
        _ => most - i128::from(entropy.below(50)),
    };
    let mut numbers: Vec<i128> = vec![];
    while numbers.len() < count {
        let step = 1 + i128::from(entropy.below(12));
        let number = match way {
            0 => next + step,
            1 => next - step,
            2 => entropy.pick(&edges).copied().unwrap_or_default(),
            _ => least + i128::from(entropy.word()) % (most - least + 1),
        };
        next = number;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    let follows = |at: usize| numbers[at] == if at == 0 { 0 } else { numbers[at - 1] + 1 };
    let written = |at: usize| (!follows(at) || entropy.chance(1, 2)).then_some(numbers[at]);
    (0..count).map(written).collect()
}

fn union(entropy: &mut Entropy, types: &mut Types, palette: &Palette) -> TypeId {
    let bytes_readable: Vec<TypeId> =
        palette.all.iter().copied().filter(|of| types.layout(*of).bytes_readable).collect();
    let fields = (0..entropy.between(2, 4))
        .map(|_| entropy.pick(&bytes_readable).copied().unwrap_or(Types::U64))
        .collect();
    types.declare(Adt { shape: Shape::Union(fields), repr: Repr::C, destructor: None })
}

/// The bits of a scalar: often a boundary value.
pub(super) fn bits(entropy: &mut Entropy, of: TypeId, types: &Types) -> u128 {
    match types.kind(of) {
        Kind::Bool => u128::from(entropy.below(2)),
        Kind::Char => {
            let edges = [0, 0x41, 0x7f, 0x80, 0xff, 0xd7ff, 0xe000, 0xffff, 0x1_0000, 0x10_ffff];
            entropy.pick(&edges).copied().unwrap_or(0)
        }
        Kind::Int(int) => int_bits(entropy, *int),
        Kind::Float(float) => float_bits(entropy, *float),
        _ => 0,
    }
}

fn int_bits(entropy: &mut Entropy, int: Int) -> u128 {
    let width = int.bits();
    let bits = match entropy.below(8) {
        0..=2 => u128::from(entropy.below(9)),
        3 => u128::MAX - u128::from(entropy.below(4)),
        4 => (1 << (width - 1)) - u128::from(entropy.below(2)),
        5 => 1 << entropy.below(u64::from(width)),
        6 => u128::from(entropy.word()) << 64 | u128::from(entropy.word()),
        _ => u128::from(entropy.word() & 0xff),
    };
    scalar::truncate(bits, width)
}

fn float_bits(entropy: &mut Entropy, float: Float) -> u128 {
    let value = match entropy.below(10) {
        // The bits of a NaN are unspecified, and every result computed from it is a NaN.
        0 if entropy.chance(1, 6) => f64::NAN,
        0 => 0.0,
        1 => -0.0,
        2 => 1.0,
        3 => -1.5,
        4 => f64::from(entropy.below(1000) as u32) / 8.0,
        5 => *entropy.pick(&[f64::INFINITY, f64::NEG_INFINITY]).unwrap_or(&0.0),
        6 => return subnormal(entropy, float),
        7 => -((entropy.word() >> 1) as f64),
        8 => 16_777_217.0,
        _ => entropy.word() as f64 * 1.5e-9,
    };
    match float {
        Float::F32 => u128::from((value as f32).to_bits()),
        Float::F64 => u128::from(value.to_bits()),
    }
}

/// A subnormal number of either sign.
fn subnormal(entropy: &mut Entropy, float: Float) -> u128 {
    let sign = u128::from(entropy.below(2));
    let (width, fraction) = match float {
        Float::F32 => (32, 23),
        Float::F64 => (64, 52),
    };
    let bits = match entropy.below(3) {
        0 => 1,
        1 => (1 << fraction) - 1,
        _ => u128::from(entropy.word()) & ((1 << fraction) - 1),
    };
    sign << (width - 1) | bits
}

pub(super) fn constant(entropy: &mut Entropy, of: TypeId, types: &Types) -> Constant {
    Constant { of, bits: bits(entropy, of, types) }
}

pub(super) fn statics(
    entropy: &mut Entropy,
    swarm: &Swarm,
    types: &Types,
    palette: &Palette,
) -> Vec<Static> {
    let fitting: Vec<(TypeId, Vec<TypeId>)> = palette
        .all
        .iter()
        .filter(|of| types.is_copy(**of))
        .filter_map(|of| Some((*of, Program::scalars(types, *of)?)))
        .collect();
    (0..swarm.statics)
        .filter_map(|_| {
            let (of, scalars) = entropy.pick(&fitting)?;
            let value = scalars.iter().map(|scalar| bits(entropy, *scalar, types)).collect();
            Some(Static { mutable: entropy.chance(3, 4), of: *of, value })
        })
        .collect()
}
