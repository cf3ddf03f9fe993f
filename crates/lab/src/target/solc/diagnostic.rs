//! Classifies solc's errors by their documented types. "Stack too deep" is a well-known limit of the EVM, and a feature
//! that is not implemented is announced as such: neither is a bug.

use forge::Outcome;
use serde_json::Value;

use crate::target::failure::crashed;

/// Types of internal errors.
const INTERNAL: &[&str] = &[
    "InternalCompilerError",
    "SMTLogicException",
    "Exception",
    "YulException",
    "CompilerError",
    "FatalError",
];

/// The messages about a stack that is too deep, from different parts of the compiler.
const LIMITS: &[&str] =
    &["Stack too deep", "too deep inside the stack", "too deep in the stack by", "StackTooDeep"];

/// What is said of programs that need a newer machine than the setting has.
const OLD_MACHINE: &[&str] = &["EVM versions older than", "-compatible VMs"];

/// The type of an error about a feature that the compiler does not have yet.
const UNIMPLEMENTED: &str = "UnimplementedFeatureError";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::target) struct Diagnostic {
    pub(in crate::target) outcome: Outcome,
    /// Whether it is about a documented limit. A batch is split after it, and a single program is skipped.
    pub(in crate::target) is_limit: bool,
    /// The byte offset in the source.
    pub(in crate::target) place: Option<usize>,
    /// The source that the error is about.
    pub(in crate::target) file: Option<String>,
}

impl Diagnostic {
    /// A failure without a diagnostic text.
    pub(in crate::target) fn other(outcome: Outcome) -> Self {
        Self { outcome, is_limit: false, place: None, file: None }
    }

    /// The first error in an answer, if any.
    pub(in crate::target) fn of(answer: &Value) -> Option<Self> {
        if let Some(threw) = answer.get("threw").and_then(Value::as_str) {
            let message = format!("the compiler threw: {threw}");
            return Some(Self::other(crashed(message, vec![])));
        }
        let errors = answer.get("errors")?.as_array()?;
        let is_error = |error: &&Value| text(error, "severity") == "error";
        let error = errors.iter().find(is_error)?;
        let (kind, message) = (text(error, "type"), text(error, "message"));
        let formatted = text(error, "formattedMessage");
        let place = error.pointer("/sourceLocation/start").and_then(Value::as_u64);
        let place = place.and_then(|place| usize::try_from(place).ok());
        let file = error.pointer("/sourceLocation/file").and_then(Value::as_str).map(str::to_owned);
        let is_limit = kind == UNIMPLEMENTED
            || OLD_MACHINE.iter().any(|limit| message.contains(limit))
            || LIMITS.iter().any(|limit| message.contains(limit) || formatted.contains(limit));
        let message = format!("{kind}: {}", first_line(message));
        let outcome = if !is_limit && INTERNAL.contains(&kind) {
            crashed(general(&message), frames(formatted))
        } else {
            Outcome::Rejected { message }
        };
        Some(Self { outcome, is_limit, place, file })
    }

    pub(in crate::target) fn message(&self) -> String {
        match &self.outcome {
            Outcome::Rejected { message } | Outcome::Crashed { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }
}

fn text<'a>(error: &'a Value, field: &str) -> &'a str {
    error.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The message of a crash without what comes from the program: widths of types and declarations in the solver's language.
fn general(message: &str) -> String {
    let kept = message.split_once(" (declare-fun").map_or(message, |(kept, _)| kept);
    let mut out = String::with_capacity(kept.len());
    for letter in kept.chars() {
        let width = letter.is_ascii_digit() && (out.ends_with("int") || out.ends_with("bytes"));
        if !width {
            out.push(letter);
        }
    }
    out
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// The location of the throw: `/solidity/libevmasm/Assembly.cpp(42): Throw in function void f()`.
fn frames(formatted: &str) -> Vec<String> {
    let thrown = formatted.lines().find_map(|line| line.split_once("Throw in function "));
    let Some((place, function)) = thrown else { return vec![] };
    let file = place.rsplit('/').next().unwrap_or_default().split('(').next().unwrap_or_default();
    vec![format!("{} in {file}", function.trim())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(kind: &str, message: &str) -> Value {
        json!({ "errors": [
            { "severity": "warning", "type": "Warning", "message": "unused" },
            { "severity": "error", "type": kind, "message": message, "formattedMessage": message,
              "sourceLocation": { "start": 7, "end": 9, "file": "judged" } },
        ] })
    }

    #[test]
    fn rejections_crashes_and_limits_are_distinguished() {
        let rejected = Diagnostic::of(&error("TypeError", "no")).unwrap();
        assert_eq!(rejected.outcome, Outcome::Rejected { message: "TypeError: no".to_owned() });
        assert!(!rejected.is_limit);

        let crashed = Diagnostic::of(&error("InternalCompilerError", "Tag too large")).unwrap();
        assert!(matches!(crashed.outcome, Outcome::Crashed { .. }));

        for kind in ["CompilerError", "YulException", "InternalCompilerError"] {
            let deep =
                Diagnostic::of(&error(kind, "Stack too deep, try removing variables.")).unwrap();
            assert!(deep.is_limit && deep.place == Some(7), "{kind}");
        }

        let swap =
            "Cannot swap Variable a with Variable b: too deep in the stack by 1 slots in [ a b ]";
        assert!(Diagnostic::of(&error("YulException", swap)).unwrap().is_limit);

        let lacks = Diagnostic::of(&error("UnimplementedFeatureError", "not yet")).unwrap();
        assert!(lacks.is_limit && lacks.file.as_deref() == Some("judged"));

        let transient = "Transient storage is not supported by EVM versions older than cancun.";
        assert!(Diagnostic::of(&error("DeclarationError", transient)).unwrap().is_limit);

        let threw = Diagnostic::of(&json!({ "threw": "memory access out of bounds" })).unwrap();
        assert!(matches!(threw.outcome, Outcome::Crashed { .. }));

        assert_eq!(Diagnostic::of(&json!({ "errors": [{ "severity": "warning" }] })), None);
        assert_eq!(Diagnostic::of(&json!({ "contracts": {} })), None);
    }

    #[test]
    fn crashes_of_programs_with_other_types_have_the_same_message() {
        let message = |ty: u8| {
            let text = format!("Sorts uint{ty}[]_tuple and int{ty}[5]_tuple are incompatible");
            Diagnostic::of(&error("SMTLogicException", &text)).unwrap().message()
        };
        assert_eq!(message(8), message(112));
        assert!(message(8).contains("Sorts uint[]_tuple and int[5]_tuple"));
        assert_eq!(general("Sort mismatch (declare-fun |f_1|)"), "Sort mismatch");
    }

    #[test]
    fn a_frame_names_function_and_file_of_the_throw() {
        let text = "Internal compiler error (:0):/solidity/libevmasm/Assembly.cpp(42): Throw in function void f()\nDynamic exception type";
        assert_eq!(frames(text), ["void f() in Assembly.cpp"]);
    }
}
