//! Where a run takes its arbitrary values from: undef, freeze, signs and payloads of NaNs. A caller can
//! enumerate all runs, or sample some.

/// The choices of one run after another.
#[derive(Clone, Debug)]
pub struct Choices {
    /// What was chosen at each point of this run, of how many.
    path: Vec<(u32, u32)>,
    position: usize,
    /// If set, choices are drawn instead of enumerated.
    sample: Option<u64>,
    /// The machine that the run is for, if it is for one.
    model: Option<u64>,
    /// Whether this run asked for the model.
    asked_model: bool,
    /// Values to try where a word is too wide for all of its values.
    hints: Vec<u128>,
    /// The wide words of this run.
    chosen: Vec<u128>,
    is_complete: bool,
    /// How many more operations on undef this run may compute again.
    fuel: u32,
    /// The same for finding out whether decisions of this run depend on undef.
    settling: u32,
}

/// How many operations on undef a run may compute to settle its decisions: in a loop each of them takes longer than the
/// one before it.
const SETTLING: u32 = 16_000;

/// Operations on undef are computed again for every use, so that a chain of them can double at each step.
const FUEL: u32 = 4000;

/// Words of at most so many bits are enumerated value by value.
const ENUMERATED_BITS: u32 = 8;

impl Choices {
    /// Enumerates runs: call [`Self::advance`] between them.
    pub fn all() -> Self {
        Self {
            path: vec![],
            position: 0,
            sample: None,
            model: None,
            asked_model: false,
            hints: vec![],
            chosen: vec![],
            is_complete: true,
            fuel: FUEL,
            settling: SETTLING,
        }
    }

    /// Draws choices from a seed.
    pub fn sampled(seed: u64) -> Self {
        Self { sample: Some(seed), model: Some(seed), ..Self::all() }
    }

    /// Chooses as one machine would: zeros on the first.
    pub fn of_machine(number: u64) -> Self {
        match number {
            0 => Self { model: Some(0), ..Self::all() },
            _ => Self::sampled(number),
        }
    }

    /// The machine that a run is for, where it must not differ from itself: optimisers may compute a
    /// floating-point operation twice, and expect the same bits. None if runs are enumerated.
    pub(crate) fn model(&mut self) -> Option<u64> {
        let model = self.model?;
        self.asked_model = true;
        Some(model)
    }

    /// Values that wide words shall take in some runs.
    #[must_use]
    pub fn with_hints(mut self, hints: Vec<u128>) -> Self {
        self.hints = hints;
        self
    }

    /// Whether the last run chose anything.
    pub fn is_used(&self) -> bool {
        !self.path.is_empty() || self.asked_model
    }

    /// The wide words that this run chose.
    pub fn chosen(&self) -> &[u128] {
        &self.chosen
    }

    /// Whether the runs so far and those to come cover every choice.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The next run. False if there is none.
    pub fn advance(&mut self) -> bool {
        self.position = 0;
        self.asked_model = false;
        self.chosen.clear();
        self.fuel = FUEL;
        self.settling = SETTLING;
        while let Some((chosen, options)) = self.path.pop() {
            if chosen + 1 < options {
                self.path.push((chosen + 1, options));
                return true;
            }
        }
        false
    }

    /// A number below `options`.
    pub fn below(&mut self, options: u32) -> u32 {
        if options < 2 {
            return 0;
        }
        if let Some((chosen, _)) = self.path.get(self.position) {
            self.position += 1;
            return *chosen;
        }
        let chosen = match &mut self.sample {
            None => 0,
            Some(seed) => {
                *seed = mix(*seed);
                (((*seed >> 32) * u64::from(options)) >> 32) as u32
            }
        };
        self.path.push((chosen, options));
        self.position += 1;
        chosen
    }

    /// A word of so many bits.
    pub fn word(&mut self, width: u32) -> u128 {
        if width <= ENUMERATED_BITS {
            return u128::from(self.below(1 << width));
        }
        let mask = u128::MAX >> (128 - width);
        let word = match &mut self.sample {
            Some(seed) if seed.is_multiple_of(2) => {
                *seed = mix(*seed);
                let low = mix(seed.wrapping_add(1));
                (u128::from(*seed) << 64 | u128::from(low)) & mask
            }
            _ => {
                self.is_complete = false;
                let edges = [0, 1, mask, 1 << (width - 1), mask >> 1];
                let index = self.below((edges.len() + self.hints.len()) as u32) as usize;
                let hint = || self.hints.get(index - edges.len()).copied();
                edges.get(index).copied().or_else(hint).unwrap_or(0) & mask
            }
        };
        self.chosen.push(word);
        word
    }

    /// How many operations on undef this run computed again.
    pub(crate) fn burnt(&self) -> u32 {
        FUEL - self.fuel
    }

    /// Whether one more operation on undef may be computed again.
    pub(crate) fn burn(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    /// Whether so many more operations may be computed to settle a decision.
    pub(crate) fn spend(&mut self, operations: u32) -> bool {
        self.settling = self.settling.saturating_sub(operations);
        self.settling > 0
    }

    /// Says that this point has choices that are not enumerated.
    pub fn leave_out(&mut self) {
        self.is_complete = false;
    }
}

/// A number that looks unrelated to its argument.
pub(crate) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_runs_are_enumerated_once() {
        let mut choices = Choices::all();
        let mut runs = vec![];
        loop {
            let first = choices.below(3);
            // A point that only some runs reach.
            let second = if first == 1 { choices.word(1) } else { 7 };
            runs.push((first, second));
            if !choices.advance() {
                break;
            }
        }
        assert_eq!(runs, [(0, 7), (1, 0), (1, 1), (2, 7)]);
        assert!(choices.is_complete());
    }

    #[test]
    fn wide_words_try_edges_and_hints_and_are_incomplete() {
        let mut choices = Choices::all().with_hints(vec![1234]);
        let mut words = vec![choices.word(32)];
        while choices.advance() {
            words.push(choices.word(32));
        }
        assert!(words.contains(&1234) && words.contains(&0xffff_ffff));
        assert!(!choices.is_complete());
    }
}
