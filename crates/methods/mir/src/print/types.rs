//! Types, constants and statics.

use super::super::program::Constant;
use super::super::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types};
use super::{Form, Printer};

/// The lifetime of references in a printed type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetime {
    Elided,
    Static,
    /// The lifetime parameter of a struct, enum or function.
    Parameter,
    /// The higher-ranked lifetime of a function pointer.
    HigherRanked,
}

impl Lifetime {
    fn name(self) -> &'static str {
        match self {
            Self::Elided => "",
            Self::Static => "'static",
            Self::Parameter => "'a",
            Self::HigherRanked => "'x",
        }
    }
}

impl Printer<'_> {
    /// The lifetime of a signature. If the return type has one, Rust must be able to infer it from a single
    /// parameter; else all references get the same `named` lifetime. rustc does not borrow-check MIR bodies.
    pub(super) fn signature_lifetime(
        &self,
        parameters: &[TypeId],
        returns: TypeId,
        named: Lifetime,
    ) -> Lifetime {
        let count = |of: TypeId| references(self.types, &self.has_lifetime, of);
        if count(returns) == 0 {
            return Lifetime::Elided;
        }
        match parameters.iter().map(|parameter| count(*parameter)).sum() {
            0 => Lifetime::Static,
            1 => Lifetime::Elided,
            _ => named,
        }
    }

    pub(super) fn of_type(&mut self, of: TypeId) {
        self.type_with_lifetime(of, Lifetime::Elided);
    }

    pub(super) fn type_with_lifetime(&mut self, of: TypeId, lifetime: Lifetime) {
        let types = self.types;
        match types.kind(of) {
            Kind::Bool => self.push("bool"),
            Kind::Char => self.push("char"),
            Kind::Int(int) => self.push(int.name()),
            Kind::Float(float) => self.push(float.name()),
            Kind::Tuple(parts) => {
                self.push("(");
                for (index, part) in parts.iter().enumerate() {
                    self.push(if index > 0 { ", " } else { "" });
                    self.type_with_lifetime(*part, lifetime);
                }
                self.push(if parts.len() == 1 { ",)" } else { ")" });
            }
            Kind::Array(element, length) => {
                self.push("[");
                self.type_with_lifetime(*element, lifetime);
                self.numbered("; ", *length as usize);
                self.push("]");
            }
            Kind::Adt(index) => {
                self.adt_name(*index);
                if self.has_lifetime[*index] && lifetime != Lifetime::Elided {
                    self.push("<");
                    self.push(lifetime.name());
                    self.push(">");
                }
            }
            Kind::Pointer { mutable, to } => {
                self.push(if *mutable { "*mut " } else { "*const " });
                self.type_with_lifetime(*to, lifetime);
            }
            Kind::Reference { mutable, to } => {
                self.push("&");
                self.push(lifetime.name());
                self.push(if lifetime == Lifetime::Elided { "" } else { " " });
                self.push(if *mutable { "mut " } else { "" });
                self.type_with_lifetime(*to, lifetime);
            }
            Kind::Slice(element) => {
                self.push("[");
                self.type_with_lifetime(*element, lifetime);
                self.push("]");
            }
            // The default would be `'static` in a box or behind a raw pointer, which a field of a variant cannot
            // have.
            Kind::Object(which) if lifetime == Lifetime::Parameter => {
                self.numbered("(dyn Tr", *which);
                self.push(" + 'a)");
            }
            Kind::Object(which) => self.numbered("dyn Tr", *which),
            Kind::Heap(to) => {
                self.push("Box<");
                self.type_with_lifetime(*to, lifetime);
                self.push(">");
            }
            Kind::Manual(inside) => {
                self.push("core::mem::ManuallyDrop<");
                self.type_with_lifetime(*inside, lifetime);
                self.push(">");
            }
            Kind::Function { parameters, returns } => {
                let lifetime =
                    self.signature_lifetime(parameters, *returns, Lifetime::HigherRanked);
                self.push(if lifetime == Lifetime::HigherRanked { "for<'x> fn(" } else { "fn(" });
                for (index, parameter) in parameters.iter().enumerate() {
                    self.push(if index > 0 { ", " } else { "" });
                    self.type_with_lifetime(*parameter, lifetime);
                }
                self.push(")");
                self.returns(*returns, lifetime);
            }
            Kind::Parameter(index) => self.numbered("T", *index),
            Kind::ArrayOf(element, index) => {
                self.push("[");
                self.type_with_lifetime(*element, lifetime);
                self.numbered("; N", *index);
                self.push("]");
            }
            Kind::Constant(index, _) => self.numbered("N", *index),
            Kind::Value(of, bits) => self.constant(Constant { of: *of, bits: (*bits).into() }),
        }
    }

    /// `-> T`, or nothing for `()`.
    pub(super) fn returns(&mut self, of: TypeId, lifetime: Lifetime) {
        if of != Types::UNIT {
            self.push(" -> ");
            self.type_with_lifetime(of, lifetime);
        }
    }

    pub(super) fn adt_name(&mut self, index: usize) {
        let letter = match self.types.adts[index].shape {
            Shape::Struct(_) => "S",
            Shape::Union(_) => "U",
            Shape::Enum(_) => "E",
        };
        self.numbered(letter, index);
    }

    pub(super) fn adt(&mut self, index: usize) {
        let types = self.types;
        let adt = &types.adts[index];
        self.gap();
        let copied = adt.destructor.is_none() && adt.parts().all(|part| types.is_copy(part));
        self.push(if copied { "#[derive(Clone, Copy)]\n" } else { "" });
        self.repr(adt);
        self.push(match adt.shape {
            Shape::Struct(_) => "pub struct ",
            Shape::Union(_) => "pub union ",
            Shape::Enum(_) => "pub enum ",
        });
        self.adt_name(index);
        self.push(if self.has_lifetime[index] { "<'a> {\n" } else { " {\n" });
        match &adt.shape {
            Shape::Struct(fields) | Shape::Union(fields) => {
                for (number, field) in fields.iter().enumerate() {
                    self.numbered("    f", number);
                    self.push(": ");
                    self.type_with_lifetime(*field, Lifetime::Parameter);
                    self.push(",\n");
                }
            }
            Shape::Enum(variants) => {
                for (number, variant) in variants.iter().enumerate() {
                    self.numbered("    V", number);
                    for (index, field) in variant.fields.iter().enumerate() {
                        self.push(if index > 0 { ", " } else { "(" });
                        self.type_with_lifetime(*field, Lifetime::Parameter);
                    }
                    self.push(if variant.fields.is_empty() { "" } else { ")" });
                    if let Some(discriminant) = variant.discriminant {
                        self.push(" = ");
                        self.text.signed(discriminant);
                    }
                    self.push(",\n");
                }
            }
        }
        self.push("}\n");
        if let Some(destructor) = adt.destructor {
            self.gap();
            self.push("impl Drop for ");
            self.adt_name(index);
            self.push(if self.has_lifetime[index] { "<'_>" } else { "" });
            self.push(" {\n    fn drop(&mut self) {\n");
            self.numbered("        f", destructor);
            self.push("(self)\n    }\n}\n");
        }
    }

    fn repr(&mut self, adt: &Adt) {
        match adt.repr {
            Repr::Rust => {}
            Repr::C => self.push("#[repr(C)]\n"),
            Repr::Transparent => self.push("#[repr(transparent)]\n"),
            Repr::Packed => self.push("#[repr(C, packed)]\n"),
            Repr::PackedTo(bytes) | Repr::RustPacked(bytes) => {
                let c = matches!(adt.repr, Repr::PackedTo(_));
                self.push(if c { "#[repr(C, " } else { "#[repr(" });
                self.numbered("packed(", bytes as usize);
                self.push("))]\n");
            }
            Repr::Align(bytes) | Repr::RustAlign(bytes) => {
                let c = matches!(adt.repr, Repr::Align(_));
                self.push(if c { "#[repr(C, " } else { "#[repr(" });
                self.numbered("align(", bytes as usize);
                self.push("))]\n");
            }
            Repr::Int(int) | Repr::CInt(int) => {
                let c = matches!(adt.repr, Repr::CInt(_));
                self.push(if c { "#[repr(C, " } else { "#[repr(" });
                self.push(int.name());
                self.push(")]\n");
            }
        }
    }

    pub(super) fn constant(&mut self, constant: Constant) {
        match self.types.kind(constant.of) {
            Kind::Bool => self.push(if constant.bits == 0 { "false" } else { "true" }),
            Kind::Char => self.text.char(constant.bits),
            Kind::Int(int) => {
                self.text.int(*int, constant.bits);
                self.push("_");
                self.push(int.name());
            }
            Kind::Float(float) => self.text.float(*float, constant.bits),
            Kind::Pointer { .. } => {
                let plain = self.form == Form::Surface;
                self.push(if plain { "(" } else { "const { " });
                self.text.int(Int::USIZE, constant.bits);
                self.push("_usize as ");
                self.of_type(constant.of);
                self.push(if plain { ")" } else { " }" });
            }
            _ => self.push("()"),
        }
    }

    pub(super) fn static_item(&mut self, index: usize) {
        let program = self.program;
        let one = &program.statics[index];
        self.gap();
        self.numbered(if one.mutable { "static mut G" } else { "static G" }, index);
        self.push(": ");
        self.of_type(one.of);
        self.push(" = ");
        self.value(one.of, &mut one.value.iter().copied());
        self.push(";\n");
    }

    /// A value built from its scalars, which are given in order.
    fn value(&mut self, of: TypeId, scalars: &mut dyn Iterator<Item = u128>) {
        let types = self.types;
        match types.kind(of) {
            Kind::Tuple(parts) => {
                self.push("(");
                for (index, part) in parts.iter().enumerate() {
                    self.push(if index > 0 { ", " } else { "" });
                    self.value(*part, scalars);
                }
                self.push(if parts.len() == 1 { ",)" } else { ")" });
            }
            Kind::Array(element, length) => {
                self.push("[");
                for index in 0..*length {
                    self.push(if index > 0 { ", " } else { "" });
                    self.value(*element, scalars);
                }
                self.push("]");
            }
            Kind::Adt(index) => {
                self.adt_name(*index);
                self.push(" {");
                for (number, field) in types.fields(of).iter().enumerate() {
                    self.numbered(if number > 0 { ", f" } else { " f" }, number);
                    self.push(": ");
                    self.value(*field, scalars);
                }
                self.push(" }");
            }
            _ => self.constant(Constant { of, bits: scalars.next().unwrap_or_default() }),
        }
    }
}

/// For each struct, union or enum, whether it or anything it points to contains references.
pub(super) fn has_lifetime(types: &Types) -> Vec<bool> {
    let has_lifetime =
        |index| types.find(&Kind::Adt(index)).is_some_and(|of| types.has_lifetime(of));
    (0..types.adts.len()).map(has_lifetime).collect()
}

/// The number of lifetimes in a type.
fn references(types: &Types, has_lifetime: &[bool], of: TypeId) -> usize {
    match types.kind(of) {
        Kind::Reference { to, .. } => 1 + references(types, has_lifetime, *to),
        Kind::Tuple(parts) => parts.iter().map(|part| references(types, has_lifetime, *part)).sum(),
        Kind::Array(to, _)
        | Kind::ArrayOf(to, _)
        | Kind::Slice(to)
        | Kind::Heap(to)
        | Kind::Manual(to)
        | Kind::Pointer { to, .. } => references(types, has_lifetime, *to),
        Kind::Adt(index) => usize::from(has_lifetime.get(*index) == Some(&true)),
        _ => 0,
    }
}
