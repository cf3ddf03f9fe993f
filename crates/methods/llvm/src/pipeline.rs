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

/// Passes that may change what a function does: they instrument, split or lower it, or know how it is called. Behind
/// each is what a module must mention for that, as separate words; nothing if the pass changes any module.
const CHANGES: [(&str, &[&str]); 55] = [
    ("asan", &[]),
    ("atomic-expand", &["atomic", "atomicrmw", "cmpxchg"]),
    ("cfguard", &[]),
    ("coro-annotation-elide", COROUTINES),
    ("coro-cleanup", COROUTINES),
    ("coro-cond", COROUTINES),
    ("coro-early", COROUTINES),
    ("coro-elide", COROUTINES),
    ("coro-split", COROUTINES),
    ("ctx-instr-gen", &[]),
    ("ctx-instr-lower", &[]),
    ("ee-instrument", &["instrument-function-"]),
    ("post-inline-ee-instrument", &["instrument-function-"]),
    ("expand-variadics", &["..."]),
    // The addresses of variables change.
    ("global-merge", &["internal", "private"]),
    ("hwasan", &[]),
    ("instrprof", &["llvm.instrprof."]),
    ("internalize", &[]),
    ("kcfi", &["kcfi"]),
    ("lower-allow-check", &["llvm.allow."]),
    ("lower-atomic", &["atomic", "atomicrmw", "cmpxchg", "fence"]),
    ("lower-global-dtors", &["llvm.global_dtors"]),
    ("lower-guard-intrinsic", &["llvm.experimental.guard"]),
    ("lower-ifunc", &["ifunc"]),
    ("lower-invoke", &["invoke"]),
    ("lower-widenable-condition", &["llvm.experimental.widenable.condition"]),
    ("lowertypetests", &["llvm.type.", "llvm.public.type.", "type"]),
    ("memprof", &[]),
    ("memprof-context-disambiguation", &["memprof", "callsite"]),
    ("memprof-module", &[]),
    ("memprof-use", &[]),
    ("msan", &[]),
    ("nsan", &[]),
    ("numerical-stability-sanitizer", &[]),
    ("objc-arc", OBJECTIVE_C),
    ("objc-arc-contract", OBJECTIVE_C),
    ("objc-arc-expand", OBJECTIVE_C),
    ("openmp-opt", OPEN_MP),
    ("openmp-opt-cgscc", OPEN_MP),
    ("openmp-opt-postlink", OPEN_MP),
    ("pgo-instr-gen", &[]),
    ("place-safepoints", &["gc"]),
    ("poison-checking", &[]),
    ("rewrite-statepoints-for-gc", &["gc"]),
    ("rtsan", &[]),
    ("safe-stack", &["safestack"]),
    ("sanmd-module", &[]),
    ("sancov-module", &[]),
    ("stack-protector", &["ssp", "sspstrong", "sspreq"]),
    ("strip-gc-relocates", &["llvm.experimental.gc."]),
    ("tsan", &[]),
    ("tsan-module", &[]),
    ("tysan", &[]),
    ("tysan-module", &[]),
    ("wholeprogramdevirt", &["llvm.type.", "llvm.public.type.", "type"]),
];

const COROUTINES: &[&str] = &["llvm.coro.", "presplitcoroutine"];
const OBJECTIVE_C: &[&str] = &["llvm.objc.", "objc_"];
const OPEN_MP: &[&str] = &["__kmpc_", "omp_", "openmp"];

/// The first pass of a pipeline that may change what a function of a module does. The text is that of the module.
pub fn changes_behaviour(passes: &str, text: &str) -> Option<&'static str> {
    let mut found = None;
    names(passes, &mut |name| {
        let row = || CHANGES.iter().find(|(pass, _)| *pass == name);
        found = found.or_else(|| {
            let (pass, needs) = row()?;
            (needs.is_empty() || needs.iter().any(|word| mentions(text, word))).then_some(*pass)
        });
    });
    found
}

/// Whether a text has a word. One that ends with a point, a dash or an underscore is the beginning of words.
fn mentions(text: &str, word: &str) -> bool {
    let is_letter = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
    };
    let bytes = text.as_bytes();
    let is_beginning = word.ends_with(['.', '-', '_']);
    text.match_indices(word).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        !is_letter(before) && (is_beginning || !is_letter(bytes.get(at + word.len())))
    })
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

/// A pass of a pipeline that expects `fix-irreducible` before it, and has none. It leaves what it does not understand half
/// rewritten.
pub fn expects_reducible(passes: &str) -> Option<&'static str> {
    let (mut found, mut is_fixed) = (None, false);
    names(passes, &mut |name| {
        is_fixed |= name == "fix-irreducible";
        if name == "structurizecfg" && !is_fixed {
            found = Some("structurizecfg");
        }
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
        let plain = "define i8 @f(i8 %a) {\n  ret i8 %a\n}\n";
        let in_plain = |passes: &str| changes_behaviour(passes, plain);
        assert_eq!(in_plain("module(asan)"), Some("asan"));
        assert_eq!(in_plain("function(instcombine<no-verify-fixpoint>),gvn"), None);
        assert_eq!(in_plain("default<O2>"), None);
        assert_eq!(in_plain("codegenprepare,lower-switch,expand-memcmp"), None);
        assert_eq!(expects_no_switch("function(structurizecfg)"), Some("structurizecfg"));
        assert_eq!(expects_no_switch("simplifycfg"), None);
        assert_eq!(expects_reducible("function(gvn,structurizecfg)"), Some("structurizecfg"));
        assert_eq!(expects_reducible("function(fix-irreducible,structurizecfg)"), None);
        let instrumented = "attributes #0 = { \"instrument-function-entry\"=\"x\" }\n";
        assert_eq!(
            changes_behaviour("function(sroa),require<x>,ee-instrument<post>", instrumented),
            Some("ee-instrument")
        );
    }

    /// A pass with another name that begins alike may be wrong, and so may one that has nothing to lower.
    #[test]
    fn only_what_a_pass_lowers_excuses_a_difference() {
        let plain = "define i8 @f(i8 %a) {\n  ret i8 %a\n}\n";
        let preserving = ["pgo-icall-prom", "pgo-memop-opt", "pgo-force-function-attrs"];
        let idle = ["lower-atomic", "cgscc(inline),coro-split", "function(place-safepoints)"];
        for passes in preserving.iter().chain(&idle) {
            assert_eq!(changes_behaviour(passes, plain), None, "{passes}");
        }
        let text = "define i8 @f(ptr %p) gc \"x\" {\n  %r = load atomic i8, ptr %p seq_cst, align 1\n\
                    %c = call ptr @llvm.coro.begin(token none, ptr null)\n  ret i8 %r\n}\n";
        assert_eq!(changes_behaviour(idle[0], text), Some("lower-atomic"));
        assert_eq!(changes_behaviour(idle[1], text), Some("coro-split"));
        assert_eq!(changes_behaviour(idle[2], text), Some("place-safepoints"));
        let variable = "@a = internal global i32 1\n";
        assert_eq!(
            changes_behaviour("global-merge<max-offset=100>", variable),
            Some("global-merge")
        );
        // Names are no mentions.
        let named = "define i8 @atomics(ptr %p.gc) {\n  ret i8 0\n}\n";
        assert_eq!(changes_behaviour(idle[0], named), None);
        assert_eq!(changes_behaviour(idle[2], named), None);
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
