//! The repositories in the machine's apt configuration, in both formats (`.list` and `.sources`), and the ones
//! that are derived from them: the same address and the same keys with another suite. Options that weaken the
//! verification of signatures are not taken over. Running apt is left to `suite`.

use std::fmt::Write as _;

use super::suite::Lists;

/// The archive's names of its suites, from old to new.
pub(super) const SUITES: &[&str] =
    &["oldoldstable", "oldstable", "stable", "testing", "unstable", "experimental"];

/// A repository with packages for one or more suites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repository {
    pub(super) uri: String,
    pub(super) suites: Vec<String>,
    components: Vec<String>,
    /// As it is written: the path of a keyring, a fingerprint, or a whole key.
    signed_by: Option<String>,
}

/// The repositories of a file, whose format depends on its extension.
pub(super) fn parse(file: &str, text: &str) -> Vec<Repository> {
    if file.ends_with(".sources") { deb822(text) } else { one_line(text) }
}

/// `deb [signed-by=KEYRING] URI SUITE COMPONENT…`
fn one_line(text: &str) -> Vec<Repository> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter_map(one_line_entry).collect()
}

fn one_line_entry(line: &str) -> Option<Repository> {
    let rest = line.strip_prefix("deb")?;
    let rest = rest.starts_with(char::is_whitespace).then(|| rest.trim_start())?;
    let (options, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => ("", rest),
    };
    let signed_by = options.split_whitespace().find_map(|option| option.strip_prefix("signed-by="));
    let mut words = rest.split_whitespace().map(str::to_owned);
    let (uri, suite) = (words.next()?, words.next()?);
    let (components, signed_by) = (words.collect(), signed_by.map(|it| it.replace(',', " ")));
    Some(Repository { uri, suites: vec![suite], components, signed_by })
}

/// Paragraphs of fields. A line that begins with a space continues the field before it.
fn deb822(text: &str) -> Vec<Repository> {
    let mut paragraphs: Vec<Vec<(String, String)>> = vec![vec![]];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some(fields) = paragraphs.last_mut() else { continue };
        if line.trim().is_empty() {
            paragraphs.push(vec![]);
        } else if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                let _ = write!(value, "\n{line}");
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_lowercase(), value.trim().to_owned()));
        }
    }
    paragraphs.iter().flat_map(|fields| paragraph(fields)).collect()
}

/// A paragraph can name several addresses.
fn paragraph(fields: &[(String, String)]) -> Vec<Repository> {
    let field = |name: &str| fields.iter().find(|(it, _)| it == name).map(|(_, value)| value);
    let words = |name: &str| -> Vec<String> {
        field(name).into_iter().flat_map(|it| it.split_whitespace()).map(str::to_owned).collect()
    };
    let disabled = field("enabled").is_some_and(|it| ["no", "false", "0"].contains(&it.as_str()));
    if disabled || !words("types").iter().any(|it| it == "deb") {
        return vec![];
    }
    let repository = |uri| Repository {
        uri,
        suites: words("suites"),
        components: words("components"),
        signed_by: field("signed-by").cloned(),
    };
    words("uris").into_iter().map(repository).collect()
}

/// The repositories that may have other suites: those with the machine's own release as it is named by the archive
/// (not its updates, and not those of other vendors), in their order.
pub(super) fn archives(repositories: &[Repository], codename: Option<&str>) -> Vec<Repository> {
    let is_release = |suite: &String| {
        SUITES.contains(&suite.as_str()) || suite == "sid" || codename == Some(suite)
    };
    let mut archives: Vec<Repository> = vec![];
    for repository in repositories {
        let suites: Vec<String> =
            repository.suites.iter().filter(|suite| is_release(suite)).cloned().collect();
        let is_main = repository.components.iter().any(|component| component == "main");
        let known = archives.iter().any(|it| it.uri == repository.uri);
        if is_main && !known && !suites.is_empty() && !repository.uri.starts_with("cdrom:") {
            archives.push(Repository { suites, ..repository.clone() });
        }
    }
    archives
}

impl Repository {
    /// The same repository with other suites, as the content of a `.sources` file.
    pub(super) fn with_suites(&self, lists: Lists, suites: &[&str]) -> String {
        let types = match lists {
            Lists::Packages => "deb",
            Lists::SourcePackages => "deb-src",
        };
        let mut text = format!(
            "Types: {types}\nURIs: {}\nSuites: {}\nComponents: main\n",
            self.uri,
            suites.join(" ")
        );
        if let Some(keys) = &self.signed_by {
            let _ = writeln!(text, "Signed-By: {keys}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEB822: &str = "\
Types: deb deb-src
# a snapshot
URIs: http://mirror.test/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/archive.gpg

Types: deb
URIs: http://mirror.test/debian-security
Suites: bookworm-security
Components: main

Enabled: no
Types: deb
URIs: http://other.test/
Suites: bookworm
Components: main

Types: deb
URIs: http://inline.test/debian
Suites: stable
Components: main
Trusted: yes
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mDMEY865UxYJKwYBBAHaRw8BAQdAd7Z0
 -----END PGP PUBLIC KEY BLOCK-----
";

    #[test]
    fn both_formats_are_parsed() {
        let parsed = parse("debian.sources", DEB822);
        let uris: Vec<&str> = parsed.iter().map(|it| it.uri.as_str()).collect();
        assert_eq!(
            uris,
            [
                "http://mirror.test/debian",
                "http://mirror.test/debian-security",
                "http://inline.test/debian"
            ]
        );
        assert_eq!(parsed[0].signed_by.as_deref(), Some("/usr/share/keyrings/archive.gpg"));
        assert!(parsed[2].signed_by.as_ref().unwrap().contains("\n mDMEY865"));

        let list = "# comment\ndeb [arch=amd64 signed-by=/k.gpg] http://a.test/debian bookworm main # x\n\
                    deb-src http://a.test/debian bookworm main\ndeb http://b.test/ ./\n\
                    deb http://c.test/debian sid main contrib\n";
        let parsed = parse("sources.list", list);
        let uris: Vec<&str> = parsed.iter().map(|it| it.uri.as_str()).collect();
        assert_eq!(uris, ["http://a.test/debian", "http://b.test/", "http://c.test/debian"]);
        assert_eq!(parsed[0].signed_by.as_deref(), Some("/k.gpg"));
        assert_eq!(parsed[2].components, ["main", "contrib"]);
    }

    #[test]
    fn only_the_archive_of_the_machines_release_has_other_suites() {
        let mut all = parse("debian.sources", DEB822);
        all.extend(parse("x.list", "deb http://vendor.test/linux bookworm stable\n"));
        all.extend(parse("y.list", "deb http://flat.test/ ./\n"));
        let uris = |codename| -> Vec<String> {
            archives(&all, codename).into_iter().map(|it| it.uri).collect()
        };
        assert_eq!(
            uris(Some("bookworm")),
            ["http://mirror.test/debian", "http://inline.test/debian"]
        );
        assert_eq!(uris(None), ["http://inline.test/debian"]);
        assert_eq!(archives(&all, Some("bookworm"))[0].suites, ["bookworm"]);
    }

    #[test]
    fn a_derived_repository_keeps_the_keys_and_no_option_that_weakens_them() {
        let all = parse("debian.sources", DEB822);
        let derived = all[0].with_suites(Lists::Packages, &["unstable"]);
        assert_eq!(
            derived,
            "Types: deb\nURIs: http://mirror.test/debian\nSuites: unstable\nComponents: main\n\
             Signed-By: /usr/share/keyrings/archive.gpg\n"
        );
        let sources = all[0].with_suites(Lists::SourcePackages, &["unstable"]);
        assert_eq!(sources, derived.replace("Types: deb", "Types: deb-src"));
        let inline = all[2].with_suites(Lists::Packages, &["experimental", "unstable"]);
        assert!(!inline.to_lowercase().contains("trusted"), "{inline}");
        assert_eq!(parse("x.sources", &inline)[0].signed_by, all[2].signed_by);
    }
}
