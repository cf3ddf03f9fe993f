//! A base and its mutant, which are equivalent because every rewrite between them is proven. This is the model of a case: it
//! is printed and shrunk.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::dialect::{Dialect, Style, TrapKinds};
use super::folding::{Folding, folded};
use super::inputs;
use super::no_wrap::no_wrap;
use super::nontrivial;
use super::places::{Place, Places};
use super::program::Body;
use super::run::{Arithmetic, Fate, run};
use super::writing::Writing;
use forge::{
    Behaviour, Case, Entropy, Input, Interface, Language, Model, Origin, Program, Promise,
};
use identity::apply::{Firing, Rulebook};
use identity::kernel::{Op, Semantics, TermId, Terms};

/// The most rules that are applied to one base.
const RULES: u64 = 12;

/// A rule that fired at a site of the body (see [`Body::sites`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fired {
    pub(super) site: usize,
    pub(super) firing: Firing,
}

#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) style: &'static Style,
    pub(super) traps: TrapKinds,
    pub(super) terms: Terms,
    pub(super) parameters: Vec<u16>,
    pub(super) base: Body,
    /// None if no rule fired, or if the rules were not needed to show a failure.
    pub(super) mutant: Option<Body>,
    pub(super) trail: Vec<Fired>,
    pub(super) places: Places,
    pub(super) folding: Folding,
    pub(super) inputs: Vec<Vec<BigInt>>,
}

impl Pair {
    /// Grows a base and a mutant.
    pub(super) fn grow(
        dialect: &Dialect,
        style: &'static Style,
        book: &Rulebook,
        entropy: &mut Entropy,
    ) -> Option<Self> {
        let semantics = Semantics::named(style.semantics)?;
        let grown = super::generate::base(style, entropy);
        let arithmetic = dialect.arithmetic(style)?;
        let mut pair = Self {
            style,
            traps: dialect.traps,
            terms: grown.terms,
            parameters: grown.parameters,
            base: grown.body,
            mutant: None,
            trail: vec![],
            places: Places::default(),
            folding: Folding::draw(entropy),
            inputs: vec![],
        };
        if pair.written(&pair.base) > dialect.limits.text {
            return None;
        }
        // Before the expensive steps. Some constant functions are kept, since compilers fold them.
        if nontrivial::is_constant(&pair.terms, &pair.base, &pair.parameters, arithmetic, entropy)
            && entropy.chance(7, 8)
        {
            return None;
        }
        pair.mutate(dialect, book, entropy);
        while pair.mutant.as_ref().is_some_and(|mutant| pair.written(mutant) > dialect.limits.text)
        {
            pair.trail.pop();
            pair.replay(book);
        }
        pair.places = Places::draw(&pair.terms, &pair.bodies(), semantics, entropy);
        let chosen = inputs::choose(
            &pair.terms,
            &pair.bodies(),
            &pair.parameters,
            arithmetic,
            dialect.limits.inputs,
            entropy,
        )?;
        pair.inputs = chosen.into_iter().map(|(row, _)| row).collect();
        Some(pair)
    }

    pub(super) fn bodies(&self) -> Vec<&Body> {
        std::iter::once(&self.base).chain(&self.mutant).collect()
    }

    /// How many operators the text of a body has. Languages without a maximum or a rotation write the operands twice, at each
    /// level again: the text of a small term can be exponentially large.
    fn written(&self, body: &Body) -> u64 {
        let sites = body.sites();
        let mut sizes: HashMap<TermId, u64> = HashMap::new();
        for term in self.terms.in_order(&sites) {
            let twice = matches!(
                self.terms.op(term),
                Op::Umin | Op::Umax | Op::Smin | Op::Smax | Op::Rotl | Op::Rotr
            );
            let parts =
                self.terms.args(term).iter().map(|arg| sizes.get(arg).copied().unwrap_or(1));
            let parts = parts.fold(0, u64::saturating_add);
            let size = if twice { parts.saturating_mul(2) } else { parts }.saturating_add(1);
            sizes.insert(term, size);
        }
        sites.iter().filter_map(|site| sizes.get(site)).copied().fold(0, u64::saturating_add)
    }

    /// Applies rules, most of them at one site.
    fn mutate(&mut self, dialect: &Dialect, book: &Rulebook, entropy: &mut Entropy) {
        let mut mutant = self.base.clone();
        let mut material = book.material(std::mem::take(&mut self.terms));
        let mut left = entropy.between(1, RULES);
        while left > 0 {
            let portion = entropy.between(1, left);
            left -= portion;
            let sites = mutant.sites();
            let site = if entropy.chance(1, 2) {
                sites.len() - 1
            } else {
                entropy.below(sites.len() as u64) as usize
            };
            let others: u32 = sites
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != site)
                .map(|(_, &term)| material.size(term))
                .sum();
            let limit = dialect.limits.nodes.saturating_sub(others);
            let stacked = book.stack(&mut material, sites[site], portion as usize, limit, entropy);
            if let Some(term) = mutant.sites_mut().into_iter().nth(site) {
                *term = stacked.root;
            }
            self.trail.extend(stacked.trail.into_iter().map(|firing| Fired { site, firing }));
        }
        self.terms = material.into_terms();
        self.mutant = (mutant != self.base).then_some(mutant);
    }

    /// Replaces the mutant by the one that those firings of the trail make which still match.
    pub(super) fn replay(&mut self, book: &Rulebook) {
        let mut mutant = self.base.clone();
        let mut material = book.material(std::mem::take(&mut self.terms));
        let mut trail = vec![];
        for fired in std::mem::take(&mut self.trail) {
            let Some(root) = mutant.sites().get(fired.site).copied() else { continue };
            let replayed = book.replay(&mut material, root, std::slice::from_ref(&fired.firing));
            let Some(firing) = replayed.trail.into_iter().next() else { continue };
            if let Some(term) = mutant.sites_mut().into_iter().nth(fired.site) {
                *term = replayed.root;
            }
            trail.push(Fired { firing, ..fired });
        }
        self.terms = material.into_terms();
        self.trail = trail;
        self.mutant = (mutant != self.base).then_some(mutant);
    }

    fn arithmetic(&self) -> Option<Arithmetic> {
        Some(Arithmetic { semantics: Semantics::named(self.style.semantics)?, traps: self.traps })
    }

    /// The result of the programs on each input; nothing if one is undefined or ambiguous, or if base and mutant differ,
    /// which would refute a proof.
    pub(super) fn fates(&self) -> Option<Vec<Fate>> {
        let arithmetic = self.arithmetic()?;
        let fates = run(&self.terms, &self.base, &self.inputs, arithmetic, false)?.fates;
        let unknown = |fate: &Fate| matches!(fate, Fate::Undefined | Fate::Ambiguous);
        if fates.iter().any(unknown) {
            return None;
        }
        match &self.mutant {
            Some(mutant) => {
                let other = run(&self.terms, mutant, &self.inputs, arithmetic, false)?.fates;
                (other == fates).then_some(fates)
            }
            None => Some(fates),
        }
    }

    fn writing<'a>(&'a self, body: &'a Body) -> Writing<'a> {
        Writing {
            terms: &self.terms,
            style: self.style,
            parameters: &self.parameters,
            body,
            places: &self.places,
            folded: vec![],
            literals: None,
            no_wrap: HashMap::new(),
        }
    }

    /// The same, with constant expressions and what is known of operators.
    fn whole<'a>(&'a self, body: &'a Body, dialect: &Dialect) -> Writing<'a> {
        let constants = (dialect.constants)(self.style);
        let (terms, places) = (&self.terms, &self.places);
        Writing {
            folded: folded(terms, body, places, self.style, &constants, self.folding),
            literals: constants.literals,
            no_wrap: match self.arithmetic().filter(|_| self.style.no_wrap) {
                Some(arithmetic) => no_wrap(terms, body, &self.inputs, arithmetic),
                None => HashMap::new(),
            },
            ..self.writing(body)
        }
    }

    pub(super) fn case(
        &self,
        origin: Origin,
        dialect: &Dialect,
        book: &Rulebook,
        certificates: &dyn Fn(&str) -> String,
    ) -> Option<Case> {
        let kind = self.writing(&self.base).kind_of(self.base.result);
        let behaviour = |fate: Fate| match fate {
            Fate::Value(word) => {
                let text = format!("{}{}", kind.number(&word), dialect.ending);
                Some(Behaviour::Value(text))
            }
            Fate::Trap(trap) => {
                let code = dialect.trap_code(self.style, trap).to_owned();
                Some(Behaviour::Trap { code, output: String::new() })
            }
            Fate::Undefined | Fate::Ambiguous => None,
        };
        let expected = self.fates()?.into_iter().map(behaviour).collect::<Option<Vec<_>>>()?;
        let program = |name: &str, body: &Body| Program {
            name: name.to_owned(),
            language: Language::new(dialect.language),
            interface: Interface::Function,
            source: dialect.source(&self.whole(body, dialect)),
        };
        let mut programs = vec![program("base", &self.base)];
        programs.extend(self.mutant.as_ref().map(|mutant| program("mutant", mutant)));
        let hidden: Vec<String> = self
            .places
            .all(Place::Argument)
            .map(|(width, value)| self.writing(&self.base).kind(width).number(value).to_string())
            .collect();
        let input = |row: &Vec<BigInt>| {
            let words = row.iter().zip(&self.parameters);
            let words = words.map(|(word, &width)| {
                self.writing(&self.base).kind(width).number(word).to_string()
            });
            Input { arguments: words.chain(hidden.iter().cloned()).collect(), ..Input::default() }
        };
        let mut trail = vec![format!("arithmetic: {} ({})", self.style.name, self.style.semantics)];
        trail.extend(self.trail.iter().map(|fired| {
            let name = book.name(fired.firing.rule);
            format!("{}, in part {}: {}", book.told(&fired.firing), fired.site, certificates(name))
        }));
        Some(Case {
            origin,
            programs,
            inputs: self.inputs.iter().map(input).collect(),
            promise: Promise::Yields(expected),
            trail,
            model: Model::absent(),
        })
    }
}
