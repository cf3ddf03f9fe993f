//! Functions and declarations.

use super::Printer;
use crate::ir::{Attachment, Body, Code, Function, Header};

impl Printer<'_> {
    pub(super) fn function(&mut self, function: &Function) {
        let header = &function.header;
        self.put("define ");
        match &function.body {
            Body::Code(code) => {
                let names: Vec<&str> =
                    code.locals.iter().map(|local| local.name.as_ref()).collect();
                self.header(header, Some(&names));
            }
            Body::Opaque { parameters, .. } => {
                let names: Vec<&str> = parameters.iter().map(AsRef::as_ref).collect();
                self.header(header, Some(&names));
            }
        }
        for Attachment { name, node } in &header.metadata {
            self.put(&format!(" !{name} {node}"));
        }
        match &function.body {
            Body::Code(code) => self.code(code, header),
            Body::Opaque { text, .. } => {
                self.put(" ");
                self.put(text);
                self.put("\n");
            }
        }
    }

    pub(super) fn declaration(&mut self, header: &Header) {
        self.put("declare ");
        for Attachment { name, node } in &header.metadata {
            self.put(&format!("!{name} {node} "));
        }
        self.header(header, None);
        self.put("\n");
    }

    fn header(&mut self, header: &Header, names: Option<&[&str]>) {
        self.spaced(&header.prefix);
        self.spaced_attributes(&header.return_attributes);
        self.ty(&header.returns);
        self.put(" ");
        self.name('@', &header.name);
        self.put("(");
        for (index, parameter) in header.parameters.iter().enumerate() {
            self.put(if index == 0 { "" } else { ", " });
            self.ty(&parameter.ty);
            self.preceded_attributes(&parameter.attributes);
            if let Some(name) = names.and_then(|names| names.get(index)) {
                self.put(" ");
                self.name('%', name);
            }
        }
        if header.variadic {
            self.put(if header.parameters.is_empty() { "..." } else { ", ..." });
        }
        self.put(")");
        self.preceded(&header.address);
        self.preceded_attributes(&header.attributes);
        self.preceded(&header.suffix);
    }

    fn code(&mut self, code: &Code, header: &Header) {
        self.put(" {\n");
        for (index, block) in code.blocks.iter().enumerate() {
            self.put(if index == 0 { "" } else { "\n" });
            self.bare_name(&block.name);
            self.put(":\n");
            for instruction in &block.instructions {
                self.instruction(instruction, code, header);
            }
        }
        self.put("}\n");
    }
}
