//! The model of a `smoke` program: statements over 32-bit words, and their evaluation. Every operator is
//! total, so every recipe whose operands are defined is a valid program with a known result.

use serde::{Deserialize, Serialize};

use forge::Behaviour;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Recipe {
    #[serde(rename = "aim")]
    pub(super) promise: Promised,
    pub(super) parameters: usize,
    /// The arguments of each run, one word per parameter.
    pub(super) inputs: Vec<Vec<u32>>,
    pub(super) statements: Vec<Statement>,
}

/// The kind of promise of the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Promised {
    Yields,
    Compiles,
    Survives,
    Agrees,
    Equivalent,
}

/// The `n`-th statement defines value `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Statement {
    pub(super) operator: Operator,
    pub(super) left: Operand,
    pub(super) right: Operand,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Operand {
    Constant(u32),
    Parameter(usize),
    /// The value of an earlier statement. A reference to a later one makes the program invalid.
    Value(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    /// The divisor is `right | 1`, so it is never zero.
    Div,
    Rem,
    And,
    Or,
    Xor,
    /// The shift amount is taken modulo 32.
    Shl,
    Shr,
    Less,
    Equal,
}

impl Operator {
    pub(super) const ALL: [Self; 12] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Rem,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Shl,
        Self::Shr,
        Self::Less,
        Self::Equal,
    ];

    pub(super) fn commutes(self) -> bool {
        matches!(self, Self::Add | Self::Mul | Self::And | Self::Or | Self::Xor | Self::Equal)
    }

    pub(super) fn apply(self, left: u32, right: u32) -> u32 {
        match self {
            Self::Add => left.wrapping_add(right),
            Self::Sub => left.wrapping_sub(right),
            Self::Mul => left.wrapping_mul(right),
            Self::Div => left / (right | 1),
            Self::Rem => left % (right | 1),
            Self::And => left & right,
            Self::Or => left | right,
            Self::Xor => left ^ right,
            Self::Shl => left << (right & 31),
            Self::Shr => left >> (right & 31),
            Self::Less => u32::from(left < right),
            Self::Equal => u32::from(left == right),
        }
    }
}

impl Statement {
    pub(super) fn operands(&self) -> [Operand; 2] {
        [self.left, self.right]
    }
}

/// More than any recipe has.
const MOST_PARAMETERS: usize = 64;
const MOST_STATEMENTS: usize = 1 << 16;

impl Recipe {
    /// The value of every statement on one input.
    pub(super) fn values(&self, input: &[u32]) -> Vec<u32> {
        let mut values: Vec<u32> = Vec::with_capacity(self.statements.len());
        for statement in &self.statements {
            let [left, right] = statement.operands().map(|operand| match operand {
                Operand::Constant(word) => word,
                Operand::Parameter(index) => input.get(index).copied().unwrap_or(0),
                Operand::Value(index) => values.get(index).copied().unwrap_or(0),
            });
            values.push(statement.operator.apply(left, right));
        }
        values
    }

    /// The printed values: those that no other statement uses.
    pub(super) fn printed(&self) -> Vec<usize> {
        let mut used = vec![false; self.statements.len()];
        for operand in self.statements.iter().flat_map(Statement::operands) {
            if let Operand::Value(index) = operand
                && let Some(slot) = used.get_mut(index)
            {
                *slot = true;
            }
        }
        (0..self.statements.len()).filter(|&index| !used[index]).collect()
    }

    pub(super) fn behaviours(&self) -> Vec<Behaviour> {
        let printed = self.printed();
        let lines = |input: &Vec<u32>| {
            let values = self.values(input);
            printed.iter().map(|&index| format!("{}\n", values[index])).collect()
        };
        self.inputs.iter().map(|input| Behaviour::Value(lines(input))).collect()
    }

    pub(super) fn commuted(&self) -> Self {
        let mut variant = self.clone();
        for statement in &mut variant.statements {
            if statement.operator.commutes() {
                std::mem::swap(&mut statement.left, &mut statement.right);
            }
        }
        variant
    }

    /// Whether a recipe from elsewhere can be printed and reduced. A value that does not exist is permitted: some programs
    /// are invalid on purpose.
    pub(super) fn is_bounded(&self) -> bool {
        let is_bounded = |operand: &Operand| match operand {
            Operand::Constant(_) => true,
            Operand::Parameter(parameter) => *parameter < self.parameters,
            Operand::Value(value) => *value < MOST_STATEMENTS,
        };
        self.parameters <= MOST_PARAMETERS
            && self.statements.len() <= MOST_STATEMENTS
            && self.inputs.iter().all(|input| input.len() == self.parameters)
            && self.statements.iter().flat_map(Statement::operands).all(|it| is_bounded(&it))
    }

    /// Whether every operand exists where it is used.
    pub(super) fn is_valid(&self) -> bool {
        self.inputs.iter().all(|input| input.len() == self.parameters)
            && self.statements.iter().enumerate().all(|(index, statement)| {
                statement.operands().iter().all(|operand| match operand {
                    Operand::Constant(_) => true,
                    Operand::Parameter(parameter) => *parameter < self.parameters,
                    Operand::Value(value) => *value < index,
                })
            })
    }
}
