//! Values as bytes: loads and stores.

use std::sync::Arc;

use super::lane::LaneOp;
use super::memory::{Byte, Memory};
use super::shape::{Layout, Shape};
use super::stop::Stop;
use super::value::{Lane, Pointer, Recipe, Value};
use crate::semantics::Bits;

/// Writes a value without checks of alignment and permission. Varying lanes must be forced before.
pub(crate) fn write(
    memory: &mut Memory,
    layout: &Layout,
    pointer: Pointer,
    shape: &Shape,
    value: &Value,
) -> Result<(), Stop> {
    let block = pointer.block as usize;
    let offset = pointer.address.wrapping_sub(memory.blocks[block].base) as usize;
    let bytes = &mut memory.blocks[block].bytes;
    write_at(bytes, layout, offset, shape, value)
}

fn write_at(
    bytes: &mut [Byte],
    layout: &Layout,
    offset: usize,
    shape: &Shape,
    value: &Value,
) -> Result<(), Stop> {
    match (shape, value) {
        (Shape::Void, _) => Ok(()),
        (Shape::Int(_) | Shape::Float(_) | Shape::Pointer, Value::Lane(lane)) => {
            let size = layout.store_size(shape) as usize;
            write_lane(&mut bytes[offset..offset + size], layout, shape, lane)
        }
        (Shape::Vector(_, of), Value::Many(lanes)) => {
            let bits = of.lane_bits(layout);
            if !bits.is_multiple_of(8) {
                return write_packed(bytes, layout, offset, shape, lanes);
            }
            for (index, lane) in lanes.iter().enumerate() {
                write_at(bytes, layout, offset + index * (bits / 8) as usize, of, lane)?;
            }
            Ok(())
        }
        (Shape::Array(_, of), Value::Many(elements)) => {
            let size = layout.size(of) as usize;
            for (index, element) in elements.iter().enumerate() {
                write_at(bytes, layout, offset + index * size, of, element)?;
            }
            Ok(())
        }
        (Shape::Struct(fields), Value::Many(elements)) => {
            bytes[offset..offset + fields.size as usize].fill(Byte::Uninitialised);
            for ((at, field), element) in fields.fields.iter().zip(elements) {
                write_at(bytes, layout, offset + *at as usize, field, element)?;
            }
            Ok(())
        }
        _ => Stop::unsupported("a value of another shape"),
    }
}

fn write_lane(bytes: &mut [Byte], layout: &Layout, shape: &Shape, lane: &Lane) -> Result<(), Stop> {
    match lane {
        Lane::Poison => bytes.fill(Byte::Poison),
        Lane::Undef => bytes.fill(Byte::Uninitialised),
        Lane::Varying(_) => return Stop::unsupported("storing a value that depends on undef"),
        Lane::Bits(value) => {
            for (index, byte) in bytes.iter_mut().enumerate() {
                *byte = Byte::Bits((value >> (8 * index)) as u8);
            }
        }
        Lane::Pointer(pointer) if *shape == Shape::Pointer => {
            for (index, byte) in bytes.iter_mut().enumerate() {
                *byte = if pointer.is_null() {
                    Byte::Bits(0)
                } else {
                    Byte::Fragment(*pointer, index as u8)
                };
            }
        }
        Lane::Pointer(_) => return Stop::unsupported("storing a pointer as an integer"),
    }
    if layout.big_endian {
        bytes.reverse();
    }
    Ok(())
}

/// Vectors whose lanes are no whole bytes are stored as one integer.
fn write_packed(
    bytes: &mut [Byte],
    layout: &Layout,
    offset: usize,
    shape: &Shape,
    lanes: &[Value],
) -> Result<(), Stop> {
    let (bits, total) = packed(layout, shape)?;
    let mut word = 0;
    for (index, lane) in lanes.iter().enumerate() {
        let Value::Lane(Lane::Bits(value)) = lane else {
            return Stop::unsupported("storing poison or undef bits");
        };
        let place = if layout.big_endian { lanes.len() - 1 - index } else { index } as u32;
        word |= value << (place * bits);
    }
    let size = layout.store_size(shape) as usize;
    let whole = Shape::Int(total);
    write_lane(&mut bytes[offset..offset + size], layout, &whole, &Lane::Bits(word))
}

fn packed(layout: &Layout, shape: &Shape) -> Result<(u32, u32), Stop> {
    let (bits, lanes) = (shape.lane_bits(layout), shape.lanes().unwrap_or(1));
    match bits * lanes {
        total @ 1..=128 => Ok((bits, total)),
        _ => Stop::unsupported("long vectors of bits"),
    }
}

/// Reads a value without checks of alignment and permission.
pub(crate) fn read(
    memory: &Memory,
    layout: &Layout,
    pointer: Pointer,
    shape: &Shape,
) -> Result<Value, Stop> {
    let block = &memory.blocks[pointer.block as usize];
    let offset = pointer.address.wrapping_sub(block.base) as usize;
    read_at(memory, &block.bytes, layout, offset, shape)
}

fn read_at(
    memory: &Memory,
    bytes: &[Byte],
    layout: &Layout,
    offset: usize,
    shape: &Shape,
) -> Result<Value, Stop> {
    let each = |lanes: usize, size: usize, of: &Shape| {
        let lanes = (0..lanes).map(|it| read_at(memory, bytes, layout, offset + it * size, of));
        Ok(Value::Many(lanes.collect::<Result<_, _>>()?))
    };
    match shape {
        Shape::Void => Ok(Value::POISON),
        Shape::Int(_) | Shape::Float(_) | Shape::Pointer => {
            let size = layout.store_size(shape) as usize;
            Ok(Value::Lane(read_lane(memory, &bytes[offset..offset + size], layout, shape)?))
        }
        Shape::Vector(lanes, of) => {
            let bits = of.lane_bits(layout);
            if bits.is_multiple_of(8) {
                return each(*lanes as usize, (bits / 8) as usize, of);
            }
            let (bits, total) = packed(layout, shape)?;
            let size = layout.store_size(shape) as usize;
            let whole =
                read_lane(memory, &bytes[offset..offset + size], layout, &Shape::Int(total))?;
            let part = |index: u32| {
                let place = if layout.big_endian { lanes - 1 - index } else { index };
                let op = LaneOp::Slice { from: total, low: place * bits, to: bits };
                Ok(Value::Lane(match &whole {
                    Lane::Bits(word) => Lane::Bits(Bits::new(word >> (place * bits), bits).value),
                    Lane::Poison => Lane::Poison,
                    Lane::Undef => Lane::Undef,
                    Lane::Varying(_) => {
                        Lane::Varying(Arc::new(Recipe { op, operands: vec![whole.clone()] }))
                    }
                    Lane::Pointer(_) => return Stop::unsupported("loading pointers as bits"),
                }))
            };
            Ok(Value::Many((0..*lanes).map(part).collect::<Result<_, _>>()?))
        }
        Shape::Array(length, of) => {
            if *length > 1 << 12 {
                return Stop::unsupported("long arrays");
            }
            each(*length as usize, layout.size(of) as usize, of)
        }
        Shape::Struct(fields) => {
            let field = |(at, field): &(u64, Shape)| {
                read_at(memory, bytes, layout, offset + *at as usize, field)
            };
            Ok(Value::Many(fields.fields.iter().map(field).collect::<Result<_, _>>()?))
        }
    }
}

fn read_lane(
    memory: &Memory,
    bytes: &[Byte],
    layout: &Layout,
    shape: &Shape,
) -> Result<Lane, Stop> {
    let at = |index: usize| bytes[if layout.big_endian { bytes.len() - 1 - index } else { index }];
    if bytes.contains(&Byte::Poison) {
        return Ok(Lane::Poison);
    }
    if !bytes.is_empty() && bytes.iter().all(|byte| *byte == Byte::Uninitialised) {
        return Ok(Lane::Undef);
    }
    let width = shape.lane_bits(layout);
    if let Byte::Fragment(pointer, 0) = at(0) {
        let whole = |index: usize| at(index) == Byte::Fragment(pointer, index as u8);
        return match shape {
            Shape::Pointer if (0..bytes.len()).all(whole) => Ok(Lane::Pointer(pointer)),
            _ => Stop::unsupported("loading a pointer as an integer or in parts"),
        };
    }
    let mut word = 0;
    let mut is_partial = false;
    for index in 0..bytes.len() {
        match at(index) {
            Byte::Bits(byte) => word |= u128::from(byte) << (8 * index),
            Byte::Uninitialised => is_partial = true,
            Byte::Poison | Byte::Fragment(..) => {
                return Stop::unsupported("loading a part of a pointer");
            }
        }
    }
    if *shape == Shape::Pointer {
        if is_partial {
            return Stop::unsupported("loading a pointer that is partly undef");
        }
        return Ok(Lane::Pointer(memory.at_address(word as u64)));
    }
    if is_partial {
        let operand = |index: usize| match at(index) {
            Byte::Bits(byte) => Lane::Bits(u128::from(byte)),
            _ => Lane::Undef,
        };
        let operands = (0..bytes.len()).map(operand).collect();
        let op = LaneOp::Slice { from: 8, low: 0, to: width };
        return Ok(Lane::Varying(Arc::new(Recipe { op, operands })));
    }
    if Bits::new(word, width).value != word {
        return Stop::unsupported("loading an integer whose unused bits are set");
    }
    Ok(Lane::Bits(word))
}
