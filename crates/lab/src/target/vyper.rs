//! Vyper, from 0.4 on, through both of its code generators. Many programs are one contract, which runs on
//! the EVM in this process.

use std::path::{Path, PathBuf};

use expression::languages::vyper::DIALECT;
use forge::{Case, Input, Outcome, Program};
use serde_json::{Value, json};

use super::contract;
use super::failure::crashed;
use super::joint::Joint;
use super::scripted::Scripted;
use super::solc::complaint::Complaint;
use super::{
    Attempt, Axis, Bench, ByHand, PassControl, PassId, Rotation, Schedule, Spec, Target,
    TargetName, Unusable, is_read,
};
use crate::setting::Setting;

const SCRIPT: &str = include_str!("scripts/vyper.py");

/// What a program can run into that is no mistake: Vyper rejects what it sees to fail always, and constants
/// that it does not fold; and neither of its code generators has an answer to a stack that is too deep.
const LIMITS: &[(&str, &str)] = &[
    ("StaticAssertionException", ""),
    ("StackTooDeep", ""),
    ("InvalidLiteral", "Shift bits must be between"),
];

/// What stands before errors, if there is more than one.
const SEVERAL: &str = "Compilation failed with the following errors:";

const MACHINES: &[&str] = &["london", "paris", "shanghai", "cancun", "prague"];

/// The passes of Venom that can be left out, in the order of their first runs. What a version lacks is ignored.
const PASSES: &[&str] = &[
    "FunctionInlinerPass",
    "AlgebraicOptimizationPass",
    "SCCP",
    "AssignElimination",
    "Mem2Var",
    "LoadElimination",
    "RevertToAssert",
    "MemMergePass",
    "RemoveUnusedVariablesPass",
    "DeadStoreElimination",
    "BranchOptimizationPass",
    "CSE",
    "ReduceLiteralsCodesize",
];

/// A compile has next to no price of its own (4 ms; that of starting the compiler is 40 times as much), and what
/// searches for a table of all methods, or for what dominates what in the function that Venom makes of them all,
/// takes a time that grows faster than their number: with 16 it is a quarter more for each.
const BATCH: usize = 4;

/// Before it, the language and the interface of the package are others.
const FIRST: &str = "0.4.0";

#[derive(Debug)]
pub struct VyperTarget {
    spec: Spec,
    python: PathBuf,
    host: Scripted,
}

impl VyperTarget {
    /// The compiler at a version, whose folder has a virtual environment in `venv`.
    pub fn new(version: &str, folder: &Path) -> Self {
        let python = folder.join("venv").join("bin").join("python");
        let argv = vec![python.display().to_string(), "-c".to_owned(), SCRIPT.to_owned()];
        let codegens = ["legacy", "venom"];
        let settings = codegens.iter().flat_map(|codegen| {
            ["none", "gas", "codesize"].map(|optimize| setting(codegen, optimize, "default"))
        });
        let occasional = codegens
            .iter()
            .flat_map(|codegen| MACHINES.iter().map(|machine| setting(codegen, "gas", machine)));
        let (settings, occasional): (Vec<Setting>, Vec<Setting>) =
            (settings.collect(), occasional.collect());
        let spec = Spec {
            name: TargetName::new("vyper", Some(version)),
            reads: Joint::reads(&DIALECT, BATCH),
            schedule: schedule(&settings, &occasional),
            settings,
            occasional,
        };
        Self { spec, python, host: Scripted::new(argv) }
    }

    /// The code that cases become as one contract, in haste, as many at once are compiled, or as the compiler
    /// is: that must make no difference.
    ///
    /// # Errors
    /// What came instead, if there is no code.
    pub fn code(
        &self,
        cases: &[&Case],
        setting: &Setting,
        hasty: bool,
        bench: &Bench,
    ) -> Result<String, Outcome> {
        let joint = Joint::of(&DIALECT, cases).ok_or(Outcome::NoArtifact)?;
        let answer = self.host.ask(&request(&joint.source, setting, hasty), bench)?;
        match raised(&answer, &joint.source) {
            Some(complaint) => Err(complaint.outcome),
            None => answer["code"].as_str().map(str::to_owned).ok_or(Outcome::NoArtifact),
        }
    }
}

/// Both code generators begin with the same analysis, which is done once for both: a batch has a setting
/// of each, with the same version of the EVM.
fn schedule(settings: &[Setting], occasional: &[Setting]) -> Schedule {
    let (legacy, venom) = settings.split_at(settings.len() / 2);
    let (old, new) = occasional.split_at(MACHINES.len());
    let both = old.iter().zip(new).map(|(old, new)| vec![old.name.clone(), new.name.clone()]);
    let machines = Rotation { weight: 1, groups: both.collect() };
    Schedule::Turns(vec![Rotation::pairs(3, legacy, venom), machines])
}

fn setting(codegen: &str, optimize: &str, machine: &str) -> Setting {
    let values = [("codegen", codegen), ("optimize", optimize), ("evm", machine)];
    let values = values.map(|(option, value)| (option.to_owned(), value.to_owned()));
    let own = values.iter().map(|(_, value)| value.as_str()).filter(|value| *value != "default");
    let name = own.collect::<Vec<_>>().join("-");
    Setting { class: name.clone(), name, values: values.to_vec(), extra: vec![] }
}

/// In haste, as the script understands it, or as the compiler is.
fn request(source: &str, setting: &Setting, hasty: bool) -> Value {
    let machine = setting.value("evm").filter(|machine| *machine != "default");
    let without: Vec<&str> =
        setting.extra.iter().filter_map(|word| word.strip_prefix('-')).collect();
    json!({
        "source": source,
        "settings": {
            "optimize": setting.value("optimize"),
            "venom": setting.value("codegen") == Some("venom"),
            "evm": machine,
            "without": without,
        },
        "hasty": hasty,
    })
}

fn leaving_out(setting: &Setting, passes: &[&str]) -> Setting {
    let left_out = passes.iter().map(|pass| format!("-{pass}"));
    Setting { extra: setting.extra.iter().cloned().chain(left_out).collect(), ..setting.clone() }
}

/// What was raised, if anything.
fn raised(answer: &Value, source: &str) -> Option<Complaint> {
    let class = answer.get("raised")?.as_str()?;
    let words = |field: &str| -> Vec<String> {
        let list = answer.get(field).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let said = answer.get("message").and_then(Value::as_str).unwrap_or_default();
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let message = match lines.next() {
        // Of several errors the first is told, with its class.
        Some(line) if first == SEVERAL => line.to_owned(),
        _ => format!("{class}: {first}"),
    };
    let bases = words("bases");
    let is_limit = LIMITS
        .iter()
        .any(|(class, start)| bases.iter().any(|base| base == class) && first.starts_with(start));
    let outcome = if is_limit || bases.iter().any(|base| base == "VyperException") {
        Outcome::Rejected { message }
    } else {
        crashed(message, words("frames"))
    };
    Some(Complaint { outcome, is_limit, place: place(said, source) })
}

/// Where in the source a message points, as in `function "judged8", line 86:44`.
fn place(message: &str, source: &str) -> Option<usize> {
    let digits = message.rsplit("line ").find_map(|rest| {
        let (line, column) = rest.split_once(':')?;
        column.starts_with(|it: char| it.is_ascii_digit()).then_some(line)
    })?;
    let line: usize = digits.parse().ok()?;
    let mut starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1));
    starts.nth(line.checked_sub(1)?)
}

impl Target for VyperTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        contract::attempt(&DIALECT, cases, setting, |joint| {
            let request = request(&joint.source, setting, cases.len() > 1);
            let answer = self.host.ask(&request, bench).map_err(Complaint::other)?;
            if let Some(complaint) = raised(&answer, &joint.source) {
                return Err(complaint);
            }
            let code = answer.get("code").and_then(Value::as_str).unwrap_or_default();
            let methods = answer.get("methods").unwrap_or(&Value::Null);
            contract::run(joint, code, |_, entry| contract::selector(entry, methods))
                .map_err(Complaint::other)
        })
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        Joint::by_hand(&self.spec.name, program, input, setting)
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        is_read(&self.spec.name, FIRST)?;
        let unusable = |what: String| Unusable(format!("target `{}`: {what}", self.spec.name));
        let source = "@external\ndef f():\n    pass\n";
        match self.host.ask(&request(source, &self.spec.settings[0], false), bench) {
            Ok(answer) => match raised(&answer, source) {
                None => Ok(self.spec.name.to_string()),
                Some(complaint) => Err(unusable(complaint.outcome.to_string())),
            },
            Err(outcome) => Err(unusable(format!(
                "{outcome}; it needs the PyPI package vyper in {}",
                self.python.display()
            ))),
        }
    }
}

impl PassControl for VyperTarget {
    fn without(&self, setting: &Setting, pass: &PassId) -> Option<Setting> {
        let name = pass.name.as_str();
        let is_venom = setting.value("codegen") == Some("venom");
        (is_venom && PASSES.contains(&name)).then(|| leaving_out(setting, &[name]))
    }

    /// Both code generators have levels, and Venom has passes.
    fn axes(&self, _case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        let levels = match setting.value("optimize") {
            Some("codesize") => ["none", "codesize"],
            _ => ["none", "gas"],
        };
        let passes = (setting.value("codegen") == Some("venom")).then(|| {
            let passes = PASSES.iter().map(|pass| PassId::new(*pass));
            Axis::of_passes(passes, |count| leaving_out(setting, &PASSES[count..]))
        });
        let codegen = Axis::of_option("codegen", ["legacy", "venom"], setting);
        let optimize = Axis::of_option("optimize", levels, setting);
        [codegen, optimize, passes.flatten()].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_is_raised_is_told_apart() {
        let answer = |class: &str, bases: &[&str]| json!({ "raised": class, "bases": bases, "message": "\n  why\nmore", "frames": ["f in x.py"] });
        let raised = |answer: &Value| raised(answer, "");
        let user = raised(&answer("TypeMismatch", &["TypeMismatch", "VyperException"])).unwrap();
        let message = "TypeMismatch: why".to_owned();
        assert_eq!(user.outcome, Outcome::Rejected { message });
        assert!(!user.is_limit);
        let crash = raised(&answer("KeyError", &["KeyError", "Exception"])).unwrap();
        assert!(matches!(crash.outcome, Outcome::Crashed { .. }) && !crash.is_limit);
        let deep = raised(&answer("StackTooDeep", &["StackTooDeep", "CodegenPanic"])).unwrap();
        assert!(deep.is_limit);
        let several = json!({
            "raised": "VyperException",
            "bases": ["VyperException"],
            "message": format!("{SEVERAL}\n\nOverflowException: too much\n\nOverflowException: too little"),
        });
        let message = "OverflowException: too much".to_owned();
        assert_eq!(raised(&several).unwrap().outcome, Outcome::Rejected { message });
        assert_eq!(raised(&json!({ "code": "0x" })), None);
    }

    #[test]
    fn settings_take_turns_in_pairs() {
        let target = VyperTarget::new("0.4.3", Path::new("nowhere"));
        let pairs: BTreeSet<(String, String)> = (0..80)
            .map(|turn| {
                let chosen = target.spec.schedule.turn(&target.spec, turn);
                let [legacy, venom] = chosen.try_into().unwrap();
                assert_eq!(legacy.value("evm"), venom.value("evm"));
                (legacy.name, venom.name)
            })
            .collect();
        assert_eq!(pairs.len(), 9 + MACHINES.len(), "{pairs:?}");
    }

    #[test]
    fn a_message_points_at_a_line() {
        let source = "first\nsecond\nthird\n";
        assert_eq!(
            place("no way [assert,\n  f(line 9)]\n\n  function \"f\", line 2:7 \n  1 x", source),
            Some(6)
        );
        assert_eq!(place("the line is long: very", source), None);
        assert_eq!(place("line 0:1", source), None);
        assert_eq!(place("line 77:1", source), None);
    }
}
