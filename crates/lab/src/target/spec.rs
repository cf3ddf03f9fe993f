//! The description of a target as plain data: its name, what it reads, its settings and their schedule.

use forge::{Case, Interface, Language, Promise};

use super::name::TargetName;
use super::schedule::Schedule;
use super::text;
use crate::setting::Setting;

/// What a target is, as plain data.
#[derive(Clone, Debug)]
pub struct Spec {
    pub name: TargetName,
    /// In order of preference: a hunt uses the first for which there is a method. Never empty.
    pub reads: Vec<Reads>,
    /// From the least to the most optimising. Never empty: the first is the reference setting. Every failure is
    /// examined under all of them.
    pub settings: Vec<Setting>,
    /// Further settings, too many or too special to examine every failure with. A failure is examined only under the
    /// one that found it.
    pub occasional: Vec<Setting>,
    /// Selects the settings of a batch.
    pub schedule: Schedule,
}

/// One kind of program that a target reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reads {
    pub language: Language,
    pub interface: Interface,
    pub batch: Batch,
}

/// How many cases share one run of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    pub cases: usize,
    /// Bytes of source. A larger case gets its own run.
    pub bytes: usize,
}

impl Batch {
    /// One run per case.
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

/// Of so many batches of texts, one is compiled under settings for cases that promise only survival.
const TEXTS: u64 = 4;

impl Spec {
    /// Its preferred language.
    pub fn language(&self) -> &Language {
        // Never empty: see the field.
        &self.reads[0].language
    }

    /// The setting with this name, from both lists.
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

    /// The settings under which a batch is compiled. If a promise compares settings, they include the reference.
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
        let survivors = cases.iter().filter(|case| case.promise == Promise::Survives).count();
        if survivors > 0 {
            let own = self.schedule.of_survival(self, turn);
            // A text may crash any part of a compiler.
            if first.programs.iter().any(text::is_text) {
                let takes_own = turn.is_multiple_of(TEXTS) && !own.is_empty();
                return if takes_own { own } else { chosen };
            }
            // Where such cases have settings of their own, the others are left to cases that promise more.
            if survivors == cases.len() && !own.is_empty() {
                return own;
            }
            chosen.extend(own);
        }
        chosen
    }

    /// How many cases like this one share a run of the compiler.
    pub fn batch_of(&self, case: &Case) -> Batch {
        case.programs.first().map_or(Batch::ALONE, |program| self.batch(program.interface))
    }
}

#[cfg(test)]
mod tests {
    use forge::{Input, Model, Program, Ticket};

    use super::super::schedule::Rotation;
    use super::*;

    fn case(interface: Interface, index: u64) -> Case {
        let (name, source) = ("base".to_owned(), String::new());
        Case {
            origin: Ticket::new("m", 1, index).into(),
            programs: vec![Program { name, language: Language::new("c"), interface, source }],
            inputs: vec![Input::default()],
            promise: Promise::Survives,
            trail: vec![],
            model: Model::absent(),
        }
    }

    #[test]
    fn texts_are_compiled_under_all_kinds_of_settings() {
        let setting = |at: usize| Setting::of(vec![("O".to_owned(), at.to_string())]);
        let settings: Vec<Setting> = (0..4).map(setting).collect();
        let rotations =
            vec![Rotation::singly(1, &settings[..3]), Rotation::of_survival(&settings[3..])];
        let spec = Spec {
            name: TargetName::new("t", None),
            reads: vec![text::reads("c"), Reads::new("c", Interface::Contract, Batch::ALONE)],
            schedule: Schedule::Turns(rotations),
            settings,
            occasional: vec![],
        };
        let own = |interface| {
            let chosen = (0..256).map(|at| spec.settings_for(&[case(interface, at)]));
            chosen.filter(|chosen| chosen.len() == 1 && chosen[0].name == "O=3").count()
        };
        assert_eq!((own(Interface::Text), own(Interface::Contract)), (256 / 4, 256));
    }
}
