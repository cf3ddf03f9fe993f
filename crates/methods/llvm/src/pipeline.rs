//! The pipeline of a case: the passes that its program is meant for, as the first line of its text says in
//! the form of LLVM's own tests: `; RUN: opt -passes='instcombine,gvn' -S`.

/// The line that names a pipeline.
pub fn line(passes: &str) -> String {
    format!("; RUN: opt -passes='{passes}' -S\n")
}

/// The pipeline that a program names.
pub fn of(source: &str) -> Option<&str> {
    let line = source.lines().next()?.strip_prefix("; RUN: opt -passes='")?;
    line.split_once('\'').map(|(passes, _)| passes)
}

/// The passes of a pipeline, one by one: commas inside of `<…>` and `(…)` separate nothing.
pub fn split(passes: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (vec![], 0_i32, 0);
    for (at, letter) in passes.char_indices() {
        match letter {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&passes[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&passes[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_is_read_back_from_its_line() {
        let source = line("function(instcombine<no-verify-fixpoint>),gvn") + "define void @f() {\n";
        let passes = of(&source).unwrap();
        assert_eq!(passes, "function(instcombine<no-verify-fixpoint>),gvn");
        assert_eq!(split(passes), ["function(instcombine<no-verify-fixpoint>)", "gvn"]);
        assert_eq!(of("define void @f() {\n"), None);
    }
}
