//! The columns of all instructions of a tape. A sheet is reusable: it rarely allocates after
//! construction.

use super::column::Column;
use super::tape::Tape;
use crate::kernel::Op;
use crate::word::Word;

/// The columns of all instructions of a tape.
#[derive(Clone, Debug)]
pub struct Sheet<const N: usize> {
    columns: Vec<Column<N>>,
}

impl<const N: usize> Sheet<N> {
    /// Fills in the literals, and 0 for all variables. `N` must be at least the limbs of the tape.
    pub fn new(tape: &Tape, rows: usize) -> Self {
        debug_assert!(N >= tape.limbs(), "{N} limbs for {}", tape.limbs());
        let columns = tape.instructions().iter().map(|instruction| match instruction.op {
            Op::Literal(index) => {
                let value = Word::from_integer(&tape.literals()[index as usize]);
                Column::constant(value, rows)
            }
            _ => Column::constant(Word::ZERO, rows),
        });
        Self { columns: columns.collect() }
    }

    /// Sets the values of a variable, one per row. Bits beyond its width are dropped.
    pub fn set(&mut self, tape: &Tape, variable: u16, values: impl IntoIterator<Item = Word<N>>) {
        if let Some(&(slot, width)) = tape.variables().get(&variable) {
            let mask = Word::mask(u32::from(width));
            let column = &mut self.columns[slot as usize].values;
            for (slot, value) in column.iter_mut().zip(values) {
                *slot = value & mask;
            }
        }
    }

    pub fn run(&mut self, tape: &Tape) {
        for (slot, instruction) in tape.instructions().iter().enumerate() {
            if instruction.op.arity() > 0 {
                let (before, rest) = self.columns.split_at_mut(slot);
                // Slots beyond the arity are 0, which is a valid earlier column.
                let operands = instruction.args.map(|arg| &before[arg as usize]);
                let operands = &operands[..instruction.op.arity()];
                instruction.apply(tape.semantics(), operands, &mut rest[0]);
            }
        }
    }

    /// The column of an instruction.
    pub fn column(&self, slot: u32) -> &Column<N> {
        &self.columns[slot as usize]
    }

    /// The column of one of the tape's roots.
    pub fn root(&self, tape: &Tape, root: usize) -> &Column<N> {
        self.column(tape.roots()[root])
    }
}
