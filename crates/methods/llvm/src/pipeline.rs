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

/// Passes that may change what a function does: they instrument, split or lower it, or know how it is called. A name
/// that ends with `*` stands for all that begin with it.
const CHANGES: [&str; 32] = [
    "asan",
    "atomic-expand",
    "cfguard",
    "coro-*",
    "ee-instrument",
    "expand-variadics",
    "hwasan",
    "instrprof",
    "internalize",
    "kcfi",
    "lower-allow-check",
    "lower-atomic",
    "lower-global-dtors",
    "lower-guard-intrinsic",
    "lower-ifunc",
    "lower-invoke",
    "lower-widenable-condition",
    "lowertypetests",
    "memprof*",
    "msan",
    "objc-arc*",
    "openmp-opt*",
    "pgo-*",
    "place-safepoints",
    "poison-checking",
    "rewrite-statepoints-for-gc",
    "safe-stack",
    "sancov*",
    "stack-protector",
    "strip-gc-relocates",
    "tsan*",
    "wholeprogramdevirt",
];

/// The first pass of a pipeline that may change what a function does.
pub fn changes_behaviour(passes: &str) -> Option<&'static str> {
    let mut found = None;
    names(passes, &mut |name| {
        let is_it = |changing: &&&str| match changing.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == **changing,
        };
        let changing = CHANGES.iter().find(is_it);
        found = found.or(changing.map(|it| it.trim_end_matches(['*', '-'])));
    });
    found
}

/// Passes that expect another pass to have removed every switch.
const WITHOUT_SWITCH: [&str; 3] = ["fix-irreducible", "structurizecfg", "unify-loop-exits"];

/// The first pass of a pipeline that must not get a switch.
pub fn expects_no_switch(passes: &str) -> Option<&'static str> {
    let mut found = None;
    names(passes, &mut |name| {
        found = found.or(WITHOUT_SWITCH.iter().copied().find(|it| *it == name));
    });
    found
}

/// Calls back with the name of every pass and manager of a pipeline, without parameters.
pub fn names(passes: &str, found: &mut impl FnMut(&str)) {
    let (mut depth, mut start) = (0_u32, 0);
    for (at, letter) in passes.char_indices() {
        match letter {
            // Parameters of a pass are no passes.
            '<' => {
                if depth == 0 {
                    found(passes[start..at].trim());
                }
                depth += 1;
            }
            '>' => {
                depth = depth.saturating_sub(1);
                start = at + 1;
            }
            ',' | '(' | ')' if depth == 0 => {
                let name = passes[start..at].trim();
                if !name.is_empty() {
                    found(name);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    let name = passes[start.min(passes.len())..].trim();
    if !name.is_empty() {
        found(name);
    }
}

/// The pipeline with each pass that stands without parameters replaced, at any depth.
pub fn replaced(passes: &str, replacement: &dyn Fn(&str) -> Option<String>) -> String {
    let parts = split(passes).into_iter().map(|pass| {
        let inner = pass.find('(').filter(|_| pass.ends_with(')'));
        match inner.filter(|at| !pass[..*at].contains('<') || pass[..*at].ends_with('>')) {
            Some(at) => {
                let inside = replaced(&pass[at + 1..pass.len() - 1], replacement);
                format!("{}({inside})", &pass[..at])
            }
            None => replacement(pass.trim()).unwrap_or_else(|| pass.to_owned()),
        }
    });
    parts.collect::<Vec<_>>().join(",")
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

    #[test]
    fn passes_that_instrument_or_lower_are_told_apart() {
        assert_eq!(
            changes_behaviour("function(sroa),require<x>,ee-instrument<post>"),
            Some("ee-instrument")
        );
        assert_eq!(changes_behaviour("module(asan)"), Some("asan"));
        assert_eq!(changes_behaviour("function(instcombine<no-verify-fixpoint>),gvn"), None);
        assert_eq!(changes_behaviour("default<O2>"), None);
        assert_eq!(changes_behaviour("cgscc(inline),coro-split"), Some("coro"));
        assert_eq!(changes_behaviour("lower-atomic"), Some("lower-atomic"));
        assert_eq!(expects_no_switch("function(structurizecfg)"), Some("structurizecfg"));
        assert_eq!(expects_no_switch("simplifycfg"), None);
        assert_eq!(changes_behaviour("function(place-safepoints)"), Some("place-safepoints"));
        assert_eq!(changes_behaviour("codegenprepare,lower-switch,expand-memcmp"), None);
    }

    #[test]
    fn passes_are_found_and_replaced_at_any_depth() {
        let mut all = vec![];
        names(
            "cgscc(inline<only-mandatory>,function(sroa,gvn<memdep;pre>)),globalopt",
            &mut |it| {
                all.push(it.to_owned());
            },
        );
        assert_eq!(all, ["cgscc", "inline", "function", "sroa", "gvn", "globalopt"]);
        let swap = |pass: &str| (pass == "gvn").then(|| "newgvn".to_owned());
        assert_eq!(
            replaced("gvn,function(gvn,loop(licm),gvn<pre>)", &swap),
            "newgvn,function(newgvn,loop(licm),gvn<pre>)"
        );
    }
}
