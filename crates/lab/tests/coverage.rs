//! Coverage of real compilers: what they emit is the same with and without it, a report depends only on the program and on
//! what is known, and a compiler that cannot be measured says why. `MISTRUST_COVERED` is the number of programs.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "this is all test code")]

mod installed;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use forge::{Case, Feedback, Input, Interface, Language, Model, Origin, Outcome, Program, Promise};
use lab::coverage::{Coverage, Measure, feature};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::setting::Setting;
use lab::target::rustc::{self, RustcTarget};
use lab::target::solc::SolcTarget;
use lab::target::vyper::VyperTarget;
use lab::target::{Attempt, Bench, Target, gcc};

/// What a compiler emits for a source, and what was measured.
type Compiled = (Result<Vec<u8>, Outcome>, Option<Feedback>);

fn bench(root: &tempfile::TempDir, coverage: Option<Coverage>) -> Bench {
    let runner = Runner::new(root.path(), SandboxPolicy::BestEffort).unwrap();
    let limits = Limits::default();
    Bench { runner, compile: limits.clone(), run: limits, coverage: coverage.map(Arc::new) }
}

/// How many programs: the usual number, or `MISTRUST_COVERED`.
fn count(usual: usize) -> usize {
    std::env::var("MISTRUST_COVERED").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn text(language: &str, source: &str) -> Program {
    Program {
        name: "base".to_owned(),
        language: Language::new(language),
        interface: Interface::Text,
        source: source.to_owned(),
    }
}

fn case(program: Program) -> Case {
    Case {
        origin: Origin::Given { method: "given".to_owned() },
        programs: vec![program],
        inputs: vec![Input::default()],
        promise: Promise::Survives,
        trail: vec![],
        model: Model::absent(),
    }
}

/// Programs of a method, of which each fourth loses its second half, so that it is rejected.
fn sources(method: &str, usual: usize) -> Vec<String> {
    let method = methods::named(method).unwrap();
    let cases = (0..).filter_map(|at| method.make(&method.ticket(3, at)));
    let programs = cases.filter_map(|case| case.programs.into_iter().next());
    let source = |(at, program): (usize, Program)| {
        let half = program.source.len() / 2;
        if at % 4 == 3 { program.source[..half].to_owned() } else { program.source }
    };
    programs.take(count(usual)).enumerate().map(source).collect()
}

/// A program of Solidity; each fourth is rejected.
fn solidity_source(at: usize) -> String {
    let undefined = if at % 4 == 3 { "unknown" } else { "x" };
    format!(
        "contract C {{ uint[] a; mapping(uint => uint) m;\n\
         function f(uint x) public returns (bytes memory) {{ a.push(x * {at});\n\
         for (uint i = {}; i < {undefined}; i++) {{ m[i] = i + {at}; if (m[i] > 3) {{ a.push(i); }} }}\n\
         return abi.encode(a, m[x]); }}\n\
         function g(int8 y) public pure returns (int16) {{ return int16(y) * {}; }} }}\n",
        at % 5,
        at % 100 + 1
    )
}

/// A program of Vyper; each fourth is rejected.
fn vyper_source(at: usize) -> String {
    let undefined = if at % 4 == 3 { "unknown" } else { "s" };
    format!(
        "a: DynArray[uint256, {}]\n\n@external\ndef f(x: uint256) -> uint256:\n    s: uint256 = x\n    \
         for i: uint256 in range({}):\n        s = s * {at} + i\n        if s > {}:\n            \
         self.a.append(s)\n    return {undefined} // {}\n",
        at % 7 + 1,
        at % 5 + 1,
        at * 3,
        at + 1
    )
}

fn assert_coverage_changes_nothing(
    target: &dyn Target,
    sources: &[String],
    compile: impl Fn(&str, &Setting, &Bench) -> Compiled,
) -> Measure {
    let settings = &target.spec().settings;
    let root = tempfile::tempdir().unwrap();
    let (plain, measured) = (bench(&root, None), bench(&root, Some(Coverage::new())));
    let measure = target.coverage(&measured).unwrap();
    let coverage = measured.coverage.as_ref().unwrap();
    let mut known: BTreeSet<u64> = BTreeSet::new();
    let (mut accepted, mut rejected) = (0, 0);
    for (at, source) in sources.iter().enumerate() {
        // The reference setting of rustc emits metadata, which has the path of its folder.
        let settings = if target.name().family == "rustc" { &settings[1..] } else { settings };
        let setting = &settings[at % settings.len()];
        let (expected, none) = compile(source, setting, &plain);
        assert_eq!(none, None);
        let (emitted, feedback) = compile(source, setting, &measured);
        assert!(emitted == expected, "{} differs under {}:\n{source}", at, setting.name);
        match emitted {
            Ok(_) => accepted += 1,
            Err(Outcome::Rejected { .. }) => rejected += 1,
            Err(other) => panic!("{other:?}\n{source}"),
        }
        let features = feedback.unwrap().features;
        assert!(features.iter().all(|it| !known.contains(it)), "known blocks are reported");
        assert_eq!(at == 0, known.is_empty());
        known.extend(&features);
        coverage.learn(&features);
    }
    assert!(accepted > 0 && rejected > 0, "{accepted} accepted, {rejected} rejected");
    assert!(known.len() > 1000 && (known.len() as u64) < measure.blocks, "{}", known.len());
    measure
}

#[test]
fn solc_emits_the_same_code_while_its_module_has_flags() {
    for version in ["0.6.3", "0.8.28"] {
        let Some(solc) = installed::toolchain("solc", version) else { return };
        let target = SolcTarget::new(version, solc.folder().to_owned());
        let sources: Vec<String> = (0..count(4)).map(solidity_source).collect();
        let measure =
            assert_coverage_changes_nothing(&target, &sources, |source, setting, bench| {
                let (code, feedback) = target.code_of_text(source, setting, bench);
                (code.map(String::into_bytes), feedback)
            });
        assert!(measure.is_repeatable && measure.blocks > 100_000, "{measure:?}");
    }
}

#[test]
fn a_report_of_solc_hardly_depends_on_what_was_compiled_before() {
    let Some(solc) = installed::toolchain("solc", "0.6.3") else { return };
    let target = SolcTarget::new("0.6.3", solc.folder().to_owned());
    let root = tempfile::tempdir().unwrap();
    let setting = &target.spec().settings[0];
    let sources = [
        "contract A { uint[] a; function f(int8 x) public { a.push(uint8(x)); } }",
        "contract B {",
        "contract C { }",
    ];
    let reports = |order: &[usize], coverage: Coverage| {
        let bench = bench(&root, Some(coverage));
        let mut found = vec![None; sources.len()];
        for &at in order {
            found[at] = target.code_of_text(sources[at], setting, &bench).1.map(|it| it.features);
        }
        found.into_iter().map(Option::unwrap).collect::<Vec<_>>()
    };
    // Blocks of the allocator and of trees that are ordered by address differ.
    let assert_alike = |reports: &[Vec<u64>], expected: &[Vec<u64>], all: &[Vec<u64>]| {
        for ((report, expected), all) in reports.iter().zip(expected).zip(all) {
            let (report, expected): (BTreeSet<_>, BTreeSet<_>) =
                (report.iter().collect(), expected.iter().collect());
            let different = report.symmetric_difference(&expected).count();
            assert!(different * 100 <= all.len(), "{different} of {}", all.len());
        }
    };
    let all = reports(&[0, 1, 2], Coverage::new());
    assert!(all.iter().all(|it| it.len() > 1000));
    assert_alike(&reports(&[2, 1, 0], Coverage::new()), &all, &all);
    // What is known is not reported.
    let coverage = Coverage::new();
    coverage.learn(&all[1]);
    let known: BTreeSet<u64> = all[1].iter().copied().collect();
    let unknown = |of: &Vec<u64>| of.iter().copied().filter(|it| !known.contains(it)).collect();
    let expected: Vec<Vec<u64>> = all.iter().map(unknown).collect();
    let reported = reports(&[1, 2, 0], coverage);
    assert!(reported.iter().flatten().all(|it| !known.contains(it)));
    assert_alike(&reported, &expected, &all);
}

#[test]
fn a_version_that_is_asm_js_is_tested_without_coverage() {
    let Some(solc) = installed::toolchain("solc", "0.5.12") else { return };
    let target = SolcTarget::new("0.5.12", solc.folder().to_owned());
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root, Some(Coverage::new()));
    let why = target.coverage(&bench).unwrap_err().to_string();
    assert_eq!(why, "no coverage: this version is asm.js, not WebAssembly");
    let setting = &target.spec().settings[0];
    let (code, feedback) = target.code_of_text("contract C { }", setting, &bench);
    assert!(code.is_ok() && feedback.is_none(), "{code:?}");
}

#[test]
fn vyper_emits_the_same_code_while_its_lines_are_recorded_or_says_what_it_needs() {
    let Some(vyper) = installed::toolchain("vyper", "0.4.3") else { return };
    let target = VyperTarget::new("0.4.3", vyper.folder());
    let root = tempfile::tempdir().unwrap();
    match target.coverage(&bench(&root, Some(Coverage::new()))) {
        Ok(_) => {}
        Err(why) => {
            assert!(why.to_string().contains("is too old: it needs 3.12 or newer"), "{why}");
            return;
        }
    }
    let sources: Vec<String> = (0..count(4)).map(vyper_source).collect();
    let measure = assert_coverage_changes_nothing(&target, &sources, |source, setting, bench| {
        let (code, feedback) = target.code_of_text(source, setting, bench);
        (code.map(String::into_bytes), feedback)
    });
    assert!(measure.is_repeatable, "{measure:?}");
}

#[test]
fn gcc_emits_the_same_code_while_it_has_breakpoints() {
    let path = Path::new("/usr/bin/gcc");
    if !path.exists() {
        return;
    }
    let target = gcc::at(None, path);
    let sources = sources("smoke-c", 8);
    let measure = assert_coverage_changes_nothing(&target, &sources, |source, setting, bench| {
        target.code_of_text(&text("c", source), setting, bench)
    });
    assert!(!measure.is_repeatable && measure.blocks > 500_000, "{measure:?}");
}

#[test]
fn rustc_emits_the_same_code_while_it_has_breakpoints() {
    let Some(toolchain) = rustc::find().into_iter().next() else { return };
    let target = RustcTarget::new(toolchain);
    let sources = sources("smoke-rust", 6);
    let measure = assert_coverage_changes_nothing(&target, &sources, |source, setting, bench| {
        target.code_of_text(&text("rust", source), setting, bench)
    });
    assert!(!measure.is_repeatable && measure.blocks > 1_000_000, "{measure:?}");
}

#[test]
fn a_block_of_a_native_compiler_is_reported_once_and_again_to_who_knows_nothing() {
    let path = Path::new("/usr/bin/gcc");
    if !path.exists() {
        return;
    }
    let target = gcc::at(None, path);
    let root = tempfile::tempdir().unwrap();
    let setting = &target.spec().settings[1];
    let case = case(text("c", "int f(int x) { return x * 7 + 1; }\n"));
    let reached = |bench: &Bench| {
        let Attempt::Each(seen) = target.attempt(&[&case], setting, bench) else { panic!() };
        seen[0].feedback.clone().unwrap().features
    };
    let first = bench(&root, Some(Coverage::new()));
    let all = reached(&first);
    assert!(all.len() > 10_000, "{}", all.len());
    assert!(reached(&first).is_empty());
    let again: BTreeSet<u64> = reached(&bench(&root, Some(Coverage::new()))).into_iter().collect();
    assert_eq!(again, all.iter().copied().collect());
    // What is known is not armed.
    let coverage = Coverage::new();
    coverage.learn(&all[..all.len() / 2]);
    let rest: BTreeSet<u64> = reached(&bench(&root, Some(coverage))).into_iter().collect();
    assert_eq!(rest, all[all.len() / 2..].iter().copied().collect());
    assert!(all.iter().all(|it| feature((it >> 32) as u32, *it as u32) == *it));
}

#[test]
fn a_compiler_that_is_a_script_or_static_is_tested_without_coverage() {
    let root = tempfile::tempdir().unwrap();
    let script = root.path().join("clang");
    std::fs::write(&script, "#!/bin/sh\nexec cc \"$@\"\n").unwrap();
    let target = lab::target::clang::at(None, &script);
    let why = target.coverage(&bench(&root, Some(Coverage::new()))).unwrap_err().to_string();
    assert!(why.starts_with("no coverage: ") && why.contains("is a script"), "{why}");
}

/// Takes an edge per kind of character in its input, as a compiler by `afl-cc` does: it counts them in the segment that a
/// variable names.
const INSTRUMENTED: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
int main(int count, char **words) {
  if (getenv("AFL_DUMP_MAP_SIZE")) { puts("4096"); return 0; }
  const char *id = getenv("__AFL_SHM_ID");
  unsigned char *map = id ? shmat(atoi(id), NULL, 0) : calloc(4096, 1);
  map[7] = 1;
  FILE *file = strcmp(words[1], "--version") ? fopen(words[1], "r") : NULL;
  for (int c; file && (c = getc(file)) != EOF;) ++map[c];
  if (file && map['!']) abort();
  return 0;
}
"#;

#[test]
fn the_edges_of_a_compiler_that_was_instrumented_for_afl_are_read_from_its_map() {
    let root = tempfile::tempdir().unwrap();
    let here = root.path();
    let compiled = |name: &str, source: &str| {
        std::fs::write(here.join(format!("{name}.c")), source).unwrap();
        let words = ["-w", "-o", name, &format!("{name}.c")].map(str::to_owned);
        let done = std::process::Command::new("cc").args(words).current_dir(here).status();
        done.is_ok_and(|done| done.success())
    };
    if !compiled("mycc", INSTRUMENTED) || !compiled("plain", "int main(void) { return 0; }") {
        return;
    }
    let target = |program: &str| {
        let text = format!("language = 'c'\ncompile = ['./{program}', '{{in}}']\ncoverage = 'afl'");
        let description: lab::target::described::Description = toml::from_str(&text).unwrap();
        description.build("mycc", here).unwrap()
    };
    let scratch = tempfile::tempdir().unwrap();
    let bench = bench(&scratch, Some(Coverage::new()));
    let why = target("plain").coverage(&bench).unwrap_err().to_string();
    assert!(why.contains("was not compiled by afl-cc"), "{why}");

    let target = target("mycc");
    assert_eq!(target.coverage(&bench).unwrap().blocks, 4096);
    let edges = |source: &str| {
        let case = case(text("c", source));
        let Attempt::Each(seen) = target.attempt(&[&case], &target.spec().settings[0], &bench)
        else {
            panic!()
        };
        let features = seen.into_iter().next().unwrap().feedback.map(|it| it.features);
        features
            .map(|it| it.into_iter().map(|it| (it as u32 / 8, it as u32 % 8)).collect::<Vec<_>>())
    };
    let a = u32::from(b'a');
    assert_eq!(edges("aaaabb").unwrap(), [(7, 0), (a, 3), (a + 1, 1)]);
    // The map of a run is that of the run alone, and a crash has none.
    assert_eq!(edges("a").unwrap(), [(7, 0), (a, 0)]);
    assert_eq!(edges("a!"), None);
    assert_eq!(edges("b").unwrap(), [(7, 0), (a + 1, 0)]);
}
