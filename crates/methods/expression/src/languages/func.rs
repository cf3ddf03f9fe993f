//! FunC. Each program is a get method of one contract; the few functions of the standard library that
//! programs use stand before them, so that nothing has to be included.

use std::fmt::Write as _;

use super::ton::{self, Spelling};
use crate::program::Step;
use crate::{Dialect, Entry, Frame, Inline, Named, STEM, Writing};

pub const DIALECT: Dialect = Dialect {
    name: "expression-func",
    summary: "functions over integers in FunC and their proven mutants, results known",
    language: "func",
    comment: ";;",
    styles: ton::STYLES,
    // A call costs more than a millisecond.
    inputs: 10,
    ending: "",
    nodes: 60,
    text: 250,
    frame,
    items,
    constants: ton::constants,
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
};

/// What a division gives besides is dropped in a function, since no expression takes one of two.
const PARTS: [(&str, &str); 2] = [("quotient", "q"), ("remainder", "r")];

const BEFORE: &str = "\
int min(int x, int y) asm \"MIN\";
int max(int x, int y) asm \"MAX\";
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
    for (part, result) in PARTS {
        let head = format!("{STEM}_{part}(");
        if out.contains(&head) {
            let text = format!(
                "int {head}int x, int y) inline {{\n    (int q, int r) = divmod(x, y);\n    return {result};\n}}\n"
            );
            out.insert_str(0, &text);
        }
    }
    out
}
