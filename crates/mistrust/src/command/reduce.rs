//! `mistrust reduce`: goes on with the reduction of a finding, or makes a file smaller that a compiler
//! fails on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use forge::{Case, Method, Promise};
use lab::campaign::{Campaign, Choice, Line, Options, Shard};
use lab::event::{Ended, Event, Listener as _};
use lab::finding::{Exhibit, Progress};
use lab::stop::Stop;
use lab::store::Store;
use lab::target::Target;
use lab::triage::culprit;
use lab::triage::examiner::Examiner;
use lab::triage::reduce::{Goal, reduce};
use text::Text;

use super::hunt::scratch;
use crate::cli::{Common, Reduce};
use crate::display::{Display, DisplayOptions};
use crate::exit::{Environment, Exit, Usage};
use crate::interrupt;
use crate::laboratory::Laboratory;

const TIME: Duration = Duration::from_secs(3600);

pub(crate) fn run(common: &Common, arguments: &Reduce) -> anyhow::Result<Exit> {
    let laboratory = Laboratory::open(common)?;
    let path = Path::new(&arguments.subject);
    if path.is_file() {
        return file(common, &laboratory, arguments, path);
    }
    finding(common, &laboratory, arguments)
}

fn jobs(laboratory: &Laboratory, arguments: &Reduce) -> usize {
    let jobs = arguments.jobs.or(laboratory.config.hunt.jobs).map(usize::from);
    jobs.unwrap_or_else(super::cores).max(1)
}

fn time(laboratory: &Laboratory, arguments: &Reduce) -> Duration {
    arguments.time.or(laboratory.config.hunt.reduce_time).unwrap_or(TIME)
}

/// A hunt for no cases at all that completes one finding.
fn finding(common: &Common, laboratory: &Laboratory, arguments: &Reduce) -> anyhow::Result<Exit> {
    let out = laboratory.out(arguments.out.as_deref());
    // Looked up before anything is created: a mistyped file name must not leave a folder behind.
    let mut finding = Store::read(&out)?.finding(&arguments.subject)?;
    let store = Store::open(&out, &super::typed())?;
    let method = methods::named(&finding.ticket().method)
        .map_err(|error| Environment(format!("this Mistrust cannot reduce it: {error}")))?;
    let examiner = super::replay::examiner(laboratory, &store, &finding)?;
    finding.progress = Progress::Confirmed;
    if arguments.restart {
        finding.reduced = None;
        finding.retold.clear();
        let replay = lab::triage::replay::replay(&examiner, &finding);
        store.write_folder(&finding, &replay)?;
    }
    store.update_finding(&finding)?;

    let jobs = jobs(laboratory, arguments);
    let display = Display::new(DisplayOptions::detect(common.quiet, common.verbose, jobs));
    let stop = Stop::default();
    interrupt::listen(&stop)?;
    let line = Line { method: method.into(), targets: vec![Arc::clone(&examiner.target)] };
    let campaign = Campaign {
        lines: vec![line],
        relatives: laboratory.relatives(&[Arc::clone(&examiner.target)]),
        versions: [(finding.target.clone(), finding.version.clone())].into(),
        options: Options {
            seed: finding.ticket().seed,
            time: None,
            cases: Some(0),
            jobs,
            shard: Shard::whole(),
            choice: Choice::default(),
            all_findings: finding.signature.only.is_some(),
            reduce_time: time(laboratory, arguments),
            command: super::typed(),
            only: Some(finding.id.clone()),
        },
        store: &store,
        bench: examiner.bench,
        known: laboratory.known_bugs()?,
        listeners: vec![&display],
        stop,
    };
    let summary = campaign.run()?;
    if let Ended::Failed(why) = summary.ended {
        return Err(Environment(why).into());
    }
    let finding = store.finding(&finding.id)?;
    for program in &finding.best().case.programs {
        super::print(&program.source)?;
    }
    display.note(&format!("folder: {}", store.folder(&finding).display()));
    Ok(Exit::Findings)
}

fn file(
    common: &Common,
    laboratory: &Laboratory,
    arguments: &Reduce,
    path: &Path,
) -> anyhow::Result<Exit> {
    let folder = tempfile::tempdir().context("cannot make a scratch directory")?;
    let bench = laboratory.bench(&scratch(folder.path()))?;
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let subjects = subjects(laboratory, arguments, path, &text)?;
    let mut tried = vec![];
    for (case, method, target) in &subjects {
        target.probe(&bench)?;
        let examiner = Examiner { target: Arc::clone(target), bench: bench.clone() };
        tried.push(target.name().to_string());
        let exhibit = examiner.exhibit(case, target.settings()).or_else(|| {
            let everything = [target.settings(), target.occasional()].concat();
            (!target.occasional().is_empty()).then(|| examiner.exhibit(case, &everything))?
        });
        let Some(exhibit) = exhibit else { continue };
        let display = Display::new(DisplayOptions::detect(common.quiet, common.verbose, 1));
        let reduced =
            reduce_file(laboratory, arguments, &display, method.as_ref(), &examiner, exhibit)?;
        let output = arguments.output.clone().unwrap_or_else(|| beside(path));
        write(&output, &reduced.case, path)?;
        display.note(&format!("reduced: {}", output.display()));
        return Ok(Exit::Findings);
    }
    tried.dedup();
    Err(Environment(format!("{} does not fail on {}", tried.join(", "), path.display())).into())
}

/// What the file may be: a case, or source text that a compiler may crash on or be at odds with itself.
type Subject = (Case, Box<dyn Method>, Arc<dyn Target>);

fn subjects(
    laboratory: &Laboratory,
    arguments: &Reduce,
    path: &Path,
    text: &str,
) -> anyhow::Result<Vec<Subject>> {
    let named = arguments.target.as_deref().map(|name| laboratory.target(name)).transpose()?;
    let case = serde_json::from_str::<Case>(text).ok();
    let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let speaks = |target: &&Arc<dyn Target>| match &case {
        Some(case) => case.programs.iter().all(|program| program.language == *target.language()),
        None => target.language().extension() == extension,
    };
    let described = || laboratory.described.iter().find(speaks);
    let built_in = || laboratory.toolchains().iter().find(speaks);
    let target = named.or_else(|| described().or_else(built_in).cloned()).ok_or_else(|| {
        Usage(format!("no target reads {}: name one with --target", path.display()))
    })?;
    if let Some(case) = case {
        let name = &case.ticket.method;
        let method =
            methods::named(name).map_err(|error| Usage(format!("{}: {error}", path.display())))?;
        return Ok(vec![(case, method, target)]);
    }
    let subject = |promise| -> Subject {
        let method = Text::new(target.language().clone());
        (method.case(text, promise), Box::new(method), Arc::clone(&target))
    };
    Ok(vec![subject(Promise::Survives), subject(Promise::Agrees)])
}

fn reduce_file(
    laboratory: &Laboratory,
    arguments: &Reduce,
    display: &Display,
    method: &dyn Method,
    examiner: &Examiner,
    start: Exhibit,
) -> anyhow::Result<Exhibit> {
    let signature = examiner.sign(&start.case, &start.breach);
    display.note(&format!("{signature}"));
    let culprits = culprit::locate(examiner, &start);
    for culprit in culprits.iter().filter(|culprit| culprit.good.is_some()) {
        display.note(&format!("{culprit}"));
    }
    let goal = Goal {
        method,
        examiner,
        signature: &signature,
        pass: if signature.is_precise() { None } else { culprit::pass(&culprits) },
        with: culprit::needed(&culprits),
        jobs: jobs(laboratory, arguments),
        deadline: Some(Instant::now() + time(laboratory, arguments)),
    };
    let stop = Stop::default();
    interrupt::listen(&stop)?;
    let id = signature.key()[..8].to_owned();
    let reduction = reduce(&goal, start, &stop, |step, _| {
        display.hear(&Event::Reducing {
            id: id.clone(),
            bytes: step.bytes,
            steps: step.step,
            tries: step.tries,
        });
        anyhow::Ok(())
    })?;
    let so_far = if reduction.finished { "" } else { " so far" };
    let (steps, tries) = (reduction.steps, reduction.tries);
    display.note(&format!("{steps} steps in {tries} tries{so_far}"));
    Ok(reduction.exhibit)
}

/// `a/b.c` becomes `a/b.reduced.c`.
fn beside(path: &Path) -> PathBuf {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_extension(format!("reduced.{extension}"))
}

/// A case stays a case, a text stays a text.
fn write(output: &Path, case: &Case, original: &Path) -> anyhow::Result<()> {
    let is_case = original.extension().is_some_and(|extension| extension == "json");
    let bytes = match case.programs.first() {
        Some(program) if !is_case => program.source.clone(),
        _ => serde_json::to_string_pretty(case)? + "\n",
    };
    crate::export::write_atomically(output, bytes.as_bytes())
}
