//! `Record` as MIR: the values are converted to words in extra locals, which are passed to a call.

use super::super::program::{Function, Place, RECORDED, Terminator};
use super::super::types::{Int, Types};
use super::{Printer, Recorded};

impl Printer<'_> {
    /// The locals that the records of a function need.
    pub(super) fn recording_locals(&mut self, function: &Function, margin: &str) {
        let mut words = 0;
        let mut used = false;
        let mut single = false;
        let mut wide = [false; 2];
        let mut discriminants: Vec<Int> = vec![];
        for block in &function.blocks {
            let Terminator::Record { values, .. } = &block.terminator else {
                continue;
            };
            used = true;
            let mut here = 0;
            for value in values {
                here += 1;
                match self.recorded_as(value) {
                    Recorded::Single => single = true,
                    Recorded::Wide(int) => {
                        wide[usize::from(int.signed)] = true;
                        here += 1;
                    }
                    Recorded::Discriminant(int)
                        if int != Int::U64 && !discriminants.contains(&int) =>
                    {
                        discriminants.push(int);
                    }
                    _ => {}
                }
            }
            words = words.max(here);
        }
        if !used {
            return;
        }
        self.used.record = true;
        for word in 0..words.min(RECORDED) {
            self.push(margin);
            self.numbered("let h", word);
            self.push(": u64;\n");
        }
        let mut declare = |name: &str, kind: &str| {
            for part in [margin, "let ", name, ": ", kind, ";\n"] {
                self.push(part);
            }
        };
        // The recording function returns `()`: to the return place, if that is `()`.
        if function.returns() != Types::UNIT {
            declare("hu", "()");
        }
        if single {
            declare("hf", "u32");
        }
        for int in [false, true].into_iter().filter(|signed| wide[usize::from(*signed)]) {
            declare(if int { "hi" } else { "hw" }, if int { "i128" } else { "u128" });
        }
        for int in discriminants {
            self.push(margin);
            self.push("let hd_");
            self.push(int.name());
            self.push(": ");
            self.push(int.name());
            self.push(";\n");
        }
    }

    pub(super) fn record(
        &mut self,
        function: usize,
        block: usize,
        values: &[Place],
        target: usize,
        margin: &str,
    ) {
        let mut word = 0;
        for value in values {
            word += self.words(value, word, margin);
        }
        self.push(margin);
        let returns = self.locals.first().copied().unwrap_or(Types::UNIT);
        self.push(if returns == Types::UNIT { "Call(RET = record(" } else { "Call(hu = record(" });
        self.text.hex((function << 16 | block) as u128);
        self.push("_u32");
        for index in 0..RECORDED {
            if index < word {
                self.numbered(", h", index);
            } else {
                self.push(", 0_u64");
            }
        }
        self.numbered("), ReturnTo(bb", target);
        self.push("), UnwindUnreachable())");
    }

    /// Assigns a value to `h{word}` and, if it has 128 bits, to the next one. Returns the number of words.
    fn words(&mut self, value: &Place, word: usize, margin: &str) -> usize {
        let how = self.recorded_as(value);
        let temporary = match how {
            Recorded::Single => {
                self.push(margin);
                self.push("hf = CastTransmute(");
                self.place(value);
                self.push(");\n");
                Some(("hf", ""))
            }
            Recorded::Discriminant(int) if int != Int::U64 => {
                self.push(margin);
                self.push("hd_");
                self.push(int.name());
                self.push(" = Discriminant(");
                self.place(value);
                self.push(");\n");
                Some(("hd_", int.name()))
            }
            _ => None,
        };
        self.push(margin);
        self.numbered("h", word);
        self.push(" = ");
        match (how, temporary) {
            (_, Some((name, suffix))) => {
                self.push(name);
                self.push(suffix);
                self.push(" as u64");
            }
            (Recorded::Plain, _) => self.place(value),
            (Recorded::Double, _) => {
                self.push("CastTransmute(");
                self.place(value);
                self.push(")");
            }
            (Recorded::Discriminant(_), _) => {
                self.push("Discriminant(");
                self.place(value);
                self.push(")");
            }
            _ => {
                self.place(value);
                self.push(" as u64");
            }
        }
        self.push(";\n");
        let Recorded::Wide(int) = how else {
            return 1;
        };
        let name = if int.signed { "hi" } else { "hw" };
        self.push(margin);
        self.push(name);
        self.push(" = ");
        self.place(value);
        self.push(" >> 64_i32;\n");
        self.push(margin);
        self.numbered("h", word + 1);
        self.push(" = ");
        self.push(name);
        self.push(" as u64;\n");
        2
    }

    fn recorded_as(&self, value: &Place) -> Recorded {
        let of = value.type_in(self.locals, self.types);
        of.map_or(Recorded::Cast, |of| Recorded::of(of, self.types))
    }
}
