//! Types as the interpreter needs them: named types resolved, sizes and offsets computed.

use std::sync::Arc;

use super::stop::Stop;
use crate::ir::{Attributes, FloatKind, Module, Type};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Void,
    Int(u32),
    Float(FloatKind),
    Pointer,
    Vector(u32, Arc<Shape>),
    Array(u64, Arc<Shape>),
    Struct(Arc<StructShape>),
}

#[derive(Debug, PartialEq)]
pub(crate) struct StructShape {
    /// Offset and shape of each field.
    pub fields: Vec<(u64, Shape)>,
    pub size: u64,
    pub align: u64,
}

impl Shape {
    /// Of one lane, in bits.
    pub(crate) fn lane_bits(&self, layout: &Layout) -> u32 {
        match self {
            Self::Int(width) => *width,
            Self::Float(kind) => kind.bits(),
            Self::Pointer => layout.pointer_bits,
            Self::Vector(_, of) => of.lane_bits(layout),
            Self::Void | Self::Array(..) | Self::Struct(_) => 0,
        }
    }

    pub(crate) fn lane(&self) -> &Self {
        match self {
            Self::Vector(_, of) => of,
            _ => self,
        }
    }

    /// None for scalars.
    pub(crate) fn lanes(&self) -> Option<u32> {
        match self {
            Self::Vector(lanes, _) => Some(*lanes),
            _ => None,
        }
    }
}

/// What of a data layout matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub big_endian: bool,
    pub pointer_bits: u32,
    pub index_bits: u32,
    /// Alignments in bytes that the text names: width in bits, alignment.
    ints: Vec<(u32, u64)>,
    vectors: Vec<(u64, u64)>,
    floats: Vec<(u32, u64)>,
    /// Number, width of pointers and width of indices of address spaces that are named.
    spaces: Vec<(u32, u32, u32)>,
    non_integral: Vec<u32>,
    /// Address spaces of memory that the target never writes to.
    constant: &'static [u32],
    /// The factor of scalable vectors.
    pub vscale: u32,
    /// Some part of it that would change results is not modelled.
    pub unsupported: Option<&'static str>,
}

impl Layout {
    pub(crate) fn of(module: &Module) -> Self {
        let mut layout = Self {
            big_endian: false,
            pointer_bits: 64,
            index_bits: 64,
            // Without a layout, `i64` is aligned to four bytes.
            ints: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 4)],
            vectors: vec![(64, 8), (128, 16)],
            floats: vec![(16, 2), (32, 4), (64, 8), (128, 16)],
            spaces: vec![],
            non_integral: vec![],
            constant: constant_spaces(module.triple.as_deref().unwrap_or_default()),
            vscale: 2,
            unsupported: None,
        };
        for part in module.data_layout.as_deref().unwrap_or("").split('-') {
            layout.read(part);
        }
        if !(32..=64).contains(&layout.pointer_bits) || layout.index_bits > layout.pointer_bits {
            layout.unsupported = Some("pointers that are not of 32 to 64 bits");
        }
        layout
    }

    /// Takes a factor that the attributes of a function allow.
    pub(crate) fn set_vscale(&mut self, attributes: &Attributes) {
        self.vscale = Self::near_vscale(self.vscale, attributes);
    }

    /// Whether a function may be called with this factor.
    pub(crate) fn has_vscale_of(&self, attributes: &Attributes) -> bool {
        Self::near_vscale(self.vscale, attributes) == self.vscale
    }

    /// The allowed factor that is nearest to one.
    fn near_vscale(vscale: u32, attributes: &Attributes) -> u32 {
        let Some(range) = attributes.argument("vscale_range") else { return vscale };
        let mut ends = range.split(',').map(|end| end.trim().parse::<u32>().unwrap_or(0));
        let least = ends.next().unwrap_or(1).max(1);
        // One number is both ends; 0 is no end.
        let most = ends.next().unwrap_or(least);
        vscale.max(least).min(if most == 0 { u32::MAX } else { most })
    }

    fn read(&mut self, part: &str) {
        let fields: Vec<&str> = part.split(':').collect();
        let number = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
        let head = fields[0];
        match head {
            "E" => self.big_endian = true,
            "p" | "p0" => {
                self.pointer_bits = number(1).unwrap_or(64) as u32;
                self.index_bits = number(4).map_or(self.pointer_bits, |bits| bits as u32);
            }
            "ni" => {
                let spaces = fields[1..].iter().filter_map(|field| field.parse::<u32>().ok());
                self.non_integral.extend(spaces);
            }
            _ if head.starts_with('p') => {
                let digits = head.trim_start_matches(|it: char| !it.is_ascii_digit());
                if let (Ok(space), Some(bits)) = (digits.parse(), number(1)) {
                    let bits = bits as u32;
                    let index = number(4).map_or(bits, |index| index as u32);
                    self.spaces.push((space, bits, index));
                    if head[1..].len() > digits.len() {
                        self.non_integral.push(space);
                    }
                }
            }
            _ => {}
        }
        let (Some(kind), Some(align)) = (head.chars().next(), number(1)) else { return };
        let Ok(width) = head[kind.len_utf8()..].parse::<u32>() else { return };
        let align = (align / 8).max(1);
        match kind {
            'i' => set(&mut self.ints, width, align),
            'v' => set(&mut self.vectors, u64::from(width), align),
            'f' => set(&mut self.floats, width, align),
            _ => {}
        }
    }

    /// The width of indices into an address space.
    pub(crate) fn index_bits_of(&self, space: u32) -> u32 {
        let named = self.spaces.iter().find(|(number, ..)| *number == space);
        named.map_or(self.index_bits, |(_, _, index)| *index)
    }

    fn int_align(&self, width: u32) -> u64 {
        // The alignment of the next wider integer that is named, or of the widest.
        let at_least = self.ints.iter().filter(|(bits, _)| *bits >= width).min();
        at_least.or(self.ints.iter().max()).map_or(1, |(_, align)| *align)
    }

    /// The size in bytes that a store writes.
    pub(crate) fn store_size(&self, shape: &Shape) -> u64 {
        match shape {
            Shape::Void => 0,
            Shape::Int(width) => u64::from(*width).div_ceil(8),
            Shape::Float(kind) => u64::from(kind.bits()) / 8,
            Shape::Pointer => u64::from(self.pointer_bits) / 8,
            Shape::Vector(lanes, of) => {
                (u64::from(*lanes) * u64::from(of.lane_bits(self))).div_ceil(8)
            }
            Shape::Array(length, of) => length.saturating_mul(self.size(of)),
            Shape::Struct(fields) => fields.size,
        }
    }

    /// The distance between elements of an array of it.
    pub(crate) fn size(&self, shape: &Shape) -> u64 {
        self.store_size(shape).next_multiple_of(self.align(shape))
    }

    pub(crate) fn align(&self, shape: &Shape) -> u64 {
        match shape {
            Shape::Void => 1,
            Shape::Int(width) => self.int_align(*width),
            Shape::Float(kind) => {
                let named = self.floats.iter().find(|(bits, _)| *bits == kind.bits());
                named.map_or(16, |(_, align)| *align)
            }
            Shape::Pointer => u64::from(self.pointer_bits) / 8,
            Shape::Vector(..) => {
                let size = self.store_size(shape);
                let named = self.vectors.iter().find(|(bits, _)| *bits == size * 8);
                named.map_or_else(|| size.max(1).next_power_of_two(), |(_, align)| *align)
            }
            Shape::Array(_, of) => self.align(of),
            Shape::Struct(fields) => fields.align,
        }
    }

    pub(crate) fn shape(&self, module: &Module, ty: &Type) -> Result<Shape, Stop> {
        self.shape_within(module, ty, 0)
    }

    fn shape_within(&self, module: &Module, ty: &Type, depth: u32) -> Result<Shape, Stop> {
        if depth > 16 {
            return Stop::unsupported("deeply nested types");
        }
        Ok(match ty {
            Type::Void => Shape::Void,
            Type::Int(width) if *width > 128 || *width == 0 => {
                return Stop::unsupported("integers above 128 bits");
            }
            Type::Int(width) => Shape::Int(*width),
            Type::Float(FloatKind::X86Fp80 | FloatKind::PpcFp128) => {
                return Stop::unsupported("x86_fp80 and ppc_fp128");
            }
            Type::Float(kind) => Shape::Float(*kind),
            Type::Pointer { space: 0, .. } => Shape::Pointer,
            Type::Pointer { space, .. } => {
                let own = self.spaces.iter().find(|(it, ..)| it == space);
                let like_first = own.is_none_or(|(_, bits, index)| {
                    *bits == self.pointer_bits && *index == self.index_bits
                });
                if !like_first || self.non_integral.contains(space) {
                    return Stop::unsupported("address spaces with pointers of another kind");
                }
                // Optimisers remove writes to them.
                if self.constant.contains(space) {
                    return Stop::unsupported("address spaces of constants");
                }
                Shape::Pointer
            }
            Type::Vector { lanes, scalable, of } => {
                let lanes = if *scalable { lanes.saturating_mul(self.vscale) } else { *lanes };
                if lanes > 1 << 12 {
                    return Stop::unsupported("long vectors");
                }
                Shape::Vector(lanes, Arc::new(self.shape_within(module, of, depth + 1)?))
            }
            Type::Array { length, of } => {
                Shape::Array(*length, Arc::new(self.shape_within(module, of, depth + 1)?))
            }
            Type::Struct { fields, packed } => {
                let mut shape = StructShape { fields: vec![], size: 0, align: 1 };
                for field in fields.iter() {
                    let field = self.shape_within(module, field, depth + 1)?;
                    let align = if *packed { 1 } else { self.align(&field) };
                    let offset = shape.size.next_multiple_of(align);
                    shape.size = offset.saturating_add(self.size(&field));
                    shape.align = shape.align.max(align);
                    shape.fields.push((offset, field));
                }
                shape.size = shape.size.next_multiple_of(shape.align);
                Shape::Struct(Arc::new(shape))
            }
            Type::Named(name) => match module.definition(name) {
                Some(definition) => self.shape_within(module, definition, depth + 1)?,
                None => return Stop::unsupported("opaque types"),
            },
            Type::Function { .. } | Type::Label | Type::Token | Type::Metadata | Type::Other(_) => {
                return Stop::unsupported("values of other types");
            }
        })
    }
}

fn set<K: PartialEq>(table: &mut Vec<(K, u64)>, key: K, align: u64) {
    table.retain(|(other, _)| *other != key);
    table.push((key, align));
}

/// The address spaces that hold constants only, by target.
fn constant_spaces(triple: &str) -> &'static [u32] {
    match triple.split('-').next().unwrap_or_default() {
        "amdgcn" => &[4, 6],
        "nvptx" | "nvptx64" => &[4],
        _ => &[],
    }
}
