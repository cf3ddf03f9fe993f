//! LLVM's `opt` with real compilers: bugs that LLVM's tracker knows are seen where they are and nowhere else, each
//! kind of failure is distinguished, and invalid input is no failure.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;
mod reported;

use std::sync::Arc;
use std::time::Duration;

use forge::{Case, Input, Interface, Language, Model, Origin, Program, Promise};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::oracle;
use lab::setting::Setting;
use lab::target::built_in::{BuiltIn, at_path};
use lab::target::opt::OptTarget;
use lab::target::{Bench, Target, batch};
use lab::verdict::{BreachKind, Verdict};

fn case(passes: &str, source: &str) -> Case {
    Case {
        origin: Origin::Given { method: "text".to_owned() },
        programs: vec![Program {
            name: "base".to_owned(),
            language: Language::new("llvm"),
            interface: Interface::Module,
            source: format!("; RUN: opt -passes='{passes}' -S\n{source}"),
        }],
        inputs: vec![Input::default()],
        promise: Promise::Refines,
        trail: vec![],
        model: Model::absent(),
    }
}

fn opt(version: &str) -> Option<Arc<dyn Target>> {
    let toolchain = installed::toolchain("clang", version)?;
    BuiltIn::named("opt").and_then(|it| it.target(&toolchain))
}

/// The verdicts over cases that share batches, under one setting.
fn verdicts(target: &dyn Target, cases: &[Case], setting: &Setting) -> Vec<Verdict> {
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path().to_owned(), SandboxPolicy::BestEffort).unwrap();
    let cpu = Duration::from_secs(10);
    let limits = Limits { wall: Duration::from_secs(300), cpu, ..Limits::default() };
    let bench = Bench { runner, compile: limits.clone(), run: limits, coverage: None };
    let all: Vec<&Case> = cases.iter().collect();
    let seen = batch::observe(target, &all, std::slice::from_ref(setting), &bench);
    let each = cases.iter().zip(&seen.observations);
    each.map(|(case, observations)| oracle::judge(case, observations)).collect()
}

fn own(target: &dyn Target) -> Setting {
    target.spec().setting("passes=own").unwrap().clone()
}

/// The sign extension of the `nbits` highest bits of a byte. The number of bits that are skipped is right if
/// eight fits into its type.
fn sign_extension(nbits: &str, eight: &str) -> Case {
    case(
        "instcombine",
        &format!(
            "define {nbits} @f(i8 %data, {nbits} %nbits) {{
           %skip = sub {nbits} {eight}, %nbits
           %wide = zext {nbits} %skip to i8
           %shifted = lshr i8 %data, %wide
           %high = trunc i8 %shifted to {nbits}
           %negative = icmp slt i8 %data, 0
           %bit = shl {nbits} 1, %nbits
           %magic = select i1 %negative, {nbits} %bit, {nbits} 0
           %r = sub {nbits} %high, %magic
           ret {nbits} %r
         }}\n"
        ),
    )
}

#[test]
fn a_wrong_fold_of_llvm_19_is_seen_among_right_and_invalid_functions() {
    let Some(target) = opt("19") else { return };
    let cases = [
        sign_extension("i5", "8"),
        sign_extension("i2", "0"),
        case("instcombine", "define i8 @f(i8 %a) {\n  %r = add i8 %a, %b\n  ret i8 %r\n}\n"),
        case("instcombine", "define i8 @f(i8 %a) {\n  %r = mul i8 %a, 2\n  ret i8 %r\n}\n"),
        case("no-such-pass", "define i8 @f(i8 %a) {\n  ret i8 %a\n}\n"),
    ];
    let verdicts = verdicts(target.as_ref(), &cases, &own(target.as_ref()));
    assert_eq!(verdicts[0], Verdict::Kept);
    let Verdict::Broken(breach) = &verdicts[1] else { panic!("{verdicts:?}") };
    assert_eq!(breach.kind, BreachKind::Miscompilation);
    assert!(matches!(verdicts[2], Verdict::Skipped(_)), "{verdicts:?}");
    assert_eq!(verdicts[3], Verdict::Kept);
    let Verdict::Skipped(why) = &verdicts[4] else { panic!("{verdicts:?}") };
    assert!(why.to_string().contains("no-such-pass"), "{why}");
}

#[test]
fn reported_bugs_reproduce_in_the_versions_that_have_them() {
    // The long check: MISTRUST_LLVM_VERSIONS="14 15 16 17 18 19 21 22 23".
    let long = std::env::var("MISTRUST_LLVM_VERSIONS").ok();
    let versions = long.clone().unwrap_or_else(|| "19".to_owned());
    for version in versions.split_whitespace() {
        let Some(target) = opt(version) else { return };
        let number: u32 = version.parse().expect("a number");
        for undef in [false, true] {
            let is_checked =
                |bug: &&reported::Bug| bug.undef == undef && (long.is_some() || !bug.is_slow);
            let bugs: Vec<_> = reported::BUGS.iter().filter(is_checked).collect();
            let cases: Vec<Case> = bugs.iter().map(|bug| case(bug.passes, bug.source)).collect();
            let setting = if undef { "passes=own,arguments=undef" } else { "passes=own" };
            let setting = target.spec().setting(setting).unwrap();
            for (bug, verdict) in bugs.iter().zip(verdicts(target.as_ref(), &cases, setting)) {
                let issue = bug.issue;
                match (bug.kind_in(number), &verdict) {
                    (Some(kind), Verdict::Broken(breach)) => {
                        assert_eq!(breach.kind, kind, "{issue} in {version}: {breach:?}");
                        assert!(breach.message.contains(bug.message), "{issue}: {breach:?}");
                    }
                    (Some(_), other) => panic!("{issue} is not seen in {version}: {other:?}"),
                    (None, Verdict::Broken(breach)) => {
                        panic!("{issue} is seen in {version}: {breach:?}")
                    }
                    (None, Verdict::Kept | Verdict::Skipped(_)) => {}
                }
            }
        }
    }
}

#[test]
fn a_machine_is_named_only_for_programs_that_name_none() {
    let Some(target) = opt("19") else { return };
    let setting = target.spec().setting("passes=own,triple=x86_64").unwrap();
    let program = |source: &str| case("slp-vectorizer", source).programs.remove(0);
    let line = |source: &str| {
        format!("{:?}", target.by_hand(&program(source), &Input::default(), setting))
    };
    let function = "define i8 @f(i8 %a) {\n  ret i8 %a\n}\n";
    assert!(line(function).contains("-mtriple=x86_64"));
    assert!(!line(&format!("target triple = \"aarch64\"\n{function}")).contains("-mtriple"));
}

/// A program that prints a version.
fn saying(folder: &tempfile::TempDir, version: &str) -> std::path::PathBuf {
    let path = folder.path().join("opt");
    std::fs::write(&path, format!("#!/bin/sh\necho '{version}'\n")).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, executable).unwrap();
    path
}

#[test]
fn an_opt_that_is_none_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = saying(&folder, "opt 1.0, options for parsing");
    let refusal = at_path(&path).map(|_| ()).expect_err("it is not LLVM's").to_string();
    assert!(refusal.contains("not recognised") && refusal.contains("options for parsing"));
    let target = BuiltIn::named("opt").unwrap().at(&path).unwrap();
    let runner = Runner::new(folder.path().join("work"), SandboxPolicy::BestEffort).unwrap();
    let bench =
        Bench { runner, compile: Limits::default(), run: Limits::default(), coverage: None };
    let refusal = target.probe(None, &bench).unwrap_err().to_string();
    assert!(refusal.contains("is no opt"), "{refusal}");
}

#[test]
fn a_version_whose_pointers_have_types_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = saying(&folder, "LLVM version 13.0.1");
    let runner = Runner::new(folder.path().join("work"), SandboxPolicy::BestEffort).unwrap();
    let bench =
        Bench { runner, compile: Limits::default(), run: Limits::default(), coverage: None };
    let opt = OptTarget::new(Some("13"), vec![path.display().to_string()]);
    let refusal = opt.probe(None, &bench).unwrap_err().to_string();
    assert!(refusal.contains("opt@13") && refusal.contains("LLVM 14 or newer"), "{refusal}");
}

#[test]
fn binary_and_broken_files_of_a_corpus_are_left_out_and_counted() {
    let Some(target) = opt("19") else { return };
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path().join("work"), SandboxPolicy::BestEffort).unwrap();
    let bench =
        Bench { runner, compile: Limits::default(), run: Limits::default(), coverage: None };
    let corpus = folder.path().join("corpus");
    let write = |name: &str, bytes: &[u8]| {
        let path = corpus.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    let run = "; RUN: opt -passes=instcombine -S %s\n";
    let function = "define i8 @f(i8 %a) {\n  ret i8 %a\n}\n";
    write("A/good.ll", format!("{run}{function}").as_bytes());
    write("A/binary.ll", b"\x00\xff\xfe; RUN: opt -passes=gvn\n");
    write("A/broken.ll", format!("{run}define i8 @f( {{").as_bytes());
    write("B/llc.ll", format!("; RUN: llc %s\n{function}").as_bytes());
    write("B/notes.txt", b"not a test");
    let packed = lab::corpus::pack(&corpus, target.as_ref(), &bench, 2, &|_, _| {}).unwrap();
    assert_eq!(packed.tests, 1);
    let left_out: Vec<String> =
        packed.left_out.iter().map(|it| format!("{} {}", it.1, it.0)).collect();
    let expected = ["1 not text", "1 no RUN line with passes of opt", "1 rejected by this opt"];
    assert_eq!(left_out, expected);
    std::fs::remove_file(corpus.join("A/good.ll")).unwrap();
    let empty = lab::corpus::pack(&corpus, target.as_ref(), &bench, 1, &|_, _| {}).unwrap_err();
    assert!(empty.to_string().contains("no .ll file with a RUN line"), "{empty}");
}
