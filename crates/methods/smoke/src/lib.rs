//! The smallest method that is one: straight-line arithmetic on 32-bit words whose results are known.
//!
//! It is what the hunt loop is tested with (in a toy language that only the tests' fake compiler
//! reads), what shows a newcomer how a method is written, and a first check of any C or Rust compiler
//! that a user describes. It is not meant to surprise a mature compiler.

mod generate;
mod print;
mod recipe;
mod shrink;

use forge::{Candidates, Case, Entropy, Input, Language, Method, Program, Promise, Ticket};
use print::Printer;
use recipe::{Aim, Recipe};

#[derive(Debug)]
pub struct Smoke {
    name: &'static str,
    summary: &'static str,
    language: &'static str,
    print: Printer,
}

impl Smoke {
    pub fn c() -> Self {
        Self {
            name: "smoke-c",
            summary: "straight-line 32-bit arithmetic in C, results known",
            language: "c",
            print: print::c,
        }
    }

    pub fn rust() -> Self {
        Self {
            name: "smoke-rust",
            summary: "straight-line 32-bit arithmetic in Rust, results known",
            language: "rust",
            print: print::rust,
        }
    }

    pub fn toy() -> Self {
        Self {
            name: "smoke-toy",
            summary: "the same in a toy language, for testing Mistrust itself",
            language: "toy",
            print: print::toy,
        }
    }

    fn case(&self, ticket: Ticket, recipe: &Recipe) -> Case {
        let program = |name: &str, recipe: &Recipe| Program {
            name: name.to_owned(),
            language: self.language(),
            source: (self.print)(recipe),
        };
        let mut programs = vec![program("base", recipe)];
        let mut trail = vec![format!("{} statements", recipe.statements.len())];
        if recipe.aim == Aim::Equivalent {
            programs.push(program("variant-1", &recipe.commuted()));
            trail
                .push("variant-1: the operands of every commutative operator exchanged".to_owned());
        }
        let promise = match recipe.aim {
            Aim::Survives => Promise::Survives,
            Aim::Compiles => Promise::Compiles,
            Aim::Yields => Promise::Yields(recipe.behaviours()),
            Aim::Agrees => Promise::Agrees,
            Aim::Equivalent => Promise::Equivalent,
        };
        let inputs = recipe.inputs.iter().map(|words| Input {
            arguments: words.iter().map(u32::to_string).collect(),
            ..Input::default()
        });
        Case { ticket, programs, inputs: inputs.collect(), promise, trail, model: None }
    }

    /// The model of a case: what it carries, or what its ticket makes.
    fn recipe(&self, case: &Case) -> Option<Recipe> {
        match &case.model {
            Some(model) => serde_json::from_value(model.clone()).ok(),
            None => Some(generate::recipe(&mut Entropy::of(&case.ticket), case.ticket.index)),
        }
    }
}

impl Method for Smoke {
    fn name(&self) -> &str {
        self.name
    }

    fn summary(&self) -> &str {
        self.summary
    }

    fn language(&self) -> Language {
        Language::new(self.language)
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let recipe = generate::recipe(&mut Entropy::of(ticket), ticket.index);
        Some(self.case(ticket.clone(), &recipe))
    }

    fn whole(&self, case: &Case) -> Case {
        let model = self.recipe(case).and_then(|recipe| serde_json::to_value(recipe).ok());
        Case { model, ..case.clone() }
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let Some(recipe) = self.recipe(case) else { return Box::new(std::iter::empty()) };
        let candidates = shrink::candidates(recipe);
        Box::new(candidates.map(|recipe| {
            let smaller = self.case(case.ticket.clone(), &recipe);
            Some(Case { model: serde_json::to_value(&recipe).ok(), ..smaller })
        }))
    }
}

#[cfg(test)]
mod tests;
