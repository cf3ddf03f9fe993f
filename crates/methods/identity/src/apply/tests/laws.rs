//! Random programs: a mutant behaves like its original. The relation of each rule under each
//! semantics is computed by evaluation, exhaustively where feasible, rather than taken from proofs.

use std::collections::HashSet;

use super::programs::{LIMBS, alike, outcomes, program, refines, valuations};
use crate::apply::{Firing, Rulebook, Stops};
use crate::kernel::{Relation, SEMANTICS, Scope, Semantics, Terms, WORDS};
use crate::word::Word;
use crate::{Entry, Library, Proven, Route, Rule, Standing, WIDTHS, parse};
use forge::{Entropy, Ticket};

const RULES: &str = "
rule add-commutes
    x + y = y + x
rule mul-commutes
    x * y = y * x
rule add-zero
    x + 0 = x
rule mul-zero
    x * 0 = 0
rule sub-self
    x - x = 0
rule add-associates
    x + (y + z) = (x + y) + z
rule xor-by-or
    x ^ y = (x | y) - (x & y)
rule and-absorbs
    x & (x | y) = x
rule and-or-distribute
    x & (y | z) = (x & y) | (x & z)
rule quotient-shift
    x /u C = x >>u log2(C)
    where pow2(C)
rule product-shift
    x * C = x << log2(C)
    where pow2(C)
rule branches-same
    c ? x : x = x
rule branches-exchanged
    (c == 0) ? x : y = c ? y : x
rule branches-joined
    (c ? x : y) + z = c ? (x + z) : (y + z)
rule branch-mask
    c ? x : 0 = x & -(c != 0)
rule quotient-and-rest
    (x /u y) * y + x %u y = x
rule rest-by-quotient
    x %u y = x - (x /u y) * y
rule minus-minus
    -(-x) = x
rule constants-join
    (x + C) + D = x + (C + D)
rule constant-subtracted
    x - C = x + -C
rule shifts-join
    (x << C) << D = x << (C + D)
    where C <u w, D <u w, C + D <u w, C <=u C + D
rule least-of-two
    umin(x, y) = y <u x ? y : x
rule greatest-of-two
    smax(x, y) = smax(y, x)
rule invented
    x = x | (x & y)
rule equal-differ
    x == y = (x ^ y) == 0
rule addmod-commutes
    addmod(x, y, m) = addmod(y, x, m)
rule not-by-minus
    ~x = -x - 1
rule power-less-one
    x %u C = x & (C - 1)
    where pow2(C)
rule signed-quotient-minus
    x /s -1 = -x
rule shift-splits
    (x & y) >>u z = (x >>u z) & (y >>u z)
";

/// The semantics without width restrictions, so that small widths can be tested exhaustively.
pub(super) fn at_all_widths(semantics: &Semantics) -> Semantics {
    Semantics { widths: &[], ..*semantics }
}

pub(super) fn rules(text: &str) -> Vec<Rule> {
    let (rules, errors) = parse::rules(text);
    assert_eq!(errors, []);
    rules
}

/// The relation of the sides of a rule, as far as evaluation can tell.
fn relation(rule: &Rule, semantics: &Semantics, width: u16) -> Option<Relation> {
    let mut entropy = Entropy::of(&Ticket::new("relation", u64::from(width), 0));
    let values = valuations(&mut entropy, width, rule.variables.len());
    let conditions = outcomes(rule.terms(), &rule.equation.conditions, width, &WORDS, &values);
    let given: Vec<usize> = (0..values[0].len())
        .filter(|&row| conditions.iter().all(|column| column.values[row] != Word::ZERO))
        .collect();
    let values: Vec<Vec<Word<LIMBS>>> =
        values.iter().map(|column| given.iter().map(|&row| column[row]).collect()).collect();
    let sides = outcomes(rule.terms(), &rule.equation.sides, width, semantics, &values);
    match sides.as_slice() {
        [left, right] if alike(left, right) => Some(Relation::Exact),
        [left, right] if refines(left, right) => Some(Relation::Forward),
        [left, right] if refines(right, left) => Some(Relation::Backward),
        _ => None,
    }
}

/// A library whose standings are computed by evaluation.
pub(super) fn library(text: &str, semantics: &Semantics, width: u16) -> Vec<Entry> {
    let entry = |rule: Rule| {
        let standing = match relation(&rule, semantics, width) {
            Some(relation) => Standing::Proven {
                relation,
                where_to: vec![Proven { scope: Scope::At(width), route: Route::Circuit }],
            },
            None => Standing::Tested,
        };
        let own = |s: &Semantics| s.name == semantics.name;
        let standings = SEMANTICS
            .iter()
            .map(|s| if own(s) { standing.clone() } else { Standing::Absent })
            .collect();
        Entry { rule, source: "test".into(), standings }
    };
    rules(text).into_iter().map(entry).collect()
}

/// Asserts that mutants of random programs behave like their originals and are reproduced from
/// their trails. Returns all firings.
fn assert_equivalent(
    book: &Rulebook,
    semantics: &Semantics,
    width: u16,
    seed: u64,
    programs: u64,
) -> Vec<Firing> {
    let undefined_alone = !Stops::of(semantics).is_observable();
    let mut firings = Vec::new();
    for number in 0..programs {
        let ticket = Ticket::new("law", seed * 1000 + u64::from(width), number);
        let mut entropy = Entropy::of(&ticket);
        let mut material = book.material(Terms::new());
        let root = program(&mut entropy, &mut material, 4, width);
        let mutant = book.stack(&mut material, root, 8, 150, &mut entropy);
        assert_eq!(book.replay(&mut material, root, &mutant.trail), mutant, "{ticket}");

        let values = valuations(&mut entropy, width, 2);
        let roots = [root, mutant.root];
        let done = outcomes(material.terms(), &roots, width, semantics, &values);
        let kept =
            if undefined_alone { refines(&done[0], &done[1]) } else { alike(&done[0], &done[1]) };
        let told: Vec<String> = mutant.trail.iter().map(|f| book.told(f)).collect();
        assert!(kept, "{} at {width}, {ticket}: {told:#?}", semantics.name);
        firings.extend(mutant.trail);
    }
    firings
}

#[test]
fn mutants_are_equivalent_under_every_semantics() {
    let mut firings = Vec::new();
    for (index, semantics) in SEMANTICS.iter().enumerate() {
        let semantics = at_all_widths(semantics);
        for width in [4, 8, 256] {
            let library = library(RULES, &semantics, width);
            let book = Rulebook::new(&library, &semantics, &[width]);
            firings.extend(assert_equivalent(&book, &semantics, width, index as u64, 120));
        }
    }
    assert!(firings.len() > 30_000, "{} firings", firings.len());
    let fired: HashSet<u32> = firings.iter().map(|firing| firing.rule).collect();
    let rules = rules(RULES);
    let idle = rules.iter().enumerate().filter(|(index, _)| !fired.contains(&(*index as u32)));
    let idle: Vec<&str> = idle.map(|(_, rule)| rule.name.as_str()).collect();
    assert_eq!(idle, [""; 0], "rules that never fired");
}

/// The shipped library, with the standings of its ledger, at the narrowest width of each semantics,
/// where edge cases are most frequent.
#[test]
fn mutants_by_the_shipped_library_are_equivalent() {
    let library = Library::shipped().unwrap();
    let mut fired = HashSet::new();
    for (index, semantics) in SEMANTICS.iter().enumerate() {
        let width = WIDTHS.into_iter().find(|&width| semantics.has_width(width)).unwrap();
        let book = Rulebook::new(&library.entries, semantics, &[width]);
        let firings = assert_equivalent(&book, semantics, width, index as u64, 250);
        assert!(firings.len() > 1500, "{} firings under {}", firings.len(), semantics.name);
        fired.extend(firings.iter().map(|firing| firing.rule));
    }
    assert!(fired.len() > 2000, "{} rules fired", fired.len());
}
