//! The pool of a corpus: the cases that may have children, with what is known of them. It changes only by records, in
//! order. What the next generations are made from is a [`Frozen`] view of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use forge::{Case, Entropy, Fingerprint, Origin};

use super::frontier::{COMMON, Frontier};
use super::record::{Arm, Entry, Record};
use super::share::Share;
use crate::growth::{Growth, Yield};

/// A signature that was seen so often is no news: its next failures count against their parents and operators.
pub(super) const OFTEN: u64 = 4;

/// A parent with so many repeated failures gets no more blind children.
const FLOODED: u64 = 8;

/// Lists of rare blocks are shortened when this many entries were added.
const TIDY: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Pool {
    entries: Vec<Kept>,
    numbers: HashMap<Fingerprint, usize>,
    /// The entries by the number of their case.
    by_number: BTreeMap<u64, usize>,
    pub(super) frontier: Frontier,
    /// A block that so many entries reach needs no more reports.
    enough: u8,
    /// Such blocks, since somebody asked.
    known: Vec<u64>,
    pub(super) signatures: BTreeMap<String, u64>,
    operators: BTreeMap<String, Operator>,
    barred: BTreeSet<u64>,
    arms: BTreeMap<Arm, Yield>,
    share: Share,
    tidied: usize,
}

#[derive(Debug)]
struct Kept {
    case: Arc<Case>,
    accepted: bool,
    rare: Vec<u64>,
    children: u64,
    repeats: u64,
}

/// What an operator came to.
#[derive(Clone, Copy, Debug, Default)]
struct Operator {
    all: Yield,
    repeats: u64,
}

/// What generations are made from. It never changes.
#[derive(Debug, Default)]
pub(super) struct Frozen {
    parents: Vec<Arc<Case>>,
    /// The sums of weights up to and including each parent.
    sums: Vec<u64>,
    /// The tickets of programs that have no more blind children.
    barred: BTreeSet<u64>,
    /// How many of a hundred cases by an operator are tried, if fewer.
    operators: BTreeMap<String, u64>,
    /// How many of a hundred mutants are guided.
    pub(super) share: u64,
}

impl Pool {
    /// An empty one. If a block is reported only once, a single entry is enough for it.
    pub(super) fn new(is_repeatable: bool) -> Self {
        Self { enough: if is_repeatable { COMMON } else { 1 }, ..Self::default() }
    }

    /// The number of the entry that a case was made from.
    pub(super) fn parent(&self, case: &Case, seed: Option<u64>) -> Option<u64> {
        match &case.origin {
            Origin::Derived(derivation) => {
                let at = *self.numbers.get(derivation.parents.first()?)?;
                Some(self.entries[at].case.origin.number())
            }
            Origin::Drawn(_) | Origin::Given { .. } => seed,
        }
    }

    /// The entry with this number.
    pub(super) fn case(&self, number: u64) -> Option<&Case> {
        self.by_number.get(&number).map(|at| self.entries[*at].case.as_ref())
    }

    pub(super) fn apply(&mut self, record: Record) {
        for (arm, more) in &record.arms {
            self.arms.entry(*arm).or_default().add(more);
        }
        for (operator, more) in &record.operators {
            self.operators.entry(operator.clone()).or_default().all.add(more);
        }
        for (signature, times) in &record.signatures {
            *self.signatures.entry(signature.clone()).or_default() += times;
        }
        for (number, children) in &record.children {
            if let Some(kept) = self.by_number.get(number).map(|at| &mut self.entries[*at]) {
                kept.children += children.count;
                kept.repeats += children.repeats;
            }
        }
        for (operator, times) in &record.repeats {
            self.operators.entry(operator.clone()).or_default().repeats += times;
        }
        self.barred.extend(&record.barred);
        self.share.learn(&record);
        record.entries.into_iter().for_each(|entry| self.admit(entry));
        if self.entries.len() >= self.tidied + TIDY {
            self.tidy();
        }
    }

    fn admit(&mut self, entry: Entry) {
        for block in &entry.rare {
            let before = self.frontier.count(*block);
            if self.frontier.add(*block) == self.enough && before < self.enough {
                self.known.push(*block);
            }
        }
        let at = self.entries.len();
        let Entry { case, accepted, rare } = entry;
        self.numbers.entry(case.fingerprint()).or_insert(at);
        self.by_number.insert(case.origin.number(), at);
        let case = Arc::new(case);
        self.entries.push(Kept { case, accepted, rare, children: 0, repeats: 0 });
    }

    /// Forgets blocks that have become common.
    fn tidy(&mut self) {
        self.tidied = self.entries.len();
        let frontier = &self.frontier;
        for kept in &mut self.entries {
            kept.rare.retain(|block| frontier.count(*block) < COMMON);
        }
    }

    pub(super) fn freeze(&self) -> Frozen {
        let mut sum = 0;
        let sums = self.entries.iter().map(|kept| {
            sum += self.weight(kept);
            sum
        });
        let sums = sums.collect();
        let flooded = self.entries.iter().filter(|kept| kept.repeats >= FLOODED);
        let barred = self.barred.iter().copied();
        let operators = self.operators.iter().filter(|(_, it)| it.repeats > 0);
        let operators = operators.map(|(name, it)| (name.clone(), it.percent()));
        Frozen {
            parents: self.entries.iter().map(|it| Arc::clone(&it.case)).collect(),
            sums,
            barred: barred.chain(flooded.map(|it| it.case.origin.number())).collect(),
            operators: operators.collect(),
            share: self.share.percent(),
        }
    }

    /// Entries with rare blocks, accepted and small ones, and those with few children are preferred. Floods are avoided.
    fn weight(&self, kept: &Kept) -> u64 {
        let rarity = |block: &u64| match self.frontier.count(*block) {
            COMMON => 0,
            count => u64::from(COMMON / count.max(1)),
        };
        let rare: u64 = kept.rare.iter().map(rarity).sum();
        let rare = u64::from(64 - (rare + 1).leading_zeros());
        let mut weight = 1000 * rare * rare;
        if kept.accepted {
            weight *= 4;
        }
        weight *= match kept.case.size().0 {
            0..1024 => 4,
            1024..2048 => 3,
            2048..4096 => 2,
            _ => 1,
        };
        (weight / (1 + kept.children / 32) / (1 + kept.repeats)).max(1)
    }

    /// The blocks that need no more reports, as far as they were not returned before.
    pub(super) fn newly_known(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.known)
    }

    /// What is shown of the pool.
    pub(super) fn growth(&self) -> Growth {
        Growth {
            pool: self.entries.len() as u64,
            covered: self.frontier.covered(),
            signatures: self.signatures.len() as u64,
            share: self.share.percent(),
            arms: self.arms.iter().map(|(arm, it)| (arm.name().to_owned(), *it)).collect(),
            operators: self.operators.iter().map(|(name, it)| (name.clone(), it.all)).collect(),
        }
    }
}

impl Operator {
    /// An operator half of whose cases repeat a failure is used a third as often.
    fn percent(&self) -> u64 {
        let tried = self.all.cases.max(1);
        (100 * tried / (tried + 4 * self.repeats)).max(10)
    }
}

impl Frozen {
    /// Whether a program has no more blind children: it failed as it is, or too many of them did.
    pub(super) fn bars(&self, seed: u64) -> bool {
        self.barred.contains(&seed)
    }

    /// A parent, by weight.
    pub(super) fn parent(&self, entropy: &mut Entropy) -> Option<&Arc<Case>> {
        let draw = entropy.below(*self.sums.last()?);
        self.parents.get(self.sums.partition_point(|sum| *sum <= draw))
    }

    /// Whether a case by these operators is tried.
    pub(super) fn allows(&self, operators: &[String], entropy: &mut Entropy) -> bool {
        operators.iter().all(|it| match self.operators.get(it) {
            Some(percent) => entropy.chance(*percent, 100),
            None => true,
        })
    }
}
