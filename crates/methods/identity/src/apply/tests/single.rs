//! Single rules: what they match, what they require, and when they must not fire.

use super::laws::{at_all_widths, library, rules};
use super::programs::{number, outcomes, valuations};
use crate::apply::{Direction, Material, Mutant, Rulebook};
use crate::kernel::{Extent, Op, SEMANTICS, Semantics, TermId, Terms, WORDS};
use crate::{Variable, print};
use forge::{Entropy, Ticket};

const WIDTH: u16 = 8;

fn named(name: &str) -> Semantics {
    at_all_widths(Semantics::named(name).unwrap())
}

fn book(rules: &str, semantics: &Semantics) -> Rulebook {
    Rulebook::new(&library(rules, semantics, WIDTH), semantics, &[WIDTH])
}

/// All mutants by one firing over some tickets, as texts.
fn mutants(rules: &str, semantics: &Semantics, program: &str) -> Vec<String> {
    let book = book(rules, semantics);
    let (mut material, root) = material(&book, program);
    let mut texts: Vec<String> = (0..200)
        .filter_map(|index| {
            let mut entropy = Entropy::of(&Ticket::new("single", 0, index));
            let mutant = book.stack(&mut material, root, 1, 100, &mut entropy);
            (!mutant.trail.is_empty()).then(|| text(&material, mutant.root))
        })
        .collect();
    texts.sort();
    texts.dedup();
    texts
}

/// A program in the syntax of a rule's side, with variables named in order.
fn material(book: &Rulebook, program: &str) -> (Material, TermId) {
    let rule = &rules(&format!("rule program\n    a + b + c + d = {program}"))[0];
    let mut terms = Terms::new();
    let root = terms.at_width(rule.terms(), rule.right(), WIDTH).unwrap();
    (book.material(terms), root)
}

fn text(material: &Material, root: TermId) -> String {
    let variable =
        |name: &str| Variable { name: name.into(), width: Extent::fixed(WIDTH), constant: false };
    print::term(material.terms(), &["a", "b", "c", "d", "e"].map(variable), root)
}

#[test]
fn operands_of_commutative_operators_match_in_either_order() {
    let rule = "rule absorb\n    x & (x | y) = x";
    for program in ["a & (a | b)", "a & (b | a)", "(a | b) & a", "(b | a) & a"] {
        assert!(mutants(rule, &WORDS, program).contains(&"a".into()), "{program}");
    }
    // Non-commutative operators do not match swapped, and repeated variables need equal terms.
    let rule = "rule cancel\n    (x - y) + y = x";
    assert!(mutants(rule, &WORDS, "b + (a - b)").contains(&"a".into()));
    assert!(!mutants(rule, &WORDS, "(b - a) + b").contains(&"a".into()));
    // An order that matches the first operand need not match the second; backtracking finds the
    // other.
    let rule = "rule both\n    (x + y) * (x + z) = x * (x + z) + y * (x + z)";
    let found = mutants(rule, &WORDS, "(a + b) * (c + b)");
    assert!(found.contains(&"b * (b + c) + a * (b + c)".into()), "{found:?}");
}

#[test]
fn constants_match_only_literals_that_satisfy_the_conditions() {
    let rule = "rule divide\n    x /u C = x >>u log2(C)\n    where pow2(C)";
    assert_eq!(mutants(rule, &WORDS, "a /u 8"), ["a >>u 3"]);
    assert_eq!(mutants(rule, &WORDS, "a /u 7"), [""; 0]);
    assert_eq!(mutants(rule, &WORDS, "a /u b"), [""; 0]);
    // From right to left, the constant is derived from its logarithm.
    assert_eq!(mutants(rule, &WORDS, "a >>u 3"), ["a /u 8"]);
    assert_eq!(mutants(rule, &WORDS, "a >>u 9"), [""; 0]);
    // A condition without constants excludes widths when the rulebook is built.
    let rule = "rule narrow\n    x + x = x << 1\n    where w >u 16";
    assert!(book(rule, &WORDS).is_empty());
}

#[test]
fn constants_are_derived_or_drawn() {
    let rule = "rule more\n    x <u (C + 1) = x <=u C\n    where C != -1";
    assert_eq!(mutants(rule, &WORDS, "a <u 8"), ["a <=u 7"]);
    assert_eq!(mutants(rule, &WORDS, "a <u 0"), [""; 0]);
    let rule = "rule join\n    (x ^ C) ^ D = x ^ (C ^ D)";
    assert!(mutants(rule, &WORDS, "(a ^ 5) ^ 6").contains(&"a ^ 3".into()));
    let splits = mutants(rule, &WORDS, "a ^ 3");
    assert!(splits.len() > 10 && splits.contains(&"a ^ 2 ^ 1".into()), "{splits:?}");
    let rule = "rule turn\n    (x << C) | (x >>u (w - C)) = rotl(x, C)\n    where C <u w, C != 0";
    assert_eq!(mutants(rule, &WORDS, "(b << 3) | (b >>u 5)"), ["rotl(b, 3)"]);
    assert_eq!(mutants(rule, &WORDS, "(b << 3) | (b >>u 4)"), [""; 0]);
    // A square has no simple inverse.
    let rule = "rule square\n    x + C * C = C * C + x";
    assert!(book(rule, &WORDS).is_empty());
}

#[test]
fn target_only_variables_bind_to_terms_that_cannot_stop() {
    let rule = "rule blend\n    x = (x & y) | (x & ~y)";
    let found = mutants(rule, &WORDS, "a ^ b * c");
    assert!(found.iter().any(|text| text.contains("& b * c")), "{found:?}");
    assert!(found.iter().any(|text| text.contains("& 255")), "{found:?}");
    let found = mutants(rule, &named("solidity-unsigned"), "a ^ b * c");
    assert!(found.len() > 5 && !found.iter().any(|text| text.contains("& b * c")), "{found:?}");
}

#[test]
fn rules_with_unsupported_widths_are_left_out() {
    let rule = "rule wide\n    x + y = trunc(zext(x, 2*w) + zext(y, 2*w), w)";
    let any = named("words");
    assert_eq!(mutants(rule, &any, "a + b").len(), 2);
    let narrow = Semantics { widths: &[WIDTH], ..any };
    assert!(book(rule, &narrow).is_empty());
}

#[test]
fn operands_that_may_stop_are_not_dropped() {
    // The literal 0 may itself be rewritten; only its presence is tested here.
    let folds_to_zero = |rule: &str, semantics: &str, program: &str| {
        mutants(rule, &named(semantics), program).contains(&"0".into())
    };
    let rule = "rule nothing\n    x & 0 = 0";
    assert!(folds_to_zero(rule, "words", "(1 /u a) & 0"));
    assert!(!folds_to_zero(rule, "solidity-unchecked", "(1 /u a) & 0"));
    assert!(folds_to_zero(rule, "solidity-unchecked", "(a /u 3) & 0"));
    let rule = "rule product\n    x * 0 = 0";
    assert!(folds_to_zero(rule, "rust-signed", "a * 0"));
    assert!(!folds_to_zero(rule, "rust-signed", "(1 /s a) * 0"));
    // Where the division by zero is undefined behaviour, the operand may be dropped.
    assert!(folds_to_zero(rule, "c-signed", "(1 /s a) * 0"));
}

#[test]
fn operands_that_may_stop_keep_their_order_if_it_is_observable() {
    let rule = "rule exchange\n    x + y = y + x";
    let program = "(a /u b) + (c * d)";
    assert_eq!(mutants(rule, &named("solidity-unsigned"), program), ["(a /u b) + d * c"][..0]);
    assert_eq!(mutants(rule, &named("vyper-unsigned"), program), ["c * d + a /u b"]);
    assert_eq!(
        mutants(rule, &named("solidity-unsigned"), "(a /u b) + (c ^ d)"),
        ["(c ^ d) + a /u b"]
    );
    // Matching must not swap them either.
    let rule = "rule fold\n    (x /u y) + z * z = z * z + (x /u y)";
    assert_eq!(mutants(rule, &named("vyper-unsigned"), "c * c + a /u b"), ["a /u b + c * c"]);
    assert!(book(rule, &named("solidity-unsigned")).is_empty());
    // The sum of the first two operands would overflow before the division is reached.
    let rule = "rule associate\n    x + (y + z) = (x + y) + z";
    let checked = named("solidity-unsigned");
    let found = mutants(rule, &checked, "c + (d + (a /u b))");
    assert!(found.contains(&"c + a /u b + d".into()), "{found:?}");
    assert!(!found.iter().any(|text| text.ends_with("+ a /u b")), "{found:?}");
    assert!(mutants(rule, &checked, "(a /u b) + (c + d)").contains(&"a /u b + c + d".into()));
    // The first operand of both sides may stop in any way.
    let rule = "rule halve\n    x /u C = x >>u log2(C)\n    where pow2(C)";
    assert_eq!(mutants(rule, &named("solidity-unsigned"), "(a + b) /u 4"), ["a + b >>u 2"]);
}

#[test]
fn operands_that_may_stop_are_not_moved_across_branches() {
    let rule = "rule mask\n    c ? x : 0 = x & ~((c != 0) - 1)";
    let wrapping = named("solidity-unchecked");
    assert_eq!(mutants(rule, &wrapping, "a ? b : 0"), ["b & ~((a != 0) - 1)"]);
    assert_eq!(mutants(rule, &wrapping, "a ? (1 /u b) : 0"), [""; 0]);
    assert_eq!(mutants(rule, &wrapping, "(1 /u b) & ~((a != 0) - 1)"), [""; 0]);
    // With undefined behaviour, an operand may move from a strict position into a branch, but not
    // out of one.
    let undefined = named("llvm");
    assert_eq!(mutants(rule, &undefined, "a ? (1 /u b) : 0"), [""; 0]);
    assert_eq!(mutants(rule, &undefined, "(1 /u b) & ~((a != 0) - 1)"), ["a ? 1 /u b : 0"]);
}

#[test]
fn one_directional_rules_need_unobservable_stops() {
    let rule = "rule whole\n    (x /u y) * y + x %u y = x";
    let book = book(rule, &named("llvm"));
    let (mut material, root) = material(&book, "(a /u b) * b + a %u b");
    let mut entropy = Entropy::of(&Ticket::new("direction", 0, 0));
    let Mutant { trail, .. } = book.stack(&mut material, root, 1, 100, &mut entropy);
    assert_eq!(trail[0].direction, Direction::LeftToRight);
    assert_eq!(book.told(&trail[0]), "whole → at the root");
    assert_eq!(book.len(), 1);
    assert!(self::book(rule, &named("wasm")).is_empty());
    assert_eq!(self::book(rule, &WORDS).len(), 2);
}

const STACKED: &str = "
rule sum
    x + y = (x ^ y) + 2 * (x & y)
rule exclusive
    x ^ y = (x | y) - (x & y)
rule either
    x | y = x + y - (x & y)
rule twice
    2 * x = x + x
rule neutral
    x = x * 1
rule exchange
    x & y = y & x
";

#[test]
fn stacking_is_bounded_deterministic_and_replayable() {
    let book = book(STACKED, &WORDS);
    let (mut near, mut firings) = (0, 0);
    for index in 0..100 {
        let ticket = Ticket::new("stack", 0, index);
        let stacked = |limit| {
            let (mut material, root) = material(&book, "(a + b) ^ (c + d)");
            let mutant = book.stack(&mut material, root, 12, limit, &mut Entropy::of(&ticket));
            (material, root, mutant)
        };
        let (mut material, root, mutant) = stacked(200);
        assert_eq!(mutant, stacked(200).2);
        assert!(material.size(mutant.root) <= 200, "{}", material.size(mutant.root));
        assert_ne!(mutant.root, root);
        firings += mutant.trail.len();
        assert_eq!(book.replay(&mut material, root, &mutant.trail), mutant);
        near += mutant
            .trail
            .windows(2)
            .filter(|pair| {
                let [one, next] = [&pair[0].path, &pair[1].path];
                next.starts_with(one) || one.starts_with(next) && one.len() - next.len() <= 2
            })
            .count();
        // A subset of the trail replays as far as it matches, and the result replays as well.
        let part: Vec<_> = mutant.trail.iter().skip(1).step_by(2).cloned().collect();
        let fewer = book.replay(&mut material, root, &part);
        assert!(fewer.trail.len() <= part.len());
        assert_eq!(book.replay(&mut material, root, &fewer.trail), fewer);
        // A program above the limit does not grow.
        let (material, root, mutant) = stacked(1);
        assert!(material.size(mutant.root) <= material.size(root));
    }
    assert!(firings > 1000, "{firings} of 1200 firings");
    assert!(near > firings / 2, "{near} of {firings} firings are near the last");
}

#[test]
fn terms_with_an_empty_stop_set_never_stop() {
    let mut entropy = Entropy::of(&Ticket::new("stops", 0, 0));
    for semantics in SEMANTICS {
        let semantics = at_all_widths(semantics);
        let book = Rulebook::new(&[], &semantics, &[]);
        for _ in 0..300 {
            let mut material = book.material(Terms::new());
            let x = material.variable(0, WIDTH);
            let op = [Op::Shl, Op::Lshr, Op::Sdiv, Op::Srem, Op::Udiv, Op::Fmod, Op::Mul, Op::Neg]
                [entropy.below(8) as usize];
            let literal = material.literal(number(&mut entropy, WIDTH), WIDTH);
            let args = if entropy.chance(1, 2) { [x, literal] } else { [literal, x] };
            let root = material.apply_at(op, &args[..op.arity()], Extent::fixed(WIDTH));
            if material.stops(root).is_empty() {
                let values = valuations(&mut entropy, WIDTH, 1);
                let rows = outcomes(material.terms(), &[root], WIDTH, &semantics, &values);
                assert_eq!(rows[0].stops, [], "{} {}", semantics.name, text(&material, root));
            }
        }
    }
}
