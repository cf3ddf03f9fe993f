//! Poison in the lanes of operands, for every operation of the table.

use super::*;
use crate::ir::{BinaryOp, Flags, Op};
use crate::semantics::{Lane, PoisonOperand, binary_lanes, poison_in, select_lanes};

fn lane(value: u128, poison: bool) -> Lane<Bits, bool> {
    Lane { value: Bits::new(value, 8), poison }
}

#[test]
fn poison_operands_do_what_the_table_says() {
    for op in BinaryOp::ALL {
        for operand in [0, 1] {
            let role = poison_in(&Op::Binary(*op), operand);
            for other in [1, 3, 255] {
                let (poison, fine) = (lane(7, true), lane(other, false));
                let (a, b) = if operand == 0 { (poison, fine) } else { (fine, poison) };
                let effect = binary_lanes(&mut concrete(), *op, Flags::NONE, &a, &b);
                let is_undefined = match role {
                    PoisonOperand::Undefined => true,
                    PoisonOperand::Dividend => other == 255,
                    _ => false,
                };
                assert_eq!(effect.undefined, is_undefined, "{op:?} {operand} {other}");
                assert!(effect.poison || is_undefined);
            }
        }
    }
    let zero = lane(0, false);
    let effect = binary_lanes(&mut concrete(), BinaryOp::UDiv, Flags::NONE, &lane(7, true), &zero);
    assert!(effect.undefined, "a poison dividend does not excuse a zero divisor");
}

#[test]
fn select_ignores_poison_in_the_other_arm() {
    let condition = |value, poison| Lane { value: Bits::new(value, 1), poison };
    let (poison, fine) = (lane(1, true), lane(2, false));
    let select = |c: Lane<Bits, bool>| select_lanes(&mut concrete(), &c, &poison, &fine);
    assert!(select(condition(1, false)).poison);
    assert_eq!(select(condition(0, false)), fine);
    assert!(select(condition(0, true)).poison);
}
