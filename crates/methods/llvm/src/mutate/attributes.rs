//! Attributes of parameters and results, on and off: a table by the kind of type, with the first version that
//! has each.

use forge::Entropy;

use super::Subject;
use crate::ir::{Attributes, FloatKind, Instruction, Op, Type, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Any,
    Pointer,
    Int,
    Float,
}

/// Name, the kind of type, the first version, whether results may have it.
const ATTRIBUTES: &[(&str, Kind, u32, bool)] = &[
    ("noundef", Kind::Any, 11, true),
    ("nonnull", Kind::Pointer, 1, true),
    ("align", Kind::Pointer, 1, true),
    ("dereferenceable", Kind::Pointer, 1, true),
    ("dereferenceable_or_null", Kind::Pointer, 1, true),
    ("noalias", Kind::Pointer, 1, false),
    ("readonly", Kind::Pointer, 1, false),
    ("range", Kind::Int, 19, true),
    ("signext", Kind::Int, 1, true),
    ("zeroext", Kind::Int, 1, true),
    ("nofpclass", Kind::Float, 17, true),
];

/// Attributes that cannot stand together.
const EXCLUSIVE: [(&str, &str); 3] =
    [("signext", "zeroext"), ("readonly", "readnone"), ("readonly", "writeonly")];

fn kind(ty: &Type) -> Kind {
    match ty.lane() {
        Type::Pointer { .. } if !ty.is_vector() => Kind::Pointer,
        Type::Int(1..=64) => Kind::Int,
        Type::Float(FloatKind::Half | FloatKind::BFloat | FloatKind::Float | FloatKind::Double) => {
            Kind::Float
        }
        _ => Kind::Any,
    }
}

/// An attribute of a parameter, of the result or of a call's result; or the flag of an intrinsic.
pub(super) fn toggle(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    match entropy.below(6) {
        0 => toggle_immediate(subject, entropy),
        1 => toggle_of_call(subject, entropy),
        _ => toggle_of_header(subject, entropy),
    }
}

fn toggle_of_header(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let version = subject.version;
    let header = &mut subject.function.header;
    let at = entropy.below(header.parameters.len() as u64 + 1) as usize;
    match header.parameters.get_mut(at) {
        Some(parameter) => {
            toggle_one(&mut parameter.attributes, &parameter.ty, version, false, entropy)
        }
        None => {
            let ty = header.returns.clone();
            toggle_one(&mut header.return_attributes, &ty, version, true, entropy)
        }
    }
}

/// What an unknown callee promises about its result.
fn toggle_of_call(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let version = subject.version;
    let code = subject.function.code_mut()?;
    let is_plain = |it: &&mut Instruction| {
        let is_intrinsic = it.callee().is_some_and(|name| name.starts_with("llvm."));
        matches!(&it.op, Op::Call(call) if call.returns != Type::Void && !call.is_asm)
            && !is_intrinsic
    };
    let mut calls: Vec<&mut Instruction> = code.instructions_mut().filter(is_plain).collect();
    let at = entropy.below(calls.len() as u64) as usize;
    let Op::Call(call) = &mut calls.get_mut(at)?.op else { return None };
    if call.tail.as_deref() == Some("musttail") {
        return None;
    }
    let mut changed = crate::ir::Call::clone(call);
    let ty = changed.returns.clone();
    toggle_one(&mut changed.return_attributes, &ty, version, true, entropy)?;
    *call = changed.into();
    Some(())
}

fn toggle_one(
    attributes: &mut Attributes,
    ty: &Type,
    version: u32,
    is_result: bool,
    entropy: &mut Entropy,
) -> Option<()> {
    if !ty.is_first_class() || matches!(ty, Type::Token | Type::Other(_)) {
        return None;
    }
    let kind = kind(ty);
    let fits = |row: &&(&str, Kind, u32, bool)| {
        (row.1 == kind || row.1 == Kind::Any) && row.2 <= version && (row.3 || !is_result)
    };
    let rows: Vec<_> = ATTRIBUTES.iter().filter(fits).collect();
    let (name, ..) = **entropy.pick(&rows)?;
    if attributes.has(name) {
        attributes.remove(name);
        return Some(());
    }
    for (one, other) in EXCLUSIVE {
        if name == one {
            attributes.remove(other);
        } else if name == other {
            attributes.remove(one);
        }
    }
    attributes.add(&text(name, ty, entropy)?);
    Some(())
}

/// The attribute with its argument.
fn text(name: &str, ty: &Type, entropy: &mut Entropy) -> Option<String> {
    Some(match name {
        "align" => format!("align {}", 1 << entropy.below(5)),
        "dereferenceable" | "dereferenceable_or_null" => {
            format!("{name}({})", entropy.between(1, 16))
        }
        "range" => {
            let (low, high) = bounds(ty.int_width()?, entropy)?;
            format!("range({} {low}, {high})", ty.lane())
        }
        "nofpclass" => {
            let classes = ["nan", "inf", "zero", "nzero", "sub", "norm", "ninf", "nan inf"];
            format!("nofpclass({})", entropy.pick(&classes)?)
        }
        // An extension of a vector is not valid.
        "signext" | "zeroext" if ty.is_vector() => return None,
        _ => name.to_owned(),
    })
}

/// The ends of a range, signed, which are not equal. Neither empty nor full.
pub(super) fn bounds(width: u32, entropy: &mut Entropy) -> Option<(i128, i128)> {
    if width > 64 {
        return None;
    }
    let (least, most) = (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1);
    let mut end = || -> i128 {
        let value = match entropy.below(6) {
            0 => 0,
            1 => 1,
            2 => least,
            3 => most,
            4 => i128::from(entropy.below(20)) - 4,
            _ => 1 << entropy.below(u64::from(width)),
        };
        value.clamp(least, most)
    };
    let (low, high) = (end(), end());
    (low != high).then_some((low, high))
}

/// `is_zero_poison` of ctlz and cttz, `is_int_min_poison` of abs.
fn toggle_immediate(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code_mut()?;
    let names = ["llvm.ctlz.", "llvm.cttz.", "llvm.abs."];
    let mut calls: Vec<&mut Instruction> = code
        .instructions_mut()
        .filter(|it| {
            it.callee().is_some_and(|callee| names.iter().any(|it| callee.starts_with(it)))
        })
        .collect();
    let at = entropy.below(calls.len() as u64) as usize;
    let flag = calls.get_mut(at)?.operands.get_mut(1)?;
    let Value::Constant(crate::ir::Constant::Int(value)) = &mut flag.value else { return None };
    *value ^= 1;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_of;
    use super::*;

    #[test]
    fn attributes_fit_their_types_and_versions() {
        let text = "declare i8 @g()\ndefine ptr @f(ptr %p, i8 %x, <2 x float> %y) {\n  \
                    %a = call i8 @g()\n  ret ptr %p\n}\n";
        let new = all_of(text, 19, 400, toggle);
        for wanted in ["range(i8", "align ", "nofpclass(", "ptr nonnull %p", "call range("] {
            assert!(new.iter().any(|it| it.contains(wanted)), "{wanted}");
        }
        assert!(new.iter().all(|it| !it.contains("<2 x float> signext")));
        let old = all_of(text, 14, 400, toggle);
        assert!(old.iter().all(|it| !it.contains("range(") && !it.contains("nofpclass")));
    }

    #[test]
    fn immediate_flags_of_intrinsics_are_toggled() {
        let text = "declare i8 @llvm.ctlz.i8(i8, i1)\ndefine i8 @f(i8 %x) {\n  %a = call i8 \
                    @llvm.ctlz.i8(i8 %x, i1 false)\n  ret i8 %a\n}\n";
        assert!(all_of(text, 19, 100, toggle).iter().any(|it| it.contains("i1 true")));
    }
}
