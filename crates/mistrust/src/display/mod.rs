//! Terminal output. [`Display`] prints the events of a hunt to standard error: live lines on a terminal, plain lines
//! otherwise. Files for other programs are left to `export`.

mod listener;
mod live;
mod narration;
pub(crate) mod palette;
pub(crate) mod printable;
pub(crate) mod quantity;
mod summary;
pub(crate) mod table;

#[cfg(test)]
mod tests;

pub(crate) use listener::{Display, DisplayOptions};
