//! Widths: an integer type is another one throughout a function. A cast that then leads from a type to itself
//! is left out, and one that leads in the wrong direction is turned round.

use std::sync::Arc;

use forge::Entropy;

use super::Subject;
use crate::ir::{
    CastOp, Code, Constant, Declaration, Flags, Header, Instruction, LocalId, Module, Op, Type,
    Value,
};

const WIDTHS: [u32; 11] = [2, 3, 4, 8, 13, 16, 24, 32, 33, 64, 128];

pub(super) fn change(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code()?;
    let mut widths: Vec<u32> = code.locals.iter().filter_map(|it| it.ty.int_width()).collect();
    widths.retain(|width| (2..=128).contains(width));
    widths.sort_unstable();
    widths.dedup();
    let from = *entropy.pick(&widths)?;
    let to = *entropy.pick(&WIDTHS)?;
    if from == to {
        return None;
    }
    // The function is put into the module, where the change needs it.
    let name = subject.function.header.name.clone();
    let old = std::mem::replace(subject.module.function_mut(&name)?, subject.function.clone());
    let changed = resize(subject.module, &name, from, to);
    subject.function = std::mem::replace(subject.module.function_mut(&name)?, old);
    changed
}

/// Makes an integer type another one throughout a function. None if something else depends on it.
pub fn resize(module: &mut Module, name: &str, from: u32, to: u32) -> Option<()> {
    let mut function = module.function(name)?.clone();
    let resize = Resize { from, to };
    let header = &mut function.header;
    header.returns = resize.ty(&header.returns)?;
    for parameter in &mut header.parameters {
        parameter.ty = resize.ty(&parameter.ty)?;
        parameter.attributes.remove("range");
    }
    header.return_attributes.remove("range");
    let code = function.code_mut()?;
    for local in &mut code.locals {
        local.ty = resize.ty(&local.ty)?;
    }
    for instruction in code.instructions_mut() {
        resize.instruction(instruction, &mut module.declarations)?;
    }
    adjust_casts(code);
    *module.function_mut(name)? = function;
    Some(())
}

/// Casts whose direction is no longer right.
fn adjust_casts(code: &mut Code) {
    let mut same: Vec<(LocalId, Value)> = vec![];
    for instruction in code.instructions_mut() {
        let Op::Cast(op, to) = &mut instruction.op else { continue };
        let operand = &instruction.operands[0];
        let (Some(from), Some(width)) = (operand.ty.int_width(), to.int_width()) else { continue };
        let is_extension = matches!(op, CastOp::ZExt | CastOp::SExt);
        if !is_extension && *op != CastOp::Trunc {
            continue;
        }
        if from == width {
            same.extend(instruction.result.map(|it| (it, operand.value.clone())));
        } else if is_extension && from > width {
            *op = CastOp::Trunc;
            instruction.flags = Flags::NONE;
        } else if !is_extension && from < width {
            *op = CastOp::ZExt;
            instruction.flags = Flags::NONE;
        }
    }
    for (result, mut value) in same.clone() {
        // The operand may be such a cast as well; in unreachable code even in a circle.
        for _ in 0..same.len() {
            if let Value::Local(local) = value
                && let Some((_, other)) = same.iter().find(|it| it.0 == local)
            {
                value = other.clone();
            }
        }
        for block in &mut code.blocks {
            block.instructions.retain(|it| it.result != Some(result));
            for operand in block.instructions.iter_mut().flat_map(|it| &mut it.operands) {
                if operand.as_local() == Some(result) {
                    operand.value = value.clone();
                }
            }
        }
    }
}

/// An intrinsic whose result is an `i32` whatever the type in its name.
const FIXED_RESULT: &str = "llvm.experimental.get.vector.length.";

/// Whether a type of an intrinsic that is not in its name would be changed: a length, a scale, an alignment.
fn has_fixed(old: &Header, new: &Header) -> bool {
    let is_in_name = |ty: &Type| {
        super::declare::mangled(ty).is_some_and(|it| old.name.split('.').any(|part| part == it))
    };
    let mut parameters = old.parameters.iter().zip(&new.parameters);
    old.name.starts_with(FIXED_RESULT)
        || parameters.any(|(old, new)| {
            old.ty != new.ty && (old.attributes.has("immarg") || !is_in_name(&old.ty))
        })
}

struct Resize {
    from: u32,
    to: u32,
}

impl Resize {
    /// None for types inside of which the width might be, and which other things depend on.
    fn ty(&self, ty: &Type) -> Option<Type> {
        Some(match ty {
            Type::Int(width) if *width == self.from => Type::Int(self.to),
            Type::Vector { lanes, scalable, of } => {
                Type::Vector { lanes: *lanes, scalable: *scalable, of: Arc::new(self.ty(of)?) }
            }
            Type::Struct { fields, packed } => Type::Struct {
                fields: fields.iter().map(|field| self.ty(field)).collect::<Option<_>>()?,
                packed: *packed,
            },
            other => other.clone(),
        })
    }

    fn instruction(
        &self,
        instruction: &mut Instruction,
        declarations: &mut Vec<Declaration>,
    ) -> Option<()> {
        instruction.metadata.retain(|it| &*it.name != "range");
        if let Some(callee) = instruction.callee().map(str::to_owned) {
            self.callee(&callee, instruction, declarations)?;
        }
        for operand in &mut instruction.operands {
            let ty = self.ty(&operand.ty)?;
            if ty != operand.ty
                && let Value::Constant(constant) = &mut operand.value
            {
                *constant = self.constant(constant)?;
            }
            operand.ty = ty;
        }
        match &mut instruction.op {
            Op::Cast(_, to) | Op::Load(to, _) => *to = self.ty(to)?,
            Op::Alloca { of, .. } | Op::GetElementPtr { element: of } => *of = self.ty(of)?,
            Op::Call(call) => {
                let mut resized = crate::ir::Call::clone(call);
                resized.returns = self.ty(&resized.returns)?;
                resized.return_attributes.remove("range");
                *call = Arc::new(resized);
            }
            Op::Switch { cases, .. } => {
                let mut seen = vec![];
                for (value, _) in cases {
                    let Constant::Int(new) = Constant::int(*value, self.to) else { return None };
                    *value = new;
                    if seen.contains(&new) {
                        return None;
                    }
                    seen.push(new);
                }
            }
            _ => {}
        }
        Some(())
    }

    fn constant(&self, constant: &Constant) -> Option<Constant> {
        let all = |lanes: &[Constant]| {
            lanes.iter().map(|it| self.constant(it)).collect::<Option<Arc<[Constant]>>>()
        };
        Some(match constant {
            // Negative numbers stay negative.
            Constant::Int(value) if self.from < 128 && value >> (self.from - 1) & 1 == 1 => {
                Constant::int(value | u128::MAX << self.from, self.to)
            }
            Constant::Int(value) => Constant::int(*value, self.to),
            Constant::Vector(lanes) => Constant::Vector(all(lanes)?),
            Constant::Splat(one) => Constant::Splat(Arc::new(self.constant(one)?)),
            Constant::Struct(_) | Constant::Array(_) | Constant::Expression(_) => return None,
            Constant::Text(_) | Constant::Bytes(_) | Constant::Float(_) => return None,
            other => other.clone(),
        })
    }

    /// Intrinsics have the width in their names; other functions keep theirs.
    fn callee(
        &self,
        callee: &str,
        instruction: &mut Instruction,
        declarations: &mut Vec<Declaration>,
    ) -> Option<()> {
        let declared = declarations.iter().find(|it| &*it.header.name == callee)?.clone();
        let mut header = declared.header.clone();
        header.returns = self.ty(&header.returns)?;
        for parameter in &mut header.parameters {
            parameter.ty = self.ty(&parameter.ty)?;
        }
        if header == declared.header {
            return Some(());
        }
        if callee.starts_with("llvm.") && has_fixed(&declared.header, &header) {
            return None;
        }
        let name: Arc<str> = if callee.starts_with("llvm.") {
            let (old, new) = (format!("i{}", self.from), format!("i{}", self.to));
            let part = |part: &str| match part.strip_suffix(&old) {
                Some("") => new.clone(),
                Some(lanes) if lanes.starts_with('v') => format!("{lanes}{new}"),
                _ => part.to_owned(),
            };
            // Some work on bytes, and those of targets have no other types.
            let fits = !callee.starts_with("llvm.bswap.") || self.to.is_multiple_of(16);
            let name = callee.split('.').map(part).collect::<Vec<_>>().join(".");
            Some(name).filter(|name| fits && name != callee)?.into()
        } else {
            format!("{callee}.i{}", self.to).into()
        };
        header.name = Arc::clone(&name);
        if declarations.iter().all(|it| it.header.name != name) {
            declarations.push(Declaration { header });
        }
        instruction.operands.last_mut()?.value = Value::Constant(Constant::Global(name));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_intrinsics_with_a_fixed_type_keep_it() {
        let resized = |declaration: &str, call: &str| {
            let text = format!(
                "declare {declaration}\n\ndefine void @f(i32 %a, <4 x i32> %v, <4 x i1> %m) {{\n  \
                 %r = call {call}\n  ret void\n}}\n"
            );
            let mut module = Module::parse(&text).unwrap();
            assert_eq!(module.verify(), Ok(()));
            let done = resize(&mut module, "f", 32, 16).is_some();
            assert_eq!(module.verify(), Ok(()));
            done
        };
        assert!(resized("i32 @llvm.ctpop.i32(i32)", "i32 @llvm.ctpop.i32(i32 %a)"));
        assert!(resized(
            "i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)",
            "i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)"
        ));
        // The length, the scale and the result are always `i32`.
        assert!(!resized(
            "<4 x i32> @llvm.vp.ctpop.v4i32(<4 x i32>, <4 x i1>, i32)",
            "<4 x i32> @llvm.vp.ctpop.v4i32(<4 x i32> %v, <4 x i1> %m, i32 %a)"
        ));
        assert!(!resized(
            "i32 @llvm.smul.fix.i32(i32, i32, i32 immarg)",
            "i32 @llvm.smul.fix.i32(i32 %a, i32 %a, i32 2)"
        ));
        assert!(!resized(
            "i32 @llvm.experimental.get.vector.length.i32(i32, i32 immarg, i1 immarg)",
            "i32 @llvm.experimental.get.vector.length.i32(i32 %a, i32 4, i1 true)"
        ));
    }
}
