//! The MIR interpreter's assumptions about type layouts match rustc. Each program prints the sizes, alignments and offsets
//! that the interpreter relies on.

use forge::{Case, Method, Promise};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::oracle;
use lab::target::rustc::{RustcTarget, find};
use lab::target::{Bench, Target, batch};
use lab::verdict::Verdict;
use mir::Mir;

/// The number of programs whose types are checked.
const PROGRAMS: u64 = 400;

#[test]
fn rustc_type_layouts_match_the_interpreter() {
    let target = RustcTarget::new(find().into_iter().next().expect("a rustc"));
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path(), SandboxPolicy::BestEffort).unwrap();
    let bench =
        Bench { runner, compile: Limits::default(), run: Limits::default(), coverage: None };
    let mir = Mir::sized(None);
    let cases: Vec<Case> = (0..PROGRAMS).map(|index| mir.layouts(&mir.ticket(13, index))).collect();
    let mut offsets = 0;
    for chunk in cases.chunks(100) {
        let batch: Vec<&Case> = chunk.iter().collect();
        let sightings = batch::observe(&target, &batch, &target.spec().settings[..1], &bench);
        for (case, observations) in chunk.iter().zip(sightings.observations) {
            let verdict = oracle::judge(case, &observations);
            let source = &case.programs[0].source;
            assert!(matches!(verdict, Verdict::Kept), "{}: {verdict:?}\n{source}", case.origin);
            assert!(matches!(&case.promise, Promise::Yields(_)));
            offsets += source.matches("offset_of!(").count();
        }
    }
    assert!(offsets > 1_000, "only {offsets} fields were checked");
}
