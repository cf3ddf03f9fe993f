//! What measuring coverage costs: the same programs are compiled with and without it, in turn, and the CPU time of all
//! processes is compared. `cargo bench -p lab --bench coverage [-- NAME…]` with names of the rows. It prints figures and
//! never fails because of them: machines differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use forge::{Case, Input, Interface, Language, Model, Origin, Program, Promise};
use lab::coverage::Coverage;
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::target::built_in::BuiltIn;
use lab::target::{Attempt, Bench, Target};
use lab::toolchain::Toolchains;

/// Family, version (empty for that of the machine), language, and how many programs are measured.
const ROWS: &[(&str, &str, &str, u64)] = &[
    ("solc", "0.6.3", "solidity", 600),
    ("solc", "0.8.28", "solidity", 150),
    ("vyper", "0.4.3", "vyper", 150),
    ("gcc", "", "c", 200),
    ("rustc", "", "rust", 120),
];

fn source(language: &str, at: u64) -> String {
    let (few, some) = (at % 5 + 1, at * 3);
    match language {
        "solidity" => format!(
            "contract C {{ uint[] a; mapping(uint => uint) m;\n\
             function f(uint x) public returns (bytes memory) {{ a.push(x * {at}); for (uint i = {few}; i < x; i++) {{ m[i] = i + {some}; }} return abi.encode(a, m[x]); }}\n\
             function g(int8 y) public pure returns (int16) {{ if (y > {few}) {{ return y; }} return int16(y) * {few}; }} }}"
        ),
        "vyper" => format!(
            "a: DynArray[uint256, {few}]\n\n@external\ndef f(x: uint256) -> uint256:\n    s: uint256 = x\n    for i: uint256 in range({few}):\n        s = s * {at} + i\n        if s > {some}:\n            self.a.append(s)\n    return s // {few}\n"
        ),
        "c" => format!(
            "struct s {{ int x; char y[{few}]; }};\nint g(int n, const char *t) {{ struct s v = {{ n, {{0}} }}; while (v.x > {at} && t[0]) {{ v.x--; v.y[v.x % {few}] ^= t[{few}]; }} return v.y[0] + {some}; }}\n"
        ),
        _ => format!(
            "pub struct S<T> {{ a: Vec<T> }}\nimpl<T: Clone + std::fmt::Debug> S<T> {{ pub fn f(&self) -> String {{ self.a.iter().map(|x| format!(\"{{x:?}}{at}\")).collect::<Vec<_>>().join(\",\") }} }}\npub fn g(n: u32) -> Vec<String> {{ (0..n).map(|i| S {{ a: vec![i; {few}] }}.f()).filter(|s| s.len() > {some}).collect() }}\n"
        ),
    }
}

fn case(language: &str, at: u64) -> Case {
    let program = Program {
        name: "base".to_owned(),
        language: Language::new(language),
        interface: Interface::Text,
        source: source(language, at),
    };
    Case {
        origin: Origin::Given { method: "bench".to_owned() },
        programs: vec![program],
        inputs: vec![Input::default()],
        promise: Promise::Survives,
        trail: vec![],
        model: Model::absent(),
    }
}

fn target(family: &str, version: &str) -> Option<Arc<dyn Target>> {
    let built_in = BuiltIn::named(family)?;
    if version.is_empty() {
        return built_in.of_machine().into_iter().next();
    }
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/toolchains");
    let toolchains = std::env::var_os("MISTRUST_TOOLCHAINS").map_or(shared, Into::into);
    let installs = Toolchains::open(&toolchains).ok()?;
    let installed = installs.ensure(built_in.toolchain()?, version, false, &|_| {}).ok()?;
    built_in.target(&installed)
}

/// Compiles programs with one bench, and returns how many features were reported.
fn compile(target: &dyn Target, cases: &[Case], bench: &Bench) -> usize {
    let settings = &target.spec().settings;
    let mut reported = 0;
    for (at, case) in cases.iter().enumerate() {
        let setting = &settings[at % settings.len().min(2)];
        let Attempt::Each(seen) = target.attempt(&[case], setting, bench) else { continue };
        let features = seen.into_iter().filter_map(|it| it.feedback).flat_map(|it| it.features);
        let features: Vec<u64> = features.collect();
        reported += features.len();
        if let Some(coverage) = &bench.coverage {
            coverage.learn(&features);
        }
    }
    reported
}

fn row((family, version, language, count): (&str, &str, &str, u64)) {
    let (Some(plain), Some(measured)) = (target(family, version), target(family, version)) else {
        println!("{family}@{version}: not there");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    // A runner of its own counts the CPU time of each side.
    let bench = |coverage: Option<Arc<Coverage>>, name: &str| Bench {
        runner: Runner::new(folder.path().join(name), SandboxPolicy::BestEffort).unwrap(),
        compile: Limits::default(),
        run: Limits::default(),
        coverage,
    };
    let coverage = Some(Arc::new(Coverage::new()));
    let measure = match measured.coverage(&bench(coverage.clone(), "first")) {
        Ok(measure) => measure,
        Err(why) => return println!("{family}@{version}: {why}"),
    };
    // The hosts of a target are started once; those of the first programs are counted in neither sum.
    let cases: Vec<Case> = (0..count + count / 4).map(|at| case(language, at)).collect();
    let (warm, timed) = cases.split_at((count / 4) as usize);
    let (without, with) = (bench(None, "without"), bench(coverage, "with"));
    compile(plain.as_ref(), warm, &without);
    let first = compile(measured.as_ref(), warm, &with);
    let mut spent = [Duration::ZERO; 2];
    let mut reported = 0;
    for part in timed.chunks(10) {
        let before = tree_cpu();
        compile(plain.as_ref(), part, &without);
        let between = tree_cpu();
        reported += compile(measured.as_ref(), part, &with);
        let after = tree_cpu();
        spent[0] += between.saturating_sub(before);
        spent[1] += after.saturating_sub(between);
    }
    let [without, with] = spent.map(|it| it.as_secs_f64());
    println!(
        "{family}@{version}: {} blocks, {}; first programs reached {first}, the others {reported} more; \
         CPU seconds {without:.2} without, {with:.2} with: {:+.1}%",
        measure.blocks,
        measure.means,
        100.0 * (with / without - 1.0)
    );
}

/// The CPU time of all children, those that still run included.
fn tree_cpu() -> Duration {
    let ended = {
        let usage =
            nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN).unwrap();
        let time = |value: nix::sys::time::TimeVal| {
            Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
        };
        time(usage.user_time()) + time(usage.system_time())
    };
    let own = std::process::id();
    let threads = std::fs::read_dir(format!("/proc/{own}/task")).unwrap().flatten();
    let running = threads.flat_map(|thread| {
        let list = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    });
    let of_process = |pid: String| {
        // Nanoseconds of CPU time of each thread, more exact than the ticks of `stat`.
        let threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten();
        let nanoseconds = threads.filter_map(|thread| {
            let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<u64>().ok()
        });
        Some(Duration::from_nanos(nanoseconds.sum()))
    };
    ended + running.filter_map(of_process).sum::<Duration>()
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let rows = ROWS.iter().filter(|row| wanted.is_empty() || wanted.iter().any(|it| it == row.0));
    rows.for_each(|it| row(*it));
}
