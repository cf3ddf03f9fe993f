//! Coverage feedback from a run of a compiler, for methods that derive cases from other cases.

/// The features of the compiler that a case reached, such as control-flow edges. The numbers mean the
/// same for all cases of one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    pub features: Vec<u64>,
}
