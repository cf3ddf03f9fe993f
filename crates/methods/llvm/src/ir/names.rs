//! Where the globals, declarations and functions of a large module are, by name. The lists of a module are public, so
//! that the index may be out of date: a place counts if it has the name, and a name without one is looked for in the lists.

use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashMapExt};

use super::Module;

/// In smaller modules looking through the lists is as fast.
const LARGE: usize = 24;

/// The place of a name in the lists of a module.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Defined(usize),
    Declared(usize),
    Global(usize),
}

/// The index of a module, made when it is first needed. It says nothing about the module: all are equal, and a copy makes
/// its own.
#[derive(Debug, Default)]
pub(crate) struct Names(OnceLock<HashMap<Arc<str>, Place>>);

impl Names {
    /// Where the name is; none if that is not known.
    pub(crate) fn place(&self, module: &Module, name: &str) -> Option<Place> {
        if module.functions.len() + module.declarations.len() + module.globals.len() < LARGE {
            return None;
        }
        let place = *self.0.get_or_init(|| index(module)).get(name)?;
        let found = match place {
            Place::Defined(at) => module.functions.get(at)?.name(),
            Place::Declared(at) => &module.declarations.get(at)?.header.name,
            Place::Global(at) => &module.globals.get(at)?.name,
        };
        (found == name).then_some(place)
    }
}

fn index(module: &Module) -> HashMap<Arc<str>, Place> {
    let mut places = HashMap::new();
    let mut add = |name: &Arc<str>, place| {
        places.entry(Arc::clone(name)).or_insert(place);
    };
    let functions = module.functions.iter().enumerate();
    functions.for_each(|(at, it)| add(&it.header.name, Place::Defined(at)));
    let declarations = module.declarations.iter().enumerate();
    declarations.for_each(|(at, it)| add(&it.header.name, Place::Declared(at)));
    let globals = module.globals.iter().enumerate();
    globals.for_each(|(at, it)| add(&it.name, Place::Global(at)));
    places
}

impl Clone for Names {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Names {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Names {}

#[cfg(test)]
mod tests {
    use crate::ir::Module;

    #[test]
    fn a_name_is_found_after_the_lists_have_changed() {
        let many = |prefix: &str| -> String {
            (0..40)
                .map(|at| format!("define i8 @{prefix}{at}() {{\n  ret i8 {at}\n}}\n\n"))
                .collect()
        };
        let mut module = Module::parse(&(many("f") + "declare void @g()\n")).unwrap();
        assert_eq!(module.function("f7").map(|it| it.name()), Some("f7"));
        assert!(module.function("g").is_none() && module.header("g").is_some());
        assert!(module.global("f7").is_none());
        let first = module.functions.remove(0);
        assert!(module.function("f0").is_none());
        assert_eq!(module.function("f7").map(|it| it.name()), Some("f7"));
        module.functions.push(first);
        module.functions[3].header.name = "other".into();
        assert_eq!(module.function("f0").map(|it| it.name()), Some("f0"));
        assert_eq!(module.function("other").map(|it| it.name()), Some("other"));
        assert!(module.header("f4").is_none());
    }
}
