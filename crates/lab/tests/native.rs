//! Tests with real native compilers: integer functions and their proven mutants behave as the model predicts.
//! `MISTRUST_EXPRESSIONS=20000` makes it a long run.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;
mod judging;

use forge::{Behaviour, Case, Outcome, Promise};
use lab::target::built_in::{BuiltIn, at_path};
use lab::target::rustc::RustcTarget;
use lab::target::{Target, batch, gcc, zig};
use lab::toolchain::Installed;
use lab::{oracle, verdict::Verdict};

use judging::{assert_no_unknown_failures, bench, cases, count, settings};

fn system_gcc() -> lab::target::native::NativeTarget {
    gcc::at(None, std::path::Path::new("gcc"))
}

#[test]
fn zig_agrees_with_the_model() {
    let Some(toolchain) = installed::toolchain("zig", "0.17.0") else { return };
    let target = zig::of_python(Some("0.17.0"), &toolchain.python());
    assert_no_unknown_failures(&target, &settings(&target), count(100), |_| false);
    let target = zig::clang_of_python(Some("0.17.0"), &toolchain.python());
    assert_no_unknown_failures(&target, &settings(&target), count(100), |_| false);
}

#[test]
fn gcc_agrees_with_the_model() {
    let target = system_gcc();
    assert_no_unknown_failures(&target, &settings(&target), count(200), |_| false);
}

#[test]
fn a_gnu_program_is_taken_for_gcc_only_if_it_is_a_compiler() {
    let gcc = at_path(std::path::Path::new("/usr/bin/gcc")).unwrap();
    assert!(gcc.name().to_string().starts_with("gcc"));
    let refusal = at_path(std::path::Path::new("/bin/ls")).map(|_| ()).unwrap_err().to_string();
    assert!(refusal.contains("is not recognised"), "{refusal}");
}

/// The newest installed version of a compiler, or else the newest available one, which depends on the distribution of the
/// machine.
fn newest(family: &str) -> Option<Installed> {
    let offline = std::env::var_os("MISTRUST_OFFLINE").is_some();
    let version = match installed::toolchains().installed(family).pop() {
        Some(version) => version,
        None => installed::unless_lacking(installed::toolchains().newest(family, offline))?,
    };
    installed::toolchain(family, &version)
}

/// Compilers from the package manager, unpacked beside those of the machine.
#[test]
fn installed_gcc_clang_and_llvm_agree_with_the_model() {
    for (family, number) in [("gcc", 50), ("clang", 100), ("llvm", 100)] {
        let built_in = BuiltIn::named(family).unwrap();
        let Some(toolchain) = newest(built_in.toolchain().unwrap()) else { return };
        let target = built_in.target(&toolchain).unwrap();
        assert_no_unknown_failures(
            target.as_ref(),
            &settings(target.as_ref()),
            count(number),
            |_| false,
        );
    }
}

#[test]
fn rustc_agrees_with_the_model() {
    let toolchain = lab::target::rustc::find().into_iter().next().unwrap();
    let target = RustcTarget::new(toolchain);
    assert_no_unknown_failures(&target, &settings(&target), count(120), |_| false);
}

/// The check can fail: exactly the case with a wrong expectation is a breach.
#[test]
fn a_wrong_expectation_is_a_broken_promise() {
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let target = system_gcc();
    let mut cases = cases(&target, 0, 5);
    if let Promise::Yields(expected) = &mut cases[3].promise {
        expected[0] = Behaviour::Value("7777777\n".to_owned());
    }
    let batch: Vec<&Case> = cases.iter().collect();
    let seen = batch::observe(&target, &batch, &target.spec().settings[..1], &bench);
    let broken = |index: usize| {
        matches!(oracle::judge(&cases[index], &seen.observations[index]), Verdict::Broken(_))
    };
    assert_eq!((0..5).map(broken).collect::<Vec<_>>(), [false, false, false, true, false]);
}

/// A program that kills the process affects only its own call.
#[test]
fn a_crashing_call_does_not_affect_other_calls() {
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let target = system_gcc();
    let mut cases = cases(&target, 0, 3);
    for program in &mut cases[1].programs {
        let is_head = |line: &&str| line.contains(" judged(") && line.ends_with('{');
        let head = format!("{}\n", program.source.lines().find(is_head).unwrap());
        program.source = program.source.replace(&head, &format!("{head}    __builtin_trap();\n"));
    }
    let batch: Vec<&Case> = cases.iter().collect();
    let seen = batch::observe(&target, &batch, &target.spec().settings[..1], &bench);
    for (index, observations) in seen.observations.iter().enumerate() {
        let died = observations.iter().any(|observation| {
            matches!(&observation.outcome, Outcome::Ran(Behaviour::Trap { code, .. }) if code == "SIGILL")
        });
        assert_eq!(died, index == 1, "{observations:?}");
    }
}
