//! What the RUN lines of a test say: the pipelines of `opt`, and the machine that it is told to compile for.

/// Options of `opt` in RUN lines of old tests that are names of passes today.
const LEGACY: &[&str] = &[
    "adce",
    "aggressive-instcombine",
    "bdce",
    "constraint-elimination",
    "correlated-propagation",
    "dce",
    "div-rem-pairs",
    "dse",
    "early-cse",
    "float2int",
    "globalopt",
    "gvn",
    "indvars",
    "inline",
    "instcombine",
    "instsimplify",
    "ipsccp",
    "jump-threading",
    "lcssa",
    "licm",
    "loop-deletion",
    "loop-idiom",
    "loop-rotate",
    "loop-unroll",
    "loop-vectorize",
    "mem2reg",
    "memcpyopt",
    "nary-reassociate",
    "newgvn",
    "reassociate",
    "sccp",
    "simplifycfg",
    "sink",
    "slp-vectorizer",
    "slsr",
    "sroa",
    "tailcallelim",
    "vector-combine",
];

/// Options that say for which machine a test is. `opt` writes them into the module, so they need not be repeated.
const MACHINE: &[&str] = &["-mtriple", "-mcpu", "-mattr"];

/// The RUN lines that call `opt`, each as a whole: a backslash at the end of a line continues it.
fn calls(source: &str) -> Vec<String> {
    let mut calls: Vec<String> = vec![];
    let mut open = false;
    for line in source.lines() {
        let Some((_, text)) = line.split_once("RUN:") else {
            open = false;
            continue;
        };
        let (text, continues) = match text.trim_end().strip_suffix('\\') {
            Some(text) => (text, true),
            None => (text, false),
        };
        match calls.last_mut().filter(|_| open) {
            Some(last) => last.push_str(text),
            None => calls.push(text.to_owned()),
        }
        open = continues;
    }
    calls.retain(|call| call.contains("opt "));
    calls
}

/// The pipelines of the calls of `opt`.
pub(super) fn passes(source: &str) -> Vec<String> {
    let mut all: Vec<String> = vec![];
    for call in calls(source) {
        let named = ["-passes=", "-p "].iter().find_map(|option| {
            let rest = call.split_once(option)?.1.trim_start();
            match rest.chars().next()? {
                quote @ ('"' | '\'') => rest[1..].split(quote).next(),
                _ => rest.split_whitespace().next(),
            }
        });
        let pipeline = named.map(str::to_owned).unwrap_or_else(|| {
            let words = call.split_whitespace().filter_map(|word| word.strip_prefix('-'));
            words.filter(|word| LEGACY.contains(word)).collect::<Vec<_>>().join(",")
        });
        // Printers change nothing. Variables of the test suite have no meaning here.
        let is_usable =
            !pipeline.is_empty() && !pipeline.contains("print") && !pipeline.contains('%');
        if is_usable && !all.contains(&pipeline) {
            all.push(pipeline);
        }
    }
    all
}

/// The options of the first call that say for which machine it compiles.
pub(super) fn machine(source: &str) -> Vec<String> {
    let calls = calls(source);
    let words = calls.first().into_iter().flat_map(|call| call.split_whitespace());
    let is_of_machine = |word: &&str| {
        let word = word.strip_prefix('-').filter(|it| it.starts_with('-')).unwrap_or(word);
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| MACHINE.contains(&name)) && !word.contains(['%', '$', '\'', '"'])
    };
    words.filter(is_of_machine).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_are_read_from_run_lines_of_all_times() {
        let source = "; RUN: opt -passes=instcombine -S < %s | FileCheck %s\n\
                      ; RUN: opt < %s -passes='function(sroa<modify-cfg>),gvn' -S\n\
                      ; RUN: opt -S -early-cse -instcombine %s\n\
                      ; RUN: opt -S \\\n; RUN:   -passes=licm %s\n\
                      ; RUN: opt -passes='print<domtree>' %s\n; RUN: llc %s\n";
        assert_eq!(
            passes(source),
            ["instcombine", "function(sroa<modify-cfg>),gvn", "early-cse,instcombine", "licm"]
        );
    }

    #[test]
    fn the_machine_is_that_of_the_first_call() {
        let source = "; RUN: llc -mtriple=avr %s\n\
                      ; RUN: opt -passes=slp-vectorizer --mtriple=x86_64-- \\\n; RUN: -mattr=+avx2 -S %s\n\
                      ; RUN: opt -passes=slp-vectorizer -mtriple=aarch64 -S %s\n";
        assert_eq!(machine(source), ["--mtriple=x86_64--", "-mattr=+avx2"]);
        assert!(machine("; RUN: opt -passes=gvn -mtriple=%target -S %s\n").is_empty());
    }
}
