//! Tests with the real TON compilers and TON's virtual machine: integer functions and their proven mutants behave as the
//! model predicts, including exit codes, and rejections are distinguished from crashes. `MISTRUST_EXPRESSIONS=2000` makes
//! it a long run.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;
mod judging;

use forge::{
    Behaviour, Case, Input, Interface, Language, Model, Outcome, Program, Promise, Ticket,
};
use lab::target::{Attempt, Target, func, tolk};
use lab::verdict::{Breach, Verdict};

use judging::{assert_no_unknown_failures, bench, count, judged, settings};

fn target(family: &str) -> Option<Box<dyn Target>> {
    let version = if family == "tolk" { "1.3.0" } else { "0.11.0" };
    let folder = installed::toolchain(family, version)?.folder().to_owned();
    let make = if family == "tolk" { tolk::target } else { func::target };
    Some(Box::new(make(version, folder)))
}

/// A hand-written case. The expected result is a value, or the code of a trap.
fn case(family: &str, body: &str, arguments: &[&str], expected: Result<&str, &str>) -> Case {
    let names = (0..arguments.len()).map(|n| format!("a{n}")).collect::<Vec<_>>();
    let kinds = vec!["i257"; arguments.len()].join(", ");
    let source = if family == "tolk" {
        let parameters = names.iter().map(|name| format!("{name}: int")).collect::<Vec<_>>();
        format!(
            "// judged({kinds}) -> i257\nfun onInternalMessage(in: InMessage) {{}}\n\n\
             get fun judged({}): int {{\n    {body}\n}}\n\n",
            parameters.join(", ")
        )
    } else {
        let parameters = names.iter().map(|name| format!("int {name}")).collect::<Vec<_>>();
        format!(
            ";; judged({kinds}) -> i257\nint min(int x, int y) asm \"MIN\";\nint max(int x, int y) asm \"MAX\";\n\
             (int, int) minmax(int x, int y) asm \"MINMAX\";\nint abs(int x) asm \"ABS\";\n\
             int sign(int x) asm \"SGN\";\n() recv_internal() impure {{\n}}\n\nint judged({}) method_id {{\n    {body}\n}}\n\n",
            parameters.join(", ")
        )
    };
    let arguments = arguments.iter().map(|it| (*it).to_owned()).collect();
    let expected = match expected {
        Ok(value) => Behaviour::Value(value.to_owned()),
        Err(code) => Behaviour::Trap { code: code.to_owned(), output: String::new() },
    };
    Case {
        origin: Ticket::new("text", 0, 0).into(),
        programs: vec![Program {
            name: "base".to_owned(),
            language: Language::new(family),
            interface: Interface::Function,
            source,
        }],
        inputs: vec![Input { arguments, ..Input::default() }],
        promise: Promise::Yields(vec![expected]),
        trail: vec![],
        model: Model::absent(),
    }
}

#[test]
fn func_agrees_with_the_model() {
    let Some(target) = target("func") else { return };
    assert_no_unknown_failures(target.as_ref(), &settings(target.as_ref()), count(200), |_| false);
}

/// Except for a known bug, see `docs/src/findings.md`.
#[test]
fn tolk_agrees_with_the_model() {
    let Some(target) = target("tolk") else { return };
    let is_known = |breach: &Breach| breach.message.contains("codegen.cpp:203");
    assert_no_unknown_failures(target.as_ref(), &settings(target.as_ref()), count(200), is_known);
}

/// The model's assumptions about the virtual machine, at the edges of its arithmetic.
#[test]
fn tvm_arithmetic_edge_cases_match_the_model() {
    const LEAST: &str =
        "-115792089237316195423570985008687907853269984665640564039457584007913129639936";
    const GREATEST: &str =
        "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    for family in ["tolk", "func"] {
        let Some(target) = target(family) else { return };
        let it = |body: &str, arguments: &[&str], expected: Result<&str, &str>| {
            case(family, body, arguments, expected)
        };
        let cases = [
            it("return (a0 / a1);", &["-7", "2"], Ok("-4")),
            it("return (a0 % a1);", &["-7", "2"], Ok("1")),
            it("return (a0 % a1);", &["7", "-2"], Ok("-1")),
            it("return (a0 / a1);", &["1", "0"], Err("exit 4")),
            it("return (a0 / a1);", &[LEAST, "-1"], Err("exit 4")),
            it("return (a0 % a1);", &[LEAST, "-1"], Ok("0")),
            it("return (a0 + a1);", &[GREATEST, "1"], Err("exit 4")),
            it("return (- a0);", &[LEAST], Err("exit 4")),
            it("return (~ a0);", &[LEAST], Ok(GREATEST)),
            it(
                "return (a0 << a1);",
                &["1", "255"],
                Ok("57896044618658097711785492504343953926634992332820282019728792003956564819968"),
            ),
            it("return (a0 << a1);", &["1", "256"], Err("exit 4")),
            it("return (a0 << a1);", &["0", "257"], Ok("0")),
            // Zero overflows, too, which is undocumented: the model treats it as ambiguous.
            it("return (a0 << a1);", &["0", "1023"], Err("exit 4")),
            it("return (a0 << a1);", &["0", "1024"], Err("exit 5")),
            it("return (a0 << a1);", &["0", "-1"], Err("exit 5")),
            it("return (a0 >> a1);", &["-5", "1"], Ok("-3")),
            it("return (a0 >> a1);", &["-5", "1023"], Ok("-1")),
            it("return (a0 >> a1);", &["-5", "1024"], Err("exit 5")),
            it("return min(a0, a1);", &["-5", "3"], Ok("-5")),
            // Two wrong expectations: the check can fail.
            it("return max(a0, a1);", &["-5", "3"], Ok("-5")),
            it("return (a0 / a1);", &["1", "0"], Err("exit 5")),
        ];
        for setting in &target.spec().settings {
            let verdicts = judged(target.as_ref(), &cases, setting, &bench);
            let (kept, broken) = verdicts.split_at(cases.len() - 2);
            for (case, verdict) in cases.iter().zip(kept) {
                assert_eq!(*verdict, Verdict::Kept, "{family} {}: {case:#?}", setting.name);
            }
            assert!(broken.iter().all(|it| matches!(it, Verdict::Broken(_))), "{broken:?}");
        }
    }
}

#[test]
fn diagnostics_are_classified_and_attributed_to_one_program() {
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    for family in ["tolk", "func"] {
        let Some(target) = target(family) else { return };
        let setting = &target.spec().settings[2];
        let fine = case(family, "return (a0 + 1);", &["1"], Ok("2"));
        let zero = case(family, "return (a0 / 0);", &["1"], Err("exit 4"));
        let wrong = case(family, "return nothing;", &["1"], Ok("2"));
        let cases = [fine.clone(), zero, fine.clone(), wrong.clone(), fine];
        let verdicts = judged(target.as_ref(), &cases, setting, &bench);
        assert_eq!([&verdicts[0], &verdicts[2], &verdicts[4]], [&Verdict::Kept; 3]);
        assert!(
            matches!(&verdicts[1], Verdict::Skipped(why) if why.to_string().contains("division by zero"))
        );
        assert!(matches!(&verdicts[3], Verdict::Broken(_)), "{verdicts:?}");
        let alone = target.attempt(&[&wrong], setting, &bench);
        assert!(
            matches!(&alone, Attempt::Together(Outcome::Rejected { message }) if message.contains("error: ")),
            "{alone:?}"
        );
    }
}
