//! ABI encoding of values.

use ruint::aliases::U256;

use super::Data;
use crate::model::{Length, Type, TypeId};
use crate::view::View;

/// `abi.encode`: the encoding of a tuple.
pub fn encode(view: &View<'_>, types: &[TypeId], values: &[Data]) -> Vec<u8> {
    let mut out = vec![];
    tuple(view, types.iter().copied(), values, &mut out);
    out
}

fn tuple(
    view: &View<'_>,
    types: impl Iterator<Item = TypeId> + Clone,
    values: &[Data],
    out: &mut Vec<u8>,
) {
    let start = out.len();
    let head: usize = types.clone().map(|id| view.head_bytes(id)).sum();
    let mut at = start;
    out.resize(start + head, 0);
    for (id, value) in types.zip(values) {
        if view.is_dynamic(id) {
            let offset = U256::from(out.len() - start);
            out[at..at + 32].copy_from_slice(&offset.to_be_bytes::<32>());
            at += 32;
            tail(view, id, value, out);
        } else {
            at = fixed(view, id, value, out, at);
        }
    }
}

/// Writes a value of static size into the head.
fn fixed(view: &View<'_>, id: TypeId, value: &Data, out: &mut [u8], at: usize) -> usize {
    match (view.ty(id), value) {
        (Type::Array(element, _), Data::List(items)) => {
            items.iter().fold(at, |at, item| fixed(view, element, item, out, at))
        }
        (Type::Struct(which), Data::List(items)) => {
            let fields = view.fields(which).iter().zip(items);
            fields.fold(at, |at, (field, item)| fixed(view, *field, item, out, at))
        }
        (_, value) => {
            out[at..at + 32].copy_from_slice(&value.word().to_be_bytes::<32>());
            at + 32
        }
    }
}

fn tail(view: &View<'_>, id: TypeId, value: &Data, out: &mut Vec<u8>) {
    match (view.ty(id), value) {
        (_, Data::Bytes(bytes)) => {
            out.extend(U256::from(bytes.len()).to_be_bytes::<32>());
            out.extend(bytes);
            out.resize(out.len() + (32 - bytes.len() % 32) % 32, 0);
        }
        (Type::Array(element, length), Data::List(items)) => {
            if length == Length::Dynamic {
                out.extend(U256::from(items.len()).to_be_bytes::<32>());
            }
            tuple(view, std::iter::repeat_n(element, items.len()), items, out);
        }
        (Type::Struct(which), Data::List(items)) => {
            tuple(view, view.fields(which).iter().copied(), items, out);
        }
        (_, value) => out.extend(value.word().to_be_bytes::<32>()),
    }
}

/// `abi.encodePacked`: value types in their own size, elements of arrays padded, no lengths.
pub fn pack(view: &View<'_>, types: &[TypeId], values: &[Data]) -> Vec<u8> {
    let mut out = vec![];
    for (id, value) in types.iter().zip(values) {
        match (view.ty(*id), value) {
            (ty, Data::Word(word)) => {
                let size = usize::from(view.stored_bytes(ty));
                let bytes = word.to_be_bytes::<32>();
                match view.underlying(ty) {
                    Type::FixedBytes(_) => out.extend(&bytes[..size]),
                    _ => out.extend(&bytes[32 - size..]),
                }
            }
            (_, Data::Bytes(bytes)) => out.extend(bytes),
            (_, value) => padded(value, false, &mut out),
        }
    }
    out
}

/// The bytes whose hash is the topic of an indexed argument of a reference type.
pub fn pack_indexed(value: &Data) -> Vec<u8> {
    let mut out = vec![];
    match value {
        Data::Bytes(bytes) => out.extend(bytes),
        value => padded(value, true, &mut out),
    }
    out
}

/// Members in 32 bytes each, bytes padded to a multiple of 32.
fn padded(value: &Data, pad_bytes: bool, out: &mut Vec<u8>) {
    match value {
        Data::Word(word) => out.extend(word.to_be_bytes::<32>()),
        Data::Bytes(bytes) => {
            out.extend(bytes);
            if pad_bytes {
                out.resize(out.len() + (32 - bytes.len() % 32) % 32, 0);
            }
        }
        Data::List(items) => items.iter().for_each(|item| padded(item, pad_bytes, out)),
    }
}
