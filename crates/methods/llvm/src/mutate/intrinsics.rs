//! Intrinsics: one becomes another of the same type. A table of classes.

use forge::Entropy;

use super::Subject;
use crate::ir::{Constant, Instruction, Op, Value};

/// Each takes and returns the same types as the others of its class.
const CLASSES: &[&[&str]] = &[
    &[
        "umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat", "ushl.sat",
        "sshl.sat",
    ],
    &["ctlz", "cttz"],
    &["ctpop", "bitreverse"],
    &["fshl", "fshr"],
    &[
        "uadd.with.overflow",
        "sadd.with.overflow",
        "usub.with.overflow",
        "ssub.with.overflow",
        "umul.with.overflow",
        "smul.with.overflow",
    ],
    &["minnum", "maxnum", "minimum", "maximum", "copysign"],
    &["fabs", "canonicalize", "floor", "ceil", "trunc", "rint", "round", "sqrt"],
    &["fma", "fmuladd"],
    &["vector.reduce.add", "vector.reduce.xor", "vector.reduce.or", "vector.reduce.and"],
    &["vector.reduce.umin", "vector.reduce.umax", "vector.reduce.smin", "vector.reduce.smax"],
];

/// The class of a name and the types behind it: `umin` and `i8` of `llvm.umin.i8`.
fn class(callee: &str) -> Option<(&'static [&'static str], &str)> {
    let name = callee.strip_prefix("llvm.")?;
    CLASSES.iter().find_map(|class| {
        let types = class.iter().find_map(|it| name.strip_prefix(it)?.strip_prefix('.'));
        types.filter(|it| it.starts_with(['i', 'v', 'f', 'b', 'n'])).map(|types| (*class, types))
    })
}

pub(super) fn change(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code_mut()?;
    let mut calls: Vec<&mut Instruction> = code
        .instructions_mut()
        .filter(|it| {
            matches!(&it.op, Op::Call(call) if call.bundles.is_empty())
                && it.callee().is_some_and(|callee| class(callee).is_some())
        })
        .collect();
    let at = entropy.below(calls.len() as u64) as usize;
    let call = calls.get_mut(at)?;
    let old = call.callee()?.to_owned();
    let (class, types) = class(&old)?;
    let new = format!("llvm.{}.{types}", entropy.pick(class)?);
    if new == old {
        return None;
    }
    let mut header = subject.module.header(&old)?.clone();
    header.name = new.as_str().into();
    if subject.module.header(&new).is_none() {
        subject.module.declarations.push(crate::ir::Declaration { header });
    }
    call.operands.last_mut()?.value = Value::Constant(Constant::Global(new.as_str().into()));
    // What was promised of the old result is not true of the new one.
    if let Op::Call(inner) = &mut call.op {
        let mut plain = crate::ir::Call::clone(inner);
        plain.return_attributes.0.clear();
        *inner = plain.into();
    }
    call.metadata.retain(|it| &*it.name != "range");
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_of;
    use super::*;

    #[test]
    fn an_intrinsic_becomes_another_of_its_class() {
        let text = "declare i8 @llvm.umin.i8(i8, i8)\ndefine i8 @f(i8 %x) {\n  %a = call i8 \
                    @llvm.umin.i8(i8 %x, i8 3)\n  ret i8 %a\n}\n";
        let made = all_of(text, 19, 80, change);
        assert!(made.iter().any(|it| it.contains("call i8 @llvm.smax.i8(i8 %x, i8 3)")));
        assert!(made.iter().any(|it| it.contains("declare i8 @llvm.usub.sat.i8(i8, i8)")));
    }
}
