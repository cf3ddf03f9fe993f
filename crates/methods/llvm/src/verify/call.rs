//! Calls: arguments against the function type that is written, intrinsics against their declarations.

use super::instruction::equal;
use super::{Named, Problem, Verifier};
use crate::ir::{Call, Constant, Header, Operand, Type, Value};

impl Verifier<'_> {
    pub(super) fn call(&self, call: &Call, operands: &[Operand]) -> Result<(), Problem> {
        let bundled: usize = call.bundles.iter().map(|(_, count)| count).sum();
        let expected = call.arguments() + bundled + 1;
        if operands.len() != expected {
            return Err(Problem::OperandCount { expected, found: operands.len() });
        }
        let (arguments, callee) = (&operands[..call.arguments()], &operands[expected - 1]);
        let space = call.space.unwrap_or(0);
        if !matches!(callee.ty, Type::Pointer { space: actual, .. } if actual == space) {
            let (operand, found) = (expected - 1, callee.ty.clone());
            return Err(Problem::OperandType { operand, expected: "a pointer to code", found });
        }
        if let Some(signature) = &call.signature {
            let Type::Function { returns, parameters, variadic } = signature else {
                return Err(Problem::Signature);
            };
            let types = arguments.iter().map(|argument| &argument.ty);
            let is_prefix = parameters.iter().eq(types.take(parameters.len()));
            let has_rest = arguments.len() > parameters.len();
            if **returns != call.returns || !is_prefix || (has_rest && !variadic) {
                return Err(Problem::Signature);
            }
        }
        if let Type::Pointer { to: Some(to), .. } = &callee.ty
            && let (None, Type::Function { parameters, .. }) = (&call.signature, to.as_ref())
        {
            let types = arguments.iter().map(|argument| &argument.ty);
            if !parameters.iter().eq(types) {
                return Err(Problem::Signature);
            }
        }
        self.return_attributes(&call.return_attributes, &call.returns)?;
        for (attributes, argument) in call.argument_attributes.iter().zip(arguments) {
            self.parameter_attributes(attributes, &argument.ty)?;
        }
        match &callee.value {
            Value::Constant(Constant::Global(name)) if name.starts_with("llvm.") => {
                match self.lookup(name)? {
                    Named::Function(header) => intrinsic(header, call, arguments),
                    Named::Variable { .. } | Named::Text => Ok(()),
                }
            }
            // Only intrinsics take and return such values.
            _ => {
                let types = arguments.iter().map(|argument| &argument.ty);
                let is_special = |ty: &Type| matches!(ty, Type::Token | Type::Metadata);
                let is_plain = !types.chain([&call.returns]).any(is_special);
                if is_plain { Ok(()) } else { Err(Problem::Signature) }
            }
        }
    }
}

/// Intrinsics are called as they are declared; some arguments are constants.
fn intrinsic(header: &Header, call: &Call, arguments: &[Operand]) -> Result<(), Problem> {
    equal(&call.returns, &header.returns)?;
    let count = header.parameters.len();
    if arguments.len() < count || (arguments.len() > count && !header.variadic) {
        return Err(Problem::Signature);
    }
    for (index, (parameter, argument)) in header.parameters.iter().zip(arguments).enumerate() {
        equal(&parameter.ty, &argument.ty)?;
        let is_immediate = matches!(
            argument.value,
            Value::Constant(
                Constant::Int(_) | Constant::Float(_) | Constant::Zero | Constant::Text(_)
            )
        );
        if parameter.attributes.has("immarg") && !is_immediate {
            return Err(Problem::Immediate(index));
        }
    }
    Ok(())
}
