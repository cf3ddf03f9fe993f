//! A refinement failure of LLVM in the form that Alive2's site accepts: the function before and after in one module, as
//! `src` and `tgt`, with all declarations that they need. `tool.rs` asks `alive-tv` about it.

mod tool;

pub use tool::AliveTv;

use forge::Optimised;
use llvm::ir::Module;

use crate::finding::Exhibit;

/// The file in the folder of a finding.
pub(crate) const FILE: &str = "alive2.ll";

/// What the compiler made of the program under the setting that fails first.
pub(crate) fn optimised(exhibit: &Exhibit) -> Option<&Optimised> {
    let mut observations = exhibit.observations.iter();
    observations.find_map(|observation| {
        let is_first = observation.setting == exhibit.breach.setting;
        observation.outcome.check().filter(|_| is_first)?.optimised()
    })
}

/// The module with both functions. None if the failure is not one of refinement, or if both refer to different things
/// by the same name.
pub(crate) fn module(exhibit: &Exhibit) -> Option<String> {
    let optimised = optimised(exhibit)?;
    let source = exhibit.case.programs.get(exhibit.breach.program)?;
    joined(&source.source, &optimised.text, &optimised.function)
}

fn joined(source: &str, target: &str, name: &str) -> Option<String> {
    let mut source = Module::parse(source).ok()?.extract(&[name]);
    let mut target = Module::parse(target).ok()?.extract(&[name]);
    source.function_mut(name)?.header.name = "src".into();
    target.function_mut(name)?.header.name = "tgt".into();
    let mut joined = source;
    for (number, node) in target.nodes {
        if joined.nodes.get(&number).is_some_and(|it| *it != node) {
            return None;
        }
        joined.nodes.insert(number, node);
    }
    for function in target.functions {
        match joined.header(&function.header.name) {
            // Both call it; it is as it was in the source.
            Some(_) => {}
            None => joined.functions.push(function),
        }
    }
    for declaration in target.declarations {
        if joined.header(&declaration.header.name).is_none() {
            joined.declarations.push(declaration);
        }
    }
    for global in target.globals {
        if joined.global(&global.name).is_none() {
            joined.globals.push(global);
        }
    }
    for named in target.types {
        if joined.types.iter().all(|it| it.name != named.name) {
            joined.types.push(named);
        }
    }
    Some(joined.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_functions_stand_in_one_module() {
        let source = "; RUN: opt -passes='instcombine' -S\ndeclare void @use(i8)\n\n\
                      define i8 @f(i8 %a) {\n  call void @use(i8 %a)\n  ret i8 %a\n}\n";
        let target = "declare void @use(i8)\n\ndeclare i8 @llvm.abs.i8(i8, i1)\n\n\
                      define i8 @f(i8 %a) {\n  call void @use(i8 0)\n  \
                      %b = call i8 @llvm.abs.i8(i8 %a, i1 false)\n  ret i8 %b\n}\n";
        let text = joined(source, target, "f").unwrap();
        assert!(text.contains("define i8 @src(i8 %a)") && text.contains("define i8 @tgt(i8 %a)"));
        assert_eq!(text.matches("declare void @use").count(), 1, "{text}");
        assert!(text.contains("declare i8 @llvm.abs.i8"), "{text}");
        Module::parse(&text).unwrap().verify().unwrap();
        assert_eq!(joined(source, target, "g"), None);
    }
}
