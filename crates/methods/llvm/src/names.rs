//! Visits the names of globals, named types, comdats and metadata nodes in every part of a module, in text
//! as well, and replaces those that the visitor has another name for.

use std::sync::Arc;

use crate::ir::{
    Alias, Attachment, Attribute, Attributes, Body, Call, Code, Constant, Function, Global, Header,
    Op, Operand, Type, Value,
};
use crate::parse::lexer::{Lexer, Token, is_name_byte};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Global,
    /// In the text of a function that could not be read, also locals.
    Type,
    /// The name is its number.
    Node,
    Comdat,
}

/// Called for every name; returns the name to put in its place, if it is to be replaced.
pub(crate) struct Names<'f>(pub(crate) &'f mut dyn FnMut(Kind, &str) -> Option<Arc<str>>);

impl Names<'_> {
    fn name(&mut self, kind: Kind, name: &mut Arc<str>) {
        if let Some(other) = (self.0)(kind, name) {
            *name = other;
        }
    }

    pub(crate) fn ty(&mut self, ty: &mut Type) {
        if !has_name(ty) {
            return;
        }
        match ty {
            Type::Named(name) => self.name(Kind::Type, name),
            Type::Pointer { to: Some(of), .. }
            | Type::Vector { of, .. }
            | Type::Array { of, .. } => {
                self.ty(Arc::make_mut(of));
            }
            Type::Struct { fields, .. } => self.types(fields),
            Type::Function { returns, parameters, .. } => {
                self.ty(Arc::make_mut(returns));
                self.types(parameters);
            }
            Type::Other(text) => self.text(text),
            Type::Void
            | Type::Int(_)
            | Type::Float(_)
            | Type::Pointer { to: None, .. }
            | Type::Label
            | Type::Token
            | Type::Metadata => {}
        }
    }

    fn types(&mut self, types: &mut Arc<[Type]>) {
        Arc::make_mut(types).iter_mut().for_each(|ty| self.ty(ty));
    }

    pub(crate) fn constant(&mut self, constant: &mut Constant) {
        match constant {
            Constant::Global(name) => self.name(Kind::Global, name),
            Constant::Text(text) => self.text(text),
            Constant::Vector(parts) | Constant::Array(parts) | Constant::Struct(parts)
                if parts.iter().any(may_have_name) =>
            {
                Arc::make_mut(parts).iter_mut().for_each(|part| self.constant(part));
            }
            Constant::Splat(lane) if may_have_name(lane) => self.constant(Arc::make_mut(lane)),
            Constant::Expression(expression) => {
                let expression = Arc::make_mut(expression);
                if let Some(element) = &mut expression.element {
                    self.ty(element);
                }
                self.operands(&mut expression.operands);
            }
            _ => {}
        }
    }

    fn operands(&mut self, operands: &mut [Operand]) {
        for operand in operands {
            self.ty(&mut operand.ty);
            match &mut operand.value {
                Value::Local(_) => {}
                Value::Constant(constant) => self.constant(constant),
                Value::Metadata(text) => self.text(text),
            }
        }
    }

    fn attributes(&mut self, attributes: &mut Attributes) {
        for attribute in &mut attributes.0 {
            if let Attribute::Typed(_, ty) = attribute {
                self.ty(ty);
            }
        }
    }

    fn attachments(&mut self, attachments: &mut [Attachment]) {
        for attachment in attachments {
            self.text(&mut attachment.node);
        }
    }

    fn call(&mut self, call: &mut Arc<Call>) {
        let is_named = |attributes: &Attributes| {
            attributes.0.iter().any(|it| matches!(it, Attribute::Typed(_, ty) if has_name(ty)))
        };
        let needs_visit = has_name(&call.returns)
            || call.signature.as_ref().is_some_and(has_name)
            || is_named(&call.return_attributes)
            || is_named(&call.attributes)
            || call.argument_attributes.iter().any(is_named);
        if !needs_visit {
            return;
        }
        let call = Arc::make_mut(call);
        self.ty(&mut call.returns);
        if let Some(signature) = &mut call.signature {
            self.ty(signature);
        }
        self.attributes(&mut call.return_attributes);
        self.attributes(&mut call.attributes);
        call.argument_attributes.iter_mut().for_each(|attributes| self.attributes(attributes));
    }

    fn code(&mut self, code: &mut Code) {
        for local in &mut code.locals {
            self.ty(&mut local.ty);
        }
        for instruction in code.instructions_mut() {
            self.operands(&mut instruction.operands);
            self.attachments(&mut instruction.metadata);
            match &mut instruction.op {
                Op::Cast(_, ty)
                | Op::Load(ty, _)
                | Op::VaArg(ty)
                | Op::Alloca { of: ty, .. }
                | Op::GetElementPtr { element: ty }
                | Op::LandingPad { of: ty, .. } => self.ty(ty),
                Op::Call(call) | Op::Invoke { call, .. } => self.call(call),
                _ => {}
            }
        }
    }

    pub(crate) fn header(&mut self, header: &mut Header) {
        // A comdat without a name has that of the function.
        if is_in_own_comdat(&header.suffix) {
            (self.0)(Kind::Comdat, &header.name);
        }
        self.name(Kind::Global, &mut header.name);
        self.ty(&mut header.returns);
        self.attributes(&mut header.return_attributes);
        self.attributes(&mut header.attributes);
        for parameter in &mut header.parameters {
            self.ty(&mut parameter.ty);
            self.attributes(&mut parameter.attributes);
        }
        self.text(&mut header.suffix);
        self.attachments(&mut header.metadata);
    }

    pub(crate) fn function(&mut self, function: &mut Function) {
        self.header(&mut function.header);
        match &mut function.body {
            Body::Code(code) => self.code(code),
            Body::Opaque { parameters, text, .. } => {
                self.text(text);
                parameters.iter_mut().for_each(|name| self.name(Kind::Type, name));
            }
        }
    }

    pub(crate) fn global(&mut self, global: &mut Global) {
        if is_in_own_comdat(&global.suffix) {
            (self.0)(Kind::Comdat, &global.name);
        }
        self.name(Kind::Global, &mut global.name);
        self.ty(&mut global.ty);
        if let Some(initialiser) = &mut global.initialiser {
            self.constant(initialiser);
        }
        self.text(&mut global.suffix);
    }

    pub(crate) fn alias(&mut self, alias: &mut Alias) {
        self.name(Kind::Global, &mut alias.name);
        self.text(&mut alias.text);
    }

    /// Names in text. Blocks in `blockaddress(@f, %block)` are not visited.
    pub(crate) fn text(&mut self, text: &mut Arc<str>) {
        if !text.contains(['@', '%', '!', '$']) {
            return;
        }
        let source = text.clone();
        let mut lexer = Lexer::new(&source);
        let (mut replaced, mut written) = (String::new(), 0);
        // How many tokens ago `blockaddress` was.
        let mut distance = u32::MAX;
        while lexer.token != Token::End {
            distance = distance.saturating_add(1);
            let found = match lexer.token {
                Token::Word("blockaddress") => {
                    distance = 0;
                    None
                }
                Token::Global(key) => Some((Kind::Global, key, '@')),
                Token::Comdat(key) => Some((Kind::Comdat, key, '$')),
                Token::Local(key) if distance != 4 => Some((Kind::Type, key, '%')),
                Token::Node(key) => Some((Kind::Node, &key[1..], '!')),
                _ => None,
            };
            if let Some((kind, key, mark)) = found {
                let is_quoted = kind != Kind::Node && key.starts_with('"');
                let name = if is_quoted { key.trim_matches('"') } else { key };
                if let Some(other) = (self.0)(kind, name) {
                    replaced.push_str(lexer.slice(written, lexer.start));
                    replaced.push(mark);
                    let is_plain =
                        kind == Kind::Node || (!is_quoted && other.bytes().all(is_name_byte));
                    let quote = if is_plain { "" } else { "\"" };
                    replaced.extend([quote, &other, quote]);
                    written = lexer.end;
                }
            }
            lexer.advance();
        }
        if written > 0 {
            replaced.push_str(lexer.slice(written, source.len()));
            *text = replaced.into();
        }
    }
}

/// Whether `comdat` is written without a name.
fn is_in_own_comdat(suffix: &str) -> bool {
    suffix.split("comdat").skip(1).any(|behind| !behind.starts_with('('))
}

pub(crate) fn has_name(ty: &Type) -> bool {
    match ty {
        Type::Named(_) => true,
        Type::Pointer { to: Some(of), .. } | Type::Vector { of, .. } | Type::Array { of, .. } => {
            has_name(of)
        }
        Type::Struct { fields, .. } => fields.iter().any(has_name),
        Type::Function { returns, parameters, .. } => {
            has_name(returns) || parameters.iter().any(has_name)
        }
        Type::Other(text) => text.contains('%'),
        Type::Void
        | Type::Int(_)
        | Type::Float(_)
        | Type::Pointer { to: None, .. }
        | Type::Label
        | Type::Token
        | Type::Metadata => false,
    }
}

fn may_have_name(constant: &Constant) -> bool {
    match constant {
        Constant::Global(_) | Constant::Text(_) | Constant::Expression(_) => true,
        Constant::Vector(parts) | Constant::Array(parts) | Constant::Struct(parts) => {
            parts.iter().any(may_have_name)
        }
        Constant::Splat(lane) => may_have_name(lane),
        Constant::Int(_)
        | Constant::Float(_)
        | Constant::Null
        | Constant::Undef
        | Constant::Poison
        | Constant::Zero
        | Constant::None
        | Constant::Bytes(_) => false,
    }
}
