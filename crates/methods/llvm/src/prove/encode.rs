//! A loop-free function as a circuit: blocks in topological order, each with the condition under which it
//! is reached, phis as selections by the edges that were taken. Undefined behaviour is one wire.
//!
//! Undef is a set of values, and whatever is computed from it is one, too: such a local (it is *open*) is
//! computed anew at each use, with choices of its own. Freeze and block conditions choose once.

use std::collections::BTreeMap;
use std::sync::Arc;

use identity::kernel::Wire;

use super::calls::{Answers, Event};
use super::symbol::{self, Lane, Symbol};
use super::wires::Wires;
use super::{Encoding, Unencodable};
use crate::ir::{BlockId, Code, Function, Instruction, LocalId, Module, Op, Operand, Value};
use crate::semantics::Domain;

/// Where choices come from: the word for the next choice of a width. The wire says when it is one: that of
/// an argument is the same in source and target, so that their choices can be matched.
pub(super) type Choose<'a> = dyn FnMut(&mut Wires, Wire, u32) -> Encoding<Vec<Wire>> + 'a;

/// What a function does, for all inputs.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) undefined: Wire,
    /// Whether it returns. It does not after a call that never does.
    pub(super) returns: Wire,
    /// What it returns, unless that is nothing.
    pub(super) value: Option<Symbol>,
    pub(super) events: Vec<Event>,
}

pub(super) struct Encoder<'a> {
    pub(super) wires: &'a mut Wires,
    pub(super) module: &'a Module,
    pub(super) code: &'a Code,
    pub(super) choose: &'a mut Choose<'a>,
    pub(super) answers: &'a mut Answers,
    /// The values of locals, by number.
    locals: Vec<Option<Symbol>>,
    /// When a local depends on choices that are made anew at each use.
    open: Vec<Wire>,
    /// When what is being computed does.
    opened: Wire,
    /// Of the source, what might be undefined is taken to be so, which can only hide a failure.
    pub(super) is_source: bool,
    /// Where each local is defined.
    definitions: Vec<Option<&'a Instruction>>,
    /// How much may still be computed anew.
    budget: u32,
    /// Whether UB is recorded: not while something is computed anew.
    again: u32,
    /// The condition under which the current block is reached.
    pub(super) reached: Wire,
    edges: BTreeMap<(BlockId, BlockId), Wire>,
    pub(super) undefined: Wire,
    pub(super) events: Vec<Event>,
}

/// How often open locals may be computed anew in a function.
const BUDGET: u32 = 2_000;

/// The blocks in an order in which each comes after all that lead to it; none if there is a loop.
pub(super) fn topological(code: &Code) -> Option<Vec<BlockId>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; code.blocks.len()];
    let mut order = vec![];
    let mut stack = vec![(BlockId(0), 0)];
    if code.blocks.is_empty() {
        return None;
    }
    marks[0] = Mark::Open;
    while let Some((block, next)) = stack.pop() {
        let successors = code.block(block).terminator().map(|it| it.op.successors())?;
        if let Some(&successor) = successors.get(next) {
            stack.push((block, next + 1));
            match marks[successor.0 as usize] {
                Mark::New => {
                    marks[successor.0 as usize] = Mark::Open;
                    stack.push((successor, 0));
                }
                Mark::Open => return None,
                Mark::Done => {}
            }
        } else {
            marks[block.0 as usize] = Mark::Done;
            order.push(block);
        }
    }
    order.reverse();
    Some(order)
}

/// Encodes a function for the given arguments.
pub(super) fn encode<'a>(
    wires: &'a mut Wires,
    module: &'a Module,
    function: &'a Function,
    arguments: &[Symbol],
    choose: &'a mut Choose<'a>,
    answers: &'a mut Answers,
    is_source: bool,
) -> Encoding<Summary> {
    let code = function.code().ok_or_else(|| Unencodable::new("function that was not parsed"))?;
    let order = topological(code).ok_or_else(|| Unencodable::new("loop"))?;
    let count = code.locals.len();
    let mut definitions = vec![None; count];
    for instruction in code.instructions() {
        if let Some(result) = instruction.result {
            definitions[result.0 as usize] = Some(instruction);
        }
    }
    let mut encoder = Encoder {
        wires,
        module,
        code,
        choose,
        answers,
        locals: vec![None; count],
        open: vec![Wire::FALSE; count],
        opened: Wire::FALSE,
        is_source,
        definitions,
        budget: BUDGET,
        again: 0,
        reached: Wire::TRUE,
        edges: BTreeMap::new(),
        undefined: Wire::FALSE,
        events: vec![],
    };
    for (at, argument) in arguments.iter().enumerate() {
        encoder.locals[at] = Some(argument.clone());
    }
    let mut returns = Wire::FALSE;
    let mut value: Option<Symbol> = None;
    for block in order {
        encoder.enter(block);
        for instruction in &code.block(block).instructions {
            if encoder.wires.is_exhausted() {
                return Err(Unencodable::new("circuit too large"));
            }
            if let Op::Return = instruction.op {
                let reached = encoder.reached;
                returns = encoder.wires.graph.or(returns, reached);
                if let Some(operand) = instruction.operands.first() {
                    let (own, bad) = encoder.determined(operand)?;
                    let own = encoder.passed_on(own)?;
                    let own = encoder.returned(&function.header, &own, bad)?;
                    value = Some(match value {
                        None => own,
                        Some(other) => Symbol::select(encoder.wires, reached, &own, &other),
                    });
                }
                continue;
            }
            encoder.execute(block, instruction)?;
        }
    }
    let (undefined, events) = (encoder.undefined, encoder.events);
    Ok(Summary { undefined, returns, value, events })
}

impl Encoder<'_> {
    /// Begins a block: it is reached if one of the edges to it was taken.
    fn enter(&mut self, block: BlockId) {
        if block != BlockId(0) {
            let edges: Vec<Wire> =
                self.edges.iter().filter(|((_, to), _)| *to == block).map(|(_, it)| *it).collect();
            self.reached = self.wires.graph.any(&edges);
        }
    }

    pub(super) fn undefined_if(&mut self, condition: Wire) {
        if self.again == 0 {
            let here = self.wires.graph.and(self.reached, condition);
            self.undefined = self.wires.graph.or(self.undefined, here);
        }
    }

    /// A new choice of a value.
    pub(super) fn choice(&mut self, when: Wire, width: u32) -> Encoding<Vec<Wire>> {
        (self.choose)(self.wires, when, width)
    }

    /// The value of an operand, with its undef lanes as they are.
    pub(super) fn operand(&mut self, operand: &Operand) -> Encoding<Symbol> {
        match &operand.value {
            Value::Local(local) => self.local(*local),
            Value::Constant(constant) => {
                let answers = &mut *self.answers;
                let mut global = |wires: &mut Wires, name: &str| answers.address(wires, name);
                symbol::constant(self.wires, self.module, &operand.ty, constant, &mut global)
            }
            Value::Metadata(_) => Err(Unencodable::new("metadata operand")),
        }
    }

    fn local(&mut self, local: LocalId) -> Encoding<Symbol> {
        let at = local.0 as usize;
        self.opened = self.wires.graph.or(self.opened, self.open[at]);
        if self.open[at] != Wire::FALSE
            && let Some(instruction) = self.definitions[at]
        {
            self.budget = self
                .budget
                .checked_sub(1)
                .ok_or_else(|| Unencodable::new("too many values that depend on undef"))?;
            self.again += 1;
            let value = self.value(instruction);
            self.again -= 1;
            return value;
        }
        // A block that is never reached may use what was never defined.
        let ty = &self.code.local(local).ty;
        match &self.locals[at] {
            Some(value) => Ok(value.clone()),
            None => Symbol::build(ty, self.module, &mut |width| Ok(Lane::poison(width))),
        }
    }

    /// A lane as an operator reads it: what is undef has some value.
    pub(super) fn read(&mut self, lane: &Lane) -> Encoding<Lane> {
        if lane.undef == Wire::FALSE {
            return Ok(lane.clone());
        }
        self.opened = self.wires.graph.or(self.opened, lane.undef);
        let chosen = self.choice(lane.undef, lane.word.len() as u32)?;
        let word = self.wires.select(&lane.undef, &chosen, &lane.word);
        Ok(Lane { word, poison: lane.poison, undef: Wire::FALSE })
    }

    /// Every lane of an operand as an operator reads it.
    pub(super) fn read_all(&mut self, operand: &Operand) -> Encoding<Vec<Lane>> {
        let value = self.operand(operand)?;
        let lanes: Vec<Lane> = value.lanes().into_iter().cloned().collect();
        lanes.iter().map(|lane| self.read(lane)).collect()
    }

    /// A value that leaves the function. What is undef in the target has some value there; in the source
    /// it may have any.
    pub(super) fn passed_on(&mut self, value: Symbol) -> Encoding<Symbol> {
        if self.is_source {
            return Ok(value);
        }
        match value {
            Symbol::Lane(lane) => self.read(&lane).map(Symbol::Lane),
            Symbol::Many(many) => {
                let read = many.into_iter().map(|it| self.passed_on(it));
                read.collect::<Encoding<_>>().map(Symbol::Many)
            }
        }
    }

    /// The one lane of a scalar operand as an operator reads it.
    pub(super) fn read_one(&mut self, operand: &Operand) -> Encoding<Lane> {
        let value = self.operand(operand)?;
        let lane = value.lane()?.clone();
        self.read(&lane)
    }

    fn execute(&mut self, block: BlockId, instruction: &Instruction) -> Encoding<()> {
        if instruction.op.is_terminator() {
            return self.terminate(block, instruction);
        }
        self.opened = Wire::FALSE;
        let value = self.value(instruction)?;
        let Some(result) = instruction.result else { return Ok(()) };
        let at = result.0 as usize;
        self.open[at] = match instruction.op {
            Op::Freeze | Op::Call(_) => Wire::FALSE,
            _ => self.opened,
        };
        self.locals[at] = Some(value);
        Ok(())
    }

    fn terminate(&mut self, block: BlockId, instruction: &Instruction) -> Encoding<()> {
        let reached = self.reached;
        match &instruction.op {
            Op::Branch(to) => self.edge(block, *to, reached),
            Op::CondBranch(yes, no) => {
                let condition = self.decide(&instruction.operands[0])?;
                let (taken, left) = (
                    self.wires.graph.and(reached, condition[0]),
                    self.wires.graph.and(reached, !condition[0]),
                );
                self.edge(block, *yes, taken);
                self.edge(block, *no, left);
            }
            Op::Switch { default, cases } => {
                let value = self.decide(&instruction.operands[0])?;
                let mut left = reached;
                for (case, to) in cases {
                    let case = self.wires.word(*case, value.len() as u32);
                    let equal = self.wires.eq(&value, &case);
                    let taken = self.wires.graph.and(left, equal);
                    left = self.wires.graph.and(left, !equal);
                    self.edge(block, *to, taken);
                }
                self.edge(block, *default, left);
            }
            Op::Unreachable => self.undefined_if(Wire::TRUE),
            Op::Return => {}
            _ => return Err(Unencodable::new("exception or indirect branch")),
        }
        Ok(())
    }

    /// The value that a branch depends on. It must not be poison or undef.
    fn decide(&mut self, operand: &Operand) -> Encoding<Vec<Wire>> {
        let (value, bad) = self.determined(operand)?;
        self.undefined_if(bad);
        Ok(value.lane()?.word.clone())
    }

    /// The value of an operand, and when it is poison, undef or may be something else at another use.
    pub(super) fn determined(&mut self, operand: &Operand) -> Encoding<(Symbol, Wire)> {
        let opened = std::mem::replace(&mut self.opened, Wire::FALSE);
        let value = self.operand(operand)?;
        let mut bad = value.is_undetermined(self.wires);
        if self.is_source {
            bad = self.wires.graph.or(bad, self.opened);
        }
        self.opened = self.wires.graph.or(opened, self.opened);
        Ok((value, bad))
    }

    fn edge(&mut self, from: BlockId, to: BlockId, condition: Wire) {
        let before = self.edges.get(&(from, to)).copied().unwrap_or(Wire::FALSE);
        let either = self.wires.graph.or(before, condition);
        self.edges.insert((from, to), either);
    }

    /// The value of a phi: that of the edge that was taken.
    pub(super) fn phi(&mut self, instruction: &Instruction, from: &[BlockId]) -> Encoding<Symbol> {
        let result = instruction.result.ok_or_else(|| Unencodable::new("phi without result"))?;
        let ty = self.code.local(result).ty.clone();
        let here = self.code.block_ids().find(|block| {
            self.code.block(*block).instructions.iter().any(|it| it.result == Some(result))
        });
        let here = here.ok_or_else(|| Unencodable::new("phi outside of a block"))?;
        let mut value: Option<Symbol> = None;
        for (operand, block) in instruction.operands.iter().zip(from) {
            // An edge that was never encoded is never taken.
            let Some(&edge) = self.edges.get(&(*block, here)) else { continue };
            let own = self.operand(operand)?;
            value = Some(match value {
                None => own,
                Some(other) => Symbol::select(self.wires, edge, &own, &other),
            });
        }
        match value {
            Some(value) => Ok(value),
            None => Symbol::build(&ty, self.module, &mut |width| Ok(Lane::poison(width))),
        }
    }
}

/// The reason why something cannot be encoded, for counting.
impl From<&str> for Unencodable {
    fn from(why: &str) -> Self {
        Self(Arc::from(why))
    }
}
