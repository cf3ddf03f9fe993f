//! One skeleton for the sources of all languages: the constants of the module, the helper functions, then the function
//! under test with its steps. A [`Page`] walks the program in this order. A [`Printer`] has the syntax of one language.
//!
//! `text` writes terms as expressions, `operators` is the table of operators that languages share.

pub(super) mod operators;
mod text;

use std::collections::HashMap;
use std::fmt;

use num_bigint::BigInt;

use super::dialect::STEM;
use super::idiom::Found;
use super::program::{Inline, Step};
use super::signature::Kind;
use super::writing::{Named, Writing};
use identity::kernel::{Node, TermId};

pub(super) use text::assignment;

/// The syntax of a language.
pub(super) trait Printer: fmt::Debug + Sized {
    /// What has to be known while a source is written, such as the number of the next temporary variable.
    type State: Default + fmt::Debug;

    /// Between parameters, and between arguments.
    const SEPARATOR: &'static str = ", ";

    fn literal(&self, value: &BigInt, kind: Kind) -> String;

    fn operator(&self, at: &Applied<'_>) -> String;

    /// The built-in for an idiom; nothing at a width without one.
    fn idiom(&self, _: &Writing<'_>, _: &Found, _: &[String]) -> Option<String> {
        None
    }

    /// A parameter or a local variable as an operand.
    fn variable(&self, name: String) -> String {
        name
    }

    /// A constant of the module as an operand.
    fn global(&self, name: String) -> String {
        name
    }

    /// The name of the counter of the loop of a step.
    fn counter(&self, _step: usize) -> String {
        "i".to_owned()
    }

    /// The value of a term, after the lines that compute it if the language needs any.
    fn value(page: &mut Page<'_, Self>, term: TermId) -> String {
        page.text(term)
    }

    /// The initial value of a constant of the module.
    fn initial(&self, value: &BigInt, kind: Kind) -> String {
        self.literal(value, kind)
    }

    /// The declaration of a constant of the module.
    fn constant(&self, constant: &Named, value: &str) -> String;

    /// The declaration of a parameter.
    fn parameter(&self, parameter: &Named) -> String;

    /// The beginning of a function.
    fn open(page: &mut Page<'_, Self>, head: &Head);

    /// The end of a function.
    fn close(page: &mut Page<'_, Self>, head: &Head, result: TermId);

    /// The declaration of a local variable with its value.
    fn define(page: &mut Page<'_, Self>, local: &Named, value: &str);

    /// A local variable whose value is a choice: its condition and both alternatives. A branch where the language has a
    /// statement for it, else an expression as any other.
    fn branch(page: &mut Page<'_, Self>, local: &Named, term: TermId, _: [TermId; 3]) {
        let value = Self::value(page, term);
        Self::define(page, local, &value);
    }

    /// A loop that updates a local variable.
    fn repeat(page: &mut Page<'_, Self>, local: &Named, repeat: Repeat);

    /// The call of a helper, as a value.
    fn call(_: &mut Page<'_, Self>, call: &Call) -> String {
        call.text(Self::SEPARATOR)
    }
}

/// An operator with the texts of its operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Applied<'a> {
    pub(super) writing: &'a Writing<'a>,
    pub(super) node: Node,
    pub(super) args: &'a [String],
}

impl Applied<'_> {
    /// The kind of the result.
    pub(super) fn own(&self) -> Kind {
        self.writing.kind(self.node.width.as_fixed().unwrap_or(0))
    }

    /// The kind of the n-th operand.
    pub(super) fn kind(&self, n: usize) -> Kind {
        self.writing.kind_of(self.node.args[n])
    }

    /// Whether words are declared as signed numbers.
    pub(super) fn signed(&self) -> bool {
        self.writing.style.signed
    }
}

/// A function, as far as its first line needs it.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) name: String,
    /// The names of its parameters.
    pub(super) names: Vec<String>,
    /// The declarations of its parameters.
    pub(super) parameters: String,
    pub(super) result: Kind,
    pub(super) role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// The function under test.
    Entry,
    Helper(Inline),
}

/// A loop: its trip count, the first value of its accumulator and the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    pub(super) times: u8,
    pub(super) start: TermId,
    pub(super) body: TermId,
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) helper: String,
    pub(super) arguments: Vec<(String, Kind)>,
    pub(super) result: Kind,
    pub(super) inline: Inline,
}

impl Call {
    /// As in C, with this between arguments.
    pub(super) fn text(&self, separator: &str) -> String {
        let all: Vec<&str> = self.arguments.iter().map(|(text, _)| text.as_str()).collect();
        format!("{}({})", self.helper, all.join(separator))
    }
}

/// A source that is being written.
#[derive(Debug)]
pub(super) struct Page<'a, P: Printer> {
    pub(super) printer: &'a P,
    pub(super) writing: &'a Writing<'a>,
    pub(super) out: String,
    /// The step that is being written: the accumulator of a loop is its local variable.
    pub(super) step: usize,
    /// The terms that temporary variables stand for.
    pub(super) names: HashMap<TermId, String>,
    pub(super) state: P::State,
}

/// All items of a program.
pub(super) fn print<P: Printer>(printer: &P, writing: &Writing<'_>) -> String {
    let mut page = Page::new(printer, writing);
    page.constants();
    page.helpers();
    page.function();
    page.out
}

impl<'a, P: Printer> Page<'a, P> {
    pub(super) fn new(printer: &'a P, writing: &'a Writing<'a>) -> Self {
        let (names, state) = (HashMap::new(), P::State::default());
        Self { printer, writing, out: String::new(), step: 0, names, state }
    }

    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    /// See [`Printer::value`].
    pub(super) fn value(&mut self, term: TermId) -> String {
        P::value(self, term)
    }

    pub(super) fn constants(&mut self) {
        for (constant, value) in self.writing.constants() {
            let value = self.printer.initial(&value, constant.kind);
            self.line(self.printer.constant(&constant, &value));
        }
        for (constant, value) in self.constant_expressions() {
            self.line(self.printer.constant(&constant, &value));
        }
    }

    pub(super) fn helpers(&mut self) {
        for (index, step) in self.writing.body.steps.iter().enumerate() {
            let Step::Call { body, inline, .. } = step else { continue };
            if !self.writing.declares(index) {
                continue;
            }
            self.step = index;
            let (own, carried) = self.writing.helper_parameters(index);
            let name = self.writing.helper(index);
            let head = self.head(name, &[own, carried].concat(), *body, Role::Helper(*inline));
            P::open(self, &head);
            P::close(self, &head, *body);
        }
    }

    pub(super) fn function(&mut self) {
        let body = self.writing.body;
        let parameters = self.writing.parameters();
        let head = self.head(STEM.to_owned(), &parameters, body.result, Role::Entry);
        P::open(self, &head);
        for (index, step) in body.steps.iter().enumerate() {
            self.step = index;
            self.statement(step);
        }
        self.step = body.steps.len();
        P::close(self, &head, body.result);
    }

    fn head(&self, name: String, parameters: &[Named], result: TermId, role: Role) -> Head {
        let names = parameters.iter().map(|it| it.name.clone()).collect();
        let all: Vec<String> = parameters.iter().map(|it| self.printer.parameter(it)).collect();
        let parameters = all.join(P::SEPARATOR);
        Head { name, names, parameters, result: self.writing.kind_of(result), role }
    }

    fn statement(&mut self, step: &Step) {
        let (writing, index) = (self.writing, self.step);
        let local = Named { name: writing.local(index), kind: writing.kind_of(step.value()) };
        match *step {
            Step::Let { term } => match writing.choice(term) {
                Some(parts) => P::branch(self, &local, term, parts),
                None => {
                    let value = self.value(term);
                    P::define(self, &local, &value);
                }
            },
            Step::Loop { times, start, body } => {
                P::repeat(self, &local, Repeat { times, start, body });
            }
            Step::Call { ref arguments, inline, .. } => {
                let own = arguments.iter().map(|&it| (self.value(it), writing.kind_of(it)));
                let mut arguments: Vec<(String, Kind)> = own.collect();
                let (_, carried) = writing.helper_parameters(index);
                let carried = carried.into_iter();
                arguments.extend(carried.map(|it| (self.printer.variable(it.name), it.kind)));
                let helper = writing.helper(index);
                let call = Call { helper, arguments, result: local.kind, inline };
                let value = P::call(self, &call);
                P::define(self, &local, &value);
            }
        }
    }
}
