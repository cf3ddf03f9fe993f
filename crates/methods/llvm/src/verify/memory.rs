//! Instructions that access memory or compute addresses.

use super::instruction::{equal, require, same_lanes};
use super::{Problem, Verifier};
use crate::ir::{Constant, Instruction, Memory, Op, Operand, Type, Value, field};

impl Verifier<'_> {
    pub(super) fn memory(&self, instruction: &Instruction) -> Result<(), Problem> {
        let operands = &instruction.operands;
        match &instruction.op {
            Op::Load(ty, memory) => {
                require(operands, 0, "a pointer", Type::is_pointer)?;
                self.pointee(&operands[0], ty)?;
                self.sized(ty)?;
                access(ty, memory, &["release", "acq_rel"])
            }
            Op::Store(memory) => {
                require(operands, 1, "a pointer", Type::is_pointer)?;
                let ty = &operands[0].ty;
                self.pointee(&operands[1], ty)?;
                self.sized(ty)?;
                access(ty, memory, &["acquire", "acq_rel"])
            }
            Op::Alloca { of, align, .. } => {
                if !operands.is_empty() {
                    require(operands, 0, "an integer", Type::is_int)?;
                }
                alignment(*align)?;
                self.sized(of)
            }
            Op::GetElementPtr { element } => self.address(element, operands),
            Op::CmpXchg { .. } => {
                require(operands, 0, "a pointer", Type::is_pointer)?;
                require(operands, 1, "an integer or pointer", |ty| ty.is_int() || ty.is_pointer())?;
                require(operands, 2, "an integer or pointer", |_| true)?;
                equal(&operands[1].ty, &operands[2].ty)?;
                self.pointee(&operands[0], &operands[1].ty)?;
                atomic_size(&operands[1].ty)
            }
            Op::AtomicRmw { op, .. } => {
                require(operands, 0, "a pointer", Type::is_pointer)?;
                require(operands, 1, "a value that the operation takes", |ty| match &**op {
                    "xchg" => ty.is_int() || ty.is_float() || ty.is_pointer(),
                    op if op.starts_with('f') => ty.lane().is_float(),
                    _ => ty.is_int(),
                })?;
                self.pointee(&operands[0], &operands[1].ty)?;
                atomic_size(&operands[1].ty)
            }
            Op::VaArg(_) => require(operands, 0, "a pointer", Type::is_pointer),
            _ => Ok(()),
        }
    }

    fn sized(&self, ty: &Type) -> Result<(), Problem> {
        if self.is_sized(ty) { Ok(()) } else { Err(Problem::Unsized(ty.clone())) }
    }

    /// A typed pointer points to the type that is accessed.
    fn pointee(&self, pointer: &Operand, ty: &Type) -> Result<(), Problem> {
        match &pointer.ty {
            Type::Pointer { to: Some(to), .. } => equal(to, ty),
            _ => Ok(()),
        }
    }

    fn address(&self, element: &Type, operands: &[Operand]) -> Result<(), Problem> {
        require(operands, 0, "a pointer", |ty| ty.lane().is_pointer())?;
        if let Type::Pointer { to: Some(to), .. } = operands[0].ty.lane() {
            equal(to, element)?;
        }
        self.sized(element)?;
        for index in 1..operands.len() {
            require(operands, index, "an integer", |ty| ty.lane().is_int())?;
        }
        let mut vectors = operands.iter().map(|operand| &operand.ty).filter(|ty| ty.is_vector());
        if let Some(first) = vectors.next()
            && let Some(other) = vectors.find(|other| !same_lanes(first, other))
        {
            return Err(Problem::Unequal(first.clone(), other.clone()));
        }
        let mut ty = element.clone();
        for index in operands.iter().skip(2) {
            ty = match self.resolved(&ty) {
                Type::Vector { of, .. } | Type::Array { of, .. } => of.as_ref().clone(),
                _ => {
                    // LLVM numbers fields of structs with `i32` only.
                    let is_number = index.ty.lane().int_width() == Some(32);
                    let number = field_number(&index.value).filter(|_| is_number);
                    let number = number.ok_or(Problem::Path)?;
                    let inner = field(&ty, number, &|name| self.definition(name));
                    inner.ok_or(Problem::Path)?
                }
            };
        }
        Ok(())
    }
}

/// The number of a field: a constant, the same in all lanes.
fn field_number(value: &Value) -> Option<u64> {
    let Value::Constant(constant) = value else { return None };
    match constant {
        Constant::Vector(lanes) if lanes.windows(2).any(|pair| pair[0] != pair[1]) => None,
        _ => match constant.lane(0)? {
            Constant::Int(number) => u64::try_from(*number).ok(),
            Constant::Zero => Some(0),
            _ => None,
        },
    }
}

fn alignment(align: Option<u64>) -> Result<(), Problem> {
    let is_valid = align.is_none_or(|align| align.is_power_of_two() && align <= 1 << 32);
    if is_valid { Ok(()) } else { Err(Problem::Alignment) }
}

fn access(ty: &Type, memory: &Memory, forbidden: &[&str]) -> Result<(), Problem> {
    alignment(memory.align)?;
    let Some(ordering) = &memory.ordering else { return Ok(()) };
    let ordering = ordering.rsplit([' ', ')']).next().unwrap_or("");
    let is_valid = memory.align.is_some() && !forbidden.contains(&ordering);
    if is_valid { atomic_size(ty) } else { Err(Problem::Atomic) }
}

/// Atomic operations access whole bytes, a power of two of them.
fn atomic_size(ty: &Type) -> Result<(), Problem> {
    let is_valid = match ty {
        Type::Int(width) => *width >= 8 && width.is_power_of_two(),
        Type::Float(_) | Type::Pointer { .. } | Type::Vector { .. } | Type::Other(_) => true,
        _ => false,
    };
    if is_valid { Ok(()) } else { Err(Problem::Atomic) }
}
