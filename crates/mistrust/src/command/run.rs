//! `mistrust run`: compiles and runs one program under one setting, and prints the outcome as a line of JSON. Replay
//! scripts use it for compilers that are libraries, and for virtual machines that are part of Mistrust. A case file is
//! run as it is: every program on every input, with a line for each.

use anyhow::Context as _;
use forge::{Behaviour, Case, Input, Interface, Model, Origin, Outcome, Program, Promise};
use lab::setting::Setting;
use lab::target::Target;
use serde_json::{Value, json};

use crate::cli::{Common, Run};
use crate::exit::{Environment, Exit, Usage};
use crate::laboratory::{Laboratory, temporary};

pub(crate) fn run(common: &Common, arguments: &Run) -> anyhow::Result<Exit> {
    let laboratory = Laboratory::open(common)?;
    let target = laboratory.target(&arguments.target)?;
    let source = std::fs::read(&arguments.file)
        .with_context(|| Environment(format!("cannot read {}", arguments.file.display())))?;
    let source = forge::source_of(&source);
    let case = if arguments.file.extension().is_some_and(|it| it == "json") {
        stored(&source, arguments)?
    } else {
        given(target.as_ref(), source, arguments)?
    };
    let scratch = temporary()?;
    let bench = laboratory.bench(scratch.path())?;
    let setting = setting(target.as_ref(), arguments)?;
    let seen = lab::target::batch::observe(target.as_ref(), &[&case], &[setting], &bench);
    let observations = seen.observations.into_iter().flatten();
    let answers: Vec<(Value, Exit)> =
        observations.map(|it| answer(&it.outcome, arguments.text)).collect();
    if answers.is_empty() {
        return Err(Environment("nothing could be observed".to_owned()).into());
    }
    for (answer, _) in &answers {
        super::print(&format!("{answer}\n"))?;
    }
    let failed = answers.iter().any(|(_, exit)| *exit == Exit::Findings);
    Ok(if failed { Exit::Findings } else { Exit::Clean })
}

/// The case of a case file.
fn stored(text: &str, arguments: &Run) -> anyhow::Result<Case> {
    if !arguments.arguments.is_empty() {
        return Err(Usage("a case file has its own inputs: give no arguments".to_owned()).into());
    }
    let file = arguments.file.display();
    serde_json::from_str(text)
        .map_err(|error| Usage(format!("{file} is not a case file: {error}")).into())
}

/// A case of a source and its arguments. The compiler is not judged, so nothing is promised that could keep a target from
/// compiling it.
fn given(target: &dyn Target, source: String, arguments: &Run) -> anyhow::Result<Case> {
    let stem = arguments.file.file_stem().unwrap_or_default().to_string_lossy();
    // The first line of a function is its signature.
    let is_function = source.lines().next().is_some_and(|line| line.contains("->"));
    let all = &target.spec().reads;
    let of = |interface| all.iter().find(|it| it.interface == interface);
    let reads = match arguments.text {
        true => of(Interface::Text),
        false => {
            let contract = of(Interface::Contract).filter(|_| !is_function);
            let other = all.iter().find(|it| it.interface != Interface::Contract);
            contract.or(other).or(all.first())
        }
    };
    let reads = reads.cloned();
    let reads =
        reads.ok_or_else(|| Usage(format!("{} does not compile such files", target.name())))?;
    let (name, interface) = (stem.into_owned(), reads.interface);
    Ok(Case {
        origin: Origin::Given { method: "text".to_owned() },
        programs: vec![Program { name, language: reads.language, interface, source }],
        inputs: vec![Input { arguments: arguments.arguments.clone(), ..Input::default() }],
        promise: Promise::Survives,
        trail: vec![],
        model: Model::absent(),
    })
}

/// The requested setting.
fn setting(target: &dyn Target, arguments: &Run) -> anyhow::Result<Setting> {
    let known = target.spec().settings.iter().chain(&target.spec().occasional);
    let mut setting = if let Some(name) = &arguments.setting {
        let names: Vec<&str> = known.clone().map(|setting| setting.name.as_str()).collect();
        let of_name = known.clone().find(|setting| setting.name == *name).cloned();
        of_name.ok_or_else(|| {
            let names = names.join(", ");
            Usage(format!("target `{}` has no setting `{name}`: it has {names}", target.name()))
        })?
    } else if arguments.with.is_empty() {
        known.clone().next().cloned().unwrap_or_else(Setting::plain)
    } else {
        let values = arguments.with.iter().map(|word| {
            let (option, value) = word
                .split_once('=')
                .ok_or_else(|| Usage(format!("`{word}` is not an option: write OPTION=VALUE")))?;
            Ok((option.to_owned(), value.to_owned()))
        });
        Setting::of(values.collect::<anyhow::Result<_>>()?)
    };
    setting.extra.extend(arguments.extra.iter().cloned());
    Ok(setting)
}

/// The printed JSON, and the exit code: 1 if the compiler failed or nothing was observed.
fn answer(outcome: &Outcome, is_text: bool) -> (Value, Exit) {
    match outcome {
        // A text need not be a program.
        Outcome::Rejected { .. } if is_text => {
            (json!({ "answer": outcome.to_string() }), Exit::Clean)
        }
        Outcome::Ran(Behaviour::Value(value)) => (json!({ "value": value }), Exit::Clean),
        Outcome::Ran(Behaviour::Trap { code, .. }) => (json!({ "trap": code }), Exit::Clean),
        Outcome::Accepted | Outcome::Checked(_) | Outcome::Analysed(_) => {
            (json!({ "answer": outcome.to_string() }), Exit::Clean)
        }
        Outcome::Rejected { .. }
        | Outcome::Crashed { .. }
        | Outcome::Hung { .. }
        | Outcome::Exhausted { .. }
        | Outcome::NoArtifact
        | Outcome::Unrunnable { .. }
        | Outcome::Unobserved(_) => (json!({ "failure": outcome.to_string() }), Exit::Findings),
    }
}
