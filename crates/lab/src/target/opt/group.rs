//! Many cases as one module. Cases with the same pipeline and target share one; where declarations of
//! library functions differ, a case goes to the next module.

use std::collections::BTreeMap;

use forge::Case;
use llvm::ir::Module;
use llvm::pipeline;

use super::{OWN, PASSES};
use crate::setting::Setting;

/// A case that was read.
pub(super) struct Part {
    /// Its number among the cases.
    pub(super) number: usize,
    pub(super) module: Module,
}

/// Cases that share a run.
pub(super) struct Group {
    pub(super) passes: String,
    pub(super) parts: Vec<Part>,
}

/// The cases in groups, and those that cannot be read, with the reason.
pub(super) fn groups(cases: &[&Case], setting: &Setting) -> (Vec<Group>, Vec<(usize, String)>) {
    let mut groups: BTreeMap<(String, String), Group> = BTreeMap::new();
    let mut unread = vec![];
    for (number, case) in cases.iter().enumerate() {
        let source = case.programs.first().map_or("", |program| program.source.as_str());
        let module = match Module::parse(source) {
            Ok(module) => module,
            Err(error) => {
                unread.push((number, error.to_string()));
                continue;
            }
        };
        let passes = passes(source, setting);
        let machine = format!("{:?} {:?}", module.triple.as_deref(), module.data_layout.as_deref());
        groups
            .entry((passes.clone(), machine))
            .or_insert_with(|| Group { passes, parts: vec![] })
            .parts
            .push(Part { number, module });
    }
    (groups.into_values().collect(), unread)
}

/// The passes that run under a setting.
pub(super) fn passes(source: &str, setting: &Setting) -> String {
    match setting.value(PASSES) {
        Some(OWN) | None => pipeline::of(source).unwrap_or("default<O2>").to_owned(),
        Some(passes) => passes.to_owned(),
    }
}
