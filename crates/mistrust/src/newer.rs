//! Says when there is a newer release of a compiler than the machine's own, whose bugs may be fixed for years. Only
//! package lists that were read before are used: a hunt does not need the network.

use lab::target::built_in::BuiltIn;
use lab::toolchain::{Ecosystem, Family};
use lab::version::version_order;

use crate::laboratory::Laboratory;

/// A line for each target that is the machine's own compiler and not the newest release.
pub(crate) fn newer_releases(laboratory: &Laboratory, names: &[String]) -> Vec<String> {
    names.iter().filter_map(|name| newer_release(laboratory, name)).collect()
}

fn newer_release(laboratory: &Laboratory, name: &str) -> Option<String> {
    if laboratory.described.iter().any(|target| target.name().family == name) {
        return None;
    }
    // A group is of the newest release.
    if laboratory.has_group(&[name.to_owned()]) {
        return None;
    }
    // A version or a path was chosen on purpose, and has no family of this name.
    let built_in = BuiltIn::named(name)?;
    let toolchain = built_in.toolchain()?;
    let is_apt = Family::named(toolchain).is_ok_and(|it| it.ecosystem == Ecosystem::Apt);
    if !is_apt || laboratory.of_machine(built_in).is_empty() {
        return None;
    }
    let own = built_in.version_of_machine()?;
    let known = laboratory.installs.remembered(toolchain).ok()?;
    remark(name, &own, known.releases.last().map(String::as_str))
}

fn remark(family: &str, own: &str, newest: Option<&str>) -> Option<String> {
    let Some(newest) = newest else {
        return Some(format!(
            "{family} is the machine's own, {own}: `mistrust toolchain available {family}` says whether \
             there is a newer release"
        ));
    };
    // `12` is not newer than `12.2.0`.
    let is_newer = version_order(Some(newest)) > version_order(Some(own))
        && own.split('.').next() != Some(newest);
    is_newer.then(|| {
        format!("{family} is the machine's own, {own}; {newest} is the newest release: hunt {family}@{newest}")
    })
}

#[cfg(test)]
mod tests {
    use super::remark;

    #[test]
    fn only_an_older_release_is_worth_a_remark() {
        let said = remark("gcc", "12.2.0", Some("16")).unwrap();
        assert!(said.contains("12.2.0") && said.contains("hunt gcc@16"), "{said}");
        assert_eq!(remark("gcc", "16.2.0", Some("16")), None);
        assert_eq!(remark("gcc", "17.1.0", Some("16")), None);
        assert_eq!(remark("rustc", "1.98.1", Some("1.98.1")), None);
        assert!(remark("rustc", "1.95.0", Some("1.98.1")).is_some());
        assert!(remark("gcc", "12.2.0", None).unwrap().contains("toolchain available gcc"));
    }
}
