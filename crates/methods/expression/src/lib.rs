//! Metamorphic testing with proven identities: a small function over words, a mutant of it that must
//! behave the same because every rewrite between the two is proven, and the exact behaviour of both on
//! chosen inputs, because the evaluator knows it.
//!
//! `generate` grows the base from terms, `identity::apply` makes the mutant, `places` decides where
//! constants stand, `inputs` chooses what to call it on (by the `corners` that `run` sees), and a file in
//! `languages/` writes it down. `shrink` makes it smaller, `narrow` its words.

mod aims;
mod corners;
mod crowd;
mod dialect;
mod folding;
mod generate;
mod inputs;
pub mod languages;
mod lively;
mod menu;
mod narrow;
mod places;
mod program;
mod run;
mod saved;
mod shrink;
mod signature;
mod tame;
mod twins;
mod writing;

#[cfg(test)]
mod planted;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use forge::{Candidates, Case, Entropy, Language, Method, Ticket};
use identity::apply::Rulebook;
use identity::kernel::Semantics;
use identity::{Library, Standing};

pub use dialect::{Constants, Dialect, Frame, STEM, Style, Typed};
pub use folding::{Folded, Folding};
pub use places::{Place, Places};
pub use program::{Body, Inline, Step};
pub use run::Fate;
pub use signature::{Entry, Kind, NoSignature, Signature};
pub use tame::Tame;
pub use writing::{Named, Writing};

use crowd::Crowd;
use saved::Saved;
use twins::Twins;

/// How often a base is grown until there is one with an input whose fate is known.
const ATTEMPTS: usize = 20;

/// The method for one language.
#[derive(Debug)]
pub struct Expression {
    dialect: &'static Dialect,
    /// The rules by style, made ready when they are first needed, which takes a moment.
    books: OnceLock<Vec<Rulebook>>,
}

impl Expression {
    pub fn new(dialect: &'static Dialect) -> Self {
        Self { dialect, books: OnceLock::new() }
    }

    fn books(&self) -> &[Rulebook] {
        self.books.get_or_init(|| {
            let library = Library::shared();
            let book = |style: &Style| {
                let semantics = Semantics::named(style.semantics)?;
                let speaks = |op, from: &[u16], to| (style.speaks)(op, from, to);
                let wanted = |rule: usize, width| {
                    let entry = &library.entries[rule];
                    !entry.is_synthesised() || style.uses(rule, width)
                };
                Some(Rulebook::speaking(
                    &library.entries,
                    semantics,
                    style.widths,
                    &speaks,
                    &wanted,
                ))
            };
            self.dialect.styles.iter().filter_map(book).collect()
        })
    }

    fn book(&self, style: &str) -> Option<&Rulebook> {
        let position = self.dialect.styles.iter().position(|it| it.name == style)?;
        self.books().get(position)
    }

    fn grow(&self, ticket: &Ticket) -> Option<Twins> {
        let mut entropy = Entropy::of(ticket);
        (0..ATTEMPTS).find_map(|_| {
            let style = entropy.pick(self.dialect.styles)?;
            let book = self.book(style.name)?;
            Twins::grow(self.dialect, style, book, &mut entropy)
        })
    }

    fn twins(&self, case: &Case) -> Option<Twins> {
        match &case.model {
            Some(model) => {
                let saved: Saved = serde_json::from_value(model.clone()).ok()?;
                let book = self.book(&saved.style)?;
                saved.twins(self.dialect, book)
            }
            None => self.grow(&case.ticket),
        }
    }

    fn case(&self, ticket: &Ticket, twins: &Twins) -> Option<Case> {
        let book = self.book(twins.style.name)?;
        let semantics = Semantics::named(twins.style.semantics)?;
        let certificate = |name: &str| {
            let entry = Library::shared().named(name);
            match entry.map(|entry| entry.standing(semantics)) {
                Some(Standing::Proven { where_to, .. }) => {
                    let proofs: Vec<String> = where_to.iter().map(ToString::to_string).collect();
                    format!("proven {}", proofs.join(", "))
                }
                _ => "not in the library any more".to_owned(),
            }
        };
        twins.case(ticket.clone(), self.dialect, book, &certificate)
    }

    fn model(&self, twins: &Twins) -> Option<serde_json::Value> {
        let book = self.book(twins.style.name)?;
        serde_json::to_value(Saved::of(twins, book)).ok()
    }
}

impl Expression {
    /// Fewer functions first, then each smaller by itself.
    fn smaller_crowds(&self, crowd: Crowd) -> Candidates<'_> {
        let fewer = crowd.fewer().into_iter().map(|fewer| fewer.case(self.dialect));
        let each = (0..crowd.crowd.len()).flat_map(move |at| {
            let (crowd, ticket) = (crowd.clone(), crowd.crowd[at].ticket.clone());
            let twins = self.twins(&crowd.crowd[at]);
            let book = twins.as_ref().and_then(|twins| self.book(twins.style.name));
            let candidates = twins.zip(book).into_iter();
            let candidates = candidates.flat_map(|(twins, book)| shrink::candidates(twins, book));
            candidates.map(move |twins| {
                let smaller = self.case(&ticket, &twins)?;
                let smaller = Case { model: self.model(&twins), ..smaller };
                crowd.with(at, smaller).case(self.dialect)
            })
        });
        Box::new(fewer.chain(each))
    }
}

impl Method for Expression {
    fn name(&self) -> &str {
        self.dialect.name
    }

    fn summary(&self) -> &str {
        self.dialect.summary
    }

    fn language(&self) -> Language {
        Language::new(self.dialect.language)
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let twins = self.grow(ticket)?;
        self.case(ticket, &twins)
    }

    fn whole(&self, case: &Case) -> Case {
        if Crowd::of(case).is_some() {
            return case.clone();
        }
        let model = self.twins(case).and_then(|twins| self.model(&twins));
        Case { model, ..case.clone() }
    }

    fn crowd(&self, cases: &[Case]) -> Option<Case> {
        let crowd = cases.iter().map(|case| self.whole(case)).collect();
        Crowd { crowd }.case(self.dialect)
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        if let Some(crowd) = Crowd::of(case) {
            return self.smaller_crowds(crowd);
        }
        let twins = self.twins(case);
        let Some(book) = twins.as_ref().and_then(|twins| self.book(twins.style.name)) else {
            return Box::new(std::iter::empty());
        };
        let candidates = twins.into_iter().flat_map(|twins| shrink::candidates(twins, book));
        Box::new(candidates.map(|twins| {
            let smaller = self.case(&case.ticket, &twins)?;
            Some(Case { model: self.model(&twins), ..smaller })
        }))
    }
}
