//! A program that prints the type layouts of rustc, as far as the interpreter relies on them.

use std::fmt::Write as _;

use super::super::program::Program;
use super::super::types::{Kind, Shape, TypeId, Types};
use super::{Form, Printer};

/// A program in plain Rust, and its expected output.
pub(crate) fn layouts(program: &Program) -> (String, String) {
    // Destructors have no effect on layouts.
    let mut plain = program.clone();
    plain.types.adts.iter_mut().for_each(|adt| adt.destructor = None);
    Printer::new(&plain, Form::Surface).layouts()
}

/// Whether the interpreter assumes that rustc uses its size and alignment for a type.
fn is_relied_on(types: &Types, of: TypeId) -> bool {
    match types.kind(of) {
        Kind::Slice(_)
        | Kind::Object(_)
        | Kind::Parameter(_)
        | Kind::ArrayOf(..)
        | Kind::Constant(..)
        | Kind::Value(..) => false,
        _ if types.is_generic(of) => false,
        Kind::Pointer { .. } | Kind::Reference { .. } | Kind::Heap(_) => true,
        _ => types.layout(of).fixed,
    }
}

/// The fields of a struct, union or enum, as `offset_of!` names them.
fn fields(types: &Types, of: TypeId) -> Vec<String> {
    match types.adt(of).map(|adt| &adt.shape) {
        Some(Shape::Struct(fields) | Shape::Union(fields)) => {
            (0..fields.len()).map(|field| format!("f{field}")).collect()
        }
        Some(Shape::Enum(variants)) => {
            let each = variants.iter().enumerate().flat_map(|(variant, it)| {
                (0..it.fields.len()).map(move |field| format!("V{variant}.{field}"))
            });
            each.collect()
        }
        None => vec![],
    }
}

impl Printer<'_> {
    fn layouts(mut self) -> (String, String) {
        self.push("#![feature(offset_of_enum)]\n");
        self.push("use std::mem::{align_of, offset_of, size_of};\n");
        for index in 0..self.types.adts.len() {
            self.adt(index);
        }
        // The methods of a trait have no effect on pointers to its objects.
        for index in 0..self.program.traits.len() {
            self.numbered("pub trait Tr", index);
            self.push(" {}\n");
        }
        self.push("fn show(name: &str, numbers: &[usize]) { println!(\"{name} {numbers:?}\"); }\n");
        self.push("pub fn main() {\n");
        let mut expected = String::new();
        for of in self.types.all().filter(|of| is_relied_on(self.types, *of)) {
            let layout = self.types.layout(of);
            let mut numbers = vec![layout.size, layout.align];
            self.numbered("show(\"", of.0 as usize);
            self.push("\", &[size_of::<");
            self.of_type(of);
            self.push(">(), align_of::<");
            self.of_type(of);
            self.push(">()");
            for field in fields(self.types, of) {
                self.push(", offset_of!(");
                self.of_type(of);
                self.push(", ");
                self.push(&field);
                self.push(")");
            }
            if self.types.adt(of).is_some() {
                numbers.extend(layout.fields.iter().flatten());
            }
            self.push("]);\n");
            // Writing to a string cannot fail.
            let _ = writeln!(expected, "{} {numbers:?}", of.0);
        }
        self.push("}\n");
        (self.text.out, expected)
    }
}
