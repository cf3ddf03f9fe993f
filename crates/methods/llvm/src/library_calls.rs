//! Declarations of library functions that differ in attributes only, in modules that are to become one. They keep their
//! name, so that they must be one declaration; what each says goes to the calls of its module, where it means the same.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::ir::{Attribute, Attributes, Header, Module, Op, Type};
use crate::library::is_known_by_name;

/// Attributes of functions that calls can have, too. So can those of other tools, in quotes.
const OF_CALLS: [&str; 24] = [
    "allockind",
    "allocsize",
    "argmemonly",
    "cold",
    "convergent",
    "hot",
    "inaccessiblemem_or_argmemonly",
    "inaccessiblememonly",
    "memory",
    "mustprogress",
    "nobuiltin",
    "nocallback",
    "noduplicate",
    "nofree",
    "nomerge",
    "norecurse",
    "noreturn",
    "nosync",
    "nounwind",
    "readnone",
    "readonly",
    "speculatable",
    "willreturn",
    "writeonly",
];

/// Attributes of arguments and results that say how they are passed: caller and callee must agree about them.
const OF_THE_MACHINE: [&str; 16] = [
    "byref",
    "byval",
    "elementtype",
    "immarg",
    "inalloca",
    "inreg",
    "nest",
    "noext",
    "preallocated",
    "returned",
    "signext",
    "sret",
    "swiftasync",
    "swifterror",
    "swiftself",
    "zeroext",
];

/// The library functions that some of the modules declare otherwise than others.
pub(crate) fn contested(modules: &[&Module]) -> HashSet<Arc<str>> {
    let mut first: HashMap<&str, &Header> = HashMap::new();
    let mut contested = HashSet::default();
    for declaration in modules.iter().flat_map(|module| &module.declarations) {
        let header = &declaration.header;
        // LLVM knows the attributes of intrinsics.
        if header.name.starts_with("llvm.") || !is_known_by_name(&header.name) {
            continue;
        }
        if *first.entry(&header.name).or_insert(header) != header {
            contested.insert(Arc::clone(&header.name));
        }
    }
    contested
}

/// What a declaration says of each call.
struct Said {
    returns: (Type, Attributes),
    arguments: Vec<(Type, Attributes)>,
    function: Attributes,
}

/// Moves what is declared of contested functions to their calls. Calls with other types get nothing: there are fewer
/// promises then, and the module stays valid.
pub(crate) fn move_to_calls(module: &mut Module, contested: &HashSet<Arc<str>>) {
    let mut said: HashMap<Arc<str>, Said> = HashMap::new();
    for declaration in &mut module.declarations {
        let header = &mut declaration.header;
        if !contested.contains(&header.name) {
            continue;
        }
        let of_value = |it: &Attribute| {
            !OF_THE_MACHINE.contains(&it.name()) && matches!(it, Attribute::Text(_))
        };
        let returns = (header.returns.clone(), taken(&mut header.return_attributes, of_value));
        let arguments = header.parameters.iter_mut();
        let arguments = arguments.map(|it| (it.ty.clone(), taken(&mut it.attributes, of_value)));
        let arguments = arguments.collect();
        let function = taken(&mut header.attributes, |it| {
            OF_CALLS.contains(&it.name())
                || matches!(it, Attribute::Text(text) if text.starts_with('"'))
        });
        said.insert(Arc::clone(&header.name), Said { returns, arguments, function });
    }
    if said.is_empty() {
        return;
    }
    let code = module.functions.iter_mut().filter_map(|function| function.code_mut());
    for instruction in code.flat_map(|code| code.instructions_mut()) {
        let Some(said) = instruction.callee().and_then(|name| said.get(name)) else { continue };
        let (Op::Call(call) | Op::Invoke { call, .. }) = &mut instruction.op else { continue };
        let call = Arc::make_mut(call);
        if call.returns != said.returns.0 {
            continue;
        }
        add(&mut call.return_attributes, &said.returns.1);
        add(&mut call.attributes, &said.function);
        let arguments = call.argument_attributes.iter_mut().zip(&instruction.operands);
        for ((attributes, operand), (ty, said)) in arguments.zip(&said.arguments) {
            if operand.ty == *ty {
                add(attributes, said);
            }
        }
    }
}

/// The attributes for which the predicate holds; the others stay.
fn taken(attributes: &mut Attributes, is_taken: impl Fn(&Attribute) -> bool) -> Attributes {
    let all = std::mem::take(&mut attributes.0).into_iter();
    let (taken, left) = all.partition(is_taken);
    attributes.0 = left;
    Attributes(taken)
}

/// Adds those that are not there yet, in whatever form.
fn add(attributes: &mut Attributes, more: &Attributes) {
    for attribute in &more.0 {
        if !attributes.has(attribute.name()) {
            attributes.0.push(attribute.clone());
        }
    }
}
