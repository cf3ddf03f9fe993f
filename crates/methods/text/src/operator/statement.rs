//! Changes of whole statements.

use std::ops::Range;

use forge::Entropy;

use super::{Edit, Scene, swapped};
use crate::statement::statements;

pub(super) fn edits(scene: &Scene<'_>, entropy: &mut Entropy) -> Option<Vec<Edit>> {
    let all = statements(scene.text, &scene.tokens, &scene.corpus.syntax);
    let chosen = entropy.pick(&all)?;
    let text = &scene.text[chosen.clone()];
    match entropy.below(6) {
        0 => Some(vec![(chosen.clone(), String::new())]),
        1 => Some(vec![(chosen.end..chosen.end, format!(" {}", beside(text, text)))]),
        2 => swapped(scene.text, chosen, entropy.pick(&all)?),
        3 => {
            // It moves to another place.
            let to = entropy.pick(&all)?.end;
            let inside = (chosen.start..chosen.end).contains(&to);
            let place: Range<usize> = to..to;
            (!inside && to != chosen.end)
                .then(|| vec![(chosen.clone(), String::new()), (place, format!(" {text}"))])
        }
        4 => {
            let other = scene.corpus.text(entropy.pick(&scene.corpus.statements)?);
            Some(vec![(chosen.end..chosen.end, format!(" {}", beside(text, other)))])
        }
        _ => {
            let other = scene.corpus.text(entropy.pick(&scene.corpus.statements)?);
            Some(vec![(chosen.clone(), beside(text, other))])
        }
    }
}

/// A statement of another place, indented like one that it comes to stand beside. Statements without lines of their
/// own are left as they are.
fn beside(own: &str, other: &str) -> String {
    if !other.ends_with('\n') {
        return other.to_owned();
    }
    let indent = |text: &str| text.len() - text.trim_start().len();
    let (wanted, has) = (&own[..indent(own)], indent(other));
    let line = |line: &str| match line.get(has..) {
        Some(rest) if line[..has].trim().is_empty() => format!("{wanted}{rest}"),
        _ => line.to_owned(),
    };
    other.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_takes_the_indentation_of_its_neighbour() {
        assert_eq!(beside("  a\n", "      if b:\n        c\n"), "  if b:\n    c\n");
        assert_eq!(beside("  a;", "b;"), "b;");
    }
}
