//! Which Python the packages of a version are installed for: the machine's, unless they need another one, or are of more
//! use with another one. Others come from Debian's packages, and are started through their own loader.

use std::ffi::OsString;

use super::install::Notice;
use super::manager::Workshop;
use super::{Family, Installed, Toolchains, apt};
use crate::version::version_order;

/// The family of interpreters.
const PYTHON: &str = "python";

/// Versions that pip installs for another Python, too, with the first such version of the family: newer ones of Vyper
/// lack the means to measure coverage before 3.12, and older ones do not say that they know no syntax tree after 3.9.
const BETTER_WITH: &[(&str, &str, &str)] = &[("vyper", "0.4.0", ">=3.12"), ("vyper", "0", "<3.10")];

impl Toolchains {
    /// The Python that is better than the machine's for a version, if there is one. The oldest such: most packages are
    /// built for it.
    pub(super) fn better_python(
        &self,
        family: &Family,
        version: &str,
        offline: bool,
        tell: &dyn Fn(&Notice),
    ) -> Option<Installed> {
        let is_from = |first: &str| version_order(Some(version)) >= version_order(Some(first));
        let mut rows = BETTER_WITH.iter();
        let (_, _, range) = rows.find(|(name, first, _)| *name == family.name && is_from(first))?;
        let machines = machines(Family::named(PYTHON).ok()?, &self.workshop().ok()?);
        if machines.is_some_and(|version| is_within(&version, range)) {
            return None;
        }
        let version = self.pythons(range, offline)?.into_iter().next()?;
        self.ensure(PYTHON, &version, offline, tell).ok()
    }

    /// The newest Python of a range, if there is one.
    pub(super) fn python_of(
        &self,
        range: &str,
        offline: bool,
        tell: &dyn Fn(&Notice),
    ) -> Option<Installed> {
        let version = self.pythons(range, offline)?.pop()?;
        self.ensure(PYTHON, &version, offline, tell).ok()
    }

    /// The versions of a range that can be had, from old to new.
    fn pythons(&self, range: &str, offline: bool) -> Option<Vec<String>> {
        let mut versions = match offline {
            true => self.installed(PYTHON),
            false => apt::releases(Family::named(PYTHON).ok()?, &self.workshop().ok()?).ok()?,
        };
        versions.retain(|version| is_within(version, range));
        versions.sort_by_key(|version| version_order(Some(version)));
        Some(versions)
    }
}

/// The version of the machine's own Python.
fn machines(python: &'static Family, shop: &Workshop) -> Option<String> {
    let program = "import sys; print('%d.%d' % sys.version_info[:2])";
    let run = shop.call(python, ["python3", "-c", program].map(OsString::from).into()).ok()?;
    Some(run.stdout.text().trim().to_owned())
}

/// Whether a version of two numbers is in a range as packages state it: `>=3.7,<3.10`. A relation that is not known is not
/// satisfied.
fn is_within(version: &str, range: &str) -> bool {
    let numbers = |text: &str| -> Option<Vec<u32>> {
        let text = text.trim().trim_end_matches(".*");
        text.split('.').map(|part| part.parse().ok()).collect()
    };
    let Some(version) = numbers(version) else { return false };
    range.split(',').map(str::trim).all(|part| {
        let digits = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
        let (relation, bound) = part.split_at(digits);
        let Some(bound) = numbers(bound) else { return false };
        match relation.trim() {
            ">=" => version >= bound,
            ">" => version > bound,
            "<" => version < bound,
            // 3.10 stands for all its patches.
            "<=" => version.iter().zip(&bound).all(|(a, b)| a == b) || version < bound,
            "==" => version.starts_with(&bound) || bound.starts_with(&version),
            "!=" => version != bound,
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_versions_are_understood() {
        let within = |range: &str| {
            ["3.9", "3.10", "3.13"]
                .into_iter()
                .filter(|it| is_within(it, range))
                .collect::<Vec<_>>()
        };
        assert_eq!(within(">=3.7,<3.10"), ["3.9"]);
        assert_eq!(within(">=3.10,<4"), ["3.10", "3.13"]);
        assert_eq!(within("> 3.9, != 3.10"), ["3.13"]);
        assert_eq!(within("<=3.10.4"), ["3.9", "3.10"]);
        assert_eq!(within("==3.9.*"), ["3.9"]);
        assert!(within("~=3.9").is_empty() && within(">=3.x").is_empty());
    }

    #[test]
    fn families_with_a_better_python_are_from_pypi() {
        for (name, _, _) in BETTER_WITH {
            assert_eq!(Family::named(name).unwrap().ecosystem, super::super::Ecosystem::Pip);
        }
    }
}
