//! Tolk, as it is from 1.0 on. Each program is a get method of one contract.

use std::fmt::Write as _;

use super::ton::{self, Spelling};
use crate::program::Step;
use crate::{Dialect, Entry, Frame, Idiom, Inline, Named, STEM, TrapKinds, Writing};

pub const DIALECT: Dialect = Dialect {
    name: "expression-tolk",
    summary: "functions over integers in Tolk and their proven mutants, results known",
    language: "tolk",
    comment: "//",
    styles: &ton::styles(IDIOMS),
    // A call costs more than a millisecond.
    inputs: 10,
    ending: "",
    nodes: 60,
    text: 250,
    frame,
    items,
    constants: ton::constants,
    idiom: |_, found, step, args| {
        let text = ton::idiom(found, step, args)?;
        // The compiler takes what `<=>` gives for a truth value.
        Some(if found.idiom == Idiom::ThreeWay { format!("({text} as int)") } else { text })
    },
    // The exit code is observable: TON documentation, "Exit codes", "Each exit code represents its own exception
    // or the resulting state of the transaction": 4 is an overflow, 5 an integer out of range.
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

const SPELLING: Spelling = Spelling {
    declared: |name| format!("{name}: int"),
    truth: |text| format!("({text} as int)"),
    local: "var ",
    muldiv: ["mulDivFloor", "mulDivRound", "mulDivCeil"],
    divmod: [|a, b| format!("divMod({a}, {b}).0"), |a, b| format!("modDiv({a}, {b}).0")],
    minmax: [|a, b| format!("minMax({a}, {b}).0"), |a, b| format!("minMax({a}, {b}).1")],
    mulmod: |a, b, c| format!("mulDivMod({a}, {b}, {c}).1"),
    modc: false,
};

fn frame(_: &[Entry]) -> Frame {
    let before = "fun onInternalMessage(in: InMessage) {}\n\n".to_owned();
    Frame { before, after: String::new() }
}

fn items(writing: &Writing<'_>) -> String {
    let mut out = String::new();
    let list = |all: &[Named]| {
        let all: Vec<String> = all.iter().map(|it| (SPELLING.declared)(&it.name)).collect();
        all.join(", ")
    };
    for (constant, value) in writing.constants() {
        let _ = writeln!(out, "const {} = {};", constant.name, ton::number(&value, constant.kind));
    }
    for (name, text) in ton::folded(writing, SPELLING) {
        let _ = writeln!(out, "const {name} = {text};");
    }
    for (index, step) in writing.body.steps.iter().enumerate() {
        if let Step::Call { body, inline, .. } = step
            && writing.declares(index)
        {
            let (own, carried) = writing.helper_parameters(index);
            let attribute = match inline {
                Inline::Free => "",
                Inline::Always => "@inline\n",
                Inline::Never => "@noinline\n",
            };
            let _ = writeln!(
                out,
                "{attribute}fun {}({}): int {{\n    return {};\n}}",
                writing.helper(index),
                list(&[own, carried].concat()),
                ton::say(writing, *body, index, SPELLING)
            );
        }
    }
    let parameters = list(&writing.parameters());
    let body = ton::body(writing, SPELLING);
    let _ = writeln!(out, "get fun {STEM}({parameters}): int {{\n{body}}}\n");
    out
}
