//! Case splits prove shifts by variables and divisions by powers of two, but not near misses.

use super::prove;
use crate::kernel::{Certificate, Goal, check};
use crate::prove::sample::{goal, goal_in};
use crate::prove::sat;

fn refute(goal: &Goal) -> Option<Certificate> {
    match sat::prove(goal, 100, 1_000_000) {
        sat::Answer::Proven(certificate) => Some(certificate),
        _ => None,
    }
}

fn proven(goal: &Goal) -> Option<Certificate> {
    let certificate = prove(goal, usize::MAX, &mut refute)?;
    check(goal, &certificate).unwrap();
    Some(certificate)
}

#[test]
fn shifts_by_variables_need_hashing_only() {
    for width in [1, 8, 257] {
        for equation in [
            "(x & y) << a = (x << a) & (y << a)",
            "(x << a) >>u a << a = x << a",
            "~(~x >>s a) = x >>s a",
            "(x + y) << a = (x << a) + (y << a)",
            "(x >>u a) << a = x & (-1 << a)",
            "x * (1 << a) = x << a",
            "2 ** a = 1 << a\n    width >= 2",
            "rotl(x, a) ^ rotl(y, a) = rotl(x ^ y, a)",
        ] {
            if width == 1 && equation.starts_with('2') {
                continue;
            }
            let goal = goal(equation, width);
            let Some(certificate) = prove(&goal, usize::MAX, &mut |_| None) else {
                panic!("{equation} at {width}")
            };
            check(&goal, &certificate).unwrap();
        }
    }
}

#[test]
fn divisions_by_powers_of_two_are_shifts() {
    for width in [4, 256] {
        for equation in [
            "x %u P = x & (P - 1)\n    where pow2(P)",
            "x /u P = x >>u ctz(P)\n    where pow2(P)",
            "x * P /u P = x & (-1 >>u ctz(P))\n    where pow2(P)",
        ] {
            assert!(proven(&goal(equation, width)).is_some(), "{equation} at {width}");
        }
    }
}

#[test]
fn last_case_covers_oversized_amounts_of_each_semantics() {
    for semantics in ["words", "evm", "rust-wrapping", "rust-unsigned", "c-unsigned", "llvm"] {
        let goal = goal_in("(x | y) << a = (x << a) | (y << a)", 64, semantics);
        assert!(proven(&goal).is_some(), "{semantics}");
    }
}

#[test]
fn two_shift_amounts_need_nested_cases() {
    for equation in ["(x << a) << b = (x << b) << a", "x >>u a >>u b = x >>u b >>u a"] {
        assert!(proven(&goal(equation, 16)).is_some(), "{equation}");
    }
}

#[test]
fn near_misses_are_not_proven() {
    for equation in [
        "(x << a) >>u a = x",
        "(x >>u a) << a = x & (-1 >>u a)",
        "x >>s a = x >>u a",
        "x << a = x << (a & (w - 1))",
        "x << a = (a <u w) ? x << a : x",
        "x %u P = x & (P - 1)",
        "x %u P = x & P\n    where pow2(P)",
        "x << a = (a == w + 1) ? 1 : x << a",
    ] {
        assert_eq!(prove(&goal(equation, 8), usize::MAX, &mut refute), None, "{equation}");
    }
}

#[test]
fn wrong_number_of_cases_or_wrong_variable_is_rejected() {
    let goal = goal("(x >>u a) << a = x & (-1 << a)", 8);
    let Some(Certificate::Cases { variable, of, each }) = proven(&goal) else { panic!() };
    for length in (0..each.len()).chain([each.len() + 1]) {
        let each = vec![Certificate::Circuit; length];
        assert!(check(&goal, &Certificate::Cases { variable, of, each }).is_err(), "{length}");
    }
    for variable in (0..9).filter(|&other| other != variable) {
        let each = each.clone();
        assert!(check(&goal, &Certificate::Cases { variable, of, each }).is_err(), "{variable}");
    }
}
