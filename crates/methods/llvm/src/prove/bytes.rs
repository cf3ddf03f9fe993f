//! Values as bytes, and bytes as values.

use identity::kernel::Wire;

use super::encode::Encoder;
use super::memory::Byte;
use super::symbol::{ADDRESS, Lane, REGIONS, Symbol};
use super::{Encoding, Unencodable};
use crate::interpret::Shape;
use crate::ir::Type;
use crate::semantics::Domain;

/// The most bytes of an access.
pub(super) const BYTES: u64 = 64;

/// A scalar of a value in memory.
pub(super) struct Part {
    at: u64,
    bits: u32,
    is_pointer: bool,
}

impl Encoder<'_> {
    /// The scalars of a value, and how many bytes it takes.
    pub(super) fn parts(&self, shape: &Shape) -> Encoding<(Vec<Part>, u64)> {
        fn walk(
            encoder: &Encoder<'_>,
            shape: &Shape,
            at: u64,
            parts: &mut Vec<Part>,
        ) -> Encoding<()> {
            let layout = &encoder.layout;
            if parts.len() > BYTES as usize {
                return Err(Unencodable::new("large access"));
            }
            match shape {
                Shape::Void => Err(Unencodable::new("access of nothing")),
                Shape::Int(_) | Shape::Float(_) | Shape::Pointer => {
                    let bits = shape.lane_bits(layout);
                    parts.push(Part { at, bits, is_pointer: *shape == Shape::Pointer });
                    Ok(())
                }
                Shape::Vector(lanes, of) => {
                    let bits = of.lane_bits(layout);
                    if !bits.is_multiple_of(8) {
                        return Err(Unencodable::new("vector of bits in memory"));
                    }
                    let place = |lane: u32| at + u64::from(lane) * u64::from(bits / 8);
                    (0..*lanes).try_for_each(|lane| walk(encoder, of, place(lane), parts))
                }
                Shape::Array(length, of) => {
                    let size = layout.size(of);
                    (0..*length).try_for_each(|index| walk(encoder, of, at + index * size, parts))
                }
                Shape::Struct(fields) => fields
                    .fields
                    .iter()
                    .try_for_each(|(offset, field)| walk(encoder, field, at + offset, parts)),
            }
        }
        self.ordinary_pointers()?;
        let size = self.layout.store_size(shape);
        if size > BYTES {
            return Err(Unencodable::new("large access"));
        }
        let mut parts = vec![];
        walk(self, shape, 0, &mut parts)?;
        Ok((parts, size))
    }

    /// A value as bytes. What lies between its scalars has no value.
    pub(super) fn bytes_of(&mut self, shape: &Shape, value: &Symbol) -> Encoding<Vec<Byte>> {
        let (parts, size) = self.parts(shape)?;
        let nothing = Byte {
            bits: vec![Wire::FALSE; 8],
            poison: Wire::FALSE,
            undef: Wire::TRUE,
            regions: None,
        };
        let mut bytes = vec![nothing; size as usize];
        for (part, lane) in parts.iter().zip(value.lanes()) {
            let regions = part.is_pointer.then(|| lane.word[ADDRESS..].to_vec());
            let regions = regions.filter(|it| it.iter().any(|wire| *wire != Wire::FALSE));
            let length = part.bits.div_ceil(8) as usize;
            let mut word = lane.word[..part.bits as usize].to_vec();
            word.resize(8 * length, Wire::FALSE);
            for (index, bits) in word.chunks(8).enumerate() {
                let at = if self.layout.big_endian { length - 1 - index } else { index };
                bytes[part.at as usize + at] = Byte {
                    bits: bits.to_vec(),
                    poison: lane.poison,
                    undef: lane.undef,
                    regions: regions.clone(),
                };
            }
        }
        Ok(bytes)
    }

    /// A value from its bytes.
    pub(super) fn value_of(
        &mut self,
        ty: &Type,
        shape: &Shape,
        bytes: &[Byte],
    ) -> Encoding<Symbol> {
        let (parts, _) = self.parts(shape)?;
        let mut lanes = vec![];
        for part in parts {
            let length = part.bits.div_ceil(8) as usize;
            let mut own = bytes[part.at as usize..part.at as usize + length].to_vec();
            if self.layout.big_endian {
                own.reverse();
            }
            lanes.push(self.lane_of(&part, &own)?);
        }
        let mut lanes = lanes.into_iter();
        let next = &mut |_| lanes.next().ok_or_else(|| Unencodable::new("access of another shape"));
        Symbol::build(ty, self.module, next)
    }

    fn lane_of(&mut self, part: &Part, bytes: &[Byte]) -> Encoding<Lane> {
        let poison: Vec<Wire> = bytes.iter().map(|byte| byte.poison).collect();
        let mut poison = self.wires.graph.any(&poison);
        let defined: Vec<Wire> = bytes.iter().map(|byte| !byte.undef).collect();
        let undef = !self.wires.graph.any(&defined);
        let mut word = vec![];
        for byte in bytes {
            // Some bytes have no value, and others do: those that do not are chosen.
            let open = self.wires.graph.and(byte.undef, !undef);
            if open == Wire::FALSE {
                word.extend(&byte.bits);
                continue;
            }
            self.opened = self.wires.graph.or(self.opened, open);
            let chosen = self.choice(open, 8)?;
            word.extend(self.wires.select(&open, &chosen, &byte.bits));
        }
        // The result is not defined if it was stored as another type.
        let beyond = self.wires.graph.any(&word[part.bits as usize..]);
        let beyond = self.wires.graph.and(beyond, !undef);
        poison = self.wires.graph.or(poison, beyond);
        word.truncate(part.bits as usize);
        let none = vec![Wire::FALSE; REGIONS];
        let first = bytes.first().and_then(|it| it.regions.clone()).unwrap_or_else(|| none.clone());
        for byte in bytes {
            let own = byte.regions.as_ref().unwrap_or(&none);
            let mut doubt = !self.wires.graph.same(own, &first);
            if !part.is_pointer {
                let any = self.wires.graph.any(own);
                doubt = self.wires.graph.or(doubt, any);
            }
            let doubt = self.wires.graph.and(doubt, !poison);
            self.unsure_if(doubt, "a part of a pointer in memory");
        }
        if part.is_pointer {
            word.extend(first);
        }
        Ok(Lane { word, poison, undef })
    }
}
