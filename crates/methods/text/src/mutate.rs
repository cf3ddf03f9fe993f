//! The method: a ticket determines a program of the corpus and a few edits. The first tickets are the programs as they
//! are.

use std::sync::Arc;

use forge::{
    Candidates, Case, Entropy, Input, Interface, Language, Method, Model, Origin, Program, Promise,
    Ticket,
};

use crate::corpus::Corpus;
use crate::cut;
use crate::mix::{MIXES, Mix};
use crate::operator::Scene;

/// What a name of a method begins with.
pub const MUTATE: &str = "mutate";

/// Programs do not grow beyond this, in bytes.
pub const MOST_BYTES: usize = 16 << 10;

/// How often an operator that does not apply is tried again.
const TRIES: u32 = 4;

/// How much of a changed place a trail shows.
const SHOWN: usize = 60;

/// Mutations of the programs of a corpus.
#[derive(Debug)]
pub struct Mutate {
    name: String,
    language: Language,
    mix: Mix,
    /// Without it cases can be reduced, but not made.
    corpus: Option<Arc<Corpus>>,
}

impl Mutate {
    pub fn new(corpus: Arc<Corpus>, mix: Mix) -> Self {
        let language = corpus.language.clone();
        let stem = [MUTATE, mix.name].into_iter().filter(|it| !it.is_empty());
        let stem = stem.collect::<Vec<_>>().join("-");
        let name = format!("{stem}-{language}-{}", corpus.digest);
        Self { name, language, mix, corpus: Some(corpus) }
    }

    /// The method of a case whose corpus is not at hand: it only reduces.
    pub fn without_corpus(name: &str) -> Option<Self> {
        let rest = name.strip_prefix(MUTATE)?.strip_prefix('-')?;
        let (rest, _digest) = rest.rsplit_once('-')?;
        let named = MIXES.iter().filter(|it| !it.name.is_empty());
        let mut named = named.filter_map(|mix| {
            let language = rest.strip_prefix(mix.name)?.strip_prefix('-')?;
            Some((*mix, language))
        });
        let (mix, language) = named.next().or_else(|| Some((Mix::named("")?, rest)))?;
        Some(Self { name: name.to_owned(), language: Language::new(language), mix, corpus: None })
    }

    fn case(&self, origin: Origin, source: String, trail: Vec<String>) -> Case {
        Case {
            origin,
            programs: vec![Program {
                name: "base".to_owned(),
                language: self.language.clone(),
                interface: Interface::Text,
                source,
            }],
            inputs: vec![Input::default()],
            promise: Promise::Survives,
            trail,
            model: Model::absent(),
        }
    }

    fn mutated(&self, corpus: &Corpus, entropy: &mut Entropy) -> Option<(String, Vec<String>)> {
        let parent = entropy.pick(&corpus.entries)?;
        let mut text = parent.text.clone();
        let mut trail = vec![parent.name.clone()];
        for operator in self.mix.draw(entropy) {
            let changed = (0..TRIES).find_map(|_| {
                let changed = operator.apply(&Scene::new(corpus, &text), entropy)?;
                (changed.len() <= MOST_BYTES).then_some(changed)
            });
            if let Some(changed) = changed {
                trail.push(format!("{}: {}", operator.name(), difference(&text, &changed)));
                text = changed;
            }
        }
        Some((text, trail))
    }
}

/// The first place where two texts differ, as the new one has it, on one line.
fn difference(old: &str, new: &str) -> String {
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let start: usize =
        old.chars().zip(new.chars()).take_while(same).map(|it| it.0.len_utf8()).sum();
    let (rest, other) = (&new[start..], &old[start..]);
    let end: usize = other
        .chars()
        .rev()
        .zip(rest.chars().rev())
        .take_while(same)
        .map(|it| it.0.len_utf8())
        .sum();
    let changed: String = rest[..rest.len() - end].split_whitespace().collect::<Vec<_>>().join(" ");
    match changed.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("`{}…`", &changed[..at]),
        None if changed.is_empty() => "deleted".to_owned(),
        None => format!("`{changed}`"),
    }
}

impl Method for Mutate {
    fn name(&self) -> &str {
        &self.name
    }

    fn revision(&self) -> u32 {
        1
    }

    fn summary(&self) -> &str {
        "mutations of the programs of a corpus"
    }

    fn language(&self) -> Language {
        self.language.clone()
    }

    fn interface(&self) -> Interface {
        Interface::Text
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let corpus = self.corpus.as_ref()?;
        let seed = usize::try_from(ticket.index).ok().and_then(|it| corpus.entries.get(it));
        if let Some(entry) = seed {
            let trail = vec![format!("{}, as it is", entry.name)];
            return Some(self.case(ticket.clone().into(), entry.text.clone(), trail));
        }
        let (text, trail) = self.mutated(corpus, &mut Entropy::of(ticket))?;
        Some(self.case(ticket.clone().into(), text, trail))
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        cut::cases(case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Entry;

    fn corpus() -> Arc<Corpus> {
        let texts = [
            "int a(int b) { return b + 1; }",
            "int c(int d) { if (d) { return 2; } return a(d); }",
        ];
        let entry = |text: &str| Entry { name: text[4..5].to_owned(), text: text.to_owned() };
        let entries = texts.iter().map(|it| entry(it)).collect();
        Arc::new(Corpus::new(Language::new("old-solidity"), entries).unwrap())
    }

    #[test]
    fn the_first_tickets_are_the_programs_and_the_others_differ_from_them() {
        let corpus = corpus();
        let method = Mutate::new(Arc::clone(&corpus), MIXES[0]);
        let make = |index| method.make(&method.ticket(1, index)).unwrap();
        assert_eq!(make(1).programs[0].source, corpus.entries[1].text);
        assert_eq!(make(1).trail, ["c, as it is"]);
        let differ = (2..102).filter(|index| {
            let source = make(*index).programs.remove(0).source;
            corpus.entries.iter().all(|it| it.text != source)
        });
        let differ = differ.count();
        assert!(differ >= 90, "{differ} of 100");
    }

    #[test]
    fn a_ticket_gives_the_same_program_for_every_mix() {
        for mix in MIXES {
            let (one, other) = (Mutate::new(corpus(), *mix), Mutate::new(corpus(), *mix));
            for index in 0..30 {
                let ticket = one.ticket(7, index);
                assert_eq!(one.make(&ticket), other.make(&ticket), "{ticket}");
            }
        }
    }

    /// Fails when the output changes: then the revision must increase.
    #[test]
    fn tickets_give_the_programs_of_their_revision() {
        let digest = |mix: Mix| {
            let method = Mutate::new(corpus(), mix);
            let sources = (0..200).filter_map(|index| method.make(&method.ticket(1, index)));
            let sources: Vec<String> = sources.map(|it| it.programs[0].source.clone()).collect();
            forge::Fingerprint::of(sources.iter().map(|it| it.as_bytes())).to_string()[..8]
                .to_owned()
        };
        let digests: Vec<String> = MIXES.iter().map(|mix| digest(*mix)).collect();
        assert_eq!(Mutate::new(corpus(), MIXES[0]).revision(), 1);
        assert_eq!(digests, ["7fa77260", "68bc54ed", "1ce06e28", "66327a57", "f8e9f610"]);
    }

    #[test]
    fn a_method_without_its_corpus_knows_its_language() {
        for mix in MIXES {
            let method = Mutate::new(corpus(), *mix);
            let again = Mutate::without_corpus(method.name()).unwrap();
            assert_eq!((again.name(), again.language()), (method.name(), method.language()));
            assert_eq!(again.mix, *mix);
            assert_eq!(again.make(&again.ticket(1, 0)), None);
        }
        assert!(Mutate::without_corpus("mutate").is_none());
        assert!(Mutate::without_corpus("smoke-c").is_none());
    }

    #[test]
    fn a_trail_shows_what_changed() {
        assert_eq!(difference("a = 1;", "a = 27;"), "`27`");
        assert_eq!(difference("a = 1; b", "a = b"), "deleted");
        assert_eq!(difference("(x)", "(ä\n b)"), "`ä b`");
    }
}
