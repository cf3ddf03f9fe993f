//! Changes without regard to tokens, as general fuzzers make them: runs of characters are deleted, copied, moved or
//! overwritten.

use std::ops::Range;

use forge::{Entropy, raw};

use super::{Edit, swapped};

/// The lengths of runs, at most.
const RUNS: &[u64] = &[1, 1, 4, 16, 64];

/// What a character becomes besides random ones.
const SPECIAL: &[char] = &[
    '\0', '\t', '\n', '\r', ' ', '"', '\'', '\\', '(', ')', '[', ']', '{', '}', ';', ':', '\u{7f}',
    'é', '\u{feff}',
];

pub(super) fn edits(text: &str, entropy: &mut Entropy) -> Option<Vec<Edit>> {
    let first = run(text, entropy)?;
    match entropy.below(5) {
        0 => Some(vec![(first, String::new())]),
        1 => {
            let to = run(text, entropy)?.start;
            Some(vec![(to..to, text[first].to_owned())])
        }
        2 => swapped(text, &first, &run(text, entropy)?),
        3 => {
            let from = run(text, entropy)?;
            Some(vec![(first, text[from].to_owned())])
        }
        _ => {
            let end = first.start + text[first.clone()].chars().next().map_or(0, char::len_utf8);
            let with = match entropy.below(8) {
                0..4 => *entropy.pick(SPECIAL)?,
                4..7 => char::from(entropy.below(127) as u8 + 1),
                // A byte that is no UTF-8.
                _ => raw(entropy.between(0x80, 0xff) as u8),
            };
            Some(vec![(first.start..end, with.to_string())])
        }
    }
}

/// A random run of characters.
fn run(text: &str, entropy: &mut Entropy) -> Option<Range<usize>> {
    if text.is_empty() {
        return None;
    }
    let most = *entropy.pick(RUNS)?;
    let length = entropy.between(1, most) as usize;
    let boundary = |at: usize| (at..text.len()).find(|at| text.is_char_boundary(*at));
    let start = boundary(entropy.below(text.len() as u64) as usize).unwrap_or(0);
    let end = boundary((start + length).min(text.len())).unwrap_or(text.len());
    Some(start..end)
}
