//! Mutations of programs: where the programs come from, which targets get them, and one method per corpus.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use forge::{Interface, Language};
use lab::campaign::Line;
use lab::corpus::{Named, Programs, left_out, programs};
use lab::target::{Target, TargetName};
use lab::toolchain::Installed;
use text::corpus::Corpus;
use text::{MIXES, MUTATE, Mix, Mutate};

use crate::corpus::Wanted;
use crate::display::printable::printable;
use crate::display::quantity::counted;
use crate::exit::Usage;
use crate::laboratory::Laboratory;

/// The mix that the name of a method asks for; `None` if the method is another.
pub(crate) fn mix(method: &str) -> Option<Mix> {
    let rest = method.strip_prefix(MUTATE)?;
    let rest = match rest.strip_prefix('-') {
        Some(rest) => rest,
        None if rest.is_empty() => rest,
        None => return None,
    };
    let starts = |mix: &&Mix| {
        let rest = rest.strip_prefix(mix.name);
        !mix.name.is_empty() && rest.is_some_and(|it| it.is_empty() || it.starts_with('-'))
    };
    MIXES.iter().find(starts).copied().or_else(|| Mix::named(""))
}

/// The language of the texts that a target compiles.
pub(crate) fn language(target: &dyn Target) -> Option<Language> {
    let mut reads = target.spec().reads.iter();
    reads.find(|it| it.interface == Interface::Text).map(|it| it.language.clone())
}

/// A line per target, with the programs of a folder or of a corpus that is known by name. Each target has a pool of its own:
/// blocks of one compiler mean nothing to another.
pub(crate) fn lines(
    laboratory: &Laboratory,
    wanted: &Wanted,
    mix: Mix,
    targets: Vec<Arc<dyn Target>>,
) -> anyhow::Result<Vec<Line>> {
    let mut read: BTreeMap<String, Arc<Corpus>> = BTreeMap::new();
    let mut lines = vec![];
    for target in targets {
        let language = language(target.as_ref()).ok_or_else(|| {
            let name = target.name();
            Usage(format!("target `{name}` does not compile any text, which {MUTATE} needs"))
        })?;
        let place = place(laboratory, wanted, &language, target.name())?;
        let key = format!("{language} {}", place.name());
        let corpus = match read.get(&key) {
            Some(corpus) => Arc::clone(corpus),
            None => {
                let programs = place.read(&language)?;
                anstream::eprintln!("{}", printable(&described(&programs, &place.name())));
                let corpus = Arc::new(programs.corpus);
                read.insert(key, Arc::clone(&corpus));
                corpus
            }
        };
        lines.push(Line::grown(Arc::new(Mutate::new(corpus, mix)), target));
    }
    Ok(lines)
}

/// Where programs are.
pub(crate) enum Place {
    Path(PathBuf),
    Installed(&'static Named, Box<Installed>),
}

impl Place {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Installed(named, installed) => format!("{}@{}", named.name, installed.version()),
        }
    }

    pub(crate) fn read(&self, language: &Language) -> anyhow::Result<Programs> {
        let read = match self {
            Self::Path(path) => programs(path, language),
            Self::Installed(named, installed) => named.programs(installed.folder(), language),
        };
        Ok(read.map_err(|error| Usage(format!("--corpus: {error}")))?)
    }
}

/// What was read, on one line.
pub(crate) fn described(programs: &Programs, from: &str) -> String {
    let count = programs.corpus.entries.len();
    let line = format!("{} from {from}", counted(count as u64, "program"));
    match programs.unused.is_empty() {
        true => line,
        false => format!("{line}; left out: {}", left_out(&programs.unused)),
    }
}

/// The corpus that is wanted for a target, which is installed if it is missing.
fn place(
    laboratory: &Laboratory,
    wanted: &Wanted,
    language: &Language,
    target: &TargetName,
) -> anyhow::Result<Place> {
    let (named, version) = match wanted {
        Wanted::Path(path) => return Ok(Place::Path(path.clone())),
        Wanted::Named { named, version } => (*named, version.clone()),
        Wanted::Own | Wanted::Version { .. } => {
            let named = Named::for_target(language, target).ok_or_else(|| {
                Usage(format!(
                    "there is no corpus of {language} programs that is known by name: give --corpus and a folder"
                ))
            })?;
            (named, None)
        }
    };
    if named.language != language.common_name() {
        return Err(Usage(format!(
            "--corpus {}: its programs are {}, but target `{target}` reads {language}",
            named.name, named.language
        ))
        .into());
    }
    let version = version.or_else(|| named.version_for(target));
    Ok(Place::Installed(named, Box::new(installed(laboratory, named, version)?)))
}

/// A corpus in a version, or else the newest: offline, of those that are installed.
pub(crate) fn installed(
    laboratory: &Laboratory,
    named: &'static Named,
    version: Option<String>,
) -> anyhow::Result<Installed> {
    let version = match version {
        Some(version) => version,
        None => {
            let newest = || laboratory.installs.installed(named.family).pop();
            match laboratory.offline.then(newest).flatten() {
                Some(version) => version,
                None => laboratory.newest(named.family)?,
            }
        }
    };
    laboratory.ensure(named.family, &version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_is_named_after_the_method() {
        let name = |method| mix(method).map(|mix| mix.name);
        assert_eq!(name("mutate"), Some(""));
        assert_eq!(name("mutate-splice"), Some("splice"));
        assert_eq!(name("mutate-text-c-12345678"), Some("text"));
        assert_eq!(name("mutate-c-12345678"), Some(""));
        assert_eq!((name("mutates"), name("mir")), (None, None));
    }
}
