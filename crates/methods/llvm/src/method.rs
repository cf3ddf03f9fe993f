//! The method: a ticket determines a family of tests, a destination, what is crossed with it and how it is
//! mutated, and the pipeline. Tickets of one block share a family, so that a batch needs few pipelines.

use std::collections::BTreeMap;
use std::sync::Arc;

use forge::{
    Candidates, Case, Entropy, Input, Interface, Language, LiveModel, Method, Model, Origin,
    Program, Promise, Ticket,
};
use serde_json::Value;

use crate::corpus::Corpus;
use crate::crossover::{inline, sequence};
use crate::ir::Module;
use crate::mutate::{Subject, mutate};
use crate::{pipeline, shrink};

/// So many tickets share a family.
const BLOCK: u64 = 100;

/// How often a ticket tries to make a valid function.
const ATTEMPTS: u32 = 6;

/// The most bytes of a module.
const MOST_BYTES: usize = 30_000;

/// Crossovers and mutations of the tests of a corpus.
#[derive(Debug)]
pub struct Crossover {
    name: String,
    /// Without it cases can be reduced, but not made.
    corpus: Option<Arc<Corpus>>,
    /// Whether the tests are used as they are, one a ticket.
    plain: bool,
}

/// What names became in a merged module.
type Names = BTreeMap<Arc<str>, Arc<str>>;

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
        Some(self.case(ticket.clone().into(), &module, passes, trail))
    }

    fn crossed(&self, corpus: &Corpus, ticket: &Ticket) -> Option<Case> {
        let block = ticket.index / BLOCK;
        let mut shared =
            Entropy::of(&Ticket::new(format!("{} block", self.name), ticket.seed, block));
        // Families are drawn by the number of their tests, so that every test has the same chance.
        let at = shared.below(corpus.seeds.len() as u64) as usize;
        let family = corpus.families.iter().find(|family| family.seeds.contains(&at))?;
        let mut entropy = Entropy::of(ticket);
        for _ in 0..ATTEMPTS {
            let draft = Draft::new(corpus, *entropy.pick(&family.seeds)?);
            if let Some((module, trail)) = draft.cross(&family.seeds, &mut entropy) {
                let passes = passes(corpus, draft.seed, &mut entropy);
                return Some(self.case(ticket.clone().into(), &module, &passes, trail));
            }
        }
        let seed = *entropy.pick(&family.seeds)?;
        let passes = passes(corpus, seed, &mut entropy);
        let trail = vec![format!("@{} of {}", corpus.seeds[seed].name, corpus.test(seed).path)];
        Some(self.case(ticket.clone().into(), &corpus.module(seed), &passes, trail))
    }
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

/// Passes over functions, which can stand side by side in a pipeline.
const FUNCTION_PASSES: &[&str] = &[
    "adce",
    "aggressive-instcombine",
    "bdce",
    "constraint-elimination",
    "correlated-propagation",
    "dce",
    "div-rem-pairs",
    "dse",
    "early-cse",
    "float2int",
    "gvn",
    "instcombine",
    "instsimplify",
    "jump-threading",
    "mem2reg",
    "memcpyopt",
    "mergeicmps",
    "nary-reassociate",
    "newgvn",
    "reassociate",
    "sccp",
    "simplifycfg",
    "sink",
    "slp-vectorizer",
    "sroa",
    "tailcallelim",
    "vector-combine",
];

/// The passes of the destination's test; now and then with others around them.
fn passes(corpus: &Corpus, seed: usize, entropy: &mut Entropy) -> String {
    let own = entropy.pick(&corpus.test(seed).passes).cloned();
    let own = own.unwrap_or_else(|| "default<O2>".into());
    let joins = own.starts_with("function(")
        || pipeline::split(&own).iter().all(|pass| {
            let name = pass.split('<').next().unwrap_or(pass);
            FUNCTION_PASSES.contains(&name)
        });
    if !joins {
        return own.to_string();
    }
    let (before, after) = match entropy.below(10) {
        0..=6 => (0, 0),
        7 => (0, 1),
        8 => (1, 1),
        _ => (2, 2),
    };
    let mut other = || entropy.pick(FUNCTION_PASSES).copied();
    let mut all: Vec<&str> = (0..before).filter_map(|_| other()).collect();
    all.push(&own);
    all.extend((0..after).filter_map(|_| other()));
    all.join(",")
}

/// A function that is being changed.
struct Draft<'a> {
    corpus: &'a Corpus,
    seed: usize,
    name: Arc<str>,
}

impl<'a> Draft<'a> {
    fn new(corpus: &'a Corpus, seed: usize) -> Self {
        Self { corpus, seed, name: Arc::clone(&corpus.seeds[seed].name) }
    }

    /// Crossovers, then mutations. None if the result is not valid, or the same as before.
    fn cross(&self, family: &[usize], entropy: &mut Entropy) -> Option<(Module, Vec<String>)> {
        let mut module = self.corpus.module(self.seed);
        let before = module.text();
        let mut name = Arc::clone(&self.name);
        let mut trail = vec![format!("@{name} of {}", self.corpus.test(self.seed).path)];
        let (inlined, sequenced, mutations) = match entropy.below(20) {
            0..=6 => (0, 0, entropy.between(1, 5)),
            7..=12 => (1, 0, entropy.between(0, 2)),
            13..=15 => (2, 0, entropy.between(0, 1)),
            16..=18 => (0, 1, entropy.between(0, 2)),
            _ => (1, 1, 0),
        };
        for _ in 0..inlined {
            self.inline(&mut module, &mut name, family, entropy, &mut trail);
        }
        for _ in 0..mutations {
            let function = module.function(&name)?.clone();
            let mut subject =
                Subject { module: &mut module, function, version: self.corpus.version };
            if let Some(mutation) = mutate(&mut subject, entropy) {
                let function = subject.function;
                let mut changed = module.clone();
                *changed.function_mut(&name)? = function;
                if changed.verify().is_ok() {
                    module = changed;
                    trail.push(mutation.to_owned());
                }
            }
        }
        for _ in 0..sequenced {
            if let Some(caller) = self.sequence(&mut module, &name, family, entropy, &mut trail) {
                name = caller;
            }
        }
        let module = module.extract(&[&*name]);
        let text = module.text();
        (text != before && text.len() <= MOST_BYTES && module.verify().is_ok())
            .then_some((module, trail))
    }

    /// The module with a donor: the names of the destination and of the donor in it. Donors are of the
    /// family, or any; now and then a function is its own donor.
    fn with_donor(
        &self,
        module: &Module,
        destination: &Arc<str>,
        wanted: Option<usize>,
        family: &[usize],
        entropy: &mut Entropy,
    ) -> Option<(Module, Arc<str>, Arc<str>)> {
        if entropy.chance(1, 8) {
            return Some((module.clone(), Arc::clone(destination), Arc::clone(destination)));
        }
        let any = entropy.below(self.corpus.seeds.len() as u64) as usize;
        let donor = match wanted {
            Some(wanted) => wanted,
            None if entropy.chance(1, 2) => *entropy.pick(family)?,
            None => any,
        };
        let mut other = self.corpus.module(donor);
        if other.functions.iter().map(|it| it.code().map_or(0, |it| it.blocks.len())).sum::<usize>()
            > 40
        {
            return None;
        }
        // The destination decides about the machine.
        other.triple.clone_from(&module.triple);
        other.data_layout.clone_from(&module.data_layout);
        let merged = Module::merge(&[module, &other]);
        let [first, second] = merged.parts.as_slice() else { return None };
        let called = |names: &Names, name: &Arc<str>| Arc::clone(names.get(name).unwrap_or(name));
        let destination = called(&first.names, destination);
        let donor = called(&second.names, &self.corpus.seeds[donor].name);
        Some((merged.module, destination, donor))
    }

    fn inline(
        &self,
        module: &mut Module,
        name: &mut Arc<str>,
        family: &[usize],
        entropy: &mut Entropy,
        trail: &mut Vec<String>,
    ) {
        // A donor that returns what some operand of the destination is.
        let types: Vec<_> = module
            .function(name)
            .and_then(|function| function.code())
            .into_iter()
            .flat_map(|code| code.instructions())
            .flat_map(|instruction| &instruction.operands)
            .map(|operand| &operand.ty)
            .collect();
        let fitting = entropy.pick(&types).and_then(|ty| self.corpus.by_result.get(ty));
        let wanted = fitting.filter(|_| entropy.chance(4, 5)).and_then(|it| entropy.pick(it));
        let wanted = wanted.copied();
        let joined = self.with_donor(module, name, wanted, family, entropy);
        let Some((mut joined, destination, donor)) = joined else { return };
        if let Some(step) = inline(&mut joined, &destination, &donor, entropy) {
            let joined = joined.extract(&[&*destination]);
            if joined.verify().is_ok() {
                *module = joined;
                *name = destination;
                trail.push(step);
            }
        }
    }

    fn sequence(
        &self,
        module: &mut Module,
        name: &Arc<str>,
        family: &[usize],
        entropy: &mut Entropy,
        trail: &mut Vec<String>,
    ) -> Option<Arc<str>> {
        let (mut joined, name, other) = self.with_donor(module, name, None, family, entropy)?;
        let caller: Arc<str> = "caller".into();
        let (first, second) = if entropy.chance(1, 2) { (&name, &other) } else { (&other, &name) };
        let strategy = sequence(&mut joined, &caller, first, second, entropy)?;
        joined.verify().ok()?;
        trail.push(format!("call @{first} and @{second}: {strategy:?}"));
        *module = joined;
        Some(caller)
    }
}

impl Method for Crossover {
    fn name(&self) -> &str {
        &self.name
    }

    fn revision(&self) -> u32 {
        1
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
