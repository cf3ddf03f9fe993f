//! A language: its syntax, its kinds of arithmetic, and how many programs are put into one source.
//!
//! A source is a comment with the signature, the frame's first part, the items of the program (constants, helper
//! functions, the function under test) and the frame's last part. Every global name in the items begins with [`STEM`], so
//! that the items of many programs fit into one frame once each has its own stem.

use forge::Entropy;
use identity::kernel::{Op, Semantics, Trap};

use super::idiom::Idiom;
use super::run::Arithmetic;
use super::signature::{Entry, Kind, Signature};
use super::writing::Writing;

/// The prefix of all global names. No keyword or built-in of any language contains it.
pub const STEM: &str = "judged";

/// The trap code of a language whose traps are [`TrapKinds::Alike`].
pub const TRAP: &str = "trap";

/// Whether the kind of a trap (overflow, division by zero) is part of the behaviour of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrapKinds {
    /// No input of a program leads to a trap: what would trap is undefined or has a result.
    Never,
    /// The kind is observable: a program that traps must trap with this code. An input on which two
    /// different traps compete in unspecified order is ambiguous, and is not used.
    Distinct,
    /// A trap is only a trap: every expected code is [`TRAP`], and an observed trap of any kind equals it.
    /// Two traps that compete are not ambiguous.
    Alike,
}

/// One language.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// The name of the method for it, in `--method` and in tickets.
    pub name: &'static str,
    pub summary: &'static str,
    pub language: &'static str,
    /// The beginning of a line comment.
    pub comment: &'static str,
    pub styles: &'static [Style],
    /// What is after the result in an observation: a line break where programs print it.
    pub ending: &'static str,
    pub limits: Limits,
    /// What is before and after the items of these programs: a contract around them, or a `main` that calls them.
    pub frame: fn(&[Entry]) -> Frame,
    /// The items of a program.
    pub items: fn(&Writing<'_>) -> String,
    /// Which constant expressions a style has.
    pub constants: fn(&Style) -> Constants,
    /// Whether the kind of a trap is observable. Each language quotes its specification.
    pub traps: TrapKinds,
}

/// The sizes of programs and of their inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How many inputs a program is called on: many where a call costs microseconds.
    pub inputs: usize,
    /// How many operators and leaves a mutant may have.
    pub nodes: u32,
    /// How many operators the text of a program may have, in which shared terms are written again.
    pub text: u64,
}

impl Limits {
    /// Of a compiler whose time grows with the size of a program, not faster.
    pub(super) const fn inputs(inputs: usize) -> Self {
        Self { inputs, nodes: 80, text: 250 }
    }
}

/// The constant expressions of a language: what it accepts as the initial value of a constant.
#[derive(Clone, Copy, Default, Debug)]
pub struct Constants {
    /// Expressions written as everywhere else.
    pub typed: Option<Typed>,
    /// Expressions of untyped literals, which are evaluated with unbounded integers: how they are converted to a type.
    pub literals: Option<fn(&str, Kind) -> String>,
    /// Untyped expressions are allowed in the declaration of a constant only: all their parts have to fit its type, and
    /// these are their operators.
    pub bounded: Option<fn(Op, Kind) -> bool>,
}

/// What a dialect says about types: the semantics, and which operators exist at which widths.
#[derive(Clone, Copy, Debug)]
pub struct Typed {
    /// Their semantics, which may differ from those of the style.
    pub semantics: &'static str,
    /// Which operators they may have.
    pub supports: fn(Op, &[u16], u16) -> bool,
    /// Whether they may refer to other constants.
    pub names: bool,
}

/// The text before and after the items of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    pub before: String,
    pub after: String,
}

/// A kind of arithmetic of a language.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub name: &'static str,
    /// One of [`identity::kernel::SEMANTICS`].
    pub semantics: &'static str,
    /// Whether variables are declared as signed numbers.
    pub signed: bool,
    /// The widths that parameters and results can have.
    pub widths: &'static [u16],
    /// The widths of half of all parameters and results, some listed more often than others; the other half may have any.
    pub usual: &'static [u16],
    /// Whether operators that overflow on no input of a program are written in the form for which overflow is undefined.
    pub no_wrap: bool,
    /// Whether the language has an operator with operands of these widths and a result of this width.
    pub supports: fn(Op, &[u16], u16) -> bool,
    /// The idioms with a built-in. A built-in is equivalent to its pattern, traps included.
    pub idioms: &'static [Idiom],
    /// The code of a trap, where kinds are [`TrapKinds::Distinct`].
    pub trap: fn(Trap) -> &'static str,
}

/// The trap code of a style in which nothing traps: what would is undefined, and no input leads to it.
pub(super) fn no_trap(_: Trap) -> &'static str {
    TRAP
}

impl Style {
    /// One of the widths.
    pub(super) fn draw(&self, entropy: &mut Entropy) -> Option<u16> {
        let usual = entropy.chance(1, 2) && !self.usual.is_empty();
        entropy.pick(if usual { self.usual } else { self.widths }).copied()
    }

    /// Whether a synthesised rule is used at a width: every rule at the usual widths, and every eighth at each of the
    /// others, shifted by one from width to width. All rules at all widths would delay the start of a hunt by many
    /// seconds.
    pub(super) fn uses(&self, rule: usize, width: u16) -> bool {
        let Some(at) = self.widths.iter().position(|&it| it == width) else { return false };
        self.usual.is_empty() || self.usual.contains(&width) || (rule + at).is_multiple_of(8)
    }
}

impl Dialect {
    pub fn style(&self, name: &str) -> Option<&'static Style> {
        self.styles.iter().find(|style| style.name == name)
    }

    /// The code that is expected of a trap.
    pub(super) fn trap_code(&self, style: &Style, trap: Trap) -> &'static str {
        match self.traps {
            TrapKinds::Distinct => (style.trap)(trap),
            TrapKinds::Never | TrapKinds::Alike => TRAP,
        }
    }

    /// The evaluator's configuration for a style.
    pub(super) fn arithmetic(&self, style: &Style) -> Option<Arithmetic> {
        Some(Arithmetic { semantics: Semantics::named(style.semantics)?, traps: self.traps })
    }

    /// A whole source.
    pub(super) fn source(&self, writing: &Writing<'_>) -> String {
        let entry = Entry { name: STEM.to_owned(), signature: writing.signature() };
        let frame = (self.frame)(std::slice::from_ref(&entry));
        let items = (self.items)(writing);
        format!("{}{}{items}{}", self.heading(&entry.signature), frame.before, frame.after)
    }

    fn heading(&self, signature: &Signature) -> String {
        format!("{} {STEM}{signature}\n", self.comment)
    }

    /// The signature and the items of a source, if this method wrote it.
    pub fn open<'a>(&self, source: &'a str) -> Option<(Signature, &'a str)> {
        let line = source.lines().next()?;
        let signature: Signature =
            line.strip_prefix(self.comment)?.trim_start().strip_prefix(STEM)?.parse().ok()?;
        let entry = Entry { name: STEM.to_owned(), signature: signature.clone() };
        let frame = (self.frame)(std::slice::from_ref(&entry));
        let rest = source.strip_prefix(self.heading(&signature).as_str())?;
        let items = rest.strip_prefix(frame.before.as_str())?;
        Some((signature, items.strip_suffix(frame.after.as_str())?))
    }

    /// The source of the first program with the items of the others added.
    pub(super) fn crowd(&self, sources: &[&str]) -> Option<String> {
        let (signature, items) = self.open(sources.first()?)?;
        let mut all = items.to_owned();
        for (index, source) in sources.iter().enumerate().skip(1) {
            let (_, items) = self.open(source)?;
            all.push_str(&items.replace(STEM, &format!("{STEM}_x{index}")));
        }
        let entry = Entry { name: STEM.to_owned(), signature: signature.clone() };
        let frame = (self.frame)(std::slice::from_ref(&entry));
        Some(format!("{}{}{all}{}", self.heading(&signature), frame.before, frame.after))
    }

    /// One source with the items of all, and the entry of each; nothing if this method did not write one of them.
    pub fn combine(&self, sources: &[&str]) -> Option<(String, Vec<Entry>)> {
        let mut entries = Vec::with_capacity(sources.len());
        let mut all = String::new();
        for (index, source) in sources.iter().enumerate() {
            let (signature, items) = self.open(source)?;
            let name = format!("{STEM}{index}");
            all.push_str(&items.replace(STEM, &name));
            entries.push(Entry { name, signature });
        }
        let frame = (self.frame)(&entries);
        Some((format!("{}{all}{}", frame.before, frame.after), entries))
    }
}
