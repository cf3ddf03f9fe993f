//! Casts there and back: an operand is truncated and extended again, or extended and truncated again. Code generators
//! track which bits of a register are known across such pairs, and many folds remove them.

use forge::Entropy;

use super::Subject;
use crate::cfg::Cfg;
use crate::crossover::{Builder, points, put};
use crate::ir::{CastOp, Op, Operand, Type};

/// Widths of registers and their parts.
const USUAL: [u32; 5] = [1, 8, 16, 32, 64];

/// The widest integer that is made.
const WIDEST: u32 = 128;

/// Replaces an operand by itself, cast to another width and back. Now and then a `freeze` is between both casts.
pub(super) fn there_and_back(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code()?;
    let cfg = Cfg::new(code);
    let width = |ty: &Type| match ty.lane() {
        Type::Int(width) if (2..=WIDEST).contains(width) => Some(*width),
        _ => None,
    };
    let integers: Vec<_> = points(subject.module, code, &cfg)
        .into_iter()
        .filter(|point| {
            let user = &code.block(point.user.block).instructions[point.user.index];
            width(&point.ty).is_some() && user.operands[point.operand].as_local().is_some()
        })
        .collect();
    let point = entropy.pick(&integers)?.clone();
    let own = width(&point.ty)?;
    let other = other_width(own, entropy);
    let between = point.ty.with_lane(Type::Int(other));
    let code = subject.function.code_mut()?;
    let operand =
        code.block(point.user.block).instructions[point.user.index].operands[point.operand].clone();
    let extension = |entropy: &mut Entropy| match entropy.chance(2, 3) {
        true => CastOp::ZExt,
        false => CastOp::SExt,
    };
    let (there, back) = match other < own {
        true => (CastOp::Trunc, extension(entropy)),
        false => (extension(entropy), CastOp::Trunc),
    };
    let mut builder = Builder::new(code);
    let mut value =
        builder.add("part", between.clone(), Op::Cast(there, between.clone()), vec![operand]);
    if entropy.chance(1, 3) {
        value = builder.add("frozen", between, Op::Freeze, vec![value]);
    }
    let ty = point.ty.clone();
    let whole: Operand = builder.add("whole", ty.clone(), Op::Cast(back, ty), vec![value]);
    let added = builder.instructions;
    let code = subject.function.code_mut()?;
    put(code, point.user, point.operand, whole)?;
    let instructions = &mut code.block_mut(point.place.block).instructions;
    instructions.splice(point.place.index..point.place.index, added);
    Some(())
}

/// A narrower width, or now and then a wider one: mostly that of a register, else a neighbour, a half or any.
fn other_width(own: u32, entropy: &mut Entropy) -> u32 {
    let is_narrower = own > 1 && (own >= WIDEST || entropy.chance(3, 4));
    let fits = |width: &u32| if is_narrower { *width < own } else { *width > own };
    let usual: Vec<u32> = USUAL.into_iter().filter(fits).collect();
    if entropy.chance(2, 3)
        && let Some(width) = entropy.pick(&usual)
    {
        return *width;
    }
    match (is_narrower, entropy.below(3)) {
        (true, 0) => own - 1,
        (true, 1) => own / 2,
        (true, _) => entropy.between(1, u64::from(own) - 1) as u32,
        (false, 0) => own + 1,
        (false, 1) => (own * 2).min(WIDEST),
        (false, _) => entropy.between(u64::from(own) + 1, u64::from(WIDEST)) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_of;
    use super::*;

    #[test]
    fn operands_are_truncated_and_extended_again() {
        let text = "define i64 @f(i64 %x) {\n  %a = urem i64 %x, 10\n  ret i64 %a\n}\n";
        let made = all_of(text, 19, 200, there_and_back);
        for wanted in ["= trunc i64 %x to i32", "= freeze i32 %part", "= zext i32", "= sext i64 "] {
            assert!(made.iter().any(|it| it.contains(wanted)), "{wanted}");
        }
    }

    #[test]
    fn lanes_of_vectors_are_cast_together() {
        let text = "define <2 x i8> @f(<2 x i8> %x) {\n  ret <2 x i8> %x\n}\n";
        let made = all_of(text, 19, 60, there_and_back);
        assert!(made.iter().any(|it| it.contains("= trunc <2 x i8> %x to <2 x i1>")));
    }
}
