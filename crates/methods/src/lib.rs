//! The table of methods. A new one is a folder in this crate and a line here.
//!
//! Where a method can make programs of any size, the size is part of its name, because a ticket has to
//! give the same bytes for ever: `mir` draws it for each ticket, `mir@2000` aims at 2000 lines.

use std::ops::RangeInclusive;

use expression::Expression;
use forge::{Language, Method};
use mir::Mir;
use smoke::Smoke;

/// How many lines the programs of a sized method may have.
pub const LINES: RangeInclusive<u64> = 20..=10_000;

/// Every method that can be asked for by name, the preferred ones of a language first.
pub fn all() -> Vec<Box<dyn Method>> {
    let expressions = expression::languages::ALL
        .iter()
        .map(|dialect| Box::new(Expression::new(dialect)) as Box<dyn Method>);
    let first: [Box<dyn Method>; 4] = [
        Box::new(Smoke::c()),
        Box::new(Mir::sized(None)),
        Box::new(Smoke::rust()),
        Box::new(Smoke::toy()),
    ];
    first.into_iter().chain(expressions).collect()
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

/// The method for a language: the first in the table, or the one whose name is `wanted` or begins with
/// it (`smoke` stands for `smoke-c` where the language is C), of those that can be `taken`.
pub fn fitting(
    language: &Language,
    wanted: Option<&str>,
    taken: impl Fn(&str) -> bool,
) -> Result<Box<dyn Method>, NoMethod> {
    find(wanted.unwrap_or_default(), |method, name| {
        let rest = method.name().strip_prefix(name);
        let begins = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        let wanted = wanted.is_none() || begins;
        wanted && method.language() == *language && taken(method.name())
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
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name_and_by_its_language() {
        for method in all() {
            let found = named(method.name()).map_err(|error| error.to_string());
            assert_eq!(found.map(|found| found.name().to_owned()), Ok(method.name().to_owned()));
            let found =
                fitting(&method.language(), Some(method.name()), |_| true).expect("it fits");
            assert_eq!(found.name(), method.name());
        }
        let c = Language::new("c");
        let found = fitting(&c, Some("smoke"), |_| true).expect("the family has a C member");
        assert_eq!(found.name(), "smoke-c");
        assert!(fitting(&c, Some("dri"), |_| true).is_err());
        let found = fitting(&c, None, |name| !name.starts_with("smoke")).expect("another one");
        assert_eq!(found.name(), "expression-c");
        assert!(fitting(&Language::new("cobol"), None, |_| true).is_err());
    }

    #[test]
    fn a_size_is_part_of_the_name() {
        let rust = Language::new("rust");
        for name in ["mir@20", "mir@2000", "mir@10000"] {
            assert_eq!(named(name).expect(name).name(), name);
            assert_eq!(fitting(&rust, Some(name), |_| true).expect(name).name(), name);
        }
        assert!(fitting(&Language::new("c"), Some("mir@20"), |_| true).is_err());
    }

    #[test]
    fn what_is_no_size_is_refused_with_the_reason() {
        let complaint = |name: &str| named(name).err().expect(name).to_string();
        for name in ["mir@19", "mir@10001", "mir@", "mir@x", "mir@0100", "mir@+50", "mir@20@20"] {
            let said = complaint(name);
            assert!(said.contains(name) && said.contains("from 20 to 10000"), "{said}");
        }
        assert!(complaint("smoke-c@100").contains("no size to choose"));
        assert!(complaint("nothing@100").contains("no method `nothing@100`"));
    }
}
