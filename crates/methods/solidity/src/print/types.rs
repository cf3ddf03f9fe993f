//! Names of types, literals and explicit conversions.

use ruint::aliases::U256;

use super::{Printer, mark};
use crate::model::{Attribute, Length, Type, TypeId};
use crate::word;

impl Printer<'_> {
    pub(super) fn type_name(&self, id: TypeId, out: &mut String) {
        let declared = self.view.template.types.get(usize::from(id)).copied();
        match declared {
            Some(Type::Variable(variable)) if self.open => {
                out.push_str(&format!("\u{27e8}T{variable}\u{27e9}"));
            }
            Some(Type::Array(element, Length::Variable(variable))) if self.open => {
                self.type_name(element, out);
                out.push_str(
                    &self.placeholder(Attribute::Variable(variable), 'N').unwrap_or_default(),
                );
            }
            _ => match self.view.ty(id) {
                Type::Array(element, length) => {
                    self.type_name(element, out);
                    match length {
                        Length::Fixed(length) => out.push_str(&format!("[{length}]")),
                        Length::Dynamic | Length::Variable(_) => out.push_str("[]"),
                    }
                }
                Type::Mapping(key, value) => {
                    out.push_str("mapping(");
                    self.type_name(key, out);
                    out.push_str(" => ");
                    self.type_name(value, out);
                    out.push(')');
                }
                Type::Function(function, external) => self.pointer(function, external, out),
                ty => self.name(ty, out),
            },
        }
    }

    /// The type of a function.
    fn pointer(&self, id: u16, external: bool, out: &mut String) {
        let Some(function) = self.view.template.functions.get(usize::from(id)) else { return };
        let list = |locals: &[crate::model::Local], out: &mut String| {
            for (index, local) in locals.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                let memory = crate::model::Location::Memory.fixed();
                self.located(local.ty, if external { memory } else { local.location }, out);
            }
        };
        let parameters = usize::from(function.parameters);
        out.push_str("function(");
        list(&function.locals[..parameters], out);
        out.push_str(if external { ") external" } else { ") internal" });
        let mutability = self.view.mutability(function.mutability);
        // Internal functions cannot be payable.
        if external || mutability != crate::model::Mutability::Payable {
            super::word(out, self.mutability(function));
        }
        if function.returns > 0 {
            out.push_str(" returns (");
            list(&function.locals[parameters..parameters + usize::from(function.returns)], out);
            out.push(')');
        }
    }

    /// The name of a type that needs no other type.
    fn name(&self, ty: Type, out: &mut String) {
        out.push_str(&match ty {
            Type::Uint(bits) => format!("uint{bits}"),
            Type::Int(bits) => format!("int{bits}"),
            Type::FixedBytes(bytes) => format!("bytes{bytes}"),
            Type::Bool => "bool".to_owned(),
            Type::Fixed(which) => crate::abi::fraction(which).to_owned(),
            Type::Address => "address".to_owned(),
            Type::Bytes => "bytes".to_owned(),
            Type::String => "string".to_owned(),
            Type::Enum(which) => {
                mark(&self.enums, u16::from(which));
                format!("{}E{which}", self.home())
            }
            Type::Wrapper(which) => {
                mark(&self.wrappers, u16::from(which));
                format!("U{which}")
            }
            Type::Contract(which) => format!("C{which}"),
            Type::Struct(which) => {
                mark(&self.structs, u16::from(which));
                self.mark_fields(which);
                format!("{}S{which}", self.home())
            }
            Type::Array(..) | Type::Mapping(..) | Type::Function(..) | Type::Variable(_) => {
                String::new()
            }
        });
    }

    /// Before 0.6, structs and enums are declared in a contract.
    fn home(&self) -> &'static str {
        if self.view.version() < crate::model::Version::V6 { "T." } else { "" }
    }

    /// A struct that is used needs the types of its members.
    fn mark_fields(&self, which: u8) {
        let mut unused = String::new();
        for field in self.view.fields(which) {
            self.type_name(*field, &mut unused);
        }
    }

    /// A literal. A bare one takes its type from its surroundings.
    pub(super) fn literal(&self, number: u16, id: TypeId, bare: bool, out: &mut String) {
        if self.open {
            out.push_str(&format!("\u{27e8}#{number}\u{27e9}"));
            return;
        }
        self.constant(self.view.literal(number, id), self.view.ty(id), bare, out);
    }

    pub(super) fn constant(&self, value: U256, ty: Type, bare: bool, out: &mut String) {
        match ty {
            Type::Bool => out.push_str(if value.is_zero() { "false" } else { "true" }),
            Type::Address => out.push_str("address(0)"),
            Type::Contract(which) => out.push_str(&format!("C{which}(address(0))")),
            Type::Enum(which) => {
                self.name(ty, out);
                let _ = which;
                out.push_str(&format!(".M{value}"));
            }
            Type::Wrapper(_) => {
                self.name(ty, out);
                out.push_str(".wrap(");
                self.constant(value, self.view.underlying(ty), true, out);
                out.push(')');
            }
            Type::Fixed(which) => {
                let half = if value.bit(0) { 5 } else { 0 };
                let number = format!("{}.{half}", value >> 1);
                let name = crate::abi::fraction(which);
                out.push_str(&if bare { number } else { format!("{name}({number})") });
            }
            Type::FixedBytes(bytes) => {
                let digits = &value.to_be_bytes::<32>()[..usize::from(bytes)];
                out.push_str(&format!("bytes{bytes}(hex\"{}\")", crate::interpret::Hex(digits)));
            }
            Type::Int(bits) => {
                let negative = word::is_negative(value);
                let magnitude = if negative { U256::ZERO.wrapping_sub(value) } else { value };
                let sign = if negative { "-" } else { "" };
                out.push_str(&match (bare, negative) {
                    (false, _) => format!("int{bits}({sign}{magnitude})"),
                    (true, true) => format!("(-{magnitude})"),
                    (true, false) => format!("{magnitude}"),
                });
            }
            Type::Uint(bits) if !bare => out.push_str(&format!("uint{bits}({value})")),
            _ => out.push_str(&format!("{value}")),
        }
    }

    /// An explicit conversion, in as many steps as the language wants. The argument is printed by the caller.
    pub(super) fn conversion(&self, from: Type, to: Type, inner: &str) -> String {
        let path = steps(self.view.underlying(from), self.view.underlying(to));
        let mut text = match from {
            Type::Wrapper(which) => format!("U{which}.unwrap({inner})"),
            _ => inner.to_owned(),
        };
        for step in path {
            let mut name = String::new();
            self.name(step, &mut name);
            text = format!("{name}({text})");
        }
        match to {
            Type::Wrapper(which) => {
                mark(&self.wrappers, u16::from(which));
                format!("U{which}.wrap({text})")
            }
            _ => text,
        }
    }
}

/// The types that a value is converted to, one after the other.
fn steps(from: Type, to: Type) -> Vec<Type> {
    if from == to {
        return vec![to];
    }
    match (from, to) {
        (Type::Uint(_), Type::Uint(_))
        | (Type::Int(_), Type::Int(_))
        | (Type::FixedBytes(_), Type::FixedBytes(_)) => vec![to],
        (Type::Uint(from), Type::Int(bits)) | (Type::Int(from), Type::Uint(bits))
            if from == bits =>
        {
            vec![to]
        }
        (Type::Uint(_), Type::Int(bits)) => vec![Type::Uint(bits), to],
        (Type::Int(_), Type::Uint(bits)) => vec![Type::Int(bits), to],
        (Type::FixedBytes(bytes), Type::Uint(_) | Type::Int(_)) => {
            let middle = Type::Uint(u16::from(bytes) * 8);
            let mut path = vec![middle];
            if middle != to {
                path.extend(steps(middle, to));
            }
            path
        }
        (Type::Uint(_) | Type::Int(_), Type::FixedBytes(bytes)) => {
            let middle = Type::Uint(u16::from(bytes) * 8);
            let mut path = if from == middle { vec![] } else { steps(from, middle) };
            path.push(to);
            path
        }
        (Type::Enum(_), Type::Uint(_) | Type::Int(_)) => {
            let mut path = vec![Type::Uint(8)];
            if to != Type::Uint(8) {
                path.extend(steps(Type::Uint(8), to));
            }
            path
        }
        _ => vec![to],
    }
}
