//! Checks refutations of clauses. The format is LRAT restricted to RUP steps, without RAT and
//! without deletions: a proof trimmed to its core gains nothing from deletions.
//!
//! A refutation is a sequence of clauses, each with hints: the numbers of earlier clauses. Under
//! the negation of the clause, each hint but the last is a unit clause whose literal is assigned,
//! and the last hint is a conflict. The last clause is empty. Clauses count from 1, starting with
//! the refuted ones.
//!
//! Encoding: the number of literals, each as twice its variable plus 1 if negated; the number of
//! hints, each as its distance back from the clause.

use std::fmt::Write as _;

use super::bytes::{Reader, put_number};
use super::circuit::Clauses;
use super::rejection::Rejection;

/// Accepts if and only if the bytes refute the clauses.
pub(super) fn check(clauses: &Clauses, refutation: &[u8]) -> Result<(), Rejection> {
    let mut checker = Checker::new(clauses);
    read(clauses, refutation, |literals, hints| checker.derive(literals, hints))
}

/// The refutation in the standard LRAT text format, for external checkers.
pub fn refutation_text(clauses: &Clauses, refutation: &[u8]) -> Result<String, Rejection> {
    let mut text = String::new();
    let mut number = clauses.len();
    read(clauses, refutation, |literals, hints| {
        number += 1;
        let _ = write!(text, "{number} ");
        for literal in literals {
            let _ = write!(text, "{literal} ");
        }
        text.push_str("0 ");
        for hint in hints {
            let _ = write!(text, "{hint} ");
        }
        text.push_str("0\n");
        Ok(())
    })?;
    Ok(text)
}

/// Encodes a step: the clause with this number, and its hints.
pub fn put_step(
    bytes: &mut Vec<u8>,
    number: usize,
    literals: &[i32],
    hints: impl ExactSizeIterator<Item = usize>,
) {
    put_number(bytes, literals.len() as u64);
    for &literal in literals {
        put_number(bytes, u64::from(literal.unsigned_abs()) << 1 | u64::from(literal < 0));
    }
    put_number(bytes, hints.len() as u64);
    for hint in hints {
        put_number(bytes, number.saturating_sub(hint) as u64);
    }
}

/// Decodes each step and passes it on. Rejects a refutation that does not end with the empty
/// clause.
fn read(
    clauses: &Clauses,
    refutation: &[u8],
    mut step: impl FnMut(&[i32], &[usize]) -> Result<(), Rejection>,
) -> Result<(), Rejection> {
    let mut reader = Reader::new(refutation);
    let mut number = clauses.len();
    let (mut literals, mut hints) = (Vec::new(), Vec::new());
    loop {
        number += 1;
        literals.clear();
        for _ in 0..reader.count()? {
            let code = reader.number()?;
            let variable = i32::try_from(code >> 1).unwrap_or(0);
            if variable == 0 || variable.unsigned_abs() > clauses.variables() {
                return Err(Rejection(format!(
                    "clause {number} has a literal of an unknown variable"
                )));
            }
            literals.push(if code & 1 == 1 { -variable } else { variable });
        }
        hints.clear();
        for _ in 0..reader.count()? {
            let back = usize::try_from(reader.number()?).unwrap_or(0);
            if back == 0 || back >= number {
                return Err(Rejection(format!(
                    "clause {number} has a hint that is not an earlier clause"
                )));
            }
            hints.push(number - back);
        }
        step(&literals, &hints)?;
        if literals.is_empty() {
            break;
        }
    }
    if !reader.is_empty() {
        return Err(Rejection("the refutation continues after the empty clause".into()));
    }
    Ok(())
}

struct Checker {
    literals: Vec<i32>,
    /// The end offset of each clause, after a leading 0.
    bounds: Vec<usize>,
    /// By variable: 1 if true, -1 if false, 0 if unassigned.
    values: Vec<i8>,
    assigned: Vec<i32>,
}

impl Checker {
    fn new(clauses: &Clauses) -> Self {
        let mut checker = Self {
            literals: Vec::new(),
            bounds: vec![0],
            values: vec![0; clauses.variables() as usize + 1],
            assigned: Vec::new(),
        };
        for clause in clauses.iter() {
            checker.push(clause);
        }
        checker
    }

    fn push(&mut self, clause: &[i32]) {
        self.literals.extend_from_slice(clause);
        self.bounds.push(self.literals.len());
    }

    fn derive(&mut self, clause: &[i32], hints: &[usize]) -> Result<(), Rejection> {
        for &literal in clause {
            if self.value(literal) > 0 {
                return Err(self.rejected("has a literal and its negation"));
            }
            self.assign(-literal);
        }
        let Some((&last, hints)) = hints.split_last() else {
            return Err(self.rejected("has no hints"));
        };
        for &hint in hints {
            match self.non_false(hint) {
                NonFalse::One(literal) => self.assign(literal),
                _ => return Err(self.rejected("has a hint that is not a unit clause")),
            }
        }
        let NonFalse::None = self.non_false(last) else {
            return Err(self.rejected("does not follow from its hints"));
        };
        for literal in self.assigned.drain(..) {
            self.values[literal.unsigned_abs() as usize] = 0;
        }
        self.push(clause);
        Ok(())
    }

    /// The literals of a clause that are not false.
    fn non_false(&self, clause: usize) -> NonFalse {
        let mut open = NonFalse::None;
        for &literal in &self.literals[self.bounds[clause - 1]..self.bounds[clause]] {
            if self.value(literal) >= 0 {
                match open {
                    NonFalse::None => open = NonFalse::One(literal),
                    _ => return NonFalse::Several,
                }
            }
        }
        open
    }

    fn value(&self, literal: i32) -> i8 {
        let value = self.values[literal.unsigned_abs() as usize];
        if literal < 0 { -value } else { value }
    }

    fn assign(&mut self, literal: i32) {
        self.values[literal.unsigned_abs() as usize] = if literal < 0 { -1 } else { 1 };
        self.assigned.push(literal);
    }

    fn rejected(&self, why: &str) -> Rejection {
        Rejection(format!("clause {} of the refutation {why}", self.bounds.len()))
    }
}

enum NonFalse {
    None,
    One(i32),
    Several,
}

#[cfg(test)]
mod tests;
