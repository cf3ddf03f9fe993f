//! Takes a function of another module over, with all that it refers to. Names that both have are one where
//! they stand for the same thing; else the newcomer gets another name.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use crate::ir::{Constant, Function, Header, Module};
use crate::library::is_known_by_name;
use crate::names::{Kind, Names, has_name};
use crate::refusal::Refusal;

/// What becomes of an item of the donor's module.
enum Fate {
    /// The module has it already.
    Shared,
    /// Its name is free.
    Kept,
    Renamed(Arc<str>),
}

/// Adds everything that a function of another module needs, and returns the function with the names that
/// these have here. The function itself is added only if something refers to it.
pub fn adopt(module: &mut Module, donor: &Module, name: &str) -> Result<Function, Refusal> {
    if donor.has_typed_pointers != module.has_typed_pointers || !donor.others.is_empty() {
        return Err(Refusal::Clash);
    }
    let mut renames: HashMap<Arc<str>, Arc<str>> = HashMap::new();
    let mut types: HashMap<Arc<str>, Arc<str>> = HashMap::new();
    let mut new = Module::default();
    let mut root = None;
    for function in &donor.functions {
        let header = &function.header;
        match fate_of_definition(module, header)? {
            Fate::Shared | Fate::Kept => {}
            Fate::Renamed(other) => {
                renames.insert(header.name.clone(), other);
            }
        }
        if *header.name == *name {
            root = Some(function.clone());
        } else {
            new.functions.push(function.clone());
        }
    }
    let mut root = root.ok_or(Refusal::NoCode)?;
    if refers_to(donor, name) {
        new.functions.push(root.clone());
    }
    for declaration in &donor.declarations {
        match fate_of_declaration(module, &declaration.header)? {
            Fate::Shared => continue,
            Fate::Kept => {}
            Fate::Renamed(other) => {
                renames.insert(declaration.header.name.clone(), other);
            }
        }
        new.declarations.push(declaration.clone());
    }
    for global in &donor.globals {
        if module.global(&global.name) == Some(global) {
            continue;
        }
        if is_taken(module, &global.name) {
            if is_known_by_name(&global.name) {
                return Err(Refusal::Clash);
            }
            renames.insert(global.name.clone(), unused(module, &global.name));
        }
        new.globals.push(global.clone());
    }
    for alias in &donor.aliases {
        if is_taken(module, &alias.name) {
            renames.insert(alias.name.clone(), unused(module, &alias.name));
        }
        new.aliases.push(alias.clone());
    }
    for named in &donor.types {
        match module.types.iter().find(|it| it.name == named.name) {
            Some(known) if known == named && !named.definition.as_ref().is_some_and(has_name) => {
                continue;
            }
            Some(_) => {
                let taken = |name: &str| module.types.iter().any(|it| &*it.name == name);
                types.insert(named.name.clone(), numbered(&named.name, &taken));
            }
            None => {}
        }
        new.types.push(named.clone());
    }
    let first_node = module.nodes.keys().next_back().map_or(0, |it| it + 1);
    let numbers: HashMap<u32, u32> = donor.nodes.keys().copied().zip(first_node..).collect();
    if !(renames.is_empty() && types.is_empty() && numbers.is_empty()) {
        let mut replacement = |kind: Kind, name: &str| match kind {
            Kind::Global => renames.get(name).cloned(),
            Kind::Type => types.get(name).cloned(),
            Kind::Comdat => None,
            Kind::Node => numbers.get(&name.parse().ok()?).map(|it| it.to_string().into()),
        };
        let mut names = Names(&mut replacement);
        names.function(&mut root);
        new.functions.iter_mut().for_each(|it| names.function(it));
        new.declarations.iter_mut().for_each(|it| names.header(&mut it.header));
        new.globals.iter_mut().for_each(|it| names.global(it));
        new.aliases.iter_mut().for_each(|it| names.alias(it));
        for named in &mut new.types {
            if let Some(definition) = &mut named.definition {
                names.ty(definition);
            }
            if let Some(other) = types.get(&named.name) {
                named.name = other.clone();
            }
        }
        for (old, text) in &donor.nodes {
            let mut text = text.clone();
            names.text(&mut text);
            module.nodes.extend(numbers.get(old).map(|number| (*number, text)));
        }
    }
    module.functions.append(&mut new.functions);
    module.declarations.append(&mut new.declarations);
    module.globals.append(&mut new.globals);
    module.aliases.append(&mut new.aliases);
    module.types.append(&mut new.types);
    Ok(root)
}

fn fate_of_definition(module: &Module, header: &Header) -> Result<Fate, Refusal> {
    if !is_taken(module, &header.name) {
        return Ok(Fate::Kept);
    }
    if is_known_by_name(&header.name) {
        return Err(Refusal::Clash);
    }
    Ok(Fate::Renamed(unused(module, &header.name)))
}

fn fate_of_declaration(module: &Module, header: &Header) -> Result<Fate, Refusal> {
    let declared = module.declarations.iter().find(|it| it.header.name == header.name);
    match declared {
        Some(declared) if agree(header, &declared.header) => Ok(Fate::Shared),
        None if !is_taken(module, &header.name) => Ok(Fate::Kept),
        _ if is_known_by_name(&header.name) => Err(Refusal::Clash),
        _ => Ok(Fate::Renamed(unused(module, &header.name))),
    }
}

/// Whether two declarations can be one. The attributes of an intrinsic are LLVM's, whatever is written.
fn agree(a: &Header, b: &Header) -> bool {
    if !a.name.starts_with("llvm.") {
        return a == b;
    }
    let types = |header: &Header| {
        header.parameters.iter().map(|parameter| parameter.ty.clone()).collect::<Vec<_>>()
    };
    a.returns == b.returns && a.variadic == b.variadic && types(a) == types(b)
}

fn is_taken(module: &Module, name: &str) -> bool {
    module.header(name).is_some()
        || module.global(name).is_some()
        || module.aliases.iter().any(|it| &*it.name == name)
}

/// A name that nothing in the module has.
pub(crate) fn unused(module: &Module, name: &str) -> Arc<str> {
    numbered(name, &|name| is_taken(module, name))
}

fn numbered(name: &str, taken: &dyn Fn(&str) -> bool) -> Arc<str> {
    let names = (1_u32..).map(|number| format!("{name}.{number}"));
    names.into_iter().find(|name| !taken(name)).unwrap_or_default().into()
}

/// Whether an instruction, a variable or an alias of the module mentions a function.
fn refers_to(module: &Module, name: &str) -> bool {
    let mut initialisers = module.globals.iter().filter_map(|it| it.initialiser.as_ref());
    if initialisers.any(|it| mentions(it, name))
        || module.aliases.iter().any(|it| it.text.contains(name))
    {
        return true;
    }
    let code = module.functions.iter().filter_map(Function::code);
    let mut operands = code.flat_map(|it| it.instructions()).flat_map(|it| &it.operands);
    operands.any(|it| it.as_constant().is_some_and(|it| mentions(it, name)))
}

fn mentions(constant: &Constant, name: &str) -> bool {
    match constant {
        Constant::Global(global) => **global == *name,
        Constant::Vector(parts) | Constant::Array(parts) | Constant::Struct(parts) => {
            parts.iter().any(|it| mentions(it, name))
        }
        Constant::Splat(lane) => mentions(lane, name),
        Constant::Expression(expression) => expression
            .operands
            .iter()
            .any(|it| it.as_constant().is_some_and(|it| mentions(it, name))),
        Constant::Text(text) => text.contains(name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_declaration_is_shared_and_another_one_is_renamed() {
        let text = "declare void @use(i8)\ndeclare i8 @llvm.umin.i8(i8, i8)\n@g = global i8 0\n\
                    define i8 @f(i8 %x) {\n  call void @use(i8 %x)\n  %y = call i8 \
                    @llvm.umin.i8(i8 %x, i8 1)\n  store i8 %y, ptr @g\n  ret i8 %y\n}\n";
        let mut module = Module::parse(text).unwrap();
        let donor = module.clone();
        let function = adopt(&mut module, &donor, "f").unwrap();
        assert_eq!((module.declarations.len(), module.globals.len()), (2, 1));
        assert_eq!(function.name(), "f.1");

        let other = text.replace("@use(i8)", "@use(i8) nounwind").replace("i8 0\n", "i8 1\n");
        let donor = Module::parse(&other).unwrap();
        let function = adopt(&mut module, &donor, "f").unwrap();
        assert_eq!((module.declarations.len(), module.globals.len()), (3, 2));
        module.functions.push(function);
        assert_eq!(module.verify(), Ok(()));
        assert!(module.text().contains("call void @use.1(i8 %x)"));
        assert!(module.text().contains("store i8 %y, ptr @g.1"));
    }

    #[test]
    fn a_function_whose_address_is_in_a_variable_comes_along() {
        let text = "@table = internal constant [1 x ptr] [ptr @f]\ndefine ptr @f() {\n  ret ptr @table\n}\n";
        let donor = Module::parse(text).unwrap();
        let mut module = Module::parse("define ptr @g() {\n  ret ptr null\n}\n").unwrap();
        let function = adopt(&mut module, &donor, "f").unwrap();
        assert_eq!(module.function("f"), Some(&function));
    }

    #[test]
    fn a_known_function_that_is_declared_differently_is_a_clash() {
        let mut module = Module::parse("declare i8 @strlen(i8)\n").unwrap();
        let donor = "declare i64 @strlen(ptr)\ndefine i64 @f(ptr %x) {\n  %y = call i64 \
                     @strlen(ptr %x)\n  ret i64 %y\n}\n";
        let donor = Module::parse(donor).unwrap();
        assert_eq!(adopt(&mut module, &donor, "f"), Err(Refusal::Clash));
    }
}
