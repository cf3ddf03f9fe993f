//! A method makes cases and makes them smaller. Each is one folder in this crate and one line in the
//! table of `methods.rs`.

use crate::{Case, Language, Ticket};

/// Smaller cases, made one at a time, because most of them are never asked for; none in the place of one that
/// turns out to be no case. To pass over some (`nth`) should cost little.
pub type Candidates<'a> = Box<dyn Iterator<Item = Option<Case>> + Send + 'a>;

pub trait Method: Send + Sync {
    /// What `--method` and tickets call it.
    fn name(&self) -> &str;

    /// What it is, in half a line.
    fn summary(&self) -> &str;

    fn language(&self) -> Language;

    /// How many different indices there are for one seed; none if there is no end.
    fn space(&self) -> Option<u64>;

    /// The case of a ticket; none where the ticket lies outside the space.
    fn make(&self, ticket: &Ticket) -> Option<Case>;

    /// The same case with everything in it that shrinking needs, to be kept on disk.
    fn whole(&self, case: &Case) -> Case {
        case.clone()
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

    /// The same program told in other ways, such as in another dialect of its language, each with a
    /// promise of its own; the last step of its trail says which. A finding is tried in these forms once
    /// it is reduced.
    fn retellings(&self, case: &Case) -> Vec<Case> {
        let _ = case;
        vec![]
    }
}
