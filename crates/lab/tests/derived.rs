//! A hunt whose cases are derived from a corpus. The corpus keeps each case that reaches a new feature of the compiler, and
//! derives further cases from those. A planted bug is so deep that only such a chain of derivations reaches it.

#![expect(clippy::unwrap_used, reason = "this is all test code")]

mod hunting;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use forge::{
    Candidates, Case, Derivation, Entropy, Feedback, Input, Interface, Language, Method, Model,
    Observation, Origin, Outcome, Program, Promise, Ticket,
};
use lab::campaign::{Line, Report, Source, SourceProgress};
use lab::event::{Ended, Summary};
use lab::finding::Progress;
use lab::setting::Setting;
use lab::store::{Findings as _, SqliteStore, StoreError};
use lab::target::{
    Attempt, Batch, Bench, ByHand, Reads, Schedule, Seen, Spec, Target, TargetName, Unusable,
};
use serde_json::json;

const CASES: u64 = 3_000;
const LETTERS: [char; 8] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
/// The compiler crashes on words with this prefix: one in 8^6 random words of that length.
const BUG: &str = "dacbeg";

/// Generates words. A drawn word is random; a derived one is a prefix of its parent and one more letter.
struct Words;

impl Words {
    fn case(&self, origin: Origin, word: &str) -> Case {
        Case {
            origin,
            programs: vec![Program {
                name: "base".to_owned(),
                language: self.language(),
                interface: self.interface(),
                source: word.to_owned(),
            }],
            inputs: vec![Input::default()],
            promise: Promise::Survives,
            trail: vec![format!("{} letters", word.len())],
            model: Model::stored(json!({ "word": word })),
        }
    }

    /// The word of a case, from its model.
    fn word(case: &Case) -> String {
        case.model.value().unwrap()["word"].as_str().unwrap().to_owned()
    }
}

impl Method for Words {
    fn name(&self) -> &str {
        "words"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn summary(&self) -> &str {
        "words of a few letters"
    }

    fn language(&self) -> Language {
        Language::new("word")
    }

    fn interface(&self) -> Interface {
        Interface::Program
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let mut entropy = Entropy::of(ticket);
        let length = entropy.between(1, 8);
        let word: String = (0..length).filter_map(|_| entropy.pick(&LETTERS)).collect();
        Some(self.case(ticket.clone().into(), &word))
    }

    fn derive(&self, parents: &[&Case], entropy: &mut Entropy) -> Option<Case> {
        let [parent] = parents else { return None };
        let mut word = Self::word(parent);
        word.truncate(entropy.between(0, word.len() as u64) as usize);
        word.push(*entropy.pick(&LETTERS)?);
        Some(self.case(parent.origin.clone(), &word))
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let word = Self::word(case);
        Box::new((0..word.len()).map(move |at| {
            let mut shorter = word.clone();
            shorter.remove(at);
            Some(self.case(case.origin.clone(), &shorter))
        }))
    }
}

/// A compiler that compares a word with [`BUG`] letter by letter, and crashes if all match. Each comparison is a feature.
struct Maze {
    spec: Spec,
    measures: bool,
}

/// The compiler, with or without feedback.
fn maze(measures: bool) -> Arc<dyn Target> {
    let spec = Spec {
        name: TargetName::new("maze", None),
        reads: vec![Reads::new("word", Interface::Program, Batch::ALONE)],
        settings: vec![Setting::plain()],
        occasional: vec![],
        schedule: Schedule::All,
    };
    Arc::new(Maze { spec, measures })
}

impl Target for Maze {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, _bench: &Bench) -> Attempt {
        let see = |case: &&Case| {
            let letters = case.programs[0].source.chars().zip(BUG.chars());
            let depth = letters.take_while(|(letter, wanted)| letter == wanted).count();
            let outcome = if depth == BUG.len() {
                let message = "internal compiler error: end of the maze".to_owned();
                Outcome::Crashed { signal: None, message, frames: vec![] }
            } else {
                Outcome::Accepted
            };
            let setting = setting.name.clone();
            let features = (0..=depth as u64).collect();
            Seen {
                observations: vec![Observation { program: 0, setting, input: None, outcome }],
                feedback: self.measures.then_some(Feedback { features }),
            }
        };
        Attempt::Each(cases.iter().map(see).collect())
    }

    fn by_hand(&self, program: &Program, _input: &Input, _setting: &Setting) -> ByHand {
        ByHand::Steps { compile: vec!["maze".to_owned(), program.file_name()], run: None }
    }

    fn probe(&self, _program: Option<&Program>, _bench: &Bench) -> Result<String, Unusable> {
        Ok("maze 1".to_owned())
    }
}

/// A source that derives each case from a case of its corpus.
struct Corpus(Mutex<State>);

struct State {
    kept: Vec<Case>,
    reached: BTreeSet<u64>,
    next: u64,
    /// Numbers that are handed out, and numbers that were handed back undone.
    in_flight: Vec<Range<u64>>,
    undone: Vec<Range<u64>>,
}

impl Corpus {
    /// The number of drawn cases in the initial corpus.
    const SEEDS: u64 = 3;
    /// The number of cases handed out at a time.
    const BLOCK: u64 = 8;

    fn new() -> Arc<Self> {
        let kept = (0..Self::SEEDS).filter_map(|index| Words.make(&Words.ticket(1, index)));
        Arc::new(Self(Mutex::new(State {
            kept: kept.collect(),
            reached: BTreeSet::new(),
            next: 0,
            in_flight: vec![],
            undone: vec![],
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn derive(state: &State, number: u64) -> Option<Case> {
        let choice = Entropy::of(&Ticket::new("corpus", 1, number)).word();
        let parent = &state.kept[choice as usize % state.kept.len()];
        let entropy = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let case = Words.derive(&[parent], &mut Entropy::keyed(entropy))?;
        let origin = Origin::Derived(Derivation {
            method: Words.name().to_owned(),
            revision: Words.revision(),
            number,
            entropy,
            parents: vec![parent.fingerprint()],
        });
        Some(Case { origin, ..case })
    }

    /// The case that a derivation was made from.
    fn parent(&self, derivation: &Derivation) -> Case {
        let [parent] = derivation.parents.as_slice() else { panic!("{derivation:?}") };
        self.state().kept.iter().find(|case| case.fingerprint() == *parent).unwrap().clone()
    }
}

impl Source for Corpus {
    fn next(&self) -> Option<Range<u64>> {
        let mut state = self.state();
        let range = match state.undone.pop() {
            Some(undone) => undone,
            None if state.next < CASES => {
                let range = state.next..CASES.min(state.next + Self::BLOCK);
                state.next = range.end;
                range
            }
            None => return None,
        };
        state.in_flight.push(range.clone());
        Some(range)
    }

    fn cases(&self, numbers: Range<u64>) -> Vec<Case> {
        let state = self.state();
        numbers.filter_map(|number| Self::derive(&state, number)).collect()
    }

    fn learn(&self, work: &Range<u64>, report: Report) -> Result<(), StoreError> {
        let mut state = self.state();
        for (case, feedback) in report.feedback {
            let known = state.reached.len();
            state.reached.extend(feedback.features);
            if state.reached.len() > known {
                state.kept.push(case);
            }
        }
        state.in_flight.retain(|other| other != work);
        if report.done < work.end {
            state.undone.push(report.done..work.end);
        }
        Ok(())
    }

    fn settled(&self, number: u64) -> bool {
        let state = self.state();
        state.in_flight.iter().chain(&state.undone).all(|range| range.start > number)
    }

    fn progress(&self) -> SourceProgress {
        let state = self.state();
        SourceProgress {
            done_before: 0,
            goal: Some(CASES),
            exhausted: state.next >= CASES && state.undone.is_empty(),
            space_exhausted: false,
            in_flight: !state.in_flight.is_empty(),
        }
    }
}

fn hunt_derived(
    corpus: &Arc<Corpus>,
    target: Arc<dyn Target>,
    folder: &tempfile::TempDir,
) -> Summary {
    let source = Arc::clone(corpus) as Arc<dyn Source>;
    let line =
        Line { method: Arc::new(Words), targets: vec![target], source: Some(source), grows: false };
    hunting::hunt(line, CASES, folder.path())
}

#[test]
fn feedback_leads_to_a_bug_and_the_finding_stores_the_derived_case() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = Corpus::new();
    let summary = hunt_derived(&corpus, maze(true), &folder);
    assert_eq!((summary.ended, summary.tally.cases), (Ended::Cases, CASES));
    let [finding] = summary.findings.as_slice() else { panic!("{:?}", summary.findings) };
    assert_eq!(finding.signature.detail, "internal compiler error: end of the maze");
    assert_eq!(finding.progress, Progress::Complete);
    assert_eq!(Words::word(&finding.best().case), BUG);

    // The same derivation from the same parent gives the same case.
    let Origin::Derived(derivation) = finding.origin() else { panic!("{}", finding.origin()) };
    assert_eq!((derivation.method.as_str(), derivation.revision), ("words", 1));
    let parent = corpus.parent(derivation);
    let again = Words.derive(&[&parent], &mut Entropy::keyed(derivation.entropy)).unwrap();
    let case = &finding.original.case;
    assert_eq!(Case { origin: case.origin.clone(), ..again }, *case);
    assert_eq!(finding.best().case.origin, case.origin);

    // It ends a chain of derivations, each of which matches one more letter.
    let (mut ancestor, mut generations) = (parent, 1);
    while let Origin::Derived(derivation) = ancestor.origin.clone() {
        ancestor = corpus.parent(&derivation);
        generations += 1;
    }
    assert!(generations >= BUG.len() - 1, "{generations} generations");

    // The store and the folder contain everything that a reduction needs.
    let store = SqliteStore::read(&hunting::out(folder.path())).unwrap();
    assert_eq!(store.finding(&finding.id).unwrap().original.case, *case);
    let stored: Case =
        serde_json::from_str(&hunting::file(folder.path(), finding, "case.json")).unwrap();
    assert_eq!(stored, *case);
    assert!(!stored.model.is_absent());
    assert!(Words.smaller(&stored).flatten().count() >= BUG.len());
}

#[test]
fn without_feedback_the_same_number_of_derived_cases_does_not_reach_the_bug() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = Corpus::new();
    let summary = hunt_derived(&corpus, maze(false), &folder);
    assert_eq!((summary.ended, summary.tally.cases), (Ended::Cases, CASES));
    assert_eq!(summary.findings, []);
    assert_eq!(corpus.state().kept.len() as u64, Corpus::SEEDS);
}

#[test]
fn the_same_number_of_drawn_cases_does_not_reach_the_bug() {
    let folder = tempfile::tempdir().unwrap();
    let line = Line::drawn(Arc::new(Words), vec![maze(true)]);
    let summary = hunting::hunt(line, CASES, folder.path());
    assert_eq!((summary.ended, summary.tally.cases), (Ended::Cases, CASES));
    assert_eq!(summary.findings, []);
}
