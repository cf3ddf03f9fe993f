//! The table of methods. A new one is a crate beside this file and a line here.
//!
//! Where a method can make programs of any size, the size is part of its name and so of its tickets:
//! `mir` draws it for each ticket, `mir@2000` aims at 2000 lines.

use std::ops::RangeInclusive;

use expression::Expression;
use forge::{Interface, Language, Method};
use mir::Mir;
use smoke::Smoke;

/// How many lines the programs of a sized method may have.
pub const LINES: RangeInclusive<u64> = 20..=10_000;

/// Every method that can be asked for by name. Of those with one language and interface, the preferred
/// one comes first.
pub fn all() -> Vec<Box<dyn Method>> {
    let expressions = expression::languages::ALL
        .iter()
        .map(|dialect| Box::new(Expression::new(dialect)) as Box<dyn Method>);
    let others: [Box<dyn Method>; 4] = [
        Box::new(Mir::sized(None)),
        Box::new(Smoke::c()),
        Box::new(Smoke::rust()),
        Box::new(Smoke::toy()),
    ];
    expressions.chain(others).collect()
}

/// The methods that make programs of a size that is asked for.
fn sized(name: &str, lines: u64) -> Option<Box<dyn Method>> {
    match name {
        "mir" => Some(Box::new(Mir::sized(Some(lines)))),
        _ => None,
    }
}

/// Why a method is not to be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoMethod {
    #[error("there is no method `{0}`")]
    Unknown(String),
    #[error("the programs of `{0}` have no size to choose; those of `mir` do: mir@2000")]
    Unsizable(String),
    #[error(
        "`{size}` is no size in `{name}@{size}`: write a number of lines from {low} to {high}",
        low = LINES.start(),
        high = LINES.end()
    )]
    Size { name: String, size: String },
}

pub fn named(name: &str) -> Result<Box<dyn Method>, NoMethod> {
    find(name, |method, wanted| method.name() == wanted)
}

/// The method for a target that reads programs of a language with an interface: the first in the table,
/// or the one whose name is `wanted` or begins with it (`smoke` stands for `smoke-c` where the language
/// is C).
pub fn fitting(
    language: &Language,
    interface: Interface,
    wanted: Option<&str>,
) -> Result<Box<dyn Method>, NoMethod> {
    find(wanted.unwrap_or_default(), |method, name| {
        let rest = method.name().strip_prefix(name);
        let begins = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        let wanted = wanted.is_none() || begins;
        wanted && method.language() == *language && method.interface() == interface
    })
}

/// The first method that fits what stands before the size, in that size.
fn find(text: &str, fits: impl Fn(&dyn Method, &str) -> bool) -> Result<Box<dyn Method>, NoMethod> {
    let (name, size) = match text.split_once('@') {
        Some((name, size)) => (name, Some(size)),
        None => (text, None),
    };
    let method = all()
        .into_iter()
        .find(|method| fits(method.as_ref(), name))
        .ok_or_else(|| NoMethod::Unknown(text.to_owned()))?;
    let Some(size) = size else { return Ok(method) };
    let name = method.name().to_owned();
    // A second spelling of a number would be a second name for the same method, with other cases.
    let lines = size.parse().ok().filter(|lines: &u64| lines.to_string() == size);
    match lines.filter(|lines| LINES.contains(lines)) {
        _ if sized(&name, 0).is_none() => Err(NoMethod::Unsizable(name)),
        Some(lines) => sized(&name, lines).ok_or(NoMethod::Unsizable(name)),
        None => Err(NoMethod::Size { name, size: size.to_owned() }),
    }
}

#[cfg(test)]
mod tests;
