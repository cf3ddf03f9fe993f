//! A method generates cases and shrinks them. Each is a crate under `crates/methods` and a line in the
//! table there.

use crate::{Case, Entropy, Interface, Language, Lineage, Shape, Ticket};

/// Smaller cases, made lazily, because most of them are never requested. `None` stands for a candidate that turned
/// out to be invalid. Skipping candidates (`nth`) should be cheap.
pub type Candidates<'a> = Box<dyn Iterator<Item = Option<Case>> + Send + 'a>;

/// Generates cases, proposes smaller ones and restates them.
pub trait Method: Send + Sync {
    /// The name used by `--method` and in tickets.
    fn name(&self) -> &str;

    /// Must be increased by one whenever the case of any ticket changes. Part of every ticket, and of
    /// the key under which progress is stored.
    fn revision(&self) -> u32;

    /// A description in half a line.
    fn summary(&self) -> &str;

    /// The language of its programs.
    fn language(&self) -> Language;

    /// The interface of its programs.
    fn interface(&self) -> Interface;

    /// The number of valid indices per seed; `None` if unlimited.
    fn space(&self) -> Option<u64>;

    /// The ticket of an index, with the current revision.
    fn ticket(&self, seed: u64, index: u64) -> Ticket {
        Ticket::new(self.name(), seed, index).at(self.revision())
    }

    /// The case of a ticket; `None` if its index is outside the space.
    fn make(&self, ticket: &Ticket) -> Option<Case>;

    /// The template of a ticket's program, with its placeholders and its number of solutions, or the program of a
    /// solution of it. `None` if the method has no templates, or the template has no solution with this number.
    fn template(&self, ticket: &Ticket, solution: Option<u128>) -> Option<String> {
        let _ = (ticket, solution);
        None
    }

    /// A case derived from other cases; `None` if these cannot be combined. The owner of the corpus sets
    /// its origin.
    fn derive(&self, parents: &[&Case], entropy: &mut Entropy) -> Option<Case> {
        let _ = (parents, entropy);
        None
    }

    /// The program of a corpus that a case began with, and the operators since; `None` if the method has no corpus.
    fn lineage(&self, case: &Case) -> Option<Lineage> {
        let _ = case;
        None
    }

    /// Why a case cannot be reduced although it names this method: its model was changed, or is not of this version.
    fn objection(&self, case: &Case) -> Option<String> {
        let _ = case;
        None
    }

    /// Combines several cases into one, for a failure that needs all of them; `None` if the method cannot
    /// combine programs.
    fn crowd(&self, cases: &[Case]) -> Option<Case> {
        let _ = cases;
        None
    }

    /// Smaller cases, as valid as this one, that may still break the same promise; the largest cuts come
    /// first. The order should be similar for a case and its successor: a reduction continues at the
    /// position where it last succeeded.
    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a>;

    /// Cases with less nesting, the least first, as valid as this one. A reduction tries them before all others
    /// where the compiler's stack was too small, or where that may be so.
    fn shallower<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let _ = case;
        Box::new(std::iter::empty())
    }

    /// What a program looks like, without constants and numbered names. Crashes that have nothing else in common
    /// are compared by it.
    fn shape(&self, case: &Case) -> Shape {
        Shape::of_sources(case)
    }

    /// The same program in other forms, such as plain Rust instead of MIR, each with its own promise; the
    /// last step of its trail names the form. Triage tries these forms on a reduced finding.
    fn restatements(&self, case: &Case) -> Vec<Case> {
        let _ = case;
        vec![]
    }
}
