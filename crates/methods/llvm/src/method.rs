//! The method: a ticket determines its block (tests, machine, pipeline), a destination, what is crossed with it
//! and how it is mutated.

use std::sync::Arc;

use forge::{
    Candidates, Case, Entropy, Input, Interface, Language, LiveModel, Method, Model, Origin,
    Program, Promise, Ticket,
};
use serde_json::Value;

use crate::block::{Block, TICKETS};
use crate::corpus::Corpus;
use crate::draft::Draft;
use crate::ir::Module;
use crate::{pipeline, shrink};

/// How often a ticket tries to change a function.
const ATTEMPTS: u32 = 6;

/// The most bytes of a module.
const MOST_BYTES: usize = 30_000;

/// What coroutines call. Passes expect them in a certain state, which no verifier checks: they are left to the tests as
/// they are.
const COROUTINES: &str = "@llvm.coro.";

/// How often a step is tried again, with other choices.
const TRIES: u32 = 3;

/// Crossovers and mutations of the tests of a corpus.
#[derive(Debug)]
pub struct Crossover {
    name: String,
    /// Without it cases can be reduced, but not made.
    corpus: Option<Arc<Corpus>>,
    /// Whether the tests are used as they are, one a ticket.
    plain: bool,
}

/// What a name of a method of this crate begins with.
pub const CROSSOVER: &str = "crossover";
pub const SEEDS: &str = "llvm-tests";

impl Crossover {
    pub fn new(corpus: Arc<Corpus>) -> Self {
        let name = format!("{CROSSOVER}-{}-{}", corpus.version, corpus.digest);
        Self { name, corpus: Some(corpus), plain: false }
    }

    /// The tests of the corpus as they are.
    pub fn plain(corpus: Arc<Corpus>) -> Self {
        let name = format!("{SEEDS}-{}-{}", corpus.version, corpus.digest);
        Self { name, corpus: Some(corpus), plain: true }
    }

    /// The method of a case whose corpus is not at hand: it only reduces.
    pub fn without_corpus(name: &str) -> Option<Self> {
        let plain = name.starts_with(SEEDS);
        (plain || name.starts_with(CROSSOVER)).then(|| Self {
            name: name.to_owned(),
            corpus: None,
            plain,
        })
    }

    fn case(&self, origin: Origin, module: &Module, passes: &str, trail: Vec<String>) -> Case {
        case(origin, &(pipeline::line(passes) + &module.text()), trail)
    }

    fn seed(&self, corpus: &Corpus, ticket: &Ticket) -> Option<Case> {
        let seed = usize::try_from(ticket.index).ok().filter(|it| *it < corpus.seeds.len())?;
        let test = corpus.test(seed);
        let module = corpus.module(seed);
        let passes = test.passes.first().map_or("default<O2>", |passes| passes);
        let trail = vec![format!("@{} of {}", corpus.seeds[seed].name, test.path)];
        Some(self.case(ticket.clone().into(), module, passes, trail))
    }

    fn crossed(&self, corpus: &Corpus, ticket: &Ticket) -> Option<Case> {
        let number = ticket.index / TICKETS;
        let mut shared =
            Entropy::of(&Ticket::new(format!("{} block", self.name), ticket.seed, number));
        let block = Block::draw(corpus, &mut shared)?;
        let mut entropy = Entropy::of(ticket);
        for _ in 0..ATTEMPTS {
            let seed = block.seed(corpus, &mut entropy)?;
            let mut draft = Draft::new(corpus, &block, seed);
            change(&mut draft, &mut entropy);
            let Some((module, trail)) = draft.finish() else { continue };
            let source = pipeline::line(&block.passes) + &module.text();
            if source.len() <= MOST_BYTES && !source.contains(COROUTINES) {
                return Some(case(ticket.clone().into(), &source, trail));
            }
        }
        let seed = block.seed(corpus, &mut entropy)?;
        let (module, trail) = Draft::new(corpus, &block, seed).unchanged();
        Some(self.case(ticket.clone().into(), &module, &block.passes, trail))
    }
}

/// Crossovers and mutations, as many as a recipe says.
fn change(draft: &mut Draft<'_>, entropy: &mut Entropy) {
    let (inlined, mutations, sequenced) = match entropy.below(20) {
        0..=6 => (0, entropy.between(1, 5), 0),
        7..=11 => (1, entropy.between(0, 2), 0),
        12..=14 => (entropy.between(2, 3), entropy.between(0, 1), 0),
        15..=17 => (0, entropy.between(0, 2), 1),
        18 => (1, 0, 1),
        _ => (0, 0, 2),
    };
    // A step that is refused leaves the function as it was.
    let mut step = |take: &mut dyn FnMut(&mut Draft<'_>, &mut Entropy) -> bool| {
        (0..TRIES).any(|_| take(draft, entropy));
    };
    (0..inlined).for_each(|_| step(&mut |draft, entropy| draft.inline(entropy).is_ok()));
    (0..mutations).for_each(|_| step(&mut |draft, entropy| draft.mutate(entropy).is_ok()));
    (0..sequenced).for_each(|_| step(&mut |draft, entropy| draft.sequence(entropy).is_ok()));
}

/// A case of one module.
pub(crate) fn case(origin: Origin, source: &str, trail: Vec<String>) -> Case {
    Case {
        origin,
        programs: vec![Program {
            name: "base".to_owned(),
            language: Language::new("llvm"),
            interface: Interface::Module,
            source: source.to_owned(),
        }],
        inputs: vec![Input::default()],
        promise: Promise::Refines,
        trail,
        model: Model::live(Text),
    }
}

/// The text of the program is the model: it parses back to what was printed.
struct Text;

impl LiveModel for Text {
    fn stored(&self) -> Option<Value> {
        Some(Value::String("text".to_owned()))
    }
}

impl Method for Crossover {
    fn name(&self) -> &str {
        &self.name
    }

    fn revision(&self) -> u32 {
        7
    }

    fn summary(&self) -> &str {
        if self.plain {
            "LLVM's own tests as they are"
        } else {
            "crossovers and mutations of LLVM's own tests"
        }
    }

    fn language(&self) -> Language {
        Language::new("llvm")
    }

    fn interface(&self) -> Interface {
        Interface::Module
    }

    fn space(&self) -> Option<u64> {
        let corpus = self.corpus.as_ref().filter(|_| self.plain)?;
        Some(corpus.seeds.len() as u64)
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let corpus = self.corpus.as_deref()?;
        if self.plain { self.seed(corpus, ticket) } else { self.crossed(corpus, ticket) }
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        shrink::candidates(case)
    }
}
