//! Rust's MIR: programs whose behaviour is known, because an interpreter of our own runs them while they
//! are made, when their output is computed, and whenever they shrink.
//!
//! `program.rs`, `types.rs` (with `adt.rs` and `number.rs`), `object.rs` and `intrinsic.rs` are the model, `layout.rs` (with `settle.rs`) where things lie in memory,
//! `validate/` what is well-formed, `interpret/` (on `memory.rs` and `borrows.rs`) what a program does,
//! `generate/` makes programs, `print/` writes them down, and `shrink/` makes them smaller.

mod adt;
mod borrows;
#[cfg(test)]
mod coverage;
mod float;
mod generate;
mod interpret;
mod intrinsic;
mod layout;
mod memory;
mod number;
mod object;
mod print;
mod program;
mod scalar;
mod settle;
mod shrink;
mod types;
mod validate;
mod visit;

use serde::{Deserialize, Serialize};

use forge::{Behaviour, Candidates, Case, Entropy, Input, Language, Method, Promise, Ticket};
use program::Program;
use shrink::Proposal;

/// A program may take this many steps; what takes more is not generated.
const FUEL: u64 = 2_000_000;

/// What a program may print by name, in bytes. One that prints more is told by its hash.
const NAMED: usize = 1 << 16;

const NAME: &str = "mir";

/// The method.
#[derive(Debug)]
pub struct Mir {
    name: String,
    lines: Option<u64>,
}

/// What shrinking needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Model {
    telling: Telling,
    program: Program,
}

/// How a program is written down, and what it prints. The code in between is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Telling {
    /// Compiles fast, and prints a hash.
    Fast,
    /// Can be read, and prints what it does by name.
    Readable,
}

impl Mir {
    /// Programs of about so many printed lines, or of a size that the ticket draws.
    pub fn sized(lines: Option<u64>) -> Self {
        let size = lines.map(|lines| format!("@{lines}")).unwrap_or_default();
        Self { name: format!("{NAME}{size}"), lines }
    }

    /// Whether a case is of this method, at any size: its programs take few steps, or the interpreter would not
    /// have run them.
    pub fn made(case: &Case) -> bool {
        case.ticket.method.split('@').next() == Some(NAME)
    }

    fn generate(&self, ticket: &Ticket) -> Program {
        generate::program(&mut Entropy::of(ticket), self.lines)
    }

    /// A case in which rustc shows where it puts the parts of a program's types, as far as the interpreter relies
    /// on it.
    pub fn layouts(&self, ticket: &Ticket) -> Case {
        let program = self.generate(ticket);
        let (source, printed) = print::layouts(&program);
        Self::told(ticket, &program, source, printed)
    }

    fn model(&self, case: &Case) -> Option<Model> {
        match &case.model {
            Some(model) => serde_json::from_value(model.clone()).ok(),
            None => Some(Model { telling: Telling::Fast, program: self.generate(&case.ticket) }),
        }
    }

    /// The case of a program; none if it has no defined behaviour, or takes too long to show it.
    fn case(ticket: &Ticket, model: &Model, fuel: u64) -> Option<Case> {
        let program = &model.program;
        let (source, printed) = match model.telling {
            Telling::Fast => {
                let output = interpret::run(program, fuel).ok()?;
                (print::expanded(program), format!("{:016x}\n", output.hash))
            }
            Telling::Readable => {
                let output = interpret::run_logged(program, fuel).ok()?;
                (print::readable(program), print::named(program, &output))
            }
        };
        if printed.len() > NAMED {
            return None;
        }
        Some(Self::told(ticket, program, source, printed))
    }

    fn told(ticket: &Ticket, program: &Program, source: String, printed: String) -> Case {
        Case {
            ticket: ticket.clone(),
            programs: vec![forge::Program {
                name: "base".to_owned(),
                language: Language::new("rust"),
                source,
            }],
            inputs: vec![Input::default()],
            promise: Promise::Yields(vec![Behaviour::Value(printed)]),
            trail: vec![format!(
                "{} statements in {} functions",
                program.size(),
                program.functions.len()
            )],
            model: None,
        }
    }

    fn with_model(ticket: &Ticket, model: &Model, fuel: u64) -> Option<Case> {
        let case = Self::case(ticket, model, fuel)?;
        // Without its model a case would shrink from what its ticket makes, all over again.
        Some(Case { model: Some(serde_json::to_value(model).ok()?), ..case })
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
        let program = self.generate(ticket);
        Self::case(ticket, &Model { telling: Telling::Fast, program }, FUEL)
    }

    fn whole(&self, case: &Case) -> Case {
        let model = self.model(case).and_then(|model| serde_json::to_value(model).ok());
        Case { model, ..case.clone() }
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let Some(model) = self.model(case) else { return Box::new(std::iter::empty()) };
        let telling = model.telling;
        // What goes around much longer than this program did has become an endless one.
        let steps = interpret::run(&model.program, FUEL).map_or(0, |output| output.steps);
        // What is the same every time can become a constant.
        let observed = interpret::observe(&model.program, FUEL).unwrap_or_default();
        let fuel = (2 * steps + 1_000).min(FUEL);
        let smaller = shrink::proposals(&model.program, observed, fuel);
        let readable = (telling == Telling::Fast).then(|| {
            let program = model.program.clone();
            let proposal: Proposal = Box::new(move || Some(program));
            (Telling::Readable, proposal)
        });
        let smaller = smaller.map(move |proposal| (telling, proposal));
        let proposals = Box::new(readable.into_iter().chain(smaller));
        Box::new(Smaller { ticket: &case.ticket, proposals, fuel })
    }

    /// As plain Rust, where there is a way to say it.
    fn retellings(&self, case: &Case) -> Vec<Case> {
        let plain = || {
            let program = self.model(case)?.program;
            let output = interpret::run_logged(&program, FUEL).ok()?;
            let source = print::surface(&program)?;
            let mut told =
                Self::told(&case.ticket, &program, source, print::named(&program, &output));
            told.trail.push("as plain Rust".to_owned());
            Some(told)
        };
        plain().into_iter().collect()
    }
}

/// Cases of smaller programs.
struct Smaller<'a> {
    ticket: &'a Ticket,
    proposals: Box<dyn Iterator<Item = (Telling, Proposal)> + Send + 'a>,
    fuel: u64,
}

impl Iterator for Smaller<'_> {
    type Item = Option<Case>;

    fn next(&mut self) -> Option<Option<Case>> {
        self.nth(0)
    }

    /// Passes over programs without making them.
    fn nth(&mut self, count: usize) -> Option<Option<Case>> {
        let (telling, proposal) = self.proposals.nth(count)?;
        let case = |program| Mir::with_model(self.ticket, &Model { telling, program }, self.fuel);
        Some(proposal().and_then(case))
    }
}

#[cfg(test)]
mod tests;
