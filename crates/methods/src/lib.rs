//! The table of methods. A new method is a crate in this folder and a line here.
//!
//! If a method can generate programs of a requested size, the size is part of its name and so of its
//! tickets: `mir` draws a size per ticket, `mir@2000` aims at 2000 lines.

use std::ops::RangeInclusive;

use expression::Expression;
use forge::{Interface, Language, Method};
use llvm::method::Crossover;
use mir::Mir;
use smoke::Smoke;
use solidity::model::Version;
use solidity::{Invalid, Solidity};
use text::Mutate;

/// The sizes that can be requested, in lines.
pub const LINES: RangeInclusive<u64> = 20..=10_000;

/// Every method. Among methods with the same language and interface, the preferred one comes first.
pub fn all() -> Vec<Box<dyn Method>> {
    let expressions = expression::languages::ALL
        .iter()
        .map(|dialect| Box::new(Expression::new(dialect)) as Box<dyn Method>);
    let others: [Box<dyn Method>; 5] = [
        Box::new(Mir::sized(None)),
        Box::new(Smoke::c()),
        Box::new(Smoke::rust()),
        Box::new(Smoke::toy()),
        Box::new(Solidity::for_analysis(Version::V8)),
    ];
    let contracts = Version::all().rev().flat_map(|version| -> [Box<dyn Method>; 3] {
        [
            Box::new(Solidity::new(version)),
            Box::new(Solidity::for_smt(version)),
            Box::new(Invalid::new(version)),
        ]
    });
    expressions.chain(others).chain(contracts).collect()
}

/// The methods that a hunt uses for these programs, if the user chooses none. Contracts of all kinds are tested side
/// by side, because each kind tests other parts of a compiler; of other programs, only the preferred kind.
pub fn usual(language: &Language, interface: Interface) -> Vec<Box<dyn Method>> {
    let fits = |it: &dyn Method| it.language() == *language && it.interface() == interface;
    let many = if interface == Interface::Contract { usize::MAX } else { 1 };
    all().into_iter().filter(|it| fits(it.as_ref())).take(many).collect()
}

/// The method with a requested size, if it supports one.
fn sized(name: &str, lines: u64) -> Option<Box<dyn Method>> {
    match name {
        "mir" => Some(Box::new(Mir::sized(Some(lines)))),
        _ => None,
    }
}

/// Why a method is not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoMethod {
    #[error("there is no method `{0}`")]
    Unknown(String),
    #[error("the size of `{0}` programs cannot be chosen; that of `mir` programs can: mir@2000")]
    Unsizable(String),
    #[error(
        "`{size}` in `{name}@{size}` is not a size: write a number of lines from {low} to {high}",
        low = LINES.start(),
        high = LINES.end()
    )]
    Size { name: String, size: String },
}

pub fn named(name: &str) -> Result<Box<dyn Method>, NoMethod> {
    // Made with a corpus; without it, it still reduces.
    if let Some(method) = Crossover::without_corpus(name) {
        return Ok(Box::new(method));
    }
    if let Some(method) = Mutate::without_corpus(name) {
        return Ok(Box::new(method));
    }
    find(name, |method, wanted| method.name() == wanted)
}

/// The method for a target with this language and interface: the first in the table, or the one whose
/// name or family is `wanted` (`smoke` selects `smoke-c` if the language is C).
pub fn fitting(
    language: &Language,
    interface: Interface,
    wanted: Option<&str>,
) -> Result<Box<dyn Method>, NoMethod> {
    find(wanted.unwrap_or_default(), |method, name| {
        let rest = method.name().strip_prefix(name);
        let matches = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        let selected = wanted.is_none() || matches;
        selected && method.language() == *language && method.interface() == interface
    })
}

/// The first method that fits the name before `@`, with the size after it.
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
    // A second spelling of the number would be a second method name, and so give different cases.
    let lines = size.parse().ok().filter(|lines: &u64| lines.to_string() == size);
    match lines.filter(|lines| LINES.contains(lines)) {
        _ if sized(&name, 0).is_none() => Err(NoMethod::Unsizable(name)),
        Some(lines) => sized(&name, lines).ok_or(NoMethod::Unsizable(name)),
        None => Err(NoMethod::Size { name, size: size.to_owned() }),
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod untrusted;
