//! What was done to a program of a corpus, as data: each edit is a range of the text and what it became. A reduction
//! takes edits back, and a campaign counts which operators paid.

use std::ops::Range;

use forge::LiveModel;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number of edits that are remembered. Older ones stay in the text.
const MOST: usize = 16;

/// A replaced range, in positions of the text before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edit {
    pub(crate) operator: String,
    at: usize,
    removed: String,
    inserted: String,
}

/// A program of the corpus, by the index of its ticket, and the edits since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) edits: Vec<Edit>,
}

impl LiveModel for Edits {
    fn stored(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }
}

impl Edit {
    /// The one range in which two texts differ.
    pub(crate) fn between(operator: &str, old: &str, new: &str) -> Self {
        let same = |pair: &(char, char)| pair.0 == pair.1;
        let bytes = |pair: (char, char)| pair.0.len_utf8();
        let at: usize = old.chars().zip(new.chars()).take_while(same).map(bytes).sum();
        let (old, new) = (&old[at..], &new[at..]);
        let backwards = old.chars().rev().zip(new.chars().rev());
        let end: usize = backwards.take_while(same).map(bytes).sum();
        let (removed, inserted) = (&old[..old.len() - end], &new[..new.len() - end]);
        Self {
            operator: operator.to_owned(),
            at,
            removed: removed.to_owned(),
            inserted: inserted.to_owned(),
        }
    }

    /// What stands there now.
    pub(crate) fn inserted(&self) -> &str {
        &self.inserted
    }
}

impl Edits {
    pub(crate) fn of_seed(seed: Option<u64>) -> Self {
        Self { seed, edits: vec![] }
    }

    pub(crate) fn push(&mut self, edit: Edit) {
        self.edits.push(edit);
        if self.edits.len() > MOST {
            self.edits.remove(0);
        }
    }

    /// The text without an edit, and the edits that are left; `None` if a later edit changed the same place.
    fn without(&self, text: &str, number: usize) -> Option<(String, Self)> {
        let mut left = self.clone();
        let undone = left.edits.remove(number);
        let mut range = undone.at..undone.at + undone.inserted.len();
        for later in &mut left.edits[number..] {
            let end = later.at + later.removed.len();
            if end <= range.start {
                range = shifted(&range, later.removed.len(), later.inserted.len());
            } else if later.at >= range.end {
                later.at = later.at - undone.inserted.len() + undone.removed.len();
            } else {
                return None;
            }
        }
        // The text may have been cut since.
        if text.get(range.clone())? != undone.inserted {
            return None;
        }
        Some(([&text[..range.start], &undone.removed, &text[range.end..]].concat(), left))
    }

    /// Texts with some edits taken back, the most first.
    pub(crate) fn undone<'a>(
        &'a self,
        text: &'a str,
    ) -> impl Iterator<Item = (String, Self)> + Send + 'a {
        let count = self.edits.len();
        std::iter::successors(Some(count), |&length| (length > 1).then_some(length / 2))
            .take_while(move |_| count > 0)
            .flat_map(move |length| (0..count).step_by(length).map(move |start| (start, length)))
            .filter_map(move |(start, length)| {
                let mut all = (start..(start + length).min(count)).rev();
                all.try_fold((text.to_owned(), self.clone()), |(text, edits), number| {
                    edits.without(&text, number)
                })
            })
    }
}

/// A range behind a place whose length changed.
fn shifted(range: &Range<usize>, before: usize, after: usize) -> Range<usize> {
    range.start - before + after..range.end - before + after
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Texts, each from the one before.
    fn edits(texts: &[&str]) -> Edits {
        let mut edits = Edits::of_seed(Some(0));
        for pair in texts.windows(2) {
            edits.push(Edit::between("token", pair[0], pair[1]));
        }
        edits
    }

    #[test]
    fn an_edit_can_be_taken_back_after_another_one() {
        let edits = edits(&["a b c", "a bbb c", "aa bbb c", "aa bbb"]);
        let texts: Vec<String> = edits.undone("aa bbb").map(|it| it.0).collect();
        assert_eq!(texts, ["a b c", "aa b", "a bbb", "aa bbb c"].map(str::to_owned));
    }

    #[test]
    fn an_edit_inside_of_another_stays_until_that_is_taken_back() {
        let edits = edits(&["f()", "f(x + y)", "f(x + z)"]);
        let texts: Vec<String> = edits.undone("f(x + z)").map(|it| it.0).collect();
        assert_eq!(texts, ["f()", "f(x + y)"].map(str::to_owned));
        assert_eq!(edits.undone("g").count(), 0);
    }

    proptest! {
        #[test]
        fn taking_back_all_edits_gives_the_first_text(
            texts in prop::collection::vec("[abü ]{0,12}", 2..6),
        ) {
            let all: Vec<&str> = texts.iter().map(String::as_str).collect();
            let edits = edits(&all);
            let last = all[all.len() - 1];
            let (first, left) = edits.undone(last).next().unwrap();
            prop_assert_eq!(first.as_str(), all[0]);
            prop_assert!(left.edits.is_empty());
            for (_, left) in edits.undone(last) {
                prop_assert!(left.edits.len() < edits.edits.len());
            }
        }
    }
}
