//! Compares the functions of a module with what `opt` made of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use forge::{Check, Optimised};
use llvm::check::{self, Checked, Effort};
use llvm::ir::Module;

use super::UNDEF;
use crate::setting::Setting;

/// The module that `opt` got and the one that it wrote.
pub(super) struct Checker {
    source: Module,
    target: Module,
    effort: Effort,
}

impl Checker {
    /// A case alone is checked with more effort than one of many.
    pub(super) fn new(
        mut source: Module,
        result: &str,
        setting: &Setting,
        is_alone: bool,
    ) -> Result<Self, String> {
        let target = Module::parse(result).map_err(|error| format!("output of opt: {error}"))?;
        // For a module that names a machine and no layout, `opt` takes that of the machine before any pass runs.
        if source.data_layout.is_none() {
            source.data_layout.clone_from(&target.data_layout);
        }
        let mut effort = if is_alone { Effort::default() } else { Effort::quick() };
        effort.limits.undef_arguments |= setting.value(UNDEF.0) == Some(UNDEF.1);
        Ok(Self { source, target, effort })
    }

    /// What came of the functions of one case: it fails if one of them does, and holds if all of them do. At least
    /// one must say something by itself.
    pub(super) fn check(&self, own: &Module, names: &BTreeMap<Arc<str>, Arc<str>>) -> Check {
        let mut unknown = None;
        let mut is_judged = false;
        for function in &own.functions {
            let name = names.get(&function.header.name).unwrap_or(&function.header.name);
            match check::check(&self.source, &self.target, name, self.effort) {
                Checked::Proven | Checked::Tested { .. } | Checked::Unchanged => is_judged = true,
                Checked::LeftToCallers => {}
                Checked::Fails(excess, counterexample) => {
                    let shown = function.header.name.as_ref();
                    let counterexample = format!("@{shown}: {counterexample}");
                    let text = with_own_names(self.target.extract(&[name]).text(), names);
                    let optimised = Optimised { function: shown.to_owned(), text };
                    let optimised = Some(Box::new(optimised));
                    return Check::Fails { excess, counterexample, optimised };
                }
                Checked::Unknown(why) => {
                    unknown.get_or_insert_with(|| why.to_string());
                }
            }
        }
        if !is_judged {
            unknown.get_or_insert_with(|| "only functions that the module need not keep".into());
        }
        unknown.map_or(Check::Holds, |why| Check::Unknown { why })
    }
}

/// The text of a merged module with the names that functions and variables have in their own module.
fn with_own_names(mut text: String, names: &BTreeMap<Arc<str>, Arc<str>>) -> String {
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || "$._-".contains(it);
    for (own, merged) in names.iter().filter(|(own, merged)| own != merged) {
        for quote in ["", "\""] {
            let (from, to) = (format!("@{quote}{merged}{quote}"), format!("@{quote}{own}{quote}"));
            let mut renamed = String::with_capacity(text.len());
            let mut pieces = text.split(&from).peekable();
            while let Some(piece) = pieces.next() {
                renamed.push_str(piece);
                match pieces.peek() {
                    Some(next) if quote.is_empty() && next.starts_with(is_of_name) => {
                        renamed += &from;
                    }
                    Some(_) => renamed += &to,
                    None => {}
                }
            }
            text = renamed;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_merged_module_become_those_of_the_case() {
        let names =
            [("f", "f.1"), ("g h", "g h.1")].map(|(own, merged)| (own.into(), merged.into()));
        let text = "define void @f.1() {\n  call void @f.12()\n  call void @\"g h.1\"()\n";
        let expected = "define void @f() {\n  call void @f.12()\n  call void @\"g h\"()\n";
        assert_eq!(with_own_names(text.to_owned(), &BTreeMap::from(names)), expected);
    }
}
