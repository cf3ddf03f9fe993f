//! A module: what a file of IR holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::names::{Names, Place};
use super::{Constant, Function, Header, Type};

/// A module of LLVM IR.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The text inside the quotes of `target datalayout`.
    pub data_layout: Option<Arc<str>>,
    /// The text inside the quotes of `target triple`.
    pub triple: Option<Arc<str>>,
    /// Whether pointers have pointee types, as in LLVM 13 and 14.
    pub has_typed_pointers: bool,
    pub types: Vec<NamedType>,
    pub globals: Vec<Global>,
    pub aliases: Vec<Alias>,
    pub declarations: Vec<Declaration>,
    pub functions: Vec<Function>,
    /// Comdats, module assembly and named metadata, as written, one entry each.
    pub others: Vec<Arc<str>>,
    /// Numbered metadata nodes, as written behind the `=`.
    pub nodes: BTreeMap<u32, Arc<str>>,
    pub(crate) names: Names,
}

/// A named struct type; without a definition it is opaque.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedType {
    /// Without its `%`.
    pub name: Arc<str>,
    /// None if it is opaque.
    pub definition: Option<Type>,
}

/// A global variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Global {
    /// Without its `@`.
    pub name: Arc<str>,
    /// Linkage and so on, as written before `global` or `constant`.
    pub prefix: Arc<str>,
    pub is_constant: bool,
    pub ty: Type,
    pub space: u32,
    pub initialiser: Option<Constant>,
    pub align: Option<u64>,
    /// Section, comdat, metadata and so on, as written.
    pub suffix: Arc<str>,
}

/// An alias or an ifunc.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Alias {
    pub name: Arc<str>,
    /// What is written behind `=`.
    pub text: Arc<str>,
}

/// A function without a body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Declaration {
    pub header: Header,
}

impl Module {
    pub fn function(&self, name: &str) -> Option<&Function> {
        match self.names.place(self, name) {
            Some(Place::Defined(at)) => self.functions.get(at),
            Some(Place::Declared(_) | Place::Global(_)) => None,
            None => self.functions.iter().find(|function| function.name() == name),
        }
    }

    pub fn function_mut(&mut self, name: &str) -> Option<&mut Function> {
        self.functions.iter_mut().find(|function| function.name() == name)
    }

    pub fn global(&self, name: &str) -> Option<&Global> {
        match self.names.place(self, name) {
            Some(Place::Global(at)) => self.globals.get(at),
            Some(Place::Declared(_) | Place::Defined(_)) => None,
            None => self.globals.iter().find(|global| &*global.name == name),
        }
    }

    /// The header of a function of this name, defined or declared.
    pub fn header(&self, name: &str) -> Option<&Header> {
        match self.names.place(self, name) {
            Some(Place::Defined(at)) => return self.functions.get(at).map(|it| &it.header),
            Some(Place::Declared(at)) => return self.declarations.get(at).map(|it| &it.header),
            Some(Place::Global(_)) => return None,
            None => {}
        }
        let declared = || self.declarations.iter().map(|it| &it.header);
        let defined = self.functions.iter().map(|function| &function.header);
        defined.chain(declared()).find(|header| &*header.name == name)
    }

    /// The definition of a named type.
    pub fn definition(&self, name: &str) -> Option<&Type> {
        self.types.iter().find(|it| &*it.name == name)?.definition.as_ref()
    }
}
