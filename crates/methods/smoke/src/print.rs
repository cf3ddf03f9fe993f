//! One printer per language. Each program reads its parameters from the command line and prints every
//! value that no other statement uses, one per line.

use std::fmt::Write as _;

use super::recipe::{Operand, Operator, Recipe};

pub(super) type Printer = fn(&Recipe) -> String;

pub(super) fn toy(recipe: &Recipe) -> String {
    let mut out = format!("params {}\n", recipe.parameters);
    for (index, statement) in recipe.statements.iter().enumerate() {
        let name = format!("{:?}", statement.operator).to_lowercase();
        let [left, right] = statement.operands().map(operand);
        line(&mut out, format_args!("v{index} = {name} {left} {right}"));
    }
    for index in recipe.printed() {
        line(&mut out, format_args!("print v{index}"));
    }
    out
}

pub(super) fn c(recipe: &Recipe) -> String {
    let mut out = String::from(
        "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n\
         int main(int argc, char **argv) {\n",
    );
    line(&mut out, format_args!("    if (argc != {}) return 2;", recipe.parameters + 1));
    for index in 0..recipe.parameters {
        let argument = index + 1;
        line(
            &mut out,
            format_args!("    uint32_t p{index} = (uint32_t)strtoul(argv[{argument}], 0, 10);"),
        );
    }
    for (index, statement) in recipe.statements.iter().enumerate() {
        let [left, right] = statement.operands().map(|operand| suffixed(operand, "u"));
        let value = match statement.operator {
            Operator::Add => format!("{left} + {right}"),
            Operator::Sub => format!("{left} - {right}"),
            Operator::Mul => format!("{left} * {right}"),
            Operator::Div => format!("{left} / ({right} | 1u)"),
            Operator::Rem => format!("{left} % ({right} | 1u)"),
            Operator::And => format!("{left} & {right}"),
            Operator::Or => format!("{left} | {right}"),
            Operator::Xor => format!("{left} ^ {right}"),
            Operator::Shl => format!("{left} << ({right} & 31u)"),
            Operator::Shr => format!("{left} >> ({right} & 31u)"),
            Operator::Less => format!("{left} < {right}"),
            Operator::Equal => format!("{left} == {right}"),
        };
        line(&mut out, format_args!("    uint32_t v{index} = {value};"));
    }
    for index in recipe.printed() {
        line(&mut out, format_args!("    printf(\"%lu\\n\", (unsigned long)v{index});"));
    }
    out.push_str("    return 0;\n}\n");
    out
}

pub(super) fn rust(recipe: &Recipe) -> String {
    let mut out = String::from(
        "pub fn main() {\n    let p: Vec<u32> = std::env::args().skip(1).map(|word| word.parse().unwrap()).collect();\n",
    );
    for index in 0..recipe.parameters {
        line(&mut out, format_args!("    let p{index} = p[{index}];"));
    }
    for (index, statement) in recipe.statements.iter().enumerate() {
        let [left, right] = statement.operands().map(|operand| suffixed(operand, "u32"));
        let value = match statement.operator {
            Operator::Add => format!("{left}.wrapping_add({right})"),
            Operator::Sub => format!("{left}.wrapping_sub({right})"),
            Operator::Mul => format!("{left}.wrapping_mul({right})"),
            Operator::Div => format!("{left} / ({right} | 1)"),
            Operator::Rem => format!("{left} % ({right} | 1)"),
            Operator::And => format!("{left} & {right}"),
            Operator::Or => format!("{left} | {right}"),
            Operator::Xor => format!("{left} ^ {right}"),
            Operator::Shl => format!("{left} << ({right} & 31)"),
            Operator::Shr => format!("{left} >> ({right} & 31)"),
            Operator::Less => format!("({left} < {right}) as u32"),
            Operator::Equal => format!("({left} == {right}) as u32"),
        };
        line(&mut out, format_args!("    let v{index} = {value};"));
    }
    for index in recipe.printed() {
        line(&mut out, format_args!("    println!(\"{{v{index}}}\");"));
    }
    out.push_str("}\n");
    out
}

fn operand(operand: Operand) -> String {
    suffixed(operand, "")
}

/// An operand. Constants get the type suffix.
fn suffixed(operand: Operand, suffix: &str) -> String {
    match operand {
        Operand::Constant(word) => format!("{word}{suffix}"),
        Operand::Parameter(index) => format!("p{index}"),
        Operand::Value(index) => format!("v{index}"),
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = writeln!(out, "{text}");
}
