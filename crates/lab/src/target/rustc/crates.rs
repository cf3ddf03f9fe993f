//! Combines many programs into one crate.

use std::fmt::Write as _;

use forge::Program;

/// The source of a crate with all programs as modules. A single program is not changed.
pub(super) fn batch(programs: &[&Program]) -> String {
    if let [only] = programs {
        return only.source.clone();
    }
    let mut attributes: Vec<&str> = vec![];
    let mut modules = String::new();
    let mut arms = String::new();
    for (number, program) in programs.iter().enumerate() {
        let (own, body) = split(&program.source);
        for attribute in own {
            if !attributes.contains(&attribute) {
                attributes.push(attribute);
            }
        }
        // Writing into a string cannot fail.
        let _ = write!(modules, "mod program{number} {{\n{body}\n}}\n");
        let _ = writeln!(arms, "        Ok(\"{number}\") => program{number}::main(),");
    }
    format!(
        "{}\n{modules}\nfn main() {{\n    match std::env::var(\"{}\").as_deref() {{\n{arms}        \
         other => panic!(\"there is no program {{other:?}}\"),\n    }}\n}}\n",
        attributes.join("\n"),
        super::PROGRAM
    )
}

/// The crate attributes at the beginning, one per line, and the rest of the source.
fn split(source: &str) -> (Vec<&str>, &str) {
    let mut attributes = vec![];
    let mut rest = source;
    while let Some((line, after)) = rest.split_once('\n') {
        let line = line.trim();
        if line.starts_with("#![") {
            attributes.push(line);
        } else if !line.is_empty() && !line.starts_with("//") {
            break;
        }
        rest = after;
    }
    (attributes, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use forge::{Interface, Language};

    fn program(source: &str) -> Program {
        Program {
            name: "base".into(),
            language: Language::new("rust"),
            interface: Interface::Program,
            source: source.into(),
        }
    }

    #[test]
    fn crate_attributes_are_moved_to_the_top_and_deduplicated() {
        let one = program("#![feature(a)]\n// note\n#![feature(b)]\npub fn main() {}\n");
        let two = program("#![feature(a)]\npub fn main() { /*2*/ }\n");
        let batch = batch(&[&one, &two]);
        assert!(
            batch.starts_with("#![feature(a)]\n#![feature(b)]\nmod program0 {\npub fn main() {}\n")
        );
        assert_eq!(batch.matches("#![").count(), 2);
        assert!(batch.contains("Ok(\"1\") => program1::main(),"));
    }

    #[test]
    fn a_single_program_is_unchanged() {
        let one = program("#![feature(a)]\npub fn main() {}\n");
        assert_eq!(batch(&[&one]), one.source);
    }
}
