//! The standing of a rule under a semantics: the proven relation, widths and routes, or why there
//! is none.

use std::fmt;

use super::kernel::{Relation, Scope, Semantics};
use super::refute::Counterexample;

/// The route that proved a goal; it names the kind of certificate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Route {
    Ring,
    Slices,
    Linear,
    Circuit,
    Refutation,
    Cases,
    Lemmas,
    Composition,
}

impl Route {
    pub const ALL: [Self; 8] = [
        Self::Ring,
        Self::Slices,
        Self::Linear,
        Self::Circuit,
        Self::Refutation,
        Self::Cases,
        Self::Lemmas,
        Self::Composition,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Slices => "slices",
            Self::Linear => "linear",
            Self::Circuit => "circuit",
            Self::Refutation => "sat",
            Self::Cases => "cases",
            Self::Lemmas => "lemmas",
            Self::Composition => "rules",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.name() == name)
    }
}

/// One proof: the widths that it covers, and its route.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Proven {
    pub scope: Scope,
    pub route: Route,
}

impl fmt::Display for Proven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scope {
            Scope::At(width) => write!(f, "at {width} by {}", self.route.name()),
            Scope::From(1) => write!(f, "at every width by {}", self.route.name()),
            Scope::From(width) => write!(f, "from {width} on by {}", self.route.name()),
        }
    }
}

/// Only proven rules are used for hunting.
#[derive(Clone, Debug)]
pub enum Standing {
    Proven {
        relation: Relation,
        where_to: Vec<Proven>,
    },
    /// Refuted for every relation.
    Unsound(Counterexample),
    /// No counterexample was found, and no route proves it.
    Tested,
    /// The semantics has none of the rule's widths, or the lowering cannot express the rule.
    Absent,
}

impl Standing {
    /// The relation proven at a width.
    pub fn at(&self, width: u16) -> Option<Relation> {
        let Self::Proven { relation, where_to } = self else { return None };
        let covers = |proven: &Proven| match proven.scope {
            Scope::At(w) => w == width,
            Scope::From(least) => width >= least,
        };
        where_to.iter().any(covers).then_some(*relation)
    }

    pub fn is_proven(&self) -> bool {
        matches!(self, Self::Proven { .. })
    }
}

/// The widths at which rules are proven individually if no route covers all widths.
pub const WIDTHS: [u16; 7] = [8, 16, 32, 64, 128, 256, 257];

/// Those of them that a semantics has.
pub(super) fn widths_of(semantics: &Semantics) -> impl Iterator<Item = u16> + use<'_> {
    WIDTHS.into_iter().filter(|&width| semantics.has_width(width))
}
