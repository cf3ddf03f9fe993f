//! The code around the functions: recording, helper functions, and `main`.

use super::types::Lifetime;
use super::{Form, Printer, Recorded, recorded};
use crate::types::Kind;

/// The parameters of the recording function.
const WORDS: [&str; 4] = ["a", "b", "c", "d"];

impl Printer<'_> {
    /// The helper functions that the program uses.
    pub(super) fn prelude(&mut self) {
        match self.form {
            Form::Expanded => self.record_by_hash(),
            Form::Readable if self.used.record => self.record_by_name(),
            Form::Readable | Form::Surface => {}
        }
        if self.used.raise {
            self.gap();
            self.push(
                "#[inline(never)]\n\
                 fn raise() {\n    std::panic::resume_unwind(Box::new(()))\n}\n",
            );
        }
        if self.used.compare_bytes {
            self.gap();
            self.push("fn compare_bytes(a: *const u8, b: *const u8, n: usize) -> i32 {\n    ");
            self.push(if self.form == Form::Surface {
                "use std::slice::from_raw_parts;\n    \
                 unsafe { from_raw_parts(a, n).cmp(from_raw_parts(b, n)) as i32 }\n}\n"
            } else {
                "unsafe { core::intrinsics::compare_bytes(a, b, n) }.signum()\n}\n"
            });
        }
        let mut caught = std::mem::take(&mut self.used.caught);
        caught.sort_unstable();
        caught.dedup();
        for function in caught {
            self.catching_function(function);
        }
    }

    fn record_by_hash(&mut self) {
        self.push("static mut HASH: u64 = 0;\n");
        if self.used.record {
            self.push(
                "#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { \
                 for word in [id as u64, a, b, c, d] { unsafe { \
                 HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }\n",
            );
        }
    }

    fn record_by_name(&mut self) {
        let program = self.program;
        self.push(
            "\n#[inline(never)]\n\
             fn record(id: u32, a: u64, b: u64, c: u64, d: u64) {\n    match id {\n",
        );
        for (function, body) in program.functions.iter().enumerate() {
            for block in 0..body.blocks.len() {
                if recorded(program, function, block).is_some() {
                    self.push("        ");
                    self.text.hex((function << 16 | block) as u128);
                    self.push(" => ");
                    self.record_arm(function, block);
                    self.push(",\n");
                }
            }
        }
        self.push("        _ => {}\n    }\n}\n");
    }

    /// `println!("f3 bb5: _7.f1 = {:#x}, RET = {:#x}", a, b)`.
    fn record_arm(&mut self, function: usize, block: usize) {
        let program = self.program;
        let values = recorded(program, function, block).unwrap_or_default();
        self.locals = &program.functions[function].locals;
        self.push("println!(\"");
        self.record_label(function, block);
        for (index, value) in values.iter().enumerate() {
            self.push(if index > 0 { ", " } else { " " });
            self.place(value);
            self.push(" = {:#x}");
        }
        self.push("\"");
        let mut word = 0;
        for value in values {
            let of = value.type_in(self.locals, self.types).map(|of| Recorded::of(of, self.types));
            self.push(", ");
            let name = |word: usize| WORDS.get(word).copied().unwrap_or("0");
            if let Some(Recorded::Wide(_)) = of {
                self.push("(");
                self.push(name(word + 1));
                self.push(" as u128) << 64 | ");
                self.push(name(word));
                self.push(" as u128");
                word += 2;
            } else {
                self.push(name(word));
                word += 1;
            }
        }
        self.push(")");
    }

    /// `f3 bb5:`.
    pub(super) fn record_label(&mut self, function: usize, block: usize) {
        self.numbered("f", function);
        self.numbered(" bb", block);
        self.push(":");
    }

    /// The line that a record prints.
    pub(super) fn entry(&mut self, function: usize, block: usize, words: &[u64]) {
        let program = self.program;
        let Some(values) = recorded(program, function, block) else {
            return;
        };
        self.locals = &program.functions[function].locals;
        self.record_label(function, block);
        let mut words = words.iter().map(|word| u128::from(*word));
        for (index, value) in values.iter().enumerate() {
            self.push(if index > 0 { ", " } else { " " });
            self.place(value);
            self.push(" = ");
            let of = value.type_in(self.locals, self.types).map(|of| Recorded::of(of, self.types));
            let mut number = words.next().unwrap_or_default();
            if let Some(Recorded::Wide(_)) = of {
                number |= words.next().unwrap_or_default() << 64;
            }
            self.text.hex(number);
        }
        self.push("\n");
    }

    /// A function that calls another under `catch_unwind`, and returns whether it panicked.
    fn catching_function(&mut self, number: usize) {
        let program = self.program;
        let function = &program.functions[number];
        self.gap();
        let parameters = function.parameter_types();
        let lifetime = self.signature_lifetime(parameters, function.returns(), Lifetime::Parameter);
        self.numbered("fn catch_f", number);
        self.generics(lifetime, function);
        self.push("(");
        for (index, of) in parameters.iter().enumerate() {
            self.numbered(if index > 0 { ", a" } else { "a" }, index);
            self.push(": ");
            self.type_with_lifetime(*of, lifetime);
        }
        self.push(
            ") -> bool {\n    \
             std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {\n        ",
        );
        // The closure must capture a `&mut` by move: a reborrow would live no longer than the closure.
        for (index, of) in parameters.iter().enumerate() {
            if matches!(self.types.kind(*of), Kind::Reference { mutable: true, .. }) {
                self.numbered("let a", index);
                self.numbered(" = a", index);
                self.push("; ");
            }
        }
        // The return value must not be dropped.
        let forget = self.types.needs_drop(function.returns());
        self.push(if forget { "std::mem::forget(" } else { "" });
        self.numbered("f", number);
        self.push("(");
        for index in 0..parameters.len() {
            self.numbered(if index > 0 { ", a" } else { "a" }, index);
        }
        self.push(if forget { "))" } else { ")" });
        self.push(";\n    }))\n    .is_err()\n}\n");
    }

    pub(super) fn main(&mut self) {
        let program = self.program;
        self.gap();
        let (indent, end) = match self.form {
            Form::Expanded => (" ", " "),
            Form::Readable | Form::Surface => ("\n    ", "\n"),
        };
        self.push("pub fn main() {");
        self.push(indent);
        let forget = program
            .functions
            .first()
            .is_some_and(|function| self.types.needs_drop(function.returns()));
        self.push(if forget { "std::mem::forget(f0(" } else { "f0(" });
        for (index, argument) in program.arguments.iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" });
            self.push("std::hint::black_box(");
            self.constant(*argument);
            self.push(")");
        }
        self.push(if forget { "));" } else { ");" });
        if self.form == Form::Expanded {
            self.push(" println!(\"{:016x}\", unsafe { HASH });");
        }
        self.push(end);
        self.push("}\n");
    }
}
