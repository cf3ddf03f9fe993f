//! SARIF 2.1.0, for code scanning pages: a rule for each kind of breach, a result for each finding. The source of the
//! compiler is not available, so the location of a result is the program that reproduces it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context;
use lab::event::{Ended, Event, Listener, Summary};
use lab::finding::Finding;
use lab::verdict::BreachKind;
use serde_json::{Value, json};
use serde_sarif::sarif;

use super::exporter::{Exporter, Problem, locked};
use super::file::write_atomically;
use crate::display::printable::{block, line};

const TITLE: usize = 300;
const TEXT: usize = 8 * 1024;
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The base id of the output folder in locations.
const BASE: &str = "OUT";

/// Kinds of breach as rules: name, level and description. [`rule_index`] says which kind each is.
const RULES: [(&str, &str, &str); 8] = [
    ("miscompilation", "error", "The compiled program behaves wrongly."),
    ("crash", "error", "The compiler crashed or reported an internal error."),
    ("wrong-rejection", "error", "The compiler rejected a valid program."),
    ("no-artifact", "error", "The compiler reported success but wrote no usable output file."),
    ("hang", "warning", "The compiler, or a program that must terminate, exceeded its time limit."),
    ("exhaustion", "warning", "The compiler exceeded a resource limit."),
    ("contradiction", "error", "The analyser gave contradicting answers."),
    ("wrong-acceptance", "error", "The compiler accepted an invalid program."),
];

fn rule_index(kind: BreachKind) -> usize {
    match kind {
        BreachKind::Miscompilation => 0,
        BreachKind::Crash => 1,
        BreachKind::Rejection => 2,
        BreachKind::NoArtifact => 3,
        BreachKind::Hang => 4,
        BreachKind::Exhaustion => 5,
        BreachKind::Contradiction => 6,
        BreachKind::Acceptance => 7,
    }
}

#[derive(Debug)]
pub(crate) struct Sarif {
    path: PathBuf,
    /// The output folder, set by the first event.
    out: Mutex<PathBuf>,
    problem: Problem,
}

impl Sarif {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), out: Mutex::default(), problem: Problem::default() }
    }
}

impl Listener for Sarif {
    fn hear(&self, event: &Event) {
        match event {
            Event::Started(started) => locked(&self.out).clone_from(&started.out),
            Event::Finished(summary) => {
                let text = render(summary, &locked(&self.out));
                let write = |text: String| write_atomically(&self.path, text.as_bytes());
                self.problem.note(text.and_then(write).context("SARIF report"));
            }
            _ => {}
        }
    }
}

impl Exporter for Sarif {
    fn problem(&self) -> Option<String> {
        self.problem.get()
    }
}

/// `out` is the output folder.
pub(crate) fn render(summary: &Summary, out: &Path) -> anyhow::Result<String> {
    let driver = sarif::ToolComponent::builder()
        .name("Mistrust")
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .rules(RULES.iter().map(rule).collect::<Vec<_>>())
        .build();
    let invocation = sarif::Invocation::builder()
        .execution_successful(!matches!(summary.ended, Ended::Failed(_)))
        .exit_code_description(match &summary.ended {
            Ended::Cases => "all cases are done".to_owned(),
            Ended::Time => "the time is up".to_owned(),
            Ended::Space => "there are no further cases".to_owned(),
            Ended::Interrupted => "interrupted".to_owned(),
            Ended::Underway => "running, or killed".to_owned(),
            Ended::Failed(why) => line(why, TITLE),
        })
        .build();
    let folder = std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
    let base = sarif::ArtifactLocation::builder()
        .uri(format!("file://{}/", uri(&folder.to_string_lossy()).trim_end_matches('/')))
        .build();
    let run = sarif::Run::builder()
        .tool(driver)
        .invocations(vec![invocation])
        .original_uri_base_ids(BTreeMap::from([(BASE.to_owned(), base)]))
        .results(summary.findings.iter().map(result).collect::<Vec<_>>())
        .build();
    let log = sarif::Sarif::builder().schema(SCHEMA).version("2.1.0").runs(vec![run]).build();
    Ok(serde_json::to_string_pretty(&log).context("cannot serialise to JSON")? + "\n")
}

fn rule((id, level, meaning): &(&str, &str, &str)) -> sarif::ReportingDescriptor {
    sarif::ReportingDescriptor::builder()
        .id(*id)
        .name(*id)
        .short_description(&(*meaning).to_owned())
        .default_configuration(sarif::ReportingConfiguration::builder().level(json!(level)).build())
        .build()
}

fn result(finding: &Finding) -> sarif::Result {
    let index = rule_index(finding.signature.kind);
    let (id, level, _) = RULES[index];
    let level =
        if level == "error" { sarif::ResultLevel::Error } else { sarif::ResultLevel::Warning };
    let suppressions: Vec<sarif::Suppression> = finding
        .known
        .iter()
        .map(|known| {
            let link = known.link.as_deref().unwrap_or_default();
            let why =
                line(format!("known as {} {link}", line(&known.name, TITLE)).trim_end(), 2 * TITLE);
            sarif::Suppression::builder()
                .kind(json!("external"))
                .status(json!("accepted"))
                .justification(why)
                .build()
        })
        .collect();
    sarif::Result::builder()
        .rule_id(id)
        .rule_index(index as i64)
        .level(level)
        .message(sarif::Message::builder().text(message(finding)).build())
        .locations(vec![location(finding)])
        .fingerprints(BTreeMap::from([("mistrust/v1".to_owned(), finding.signature.key())]))
        .occurrence_count(i64::try_from(finding.sightings.max(1)).unwrap_or(i64::MAX))
        .suppressions(suppressions)
        .properties(
            sarif::PropertyBag::builder().additional_properties(properties(finding)).build(),
        )
        .build()
}

fn message(finding: &Finding) -> String {
    let breach = &finding.best().breach;
    let mut text = format!("{}\n", line(&finding.title(), TITLE));
    if let Some(expected) = &breach.expected {
        text.push_str(&format!("\nExpected:\n{}\n", block(expected.trim_end(), TEXT)));
    }
    text.push_str(&format!("\nActual:\n{}\n", block(breach.actual.trim_end(), TEXT)));
    text.push_str(&format!("\nReplay: mistrust replay {}", line(&finding.id, TITLE)));
    // In a SARIF message, braces enclose placeholders.
    text.replace('{', "{{").replace('}', "}}")
}

fn location(finding: &Finding) -> sarif::Location {
    let best = finding.best();
    let folder = if finding.reduced.is_some() { "reduced/" } else { "" };
    let program = best.case.programs.get(best.breach.program).or(best.case.programs.first());
    let file = program.map_or("finding.json".to_owned(), forge::Program::file_name);
    let artifact = sarif::ArtifactLocation::builder()
        .uri(uri(&line(&format!("{}/{folder}{file}", finding.folder()), TITLE)))
        .uri_base_id(BASE)
        .build();
    let physical = sarif::PhysicalLocation::builder()
        .artifact_location(artifact)
        .region(sarif::Region::builder().start_line(1).build())
        .build();
    sarif::Location::builder().physical_location(physical).build()
}

fn properties(finding: &Finding) -> BTreeMap<String, Value> {
    let culprits: Vec<Value> = finding
        .culprits
        .iter()
        .map(|culprit| {
            let good = culprit.good().map(|good| line(&good, TITLE));
            let remarks: Vec<String> =
                culprit.remarks().iter().map(|remark| line(remark, TITLE)).collect();
            let (axis, bad) = (line(culprit.axis(), TITLE), line(&culprit.bad(), TITLE));
            json!({ "axis": axis, "good": good, "bad": bad, "remarks": remarks })
        })
        .collect();
    let breach = &finding.best().breach;
    let settings: Vec<String> =
        breach.settings.iter().take(50).map(|name| line(name, TITLE)).collect();
    BTreeMap::from([
        ("id".to_owned(), json!(line(&finding.id, TITLE))),
        ("origin".to_owned(), json!(line(&finding.origin().to_string(), TITLE))),
        ("target".to_owned(), json!(line(&finding.target, TITLE))),
        ("version".to_owned(), json!(line(&finding.version, TITLE))),
        ("settings".to_owned(), json!(settings)),
        ("culprits".to_owned(), json!(culprits)),
        ("sightings".to_owned(), json!(finding.sightings)),
        ("progress".to_owned(), json!(finding.progress.to_string())),
    ])
}

/// A path, escaped for a URI.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte.into());
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::specimens;

    #[test]
    fn every_finding_is_a_result_and_known_ones_are_suppressed() {
        let text = render(&specimens::summary(), &specimens::started().out).unwrap();
        specimens::compare("findings.sarif", &text);
        let log: sarif::Sarif = serde_json::from_str(&text).unwrap();
        let results = log.runs[0].results.as_ref().unwrap();
        let suppressed: Vec<usize> =
            results.iter().map(|result| result.suppressions.as_ref().unwrap().len()).collect();
        assert_eq!(suppressed, [0, 0, 1]);
    }

    #[test]
    fn a_hunt_without_findings_has_a_run_with_all_rules_and_no_results() {
        let log: Value =
            serde_json::from_str(&render(&specimens::nothing(), Path::new("/out")).unwrap())
                .unwrap();
        assert_eq!(log["runs"][0]["results"], json!([]));
        assert_eq!(
            log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(),
            RULES.len()
        );
    }

    #[test]
    fn every_kind_of_breach_has_its_own_rule() {
        let kinds = [
            BreachKind::Miscompilation,
            BreachKind::Crash,
            BreachKind::Rejection,
            BreachKind::NoArtifact,
            BreachKind::Hang,
            BreachKind::Exhaustion,
            BreachKind::Contradiction,
            BreachKind::Acceptance,
        ];
        assert_eq!(kinds.len(), RULES.len());
        for kind in kinds {
            assert_eq!(RULES[rule_index(kind)].0, kind.name().replace(' ', "-"));
        }
    }

    #[test]
    fn hostile_text_is_escaped_and_truncated() {
        let text = render(&specimens::hostile(), Path::new("/a b/ü")).unwrap();
        assert!(text.contains("file:///a%20b/%C3%BC/"));
        assert!(text.len() < 100_000, "{} bytes", text.len());
        let log: sarif::Sarif = serde_json::from_str(&text).unwrap();
        let message = log.runs[0].results.as_ref().unwrap()[0].message.text.clone().unwrap();
        assert!(message.contains("\\x1b[31mred") && message.contains("{{{{ x }}}}"), "{message}");
        assert!(!message.chars().any(|character| character.is_control() && character != '\n'));
    }

    #[test]
    fn the_file_is_written_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("findings.sarif");
        let sarif = Sarif::new(&path);
        specimens::events().iter().for_each(|event| sarif.hear(event));
        assert_eq!(sarif.problem(), None);
        let expected = render(&specimens::summary(), &specimens::started().out).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    }
}
