//! Functions of several cases in one source, for a compiler that crashes on all of them together and on none alone: one
//! function may change how another is inlined, merged or removed. The first one is called; the promise is only that the
//! compiler survives.

use serde::{Deserialize, Serialize};

use super::dialect::Dialect;
use forge::{Case, Interface, Language, Model, Program, Promise};

/// How many tickets are named in a trail.
const NAMED: usize = 6;

/// The model of such a case: the cases that it is made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Crowd {
    pub(super) crowd: Vec<Case>,
}

impl Crowd {
    /// The cases that a case is made of, if it is a crowd.
    pub(super) fn of(case: &Case) -> Option<Self> {
        serde_json::from_value(case.model.value()?).ok()
    }

    /// One case of all of them; nothing if there is only one.
    pub(super) fn case(&self, dialect: &Dialect) -> Option<Case> {
        let first = self.crowd.first().filter(|_| self.crowd.len() > 1)?;
        let programs = self.crowd.iter().flat_map(|case| &case.programs);
        let sources: Vec<&str> = programs.map(|program| program.source.as_str()).collect();
        let program = Program {
            name: "base".to_owned(),
            language: Language::new(dialect.language),
            interface: Interface::Function,
            source: dialect.crowd(&sources)?,
        };
        let tickets: Vec<String> =
            self.crowd.iter().take(NAMED).map(|case| case.origin.to_string()).collect();
        let others = match self.crowd.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} others"),
        };
        let told = format!("in one source: {}{others}", tickets.join(", "));
        Some(Case {
            origin: first.origin.clone(),
            programs: vec![program],
            inputs: first.inputs.first().cloned().into_iter().collect(),
            promise: Promise::Survives,
            trail: vec![told],
            model: Model::stored(serde_json::to_value(self).ok()?),
        })
    }

    /// Fewer of them: without one half, one quarter and so on, down to single ones.
    pub(super) fn fewer(&self) -> Vec<Self> {
        let mut all = vec![];
        let mut size = self.crowd.len() / 2;
        while size > 0 {
            for first in (0..self.crowd.len()).step_by(size) {
                let left = |(at, case): (usize, &Case)| {
                    (at < first || at >= first + size).then(|| case.clone())
                };
                all.push(Self { crowd: self.crowd.iter().enumerate().filter_map(left).collect() });
            }
            size /= 2;
        }
        all
    }

    /// The same with one case replaced.
    pub(super) fn with(&self, at: usize, case: Case) -> Self {
        let mut crowd = self.crowd.clone();
        crowd[at] = case;
        Self { crowd }
    }
}
