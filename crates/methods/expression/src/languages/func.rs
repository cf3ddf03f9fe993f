//! FunC. Each program is a get method of one contract; the functions of the standard library that programs use are declared
//! before them, so that nothing has to be included.

use super::ton::{self, Spelling, Ton};
use crate::printer::{Head, Role, print};
use crate::{Dialect, Frame, Idiom, Inline, STEM, TrapKinds, Writing};

pub const DIALECT: Dialect = Dialect {
    name: "expression-func",
    summary: "functions over integers in FunC and their proven mutants, results known",
    language: "func",
    comment: ";;",
    styles: &ton::styles(&[Idiom::Sign, Idiom::ThreeWay, Idiom::Abs]),
    ending: "",
    limits: ton::LIMITS,
    frame: |_| Frame { before: BEFORE.to_owned(), after: String::new() },
    items,
    constants: ton::constants,
    // As in `tolk.rs`.
    traps: TrapKinds::Distinct,
};

#[derive(Debug)]
struct FunC;

impl Ton for FunC {
    const SPELLING: Spelling = Spelling {
        declared: |name| format!("int {name}"),
        // A truth value is a number already.
        truth: str::to_owned,
        constant: "const int ",
        local: "",
        muldiv: ["muldiv", "muldivr", "muldivc"],
        divmod: [
            |a, b| format!("{STEM}_quotient({a}, {b})"),
            |a, b| format!("{STEM}_remainder({a}, {b})"),
        ],
        minmax: [
            |a, b| format!("{STEM}_lesser({a}, {b})"),
            |a, b| format!("{STEM}_greater({a}, {b})"),
        ],
        mulmod: |a, b, c| format!("{STEM}_mulmod({a}, {b}, {c})"),
        modc: true,
    };

    fn head(head: &Head) -> String {
        let suffix = match head.role {
            Role::Entry => " method_id",
            Role::Helper(Inline::Free) => "",
            Role::Helper(Inline::Always) => " inline",
            Role::Helper(Inline::Never) => " inline_ref",
        };
        format!("int {}({}){suffix} {{", head.name, head.parameters)
    }
}

/// Functions that return one of two results, which no expression can select.
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

fn items(writing: &Writing<'_>) -> String {
    let mut out = print(&FunC, writing);
    for (part, parameters, body) in PARTS {
        let head = format!("{STEM}_{part}(");
        if out.contains(&head) {
            let text = format!("int {head}{parameters}) inline {{\n    {body}\n}}\n");
            out.insert_str(0, &text);
        }
    }
    out
}
