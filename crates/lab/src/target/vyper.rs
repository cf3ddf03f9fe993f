//! Vyper 0.2 or newer, from 0.4 on with both of its code generators. A batch is one contract, which is executed by the EVM in this
//! process. Versions before 0.3.8 compile texts only.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use expression::languages::vyper::DIALECT;
use forge::{Case, Feedback, Input, Outcome, Program, Reason};
use regex::{Captures, Regex};
use serde_json::{Value, json};

use super::contract;
use super::failure::crashed;
use super::joint::Joint;
use super::scripted::Scripted;
use super::solc::diagnostic::Diagnostic;
use super::text::{self, Surveyed};
use super::{
    Attempt, Axis, Bench, ByHand, PassControl, PassId, Rotation, Schedule, Spec, Target,
    TargetName, Unusable, require_version,
};
use crate::coverage::{Measure, PythonMaker, Unmeasured};
use crate::setting::Setting;
use crate::version::version_order;

const SCRIPT: &str = include_str!("scripts/vyper.py");

/// Errors that are documented limits, by class and start of the message: Vyper rejects code that always fails and
/// some constants that it does not fold, and neither code generator handles a stack that is too deep.
const LIMITS: &[(&str, &str)] = &[
    ("StaticAssertionException", ""),
    ("StackTooDeep", ""),
    ("InvalidLiteral", "Shift bits must be between"),
];

/// The first line of a message with several errors.
const SEVERAL: &str = "Compilation failed with the following errors:";

const EVM_VERSIONS: &[&str] = &["london", "paris", "shanghai", "cancun", "prague"];

/// The passes of Venom that can be disabled, in the order of their first runs. A version ignores passes that it lacks.
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

/// Measured: the fixed cost of a compilation is only 4 ms (the start of the compiler costs 40 times as much, once), and
/// the search for a method table and Venom's dominator analysis take superlinear time in the number of methods: with 16
/// methods, a quarter more per method.
const BATCH: usize = 4;

/// Earlier versions have another language, `@public` and `map`.
const FIRST: &str = "0.2.1";

/// Earlier versions have no shifts, no conditional expressions and few integer types.
const EXPRESSIONS: &str = "0.3.8";

/// The first version with the language that methods write, and with Venom.
const VENOM: &str = "0.4.0";

/// What earlier versions write in another way: loop variables without a type, and one sign for division.
static NEWER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\bfor (?<variable>\w+): \w+ in |//").ok());

/// EVM versions that all of these have from 0.3.8 on, and those before.
const EARLIER_EVM_VERSIONS: &[&str] = &["paris", "shanghai"];
const EARLIEST_EVM_VERSIONS: &[&str] = &["istanbul"];

/// Vyper at a version.
#[derive(Debug)]
pub struct VyperTarget {
    spec: Spec,
    python: PathBuf,
    host: Scripted,
    is_earlier: bool,
}

impl VyperTarget {
    /// The compiler at a version, whose folder has a virtual environment in `venv`.
    pub fn new(version: &str, folder: &Path) -> Self {
        let python = folder.join("venv").join("bin").join("python");
        let argv = vec![python.display().to_string(), "-c".to_owned(), SCRIPT.to_owned()];
        let is_before = |other| version_order(Some(version)) < version_order(Some(other));
        let (is_earlier, is_earliest) = (is_before(VENOM), is_before(EXPRESSIONS));
        let codegens: &[&str] = if is_earlier { &["legacy"] } else { &["legacy", "venom"] };
        let evm_versions = match (is_earliest, is_earlier) {
            (true, _) => EARLIEST_EVM_VERSIONS,
            (false, true) => EARLIER_EVM_VERSIONS,
            (false, false) => EVM_VERSIONS,
        };
        let functions = if is_earliest { vec![] } else { Joint::reads(&DIALECT, BATCH) };
        let settings = codegens.iter().flat_map(|codegen| {
            ["none", "gas", "codesize"].map(|optimize| setting(codegen, optimize, "default"))
        });
        let occasional = codegens
            .iter()
            .flat_map(|codegen| evm_versions.iter().map(|evm| setting(codegen, "gas", evm)));
        let (settings, occasional): (Vec<Setting>, Vec<Setting>) =
            (settings.collect(), occasional.collect());
        let spec = Spec {
            name: TargetName::new("vyper", Some(version)),
            reads: [functions, vec![text::reads(DIALECT.language)]].concat(),
            schedule: if is_earlier {
                let (settings, occasional) = (Rotation::singly(3, &settings), &occasional);
                Schedule::Turns(vec![settings, Rotation::singly(1, occasional)])
            } else {
                schedule(&settings, &occasional)
            },
            settings,
            occasional,
        };
        let maker = PythonMaker::new(vec![python.display().to_string()], "vyper");
        Self { spec, python, host: Scripted::new(argv).measured_by(maker), is_earlier }
    }

    /// The outcome of compiling a program that is not entered.
    fn survey(&self, program: &Program, setting: &Setting, bench: &Bench) -> Surveyed {
        let request = request(&program.source, setting, false);
        let (answer, feedback) = self.host.ask_measured(&request, bench);
        let outcome = match answer.map(|answer| raised(&answer, &program.source)) {
            Ok(Some(diagnostic)) if diagnostic.is_limit => {
                Outcome::Unobserved(Reason::Limit(diagnostic.message()))
            }
            Ok(Some(diagnostic)) => diagnostic.outcome,
            Ok(None) => Outcome::Accepted,
            Err(outcome) => outcome,
        };
        Surveyed { outcome, feedback }
    }

    /// The code of a text, and the coverage that was measured if the bench asks for it.
    ///
    /// # Errors
    /// The outcome of a failed compilation.
    pub fn code_of_text(
        &self,
        source: &str,
        setting: &Setting,
        bench: &Bench,
    ) -> (Result<String, Outcome>, Option<Feedback>) {
        let (answer, feedback) = self.host.ask_measured(&request(source, setting, false), bench);
        let code = answer.and_then(|answer| match raised(&answer, source) {
            Some(diagnostic) => Err(diagnostic.outcome),
            None => answer["code"].as_str().map(str::to_owned).ok_or(Outcome::NoArtifact),
        });
        (code, feedback)
    }

    /// The code of the contract for some cases, compiled with the script's memoisation or by the unmodified compiler.
    /// Both must be equal.
    ///
    /// # Errors
    /// The outcome of a failed compilation.
    pub fn code(
        &self,
        cases: &[&Case],
        setting: &Setting,
        memoised: bool,
        bench: &Bench,
    ) -> Result<String, Outcome> {
        let joint = Joint::of(&DIALECT, cases).ok_or(Outcome::NoArtifact)?;
        let source = self.written(&joint.source);
        let answer = self.host.ask(&request(&source, setting, memoised), bench)?;
        match raised(&answer, &joint.source) {
            Some(diagnostic) => Err(diagnostic.outcome),
            None => answer["code"].as_str().map(str::to_owned).ok_or(Outcome::NoArtifact),
        }
    }
}

impl VyperTarget {
    /// A source as this version writes it, with the same lines.
    fn written<'a>(&self, source: &'a str) -> Cow<'a, str> {
        let Some(newer) = NEWER.as_ref().filter(|_| self.is_earlier) else { return source.into() };
        newer.replace_all(source, |found: &Captures<'_>| match found.name("variable") {
            Some(variable) => format!("for {} in ", variable.as_str()),
            None => "/".to_owned(),
        })
    }
}

/// Both code generators share the same analysis, which the script reuses: a batch gets one setting of each, with the
/// same EVM version.
fn schedule(settings: &[Setting], occasional: &[Setting]) -> Schedule {
    let (legacy, venom) = settings.split_at(settings.len() / 2);
    let (old, new) = occasional.split_at(EVM_VERSIONS.len());
    let both = old.iter().zip(new).map(|(old, new)| vec![old.name.clone(), new.name.clone()]);
    let evm_versions = Rotation { weight: 1, groups: both.collect(), of_survival: false };
    Schedule::Turns(vec![Rotation::pairs(3, legacy, venom), evm_versions])
}

fn setting(codegen: &str, optimize: &str, evm: &str) -> Setting {
    let values = [("codegen", codegen), ("optimize", optimize), ("evm", evm)];
    let values = values.map(|(option, value)| (option.to_owned(), value.to_owned()));
    let own = values.iter().map(|(_, value)| value.as_str()).filter(|value| *value != "default");
    let name = own.collect::<Vec<_>>().join("-");
    Setting { class: name.clone(), name, values: values.to_vec(), extra: vec![] }
}

/// A request to the script.
fn request(source: &str, setting: &Setting, memoised: bool) -> Value {
    let evm = setting.value("evm").filter(|evm| *evm != "default");
    let without: Vec<&str> =
        setting.extra.iter().filter_map(|word| word.strip_prefix('-')).collect();
    json!({
        "source": source,
        "settings": {
            "optimize": setting.value("optimize"),
            "venom": setting.value("codegen") == Some("venom"),
            "evm": evm,
            "without": without,
        },
        "memoised": memoised,
    })
}

fn disable(setting: &Setting, passes: &[&str]) -> Setting {
    let disabled = passes.iter().map(|pass| format!("-{pass}"));
    Setting { extra: setting.extra.iter().cloned().chain(disabled).collect(), ..setting.clone() }
}

/// The exception in an answer, if any.
fn raised(answer: &Value, source: &str) -> Option<Diagnostic> {
    let class = answer.get("raised")?.as_str()?;
    let words = |field: &str| -> Vec<String> {
        let list = answer.get(field).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let text = answer.get("message").and_then(Value::as_str).unwrap_or_default();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let message = match lines.next() {
        // The first of several errors, which includes its class.
        Some(line) if first == SEVERAL => line.to_owned(),
        _ => format!("{class}: {first}"),
    };
    let bases = words("bases");
    let is_limit = LIMITS
        .iter()
        .any(|(class, start)| bases.iter().any(|base| base == class) && first.starts_with(start));
    // Vyper leaves some of what is wrong with a text to Python's own lexer.
    let rejections = ["VyperException", "SyntaxError", "TokenError", "ParserException"];
    let outcome = if is_limit || bases.iter().any(|base| rejections.contains(&base.as_str())) {
        Outcome::Rejected { message }
    } else {
        crashed(without_reprs(&message), words("frames"))
    };
    Some(Diagnostic { outcome, is_limit, place: place(text, source), file: None })
}

/// A message of Python without what differs from program to program: the fields of a printed object, and the class of one
/// that lacks an attribute.
fn without_reprs(message: &str) -> String {
    let (Some(repr), Some(class)) = (REPR.as_ref(), CLASS.as_ref()) else {
        return message.to_owned();
    };
    class.replace(&repr.replace(message, "$1(…)"), "'…'$1$2").into_owned()
}

/// `VarInfo(typ=uint256, …)`.
static REPR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?s)\b([A-Z]\w*)\(\w+=.*").ok());

/// `'Tuple' object has no attribute 'id'`, `type object 'DArrayT' has no attribute 'typ'`.
static CLASS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"'\w+'( object)?( has no attribute)").ok());

/// The byte offset of the line that a message refers to, as in `function "judged8", line 86:44`.
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
        if let Some(attempt) =
            text::attempt(cases, setting, |program| self.survey(program, setting, bench))
        {
            return attempt;
        }
        contract::attempt(&DIALECT, cases, setting, |joint| {
            let source = self.written(&joint.source);
            let request = request(&source, setting, cases.len() > 1);
            let answer = self.host.ask(&request, bench).map_err(Diagnostic::other)?;
            if let Some(diagnostic) = raised(&answer, &joint.source) {
                return Err(diagnostic);
            }
            let code = answer.get("code").and_then(Value::as_str).unwrap_or_default();
            let methods = answer.get("methods").unwrap_or(&Value::Null);
            contract::run(joint, code, |_, entry| contract::selector(entry, methods))
                .map_err(Diagnostic::other)
        })
    }

    fn shown(&self, case: &Case, _bench: &Bench) -> Case {
        let written = |program: &Program| Program {
            source: self.written(&program.source).into_owned(),
            ..program.clone()
        };
        Case { programs: case.programs.iter().map(written).collect(), ..case.clone() }
    }

    fn coverage(&self, bench: &Bench) -> Result<Measure, Unmeasured> {
        self.host.coverage(bench)
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        Joint::by_hand(&self.spec.name, program, input, setting)
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        require_version(&self.spec.name, FIRST)?;
        let unusable = |what: String| Unusable(format!("target `{}`: {what}", self.spec.name));
        let source = "@external\ndef f():\n    pass\n";
        match self.host.ask(&request(source, &self.spec.settings[0], false), bench) {
            Ok(answer) => match raised(&answer, source) {
                None => Ok(self.spec.name.to_string()),
                Some(diagnostic) => Err(unusable(diagnostic.outcome.to_string())),
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
        (is_venom && PASSES.contains(&name)).then(|| disable(setting, &[name]))
    }

    /// Both code generators have optimisation levels; only Venom has passes.
    fn axes(&self, _case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        let levels = match setting.value("optimize") {
            Some("codesize") => ["none", "codesize"],
            _ => ["none", "gas"],
        };
        let passes = (setting.value("codegen") == Some("venom")).then(|| {
            let passes = PASSES.iter().map(|pass| PassId::new(*pass));
            Axis::of_passes(passes, |count| disable(setting, &PASSES[count..]))
        });
        let codegen = (!self.is_earlier)
            .then(|| Axis::of_option("codegen", ["legacy", "venom"], setting))
            .flatten();
        let optimize = Axis::of_option("optimize", levels, setting);
        [codegen, optimize, passes.flatten()].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rejections_crashes_and_limits_are_distinguished() {
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
    fn messages_of_one_bug_are_alike() {
        let alike = |one: &str, other: &str, expected: &str| {
            assert_eq!(
                (without_reprs(one), without_reprs(other)),
                (expected.into(), expected.into())
            );
        };
        alike(
            "Not a type: VarInfo(typ=uint256, location=<DataLocation.CODE: 'code'>, decl",
            "Not a type: VarInfo(typ=(builtin) floor, location=<X>)",
            "Not a type: VarInfo(…)",
        );
        alike(
            "AttributeError: 'Tuple' object has no attribute 'id'",
            "AttributeError: 'Subscript' object has no attribute 'id'",
            "AttributeError: '…' object has no attribute 'id'",
        );
        let other = "CodegenPanic: unreachable f(x)";
        assert_eq!(without_reprs(other), other);
    }

    #[test]
    fn settings_rotate_in_pairs() {
        let target = VyperTarget::new("0.4.3", Path::new("nowhere"));
        let pairs: BTreeSet<(String, String)> = (0..80)
            .map(|turn| {
                let chosen = target.spec.schedule.turn(&target.spec, turn);
                let [legacy, venom] = chosen.try_into().unwrap();
                assert_eq!(legacy.value("evm"), venom.value("evm"));
                (legacy.name, venom.name)
            })
            .collect();
        assert_eq!(pairs.len(), 9 + EVM_VERSIONS.len(), "{pairs:?}");
    }

    #[test]
    fn earlier_versions_get_their_own_language() {
        let source = "    for i: int224 in range(6):\n        s0 = (s0 // a2)\n";
        let earlier = VyperTarget::new("0.3.10", Path::new("nowhere"));
        let expected = "    for i in range(6):\n        s0 = (s0 / a2)\n";
        assert_eq!(earlier.written(source), expected);
        assert_eq!(earlier.written(expected), expected);
        assert!(earlier.spec.settings.iter().all(|it| it.value("codegen") == Some("legacy")));
        let newer = VyperTarget::new("0.4.0", Path::new("nowhere"));
        assert_eq!(newer.written(source), source);
    }

    #[test]
    fn the_line_of_a_message_is_found() {
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
