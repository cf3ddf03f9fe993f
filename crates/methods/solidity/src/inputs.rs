//! Sequences of transactions, with arguments at the edges of types and of the ABI.

use forge::Entropy;
use ruint::aliases::U256;

use crate::abi::{Data, encode};
use crate::interface::{Callee, Entry};
use crate::interpret::Transaction;
use crate::model::{Length, Mutability, Type, TypeId, Version};
use crate::view::View;
use crate::word::wrap;

/// Sizes of byte arrays around the edges of words.
const SIZES: [usize; 10] = [0, 1, 2, 5, 31, 32, 33, 40, 64, 65];

/// A sequence: the creation of the contract, then calls.
pub(crate) fn sequence(
    view: &View<'_>,
    contract: u8,
    entries: &[Entry],
    entropy: &mut Entropy,
) -> Vec<Transaction> {
    let mut sequence = vec![creation(view, contract, entropy)];
    // Before 0.8, versions differ in how a getter fails for an index that is out of range.
    let known: Vec<&Entry> =
        entries.iter().filter(|it| view.version() >= Version::V8 || !indexes(view, it)).collect();
    let entries = known;
    if entries.is_empty() {
        return sequence;
    }
    let calls = entropy.between(4, 9);
    let start = entropy.below(entries.len() as u64);
    for number in 0..calls {
        // Each entry point is called once before any is drawn again.
        let at = if number < entries.len() as u64 {
            (start + number) % entries.len() as u64
        } else {
            entropy.below(entries.len() as u64)
        };
        sequence.push(call(view, entries[at as usize], entropy));
    }
    sequence
}

/// Whether an entry point is a getter that takes the index of an array.
fn indexes(view: &View<'_>, entry: &Entry) -> bool {
    let Callee::Getter(id) = entry.callee else { return false };
    let mut ty = view.template.states[usize::from(id)].ty;
    loop {
        match view.ty(ty) {
            Type::Mapping(_, value) => ty = value,
            Type::Array(..) => return true,
            _ => return false,
        }
    }
}

fn creation(view: &View<'_>, contract: u8, entropy: &mut Entropy) -> Transaction {
    let template = view.template;
    let constructor = template.contracts.get(usize::from(contract)).and_then(|it| it.constructor);
    let Some(function) = constructor.map(|id| &template.functions[usize::from(id)]) else {
        let wei = u64::from(entropy.below(12) == 0);
        return Transaction { value: wei, data: vec![], sender: 0 };
    };
    let types = function.parameter_types();
    let values: Vec<Data> = types.iter().map(|id| value(view, *id, entropy)).collect();
    let payable = view.mutability(function.mutability) == Mutability::Payable;
    let wei = if payable { entropy.below(4) } else { u64::from(entropy.below(40) == 0) };
    Transaction { value: wei, data: encode(view, &types, &values), sender: 0 }
}

fn call(view: &View<'_>, entry: &Entry, entropy: &mut Entropy) -> Transaction {
    let values: Vec<Data> = entry.parameters.iter().map(|id| value(view, *id, entropy)).collect();
    let mut data = entry.selector.to_vec();
    data.extend(encode(view, &entry.parameters, &values));
    let strict = view.version() >= Version::V6 && !view.template.first_coder;
    match entropy.below(40) {
        0..2 if !strict => {}
        0 => break_value(view, entry, &mut data, entropy),
        1 if data.len() > 4 => {
            // Less than the head: the decoder reverts whatever the types are.
            let head: usize = entry.parameters.iter().map(|id| view.head_bytes(*id)).sum();
            data.truncate(4 + entropy.below(head as u64) as usize);
        }
        2 => data.extend([0xff; 7]),
        3 => data[3] ^= 0x55,
        4 | 5 if view.version() >= Version::V5 => fill_padding(view, entry, &mut data, entropy),
        _ => {}
    }
    let wei = match entropy.below(12) {
        0 => 1,
        1 | 2 if entry.payable => entropy.below(1000),
        _ => 0,
    };
    Transaction { value: wei, data, sender: 0 }
}

/// Sets bits after the end of bytes, up to the next word. No decoder looks at them.
fn fill_padding(view: &View<'_>, entry: &Entry, data: &mut [u8], entropy: &mut Entropy) {
    let number = |data: &[u8], at: usize| {
        let word = data.get(at + 24..at + 32)?.try_into().ok()?;
        usize::try_from(u64::from_be_bytes(word)).ok()
    };
    let mut at = 4;
    for id in &entry.parameters {
        if view.ty(*id).is_bytes_like()
            && let Some(tail) = number(data, at)
            && let Some(length) = number(data, 4 + tail)
        {
            let end = 4 + tail + 32 + length;
            let padded = end + (32 - length % 32) % 32;
            if let Some(padding) = data.get_mut(end..padded) {
                padding.iter_mut().for_each(|byte| *byte = entropy.word() as u8);
            }
        }
        at += view.head_bytes(*id);
    }
}

/// Sets a bit that a value of the type cannot have.
fn break_value(view: &View<'_>, entry: &Entry, data: &mut [u8], entropy: &mut Entropy) {
    let mut at = 4;
    let mut spots = vec![];
    for id in &entry.parameters {
        match view.underlying(view.ty(*id)) {
            Type::Uint(bits) | Type::Int(bits) if bits < 256 => spots.push(at),
            Type::Bool | Type::Enum(_) | Type::Address => spots.push(at),
            Type::FixedBytes(bytes) if bytes < 32 => spots.push(at + 31),
            _ => {}
        }
        at += view.head_bytes(*id);
    }
    if let Some(spot) = entropy.pick(&spots).copied()
        && let Some(byte) = data.get_mut(spot)
    {
        *byte ^= 1 << entropy.below(8);
    }
}

/// A value of a type.
pub(crate) fn value(view: &View<'_>, id: TypeId, entropy: &mut Entropy) -> Data {
    match view.ty(id) {
        Type::Bytes => {
            let size = SIZES[entropy.below(SIZES.len() as u64) as usize];
            Data::Bytes((0..size).map(|_| entropy.word() as u8).collect())
        }
        Type::String => {
            let size = SIZES[entropy.below(SIZES.len() as u64) as usize];
            Data::Bytes((0..size).map(|_| b'a' + entropy.below(26) as u8).collect())
        }
        Type::Array(element, length) => {
            let count = match length {
                Length::Fixed(length) => u64::from(length),
                Length::Dynamic | Length::Variable(_) => {
                    [0, 1, 1, 2, 3, 5][entropy.below(6) as usize]
                }
            };
            Data::List((0..count).map(|_| value(view, element, entropy)).collect())
        }
        Type::Struct(which) => Data::List(
            view.fields(which).iter().map(|field| value(view, *field, entropy)).collect(),
        ),
        ty => Data::Word(word(view, view.underlying(ty), entropy)),
    }
}

fn word(view: &View<'_>, ty: Type, entropy: &mut Entropy) -> U256 {
    let wide = U256::from_limbs([entropy.word(), entropy.word(), entropy.word(), entropy.word()]);
    let small = U256::from(entropy.below(5));
    let kind = entropy.below(16);
    match ty {
        Type::Bool => U256::from(kind & 1),
        Type::Enum(which) => {
            let members = view.template.enums.get(usize::from(which)).copied().unwrap_or(1);
            U256::from(kind % u64::from(members.max(1)))
        }
        Type::Uint(bits) | Type::Int(bits) => match kind {
            0 => wrap(U256::MAX, ty),
            1 => wrap(U256::ONE << (usize::from(bits) - 1), ty),
            2 => wrap((U256::ONE << (usize::from(bits) - 1)) - U256::ONE, ty),
            3 => wrap(U256::MAX - U256::ONE, ty),
            4..=6 => wrap(wide, ty),
            _ => small,
        },
        Type::FixedBytes(_) => match kind {
            0 => wrap(U256::MAX, ty),
            1 => U256::ZERO,
            _ => wrap(wide, ty),
        },
        Type::Address => wrap(wide, Type::Uint(160)),
        _ => U256::ZERO,
    }
}
