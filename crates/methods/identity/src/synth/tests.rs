//! The search is deterministic, learns from standings, and hands out no candidate twice.

use std::collections::HashSet;

use super::{FAR, Grader, Synthesis};
use crate::kernel::{Relation, WORDS};
use crate::library::Entry;
use crate::prove::establish::{Effort, establish_in};
use crate::refute::refute;
use crate::rule::Rule;
use crate::standing::Standing;
use crate::{parse, print};

fn effort() -> Effort {
    Effort {
        conflicts: 100,
        clauses: 4_000,
        cases: 8,
        solver: 8,
        products: 16,
        gates: 100_000,
        splits: Some(2),
    }
}

fn found(seed: u64, count: usize) -> Vec<(Rule, Standing)> {
    let mut synthesis = Synthesis::new(seed, &[]);
    let mut found = Vec::new();
    while found.len() < count {
        for rule in synthesis.candidates(40) {
            let standing = establish_in(&rule, &WORDS, &effort());
            synthesis.learn(&rule, &standing);
            found.push((rule, standing));
        }
    }
    found
}

#[test]
fn search_is_deterministic_and_most_candidates_are_true() {
    let texts = |found: &[(Rule, Standing)]| -> Vec<String> {
        found.iter().map(|(rule, _)| print::rule(rule)).collect()
    };
    let first = found(1, 120);
    assert_eq!(texts(&first), texts(&found(1, 120)));
    let names: HashSet<&str> = first.iter().map(|(rule, _)| rule.name.as_str()).collect();
    assert_eq!(names.len(), first.len());
    let proven: Vec<&Rule> =
        first.iter().filter(|(_, standing)| standing.is_proven()).map(|(rule, _)| rule).collect();
    assert!(proven.len() * 3 > first.len() * 2, "{} of {}", proven.len(), first.len());
    for rule in proven {
        let search = refute(&rule.equation, &WORDS, Relation::Exact, &[64, 256]);
        assert_eq!(search.counterexample, None, "{}", print::rule(rule));
        // Printing then parsing succeeds.
        let (again, errors) = parse::rules(&print::rule(rule));
        assert_eq!((again.len(), errors.len()), (1, 0), "{}", print::rule(rule));
    }
}

#[test]
fn grade_counts_rewrite_steps_or_remaining_difference() {
    let (rules, _) = parse::rules(
        "rule one\n a + 0 = a\nrule two\n a - b = a + -b\nrule three\n --a = a\n\
         rule direct\n (x * y) + 0 = x * y\nrule twice\n x - -y = x + y\nrule near\n x & x = x\n\
         rule far\n x * y + x * z = x * (y + z)",
    );
    let entry =
        |rule: &Rule| Entry { rule: rule.clone(), source: String::new(), standings: Vec::new() };
    let basis: Vec<Entry> = rules[..3].iter().map(entry).collect();
    let grader = Grader::new(&basis);
    let grades: Vec<u8> = rules[3..].iter().map(|rule| grader.grade(rule)).collect();
    assert_eq!(grades, [1, 2, 6, FAR]);
}
