//! Mixes: how often each operator is drawn.

use forge::Entropy;

use crate::operator::Operator;

/// How often each operator is drawn, and how many edits a program gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// A part of the name of the method; empty for the usual one.
    pub name: &'static str,
    weights: &'static [(Operator, u64)],
    /// Whether one operator is drawn for all edits of a program, instead of one per edit.
    is_uniform: bool,
    edits: (u64, u64),
}

use Operator::{AnyBracket, Bracket, Havoc, Literal, Name, Statement, Strings, Template, Token};

/// The first is the usual one. `text` and `splice` are those of the paper: 75% string operators and 25% bytes;
/// 33% string operators, 33% templates and 34% bytes.
pub const MIXES: &[Mix] = &[
    Mix {
        name: "",
        weights: &[
            (Bracket, 34),
            (Statement, 16),
            (Strings, 12),
            (Name, 10),
            (Token, 10),
            (Literal, 8),
            (AnyBracket, 6),
            (Template, 2),
            (Havoc, 2),
        ],
        is_uniform: false,
        edits: (1, 4),
    },
    Mix { name: "text", weights: &[(Strings, 75), (Havoc, 25)], is_uniform: false, edits: (2, 16) },
    Mix {
        name: "splice",
        weights: &[(Strings, 33), (Template, 33), (Havoc, 34)],
        is_uniform: true,
        edits: (2, 16),
    },
    Mix { name: "bracket", weights: &[(Bracket, 1)], is_uniform: true, edits: (1, 4) },
    Mix { name: "bytes", weights: &[(Havoc, 1)], is_uniform: true, edits: (1, 4) },
];

impl Mix {
    pub fn named(name: &str) -> Option<Self> {
        MIXES.iter().find(|it| it.name == name).copied()
    }

    /// The operators for one program.
    pub(crate) fn draw(&self, entropy: &mut Entropy) -> Vec<Operator> {
        let count = entropy.between(self.edits.0, self.edits.1);
        let first = self.operator(entropy);
        match (self.is_uniform, first) {
            // A template is a program of its own.
            (true, Template) => vec![Template],
            (true, only) => vec![only; count as usize],
            (false, first) => {
                let rest = (1..count).map(|_| self.operator(entropy)).collect::<Vec<_>>();
                // It replaces the program, so it comes first or not at all.
                let rest = rest.into_iter().filter(|it| *it != Template);
                std::iter::once(first).chain(rest).collect()
            }
        }
    }

    fn operator(&self, entropy: &mut Entropy) -> Operator {
        let mut draw = entropy.below(self.weights.iter().map(|it| it.1).sum());
        for (operator, weight) in self.weights {
            if draw < *weight {
                return *operator;
            }
            draw -= weight;
        }
        Bracket
    }
}
