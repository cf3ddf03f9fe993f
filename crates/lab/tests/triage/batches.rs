//! Cases are divided into batches, and a failing batch is split.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use forge::{Case, Interface, Language, Method, Outcome, Program, Promise, Ticket};
use lab::store::{Findings as _, SqliteStore};
use lab::target::{Batch, Reads, batch};
use smoke::Smoke;

use crate::cases::toys;
use crate::hunts::{Heard, hunt_with};
use crate::inline::{Inline, bench, crash, crashes_on_two_xors, value};

#[test]
fn a_failing_batch_is_split_down_to_the_failing_cases() {
    let folder = tempfile::tempdir().unwrap();
    let mut target = crashes_on_two_xors();
    let culprits = [13, 37];
    target.together =
        Box::new(move |cases| cases.iter().any(|case| culprits.contains(&case.origin.number())));
    let cases: Vec<Case> = (0..64)
        .map(|index| Smoke::toy().make(&Ticket::new("smoke-toy", 1, index)).unwrap())
        .collect();
    let shown: Vec<&Case> = cases.iter().collect();
    let setting = target.spec.settings[..1].to_vec();
    let sightings = batch::observe(&target, &shown, &setting, &bench(&folder));
    for (index, observations) in sightings.observations.iter().enumerate() {
        let died = matches!(&observations[0].outcome,
            Outcome::Crashed { message, .. } if message == "the batch died");
        assert_eq!(died, culprits.contains(&(index as u64)), "case {index}");
    }
    assert!(sightings.unexplained.is_empty());
    // Two failing cases among 64 need at most two paths down the tree.
    assert!(target.attempts.load(Ordering::SeqCst) <= 1 + 2 * 2 * 6);
}

#[test]
fn a_batch_failure_that_no_part_shows_is_unexplained() {
    let folder = tempfile::tempdir().unwrap();
    let mut target = crashes_on_two_xors();
    target.together = Box::new(|cases| cases.len() > 4);
    let cases = toys(8);
    let shown: Vec<&Case> = cases.iter().collect();
    let setting = target.spec.settings[..1].to_vec();
    let sightings = batch::observe(&target, &shown, &setting, &bench(&folder));
    let [unexplained] = &sightings.unexplained[..] else { panic!("{sightings:?}") };
    assert_eq!(unexplained.outcome, crash("the batch died"));
    assert!(sightings.observations.iter().all(|observations| !observations.is_empty()));
}

/// Functions that a compiler must survive.
struct Survivors(Box<dyn Method>);

impl Method for Survivors {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn revision(&self) -> u32 {
        self.0.revision()
    }

    fn summary(&self) -> &str {
        self.0.summary()
    }

    fn language(&self) -> Language {
        self.0.language()
    }

    fn interface(&self) -> Interface {
        self.0.interface()
    }

    fn space(&self) -> Option<u64> {
        self.0.space()
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        Some(Case { promise: Promise::Survives, ..self.0.make(ticket)? })
    }

    fn crowd(&self, cases: &[Case]) -> Option<Case> {
        self.0.crowd(cases)
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> forge::Candidates<'a> {
        self.0.smaller(case)
    }
}

#[test]
fn functions_that_crash_only_together_become_one_reduced_case() {
    const MOST: usize = 12;
    let functions = |source: &str| source.matches("function judged").count();
    let method = Survivors(methods::named("expression-solidity").unwrap());
    let mut target = Inline::new(|_, _| value(""));
    let reads = (method.language(), method.interface());
    target.spec.reads = vec![Reads::new(reads.0.name(), reads.1, Batch::of(8))];
    target.together = Box::new(move |cases| {
        let programs = cases.iter().flat_map(|case| &case.programs);
        programs.map(|program| functions(&program.source)).sum::<usize>() >= MOST
    });
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt_with(Arc::new(method), target, 8, &folder, &heard);
    let [finding] = &summary.findings[..] else { panic!("{summary:?}") };
    let store = SqliteStore::read(&folder.path().join("out")).unwrap();
    let finding = store.finding(&finding.id).unwrap();
    let (original, reduced) = (&finding.original.case, &finding.best().case);
    assert_eq!((original.programs.len(), reduced.programs.len()), (1, 1));
    assert!(reduced.size() < original.size());
    let left = functions(&reduced.programs[0].source);
    assert!((MOST..MOST + 3).contains(&left), "{left}: {}", reduced.programs[0].source);
}

/// A slow compiler takes minutes for the parts of a batch.
#[test]
fn splitting_ends_when_the_time_is_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut target = crashes_on_two_xors();
    target.together = Box::new(|cases| cases.len() > 1);
    let cases = toys(8);
    let shown: Vec<&Case> = cases.iter().collect();
    // All eight, four, two, one and one; then the next two, and the time is up before they are split.
    let is_over = || target.attempts.load(Ordering::SeqCst) >= 6;
    let sightings = batch::observe_until(
        &is_over,
        &target,
        &shown,
        &target.spec.settings[..1],
        &bench(&folder),
    );
    assert_eq!(sightings.complete, 2);
    assert_eq!(target.attempts.load(Ordering::SeqCst), 6);
    let seen: Vec<bool> = sightings.observations.iter().map(|it| !it.is_empty()).collect();
    assert_eq!(seen, [true, true, false, false, false, false, false, false]);
}

#[test]
fn batches_are_limited_by_cases_and_by_bytes() {
    let mut target = crashes_on_two_xors();
    target.spec.reads[0].batch = Batch { cases: 4, bytes: 100 };
    let case = |size: &usize| {
        let case = Smoke::toy().make(&Ticket::new("smoke-toy", 1, 0)).unwrap();
        let source = "x".repeat(*size);
        Case { programs: vec![Program { source, ..case.programs[0].clone() }], ..case }
    };
    let cases: Vec<Case> = [10, 10, 10, 10, 10, 90, 1, 500, 60, 60].iter().map(case).collect();
    let portions = batch::portions(&target, &cases);
    let sizes: Vec<usize> = portions.iter().map(|portion| portion.len()).collect();
    assert_eq!(sizes, [4, 2, 1, 1, 1, 1]);
    assert_eq!(portions.concat(), cases);
    assert!(batch::portions(&target, &[]).is_empty());
}
