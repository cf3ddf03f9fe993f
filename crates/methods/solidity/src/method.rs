//! The method: from a ticket to a case.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use forge::{
    Behaviour, Candidates, Case, Entropy, Input, Interface, Language, LiveModel, Method, Model,
    Origin, Program, Promise, Ticket,
};
use serde::{Deserialize, Serialize};

use crate::interpret::{Hex, Order, Planted, Transaction, run, run_planted};
use crate::model::{Template, Version};
use crate::sealed::{self, Unsealed};
use crate::template::{Enumeration, Space, mix, spread};
use crate::view::View;
use crate::{generate, identities, inputs, print, shrink};

/// How many tickets one template gets.
const SOLUTIONS: u64 = 8;

/// How many sequences of transactions a case has.
const SEQUENCES: u64 = 2;

/// One in so many programs has expressions that proven identities rewrote.
const REWRITTEN: u64 = 3;

/// How often a case is made again whose behaviour depends on the order of evaluation.
const ROUNDS: u64 = 40;

/// The contract that transactions go to is the last one.
pub(crate) fn under_test(template: &Template) -> u8 {
    template.contracts.len().saturating_sub(1) as u8
}

/// What a case is made of: a template, a solution, and sequences of transactions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub(crate) template: Arc<Template>,
    pub(crate) space: Arc<Space>,
    pub(crate) solution: Vec<u8>,
    /// Decides the values of literals.
    pub(crate) salt: u64,
    pub(crate) sequences: Vec<Vec<Transaction>>,
    /// The number of solutions of the template, and which one this is.
    #[serde(with = "crate::wide")]
    pub(crate) total: u128,
    #[serde(with = "crate::wide")]
    pub(crate) number: u128,
    /// The identities that rewrote expressions, as text.
    pub(crate) identities: Vec<String>,
}

impl LiveModel for Recipe {
    fn stored(&self) -> Option<serde_json::Value> {
        sealed::seal(self)
    }
}

impl Recipe {
    /// What every sequence shows; `None` if it is not known or depends on the order of evaluation.
    pub(crate) fn behaviours(&self) -> Option<Vec<Behaviour>> {
        if !self.space.admits(&self.solution) {
            return None;
        }
        let view = View::new(&self.template, &self.solution, self.salt);
        let contract = under_test(&self.template);
        let entries = view.entries(contract);
        let behaviour = |sequence: &Vec<Transaction>| {
            let (text, matters) = run(&view, contract, &entries, sequence, Order::LeftFirst)?;
            if matters && run(&view, contract, &entries, sequence, Order::RightFirst)?.0 != text {
                return None;
            }
            Some(Behaviour::Value(text))
        };
        self.sequences.iter().map(behaviour).collect()
    }

    fn inputs(&self) -> Vec<Input> {
        let contract = format!("C{}", under_test(&self.template));
        let line = |(index, it): (usize, &Transaction)| {
            let sender =
                if it.sender == 0 { String::new() } else { format!(" from={}", it.sender) };
            let (value, data) = (it.value, Hex(&it.data));
            match index {
                0 => format!("create {contract}{sender} value={value} data=0x{data}"),
                _ => format!("call{sender} value={value} data=0x{data}"),
            }
        };
        let input = |sequence: &Vec<Transaction>| Input {
            entry: Some(contract.clone()),
            arguments: sequence.iter().enumerate().map(line).collect(),
            stdin: String::new(),
        };
        self.sequences.iter().map(input).collect()
    }
}

struct Source {
    template: Arc<Template>,
    space: Arc<Space>,
    enumeration: Enumeration,
}

/// What the cases of a method promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// What the programs do.
    Behaviour,
    /// Only that the compiler survives: it is asked for more than code, such as proofs of assertions.
    Survival,
    /// That the answers of an analyser do not contradict each other.
    Analysis,
}

/// Seed, number and round of a template, and the template.
type Recent = (u64, u64, u64, Arc<Source>);

/// Stateful contracts of one version of the language.
pub struct Solidity {
    name: String,
    version: Version,
    purpose: Purpose,
    /// Templates of the last tickets: neighbours share one.
    recent: Mutex<Vec<Recent>>,
}

impl std::fmt::Debug for Solidity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Solidity").field("version", &self.version).finish_non_exhaustive()
    }
}

impl Solidity {
    /// Programs with known behaviour.
    pub fn new(version: Version) -> Self {
        Self::of(version, Purpose::Behaviour)
    }

    /// The same programs for the SMT checker, whose warnings nobody can predict: it must not crash.
    pub fn for_smt(version: Version) -> Self {
        Self::of(version, Purpose::Survival)
    }

    /// The same programs for analysers.
    pub fn for_analysis(version: Version) -> Self {
        Self::of(version, Purpose::Analysis)
    }

    fn of(version: Version, purpose: Purpose) -> Self {
        let name = version.method(match purpose {
            Purpose::Behaviour => "",
            Purpose::Survival => "-smt",
            Purpose::Analysis => "-analysis",
        });
        Self { name, version, purpose, recent: Mutex::new(vec![]) }
    }

    fn source(&self, seed: u64, number: u64, round: u64) -> Arc<Source> {
        if let Ok(recent) = self.recent.lock()
            && let Some(it) = recent.iter().find(|it| (it.0, it.1, it.2) == (seed, number, round))
        {
            return it.3.clone();
        }
        let key = Ticket::new(format!("{} template {round}", self.name()), seed, number);
        let mut entropy = Entropy::of(&key);
        let (template, mut space) =
            generate::template(&mut entropy, self.version, self.purpose == Purpose::Survival);
        let enumeration = Enumeration::of(&mut space, || entropy.word());
        let (template, space) = (Arc::new(template), Arc::new(space));
        let source = Arc::new(Source { template, space, enumeration });
        if let Ok(mut recent) = self.recent.lock() {
            if recent.len() >= 8 {
                recent.remove(0);
            }
            recent.push((seed, number, round, source.clone()));
        }
        source
    }

    /// The program of a ticket, and whether its behaviour is known.
    pub(crate) fn recipe(
        &self,
        ticket: &Ticket,
        simulate: bool,
    ) -> (Recipe, Option<Vec<Behaviour>>) {
        let (recipe, _, behaviours) = self.drawn(ticket, simulate);
        (recipe, behaviours)
    }

    /// The same, and where it was drawn from.
    fn drawn(
        &self,
        ticket: &Ticket,
        simulate: bool,
    ) -> (Recipe, Arc<Source>, Option<Vec<Behaviour>>) {
        let (number, mut index) = (ticket.index / SOLUTIONS, u128::from(ticket.index % SOLUTIONS));
        let mut round = 0;
        loop {
            let source = self.source(ticket.seed, number, round);
            let total = source.enumeration.total();
            if index >= total && round < ROUNDS {
                // The whole space was visited: go on with another template.
                index -= total;
                round += 1;
                continue;
            }
            let chosen = spread(index % total, total, mix(ticket.seed ^ mix(number)));
            let solution = source.enumeration.solution(chosen);
            let salt = mix(ticket.seed ^ mix(ticket.index ^ (round << 56)));
            let mut recipe = Recipe {
                template: source.template.clone(),
                space: source.space.clone(),
                solution,
                salt,
                sequences: vec![],
                total,
                number: chosen,
                identities: vec![],
            };
            let mut entropy = Entropy::keyed(salt);
            let view = View::new(&recipe.template, &recipe.solution, recipe.salt);
            let contract = under_test(&recipe.template);
            let entries = view.entries(contract);
            let sequences = (0..SEQUENCES)
                .map(|_| inputs::sequence(&view, contract, &entries, &mut entropy))
                .collect();
            recipe.sequences = sequences;
            let mut entropy = Entropy::keyed(!salt);
            let rewrites = entropy.chance(1, REWRITTEN);
            let mut rewritten = || match rewrites {
                true => identities::rewritten(&recipe, &mut entropy),
                false => None,
            };
            if !simulate {
                let recipe = rewritten().unwrap_or(recipe);
                return (recipe, source, None);
            }
            let behaviours = recipe.behaviours();
            if behaviours.is_none() && round < ROUNDS {
                round += 1;
                continue;
            }
            // The interpreter judges the rewritten program on its own; a test demands that both behave alike.
            let known = rewritten().and_then(|it| Some((it.behaviours()?, it)));
            return match known {
                Some((behaviours, rewritten)) => (rewritten, source, Some(behaviours)),
                None => (recipe, source, behaviours),
            };
        }
    }

    /// The source of a ticket without its behaviour, for measurements.
    pub fn printed(&self, ticket: &Ticket) -> String {
        let (recipe, _) = self.recipe(ticket, false);
        print::print(&View::new(&recipe.template, &recipe.solution, recipe.salt))
    }

    /// Whether the behaviour of a ticket differs if the compiler makes a mistake.
    pub fn shows(&self, ticket: &Ticket, planted: Planted) -> bool {
        let (recipe, behaviours) = self.recipe(ticket, true);
        let Some(behaviours) = behaviours else { return false };
        let view = View::new(&recipe.template, &recipe.solution, recipe.salt);
        let contract = under_test(&recipe.template);
        let entries = view.entries(contract);
        recipe.sequences.iter().zip(behaviours).any(|(sequence, expected)| {
            let order = Order::LeftFirst;
            let seen = run_planted(&view, contract, &entries, sequence, order, Some(planted));
            seen.is_some_and(|(text, _)| Behaviour::Value(text) != expected)
        })
    }

    pub(crate) fn case(
        &self,
        origin: Origin,
        recipe: Recipe,
        behaviours: Option<Vec<Behaviour>>,
    ) -> Case {
        let view = View::new(&recipe.template, &recipe.solution, recipe.salt);
        let program = Program {
            name: "base".to_owned(),
            language: self.language(),
            interface: self.interface(),
            source: print::print(&view),
        };
        let (promise, inputs) = match self.purpose {
            Purpose::Behaviour => {
                (behaviours.map_or(Promise::Compiles, Promise::Yields), recipe.inputs())
            }
            Purpose::Survival => (Promise::Survives, vec![]),
            Purpose::Analysis => (Promise::Consistent, vec![]),
        };
        let solution = format!("solution {} of {} of its template", recipe.number, recipe.total);
        let rewrites = recipe.identities.iter().map(|it| format!("rewritten by {it}"));
        let trail = std::iter::once(solution).chain(rewrites).collect();
        Case { origin, programs: vec![program], inputs, promise, trail, model: Model::live(recipe) }
    }

    fn model(case: &Case) -> Result<Cow<'_, Recipe>, Unsealed> {
        match case.model.as_live() {
            Some(recipe) => Ok(Cow::Borrowed(recipe)),
            None => sealed::open(case.model.value().ok_or(Unsealed::Foreign)?).map(Cow::Owned),
        }
    }
}

impl Method for Solidity {
    fn name(&self) -> &str {
        &self.name
    }

    fn revision(&self) -> u32 {
        4
    }

    fn summary(&self) -> &str {
        match self.purpose {
            Purpose::Behaviour => "contracts with state from enumerated templates, behaviour known",
            Purpose::Survival => "the same contracts, for solc's SMT checker",
            Purpose::Analysis => "the same contracts, for analysers",
        }
    }

    fn language(&self) -> Language {
        Language::new(self.version.language())
    }

    fn interface(&self) -> Interface {
        match self.purpose {
            Purpose::Behaviour | Purpose::Survival => Interface::Contract,
            Purpose::Analysis => Interface::Module,
        }
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let (mut recipe, behaviours) = self.recipe(ticket, self.purpose == Purpose::Behaviour);
        if self.purpose != Purpose::Behaviour {
            recipe.sequences.clear();
        }
        Some(self.case(ticket.clone().into(), recipe, behaviours))
    }

    fn template(&self, ticket: &Ticket, solution: Option<u128>) -> Option<String> {
        let (recipe, source, _) = self.drawn(ticket, self.purpose == Purpose::Behaviour);
        let Some(number) = solution else {
            let view = View::new(&recipe.template, &recipe.solution, recipe.salt);
            let (total, number) = (recipe.total, recipe.number);
            let head = format!("// {total} solutions; {ticket} is number {number}");
            return Some(format!("{head}\n{}", print::print_template(&view)));
        };
        let solution = (number < recipe.total).then(|| source.enumeration.solution(number))?;
        Some(print::print(&View::new(&recipe.template, &solution, recipe.salt)))
    }

    fn objection(&self, case: &Case) -> Option<String> {
        let recipe = match Self::model(case) {
            Ok(recipe) => recipe,
            Err(unsealed) => return Some(unsealed.text().to_owned()),
        };
        let source = print::print(&View::new(&recipe.template, &recipe.solution, recipe.salt));
        let is_its = case.programs.iter().all(|program| program.source == source);
        (!is_its).then(|| "its program is not the one of its model".to_owned())
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let Ok(recipe) = Self::model(case) else { return Box::new(std::iter::empty()) };
        let expects = matches!(case.promise, Promise::Yields(_));
        let candidates = shrink::candidates(recipe.into_owned());
        Box::new(candidates.map(move |recipe| {
            let behaviours = recipe.behaviours();
            let valid = !expects || behaviours.is_some();
            valid.then(|| self.case(case.origin.clone(), recipe, behaviours))
        }))
    }
}
