//! The widths of the integer types that several languages share.

/// The integer types of C and Rust on a 64-bit machine.
pub(super) const MACHINE: &[u16] = &[8, 16, 32, 64, 128];

/// A sample, where any number of bits is a type: those of machines, their neighbours, and odd ones.
pub(super) const ANY: &[u16] =
    &[4, 7, 8, 13, 16, 24, 32, 33, 48, 63, 64, 65, 96, 128, 129, 200, 255, 256];

pub(super) const ANY_USUAL: &[u16] = &[8, 16, 32, 64, 128, 256];

/// The integer types of Solidity and Vyper.
pub(super) const EVM: &[u16] = &[
    8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168,
    176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256,
];

/// What contracts use: most often the word of the EVM.
pub(super) const EVM_USUAL: &[u16] = &[8, 16, 32, 64, 128, 160, 256, 256, 256, 256];

/// Whether all operands and the result of an operator have a type of Solidity and Vyper.
pub(super) fn are_evm(from: &[u16], to: u16) -> bool {
    from.iter().chain([&to]).all(|width| EVM.contains(width))
}
