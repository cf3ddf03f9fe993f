//! The method: the program of a ticket with one violation.

use std::borrow::Cow;

use forge::{
    Candidates, Case, Entropy, Interface, Language, LiveModel, Method, Model, Origin, Program,
    Promise, Ticket,
};
use serde::{Deserialize, Serialize};

use super::{Kind, Violation, sites, text};
use crate::method::{Recipe, Solidity};
use crate::model::Version;
use crate::print;
use crate::sealed::{self, Unsealed};
use crate::shrink;
use crate::template::mix;
use crate::view::View;

/// How many neighbouring tickets are tried if a program cannot violate anything.
const ROUNDS: u64 = 20;

/// A valid program and how it is made invalid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Spoilt {
    recipe: Recipe,
    violation: Violation,
}

impl LiveModel for Spoilt {
    fn stored(&self) -> Option<serde_json::Value> {
        sealed::seal(self)
    }
}

/// Contracts that are invalid by one attribute.
#[derive(Debug)]
pub struct Invalid {
    name: String,
    valid: Solidity,
}

impl Invalid {
    pub fn new(version: Version) -> Self {
        Self { name: version.method("-invalid"), valid: Solidity::new(version) }
    }

    /// One of the violations that a program can have: first a constraint, then a place.
    fn violation(recipe: &Recipe, entropy: &mut Entropy) -> Option<Violation> {
        let view = View::new(&recipe.template, &recipe.solution, recipe.salt);
        let all = sites::violations(&view);
        let mut kinds: Vec<Kind> = all.iter().map(|it| it.kind).collect();
        kinds.dedup();
        if kinds.is_empty() {
            return None;
        }
        let kind = kinds[(entropy.word() % kinds.len() as u64) as usize];
        let places: Vec<&Violation> = all.iter().filter(|it| it.kind == kind).collect();
        Some(*places[(entropy.word() % places.len() as u64) as usize])
    }

    fn case(&self, origin: Origin, spoilt: Spoilt) -> Option<Case> {
        let recipe = &spoilt.recipe;
        if !recipe.space.admits(&recipe.solution) {
            return None;
        }
        let view = View::new(&recipe.template, &recipe.solution, recipe.salt);
        if !sites::can_have(&view, spoilt.violation) {
            return None;
        }
        let source = text::violate(&view, &print::print(&view), spoilt.violation)?;
        Some(Case {
            origin,
            programs: vec![Program {
                name: "base".to_owned(),
                language: self.language(),
                interface: self.interface(),
                source,
            }],
            inputs: vec![],
            promise: Promise::Rejects,
            trail: vec![spoilt.violation.kind.reason().to_owned()],
            model: Model::live(spoilt),
        })
    }

    fn model(case: &Case) -> Result<Cow<'_, Spoilt>, Unsealed> {
        match case.model.as_live() {
            Some(spoilt) => Ok(Cow::Borrowed(spoilt)),
            None => sealed::open(case.model.value().ok_or(Unsealed::Foreign)?).map(Cow::Owned),
        }
    }
}

impl Method for Invalid {
    fn name(&self) -> &str {
        &self.name
    }

    fn revision(&self) -> u32 {
        4
    }

    fn summary(&self) -> &str {
        "contracts that are invalid by one attribute and must be rejected"
    }

    fn language(&self) -> Language {
        self.valid.language()
    }

    fn interface(&self) -> Interface {
        Interface::Contract
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let mut entropy = Entropy::keyed(mix(ticket.seed ^ mix(ticket.index)));
        for round in 0..ROUNDS {
            // Neighbours share a template.
            let index = ticket.index.wrapping_add(round << 32);
            let (mut recipe, _) = self.valid.recipe(&self.valid.ticket(ticket.seed, index), false);
            recipe.sequences.clear();
            let Some(violation) = Self::violation(&recipe, &mut entropy) else { continue };
            let case = self.case(ticket.clone().into(), Spoilt { recipe, violation });
            if case.is_some() {
                return case;
            }
        }
        None
    }

    fn template(&self, ticket: &Ticket, solution: Option<u128>) -> Option<String> {
        self.valid.template(&self.valid.ticket(ticket.seed, ticket.index), solution)
    }

    fn objection(&self, case: &Case) -> Option<String> {
        Self::model(case).err().map(|unsealed| unsealed.text().to_owned())
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let Ok(spoilt) = Self::model(case) else { return Box::new(std::iter::empty()) };
        let Spoilt { recipe, violation } = spoilt.into_owned();
        let candidates = shrink::candidates(recipe);
        Box::new(
            candidates
                .map(move |recipe| self.case(case.origin.clone(), Spoilt { recipe, violation })),
        )
    }
}
