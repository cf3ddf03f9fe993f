//! Strict ABI decoding, as coder v2 does it: dirty bits, offsets and lengths outside of the data are errors.

use ruint::aliases::U256;

use super::Data;
use crate::model::{Length, Type, TypeId};
use crate::view::View;
use crate::word::is_clean;

/// Data that the decoder does not accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// A revert without data.
    Reverts,
    /// A length so large that allocating memory for it panics.
    TooLarge,
}

/// Decodes a tuple from bytes that follow the selector.
pub fn decode(view: &View<'_>, types: &[TypeId], bytes: &[u8]) -> Result<Vec<Data>, Malformed> {
    let head: usize = types.iter().map(|id| view.head_bytes(*id)).sum();
    if bytes.len() < head {
        return Err(Malformed::Reverts);
    }
    tuple(view, types.iter().copied(), bytes, 0)
}

fn tuple(
    view: &View<'_>,
    types: impl Iterator<Item = TypeId>,
    bytes: &[u8],
    start: usize,
) -> Result<Vec<Data>, Malformed> {
    let mut at = start;
    let mut values = vec![];
    for id in types {
        if view.is_dynamic(id) {
            let offset = small(word(bytes, at)?).ok_or(Malformed::Reverts)?;
            values.push(tail(
                view,
                id,
                bytes,
                start.checked_add(offset).ok_or(Malformed::Reverts)?,
            )?);
            at += 32;
        } else {
            values.push(fixed(view, id, bytes, &mut at)?);
        }
    }
    Ok(values)
}

fn fixed(view: &View<'_>, id: TypeId, bytes: &[u8], at: &mut usize) -> Result<Data, Malformed> {
    match view.ty(id) {
        Type::Array(element, Length::Fixed(length)) => (0..length)
            .map(|_| fixed(view, element, bytes, at))
            .collect::<Result<_, _>>()
            .map(Data::List),
        Type::Struct(which) => {
            let fields = view.fields(which).iter();
            fields
                .map(|field| fixed(view, *field, bytes, at))
                .collect::<Result<_, _>>()
                .map(Data::List)
        }
        ty => {
            let value = word(bytes, *at)?;
            *at += 32;
            let clean = is_clean(value, view.underlying(ty), &view.template.enums);
            if clean { Ok(Data::Word(value)) } else { Err(Malformed::Reverts) }
        }
    }
}

fn tail(view: &View<'_>, id: TypeId, bytes: &[u8], at: usize) -> Result<Data, Malformed> {
    match view.ty(id) {
        Type::Bytes | Type::String => {
            let length = length(bytes, at)?;
            let from = at + 32;
            let end = from.checked_add(length).filter(|end| *end <= bytes.len());
            end.map(|end| Data::Bytes(bytes[from..end].to_vec())).ok_or(Malformed::Reverts)
        }
        Type::Array(element, Length::Dynamic) => {
            let length = length(bytes, at)?;
            let from = at + 32;
            let size = length.checked_mul(view.head_bytes(element)).ok_or(Malformed::Reverts)?;
            if from.checked_add(size).is_none_or(|end| end > bytes.len()) {
                return Err(Malformed::Reverts);
            }
            tuple(view, std::iter::repeat_n(element, length), bytes, from).map(Data::List)
        }
        Type::Array(element, Length::Fixed(length)) => {
            let length = usize::from(length);
            if at.checked_add(length * view.head_bytes(element)).is_none_or(|end| end > bytes.len())
            {
                return Err(Malformed::Reverts);
            }
            tuple(view, std::iter::repeat_n(element, length), bytes, at).map(Data::List)
        }
        Type::Struct(which) => {
            tuple(view, view.fields(which).iter().copied(), bytes, at).map(Data::List)
        }
        _ => {
            let mut at = at;
            fixed(view, id, bytes, &mut at)
        }
    }
}

fn word(bytes: &[u8], at: usize) -> Result<U256, Malformed> {
    let slice = at.checked_add(32).and_then(|end| bytes.get(at..end));
    slice.and_then(U256::try_from_be_slice).ok_or(Malformed::Reverts)
}

fn length(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    small(word(bytes, at)?).ok_or(Malformed::TooLarge)
}

fn small(word: U256) -> Option<usize> {
    usize::try_from(word).ok()
}
