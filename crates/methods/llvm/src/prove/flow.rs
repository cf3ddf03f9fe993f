//! Control flow: blocks in order, each with the condition under which it is reached, phis as selections by the
//! edges that were taken, loops repeated, functions of the module in place of their calls.

use std::collections::BTreeMap;

use identity::kernel::Wire;

use super::encode::{Encoder, Frame};
use super::escape;
use super::order::{Loop, Piece, order};
use super::symbol::{Lane, Symbol};
use super::{Encoding, Unencodable};
use crate::ir::{BlockId, Function, Instruction, LocalId, Op, Operand};
use crate::semantics::Domain;

/// How deep calls of functions with a body may be nested.
const DEPTH: u32 = 3;

/// How often the body of a loop may be repeated.
const REPETITIONS: u32 = 16;

/// Likewise, if it is not known whether it is.
const UNSURE: u32 = 4;

impl<'a> Encoder<'a> {
    /// All blocks: when the function returns, and what.
    pub(super) fn body(&mut self) -> Encoding<(Wire, Option<Symbol>)> {
        let pieces =
            order(self.code).ok_or_else(|| Unencodable::new("loop with several entries"))?;
        for piece in &pieces {
            self.piece(piece)?;
        }
        let mut returns = Wire::FALSE;
        let mut value: Option<Symbol> = None;
        for (reached, own) in std::mem::take(&mut self.frame.exits) {
            returns = self.wires.graph.or(returns, reached);
            value = match (value, own) {
                (None, own) => own,
                (Some(other), Some(own)) => Some(Symbol::select(self.wires, reached, &own, &other)),
                (other, None) => other,
            };
        }
        if self.header.attributes.has("noreturn") {
            self.reached = returns;
            self.undefined_if(Wire::TRUE);
        }
        Ok((returns, value))
    }

    /// A call of a function with a body, encoded in place.
    pub(super) fn inlined(
        &mut self,
        function: &'a Function,
        arguments: &[Symbol],
    ) -> Encoding<Option<Symbol>> {
        if self.depth >= DEPTH || self.nested > 0 {
            return Err(Unencodable::new("deeply nested call"));
        }
        let code =
            function.code().ok_or_else(|| Unencodable::new("function that was not parsed"))?;
        if self.counts.0 > 0 && escape::follows_foreign_pointers(code) {
            return Err(Unencodable::new("pointer that may be to a local variable"));
        }
        let frame = std::mem::replace(&mut self.frame, Frame::new(code, arguments));
        let outer = (
            std::mem::replace(&mut self.code, code),
            std::mem::replace(&mut self.header, &function.header),
            std::mem::take(&mut self.numbers),
            std::mem::take(&mut self.states),
            self.null_is_valid,
        );
        self.null_is_valid = function.header.attributes.has("null_pointer_is_valid");
        self.depth += 1;
        let result = self.regions(function, &[]).and_then(|()| self.body());
        self.depth -= 1;
        self.frame = frame;
        (self.code, self.header, self.numbers, self.states, self.null_is_valid) = outer;
        let (returns, value) = result?;
        self.reached = returns;
        Ok(value)
    }

    fn piece(&mut self, piece: &Piece) -> Encoding<()> {
        match piece {
            Piece::Block(block) => self.block(*block),
            Piece::Loop(whole) => self.repeat(whole),
        }
    }

    fn block(&mut self, block: BlockId) -> Encoding<()> {
        self.enter(block);
        let code = self.code;
        let instructions = &code.block(block).instructions;
        let phis = instructions.iter().take_while(|it| it.is_phi()).count();
        // All phis read before any of them is written.
        let mut values = vec![];
        for instruction in &instructions[..phis] {
            self.opened = Wire::FALSE;
            values.push((self.value(instruction)?, self.opened));
        }
        for (instruction, (value, opened)) in instructions.iter().zip(values) {
            self.opened = opened;
            self.assign(instruction, value)?;
        }
        if self.nested > 0 {
            // The edges that led here are used up: the next repetition has its own.
            self.frame.edges.retain(|(_, to), _| *to != block);
        }
        for instruction in &instructions[phis..] {
            if self.wires.is_exhausted() {
                return Err(Unencodable::new("circuit too large"));
            }
            self.execute(block, instruction)?;
        }
        Ok(())
    }

    /// A loop, repeated until it is known that it has ended.
    fn repeat(&mut self, whole: &Loop) -> Encoding<()> {
        let defined: Vec<LocalId> = whole
            .blocks
            .iter()
            .flat_map(|block| &self.code.block(*block).instructions)
            .filter_map(|instruction| instruction.result)
            .collect();
        let is_inside = |block: &BlockId| whole.blocks.contains(block);
        let mut last: BTreeMap<LocalId, Symbol> = BTreeMap::new();
        self.nested += 1;
        for repetition in 0.. {
            for piece in &whole.body {
                self.piece(piece)?;
            }
            for local in &defined {
                let at = local.0 as usize;
                let (Some(value), Some((block, _))) =
                    (self.frame.locals[at].clone(), self.frame.definitions[at])
                else {
                    continue;
                };
                let reached = self.frame.reached.get(&block).copied().unwrap_or(Wire::FALSE);
                let value = match last.get(local) {
                    Some(before) => Symbol::select(self.wires, reached, &value, before),
                    None => value,
                };
                last.insert(*local, value);
            }
            let back: Vec<((BlockId, BlockId), Wire)> = self
                .frame
                .edges
                .iter()
                .filter(|((from, to), _)| *to == whole.header && is_inside(from))
                .map(|(edge, wire)| (*edge, *wire))
                .collect();
            // What lies inside is over, and so are the edges into the loop.
            self.frame
                .edges
                .retain(|(from, to), _| *to != whole.header && !(is_inside(from) && is_inside(to)));
            let again: Vec<Wire> = back.iter().map(|(_, wire)| *wire).collect();
            let again = self.wires.graph.any(&again);
            if again == Wire::FALSE {
                break;
            }
            if repetition >= REPETITIONS || again != Wire::TRUE && repetition >= UNSURE {
                return Err(Unencodable::new("loop"));
            }
            self.frame.edges.extend(back);
        }
        self.nested -= 1;
        for (local, value) in last {
            self.frame.locals[local.0 as usize] = Some(value);
        }
        Ok(())
    }

    /// Begins a block: it is reached if one of the edges to it was taken.
    fn enter(&mut self, block: BlockId) {
        if block != BlockId(0) {
            let edges: Vec<Wire> = self
                .frame
                .edges
                .iter()
                .filter(|((_, to), _)| *to == block)
                .map(|(_, it)| *it)
                .collect();
            self.reached = self.wires.graph.any(&edges);
        }
        self.frame.reached.insert(block, self.reached);
    }

    fn execute(&mut self, block: BlockId, instruction: &Instruction) -> Encoding<()> {
        if instruction.op.is_terminator() {
            return self.terminate(block, instruction);
        }
        self.opened = Wire::FALSE;
        let value = self.value(instruction)?;
        self.assign(instruction, value)
    }

    fn assign(&mut self, instruction: &Instruction, value: Symbol) -> Encoding<()> {
        let Some(result) = instruction.result else { return Ok(()) };
        let at = result.0 as usize;
        self.frame.open[at] = match instruction.op {
            Op::Freeze | Op::Call(_) => Wire::FALSE,
            _ => self.opened,
        };
        if self.nested > 0 && self.frame.open[at] != Wire::FALSE {
            return Err(Unencodable::new("undef in a loop"));
        }
        self.frame.locals[at] = Some(value);
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
            Op::Return => self.leave(instruction)?,
            _ => return Err(Unencodable::new("exception or indirect branch")),
        }
        Ok(())
    }

    fn leave(&mut self, instruction: &Instruction) -> Encoding<()> {
        let mut value = None;
        if let Some(operand) = instruction.operands.first() {
            let header = self.header;
            let (own, bad) = self.determined(operand, header.return_attributes.has("noundef"))?;
            let own = self.passed_on(own)?;
            value = Some(self.returned(header, &own, bad)?);
        }
        self.frame.exits.push((self.reached, value));
        Ok(())
    }

    /// The value that a branch depends on. It must not be poison or undef.
    fn decide(&mut self, operand: &Operand) -> Encoding<Vec<Wire>> {
        let (value, bad) = self.determined(operand, true)?;
        self.undefined_if(bad);
        Ok(value.lane()?.word.clone())
    }

    fn edge(&mut self, from: BlockId, to: BlockId, condition: Wire) {
        let before = self.frame.edges.get(&(from, to)).copied().unwrap_or(Wire::FALSE);
        let either = self.wires.graph.or(before, condition);
        self.frame.edges.insert((from, to), either);
    }

    /// The value of a phi: that of the edge that was taken.
    pub(super) fn phi(&mut self, instruction: &Instruction, from: &[BlockId]) -> Encoding<Symbol> {
        let result = instruction.result.ok_or_else(|| Unencodable::new("phi without result"))?;
        let ty = self.code.local(result).ty.clone();
        let here = self.frame.definitions[result.0 as usize].map(|(block, _)| block);
        let here = here.ok_or_else(|| Unencodable::new("phi outside of a block"))?;
        let mut value: Option<Symbol> = None;
        for (operand, block) in instruction.operands.iter().zip(from) {
            // An edge that was never encoded is never taken.
            let Some(&edge) = self.frame.edges.get(&(*block, here)) else { continue };
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
