//! Attributes that only some types can have.

use super::{Problem, Verifier};
use crate::ir::{Attributes, Header, Type};

const OF_POINTERS: [&str; 21] = [
    "noalias",
    "nocapture",
    "captures",
    "nonnull",
    "readonly",
    "readnone",
    "writeonly",
    "writable",
    "dereferenceable",
    "dereferenceable_or_null",
    "byval",
    "byref",
    "sret",
    "inalloca",
    "preallocated",
    "nest",
    "swifterror",
    "nofree",
    "initializes",
    "dead_on_unwind",
    "elementtype",
];

impl Verifier<'_> {
    pub(super) fn header(&self, header: &Header) -> Result<(), Problem> {
        self.return_attributes(&header.return_attributes, &header.returns)?;
        for parameter in &header.parameters {
            self.parameter_attributes(&parameter.attributes, &parameter.ty)?;
            if !parameter.ty.is_first_class() && parameter.ty != Type::Metadata {
                return Err(Problem::Constant(parameter.ty.clone()));
            }
        }
        Ok(())
    }

    pub(super) fn return_attributes(
        &self,
        attributes: &Attributes,
        ty: &Type,
    ) -> Result<(), Problem> {
        if attributes.is_empty() { Ok(()) } else { self.parameter_attributes(attributes, ty) }
    }

    pub(super) fn parameter_attributes(
        &self,
        attributes: &Attributes,
        ty: &Type,
    ) -> Result<(), Problem> {
        for attribute in &attributes.0 {
            let name = attribute.name();
            let fits = match name {
                "align" => ty.lane().is_pointer(),
                "zeroext" | "signext" => ty.is_int(),
                "allocalign" => ty.is_int(),
                "range" => {
                    let argument = attribute.argument().unwrap_or("");
                    argument.split(' ').next() == Some(&*ty.lane().to_string())
                }
                "nofpclass" => is_float_or_made_of(ty),
                _ if OF_POINTERS.contains(&name) => ty.is_pointer(),
                _ => true,
            };
            if !fits {
                return Err(Problem::Attribute(name.into(), ty.clone()));
            }
        }
        Ok(())
    }
}

/// Floating-point numbers, vectors of them, and arrays and structs of those.
pub(super) fn is_float_or_made_of(ty: &Type) -> bool {
    match ty {
        Type::Array { of, .. } => is_float_or_made_of(of),
        Type::Struct { fields, .. } => fields.iter().all(is_float_or_made_of),
        _ => ty.lane().is_float(),
    }
}
