//! The type of an instruction's result, from its operation and the types of its operands.

use std::sync::Arc;

use super::{Constant, Op, Operand, Type, Value};

/// Looks definitions of named types up.
pub type Definitions<'a> = &'a dyn Fn(&str) -> Option<&'a Type>;

impl Op {
    /// The type of the result, [`Type::Void`] if there is none. None if the operands do not fit the
    /// operation so badly that it has no type. `typed` is
    /// [`super::Module::has_typed_pointers`].
    pub fn result(
        &self,
        operands: &[Operand],
        definitions: Definitions<'_>,
        typed: bool,
    ) -> Option<Type> {
        let operand = |index: usize| operands.get(index).map(|operand| &operand.ty);
        let ty = match self {
            Self::Binary(_) | Self::FloatBinary(_) | Self::FNeg | Self::Freeze | Self::Phi(_) => {
                operand(0)?.clone()
            }
            Self::ICmp(_) | Self::FCmp(_) => operand(0)?.with_lane(Type::BOOL),
            Self::Select => operand(1)?.clone(),
            Self::Cast(_, to) | Self::Load(to, _) | Self::VaArg(to) => to.clone(),
            Self::Call(call) | Self::Invoke { call, .. } => call.returns.clone(),
            Self::Alloca { of, space, .. } => {
                Type::Pointer { space: *space, to: typed.then(|| Arc::new(of.clone())) }
            }
            Self::GetElementPtr { element } => address(element, operands, definitions)?,
            Self::ExtractElement => match operand(0)? {
                Type::Vector { of, .. } => of.as_ref().clone(),
                _ => return None,
            },
            Self::InsertElement => operand(0)?.clone(),
            Self::ShuffleVector(mask, scalable) => match operand(0)? {
                Type::Vector { of, .. } => Type::Vector {
                    lanes: u32::try_from(mask.len()).ok()?,
                    scalable: *scalable,
                    of: of.clone(),
                },
                _ => return None,
            },
            Self::ExtractValue(path) => {
                let mut ty = operand(0)?.clone();
                for &index in path.iter() {
                    ty = field(&ty, u64::from(index), definitions)?;
                }
                ty
            }
            Self::InsertValue(_) => operand(0)?.clone(),
            Self::CmpXchg { .. } => {
                Type::Struct { fields: [operand(1)?.clone(), Type::BOOL].into(), packed: false }
            }
            Self::AtomicRmw { .. } => operand(1)?.clone(),
            Self::LandingPad { of, .. } => of.clone(),
            Self::Store(_)
            | Self::Fence(_)
            | Self::Return
            | Self::Branch(_)
            | Self::CondBranch(..)
            | Self::Switch { .. }
            | Self::IndirectBranch(_)
            | Self::Resume
            | Self::Unreachable => Type::Void,
        };
        Some(ty)
    }
}

/// The type of a field of a struct or of an element of an array.
pub fn field(aggregate: &Type, index: u64, definitions: Definitions<'_>) -> Option<Type> {
    match aggregate {
        Type::Struct { fields, .. } => fields.get(usize::try_from(index).ok()?).cloned(),
        Type::Array { of, .. } => Some(of.as_ref().clone()),
        Type::Named(name) => match definitions(name)? {
            Type::Named(_) => None,
            definition => field(definition, index, definitions),
        },
        _ => None,
    }
}

/// The type of `getelementptr`: a pointer, or a vector of them if the base or an index is a vector.
fn address(element: &Type, operands: &[Operand], definitions: Definitions<'_>) -> Option<Type> {
    let (base, indices) = operands.split_first()?;
    let Type::Pointer { space, to } = base.ty.lane() else { return None };
    let to = match to {
        None => None,
        Some(_) => {
            let mut ty = element.clone();
            for index in indices.iter().skip(1) {
                ty = match &ty {
                    Type::Vector { of, .. } | Type::Array { of, .. } => of.as_ref().clone(),
                    _ => field(&ty, constant_index(&index.value)?, definitions)?,
                };
            }
            Some(Arc::new(ty))
        }
    };
    let pointer = Type::Pointer { space: *space, to };
    let vector = operands.iter().map(|operand| &operand.ty).find(|ty| ty.is_vector());
    Some(vector.map_or(pointer.clone(), |vector| vector.with_lane(pointer)))
}

fn constant_index(value: &Value) -> Option<u64> {
    match value {
        Value::Constant(constant) => match constant.lane(0)? {
            Constant::Int(index) => u64::try_from(*index).ok(),
            Constant::Zero => Some(0),
            _ => None,
        },
        Value::Local(_) | Value::Metadata(_) => None,
    }
}
