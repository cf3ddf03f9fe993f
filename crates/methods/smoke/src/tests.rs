use proptest::prelude::*;

use super::*;

fn recipe_of(seed: u64, index: u64) -> Recipe {
    generate::recipe(&mut Entropy::of(&Ticket::new("drill-toy", seed, index)), index)
}

#[test]
fn a_ticket_gives_the_same_bytes_for_ever() {
    let case = Smoke::toy().make(&Ticket::new("smoke-toy", 1, 0)).unwrap();
    let golden = include_str!("golden/smoke-toy-1-0.json");
    let made = serde_json::to_string_pretty(&case).unwrap() + "\n";
    if std::env::var_os("BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/golden/smoke-toy-1-0.json");
        std::fs::write(path, &made).unwrap();
        return;
    }
    assert_eq!(made, golden, "renew it with BLESS=1 if this was meant");
}

#[test]
fn five_neighbours_make_every_promise() {
    let names: std::collections::BTreeSet<&str> = (10..15)
        .map(|index| Smoke::c().make(&Ticket::new("smoke-c", 1, index)).unwrap().promise.name())
        .collect();
    assert_eq!(names.len(), 5);
}

#[test]
fn a_variant_differs_from_its_base_and_computes_the_same() {
    let mut different = 0;
    for index in (4..504).step_by(5) {
        let recipe = recipe_of(1, index);
        assert_eq!(recipe.aim, Aim::Equivalent);
        assert_eq!(recipe.behaviours(), recipe.commuted().behaviours());
        different += usize::from(recipe.commuted() != recipe);
    }
    assert!(different > 80, "only {different} of 100 variants differ");
}

proptest! {
    #[test]
    fn everything_but_a_spoilt_program_is_valid_and_stays_so_when_it_shrinks(seed: u64, index in 0u64..1000) {
        let recipe = recipe_of(seed, index);
        prop_assert!(recipe.aim == Aim::Survives || recipe.is_valid());
        for smaller in shrink::candidates(recipe.clone()) {
            prop_assert_ne!(&smaller, &recipe);
            prop_assert!(smaller.aim == Aim::Survives || smaller.is_valid());
            prop_assert!(!smaller.inputs.is_empty());
        }
    }

    #[test]
    fn shrinking_a_kept_case_needs_nothing_but_the_case(seed: u64, index in 0u64..1000) {
        let smoke = Smoke::c();
        let made = smoke.make(&Ticket::new("smoke-c", seed, index)).unwrap();
        let kept: Case = serde_json::from_str(&serde_json::to_string(&made).unwrap()).unwrap();
        let from_kept: Vec<Case> = smoke.smaller(&kept).flatten().collect();
        let from_made: Vec<Case> = smoke.smaller(&made).flatten().collect();
        prop_assert_eq!(from_kept, from_made);
    }
}
