//! How a case of a corpus came about: what a source needs to know to choose further parents. Filled in by the method;
//! used by campaigns.

/// The program that a case began with, and the edits since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lineage {
    /// The index of the ticket that is this program as it is.
    pub seed: Option<u64>,
    /// The operators that were applied, in order. Empty for a program as it is.
    pub operators: Vec<String>,
}

impl Lineage {
    /// Whether the case is a program of the corpus as it is.
    pub fn is_seed(&self) -> bool {
        self.operators.is_empty()
    }
}
