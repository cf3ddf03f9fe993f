//! Whether a constant is one of a type.

use super::{Named, Problem, Verifier};
use crate::ir::{Constant, Type, Value};

impl Verifier<'_> {
    pub(super) fn constant(&self, constant: &Constant, ty: &Type) -> Result<(), Problem> {
        let is_valid = match constant {
            Constant::Int(value) => match ty {
                Type::Int(width) => *width >= 128 || value >> width == 0,
                _ => false,
            },
            Constant::Float(bits) => match ty {
                Type::Float(kind) => kind.bits() == 128 || bits >> kind.bits() == 0,
                _ => false,
            },
            Constant::Null => ty.is_pointer(),
            Constant::Undef | Constant::Poison => ty.is_first_class(),
            Constant::Zero => ty.is_first_class() && !matches!(ty, Type::Token),
            Constant::None => *ty == Type::Token,
            Constant::Vector(parts) => match ty {
                Type::Vector { lanes, scalable: false, of } => {
                    self.constants(parts, of)?;
                    parts.len() == *lanes as usize
                }
                _ => false,
            },
            Constant::Splat(lane) => match ty {
                Type::Vector { of, .. } => {
                    self.constant(lane, of)?;
                    true
                }
                _ => false,
            },
            Constant::Array(parts) => match ty {
                Type::Array { length, of } => {
                    self.constants(parts, of)?;
                    parts.len() as u64 == *length
                }
                _ => false,
            },
            Constant::Struct(parts) => match self.resolved(ty) {
                Type::Struct { fields, .. } => {
                    for (part, field) in parts.iter().zip(fields.iter()) {
                        self.constant(part, field)?;
                    }
                    parts.len() == fields.len()
                }
                _ => false,
            },
            Constant::Bytes(bytes) => match ty {
                Type::Array { length, of } => bytes.len() as u64 == *length && **of == Type::Int(8),
                _ => false,
            },
            Constant::Global(name) => self.is_address(name, ty)?,
            Constant::Expression(expression) => {
                for operand in &expression.operands {
                    match &operand.value {
                        Value::Constant(constant) => self.constant(constant, &operand.ty)?,
                        Value::Local(_) | Value::Metadata(_) => {
                            return Err(Problem::Constant(operand.ty.clone()));
                        }
                    }
                }
                ty.is_first_class()
            }
            Constant::Text(_) => true,
        };
        if is_valid { Ok(()) } else { Err(Problem::Constant(ty.clone())) }
    }

    fn constants(&self, constants: &[Constant], ty: &Type) -> Result<(), Problem> {
        constants.iter().try_for_each(|constant| self.constant(constant, ty))
    }

    /// Whether the address of a global has this type.
    fn is_address(&self, name: &std::sync::Arc<str>, ty: &Type) -> Result<bool, Problem> {
        let Type::Pointer { space, to } = ty else { return Ok(false) };
        let is_address = match self.lookup(name)? {
            Named::Variable { ty, space: actual } => {
                *space == actual && to.as_deref().is_none_or(|to| to == ty)
            }
            Named::Function(header) => {
                let written = header.address.split("addrspace(").nth(1);
                let written = written.and_then(|it| it.split(')').next()?.parse().ok());
                // Without one, it is that of the data layout.
                written.is_none_or(|actual: u32| actual == *space)
            }
            Named::Text => true,
        };
        Ok(is_address)
    }
}
