//! The source of a corpus that grows: generations. The cases of a generation are made from a frozen view of the pool. At
//! its end, admissions are decided in the order of the cases and stored, before anything can be made from them. So the
//! same seed gives the same pool for any number of workers and interruptions, if the coverage of a case does not depend
//! on others.
//!
//! A generation is made from the pool as it was at the end of the last but one, so that workers need not wait for the
//! slowest case of the last. If the target measures nothing, no case is guided, and every ticket means what it always
//! means. Weights are in `pool.rs`, the share of guided cases in `share.rs`.

mod frontier;
mod pool;
mod record;
mod share;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forge::{Case, Derivation, Entropy, Feedback, Lineage, Method, Origin, Ticket};

use self::frontier::COMMON;
use self::pool::{Frozen, OFTEN, Pool};
pub use self::record::{Arm, Children, Entry, Record};
use super::source::{Fate, Report, Source, SourceProgress};
use super::{Campaign, Line, Shard};
use crate::coverage::Coverage;
use crate::growth::{Growth, Yield};
use crate::store::{Store, StoreError};
use crate::target::Target;

/// The least cases of a generation, and the least batches.
const CASES: usize = 64;
const BATCHES: usize = 8;

/// How often another parent or other edits are drawn if some do not fit.
const TRIES: u32 = 8;

/// The cases of one line.
pub(super) struct Generations<'a> {
    store: &'a dyn Store,
    method: Arc<dyn Method>,
    seed: u64,
    id: i64,
    /// Told which blocks need no more reports.
    coverage: Option<Arc<Coverage>>,
    /// How many cases a generation and a portion of work have.
    length: u64,
    portion: u64,
    /// One past the last case.
    end: Option<u64>,
    shard: Shard,
    done_before: u64,
    state: Mutex<State>,
}

struct State {
    pool: Pool,
    /// What the next generations are made from. A generation is named by its block of numbers.
    frozen: BTreeMap<u64, Arc<Frozen>>,
    open: BTreeMap<u64, Open>,
    /// The next case that was never handed out.
    next: u64,
    undone: Vec<Range<u64>>,
    in_flight: Vec<Range<u64>>,
    /// Whether every program of the corpus was tried as it is.
    seeds_are_done: bool,
}

/// A generation that is not closed.
#[derive(Default)]
struct Open {
    tried: BTreeMap<u64, Tried>,
    skipped: BTreeMap<String, u64>,
    /// How many numbers are done, with or without a case.
    done: u64,
}

/// A case with its result.
struct Tried {
    /// `None` if it cannot become an entry.
    case: Option<Case>,
    arm: Arm,
    operators: BTreeSet<String>,
    parent: Option<u64>,
    fate: Fate,
    measured: bool,
    work: u64,
    /// Blocks that were not common when the case was tried.
    rare: Vec<u64>,
}

impl<'a> Generations<'a> {
    pub(super) fn new(
        campaign: &Campaign<'a>,
        line: &Line,
        batch: usize,
    ) -> Result<Self, StoreError> {
        let id = campaign.store.line(&campaign.line_key(line))?;
        let done = campaign.store.done(id)?;
        let shard = campaign.options.shard;
        let coverage = campaign.bench.coverage.clone();
        let measures = |target: &Arc<dyn Target>| target.coverage(&campaign.bench);
        let is_repeatable = line.targets.iter().filter_map(|it| measures(it).ok());
        let is_repeatable =
            coverage.is_none() || is_repeatable.into_iter().all(|it| it.is_repeatable);
        let mut state = State {
            pool: Pool::new(is_repeatable),
            frozen: BTreeMap::new(),
            open: BTreeMap::new(),
            next: 0,
            undone: vec![],
            in_flight: vec![],
            seeds_are_done: false,
        };
        let length = batch.saturating_mul(BATCHES).max(CASES) as u64;
        let mut first = shard.following(0);
        let mut view = Arc::new(state.pool.freeze());
        let mut before = Arc::clone(&view);
        let records = campaign.store.generations(id)?;
        let count = records.len();
        for (number, (block, record)) in (1..).zip(records) {
            state.seeds_are_done = !record.arms.contains_key(&Arm::Seed);
            state.pool.apply(record);
            if number + 1 >= count {
                before = std::mem::replace(&mut view, Arc::new(state.pool.freeze()));
            }
            first = shard.following(block + 1);
        }
        if let Some(coverage) = &coverage {
            coverage.learn(&state.pool.newly_known());
        }
        state.frozen.insert(first, before);
        state.frozen.insert(shard.following(first + 1), view);
        state.next = first * length;
        let end = campaign.options.cases;
        // The last generation may have been cut short by this very end.
        if let Some(end) = end
            && end < (first + 1) * length
            && done.iter().any(|range| range.start <= state.next && range.end >= end)
        {
            state.next = end;
        }
        let done_before = done.iter().map(|range| range.end - range.start).sum();
        Ok(Self {
            store: campaign.store,
            method: Arc::clone(&line.method),
            seed: campaign.options.seed,
            id,
            coverage,
            length,
            portion: batch.max(1) as u64,
            end,
            shard,
            done_before,
            state: Mutex::new(state),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing can panic while the state is inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cut(&self, number: u64) -> u64 {
        self.end.map_or(number, |end| number.min(end))
    }

    /// The numbers of a generation.
    fn range(&self, block: u64) -> Range<u64> {
        self.cut(block * self.length)..self.cut((block + 1) * self.length)
    }

    /// The case of a number. A program of the corpus stays as it is; a mutant is guided or blind.
    fn case(&self, frozen: &Frozen, number: u64) -> Option<Case> {
        let drawn = self.method.make(&self.method.ticket(self.seed, number))?;
        let lineage = self.method.lineage(&drawn);
        let Some(lineage) = lineage.filter(|it| !is_seed(it, number)) else { return Some(drawn) };
        let name = format!("{} generations", self.method.name());
        let mut entropy = Entropy::of(&Ticket::new(name, self.seed, number));
        let is_allowed = lineage.seed.is_none_or(|seed| !frozen.bars(seed));
        if is_allowed && !entropy.chance(frozen.share, 100) {
            return Some(drawn);
        }
        (0..TRIES).find_map(|_| self.derived(frozen, number, &mut entropy))
    }

    fn derived(&self, frozen: &Frozen, number: u64, entropy: &mut Entropy) -> Option<Case> {
        let parent = frozen.parent(entropy)?;
        let key = entropy.word();
        let case = self.method.derive(&[parent], &mut Entropy::keyed(key))?;
        if !frozen.allows(&self.latest(parent, &case), entropy) {
            return None;
        }
        let origin = Origin::Derived(Derivation {
            method: self.method.name().to_owned(),
            revision: self.method.revision(),
            number,
            entropy: key,
            parents: vec![parent.fingerprint()],
        });
        Some(Case { origin, ..case })
    }

    /// The operators that made a case of its parent.
    fn latest(&self, parent: &Case, case: &Case) -> Vec<String> {
        let of = |case| self.method.lineage(case).unwrap_or_default().operators;
        let (before, mut after) = (of(parent).len(), of(case));
        // Long lineages forget their first steps.
        let from = if after.len() > before { before } else { after.len().saturating_sub(1) };
        after.split_off(from)
    }

    /// What is kept of a case until its generation is closed.
    fn tried(&self, pool: &Pool, case: Case, fate: Fate, feedback: Option<Feedback>) -> Tried {
        let lineage = self.method.lineage(&case);
        let arm = arm(&case, lineage.as_ref());
        let lineage = lineage.unwrap_or_default();
        let parent = pool.parent(&case, lineage.seed);
        let operators = match (arm, parent.and_then(|it| pool.case(it))) {
            (Arm::Guided, Some(parent)) => self.latest(parent, &case),
            _ => lineage.operators,
        };
        let measured = feedback.is_some();
        let mut blocks = feedback.unwrap_or_default().features;
        blocks.sort_unstable();
        blocks.dedup();
        blocks.retain(|block| pool.frontier.count(*block) < COMMON);
        let is_new = blocks.iter().any(|block| pool.frontier.count(*block) == 0);
        let is_sound = matches!(fate, Fate::Accepted | Fate::Rejected);
        let work = work(&case, &fate);
        let may_enter = is_sound && (is_new || arm == Arm::Seed);
        Tried {
            case: may_enter.then_some(case),
            arm,
            operators: operators.into_iter().collect(),
            parent: parent.filter(|_| arm != Arm::Seed),
            fate,
            measured,
            work,
            rare: if may_enter { blocks } else { vec![] },
        }
    }

    /// Closes the first generations, as far as they are done: decides on admissions, stores them, and only then makes
    /// them visible.
    fn close(&self, state: &mut State) -> Result<(), StoreError> {
        while let Some((&block, open)) = state.open.first_key_value() {
            let range = self.range(block);
            if open.done < range.end - range.start {
                return Ok(());
            }
            let Some(open) = state.open.remove(&block) else { return Ok(()) };
            let skipped: Vec<(String, u64)> = open.skipped.into_iter().collect();
            if range.end < (block + 1) * self.length {
                // A hunt for more cases does this generation again, whole.
                return self.store.finish(self.id, &range, &skipped);
            }
            let record = decide(&state.pool, open.tried);
            self.store.close(self.id, block, &range, &skipped, &record)?;
            state.seeds_are_done = !record.arms.contains_key(&Arm::Seed);
            state.pool.apply(record);
            if let Some(coverage) = &self.coverage {
                coverage.learn(&state.pool.newly_known());
            }
            state.frozen.remove(&block);
            let next = self.shard.following(self.shard.following(block + 1) + 1);
            state.frozen.insert(next, Arc::new(state.pool.freeze()));
        }
        Ok(())
    }
}

/// Whether a case is the program of its own ticket, as it is.
fn is_seed(lineage: &Lineage, number: u64) -> bool {
    lineage.is_seed() && lineage.seed == Some(number)
}

fn arm(case: &Case, lineage: Option<&Lineage>) -> Arm {
    match (&case.origin, lineage.is_some_and(|it| is_seed(it, case.origin.number()))) {
        (Origin::Derived(_), _) => Arm::Guided,
        (_, true) => Arm::Seed,
        (_, false) => Arm::Blind,
    }
}

/// The work that a case causes, in bytes of its programs: a program that compiles goes through all stages. Time would be
/// another one on each machine.
fn work(case: &Case, fate: &Fate) -> u64 {
    let bytes = case.size().0 as u64;
    if *fate == Fate::Accepted { 4 * bytes } else { bytes }
}

/// What a generation adds to a pool, in the order of its cases.
fn decide(pool: &Pool, all: BTreeMap<u64, Tried>) -> Record {
    let mut record = Record::default();
    let mut added: HashMap<u64, u8> = HashMap::new();
    for (number, tried) in all {
        let accepted = tried.fate == Fate::Accepted;
        let mut gain =
            Yield { cases: 1, accepted: u64::from(accepted), work: tried.work, ..Yield::default() };
        record.measured |= tried.measured;
        if let Some(parent) = tried.parent {
            record.children.entry(parent).or_default().count += 1;
        }
        if let Fate::Failed(signature) = &tried.fate {
            let known = pool.signatures.get(signature).copied().unwrap_or(0);
            let seen = record.signatures.entry(signature.clone()).or_default();
            gain.failures = 1;
            if tried.arm == Arm::Seed {
                record.barred.insert(number);
            }
            gain.signatures = u64::from(known + *seen == 0);
            if known + *seen >= OFTEN {
                if let Some(parent) = tried.parent {
                    record.children.entry(parent).or_default().repeats += 1;
                }
                for operator in &tried.operators {
                    *record.repeats.entry(operator.clone()).or_default() += 1;
                }
            }
            *seen += 1;
        }
        if let Some(case) = tried.case {
            let mut rare = tried.rare;
            let count =
                |block: &u64| pool.frontier.count(*block) + added.get(block).copied().unwrap_or(0);
            gain.fresh = rare.iter().filter(|block| count(block) == 0).count() as u64;
            rare.retain(|block| count(block) < COMMON);
            if gain.fresh > 0 || tried.arm == Arm::Seed {
                rare.iter().for_each(|block| *added.entry(*block).or_default() += 1);
                record.entries.push(Entry { case, accepted, rare });
            }
        }
        record.arms.entry(tried.arm).or_default().add(&gain);
        for operator in &tried.operators {
            record.operators.entry(operator.clone()).or_default().add(&gain);
        }
    }
    record
}

impl Source for Generations<'_> {
    fn next(&self) -> Option<Range<u64>> {
        let mut state = self.state();
        let range = match state.undone.pop() {
            Some(undone) => undone,
            None => {
                let block = self.shard.following(state.next / self.length);
                let range = self.range(block);
                let start = range.start.max(state.next);
                if start >= range.end || !state.frozen.contains_key(&block) {
                    return None;
                }
                let end = range.end.min(start + self.portion);
                state.next = end;
                state.open.entry(block).or_default();
                start..end
            }
        };
        state.in_flight.push(range.clone());
        Some(range)
    }

    fn cases(&self, numbers: Range<u64>) -> Vec<Case> {
        let frozen = self.state().frozen.get(&(numbers.start / self.length)).cloned();
        let Some(frozen) = frozen else { return vec![] };
        numbers.filter_map(|number| self.case(&frozen, number)).collect()
    }

    fn learn(&self, work: &Range<u64>, report: Report) -> Result<(), StoreError> {
        let mut feedback: HashMap<u64, Feedback> =
            report.feedback.into_iter().map(|(case, it)| (case.origin.number(), it)).collect();
        let mut state = self.state();
        let mut all = BTreeMap::new();
        for (case, fate) in report.judged {
            let number = case.origin.number();
            if number < report.done {
                let feedback = feedback.remove(&number);
                all.insert(number, self.tried(&state.pool, case, fate, feedback));
            }
        }
        state.in_flight.retain(|other| other != work);
        if report.done < work.end {
            state.undone.push(report.done..work.end);
        }
        if let Some(open) = state.open.get_mut(&(work.start / self.length)) {
            open.tried.append(&mut all);
            open.done += report.done - work.start;
            for (why, count) in report.skipped {
                *open.skipped.entry(why).or_default() += count;
            }
        }
        self.close(&mut state)
    }

    fn settled(&self, number: u64) -> bool {
        let state = self.state();
        let mut busy = state.in_flight.iter().chain(&state.undone);
        // A program of the corpus may show that a finding is no news.
        state.seeds_are_done && number < state.next && busy.all(|range| range.start > number)
    }

    fn progress(&self) -> SourceProgress {
        let state = self.state();
        let next = self.shard.following(state.next / self.length);
        let is_last = self.end.is_some_and(|end| state.next.max(next * self.length) >= end);
        let goal = self.end.map(|end| {
            let whole = end / self.length;
            let is_own = self.shard.first_from(whole) == Some(whole);
            let last = if is_own { end % self.length } else { 0 };
            self.shard.count(whole) * self.length + last
        });
        SourceProgress {
            done_before: self.done_before,
            goal,
            exhausted: is_last && state.undone.is_empty(),
            space_exhausted: false,
            in_flight: !state.in_flight.is_empty(),
        }
    }

    fn growth(&self) -> Option<Growth> {
        Some(self.state().pool.growth())
    }
}
