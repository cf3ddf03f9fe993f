//! Tolk and FunC.

use super::{BINARY, Operators, SHIFT_ASSIGNMENTS, Words, calls, infix, prefix};

/// In both languages.
const BOTH: &[Words] =
    &[infix("~/ ^/ ~>> ^>> <=> ?"), Words("(", "- ~", " "), calls("min max abs sign")];

pub(super) const OPERATORS: &[Operators] = &[
    Operators {
        language: "tolk",
        generated: &[
            BINARY,
            SHIFT_ASSIGNMENTS,
            BOTH,
            &[
                prefix("!"),
                infix("&& ||"),
                calls("minMax divMod modDiv mulDivFloor mulDivRound mulDivCeil mulDivMod"),
                Words(" ", "as", " int)"),
            ],
        ],
        left_out: &[("(+ ", "the identity")],
    },
    Operators {
        language: "func",
        generated: &[
            BINARY,
            SHIFT_ASSIGNMENTS,
            BOTH,
            &[infix("^%"), calls("minmax divmod moddiv muldiv muldivr muldivc muldivmod")],
        ],
        left_out: &[
            (" ~% ", "its pattern has three copies of both operands, each of which must fit"),
            (" /% ", "gives two numbers, as `divmod` does"),
            (" ~/= ", "as ` ~/ `, which is never an update of an accumulator"),
            (" ^/= ", "as above"),
            ("~divmod(", "a statement that changes its first operand"),
        ],
    },
];
