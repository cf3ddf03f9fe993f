//! A method makes cases and makes them smaller. Each is a crate under `crates/methods` and a line in
//! the table there.

use crate::{Case, Entropy, Interface, Language, Shape, Ticket};

/// Smaller cases, made one at a time, because most of them are never asked for; none in the place of one that
/// turns out to be no case. Skipping some (`nth`) should cost little.
pub type Candidates<'a> = Box<dyn Iterator<Item = Option<Case>> + Send + 'a>;

pub trait Method: Send + Sync {
    /// What `--method` and tickets call it.
    fn name(&self) -> &str;

    /// Goes up by one whenever the case of any ticket changes. Part of every ticket, and of the key
    /// under which progress is stored.
    fn revision(&self) -> u32;

    /// What it is, in half a line.
    fn summary(&self) -> &str;

    /// The language that its programs are written in.
    fn language(&self) -> Language;

    /// What its programs are to those who compile and run them.
    fn interface(&self) -> Interface;

    /// How many different indices there are for one seed; none if there is no end.
    fn space(&self) -> Option<u64>;

    /// The ticket of an index, of this revision.
    fn ticket(&self, seed: u64, index: u64) -> Ticket {
        Ticket::new(self.name(), seed, index).at(self.revision())
    }

    /// The case of a ticket; none where the ticket lies outside the space.
    fn make(&self, ticket: &Ticket) -> Option<Case>;

    /// A case made from other cases; none where these cannot be used so. Its origin is filled in by
    /// whoever keeps the corpus.
    fn derive(&self, parents: &[&Case], entropy: &mut Entropy) -> Option<Case> {
        let _ = (parents, entropy);
        None
    }

    /// Several cases as one, for a failure that they show together and none of them alone, where programs
    /// can be put together.
    fn crowd(&self, cases: &[Case]) -> Option<Case> {
        let _ = cases;
        None
    }

    /// Cases that are smaller, as valid as this one, and may still break the same promise; the boldest
    /// first. The order should change little from a case to its successor: a reduction goes on where
    /// it succeeded last.
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

    /// The same program in other forms, such as plain Rust instead of MIR, each with a promise of its
    /// own; the last step of its trail says which. A finding is tried in these forms once it is reduced.
    fn restatements(&self, case: &Case) -> Vec<Case> {
        let _ = case;
        vec![]
    }
}
