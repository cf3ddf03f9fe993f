//! Tests with real solc, Vyper and resolc: integer functions and their proven mutants behave as the model predicts, known
//! bugs are found, and documented limits are skipped. `MISTRUST_EXPRESSIONS=20000` makes it a long run.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;
mod judging;

use std::sync::Arc;

use forge::{
    Behaviour, Case, Input, Interface, Language, Model, Outcome, Program, Promise, Reason, Ticket,
};
use lab::culprit;
use lab::setting::Setting;
use lab::stop::Stop;
use lab::target::resolc::ResolcTarget;
use lab::target::solc::SolcTarget;
use lab::target::vyper::VyperTarget;
use lab::target::{Axis, PassControl, PassId, Target, batch};
use lab::triage::examiner::Examiner;
use lab::triage::locate::locate;
use lab::verdict::{Breach, Skipped, Verdict};
use num_bigint::BigInt;

use judging::{assert_no_unknown_failures, bench, cases, count, judged, settings};

fn solc(version: &str) -> Option<SolcTarget> {
    let folder = installed::toolchain("solc", version)?.folder().to_owned();
    Some(SolcTarget::new(version, folder))
}

fn vyper() -> Option<VyperTarget> {
    Some(VyperTarget::new("0.4.3", installed::toolchain("vyper", "0.4.3")?.folder()))
}

/// solc rejects valid programs that divide a wrapping expression by a constant: argotorg/solidity#15709.
const KNOWN: &str = "Arithmetic error when computing constant value";

fn is_known(breach: &Breach) -> bool {
    breach.message.contains(KNOWN)
}

#[test]
fn solc_agrees_with_the_model() {
    let Some(target) = solc("0.8.37") else { return };
    assert_no_unknown_failures(&target, &settings(&target), count(144), is_known);
}

#[test]
fn an_old_solc_agrees_with_the_model() {
    let Some(target) = solc("0.5.5") else { return };
    // Its known bug affects every setting except the first.
    assert_no_unknown_failures(&target, &[&target.spec().settings[0]], count(240), is_known);
}

#[test]
fn yul_agrees_with_the_model() {
    let Some(toolchain) = installed::toolchain("solc", "0.8.37") else { return };
    let target = SolcTarget::yul("0.8.37", toolchain.folder().to_owned());
    assert_no_unknown_failures(&target, &settings(&target), count(96), is_known);
}

/// Constants are folded without bounds: vyperlang/vyper#5106 is a similar bug.
fn is_folded_wrongly(breach: &Breach) -> bool {
    breach.message.contains("Numeric literal is outside of allowable range")
}

/// With the legacy code generator; Venom is experimental.
#[test]
fn vyper_agrees_with_the_model() {
    let Some(target) = vyper() else { return };
    let legacy: Vec<&Setting> = target.spec().settings[..3].iter().collect();
    assert_no_unknown_failures(&target, &legacy, count(96), is_folded_wrongly);
}

/// The memoisation that speeds up batches does not change the emitted code.
#[test]
fn memoised_compilation_emits_the_same_code() {
    let Some(target) = vyper() else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let mut emitted = 0;
    for first in (0..count(48)).step_by(4) {
        let cases = cases(&target, first, 4);
        let shown: Vec<&Case> = cases.iter().collect();
        // Memoised first, setting after setting, so that later settings reuse results of earlier ones.
        let settings = target.spec().settings_for(&cases);
        let code = |memoised: bool| -> Vec<_> {
            let code = settings.iter().map(|it| target.code(&shown, it, memoised, &bench));
            code.collect()
        };
        let (memoised, plain) = (code(true), code(false));
        assert!(memoised == plain, "tickets from {first} on");
        emitted += memoised.iter().filter(|code| code.is_ok()).count();
    }
    assert!(emitted > 0);
}

/// A constant is complemented in place although another instruction shares it. The pass is located.
#[test]
fn the_reduce_literals_bug_of_venom_is_found_and_located() {
    let Some(target) = vyper() else { return };
    let root = tempfile::tempdir().unwrap();
    let source = "\n@external\n@pure\ndef judged(a0: int16) -> int16:\n    return (convert(2, int16) * \
                  max(min((convert(-1, int16) & convert(-32768, int16)), a0), a0))\n";
    let case = case("vyper", "(i16) -> i16", source, &["-4"], "-8");
    let bench = bench(&root);
    let target: Arc<dyn Target> = Arc::new(target);
    let examiner = Examiner::new(Arc::clone(&target), bench.clone(), Stop::default());
    let setting = target.spec().setting("venom-codesize").unwrap().clone();
    let exhibit = examiner.exhibit(&case, &[setting]).unwrap();
    let culprits = locate(&examiner, &exhibit);
    let pass = culprit::pass(&culprits).map(|pass| &pass.bad);
    assert_eq!(pass, Some(&PassId::new("ReduceLiteralsCodesize")), "{culprits:?}");
    for fine in ["legacy-codesize", "venom-gas"] {
        let verdicts = judged(
            target.as_ref(),
            std::slice::from_ref(&case),
            target.spec().setting(fine).unwrap(),
            &bench,
        );
        assert_eq!(verdicts, [Verdict::Kept], "{fine}");
    }
}

/// A hand-written case: signature, source, arguments and expected value.
fn case(language: &str, signature: &str, source: &str, arguments: &[&str], expected: &str) -> Case {
    let comment = if language == "vyper" { "#" } else { "//" };
    let source = format!("{comment} judged{signature}\n{source}");
    let arguments = arguments.iter().map(|it| (*it).to_owned()).collect();
    Case {
        origin: Ticket::new("text", 0, 0).into(),
        programs: vec![Program {
            name: "base".into(),
            language: Language::new(language),
            interface: Interface::Function,
            source,
        }],
        inputs: vec![Input { arguments, ..Input::default() }],
        promise: Promise::Yields(vec![Behaviour::Value(expected.to_owned())]),
        trail: vec![],
        model: Model::absent(),
    }
}

fn solidity(
    language: &str,
    parameters: &str,
    body: &str,
    arguments: &[&str],
    expected: &str,
) -> Case {
    let kinds = parameters.split(", ").map(|it| it.replace("uint", "u").replace("int", "i"));
    let kinds: Vec<String> =
        kinds.map(|it| it.split(' ').next().unwrap_or_default().to_owned()).collect();
    let source = format!(
        "contract Judged {{\n    function judged({parameters}) external pure returns (uint256) {{ {body} }}\n}}\n"
    );
    let signature = format!("({}) -> u256", kinds.join(", "));
    case(language, &signature, &source, arguments, expected)
}

/// The check can fail: only the case with a wrong expectation is a breach; an invalid program is rejected, and one with a
/// stack that is too deep is skipped.
#[test]
fn solc_failures_are_classified() {
    let Some(target) = solc("0.8.37") else { return };
    let root = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..20).map(|n| format!("uint256 a{n}")).collect();
    let sum: Vec<String> = (0..20).map(|n| format!("a{n}")).collect();
    let ones = ["1"; 20];
    let deep = format!("return {};", sum.join(" + "));
    let cases = [
        solidity("solidity", "uint8 a0", "return uint256(a0) + 1;", &["255"], "256"),
        solidity("solidity", "uint8 a0", "return uint256(a0) + 1;", &["255"], "255"),
        solidity("solidity", &names.join(", "), &deep, &ones, "20"),
        solidity("solidity", "int16 a0", "return uint256(int256(-a0));", &["-3"], "3"),
    ];
    let verdicts = judged(&target, &cases, &target.spec().settings[0], &bench(&root));
    assert_eq!(verdicts[0], Verdict::Kept);
    let Verdict::Broken(breach) = &verdicts[1] else { panic!("{verdicts:?}") };
    assert_eq!((breach.expected.as_deref(), breach.actual.as_str()), (Some("255"), "256"));
    let Verdict::Skipped(Skipped::Unobserved(Reason::Limit(why))) = &verdicts[2] else {
        panic!("{verdicts:?}")
    };
    assert!(why.contains("too deep"), "{why}");
    assert_eq!(verdicts[3], Verdict::Kept);

    let wrong = [solidity("solidity", "uint8 a0", "return true;", &["1"], "1")];
    let verdicts = judged(&target, &wrong, &target.spec().settings[0], &bench(&root));
    let Verdict::Broken(breach) = &verdicts[0] else { panic!("{verdicts:?}") };
    assert!(breach.message.starts_with("TypeError"), "{breach:?}");
}

#[test]
fn vyper_reverts_and_rejections_break_promises() {
    let Some(target) = vyper() else { return };
    let root = tempfile::tempdir().unwrap();
    let function = |result: &str| {
        format!("\n@external\n@pure\ndef judged(a0: uint8) -> uint8:\n    return {result}\n")
    };
    let of = |result: &str, expected: &str| {
        case("vyper", "(u8) -> u8", &function(result), &["7"], expected)
    };
    let cases = [of("a0 + 1", "8"), of("a0 // (a0 - a0)", "1"), of("a0 + 1", "9"), of("True", "1")];
    let verdicts = judged(&target, &cases, &target.spec().settings[0], &bench(&root));
    assert_eq!(verdicts[0], Verdict::Kept);
    // A revert instead of a value, a wrong value, and a rejection.
    for broken in [1, 2, 3] {
        assert!(matches!(verdicts[broken], Verdict::Broken(_)), "{broken}: {verdicts:?}");
    }
}

/// Two shifts by constants whose sum wraps (<https://docs.soliditylang.org/en/latest/bugs.html>), and the culprit part of
/// the optimiser.
#[test]
fn the_double_shift_bug_is_found_and_located() {
    let Some(target) = solc("0.5.5") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let body = format!("return ((a0 << uint256({})) << uint256(2));", uint_max());
    let case = solidity("old-solidity", "uint256 a0", &body, &["21"], "0");
    let cases = std::slice::from_ref(&case);
    let verdict = |setting: &Setting| judged(&target, cases, setting, &bench).remove(0);
    assert_eq!(verdict(target.spec().setting("off-legacy").unwrap()), Verdict::Kept);
    let setting = target.spec().setting("200-legacy").unwrap();
    let Verdict::Broken(breach) = verdict(setting) else { panic!("the bug is not found") };
    assert_eq!(breach.actual, "42");
    let axis = target.axes(&case, setting, &bench).remove(0);
    let Axis::Passes(points) = &axis else { panic!("{axis:?}") };
    assert_eq!(verdict(&points[0].setting), Verdict::Kept);
    let first = points.iter().find(|it| matches!(verdict(&it.setting), Verdict::Broken(_)));
    assert_eq!(first.unwrap().pass, Some(PassId::new("cse")));
}

fn uint_max() -> String {
    let most: BigInt = (BigInt::from(1) << 256) - 1;
    most.to_string()
}

/// `mulmod` with a modulus of more than 128 bits returns a value that is not below the modulus.
#[test]
fn resolc_runs_and_its_mulmod_is_wrong() {
    let Some(toolchain) = installed::toolchain("resolc", "0.3.0") else { return };
    let target = ResolcTarget::new("0.3.0", toolchain.folder().to_owned());
    let root = tempfile::tempdir().unwrap();
    let two = |power: u32| BigInt::from(1) << power;
    let arguments = [two(159), two(256) - two(54) - 1, two(255) + 1].map(|it| it.to_string());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let right: BigInt = (two(159) * (two(256) - two(54) - 1)) % (two(255) + 1);
    let parameters = "uint256 a0, uint256 a1, uint256 a2";
    let mulmod = "return mulmod(a0, a1, a2);";
    let cases = [
        solidity("solidity", parameters, mulmod, &arguments, &right.to_string()),
        solidity("solidity", parameters, mulmod, &["7", "8", "10"], "6"),
        solidity("solidity", parameters, "return a0 - a1;", &["7", "3", "0"], "4"),
        solidity("solidity", parameters, "return a0 - a1;", &["3", "7", "0"], "0"),
    ];
    let shown: Vec<&Case> = cases.iter().collect();
    let seen = batch::observe(&target, &shown, &target.spec().settings[3..4], &bench(&root));
    let outcome = |at: usize| seen.observations[at][0].outcome.clone();
    let value = |text: &str| Outcome::Ran(Behaviour::Value(text.to_owned()));
    assert!(matches!(outcome(0), Outcome::Ran(Behaviour::Value(_))), "{:?}", outcome(0));
    assert_ne!(outcome(0), value(&right.to_string()));
    assert_eq!(outcome(1), value("6"));
    assert_eq!(outcome(2), value("4"));
    let panic = Behaviour::Trap { code: "panic 0x11".to_owned(), output: String::new() };
    assert_eq!(outcome(3), Outcome::Ran(panic));
}
