//! The smallest method: straight-line arithmetic on 32-bit words, with known results.
//!
//! The hunt loop is tested with it (in a toy language that only the fake compiler of the tests reads).
//! It is the example for new methods, and a first check of a C or Rust compiler that a user describes.
//! It is not expected to find bugs in a mature compiler.

mod generate;
mod print;
mod recipe;
mod shrink;

use std::borrow::Cow;

use forge::{
    Candidates, Case, Entropy, Input, Interface, Language, LiveModel, Method, Model, Origin,
    Program, Promise, Shape, Ticket,
};
use print::Printer;
use recipe::{Promised, Recipe};

/// The method for one language.
#[derive(Debug)]
pub struct Smoke {
    name: &'static str,
    summary: &'static str,
    /// The key of its entropy stream: the method's first name, so that a renaming changes no programs.
    stream: &'static str,
    language: &'static str,
    print: Printer,
}

impl Smoke {
    pub fn c() -> Self {
        Self {
            name: "smoke-c",
            summary: "straight-line 32-bit arithmetic in C, results known",
            stream: "drill-c",
            language: "c",
            print: print::c,
        }
    }

    pub fn rust() -> Self {
        Self {
            name: "smoke-rust",
            summary: "straight-line 32-bit arithmetic in Rust, results known",
            stream: "drill-rust",
            language: "rust",
            print: print::rust,
        }
    }

    pub fn toy() -> Self {
        Self {
            name: "smoke-toy",
            summary: "straight-line 32-bit arithmetic in a toy language, for testing Mistrust itself",
            stream: "drill-toy",
            language: "toy",
            print: print::toy,
        }
    }

    fn case(&self, origin: Origin, recipe: Recipe) -> Case {
        let program = |name: &str, recipe: &Recipe| Program {
            name: name.to_owned(),
            language: self.language(),
            interface: self.interface(),
            source: (self.print)(recipe),
        };
        let mut programs = vec![program("base", &recipe)];
        let mut trail = vec![format!("{} statements", recipe.statements.len())];
        if recipe.promise == Promised::Equivalent {
            programs.push(program("variant-1", &recipe.commuted()));
            trail
                .push("variant-1: the operands of every commutative operator exchanged".to_owned());
        }
        let promise = match recipe.promise {
            Promised::Survives => Promise::Survives,
            Promised::Compiles => Promise::Compiles,
            Promised::Yields => Promise::Yields(recipe.behaviours()),
            Promised::Agrees => Promise::Agrees,
            Promised::Equivalent => Promise::Equivalent,
        };
        let inputs = recipe.inputs.iter().map(|words| Input {
            arguments: words.iter().map(u32::to_string).collect(),
            ..Input::default()
        });
        let inputs = inputs.collect();
        Case { origin, programs, inputs, promise, trail, model: Model::live(recipe) }
    }

    fn recipe(case: &Case) -> Option<Cow<'_, Recipe>> {
        match case.model.as_live() {
            Some(recipe) => Some(Cow::Borrowed(recipe)),
            // A stored recipe may come from anywhere.
            None => {
                let recipe: Recipe = serde_json::from_value(case.model.value()?).ok()?;
                recipe.is_bounded().then_some(Cow::Owned(recipe))
            }
        }
    }
}

impl LiveModel for Recipe {
    fn stored(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self).ok()
    }
}

impl Method for Smoke {
    fn name(&self) -> &str {
        self.name
    }

    fn revision(&self) -> u32 {
        1
    }

    fn summary(&self) -> &str {
        self.summary
    }

    fn language(&self) -> Language {
        Language::new(self.language)
    }

    fn interface(&self) -> Interface {
        Interface::Program
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let key = Ticket::new(self.stream, ticket.seed, ticket.index);
        let recipe = generate::recipe(&mut Entropy::of(&key), ticket.index);
        Some(self.case(ticket.clone().into(), recipe))
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let Some(recipe) = Self::recipe(case) else { return Box::new(std::iter::empty()) };
        let candidates = shrink::candidates(recipe.into_owned());
        Box::new(candidates.map(|recipe| Some(self.case(case.origin.clone(), recipe))))
    }

    /// The operators.
    fn shape(&self, case: &Case) -> Shape {
        let Some(recipe) = Self::recipe(case) else { return Shape::of_sources(case) };
        recipe.statements.iter().map(|it| format!("{:?}", it.operator)).collect()
    }
}

#[cfg(test)]
mod tests;
