//! Tolk, as it is from 1.0 on. Each program is a get method of one contract.

use super::ton::{self, Spelling, Ton};
use crate::printer::{Head, Role, print};
use crate::{Dialect, Frame, Idiom, Inline, TrapKinds};

pub const DIALECT: Dialect = Dialect {
    name: "expression-tolk",
    summary: "functions over integers in Tolk and their proven mutants, results known",
    language: "tolk",
    comment: "//",
    styles: &ton::styles(IDIOMS),
    ending: "",
    limits: ton::LIMITS,
    frame: |_| Frame {
        before: "fun onInternalMessage(in: InMessage) {}\n\n".to_owned(),
        after: String::new(),
    },
    items: |writing| print(&Tolk, writing),
    constants: ton::constants,
    // TON documentation, "Exit codes": "Each exit code represents its own exception or the resulting state of the transaction."
    // Its older page "TVM Exit codes": 4 is "Integer overflow. Integer does not fit into −2^256 ≤ x < 2^256 or a division by zero
    // has occurred." and 5 is "Integer out of expected range."
    traps: TrapKinds::Distinct,
};

const IDIOMS: &[Idiom] = &[
    Idiom::Sign,
    Idiom::ThreeWay,
    Idiom::Abs,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

#[derive(Debug)]
struct Tolk;

impl Ton for Tolk {
    const SPELLING: Spelling = Spelling {
        declared: |name| format!("{name}: int"),
        // The compiler takes what `<=>` gives for a truth value, too.
        truth: |text| format!("({text} as int)"),
        constant: "const ",
        local: "var ",
        muldiv: ["mulDivFloor", "mulDivRound", "mulDivCeil"],
        divmod: [|a, b| format!("divMod({a}, {b}).0"), |a, b| format!("modDiv({a}, {b}).0")],
        minmax: [|a, b| format!("minMax({a}, {b}).0"), |a, b| format!("minMax({a}, {b}).1")],
        mulmod: |a, b, c| format!("mulDivMod({a}, {b}, {c}).1"),
        modc: false,
    };

    fn head(head: &Head) -> String {
        let prefix = match head.role {
            Role::Entry => "get ",
            Role::Helper(Inline::Free) => "",
            Role::Helper(Inline::Always) => "@inline\n",
            Role::Helper(Inline::Never) => "@noinline\n",
        };
        format!("{prefix}fun {}({}): int {{", head.name, head.parameters)
    }
}
