//! Constants into parameters, and parameters into constants.

use forge::Entropy;

use super::Subject;
use crate::cfg::Cfg;
use crate::crossover::{add_parameters, any_constant, points, put};
use crate::ir::{Attributes, LocalId, Operand, Parameter, Value};

/// A constant operand becomes a new parameter.
pub(super) fn from_constant(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code()?;
    let cfg = Cfg::new(code);
    let constants: Vec<_> = points(subject.module, code, &cfg)
        .into_iter()
        .filter(|point| {
            let user = &code.block(point.user.block).instructions[point.user.index];
            user.operands[point.operand].as_constant().is_some()
        })
        .collect();
    let point = entropy.pick(&constants)?.clone();
    let at = subject.function.header.parameters.len() as u32;
    let parameter = Parameter { ty: point.ty.clone(), attributes: Attributes::default() };
    add_parameters(&mut subject.function, &[&parameter])?;
    let value = Operand::local(point.ty, LocalId(at));
    put(subject.function.code_mut()?, point.user, point.operand, value)
}

/// All uses of a parameter become one constant. The parameter stays.
pub(super) fn to_constant(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let parameters = &subject.function.header.parameters;
    let at = entropy.below(parameters.len() as u64) as usize;
    let ty = parameters.get(at)?.ty.clone();
    let constant = any_constant(subject.module, &ty, entropy)?;
    let code = subject.function.code_mut()?;
    let mut changed = false;
    for instruction in code.instructions_mut() {
        for operand in &mut instruction.operands {
            if operand.as_local() == Some(LocalId(at as u32)) {
                operand.value = Value::Constant(constant.clone());
                changed = true;
            }
        }
    }
    changed.then_some(())
}
