//! The passes that pipelines are made of: a table of names with the kind of manager that runs them, and how
//! passes of different kinds stand side by side. Which of them a version has is told by its tests.

use crate::pipeline;

/// What runs a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manager {
    Function,
    Loop,
    /// A loop pass that needs MemorySSA.
    LoopMssa,
    Cgscc,
    Module,
}

/// Passes that change code, by their managers. Those over modules change signatures and remove functions,
/// which no oracle can judge; they are drawn only as the passes of their own tests.
const PASSES: &[(&str, Manager)] = &[
    ("adce", Manager::Function),
    ("aggressive-instcombine", Manager::Function),
    ("alignment-from-assumptions", Manager::Function),
    ("bdce", Manager::Function),
    ("callsite-splitting", Manager::Function),
    ("consthoist", Manager::Function),
    ("constraint-elimination", Manager::Function),
    ("correlated-propagation", Manager::Function),
    ("dce", Manager::Function),
    ("dfa-jump-threading", Manager::Function),
    ("div-rem-pairs", Manager::Function),
    ("dse", Manager::Function),
    ("early-cse", Manager::Function),
    ("fix-irreducible", Manager::Function),
    ("flattencfg", Manager::Function),
    ("float2int", Manager::Function),
    ("gvn", Manager::Function),
    ("gvn-hoist", Manager::Function),
    ("gvn-sink", Manager::Function),
    ("infer-alignment", Manager::Function),
    ("instcombine", Manager::Function),
    ("instsimplify", Manager::Function),
    ("irce", Manager::Function),
    ("jump-threading", Manager::Function),
    ("lcssa", Manager::Function),
    ("libcalls-shrinkwrap", Manager::Function),
    ("load-store-vectorizer", Manager::Function),
    ("loop-distribute", Manager::Function),
    ("loop-fusion", Manager::Function),
    ("loop-load-elim", Manager::Function),
    ("loop-simplify", Manager::Function),
    ("loop-sink", Manager::Function),
    ("loop-unroll", Manager::Function),
    ("loop-vectorize", Manager::Function),
    ("lower-switch", Manager::Function),
    ("lowerswitch", Manager::Function),
    ("mem2reg", Manager::Function),
    ("memcpyopt", Manager::Function),
    ("mergeicmps", Manager::Function),
    ("mergereturn", Manager::Function),
    ("mldst-motion", Manager::Function),
    ("nary-reassociate", Manager::Function),
    ("newgvn", Manager::Function),
    ("partially-inline-libcalls", Manager::Function),
    ("reassociate", Manager::Function),
    ("reg2mem", Manager::Function),
    ("scalarize-masked-mem-intrin", Manager::Function),
    ("scalarizer", Manager::Function),
    ("sccp", Manager::Function),
    ("separate-const-offset-from-gep", Manager::Function),
    ("simplifycfg", Manager::Function),
    ("sink", Manager::Function),
    ("slp-vectorizer", Manager::Function),
    ("slsr", Manager::Function),
    ("speculative-execution", Manager::Function),
    ("sroa", Manager::Function),
    ("structurizecfg", Manager::Function),
    ("tailcallelim", Manager::Function),
    ("unify-loop-exits", Manager::Function),
    ("vector-combine", Manager::Function),
    ("indvars", Manager::Loop),
    ("loop-bound-split", Manager::Loop),
    ("loop-deletion", Manager::Loop),
    ("loop-flatten", Manager::Loop),
    ("loop-idiom", Manager::Loop),
    ("loop-instsimplify", Manager::Loop),
    ("loop-interchange", Manager::Loop),
    ("loop-predication", Manager::Loop),
    ("loop-reduce", Manager::Loop),
    ("loop-rotate", Manager::Loop),
    ("loop-simplifycfg", Manager::Loop),
    ("loop-unroll-full", Manager::Loop),
    ("simple-loop-unswitch", Manager::Loop),
    ("licm", Manager::LoopMssa),
    ("lnicm", Manager::LoopMssa),
    ("argpromotion", Manager::Cgscc),
    ("function-attrs", Manager::Cgscc),
    ("inline", Manager::Cgscc),
    ("deadargelim", Manager::Module),
    ("globaldce", Manager::Module),
    ("globalopt", Manager::Module),
    ("ipsccp", Manager::Module),
    ("mergefunc", Manager::Module),
];

/// Whole pipelines, with the first version that has them no longer.
const DEFAULTS: [(&str, u32); 5] = [
    ("default<O1>", u32::MAX),
    ("default<O2>", u32::MAX),
    ("default<O3>", u32::MAX),
    ("default<Os>", 23),
    ("default<Oz>", 23),
];

/// The whole pipelines of a version.
pub fn defaults(version: u32) -> Vec<&'static str> {
    DEFAULTS.iter().filter(|(_, retired)| version < *retired).map(|(name, _)| *name).collect()
}

/// Beginnings of the names of passes that expect more of a module than LLVM's verifier checks, so that they end with a
/// fatal error on functions of other tests: coroutines in a certain state, a garbage collector, files of profiles or
/// summaries.
const EXPECTING: [&str; 9] = [
    "coro-",
    "function-import",
    "lto",
    "memprof",
    "pgo-",
    "place-safepoints",
    "rewrite-statepoints-for-gc",
    "sample-profile",
    "thinlto",
];

/// Whether a pipeline can be run on any function.
pub fn is_for_any_function(passes: &str) -> bool {
    let mut is_for_any = true;
    pipeline::names(passes, &mut |name| {
        is_for_any &= !EXPECTING.iter().any(|start| name.starts_with(start));
    });
    is_for_any
}

/// The name of a pass without its parameters: `sroa` of `sroa<modify-cfg>`.
pub fn name(pass: &str) -> &str {
    pass.split(['<', '(', ';']).next().unwrap_or(pass).trim()
}

/// What runs a pass of this name, if it is in the table.
pub fn manager(pass: &str) -> Option<Manager> {
    PASSES.iter().find(|(known, _)| *known == name(pass)).map(|(_, manager)| *manager)
}

/// The passes over functions and loops that these pipelines name: what a version of LLVM has, and oracles
/// can judge.
pub fn in_use<'a>(pipelines: impl Iterator<Item = &'a str>) -> Vec<&'static str> {
    let mut found: Vec<&str> = vec![];
    for passes in pipelines {
        pipeline::names(passes, &mut |name| {
            let row = PASSES.iter().find(|(known, manager)| {
                *known == name && !matches!(manager, Manager::Cgscc | Manager::Module)
            });
            if let Some((known, _)) = row
                && !found.contains(known)
            {
                found.push(known);
            }
        });
    }
    found.sort_unstable();
    found
}

/// The passes over functions and loops.
pub fn functional() -> impl Iterator<Item = &'static str> {
    let is_inner = |manager: &Manager| !matches!(manager, Manager::Cgscc | Manager::Module);
    PASSES.iter().filter(move |(_, manager)| is_inner(manager)).map(|(name, _)| *name)
}

/// A pass as it stands in a pipeline over functions; none if it is not over functions or loops.
pub fn in_function(pass: &str) -> Option<String> {
    if ["loop", "loop-mssa"].contains(&name(pass)) && pass.ends_with(')') {
        return Some(pass.to_owned());
    }
    match manager(pass)? {
        Manager::Function => Some(pass.to_owned()),
        Manager::Loop => Some(format!("loop({pass})")),
        Manager::LoopMssa => Some(format!("loop-mssa({pass})")),
        Manager::Cgscc | Manager::Module => None,
    }
}

/// A pass as it stands beside passes over modules. None if it is unknown what runs it.
fn in_module(pass: &str) -> Option<String> {
    if ["function", "module", "cgscc"].contains(&name(pass)) && pass.ends_with(')')
        || pass.starts_with("default<")
    {
        return Some(pass.to_owned());
    }
    if let Some(inner) = in_function(pass) {
        return Some(format!("function({inner})"));
    }
    Some(match manager(pass)? {
        Manager::Cgscc => format!("cgscc({pass})"),
        _ => pass.to_owned(),
    })
}

/// One pipeline of several: over functions if all of them are, else over modules. None if some pass is
/// unknown.
pub fn joined(pipelines: &[&str]) -> Option<String> {
    let all: Vec<&str> = pipelines.iter().flat_map(|it| pipeline::split(it)).collect();
    let inner: Option<Vec<String>> = all.iter().map(|it| in_function(it)).collect();
    let outer = || all.iter().map(|it| in_module(it)).collect::<Option<Vec<String>>>();
    Some(inner.or_else(outer)?.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_of_different_managers_are_nested() {
        assert_eq!(joined(&["gvn", "sroa<modify-cfg>,dse"]).unwrap(), "gvn,sroa<modify-cfg>,dse");
        assert_eq!(
            joined(&["indvars", "gvn", "loop-mssa(licm)"]).unwrap(),
            "loop(indvars),gvn,loop-mssa(licm)"
        );
        assert_eq!(
            joined(&["gvn", "indvars", "globalopt", "inline"]).unwrap(),
            "function(gvn),function(loop(indvars)),globalopt,cgscc(inline)"
        );
        assert_eq!(joined(&["gvn", "some-pass-of-the-future"]), None);
    }

    #[test]
    fn passes_that_tests_name_are_in_use() {
        let pipelines =
            ["function(instcombine<max-iterations=1>,gvn)", "globalopt,loop-mssa(licm)"];
        assert_eq!(in_use(pipelines.into_iter()), ["gvn", "instcombine", "licm"]);
    }
}
