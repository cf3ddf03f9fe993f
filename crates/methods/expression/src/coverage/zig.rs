//! Zig.

use super::{BINARY, Operators, SHIFT_ASSIGNMENTS, Words, infix, prefix};

pub(super) const OPERATORS: &[Operators] = &[Operators {
    language: "zig",
    generated: &[
        BINARY,
        SHIFT_ASSIGNMENTS,
        &[
            infix("+% -% *% +| -| *| <<| and or"),
            prefix("- -% ~ !"),
            infix("+%= -%= *%="),
            Words(
                "@",
                "divFloor divTrunc divExact mod rem shlExact shrExact abs min max clz ctz popCount byteSwap bitReverse \
 truncate intCast bitCast",
                "(",
            ),
            Words("@", "add sub mul shl", "WithOverflow("),
        ],
    ],
    left_out: &[
        (" +|= ", "no idiom is an update of an accumulator"),
        (" -|= ", "as above"),
        (" *|= ", "as above"),
        (" <<|= ", "as above"),
        ("@mulAdd(", "floating-point numbers"),
        ("@reduce(", "vectors"),
    ],
}];
