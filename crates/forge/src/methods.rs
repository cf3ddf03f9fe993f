//! The table of methods. A new one is a folder in this crate and a line here.

use crate::drill::Drill;
use crate::mir::Mir;
use crate::{Language, Method};

/// Every method that can be asked for by name, the preferred ones of a language first.
pub fn all() -> Vec<Box<dyn Method>> {
    vec![Box::new(Drill::c()), Box::new(Mir), Box::new(Drill::rust()), Box::new(Drill::toy())]
}

pub fn named(name: &str) -> Option<Box<dyn Method>> {
    all().into_iter().find(|method| method.name() == name)
}

/// The method for a language: the first in the table, or the one whose name is `wanted` or begins with
/// it (`drill` stands for `drill-c` where the language is C).
pub fn fitting(language: &Language, wanted: Option<&str>) -> Option<Box<dyn Method>> {
    all().into_iter().find(|method| {
        let name_fits = wanted.is_none_or(|wanted| {
            let rest = method.name().strip_prefix(wanted);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        });
        name_fits && method.language() == *language
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name_and_by_its_language() {
        for method in all() {
            let found = named(method.name()).expect("it is in the table");
            assert_eq!(found.name(), method.name());
            let found = fitting(&method.language(), Some(method.name())).expect("it fits");
            assert_eq!(found.name(), method.name());
        }
        let found = fitting(&Language::new("c"), Some("drill")).expect("the family has a C member");
        assert_eq!(found.name(), "drill-c");
        assert!(fitting(&Language::new("c"), Some("dri")).is_none());
        assert!(fitting(&Language::new("cobol"), None).is_none());
    }
}
