//! How many of the mutants are guided. Feedback must earn its keep: the share follows what blind and guided cases came to
//! per unit of work. Work is counted in bytes of programs, not in seconds, so that a seed gives the same
//! pool on any machine.

use super::record::{Arm, Record};
use crate::growth::Yield;

/// A new signature is worth as much as this many new blocks.
const SIGNATURE: u64 = 64;

/// The bounds of the share, in percent: both kinds are always measured.
const BOUNDS: (u64, u64) = (20, 80);

/// Of older yields, this many 256ths stay after a generation.
const MEMORY: u64 = 250;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    measured: bool,
    blind: Recent,
    guided: Recent,
}

/// What one kind came to recently, times 256.
#[derive(Clone, Copy, Debug, Default)]
struct Recent {
    worth: u64,
    work: u64,
}

impl Share {
    pub(super) fn learn(&mut self, record: &Record) {
        self.measured |= record.measured;
        let of = |arm| record.arms.get(&arm).copied().unwrap_or_default();
        self.blind.learn(&of(Arm::Blind));
        self.guided.learn(&of(Arm::Guided));
    }

    pub(super) fn percent(&self) -> u64 {
        if !self.measured {
            return 0;
        }
        let (blind, guided) = (self.blind.rate(), self.guided.rate());
        match blind + guided {
            0 => 50,
            sum => (100 * guided / sum).clamp(BOUNDS.0, BOUNDS.1),
        }
    }
}

impl Recent {
    fn learn(&mut self, more: &Yield) {
        if more.cases == 0 {
            return;
        }
        self.worth = self.worth * MEMORY / 256 + 256 * (more.fresh + SIGNATURE * more.signatures);
        self.work = self.work * MEMORY / 256 + 256 * more.work;
    }

    /// Per million of work.
    fn rate(&self) -> u64 {
        let rate = u128::from(self.worth) * 1_000_000 / u128::from(self.work.max(1));
        u64::try_from(rate).unwrap_or(u64::MAX / 256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(blind: u64, guided: u64) -> Record {
        let of = |fresh| Yield { cases: 10, work: 1000, fresh, ..Yield::default() };
        let arms = [(Arm::Blind, of(blind)), (Arm::Guided, of(guided))];
        Record { arms: arms.into(), measured: true, ..Record::default() }
    }

    #[test]
    fn the_share_follows_the_better_kind_and_keeps_measuring_the_other() {
        let mut share = Share::default();
        assert_eq!(share.percent(), 0, "nothing is guided while nothing is measured");
        share.learn(&record(0, 0));
        assert_eq!(share.percent(), 50);
        (0..20).for_each(|_| share.learn(&record(10, 30)));
        assert_eq!(share.percent(), 75);
        (0..400).for_each(|_| share.learn(&record(30, 0)));
        assert_eq!(share.percent(), 20);
    }

    #[test]
    fn a_signature_is_worth_many_blocks() {
        let mut share = Share::default();
        let mut record = record(10, 10);
        record.arms.entry(Arm::Guided).or_default().signatures = 1;
        share.learn(&record);
        assert_eq!(share.percent(), 80);
    }
}
