//! Controls the MIR passes of rustc, which are disabled by name, and LLVM's, which are limited by number. Both print a
//! line for each pass and function: `BISECT: running pass (56) GVN on case::f`.

use std::sync::LazyLock;

use forge::Outcome;
use regex::{Captures, Regex};

use super::settings::PASSES;
use super::statement;
use crate::setting::Setting;
use crate::target::{Axis, PassId};

/// Only the name of the pass is used; the function is generated.
static PASS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^BISECT: running pass \(\d+\) (?<pass>.+?) on ").ok());

/// The message of the MIR validator.
static BROKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"broken MIR in .* \((?<when>(?:after|before) [^)]*)\) at .*\n\s*(?<why>.*)").ok()
});

/// A statement of the program within that message.
static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"`[^`]* = [^`]*`").ok());

/// The normalised form of a self-copy.
const SELF_COPY: &str = "`x = copy x`";

/// Whether everything that the validator rejects is valid: it rejects the program before any pass ran, or only statements
/// whose places are disjoint.
pub(super) fn is_checked_too_strictly(text: &str) -> bool {
    let given = text.contains(" (after phase change to runtime) at ");
    given
        || BROKEN.as_ref().is_some_and(|broken| broken.is_match(text))
            && justified_rejection(text).is_none()
}

/// The first justified rejection: the validator treats all parts of a variable as overlapping memory.
fn justified_rejection(text: &str) -> Option<Captures<'_>> {
    let too_strict = |rejection: &Captures<'_>| {
        let why = &rejection["why"];
        let statement = STATEMENT.as_ref().and_then(|statement| statement.find(why));
        why.contains("overlapping memory")
            && statement.is_some_and(|it| !statement::has_overlap(inside(it.as_str())))
    };
    BROKEN.as_ref()?.captures_iter(text).find(|rejection| !too_strict(rejection))
}

/// The text between backquotes.
fn inside(quoted: &str) -> &str {
    quoted.trim_matches('`')
}

/// Passes that are required for correct code, although rustc counts them as optimisations: without `AddCallGuards`,
/// correct programs are miscompiled.
const NEEDED: [&str; 4] = ["AddCallGuards", "PreCodegen", "ForceInline", "Marker"];

/// One axis for MIR passes and one for LLVM's. `listed` returns rustc's output under a setting.
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
        // A version that cannot list its passes, such as 1.85, has most of these and ignores the others.
        if passes.is_empty() {
            passes.extend(PASSES);
        }
        // Limits the passes of all functions by disabling the rest.
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
        // Codegen units are optimised in parallel, each with its own count, so one unit is used. A failure that needs
        // several units gets no culprit, because the last point of the axis does not fail.
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
    // At level 0, LLVM has no passes to bisect.
    let optimised = setting.value("opt-level") != Some("0");
    mir().into_iter().chain(optimised.then(llvm).flatten()).collect()
}

/// The setting with all turns of a MIR pass disabled: `DeadStoreElimination-initial` and `-final` are the same pass, and
/// the second may do what the first would have done. LLVM cannot disable a single pass.
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

/// The layer of MIR passes.
pub(super) const MIR: &str = "MIR";

/// A MIR pass from rustc's name for one of its runs: `DeadStoreElimination-final`.
pub(super) fn mir_pass(name: &str) -> PassId {
    let (pass, turn) = match name.split_once('-') {
        Some((pass, turn)) => (pass, Some(turn)),
        None => (name, None),
    };
    PassId::new(pass).in_layer(MIR).at_turn(turn)
}

/// The pass that broke the MIR, from a message of [`normalised`]. A self-copy is also rejected, but is harmless, so it
/// does not explain a miscompile.
pub(super) fn rejected_after(message: &str) -> Option<PassId> {
    if message.contains(SELF_COPY) {
        return None;
    }
    let after = message.strip_prefix("broken MIR after pass ")?;
    after.split_once(':').map(|(pass, _)| mir_pass(pass))
}

/// Normalises the message of a validator crash, so that it is the same for every program and contains the pass.
pub(super) fn normalised(outcome: Outcome, text: &str) -> Outcome {
    match (outcome, justified_rejection(text)) {
        (Outcome::Crashed { signal, frames, .. }, Some(broken)) => {
            // The quoted statements depend on the generated program.
            let why = match STATEMENT.as_ref() {
                Some(statement) => statement.replace_all(&broken["why"], |found: &Captures<'_>| {
                    if statement::is_self_copy(inside(&found[0])) { SELF_COPY } else { "`…`" }
                }),
                None => broken["why"].into(),
            };
            let why = why.split(':').next().unwrap_or_default();
            // All turns of a pass share its bugs.
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
    fn a_mir_pass_can_be_disabled_and_an_llvm_pass_cannot() {
        let setting =
            without(&Setting::plain(), &mir_pass("GVN")).expect("a MIR pass can be disabled");
        assert_eq!(setting.extra, ["-Zmir-enable-passes=-GVN"]);
        let setting = without(&setting, &mir_pass("DeadStoreElimination-final"))
            .expect("a MIR pass can be disabled");
        let both = "-Zmir-enable-passes=-DeadStoreElimination-final,-DeadStoreElimination-initial";
        assert_eq!(setting.extra, ["-Zmir-enable-passes=-GVN", both]);
        assert_eq!(without(&Setting::plain(), &PassId::new("sroa").in_layer("LLVM")), None);
    }

    #[test]
    fn broken_mir_is_identified_by_pass_and_reason() {
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
        let one = normalised(crash("one"), &text("f", "bb0[1]"));
        assert_eq!(one, normalised(crash("two"), &text("main", "bb7[0]")));
        let expected =
            "broken MIR after pass GVN: encountered overlapping memory in `Move` arguments";
        assert!(matches!(&one, Outcome::Crashed { message, .. } if message == expected), "{one:?}");
        assert_eq!(rejected_after(expected), Some(mir_pass("GVN")));
        assert_eq!(rejected_after("broken MIR after phase change to runtime: no"), None);
        assert_eq!(normalised(crash("other"), "error: other"), crash("other"));
        let text = "broken MIR in Item(x) (after pass GVN) at bb0[0]:\n   \
                    encountered `_1 = S0 { f0: copy _1 }` statement with overlapping memory\n";
        let expected =
            "broken MIR after pass GVN: encountered `…` statement with overlapping memory";
        let outcome = normalised(crash("one"), text);
        assert!(
            matches!(&outcome, Outcome::Crashed { message, .. } if message == expected),
            "{outcome:?}"
        );
        assert_eq!(rejected_after(expected), Some(mir_pass("GVN")));
        let later = text.replace("GVN", "DeadStoreElimination-final");
        let outcome = normalised(crash("one"), &later);
        let Outcome::Crashed { message, .. } = &outcome else { panic!("{outcome:?}") };
        let pass = rejected_after(message).expect("the message names the pass");
        assert!(pass.is_same_pass(&mir_pass("DeadStoreElimination-initial")), "{pass}");
        assert!(!pass.is_same_pass(&mir_pass("DestinationPropagation")));
        // A harmless self-copy is distinguished.
        let text = text.replace("_1 = S0 { f0: copy _1 }", "(_7.1: u8) = copy (_7.1: u8)");
        let expected =
            "broken MIR after pass GVN: encountered `x = copy x` statement with overlapping memory";
        let outcome = normalised(crash("one"), &text);
        assert!(
            matches!(&outcome, Outcome::Crashed { message, .. } if message == expected),
            "{outcome:?}"
        );
        assert_eq!(rejected_after(expected), None);
    }

    #[test]
    fn only_passes_that_ran_are_listed() {
        let printed = "BISECT: running pass (1) SimplifyCfg-final on case[c2]::f\nwarning: x\n\
                       BISECT: NOT running pass (2) GVN on case[c2]::f\n\
                       BISECT: running pass (3) sroa on _RNv4case\n";
        assert_eq!(names(printed).collect::<Vec<_>>(), ["SimplifyCfg-final", "sroa"]);
        let axes = axes(&Setting::plain(), |_| Some(printed.to_owned()));
        let Axis::Passes(points) = &axes[0] else { panic!("the axis is one of passes") };
        let passes: Vec<Option<PassId>> = points.iter().map(|point| point.pass.clone()).collect();
        assert_eq!(passes, [None, Some(mir_pass("SimplifyCfg-final")), Some(mir_pass("sroa"))]);
        let extra = |axis: usize, point: usize| axes[axis].settings()[point].extra.clone();
        assert_eq!(extra(0, 0), ["-Zmir-enable-passes=-SimplifyCfg-final,-sroa"]);
        assert_eq!(extra(0, 1), ["-Zmir-enable-passes=-sroa"]);
        assert_eq!(extra(1, 2), ["-Cllvm-args=-opt-bisect-limit=2"]);
        // LLVM's passes are counted in one codegen unit.
        let pair = |option: &str, value: &str| (option.to_owned(), value.to_owned());
        let many = Setting::of(vec![pair("opt-level", "s"), pair("codegen-units", "16")]);
        let counted = super::axes(&many, |_| Some(printed.to_owned()));
        let units = |axis: usize| counted[axis].settings()[1].value("codegen-units");
        assert_eq!((units(0), units(1)), (Some("16"), Some("1")));
        // A version that lists no passes gets those of the table.
        let unlisted = super::axes(&Setting::plain(), |_| Some(String::new()));
        assert_eq!(unlisted.len(), 1);
        assert_eq!(unlisted[0].settings().len(), 1 + PASSES.len());
    }

    #[test]
    fn a_statement_with_disjoint_places_is_not_a_justified_rejection() {
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
        // A later rejection in the same output may be justified.
        let both = overlapping("(_3.0: i32) = copy (_3.1: i32)") + &text("pass GVN", moved);
        assert!(!is_checked_too_strictly(&both));
        let crash = Outcome::Crashed { signal: None, message: String::new(), frames: vec![] };
        let outcome = normalised(crash, &both);
        let expected =
            "broken MIR after pass GVN: encountered overlapping memory in `Move` arguments";
        assert!(
            matches!(&outcome, Outcome::Crashed { message, .. } if message == expected),
            "{outcome:?}"
        );
    }
}
