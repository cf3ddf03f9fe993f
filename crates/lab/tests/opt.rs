//! LLVM's `opt` with a real compiler: a program that LLVM 19 miscompiles, its neighbour that it does not, and what
//! is not valid IR.

#![expect(clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;

use std::time::Duration;

use forge::{Case, Input, Interface, Language, Model, Origin, Program, Promise};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::oracle;
use lab::target::built_in::BuiltIn;
use lab::target::{Bench, batch};
use lab::verdict::{BreachKind, Verdict};

fn case(source: &str) -> Case {
    Case {
        origin: Origin::Given { method: "text".to_owned() },
        programs: vec![Program {
            name: "base".to_owned(),
            language: Language::new("llvm"),
            interface: Interface::Module,
            source: format!("; RUN: opt -passes='instcombine' -S\n{source}"),
        }],
        inputs: vec![Input::default()],
        promise: Promise::Refines,
        trail: vec![],
        model: Model::absent(),
    }
}

/// The sign extension of the `nbits` highest bits of a byte. The number of bits that are skipped is right if
/// eight fits into its type.
fn sign_extension(nbits: &str, eight: &str) -> Case {
    case(&format!(
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
    ))
}

#[test]
fn a_wrong_fold_of_llvm_19_is_seen_among_right_and_invalid_functions() {
    let Some(toolchain) = installed::toolchain("clang", "19") else { return };
    let target = BuiltIn::named("opt").unwrap().target(&toolchain).expect("an opt");
    let cases = [
        sign_extension("i5", "8"),
        sign_extension("i2", "0"),
        case("define i8 @f(i8 %a) {\n  %r = add i8 %a, %b\n  ret i8 %r\n}\n"),
        case("define i8 @f(i8 %a) {\n  %r = mul i8 %a, 2\n  ret i8 %r\n}\n"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path().to_owned(), SandboxPolicy::BestEffort).unwrap();
    let limits = Limits { wall: Duration::from_secs(300), ..Limits::default() };
    let bench = Bench { runner, compile: limits.clone(), run: limits };
    let own = target.spec().setting("passes=own").unwrap().clone();
    let all: Vec<&Case> = cases.iter().collect();
    let seen = batch::observe(target.as_ref(), &all, &[own], &bench);
    let verdicts: Vec<Verdict> = cases
        .iter()
        .zip(&seen.observations)
        .map(|(case, observations)| oracle::judge(case, observations))
        .collect();
    assert_eq!(verdicts[0], Verdict::Kept);
    let Verdict::Broken(breach) = &verdicts[1] else { panic!("{verdicts:?}") };
    assert_eq!(breach.kind, BreachKind::Miscompilation);
    assert!(matches!(verdicts[2], Verdict::Skipped(_)), "{verdicts:?}");
    assert_eq!(verdicts[3], Verdict::Kept);
}
