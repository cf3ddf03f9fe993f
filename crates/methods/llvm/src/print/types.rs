//! Types and attributes.

use std::fmt::Write as _;

use super::Printer;
use crate::ir::{Attribute, Attributes, Type};

impl Printer<'_> {
    pub(super) fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Void => self.put("void"),
            Type::Int(width) => {
                let _ = write!(self.text, "i{width}");
            }
            Type::Float(kind) => self.put(kind.name()),
            Type::Pointer { space, to } => {
                match to {
                    Some(to) => self.ty(to),
                    None => self.put("ptr"),
                }
                if *space != 0 {
                    let _ = write!(self.text, " addrspace({space})");
                }
                if to.is_some() {
                    self.put("*");
                }
            }
            Type::Vector { lanes, scalable, of } => {
                let scalable = if *scalable { "vscale x " } else { "" };
                let _ = write!(self.text, "<{scalable}{lanes} x ");
                self.ty(of);
                self.put(">");
            }
            Type::Array { length, of } => {
                let _ = write!(self.text, "[{length} x ");
                self.ty(of);
                self.put("]");
            }
            Type::Struct { fields, packed } => {
                self.put(if *packed { "<{" } else { "{" });
                for (index, field) in fields.iter().enumerate() {
                    self.put(if index == 0 { " " } else { ", " });
                    self.ty(field);
                }
                self.put(if fields.is_empty() { "}" } else { " }" });
                self.put(if *packed { ">" } else { "" });
            }
            Type::Named(name) => self.name('%', name),
            Type::Function { returns, parameters, variadic } => {
                self.ty(returns);
                self.put(" (");
                for (index, parameter) in parameters.iter().enumerate() {
                    self.put(if index == 0 { "" } else { ", " });
                    self.ty(parameter);
                }
                if *variadic {
                    self.put(if parameters.is_empty() { "..." } else { ", ..." });
                }
                self.put(")");
            }
            Type::Label => self.put("label"),
            Type::Token => self.put("token"),
            Type::Metadata => self.put("metadata"),
            Type::Other(text) => self.put(text),
        }
    }

    pub(super) fn attributes(&mut self, attributes: &Attributes) {
        for (index, attribute) in attributes.0.iter().enumerate() {
            self.put(if index == 0 { "" } else { " " });
            match attribute {
                Attribute::Text(text) => self.put(text),
                Attribute::Typed(name, ty) => {
                    self.put(name);
                    self.put("(");
                    self.ty(ty);
                    self.put(")");
                }
            }
        }
    }

    /// Attributes with a space behind them, if there are any.
    pub(super) fn spaced_attributes(&mut self, attributes: &Attributes) {
        if !attributes.is_empty() {
            self.attributes(attributes);
            self.put(" ");
        }
    }

    /// Attributes with a space before them, if there are any.
    pub(super) fn preceded_attributes(&mut self, attributes: &Attributes) {
        if !attributes.is_empty() {
            self.put(" ");
            self.attributes(attributes);
        }
    }
}
