//! Proposes cuts of a text: runs of lines from halves down to single lines, the contents of a pair of
//! brackets, the pair itself, runs of tokens, single characters. Every candidate is shorter.

use std::ops::Range;

use forge::{Candidates, Case, Model};

/// Cases whose first program is cut. `model` is what is left of the model of a case.
pub(crate) fn cases(case: &Case, model: Model) -> Candidates<'_> {
    let Some(program) = case.programs.first() else { return Box::new(std::iter::empty()) };
    Box::new(candidates(&program.source).map(move |source| {
        let mut smaller = Case { model: model.clone(), ..case.clone() };
        if let Some(program) = smaller.programs.first_mut() {
            program.source = source;
        }
        Some(smaller)
    }))
}

fn candidates(source: &str) -> impl Iterator<Item = String> + Send + '_ {
    let lines = pieces(source, |before, _| before == '\n');
    let tokens = tokens(source);
    let characters = if source.len() <= 200 { pieces(source, |_, _| true) } else { vec![] };
    runs(lines)
        .map(Cut::One)
        .chain(brackets(source))
        .chain(runs(tokens).map(Cut::One))
        .chain(characters.into_iter().map(Cut::One))
        .map(|cut| cut.apply(source))
}

enum Cut {
    One(Range<usize>),
    /// The positions of an opening bracket and its closing bracket.
    Pair(usize, usize),
}

impl Cut {
    fn apply(self, source: &str) -> String {
        match self {
            Self::One(range) => [&source[..range.start], &source[range.end..]].concat(),
            Self::Pair(open, close) => {
                [&source[..open], &source[open + 1..close], &source[close + 1..]].concat()
            }
        }
    }
}

/// Every aligned run of pieces, the longest first; never all pieces.
fn runs(pieces: Vec<Range<usize>>) -> impl Iterator<Item = Range<usize>> + Send {
    let count = pieces.len();
    std::iter::successors(Some(count.div_ceil(2)), |&length| (length > 1).then_some(length / 2))
        .take_while(move |_| count > 1)
        .flat_map(move |length| (0..count).step_by(length).map(move |start| (start, length)))
        .map(move |(start, length)| {
            let last = (start + length).min(count) - 1;
            pieces[start].start..pieces[last].end
        })
}

/// Splits the text wherever `ends` is true for two adjacent characters.
fn pieces(source: &str, ends: impl Fn(char, char) -> bool) -> Vec<Range<usize>> {
    let mut pieces = vec![];
    let mut start = 0;
    let mut previous = None;
    for (at, character) in source.char_indices() {
        if previous.is_some_and(|previous| ends(previous, character)) {
            pieces.push(start..at);
            start = at;
        }
        previous = Some(character);
    }
    if start < source.len() {
        pieces.push(start..source.len());
    }
    pieces
}

/// Words, runs of white space, and single other characters.
fn tokens(source: &str) -> Vec<Range<usize>> {
    let word = |character: char| character.is_alphanumeric() || character == '_';
    pieces(source, |before, after| {
        let same_word = word(before) && word(after);
        let same_space = before.is_whitespace() && after.is_whitespace();
        !(same_word || same_space)
    })
}

/// For every matched pair of brackets: the pair with its contents, the contents, the pair alone.
fn brackets(source: &str) -> impl Iterator<Item = Cut> + Send + '_ {
    let mut open: Vec<(usize, char)> = vec![];
    let mut pairs: Vec<(usize, usize)> = vec![];
    for (at, character) in source.char_indices() {
        let closes = match character {
            '(' | '[' | '{' => {
                open.push((at, character));
                continue;
            }
            ')' => '(',
            ']' => '[',
            '}' => '{',
            _ => continue,
        };
        if open.last().is_some_and(|(_, opened)| *opened == closes)
            && let Some((start, _)) = open.pop()
        {
            pairs.push((start, at));
        }
    }
    pairs.sort_unstable_by_key(|(start, end)| (std::cmp::Reverse(end - start), *start));
    pairs.into_iter().flat_map(|(start, end)| {
        let mut cuts = vec![];
        // Never cut the whole text: an empty program is useless as a reproducer.
        if (start, end + 1) != (0, source.len()) {
            cuts.push(Cut::One(start..end + 1));
        }
        if start + 1 < end {
            cuts.push(Cut::One(start + 1..end));
        }
        cuts.push(Cut::Pair(start, end));
        cuts
    })
}
