//! Source text of any language, of which nothing is known but how it writes comments and strings: [`Text`] shrinks a
//! file of a user, [`Mutate`] makes programs from a corpus.

mod bracket;
pub mod corpus;
mod cut;
mod edit;
mod mix;
mod mutate;
mod operator;
mod statement;
mod syntax;
mod token;

use forge::{
    Candidates, Case, Input, Interface, Language, Method, Model, Origin, Program, Promise, Ticket,
};

pub use mix::{MIXES, Mix};
pub use mutate::{MOST_BYTES, MUTATE, Mutate};
pub use operator::Operator;
pub use syntax::Syntax;

/// Shrinks a source text whose promise the user chooses. It generates no cases and is not in the table of methods.
#[derive(Debug)]
pub struct Text {
    language: Language,
}

pub const NAME: &str = "text";

impl Text {
    pub fn new(language: Language) -> Self {
        Self { language }
    }

    /// A case for a source text. Its behaviour is unknown, so the promise is `Survives` or `Agrees`.
    pub fn case(&self, source: &str, promise: Promise) -> Case {
        Case {
            origin: Origin::Given { method: NAME.to_owned() },
            programs: vec![Program {
                name: "base".to_owned(),
                language: self.language.clone(),
                interface: Interface::Program,
                source: source.to_owned(),
            }],
            inputs: vec![Input::default()],
            promise,
            trail: vec![],
            model: Model::absent(),
        }
    }
}

impl Method for Text {
    fn name(&self) -> &str {
        NAME
    }

    fn revision(&self) -> u32 {
        1
    }

    fn summary(&self) -> &str {
        "source text from a file"
    }

    fn language(&self) -> Language {
        self.language.clone()
    }

    fn interface(&self) -> Interface {
        Interface::Program
    }

    fn space(&self) -> Option<u64> {
        Some(0)
    }

    fn make(&self, _ticket: &Ticket) -> Option<Case> {
        None
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        cut::cases(case, case.model.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A greedy reduction with an in-process predicate.
    fn reduce(source: &str, interesting: impl Fn(&str) -> bool) -> String {
        let text = Text::new(Language::new("c"));
        let mut best = text.case(source, Promise::Survives);
        loop {
            let found =
                text.smaller(&best).flatten().find(|case| interesting(&case.programs[0].source));
            let Some(smaller) = found else { return best.programs[0].source.clone() };
            assert!(smaller.size() < best.size());
            best = smaller;
        }
    }

    #[test]
    fn a_text_is_reduced_to_the_tokens_that_the_predicate_needs() {
        let source = "int a(void) { return 1; }\n\nint b(int x) {\n  if (x) { y = x * 7 + f(3); }\n  return 0;\n}\n";
        let reduced = reduce(source, |text| text.contains("x * 7") && text.contains('{'));
        assert_eq!(reduced, "{x * 7");
    }

    #[test]
    fn brackets_are_removed_in_pairs_if_the_predicate_needs_balance() {
        let balanced = |text: &str| text.matches('(').count() == text.matches(')').count();
        let reduced = reduce("f(g(h(bug(1, 2))))\n", |text| text.contains("bug") && balanced(text));
        assert_eq!(reduced, "bug");
    }

    #[test]
    fn multi_byte_characters_are_never_split() {
        let reduced = reduce("größe = \"日本語\"; bug\n", |text| text.contains("語"));
        assert_eq!(reduced, "語");
    }
}
