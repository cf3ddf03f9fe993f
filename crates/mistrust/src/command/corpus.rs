//! `mistrust corpus`: installs, lists, shows and minimises collections of programs.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use forge::{Case, Language};
use lab::corpus::{NAMED, Named, Programs, minimal};
use lab::coverage::Coverage;
use lab::target::Bench;
use serde::Serialize;
use text::{Mix, Mutate};

use crate::cli::{Common, Corpus, CorpusAction, ListFormat};
use crate::corpus::Wanted;
use crate::display::printable::printable;
use crate::display::quantity::{counted, thousands};
use crate::exit::{Environment, Exit, Usage};
use crate::laboratory::{Laboratory, temporary};
use crate::programs::{self, Place};

pub(crate) fn run(common: &Common, arguments: &Corpus) -> anyhow::Result<Exit> {
    let laboratory = Laboratory::open(common)?;
    match &arguments.action {
        CorpusAction::Add { names } => add(&laboratory, names),
        CorpusAction::List { format } => list(&laboratory, *format),
        CorpusAction::Show { corpus, language } => show(&laboratory, corpus, language.as_deref()),
        CorpusAction::Minimise { corpus, target, to } => minimise(&laboratory, corpus, target, to),
    }
}

fn add(laboratory: &Laboratory, names: &[String]) -> anyhow::Result<Exit> {
    // All names are checked before anything is downloaded.
    let wanted: Vec<_> = names.iter().map(|it| parse(it)).collect::<Result<_, _>>()?;
    for (named, version) in wanted {
        let installed = programs::installed(laboratory, named, version)?;
        let place = Place::Installed(named, Box::new(installed));
        let text = match named.language {
            // They are read with the opt that they are for.
            "llvm" => format!("{} is installed", place.name()),
            language => programs::described(&place.read(&Language::new(language))?, &place.name()),
        };
        super::print(&printable(&format!("{text}\n")))?;
    }
    Ok(Exit::Clean)
}

fn parse(name: &str) -> anyhow::Result<(&'static Named, Option<String>)> {
    let (name, version) = match name.split_once('@') {
        Some((name, version)) => (name, Some(version.to_owned())),
        None => (name, None),
    };
    let named = Named::of(name).ok_or_else(|| {
        let names: Vec<&str> = NAMED.iter().map(|it| it.name).collect();
        Usage(format!("there is no corpus `{name}`: there are {}", names.join(", ")))
    })?;
    Ok((named, version))
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    language: &'static str,
    summary: &'static str,
    installed: Vec<String>,
}

fn list(laboratory: &Laboratory, format: ListFormat) -> anyhow::Result<Exit> {
    let row = |named: &Named| Row {
        name: named.name,
        language: named.language,
        summary: named.summary,
        installed: laboratory.installs.installed(named.family),
    };
    let rows: Vec<Row> = NAMED.iter().map(row).collect();
    let text = match format {
        ListFormat::Json => serde_json::to_string_pretty(&rows)? + "\n",
        ListFormat::Text => rows.iter().map(line).collect(),
    };
    super::print(&text)?;
    Ok(Exit::Clean)
}

fn line(row: &Row) -> String {
    let installed = match row.installed.as_slice() {
        [] => "not installed".to_owned(),
        versions => format!("installed: {}", versions.join(", ")),
    };
    printable(&format!("{:<16} {:<9} {}; {installed}\n", row.name, row.language, row.summary))
}

/// The programs of a name or a folder. Nothing is installed.
fn find(
    laboratory: &Laboratory,
    corpus: &str,
    language: Option<&Language>,
) -> anyhow::Result<(Place, Programs)> {
    let (place, language) = match Wanted::parse(Some(corpus))? {
        Wanted::Path(path) => {
            let language = language.cloned().ok_or_else(|| {
                Usage("the language of a folder is not known: give --language".to_owned())
            })?;
            (Place::Path(path), language)
        }
        Wanted::Named { named, version } => {
            let installed = laboratory.installs.installed(named.family);
            let version = version.or_else(|| installed.last().cloned());
            let found = version.and_then(|it| laboratory.installs.get(named.family, &it));
            let found = found.ok_or_else(|| {
                Environment(format!(
                    "{corpus} is not installed: run `mistrust corpus add {corpus}`"
                ))
            })?;
            let own = Language::new(named.language);
            (Place::Installed(named, Box::new(found)), language.cloned().unwrap_or(own))
        }
        Wanted::Own | Wanted::Version { .. } => {
            let why = "LLVM's tests are read by an opt: hunt opt@22 tells how many there are";
            return Err(Usage(why.to_owned()).into());
        }
    };
    let programs = place.read(&language)?;
    Ok((place, programs))
}

fn show(laboratory: &Laboratory, corpus: &str, language: Option<&str>) -> anyhow::Result<Exit> {
    let language = language.map(Language::new);
    let (place, programs) = find(laboratory, corpus, language.as_ref())?;
    let entries = &programs.corpus.entries;
    let bytes: usize = entries.iter().map(|it| it.text.len()).sum();
    let mut text = programs::described(&programs, &place.name()) + "\n";
    let _ =
        writeln!(text, "  {} bytes, {} in the middle", thousands(bytes as u64), middle(entries));
    let _ = writeln!(text, "  digest {}, a part of the name of its method", programs.corpus.digest);
    let largest = entries.iter().max_by_key(|it| it.text.len());
    if let Some(entry) = largest {
        let _ = writeln!(text, "  the largest is {}", entry.name);
    }
    super::print(&printable(&text))?;
    Ok(Exit::Clean)
}

/// The size of the program in the middle, by size.
fn middle(entries: &[text::corpus::Entry]) -> usize {
    let mut sizes: Vec<usize> = entries.iter().map(|it| it.text.len()).collect();
    sizes.sort_unstable();
    sizes.get(sizes.len() / 2).copied().unwrap_or(0)
}

fn minimise(
    laboratory: &Laboratory,
    corpus: &str,
    target: &str,
    to: &Path,
) -> anyhow::Result<Exit> {
    let target = laboratory.select(std::slice::from_ref(&target.to_owned()), None)?.remove(0);
    let language = programs::language(target.as_ref())
        .ok_or_else(|| Usage(format!("target `{}` does not compile any text", target.name())))?;
    if to.exists() {
        return Err(Usage(format!("{} exists already", to.display())).into());
    }
    let (_, programs) = find(laboratory, corpus, Some(&language))?;
    let names: Vec<String> = programs.corpus.entries.iter().map(|it| it.name.clone()).collect();
    let mix = Mix::named("").unwrap_or(text::MIXES[0]);
    let count = names.len();
    let method = Mutate::new(Arc::new(programs.corpus), mix);
    let cases: Vec<Case> = (0..count).filter_map(|at| method.as_it_is(at)).collect();
    let folder = temporary()?;
    let bench = laboratory.bench(folder.path())?;
    target.probe(None, &bench).map_err(|error| Environment(error.to_string()))?;
    let bench = Bench { coverage: Some(Arc::new(Coverage::new())), ..bench };
    target.coverage(&bench).map_err(|why| Environment(format!("{}: {why}", target.name())))?;
    let say = |at: usize, of: usize| {
        if at == of || at * 10 / of.max(1) > at.saturating_sub(8) * 10 / of.max(1) {
            anstream::eprintln!("  {at} of {of} programs");
        }
    };
    let minimal = minimal(&cases, target.as_ref(), &bench, &say)
        .map_err(|error| Environment(format!("{}: {error}", target.name())))?;
    for at in &minimal.kept {
        // A program in a string has a name with a colon and a number.
        let name = names[*at].replace(':', "-");
        let extension = format!(".{}", language.extension());
        let name = if name.ends_with(&extension) { name } else { name + &extension };
        let path = to.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, cases[*at].programs[0].bytes())?;
    }
    let line = format!(
        "{} of {count} reach all {} blocks of {}; {} left out because they fail\n",
        counted(minimal.kept.len() as u64, "program"),
        thousands(minimal.covered as u64),
        target.name(),
        minimal.left_out.len(),
    );
    super::print(&printable(&line))?;
    Ok(Exit::Clean)
}
