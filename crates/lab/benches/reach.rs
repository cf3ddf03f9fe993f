//! Measures which optimisations of the machine's rustc have something to do in generated MIR. One table for MIR passes:
//! the share of programs and functions that a pass changed, by comparing the dumps before and after it. One table for
//! LLVM passes: the share of programs in which a pass changed the IR of a function, by `-print-changed`. A pass without
//! work is not tested: this is how the weights of the generator are set, and which shapes it needs
//! (`mir/generate/rare_shapes.rs` for MIR, `vector_loops.rs`, `by_value.rs` and `odd_integers.rs` there for LLVM).
//!
//! `cargo bench -p lab --bench reach [-- METHOD [PROGRAMS [SEED]]]`. It prints figures and never fails because of them: versions differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lab::exec::{Limits, Order, Runner, SandboxPolicy, Scratch};
use lab::target::rustc::find;
use regex::Regex;

/// In how many programs and functions a MIR pass changed something, and how many functions it ran on.
#[derive(Default)]
struct Work {
    programs: usize,
    functions: usize,
    seen: usize,
}

/// A dump without its comments.
fn plain(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let lines = text.lines().filter(|line| !line.starts_with("//"));
    Some(lines.filter_map(|line| line.split("//").next()).map(str::trim_end).collect())
}

/// Compares the MIR dumps of one program.
fn changed_mir(folder: &Path, passes: &mut BTreeMap<String, Work>) {
    // program.f3.3-2-007.GVN.before.mir: of a function of the program, from the runtime phase on.
    let name = Regex::new(r"^[^.]+\.f\d+\.[345]-\d-\d+\.(?<pass>.+)\.before\.mir$").unwrap();
    let mut changed = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let Some(found) = name.captures(&file) else { continue };
        let pass = found["pass"].to_owned();
        let after = entry.path().with_file_name(file.replace(".before.mir", ".after.mir"));
        let (Some(before), Some(after)) = (plain(&entry.path()), plain(&after)) else { continue };
        let work = passes.entry(pass.clone()).or_default();
        work.seen += 1;
        if before != after {
            work.functions += 1;
            changed.insert(pass);
        }
    }
    for pass in changed {
        passes.entry(pass).or_default().programs += 1;
    }
}

/// The LLVM passes that changed a function `f0`, `f1` and so on: other functions are the same in every program.
fn changed_ir(text: &str) -> BTreeSet<String> {
    // *** IR Dump After LoopVectorizePass on _ZN7program2f317h0123456789abcdefE ***
    let dump = Regex::new(r"(?m)^\*\*\* IR Dump After (?<pass>\w+) on .*\df\d+").unwrap();
    dump.captures_iter(text).map(|found| found["pass"].to_owned()).collect()
}

/// Compiles `program.rs`. Returns the compiler's output.
fn compile(runner: &Runner, rustc: &Path, scratch: &Scratch, flags: &str) -> String {
    let flags = format!(
        "--edition=2021 --cap-lints=allow -Copt-level=3 -Ccodegen-units=1 --emit=obj -o program.o {flags} program.rs"
    );
    let argv = std::iter::once(rustc.as_os_str().to_owned())
        .chain(flags.split_whitespace().map(Into::into));
    let mut order = Order::new(argv).env("RUSTC_BOOTSTRAP", "1");
    order.limits = Limits { output: 256 << 20, ..Limits::default() };
    runner.run(&order, scratch).unwrap().stderr.text()
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let method = arguments.first().map_or("mir", String::as_str);
    let number = |at: usize, default: u64| {
        arguments.get(at).map_or(default, |argument| argument.parse().unwrap())
    };
    let (count, seed) = (number(1, 200), number(2, 1));
    let method = methods::named(method).unwrap();
    let rustc = find().into_iter().next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path(), SandboxPolicy::BestEffort).unwrap();
    let mut mir: BTreeMap<String, Work> = BTreeMap::new();
    let mut llvm: BTreeMap<String, usize> = BTreeMap::new();
    let mut shown = 0;
    for index in 0..count {
        let Some(case) = method.make(&method.ticket(seed, index)) else { continue };
        let scratch = runner.scratch().unwrap();
        // Inlined into `main`, it would not be counted.
        let source = case.programs[0].source.replace("pub fn f0(", "#[inline(never)] pub fn f0(");
        scratch.write("program.rs", &source).unwrap();
        let dumps = "-Zmir-opt-level=4 -Zdump-mir=all -Zdump-mir-dir=dump";
        compile(&runner, &rustc.rustc, &scratch, dumps);
        changed_mir(&scratch.path().join("dump"), &mut mir);
        let prints = "-Zmir-opt-level=0 -Cllvm-args=-print-changed=quiet";
        for pass in changed_ir(&compile(&runner, &rustc.rustc, &scratch, prints)) {
            *llvm.entry(pass).or_default() += 1;
        }
        shown += 1;
    }
    println!("{shown} programs of {}, seed {seed}, {} at O3", method.name(), rustc.version);
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let mut rows: Vec<(&String, &Work)> = mir.iter().collect();
    rows.sort_by_key(|(_, work)| work.programs);
    println!("MIR passes at -Zmir-opt-level=4: programs and functions changed");
    for (pass, work) in rows {
        let (programs, functions) = (share(work.programs, shown), share(work.functions, work.seen));
        println!("{programs:>8.1} % {functions:>8.1} %  {pass}");
    }
    let mut rows: Vec<(&String, &usize)> = llvm.iter().collect();
    rows.sort_by_key(|(_, count)| **count);
    println!("LLVM passes at -Zmir-opt-level=0: programs changed");
    for (pass, count) in rows {
        println!("{:>8.1} %  {pass}", share(*count, shown));
    }
}
