//! Judges cases that another program made: `judge FAMILY@VERSION [SETTING,…] < cases`, one case as JSON per line. Each
//! batch is compiled under one setting, in turn; without names, under all that run code. Prints every failure with its
//! program, then the counts. Generators are developed with it: they need not be part of this build.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a tool of developers, which may fail"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forge::Case;
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::oracle;
use lab::setting::Setting;
use lab::target::built_in::BuiltIn;
use lab::target::{Bench, batch};
use lab::toolchain::Toolchains;
use lab::verdict::Verdict;

fn main() {
    let mut words = std::env::args().skip(1);
    let name = words.next().expect("usage: judge FAMILY@VERSION [SETTING,…] < cases");
    let (family, version) = name.split_once('@').expect("a version: solc@0.8.37");
    let names: Vec<String> =
        words.flat_map(|it| it.split(',').map(str::to_owned).collect::<Vec<_>>()).collect();
    let built_in = BuiltIn::named(family).expect("a built-in family");
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/toolchains");
    let folder = std::env::var_os("MISTRUST_TOOLCHAINS").map_or(shared, PathBuf::from);
    let toolchain = built_in.toolchain().expect("a family that can be installed");
    let installed =
        Toolchains::open(&folder).unwrap().ensure(toolchain, version, false, &|_| {}).unwrap();
    let target = built_in.target(&installed).expect("a target");
    let spec = target.spec();
    let known = || spec.settings.iter().chain(&spec.occasional);
    let is_chosen = |it: &&Setting| match names.is_empty() {
        true => it.value("smt").is_none(),
        false => names.contains(&it.name),
    };
    let settings: Vec<Setting> = known().filter(is_chosen).cloned().collect();
    assert!(!settings.is_empty(), "settings: {:?}", known().map(|it| &it.name).collect::<Vec<_>>());
    let root = tempfile::tempdir().unwrap();
    let runner = Runner::new(root.path().to_owned(), SandboxPolicy::BestEffort).unwrap();
    let limits = Limits { wall: Duration::from_secs(300), ..Limits::default() };
    let bench = Bench { runner, compile: limits.clone(), run: limits, coverage: None };
    let cases: Vec<Case> = std::io::stdin()
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (turn, portion) in batch::portions(target.as_ref(), &cases).into_iter().enumerate() {
        let setting = &settings[turn % settings.len()];
        let batch: Vec<&Case> = portion.iter().collect();
        let seen = batch::observe(target.as_ref(), &batch, std::slice::from_ref(setting), &bench);
        for (case, seen) in portion.iter().zip(&seen.observations) {
            let verdict = oracle::judge(case, seen);
            let kind = match &verdict {
                Verdict::Kept => "kept".to_owned(),
                Verdict::Skipped(why) => format!("skipped: {}", first_line(&why.to_string())),
                Verdict::Broken(_) => "broken".to_owned(),
            };
            *counts.entry(kind).or_default() += 1;
            if let Verdict::Broken(breach) = verdict {
                println!("==== {} under {}\n{breach:#?}", case.origin, setting.name);
                case.programs.iter().for_each(|it| println!("{}", it.source));
                println!("{:#?}", case.inputs);
            }
        }
    }
    counts.iter().for_each(|(kind, count)| println!("{count:>7} {kind}"));
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(100).collect()
}
