//! Keccak-256.

use ruint::aliases::U256;
use tiny_keccak::{Hasher, Keccak};

pub(crate) fn keccak(bytes: &[u8]) -> [u8; 32] {
    let mut hasher = Keccak::v256();
    let mut out = [0; 32];
    hasher.update(bytes);
    hasher.finalize(&mut out);
    out
}

pub(crate) fn keccak_word(bytes: &[u8]) -> U256 {
    U256::from_be_bytes(keccak(bytes))
}
