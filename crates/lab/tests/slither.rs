//! Real slither: generated contracts are analysed without contradictions, and a version with a known hang shows it.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;
// Few of its functions are used here.
#[expect(dead_code, reason = "shared with other tests")]
mod judging;

use std::time::Duration;

use forge::{Case, Interface, Language, Model, Program, Promise, Ticket};
use lab::target::slither::{SlitherTarget, compiler};
use lab::target::{Bench, Target, batch};
use lab::verdict::{BreachKind, Verdict};
use lab::{oracle, setting::Setting};

use judging::bench;

fn slither(version: &str) -> Option<SlitherTarget> {
    installed::toolchain("solc", "0.8.37")?;
    let installed = installed::toolchain("slither", version)?;
    let solc = compiler(&installed::toolchains()).unwrap();
    Some(SlitherTarget::new(version, &installed.python(), solc.folder()))
}

fn verdict(target: &SlitherTarget, case: &Case, bench: &Bench) -> Verdict {
    let settings: Vec<Setting> = target.spec().settings.clone();
    let seen = batch::observe(target, &[case], &settings, bench);
    oracle::judge(case, &seen.observations[0])
}

#[test]
fn generated_contracts_are_analysed() {
    let Some(target) = slither("0.11.3") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    target.probe(None, &bench).unwrap();
    let method = methods::named("solidity-analysis-0.8").unwrap();
    let cases = (0..6).filter_map(|index| method.make(&method.ticket(1, index)));
    for case in cases {
        assert_eq!(verdict(&target, &case, &bench), Verdict::Kept, "{}", case.programs[0].source);
    }
}

/// A conditional in the condition of a loop of a modifier.
#[test]
fn a_hang_of_an_old_version_is_found() {
    let Some(target) = slither("0.10.4") else { return };
    let root = tempfile::tempdir().unwrap();
    let mut bench = bench(&root);
    let source = "contract C { modifier m(bool c) { while (c ? false : c) { } _; }\n\
                  function f(bool c) external m(c) { } }";
    let case = Case {
        origin: Ticket::new("text", 0, 0).into(),
        programs: vec![Program {
            name: "base".into(),
            language: Language::new("solidity-0.8"),
            interface: Interface::Module,
            source: source.to_owned(),
        }],
        inputs: vec![],
        promise: Promise::Consistent,
        trail: vec![],
        model: Model::absent(),
    };
    bench.compile.wall = Duration::from_secs(10);
    bench.compile.cpu = Duration::from_secs(10);
    let Verdict::Broken(breach) = verdict(&target, &case, &bench) else { panic!("not found") };
    assert_eq!(breach.kind, BreachKind::Hang, "{breach:?}");
}
