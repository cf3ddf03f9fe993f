//! Takes functions out of a module, with everything that they refer to.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::debug_info::DebugInfo;
use crate::ir::{Alias, Declaration, Function, Global, Module};
use crate::names::{Kind, Names};

/// What a name of the module stands for: the index of an item.
#[derive(Clone, Copy, Debug)]
enum Item {
    Function(usize),
    Global(usize),
    Alias(usize),
    Declaration(usize),
    Other(usize),
}

/// The items of a module by their names. Right as long as the module stays as it is.
#[derive(Debug)]
pub(crate) struct Index(HashMap<Arc<str>, Item>);

/// The items that are needed, at their places in the module.
#[derive(Debug, Default)]
struct Needed {
    functions: Vec<(usize, Function)>,
    globals: Vec<(usize, Global)>,
    aliases: Vec<(usize, Alias)>,
    declarations: Vec<(usize, Declaration)>,
    others: Vec<(usize, Arc<str>)>,
}

impl Module {
    /// These functions with all that they need, in the order of the module: declarations, globals, aliases,
    /// comdats, types, nodes, and the functions that these refer to. Debug information, named metadata and
    /// module assembly are left out. Names that the module does not have are ignored.
    pub fn extract(&self, functions: &[&str]) -> Self {
        self.extract_by(&self.index(), functions)
    }

    /// The same, with an index of this module that was made before.
    pub(crate) fn extract_by(&self, Index(items): &Index, functions: &[&str]) -> Self {
        let debug_info = DebugInfo(&self.nodes);
        let mut needed = Needed::default();
        let mut extracted = Self {
            data_layout: self.data_layout.clone(),
            triple: self.triple.clone(),
            has_typed_pointers: self.has_typed_pointers,
            ..Self::default()
        };
        let mut seen: HashSet<(u8, Arc<str>)> = HashSet::new();
        let mut pending: Vec<(Kind, Arc<str>)> = vec![];
        for name in functions {
            if let Some(Item::Function(_)) = items.get(*name) {
                pending.push((Kind::Global, (*name).into()));
            }
        }
        let mut types: HashSet<Arc<str>> = HashSet::new();
        while let Some((kind, name)) = pending.pop() {
            if !seen.insert((kind as u8, name.clone())) {
                continue;
            }
            let mut found = |kind: Kind, name: &str| {
                pending.push((kind, name.into()));
                None
            };
            let mut names = Names(&mut found);
            match kind {
                Kind::Global => match items.get(&*name) {
                    Some(Item::Function(index)) => {
                        let mut function = self.functions[*index].clone();
                        debug_info.strip_function(&mut function);
                        names.function(&mut function);
                        needed.functions.push((*index, function));
                    }
                    Some(Item::Global(index)) => {
                        let mut global = self.globals[*index].clone();
                        debug_info.strip_global(&mut global);
                        names.global(&mut global);
                        needed.globals.push((*index, global));
                    }
                    Some(Item::Alias(index)) => {
                        let mut alias = self.aliases[*index].clone();
                        names.alias(&mut alias);
                        needed.aliases.push((*index, alias));
                    }
                    Some(Item::Declaration(index)) => {
                        let mut declaration = self.declarations[*index].clone();
                        debug_info.strip_header(&mut declaration.header);
                        names.header(&mut declaration.header);
                        needed.declarations.push((*index, declaration));
                    }
                    Some(Item::Other(index)) => {
                        let mut text = self.others[*index].clone();
                        names.text(&mut text);
                        needed.others.push((*index, text));
                    }
                    None => {}
                },
                Kind::Comdat => {
                    if let Some(index) = self.comdat(&name) {
                        needed.others.push((index, self.others[index].clone()));
                    }
                }
                Kind::Type => {
                    if let Some(named) = self.types.iter().find(|it| it.name == name) {
                        if let Some(definition) = &named.definition {
                            names.ty(&mut definition.clone());
                        }
                        types.insert(name);
                    }
                }
                Kind::Node => {
                    let Ok(number) = name.parse() else { continue };
                    if let Some(text) = self.nodes.get(&number) {
                        let mut text = text.clone();
                        debug_info.strip_text(&mut text);
                        names.text(&mut text);
                        extracted.nodes.insert(number, text);
                    }
                }
            }
        }
        extracted.types =
            self.types.iter().filter(|it| types.contains(&it.name)).cloned().collect();
        extracted.functions = ordered(needed.functions);
        extracted.globals = ordered(needed.globals);
        extracted.aliases = ordered(needed.aliases);
        extracted.declarations = ordered(needed.declarations);
        extracted.others = ordered(needed.others);
        extracted
    }

    /// What the names of the module stand for.
    pub(crate) fn index(&self) -> Index {
        let mut items: HashMap<Arc<str>, Item> = HashMap::new();
        for (index, other) in self.others.iter().enumerate() {
            if let Some(name) = defined_by_text(other) {
                items.insert(name.into(), Item::Other(index));
            }
        }
        let declarations = self.declarations.iter().map(|it| &it.header.name).enumerate();
        items.extend(declarations.map(|(index, name)| (name.clone(), Item::Declaration(index))));
        let aliases = self.aliases.iter().map(|it| &it.name).enumerate();
        items.extend(aliases.map(|(index, name)| (name.clone(), Item::Alias(index))));
        let globals = self.globals.iter().map(|it| &it.name).enumerate();
        items.extend(globals.map(|(index, name)| (name.clone(), Item::Global(index))));
        let functions = self.functions.iter().map(|it| &it.header.name).enumerate();
        items.extend(functions.map(|(index, name)| (name.clone(), Item::Function(index))));
        Index(items)
    }

    fn comdat(&self, name: &str) -> Option<usize> {
        self.others.iter().position(|other| {
            let behind = other.strip_prefix('$').and_then(|it| it.split(" = ").next());
            behind.is_some_and(|it| it.trim_matches('"') == name)
        })
    }
}

/// The function of an item that could not be read at all.
pub(crate) fn defined_by_text(text: &str) -> Option<&str> {
    (text.starts_with("define ") || text.starts_with("declare ")).then_some(())?;
    let behind = text.split_once('@')?.1;
    Some(behind.split('(').next()?.trim_matches('"'))
}

fn ordered<T>(mut items: Vec<(usize, T)>) -> Vec<T> {
    items.sort_by_key(|(index, _)| *index);
    items.into_iter().map(|(_, item)| item).collect()
}
