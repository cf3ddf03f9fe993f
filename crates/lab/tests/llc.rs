//! LLVM's code generators on real machines, or emulated ones: functions whose result the interpreter knows give it,
//! and one that LLVM 14 miscompiles does not.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use forge::{Case, Input, Interface, Language, Method, Model, Origin, Outcome, Program, Promise};
use lab::corpus::pack;
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::finding::{Exhibit, Finding, Progress};
use lab::folder::Folders;
use lab::oracle;
use lab::setting::Setting;
use lab::signature::Signature;
use lab::target::built_in::BuiltIn;
use lab::target::llc::EMULATORS;
use lab::target::{Bench, Target, batch};
use lab::verdict::{BreachKind, Verdict};
use llvm::corpus::{Corpus, Test};
use llvm::method::Crossover;

fn case(source: &str) -> Case {
    Case {
        origin: Origin::Given { method: "text".to_owned() },
        programs: vec![Program {
            name: "base".to_owned(),
            language: Language::new("llvm"),
            interface: Interface::Module,
            source: source.to_owned(),
        }],
        inputs: vec![Input::default()],
        promise: Promise::Refines,
        trail: vec![],
        model: Model::absent(),
    }
}

/// `llc` of a version, with emulators if they can be installed.
fn llc(version: &str) -> Option<Arc<dyn Target>> {
    if installed::toolchains().installed(EMULATORS).is_empty() {
        let newest = installed::toolchains().newest(EMULATORS, false);
        if let Some(newest) = installed::unless_lacking(newest) {
            installed::toolchain(EMULATORS, &newest);
        }
    }
    let toolchain = installed::toolchain("clang", version)?;
    Some(BuiltIn::named("llc").unwrap().target(&toolchain).expect("an llc"))
}

fn bench(folder: &Path) -> Bench {
    let runner = Runner::new(folder.to_owned(), SandboxPolicy::BestEffort).unwrap();
    let limits = Limits { wall: Duration::from_secs(300), ..Limits::default() };
    Bench { runner, compile: limits.clone(), run: limits, coverage: None }
}

fn outcomes(target: &dyn Target, cases: &[Case], setting: &str) -> Vec<(Outcome, Verdict)> {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(folder.path());
    let setting = target.spec().setting(setting).expect("a setting").clone();
    let all: Vec<&Case> = cases.iter().collect();
    let seen = batch::observe(target, &all, &[setting], &bench);
    let judged = cases.iter().zip(seen.observations).map(|(case, observations)| {
        let verdict = oracle::judge(case, &observations);
        (observations[0].outcome.clone(), verdict)
    });
    judged.collect()
}

/// Functions of our own: scalars of odd widths, vectors, aggregates, memory, loops and division.
const FUNCTIONS: [&str; 10] = [
    "define i17 @odd(i17 %a, i17 zeroext %b) {\n  %m = mul i17 %a, %b\n  %r = xor i17 %m, 5\n  ret i17 %r\n}\n",
    "define <3 x i5> @vector(<3 x i5> %a, <3 x i5> %b) {\n  %s = sub <3 x i5> %a, %b\n  %c = icmp ult <3 x i5> %a, %b\n  \
     %r = select <3 x i1> %c, <3 x i5> %s, <3 x i5> %a\n  ret <3 x i5> %r\n}\n",
    "define { i32, i1 } @pair(i32 %a, i32 %b) {\n  %r = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %a, i32 %b)\n  \
     ret { i32, i1 } %r\n}\ndeclare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32)\n",
    "define i16 @memory(ptr align 8 dereferenceable(16) %p, i16 %a) {\n  %q = getelementptr i8, ptr %p, i64 6\n  \
     %v = load i32, ptr %p, align 4\n  store i16 %a, ptr %q, align 2\n  %t = trunc i32 %v to i16\n  ret i16 %t\n}\n",
    "define i64 @loop(i8 %n) {\nentry:\n  %end = zext i8 %n to i64\n  br label %next\nnext:\n  \
     %i = phi i64 [ 0, %entry ], [ %j, %next ]\n  %sum = phi i64 [ 1, %entry ], [ %more, %next ]\n  \
     %scaled = mul i64 %sum, 3\n  %more = add i64 %scaled, %i\n  %j = add i64 %i, 1\n  \
     %done = icmp uge i64 %i, %end\n  br i1 %done, label %exit, label %next\nexit:\n  ret i64 %more\n}\n",
    "define i128 @division(i128 %a, i128 %b) {\n  %d = or i128 %b, 1\n  %q = sdiv i128 %a, %d\n  \
     %r = urem i128 %a, %d\n  %s = add i128 %q, %r\n  ret i128 %s\n}\n",
    "define double @float(double %a, float %b) {\n  %w = fpext float %b to double\n  %s = fadd double %a, %w\n  \
     ret double %s\n}\n",
    "define fastcc i8 @shifts(i8 %a, i8 %b) {\n  %c = and i8 %b, 7\n  %l = shl i8 %a, %c\n  %r = ashr i8 %l, %c\n  \
     %f = call i8 @llvm.fshl.i8(i8 %r, i8 %a, i8 %b)\n  ret i8 %f\n}\ndeclare i8 @llvm.fshl.i8(i8, i8, i8)\n",
    "define void @swap(ptr %p, ptr %q) {\n  %a = load i64, ptr %p, align 1\n  %b = load i64, ptr %q, align 1\n  \
     store i64 %b, ptr %p, align 1\n  store i64 %a, ptr %q, align 1\n  ret void\n}\n",
    "define i32 @choose(i32 %x) {\nentry:\n  switch i32 %x, label %other [\n    i32 0, label %zero\n    \
     i32 7, label %seven\n  ]\nzero:\n  br label %other\nseven:\n  br label %other\nother:\n  \
     %r = phi i32 [ %x, %entry ], [ 11, %zero ], [ 12, %seven ]\n  ret i32 %r\n}\n",
];

#[test]
fn every_machine_gives_the_answer_of_the_interpreter() {
    let Some(target) = llc("19") else { return };
    let cases: Vec<Case> = FUNCTIONS.iter().map(|source| case(source)).collect();
    for machine in ["x86_64", "aarch64", "riscv64", "s390x", "ppc64le"] {
        for option in ["isel=dag,opt=0", "isel=dag,opt=2", "isel=global,opt=2"] {
            let name = format!("machine={machine},{option}");
            if target.spec().setting(&name).is_none() {
                continue;
            }
            for (source, (outcome, verdict)) in
                FUNCTIONS.iter().zip(outcomes(target.as_ref(), &cases, &name))
            {
                let is_unknown = matches!(&outcome, Outcome::Checked(forge::Check::Unknown { why })
                    if why.contains("qemu"));
                assert!(verdict == Verdict::Kept || is_unknown, "{name}: {outcome:?}\n{source}");
            }
        }
    }
}

/// Functions with global variables: read, written, pointed to by another one, constant, and defined elsewhere. Each is
/// called several times, so that a variable that is not written again would be seen.
const GLOBALS: [&str; 5] = [
    "@count = internal global i32 7\ndefine i32 @next(i32 %by) {\n  %old = load i32, ptr @count, align 4\n  \
     %new = add i32 %old, %by\n  store i32 %new, ptr @count, align 4\n  ret i32 %old\n}\n",
    "@table = private unnamed_addr constant [4 x i16] [i16 3, i16 -1, i16 9, i16 11]\n\
     define i16 @look(i8 %x) {\n  %low = and i8 %x, 3\n  %at = zext i8 %low to i64\n  \
     %p = getelementptr inbounds [4 x i16], ptr @table, i64 0, i64 %at\n  %r = load i16, ptr %p, align 2\n  \
     ret i16 %r\n}\n",
    "@inner = global i64 5\n@outer = global ptr @inner\ndefine ptr @through(i64 %a) {\n  \
     %p = load ptr, ptr @outer, align 8\n  store i64 %a, ptr %p, align 8\n  \
     store ptr null, ptr @outer, align 8\n  ret ptr %p\n}\n",
    "@elsewhere = external global [3 x i8]\ndefine i8 @of_another(i8 %a) {\n  \
     %p = getelementptr i8, ptr @elsewhere, i64 2\n  %old = load i8, ptr %p, align 1\n  \
     %r = sub i8 %a, %old\n  store i8 %r, ptr %p, align 1\n  ret i8 %r\n}\n",
    "@one = weak global i32 0\n@other = common global i32 0\ndefine i1 @apart(i64 %x) {\n  \
     %a = ptrtoint ptr @one to i64\n  %b = ptrtoint ptr @other to i64\n  %d = sub i64 %a, %b\n  \
     %r = icmp ugt i64 %d, %x\n  ret i1 %r\n}\n",
];

#[test]
fn global_variables_lie_where_the_interpreter_has_them() {
    let Some(target) = llc("19") else { return };
    let cases: Vec<Case> = GLOBALS.iter().map(|source| case(source)).collect();
    for machine in ["x86_64", "aarch64", "riscv64", "s390x", "ppc64le", "arm"] {
        for level in ["0", "2"] {
            let name = format!("machine={machine},isel=dag,opt={level}");
            let Some(setting) = target.spec().setting(&name) else { continue };
            for (source, (outcome, verdict)) in
                GLOBALS.iter().zip(outcomes(target.as_ref(), &cases, &setting.name))
            {
                let is_unknown = matches!(&outcome, Outcome::Checked(forge::Check::Unknown { why })
                    if why.contains("qemu"));
                assert!(verdict == Verdict::Kept || is_unknown, "{name}: {outcome:?}\n{source}");
            }
        }
    }
}

/// LLVM issue 58431: GlobalISel for AArch64 took the freeze of a truncation for zero-extended.
const FROZEN: &str = "define i32 @f(i32 %x, i64 %z) {
  %t = trunc i64 %z to i32
  %frozen = freeze i32 %t
  %wide = zext i32 %frozen to i64
  %r = urem i64 %wide, 10
  %u = trunc i64 %r to i32
  ret i32 %u
}
";

#[test]
fn a_wrong_selection_of_llvm_14_is_seen_and_no_other_version_is_blamed() {
    let Some(old) = llc("14") else { return };
    if installed::toolchains().installed(EMULATORS).is_empty() {
        return;
    }
    let setting = "machine=aarch64,isel=global,opt=2";
    let cases = [case(FUNCTIONS[0]), case(FROZEN)];
    let seen = outcomes(old.as_ref(), &cases, setting);
    assert_eq!(seen[0].1, Verdict::Kept);
    let Verdict::Broken(breach) = &seen[1].1 else { panic!("{seen:?}") };
    assert_eq!(breach.kind, BreachKind::Miscompilation);
    let dag = outcomes(old.as_ref(), &cases, "machine=aarch64,isel=dag,opt=2");
    assert_eq!(dag[1].1, Verdict::Kept);
    let Some(new) = llc("19") else { return };
    assert_eq!(outcomes(new.as_ref(), &cases, setting)[1].1, Verdict::Kept);
}

/// The script of a finding, run by a shell in the folder that a report has.
fn script(target: &Arc<dyn Target>, wrong: Case, setting: &str) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(&folder.path().join("work"));
    let setting = target.spec().setting(setting).unwrap().clone();
    let seen = batch::observe(target.as_ref(), &[&wrong], &[setting], &bench);
    let observations = seen.observations[0].clone();
    let Verdict::Broken(breach) = oracle::judge(&wrong, &observations) else {
        panic!("{observations:?}")
    };
    let exhibit = Exhibit { case: wrong, breach, observations };
    let finding = Finding {
        id: "00000000".to_owned(),
        signature: Signature::of("llc", &Promise::Refines, &Setting::of(vec![]), &exhibit.breach),
        progress: Progress::Complete,
        target: target.name().to_string(),
        version: String::new(),
        first_seen: 0,
        sightings: 1,
        known: None,
        culprits: vec![],
        verifier_aliases: vec![],
        original: exhibit.clone(),
        reduced: Some(exhibit),
        restated: vec![],
        third_opinion: None,
    };
    let folders = Folders::new(folder.path(), vec![target.clone()]);
    folders.render(&finding).unwrap();
    let script = folders.of(&finding).join("replay.sh");
    std::process::Command::new("sh").arg(script).output().unwrap()
}

#[test]
fn the_script_of_a_finding_shows_the_wrong_answer() {
    let Some(old) = llc("14") else { return };
    if installed::toolchains().installed(EMULATORS).is_empty() {
        return;
    }
    let run = script(&old, case(FROZEN), "machine=aarch64,isel=global,opt=2");
    let said = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&run.stderr));
    let line = |start: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(start));
        line.unwrap_or_else(|| panic!("{said}")).trim().to_owned()
    };
    // Four bytes of the result.
    assert_eq!(line("expected:").split(' ').count(), 4, "{said}");
    assert_ne!(line("expected:"), line("actual:"));
    assert!(said.contains("-global-isel") && said.contains("the bug shows"), "{said}");
}

#[test]
fn what_a_backend_cannot_know_is_skipped_and_invalid_code_harms_no_other_function() {
    let Some(target) = llc("19") else { return };
    let foreign =
        "define <vscale x 4 x i32> @f(<vscale x 4 x i32> %a) {\n  ret <vscale x 4 x i32> %a\n}\n";
    let invalid = "define i8 @f(i8 %a) {\n  %r = add i8 %a, %b\n  ret i8 %r\n}\n";
    let cases = [case(FUNCTIONS[0]), case(foreign), case(invalid), case(FUNCTIONS[4])];
    let seen = outcomes(target.as_ref(), &cases, "machine=x86_64,isel=dag,opt=2");
    assert_eq!(seen[0].1, Verdict::Kept, "{seen:?}");
    assert!(matches!(seen[1].1, Verdict::Skipped(_)), "{seen:?}");
    assert!(matches!(seen[2].1, Verdict::Skipped(_)), "{seen:?}");
    assert_eq!(seen[3].1, Verdict::Kept, "{seen:?}");
}

/// The corpus of a folder, or of the functions above.
fn corpus(target: &dyn Target) -> Corpus {
    let text = match std::env::var_os("MISTRUST_LLC_CORPUS") {
        Some(folder) => {
            let scratch = tempfile::tempdir().unwrap();
            pack(Path::new(&folder), target, &bench(scratch.path()), 2, &|_, _| {}).unwrap().text
        }
        None => {
            let test = |(index, text): (usize, &&str)| {
                let (path, passes) = (format!("own/{index}.ll"), vec!["instcombine".to_owned()]);
                let (text, failing) = ((*text).to_owned(), vec![]);
                serde_json::to_string(&Test { path, passes, text, failing }).unwrap()
            };
            let lines: Vec<String> = FUNCTIONS.iter().enumerate().map(test).collect();
            lines.join("\n") + "\n"
        }
    };
    Corpus::read(19, &text).expect("a corpus")
}

/// Crossovers at level 0, where a code generator does least: what differs is wrong in the interpreter, or a bug of
/// the backend. The long check takes functions of LLVM's own tests.
#[test]
fn crossovers_give_at_level_0_what_the_interpreter_says() {
    let Some(target) = llc("19") else { return };
    let count = std::env::var("MISTRUST_LLC_FUNCTIONS").ok().and_then(|it| it.parse().ok());
    let first: u64 =
        std::env::var("MISTRUST_LLC_FIRST").ok().and_then(|it| it.parse().ok()).unwrap_or(0);
    let settings = std::env::var("MISTRUST_LLC_SETTINGS").unwrap_or_default();
    let settings: Vec<&str> = settings.split(';').filter(|it| !it.is_empty()).collect();
    let settings =
        if settings.is_empty() { vec!["machine=x86_64,isel=dag,opt=0"] } else { settings };
    let method = Crossover::new(Arc::new(corpus(target.as_ref())));
    let count: u64 = count.unwrap_or(100);
    let mut totals: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = vec![];
    let tickets: Vec<u64> = (first..first + count).collect();
    for (turn, some) in tickets.chunks(100).enumerate() {
        let make = |index: &u64| method.make(&method.ticket(1, *index));
        let cases: Vec<Case> = some.iter().filter_map(make).collect();
        let setting = settings[turn % settings.len()];
        for (case, (outcome, verdict)) in
            cases.iter().zip(outcomes(target.as_ref(), &cases, setting))
        {
            let why = match (&verdict, &outcome) {
                (Verdict::Kept, _) => "as the interpreter says".to_owned(),
                (_, Outcome::Checked(forge::Check::Unknown { why })) => format!("unknown: {why}"),
                (Verdict::Skipped(_), outcome) => {
                    format!("skipped: {}", outcome.to_string().lines().next().unwrap_or_default())
                }
                (Verdict::Broken(_), _) => {
                    wrong.push(format!("{setting}\n{outcome:?}\n{}", case.programs[0].source));
                    "different".to_owned()
                }
            };
            *totals.entry(why).or_default() += 1;
        }
    }
    for (why, count) in &totals {
        eprintln!("{count:6} {why}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(totals.get("as the interpreter says").is_some_and(|it| *it as u64 > count / 4));
}
