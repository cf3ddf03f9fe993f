//! `mistrust replay`: compiles and runs a finding again, under every setting.

use std::fmt::Write as _;

use lab::finding::Finding;
use lab::stop::Stop;
use lab::store::{Findings as _, SqliteStore};
use lab::triage::examiner::Examiner;
use lab::verdict::Verdict;

use super::hunt::scratch;
use crate::cli::{Common, Replay};
use crate::display::printable::printable;
use crate::exit::{Environment, Exit};
use crate::laboratory::Laboratory;

pub(crate) fn run(common: &Common, arguments: &Replay) -> anyhow::Result<Exit> {
    let laboratory = Laboratory::open(common)?;
    let out = laboratory.out(arguments.out.as_deref());
    let store = SqliteStore::read(&out)?;
    let finding = store.finding(&arguments.id)?;
    let examiner = examiner(&laboratory, &store, &finding)?;
    let exhibit = if arguments.original { &finding.original } else { finding.best() };
    let observations = examiner.observe(&exhibit.case, &examiner.settings(&exhibit.breach));
    let verdict = lab::oracle::judge(&exhibit.case, &observations);

    let mut text = format!("{} {}\n", finding.id, printable(&finding.title()));
    for program in &exhibit.case.programs {
        let _ = writeln!(text, "\n==> {} <==\n{}", program.file_name(), program.source.trim_end());
    }
    text.push('\n');
    for observation in &observations {
        let program = exhibit.case.programs.get(observation.program);
        let name = program.map_or("?", |program| program.name.as_str());
        let input = observation.input.and_then(|input| exhibit.case.inputs.get(input));
        let arguments = input.map(|input| input.arguments.join(" ")).unwrap_or_default();
        let outcome = printable(observation.outcome.to_string().trim_end());
        let _ = writeln!(text, "{name} [{}] ({arguments}): {outcome}", observation.setting);
    }
    let (line, exit) = match verdict {
        Verdict::Broken(breach) => {
            let expected = breach.expected.as_deref().unwrap_or("something else").trim_end();
            let line = format!(
                "the bug shows under {}: {}\n  expected: {expected}\n  actual:   {}",
                breach.settings.join(", "),
                breach.kind,
                breach.actual.trim_end()
            );
            (line, Exit::Findings)
        }
        Verdict::Kept => ("the bug does not show".to_owned(), Exit::Clean),
        Verdict::Skipped(why) => {
            return Err(
                Environment(format!("cannot determine whether the bug shows: {why}")).into()
            );
        }
    };
    let _ = writeln!(text, "\n{}", printable(&line));
    super::print(&text)?;
    Ok(exit)
}

/// An examiner for the target of a finding.
pub(super) fn examiner(
    laboratory: &Laboratory,
    store: &SqliteStore,
    finding: &Finding,
) -> anyhow::Result<Examiner> {
    let Ok(target) = laboratory.target(&finding.target) else {
        let script = store.out().join(finding.folder()).join("replay.sh");
        return Err(Environment(format!(
            "target `{}` is not described in mistrust.toml: describe it, or run {}",
            finding.target,
            script.display()
        ))
        .into());
    };
    let bench = laboratory.bench(&scratch(store.out()))?;
    target.probe(None, &bench)?;
    Ok(Examiner::new(target, bench, Stop::default()))
}
