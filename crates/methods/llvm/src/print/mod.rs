//! Prints modules in LLVM's own form, readable by the version whose text was parsed. Attribute groups are
//! written in place, unnamed values have names, comments are not printed.
//!
//! Law: parsing what is printed gives the same module, for every module that was parsed.

mod constant;
mod function;
mod instruction;
mod number;
mod types;

use std::fmt;

use foldhash::{HashMap, HashMapExt};

use crate::ir::{Attributes, Function, Global, Module, Type};
use crate::parse::lexer::is_name_byte;
use crate::parse::survey::TYPED_POINTERS;

/// The text so far, and the definitions of types that constants of named types are printed with.
#[derive(Debug)]
pub(crate) struct Printer<'m> {
    text: String,
    definitions: HashMap<&'m str, &'m Type>,
}

/// Attributes with spaces between them.
pub(crate) fn attributes(attributes: &Attributes) -> String {
    let mut printer = Printer { text: String::new(), definitions: HashMap::new() };
    printer.attributes(attributes);
    printer.text
}

impl Module {
    /// The whole module as text.
    pub fn text(&self) -> String {
        let mut printer = Printer::new(self);
        printer.module(self);
        printer.text
    }

    /// One function as text, without what it refers to.
    pub fn text_of(&self, function: &Function) -> String {
        let mut printer = Printer::new(self);
        printer.function(function);
        printer.text
    }
}

impl fmt::Display for Module {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { text: String::new(), definitions: HashMap::new() };
        printer.ty(self);
        formatter.write_str(&printer.text)
    }
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module) -> Self {
        let definition =
            |it: &'m crate::ir::NamedType| Some((it.name.as_ref(), it.definition.as_ref()?));
        Self {
            text: String::with_capacity(256 * module.functions.len() + 256),
            definitions: module.types.iter().filter_map(definition).collect(),
        }
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A part and the space behind it, unless it is empty.
    fn spaced(&mut self, part: &str) {
        if !part.is_empty() {
            self.put(part);
            self.put(" ");
        }
    }

    /// A space and a part behind it, unless it is empty.
    fn preceded(&mut self, part: &str) {
        if !part.is_empty() {
            self.put(" ");
            self.put(part);
        }
    }

    /// A name behind its mark, in quotes where it needs them.
    fn name(&mut self, mark: char, name: &str) {
        self.text.push(mark);
        self.bare_name(name);
    }

    fn bare_name(&mut self, name: &str) {
        let begins_plain = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
        if begins_plain && name.bytes().all(is_name_byte) {
            self.put(name);
        } else {
            self.put("\"");
            self.put(name);
            self.put("\"");
        }
    }

    fn module(&mut self, module: &'m Module) {
        if module.has_typed_pointers {
            self.put(TYPED_POINTERS);
        }
        if let Some(layout) = &module.data_layout {
            self.put(&format!("target datalayout = \"{layout}\"\n"));
        }
        if let Some(triple) = &module.triple {
            self.put(&format!("target triple = \"{triple}\"\n"));
        }
        for named in &module.types {
            self.name('%', &named.name);
            self.put(" = type ");
            match &named.definition {
                Some(ty) => self.ty(ty),
                None => self.put("opaque"),
            }
            self.put("\n");
        }
        for other in &module.others {
            self.put(other);
            self.put("\n");
        }
        for global in &module.globals {
            self.global(global);
        }
        for alias in &module.aliases {
            self.name('@', &alias.name);
            self.put(" = ");
            self.put(&alias.text);
            self.put("\n");
        }
        for function in &module.functions {
            self.put("\n");
            self.function(function);
        }
        for declaration in &module.declarations {
            self.put("\n");
            self.declaration(&declaration.header);
        }
        for (number, node) in &module.nodes {
            self.put(&format!("!{number} = {node}\n"));
        }
    }

    fn global(&mut self, global: &Global) {
        self.name('@', &global.name);
        self.put(" = ");
        // The address space stands before this word.
        let (prefix, last) = match global.prefix.strip_suffix("externally_initialized") {
            Some(prefix) => (prefix.trim_end(), "externally_initialized"),
            None => (global.prefix.as_ref(), ""),
        };
        self.spaced(prefix);
        if global.space != 0 {
            self.put(&format!("addrspace({}) ", global.space));
        }
        self.spaced(last);
        self.put(if global.is_constant { "constant " } else { "global " });
        self.ty(&global.ty);
        if let Some(initialiser) = &global.initialiser {
            self.put(" ");
            self.constant(initialiser, &global.ty);
        }
        self.put(&global.suffix_with_alignment());
        self.put("\n");
    }
}

impl Global {
    /// The alignment stands before the other parts, because attributes must be last.
    fn suffix_with_alignment(&self) -> String {
        match self.align {
            Some(align) => format!(", align {align}{}", self.suffix),
            None => self.suffix.to_string(),
        }
    }
}
