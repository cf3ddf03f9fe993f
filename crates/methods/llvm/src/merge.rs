//! Puts many modules into one. Names get a suffix per module, so that nothing conflicts; only intrinsics and
//! functions that LLVM knows by name keep theirs, and their declarations are shared. Where those differ in attributes,
//! `library_calls` moves these to the calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use crate::debug_info::DebugInfo;
use crate::ir::{Header, Module};
use crate::library::is_known_by_name;
use crate::library_calls::{contested, move_to_calls};
use crate::names::{Kind, Names};

/// Many modules in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    pub module: Module,
    /// What each module that is in it became.
    pub parts: Vec<Part>,
    /// The modules that do not fit together with those before them.
    pub left_out: Vec<(usize, Misfit)>,
}

/// One of the merged modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which of the modules it is.
    pub index: usize,
    /// What its functions, variables and aliases are called now, by their own names.
    pub names: BTreeMap<Arc<str>, Arc<str>>,
}

/// Why a module cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    #[error("another data layout")]
    DataLayout,
    #[error("another target triple")]
    Triple,
    #[error("typed and opaque pointers")]
    Pointers,
    #[error("another declaration of {0}")]
    Declaration(Arc<str>),
    #[error("another definition of {0}, which cannot be renamed")]
    Definition(Arc<str>),
}

/// What a name that cannot be changed stands for so far.
enum Kept {
    Declared(Header),
    Defined,
}

impl Module {
    /// All modules in one, with a data layout and a triple that they must share. Debug information, named
    /// metadata and module assembly are left out.
    pub fn merge(modules: &[&Self]) -> Merged {
        let mut module = Self::default();
        if let Some(first) = modules.first() {
            module.data_layout.clone_from(&first.data_layout);
            module.triple.clone_from(&first.triple);
            module.has_typed_pointers = first.has_typed_pointers;
        }
        let mut merged = Merged { module, parts: vec![], left_out: vec![] };
        let mut kept: HashMap<Arc<str>, Kept> = HashMap::new();
        let mut next_node = 0;
        let contested = contested(modules);
        for (index, module) in modules.iter().enumerate() {
            let (mut renamed, names) = renamed(module, index, next_node);
            move_to_calls(&mut renamed, &contested);
            match misfit(&renamed, &merged.module, &kept) {
                Some(misfit) => merged.left_out.push((index, misfit)),
                None => {
                    next_node = renamed.nodes.keys().next_back().map_or(next_node, |it| it + 1);
                    append(&mut merged.module, renamed, &mut kept);
                    merged.parts.push(Part { index, names });
                }
            }
        }
        merged
    }
}

/// A copy with its own names, and what its names became.
fn renamed(
    module: &Module,
    index: usize,
    first_node: u32,
) -> (Module, BTreeMap<Arc<str>, Arc<str>>) {
    let mut copy = module.clone();
    let debug_info = DebugInfo(&module.nodes);
    copy.functions.iter_mut().for_each(|it| debug_info.strip_function(it));
    copy.globals.iter_mut().for_each(|it| debug_info.strip_global(it));
    copy.declarations.iter_mut().for_each(|it| debug_info.strip_header(&mut it.header));
    // Of the others, only comdats and functions that could not be read are needed.
    copy.others.retain(|it| !it.starts_with('!') && !it.starts_with("module"));
    let types: HashMap<&str, ()> = module.types.iter().map(|it| (&*it.name, ())).collect();
    let numbers: HashMap<u32, u32> =
        (first_node..).zip(module.nodes.keys()).map(|(number, old)| (*old, number)).collect();
    let mut names = BTreeMap::new();
    let mut renames: HashMap<Arc<str>, Arc<str>> = HashMap::new();
    let mut replacement = |kind: Kind, name: &str| match kind {
        Kind::Global | Kind::Comdat if is_known_by_name(name) => None,
        Kind::Type if !types.contains_key(name) => None,
        Kind::Global | Kind::Comdat | Kind::Type => {
            if let Some(known) = renames.get(name) {
                return Some(known.clone());
            }
            let other: Arc<str> = format!("{name}.{index}").into();
            renames.insert(name.into(), other.clone());
            Some(other)
        }
        Kind::Node => numbers.get(&name.parse().ok()?).map(|number| number.to_string().into()),
    };
    let mut visitor = Names(&mut replacement);
    for function in &mut copy.functions {
        let old = function.header.name.clone();
        visitor.function(function);
        names.insert(old, function.header.name.clone());
    }
    for declaration in &mut copy.declarations {
        let old = declaration.header.name.clone();
        visitor.header(&mut declaration.header);
        names.insert(old, declaration.header.name.clone());
    }
    for global in &mut copy.globals {
        let old = global.name.clone();
        visitor.global(global);
        names.insert(old, global.name.clone());
    }
    for alias in &mut copy.aliases {
        let old = alias.name.clone();
        visitor.alias(alias);
        names.insert(old, alias.name.clone());
    }
    copy.others.iter_mut().for_each(|text| visitor.text(text));
    for named in &mut copy.types {
        if let Some(definition) = &mut named.definition {
            visitor.ty(definition);
        }
        let mut name = crate::ir::Type::Named(named.name.clone());
        visitor.ty(&mut name);
        if let crate::ir::Type::Named(name) = name {
            named.name = name;
        }
    }
    let nodes = std::mem::take(&mut copy.nodes);
    for (old, mut text) in nodes {
        debug_info.strip_text(&mut text);
        visitor.text(&mut text);
        copy.nodes.extend(numbers.get(&old).map(|number| (*number, text)));
    }
    (copy, names)
}

/// Why a module with its new names does not fit to those before it.
fn misfit(module: &Module, merged: &Module, kept: &HashMap<Arc<str>, Kept>) -> Option<Misfit> {
    if module.data_layout != merged.data_layout {
        return Some(Misfit::DataLayout);
    }
    if module.triple != merged.triple {
        return Some(Misfit::Triple);
    }
    if module.has_typed_pointers != merged.has_typed_pointers {
        return Some(Misfit::Pointers);
    }
    for declaration in &module.declarations {
        let header = &declaration.header;
        match kept.get(&header.name) {
            Some(Kept::Declared(other)) if !agree(header, other) => {
                return Some(Misfit::Declaration(header.name.clone()));
            }
            Some(Kept::Defined) => return Some(Misfit::Definition(header.name.clone())),
            Some(Kept::Declared(_)) | None => {}
        }
    }
    defined_names(module).find(|name| kept.contains_key(*name)).cloned().map(Misfit::Definition)
}

/// Names of definitions that kept their names.
fn defined_names(module: &Module) -> impl Iterator<Item = &Arc<str>> {
    let functions = module.functions.iter().map(|it| &it.header.name);
    let globals = module.globals.iter().map(|it| &it.name);
    let aliases = module.aliases.iter().map(|it| &it.name);
    functions.chain(globals).chain(aliases).filter(|name| is_known_by_name(name))
}

/// Whether two declarations can be one. The attributes of an intrinsic are LLVM's, whatever is written.
fn agree(a: &Header, b: &Header) -> bool {
    if !a.name.starts_with("llvm.") {
        return a == b;
    }
    let types = |header: &Header| -> Vec<_> {
        header.parameters.iter().map(|parameter| parameter.ty.clone()).collect()
    };
    a.returns == b.returns && a.variadic == b.variadic && types(a) == types(b)
}

fn append(merged: &mut Module, mut module: Module, kept: &mut HashMap<Arc<str>, Kept>) {
    let defined: Vec<Arc<str>> = defined_names(&module).cloned().collect();
    kept.extend(defined.into_iter().map(|name| (name, Kept::Defined)));
    for declaration in module.declarations {
        let name = &declaration.header.name;
        if is_known_by_name(name) {
            if kept.contains_key(name) {
                continue;
            }
            kept.insert(name.clone(), Kept::Declared(declaration.header.clone()));
        }
        merged.declarations.push(declaration);
    }
    merged.types.append(&mut module.types);
    merged.globals.append(&mut module.globals);
    merged.aliases.append(&mut module.aliases);
    merged.functions.append(&mut module.functions);
    merged.others.append(&mut module.others);
    merged.nodes.append(&mut module.nodes);
}
