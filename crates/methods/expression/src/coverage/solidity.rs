//! Solidity from 0.8 on, Solidity before, and Yul.

use super::{BINARY, C_OPERATORS, Operators, SHIFT_ASSIGNMENTS, Words, calls, infix};

/// In all versions.
const BOTH: &[Words] = &[infix("** ?"), calls("addmod mulmod signextend")];

pub(super) const OPERATORS: &[Operators] = &[
    Operators {
        language: "solidity",
        generated: &[
            BINARY,
            SHIFT_ASSIGNMENTS,
            C_OPERATORS,
            BOTH,
            &[Words("", "unchecked", " {"), calls("byte sar exp iszero")],
        ],
        left_out: &[("clz(", "inline assembly from 0.8.31 on, for EVM versions from Osaka on")],
    },
    Operators {
        language: "old-solidity",
        generated: &[BINARY, SHIFT_ASSIGNMENTS, C_OPERATORS, BOTH],
        left_out: &[],
    },
    Operators {
        language: "yul",
        generated: &[&[calls(
            "add sub mul div sdiv mod smod exp not lt gt slt sgt eq iszero and or xor byte shl shr \
             sar addmod mulmod signextend",
        )]],
        left_out: &[("clz(", "for EVM versions from Osaka on")],
    },
];
