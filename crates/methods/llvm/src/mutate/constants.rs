//! Constants: to values on which optimisations depend, or to neighbours of what they are.

use forge::Entropy;

use super::Subject;
use crate::cfg::Cfg;
use crate::crossover::{any_constant, points, put};
use crate::ir::{Constant, Operand, Type};

/// Changes a constant operand.
pub(super) fn change(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code()?;
    let cfg = Cfg::new(code);
    let constants: Vec<_> = points(subject.module, code, &cfg)
        .into_iter()
        .filter(|point| {
            let user = &code.block(point.user.block).instructions[point.user.index];
            is_number(user.operands[point.operand].as_constant())
        })
        .collect();
    let point = entropy.pick(&constants)?.clone();
    let code = subject.function.code_mut()?;
    let user = &code.block(point.user.block).instructions[point.user.index];
    let operand = user.operands.get(point.operand)?;
    let old = operand.as_constant()?.clone();
    let new = if entropy.chance(1, 2) {
        neighbour(&old, &operand.ty, entropy)
    } else {
        any_constant(subject.module, &operand.ty, entropy)
    }?;
    if new == old {
        return None;
    }
    let value = Operand::constant(operand.ty.clone(), new);
    put(code, point.user, point.operand, value)
}

fn is_number(constant: Option<&Constant>) -> bool {
    matches!(
        constant,
        Some(
            Constant::Int(_)
                | Constant::Float(_)
                | Constant::Zero
                | Constant::Undef
                | Constant::Poison
                | Constant::Vector(_)
                | Constant::Splat(_)
        )
    )
}

/// One more or less, the complement, the negation, twice or half of it; for a vector, in one lane or all.
fn neighbour(constant: &Constant, ty: &Type, entropy: &mut Entropy) -> Option<Constant> {
    match (constant, ty) {
        (Constant::Int(value), Type::Int(width)) => {
            let new = match entropy.below(7) {
                0 => value.wrapping_add(1),
                1 => value.wrapping_sub(1),
                2 => !value,
                3 => value.wrapping_neg(),
                4 => value << 1,
                5 => value >> 1,
                _ => value ^ 1 << entropy.below(u64::from(*width)),
            };
            Some(Constant::int(new, *width))
        }
        (Constant::Float(bits), Type::Float(kind)) => {
            Some(Constant::Float(bits ^ 1 << (kind.bits() - 1)))
        }
        (Constant::Vector(lanes), Type::Vector { of, .. }) => {
            let mut lanes = lanes.to_vec();
            let at = entropy.below(lanes.len() as u64) as usize;
            let new = match entropy.below(5) {
                0 => Constant::Poison,
                _ => neighbour(&lanes[at], of, entropy)?,
            };
            lanes[at] = new;
            Some(Constant::Vector(lanes.into()))
        }
        (Constant::Splat(one), Type::Vector { of, scalable, lanes }) => {
            let new = neighbour(one, of, entropy)?;
            if *scalable || entropy.chance(1, 2) {
                return Some(Constant::Splat(new.into()));
            }
            let mut all = vec![Constant::clone(one); *lanes as usize];
            let at = entropy.below(all.len() as u64) as usize;
            all[at] = new;
            Some(Constant::Vector(all.into()))
        }
        _ => None,
    }
}
