//! Source text that no method generated: a file that a user hands in. Nothing is known of it but its
//! characters, so all that can be promised is what the user says, and all that can be done is to cut.

mod cut;

use forge::{
    Candidates, Case, Input, Interface, Language, Method, Model, Origin, Program, Promise, Ticket,
};

/// Shrinks any source text. It makes no cases of its own and is not in the table of methods.
#[derive(Debug)]
pub struct Text {
    language: Language,
}

pub const NAME: &str = "text";

impl Text {
    pub fn new(language: Language) -> Self {
        Self { language }
    }

    /// A case around a source text. What it does when it runs is unknown, so the compiler has to
    /// survive it, or all its settings have to agree on it.
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
        let Some(program) = case.programs.first() else { return Box::new(std::iter::empty()) };
        Box::new(cut::candidates(&program.source).map(|source| {
            let mut smaller = case.clone();
            if let Some(program) = smaller.programs.first_mut() {
                program.source = source;
            }
            Some(smaller)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reduction does, with a predicate that costs nothing.
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
    fn a_text_is_cut_down_to_the_tokens_that_matter() {
        let source = "int a(void) { return 1; }\n\nint b(int x) {\n  if (x) { y = x * 7 + f(3); }\n  return 0;\n}\n";
        let reduced = reduce(source, |text| text.contains("x * 7") && text.contains('{'));
        assert_eq!(reduced, "{x * 7");
    }

    #[test]
    fn brackets_go_in_pairs_when_they_have_to() {
        let balanced = |text: &str| text.matches('(').count() == text.matches(')').count();
        let reduced = reduce("f(g(h(bug(1, 2))))\n", |text| text.contains("bug") && balanced(text));
        assert_eq!(reduced, "bug");
    }

    #[test]
    fn letters_beyond_ascii_are_never_split() {
        let reduced = reduce("größe = \"日本語\"; bug\n", |text| text.contains("語"));
        assert_eq!(reduced, "語");
    }
}
