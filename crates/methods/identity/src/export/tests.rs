//! Exports state what the rule states, and a ledger round-trips.

use super::{json_entry, lean_project, smt_script};
use crate::kernel::{Goal, Relation, SEMANTICS, Scope, WORDS};
use crate::ledger::Ledger;
use crate::library::Entry;
use crate::parse;
use crate::prove::establish::{Effort, establish};

fn entries() -> Vec<Entry> {
    let (rules, errors) = parse::rules(
        "category ring\nrule add-commutes\n a + b = b + a\n\
         category division\nrule by-power\n x /u C = x >>u log2(C)\n where pow2(C)\n width in 8\n\
         rule false\n a + 1 = a\n",
    );
    assert_eq!(errors, []);
    let entry = |rule| {
        let standings = establish(&rule, &Effort::default());
        Entry { rule, source: "sample".into(), standings }
    };
    rules.into_iter().map(entry).collect()
}

#[test]
fn json_terms_are_objects_with_operators() {
    let entries = entries();
    let json = json_entry(&entries[1]);
    assert_eq!(json["left"]["op"], "udiv");
    assert_eq!(json["left"]["args"][1]["var"], "C");
    assert_eq!(json["right"]["args"][1]["op"], "ctz");
    assert_eq!(json["where"][0]["op"], "pow2");
    assert_eq!(json["standings"]["words"]["relation"], "exact");
    assert_eq!(json["standings"]["evm"], serde_json::Value::Null);
    assert_eq!(json_entry(&entries[2])["standings"], serde_json::json!({}));
}

#[test]
fn smt_script_asserts_the_negated_goal() {
    let entry = &entries()[0];
    let goal = Goal::new(&entry.rule.equation, &WORDS, Relation::Exact, Scope::At(8))
        .map(|goal| smt_script("t", &goal));
    let script = goal.ok().flatten().unwrap_or_default();
    assert!(script.contains("(declare-const v0 (_ BitVec 8))"), "{script}");
    assert!(script.contains("(bvadd v0 v1)") && script.contains("(bvadd v1 v0)"), "{script}");
    assert!(script.ends_with("#b0))\n(check-sat)\n"), "{script}");
}

#[test]
fn lean_project_has_a_theorem_or_a_reason_per_rule() {
    let entries = entries();
    let files = lean_project(&entries.iter().collect::<Vec<_>>());
    let rules =
        files.iter().find(|file| file.path == "Rules/Sample.lean").map(|file| file.text.as_str());
    let text = rules.unwrap_or_default();
    assert!(
        text.contains("theorem add_commutes {w : Nat} (a : BitVec w) (b : BitVec w)"),
        "{text}"
    );
    assert!(text.contains("theorem by_power (C : BitVec 8) (x : BitVec 8)"), "{text}");
    assert!(!text.contains("theorem false") && text.contains("so there is no theorem"), "{text}");
}

#[test]
fn ledger_round_trips_and_ignores_changed_rules() {
    let entries = entries();
    let mut ledger = Ledger::default();
    for entry in &entries {
        ledger.enter(&entry.rule, &entry.standings);
    }
    let text = ledger.write();
    let again = Ledger::read(&text);
    let Ok(again) = again else { panic!("{text}") };
    assert_eq!(again.write(), text);
    for entry in &entries {
        let standings = again.standings(&entry.rule).unwrap_or_default();
        assert_eq!(standings.len(), SEMANTICS.len());
        for (one, other) in standings.iter().zip(&entry.standings) {
            assert_eq!(one.at(8), other.at(8), "{}", entry.rule.name);
        }
    }
    let mut changed = entries[0].rule.clone();
    changed.equation.sides.swap(0, 1);
    assert!(again.standings(&changed).is_none());
    assert!(Ledger::read("add-commutes 0123 exact:x:1\n").is_err());
}
