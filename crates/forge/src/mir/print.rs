//! Programs in the expanded form of `mir!`: nested blocks instead of a macro, which rustc reads about
//! twice as fast. Blocks are matched to their declarations by position.

use std::fmt::Write as _;

use super::program::{
    Constant, Function, Operand, Place, Program, Projection, Rvalue, Statement, Terminator,
};
use super::scalar;
use super::types::{Adt, Kind, Type, adt_name};

pub(super) fn expanded(program: &Program) -> String {
    let mut out =
        String::from("#![feature(custom_mir, core_intrinsics)]\nuse core::intrinsics::mir::*;\n");
    let adts = &program.adts;
    for (index, adt) in adts.iter().enumerate() {
        let (head, keyword) = match adt.kind {
            Kind::Struct => ("#[derive(Clone, Copy)]", "struct"),
            Kind::Union => ("#[derive(Clone, Copy)]\n#[repr(C)]", "union"),
        };
        let fields = adt.fields.iter().enumerate();
        let fields: String =
            fields.map(|(number, of)| format!(" f{number}: {},", of.name(adts))).collect();
        let _ = writeln!(out, "{head}\npub {keyword} {} {{{fields} }}", adt_name(adts, index));
    }
    for (number, function) in program.functions.iter().enumerate() {
        print_function(&mut out, number, function, adts);
    }
    let arguments: Vec<String> = program
        .arguments
        .iter()
        .map(|argument| format!("std::hint::black_box({})", constant(argument)))
        .collect();
    let _ = writeln!(
        out,
        "pub fn main() {{\n    println!(\"{{:016x}}\", f0({}));\n}}",
        arguments.join(", ")
    );
    out
}

fn print_function(out: &mut String, number: usize, function: &Function, adts: &[Adt]) {
    let parameters: Vec<String> = (1..=function.parameters)
        .map(|local| format!("_{local}: {}", function.locals[local].name(adts)))
        .collect();
    let _ = writeln!(
        out,
        "#[custom_mir(dialect = \"runtime\", phase = \"initial\")]\n\
         pub fn f{number}({}) -> {} {{{{",
        parameters.join(", "),
        function.locals[0].name(adts)
    );
    for block in 1..function.blocks.len() {
        let _ = writeln!(out, "let bb{block} = BasicBlock::Normal;");
    }
    let _ = write!(out, "{{ let RET: {};", function.locals[0].name(adts));
    for local in function.parameters + 1..function.locals.len() {
        let _ = write!(out, "\nlet _{local}: {};", function.locals[local].name(adts));
    }
    out.push_str("\n{ {\n");
    for block in &function.blocks {
        out.push_str("{\n");
        for statement in &block.statements {
            let _ = writeln!(out, "{};", print_statement(statement, function, adts));
        }
        let _ = writeln!(out, "{}\n}};", print_terminator(&block.terminator, function, adts));
    }
    out.push_str("RET }}}}}\n");
}

fn print_statement(statement: &Statement, function: &Function, adts: &[Adt]) -> String {
    match statement {
        Statement::StorageLive(local) => format!("StorageLive(_{local})"),
        Statement::StorageDead(local) => format!("StorageDead(_{local})"),
        Statement::Assign(target, rvalue) => {
            format!("{} = {}", place(target, function, adts), print_rvalue(rvalue, function, adts))
        }
    }
}

fn print_rvalue(rvalue: &Rvalue, function: &Function, adts: &[Adt]) -> String {
    let print = |operand: &Operand| print_operand(operand, function, adts);
    match rvalue {
        Rvalue::Use(one) => print(one),
        Rvalue::Not(one) => format!("!{}", print(one)),
        Rvalue::Negate(one) => format!("-{}", print(one)),
        Rvalue::Binary(operator, left, right) => {
            format!("{} {} {}", print(left), operator.symbol(), print(right))
        }
        Rvalue::Checked(operator, left, right) => {
            format!("Checked({} {} {})", print(left), operator.symbol(), print(right))
        }
        Rvalue::Cast(one, to) => format!("{} as {}", print(one), to.name(adts)),
        Rvalue::Repeat(one, length) => format!("[{}; {length}]", print(one)),
        Rvalue::AddressOf(true, of) => format!("&raw mut {}", place(of, function, adts)),
        Rvalue::AddressOf(false, of) => format!("&raw const {}", place(of, function, adts)),
        Rvalue::Aggregate(of, parts) => {
            let parts: Vec<String> = parts.iter().map(print).collect();
            match of {
                Type::Array(..) => format!("[{}]", parts.join(", ")),
                Type::Adt(_) => {
                    let fields = parts.iter().enumerate();
                    let fields: Vec<String> =
                        fields.map(|(number, part)| format!("f{number}: {part}")).collect();
                    format!("{} {{ {} }}", of.name(adts), fields.join(", "))
                }
                _ if parts.len() == 1 => format!("({},)", parts[0]),
                _ => format!("({})", parts.join(", ")),
            }
        }
    }
}

fn print_terminator(terminator: &Terminator, function: &Function, adts: &[Adt]) -> String {
    match terminator {
        Terminator::Goto(target) => format!("Goto(bb{target})"),
        Terminator::Return => "Return()".to_owned(),
        Terminator::Switch { on, arms, otherwise } => {
            let of = on.type_in(&function.locals, adts).unwrap_or(Type::Bool);
            let arms: String = arms
                .iter()
                .map(|(bits, target)| {
                    let value = literal(&of, *bits, false);
                    format!("{value} => bb{target}, ")
                })
                .collect();
            format!("match {} {{ {arms}_ => bb{otherwise} }}", print_operand(on, function, adts))
        }
        Terminator::Call { function: called, arguments, destination, target } => {
            let arguments: Vec<String> =
                arguments.iter().map(|argument| print_operand(argument, function, adts)).collect();
            format!(
                "Call({} = f{called}({}), ReturnTo(bb{target}), UnwindUnreachable())",
                place(destination, function, adts),
                arguments.join(", ")
            )
        }
    }
}

fn print_operand(operand: &Operand, function: &Function, adts: &[Adt]) -> String {
    match operand {
        Operand::Copy(of) => place(of, function, adts),
        Operand::Move(of) => format!("Move({})", place(of, function, adts)),
        Operand::Constant(value) => constant(value),
    }
}

fn place(place: &Place, function: &Function, adts: &[Adt]) -> String {
    let mut text = if place.local == 0 { "RET".to_owned() } else { format!("_{}", place.local) };
    let mut of = function.locals[place.local].clone();
    for projection in &place.projections {
        of = match (projection, of) {
            (Projection::Deref, Type::Pointer(_, to)) => {
                text = format!("(*{text})");
                *to
            }
            (Projection::Field(field), of) => {
                let name = if matches!(of, Type::Adt(_)) { "f" } else { "" };
                let _ = write!(text, ".{name}{field}");
                of.fields(adts)[*field].clone()
            }
            (Projection::Index(local), Type::Array(element, _)) => {
                let _ = write!(text, "[_{local}]");
                *element
            }
            (_, of) => of,
        };
    }
    text
}

fn constant(constant: &Constant) -> String {
    literal(&constant.of, constant.bits, true)
}

fn literal(of: &Type, bits: u128, suffix: bool) -> String {
    match of {
        Type::Bool => (bits != 0).to_string(),
        Type::Char => {
            let character = u32::try_from(bits).ok().and_then(char::from_u32).unwrap_or('\0');
            format!("'\\u{{{:x}}}'", u32::from(character))
        }
        Type::Int(int) => {
            let suffix = if suffix { format!("_{}", int.name()) } else { String::new() };
            if int.signed {
                format!("{}{suffix}", scalar::extend(bits, *int))
            } else {
                format!("{bits}{suffix}")
            }
        }
        _ => "()".to_owned(),
    }
}
