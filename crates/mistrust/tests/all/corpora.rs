//! Hunts of `opt` with a corpus from a folder, as users see them: bad input, a compiler that is none, and `alive-tv` as a
//! third opinion. The compiler is a script with one planted mistake, so that nothing needs to be installed.

use std::os::unix::fs::PermissionsExt as _;

use crate::world::{Ran, World};

/// Copies its input, and adds one to 77. It rejects what has the word `broken` in it.
const OPT: &str = r#"#!/bin/sh
in= out= passes=
while [ $# -gt 0 ]; do
  case $1 in
    --version) echo "LLVM version VERSION"; exit 0 ;;
    -passes=*) passes=${1#-passes=} ;;
    -o) out=$2; shift ;;
    -*) ;;
    *) in=$1 ;;
  esac
  shift
done
if grep -q broken "$in"; then
  echo "opt: $in:1:1: error: expected top-level entity" >&2
  exit 1
fi
case $passes in
  verify) cat "$in" > "$out" ;;
  *) sed 's/i8 %a, 77/i8 %a, 78/' "$in" > "$out" ;;
esac
"#;

const RIGHT: &str = "; RUN: opt -passes=instcombine -S < %s\ndefine i8 @right(i8 %a) {\n  \
                     %r = add i8 %a, 1\n  ret i8 %r\n}\n";

fn world(version: &str) -> World {
    let world = World::new();
    script(&world, "opt", &OPT.replace("VERSION", version));
    std::fs::create_dir(world.path("tests")).unwrap();
    world.write("tests/right.ll", RIGHT);
    configured(&world, "");
    world
}

fn script(world: &World, name: &str, text: &str) {
    world.write(name, text);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.path(name), mode).unwrap();
}

/// Packed corpora are kept below the toolchains.
fn configured(world: &World, hunt: &str) {
    let toolchains = world.path("toolchains");
    world.write(
        "mistrust.toml",
        &format!("toolchains = {toolchains:?}\noffline = true\n\n[hunt]\n{hunt}\n"),
    );
}

fn hunt(world: &World, opt: &str) -> Ran {
    let tests = ["--corpus", "tests", "--method", "llvm-tests", "--cases", "4", "--jobs", "1"];
    world.run(&[&["hunt", opt, "--as", "opt"][..], &tests].concat())
}

#[test]
fn binary_and_broken_files_of_a_corpus_are_left_out_and_counted() {
    let world = world("19.1.7");
    world.write("tests/broken.ll", "; RUN: opt -passes=gvn -S < %s\nbroken\n");
    world.write("tests/idle.ll", "define void @f() {\n  ret void\n}\n");
    std::fs::write(world.path("tests/binary.ll"), [0x42, 0x43, 0xc0, 0xde, 0xff]).unwrap();
    let ran = hunt(&world, "./opt").expect(0).says("1 files").says("1 (not text)");
    ran.says("1 (rejected by this opt)").says("1 (no RUN line with passes of opt)");
    world.assert_nothing_is_left();
}

#[test]
fn a_corpus_without_a_readable_test_is_refused() {
    let world = world("19.1.7");
    std::fs::write(world.path("tests/right.ll"), [0xff, 0xfe, 0]).unwrap();
    hunt(&world, "./opt").expect(2).says("has no .ll file with a RUN line for opt");
    let ran = world.run(&["hunt", "./opt", "--as", "opt", "--corpus", "nowhere"]).expect(2);
    ran.says("there is no such folder or file");
}

#[test]
fn an_opt_that_is_none_or_cannot_run_is_refused() {
    let world = world("19.1.7");
    hunt(&world, "/bin/true").expect(3).says("/bin/true is no opt");
    // Of another machine.
    script(&world, "foreign", "\u{7f}ELF\u{2}\u{1}\u{1}");
    hunt(&world, "./foreign").expect(3).says("foreign");
}

#[test]
fn an_opt_whose_pointers_have_types_is_refused_with_the_reason() {
    let world = world("13.0.1");
    let ran = hunt(&world, "./opt").expect(3);
    ran.says("too old").says("LLVM 14 or newer").says("pointers have types");
}

#[test]
fn what_alive_tv_says_is_noted_and_changes_nothing() {
    let world = world("19.1.7");
    world.write("tests/wrong.ll", &RIGHT.replace("right", "wrong").replace("%a, 1", "%a, 77"));
    let said = |correct: u32, incorrect: u32| {
        format!(
            "#!/bin/sh\ngrep -q '@src' \"$1\" && grep -q '@tgt' \"$1\" || exit 3\necho 'ERROR: Value mismatch'\n\
             printf 'Summary:\\n  {correct} correct transformations\\n  {incorrect} incorrect transformations\\n'\n"
        )
    };
    for (numbers, noted) in [((0, 1), "incorrect: Value mismatch"), ((1, 0), "correct")] {
        script(&world, "alive-tv", &said(numbers.0, numbers.1));
        configured(&world, &format!("alive-tv = {:?}", world.path("alive-tv")));
        let _ = std::fs::remove_dir_all(world.path("mistrust-out"));
        hunt(&world, "./opt").expect(1);
        let findings = world.findings();
        assert_eq!(findings.len(), 1, "{findings:?}");
        let id = findings[0]["id"].as_str().unwrap();
        let report = world.read(&format!("mistrust-out/findings/{id}/report.md"));
        assert!(
            report.contains(&format!("`alive-tv` says of source and target: {noted}\n")),
            "{report}"
        );
    }
    configured(&world, "alive-tv = \"/nowhere/alive-tv\"");
    hunt(&world, "./opt").expect(3).says("/nowhere/alive-tv is no file");
}
