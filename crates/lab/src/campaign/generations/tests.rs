//! Admissions, weights and floods of a pool, without a compiler.

use forge::{Input, Interface, Language, Model, Program, Promise};

use super::*;

fn case(number: u64, source: &str, parent: Option<&Case>) -> Case {
    let origin = match parent {
        None => Ticket::new("m", 1, number).at(1).into(),
        Some(parent) => Origin::Derived(Derivation {
            method: "m".to_owned(),
            revision: 1,
            number,
            entropy: number,
            parents: vec![parent.fingerprint()],
        }),
    };
    Case {
        origin,
        programs: vec![Program {
            name: "base".to_owned(),
            language: Language::new("c"),
            interface: Interface::Text,
            source: source.to_owned(),
        }],
        inputs: vec![Input::default()],
        promise: Promise::Survives,
        trail: vec![],
        model: Model::absent(),
    }
}

fn tried(case: Case, arm: Arm, fate: Fate, blocks: &[u64]) -> Tried {
    Tried {
        parent: (arm != Arm::Seed).then_some(0),
        case: matches!(fate, Fate::Accepted | Fate::Rejected).then_some(case),
        arm,
        operators: BTreeSet::from(["token".to_owned()]),
        fate,
        measured: true,
        work: 100,
        rare: blocks.to_vec(),
    }
}

/// A pool of one seed.
fn pool() -> (Pool, Case) {
    let seed = case(0, "seed", None);
    let mut pool = Pool::new(true);
    let all = [(0, tried(seed.clone(), Arm::Seed, Fate::Accepted, &[1, 2]))];
    pool.apply(decide(&pool, all.into()));
    (pool, seed)
}

#[test]
fn the_first_case_that_reaches_a_block_is_admitted_and_the_second_is_not() {
    let (pool, seed) = pool();
    let of = |number, blocks: &[u64]| {
        let case = case(number, &number.to_string(), Some(&seed));
        (number, tried(case, Arm::Guided, Fate::Accepted, blocks))
    };
    let record = decide(&pool, [of(5, &[1, 2, 3]), of(6, &[3]), of(7, &[1, 2])].into());
    let numbers: Vec<u64> = record.entries.iter().map(|it| it.case.origin.number()).collect();
    assert_eq!(numbers, [5]);
    assert_eq!((record.arms[&Arm::Guided].fresh, record.children[&0].count), (1, 3));
}

#[test]
fn a_case_that_fails_is_no_parent_and_its_blocks_stay_new() {
    let (mut pool, seed) = pool();
    let failed = Fate::Failed("boom".to_owned());
    let all = [(5, tried(case(5, "x", Some(&seed)), Arm::Guided, failed, &[9]))];
    let record = decide(&pool, all.into());
    assert_eq!((record.entries.len(), record.arms[&Arm::Guided].signatures), (0, 1));
    pool.apply(record);
    assert_eq!(pool.frontier.count(9), 0);
}

#[test]
fn repeated_failures_lower_the_weight_of_their_parent_and_operator() {
    let (mut pool, seed) = pool();
    let other = case(1, "other", None);
    let all = [(1, tried(other, Arm::Seed, Fate::Accepted, &[1, 2]))];
    pool.apply(decide(&pool, all.into()));
    let chosen = |frozen: &Frozen| {
        let mut entropy = Entropy::keyed(1);
        let times = 0..2000;
        times.filter(|_| frozen.parent(&mut entropy).unwrap().as_ref() == &seed).count()
    };
    let before = chosen(&pool.freeze());
    let all = (10..40).map(|number| {
        let failed = Fate::Failed("boom".to_owned());
        (number, tried(case(number, "x", Some(&seed)), Arm::Guided, failed, &[]))
    });
    pool.apply(decide(&pool, all.collect()));
    let frozen = pool.freeze();
    assert!(chosen(&frozen) * 5 < before, "{} of {before}", chosen(&frozen));
    assert!(frozen.bars(0) && !frozen.bars(1));
    let mut entropy = Entropy::keyed(2);
    let operators = ["token".to_owned()];
    let tries = 0..1000;
    let allowed = tries.filter(|_| frozen.allows(&operators, &mut entropy)).count();
    assert!(allowed < 500, "{allowed} of 1000");
}

#[test]
fn accepted_small_cases_with_rare_blocks_are_chosen_more_often() {
    let (mut pool, seed) = pool();
    let large = "x".repeat(6000);
    let rejected = tried(case(5, "r", Some(&seed)), Arm::Guided, Fate::Rejected, &[10]);
    let big = tried(case(6, &large, Some(&seed)), Arm::Guided, Fate::Accepted, &[11]);
    let good = tried(case(7, "g", Some(&seed)), Arm::Guided, Fate::Accepted, &[12]);
    let better: Vec<u64> = (20..60).collect();
    let better = tried(case(8, "b", Some(&seed)), Arm::Guided, Fate::Accepted, &better);
    pool.apply(decide(&pool, [(5, rejected), (6, big), (7, good), (8, better)].into()));
    let frozen = pool.freeze();
    let mut entropy = Entropy::keyed(3);
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for _ in 0..4000 {
        let number = frozen.parent(&mut entropy).unwrap().origin.number();
        *counts.entry(number).or_default() += 1;
    }
    assert!(counts[&8] > counts[&7], "{counts:?}");
    assert!(counts[&7] > 2 * counts[&6] && counts[&7] > 2 * counts[&5], "{counts:?}");
}

#[test]
fn records_in_order_give_the_same_pool_again() {
    let (mut pool, seed) = pool();
    let mut records = vec![];
    for generation in 1..20u64 {
        let all = (0..10).map(|at| {
            let number = generation * 100 + at;
            let parent = case(number, &number.to_string(), Some(&seed));
            let blocks: Vec<u64> = (0..number % 7).map(|it| it * generation).collect();
            (number, tried(parent, Arm::Guided, Fate::Accepted, &blocks))
        });
        let record = decide(&pool, all.collect());
        records.push(record.clone());
        pool.apply(record);
    }
    let (mut again, _) = self::pool();
    records.into_iter().for_each(|record| again.apply(record));
    assert_eq!(again.growth(), pool.growth());
    let draw = |pool: &Pool| {
        let (frozen, mut entropy) = (pool.freeze(), Entropy::keyed(4));
        (0..50).map(|_| frozen.parent(&mut entropy).unwrap().origin.number()).collect::<Vec<_>>()
    };
    assert_eq!(draw(&again), draw(&pool));
}
