//! What generated MIR gives the optimisations of the machine's rustc to do: for each pass of MIR, in how many programs
//! and functions it changed anything (the dumps before and after it differ); for each pass of LLVM, in how many programs
//! it remarked on something. A pass that finds nothing to do is not tested, whatever is generated: this is how the
//! weights of the generator are set, and which shapes it needs (`mir/generate/scarce.rs`).
//!
//! `cargo bench -p lab --bench reach [-- METHOD [PROGRAMS [SEED]]]`. It prints figures and judges nothing: versions differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use forge::Ticket;
use lab::exec::{Limits, Order, Runner, SandboxPolicy};
use lab::target::rustc::find;
use regex::Regex;

/// In how many programs and functions a pass did something, and how many functions it has seen.
#[derive(Default)]
struct Work {
    programs: usize,
    functions: usize,
    seen: usize,
}

/// A dump without what is said about it.
fn plain(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let lines = text.lines().filter(|line| !line.starts_with("//"));
    Some(lines.filter_map(|line| line.split("//").next()).map(str::trim_end).collect())
}

/// Reads the dumps of one program.
fn read(folder: &Path, passes: &mut BTreeMap<String, Work>) {
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
    let remark =
        Regex::new(r"(?m)^note: \S*program\.rs:\S+ (?<pass>[\w-]+) \((?<what>\w+)\)").unwrap();
    let mut passes: BTreeMap<String, Work> = BTreeMap::new();
    let mut remarks: BTreeMap<String, usize> = BTreeMap::new();
    let mut shown = 0;
    for index in 0..count {
        let Some(case) = method.make(&Ticket::new(method.name(), seed, index)) else { continue };
        let scratch = runner.scratch().unwrap();
        scratch.write("program.rs", &case.programs[0].source).unwrap();
        let flags = "--edition=2021 --cap-lints=allow -Copt-level=3 -Zmir-opt-level=4 -Ccodegen-units=1 \
                     -Cdebuginfo=1 -Cremark=all -Zdump-mir=all -Zdump-mir-dir=dump --emit=obj -o program.o \
                     program.rs";
        let argv = std::iter::once(rustc.rustc.clone().into_os_string())
            .chain(flags.split_whitespace().map(Into::into));
        let mut order = Order::new(argv).env("RUSTC_BOOTSTRAP", "1");
        order.limits = Limits { output: 64 << 20, ..Limits::default() };
        let run = runner.run(&order, &scratch).unwrap();
        read(&scratch.path().join("dump"), &mut passes);
        let said = run.stderr.text();
        let said: BTreeSet<String> = remark
            .captures_iter(&said)
            .map(|found| format!("{} ({})", &found["pass"], &found["what"]))
            .collect();
        said.into_iter().for_each(|what| *remarks.entry(what).or_default() += 1);
        shown += 1;
    }
    println!("{} programs of {}, seed {seed}, {} at O3-mir4", shown, method.name(), rustc.version);
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let mut rows: Vec<(&String, &Work)> = passes.iter().collect();
    rows.sort_by_key(|(_, work)| work.programs);
    println!("passes of MIR, and in how much of programs and functions they changed something");
    for (pass, work) in rows {
        let (programs, functions) = (share(work.programs, shown), share(work.functions, work.seen));
        println!("{programs:>8.1} % {functions:>8.1} %  {pass}");
    }
    let mut rows: Vec<(&String, &usize)> = remarks.iter().collect();
    rows.sort_by_key(|(_, count)| **count);
    println!("passes of LLVM, and in how much of programs they remarked on something");
    for (what, count) in rows {
        println!("{:>8.1} %  {what}", share(*count, shown));
    }
}
