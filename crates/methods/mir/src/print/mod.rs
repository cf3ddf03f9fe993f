//! Programs as text, in three forms: `mir!` in its expanded form, which rustc reads about twice as fast as the macro;
//! the macro, for people; and plain Rust.

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

/// The expanded form: nested blocks instead of a macro. The program prints a hash of all recorded values.
pub(crate) fn expanded(program: &Program) -> String {
    Printer::new(program, Form::Expanded).print()
}

/// The readable form, with the macro `mir!`. The program prints each recorded value by name.
pub(crate) fn readable(program: &Program) -> String {
    Printer::new(program, Form::Readable).print()
}

/// Plain Rust that prints the same as the readable form; none if the program cannot be expressed in it.
pub(crate) fn surface(program: &Program) -> Option<String> {
    Printer::new(&without_tail_calls(program), Form::Surface).surface()
}

/// Replaces tail calls, which stable Rust lacks, by calls whose results are returned.
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

/// The expected output of the readable form.
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
    /// The locals of the function that is being printed.
    locals: &'a [TypeId],
    /// Which structs, unions and enums have a lifetime parameter.
    has_lifetime: Vec<bool>,
    form: Form,
    used: UsedHelpers,
}

/// Which helper functions the program needs.
#[derive(Default)]
struct UsedHelpers {
    record: bool,
    raise: bool,
    compare_bytes: bool,
    caught: Vec<usize>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, form: Form) -> Self {
        let text = Text { out: String::with_capacity(1024 + 48 * program.size()) };
        let types = &program.types;
        let has_lifetime = types::has_lifetime(types);
        Self { text, program, types, locals: &[], has_lifetime, form, used: UsedHelpers::default() }
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

    /// The macro recurses once per statement and declaration.
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

    /// Text followed by a number.
    fn numbered(&mut self, name: &str, number: usize) {
        self.text.push(name);
        self.text.number(number);
    }

    /// A blank line before an item, except in the expanded form.
    fn gap(&mut self) {
        if self.form != Form::Expanded {
            self.push("\n");
        }
    }
}

/// How a value is converted to words to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recorded {
    /// A `u64`, unchanged.
    Plain,
    /// By `as u64`.
    Cast,
    Single,
    Double,
    /// Two words.
    Wide(Int),
    /// An enum with a discriminant of this type.
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

/// The values of the `Record` that ends a block, if one does.
fn recorded(program: &Program, function: usize, block: usize) -> Option<&[Place]> {
    match &program.functions.get(function)?.blocks.get(block)?.terminator {
        Terminator::Record { values, .. } => Some(values),
        _ => None,
    }
}
