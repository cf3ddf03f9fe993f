//! Many cases as one module. Cases with the same pipeline and target share one; where declarations of
//! library functions differ, a case goes to the next module.

use std::collections::BTreeMap;

use forge::Case;
use llvm::ir::Module;
use llvm::pipeline;

use super::{MACHINES, OWN, PASSES, TRIPLE};
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
    /// The options that say for which machine it is.
    pub(super) machine: &'static [&'static str],
    pub(super) parts: Vec<Part>,
}

/// The cases in groups, and those that cannot be read, with the reason.
pub(super) fn groups(cases: &[&Case], setting: &Setting) -> (Vec<Group>, Vec<(usize, String)>) {
    type Key = (String, Option<String>, Option<String>, &'static [&'static str]);
    let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
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
        let text = |it: &Option<_>| it.as_ref().map(ToString::to_string);
        let machine = machine_of(source, setting);
        let key = (passes.clone(), text(&module.triple), text(&module.data_layout), machine);
        groups
            .entry(key)
            .or_insert_with(|| Group { passes, machine, parts: vec![] })
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

/// The options of the machine that a setting names.
fn machine(setting: &Setting) -> &'static [&'static str] {
    let named = setting.value(TRIPLE);
    let machine = MACHINES.iter().find(|(name, _)| Some(*name) == named);
    machine.map_or(&[], |(_, options)| options)
}

/// The same for a program: one that names its machine or data layout keeps it, and what is said about scalable vectors
/// or a processor would contradict a machine.
pub(super) fn machine_of(source: &str, setting: &Setting) -> &'static [&'static str] {
    let names_one = |line: &str| {
        line.starts_with("target triple")
            || line.starts_with("target datalayout")
            || line.contains("vscale_range(")
            || line.contains("\"target-cpu\"=")
    };
    if source.lines().any(names_one) { &[] } else { machine(setting) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crash of a hunt, `RV64 target requires an RV64 CPU`, was a contradiction of ours.
    #[test]
    fn a_program_for_a_processor_is_for_no_other_machine() {
        let on = |machine: &str| Setting::of(vec![(TRIPLE.to_owned(), machine.to_owned())]);
        let plain = "define void @f() {\n  ret void\n}\n";
        let with_cpu = "define void @f() \"target-cpu\"=\"x86-64\" {\n  ret void\n}\n";
        assert!(!machine_of(plain, &on("riscv64")).is_empty());
        assert!(machine_of(with_cpu, &on("riscv64")).is_empty());
    }
}
