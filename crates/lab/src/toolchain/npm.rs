//! Families from npm: each version has a folder with its own `node_modules`. Install scripts of packages are not
//! run. Checksums and the lock file are left to `install`.

use std::collections::BTreeMap;
use std::ffi::OsString;

use serde::Deserialize;

use super::install::{CONTENTS, platform};
use super::manager::{Contents, Need, Workshop};
use super::{Family, ToolchainError};

pub(super) const NEEDS: &[Need] = &[
    Need { name: "node", check: &["node", "--version"], get: "install Node.js 18 or newer" },
    Need {
        name: "npm",
        check: &["npm", "--version"],
        get: "install npm, which comes with Node.js",
    },
];

pub(super) fn exact(package: &str, version: &str) -> String {
    format!("{package}@{version}")
}

pub(super) fn versions(family: &Family) -> Vec<OsString> {
    ["npm", "view", family.package, "versions", "--json"].map(OsString::from).to_vec()
}

/// Parses the list of versions; a single version is not in a list.
pub(super) fn listed(json: &str) -> Vec<String> {
    let one = |json| serde_json::from_str(json).map(|version: String| vec![version]);
    serde_json::from_str(json).or_else(|_| one(json)).unwrap_or_default()
}

pub(super) fn install(
    family: &'static Family,
    version: &str,
    shop: &Workshop,
) -> Result<Contents, ToolchainError> {
    let folder = shop.scratch.path().join(CONTENTS);
    // Without this file, npm would search the parent folders for one.
    let root = shop.scratch.write(format!("{CONTENTS}/package.json"), "{\"private\": true}\n");
    root.map_err(ToolchainError::io("write to", &folder))?;
    let mut argv: Vec<OsString> = vec!["npm".into(), "install".into(), "--prefix".into()];
    argv.push(folder.clone().into());
    // Peer dependencies (test frameworks) are not installed unless they are companions in the table.
    let options = "--ignore-scripts --legacy-peer-deps --no-package-lock --save-exact --no-audit --no-fund \
                   --no-progress --loglevel=error";
    argv.extend(options.split_whitespace().map(OsString::from));
    argv.extend(family.packages(version).into_iter().map(OsString::from));
    shop.must(family, version, argv)?;

    let path = folder.join("node_modules/.package-lock.json");
    let unreadable = || ToolchainError::io("read", &path);
    let text = std::fs::read(&path).map_err(unreadable())?;
    let tree: Tree = serde_json::from_slice(&text).map_err(|error| unreadable()(error.into()))?;
    Ok(Contents { host: platform(), packages: tree.names(), loader: None })
}

/// npm's own record of a `node_modules` folder.
#[derive(Deserialize)]
struct Tree {
    packages: BTreeMap<String, Node>,
}

#[derive(Deserialize)]
struct Node {
    version: Option<String>,
}

impl Tree {
    fn names(&self) -> Vec<String> {
        let packages = self.packages.iter().filter_map(|(path, node)| {
            let (_, name) = path.rsplit_once("node_modules/")?;
            Some(exact(name, node.version.as_deref()?))
        });
        let mut names: Vec<String> = packages.collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_and_scoped_packages_are_listed_once() {
        let json = r#"{"packages": {
            "node_modules/solc": {"version": "0.8.28"},
            "node_modules/@ton/core": {"version": "0.63.1"},
            "node_modules/solc/node_modules/tmp": {"version": "0.0.33"},
            "node_modules/a/node_modules/tmp": {"version": "0.0.33"},
            "node_modules/link": {}
        }}"#;
        let tree: Tree = serde_json::from_str(json).unwrap();
        assert_eq!(tree.names(), ["@ton/core@0.63.1", "solc@0.8.28", "tmp@0.0.33"]);
    }

    #[test]
    fn a_single_version_is_parsed_as_a_list() {
        assert_eq!(listed(r#"["1.0.0", "2.0.0"]"#), ["1.0.0", "2.0.0"]);
        assert_eq!(listed(r#""1.0.0""#), ["1.0.0"]);
        assert!(listed("npm error").is_empty());
    }
}
