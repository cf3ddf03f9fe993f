//! Recursive functions. The depth is bounded by the argument and decreases with each call.

use super::super::program::{
    Callee, Operand, Operator, Place, Rvalue, Statement, Terminator, Unwind,
};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::helper_functions::block;

impl Generator<'_> {
    /// `fn f(n, x) -> …`: calls itself with the low bits of `n` less one, and with a modified `x`.
    pub(super) fn recursive(&mut self) {
        let Some(count) = self.pick_type(|types, of| types.as_int(of).is_some()) else { return };
        let number =
            |types: &Types, of: TypeId| matches!(types.kind(of), Kind::Int(_) | Kind::Float(_));
        let Some(of) = self.pick_type(number) else { return };
        let number = self.program.functions.len();
        // 1: n, 2: x, 3: the remaining depth, 4: the depth less one, 5: the depth in the type of x, 6: the next x, 7:
        // the result of the recursive call.
        let deepest = (2 << self.entropy.below(3)) - 1;
        let low =
            Rvalue::Binary(Operator::BitAnd, Operand::local(1), Operand::constant(count, deepest));
        let less = Rvalue::Binary(Operator::Sub, Operand::local(3), Operand::constant(count, 1));
        let depth = if count == of {
            Rvalue::Use(Operand::local(3))
        } else {
            Rvalue::Cast(Operand::local(3), of)
        };
        let assign = |local: usize, rvalue: Rvalue| Statement::Assign(Place::local(local), rvalue);
        let operators = [Operator::Add, Operator::Sub, Operator::Mul];
        let mut mixed = |left: usize, right: Operand| {
            let operator = self.entropy.pick(&operators).copied().unwrap_or(Operator::Add);
            Rvalue::Binary(operator, Operand::local(left), right)
        };
        let (next, result) = (mixed(2, Operand::local(5)), mixed(7, Operand::local(5)));
        let tail = self.swarm.tail_calls && self.entropy.chance(1, 2);
        let switch = Terminator::Switch { on: Operand::local(3), arms: vec![(0, 1)], otherwise: 2 };
        let arguments = vec![Operand::local(4), Operand::local(6)];
        let again = if tail {
            Terminator::TailCall { callee: Callee::Function(number, vec![]), arguments }
        } else {
            Terminator::Call {
                callee: Callee::Function(number, vec![]),
                arguments,
                destination: Place::local(7),
                target: 3,
                unwind: Unwind::Continue,
            }
        };
        let given = Rvalue::Use(Operand::local(2));
        let mut blocks = vec![
            block(vec![assign(3, low)], switch),
            block(vec![assign(0, given)], Terminator::Return),
            block(vec![assign(4, less), assign(5, depth), assign(6, next)], again),
        ];
        if !tail {
            blocks.push(block(vec![assign(0, result)], Terminator::Return));
        }
        let locals = [count, count, of, of, of];
        self.add(&[of, count, of], &locals, blocks);
        // The number of steps is proportional to the depth.
        if let Some(callable) = self.callable.last_mut() {
            callable.steps *= deepest as u64;
        }
    }
}
