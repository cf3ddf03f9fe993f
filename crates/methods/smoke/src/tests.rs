//! The golden case, and properties of generated and shrunk programs.

use proptest::prelude::*;

use super::*;

fn recipe_of(seed: u64, index: u64) -> Recipe {
    generate::recipe(&mut Entropy::of(&Ticket::new("drill-toy", seed, index)), index)
}

#[test]
fn a_ticket_always_gives_the_same_bytes() {
    let case = Smoke::toy().make(&Ticket::new("smoke-toy", 1, 0)).unwrap();
    let golden = include_str!("golden/smoke-toy-1-0.json");
    let made = serde_json::to_string_pretty(&case).unwrap() + "\n";
    if std::env::var_os("BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/golden/smoke-toy-1-0.json");
        std::fs::write(path, &made).unwrap();
        return;
    }
    assert_eq!(made, golden, "if this change is intended, renew the file with BLESS=1");
}

#[test]
fn five_consecutive_tickets_cover_every_promise() {
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
        assert_eq!(recipe.promise, Promised::Equivalent);
        assert_eq!(recipe.behaviours(), recipe.commuted().behaviours());
        different += usize::from(recipe.commuted() != recipe);
    }
    assert!(different > 80, "only {different} of 100 variants differ");
}

proptest! {
    #[test]
    fn all_programs_but_the_deliberately_invalid_are_valid_and_stay_valid_when_shrunk(seed: u64, index in 0u64..1000) {
        let recipe = recipe_of(seed, index);
        prop_assert!(recipe.promise == Promised::Survives || recipe.is_valid());
        for smaller in shrink::candidates(recipe.clone()) {
            prop_assert_ne!(&smaller, &recipe);
            prop_assert!(smaller.promise == Promised::Survives || smaller.is_valid());
            prop_assert!(!smaller.inputs.is_empty());
        }
    }

    #[test]
    fn a_stored_case_shrinks_like_the_generated_one(seed: u64, index in 0u64..1000) {
        let smoke = Smoke::c();
        let made = smoke.make(&Ticket::new("smoke-c", seed, index)).unwrap();
        let stored: Case = serde_json::from_str(&serde_json::to_string(&made).unwrap()).unwrap();
        let from_stored: Vec<Case> = smoke.smaller(&stored).flatten().collect();
        let from_made: Vec<Case> = smoke.smaller(&made).flatten().collect();
        prop_assert_eq!(from_stored, from_made);
    }
}
