//! Constants, printed for the type that they have.

use super::{Printer, number};
use crate::ir::{CastOp, Constant, ConstantExpression, Flags, Operand, Type, Value};

impl Printer<'_> {
    pub(super) fn constant(&mut self, constant: &Constant, ty: &Type) {
        match constant {
            Constant::Int(value) => match ty {
                Type::Int(width) => self.integer(*value, *width),
                _ => self.put(&value.to_string()),
            },
            Constant::Float(bits) => match ty {
                Type::Float(kind) => self.put(&number::float(*bits, *kind)),
                _ => self.put(&bits.to_string()),
            },
            Constant::Null => self.put("null"),
            Constant::Undef => self.put("undef"),
            Constant::Poison => self.put("poison"),
            Constant::Zero => self.put("zeroinitializer"),
            Constant::None => self.put("none"),
            Constant::Vector(lanes) => {
                self.put("<");
                self.elements(lanes, |_| Some(ty.lane()));
                self.put(">");
            }
            Constant::Splat(lane) => {
                self.put("splat (");
                self.elements(std::slice::from_ref(lane), |_| Some(ty.lane()));
                self.put(")");
            }
            Constant::Array(elements) => {
                self.put("[");
                let element =
                    if let Type::Array { of, .. } = ty { Some(of.as_ref()) } else { None };
                self.elements(elements, |_| element);
                self.put("]");
            }
            Constant::Struct(constants) => self.structure(constants, ty),
            Constant::Bytes(bytes) => self.bytes(bytes),
            Constant::Global(name) => self.name('@', name),
            Constant::Expression(expression) => self.expression(expression, ty),
            Constant::Text(text) => self.put(text),
        }
    }

    pub(super) fn integer(&mut self, value: u128, width: u32) {
        // Most numbers are small and not negative.
        match u8::try_from(value) {
            Ok(digit @ 0..=9) if width > 4 => self.text.push(char::from(b'0' + digit)),
            _ => self.put(&number::integer(value, width)),
        }
    }

    fn elements<'t>(&mut self, elements: &[Constant], ty: impl Fn(usize) -> Option<&'t Type>) {
        for (index, element) in elements.iter().enumerate() {
            self.put(if index == 0 { "" } else { ", " });
            // A module that was parsed or verified has all types.
            let ty = ty(index).unwrap_or(&Type::Void);
            self.ty(ty);
            self.put(" ");
            self.constant(element, ty);
        }
    }

    fn structure(&mut self, constants: &[Constant], ty: &Type) {
        let definition = match ty {
            Type::Named(name) => self.definitions.get(name.as_ref()).copied().unwrap_or(ty),
            _ => ty,
        };
        let definition = definition.clone();
        let (fields, packed): (&[Type], bool) = match &definition {
            Type::Struct { fields, packed } => (fields, *packed),
            _ => (&[], false),
        };
        self.put(if packed { "<{" } else { "{" });
        if !constants.is_empty() {
            self.put(" ");
            self.elements(constants, |field| fields.get(field));
            self.put(" ");
        }
        self.put(if packed { "}>" } else { "}" });
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.put("c\"");
        for &byte in bytes {
            match byte {
                b'"' | b'\\' => self.put(&format!("\\{byte:02X}")),
                b' '..=b'~' => self.text.push(char::from(byte)),
                _ => self.put(&format!("\\{byte:02X}")),
            }
        }
        self.put("\"");
    }

    fn expression(&mut self, expression: &ConstantExpression, ty: &Type) {
        let (opcode, predicate) = expression.op.split_once(' ').unwrap_or((&expression.op, ""));
        self.spaced(opcode);
        self.flags(expression.flags);
        self.spaced(predicate);
        // Before LLVM 19: the number of the operand that has the mark.
        let marked = expression.modifier.strip_prefix("inrange ").and_then(|it| it.parse().ok());
        if marked.is_none() {
            self.spaced(&expression.modifier);
        }
        self.put("(");
        if let Some(element) = &expression.element {
            self.ty(element);
            self.put(", ");
        }
        for (index, operand) in expression.operands.iter().enumerate() {
            self.put(if index == 0 { "" } else { ", " });
            self.put(if marked == Some(index) { "inrange " } else { "" });
            let Operand { ty, value } = operand;
            self.ty(ty);
            self.put(" ");
            if let Value::Constant(constant) = value {
                self.constant(constant, ty);
            }
        }
        if CastOp::of(&expression.op).is_some() {
            self.put(" to ");
            self.ty(ty);
        }
        self.put(")");
    }

    /// Flags, each with a space behind it.
    pub(super) fn flags(&mut self, mut flags: Flags) {
        if flags.is_empty() {
            return;
        }
        if flags.has(Flags::FAST) {
            self.put("fast ");
            flags = flags.without(Flags::FAST);
        }
        for (flag, word) in Flags::WORDS {
            if flags.has(flag) {
                self.spaced(word);
            }
        }
    }
}
