//! The solution space of a template: attribute variables with finite domains and the constraints between them.
//!
//! Equalities are united at once. All other constraints are binary relations, and their graph is kept a forest: a
//! constraint that would close a cycle fixes a variable first. Arc consistency then decides solvability exactly,
//! solutions are counted exactly, and the k-th one is found in time linear in the number of variables.

mod count;
mod domain;
mod relation;
mod space;
mod spread;

pub use count::Enumeration;
pub use domain::{
    ARRAY_LENGTHS, BYTES_TYPES, FRACTIONS, INTEGERS, ORDERED, SIGNED, TYPES, UNSIGNED, type_bit,
    type_value, values,
};
pub use relation::Relation;
pub use space::{Space, VariableKind};
pub(crate) use spread::mix;
pub use spread::spread;
