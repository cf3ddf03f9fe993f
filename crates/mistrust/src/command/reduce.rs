//! `mistrust reduce`: continues the reduction of a finding, or reduces a file that a compiler fails on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use forge::{Case, Method, Promise};
use lab::culprit;
use lab::event::{Event, Listener as _};
use lab::finding::{Exhibit, Progress};
use lab::folder::Folders;
use lab::stop::Stop;
use lab::store::{Findings as _, SqliteStore};
use lab::target::Target;
use lab::triage::complete::Completion;
use lab::triage::examiner::Examiner;
use lab::triage::locate::locate;
use lab::triage::reduce::{Goal, ReductionEnd, reduce};
use text::Text;

use super::hunt::scratch;
use crate::cli::{Common, Reduce};
use crate::display::{Display, DisplayOptions};
use crate::exit::{Environment, Exit, Usage};
use crate::interrupt;
use crate::laboratory::{Laboratory, temporary};

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

/// Continues the reduction of a finding, and completes the finding.
fn finding(common: &Common, laboratory: &Laboratory, arguments: &Reduce) -> anyhow::Result<Exit> {
    let out = laboratory.out(arguments.out.as_deref());
    // Looked up before anything is created: a mistyped file name must not create a folder.
    let mut finding = SqliteStore::read(&out)?.finding(&arguments.subject)?;
    let store = SqliteStore::open(&out, &super::command_line())?;
    let method = methods::named(finding.origin().method())
        .map_err(|error| Environment(format!("this Mistrust cannot reduce it: {error}")))?;
    let mut examiner = super::replay::examiner(laboratory, &store, &finding)?;
    let relatives = laboratory.relatives(&[Arc::clone(&examiner.target)]);
    let folders = Folders::new(&out, vec![Arc::clone(&examiner.target)]);
    if arguments.restart {
        finding.progress = Progress::Confirmed;
        finding.reduced = None;
        finding.restated.clear();
        store.forget_steps(&finding.id)?;
        store.update(&finding)?;
        folders.render(&finding)?;
    }
    let jobs = jobs(laboratory, arguments);
    let display = Display::new(DisplayOptions::detect(common.quiet, common.verbose, jobs));
    let stop = Stop::default();
    interrupt::listen(&stop)?;
    examiner.stop = stop.clone();
    examiner.bench.runner.end_with(&stop);
    let known = laboratory.known_bugs()?;
    let alive_tv = laboratory.alive_tv()?;
    let completion = Completion {
        store: &store,
        method: method.as_ref(),
        examiner,
        relatives: &relatives,
        known: &known,
        all_findings: finding.signature.only.is_some(),
        jobs,
        reduce_time: time(laboratory, arguments),
        alive_tv: alive_tv.as_ref(),
        stop: &stop,
        tell: &|event| {
            folders.hear(event);
            display.hear(event);
        },
        working: &|work| display.hear(&Event::Working { worker: 0, work }),
    };
    completion.complete(&finding.id)?;
    display.close();
    if let Some(why) = folders.failure() {
        return Err(Environment(why).into());
    }
    let finding = store.finding(&finding.id)?;
    for program in &finding.best().case.programs {
        super::print(&program.source)?;
    }
    if let Progress::Unfinished(why) = finding.progress {
        display.note(&format!("unfinished: {why}; the same command continues it"));
    }
    display.note(&format!("folder: {}", folders.of(&finding).display()));
    Ok(Exit::Findings)
}

fn file(
    common: &Common,
    laboratory: &Laboratory,
    arguments: &Reduce,
    path: &Path,
) -> anyhow::Result<Exit> {
    let folder = temporary()?;
    let bench = laboratory.bench(&scratch(folder.path()))?;
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = forge::source_of(&bytes);
    let subjects = subjects(laboratory, arguments, path, &text)?;
    let mut tried = vec![];
    for (case, method, target) in &subjects {
        target.probe(None, &bench)?;
        let (target, stop) = (Arc::clone(target), Stop::default());
        let examiner = Examiner::new(Arc::clone(&target), bench.clone(), stop);
        tried.push(target.name().to_string());
        let spec = target.spec();
        let exhibit = examiner.exhibit(case, &spec.settings).or_else(|| {
            let everything = [spec.settings.clone(), spec.occasional.clone()].concat();
            (!spec.occasional.is_empty()).then(|| examiner.exhibit(case, &everything))?
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

/// An interpretation of the file: a case, or source text with a promise.
type Subject = (Case, Box<dyn Method>, Arc<dyn Target>);

fn subjects(
    laboratory: &Laboratory,
    arguments: &Reduce,
    path: &Path,
    text: &str,
) -> anyhow::Result<Vec<Subject>> {
    let named = arguments.target.as_deref().map(|name| laboratory.target(name)).transpose()?;
    let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let case = match serde_json::from_str::<Case>(text) {
        Ok(case) => Some(case),
        Err(error) if extension == "json" => {
            return Err(Usage(format!("{} is not a case file: {error}", path.display())).into());
        }
        Err(_) => None,
    };
    let reads_file = |target: &&Arc<dyn Target>| {
        let mut reads = target.spec().reads.iter();
        match &case {
            Some(case) => case.programs.iter().all(|program| {
                reads.any(|it| it.language == program.language && it.interface == program.interface)
            }),
            None => reads.any(|it| it.language.extension() == extension),
        }
    };
    let described = || laboratory.described.iter().find(reads_file).cloned();
    let built_in = || laboratory.machine().iter().find(reads_file).cloned();
    let target = named.or_else(|| described().or_else(built_in)).ok_or_else(|| {
        Usage(format!("no target reads {}: name one with --target", path.display()))
    })?;
    if let Some(case) = case {
        let name = case.origin.method();
        let method =
            methods::named(name).map_err(|error| Usage(format!("{}: {error}", path.display())))?;
        if let Some(why) = method.objection(&case) {
            return Err(Usage(format!("{}: {why}", path.display())).into());
        }
        return Ok(vec![(case, method, target)]);
    }
    let reads = target.spec().reads.iter().map(|reads| &reads.language);
    let of_file = reads.clone().find(|language| language.extension() == extension);
    let language = of_file.unwrap_or_else(|| target.spec().language()).clone();
    let subject = |promise| -> Subject {
        let method = Text::new(language.clone());
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
    let culprits = locate(examiner, &start);
    for culprit in culprits.iter().filter(|culprit| culprit.good().is_some()) {
        display.note(&format!("{culprit}"));
    }
    let pass = culprit::pass(&culprits).filter(|_| !signature.is_precise());
    let goal = Goal {
        method,
        examiner,
        signature: &signature,
        pass: pass.map(|pass| &pass.bad),
        with: pass.map(|pass| pass.with.as_slice()).unwrap_or_default(),
        jobs: jobs(laboratory, arguments),
        cursor: 0,
        deadline: Some(Instant::now() + time(laboratory, arguments)),
    };
    let stop = Stop::default();
    interrupt::listen(&stop)?;
    let id = signature.key()[..8].to_owned();
    let reduction = reduce(&goal, start, &stop, |step, _| {
        display.hear(&Event::Reducing { id: id.clone(), step: step.clone() });
        anyhow::Ok(())
    })?;
    let (steps, tries) = (reduction.steps, reduction.tries);
    let so_far = match reduction.ended {
        ReductionEnd::Finished => "",
        ReductionEnd::Late => ", unfinished: time limit reached; reduce the result to continue",
        ReductionEnd::Stopped => ", unfinished: interrupted; reduce the result to continue",
    };
    display.note(&format!("{steps} steps in {tries} tries{so_far}"));
    Ok(reduction.exhibit)
}

/// `a/b.c` becomes `a/b.reduced.c`.
fn beside(path: &Path) -> PathBuf {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_extension(format!("reduced.{extension}"))
}

/// Writes a case as JSON, and source text as source text.
fn write(output: &Path, case: &Case, original: &Path) -> anyhow::Result<()> {
    let is_case = original.extension().is_some_and(|extension| extension == "json");
    let bytes = match case.programs.first() {
        Some(program) if !is_case => program.source.clone(),
        _ => serde_json::to_string_pretty(case)? + "\n",
    };
    crate::export::write_atomically(output, bytes.as_bytes())
}
