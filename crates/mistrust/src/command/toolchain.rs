//! `mistrust toolchain`: installs, lists and removes compilers in exact versions.

use std::fmt::Write as _;

use lab::toolchain::{Ecosystem, FAMILIES, Family, Installed};
use serde::Serialize;

use crate::cli::{Common, ListFormat, Toolchain, ToolchainAction};
use crate::display::printable::printable;
use crate::display::quantity::mebibytes;
use crate::exit::{Exit, Usage};
use crate::laboratory::{Laboratory, tell};

pub(crate) fn run(common: &Common, arguments: &Toolchain) -> anyhow::Result<Exit> {
    let laboratory = Laboratory::open(common)?;
    match &arguments.action {
        ToolchainAction::Add { names } => add(&laboratory, names),
        ToolchainAction::List { families, verify, format } => {
            list(&laboratory, families, *verify, *format)
        }
        ToolchainAction::Remove { names, forget } => remove(&laboratory, names, *forget),
        ToolchainAction::Available { family, format } => available(&laboratory, family, *format),
    }
}

fn add(laboratory: &Laboratory, names: &[String]) -> anyhow::Result<Exit> {
    // All names are checked before anything is downloaded.
    let mut wanted = vec![];
    for name in names {
        let (family, version) =
            name.split_once('@').map_or((name.as_str(), None), |(f, v)| (f, Some(v)));
        let family = Family::named(family)?;
        wanted.push((family, version));
    }
    let mut text = String::new();
    for (family, version) in wanted {
        let newest = || laboratory.newest(family.name);
        let version = version.map_or_else(newest, |version| Ok(version.to_owned()))?;
        let installed = laboratory.ensure(family.name, &version)?;
        let place = installed.folder().display();
        let _ = writeln!(text, "{}@{} is in {place}", family.name, installed.version());
    }
    super::print(&printable(&text))?;
    Ok(Exit::Clean)
}

#[derive(Serialize)]
struct Row {
    name: String,
    language: &'static str,
    manager: &'static str,
    bytes: u64,
    checksum: String,
    packages: Vec<String>,
    folder: String,
    /// Only with `--verify`.
    #[serde(skip_serializing_if = "Option::is_none")]
    intact: Option<bool>,
}

fn list(
    laboratory: &Laboratory,
    families: &[String],
    verify: bool,
    format: ListFormat,
) -> anyhow::Result<Exit> {
    let chosen: Vec<&Family> = if families.is_empty() {
        FAMILIES.iter().collect()
    } else {
        families.iter().map(|name| Family::named(name)).collect::<Result<_, _>>()?
    };
    let mut rows = vec![];
    for family in chosen {
        for version in laboratory.installs.installed(family.name) {
            if let Some(installed) = laboratory.installs.get(family.name, &version) {
                rows.push(row(family, &installed, verify)?);
            }
        }
    }
    let text = match format {
        ListFormat::Json => serde_json::to_string_pretty(&rows)? + "\n",
        ListFormat::Text if rows.is_empty() => {
            "nothing is installed; to install solc, for example: `mistrust toolchain add solc`\n"
                .to_owned()
        }
        ListFormat::Text => rows.iter().map(line).collect(),
    };
    super::print(&text)?;
    let damaged = rows.iter().any(|row| row.intact == Some(false));
    Ok(if damaged { Exit::Environment } else { Exit::Clean })
}

fn row(family: &Family, installed: &Installed, verify: bool) -> anyhow::Result<Row> {
    let manifest = installed.manifest();
    Ok(Row {
        name: format!("{}@{}", manifest.family, manifest.version),
        language: family.language,
        manager: family.ecosystem.manager(),
        bytes: manifest.bytes,
        checksum: manifest.checksum.clone(),
        packages: manifest.packages.clone(),
        folder: installed.folder().display().to_string(),
        intact: if verify { Some(installed.is_intact()?) } else { None },
    })
}

fn line(row: &Row) -> String {
    let state = match row.intact {
        None => String::new(),
        Some(true) => "  intact".to_owned(),
        Some(false) => {
            let name = &row.name;
            format!(
                "  changed since it was installed: run `mistrust toolchain remove {name}`, then add it again"
            )
        }
    };
    let size = mebibytes(row.bytes);
    printable(&format!("{:<20} {:<8} {size:>9}  {}{state}\n", row.name, row.manager, row.folder))
}

fn remove(laboratory: &Laboratory, names: &[String], forget: bool) -> anyhow::Result<Exit> {
    for name in names {
        let Some((family, version)) = name.split_once('@') else {
            return Err(Usage(format!("`{name}` has no version: write FAMILY@VERSION")).into());
        };
        if !laboratory.installs.remove(family, version, forget, &tell)? {
            return Err(Usage(format!(
                "{name} is not installed; `mistrust toolchain list` lists installed compilers"
            ))
            .into());
        }
        crate::corpus::forget(laboratory.installs.folder(), name);
        super::print(&printable(&format!("removed {name}\n")))?;
    }
    Ok(Exit::Clean)
}

fn available(laboratory: &Laboratory, family: &str, format: ListFormat) -> anyhow::Result<Exit> {
    let versions = match laboratory.offline {
        // Package lists of Debian are kept; other registries have to be asked.
        true => laboratory.installs.remembered(family)?.versions,
        false => laboratory.installs.available(family)?,
    };
    if versions.is_empty() {
        return Err(anyhow::anyhow!(
            "nothing is known of {family} without the network: run this without --offline"
        ));
    }
    if Family::named(family)?.ecosystem == Ecosystem::Apt {
        for note in laboratory.installs.unreadable_suites() {
            let line = format!("suite {} could not be read:\n{}", note.suite, note.said);
            anstream::eprintln!("{}", printable(&line));
        }
    }
    let text = match format {
        ListFormat::Json => serde_json::to_string_pretty(&versions)? + "\n",
        ListFormat::Text => versions.iter().map(|version| format!("{version}\n")).collect(),
    };
    super::print(&text)?;
    Ok(Exit::Clean)
}
