//! A program as a printer needs it: its terms, and the names and kinds of everything in it. No language's syntax is here.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::dialect::{STEM, Style};
use super::folding::Folded;
use super::idiom::Found;
use super::no_wrap::NoWrap;
use super::places::{Place, Places};
use super::program::{ACCUMULATOR, Body, COUNTER, HELPER, Step, width};
use super::signature::{Kind, Signature};
use identity::kernel::{Node, Op, TermId, Terms};

/// A program, prepared for a printer.
#[derive(Clone, Debug)]
pub struct Writing<'a> {
    pub terms: &'a Terms,
    pub style: &'a Style,
    /// The widths of the parameters, without the constants that are arguments.
    pub parameters: &'a [u16],
    pub body: &'a Body,
    pub places: &'a Places,
    /// The constant expressions that are written in another way.
    pub folded: Vec<Folded>,
    /// How an expression of untyped literals is converted to a type.
    pub literals: Option<fn(&str, Kind) -> String>,
    /// What is known of operators, in a style that writes it.
    pub no_wrap: HashMap<Node, NoWrap>,
}

/// Something with a name and a kind: a parameter, a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub name: String,
    pub kind: Kind,
}

/// A term without operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Leaf {
    Literal(BigInt, Kind),
    /// A constant of the module.
    Global(String),
    /// A parameter of the function or of a helper.
    Parameter(String),
    /// The result of a step before.
    Step(usize),
    /// Of the loop around.
    Accumulator,
    Counter,
}

impl Writing<'_> {
    /// What is known of an operator; nothing in a style that does not write it.
    pub fn promise(&self, node: Node) -> NoWrap {
        self.no_wrap.get(&node).copied().unwrap_or_default()
    }

    pub fn kind(&self, width: u16) -> Kind {
        Kind { signed: self.style.signed, width }
    }

    pub fn kind_of(&self, term: TermId) -> Kind {
        self.kind(self.width(term))
    }

    pub fn width(&self, term: TermId) -> u16 {
        width(self.terms, term)
    }

    pub fn signature(&self) -> Signature {
        Signature {
            parameters: self.parameters().into_iter().map(|it| it.kind).collect(),
            result: self.kind_of(self.body.result),
        }
    }

    /// `a0`, `a1`, … and the constants that are arguments, `k0`, `k1`, ….
    pub fn parameters(&self) -> Vec<Named> {
        let words = self.parameters.iter().enumerate();
        let words =
            words.map(|(n, &width)| Named { name: format!("a{n}"), kind: self.kind(width) });
        words.chain(self.arguments()).collect()
    }

    fn arguments(&self) -> Vec<Named> {
        let all = self.places.all(Place::Argument).enumerate();
        all.map(|(n, (width, _))| Named { name: format!("k{n}"), kind: self.kind(width) }).collect()
    }

    /// The constants of the module that this program uses, with their values as numbers of their kinds.
    pub fn constants(&self) -> Vec<(Named, BigInt)> {
        let mine = super::places::literals(self.terms, &[self.body]);
        let all = self.places.all(Place::Module).enumerate();
        let used = all.filter(|(_, (width, value))| mine.contains(&(*width, (*value).clone())));
        used.map(|(n, (width, value))| {
            let kind = self.kind(width);
            (Named { name: format!("{STEM}_K{n}"), kind }, kind.number(value))
        })
        .collect()
    }

    /// The name of the helper that a step calls.
    pub fn helper(&self, step: usize) -> String {
        format!("{STEM}_h{}", self.first(step))
    }

    /// Whether no step before calls the same helper.
    pub fn declares(&self, step: usize) -> bool {
        self.first(step) == step
    }

    /// The first step that calls the same helper.
    fn first(&self, step: usize) -> usize {
        let all = &self.body.steps;
        let function = |step: &Step| match step {
            Step::Call { arguments, body, inline } => {
                let widths: Vec<u16> = arguments.iter().map(|&it| self.width(it)).collect();
                Some((widths, *body, *inline))
            }
            _ => None,
        };
        let own = function(&all[step]);
        all.iter().position(|it| function(it) == own).unwrap_or(step)
    }

    /// The idiom that a term matches. Constant expressions match none, since most languages call no functions there.
    pub fn idiom(&self, term: TermId) -> Option<Found> {
        let is_variable = |part: TermId| matches!(self.terms.op(part), Op::Variable(_));
        let mut all = self.style.idioms.iter();
        let (idiom, args) = all.find_map(|it| Some((*it, it.operands(self.terms, term)?)))?;
        let varies = self.terms.in_order(&[term]).into_iter().any(is_variable);
        varies.then(|| Found { idiom, args, width: self.width(term) })
    }

    /// The condition and the alternatives of a choice, if a term is one: a step may be written as a branch.
    pub fn choice(&self, term: TermId) -> Option<[TermId; 3]> {
        let node = self.terms.node(term);
        let is_named = self.folded.iter().any(|it| it.term == term);
        let is_choice = node.op == Op::Ite && !is_named && self.idiom(term).is_none();
        is_choice.then_some(node.args)
    }

    /// The parameters of the helper that a step calls: its own, and those constants passed as arguments that it uses, which
    /// have the same name in the caller.
    pub fn helper_parameters(&self, step: usize) -> (Vec<Named>, Vec<Named>) {
        let Some(Step::Call { arguments, body, .. }) = self.body.steps.get(step) else {
            return (vec![], vec![]);
        };
        let own = arguments.iter().enumerate();
        let own = own.map(|(n, &term)| Named { name: format!("p{n}"), kind: self.kind_of(term) });
        let inside: Vec<(u16, BigInt)> = self
            .terms
            .in_order(&[*body])
            .into_iter()
            .filter_map(|term| Some((self.width(term), self.terms.literal_value(term)?.clone())))
            .collect();
        let carried = self.places.all(Place::Argument).zip(self.arguments());
        let carried = carried
            .filter(|((width, value), _)| inside.contains(&(*width, (*value).clone())))
            .map(|(_, named)| named);
        (own.collect(), carried.collect())
    }

    /// The local variable of a step.
    pub fn local(&self, step: usize) -> String {
        format!("s{step}")
    }

    /// What a term without operands stands for; nothing for an operator.
    pub fn leaf(&self, term: TermId) -> Option<Leaf> {
        match self.terms.op(term) {
            Op::Variable(variable) => Some(self.variable(variable)),
            Op::Literal(index) => {
                let (value, kind) = (self.terms.integer(index), self.kind_of(term));
                let at = |place| self.places.position(place, kind.width, value);
                Some(match (at(Place::Module), at(Place::Argument)) {
                    (Some(n), _) => Leaf::Global(format!("{STEM}_K{n}")),
                    (_, Some(n)) => Leaf::Parameter(format!("k{n}")),
                    _ => Leaf::Literal(kind.number(value), kind),
                })
            }
            _ => None,
        }
    }

    fn variable(&self, variable: u16) -> Leaf {
        let parameters = self.parameters.len() as u16;
        match variable {
            ACCUMULATOR => Leaf::Accumulator,
            COUNTER => Leaf::Counter,
            HELPER.. => Leaf::Parameter(format!("p{}", variable - HELPER)),
            _ if variable < parameters => Leaf::Parameter(format!("a{variable}")),
            _ => Leaf::Step(usize::from(variable - parameters)),
        }
    }
}
