//! What a language is to this method: how programs are written in it, which of its kinds of arithmetic
//! there are, and how a compile is shared by many programs.
//!
//! A source is a comment with its signature, what the frame puts before, the items of the program
//! (constants, helper functions, the function itself) and what the frame puts after. Every name in the
//! items begins with [`STEM`], so that the items of many programs fit into one frame once each has a
//! stem of its own.

use forge::Entropy;
use identity::kernel::{Op, Semantics, Trap};

use super::idiom::{Found, Idiom};
use super::run::Machine;
use super::signature::{Entry, Kind, Signature};
use super::writing::Writing;

/// What all names outside of functions begin with. No language has it as a part of a word of its own.
pub const STEM: &str = "judged";

/// The trap code of a language whose traps are [`TrapKinds::Alike`].
pub const TRAP: &str = "trap";

/// Whether the kind of a trap (overflow, division by zero) is part of the behaviour of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrapKinds {
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
    /// What `--method` and tickets call the method for it.
    pub name: &'static str,
    pub summary: &'static str,
    pub language: &'static str,
    /// How a comment to the end of the line begins.
    pub comment: &'static str,
    pub styles: &'static [Style],
    /// How many inputs a program is worth: many where a call costs microseconds.
    pub inputs: usize,
    /// What a result is followed by where it is observed: programs that print end their lines.
    pub ending: &'static str,
    /// How many operators and leaves a mutant may have.
    pub nodes: u32,
    /// How many operators a program may have as a text, where whatever is shared is written anew.
    pub text: u64,
    /// What stands before and after the items of some programs: a contract around them, or a `main` that
    /// calls them.
    pub frame: fn(&[Entry]) -> Frame,
    /// The items of a program.
    pub items: fn(&Writing<'_>) -> String,
    /// What expressions of constants there are in a kind of its arithmetic.
    pub constants: fn(&Style) -> Constants,
    /// The word of an idiom.
    pub idiom: Spell,
    /// Whether the kind of a trap counts. Each language cites its specification.
    pub traps: TrapKinds,
}

/// An idiom as a text, at a step, from the texts of its operands; nothing at a width without a word for it.
pub type Spell = fn(&Writing<'_>, &Found, usize, &[String]) -> Option<String>;

/// What a language takes for the initial value of a constant, and computes while it compiles.
#[derive(Clone, Copy, Default, Debug)]
pub struct Constants {
    /// Expressions as they are written everywhere.
    pub typed: Option<Typed>,
    /// Expressions of literals, which are numbers without bounds until they are given a type: how one is
    /// given to them.
    pub literals: Option<fn(&str, Kind) -> String>,
    /// All parts of such an expression have to fit the type of a constant, which is the only place for it, and
    /// be among these operators.
    pub bounded: Option<fn(Op, Kind) -> bool>,
}

#[derive(Clone, Copy, Debug)]
pub struct Typed {
    /// What they mean there, which may be something else.
    pub semantics: &'static str,
    /// Which operators there are.
    pub speaks: fn(Op, &[u16], u16) -> bool,
    /// Whether one may have others in it.
    pub names: bool,
}

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
    /// Whether words are declared as signed numbers.
    pub signed: bool,
    /// Of the words that parameters and results can have.
    pub widths: &'static [u16],
    /// Those of them that half of all words have, some more often than others; the other half may have any.
    pub usual: &'static [u16],
    /// Whether operators are written as those that promise not to overflow, where they do not on the inputs of a
    /// program.
    pub no_wrap: bool,
    /// Whether an operator with operands of these widths and a result of that one can be written.
    pub speaks: fn(Op, &[u16], u16) -> bool,
    /// The idioms that have a word in it. All of a pattern means the same as its word there, traps included.
    pub idioms: &'static [Idiom],
    /// The code of a trap, where kinds are [`TrapKinds::Distinct`].
    pub trap: fn(Trap) -> &'static str,
}

impl Style {
    /// One of the widths.
    pub(super) fn draw(&self, entropy: &mut Entropy) -> Option<u16> {
        let usual = entropy.chance(1, 2) && !self.usual.is_empty();
        entropy.pick(if usual { self.usual } else { self.widths }).copied()
    }

    /// Whether a rule of many that are alike is used at a width: all of them at those that are usual, and one of
    /// eight at each of the others, where other ones are used next to it. All at all widths would take a hunt many
    /// seconds to begin.
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
            TrapKinds::Alike => TRAP,
        }
    }

    /// What programs in a style run on.
    pub(super) fn machine(&self, style: &Style) -> Option<Machine> {
        Some(Machine { semantics: Semantics::named(style.semantics)?, traps: self.traps })
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

    /// The signature of a source of this language and its items, if it is one that this method wrote.
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

    /// A source like that of a single program, the first, which holds the items of the others as well.
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

    /// One source with the items of all, and how each is called there; nothing if one of them was not
    /// written by this method.
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
