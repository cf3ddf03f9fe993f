//! The passes of rustc, which can be left out by name, and of LLVM, which are counted by its bisection limit.
//! Both print a line for each pass and function: `BISECT: running pass (56) GVN on case::f`.

use std::sync::LazyLock;

use forge::Outcome;
use regex::{Captures, Regex};

use super::settings::PASSES;
use super::statement;
use crate::setting::Setting;
use crate::target::{Axis, PassId};

/// The name of the pass is all that counts: the function is the generator's.
static PASS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^BISECT: running pass \(\d+\) (?<pass>.+?) on ").ok());

/// What rustc says where it checks its MIR and finds it broken.
static BROKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"broken MIR in .* \((?<when>(?:after|before) [^)]*)\) at .*\n\s*(?<why>.*)").ok()
});

/// A statement of the program within that.
static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"`[^`]* = [^`]*`").ok());

/// How a statement is told that copies something onto itself.
const ONTO_ITSELF: &str = "`x = copy x`";

/// Whether all that the check rejects is right all the same: no pass had touched it yet, or a pass has made a statement of it
/// that copies from beside where it writes.
pub(super) fn is_checked_too_strictly(text: &str) -> bool {
    let given = text.contains(" (after phase change to runtime) at ");
    given
        || BROKEN.as_ref().is_some_and(|broken| broken.is_match(text)) && complaint(text).is_none()
}

/// The first complaint of the check that is not too strict: it takes all parts of a variable for the same memory.
fn complaint(text: &str) -> Option<Captures<'_>> {
    let too_strict = |complaint: &Captures<'_>| {
        let why = &complaint["why"];
        let statement = STATEMENT.as_ref().and_then(|statement| statement.find(why));
        why.contains("overlapping memory")
            && statement.is_some_and(|it| !statement::reads_what_it_writes(inside(it.as_str())))
    };
    BROKEN.as_ref()?.captures_iter(text).find(|complaint| !too_strict(complaint))
}

/// What is between backquotes.
fn inside(quoted: &str) -> &str {
    quoted.trim_matches('`')
}

/// What programs need to be compiled rightly, though rustc counts it among the optimisations: a limit that
/// leaves out `AddCallGuards` makes wrong programs of right ones.
const NEEDED: [&str; 4] = ["AddCallGuards", "PreCodegen", "ForceInline", "Marker"];

/// An axis for each kind of passes. `listed` gives what rustc prints under a setting.
pub(super) fn axes(setting: &Setting, listed: impl Fn(&Setting) -> Option<String>) -> Vec<Axis> {
    let with = |flag: String| {
        let mut with = setting.clone();
        with.extra.push(flag);
        with
    };
    let mir = || {
        let printed = listed(&with("-Zmir-opt-bisect-limit=4294967295".to_owned()))?;
        let mut passes: Vec<&str> = vec![];
        for name in names(&printed) {
            if !passes.contains(&name) && !NEEDED.contains(&name) {
                passes.push(name);
            }
        }
        // A version that cannot list its passes, such as 1.85, has most of these, and ignores the others.
        if passes.is_empty() {
            passes.extend(PASSES);
        }
        // The first passes of all functions, by leaving out the rest.
        let limited = |count: usize| {
            let rest: Vec<String> = passes[count..].iter().map(|pass| format!("-{pass}")).collect();
            if rest.is_empty() {
                setting.clone()
            } else {
                with(format!("-Zmir-enable-passes={}", rest.join(",")))
            }
        };
        Axis::of_passes(passes.iter().map(|pass| mir_pass(pass)), limited)
    };
    let llvm = || {
        // Units are optimised at the same time, each with a count of its own. What fails only where there are
        // several is left without a culprit: the last point is then none that fails.
        let limit = |n: &str| {
            let mut limited = with(format!("-Cllvm-args=-opt-bisect-limit={n}"));
            let units = limited.values.iter_mut().filter(|(option, _)| option == "codegen-units");
            units.for_each(|(_, count)| *count = "1".to_owned());
            limited
        };
        let printed = listed(&limit("-1"))?;
        let passes = names(&printed).map(|name| PassId::new(name).in_layer("LLVM"));
        Axis::of_passes(passes, |count| limit(&count.to_string()))
    };
    // LLVM does nothing to bisect where it is not to optimise.
    let optimised = setting.value("opt-level") != Some("0");
    mir().into_iter().chain(optimised.then(llvm).flatten()).collect()
}

/// The setting with a pass of MIR left out, of all its turns: `DeadStoreElimination-initial` and `-final` are one
/// pass, and what the first leaves undone the second may do. LLVM cannot leave out a single one.
pub(super) fn without(setting: &Setting, pass: &PassId) -> Option<Setting> {
    if !pass.is_in(MIR) {
        return None;
    }
    let others = PASSES.iter().map(|other| mir_pass(other));
    let others = others.filter(|other| other != pass && other.is_same_pass(pass));
    let runs = std::iter::once(pass.clone()).chain(others);
    let names: Vec<String> = runs.map(|run| format!("-{}", run.run_name())).collect();
    let mut without = setting.clone();
    without.extra.push(format!("-Zmir-enable-passes={}", names.join(",")));
    Some(without)
}

/// The layer of rustc's own passes.
pub(super) const MIR: &str = "MIR";

/// A pass of MIR by the name that rustc gives to one of its runs: `DeadStoreElimination-final`.
pub(super) fn mir_pass(name: &str) -> PassId {
    let (pass, turn) = match name.split_once('-') {
        Some((pass, turn)) => (pass, Some(turn)),
        None => (name, None),
    };
    PassId::new(pass).in_layer(MIR).at_turn(turn)
}

/// The pass that broken MIR is the doing of, from a message that [`explained`] it. A copy of something onto itself
/// is rejected, too, but harms nobody, and so is no reason for what goes wrong elsewhere.
pub(super) fn rejected_after(message: &str) -> Option<PassId> {
    if message.contains(ONTO_ITSELF) {
        return None;
    }
    let after = message.strip_prefix("broken MIR after pass ")?;
    after.split_once(':').map(|(pass, _)| mir_pass(pass))
}

/// A crash that tells of broken MIR, in words that are the same for every program: the pass that broke
/// it is then a part of its signature.
pub(super) fn explained(outcome: Outcome, text: &str) -> Outcome {
    match (outcome, complaint(text)) {
        (Outcome::Crashed { signal, frames, .. }, Some(broken)) => {
            // The statements that it shows are the generator's.
            let why = match STATEMENT.as_ref() {
                Some(statement) => statement.replace_all(&broken["why"], |found: &Captures<'_>| {
                    if statement::is_onto_itself(inside(&found[0])) { ONTO_ITSELF } else { "`…`" }
                }),
                None => broken["why"].into(),
            };
            let why = why.split(':').next().unwrap_or_default();
            // The turns of a pass make the same mistakes.
            let when = match broken["when"].strip_prefix("after pass ") {
                Some(pass) => format!("after pass {}", mir_pass(pass).name),
                None => broken["when"].to_owned(),
            };
            let message = format!("broken MIR {when}: {}", why.trim_end());
            Outcome::Crashed { signal, message, frames }
        }
        (outcome, _) => outcome,
    }
}

fn names(printed: &str) -> impl Iterator<Item = &str> {
    let found = PASS.iter().flat_map(move |pass| pass.captures_iter(printed));
    found.filter_map(|groups| groups.name("pass").map(|name| name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_of_mir_can_be_left_out_and_one_of_llvm_cannot() {
        let setting = without(&Setting::plain(), &mir_pass("GVN")).expect("it is one of MIR");
        assert_eq!(setting.extra, ["-Zmir-enable-passes=-GVN"]);
        let setting =
            without(&setting, &mir_pass("DeadStoreElimination-final")).expect("it is, too");
        let both = "-Zmir-enable-passes=-DeadStoreElimination-final,-DeadStoreElimination-initial";
        assert_eq!(setting.extra, ["-Zmir-enable-passes=-GVN", both]);
        assert_eq!(without(&Setting::plain(), &PassId::new("sroa").in_layer("LLVM")), None);
    }

    #[test]
    fn broken_mir_is_known_by_the_pass_and_the_reason() {
        let text = |function: &str, block: &str| {
            format!(
                "note: x\n\nerror: internal compiler error: broken MIR in Item(DefId(0:4 ~ \
                 case[24b8]::{function})) (after pass GVN) at {block}:\n            encountered overlapping \
                 memory in `Move` arguments: _2 = {function}(move _2)\n  --> case.rs:10:10\n"
            )
        };
        let crash = |message: &str| Outcome::Crashed {
            signal: None,
            message: message.to_owned(),
            frames: vec!["rustc_errors::emit".to_owned()],
        };
        let one = explained(crash("one"), &text("f", "bb0[1]"));
        assert_eq!(one, explained(crash("two"), &text("main", "bb7[0]")));
        let expected =
            "broken MIR after pass GVN: encountered overlapping memory in `Move` arguments";
        assert!(matches!(&one, Outcome::Crashed { message, .. } if message == expected), "{one:?}");
        assert_eq!(rejected_after(expected), Some(mir_pass("GVN")));
        assert_eq!(rejected_after("broken MIR after phase change to runtime: no"), None);
        assert_eq!(explained(crash("other"), "error: other"), crash("other"));
        let text = "broken MIR in Item(x) (after pass GVN) at bb0[0]:\n   \
                    encountered `_1 = S0 { f0: copy _1 }` statement with overlapping memory\n";
        let expected =
            "broken MIR after pass GVN: encountered `…` statement with overlapping memory";
        let told = explained(crash("one"), text);
        assert!(
            matches!(&told, Outcome::Crashed { message, .. } if message == expected),
            "{told:?}"
        );
        assert_eq!(rejected_after(expected), Some(mir_pass("GVN")));
        let later = text.replace("GVN", "DeadStoreElimination-final");
        let told = explained(crash("one"), &later);
        let Outcome::Crashed { message, .. } = &told else { panic!("{told:?}") };
        let pass = rejected_after(message).expect("it tells");
        assert!(pass.is_same_pass(&mir_pass("DeadStoreElimination-initial")), "{pass}");
        assert!(!pass.is_same_pass(&mir_pass("DestinationPropagation")));
        // What harms nobody is told apart.
        let text = text.replace("_1 = S0 { f0: copy _1 }", "(_7.1: u8) = copy (_7.1: u8)");
        let expected =
            "broken MIR after pass GVN: encountered `x = copy x` statement with overlapping memory";
        let told = explained(crash("one"), &text);
        assert!(
            matches!(&told, Outcome::Crashed { message, .. } if message == expected),
            "{told:?}"
        );
        assert_eq!(rejected_after(expected), None);
    }

    #[test]
    fn only_passes_that_ran_count() {
        let printed = "BISECT: running pass (1) SimplifyCfg-final on case[c2]::f\nwarning: x\n\
                       BISECT: NOT running pass (2) GVN on case[c2]::f\n\
                       BISECT: running pass (3) sroa on _RNv4case\n";
        assert_eq!(names(printed).collect::<Vec<_>>(), ["SimplifyCfg-final", "sroa"]);
        let axes = axes(&Setting::plain(), |_| Some(printed.to_owned()));
        let Axis::Passes(points) = &axes[0] else { panic!("it is of passes") };
        let passes: Vec<Option<PassId>> = points.iter().map(|point| point.pass.clone()).collect();
        assert_eq!(passes, [None, Some(mir_pass("SimplifyCfg-final")), Some(mir_pass("sroa"))]);
        let extra = |axis: usize, point: usize| axes[axis].settings()[point].extra.clone();
        assert_eq!(extra(0, 0), ["-Zmir-enable-passes=-SimplifyCfg-final,-sroa"]);
        assert_eq!(extra(0, 1), ["-Zmir-enable-passes=-sroa"]);
        assert_eq!(extra(1, 2), ["-Cllvm-args=-opt-bisect-limit=2"]);
        // LLVM's passes are counted in one unit.
        let pair = |option: &str, value: &str| (option.to_owned(), value.to_owned());
        let many = Setting::of(vec![pair("opt-level", "s"), pair("codegen-units", "16")]);
        let counted = super::axes(&many, |_| Some(printed.to_owned()));
        let units = |axis: usize| counted[axis].settings()[1].value("codegen-units");
        assert_eq!((units(0), units(1)), (Some("16"), Some("1")));
        // A version that lists none has those of the table.
        let unlisted = super::axes(&Setting::plain(), |_| Some(String::new()));
        assert_eq!(unlisted.len(), 1);
        assert_eq!(unlisted[0].settings().len(), 1 + PASSES.len());
    }

    #[test]
    fn what_only_lies_beside_itself_is_no_reason_to_reject_it() {
        let text = |when: &str, statement: &str| {
            format!(
                "error: internal compiler error: broken MIR in Item(DefId(0:4 ~ case[24b8]::f)) (after {when}) at \
                 bb0[1]:\n            encountered {statement}\n  --> case.rs:10:10\n"
            )
        };
        let overlapping = |statement: &str| {
            text(
                "pass ReferencePropagation",
                &format!("`{statement}` statement with overlapping memory"),
            )
        };
        assert!(is_checked_too_strictly(&overlapping("(_3.0: i32) = copy (_3.1: i32)")));
        assert!(!is_checked_too_strictly(&overlapping("(_3.0: i32) = copy (_3.0: i32)")));
        let moved = "overlapping memory in `Move` arguments: _2 = f(move _2)";
        assert!(!is_checked_too_strictly(&text("pass GVN", moved)));
        assert!(is_checked_too_strictly(&text("phase change to runtime", moved)));
        // The check goes on, and may be right later.
        let both = overlapping("(_3.0: i32) = copy (_3.1: i32)") + &text("pass GVN", moved);
        assert!(!is_checked_too_strictly(&both));
        let crash = Outcome::Crashed { signal: None, message: String::new(), frames: vec![] };
        let told = explained(crash, &both);
        let expected =
            "broken MIR after pass GVN: encountered overlapping memory in `Move` arguments";
        assert!(
            matches!(&told, Outcome::Crashed { message, .. } if message == expected),
            "{told:?}"
        );
    }
}
