//! The terminal. [`Display`] hears the events of a hunt and says on standard error what is worth
//! saying: as live lines where somebody looks on, as plain ones where the output goes to a file.
//! Files for other programs to read are the business of `export`.

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
