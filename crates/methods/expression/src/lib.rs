//! Metamorphic testing with proven identities: a small integer function (the base), a mutant that is equivalent because
//! every rewrite between the two is proven, and the expected result of both on chosen inputs, from the evaluator.
//!
//! `generate` grows the base from terms, `identity::apply` makes the mutant, `places` decides which constants are
//! literals, globals or arguments, `inputs` chooses arguments (by the `edge_cases` that `run` reports), and `printer` writes
//! the source with the syntax of a file in `languages/`. `shrink` reduces a case,
//! `shallow` its nesting, `narrow` the width of its words.

mod constants;
mod crowd;
mod dialect;
mod edge_cases;
mod folding;
mod generate;
mod idiom;
mod inputs;
pub mod languages;
mod narrow;
mod no_wrap;
mod nontrivial;
mod pair;
mod places;
mod printer;
mod program;
mod run;
mod saved;
mod shallow;
mod shrink;
mod signature;
mod targeted_inputs;
mod writing;

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod planted;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use forge::{
    Candidates, Case, Entropy, Interface, Language, LiveModel, Method, Model, Origin, Shape, Ticket,
};
use identity::apply::Rulebook;
use identity::kernel::Semantics;
use identity::{Library, Standing};

pub use dialect::{Constants, Dialect, Frame, Limits, STEM, Style, TRAP, TrapKinds, Typed};
pub use folding::{Folded, Folding};
pub use idiom::{Found, Idiom};
pub use no_wrap::NoWrap;
pub use places::{Place, Places};
pub use program::{Body, Inline, Step};
pub use run::Fate;
pub use signature::{Entry, Kind, NoSignature, Signature};
pub use writing::{Leaf, Named, Writing};

use crowd::Crowd;
use pair::Pair;
use saved::Saved;

/// How many bases are grown until one has an input with a known result.
const ATTEMPTS: usize = 20;

/// The method for one language.
#[derive(Debug)]
pub struct Expression {
    dialect: &'static Dialect,
    /// The rules by style, prepared on first use, since that takes a moment.
    books: OnceLock<Vec<Arc<Rulebook>>>,
}

impl Expression {
    pub fn new(dialect: &'static Dialect) -> Self {
        Self { dialect, books: OnceLock::new() }
    }

    fn books(&self) -> &[Arc<Rulebook>] {
        self.books.get_or_init(|| {
            let library = Library::shared();
            let book = |style: &Style| {
                let semantics = Semantics::named(style.semantics)?;
                let supports = |op, from: &[u16], to| (style.supports)(op, from, to);
                let wanted = |rule: usize, width| {
                    let entry = &library.entries[rule];
                    !entry.is_synthesised() || style.uses(rule, width)
                };
                let widths = style.widths;
                let book =
                    Rulebook::speaking(&library.entries, semantics, widths, &supports, &wanted);
                Some(Arc::new(book))
            };
            self.dialect.styles.iter().filter_map(book).collect()
        })
    }

    fn book(&self, style: &str) -> Option<&Arc<Rulebook>> {
        let position = self.dialect.styles.iter().position(|it| it.name == style)?;
        self.books().get(position)
    }

    fn grow(&self, ticket: &Ticket) -> Option<Pair> {
        let mut entropy = Entropy::of(ticket);
        (0..ATTEMPTS).find_map(|_| {
            let style = entropy.pick(self.dialect.styles)?;
            let book = self.book(style.name)?;
            Pair::grow(self.dialect, style, book, &mut entropy)
        })
    }

    fn pair(&self, case: &Case) -> Option<Pair> {
        if let Some(kept) = case.model.as_live::<Kept>() {
            return Some(kept.pair.clone());
        }
        let saved: Saved = serde_json::from_value(case.model.value()?).ok()?;
        let book = self.book(&saved.style)?;
        saved.pair(self.dialect, book)
    }

    fn case(&self, origin: Origin, pair: Pair) -> Option<Case> {
        let book = self.book(pair.style.name)?;
        let semantics = Semantics::named(pair.style.semantics)?;
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
        let case = pair.case(origin, self.dialect, book, &certificate)?;
        Some(Case { model: Model::live(Kept { pair, book: Arc::clone(book) }), ..case })
    }
}

/// The model of a case in memory.
struct Kept {
    pair: Pair,
    /// Has the names by which rules are stored.
    book: Arc<Rulebook>,
}

impl LiveModel for Kept {
    fn stored(&self) -> Option<serde_json::Value> {
        serde_json::to_value(Saved::of(&self.pair, &self.book)).ok()
    }
}

impl Expression {
    /// Fewer functions first, then smaller ones.
    fn smaller_crowds(&self, crowd: Crowd) -> Candidates<'_> {
        let fewer = crowd.fewer().into_iter().map(|fewer| fewer.case(self.dialect));
        let each = (0..crowd.crowd.len()).flat_map(move |at| {
            let (crowd, origin) = (crowd.clone(), crowd.crowd[at].origin.clone());
            let pair = self.pair(&crowd.crowd[at]);
            let book = pair.as_ref().and_then(|pair| self.book(pair.style.name));
            let candidates = pair.zip(book).into_iter();
            let candidates = candidates.flat_map(|(pair, book)| shrink::candidates(pair, book));
            candidates.map(move |pair| {
                let smaller = self.case(origin.clone(), pair)?;
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

    fn revision(&self) -> u32 {
        4
    }

    fn summary(&self) -> &str {
        self.dialect.summary
    }

    fn language(&self) -> Language {
        Language::new(self.dialect.language)
    }

    fn interface(&self) -> Interface {
        Interface::Function
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let pair = self.grow(ticket)?;
        self.case(ticket.clone().into(), pair)
    }

    fn crowd(&self, cases: &[Case]) -> Option<Case> {
        Crowd { crowd: cases.to_vec() }.case(self.dialect)
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        if let Some(crowd) = Crowd::of(case) {
            return self.smaller_crowds(crowd);
        }
        let pair = self.pair(case);
        let Some(book) = pair.as_ref().and_then(|pair| self.book(pair.style.name)) else {
            return Box::new(std::iter::empty());
        };
        let candidates = pair.into_iter().flat_map(|pair| shrink::candidates(pair, book));
        Box::new(candidates.map(|pair| self.case(case.origin.clone(), pair)))
    }

    fn shallower<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        // A crowd becomes a single function first.
        if Crowd::of(case).is_some() {
            return Box::new(std::iter::empty());
        }
        let candidates = self.pair(case).into_iter().flat_map(shallow::candidates);
        Box::new(candidates.map(|pair| self.case(case.origin.clone(), pair)))
    }

    /// The operators, in the order of evaluation.
    fn shape(&self, case: &Case) -> Shape {
        let Some(pair) = self.pair(case) else { return Shape::of_sources(case) };
        let sites: Vec<_> = pair.bodies().into_iter().flat_map(Body::sites).collect();
        let operators = pair.terms.in_order(&sites).into_iter().map(|term| pair.terms.op(term));
        operators.filter(|op| op.arity() > 0).map(|op| format!("{op:?}")).collect()
    }
}
