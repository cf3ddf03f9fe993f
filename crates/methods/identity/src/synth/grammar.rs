//! The enumerated languages: a table of grammars, each a set of operators, leaves and limits. Small
//! grammars are searched deeper than a large one could be, and each yields a different kind of
//! rule.

use num_bigint::BigInt;

use crate::kernel::Op;
use crate::parse::named_number;

/// The width at which terms are compared. Proofs also cover other widths.
pub(super) const NARROW: u16 = 64;
/// The width of grammars with constants of smart-contract fields.
pub(super) const WIDE: u16 = 256;

#[derive(Clone, Debug)]
pub(super) struct Grammar {
    pub(super) name: &'static str,
    pub(super) variables: u16,
    pub(super) literals: Vec<BigInt>,
    pub(super) unary: &'static [Op],
    pub(super) binary: &'static [Op],
    pub(super) ternary: &'static [Op],
    /// The only amounts of shifts and rotations.
    pub(super) amounts: &'static [u16],
    /// Shifts by `amounts`, or powers with these exponents.
    pub(super) shifts: &'static [Op],
    /// The only divisors of divisions.
    pub(super) divisors: &'static [u16],
    pub(super) divisions: &'static [Op],
    /// Limit on the number of nodes.
    pub(super) size: usize,
    pub(super) width: u16,
}

const RING: &[Op] = &[Op::Add, Op::Sub, Op::Mul];
const LINEAR: &[Op] = &[Op::Add, Op::Sub];
const BITS: &[Op] = &[Op::And, Op::Or, Op::Xor];
const MIXED: &[Op] = &[Op::Add, Op::Sub, Op::And, Op::Or, Op::Xor];
const ALL: &[Op] = &[Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor];
const SIGNS: &[Op] = &[Op::Neg, Op::Not];
const ORDER: &[Op] = &[Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Slt, Op::Sle];
const EXTREMES: &[Op] = &[Op::Umin, Op::Umax, Op::Smin, Op::Smax];

fn small(numbers: &[i64]) -> Vec<BigInt> {
    numbers.iter().map(|&n| BigInt::from(n)).collect()
}

/// All grammars. Their constants are type boundaries, masks, shift amounts, and primes of elliptic
/// curves with their sparse coefficients.
pub(super) fn grammars() -> Vec<Grammar> {
    let plain = Grammar {
        name: "",
        variables: 2,
        literals: Vec::new(),
        unary: &[],
        binary: &[],
        ternary: &[],
        amounts: &[],
        shifts: &[],
        divisors: &[],
        divisions: &[],
        size: 7,
        width: NARROW,
    };
    let power = |bits: u32| BigInt::from(1) << bits;
    vec![
        Grammar {
            name: "boolean",
            variables: 3,
            unary: &[Op::Not],
            binary: BITS,
            size: 7,
            ..plain.clone()
        },
        Grammar {
            name: "ring",
            variables: 2,
            literals: small(&[1, 2, -1]),
            unary: &[Op::Neg],
            binary: RING,
            ..plain.clone()
        },
        Grammar {
            name: "mixed",
            variables: 2,
            literals: small(&[1]),
            unary: SIGNS,
            binary: MIXED,
            size: 8,
            ..plain.clone()
        },
        Grammar {
            name: "mixed-three",
            variables: 3,
            unary: SIGNS,
            binary: MIXED,
            size: 7,
            ..plain.clone()
        },
        Grammar {
            name: "products",
            variables: 2,
            literals: small(&[1, 2]),
            unary: SIGNS,
            binary: ALL,
            size: 7,
            ..plain.clone()
        },
        Grammar {
            name: "constants",
            variables: 2,
            literals: small(&[1, 2, 3, -2, 7, 0x55, 0x7f, 0xff]),
            unary: SIGNS,
            binary: MIXED,
            size: 5,
            ..plain.clone()
        },
        Grammar {
            name: "shifts",
            variables: 2,
            literals: small(&[1, -1, 15, 0xff]),
            unary: SIGNS,
            binary: MIXED,
            amounts: &[1, 2, 4, 7],
            shifts: &[Op::Shl, Op::Lshr, Op::Ashr],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "shift-chains",
            variables: 1,
            literals: small(&[1, 3, 15, 0x7f, 0xff, -4, -16]),
            unary: SIGNS,
            binary: MIXED,
            amounts: &[1, 2, 3, 4, 8],
            shifts: &[Op::Shl, Op::Lshr, Op::Ashr],
            size: 7,
            ..plain.clone()
        },
        Grammar {
            name: "comparisons",
            variables: 2,
            literals: small(&[0, 1, -1]),
            unary: SIGNS,
            binary: &[
                Op::Add,
                Op::Sub,
                Op::And,
                Op::Or,
                Op::Xor,
                Op::Eq,
                Op::Ne,
                Op::Ult,
                Op::Ule,
                Op::Slt,
                Op::Sle,
            ],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "order",
            variables: 3,
            binary: ORDER,
            unary: &[Op::Not],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "extremes",
            variables: 3,
            literals: small(&[0, -1]),
            unary: SIGNS,
            binary: EXTREMES,
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "extremes-mixed",
            variables: 2,
            unary: SIGNS,
            binary: &[Op::Add, Op::Sub, Op::Umin, Op::Umax, Op::Smin, Op::Smax, Op::And, Op::Or],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "choices",
            variables: 2,
            literals: small(&[0, 1]),
            unary: SIGNS,
            binary: &[Op::Add, Op::Sub, Op::Ult, Op::Slt, Op::Eq, Op::And, Op::Xor],
            ternary: &[Op::Ite],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "divisions",
            variables: 1,
            literals: small(&[1, 2, 3, -1]),
            unary: SIGNS,
            binary: &[Op::Add, Op::Sub, Op::And, Op::Ult, Op::Eq],
            divisors: &[2, 3, 4, 5, 6, 8, 10],
            divisions: &[Op::Udiv, Op::Urem],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "signed-divisions",
            variables: 1,
            literals: small(&[1, -1]),
            unary: SIGNS,
            binary: LINEAR,
            divisors: &[2, 3, 4, 8],
            divisions: &[Op::Sdiv, Op::Srem, Op::Udiv, Op::Urem],
            amounts: &[1, 2],
            shifts: &[Op::Lshr, Op::Ashr],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "powers",
            variables: 2,
            literals: small(&[1, 2, 3]),
            unary: &[Op::Neg],
            binary: RING,
            amounts: &[2, 3],
            shifts: &[Op::Exp],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "boundaries",
            variables: 1,
            literals: vec![
                BigInt::from(1),
                power(255),
                power(255) - 1,
                power(128) - 1,
                power(128),
                power(160) - 1,
                power(64) - 1,
                -power(128),
            ],
            unary: SIGNS,
            binary: ALL,
            amounts: &[64, 128],
            shifts: &[Op::Shl, Op::Lshr, Op::Ashr],
            size: 7,
            width: WIDE,
            ..plain.clone()
        },
        Grammar {
            name: "fields",
            variables: 1,
            literals: ["P_SECP256K1", "R_BN254", "P_25519", "P_BN254"]
                .into_iter()
                .filter_map(named_number)
                .chain([BigInt::from(1), BigInt::from(19), power(32) + 977, power(255)])
                .collect(),
            unary: SIGNS,
            binary: ALL,
            size: 7,
            width: WIDE,
            ..plain.clone()
        },
        Grammar {
            name: "rotations",
            variables: 2,
            literals: small(&[1, -1]),
            unary: SIGNS,
            binary: BITS,
            amounts: &[1, 2, 3, 8],
            shifts: &[Op::Rotl, Op::Rotr, Op::Shl, Op::Lshr],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "comparisons-with-constants",
            variables: 1,
            literals: small(&[0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, -1, -8]),
            unary: SIGNS,
            binary: &[
                Op::Add,
                Op::Sub,
                Op::And,
                Op::Or,
                Op::Eq,
                Op::Ult,
                Op::Ule,
                Op::Slt,
                Op::Sle,
            ],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "extremes-with-constants",
            variables: 2,
            literals: small(&[1, 7, 0xff, -1, -8]),
            unary: SIGNS,
            binary: &[Op::Umin, Op::Umax, Op::Smin, Op::Smax, Op::And, Op::Or, Op::Add],
            size: 5,
            ..plain.clone()
        },
        Grammar {
            name: "multiples",
            variables: 2,
            literals: small(&[3, 5, 7, -3, 9]),
            unary: SIGNS,
            binary: ALL,
            amounts: &[1, 2, 3],
            shifts: &[Op::Shl],
            size: 6,
            ..plain.clone()
        },
        Grammar {
            name: "constant-chains",
            variables: 1,
            literals: small(&[1, 3, 5, 0x33, 0x7f, 0xf0, -6]),
            unary: SIGNS,
            binary: MIXED,
            size: 7,
            ..plain.clone()
        },
        Grammar {
            name: "comparison-chains",
            variables: 1,
            literals: small(&[0, 1, 5, 0x80, -1]),
            unary: SIGNS,
            binary: &[Op::Add, Op::Sub, Op::Xor, Op::Eq, Op::Ult, Op::Slt],
            size: 7,
            ..plain.clone()
        },
        Grammar {
            name: "carries",
            variables: 2,
            literals: small(&[1]),
            unary: &[Op::Not],
            binary: &[Op::Add, Op::Sub, Op::And, Op::Or, Op::Xor, Op::Ult],
            amounts: &[1],
            shifts: &[Op::Lshr, Op::Ashr, Op::Shl],
            size: 7,
            ..plain.clone()
        },
        Grammar {
            name: "words-of-bytes",
            variables: 1,
            literals: small(&[0xff, 0xffff, 0xff00]),
            unary: &[Op::Not],
            binary: BITS,
            amounts: &[8, 16, 24],
            shifts: &[Op::Shl, Op::Lshr],
            size: 7,
            ..plain
        },
    ]
}
