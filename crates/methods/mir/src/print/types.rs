//! Types, constants and statics.

use super::super::program::Constant;
use super::super::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types};
use super::{Form, Printer};

/// Which lifetime references are written with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetime {
    Left,
    Static,
    /// That of a struct, enum or function.
    Own,
    /// That of the type of a function pointer.
    Any,
}

impl Lifetime {
    fn name(self) -> &'static str {
        match self {
            Self::Left => "",
            Self::Static => "'static",
            Self::Own => "'a",
            Self::Any => "'x",
        }
    }
}

impl Printer<'_> {
    /// Where something returned has a lifetime, it must be plain from which parameter it is. Where it is
    /// not, all have the same, a `named` one; nobody checks it in MIR.
    pub(super) fn signature_lifetime(
        &self,
        parameters: &[TypeId],
        returns: TypeId,
        named: Lifetime,
    ) -> Lifetime {
        let count = |of: TypeId| references(self.types, &self.lending, of);
        if count(returns) == 0 {
            return Lifetime::Left;
        }
        match parameters.iter().map(|parameter| count(*parameter)).sum() {
            0 => Lifetime::Static,
            1 => Lifetime::Left,
            _ => named,
        }
    }

    pub(super) fn of_type(&mut self, of: TypeId) {
        self.lived(of, Lifetime::Left);
    }

    pub(super) fn lived(&mut self, of: TypeId, lifetime: Lifetime) {
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
                    self.lived(*part, lifetime);
                }
                self.push(if parts.len() == 1 { ",)" } else { ")" });
            }
            Kind::Array(element, length) => {
                self.push("[");
                self.lived(*element, lifetime);
                self.numbered("; ", *length as usize);
                self.push("]");
            }
            Kind::Adt(index) => {
                self.adt_name(*index);
                if self.lending[*index] && lifetime != Lifetime::Left {
                    self.push("<");
                    self.push(lifetime.name());
                    self.push(">");
                }
            }
            Kind::Pointer { mutable, to } => {
                self.push(if *mutable { "*mut " } else { "*const " });
                self.lived(*to, lifetime);
            }
            Kind::Reference { mutable, to } => {
                self.push("&");
                self.push(lifetime.name());
                self.push(if lifetime == Lifetime::Left { "" } else { " " });
                self.push(if *mutable { "mut " } else { "" });
                self.lived(*to, lifetime);
            }
            Kind::Slice(element) => {
                self.push("[");
                self.lived(*element, lifetime);
                self.push("]");
            }
            // Else it would be `'static` in a box or behind a raw pointer, which a variant's field cannot be.
            Kind::Object(which) if lifetime == Lifetime::Own => {
                self.numbered("(dyn Tr", *which);
                self.push(" + 'a)");
            }
            Kind::Object(which) => self.numbered("dyn Tr", *which),
            Kind::Heap(to) => {
                self.push("Box<");
                self.lived(*to, lifetime);
                self.push(">");
            }
            Kind::Manual(inside) => {
                self.push("core::mem::ManuallyDrop<");
                self.lived(*inside, lifetime);
                self.push(">");
            }
            Kind::Function { parameters, returns } => {
                let lifetime = self.signature_lifetime(parameters, *returns, Lifetime::Any);
                self.push(if lifetime == Lifetime::Any { "for<'x> fn(" } else { "fn(" });
                for (index, parameter) in parameters.iter().enumerate() {
                    self.push(if index > 0 { ", " } else { "" });
                    self.lived(*parameter, lifetime);
                }
                self.push(")");
                self.returns(*returns, lifetime);
            }
            Kind::Parameter(index) => self.numbered("T", *index),
            Kind::ArrayOf(element, index) => {
                self.push("[");
                self.lived(*element, lifetime);
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
            self.lived(of, lifetime);
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
        self.push(if self.lending[index] { "<'a> {\n" } else { " {\n" });
        match &adt.shape {
            Shape::Struct(fields) | Shape::Union(fields) => {
                for (number, field) in fields.iter().enumerate() {
                    self.numbered("    f", number);
                    self.push(": ");
                    self.lived(*field, Lifetime::Own);
                    self.push(",\n");
                }
            }
            Shape::Enum(variants) => {
                for (number, variant) in variants.iter().enumerate() {
                    self.numbered("    V", number);
                    for (index, field) in variant.fields.iter().enumerate() {
                        self.push(if index > 0 { ", " } else { "(" });
                        self.lived(*field, Lifetime::Own);
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
            self.push(if self.lending[index] { "<'_>" } else { "" });
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

    /// A value made of scalars, which are given in order.
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

/// For each struct, union or enum, whether there are references in it, or in what it points to.
pub(super) fn lending(types: &Types) -> Vec<bool> {
    let lends = |index| types.find(&Kind::Adt(index)).is_some_and(|of| types.lends(of));
    (0..types.adts.len()).map(lends).collect()
}

/// How many lifetime there are in a type.
fn references(types: &Types, lending: &[bool], of: TypeId) -> usize {
    match types.kind(of) {
        Kind::Reference { to, .. } => 1 + references(types, lending, *to),
        Kind::Tuple(parts) => parts.iter().map(|part| references(types, lending, *part)).sum(),
        Kind::Array(to, _)
        | Kind::ArrayOf(to, _)
        | Kind::Slice(to)
        | Kind::Heap(to)
        | Kind::Manual(to)
        | Kind::Pointer { to, .. } => references(types, lending, *to),
        Kind::Adt(index) => usize::from(lending.get(*index) == Some(&true)),
        _ => 0,
    }
}
