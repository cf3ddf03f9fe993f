//! Which function a failed run of `opt` worked on, as far as its output says: the stack dump of a crash or of a
//! process that ran out of time names it, and a complaint about invalid IR has a line.

use std::sync::LazyLock;

use regex::Regex;

/// `2. Running pass "instcombine" on function "f.12"`; before 17, `Running pass 'X' on function '@f.12'`.
static RUNNING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?m)^\d+\.\s+Running pass .* function ["']@?(?<name>[^"']+)["']"#).ok()
});

/// `opt: in.ll:12:5: error: …`
static LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"in\.ll:(?<line>\d+):\d+: error").ok());

/// The name of the function, in the module that `opt` got.
pub(super) fn function(stderr: &str, module: &str) -> Option<String> {
    let running = RUNNING.as_ref()?.captures_iter(stderr).last();
    if let Some(found) = running {
        return Some(found["name"].to_owned());
    }
    let line: usize = LINE.as_ref()?.captures(stderr)?["line"].parse().ok()?;
    let mut before = module.lines().take(line).collect::<Vec<_>>().into_iter().rev();
    let header = before.find(|line| line.starts_with("define "))?;
    let (_, rest) = header.split_once('@')?;
    Some(rest.split('(').next()?.trim_matches('"').to_owned())
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
}
