//! The values of one node, one row per valuation, and the rows without a value.

use crate::kernel::Trap;
use crate::word::Word;

/// Why a term has no value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Stop {
    Trap(Trap),
    Undefined,
}

/// The values of one node for many valuations.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Column<const N: usize> {
    /// 0 in rows that stop, so that equal columns mean equal outcomes.
    pub values: Vec<Word<N>>,
    /// Empty if every row has a value.
    pub stops: Vec<Option<Stop>>,
}

impl<const N: usize> Column<N> {
    pub fn constant(value: Word<N>, rows: usize) -> Self {
        Self { values: vec![value; rows], stops: Vec::new() }
    }

    pub fn stop(&self, row: usize) -> Option<Stop> {
        self.stops.get(row).copied().flatten()
    }

    /// Resets the column to the stops of the operands; the first operand that stops counts.
    pub(super) fn begin(&mut self, operands: &[&Self]) {
        self.values.clear();
        self.stops.clear();
        for operand in operands {
            if self.stops.is_empty() {
                self.stops.extend_from_slice(&operand.stops);
            } else {
                for (mine, &other) in self.stops.iter_mut().zip(&operand.stops) {
                    *mine = mine.or(other);
                }
            }
        }
    }

    /// Sets the values of stopping rows to 0, and clears `stops` if no row stops.
    pub(super) fn finish(&mut self) {
        let mut any = false;
        for (value, stop) in self.values.iter_mut().zip(&self.stops) {
            if stop.is_some() {
                *value = Word::ZERO;
                any = true;
            }
        }
        if !any {
            self.stops.clear();
        }
    }

    #[inline]
    pub(super) fn map(&mut self, a: &Self, value: impl Fn(Word<N>) -> Word<N>) {
        self.values.extend(a.values.iter().map(|&x| value(x)));
    }

    #[inline]
    pub(super) fn zip(&mut self, a: &Self, b: &Self, value: impl Fn(Word<N>, Word<N>) -> Word<N>) {
        self.values.extend(a.values.iter().zip(&b.values).map(|(&x, &y)| value(x, y)));
    }

    /// Like `map` and `zip`, for operations that may stop. `rows` yields the operands of each row.
    #[inline]
    pub(super) fn attempt<R>(
        &mut self,
        rows: impl Iterator<Item = R>,
        value: impl Fn(R) -> Result<Word<N>, Stop>,
    ) {
        for (row, operands) in rows.enumerate() {
            let result = value(operands);
            if let Err(stop) = result {
                self.stops.resize(self.stops.len().max(row + 1), None);
                self.stops[row] = self.stops[row].or(Some(stop));
            }
            self.values.push(result.unwrap_or(Word::ZERO));
        }
        if !self.stops.is_empty() {
            self.stops.resize(self.values.len(), None);
        }
    }
}
