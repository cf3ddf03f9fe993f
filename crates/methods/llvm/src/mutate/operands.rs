//! Operands: replaced by another value that is available there.

use forge::Entropy;

use super::Subject;
use crate::cfg::Cfg;
use crate::crossover::{available, points, put};
use crate::ir::Operand;

pub(super) fn replace(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code()?;
    let cfg = Cfg::new(code);
    let points = points(subject.module, code, &cfg);
    let point = entropy.pick(&points)?.clone();
    let values: Vec<Operand> = available(&subject.function, &cfg, point.place)
        .into_iter()
        .filter(|value| value.ty == point.ty)
        .collect();
    let value = entropy.pick(&values)?.clone();
    put(subject.function.code_mut()?, point.user, point.operand, value)
}
