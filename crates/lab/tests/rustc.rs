//! Tests with the rustc of this machine: batches, all kinds of failures, and bisection over passes.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "this is all test code")]

use std::sync::Arc;
use std::time::Duration;

use forge::{
    Behaviour, Case, Input, Interface, Language, Model, Outcome, Program, Promise, Reason, Stage,
    Ticket,
};
use lab::culprit::{self, PassCulprit};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::finding::Exhibit;
use lab::stop::Stop;
use lab::target::rustc::{RustcTarget, Toolchain, find};
use lab::target::{Axis, Bench, ByHand, PassControl, PassId, Target, batch};
use lab::triage::examiner::Examiner;
use lab::triage::locate::locate;

struct World {
    target: Arc<RustcTarget>,
    bench: Bench,
    _folder: tempfile::TempDir,
}

fn world() -> World {
    let toolchain = find().into_iter().next().expect("a machine that builds this has a rustc");
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path().join("scratch"), SandboxPolicy::BestEffort).unwrap();
    let run =
        Limits { wall: Duration::from_secs(2), cpu: Duration::from_secs(2), ..Limits::default() };
    let compile = Limits {
        wall: Duration::from_secs(120),
        cpu: Duration::from_secs(120),
        ..Limits::default()
    };
    World {
        target: Arc::new(RustcTarget::new(toolchain)),
        bench: Bench { runner, compile, run, coverage: None },
        _folder: folder,
    }
}

impl World {
    fn examiner(&self) -> Examiner {
        let target = Arc::clone(&self.target) as Arc<dyn Target>;
        Examiner::new(target, self.bench.clone(), Stop::default())
    }

    /// A setting by its name.
    fn setting(&self, name: &str) -> lab::setting::Setting {
        self.target.spec().setting(name).cloned().expect("the setting exists")
    }
}

/// The culprit pass of a failure.
fn blamed(examiner: &Examiner, exhibit: &Exhibit) -> PassCulprit {
    culprit::pass(&locate(examiner, exhibit)).cloned().expect("a culprit pass")
}

fn case(index: u64, source: &str) -> Case {
    let language = Language::new("rust");
    let interface = Interface::Program;
    let program = Program { name: "base".into(), language, interface, source: source.into() };
    Case {
        origin: Ticket::new("text", 0, index).into(),
        programs: vec![program],
        inputs: vec![Input { arguments: vec!["7".into()], ..Input::default() }],
        promise: Promise::Survives,
        trail: vec![],
        model: Model::absent(),
    }
}

fn prints(text: &str) -> String {
    format!("pub fn main() {{ println!(\"{text} {{}}\", std::env::args().nth(1).unwrap()); }}\n")
}

/// Custom MIR that no method generates: a switch with the same value twice. It parses, and causes an internal compiler
/// error.
const INTERNAL_ERROR: &str = "#![feature(custom_mir, core_intrinsics)]\nuse core::intrinsics::mir::*;\n\
    #[custom_mir(dialect = \"runtime\", phase = \"initial\")]\npub fn f(a: u32) -> u32 {{\n\
    let bb1 = BasicBlock::Normal;\nlet bb2 = BasicBlock::Normal;\n{ let RET: u32;\n{ {\n\
    { match a { 1 => bb1, 1 => bb2, _ => bb2 } };\n{ RET = 1_u32; Return() };\n{ RET = 2_u32; Return() };\n\
    RET }}}}}\npub fn main() { println!(\"{}\", f(std::hint::black_box(3))); }\n";

fn outcomes(world: &World, cases: &[Case]) -> Vec<Outcome> {
    let batch: Vec<&Case> = cases.iter().collect();
    let settings = &world.target.spec().settings[..1];
    let sightings = batch::observe(world.target.as_ref(), &batch, settings, &world.bench);
    sightings.observations.into_iter().map(|mut seen| seen.remove(0).outcome).collect()
}

#[test]
fn programs_of_a_batch_are_independent_and_failures_are_classified() {
    let world = world();
    let cases = [
        case(0, &prints("zero")),
        case(1, "pub fn main() { println!(\"one\"); std::process::exit(3) }\n"),
        case(2, "pub fn main() { print!(\"two\"); std::process::abort() }\n"),
        case(3, "pub fn main() { let x: u8 = \"three\"; }\n"),
        case(4, INTERNAL_ERROR),
        case(5, "pub fn main() { loop { std::hint::black_box(5); } }\n"),
        case(6, &prints("six")),
    ];
    let seen = outcomes(&world, &cases);
    assert_eq!(seen[0], Outcome::Ran(Behaviour::Value("zero 7\n".into())));
    let trap = |code: &str, output: &str| {
        Outcome::Ran(Behaviour::Trap { code: code.into(), output: output.into() })
    };
    assert_eq!(seen[1], trap("exit 3", "one\n"));
    assert!(matches!(&seen[2], Outcome::Ran(Behaviour::Trap { code, .. }) if code == "SIGABRT"));
    assert!(
        matches!(&seen[3], Outcome::Rejected { message } if message.contains("mismatched types"))
    );
    let Outcome::Crashed { message, frames, .. } = &seen[4] else { panic!("{:?}", seen[4]) };
    assert!(message.starts_with("broken MIR") && message.contains("SwitchInt"), "{message}");
    assert!(frames.iter().any(|frame| frame.contains("rustc")), "{frames:?}");
    assert!(matches!(seen[5], Outcome::Hung { stage: Stage::Run, .. }), "{:?}", seen[5]);
    assert_eq!(seen[6], Outcome::Ran(Behaviour::Value("six 7\n".into())));
}

#[test]
fn every_setting_compiles_and_agrees() {
    let world = world();
    let case = case(0, &prints("hello"));
    let examiner = world.examiner();
    let spec = world.target.spec();
    let settings = [spec.settings.as_slice(), &spec.occasional].concat();
    let observations = examiner.observe(&case, &settings);
    assert_eq!(observations.len(), settings.len());
    for observation in observations {
        let expected = Outcome::Ran(Behaviour::Value("hello 7\n".into()));
        assert_eq!(observation.outcome, expected, "{}", observation.setting);
    }
}

#[test]
fn the_passes_of_rustc_and_of_llvm_can_be_limited_one_by_one() {
    let world = world();
    let source = "#[inline(never)] fn f(a: u32) -> u32 { let mut s = 0u32; for i in 0..a { s = s.wrapping_mul(31) ^ i; } s }\n\
                  pub fn main() { println!(\"{}\", f(std::hint::black_box(9))); }\n";
    let case = case(0, source);
    let axes = world.target.axes(&case, &world.setting("O3-mir4"), &world.bench);
    assert_eq!(axes.len(), 2);
    for (axis, pass, layer) in [(&axes[0], "GVN", "MIR"), (&axes[1], "sroa", "LLVM")] {
        let Axis::Passes(points) = axis else { panic!("{axis:?}") };
        let pass = PassId::new(pass).in_layer(layer);
        assert!(points.iter().any(|point| point.pass.as_ref() == Some(&pass)), "no {pass}");
        // Without passes and with all of them, the program prints the same.
        assert_eq!(points[0].pass, None);
        let ends = [&points[0], &points[points.len() - 1]];
        let printed = ends.map(|point| {
            let cases = [&case];
            let settings = std::slice::from_ref(&point.setting);
            let seen = batch::observe(world.target.as_ref(), &cases, settings, &world.bench);
            seen.observations[0][0].outcome.clone()
        });
        assert!(matches!(printed[0], Outcome::Ran(Behaviour::Value(_))), "{:?}", printed[0]);
        assert_eq!(printed[0], printed[1]);
    }
}

#[test]
fn settings_rotate_and_include_the_reference_if_compared() {
    let world = world();
    let of = |index: u64, promise: Promise| {
        let case = Case { promise, ..case(index, "") };
        let settings = world.target.spec().settings_for(&[case]);
        settings.into_iter().map(|setting| setting.name).collect::<Vec<String>>()
    };
    let turns: std::collections::BTreeSet<Vec<String>> =
        (0..1000).map(|turn| of(turn * 50, Promise::Survives)).collect();
    let spec = world.target.spec();
    assert_eq!(turns.len(), spec.settings.len() - 1 + spec.occasional.len());
    assert!(turns.iter().all(|turn| turn.len() == 1));
    let compared = of(0, Promise::Agrees);
    assert_eq!((compared.len(), compared[0].as_str()), (2, "O0"));
    // A batch that is resumed in its middle gets the same setting.
    assert_eq!(of(50 * 8, Promise::Survives), of(50 * 8 + 37, Promise::Survives));
}

/// Custom MIR that is invalid as written: a local is used after `StorageDead`. Without the validator it compiles.
const GIVEN_BROKEN: &str = "#![feature(custom_mir, core_intrinsics)]\nuse core::intrinsics::mir::*;\n\
    #[custom_mir(dialect = \"runtime\", phase = \"initial\")]\npub fn f(a: u32) -> u32 {{\n\
    { let RET: u32; let x: u32;\n{ {\n\
    { StorageLive(x); x = a; StorageDead(x); RET = x; Return() };\n\
    RET }}}}}\npub fn main() { println!(\"{}\", f(std::hint::black_box(3))); }\n";

/// A field that is copied to its neighbour through a pointer. A pass may replace the pointer by the neighbour, and then the
/// validator wrongly treats both fields as overlapping.
const NEIGHBOUR: &str = "#![feature(custom_mir, core_intrinsics)]\nuse core::intrinsics::mir::*;\n\
    #[custom_mir(dialect = \"runtime\", phase = \"initial\")]\npub fn f(a: u32) -> u32 {{\n\
    { let RET: u32; let x: (u32, u32); let p: *mut u32;\n{ {\n\
    { x = (a, 5_u32); p = &raw mut x.1; *p = x.0; RET = x.1; Return() };\n\
    RET }}}}}\npub fn main() { println!(\"{}\", f(std::hint::black_box(3))); }\n";

#[test]
fn programs_that_the_verifier_wrongly_rejects_are_compiled_without_it() {
    let world = world();
    let cases = [&prints("zero"), GIVEN_BROKEN, &prints("two"), NEIGHBOUR];
    let cases: Vec<Case> =
        cases.iter().enumerate().map(|(index, it)| case(index as u64, it)).collect();
    let batch: Vec<&Case> = cases.iter().collect();
    let lint = world.setting("O0-mir4-lint");
    let settings = std::slice::from_ref(&lint);
    let seen = batch::observe(world.target.as_ref(), &batch, settings, &world.bench);
    assert!(seen.unexplained.is_empty(), "{:?}", seen.unexplained);
    for (observations, printed) in
        seen.observations.iter().zip(["zero 7\n", "3\n", "two 7\n", "3\n"])
    {
        assert_eq!(observations[0].outcome, Outcome::Ran(Behaviour::Value(printed.into())));
        assert_eq!(observations[0].setting, "O0-mir4-lint");
    }
}

/// A call whose argument is its destination, which one pass of some versions turns into broken MIR. In fixed versions the
/// test does nothing.
const OVERLAP: &str = "#![feature(custom_mir, core_intrinsics)]\nuse core::intrinsics::mir::*;\n\
    #[custom_mir(dialect = \"runtime\", phase = \"initial\")]\npub fn f(a: [u64; 5]) -> [u64; 5] {{\n\
    let bb1 = BasicBlock::Normal;\n{ let RET: [u64; 5]; let y: [u64; 5];\n{ {\n\
    { y = a; Call(y = g(y), ReturnTo(bb1), UnwindContinue()) };\n{ RET = y; Return() };\n\
    RET }}}}}\n#[inline(never)]\npub fn g(a: [u64; 5]) -> [u64; 5] { a }\n\
    pub fn main() { println!(\"{:?}\", f([1; 5])); }\n";

#[test]
fn verifier_and_bisection_name_the_same_pass() {
    let world = world();
    let examiner = world.examiner();
    let lint = world.setting("O0-mir4-lint");
    let Some(exhibit) = examiner.exhibit(&case(0, OVERLAP), &[lint]) else { return };
    let pass = blamed(&examiner, &exhibit).bad;
    assert!(pass.is_in("MIR"), "{pass}");
    let message = &exhibit.breach.message;
    let start = format!("broken MIR after pass {}: ", pass.name);
    assert!(message.starts_with(&start), "{message}: {pass}");
}

/// Custom MIR with a statement that some versions lack.
const RETAG: &str = "#![feature(custom_mir, core_intrinsics)]\nuse core::intrinsics::mir::*;\n\
    #[custom_mir(dialect = \"runtime\", phase = \"initial\")]\npub fn f(a: u32) -> u32 {{\n\
    { let RET: u32; let p: *const u32;\n{ {\n\
    { p = &raw const a;\nRetag(p);\nRetag(*p); RET = *p; Return() };\n\
    RET }}}}}\npub fn main() { println!(\"{}\", f(std::hint::black_box(3))); }\n";

#[test]
fn unsupported_statements_without_effect_are_stripped() {
    let world = world();
    for toolchain in find() {
        let target = RustcTarget::new(toolchain);
        let cases = [case(0, RETAG), case(1, &prints("one"))];
        let probed = target.probe(Some(&cases[0].programs[0]), &world.bench);
        assert!(probed.is_ok(), "{probed:?}");
        let batch: Vec<&Case> = cases.iter().collect();
        let seen = batch::observe(&target, &batch, &target.spec().settings[..1], &world.bench);
        let outcome = &seen.observations[0][0].outcome;
        assert_eq!(*outcome, Outcome::Ran(Behaviour::Value("3\n".into())), "{}", target.name());
        // The stored file of a finding compiles with the command in its report.
        let program = target.shown(&cases[0], &world.bench).programs.remove(0);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(program.file_name()), &program.source).unwrap();
        let setting = &target.spec().settings[0];
        let ByHand::Steps { compile, .. } = target.by_hand(&program, &cases[0].inputs[0], setting)
        else {
            panic!("rustc is called in steps")
        };
        let mut command = std::process::Command::new(&compile[0]);
        command.args(&compile[1..]).current_dir(folder.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The same bug, but its result is correct until a later pass changes the called function. In fixed versions the test does
/// nothing.
const EXPOSED_LATER: &str = "#![feature(custom_mir, core_intrinsics)]\nuse core::intrinsics::mir::*;\n\
    #[custom_mir(dialect = \"runtime\", phase = \"initial\")]\npub fn f() {{\n\
    let bb1 = BasicBlock::Normal;\n{ let RET: (); let a: (f32, (i32, ()), bool); let u: (); let b: (i32, ());\n\
    { {\n{ u = (); b = (0_i32, u); a = (16777216.0_f32, b, false);\n\
    Call(a = g(a), ReturnTo(bb1), UnwindUnreachable()) };\n{ Return() };\nRET }}}}}\n\
    #[custom_mir(dialect = \"runtime\", phase = \"initial\")]\n\
    pub fn g(a: (f32, (i32, ()), bool)) -> (f32, (i32, ()), bool) {{\nlet bb1 = BasicBlock::Normal;\n\
    { let RET: (f32, (i32, ()), bool); let x: (i32, ()); let y: (f32, (i32, ()), bool); let h: u32; let u: ();\n\
    { {\n{ RET.1.0 = 0_i32; x = (RET.1.0, a.1.1); y = (0.0_f32, x, false); h = CastTransmute(a.0);\n\
    Call(u = show(h), ReturnTo(bb1), UnwindUnreachable()) };\n{ RET = y; Return() };\nRET }}}}}\n\
    #[inline(never)]\npub fn show(h: u32) { println!(\"{h:#x}\"); }\npub fn main() { f(); }\n";

#[test]
fn a_pass_that_only_exposes_a_bug_is_not_blamed() {
    let world = world();
    let examiner = world.examiner();
    let expected = Promise::Yields(vec![Behaviour::Value("0x4b800000\n".into())]);
    let case = Case { promise: expected, ..case(0, EXPOSED_LATER) };
    assert_eq!(examiner.exhibit(&case, &world.target.spec().settings[..1]), None);
    let all = world.setting("O0-mir4");
    let Some(exhibit) = examiner.exhibit(&case, &[all]) else { return };
    let pass = |name: &str, turn| PassId::new(name).in_layer("MIR").at_turn(turn);
    let culprit = blamed(&examiner, &exhibit);
    assert_eq!(culprit.bad, pass("DeadStoreElimination", Some("initial")));
    assert_eq!(culprit.exposed_by, Some(pass("DestinationPropagation", None)));
    assert_eq!(culprit.good, Some(pass("SimplifyLocals", Some("before-const-prop"))));
}

/// A wrapper around the machine's rustc that fails on some words in the way that rustc and LLVM do. The last argument is the
/// file.
const FAKE: &str = r#"#!/bin/sh
for file; do :; done
has() { grep -q "$1" "$file"; }
if has CastUnsize; then
    echo 'error[E0425]: cannot find function, tuple struct or tuple variant `CastUnsize` in this scope' >&2
    exit 1
elif has internal_error; then
    printf "thread 'rustc' (7) panicked at compiler/rustc_mir_transform/src/gvn.rs:12:5:\nno entry found\n" >&2
    exit 101
elif has llvm_error; then
    echo 'rustc-LLVM ERROR: Cannot select: t5: i32 = bitcast t4' >&2
    exit 101
elif has llvm_assertion; then
    echo "rustc: llvm/lib/IR/Value.cpp:99: void f(): Assertion \`isa<X>(V)' failed." >&2
    kill -ABRT $$
elif has llvm_crash; then
    kill -SEGV $$
elif has endless; then
    while :; do :; done
fi
exec RUSTC "$@"
"#;

/// A world whose compiler is the wrapper, with this version.
fn faked(version: &str) -> World {
    use std::os::unix::fs::PermissionsExt as _;
    let mut world = world();
    let script = world._folder.path().join("rustc");
    let rustc = world.target.path().display().to_string();
    std::fs::write(&script, FAKE.replace("RUSTC", &rustc)).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let version = version.to_owned();
    let toolchain = Toolchain { rustc: script, release: format!("rustc {version}"), version };
    world.target = Arc::new(RustcTarget::new(toolchain));
    world
}

#[test]
fn internal_errors_and_llvm_crashes_are_distinguished() {
    let mut world = faked("1.95.0");
    let main = |word: &str| format!("pub fn main() {{ println!(\"{word}\"); }}\n");
    let words = ["fine", "internal_error", "llvm_error", "llvm_assertion", "llvm_crash"];
    let cases: Vec<Case> =
        words.iter().zip(0..).map(|(word, index)| case(index, &main(word))).collect();
    let seen = outcomes(&world, &cases);
    assert_eq!(seen[0], Outcome::Ran(Behaviour::Value("fine\n".into())));
    let abort = 6;
    let segfault = 11;
    let expected = [
        (
            None,
            "thread 'rustc' (7) panicked at compiler/rustc_mir_transform/src/gvn.rs:12:5:\nno entry found",
        ),
        (None, "rustc-LLVM ERROR: Cannot select: t5: i32 = bitcast t4"),
        (Some(abort), "rustc: llvm/lib/IR/Value.cpp:99: void f(): Assertion `isa<X>(V)' failed."),
        (Some(segfault), "killed by SIGSEGV"),
    ];
    for ((outcome, (died, text)), word) in seen[1..].iter().zip(expected).zip(&words[1..]) {
        let Outcome::Crashed { signal, message, .. } = outcome else { panic!("{word}: {outcome}") };
        assert_eq!((*signal, message.as_str()), (died, text), "{word}");
    }
    // A hang is recognised by the time limit.
    let limit = Duration::from_secs(1);
    world.bench.compile = Limits { wall: limit, cpu: limit, ..world.bench.compile };
    let seen = outcomes(&world, &[case(0, &main("endless"))]);
    assert!(matches!(seen[0], Outcome::Hung { stage: Stage::Compile, .. }), "{:?}", seen[0]);
}

#[test]
fn programs_with_unsupported_constructs_are_not_observed() {
    let world = faked("1.85.0");
    let lacking = RETAG.replace("Retag(*p);", "/* CastUnsize */");
    let cases = [case(0, &prints("zero")), case(1, &lacking), case(2, &prints("two"))];
    let seen = outcomes(&world, &cases);
    assert_eq!(seen[0], Outcome::Ran(Behaviour::Value("zero 7\n".into())));
    let what = "rustc@1.85.0 lacks `CastUnsize`".to_owned();
    assert_eq!(seen[1], Outcome::Unobserved(Reason::Lacks(what)));
    assert_eq!(seen[2], Outcome::Ran(Behaviour::Value("two 7\n".into())));
    // The second time, the compiler is not run.
    let before = world.bench.runner.meter().runs();
    assert!(matches!(outcomes(&world, &cases[1..2])[0], Outcome::Unobserved(_)));
    assert_eq!(world.bench.runner.meter().runs(), before);
}

#[test]
fn versions_too_old_for_custom_mir_are_rejected() {
    let world = faked("1.78.0");
    let program = |source: &str| case(0, source).programs.remove(0);
    let probe = |program: &Program| world.target.probe(Some(program), &world.bench);
    let error = probe(&program(RETAG)).unwrap_err().to_string();
    assert_eq!(error, "rustc@1.78.0 is too old: generated programs need 1.85 or newer");
    assert_eq!(probe(&program(&prints("plain"))), Ok("rustc 1.78.0".to_owned()));
}
