//! C, and C with `_BitInt`.

use super::{BINARY, C_OPERATORS, Operators, SHIFT_ASSIGNMENTS, Words, infix};

const BUILT_INS: &str = "bswap16 bswap32 bswap64 popcountll clzll ctzll ffsll parityll clrsb \
    clrsbll abs llabs";

pub(super) const OPERATORS: &[Operators] = &[
    Operators {
        language: "c",
        generated: &[
            BINARY,
            SHIFT_ASSIGNMENTS,
            C_OPERATORS,
            &[
                infix("?"),
                Words("__builtin_", BUILT_INS, "("),
                Words("__builtin_", "add sub mul", "_overflow("),
            ],
        ],
        left_out: &[
            ("__builtin_popcount(", "the same as the form for `long long`, on a narrower word"),
            ("__builtin_clz(", "as above"),
            ("__builtin_ctz(", "as above"),
            ("__builtin_ffs(", "as above"),
            ("__builtin_parity(", "as above"),
            ("__builtin_bswap128(", "Clang has none"),
            ("__builtin_bitreverse", "GCC has none"),
            ("__builtin_rotateleft", "GCC has none"),
            ("__builtin_addc", "Clang's alone, until GCC 14"),
            ("__builtin_stdc_", "GCC 14 and C23"),
            (", ", "the comma operator has the value of its second operand"),
        ],
    },
    Operators {
        language: "bitint",
        generated: &[BINARY, SHIFT_ASSIGNMENTS, C_OPERATORS, &[infix("?")]],
        left_out: &[("__builtin_popcountg(", "GCC 14 and Clang 19")],
    },
];
