//! What a run of a compiler tells beyond its outcome, for methods that derive cases from others.

/// The features of a compiler that a case reached, such as edges of its control flow, as numbers that
/// mean the same for all cases of one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    pub features: Vec<u64>,
}
