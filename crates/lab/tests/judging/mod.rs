//! Shared by the tests with real compilers: compiles, runs and judges the programs of tickets.

use std::time::Duration;

use forge::{Case, Interface, Reason};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::oracle;
use lab::setting::Setting;
use lab::target::{Bench, Reads, Target, batch};
use lab::verdict::{Breach, Skipped, Verdict};

pub(crate) fn bench(root: &tempfile::TempDir) -> Bench {
    let runner = Runner::new(root.path().to_owned(), SandboxPolicy::BestEffort).unwrap();
    let limits = Limits { wall: Duration::from_secs(300), ..Limits::default() };
    Bench { runner, compile: limits.clone(), run: limits, coverage: None }
}

/// The number of programs: the default, or `MISTRUST_EXPRESSIONS`.
pub(crate) fn count(usual: u64) -> u64 {
    std::env::var("MISTRUST_EXPRESSIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The entry of `reads` for functions.
fn functions(target: &dyn Target) -> &Reads {
    let mut reads = target.spec().reads.iter();
    reads.find(|reads| reads.interface == Interface::Function).unwrap()
}

/// The cases of some tickets in the language of a target.
pub(crate) fn cases(target: &dyn Target, from: u64, count: u64) -> Vec<Case> {
    let dialect = expression::languages::of(functions(target).language.name()).unwrap();
    let method = methods::named(dialect.name).unwrap();
    let tickets = (from..from + count).map(|at| method.ticket(11, at));
    tickets.filter_map(|ticket| method.make(&ticket)).collect()
}

/// The verdicts on some cases, compiled in batches of the target's size.
pub(crate) fn judged(
    target: &dyn Target,
    cases: &[Case],
    setting: &Setting,
    bench: &Bench,
) -> Vec<Verdict> {
    let mut verdicts = vec![];
    for portion in batch::portions(target, cases) {
        let batch: Vec<&Case> = portion.iter().collect();
        let seen = batch::observe(target, &batch, std::slice::from_ref(setting), bench);
        assert!(seen.unexplained.is_empty(), "{:?}", seen.unexplained);
        let pairs = portion.iter().zip(&seen.observations);
        verdicts.extend(pairs.map(|(case, seen)| oracle::judge(case, seen)));
    }
    verdicts
}

/// Judges `count` programs, with the settings in turn. All that do not hit a known bug must behave as the model predicts,
/// and few may exceed a documented limit.
pub(crate) fn assert_no_unknown_failures(
    target: &dyn Target,
    settings: &[&Setting],
    count: u64,
    is_known: impl Fn(&Breach) -> bool,
) {
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let size = count.div_ceil(settings.len() as u64).clamp(1, functions(target).batch.cases as u64);
    let (mut kept, mut skipped) = (0, 0);
    for (turn, from) in (0..count).step_by(size as usize).enumerate() {
        let cases = cases(target, from, size.min(count - from));
        let setting = settings[turn % settings.len()];
        for (case, verdict) in cases.iter().zip(judged(target, &cases, setting, &bench)) {
            match verdict {
                Verdict::Kept => kept += 1,
                Verdict::Skipped(Skipped::Unobserved(Reason::Limit(_))) => skipped += 1,
                Verdict::Skipped(why) => {
                    panic!("{} was skipped: {why}\n{:#?}", case.origin, case.programs)
                }
                Verdict::Broken(breach) if is_known(&breach) => {}
                Verdict::Broken(breach) => {
                    let programs = case.programs.iter().map(|it| it.source.as_str());
                    let (name, programs) = (&setting.name, programs.collect::<Vec<_>>().join("\n"));
                    panic!(
                        "{} under {name}: {breach:?}\n{programs}\n{:#?}",
                        case.origin, case.trail
                    )
                }
            }
        }
    }
    assert!(skipped * 8 <= kept, "{skipped} of {count} exceeded a limit");
}

/// All settings of a target.
pub(crate) fn settings(target: &dyn Target) -> Vec<&Setting> {
    target.spec().settings.iter().chain(&target.spec().occasional).collect()
}
