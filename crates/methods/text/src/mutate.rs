//! The method: a ticket determines a program of the corpus and a few edits. Some tickets are the programs as they are: the
//! first ones, then every other one until all were used, so that mutants are reached early with slow compilers, too. A
//! case can be derived from any other in the same way.

use std::sync::Arc;

use forge::{
    Candidates, Case, Entropy, Fingerprint, Input, Interface, Language, Lineage, Method, Model,
    Origin, Program, Promise, Ticket,
};

use crate::corpus::Corpus;
use crate::cut;
use crate::edit::{Edit, Edits};
use crate::mix::{MIXES, Mix};
use crate::operator::{Operator, Scene};

/// What a name of a method begins with.
pub const MUTATE: &str = "mutate";

/// Programs do not grow beyond this, in bytes.
pub const MOST_BYTES: usize = 16 << 10;

/// How often an operator that does not apply is tried again.
const TRIES: u32 = 4;

/// How much of a changed place a trail shows.
const SHOWN: usize = 60;

/// The number of steps in a trail. Of a longer one, the first and the last are kept.
const STEPS: usize = 17;

/// This many tickets are programs as they are. After them, every other ticket is.
const SEEDS: u64 = 64;

/// Mutations of the programs of a corpus.
#[derive(Debug)]
pub struct Mutate {
    name: String,
    language: Language,
    mix: Mix,
    /// Without it cases can be reduced, but not made.
    corpus: Option<Arc<Corpus>>,
    /// The programs in the order of their tickets, which mixes the folders of a corpus.
    order: Vec<usize>,
}

impl Mutate {
    pub fn new(corpus: Arc<Corpus>, mix: Mix) -> Self {
        let language = corpus.language.clone();
        let stem = [MUTATE, mix.name].into_iter().filter(|it| !it.is_empty());
        let stem = stem.collect::<Vec<_>>().join("-");
        let name = format!("{stem}-{language}-{}", corpus.digest);
        let mut order: Vec<usize> = (0..corpus.entries.len()).collect();
        order.sort_by_cached_key(|at| Fingerprint::of([corpus.entries[*at].text.as_bytes()]));
        Self { name, language, mix, corpus: Some(corpus), order }
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
        let (name, language) = (name.to_owned(), Language::new(language));
        Some(Self { name, language, mix, corpus: None, order: vec![] })
    }

    fn case(&self, origin: Origin, draft: Draft) -> Case {
        let Draft { text, mut trail, edits } = draft;
        if trail.len() > STEPS {
            trail.drain(1..trail.len() - STEPS + 1);
        }
        Case {
            origin,
            programs: vec![Program {
                name: "base".to_owned(),
                language: self.language.clone(),
                interface: Interface::Text,
                source: text,
            }],
            inputs: vec![Input::default()],
            promise: Promise::Survives,
            trail,
            model: Model::live(edits),
        }
    }

    /// Which program is the one of this ticket, as it is.
    fn seed(&self, index: u64) -> Option<usize> {
        let at = match index.checked_sub(SEEDS) {
            None => index,
            Some(later) if later % 2 == 0 => SEEDS + later / 2,
            Some(_) => return None,
        };
        self.order.get(usize::try_from(at).ok()?).copied()
    }

    /// The index of the ticket that is this program as it is.
    fn ticket_of(&self, entry: usize) -> Option<u64> {
        let at = self.order.iter().position(|it| *it == entry)? as u64;
        Some(at.checked_sub(SEEDS).map_or(at, |later| SEEDS + 2 * later))
    }

    /// The case of a program of the corpus, by its place in the corpus.
    pub fn as_it_is(&self, entry: usize) -> Option<Case> {
        let at = self.ticket_of(entry)?;
        self.make(&self.ticket(0, at))
    }

    fn unchanged(&self, corpus: &Corpus, entry: usize) -> Draft {
        let seed = self.ticket_of(entry);
        let entry = &corpus.entries[entry];
        let trail = vec![entry.name.clone()];
        Draft { text: entry.text.clone(), trail, edits: Edits::of_seed(seed) }
    }

    /// Applies some operators, as far as they apply.
    fn edited(
        &self,
        corpus: &Corpus,
        mut draft: Draft,
        operators: &[Operator],
        entropy: &mut Entropy,
    ) -> Draft {
        for operator in operators {
            let changed = (0..TRIES).find_map(|_| {
                let changed = operator.apply(&Scene::new(corpus, &draft.text), entropy)?;
                (changed.len() <= MOST_BYTES).then_some(changed)
            });
            if let Some(changed) = changed {
                let edit = Edit::between(operator.name(), &draft.text, &changed);
                draft.trail.push(format!("{}: {}", operator.name(), shown(edit.inserted())));
                draft.edits.push(edit);
                draft.text = changed;
            }
        }
        draft
    }
}

/// A program on its way.
struct Draft {
    text: String,
    trail: Vec<String>,
    edits: Edits,
}

/// The edits of a case.
fn edits(case: &Case) -> Edits {
    let stored = || serde_json::from_value(case.model.value()?).ok();
    case.model.as_live::<Edits>().cloned().or_else(stored).unwrap_or_default()
}

/// A changed place, on one line.
fn shown(changed: &str) -> String {
    let changed = changed.split_whitespace().collect::<Vec<_>>().join(" ");
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
        2
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
        if let Some(entry) = self.seed(ticket.index) {
            let mut draft = self.unchanged(corpus, entry);
            draft.trail[0].push_str(", as it is");
            return Some(self.case(ticket.clone().into(), draft));
        }
        let entropy = &mut Entropy::of(ticket);
        let draft = self.unchanged(corpus, entropy.below(corpus.entries.len() as u64) as usize);
        let operators = self.mix.draw(entropy);
        let draft = self.edited(corpus, draft, &operators, entropy);
        Some(self.case(ticket.clone().into(), draft))
    }

    fn derive(&self, parents: &[&Case], entropy: &mut Entropy) -> Option<Case> {
        let (corpus, parent) = (self.corpus.as_ref()?, parents.first()?);
        let draft = Draft {
            text: parent.programs.first()?.source.clone(),
            trail: parent.trail.clone(),
            edits: edits(parent),
        };
        let mut operators = self.mix.draw(entropy);
        // A template does not depend on the parent.
        operators.retain(|it| *it != Operator::Template);
        let before = draft.trail.len();
        let draft = self.edited(corpus, draft, &operators, entropy);
        (draft.trail.len() > before).then(|| self.case(parent.origin.clone(), draft))
    }

    fn lineage(&self, case: &Case) -> Option<Lineage> {
        let edits = edits(case);
        let operators = edits.edits.into_iter().map(|it| it.operator).collect();
        Some(Lineage { seed: edits.seed, operators })
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let edits = edits(case);
        // Positions of edits mean nothing after a cut.
        let cut = cut::cases(case, Model::live(Edits::of_seed(edits.seed)));
        let Some(program) = case.programs.first() else { return cut };
        let undone: Vec<(String, Edits)> = edits.undone(&program.source).collect();
        let undone = undone.into_iter().map(|(source, left)| {
            let mut smaller = Case { model: Model::live(left), ..case.clone() };
            smaller.programs.iter_mut().take(1).for_each(|it| it.source.clone_from(&source));
            Some(smaller)
        });
        Box::new(undone.chain(cut))
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
        let seeds: Vec<Case> = (0..2).map(make).collect();
        let mut texts: Vec<&str> = seeds.iter().map(|it| it.programs[0].source.as_str()).collect();
        texts.sort_unstable();
        assert_eq!(texts, corpus.entries.iter().map(|it| it.text.as_str()).collect::<Vec<_>>());
        assert!(seeds.iter().all(|it| it.trail.len() == 1 && it.trail[0].ends_with(", as it is")));
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
        assert_eq!(Mutate::new(corpus(), MIXES[0]).revision(), 2);
        assert_eq!(digests, ["dc11479f", "94dd745b", "9ccd682c", "50b7686c", "c55878d6"]);
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
        let changed = |old, new| shown(Edit::between("", old, new).inserted());
        assert_eq!(changed("a = 1;", "a = 27;"), "`27`");
        assert_eq!(changed("a = 1; b", "a = b"), "deleted");
        assert_eq!(changed("(x)", "(ä\n b)"), "`ä b`");
    }

    /// A corpus of this many programs.
    fn many(count: usize) -> Mutate {
        let entry = |at: usize| Entry {
            name: format!("{at}.c"),
            text: format!("int f{at}(int a) {{ return g(a + {at}); }}"),
        };
        let entries = (0..count).map(entry).collect();
        Mutate::new(Arc::new(Corpus::new(Language::new("c"), entries).unwrap()), MIXES[0])
    }

    #[test]
    fn programs_alternate_with_mutants_until_each_was_used_once() {
        let method = many(100);
        let make = |index| method.make(&method.ticket(1, index)).unwrap();
        let is_seed = |index: &u64| method.lineage(&make(*index)).unwrap().seed == Some(*index);
        let seeds: Vec<u64> = (0..200).filter(is_seed).collect();
        let after = (64..136).step_by(2);
        assert_eq!(seeds, (0..64).chain(after).collect::<Vec<_>>());
        let programs: std::collections::BTreeSet<String> =
            seeds.iter().map(|it| make(*it).programs[0].source.clone()).collect();
        assert_eq!(programs.len(), 100);
        for index in [0, 65, 70, 199] {
            let seed = method.lineage(&make(index)).unwrap().seed.unwrap();
            assert!(method.seed(seed).is_some(), "{index}: {seed}");
            assert!(!is_seed(&index) || seed == index);
        }
    }

    #[test]
    fn a_derived_case_continues_its_parent_and_can_be_reduced_to_it() {
        let method = many(3);
        let parent = method.make(&method.ticket(1, 70)).unwrap();
        let derive = |key| method.derive(&[&parent], &mut Entropy::keyed(key)).unwrap();
        let child = derive(5);
        assert_eq!(child, derive(5));
        let of = |case: &Case| method.lineage(case).unwrap();
        assert_eq!(of(&child).seed, of(&parent).seed);
        assert!(of(&child).operators.starts_with(&of(&parent).operators));
        assert!(child.trail.starts_with(&parent.trail));
        // The same from JSON.
        let stored: Case = serde_json::from_str(&serde_json::to_string(&child).unwrap()).unwrap();
        assert_eq!(of(&stored), of(&child));
        let seed = &method.make(&method.ticket(1, of(&child).seed.unwrap())).unwrap().programs[0];
        let first = method.smaller(&stored).flatten().next().unwrap();
        assert_eq!(first.programs[0].source, seed.source);
        assert!(of(&first).is_seed());
    }
}
