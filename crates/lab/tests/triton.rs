//! The LLVM of PyPI's triton, which has assertions: functions pass, and one whose assertion fails is told from the
//! others of its batch, verified, and reported with its pass and a command that reproduces it.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use forge::{Case, Input, Interface, Language, Method, Model, Origin, Program, Promise};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::oracle;
use lab::target::built_in::BuiltIn;
use lab::target::triton::TritonTarget;
use lab::target::{Bench, ByHand, Target, batch};
use lab::verdict::{BreachKind, Verdict};
use llvm::corpus::{Corpus, Test};
use llvm::method::Crossover;

/// Its LLVM is a snapshot of 24.
const VERSION: &str = "3.9.0";

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

fn triton() -> Option<Arc<dyn Target>> {
    let toolchain = installed::toolchain("triton", VERSION)?;
    BuiltIn::named("triton").unwrap().target(&toolchain)
}

fn bench(folder: &Path) -> Bench {
    let runner = Runner::new(folder.to_owned(), SandboxPolicy::BestEffort).unwrap();
    let limits = Limits { wall: Duration::from_secs(300), ..Limits::default() };
    Bench { runner, compile: limits.clone(), run: limits, coverage: None }
}

fn verdicts(target: &dyn Target, cases: &[Case], setting: &str) -> Vec<Verdict> {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(folder.path());
    let setting = target.spec().setting(setting).unwrap().clone();
    let all: Vec<&Case> = cases.iter().collect();
    let seen = batch::observe(target, &all, &[setting], &bench);
    let each = cases.iter().zip(&seen.observations);
    each.map(|(case, observations)| oracle::judge(case, observations)).collect()
}

/// Functions that crossovers are made of.
const SEEDS: [(&str, &str); 4] = [
    (
        "instcombine",
        "define i8 @f(i8 %a, i8 %b) {\n  %s = shl i8 %a, 1\n  %t = sub i8 %s, %b\n  %c = icmp ult i8 %t, %a\n  \
         %r = select i1 %c, i8 %t, i8 %b\n  ret i8 %r\n}\n",
    ),
    (
        "simplifycfg",
        "define i32 @f(i32 %x) {\nentry:\n  %c = icmp eq i32 %x, 7\n  br i1 %c, label %a, label %b\na:\n  \
         br label %b\nb:\n  %r = phi i32 [ 3, %entry ], [ %x, %a ]\n  ret i32 %r\n}\n",
    ),
    (
        "gvn",
        "define i16 @f(ptr %p, i16 %x) {\n  %a = load i16, ptr %p, align 2\n  %b = load i16, ptr %p, align 2\n  \
         %c = mul i16 %a, %x\n  %d = add i16 %c, %b\n  ret i16 %d\n}\n",
    ),
    (
        "reassociate",
        "define <4 x i8> @f(<4 x i8> %a, <4 x i8> %b) {\n  %s = add <4 x i8> %a, %b\n  \
         %t = add <4 x i8> %s, <i8 1, i8 2, i8 3, i8 4>\n  %r = xor <4 x i8> %t, %a\n  ret <4 x i8> %r\n}\n",
    ),
];

#[test]
fn hundreds_of_functions_pass_and_a_pass_is_located() {
    let Some(target) = triton() else { return };
    let lines = SEEDS.iter().enumerate().map(|(index, (pass, text))| {
        let test = Test {
            path: format!("own/{index}.ll"),
            passes: vec![(*pass).to_owned()],
            text: (*text).to_owned(),
            failing: vec![],
        };
        serde_json::to_string(&test).unwrap() + "\n"
    });
    let corpus = Corpus::read(23, &lines.collect::<String>()).expect("a corpus");
    let method = Crossover::new(Arc::new(corpus));
    let cases: Vec<Case> =
        (0..300).filter_map(|index| method.make(&method.ticket(1, index))).collect();
    assert!(cases.len() > 250);
    for setting in ["passes=own", "passes=default<O3>"] {
        let verdicts = verdicts(target.as_ref(), &cases, setting);
        let kept = verdicts.iter().filter(|it| **it == Verdict::Kept).count();
        let broken = verdicts.iter().zip(&cases).find(|it| matches!(it.0, Verdict::Broken(_)));
        if let Some((verdict, case)) = broken {
            panic!("{setting}: {verdict:?}\n{}", case.programs[0].source);
        }
        assert!(kept * 4 > cases.len() * 3, "{setting}: {kept} of {}", cases.len());
    }
    let folder = tempfile::tempdir().unwrap();
    let setting = target.spec().setting("passes=own").unwrap();
    let control = target.passes().expect("a pass control");
    let axes = control.axes(&case("instcombine,gvn", SEEDS[0].1), setting, &bench(folder.path()));
    assert!(format!("{axes:?}").contains("gvn"), "{axes:?}");
}

/// The same with a compiler whose assertion fails on a number.
fn planted(folder: &Path) -> TritonTarget {
    let script = folder.join("opt.sh");
    let text = "#!/bin/sh\nfor word; do case $word in -passes=*) passes=$word;; *.ll) in=${in:-$word}; out=$word;; esac; done\n\
                if [ $passes != -passes=verify ] && grep -q ', 77' $in; then\n\
                name=$(awk '/^define/ { f = $0 } /, 77/ { print f; exit }' $in | sed 's/.*@//; s/(.*//')\n\
                echo \"opt: lib/Transforms/Fold.cpp:12: llvm::Value* fold(llvm::Value*): Assertion \\`isEven(V)' failed.\" >&2\n\
                echo 'Stack dump:' >&2\necho \"0.\tRunning pass \\\"instcombine\\\" on function \\\"$name\\\"\" >&2\n\
                kill -ABRT $$\nfi\ncp $in $out\n";
    std::fs::write(&script, text).unwrap();
    let command = vec!["sh".to_owned(), script.display().to_string()];
    TritonTarget::new(VERSION, command.clone(), command, None)
}

#[test]
fn a_failed_assertion_belongs_to_one_valid_function() {
    let folder = tempfile::tempdir().unwrap();
    let target = planted(folder.path());
    let add = |by: u32| {
        case(
            "instcombine",
            &format!("define i8 @f(i8 %a) {{\n  %r = add i8 %a, {by}\n  ret i8 %r\n}}\n"),
        )
    };
    let mut cases: Vec<Case> = (1..40).map(add).collect();
    cases.push(add(77));
    // Only another verifier rejects it.
    let invalid = "define i8 @f(i8 %a) {\nentry:\n  br i1 true, label %x, label %y\nx:\n  \
                   %b = add i8 %a, 77\n  br label %y\ny:\n  ret i8 %b\n}\n";
    cases.push(case("instcombine", invalid));
    cases.extend((40..60).map(add));
    let verdicts = verdicts(&target, &cases, "passes=own");
    for (index, verdict) in verdicts.iter().enumerate() {
        match (index, verdict) {
            (39, Verdict::Broken(breach)) => {
                assert_eq!(breach.kind, BreachKind::Crash);
                assert!(breach.message.contains("Assertion `isEven(V)' failed"), "{breach:?}");
            }
            (40, Verdict::Skipped(why)) => assert!(why.to_string().contains("invalid IR"), "{why}"),
            (39 | 40, other) => panic!("{index}: {other:?}"),
            (_, verdict) => assert_eq!(*verdict, Verdict::Kept, "{index}"),
        }
    }
}

#[test]
fn the_commands_of_a_report_need_a_file_that_is_beside_it() {
    let Some(target) = triton() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in target.files() {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let program = case("instcombine", SEEDS[0].1).programs.remove(0);
    std::fs::write(folder.path().join(program.file_name()), &program.source).unwrap();
    let setting = target.spec().setting("passes=own").unwrap();
    let ByHand::Steps { compile, run: Some(run) } =
        target.by_hand(&program, &Input::default(), setting)
    else {
        panic!("two steps")
    };
    let start = |line: &[String]| {
        let mut command = std::process::Command::new(&line[0]);
        let output = command.args(&line[1..]).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{line:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    start(&compile);
    assert!(start(&run).contains("define i8 @f"));
}
