//! Programs as text: the expanded form of `mir!`, which rustc reads about twice as fast as the macro; the
//! macro, for people; and plain Rust.

mod body;
mod expression;
mod flow;
mod layouts;
mod object;
mod place;
mod plain;
mod prelude;
mod record;
mod scope;
mod surface;
mod text;
mod types;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

use super::interpret::Output;
use super::program::{Block, Function, Place, Program, Terminator, Unwind};
use super::types::{Float, Int, Kind, TypeId, Types, Width};
use text::Text;

pub(crate) use layouts::layouts;

/// As nested blocks instead of a macro. It prints the hash of what is recorded.
pub(crate) fn expanded(program: &Program) -> String {
    Printer::new(program, Form::Expanded).print()
}

/// With the macro `mir!`. It prints what is recorded, by name.
pub(crate) fn readable(program: &Program) -> String {
    Printer::new(program, Form::Readable).print()
}

/// As plain Rust that prints the same as the readable form; none if that can not be said so.
pub(crate) fn surface(program: &Program) -> Option<String> {
    Printer::new(&without_tail_calls(program), Form::Surface).surface()
}

/// What plain Rust has no word for yet becomes a call whose result is returned.
fn without_tail_calls(program: &Program) -> Program {
    let mut program = program.clone();
    for function in &mut program.functions {
        let end = function.blocks.len();
        for block in &mut function.blocks {
            if let Terminator::TailCall { callee, arguments } = &mut block.terminator {
                block.terminator = Terminator::Call {
                    callee: callee.clone(),
                    arguments: std::mem::take(arguments),
                    destination: Place::local(0),
                    target: end,
                    unwind: Unwind::Continue,
                };
            }
        }
        let leads = |block: &Block| block.terminator.targets().contains(&end);
        if function.blocks.iter().any(leads) {
            let terminator = Terminator::Return;
            function.blocks.push(Block { cleanup: false, statements: vec![], terminator });
        }
    }
    program
}

/// What the readable form prints.
pub(crate) fn named(program: &Program, output: &Output) -> String {
    let mut printer = Printer::new(program, Form::Readable);
    for entry in &output.entries {
        printer.entry(entry.function, entry.block, &entry.words);
    }
    printer.text.out
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Expanded,
    Readable,
    /// Plain Rust.
    Surface,
}

struct Printer<'a> {
    text: Text,
    program: &'a Program,
    types: &'a Types,
    /// Of the function that is being printed.
    locals: &'a [TypeId],
    /// The structs, unions and enums with references in them.
    lending: Vec<bool>,
    form: Form,
    used: Used,
}

/// Which helpers the functions call.
#[derive(Default)]
struct Used {
    record: bool,
    raise: bool,
    compare_bytes: bool,
    caught: Vec<usize>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, form: Form) -> Self {
        let text = Text { out: String::with_capacity(1024 + 48 * program.size()) };
        let types = &program.types;
        let lending = types::lending(types);
        Self { text, program, types, locals: &[], lending, form, used: Used::default() }
    }

    fn print(mut self) -> String {
        self.text.push("#![feature(custom_mir, core_intrinsics)]\n");
        if self.form == Form::Readable {
            self.recursion_limit();
        }
        self.text.push("use core::intrinsics::mir::*;\n");
        for index in 0..self.types.adts.len() {
            self.adt(index);
        }
        for index in 0..self.program.statics.len() {
            self.static_item(index);
        }
        self.traits();
        for number in 0..self.program.functions.len() {
            self.function(number);
        }
        self.prelude();
        self.main();
        self.text.out
    }

    /// The macro takes a body apart piece by piece, each one level deeper.
    fn recursion_limit(&mut self) {
        let pieces = |function: &Function| function.size() + function.locals.len();
        let most = self.program.functions.iter().map(pieces).max().unwrap_or(0);
        if most > 100 {
            self.numbered("#![recursion_limit = \"", 128 + most);
            self.push("\"]\n");
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push(text);
    }

    /// A name that ends in a number.
    fn numbered(&mut self, name: &str, number: usize) {
        self.text.push(name);
        self.text.number(number);
    }

    /// In the readable form, each item after a blank line.
    fn gap(&mut self) {
        if self.form != Form::Expanded {
            self.push("\n");
        }
    }
}

/// How a value becomes words to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recorded {
    /// An `u64`, as it is.
    Plain,
    /// By `as u64`.
    Cast,
    Single,
    Double,
    /// Two words.
    Wide(Int),
    /// An enum, whose discriminant is of this type.
    Discriminant(Int),
}

impl Recorded {
    fn of(of: TypeId, types: &Types) -> Self {
        match types.kind(of) {
            Kind::Int(Int::U64) => Self::Plain,
            Kind::Int(int) if int.width == Width::W128 => Self::Wide(*int),
            Kind::Float(Float::F32) => Self::Single,
            Kind::Float(Float::F64) => Self::Double,
            Kind::Adt(_) => {
                let discriminant = types.as_int(types.discriminant_type(of));
                Self::Discriminant(discriminant.unwrap_or(Int::ISIZE))
            }
            _ => Self::Cast,
        }
    }
}

/// What the `Record` that ends a block shows, if one does.
fn recorded(program: &Program, function: usize, block: usize) -> Option<&[Place]> {
    match &program.functions.get(function)?.blocks.get(block)?.terminator {
        Terminator::Record { values, .. } => Some(values),
        _ => None,
    }
}
