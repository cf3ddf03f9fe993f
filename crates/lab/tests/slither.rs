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
use lab::verdict::{Breach, BreachKind, Verdict};
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
    // Neighbouring tickets share a template.
    let tickets = (0..8).map(|index| method.ticket(1, 40 * index));
    let cases = tickets.filter_map(|ticket| method.make(&ticket));
    let mut kept = 0;
    for case in cases {
        match verdict(&target, &case, &bench) {
            Verdict::Kept => kept += 1,
            Verdict::Broken(breach) if is_of_nested_tuples(&breach, &case) => {}
            verdict => panic!("{verdict:?}\n{}", case.programs[0].source),
        }
    }
    assert!(kept >= 3, "{kept}");
}

/// A bug of slither: it has no assignment to a tuple in a tuple.
fn is_of_nested_tuples(breach: &Breach, case: &Case) -> bool {
    let place = "convert_assignment in expression_to_slithir.py";
    let is_there = breach.kind == BreachKind::Crash && breach.frames.iter().any(|it| it == place);
    is_there && case.programs[0].source.lines().any(|line| line.trim_start().starts_with("(("))
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
