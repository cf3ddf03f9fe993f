//! Crossovers of two functions of one module: `inline.rs` puts the body of one into the other,
//! `sequence.rs` makes a function that calls both. `points.rs` says where a value can be replaced and
//! which values are at hand there, `fit.rs` turns a value of one type into a value of another.
//!
//! Both are those of FLUX (Liu, Xu, Lie), without its restrictions: dominance is that of the control
//! flow graph, types need not be equal, and what is missing becomes a parameter or a constant.

mod constants;
mod fit;
mod inline;
mod points;
mod sequence;

pub use constants::any_constant;
pub use fit::Builder;
pub use inline::{add_parameters, inline};
pub use points::{Place, Point, available, points};
pub use sequence::{Strategy, sequence};
