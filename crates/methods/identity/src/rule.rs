//! A rule: an equation with a name, an origin and the widths that it applies to. Whether it holds
//! is left to proofs, per semantics.

use super::kernel::{Equation, Extent, Op, Relation, TermId, Terms};

/// The subject of a rule, which is also the name of its file.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    Ring,
    LinearMba,
    PolynomialMba,
    Comparison,
    Shift,
    Division,
    Domain,
    Peephole,
}

impl Category {
    pub const ALL: [Self; 8] = [
        Self::Ring,
        Self::LinearMba,
        Self::PolynomialMba,
        Self::Comparison,
        Self::Shift,
        Self::Division,
        Self::Domain,
        Self::Peephole,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::LinearMba => "linear-mba",
            Self::PolynomialMba => "polynomial-mba",
            Self::Comparison => "comparison",
            Self::Shift => "shift",
            Self::Division => "division",
            Self::Domain => "domain",
            Self::Peephole => "peephole",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}

/// A variable of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub width: Extent,
    /// Matches only literals, whose values the conditions may restrict.
    pub constant: bool,
}

/// The widths `w` that a rule applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widths {
    pub least: u16,
    pub most: u16,
    pub multiple: u16,
    /// If not empty, only these.
    pub only: Vec<u16>,
}

/// The greatest width of a term.
pub const WIDEST: u16 = 512;

impl Default for Widths {
    fn default() -> Self {
        Self { least: 1, most: WIDEST, multiple: 1, only: Vec::new() }
    }
}

impl Widths {
    pub fn has(&self, width: u16) -> bool {
        (self.least..=self.most).contains(&width)
            && width.is_multiple_of(self.multiple)
            && (self.only.is_empty() || self.only.contains(&width))
    }

    /// Whether it applies to all multiples of `multiple` from the least width on.
    pub fn is_open(&self) -> bool {
        self.most == WIDEST && self.only.is_empty()
    }
}

/// A relation that the author claims under a semantics; a proof has to confirm it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub semantics: &'static str,
    pub relation: Relation,
    pub line: usize,
}

/// A named equation of terms.
#[derive(Clone, Debug)]
pub struct Rule {
    pub name: String,
    pub category: Category,
    pub source: Option<String>,
    pub variables: Vec<Variable>,
    pub equation: Equation,
    pub widths: Widths,
    pub claims: Vec<Claim>,
    /// For a synthesised rule: its distance from a consequence of the hand-written rules.
    pub grade: Option<u8>,
    /// The line in its file.
    pub line: usize,
}

impl Rule {
    pub fn terms(&self) -> &Terms {
        &self.equation.terms
    }

    pub fn left(&self) -> TermId {
        self.equation.sides[0]
    }

    pub fn right(&self) -> TermId {
        self.equation.sides[1]
    }

    /// How often each variable occurs on a side, counted as a tree.
    pub fn occurrences(&self, side: TermId) -> Vec<u32> {
        let mut counts = vec![0; self.variables.len()];
        self.count(side, &mut counts);
        counts
    }

    fn count(&self, term: TermId, counts: &mut [u32]) {
        if let Op::Variable(index) = self.terms().op(term) {
            counts[usize::from(index)] += 1;
        }
        for &arg in self.terms().args(term) {
            self.count(arg, counts);
        }
    }

    /// How a rewrite from one side to the other uses the operands. This matters if they are not
    /// pure.
    pub fn handling(&self, from: TermId, to: TermId) -> Handling {
        let (before, after) = (self.occurrences(from), self.occurrences(to));
        let order = |side| {
            let mut order = Vec::new();
            self.first_uses(side, &mut order);
            order
        };
        let (mut one, mut other) = (order(from), order(to));
        one.retain(|&v| after[usize::from(v)] > 0);
        other.retain(|&v| before[usize::from(v)] > 0);
        let operands = |test: fn(u32, u32) -> bool| {
            let pairs = before.iter().zip(&after).enumerate();
            pairs.filter(|(_, (b, a))| test(**b, **a)).map(|(index, _)| index as u16).collect()
        };
        Handling {
            drops: operands(|before, after| before > 0 && after == 0),
            invents: operands(|before, after| before == 0 && after > 0),
            duplicates: operands(|before, after| before > 0 && after > before),
            reorders: one != other,
        }
    }

    fn first_uses(&self, term: TermId, order: &mut Vec<u16>) {
        if let Op::Variable(index) = self.terms().op(term)
            && !self.variables[usize::from(index)].constant
            && !order.contains(&index)
        {
            order.push(index);
        }
        for &arg in self.terms().args(term) {
            self.first_uses(arg, order);
        }
    }
}

/// Variables by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handling {
    pub drops: Vec<u16>,
    pub invents: Vec<u16>,
    pub duplicates: Vec<u16>,
    pub reorders: bool,
}
