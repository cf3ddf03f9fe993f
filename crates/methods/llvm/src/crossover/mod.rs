//! Crossovers of two functions: `inline.rs` puts the body of one into the other, `sequence.rs` makes a
//! function that calls both. `adopt.rs` brings a function into the module of another, `points.rs` says where a
//! value can be replaced and which values are at hand there, `fit.rs` turns a value of one type into a value
//! of another. Which functions are crossed is for `draft.rs`.
//!
//! Both are those of FLUX (Liu, Xu, Lie), without its restrictions: dominance is that of the control
//! flow graph, types need not be equal, and what is missing becomes a parameter or a constant.

mod adopt;
mod constants;
mod fit;
mod inline;
mod points;
mod sequence;

pub use adopt::adopt;
pub(crate) use adopt::unused;
pub use constants::any_constant;
pub use fit::{Builder, can_fit, near};
pub use inline::{add_parameters, inline, split};
pub(crate) use points::ends_function;
pub use points::{Place, Point, available, is_donor, is_outward, points, put};
pub use sequence::{Strategy, is_callable, sequence};
