//! What a printer is given: a program, and the names of everything in it. Printers differ in how they
//! write operators and declarations, and in nothing else.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::dialect::{STEM, Spell, Style};
use super::folding::{Folded, literally};
use super::idiom::Found;
use super::no_wrap::NoWrap;
use super::places::{Place, Places};
use super::program::{ACCUMULATOR, Body, COUNTER, HELPER, Step, width};
use super::signature::{Kind, Signature};
use identity::kernel::{Node, Op, TermId, Terms};

#[derive(Clone, Debug)]
pub struct Writing<'a> {
    pub terms: &'a Terms,
    pub style: &'a Style,
    /// The widths of the parameters that are no constants.
    pub parameters: &'a [u16],
    pub body: &'a Body,
    pub places: &'a Places,
    /// The terms of numbers alone that are written in another way.
    pub folded: Vec<Folded>,
    /// How literals are given a type.
    pub literals: Option<fn(&str, Kind) -> String>,
    /// The words of idioms; none where only widths are asked for.
    pub idiom: Option<Spell>,
    /// What operators promise, where they are written so.
    pub no_wrap: HashMap<Node, NoWrap>,
}

/// Something with a name and a kind: a parameter, a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub name: String,
    pub kind: Kind,
}

impl Writing<'_> {
    /// What an operator promises; nothing in a style that has no words for it.
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

    /// The constants of the module that are made of others, and the expressions that they are.
    pub fn folded(
        &self,
        number: &dyn Fn(&BigInt, Kind) -> String,
        operator: &dyn Fn(&Self, Node, &[String]) -> String,
    ) -> Vec<(Named, String)> {
        let all = self.folded.iter().enumerate().filter(|(_, it)| it.named);
        all.map(|(n, folded)| {
            let node = self.terms.node(folded.term);
            let args = || node.args().iter().map(|&arg| self.say(arg, 0, number, operator));
            let text = match folded.literal {
                true => literally(self.terms, folded.term, self.style.signed),
                false => operator(self, node, &args().collect::<Vec<String>>()),
            };
            let kind = self.kind_of(folded.term);
            (Named { name: format!("{STEM}_C{n}"), kind }, text)
        })
        .collect()
    }

    /// The name of the function of a step that calls one.
    pub fn helper(&self, step: usize) -> String {
        format!("{STEM}_h{}", self.first(step))
    }

    /// Whether the function of a step is not that of one before.
    pub fn declares(&self, step: usize) -> bool {
        self.first(step) == step
    }

    /// The first step that calls the same function.
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

    /// The idiom that a term is. Constant expressions are none: most languages do not call functions there.
    pub fn idiom(&self, term: TermId) -> Option<Found> {
        let is_variable = |part: TermId| matches!(self.terms.op(part), Op::Variable(_));
        let mut all = self.style.idioms.iter();
        let (idiom, args) = all.find_map(|it| Some((*it, it.operands(self.terms, term)?)))?;
        let varies = self.terms.in_order(&[term]).into_iter().any(is_variable);
        varies.then(|| Found { idiom, args, width: self.width(term) })
    }

    /// The condition of a choice and what it chooses between, if a term is one: where a language has a statement for
    /// it, a step is written as that.
    pub fn choice(&self, term: TermId) -> Option<[TermId; 3]> {
        let node = self.terms.node(term);
        let is_named = self.folded.iter().any(|it| it.term == term);
        let is_choice = node.op == Op::Ite && !is_named && self.idiom(term).is_none();
        is_choice.then_some(node.args)
    }

    /// The parameters of the function of a step that calls one: its own, and the constants that are
    /// arguments and that it uses. What is passed for the latter has the same name.
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

    /// The counter of a loop.
    pub fn counter(&self) -> &'static str {
        "i"
    }

    /// The term as text. `number` writes a constant in place, `operator` everything else, from the texts of
    /// its operands. `step` is the step that the term is of: in a loop the accumulator is the step's own
    /// local variable.
    pub fn say(
        &self,
        term: TermId,
        step: usize,
        number: &dyn Fn(&BigInt, Kind) -> String,
        operator: &dyn Fn(&Self, Node, &[String]) -> String,
    ) -> String {
        self.say_by(&HashMap::new(), term, step, number, operator)
    }

    /// The same, where some terms have names of their own.
    pub fn say_by(
        &self,
        names: &HashMap<TermId, String>,
        term: TermId,
        step: usize,
        number: &dyn Fn(&BigInt, Kind) -> String,
        operator: &dyn Fn(&Self, Node, &[String]) -> String,
    ) -> String {
        if let Some(name) = names.get(&term) {
            return name.clone();
        }
        if let Some(n) = self.folded.iter().position(|it| it.term == term) {
            let literal = || literally(self.terms, term, self.style.signed);
            return match self.literals.filter(|_| !self.folded[n].named) {
                Some(typed) => typed(&literal(), self.kind_of(term)),
                None => format!("{STEM}_C{n}"),
            };
        }
        if let (Some(spell), Some(found)) = (self.idiom, self.idiom(term)) {
            let args = found.args.iter();
            let args: Vec<String> =
                args.map(|&arg| self.say_by(names, arg, step, number, operator)).collect();
            if let Some(text) = spell(self, &found, step, &args) {
                return text;
            }
        }
        let node = self.terms.node(term);
        match node.op {
            Op::Variable(variable) => self.name(variable, step),
            Op::Literal(index) => {
                let (value, width) = (self.terms.integer(index), self.width(term));
                let kind = self.kind(width);
                let at = |place| self.places.position(place, width, value);
                match (at(Place::Module), at(Place::Argument)) {
                    (Some(n), _) => format!("{STEM}_K{n}"),
                    (_, Some(n)) => format!("k{n}"),
                    _ => number(&kind.number(value), kind),
                }
            }
            _ => {
                let args = node.args().iter();
                let args: Vec<String> =
                    args.map(|&arg| self.say_by(names, arg, step, number, operator)).collect();
                operator(self, node, &args)
            }
        }
    }

    /// The assignment of a text to a local variable. What is in parentheses around the variable itself, one of
    /// these operators and another operand is a compound assignment; `one` is how the number is written where
    /// there are `++` and `--`.
    pub fn assignment(&self, local: &str, text: &str, signs: &[&str], one: Option<&str>) -> String {
        let inside = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let operands = inside.and_then(|it| it.strip_prefix(local)?.strip_prefix(' '));
        let Some((sign, rest)) = operands.and_then(|it| it.split_once(' ')) else {
            return format!("{local} = {text}");
        };
        match sign {
            "+" | "-" if one == Some(rest) => format!("{local}{sign}{sign}"),
            _ if signs.contains(&sign) && is_whole(rest) => format!("{local} {sign}= {rest}"),
            _ => format!("{local} = {text}"),
        }
    }

    fn name(&self, variable: u16, step: usize) -> String {
        let parameters = self.parameters.len() as u16;
        match variable {
            ACCUMULATOR => self.local(step),
            COUNTER => self.counter().to_owned(),
            HELPER.. => format!("p{}", variable - HELPER),
            _ if variable < parameters => format!("a{variable}"),
            _ => self.local(usize::from(variable - parameters)),
        }
    }
}

/// Whether all parentheses of a text are closed in it and nothing else stands beside them.
fn is_whole(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().all(|letter| {
        depth += i32::from(matches!(letter, '(' | '[' | '{'));
        depth -= i32::from(matches!(letter, ')' | ']' | '}'));
        depth > 0 || letter != ' ' && depth == 0
    })
}
