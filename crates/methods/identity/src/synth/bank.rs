//! The term bank: one representative per class of terms with equal values on all valuations, the
//! first found and so the smallest. Terms of one class are conjectured to be equal, and a proof has
//! to decide. Counterexamples become further rows.

use std::collections::HashMap;

use crate::evaluate::{Column, Instruction};
use crate::kernel::{Op, TermId, WORDS};
use crate::word::Word;

#[derive(Clone, Debug)]
pub(super) struct Class<const N: usize> {
    pub(super) term: TermId,
    column: Column<N>,
    origin: Origin<N>,
}

/// How a class was computed, so that further rows can be added.
#[derive(Clone, Copy, Debug)]
enum Origin<const N: usize> {
    Variable(u16),
    Literal(Word<N>),
    Applied(Op, [u32; 3]),
}

#[derive(Debug)]
pub(super) struct Bank<const N: usize> {
    width: u16,
    rows: usize,
    classes: Vec<Class<N>>,
    /// The classes by number of nodes.
    sizes: Vec<Vec<u32>>,
    by_values: HashMap<u128, u32>,
    scratch: Column<N>,
}

impl<const N: usize> Bank<N> {
    pub(super) fn new(width: u16, rows: usize) -> Self {
        Self {
            width,
            rows,
            classes: Vec::new(),
            sizes: vec![Vec::new()],
            by_values: HashMap::new(),
            scratch: Column::default(),
        }
    }

    pub(super) fn term(&self, class: u32) -> TermId {
        self.classes[class as usize].term
    }

    pub(super) fn of_size(&self, size: usize) -> &[u32] {
        self.sizes.get(size).map_or(&[], Vec::as_slice)
    }

    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    pub(super) fn variable(&mut self, term: TermId, index: u16, values: Vec<Word<N>>) {
        let column = Column { values, stops: Vec::new() };
        let key = fingerprint(&column);
        self.enter(Class { term, column, origin: Origin::Variable(index) }, key, 1);
    }

    /// The class of a literal, created if its value is new.
    pub(super) fn literal(&mut self, term: TermId, value: Word<N>) -> u32 {
        let column = Column::constant(value, self.rows);
        let key = fingerprint(&column);
        match self.by_values.get(&key) {
            Some(&class) => class,
            None => self.enter(Class { term, column, origin: Origin::Literal(value) }, key, 1),
        }
    }

    /// Computes an operator on classes. Returns the class with these values if there is one;
    /// otherwise their fingerprint, and the values are kept for [`Bank::keep`].
    pub(super) fn compute(&mut self, op: Op, operands: &[u32]) -> Result<u32, u128> {
        let mut into = std::mem::take(&mut self.scratch);
        let columns: Vec<&Column<N>> =
            operands.iter().map(|&i| &self.classes[i as usize].column).collect();
        self.instruction(op).apply(&WORDS, &columns, &mut into);
        let key = fingerprint(&into);
        self.scratch = into;
        self.by_values.get(&key).copied().ok_or(key)
    }

    /// Creates a class for the values computed last.
    pub(super) fn keep(&mut self, term: TermId, op: Op, operands: &[u32], key: u128, size: usize) {
        let mut args = [0; 3];
        args[..operands.len()].copy_from_slice(operands);
        let column = self.scratch.clone();
        self.enter(Class { term, column, origin: Origin::Applied(op, args) }, key, size);
    }

    /// Adds rows, given by the values of the variables.
    pub(super) fn learn(&mut self, rows: &[Vec<Word<N>>]) {
        let mut more: Vec<Column<N>> = Vec::with_capacity(self.classes.len());
        for class in &self.classes {
            let mut column = Column::default();
            match class.origin {
                Origin::Variable(index) => {
                    let value = |row: &Vec<Word<N>>| {
                        row.get(usize::from(index)).copied().unwrap_or(Word::ZERO)
                    };
                    column.values = rows.iter().map(value).collect();
                }
                Origin::Literal(value) => column = Column::constant(value, rows.len()),
                Origin::Applied(op, args) => {
                    let operands: Vec<&Column<N>> =
                        args[..op.arity()].iter().map(|&i| &more[i as usize]).collect();
                    self.instruction(op).apply(&WORDS, &operands, &mut column);
                }
            }
            more.push(column);
        }
        self.rows += rows.len();
        self.by_values.clear();
        for (index, (class, more)) in self.classes.iter_mut().zip(more).enumerate() {
            class.column.values.extend(more.values);
            self.by_values.insert(fingerprint(&class.column), index as u32);
        }
    }

    fn instruction(&self, op: Op) -> Instruction {
        Instruction { op, args: [0; 3], width: self.width, from: [self.width; 3] }
    }

    fn enter(&mut self, class: Class<N>, key: u128, size: usize) -> u32 {
        let index = self.classes.len() as u32;
        self.by_values.insert(key, index);
        self.classes.push(class);
        if self.sizes.len() <= size {
            self.sizes.resize(size + 1, Vec::new());
        }
        self.sizes[size].push(index);
        index
    }
}

/// Two independent 64-bit hashes, so that collisions are negligible.
fn fingerprint<const N: usize>(column: &Column<N>) -> u128 {
    let (mut a, mut b) = (0x9e37_79b9_7f4a_7c15_u64, 0xc2b2_ae3d_27d4_eb4f_u64);
    for word in &column.values {
        for &limb in &word.0 {
            a = (a ^ limb).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29);
            b = (b.wrapping_add(limb)).wrapping_mul(0xc4ce_b9fe_1a85_ec53) ^ (b >> 31);
        }
    }
    u128::from(a) << 64 | u128::from(b)
}
