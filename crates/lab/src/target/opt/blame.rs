//! Which function a failed run of `opt` worked on, as far as its output says: the stack dump of a crash or of a
//! process that ran out of time names it, and a complaint about invalid IR has a line.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// `2. Running pass "instcombine" on function "f.12"`; before 17, `Running pass 'X' on function '@f.12'`.
static RUNNING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?m)^\d+\.\s+Running pass .* function ["']@?(?<name>[^"']+)["']"#).ok()
});

/// `opt: in.ll:12:5: error: …`
static LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"in\.ll:(?<line>\d+):\d+: error").ok());

/// With this the verifier ends.
const BROKEN: &str = "input module is broken";

/// The names of functions that may be meant, in the module that `opt` got. More than one if the verifier prints an
/// instruction that several have.
pub(super) fn functions(stderr: &str, module: &str) -> BTreeSet<String> {
    function(stderr, module).map_or_else(|| with_printed_lines(stderr, module), |it| [it].into())
}

fn function(stderr: &str, module: &str) -> Option<String> {
    let running = RUNNING.as_ref()?.captures_iter(stderr).last();
    if let Some(found) = running {
        return Some(found["name"].to_owned());
    }
    let line: usize = LINE.as_ref()?.captures(stderr)?["line"].parse().ok()?;
    let mut before = module.lines().take(line).collect::<Vec<_>>().into_iter().rev();
    before.find_map(defined)
}

/// The function that begins in a line.
fn defined(line: &str) -> Option<String> {
    let (_, rest) = line.strip_prefix("define ")?.split_once('@')?;
    Some(rest.split('(').next()?.trim_matches('"').to_owned())
}

/// The verifier prints what it rejects: instructions as they stand in the module, or the callee of one.
fn with_printed_lines(stderr: &str, module: &str) -> BTreeSet<String> {
    let mut printed: Vec<&str> = vec![];
    for line in stderr.lines().take_while(|line| !line.contains(BROKEN)) {
        match line.strip_prefix("ptr @") {
            Some(callee) => printed.extend((!callee.contains(' ')).then_some(callee)),
            None => printed.extend(line.starts_with("  ").then(|| line.trim())),
        }
    }
    printed.retain(|text| !text.is_empty());
    let mut found = BTreeSet::new();
    let mut current = None;
    for line in module.lines() {
        if let Some(name) = defined(line) {
            current = Some(name);
        }
        if line == "}" {
            current = None;
        }
        if let Some(name) = &current
            && printed.iter().any(|text| line.contains(text))
        {
            found.insert(name.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_function_of_a_stack_dump_is_blamed() {
        let dump = "Stack dump:\n0.\tProgram arguments: opt -passes=licm in.ll\n\
                    1.\tRunning pass \"function(loop-mssa(licm))\" on module \"in.ll\"\n\
                    2.\tRunning pass \"loop-mssa(licm)\" on function \"test.7\"\n";
        assert_eq!(function(dump, "").unwrap(), "test.7");
        let legacy = "1.\tRunning pass 'X86 DAG->DAG Instruction Selection' on function '@g.3'\n";
        assert_eq!(function(legacy, "").unwrap(), "g.3");
        assert_eq!(function("PLEASE submit a bug report\nStack dump:\n", ""), None);
    }

    #[test]
    fn the_function_of_a_rejected_line_is_blamed() {
        let module = "define void @a() {\n  ret void\n}\n\ndefine void @\"b c\"() {\n  oops\n}\n";
        let said = "opt: in.ll:6:3: error: expected instruction opcode\n  oops\n  ^\n";
        assert_eq!(function(said, module).unwrap(), "b c");
    }

    #[test]
    fn functions_with_a_line_that_the_verifier_prints_are_blamed() {
        let module = "define void @a() {\n  %m = call ptr @llvm.ptrmask.p0.i16(ptr %p, i16 2)\n}\n\n\
                      define void @b() {\n  %m = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 2)\n}\n\n\
                      declare ptr @llvm.ptrmask.p0.i16(ptr, i16)\n";
        let said = "llvm.ptrmask intrinsic second argument bitwidth must match\n  \
                    %m = call ptr @llvm.ptrmask.p0.i16(ptr %p, i16 2)\n\
                    opt: in.ll: error: input module is broken!\n";
        assert_eq!(functions(said, module), ["a".to_owned()].into());
        let callee = "Stride must be greater\nptr @llvm.ptrmask.p0.i64\nopt: in.ll: error: input module is broken!\n";
        assert_eq!(functions(callee, module), ["b".to_owned()].into());
        assert!(functions("opt: in.ll: error: input module is broken!\n", module).is_empty());
    }
}
