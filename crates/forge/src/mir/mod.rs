//! Rust's MIR: programs whose behaviour is known, because an interpreter of our own runs them while they
//! are made, when their output is computed, and whenever they shrink.
//!
//! `program.rs` and `types.rs` are the model, `layout.rs` where things lie in memory, `interpret.rs` (on
//! `memory.rs`) what a program does, `generate/` makes programs, `print.rs` writes them in the expanded form
//! of `mir!`, which compiles fast, and `shrink.rs` makes them smaller.

mod generate;
mod interpret;
mod layout;
mod memory;
mod print;
mod program;
mod scalar;
mod shrink;
mod types;

use crate::{Behaviour, Candidates, Case, Entropy, Input, Language, Method, Promise, Ticket};
use program::Program;

/// A program may take this many steps; what takes more is not generated.
const FUEL: u64 = 200_000;

#[derive(Debug)]
pub struct Mir {
    name: String,
}

impl Mir {
    /// Programs of about so many printed lines, or of a size that the ticket draws.
    pub fn sized(lines: Option<u64>) -> Self {
        let size = lines.map(|lines| format!("@{lines}")).unwrap_or_default();
        Self { name: format!("mir{size}") }
    }

    /// The case of a program; none if the program has no defined behaviour.
    fn case(ticket: &Ticket, program: &Program) -> Option<Case> {
        let hash = interpret::run(program, FUEL).ok()?;
        let statements: usize = program.functions.iter().map(program::Function::size).sum();
        Some(Case {
            ticket: ticket.clone(),
            programs: vec![crate::Program {
                name: "base".to_owned(),
                language: Language::new("rust"),
                source: print::expanded(program),
            }],
            inputs: vec![Input::default()],
            promise: Promise::Yields(vec![Behaviour::Value(format!("{hash:016x}\n"))]),
            trail: vec![format!(
                "{statements} statements in {} functions",
                program.functions.len()
            )],
            model: None,
        })
    }

    fn program(case: &Case) -> Option<Program> {
        match &case.model {
            Some(model) => serde_json::from_value(model.clone()).ok(),
            None => Some(generate::program(&mut Entropy::of(&case.ticket))),
        }
    }
}

impl Method for Mir {
    fn name(&self) -> &str {
        &self.name
    }

    fn summary(&self) -> &str {
        "generated MIR for rustc, results known"
    }

    fn language(&self) -> Language {
        Language::new("rust")
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        Self::case(ticket, &generate::program(&mut Entropy::of(ticket)))
    }

    fn whole(&self, case: &Case) -> Case {
        let model = Self::program(case).and_then(|program| serde_json::to_value(program).ok());
        Case { model, ..case.clone() }
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let Some(program) = Self::program(case) else { return Box::new(std::iter::empty()) };
        Box::new(shrink::candidates(&program).filter_map(|program| {
            let smaller = Self::case(&case.ticket, &program)?;
            // Without its model a case would shrink from what its ticket makes, all over again.
            let model = serde_json::to_value(&program).ok()?;
            Some(Case { model: Some(model), ..smaller })
        }))
    }
}

#[cfg(test)]
mod tests;
