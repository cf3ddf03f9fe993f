//! Contracts with state and real solc: hand-written programs behave as expected under every setting, wrong expectations and
//! historical bugs are reported, limits are skipped.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;
#[expect(dead_code, reason = "shared with other tests")]
mod judging;

use forge::{Behaviour, Case, Input, Interface, Language, Model, Program, Promise, Reason, Ticket};
use lab::setting::Setting;
use lab::target::solc::SolcTarget;
use lab::target::{Axis, PassControl, PassId, Target};
use lab::verdict::{BreachKind, Skipped, Verdict};
use revm::primitives::keccak256;

use judging::{bench, judged};

fn solc(version: &str) -> Option<SolcTarget> {
    let folder = installed::toolchain("solc", version)?.folder().to_owned();
    Some(SolcTarget::new(version, folder))
}

/// A word of the ABI.
fn word(number: u64) -> String {
    format!("{number:064x}")
}

/// A call of a function, by its signature, with arguments in hexadecimal digits.
fn call(signature: &str, arguments: &[String]) -> String {
    let hash = keccak256(signature);
    let selector: String = hash[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("call data=0x{selector}{}", arguments.concat())
}

fn case(source: &str, transactions: &[String], promise: Promise) -> Case {
    let first = "create C data=0x".to_owned();
    let arguments = std::iter::once(first).chain(transactions.iter().cloned()).collect();
    Case {
        origin: Ticket::new("text", 0, 0).into(),
        programs: vec![Program {
            name: "base".into(),
            language: Language::new("solidity"),
            interface: Interface::Contract,
            source: source.to_owned(),
        }],
        inputs: vec![Input { arguments, ..Input::default() }],
        promise,
        trail: vec!["`x` is not declared".to_owned()],
        model: Model::absent(),
    }
}

/// A case with these lines as its behaviour, after the creation.
fn yields(source: &str, transactions: &[String], lines: &[String]) -> Case {
    let text = format!("ok\n{}\n", lines.join("\n"));
    case(source, transactions, Promise::Yields(vec![Behaviour::Value(text)]))
}

fn storage(slot: &str, value: &str) -> String {
    format!("storage c0 0x{slot:0>64} 0x{value:0>64}")
}

fn topic(signature: &str) -> String {
    keccak256(signature).to_string()
}

/// One case per kind of behaviour.
fn specimens() -> Vec<Case> {
    let packing = "contract C { uint8 a; int16 b; bytes3 c; bool d; uint248 e;\n\
                   function f() external { a = 0x12; b = -2; c = 0xabcdef; d = true; e = 7; delete a; } }";
    let memory = "contract C { struct S { uint8 a; uint16[] b; }\n\
                  function f(uint n) external pure returns (S memory s, bytes memory t) {\n\
                  s.a = 5; s.b = new uint16[](n); for (uint i = 0; i < n; i++) s.b[i] = uint16(i * i); t = bytes.concat(hex\"aa\", hex\"bb\"); } }";
    let dynamic = |head: &[u64], tail: &str| {
        format!("ok 0x{}{tail}", head.iter().map(|it| word(*it)).collect::<String>())
    };
    let shown = dynamic(&[64, 256, 5, 64, 3, 0, 1, 4, 2], &format!("{:0<64}", "aabb"));
    let events = "contract C { event E(uint indexed a, bytes b); event F() anonymous;\n\
                  function f() external { emit E(7, hex\"01\"); emit F(); } }";
    let calls = "contract D { uint public x; constructor(uint y) payable { x = y; }\n\
                 function add(uint y) external payable returns (uint) { x += y; if (x > 9) revert(\"big\"); return x; } }\n\
                 contract C { D d; function make() external payable { d = new D{value: 1}(4); }\n\
                 function f(uint y) external returns (uint r, bool failed) {\n\
                 try d.add(y) returns (uint z) { r = z; } catch Error(string memory) { failed = true; } } }";
    let reverts = "contract C { error E(uint8 a, string s); uint x;\n\
                   function f(uint8 a) external { x = 1; if (a == 0) revert E(a, \"no\"); assert(a != 1); require(a != 2); x = a; } }";
    let custom = {
        let selector: String =
            keccak256("E(uint8,string)")[..4].iter().map(|it| format!("{it:02x}")).collect();
        format!("revert 0x{selector}{}{}{}{:0<64}", word(0), word(64), word(2), "6e6f")
    };
    let libraries = "library L { function twice(uint[] storage a, uint n) external { a.push(n); a.push(n); } }\n\
                     contract C { uint[] a; function f() external returns (uint) { L.twice(a, 3); return a.length; } }";
    let array = keccak256([0; 32]).to_string();
    let next = format!("{}{:x}", &array[2..65], u8::from_str_radix(&array[65..], 16).unwrap() + 1);
    let files = "==== Source: a.sol ====\nlibrary A { function f(uint x) internal pure returns (uint) { return x + 1; } }\n\
                 ==== Source: b.sol ====\nimport \"a.sol\";\nimport {A as B} from \"./a.sol\";\n\
                 contract C { function f() external pure returns (uint) { return A.f(B.f(1)); } }";
    let f = || call("f()", &[]);
    let of = |n: u64| call("f(uint256)", &[word(n)]);
    let small = |n: u64| call("f(uint8)", &[word(n)]);
    vec![
        yields(
            packing,
            &[f()],
            &["ok 0x".into(), storage("0", "01abcdeffffe00"), storage("1", "7")],
        ),
        yields(memory, &[of(3)], &[shown]),
        yields(
            events,
            &[f()],
            &[
                "ok 0x".into(),
                format!(
                    "log c0 {} 0x{} data=0x{}{}{:0<64}",
                    topic("E(uint256,bytes)"),
                    word(7),
                    word(32),
                    word(1),
                    "01"
                ),
                "log c0 data=0x".into(),
            ],
        ),
        yields(
            calls,
            &[call("make()", &[]).replace("call", "call value=3"), of(3), of(5)],
            &[
                "ok 0x".into(),
                format!("ok 0x{}{}", word(7), word(0)),
                format!("ok 0x{}{}", word(0), word(1)),
                "storage c0 0x".to_owned() + &word(0) + " 0x" + &created_address(),
                format!("storage c1 0x{} 0x{}", word(0), word(7)),
                "balance c0 2".into(),
                "balance c1 1".into(),
            ],
        ),
        yields(
            reverts,
            &[small(0), small(1), small(2), small(256), small(3)],
            &[
                custom,
                format!("revert 0x4e487b71{}", word(1)),
                "revert 0x".into(),
                "revert 0x".into(),
                "ok 0x".into(),
                storage("0", "3"),
            ],
        ),
        yields(
            libraries,
            &[f()],
            &[
                format!("ok 0x{}", word(2)),
                storage("0", "2"),
                storage(&array[2..], "3"),
                storage(&next, "3"),
            ],
        ),
        yields(files, &[f()], &[format!("ok 0x{}", word(3))]),
    ]
}

/// The address of the first contract that the first contract creates. A generated program would not store it.
fn created_address() -> String {
    let address = lab::vm::chain::sender(0).create(0).create(1).to_string().to_lowercase();
    format!("{:0>64}", &address[2..])
}

#[test]
fn contracts_behave_as_expected_under_every_setting() {
    let Some(target) = solc("0.8.37") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let cases = specimens();
    let spec = target.spec();
    let settings = spec.settings.iter().chain(&spec.occasional);
    for setting in settings.filter(|setting| setting.value("smt").is_none()) {
        for (verdict, case) in judged(&target, &cases, setting, &bench).iter().zip(&cases) {
            let source = &case.programs[0].source;
            assert_eq!(*verdict, Verdict::Kept, "{} under {}", source, setting.name);
        }
    }
}

#[test]
fn transient_storage_lasts_for_a_transaction() {
    let Some(target) = solc("0.8.37") else { return };
    let root = tempfile::tempdir().unwrap();
    let source = "contract C { uint transient t; uint public n;\n\
                  function g() external { t += 1; n += t; }\n\
                  function f() external { this.g(); this.g(); } }";
    let f = || call("f()", &[]);
    let cases = [yields(source, &[f(), f()], &["ok 0x".into(), "ok 0x".into(), storage("0", "6")])];
    for setting in ["off-legacy", "200-ir"] {
        let setting = target.spec().setting(setting).unwrap();
        assert_eq!(judged(&target, &cases, setting, &bench(&root)), [Verdict::Kept]);
    }
}

/// The check can fail: in a batch, each failure is attributed to its case.
#[test]
fn failures_of_contracts_are_classified() {
    let Some(target) = solc("0.8.37") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let simple = "contract C { uint x; function f() external { x = 5; } }";
    let f = || call("f()", &[]);
    let expect = |value: &str| yields(simple, &[f()], &["ok 0x".into(), storage("0", value)]);
    let variables: String = (0..20).map(|n| format!("uint a{n} = msg.value + {n};")).collect();
    let sum = (0..20).map(|n| format!("a{n}")).collect::<Vec<_>>().join(" + ");
    let deep = format!(
        "contract C {{ uint x; function f() external payable {{ {variables} x = {sum}; }} }}"
    );
    let invalid = "contract C { function f() external { x = 5; } }";
    let cases = [
        expect("5"),
        expect("6"),
        yields(&deep, &[f()], &["ok 0x".into()]),
        case(invalid, &[], Promise::Compiles),
        case(invalid, &[], Promise::Rejects),
        case(simple, &[], Promise::Rejects),
        case(simple, &[], Promise::Survives),
        expect("5"),
    ];
    let verdicts = judged(&target, &cases, target.spec().setting("off-legacy").unwrap(), &bench);
    for kept in [0, 4, 6, 7] {
        assert_eq!(verdicts[kept], Verdict::Kept, "{kept}");
    }
    let kind = |at: usize| match &verdicts[at] {
        Verdict::Broken(breach) => Some((breach.kind, breach.message.clone())),
        Verdict::Kept | Verdict::Skipped(_) => None,
    };
    assert_eq!(kind(1).unwrap().0, BreachKind::Miscompilation);
    let Verdict::Skipped(Skipped::Unobserved(Reason::Limit(why))) = &verdicts[2] else {
        panic!("{:?}", verdicts[2])
    };
    assert!(why.contains("too deep"), "{why}");
    assert_eq!(kind(3).unwrap().0, BreachKind::Rejection);
    let accepted = "accepted although `x` is not declared".to_owned();
    assert_eq!(kind(5), Some((BreachKind::Acceptance, accepted)));
}

/// Under the SMT checker, only cases that promise survival are observed.
#[test]
fn the_smt_checker_is_asked_for_cases_that_promise_survival() {
    let Some(target) = solc("0.8.37") else { return };
    let root = tempfile::tempdir().unwrap();
    let source = "contract C { uint x; function f(uint y) external { x = y; assert(x == y); } }";
    let cases = [case(source, &[], Promise::Survives), case(source, &[], Promise::Compiles)];
    let settings = target.spec().settings_for(&cases);
    assert!(settings.iter().any(|it| it.value("smt").is_some()), "{settings:?}");
    let setting = target.spec().setting("smt=encode").unwrap();
    let verdicts = judged(&target, &cases, setting, &bench(&root));
    assert_eq!(verdicts[0], Verdict::Kept);
    assert!(matches!(verdicts[1], Verdict::Skipped(_)), "{verdicts:?}");
}

/// A historical bug: broken by the bad version under these settings, kept by the good one under all that it has of them.
#[track_caller]
fn historical(case: &Case, bad: &str, good: &str, settings: &[&str]) {
    let (Some(bad), Some(good)) = (solc(bad), solc(good)) else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    for name in settings {
        let verdict = |target: &SolcTarget| {
            let setting = target.spec().setting(name).expect("a setting").clone();
            judged(target, std::slice::from_ref(case), &setting, &bench).remove(0)
        };
        let Verdict::Broken(breach) = verdict(&bad) else { panic!("{name}: not found") };
        assert_eq!(breach.kind, BreachKind::Miscompilation, "{name}");
        assert_eq!(verdict(&good), Verdict::Kept, "{name}");
    }
}

/// `delete b[i]` on bytes in memory clears the bytes after it, too.
#[test]
fn deletion_of_a_byte_in_memory_is_found() {
    let source = "contract C { function f() external pure returns (bytes memory b) {\n\
                  b = hex\"0102030405\"; delete b[1]; } }";
    let text = format!("ok 0x{}{}{:0<64}", word(32), word(5), "0100030405");
    let case = yields(source, &[call("f()", &[])], &[text]);
    historical(&case, "0.8.36", "0.8.37", &["off-legacy"]);
}

/// <https://blog.soliditylang.org/2022/08/08/calldata-tuple-reencoding-head-overflow-bug/>
#[test]
fn head_overflow_when_reencoding_calldata_is_found() {
    let source = "contract C { event E(bytes, uint[2]);\n\
                  function f(bytes calldata a, uint[2] calldata b) external { emit E(a, b); } }";
    let (one, tail) = (word(1), format!("{:0<64}", "ab"));
    let arguments = [word(96), word(5), word(6), one, tail];
    let data = arguments.concat();
    let log = format!("log c0 {} data=0x{data}", topic("E(bytes,uint256[2])"));
    let transactions = [call("f(bytes,uint256[2])", &arguments)];
    let case = yields(source, &transactions, &["ok 0x".into(), log]);
    historical(&case, "0.8.15", "0.8.16", &["off-legacy", "200-legacy"]);
}

/// A packed array of two slots shrinks: the second one keeps old values, which are seen when the array grows again.
#[test]
fn stale_values_of_a_shrunk_array_are_found() {
    let shrunk = "contract C { uint8[] a;\n\
                  function f() external returns (uint8) {\n\
                  for (uint i = 0; i < 40; i++) a.push(9);\n\
                  uint8[] memory m = new uint8[](1); m[0] = 3; a = m; a.push(); return a[1]; } }";
    let array = keccak256([0; 32]).to_string();
    let lines = [format!("ok 0x{}", word(0)), storage("0", "2"), storage(&array[2..], "3")];
    let case = yields(shrunk, &[call("f()", &[])], &lines);
    historical(&case, "0.7.2", "0.7.3", &["off-legacy"]);
}

/// Assembly that writes memory is removed: <https://blog.soliditylang.org/2022/06/15/inline-assembly-memory-side-effects-bug/>.
/// The culprit is a part of the optimiser.
#[test]
fn removed_memory_writes_are_found_and_located() {
    let Some(target) = solc("0.8.14") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let source = "contract C { function f() external pure returns (uint256 x) {\n\
                  assembly { mstore(0, 0x42) }\n assembly { x := mload(0) } } }";
    let case = yields(source, &[call("f()", &[])], &[format!("ok 0x{}", word(0x42))]);
    let cases = std::slice::from_ref(&case);
    let verdict = |setting: &Setting| judged(&target, cases, setting, &bench).remove(0);
    let setting = target.spec().setting("200-legacy").unwrap();
    assert!(matches!(verdict(setting), Verdict::Broken(_)));
    let Some(Axis::Passes(points)) = target.axes(&case, setting, &bench).pop() else {
        panic!("the optimiser has parts")
    };
    assert_eq!(verdict(&points[0].setting), Verdict::Kept);
    let bad = points.iter().find(|it| matches!(verdict(&it.setting), Verdict::Broken(_)));
    assert_eq!(bad.unwrap().pass, Some(PassId::new("UnusedStoreEliminator")));
}

/// The oldest version with standard JSON compiles and runs contracts.
#[test]
fn the_oldest_version_runs_contracts() {
    for version in ["0.4.11", "0.4.24"] {
        let Some(target) = solc(version) else { return };
        let root = tempfile::tempdir().unwrap();
        let source = "contract C { uint8 a; uint16 b; event E(uint8 x);\n\
                      function f(uint8 x) public returns (uint8) { a = x; b = 258; E(x); return a + 1; } }";
        let lines = [
            format!("ok 0x{}", word(6)),
            format!("log c0 {} data=0x{}", topic("E(uint8)"), word(5)),
            storage("0", "010205"),
        ];
        let source = if version == "0.4.11" {
            source.to_owned()
        } else {
            source.replace(" E(x);", " emit E(x);")
        };
        let cases = [yields(&source, &[call("f(uint8)", &[word(5)])], &lines)];
        for setting in &target.spec().settings {
            let verdicts = judged(&target, &cases, setting, &bench(&root));
            assert_eq!(verdicts, [Verdict::Kept], "{version} under {}", setting.name);
        }
    }
}
