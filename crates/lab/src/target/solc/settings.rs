//! The settings of solc, their schedule, and the axes for bisection.

use serde_json::{Value, json};

use crate::setting::Setting;
use crate::target::{Axis, PassId, PassPoint, Rotation, Schedule};
use crate::version::version_order;

/// EVM versions used besides the compiler's default, with the first compiler version that supports each. Older EVM
/// versions lack instructions that generated assembly uses.
const EVM_VERSIONS: &[(&str, &str)] = &[
    ("constantinople", "0.5.0"),
    ("istanbul", "0.5.13"),
    ("london", "0.8.7"),
    ("paris", "0.8.18"),
    ("shanghai", "0.8.20"),
    ("cancun", "0.8.25"),
    ("osaka", "0.8.31"),
];

/// The parts of the optimiser that can be disabled, in the order in which they run, with the first compiler version.
const DETAILS: &[(&str, &str)] = &[
    ("inliner", "0.8.2"),
    ("jumpdestRemover", "0.5.0"),
    ("peephole", "0.5.0"),
    ("deduplicate", "0.5.0"),
    ("cse", "0.5.0"),
    ("orderLiterals", "0.5.0"),
    ("constantOptimizer", "0.5.0"),
    ("yul", "0.5.0"),
];

/// The step sequence of the Yul optimiser in recent versions.
const STEPS: &str = "dhfoDgvulfnTUtnIf[xa[r]EscLMVcul[j]Trpeulxa[r]cLgvifCTUca[r]LSsTFOtfDnca[r]Iulc]\
                     jmul[jul]VcTOculjmul";

const STEP_NAMES: &[(char, &str)] = &[
    ('f', "BlockFlattener"),
    ('l', "CircularReferencesPruner"),
    ('c', "CommonSubexpressionEliminator"),
    ('C', "ConditionalSimplifier"),
    ('U', "ConditionalUnsimplifier"),
    ('n', "ControlFlowSimplifier"),
    ('D', "DeadCodeEliminator"),
    ('E', "EqualStoreEliminator"),
    ('v', "EquivalentFunctionCombiner"),
    ('e', "ExpressionInliner"),
    ('j', "ExpressionJoiner"),
    ('s', "ExpressionSimplifier"),
    ('x', "ExpressionSplitter"),
    ('I', "ForLoopConditionIntoBody"),
    ('O', "ForLoopConditionOutOfBody"),
    ('o', "ForLoopInitRewriter"),
    ('i', "FullInliner"),
    ('g', "FunctionGrouper"),
    ('h', "FunctionHoister"),
    ('F', "FunctionSpecializer"),
    ('T', "LiteralRematerialiser"),
    ('L', "LoadResolver"),
    ('M', "LoopInvariantCodeMotion"),
    ('m', "Rematerialiser"),
    ('V', "SSAReverser"),
    ('a', "SSATransform"),
    ('t', "StructuralSimplifier"),
    ('r', "UnusedAssignEliminator"),
    ('p', "UnusedFunctionParameterPruner"),
    ('S', "UnusedStoreEliminator"),
    ('u', "UnusedPruner"),
    ('d', "VarDeclInitializer"),
];

/// What the SMT checker does under a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Smt {
    /// Encodes the program and asks no solver. Most crashes of the checker are in the encoding.
    Encode,
    /// Asks the solver that is built in, with this engine.
    Solve(&'static str),
}

/// The option values. Solvers are slow, so they are used now and then.
const SMT: &[(&str, Smt)] = &[
    ("encode", Smt::Encode),
    ("bmc", Smt::Solve("bmc")),
    ("chc", Smt::Solve("chc")),
    ("all", Smt::Solve("all")),
];

/// The first version with the checker, as an experimental pragma; with an engine as a setting; and with a choice of
/// solvers.
const FIRST_SMT: &str = "0.4.24";
const FIRST_ENGINE: &str = "0.8.4";
const FIRST_SOLVERS: &str = "0.8.11";

impl Smt {
    pub(super) fn of(setting: &Setting) -> Option<Self> {
        let value = setting.value("smt")?;
        SMT.iter().find(|(name, _)| *name == value).map(|(_, smt)| *smt)
    }
}

/// Adds the SMT checker to the `settings` of the standard JSON input. Returns what must precede every source: older
/// versions enable it there.
pub(super) fn add_smt(json: &mut Value, version: &str, smt: Smt) -> &'static str {
    if !is_from(version, FIRST_ENGINE) {
        return "pragma experimental SMTChecker; ";
    }
    let (engine, solvers) = match smt {
        Smt::Encode => ("all", json!(["smtlib2"])),
        Smt::Solve(engine) => (engine, json!(["z3"])),
    };
    json["modelChecker"] = json!({ "engine": engine });
    if is_from(version, FIRST_SOLVERS) {
        json["modelChecker"]["solvers"] = solvers;
    }
    ""
}

/// The settings with the SMT checker.
pub(super) fn of_smt(version: &str) -> Vec<Setting> {
    // Without a choice of solvers, the one that is built in is asked.
    let names: &[&str] = match version {
        _ if is_from(version, FIRST_SOLVERS) => &["encode", "bmc", "chc"],
        _ if is_from(version, FIRST_SMT) => &["all"],
        _ => &[],
    };
    names.iter().map(|name| Setting::of(vec![("smt".to_owned(), (*name).to_owned())])).collect()
}

fn is_from(version: &str, first: &str) -> bool {
    version_order(Some(version)) >= version_order(Some(first))
}

fn setting(optimizer: &str, pipeline: &str, evm: &str) -> Setting {
    let values = [("optimizer", optimizer), ("pipeline", pipeline), ("evm", evm)];
    let values = values.map(|(option, value)| (option.to_owned(), value.to_owned()));
    let own = values.iter().map(|(_, value)| value.as_str()).filter(|value| *value != "default");
    let name = own.collect::<Vec<_>>().join("-");
    Setting { class: name.clone(), name, values: values.to_vec(), extra: vec![] }
}

pub(super) fn all(version: &str, yul: bool) -> Vec<Setting> {
    let mut all: Vec<Setting> = ["off", "1", "200", "1000000"]
        .map(|optimizer| setting(optimizer, "legacy", "default"))
        .into();
    if !yul && is_from(version, "0.8.13") {
        all.push(setting("200", "ir", "default"));
    }
    all
}

pub(super) fn occasional(version: &str, yul: bool) -> Vec<Setting> {
    let mut all = vec![];
    let ir = !yul && is_from(version, "0.8.13");
    if ir {
        all.extend(["off", "1", "1000000"].map(|optimizer| setting(optimizer, "ir", "default")));
    }
    for (evm, _) in EVM_VERSIONS.iter().filter(|(_, first)| is_from(version, first)) {
        all.push(setting("200", "legacy", evm));
        if ir {
            all.push(setting("200", "ir", evm));
        }
    }
    all
}

/// Every third batch uses an occasional setting. Where the SMT checker can run without a solver, it has one in every
/// eighth batch.
pub(super) fn schedule(all: &[Setting], occasional: &[Setting], smt: &[Setting]) -> Schedule {
    let mut rotations = vec![Rotation::singly(2, all), Rotation::singly(1, occasional)];
    if let Some((first, others)) = smt.split_first() {
        let turns = others.iter().flat_map(|other| std::iter::repeat_n(first, 7).chain([other]));
        let alone = others.is_empty().then_some(first);
        rotations.push(Rotation::of_survival(turns.chain(alone)));
    }
    Schedule::Turns(rotations)
}

/// The `settings` of the standard JSON input. Bisection passes optimiser details in `extra`.
pub(super) fn json(setting: &Setting) -> Value {
    let mut json = match setting.value("optimizer") {
        None | Some("off") => json!({ "optimizer": { "enabled": false } }),
        Some(runs) => {
            json!({ "optimizer": { "enabled": true, "runs": runs.parse::<u64>().unwrap_or(200) } })
        }
    };
    let details = setting.extra.first().and_then(|details| serde_json::from_str(details).ok());
    if let Some(details) = details {
        json["optimizer"]["details"] = details;
    }
    if setting.value("pipeline") == Some("ir") {
        json["viaIR"] = json!(true);
    }
    if let Some(evm) = setting.value("evm").filter(|evm| *evm != "default") {
        json["evmVersion"] = json!(evm);
    }
    json
}

/// The axis over the optimiser's parts, then over the steps of the Yul optimiser. A bug that needs the unchanged
/// optimiser is attributed to it as a whole.
pub(super) fn axes(version: &str, setting: &Setting) -> Option<Axis> {
    if matches!(setting.value("optimizer"), None | Some("off")) {
        return None;
    }
    let known: Vec<&str> = DETAILS
        .iter()
        .filter(|(_, first)| is_from(version, first))
        .map(|(name, _)| *name)
        .collect();
    let with = |details: Value, label: Option<&str>| {
        let mut setting = setting.clone();
        setting.extra = vec![details.to_string()];
        PassPoint { pass: label.map(PassId::new), setting }
    };
    let whole =
        PassPoint { pass: Some(PassId::new("the whole optimiser")), setting: setting.clone() };
    if known.is_empty() {
        let off = PassPoint { pass: None, setting: setting.with("optimizer", "off") };
        return Some(Axis::Passes(vec![off, whole]));
    }
    let details = |on: usize| {
        let on = known.iter().enumerate().map(|(n, name)| ((*name).to_owned(), json!(n < on)));
        Value::Object(on.collect())
    };
    let mut points = vec![with(details(0), None)];
    for (n, name) in known.iter().enumerate() {
        if *name != "yul" {
            points.push(with(details(n + 1), Some(name)));
        } else if is_from(version, "0.6.0") {
            points.extend(prefixes().into_iter().map(|(steps, label)| {
                let mut all = details(known.len());
                // An empty cleanup sequence after the colon.
                let steps = if is_from(version, "0.8.18") { format!("{steps}:") } else { steps };
                all["yulDetails"] = json!({ "stackAllocation": true, "optimizerSteps": steps });
                with(all, Some(label))
            }));
        }
    }
    points.push(whole);
    Some(Axis::Passes(points))
}

/// The prefixes of the step sequence, each with the name of its last step.
fn prefixes() -> Vec<(String, &'static str)> {
    let mut all = vec![];
    let (mut text, mut open) = (String::new(), 0);
    for letter in STEPS.chars() {
        text.push(letter);
        match letter {
            '[' => open += 1,
            ']' => open -= 1,
            _ => {
                let name = STEP_NAMES.iter().find(|(short, _)| *short == letter);
                if let Some((_, name)) = name {
                    all.push((format!("{text}{}", "]".repeat(open)), *name));
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_have_balanced_brackets_and_end_with_their_step() {
        for (text, name) in prefixes() {
            let count = |letter| text.chars().filter(|&it| it == letter).count();
            assert_eq!(count('['), count(']'), "{text}");
            let last = text.trim_end_matches(']').chars().next_back();
            let step = STEP_NAMES.iter().find(|(_, it)| *it == name).map(|it| it.0);
            assert_eq!(last, step, "{text}");
        }
        assert!(prefixes().len() > 60);
    }

    #[test]
    fn old_versions_get_only_supported_settings() {
        assert!(all("0.5.5", false).iter().all(|it| it.value("pipeline") == Some("legacy")));
        let names: Vec<_> = occasional("0.5.5", false).iter().map(|it| it.name.clone()).collect();
        assert_eq!(names, ["200-legacy-constantinople"]);
        let axis = axes("0.5.5", &setting("200", "legacy", "default"));
        let Some(Axis::Passes(points)) = axis else { panic!("there is an axis over passes") };
        assert!(points.iter().all(|point| point.pass != Some(PassId::new("inliner"))));
    }
}
