//! Mutations of the programs in a folder: which targets get them, and one method per language.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use forge::{Interface, Language};
use lab::campaign::Line;
use lab::corpus::programs;
use lab::target::Target;
use text::{MIXES, MUTATE, Mix, Mutate};

use crate::display::printable::printable;
use crate::exit::Usage;

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

/// A line per language, with the programs of a folder.
pub(crate) fn lines(
    place: &Path,
    mix: Mix,
    targets: Vec<Arc<dyn Target>>,
) -> anyhow::Result<Vec<Line>> {
    let mut by_language: BTreeMap<String, Vec<Arc<dyn Target>>> = BTreeMap::new();
    for target in targets {
        let language = language(target.as_ref()).ok_or_else(|| {
            Usage(format!(
                "target `{}` does not compile any text, which {MUTATE} needs",
                target.name()
            ))
        })?;
        by_language.entry(language.name().to_owned()).or_default().push(target);
    }
    let mut lines = vec![];
    for (language, targets) in by_language {
        let read = programs(place, &Language::new(language));
        let (corpus, unused) = read.map_err(|error| Usage(format!("--corpus: {error}")))?;
        let mut line = format!("{} programs from {}", corpus.entries.len(), place.display());
        for (why, count) in unused {
            let _ = write!(line, "; left out: {count} ({why})");
        }
        anstream::eprintln!("{}", printable(&line));
        lines.push(Line::drawn(Arc::new(Mutate::new(Arc::new(corpus), mix)), targets));
    }
    Ok(lines)
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
