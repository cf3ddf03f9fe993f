//! Compares the circuit of each core operator with a reference implementation on integers.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::blast::Blaster;
use super::graph::{Gate, Graph, Wire};
use crate::kernel::{Extent, Op, TermId, Terms};
use forge::{Entropy, Ticket};

/// The result of an operator on integers 0 ≤ n < 2^width.
fn expected(op: Op, width: u16, args: &[BigInt], widths: &[u16]) -> BigInt {
    let zero = BigInt::ZERO;
    let one = BigInt::from(1);
    let modulus = |bits: u16| BigInt::from(1) << bits;
    let wrap = |n: BigInt| ((n % modulus(width)) + modulus(width)) % modulus(width);
    let signed = |slot: usize| {
        let n = args[slot].clone();
        if n.bit(u64::from(widths[slot]) - 1) { n - modulus(widths[slot]) } else { n }
    };
    let flag = |holds: bool| BigInt::from(u8::from(holds));
    let ones = |n: &BigInt| (0..u64::from(width)).filter(|&bit| n.bit(bit)).count();
    let amount = |slot: usize| u32::try_from(&args[slot]).ok().filter(|&n| n < u32::from(width));
    match op {
        Op::Neg => wrap(-&args[0]),
        Op::Not => modulus(width) - &one - &args[0],
        Op::Add => wrap(&args[0] + &args[1]),
        Op::Sub => wrap(&args[0] - &args[1]),
        Op::Mul => wrap(&args[0] * &args[1]),
        Op::And => &args[0] & &args[1],
        Op::Or => &args[0] | &args[1],
        Op::Xor => &args[0] ^ &args[1],
        Op::Shl => amount(1).map_or(zero, |n| wrap(&args[0] << n)),
        Op::Lshr => amount(1).map_or(zero, |n| &args[0] >> n),
        Op::Ashr => wrap(signed(0) >> amount(1).unwrap_or(u32::from(width))),
        Op::Udiv if args[1] == zero => modulus(width) - one,
        Op::Udiv => &args[0] / &args[1],
        Op::Urem if args[1] == zero => args[0].clone(),
        Op::Urem => &args[0] % &args[1],
        Op::Ite => args[if args[0] == zero { 2 } else { 1 }].clone(),
        Op::Zext => args[0].clone(),
        Op::Sext => wrap(signed(0)),
        Op::Extract(low) => wrap(&args[0] >> low.as_fixed().unwrap()),
        Op::Concat => (&args[0] << widths[1]) + &args[1],
        Op::Clz => BigInt::from(u64::from(width) - args[0].bits()),
        Op::Ctz => args[0].trailing_zeros().map_or(BigInt::from(width), BigInt::from),
        Op::Popcount => BigInt::from(ones(&args[0])),
        Op::Bswap => {
            let (_, mut bytes) = args[0].to_bytes_le();
            bytes.resize(usize::from(width / 8), 0);
            BigInt::from_bytes_be(num_bigint::Sign::Plus, &bytes)
        }
        Op::Exp => args[0].modpow(&args[1], &modulus(width)),
        Op::Same => flag(args[0] == args[1]),
        Op::Below => flag(args[0] < args[1]),
        Op::SignedBelow => flag(signed(0) < signed(1)),
        Op::Power => flag((0..widths[0]).any(|bit| args[0] == &one << bit)),
        Op::MulOverflows => flag(&args[0] * &args[1] >= modulus(widths[0])),
        Op::SignedMulOverflows => {
            let (product, half) = (signed(0) * signed(1), modulus(widths[0] - 1));
            flag(product < -&half || product >= half)
        }
        _ => panic!("{op:?} is not a core operator"),
    }
}

/// The core operators at a width, each with the widths of its operands and of its result.
fn operators(width: u16) -> Vec<(Op, Vec<u16>, u16)> {
    let w = width;
    let mut all = Vec::new();
    for op in [Op::Neg, Op::Not, Op::Clz, Op::Ctz, Op::Popcount] {
        all.push((op, vec![w], w));
    }
    for op in [Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor, Op::Udiv, Op::Urem] {
        all.push((op, vec![w, w], w));
    }
    for op in [Op::Same, Op::Below, Op::SignedBelow, Op::MulOverflows, Op::SignedMulOverflows] {
        all.push((op, vec![w, w], 1));
    }
    for op in [Op::Shl, Op::Lshr, Op::Ashr] {
        all.push((op, vec![w, w], w));
        all.push((op, vec![w, 3], w));
        all.push((op, vec![w, w + 2], w));
    }
    all.push((Op::Power, vec![w], 1));
    all.push((Op::Ite, vec![1, w, w], w));
    all.push((Op::Concat, vec![w, 2], w + 2));
    for wider in [w, w + 1, 2 * w] {
        all.push((Op::Zext, vec![w], wider));
        all.push((Op::Sext, vec![w], wider));
    }
    for low in 0..w.min(4) {
        all.push((Op::Extract(Extent::fixed(low)), vec![w], w - low));
        all.push((Op::Extract(Extent::fixed(low)), vec![w], 1));
    }
    if w.is_multiple_of(8) {
        all.push((Op::Bswap, vec![w], w));
    }
    if w <= 8 {
        all.push((Op::Exp, vec![w, w], w));
    }
    all
}

/// The values of all gates, in order.
fn simulate(graph: &Graph, values: &[BigInt]) -> Vec<bool> {
    let mut bits: Vec<bool> = Vec::with_capacity(graph.gates().len());
    for &gate in graph.gates() {
        let at = |wire: Wire| bits[wire.gate()] != wire.inverted();
        bits.push(match gate {
            Gate::False => false,
            Gate::Input { variable, bit } => values[usize::from(variable)].bit(u64::from(bit)),
            Gate::And(a, b) => at(a) && at(b),
            Gate::Xor(a, b) => at(a) != at(b),
        });
    }
    bits
}

/// Compares circuit and reference on all `inputs`. Operands are variables, except the slots in the
/// bit set `literals`, which are literals.
fn assert_matches(op: Op, widths: &[u16], width: u16, literals: u8, inputs: &[Vec<BigInt>]) {
    let mut known: HashMap<Vec<BigInt>, (Blaster, TermId, Terms)> = HashMap::new();
    for values in inputs {
        let fixed = |slot: usize| literals >> slot & 1 == 1;
        let key: Vec<BigInt> = (0..widths.len())
            .filter(|&slot| fixed(slot))
            .map(|slot| values[slot].clone())
            .collect();
        let (blaster, root, terms) = known.entry(key).or_insert_with(|| {
            let mut terms = Terms::new();
            let args: Vec<TermId> = (0..widths.len())
                .map(|slot| match fixed(slot) {
                    true => terms.literal(values[slot].clone(), Extent::fixed(widths[slot])),
                    false => terms.variable(slot as u16, Extent::fixed(widths[slot])),
                })
                .collect();
            let root = terms.apply_at(op, &args, Extent::fixed(width));
            (Blaster::default(), root, terms)
        });
        let word = blaster.word(terms, *root).unwrap().to_vec();
        let bits = simulate(blaster.graph(), values);
        let mut found = BigInt::ZERO;
        for (bit, wire) in word.iter().enumerate() {
            found.set_bit(bit as u64, bits[wire.gate()] != wire.inverted());
        }
        let wanted = expected(op, width, values, widths);
        assert_eq!(found, wanted, "{op:?} of {widths:?} is {width} wide, at {values:?}");
    }
}

fn all_values(widths: &[u16]) -> Vec<Vec<BigInt>> {
    let mut all = vec![vec![]];
    for &width in widths {
        let mut longer = Vec::new();
        for values in &all {
            for value in 0..1_u32 << width {
                longer.push([&values[..], &[BigInt::from(value)]].concat());
            }
        }
        all = longer;
    }
    all
}

fn random_values(widths: &[u16], count: usize, entropy: &mut Entropy) -> Vec<Vec<BigInt>> {
    let draw = |width: u16, entropy: &mut Entropy| {
        let ones = (BigInt::from(1) << width) - 1;
        let mut word = BigInt::ZERO;
        for _ in 0..width.div_ceil(64) {
            word = (word << 64) + entropy.word();
        }
        match entropy.below(6) {
            0 => BigInt::from(entropy.below(u64::from(width) + 2)) & ones,
            1 => BigInt::from(1) << entropy.below(u64::from(width)),
            2 => ones - BigInt::from(entropy.below(2)),
            3 => (word & &ones) >> entropy.below(u64::from(width)),
            _ => word & ones,
        }
    };
    (0..count).map(|_| widths.iter().map(|&width| draw(width, entropy)).collect()).collect()
}

#[test]
fn core_operators_match_integers_on_all_operands_up_to_four_bits() {
    for width in 1..=4 {
        for (op, widths, own) in operators(width) {
            for literals in 0..1 << widths.len() {
                assert_matches(op, &widths, own, literals, &all_values(&widths));
            }
        }
    }
}

#[test]
fn core_operators_match_integers_on_wide_words() {
    let mut entropy = Entropy::of(&Ticket::new("circuit", 1, 1));
    for (width, count) in [(8, 40), (64, 8), (256, 4), (257, 4)] {
        for (op, widths, own) in operators(width) {
            for literals in 0..1 << widths.len() {
                let heavy = literals != 0 && width > 64;
                let count = if heavy { 2 } else { count };
                assert_matches(
                    op,
                    &widths,
                    own,
                    literals,
                    &random_values(&widths, count, &mut entropy),
                );
            }
        }
    }
    for width in [64, 256, 257] {
        for exponent in [0_u32, 1, 2, 3, 10, 17] {
            let base = random_values(&[width], 2, &mut entropy).concat();
            for base in base {
                assert_matches(Op::Exp, &[width, width], width, 2, &[vec![base, exponent.into()]]);
            }
        }
        let amounts = [0_u32, 1, 63, 64, 255, 256, 257, 1000];
        let powers: Vec<Vec<BigInt>> =
            amounts.iter().map(|&n| vec![BigInt::from(2), n.into()]).collect();
        assert_matches(Op::Exp, &[width, width], width, 1, &powers);
    }
}

#[test]
fn gate_simplification_preserves_truth_tables() {
    let mut entropy = Entropy::of(&Ticket::new("circuit", 1, 2));
    for _ in 0..300 {
        let mut graph = Graph::default();
        let mut wires = vec![(Wire::FALSE, 0_u16), (Wire::TRUE, 0xffff)];
        for (bit, table) in [0xaaaa_u16, 0xcccc, 0xf0f0, 0xff00].into_iter().enumerate() {
            wires.push((graph.input(0, bit as u16), table));
        }
        for _ in 0..60 {
            let mut draw = || {
                let (wire, table) = *entropy.pick(&wires).unwrap();
                if entropy.chance(1, 2) { (!wire, !table) } else { (wire, table) }
            };
            let [(a, x), (b, y), (c, z)] = [draw(), draw(), draw()];
            wires.push(match entropy.below(6) {
                0 | 1 => (graph.and(a, b), x & y),
                2 | 3 => (graph.xor(a, b), x ^ y),
                4 => (graph.choose(a, b, c), (x & y) | (!x & z)),
                _ => (graph.majority(a, b, c), (x & y) | (x & z) | (y & z)),
            });
        }
        for value in 0..16_u32 {
            let bits = simulate(&graph, &[BigInt::from(value)]);
            for &(wire, table) in &wires {
                assert_eq!(bits[wire.gate()] != wire.inverted(), table >> value & 1 == 1);
            }
        }
    }
}

#[test]
fn ill_typed_widths_are_rejected() {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable(0, Extent::fixed(8)), terms.variable(1, Extent::fixed(4)));
    let narrow = terms.variable(0, Extent::fixed(4));
    let wide = terms.variable(2, Extent::WORD);
    for (op, args, width) in [
        (Op::Add, vec![a, b], 8),
        (Op::Same, vec![a, b], 1),
        (Op::Same, vec![a, a], 8),
        (Op::Ite, vec![b, a, a], 8),
        (Op::Extract(Extent::fixed(1)), vec![a], 8),
        (Op::Zext, vec![a], 4),
        (Op::Concat, vec![a, b], 8),
        (Op::Bswap, vec![b], 4),
        (Op::Add, vec![b, narrow], 4),
        (Op::Not, vec![wide], 8),
        (Op::Sdiv, vec![a, a], 8),
    ] {
        let root = terms.apply_at(op, &args, Extent::fixed(width));
        let mut blaster = Blaster::default();
        if op == Op::Add && width == 4 {
            blaster.word(&terms, a).unwrap();
        }
        assert!(blaster.word(&terms, root).is_err(), "{op:?} of {args:?}");
    }
}

#[test]
fn oversized_circuits_are_rejected() {
    let mut terms = Terms::new();
    let width = Extent::fixed(256);
    let (a, b) = (terms.variable(0, width), terms.variable(1, width));
    let root = terms.apply(Op::Exp, &[a, b]);
    assert!(Blaster::default().word(&terms, root).unwrap_err().0.contains("too large"));
}

#[test]
fn equal_gates_are_one_however_many_there_are() {
    let mut graph = Graph::default();
    let inputs: Vec<Wire> = (0..128).map(|bit| graph.input(0, bit)).collect();
    let mut pairs = vec![];
    for (at, &a) in inputs.iter().enumerate() {
        for &b in &inputs[..at] {
            pairs.push((a, b, graph.and(a, b), graph.xor(a, b)));
        }
    }
    let count = graph.gates().len();
    assert_eq!(count, 1 + 128 + 2 * pairs.len());
    for (a, b, and, xor) in pairs {
        assert_eq!((graph.and(b, a), graph.xor(b, a)), (and, xor));
    }
    assert_eq!(graph.gates().len(), count);
}

#[test]
fn a_circuit_at_its_limit_is_exhausted_and_grows_no_more() {
    let mut graph = Graph::with_most_gates(4);
    let (a, b) = (graph.input(0, 0), graph.input(0, 1));
    let both = graph.and(a, b);
    assert!(!graph.exhausted());
    assert_eq!(graph.xor(a, b), Wire::FALSE);
    assert!(graph.exhausted());
    assert_eq!((graph.and(a, b), graph.gates().len()), (both, 4));
}
