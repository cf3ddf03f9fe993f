//! Narrower words. A failure at 64 bits is easier to read at 8, if it still fails there. Rules are applied again at the new
//! width, at the same positions, and the constants that are special at one width (extremes, powers of two, shift amounts near
//! it) become those that are special at the other.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};

use super::pair::{Fired, Pair};
use super::program::{Body, fixed, width};
use identity::apply::{Firing, Rulebook};
use identity::kernel::{Extent, Op, TermId, Terms};

/// The path in `to` to the subterm at `path` in `from`: the one with the longest common prefix, if there are several, and
/// `path` itself if there is none, since the subterm has changed.
fn place(terms: &Terms, from: TermId, to: TermId, path: &[u8]) -> Vec<u8> {
    let down = |root, path: &[u8]| {
        path.iter().try_fold(root, |term, &step| terms.args(term).get(usize::from(step)).copied())
    };
    let wanted = down(from, path);
    if wanted.is_none() || down(to, path) == wanted {
        return path.to_vec();
    }
    let common = |other: &[u8]| path.iter().zip(other).take_while(|(a, b)| a == b).count();
    let mut nearest: Option<Vec<u8>> = None;
    let mut left = vec![(to, vec![])];
    while let Some((term, here)) = left.pop() {
        if Some(term) == wanted && nearest.as_ref().is_none_or(|it| common(it) < common(&here)) {
            nearest = Some(here.clone());
        }
        for (step, &arg) in terms.args(term).iter().enumerate().rev() {
            left.push((arg, [here.as_slice(), &[step as u8]].concat()));
        }
    }
    nearest.unwrap_or_else(|| path.to_vec())
}

/// All words of one width get another one.
#[derive(Clone, Copy, Debug)]
struct Narrowing {
    wide: u16,
    narrow: u16,
}

impl Pair {
    /// Changes the width of all words of a width. Extensions and truncations between equal widths are removed, and so are
    /// rules that do not match any more.
    pub(super) fn narrow(&mut self, book: &Rulebook, wide: u16, narrow: u16) -> Option<()> {
        let narrowing = Narrowing { wide, narrow };
        let from = self.terms.clone();
        let (base, trail) = (self.base.clone(), self.trail.clone());
        for slot in self.base.sites_mut() {
            *slot = narrowing.term(&mut self.terms, &from, *slot)?;
        }
        // A term that cannot be narrowed does not match any more, and its rule is not applied.
        for (_, term) in self.trail.iter_mut().flat_map(|fired| &mut fired.firing.invented) {
            *term = narrowing.term(&mut self.terms, &from, *term).unwrap_or(*term);
        }
        self.lead(book, narrowing, &base, &trail);
        for (index, parameter) in self.parameters.iter_mut().enumerate() {
            if *parameter == wide {
                *parameter = narrow;
                for row in &mut self.inputs {
                    row[index] = narrowing.value(&row[index]);
                }
            }
        }
        for ((its, value), place) in std::mem::take(&mut self.places.0) {
            let value = if its == wide { narrowing.value(&value) } else { value };
            self.places.0.insert((narrowing.width(its), value), place);
        }
        self.supports().then_some(())
    }

    /// Adjusts the paths of the rules of the trail: some lead through an extension that is removed, or through the result of a
    /// rule that does not match any more. `base` and `trail` are those before the change.
    fn lead(&mut self, book: &Rulebook, narrowing: Narrowing, base: &Body, trail: &[Fired]) {
        let mut material = book.material(std::mem::take(&mut self.terms));
        // The old mutant, the same without the rules that are lost, and the latter with narrower words.
        let (mut whole, mut fewer, mut narrow) = (base.clone(), base.clone(), self.base.clone());
        let rules = std::mem::take(&mut self.trail);
        for (was, mut fired) in trail.iter().zip(rules) {
            let root = |body: &Body| body.sites().get(was.site).copied();
            let (Some(from), Some(to)) = (root(&whole), root(&fewer)) else { continue };
            let mut moved = was.firing.clone();
            moved.path = place(material.terms(), from, to, &was.firing.path);
            fired.firing.path = narrowing.path(material.terms(), to, &moved.path);
            let mut fire = |body: &mut Body, firing: &Firing| {
                let slot = body.sites_mut().into_iter().nth(was.site)?;
                let mutant = book.replay(&mut material, *slot, std::slice::from_ref(firing));
                *slot = mutant.root;
                mutant.trail.into_iter().next()
            };
            fire(&mut whole, &was.firing);
            if let Some(firing) = fire(&mut narrow, &fired.firing) {
                fire(&mut fewer, &moved);
                self.trail.push(Fired { firing, ..fired });
            }
        }
        self.terms = material.into_terms();
    }
}

impl Narrowing {
    fn width(self, width: u16) -> u16 {
        if width == self.wide { self.narrow } else { width }
    }

    fn extent(self, extent: Extent) -> Extent {
        extent.as_fixed().map_or(extent, |bits| fixed(self.width(bits)))
    }

    fn term(self, terms: &mut Terms, from: &Terms, root: TermId) -> Option<TermId> {
        let mut here: BTreeMap<TermId, TermId> = BTreeMap::new();
        for term in from.in_order(&[root]) {
            let node = from.node(term);
            let to = self.extent(node.width);
            let copy = match node.op {
                Op::Literal(index) if node.width == fixed(self.wide) => {
                    terms.literal(self.value(from.integer(index)), to)
                }
                Op::Literal(index) => terms.literal(from.integer(index).clone(), to),
                op if op.arity() == 0 => terms.apply_at(op, &[], to),
                Op::Zext | Op::Sext | Op::Extract(_) => {
                    let inner = here[&node.args[0]];
                    let (has, wants) = (width(terms, inner), to.as_fixed()?);
                    match node.op {
                        _ if has == wants => inner,
                        Op::Zext | Op::Sext if has < wants => terms.apply_at(node.op, &[inner], to),
                        _ if has > wants => {
                            terms.apply_at(Op::Extract(Extent::fixed(0)), &[inner], to)
                        }
                        _ => terms.apply_at(Op::Zext, &[inner], to),
                    }
                }
                Op::Concat => return None,
                op => {
                    let args: Vec<TermId> = node.args().iter().map(|arg| here[arg]).collect();
                    terms.apply_at(op, &args, to)
                }
            };
            here.insert(term, copy);
        }
        here.get(&root).copied()
    }

    /// A path from a root, without the steps through conversions that are removed.
    fn path(self, terms: &Terms, root: TermId, path: &[u8]) -> Vec<u8> {
        let mut term = root;
        let mut kept = Vec::with_capacity(path.len());
        for &step in path {
            let node = terms.node(term);
            let Some(&next) = node.args().get(usize::from(step)) else { break };
            let resizes = matches!(node.op, Op::Zext | Op::Sext | Op::Extract(_));
            if !resizes || self.extent(node.width) != self.extent(terms.width(next)) {
                kept.push(step);
            }
            term = next;
        }
        kept
    }

    /// The narrow constant that corresponds to a wide one.
    fn value(self, word: &BigInt) -> BigInt {
        let Self { wide, narrow } = self;
        let power = |exponent: u16| BigInt::from(1) << exponent;
        let modulus = power(narrow);
        let wrapped = |value: BigInt| {
            let rest: BigInt = value % &modulus;
            if rest.sign() == Sign::Minus { rest + &modulus } else { rest }
        };
        // A number of bits near the width or half of it.
        for (old, new) in [(wide, narrow), (wide / 2, narrow / 2)] {
            let beyond: BigInt = word - old;
            if beyond.bits() <= 1 {
                return wrapped(beyond + new);
            }
        }
        // A signed number that fits.
        let is_negative = word.bit(u64::from(wide) - 1);
        let signed = if is_negative { word - power(wide) } else { word.clone() };
        if signed >= -power(narrow - 1) && signed < power(narrow - 1) {
            return wrapped(signed);
        }
        // The signed extremes and their neighbours.
        let from_least: BigInt = word - power(wide - 1);
        if from_least.bits() < u64::from(narrow / 2) {
            return wrapped(from_least + power(narrow - 1));
        }
        // Powers of two and their neighbours: at the same distance from the top, or else in proportion.
        let size = BigInt::from(signed.magnitude().clone());
        for off in [0, 1, -1] {
            let near: BigInt = &size + off;
            if near.magnitude().count_ones() == 1 {
                let exponent = near.bits() as u16 - 1;
                let down = wide - exponent;
                let exponent = if down < narrow / 2 {
                    narrow - down
                } else {
                    let [at, of, to] = [exponent, wide, narrow].map(u32::from);
                    ((at * to + of / 2) / of).max(1) as u16
                };
                let there: BigInt = power(exponent) - off;
                return wrapped(if is_negative { -there } else { there });
            }
        }
        // Others: the low bits, or the lowest that are not zero.
        let low = wrapped(word.clone());
        if low == BigInt::ZERO { wrapped(word >> word.trailing_zeros().unwrap_or(0)) } else { low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_term_is_found_at_its_nearest_place() {
        let mut terms = Terms::new();
        let [a, b] = [0, 1].map(|variable| terms.variable(variable, fixed(8)));
        let sum = terms.apply(Op::Add, &[a, b]);
        let not = terms.apply(Op::Not, &[sum]);
        let twice = terms.apply(Op::Not, &[not]);
        // ~~(a + b) · ~(a + b) was made of (a + b) · ~(a + b) by a rule that is lost.
        let from = terms.apply(Op::Mul, &[twice, not]);
        let to = terms.apply(Op::Mul, &[sum, not]);
        assert_eq!(place(&terms, from, to, &[0, 0, 0]), [0]);
        assert_eq!(place(&terms, from, to, &[0, 0, 0, 1]), [0, 1]);
        assert_eq!(place(&terms, from, to, &[1, 0]), [1, 0]);
        // A subterm that does not occur any more keeps its path.
        assert_eq!(place(&terms, from, to, &[0]), [0]);
    }

    #[test]
    fn edge_constants_are_narrowed_to_edge_constants() {
        for (wide, narrow) in [(256, 8), (64, 8), (64, 32), (32, 16), (16, 8), (257, 64)] {
            let narrowing = Narrowing { wide, narrow };
            let one = || BigInt::from(1);
            let both = |of: &dyn Fn(u16) -> BigInt| (of(wide), of(narrow));
            for (old, new) in [
                both(&|_| BigInt::ZERO),
                both(&|_| one()),
                both(&|width| (one() << width) - 1),
                both(&|width| (one() << width) - 2),
                both(&|width| one() << (width - 1)),
                both(&|width| (one() << (width - 1)) - 1),
                both(&|width| (one() << (width - 1)) + 1),
                both(&|width| one() << (width - 2)),
                both(&|width| (one() << (width / 2)) + 1),
                both(&|width| BigInt::from(width)),
                both(&|width| BigInt::from(width - 1)),
                both(&|width| BigInt::from(width + 1)),
                both(&|width| BigInt::from(width / 2)),
            ] {
                assert_eq!(narrowing.value(&old), new, "{old} from {wide} to {narrow}");
            }
        }
    }

    #[test]
    fn narrowed_words_fit_and_only_zero_becomes_zero() {
        let narrowing = Narrowing { wide: 16, narrow: 8 };
        for word in 0..1_u32 << 16 {
            let to = narrowing.value(&BigInt::from(word));
            assert!(to >= BigInt::ZERO && to < BigInt::from(256), "{word} becomes {to}");
            assert_eq!(to == BigInt::ZERO, word == 0, "{word} becomes {to}");
        }
    }
}
