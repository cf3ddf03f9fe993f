//! Signs of floats: `fneg`, `fabs` and `copysign` before a use.

use forge::Entropy;

use super::Subject;
use crate::cfg::Cfg;
use crate::crossover::{points, put};
use crate::ir::{FloatKind, Instruction, Op, Operand, Type};

pub(super) fn insert_sign(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code()?;
    let cfg = Cfg::new(code);
    let is_plain = |ty: &Type| matches!(ty.lane(), Type::Float(kind) if !matches!(kind, FloatKind::X86Fp80 | FloatKind::PpcFp128));
    let floats: Vec<_> =
        points(subject.module, code, &cfg).into_iter().filter(|it| is_plain(&it.ty)).collect();
    let point = entropy.pick(&floats)?.clone();
    let operand =
        code.block(point.user.block).instructions[point.user.index].operands[point.operand].clone();
    let ty = point.ty.clone();
    let result = subject.function.code_mut()?.add_local("signed", ty.clone());
    let instruction = match entropy.below(3) {
        0 => Instruction::new(Some(result), Op::FNeg, vec![operand]),
        1 => subject.intrinsic("llvm.fabs", result, &ty, vec![operand])?,
        _ => {
            let arguments = vec![operand.clone(), operand];
            let both = subject.intrinsic("llvm.copysign", result, &ty, arguments)?;
            let mut both = both;
            // The sign of something else, if there is another float.
            let others = subject.function.code()?.locals.iter().zip(0_u32..);
            let parameters = subject.function.header.parameters.len();
            let other = others
                .take(parameters)
                .find(|(local, _)| local.ty == ty)
                .map(|(_, at)| Operand::local(ty.clone(), crate::ir::LocalId(at)));
            if let Some(other) = other {
                both.operands[1] = other;
            }
            both
        }
    };
    let code = subject.function.code_mut()?;
    put(code, point.user, point.operand, Operand::local(ty, result))?;
    code.block_mut(point.place.block).instructions.insert(point.place.index, instruction);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_of;
    use super::*;

    #[test]
    fn signs_of_floats_are_changed() {
        let text = "define <2 x float> @f(<2 x float> %x, <2 x float> %y) {\n  %a = fadd <2 x \
                    float> %x, %y\n  ret <2 x float> %a\n}\n";
        let made = all_of(text, 19, 60, insert_sign);
        for wanted in ["fneg <2 x float>", "@llvm.fabs.v2f32(", "@llvm.copysign.v2f32("] {
            assert!(made.iter().any(|it| it.contains(wanted)), "{wanted}");
        }
    }
}
