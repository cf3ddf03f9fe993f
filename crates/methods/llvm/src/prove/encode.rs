//! A loop-free function as a circuit: blocks in topological order, each with the condition under which it
//! is reached, phis as selections by the edges that were taken. Undefined behaviour is one wire.
//!
//! Undef is a set of values, and whatever is computed from it is one, too: such a local (it is *open*) is
//! computed anew at each use, with choices of its own. Freeze and block conditions choose once.

use std::collections::BTreeMap;
use std::sync::Arc;

use identity::kernel::Wire;

use super::calls::{Answers, Event};
use super::memory::Memory;
use super::symbol::{ADDRESS, Lane, POINTER, Symbol};
use super::wires::Wires;
use super::{Encoding, Unencodable};
use crate::interpret::Layout;
use crate::ir::{BlockId, Code, Function, Header, Instruction, LocalId, Module, Operand, Value};
use crate::semantics::Domain;

/// Where choices come from: the word for the next choice of a width. The wire says when it is one: that of
/// an argument is the same in source and target, so that their choices can be matched.
pub(super) type Choose<'a> = dyn FnMut(&mut Wires, Wire, u32) -> Encoding<Vec<Wire>> + 'a;

/// What a function does, for all inputs.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) undefined: Wire,
    /// When something matters that is not modelled, and what.
    pub(super) doubt: Wire,
    pub(super) why: Option<Arc<str>>,
    /// How many loads promise what is not modelled.
    pub(super) promises: u32,
    pub(super) memory: Memory,
    /// Whether it returns. It does not after a call that never does.
    pub(super) returns: Wire,
    /// What it returns, unless that is nothing.
    pub(super) value: Option<Symbol>,
    pub(super) events: Vec<Event>,
}

/// The state of one function.
pub(super) struct Frame<'a> {
    /// The values of locals, by number.
    pub(super) locals: Vec<Option<Symbol>>,
    /// When a local depends on choices that are made anew at each use.
    pub(super) open: Vec<Wire>,
    /// Where each local is defined.
    pub(super) definitions: Vec<Option<(BlockId, &'a Instruction)>>,
    pub(super) edges: BTreeMap<(BlockId, BlockId), Wire>,
    /// When each block was reached last.
    pub(super) reached: BTreeMap<BlockId, Wire>,
    /// When it returns, and what.
    pub(super) exits: Vec<(Wire, Option<Symbol>)>,
}

pub(super) struct Encoder<'a> {
    pub(super) wires: &'a mut Wires,
    pub(super) module: &'a Module,
    pub(super) layout: Layout,
    pub(super) choose: &'a mut Choose<'a>,
    pub(super) answers: &'a mut Answers,
    pub(super) code: &'a Code,
    pub(super) header: &'a Header,
    pub(super) frame: Frame<'a>,
    /// When what is being computed depends on choices that are made anew at each use.
    pub(super) opened: Wire,
    /// Of the source, what might be undefined is taken to be so, which can only hide a failure.
    pub(super) is_source: bool,
    /// How much may still be computed anew.
    budget: u32,
    /// Whether UB is recorded: not while something is computed anew.
    pub(super) again: u32,
    /// How many loops are around.
    pub(super) nested: u32,
    /// How many calls are around.
    pub(super) depth: u32,
    /// How many regions there are that others can know, and how many that they cannot.
    pub(super) counts: (usize, usize),
    /// The condition under which the current block is reached.
    pub(super) reached: Wire,
    pub(super) memory: Memory,
    /// The numbers of the regions of local variables.
    pub(super) numbers: BTreeMap<LocalId, usize>,
    /// The state of memory at each load.
    pub(super) states: BTreeMap<LocalId, usize>,
    pub(super) null_is_valid: bool,
    pub(super) undefined: Wire,
    doubt: Wire,
    why: Option<Arc<str>>,
    pub(super) promises: u32,
    pub(super) events: Vec<Event>,
}

/// How often open locals may be computed anew in a function.
const BUDGET: u32 = 2_000;

/// What is encoded, and what source and target share.
pub(super) struct Task<'a> {
    pub(super) module: &'a Module,
    pub(super) function: &'a Function,
    pub(super) arguments: &'a [Symbol],
    /// Parameters that are regions of their own.
    pub(super) apart: &'a [LocalId],
    pub(super) is_source: bool,
}

/// Encodes a function for the given arguments.
pub(super) fn encode<'a>(
    wires: &'a mut Wires,
    task: &Task<'a>,
    choose: &'a mut Choose<'a>,
    answers: &'a mut Answers,
) -> Encoding<Summary> {
    let Task { module, function, .. } = *task;
    let code = function.code().ok_or_else(|| Unencodable::new("function that was not parsed"))?;
    let frame = Frame::new(code, task.arguments);
    let mut encoder = Encoder {
        wires,
        module,
        layout: Layout::of(module),
        choose,
        answers,
        code,
        header: &function.header,
        frame,
        opened: Wire::FALSE,
        is_source: task.is_source,
        budget: BUDGET,
        again: 0,
        nested: 0,
        depth: 0,
        counts: (0, 0),
        reached: Wire::TRUE,
        memory: Memory::default(),
        numbers: BTreeMap::new(),
        states: BTreeMap::new(),
        null_is_valid: function.header.attributes.has("null_pointer_is_valid"),
        undefined: Wire::FALSE,
        doubt: Wire::FALSE,
        why: None,
        promises: 0,
        events: vec![],
    };
    encoder.regions(function, task.apart)?;
    let (returns, value) = encoder.body()?;
    let Encoder { undefined, doubt, why, promises, events, memory, .. } = encoder;
    Ok(Summary { undefined, doubt, why, promises, returns, value, events, memory })
}

impl<'a> Frame<'a> {
    pub(super) fn new(code: &'a Code, arguments: &[Symbol]) -> Self {
        let count = code.locals.len();
        let mut definitions = vec![None; count];
        for block in code.block_ids() {
            for instruction in &code.block(block).instructions {
                if let Some(result) = instruction.result {
                    definitions[result.0 as usize] = Some((block, instruction));
                }
            }
        }
        let mut locals = vec![None; count];
        for (at, argument) in arguments.iter().enumerate() {
            locals[at] = Some(argument.clone());
        }
        Self {
            locals,
            open: vec![Wire::FALSE; count],
            definitions,
            edges: BTreeMap::new(),
            reached: BTreeMap::new(),
            exits: vec![],
        }
    }
}

impl Encoder<'_> {
    /// Says that what happens under a condition is not modelled: nothing is proven if it can happen.
    pub(super) fn unsure_if(&mut self, condition: Wire, why: &str) {
        if self.again == 0 {
            let here = self.wires.graph.and(self.reached, condition);
            let here = self.wires.graph.and(here, !self.undefined);
            if here != Wire::FALSE {
                self.doubt = self.wires.graph.or(self.doubt, here);
                self.why.get_or_insert_with(|| why.into());
            }
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

    /// A new choice of a value as wide as a word. A pointer is into no region.
    pub(super) fn choice_like(&mut self, when: Wire, word: &[Wire]) -> Encoding<Vec<Wire>> {
        match word.len() {
            POINTER => {
                let mut address = self.choice(when, ADDRESS as u32)?;
                address.resize(POINTER, Wire::FALSE);
                Ok(address)
            }
            width => self.choice(when, width as u32),
        }
    }

    /// The value of an operand, with its undef lanes as they are.
    pub(super) fn operand(&mut self, operand: &Operand) -> Encoding<Symbol> {
        match &operand.value {
            Value::Local(local) => self.local(*local),
            Value::Constant(constant) => self.constant(&operand.ty, constant),
            Value::Metadata(_) => Err(Unencodable::new("metadata operand")),
        }
    }

    fn local(&mut self, local: LocalId) -> Encoding<Symbol> {
        let at = local.0 as usize;
        self.opened = self.wires.graph.or(self.opened, self.frame.open[at]);
        if self.frame.open[at] != Wire::FALSE
            && let Some((_, instruction)) = self.frame.definitions[at]
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
        match &self.frame.locals[at] {
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
        let chosen = self.choice_like(lane.undef, &lane.word)?;
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

    /// The value of an operand, and when it is poison or undef. If that matters, a value that may be
    /// something else at another use is in doubt: it may be determined nevertheless.
    pub(super) fn determined(
        &mut self,
        operand: &Operand,
        matters: bool,
    ) -> Encoding<(Symbol, Wire)> {
        let opened = std::mem::replace(&mut self.opened, Wire::FALSE);
        let value = self.operand(operand)?;
        let bad = value.is_undetermined(self.wires);
        if matters {
            let doubt = self.wires.graph.and(self.opened, !bad);
            self.unsure_if(doubt, "decision that depends on undef");
        }
        self.opened = self.wires.graph.or(opened, self.opened);
        Ok((value, bad))
    }
}

/// The reason why something cannot be encoded, for counting.
impl From<&str> for Unencodable {
    fn from(why: &str) -> Self {
        Self(Arc::from(why))
    }
}
