//! Calls that mutations insert: intrinsics with the types in their names, and unknown functions. The
//! declarations go to the module.

use std::sync::Arc;

use super::Subject;
use crate::ir::{
    Attributes, Call, Constant, Declaration, FloatKind, Header, Instruction, LocalId, Module, Op,
    Operand, Parameter, Type,
};

/// The name of a type in the name of an intrinsic: `i32`, `v4f32`, `p0`.
pub(super) fn mangled(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Int(width) => format!("i{width}"),
        Type::Float(kind) => match kind {
            FloatKind::Half => "f16",
            FloatKind::BFloat => "bf16",
            FloatKind::Float => "f32",
            FloatKind::Double => "f64",
            FloatKind::Fp128 => "f128",
            FloatKind::X86Fp80 | FloatKind::PpcFp128 => return None,
        }
        .to_owned(),
        Type::Pointer { space, to: None } => format!("p{space}"),
        Type::Vector { lanes, scalable, of } => {
            let prefix = if *scalable { "nxv" } else { "v" };
            format!("{prefix}{lanes}{}", mangled(of)?)
        }
        _ => return None,
    })
}

/// A call of a function with these types, which is declared if it is not yet. None if the name stands for
/// something else.
pub(super) fn call(
    module: &mut Module,
    name: &str,
    result: Option<(LocalId, Type)>,
    arguments: Vec<Operand>,
) -> Option<Instruction> {
    let returns = result.as_ref().map_or(Type::Void, |(_, ty)| ty.clone());
    let types: Vec<Type> = arguments.iter().map(|it| it.ty.clone()).collect();
    match module.header(name) {
        Some(header) => {
            let known = header.parameters.iter().map(|it| &it.ty);
            if header.returns != returns || !known.eq(&types) {
                return None;
            }
        }
        None => module.declarations.push(declaration(name, &returns, &types)),
    }
    let call = Call {
        tail: None,
        convention: None,
        return_attributes: Attributes::default(),
        space: None,
        returns,
        signature: None,
        argument_attributes: vec![Attributes::default(); arguments.len()],
        attributes: Attributes::default(),
        bundles: vec![],
        is_asm: false,
    };
    let mut operands = arguments;
    operands.push(Operand::constant(Type::POINTER, Constant::Global(name.into())));
    Some(Instruction::new(result.map(|it| it.0), Op::Call(Arc::new(call)), operands))
}

fn declaration(name: &str, returns: &Type, types: &[Type]) -> Declaration {
    let parameter = |ty: &Type| Parameter { ty: ty.clone(), attributes: Attributes::default() };
    Declaration {
        header: Header {
            name: name.into(),
            prefix: "".into(),
            return_attributes: Attributes::default(),
            returns: returns.clone(),
            parameters: types.iter().map(parameter).collect(),
            variadic: false,
            address: "".into(),
            attributes: Attributes::default(),
            suffix: "".into(),
            metadata: vec![],
        },
    }
}

impl Subject<'_> {
    /// A call of an unknown function that takes or returns values of a type: its name has the type in it.
    pub(super) fn unknown(
        &mut self,
        name: &str,
        returns: Option<(LocalId, Type)>,
        arguments: Vec<Operand>,
    ) -> Option<Instruction> {
        if self.module.has_typed_pointers {
            return None;
        }
        let mut full = name.to_owned();
        for ty in returns.iter().map(|it| &it.1).chain(arguments.iter().map(|it| &it.ty)) {
            full = format!("{full}.{}", mangled(ty)?);
        }
        call(self.module, &full, returns, arguments)
    }

    /// A call of an intrinsic whose name ends with the type of its result.
    pub(super) fn intrinsic(
        &mut self,
        name: &str,
        result: LocalId,
        ty: &Type,
        arguments: Vec<Operand>,
    ) -> Option<Instruction> {
        let full = format!("{name}.{}", mangled(ty)?);
        call(self.module, &full, Some((result, ty.clone())), arguments)
    }
}
