//! Constant expressions (terms without variables), and how they are written: in place, as the initial value of a constant of
//! the module, or with untyped literals, for which some languages have their own semantics. Different parts of a compiler
//! fold them.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::dialect::{Constants, Style};
use super::places::{Place, Places};
use super::printer::operators::Operator;
use super::program::{Body, width};
use super::run::closed;
use super::signature::Kind;
use forge::Entropy;
use identity::evaluate::Outcome;
use identity::kernel::{Op, Semantics, TermId, Terms};

/// How the constant expressions of a program are written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Folding {
    /// As other expressions.
    #[default]
    Plain,
    /// As constants of the module.
    Named,
    /// With untyped literals.
    Literal,
}

impl Folding {
    pub(super) fn draw(entropy: &mut Entropy) -> Self {
        match entropy.below(4) {
            0 | 1 => Self::Plain,
            2 => Self::Named,
            _ => Self::Literal,
        }
    }
}

/// A constant expression that is not written as other expressions are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Folded {
    pub term: TermId,
    /// A constant of the module; otherwise it is written in place.
    pub named: bool,
    /// Of untyped literals.
    pub literal: bool,
}

/// The largest constant expressions of a body that are written in another way.
pub(super) fn folded(
    terms: &Terms,
    body: &Body,
    places: &Places,
    style: &Style,
    constants: &Constants,
    folding: Folding,
) -> Vec<Folded> {
    let Some(own) = Semantics::named(style.semantics).filter(|_| folding != Folding::Plain) else {
        return vec![];
    };
    let sites = body.sites();
    let order = terms.in_order(&sites);
    let values = closed(terms, &order, own);
    let value = |term: &TermId| match values.get(term) {
        Some(Outcome::Value(value)) => Some(value),
        _ => None,
    };
    let literal = |term: TermId| {
        let kind = Kind { signed: style.signed, width: width(terms, term) };
        let exact = exact(terms, term, kind);
        exact.is_some()
            && exact == value(&term).map(|value| kind.number(value))
            && constants.bounded.is_none_or(|supports| is_bounded(terms, term, kind, supports))
    };
    let mut all: Vec<Folded> = vec![];
    if constants.literals.is_some() {
        let fits = |term: TermId| values.contains_key(&term) && literal(term);
        let known: BTreeSet<TermId> = order.iter().copied().filter(|&it| fits(it)).collect();
        let is_hidden = |term: TermId| {
            let number = terms.literal_value(term);
            number.is_some_and(|it| places.get(width(terms, term), it) == Some(Place::Argument))
        };
        let shown = |term: TermId| !terms.in_order(&[term]).into_iter().any(is_hidden);
        let chosen = greatest(terms, &sites, &order, &|term| known.contains(&term) && shown(term));
        // A negative one can be written in place as well, but the conversion to its type would reject it.
        let is_plain = |term: TermId| exact_sign(terms, term, style.signed);
        all.extend(chosen.into_iter().filter_map(|term| {
            let named = folding == Folding::Named || constants.bounded.is_some();
            (named || is_plain(term)).then_some(Folded { term, named, literal: true })
        }));
    }
    if let Some(typed) = constants.typed.filter(|_| all.is_empty() || folding == Folding::Named) {
        let others = Semantics::named(typed.semantics).map(|it| closed(terms, &order, it));
        let same = |term: TermId| {
            let other = others.as_ref().and_then(|others| others.get(&term));
            matches!(other, Some(Outcome::Value(other)) if value(&term) == Some(other))
        };
        let mut fitting: BTreeSet<TermId> = BTreeSet::new();
        for &term in &order {
            let node = terms.node(term);
            let fits = match terms.literal_value(term) {
                Some(number) => match places.get(width(terms, term), number) {
                    None => true,
                    Some(Place::Module) => typed.names,
                    Some(Place::Argument) => false,
                },
                None => {
                    let from: Vec<u16> = node.args().iter().map(|&it| width(terms, it)).collect();
                    node.op.arity() > 0
                        && node.args().iter().all(|arg| fitting.contains(arg))
                        && (typed.supports)(node.op, &from, width(terms, term))
                        && same(term)
                }
            };
            if fits {
                fitting.insert(term);
            }
        }
        let chosen = greatest(terms, &sites, &order, &|term| fitting.contains(&term));
        let is_free = |term: &TermId| {
            let parts = terms.in_order(&[*term]);
            typed.names || !parts.iter().any(|it| it != term && chosen.contains(it))
        };
        let fresh = chosen.iter().copied().filter(is_free);
        for (index, term) in fresh.enumerate() {
            // Where both forms are possible, they alternate.
            match all.iter_mut().find(|it| it.term == term) {
                Some(known) => known.literal = index.is_multiple_of(2),
                None => all.push(Folded { term, named: true, literal: false }),
            }
        }
    }
    // Operands first, so that a constant is declared before those that refer to it.
    all.sort_by_key(|it| order.iter().position(|term| *term == it.term));
    all
}

/// Of the terms that fit, those that are no part of another one that fits. Single literals are left out.
fn greatest(
    terms: &Terms,
    sites: &[TermId],
    order: &[TermId],
    fits: &dyn Fn(TermId) -> bool,
) -> Vec<TermId> {
    let mut roots: BTreeSet<TermId> = sites.iter().copied().collect();
    for &term in order.iter().filter(|&&term| !fits(term)) {
        roots.extend(terms.args(term));
    }
    let is_one = |term: &&TermId| {
        roots.contains(term) && terms.literal_value(**term).is_none() && fits(**term)
    };
    order.iter().filter(is_one).copied().collect()
}

/// Whether the exact value of the term is not negative.
fn exact_sign(terms: &Terms, term: TermId, signed: bool) -> bool {
    let kind = Kind { signed, width: width(terms, term) };
    exact(terms, term, kind).is_some_and(|it| it >= BigInt::ZERO)
}

/// The value of a constant expression in unbounded integers, where all languages that have these agree on it.
fn exact(terms: &Terms, term: TermId, kind: Kind) -> Option<BigInt> {
    if let Some(value) = terms.literal_value(term) {
        return Some(kind.number(value));
    }
    let args = terms.args(term);
    if args.is_empty() || args.iter().any(|&arg| width(terms, arg) != kind.width) {
        return None;
    }
    let of: Vec<BigInt> = args.iter().map(|&arg| exact(terms, arg, kind)).collect::<Option<_>>()?;
    let is_whole = |it: &BigInt| *it >= BigInt::ZERO;
    let most = BigInt::from(1) << 250;
    let result = match terms.op(term) {
        Op::Add => &of[0] + &of[1],
        Op::Sub => &of[0] - &of[1],
        Op::Mul => &of[0] * &of[1],
        Op::And => &of[0] & &of[1],
        Op::Or => &of[0] | &of[1],
        Op::Xor => &of[0] ^ &of[1],
        Op::Neg if kind.signed => -&of[0],
        Op::Udiv | Op::Sdiv
            if of.iter().all(is_whole)
                && of[1] != BigInt::ZERO
                && &of[0] % &of[1] == BigInt::ZERO =>
        {
            &of[0] / &of[1]
        }
        Op::Urem | Op::Srem if of.iter().all(is_whole) && of[1] != BigInt::ZERO => &of[0] % &of[1],
        Op::Shl | Op::Lshr | Op::Ashr if of.iter().all(is_whole) => {
            let amount = u32::try_from(&of[1]).ok().filter(|&amount| amount <= 255)?;
            if terms.op(term) == Op::Shl { &of[0] << amount } else { &of[0] >> amount }
        }
        _ => return None,
    };
    (-&most < result && result < most).then_some(result)
}

/// Whether the values of a constant expression and of all its parts fit a kind.
fn is_bounded(terms: &Terms, term: TermId, kind: Kind, supports: fn(Op, Kind) -> bool) -> bool {
    let fits = |part: TermId| {
        let said = terms.literal_value(part).is_some() || supports(terms.op(part), kind);
        let least = if kind.signed { -(BigInt::from(1) << (kind.width - 1)) } else { BigInt::ZERO };
        let beyond: BigInt = &least + (BigInt::from(1) << kind.width);
        said && exact(terms, part, kind).is_some_and(|it| least <= it && it < beyond)
    };
    terms.in_order(&[term]).into_iter().all(fits)
}

/// A constant expression of untyped literals.
pub(super) fn literally(terms: &Terms, term: TermId, signed: bool) -> String {
    let kind = Kind { signed, width: width(terms, term) };
    if let Some(value) = terms.literal_value(term) {
        let number = kind.number(value);
        let is_negative = number < BigInt::ZERO;
        return if is_negative { format!("({number})") } else { number.to_string() };
    }
    let of: Vec<String> =
        terms.args(term).iter().map(|&arg| literally(terms, arg, signed)).collect();
    match Operator::of(terms.op(term)) {
        Some(operator) => format!("({})", of.join(&format!(" {} ", operator.sign))),
        None => format!("(-{})", of.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use identity::kernel::Extent;

    #[test]
    fn unbounded_constants_differ_from_words() {
        let mut terms = Terms::new();
        let width = Extent::fixed(8);
        let [a, b, c] = [200, 100, 7].map(|value| terms.literal(value, width));
        let sum = terms.apply(Op::Add, &[a, b]);
        let difference = terms.apply(Op::Sub, &[sum, b]);
        let quotient = terms.apply(Op::Udiv, &[a, c]);
        let kind = Kind { signed: false, width: 8 };
        assert_eq!(exact(&terms, sum, kind), Some(BigInt::from(300)));
        assert_eq!(exact(&terms, difference, kind), Some(BigInt::from(200)));
        assert_eq!(exact(&terms, quotient, kind), None, "not an integer");
        assert_eq!(literally(&terms, difference, false), "((200 + 100) - 100)");
    }

    /// Vyper rejects `((0 - 1) + 1)` as a `uint64`, and `(0 << 0)` of any type but `uint256`.
    #[test]
    fn every_part_of_a_bounded_constant_fits_its_type() {
        let mut terms = Terms::new();
        let width = Extent::fixed(64);
        let [zero, one] = [0, 1].map(|value| terms.literal(value, width));
        let below = terms.apply(Op::Sub, &[zero, one]);
        let back = terms.apply(Op::Add, &[below, one]);
        let two = terms.apply(Op::Add, &[one, one]);
        let shifted = terms.apply(Op::Shl, &[one, zero]);
        let kind = Kind { signed: false, width: 64 };
        let supports = |op: Op, _: Kind| op != Op::Shl;
        for (term, expected) in [(back, false), (two, true), (shifted, false)] {
            assert!(exact(&terms, term, kind).is_some());
            assert_eq!(is_bounded(&terms, term, kind, supports), expected);
        }
        let signed = Kind { signed: true, width: 64 };
        assert!(is_bounded(&terms, back, signed, supports));
    }
}
