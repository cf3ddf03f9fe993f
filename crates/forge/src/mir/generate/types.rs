//! Types and constants by chance.

use super::super::scalar;
use super::super::types::{Adt, Int, Kind, Type};
use super::swarm::Swarm;
use crate::Entropy;

pub(super) fn adts(entropy: &mut Entropy, swarm: &Swarm) -> Vec<Adt> {
    let mut adts: Vec<Adt> = vec![];
    for _ in 0..swarm.unions {
        let fields = (0..entropy.between(2, 3)).map(|_| plain(entropy)).collect();
        adts.push(Adt { kind: Kind::Union, fields });
    }
    for _ in 0..swarm.structs {
        let fields = (0..entropy.between(1, 6)).map(|_| part(entropy, &adts, 1)).collect();
        adts.push(Adt { kind: Kind::Struct, fields });
    }
    adts
}

/// A type whose bytes are all its value: what unions are made of.
fn plain(entropy: &mut Entropy) -> Type {
    let int = Type::Int(int(entropy));
    if entropy.chance(1, 3) { Type::Array(Box::new(int), entropy.between(1, 4)) } else { int }
}

pub(super) fn int(entropy: &mut Entropy) -> Int {
    let all: Vec<Int> = Int::all().collect();
    entropy.pick(&all).copied().unwrap_or(Int::U64)
}

pub(super) fn scalar(entropy: &mut Entropy) -> Type {
    match entropy.below(8) {
        0 | 1 => Type::Bool,
        2 => Type::Char,
        _ => Type::Int(int(entropy)),
    }
}

/// Any type but a pointer.
pub(super) fn any(entropy: &mut Entropy, adts: &[Adt]) -> Type {
    part(entropy, adts, 2)
}

fn part(entropy: &mut Entropy, adts: &[Adt], depth: u32) -> Type {
    match entropy.below(8) {
        0 if depth > 0 => {
            let parts =
                (0..entropy.between(1, 4)).map(|_| part(entropy, adts, depth - 1)).collect();
            Type::Tuple(parts)
        }
        1 if depth > 0 => {
            Type::Array(Box::new(part(entropy, adts, depth - 1)), entropy.between(1, 4))
        }
        2 | 3 if !adts.is_empty() => Type::Adt(entropy.below(adts.len() as u64) as usize),
        _ => scalar(entropy),
    }
}

/// A value of a scalar type, often at a corner of it.
pub(super) fn bits(entropy: &mut Entropy, of: &Type) -> u128 {
    let random = u128::from(entropy.word()) << 64 | u128::from(entropy.word());
    match of {
        Type::Bool => random & 1,
        Type::Char => {
            let corners = ['\0', 'a', '\u{7f}', '\u{d7ff}', '\u{e000}', '\u{10ffff}'];
            entropy.pick(&corners).map_or(0, |corner| u128::from(u32::from(*corner)))
        }
        Type::Int(int) => {
            let width = int.bits();
            let value = match entropy.below(8) {
                0 => 0,
                1 => 1,
                2 => u128::MAX,
                3 => 1 << (width - 1),
                4 => (1 << (width - 1)) - 1,
                5 => random & 0xf,
                _ => random,
            };
            scalar::truncate(value, width)
        }
        _ => 0,
    }
}
