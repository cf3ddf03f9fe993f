//! `mistrust doctor`: checks what is installed, what the sandbox can do, what is missing and how to install it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use lab::exec::{Confined, Ending, Limits, Order};
use lab::rehearsal;
use lab::target::Bench;
use lab::toolchain::{FAMILIES, Family, Need};
use serde::Serialize;

use super::hunt::scratch;
use crate::cli::{Common, Doctor, ListFormat};
use crate::display::printable::printable;
use crate::exit::Exit;
use crate::laboratory::{Laboratory, temporary};

/// Tools that can be described in `mistrust.toml` or that scripted compilers need: name, command for the version, and
/// how to install it. Built-in compilers are not listed here.
const COMPILERS: &[(&str, &[&str], &str)] = &[
    ("cc", &["cc", "--version"], "apt-get install gcc"),
    ("node", &["node", "--version"], "apt-get install nodejs"),
    ("opt", &["opt", "--version"], "apt-get install llvm"),
];

/// The timeout for a version command. Package managers are slow on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Serialize)]
struct Health {
    version: &'static str,
    sandbox: Vec<Ability>,
    limits: serde_json::Value,
    methods: Vec<Named>,
    targets: Vec<Tool>,
    /// Built-in targets found on this machine: every rustc, and other compilers.
    toolchains: Vec<Tool>,
    /// Families that `mistrust toolchain` can install, with requirements and installed versions.
    families: Vec<Tool>,
    compilers: Vec<Tool>,
}

#[derive(Serialize)]
struct Ability {
    name: &'static str,
    works: bool,
    how: String,
}

#[derive(Serialize)]
struct Named {
    name: String,
    summary: String,
}

#[derive(Serialize)]
struct Tool {
    name: String,
    works: bool,
    /// The version, or the problem.
    says: String,
    /// How to install it, if it is missing and that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    install: Option<String>,
}

pub(crate) fn run(common: &Common, arguments: &Doctor) -> anyhow::Result<Exit> {
    let laboratory = Laboratory::open(common)?;
    let folder = temporary()?;
    let bench = laboratory.bench(&scratch(folder.path()))?;
    let health = examine(&laboratory, &bench);
    let text = match arguments.format {
        ListFormat::Json => serde_json::to_string_pretty(&health)? + "\n",
        ListFormat::Text => text(&health),
    };
    super::print(&text)?;
    let broken = health.targets.iter().any(|target| !target.works);
    Ok(if broken { Exit::Environment } else { Exit::Clean })
}

fn examine(laboratory: &Laboratory, bench: &Bench) -> Health {
    let confinement = bench.runner.confinement();
    let ability = |name, confined: &Confined| match confined {
        Confined::Yes(how) => Ability { name, works: true, how: how.clone() },
        Confined::No(why) => Ability { name, works: false, how: why.clone() },
    };
    let target = |target: &std::sync::Arc<dyn lab::target::Target>| {
        let probed = target.probe(None, bench).map(|version| {
            let version = version.lines().next().unwrap_or_default().to_owned();
            let methods = methods::all();
            let suitable = methods.iter().filter(|method| {
                let mut reads = target.spec().reads.iter();
                reads.any(|it| {
                    it.language == method.language() && it.interface == method.interface()
                })
            });
            let problems = suitable
                .filter_map(|method| {
                    rehearsal::suits(method.as_ref(), target.as_ref(), bench).err()
                })
                .map(|problem| format!("; {problem}"));
            version + &problems.collect::<String>()
        });
        Tool {
            name: target.name().to_string(),
            works: probed.is_ok(),
            install: None,
            says: match probed {
                Ok(version) if version.is_empty() => "found, version unknown".to_owned(),
                Ok(version) => version,
                Err(unusable) => unusable.to_string(),
            },
        }
    };
    let named = |method: Box<dyn forge::Method>| Named {
        name: method.name().to_owned(),
        summary: method.summary().to_owned(),
    };
    Health {
        version: env!("CARGO_PKG_VERSION"),
        sandbox: confinement.measures().map(|(name, confined)| ability(name, confined)).into(),
        limits: serde_json::json!({ "compile": bench.compile, "run": bench.run }),
        methods: methods::all().into_iter().map(named).collect(),
        targets: laboratory.described.iter().map(target).collect(),
        toolchains: laboratory.machine().iter().map(target).collect(),
        families: families(laboratory, bench),
        compilers: COMPILERS.iter().map(|compiler| check_tool(compiler, bench)).collect(),
    }
}

/// Checks each requirement once, even if several families share it.
fn families(laboratory: &Laboratory, bench: &Bench) -> Vec<Tool> {
    let mut checked: BTreeMap<&str, bool> = BTreeMap::new();
    let mut is_installed = |need: &Need| {
        let check = || check_tool(&(need.name, need.check, need.get), bench).works;
        *checked.entry(need.name).or_insert_with(check)
    };
    let tool = |family: &Family| {
        let needs = family.ecosystem.needs();
        let missing = needs.iter().filter(|need| !is_installed(need));
        let missing: Vec<String> =
            missing.map(|need| format!("{} ({})", need.name, need.get)).collect();
        let names: Vec<&str> = needs.iter().map(|need| need.name).collect();
        let installed = match laboratory.installs.installed(family.name) {
            none if none.is_empty() => "none".to_owned(),
            versions => versions.join(", "),
        };
        Tool {
            name: family.name.to_owned(),
            works: missing.is_empty(),
            says: format!("installed: {installed}; needs {}", names.join(", ")),
            install: (!missing.is_empty()).then(|| missing.join(", ")),
        }
    };
    FAMILIES.iter().map(tool).collect()
}

fn check_tool((name, version, install): &(&str, &[&str], &str), bench: &Bench) -> Tool {
    let run = bench.runner.scratch().and_then(|scratch| {
        let limits = Limits { wall: TIMEOUT, cpu: TIMEOUT, ..bench.run.clone() };
        let order = Order::new(version.iter().copied()).limits(limits);
        // The shims of version managers read their configuration in the home directory.
        let home = std::env::var_os("HOME").unwrap_or_default();
        bench.runner.run(&order.env("HOME", home), &scratch)
    });
    let is_slow = run.as_ref().is_ok_and(|run| run.ending == Ending::TimedOut);
    let absent = if is_slow { "no answer within a minute" } else { "not found" };
    let line = run.ok().filter(|run| run.ending.success()).and_then(|run| {
        run.stdout.text().lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    });
    Tool {
        name: (*name).to_owned(),
        works: line.is_some(),
        install: line.is_none().then(|| (*install).to_owned()),
        says: line.unwrap_or_else(|| absent.to_owned()),
    }
}

fn text(health: &Health) -> String {
    let mut text = format!("mistrust {}\n\nSandbox (best effort)\n", health.version);
    for ability in &health.sandbox {
        let _ = writeln!(text, "  {}  {}: {}", mark(ability.works), ability.name, ability.how);
    }
    text.push_str("\nMethods\n");
    for method in &health.methods {
        let _ = writeln!(text, "  ok  {:<20} {}", method.name, method.summary);
    }
    text.push_str("\nTargets of mistrust.toml\n");
    if health.targets.is_empty() {
        text.push_str("  --  none: describe your compiler under [target.NAME]\n");
    }
    health.targets.iter().for_each(|target| tool_line(&mut text, target));
    text.push_str("\nBuilt-in targets\n");
    if health.toolchains.is_empty() {
        text.push_str("  --  rustc: not found; to install it: apt-get install rustc\n");
    }
    health.toolchains.iter().for_each(|target| tool_line(&mut text, target));
    text.push_str("\nCompilers that can be installed (mistrust toolchain)\n");
    health.families.iter().for_each(|family| tool_line(&mut text, family));
    text.push_str("\nOther tools on this machine, which mistrust.toml can use\n");
    health.compilers.iter().for_each(|compiler| tool_line(&mut text, compiler));
    text
}

fn mark(works: bool) -> &'static str {
    if works { "ok" } else { "--" }
}

fn tool_line(text: &mut String, tool: &Tool) {
    let says = printable(&tool.says);
    let install = tool.install.as_ref().map(|install| format!("; to install it: {install}"));
    let install = install.unwrap_or_default();
    let _ = writeln!(text, "  {}  {:<20} {says}{install}", mark(tool.works), tool.name);
}
