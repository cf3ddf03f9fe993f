//! FunC. Each program is a get method of one contract; the few functions of the standard library that
//! programs use stand before them, so that nothing has to be included.

use std::fmt::Write as _;

use super::ton::{self, Spelling};
use crate::program::Step;
use crate::{Dialect, Entry, Frame, Idiom, Inline, Named, STEM, TrapKinds, Writing};

pub const DIALECT: Dialect = Dialect {
    name: "expression-func",
    summary: "functions over integers in FunC and their proven mutants, results known",
    language: "func",
    comment: ";;",
    styles: &ton::styles(&[Idiom::Sign, Idiom::ThreeWay, Idiom::Abs]),
    // A call costs more than a millisecond.
    inputs: 10,
    ending: "",
    nodes: 60,
    text: 250,
    frame,
    items,
    constants: ton::constants,
    idiom: |_, found, step, args| ton::idiom(found, step, args),
    // The exit code is observable, as in `tolk.rs`.
    traps: TrapKinds::Distinct,
};

const SPELLING: Spelling = Spelling {
    declared: |name| format!("int {name}"),
    // A truth value is a number already.
    truth: str::to_owned,
    local: "",
    muldiv: ["muldiv", "muldivr", "muldivc"],
    divmod: [
        |a, b| format!("{STEM}_quotient({a}, {b})"),
        |a, b| format!("{STEM}_remainder({a}, {b})"),
    ],
    minmax: [|a, b| format!("{STEM}_lesser({a}, {b})"), |a, b| format!("{STEM}_greater({a}, {b})")],
    mulmod: |a, b, c| format!("{STEM}_mulmod({a}, {b}, {c})"),
    modc: true,
};

/// What a division gives besides is dropped in a function, since no expression takes one of two.
const PARTS: [(&str, &str, &str); 5] = [
    ("quotient", "int x, int y", "(int q, int r) = divmod(x, y);\n    return q;"),
    ("remainder", "int x, int y", "(int r, int q) = moddiv(x, y);\n    return r;"),
    ("lesser", "int x, int y", "(int a, int b) = minmax(x, y);\n    return a;"),
    ("greater", "int x, int y", "(int a, int b) = minmax(x, y);\n    return b;"),
    ("mulmod", "int x, int y, int z", "(int q, int r) = muldivmod(x, y, z);\n    return r;"),
];

const BEFORE: &str = "\
int min(int x, int y) asm \"MIN\";
int max(int x, int y) asm \"MAX\";
(int, int) minmax(int x, int y) asm \"MINMAX\";
int abs(int x) asm \"ABS\";
int sign(int x) asm \"SGN\";
() recv_internal() impure {
}

";

fn frame(_: &[Entry]) -> Frame {
    Frame { before: BEFORE.to_owned(), after: String::new() }
}

fn items(writing: &Writing<'_>) -> String {
    let mut out = String::new();
    let list = |all: &[Named]| {
        let all: Vec<String> = all.iter().map(|it| (SPELLING.declared)(&it.name)).collect();
        all.join(", ")
    };
    for (constant, value) in writing.constants() {
        let number = ton::number(&value, constant.kind);
        let _ = writeln!(out, "const int {} = {number};", constant.name);
    }
    for (name, text) in ton::folded(writing, SPELLING) {
        let _ = writeln!(out, "const int {name} = {text};");
    }
    for (index, step) in writing.body.steps.iter().enumerate() {
        if let Step::Call { body, inline, .. } = step
            && writing.declares(index)
        {
            let (own, carried) = writing.helper_parameters(index);
            let attribute = match inline {
                Inline::Free => "",
                Inline::Always => " inline",
                Inline::Never => " inline_ref",
            };
            let _ = writeln!(
                out,
                "int {}({}){attribute} {{\n    return {};\n}}",
                writing.helper(index),
                list(&[own, carried].concat()),
                ton::say(writing, *body, index, SPELLING)
            );
        }
    }
    let parameters = list(&writing.parameters());
    let body = ton::body(writing, SPELLING);
    let _ = writeln!(out, "int {STEM}({parameters}) method_id {{\n{body}}}\n");
    for (part, parameters, body) in PARTS {
        let head = format!("{STEM}_{part}(");
        if out.contains(&head) {
            let text = format!("int {head}{parameters}) inline {{\n    {body}\n}}\n");
            out.insert_str(0, &text);
        }
    }
    out
}
