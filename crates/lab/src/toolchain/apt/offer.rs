//! Which versions of a compiler the suites have. A version can be in several suites; the newest suite is preferred,
//! and the others are the alternatives if its packages are gone from the archive.

use std::ffi::OsString;

use super::super::manager::Workshop;
use super::super::{Family, ToolchainError};
use super::recipe::{Naming, Recipe};
use super::suite::Suite;

/// A version in a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    /// As the user writes it: `22`, `1.97.1`.
    pub(super) version: String,
    /// The version of the package: `1:22.1.8-3`.
    package: String,
    pub(super) suite: Suite,
}

impl Offer {
    /// Whether it is a state before the release: `1:24~++20261025103442+7e3c57157096-1~exp1`,
    /// `16-20260315-1`. The revision, after the last dash, says nothing about that.
    pub(super) fn is_snapshot(&self) -> bool {
        let (upstream, _) = self.package.rsplit_once('-').unwrap_or((&self.package, ""));
        upstream.contains(['~', '-'])
    }
}

/// All versions of a family that the suites have, from the newest suite to the oldest.
pub(super) fn offers(
    family: &'static Family,
    recipe: &Recipe,
    suites: Vec<Suite>,
    shop: &Workshop,
) -> Result<Vec<Offer>, ToolchainError> {
    let mut offers = vec![];
    for suite in suites.into_iter().rev() {
        let names = match recipe.naming {
            Naming::Numbered | Naming::Joined => {
                let run = shop.call(family, command(&suite, &["pkgnames", family.package]))?;
                numbered(family.package, recipe, &run.stdout.text())
            }
            Naming::Plain => vec![family.package.to_owned()],
        };
        if names.is_empty() {
            continue;
        }
        let words: Vec<&str> =
            ["madison"].into_iter().chain(names.iter().map(String::as_str)).collect();
        let run = shop.call(family, command(&suite, &words))?;
        let found = listed(family.package, recipe, &suite, &run.stdout.text());
        offers.extend(found.into_iter().filter(|offer| recipe.has(&offer.version)));
    }
    Ok(offers)
}

fn command(suite: &Suite, words: &[&str]) -> Vec<OsString> {
    let mut argv: Vec<OsString> = vec!["apt-cache".into()];
    argv.extend(suite.options());
    argv.extend(words.iter().map(OsString::from));
    argv
}

/// The names that are the package and a number: `gcc-12`, but not `gcc-12-base`.
fn numbered(package: &str, recipe: &Recipe, names: &str) -> Vec<String> {
    let is_numbered = |name: &&str| recipe.number(package, name).is_some();
    let mut names: Vec<String> = names.lines().filter(is_numbered).map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Parses ` gcc-12 | 12.5.0-11 | URI SUITE/main amd64 Packages`. Lines of other suites are left out.
fn listed(package: &str, recipe: &Recipe, suite: &Suite, madison: &str) -> Vec<Offer> {
    let offer = |line: &str| {
        let mut columns = line.split('|').map(str::trim);
        let (name, version, place) = (columns.next()?, columns.next()?, columns.next()?);
        let (release, _) = place.split_whitespace().nth(1)?.split_once('/')?;
        let number = match recipe.naming {
            Naming::Numbered | Naming::Joined => recipe.number(package, name)?,
            Naming::Plain => upstream(version),
        };
        (release == suite.name).then(|| Offer {
            version: number.to_owned(),
            package: version.to_owned(),
            suite: suite.clone(),
        })
    };
    madison.lines().filter_map(offer).collect()
}

/// `1.97.1` from `1.97.1+dfsg1-1`.
fn upstream(version: &str) -> &str {
    let version = version.split_once(':').map_or(version, |(_, rest)| rest);
    version.split(['+', '-', '~']).next().unwrap_or(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(name: &str) -> Suite {
        Suite::named(std::path::Path::new("/nowhere"), name)
    }

    #[test]
    fn output_of_apt_cache_is_parsed() {
        let names = "gcc-12-base\ngcc-12\ngcc-9\ngcc-12\ngcc-\ngcc-avr\n";
        let gcc = Recipe::of("gcc").unwrap();
        assert_eq!(numbered("gcc", gcc, names), ["gcc-12", "gcc-9"]);
        let madison = "  gcc-12 | 12.5.0-11 | http://a.test/debian unstable/main amd64 Packages\n   gcc-16 | \
                       16.2.0-4 | http://a.test/debian unstable/main amd64 Packages\n";
        let found = listed("gcc", gcc, &suite("unstable"), madison);
        let versions: Vec<&str> = found.iter().map(|offer| offer.version.as_str()).collect();
        assert_eq!(versions, ["12", "16"]);
        // The configuration of experimental lists packages of unstable, too.
        assert!(listed("gcc", gcc, &suite("experimental"), madison).is_empty());
        assert!(listed("gcc", gcc, &suite("unstable"), "N: Unable to locate package\n").is_empty());
    }

    #[test]
    fn the_version_of_rustc_is_that_of_its_package() {
        let madison = " rustc | 1.98.1+dfsg1-1~exp1 | http://a.test/debian experimental/main amd64 Packages\n";
        let rustc = Recipe::of("rustc").unwrap();
        let found = listed("rustc", rustc, &suite("experimental"), madison);
        assert_eq!(found[0].version, "1.98.1");
        assert_eq!(upstream("1:1.85.1~rc1-2"), "1.85.1");
    }

    #[test]
    fn snapshots_are_distinguished_from_releases() {
        let offer = |package: &str| Offer {
            version: "1".to_owned(),
            package: package.to_owned(),
            suite: suite("unstable"),
        };
        for package in
            ["1:24~++20261025103442+7e3c57157096-1~exp1", "16-20260315-1", "1:23.1.0~+rc2-1"]
        {
            assert!(offer(package).is_snapshot(), "{package}");
        }
        for package in ["1:22.1.8-1~deb13u4", "12.2.0-14+deb12u1", "1.98.1+dfsg1-1~exp1", "7"] {
            assert!(!offer(package).is_snapshot(), "{package}");
        }
    }
}
