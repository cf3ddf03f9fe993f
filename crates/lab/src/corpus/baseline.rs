//! The functions of a corpus that a compiler fails on as they are. Crossovers of them would find the same failure
//! again and again, so they are no seeds; `llvm-tests` hunts them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use forge::{Case, Method as _};
use llvm::corpus::{Corpus, Test};
use llvm::method::Crossover;

use crate::oracle;
use crate::target::{Bench, Target, batch};
use crate::verdict::{BreachKind, Verdict};

/// A function that fails as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fails {
    /// The file below the folder of tests.
    pub path: String,
    pub function: String,
    pub kind: BreachKind,
}

/// A corpus with the functions that fail without any change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// The corpus in its stored form, with what fails.
    pub text: String,
    /// In the order of the corpus.
    pub fails: Vec<Fails>,
}

/// Runs every function of a corpus in its stored form through the first pipeline of its test.
pub fn baseline(
    text: &str,
    corpus: &Arc<Corpus>,
    target: &dyn Target,
    bench: &Bench,
    jobs: usize,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Baseline {
    let method = Crossover::plain(Arc::clone(corpus));
    let count = corpus.seeds.len();
    let most = target.spec().batch(method.interface()).cases.max(1);
    let next = AtomicUsize::new(0);
    let failures: Mutex<BTreeMap<usize, BreachKind>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(most, Ordering::Relaxed);
                    if first >= count {
                        break;
                    }
                    progress(first, count);
                    let numbers = first..count.min(first + most);
                    let made = numbers.filter_map(|number| {
                        Some((number, method.make(&method.ticket(1, number as u64))?))
                    });
                    let (numbers, cases): (Vec<usize>, Vec<Case>) = made.unzip();
                    let found = failing(&cases, target, bench);
                    let mut failures = failures.lock().unwrap_or_else(|it| it.into_inner());
                    failures.extend(found.into_iter().map(|(at, kind)| (numbers[at], kind)));
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(|it| it.into_inner());
    let fails: Vec<Fails> = failures
        .into_iter()
        .map(|(seed, kind)| Fails {
            path: corpus.test(seed).path.to_string(),
            function: corpus.seeds[seed].name.to_string(),
            kind,
        })
        .collect();
    Baseline { text: marked(text, &fails), fails }
}

/// The cases that break their promise, by their places.
fn failing(cases: &[Case], target: &dyn Target, bench: &Bench) -> Vec<(usize, BreachKind)> {
    let Some(own) = target.spec().settings.get(1) else { return vec![] };
    let all: Vec<&Case> = cases.iter().collect();
    let seen = batch::observe(target, &all, std::slice::from_ref(own), bench);
    let verdicts = cases.iter().zip(&seen.observations).enumerate();
    verdicts
        .filter_map(|(at, (case, observations))| match oracle::judge(case, observations) {
            Verdict::Broken(breach) => Some((at, breach.kind)),
            Verdict::Kept | Verdict::Skipped(_) => None,
        })
        .collect()
}

/// The corpus with the names of the functions that fail. Lines that cannot be read stay as they are.
fn marked(text: &str, fails: &[Fails]) -> String {
    let mut by_path: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for fail in fails {
        by_path.entry(&fail.path).or_default().push(fail.function.clone());
    }
    let mut marked = String::with_capacity(text.len());
    for line in text.lines() {
        let test = serde_json::from_str(line).ok().and_then(|mut test: Test| {
            test.failing.clone_from(by_path.get(&*test.path)?);
            serde_json::to_string(&test).ok()
        });
        marked.push_str(test.as_deref().unwrap_or(line));
        marked.push('\n');
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_fail_are_no_seeds_and_change_the_digest() {
        let define = |name: &str| format!("define i8 @{name}(i8 %a) {{\n  ret i8 %a\n}}\n\n");
        let test = |path: &str| Test {
            path: path.to_owned(),
            passes: vec!["instcombine".to_owned()],
            text: define("good") + &define("bad"),
            failing: vec![],
        };
        let text: String = [test("A/x.ll"), test("B/x.ll")]
            .iter()
            .map(|test| serde_json::to_string(test).unwrap() + "\n")
            .collect();
        let fails = Fails {
            path: "B/x.ll".to_owned(),
            function: "bad".to_owned(),
            kind: BreachKind::Miscompilation,
        };
        let marked = marked(&text, &[fails]);
        let (before, after) =
            (Corpus::read(19, &text).unwrap(), Corpus::read(19, &marked).unwrap());
        assert_eq!((before.seeds.len(), after.seeds.len()), (4, 3));
        assert_ne!(before.digest, after.digest);
        assert_eq!(after.tests[1].module.functions.len(), 2, "others may call it");
    }
}
