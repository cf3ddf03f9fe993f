//! Expressions. Operators inside operators get parentheses.

use super::{Printer, mark};
use crate::model::{AbiKind, CallKind, Expression, Kind, Message, Type, Unary, Version};

impl Printer<'_> {
    pub(super) fn list(&self, items: &[Expression], out: &mut String) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.expression(item, out);
        }
    }

    fn text(&self, it: &Expression) -> String {
        let mut out = String::new();
        self.expression(it, &mut out);
        out
    }

    pub(super) fn expression(&self, it: &Expression, out: &mut String) {
        match &it.kind {
            Kind::Literal { number, bare } => self.literal(*number, it.ty, *bare, out),
            Kind::Number(value) => {
                let ty = self.view.ty(it.ty);
                self.constant(*value, ty, true, out);
            }
            Kind::Text(bytes) => out.push_str(&quoted(bytes)),
            Kind::Local(id) => out.push_str(&format!("v{id}")),
            Kind::State(id) => out.push_str(&format!("s{id}")),
            Kind::Binary(op, parts) => {
                out.push('(');
                self.expression(&parts.0, out);
                out.push_str(&format!(" {} ", op.text()));
                self.expression(&parts.1, out);
                out.push(')');
            }
            Kind::Unary(op, inner) => {
                out.push_str(match op {
                    Unary::Minus => "(-",
                    Unary::Complement => "(~",
                    Unary::Not => "(!",
                });
                // `-` before `--x` would be read as `--` before `-x`.
                let inner = self.text(inner);
                out.push_str(if inner.starts_with('-') { " " } else { "" });
                out.push_str(&inner);
                out.push(')');
            }
            Kind::Cast(inner) if self.open => {
                self.type_name(it.ty, out);
                out.push('(');
                self.expression(inner, out);
                out.push(')');
            }
            Kind::Cast(inner) => {
                let (from, to) = (self.view.ty(inner.ty), self.view.ty(it.ty));
                out.push_str(&self.conversion(from, to, &self.text(inner)));
            }
            Kind::Conditional(parts) => {
                out.push('(');
                self.expression(&parts.0, out);
                out.push_str(" ? ");
                self.expression(&parts.1, out);
                out.push_str(" : ");
                self.expression(&parts.2, out);
                out.push(')');
            }
            Kind::Index(parts) => {
                self.expression(&parts.0, out);
                out.push('[');
                self.expression(&parts.1, out);
                out.push(']');
            }
            Kind::Field(base, index) => {
                self.expression(base, out);
                out.push_str(&format!(".m{index}"));
            }
            Kind::Length(base) => {
                let base = self.text(base);
                match self.view.ty(it.ty) {
                    _ if self.view.ty(length_of(it)) == Type::String => {
                        out.push_str(&format!("bytes({base}).length"));
                    }
                    _ => out.push_str(&format!("{base}.length")),
                }
            }
            Kind::Call { function, how, named, arguments } => {
                let mut skipped = 0;
                let how_called = self.view.call_kind(*how);
                if how_called == CallKind::Operator && !self.open {
                    let operators = &self.view.template.operators;
                    let op = operators.iter().find(|(_, _, id)| id == function);
                    if let (Some((_, op, _)), [left, right]) = (op, &arguments[..]) {
                        out.push('(');
                        self.expression(left, out);
                        out.push_str(&format!(" {} ", op.text()));
                        self.expression(right, out);
                        out.push(')');
                        return;
                    }
                }
                let closed = self.view.number(*named) == 2 && !self.open;
                out.push_str(if closed { "(" } else { "" });
                match self.placeholder(*how, 'C') {
                    Some(text) => out.push_str(&format!("{text}.")),
                    None => match self.view.call_kind(*how) {
                        CallKind::Attached if arguments.first().is_some_and(is_receiver) => {
                            self.expression(&arguments[0], out);
                            out.push('.');
                            skipped = 1;
                        }
                        CallKind::Internal | CallKind::Other | CallKind::Operator => {}
                        CallKind::This => out.push_str("this."),
                        CallKind::Super => out.push_str("super."),
                        CallKind::Base | CallKind::Library | CallKind::Attached => {
                            let declared = &self.view.template.functions[usize::from(*function)];
                            if let Some(contract) = declared.contract {
                                out.push_str(&format!("C{contract}."));
                            }
                        }
                    },
                }
                out.push_str(&self.view.function_name(*function));
                out.push_str(if closed { ")(" } else { "(" });
                if self.view.number(*named) == 1 && !self.open && arguments.len() > skipped {
                    self.named(arguments, skipped, out);
                } else {
                    self.list(&arguments[skipped..], out);
                }
                out.push(')');
            }
            Kind::CallOn { target, function, value, arguments } => {
                self.expression(target, out);
                out.push_str(&format!(".{}", self.view.function_name(*function)));
                if let Some(value) = value {
                    out.push_str(&self.options(value));
                }
                out.push('(');
                self.list(arguments, out);
                out.push(')');
            }
            Kind::New { contract, value, salt, arguments } => {
                match (value, salt) {
                    (Some(value), None) => {
                        let value = self.options(value);
                        // Before 0.7, options of a creation need parentheses.
                        if self.view.version() < Version::V7 {
                            out.push_str(&format!("(new C{contract}){value}"));
                        } else {
                            out.push_str(&format!("new C{contract}{value}"));
                        }
                    }
                    (None, Some(salt)) => {
                        out.push_str(&format!("new C{contract}{{salt: bytes32(uint256({salt}))}}"));
                    }
                    (Some(value), Some(salt)) => {
                        let value = self.text(value);
                        out.push_str(&format!(
                            "new C{contract}{{value: {value}, salt: bytes32(uint256({salt}))}}"
                        ));
                    }
                    (None, None) => out.push_str(&format!("new C{contract}")),
                }
                out.push('(');
                self.list(arguments, out);
                out.push(')');
            }
            Kind::Push(array, value) => {
                self.expression(array, out);
                out.push_str(".push(");
                if let Some(value) = value {
                    self.expression(value, out);
                }
                out.push(')');
            }
            Kind::Abi(kind, arguments) => {
                match kind {
                    AbiKind::Encode => out.push_str("abi.encode("),
                    AbiKind::Packed => out.push_str("abi.encodePacked("),
                    AbiKind::WithSelector(id) => {
                        let name = self.view.function_name(*id);
                        out.push_str(&format!("abi.encodeWithSelector(this.{name}.selector"));
                    }
                    AbiKind::WithSignature(id) => {
                        let types =
                            self.view.template.functions[usize::from(*id)].parameter_types();
                        let name = self.view.function_name(*id);
                        let signature = crate::abi::signature(self.view, &name, &types);
                        out.push_str(&format!("abi.encodeWithSignature(\"{signature}\""));
                    }
                    AbiKind::Call(id) => {
                        let name = self.view.function_name(*id);
                        out.push_str(&format!("abi.encodeCall(this.{name}, ("));
                    }
                }
                let follows = matches!(kind, AbiKind::WithSelector(_) | AbiKind::WithSignature(_));
                if follows && !arguments.is_empty() {
                    out.push_str(", ");
                }
                match kind {
                    AbiKind::Call(_) if !self.open => self.untyped(arguments, out),
                    _ => self.list(arguments, out),
                }
                out.push_str(if matches!(kind, AbiKind::Call(_)) { "))" } else { ")" });
            }
            Kind::Decode(inner) => {
                out.push_str("abi.decode(");
                self.expression(inner, out);
                out.push_str(", (");
                self.type_name(it.ty, out);
                out.push_str("))");
            }
            Kind::DecodeMany(inner, types) => {
                out.push_str("abi.decode(");
                self.expression(inner, out);
                out.push_str(", (");
                for (index, ty) in types.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    self.type_name(*ty, out);
                }
                out.push_str("))");
            }
            Kind::Getter { target, state, keys } => {
                match target {
                    Some(target) => self.expression(target, out),
                    None => out.push_str("this"),
                }
                out.push_str(&format!(".s{state}("));
                self.list(keys, out);
                out.push(')');
            }
            Kind::Keccak(inner) => {
                out.push_str("keccak256(");
                self.expression(inner, out);
                out.push(')');
            }
            Kind::NewArray(length) => {
                out.push_str("new ");
                self.type_name(it.ty, out);
                out.push('(');
                self.expression(length, out);
                out.push(')');
            }
            Kind::MakeStruct(fields) => {
                self.type_name(it.ty, out);
                out.push('(');
                self.list(fields, out);
                out.push(')');
            }
            Kind::MakeArray(items) => {
                out.push('[');
                self.list(items, out);
                out.push(']');
            }
            Kind::Assign(op, parts) => {
                self.expression(&parts.0, out);
                out.push_str(&format!(" {}= ", op.map_or("", |op| op.text())));
                self.expression(&parts.1, out);
            }
            Kind::Step { place, prefix, up } => {
                let sign = if *up { "++" } else { "--" };
                let place = self.text(place);
                out.push_str(&if *prefix {
                    format!("{sign}{place}")
                } else {
                    format!("{place}{sign}")
                });
            }
            Kind::Slice(parts) => {
                self.expression(&parts.0, out);
                out.push('[');
                if let Some(from) = &parts.1 {
                    self.expression(from, out);
                }
                out.push(':');
                if let Some(to) = &parts.2 {
                    self.expression(to, out);
                }
                out.push(']');
            }
            Kind::Concat(parts) => {
                self.type_name(it.ty, out);
                out.push_str(".concat(");
                self.list(parts, out);
                out.push(')');
            }
            Kind::Modular { multiply, operands } => {
                out.push_str(if *multiply { "mulmod(" } else { "addmod(" });
                self.expression(&operands.0, out);
                out.push_str(", ");
                self.expression(&operands.1, out);
                out.push_str(", ");
                self.expression(&operands.2, out);
                out.push(')');
            }
            Kind::Function(id, external) => {
                let name = self.view.function_name(*id);
                out.push_str(&if *external { format!("this.{name}") } else { name });
            }
            Kind::CallPointer(pointer, arguments) => {
                self.expression(pointer, out);
                out.push('(');
                self.list(arguments, out);
                out.push(')');
            }
            Kind::Selector(id) => {
                out.push_str(&format!("this.{}.selector", self.view.function_name(*id)));
            }
            Kind::SelectorOf(id, condition) => {
                out.push('(');
                self.expression(condition, out);
                out.push_str(&format!(" ? this : this).{}.selector", self.view.function_name(*id)));
            }
            Kind::Balance => out.push_str("address(this).balance"),
            Kind::Message { how, target, value, data } => {
                let target = target.as_ref().map_or_else(|| "this".to_owned(), |it| self.text(it));
                out.push_str(&format!("address({target})"));
                out.push_str(match how {
                    Message::Call => ".call",
                    Message::Static => ".staticcall",
                    Message::Delegate => ".delegatecall",
                });
                if let Some(value) = value {
                    out.push_str(&self.options(value));
                }
                out.push('(');
                self.expression(data, out);
                out.push(')');
            }
            Kind::MsgValue => out.push_str("msg.value"),
            Kind::This => out.push_str("this"),
        }
    }

    /// Arguments of a function that is known: a literal of `bytesN` needs no conversion.
    fn untyped(&self, arguments: &[Expression], out: &mut String) {
        for (index, it) in arguments.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            match (&it.kind, self.view.ty(it.ty)) {
                (Kind::Literal { number, bare: true }, Type::FixedBytes(bytes)) => {
                    let value = self.view.literal(*number, it.ty).to_be_bytes::<32>();
                    let digits = &value[..usize::from(bytes)];
                    out.push_str(&format!("hex\"{}\"", crate::interpret::Hex(digits)));
                }
                _ => self.expression(it, out),
            }
        }
    }

    /// Arguments by name, the last one first.
    fn named(&self, arguments: &[Expression], skipped: usize, out: &mut String) {
        out.push('{');
        for (index, argument) in arguments.iter().enumerate().skip(skipped).rev() {
            out.push_str(&format!("v{index}: "));
            self.expression(argument, out);
            out.push_str(if index > skipped { ", " } else { "}" });
        }
    }

    fn options(&self, value: &Expression) -> String {
        let value = self.text(value);
        match self.view.version() >= Version::V7 {
            true => format!("{{value: {value}}}"),
            false => format!(".value({value})"),
        }
    }

    pub(super) fn event(&self, id: u16) -> String {
        mark(&self.events, id);
        if let Some(event) = self.view.template.events.get(usize::from(id)) {
            self.mark_types(event.parameters.iter().map(|(ty, _)| *ty));
        }
        format!("Ev{id}")
    }

    pub(super) fn error(&self, id: u16) -> String {
        mark(&self.errors, id);
        if let Some(types) = self.view.template.errors.get(usize::from(id)) {
            self.mark_types(types.iter().copied());
        }
        format!("Er{id}")
    }

    fn mark_types(&self, types: impl Iterator<Item = u16>) {
        let mut unused = String::new();
        types.for_each(|ty| self.type_name(ty, &mut unused));
    }
}

/// A string literal.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'"' => out.push_str("\\\""),
            b'\n' => out.push_str("\\n"),
            b' '..=b'~' => out.push(char::from(*byte)),
            byte => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

/// Whether functions of a library can be called on this: literals have types of their own.
fn is_receiver(it: &Expression) -> bool {
    let has_own_type = matches!(
        it.kind,
        Kind::Text(_) | Kind::MakeArray(_) | Kind::Literal { .. } | Kind::Slice(_)
    );
    !it.is_bare() && !has_own_type
}

/// The type whose length is taken.
fn length_of(it: &Expression) -> u16 {
    match &it.kind {
        Kind::Length(base) => base.ty,
        _ => it.ty,
    }
}
