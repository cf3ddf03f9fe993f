//! A function that is being changed: which donors it is crossed with, and the steps that were taken. Every
//! step leaves a valid function or is refused, with the reason. How many steps there are is for `method.rs`.

use std::sync::Arc;

use forge::Entropy;

use crate::block::Block;
use crate::cfg::Cfg;
use crate::corpus::{Corpus, Donors};
use crate::crossover::{
    Point, Strategy, adopt, inline, is_outward, near, points, sequence, unused,
};
use crate::ir::{Function, Module, Type};
use crate::mutate::{Subject, mutate};
use crate::refusal::Refusal;
use crate::verify::Verifier;

/// The most blocks of a donor and its callees.
const MOST_BLOCKS: usize = 40;

/// A function under construction, with its trail.
#[derive(Debug)]
pub struct Draft<'a> {
    corpus: &'a Corpus,
    family: usize,
    seed: usize,
    module: Module,
    /// The function that is changed next.
    name: Arc<str>,
    trail: Vec<String>,
}

/// Where the body of a crossover comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Donor {
    Itself,
    Seed(usize),
}

impl<'a> Draft<'a> {
    /// The function of a seed, for the machine of a block.
    pub fn new(corpus: &'a Corpus, block: &Block, seed: usize) -> Self {
        let mut module = Module::clone(corpus.module(seed));
        if module.triple != block.triple {
            forget_machine(&mut module);
        }
        module.triple.clone_from(&block.triple);
        module.data_layout.clone_from(&block.data_layout);
        let name = Arc::clone(&corpus.seeds[seed].name);
        let trail = vec![format!("@{name} of {}", corpus.test(seed).path)];
        Self { corpus, family: block.family, seed, module, name, trail }
    }

    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The module with nothing but what the function needs, and the steps; none if nothing has changed or
    /// some version rejects it.
    pub fn finish(self) -> Option<(Module, Vec<String>)> {
        let has_steps = self.trail.len() > 1;
        let changed = has_steps && self.module.functions != self.corpus.module(self.seed).functions;
        let module = changed.then(|| self.module.extract(&[&*self.name]))?;
        let verifier = Verifier::new(&module);
        let mut functions = module.functions.iter();
        let is_valid = functions.all(|it| verifier.for_every_version(it).is_ok());
        is_valid.then_some((module, self.trail))
    }

    /// The function as it is.
    pub fn unchanged(self) -> (Module, Vec<String>) {
        (self.module, self.trail)
    }

    fn function(&self) -> Result<&Function, Refusal> {
        self.module.function(&self.name).ok_or(Refusal::NoCode)
    }

    /// Puts a changed function into its place, if it is valid.
    fn replace(&mut self, function: Function) -> Result<(), Refusal> {
        let verifier = Verifier::new(&self.module);
        let verified =
            verifier.function(&function).and_then(|()| verifier.for_every_version(&function));
        verified.map_err(|invalid| Refusal::Invalid(Box::new(invalid)))?;
        *self.module.function_mut(&self.name).ok_or(Refusal::NoCode)? = function;
        Ok(())
    }

    /// The inlining crossover, with a donor whose type fits.
    pub fn inline(&mut self, entropy: &mut Entropy) -> Result<(), Refusal> {
        let function = self.function()?;
        let code = function.code().ok_or(Refusal::NoCode)?;
        let cfg = Cfg::new(code);
        let all = points(&self.module, code, &cfg);
        let point = if entropy.chance(1, 3) {
            let outward: Vec<&Point> = all.iter().filter(|it| is_outward(code, it)).collect();
            entropy.pick(&outward).copied().or_else(|| entropy.pick(&all))
        } else {
            entropy.pick(&all)
        };
        let point = point.ok_or(Refusal::NoPoint)?;
        let wanted = if entropy.chance(1, 12) { &Type::Void } else { &point.ty };
        let donor = self.donor_of(wanted, &point.ty, entropy).ok_or(Refusal::NoDonor)?;
        let mut changed = function.clone();
        let donor = match donor {
            Donor::Itself => function.clone(),
            Donor::Seed(seed) => self.adopt(seed)?,
        };
        inline(&self.module, &mut changed, &cfg, &donor, point, entropy)?;
        self.replace(changed)?;
        self.trail.push(format!("inline @{} into @{}", donor.name(), self.name));
        Ok(())
    }

    /// A donor that returns a type, or nearly.
    fn donor_of(&self, ty: &Type, to: &Type, entropy: &mut Entropy) -> Option<Donor> {
        let own = &self.function().ok()?.header.returns;
        if entropy.chance(1, 8) && (own == to || *own == Type::Void) {
            return Some(Donor::Itself);
        }
        let [first, second] = self.indices(entropy);
        let near = near(ty);
        let nearby = entropy.pick(&near).filter(|_| entropy.chance(1, 5));
        let mut types = vec![nearby.unwrap_or(ty), ty];
        types.extend(&near);
        let found = types.into_iter().find_map(|ty| {
            let of = |donors: &Donors, entropy: &mut Entropy| {
                donors.by_result.get(ty).and_then(|it| it.draw(entropy))
            };
            of(first, entropy).or_else(|| of(second, entropy))
        });
        let void = || self.corpus.donors.by_result.get(&Type::Void);
        found.or_else(|| void().and_then(|it| it.draw(entropy))).map(Donor::Seed)
    }

    /// The donors of the family and those of all, in the order in which they are asked.
    fn indices(&self, entropy: &mut Entropy) -> [&'a Donors; 2] {
        let (family, all) = (&self.corpus.families[self.family].donors, &self.corpus.donors);
        if entropy.chance(1, 2) { [family, all] } else { [all, family] }
    }

    /// The function of a seed, with the names that it has here.
    fn adopt(&mut self, seed: usize) -> Result<Function, Refusal> {
        let other = self.corpus.module(seed);
        let blocks = other.functions.iter().filter_map(Function::code).map(|it| it.blocks.len());
        if blocks.sum::<usize>() > MOST_BLOCKS {
            return Err(Refusal::TooLarge);
        }
        let name = &self.corpus.seeds[seed].name;
        if other.triple == self.module.triple {
            return adopt(&mut self.module, other, name);
        }
        let mut other = Module::clone(other);
        forget_machine(&mut other);
        adopt(&mut self.module, &other, name)
    }

    /// The sequencing crossover: a new function that calls this one and another.
    pub fn sequence(&mut self, entropy: &mut Entropy) -> Result<(), Refusal> {
        let wanted = match entropy.below(9) {
            0..=2 => Strategy::Chained,
            3..=5 => Strategy::SharedPointer,
            6..=7 => Strategy::Joined,
            _ => Strategy::Apart,
        };
        let is_first = entropy.chance(1, 2);
        let own = self.function()?.clone();
        let donor = self.partner_of(&own, wanted, is_first, entropy).ok_or(Refusal::NoDonor)?;
        let other = match donor {
            Donor::Itself => own.clone(),
            Donor::Seed(seed) => {
                let other = self.adopt(seed)?;
                if self.module.function(other.name()).is_none() {
                    self.module.functions.push(other.clone());
                }
                other
            }
        };
        let name = match self.module.header("caller") {
            None => "caller".into(),
            Some(_) => unused(&self.module, "caller"),
        };
        let (first, second) = if is_first { (&own, &other) } else { (&other, &own) };
        let made = sequence(&self.module, &name, first, second, wanted, entropy);
        let made = made.and_then(|(caller, strategy)| {
            let verified = Verifier::new(&self.module).function(&caller);
            verified.map_err(|invalid| Refusal::Invalid(Box::new(invalid)))?;
            Ok((caller, strategy))
        });
        let (caller, strategy) = made?;
        self.module.functions.push(caller);
        self.trail.push(format!("call @{} and @{}: {strategy:?}", first.name(), second.name()));
        self.name = name;
        Ok(())
    }

    /// A function whose types suit a strategy.
    fn partner_of(
        &self,
        own: &Function,
        wanted: Strategy,
        is_first: bool,
        entropy: &mut Entropy,
    ) -> Option<Donor> {
        if entropy.chance(1, 8) {
            return Some(Donor::Itself);
        }
        let returns = &own.header.returns;
        let parameters = &own.header.parameters;
        let indices = self.indices(entropy);
        let found = indices.into_iter().find_map(|donors| match wanted {
            Strategy::Chained if is_first => donors.by_parameter.get(returns)?.draw(entropy),
            Strategy::Chained => donors.by_result.get(&entropy.pick(parameters)?.ty)?.draw(entropy),
            Strategy::SharedPointer => {
                parameters.iter().find(|it| it.ty == Type::POINTER)?;
                donors.by_parameter.get(&Type::POINTER)?.draw(entropy)
            }
            Strategy::Joined if *returns != Type::Void => {
                donors.by_result.get(returns)?.draw(entropy)
            }
            Strategy::Joined | Strategy::Apart => None,
        });
        let any = || self.corpus.all.draw(entropy);
        found.or_else(any).map(Donor::Seed)
    }

    /// One mutation. Says which.
    pub fn mutate(&mut self, entropy: &mut Entropy) -> Result<&'static str, Refusal> {
        let function = self.function()?.clone();
        let version = self.corpus.version;
        let mut subject = Subject { module: &mut self.module, function, version };
        let mutation = mutate(&mut subject, entropy).ok_or(Refusal::Nothing)?;
        let function = subject.function;
        if function == *self.function()? {
            return Err(Refusal::Nothing);
        }
        self.replace(function)?;
        self.trail.push(mutation.to_owned());
        Ok(mutation)
    }
}

/// Functions for one machine in a module for another would ask for features that it does not have.
fn forget_machine(module: &mut Module) {
    let defined = module.functions.iter_mut().map(|it| &mut it.header);
    let declared = module.declarations.iter_mut().map(|it| &mut it.header);
    for header in defined.chain(declared) {
        for name in ["target-cpu", "target-features", "tune-cpu"] {
            header.attributes.remove(name);
        }
    }
}
