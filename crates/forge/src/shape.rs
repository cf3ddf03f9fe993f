//! What a program looks like once constants and names are left out: the words of its text, in order. Two crashes
//! of which nothing else can be compared are compared by it.

use crate::{Case, Fingerprint};

/// The words of a program, without constants and names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(Vec<String>);

impl Shape {
    /// The words of all sources. Numbers and numbered names are alike: a reduction puts one in the place of the other.
    pub fn of_sources(case: &Case) -> Self {
        let words = case.programs.iter().flat_map(|program| words(&program.source));
        Self(words.collect())
    }

    /// Whether the words of another shape are in this one, in their order. A program that was reduced to the other
    /// has it.
    pub fn contains(&self, other: &Self) -> bool {
        let mut words = self.0.iter();
        other.0.iter().all(|wanted| words.any(|word| word == wanted))
    }

    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.0.iter().map(|word| word.as_bytes()))
    }
}

impl<Word: Into<String>> FromIterator<Word> for Shape {
    fn from_iter<Words: IntoIterator<Item = Word>>(words: Words) -> Self {
        Self(words.into_iter().map(Into::into).collect())
    }
}

fn words(source: &str) -> Vec<String> {
    let mut words = vec![];
    let mut rest = source.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let length = match is_word(first) {
            true => rest.find(|it| !is_word(it)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        let is_numbered = first.is_numeric() || word.ends_with(char::is_numeric);
        words.push(if is_numbered { "0" } else { word }.to_owned());
        rest = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(source: &str) -> Shape {
        words(source).into_iter().collect()
    }

    #[test]
    fn constants_and_numbered_names_are_no_part_of_a_shape() {
        let one = shape("v1 = xor v0 0x17\nreturn v1");
        assert_eq!(one, shape("v22 = xor v3 4\n  return  v22"));
        assert_eq!(one.fingerprint(), shape("v2 = xor v3 4\nreturn v2").fingerprint());
        assert_ne!(one, shape("v22 = mul v3 4\nreturn v22"));
        assert_ne!(one, shape("v22 = xor v3 4"));
    }

    #[test]
    fn a_program_contains_the_shape_that_it_was_reduced_to() {
        let reduced = shape("v0 = xor 1 2\nreturn v0");
        assert!(shape("v0 = mul 1 2\nv1 = xor 3 4\nreturn v1").contains(&reduced));
        assert!(!shape("v0 = mul 1 2\nreturn v0").contains(&reduced));
        assert!(!shape("return v0\nv0 = xor 1 2").contains(&reduced));
    }
}
