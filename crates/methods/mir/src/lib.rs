//! Custom MIR for rustc: programs whose behaviour is known, because our own interpreter runs them while they are
//! generated, when the expected output is computed, and at each step of shrinking.
//!
//! Model: `program.rs`, `types.rs` (with `adt.rs` and `number.rs`), `object.rs`, `intrinsic.rs`. Memory layout:
//! `layout.rs` (with `recursive_layout.rs`). Well-formedness: `validate/`. Behaviour: `interpret/` (on `memory.rs`
//! and `borrows.rs`). `generate/` makes programs, `print/` writes them as source text, and `shrink/` makes them
//! smaller.

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
mod recursive_layout;
mod scalar;
mod shrink;
mod types;
mod validate;
mod visit;

use std::borrow::Cow;

use forge::{
    Behaviour, Candidates, Case, Entropy, Input, Interface, Language, LiveModel, Method, Origin,
    Promise, Ticket,
};
use serde::{Deserialize, Serialize};

use program::Program;
use shrink::Proposal;

/// Steps that a program may take; longer ones are not generated.
const FUEL: u64 = 2_000_000;

/// Bytes that a program may output. A readable program that outputs more stays in the fast form.
const MAX_OUTPUT: usize = 1 << 16;

const NAME: &str = "mir";

/// Rust source whose functions are defined in custom MIR. Only rustc compiles it.
const LANGUAGE: &str = "mir";

/// The method.
#[derive(Debug)]
pub struct Mir {
    name: String,
    lines: Option<u64>,
}

/// The stored model of a case. Shrinking works on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Model {
    #[serde(rename = "telling")]
    form: Form,
    program: Program,
}

/// How a program is printed, and what it outputs. The functions are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Form {
    /// Compiles fast, and outputs a hash.
    Fast,
    /// Readable, and outputs each recorded value by name.
    Readable,
}

impl Mir {
    /// A method that generates programs of about `lines` printed lines. Without `lines` each ticket draws a size.
    pub fn sized(lines: Option<u64>) -> Self {
        let size = lines.map(|lines| format!("@{lines}")).unwrap_or_default();
        Self { name: format!("{NAME}{size}"), lines }
    }

    fn generate(&self, ticket: &Ticket) -> Program {
        generate::program(&mut Entropy::of(ticket), self.lines)
    }

    /// A case that prints those layouts of a program's types on which the interpreter relies, as rustc has them.
    pub fn layouts(&self, ticket: &Ticket) -> Case {
        let program = self.generate(ticket);
        let (source, printed) = print::layouts(&program);
        let language = Language::new(LANGUAGE);
        let model = Model { form: Form::Fast, program };
        Self::yielding(&ticket.clone().into(), language, model, source, printed)
    }

    fn model(case: &Case) -> Option<Cow<'_, Model>> {
        match case.model.as_live() {
            Some(model) => Some(Cow::Borrowed(model)),
            // A stored model may come from anywhere.
            None => {
                let model: Model = serde_json::from_value(case.model.value()?).ok()?;
                validate::validate(&model.program).ok()?;
                Some(Cow::Owned(model))
            }
        }
    }

    /// The case of a program. `None` if its behaviour is undefined, or it exceeds the fuel or [`MAX_OUTPUT`].
    fn case(origin: &Origin, model: Model, fuel: u64) -> Option<Case> {
        let program = &model.program;
        let (source, printed) = match model.form {
            Form::Fast => {
                let output = interpret::run(program, fuel).ok()?;
                (print::expanded(program), format!("{:016x}\n", output.hash))
            }
            Form::Readable => {
                let output = interpret::run_logged(program, fuel).ok()?;
                (print::readable(program), print::named(program, &output))
            }
        };
        if printed.len() > MAX_OUTPUT {
            return None;
        }
        Some(Self::yielding(origin, Language::new(LANGUAGE), model, source, printed))
    }

    /// A case that promises an output.
    fn yielding(
        origin: &Origin,
        language: Language,
        model: Model,
        source: String,
        printed: String,
    ) -> Case {
        let program = &model.program;
        Case {
            origin: origin.clone(),
            programs: vec![forge::Program {
                name: "base".to_owned(),
                language,
                interface: Interface::Program,
                source,
            }],
            inputs: vec![Input::default()],
            promise: Promise::Yields(vec![Behaviour::Value(printed)]),
            trail: vec![format!(
                "{} statements in {} functions",
                program.size(),
                program.functions.len()
            )],
            model: forge::Model::live(model),
        }
    }
}

impl LiveModel for Model {
    fn stored(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self).ok()
    }
}

impl Method for Mir {
    fn name(&self) -> &str {
        &self.name
    }

    fn revision(&self) -> u32 {
        2
    }

    fn summary(&self) -> &str {
        "generated MIR for rustc, results known"
    }

    fn language(&self) -> Language {
        Language::new(LANGUAGE)
    }

    fn interface(&self) -> Interface {
        Interface::Program
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let program = self.generate(ticket);
        Self::case(&ticket.clone().into(), Model { form: Form::Fast, program }, FUEL)
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let Some(model) = Self::model(case) else { return Box::new(std::iter::empty()) };
        let form = model.form;
        // A candidate that takes many more steps than this program probably has an infinite loop.
        let steps = interpret::run(&model.program, FUEL).map_or(0, |output| output.steps);
        // Operands and results with the same value on every execution can become constants.
        let observed = interpret::observe(&model.program, FUEL).unwrap_or_default();
        let fuel = (2 * steps + 1_000).min(FUEL);
        let smaller = shrink::proposals(&model.program, observed, fuel);
        let readable = (form == Form::Fast).then(|| {
            let program = model.program.clone();
            let proposal: Proposal = Box::new(move || Some(program));
            (Form::Readable, proposal)
        });
        let smaller = smaller.map(move |proposal| (form, proposal));
        let proposals = Box::new(readable.into_iter().chain(smaller));
        Box::new(Smaller { origin: &case.origin, proposals, fuel })
    }

    /// The program as plain Rust, if it can be expressed without custom MIR.
    fn restatements(&self, case: &Case) -> Vec<Case> {
        let plain = || {
            let model = Self::model(case)?.into_owned();
            let output = interpret::run_logged(&model.program, FUEL).ok()?;
            let source = print::surface(&model.program)?;
            let printed = print::named(&model.program, &output);
            let language = Language::new("rust");
            let mut case = Self::yielding(&case.origin, language, model, source, printed);
            case.trail.push("as plain Rust".to_owned());
            Some(case)
        };
        plain().into_iter().collect()
    }
}

/// Builds the cases of smaller programs lazily.
struct Smaller<'a> {
    origin: &'a Origin,
    proposals: Box<dyn Iterator<Item = (Form, Proposal)> + Send + 'a>,
    fuel: u64,
}

impl Iterator for Smaller<'_> {
    type Item = Option<Case>;

    fn next(&mut self) -> Option<Option<Case>> {
        self.nth(0)
    }

    /// Skips candidates without building them.
    fn nth(&mut self, count: usize) -> Option<Option<Case>> {
        let (form, proposal) = self.proposals.nth(count)?;
        let case = |program| Mir::case(self.origin, Model { form, program }, self.fuel);
        Some(proposal().and_then(case))
    }
}

#[cfg(test)]
mod tests;
