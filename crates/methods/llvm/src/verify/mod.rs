//! Checks that a module obeys the rules of IR as far as the model knows them: types of operands and results,
//! dominance, phis, terminators, signatures of calls. What LLVM accepts is accepted; what LLVM rejects for
//! other reasons (module flags, rules of `musttail`, most metadata) is not found here.
//!
//! Functions that could not be read are not checked.

mod attribute;
mod call;
mod cast;
mod constant;
mod function;
mod instruction;
mod memory;
mod newer;
mod problem;

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use crate::ir::{Body, Function, Header, Module, Type};

pub use problem::{Invalid, Problem};

/// What a name of the module stands for.
#[derive(Clone, Copy, Debug)]
enum Named<'m> {
    Function(&'m Header),
    Variable {
        ty: &'m Type,
        space: u32,
    },
    /// An alias or an item that could not be read.
    Text,
}

/// Checks the functions of one module.
#[derive(Debug)]
pub struct Verifier<'m> {
    module: &'m Module,
    names: HashMap<&'m str, Named<'m>>,
    definitions: HashMap<&'m str, &'m Type>,
}

impl Module {
    /// The first violation of a rule.
    pub fn verify(&self) -> Result<(), Invalid> {
        let verifier = Verifier::new(self);
        verifier.globals()?;
        self.functions.iter().try_for_each(|function| verifier.function(function))
    }
}

impl<'m> Verifier<'m> {
    pub fn new(module: &'m Module) -> Self {
        let mut names = HashMap::new();
        for other in &module.others {
            if let Some(name) = crate::extract::defined_by_text(other) {
                names.insert(name, Named::Text);
            }
        }
        names.extend(module.aliases.iter().map(|it| (&*it.name, Named::Text)));
        for global in &module.globals {
            names.insert(&global.name, Named::Variable { ty: &global.ty, space: global.space });
        }
        let declared = module.declarations.iter().map(|it| &it.header);
        let headers = declared.chain(module.functions.iter().map(|it| &it.header));
        names.extend(headers.map(|header| (&*header.name, Named::Function(header))));
        let definition =
            |it: &'m crate::ir::NamedType| Some((it.name.as_ref(), it.definition.as_ref()?));
        let definitions = module.types.iter().filter_map(definition).collect();
        Self { module, names, definitions }
    }

    /// Checks names and initialisers of globals.
    pub fn globals(&self) -> Result<(), Invalid> {
        let module = self.module;
        let mut seen: HashMap<&str, ()> = HashMap::new();
        let variables = module.globals.iter().map(|it| &it.name);
        let aliases = module.aliases.iter().map(|it| &it.name);
        let declared = module.declarations.iter().map(|it| &it.header.name);
        let defined = module.functions.iter().map(|it| &it.header.name);
        for name in variables.chain(aliases).chain(declared).chain(defined) {
            if seen.insert(name, ()).is_some() {
                return Err(Invalid::in_item(name, Problem::DefinedTwice(name.clone())));
            }
        }
        for global in &module.globals {
            if let Some(initialiser) = &global.initialiser {
                let result = self.constant(initialiser, &global.ty);
                result.map_err(|problem| Invalid::in_item(&global.name, problem))?;
            }
        }
        Ok(())
    }

    /// Checks one function, which need not be in the module; what it refers to must be.
    pub fn function(&self, function: &Function) -> Result<(), Invalid> {
        let header = &function.header;
        let result = self.header(header);
        result.map_err(|problem| Invalid::in_item(&header.name, problem))?;
        match &function.body {
            Body::Code(code) => function::check(self, header, code),
            Body::Opaque { .. } => Ok(()),
        }
    }

    fn definition(&self, name: &str) -> Option<&'m Type> {
        self.definitions.get(name).copied()
    }

    /// The type with its definition in its place, if it is named.
    fn resolved<'t>(&self, ty: &'t Type) -> &'t Type
    where
        'm: 't,
    {
        match ty {
            Type::Named(name) => self.definition(name).unwrap_or(ty),
            _ => ty,
        }
    }

    /// Whether values of a type have a size, so that memory can hold them.
    fn is_sized(&self, ty: &Type) -> bool {
        match ty {
            Type::Int(_) | Type::Float(_) | Type::Pointer { .. } | Type::Vector { .. } => true,
            Type::Other(_) => true,
            Type::Array { of, .. } => self.is_sized(of),
            Type::Struct { fields, .. } => fields.iter().all(|field| self.is_sized(field)),
            Type::Named(name) => self
                .definition(name)
                .is_some_and(|ty| matches!(ty, Type::Named(_)) || self.is_sized(ty)),
            Type::Void | Type::Function { .. } | Type::Label | Type::Token | Type::Metadata => {
                false
            }
        }
    }

    /// Whether a global of this name exists, or need not.
    fn lookup(&self, name: &Arc<str>) -> Result<Named<'m>, Problem> {
        self.names.get(&**name).copied().ok_or_else(|| Problem::UnknownGlobal(name.clone()))
    }
}
