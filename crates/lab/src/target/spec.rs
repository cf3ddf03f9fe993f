//! What a target is, as plain data: its name, what it reads, its settings and when each is used.

use forge::{Case, Interface, Language};

use super::name::TargetName;
use super::schedule::Schedule;
use crate::setting::Setting;

#[derive(Clone, Debug)]
pub struct Spec {
    pub name: TargetName,
    /// In order of preference: a hunt uses the first for which there is a method. Never empty.
    pub reads: Vec<Reads>,
    /// In order, from what changes the program least to what changes it most. Never empty: the first is
    /// the reference that others are compared with. A failure is looked at under all of them.
    pub settings: Vec<Setting>,
    /// Further settings, which are too many or too special for that: a failure is looked at only under
    /// the one that showed it.
    pub occasional: Vec<Setting>,
    /// Which settings a batch of cases is shown under.
    pub schedule: Schedule,
}

/// One kind of program that a target reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reads {
    pub language: Language,
    pub interface: Interface,
    pub batch: Batch,
}

/// How much should share one run of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    pub cases: usize,
    /// Bytes of source; a case that is larger has a run of its own.
    pub bytes: usize,
}

impl Batch {
    /// Every program has a run of its own.
    pub const ALONE: Self = Self::of(1);

    pub const fn of(cases: usize) -> Self {
        Self { cases, bytes: usize::MAX }
    }
}

impl Reads {
    pub fn new(language: &str, interface: Interface, batch: Batch) -> Self {
        Self { language: Language::new(language), interface, batch }
    }
}

impl Spec {
    /// The language that it is mainly for.
    pub fn language(&self) -> &Language {
        // A target reads something: see the field.
        &self.reads[0].language
    }

    /// The setting of this name, whichever list it is in.
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().chain(&self.occasional).find(|setting| setting.name == name)
    }

    /// The setting that the others are compared with.
    pub fn reference(&self) -> Option<&Setting> {
        self.settings.first()
    }

    /// How many cases with this interface share a run of the compiler.
    pub fn batch(&self, interface: Interface) -> Batch {
        let of_it = self.reads.iter().find(|reads| reads.interface == interface);
        of_it.map_or(Batch::ALONE, |reads| reads.batch)
    }

    /// The settings under which a batch is shown to the compiler. Where cases compare settings with each
    /// other, the reference is one of them.
    pub fn settings_for(&self, cases: &[Case]) -> Vec<Setting> {
        let Some(first) = cases.first() else { return vec![] };
        let turn = first.origin.number() / self.batch_of(first).cases.max(1) as u64;
        let mut chosen = self.schedule.turn(self, turn);
        let compares = cases.iter().any(|case| case.promise.compares_settings());
        if let Some(reference) = self.reference().filter(|_| compares)
            && !chosen.contains(reference)
        {
            chosen.insert(0, reference.clone());
        }
        chosen
    }

    /// How many cases like this one share a run of the compiler.
    pub fn batch_of(&self, case: &Case) -> Batch {
        case.programs.first().map_or(Batch::ALONE, |program| self.batch(program.interface))
    }
}
