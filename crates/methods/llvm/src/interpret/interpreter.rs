//! The state of a run of a [`Program`]: frames, blocks and control flow. Single steps are in `step` and
//! `arithmetic`, calls in `call`, promises of attributes in `check`.

use std::sync::Arc;

use super::choices::Choices;
use super::lane::{Kind, Scope};
use super::memory::{BlockKey, Byte, Memory};
use super::outcome::{Event, Input, Outcome, Run};
use super::program::{Action, Lowered, Program, Source, Step};
use super::stop::Stop;
use super::value::{Lane, Pointer, Value};

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub steps: u32,
    /// Nested calls.
    pub depth: u32,
    /// Whether the result is one of the values that its undef lanes stand for.
    pub settles_undef: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 4_000, depth: 16, settles_undef: false }
    }
}

/// The state of a run.
#[derive(Debug)]
pub struct Interpreter<'a> {
    pub(crate) program: &'a Program,
    pub(crate) memory: Memory,
    pub(crate) choices: &'a mut Choices,
    pub(crate) events: Vec<Event>,
    pub(crate) narrowed: Option<&'static str>,
    pub(crate) steps: u32,
    pub(crate) answers: u64,
    pub(crate) made_nan: bool,
    pub(crate) mixed_poison: bool,
    pub(crate) cast_mixed_poison: bool,
    pub(crate) has_loaded: bool,
    pub(crate) has_asked: bool,
    pub(crate) has_let_write: bool,
    pub(crate) opaque: Option<Arc<str>>,
    /// Whether the function that runs may take subnormal numbers for zeros.
    pub(crate) flushes: bool,
    /// The index of the first block that belongs to the function that is running.
    pub(super) first_local: usize,
}

/// Where a step continues.
pub(crate) enum Next {
    Step,
    Block(u32),
    Return(Option<Value>),
}

impl<'a> Interpreter<'a> {
    pub(crate) fn new(program: &'a Program, choices: &'a mut Choices) -> Self {
        Self {
            program,
            memory: program.memory.clone(),
            choices,
            events: vec![],
            narrowed: None,
            steps: 0,
            answers: 0,
            made_nan: false,
            mixed_poison: false,
            cast_mixed_poison: false,
            has_loaded: false,
            has_asked: false,
            has_let_write: false,
            opaque: None,
            flushes: false,
            first_local: 0,
        }
    }

    /// Runs the function under test once.
    pub fn run(
        program: &'a Program,
        input: &Input,
        choices: &'a mut Choices,
        limits: Limits,
    ) -> Run {
        if let Some(reason) = &program.unsupported {
            let outcome = Outcome::Unsupported(reason.clone());
            return Run {
                outcome,
                narrowed: None,
                opaque: None,
                made_nan: false,
                mixed_poison: false,
                cast_mixed_poison: false,
                has_loaded: false,
                has_asked: false,
                has_let_write: false,
                steps: 0,
            };
        }
        let mut interpreter = Self::new(program, choices);
        interpreter.narrowed = program.functions.first().and_then(|it| it.narrowed);
        (interpreter.steps, interpreter.answers) = (limits.steps, input.answers);
        let returned = interpreter.start(input, limits);
        let steps = limits.steps - interpreter.steps;
        let Self { memory, events, narrowed, opaque, made_nan, mixed_poison, .. } = interpreter;
        let (cast_mixed_poison, has_loaded, has_asked) =
            (interpreter.cast_mixed_poison, interpreter.has_loaded, interpreter.has_asked);
        let has_let_write = interpreter.has_let_write;
        let outcome = match returned {
            Ok(value) => Outcome::Returned { value, memory, events },
            Err(Stop::Ends(reason)) => Outcome::Ends { reason, memory, events },
            Err(Stop::Undefined(reason)) => Outcome::Undefined(reason),
            Err(Stop::Unsupported(reason)) => Outcome::Unsupported(reason),
            Err(Stop::OutOfSteps) => Outcome::OutOfSteps,
        };
        Run {
            outcome,
            narrowed,
            opaque,
            made_nan,
            mixed_poison,
            cast_mixed_poison,
            has_loaded,
            has_asked,
            has_let_write,
            steps,
        }
    }

    fn start(&mut self, input: &Input, limits: Limits) -> Result<Option<Value>, Stop> {
        let globals = self.memory.blocks.len() as u32;
        for (index, block) in input.blocks.iter().enumerate() {
            let key = BlockKey::Argument(index as u32);
            self.memory.add(key, block.align, block.bytes.clone())?;
        }
        let moved = |pointer: Pointer, memory: &Memory| {
            if pointer.block == Pointer::NOWHERE {
                return pointer;
            }
            let block = pointer.block + globals;
            let base = memory.blocks.get(block as usize).map_or(0, |it| it.base);
            Pointer { block, address: base.wrapping_add(pointer.address) }
        };
        for index in globals as usize..self.memory.blocks.len() {
            let is_pointer = |byte: &Byte| matches!(byte, Byte::Fragment(..));
            if !self.memory.blocks[index].bytes.iter().any(is_pointer) {
                continue;
            }
            for at in 0..self.memory.blocks[index].bytes.len() {
                if let Byte::Fragment(pointer, part) = self.memory.blocks[index].bytes[at] {
                    let pointer = moved(pointer, &self.memory);
                    self.memory.blocks[index].bytes[at] = Byte::Fragment(pointer, part);
                }
            }
        }
        let Some(function) = self.program.functions.first() else {
            return Stop::unsupported("no function");
        };
        if function.parameters.len() != input.arguments.len() {
            return Stop::unsupported("an input for another signature");
        }
        let mut arguments = Vec::with_capacity(function.registers);
        for (value, (shape, guard)) in input.arguments.iter().zip(&function.parameters) {
            let value = relocated(value, &|pointer| moved(pointer, &self.memory));
            if let Value::Lane(Lane::Pointer(pointer)) = &value
                && let Some(block) = self.memory.blocks.get_mut(pointer.block as usize)
            {
                block.is_restricted |= guard.is_restricted;
                // Callees cannot reach it unless it is passed to them.
                block.is_visible &= !guard.is_hidden;
                block.is_observed &= guard.copied.is_none() && !guard.is_dead_after;
            }
            arguments.push(self.check(guard, shape, value)?);
        }
        let value = self.function(function, arguments, limits.depth)?;
        match (value, &function.returns) {
            (Some(value), Some((shape, _))) => {
                self.forced_within(&value, shape, limits.settles_undef).map(Some)
            }
            (value, _) => Ok(value),
        }
    }

    pub(crate) fn scope(&mut self) -> Scope<'_> {
        Scope {
            choices: self.choices,
            memory: &self.memory,
            narrowed: &mut self.narrowed,
            made_nan: &mut self.made_nan,
        }
    }

    /// Runs a function on arguments that were checked.
    pub(crate) fn function(
        &mut self,
        function: &'a Lowered,
        arguments: Vec<Value>,
        depth: u32,
    ) -> Result<Option<Value>, Stop> {
        if function.blocks.is_empty() {
            return Stop::unsupported("a callee without a model");
        }
        let caller_locals = std::mem::replace(&mut self.first_local, self.memory.blocks.len());
        let flushes = std::mem::replace(&mut self.flushes, function.flushes);
        let mut registers = arguments;
        registers.resize(function.registers, Value::POISON);
        for step in &function.prologue {
            self.execute(step, &mut registers, depth)?;
        }
        let (mut block, mut previous) = (0, u32::MAX);
        let value = 'run: loop {
            let Some(code) = function.blocks.get(block as usize) else {
                return Stop::unsupported("a block that does not exist");
            };
            self.enter(code, previous, &mut registers)?;
            for step in &code.steps {
                if self.steps == 0 {
                    return Err(Stop::OutOfSteps);
                }
                self.steps -= 1;
                match self.execute(step, &mut registers, depth)? {
                    Next::Step => {}
                    Next::Block(next) => {
                        (previous, block) = (block, next);
                        continue 'run;
                    }
                    Next::Return(value) => break 'run value,
                }
            }
            return Stop::unsupported("a block without a terminator");
        };
        self.flushes = flushes;
        if function.never_returns {
            return Stop::undefined("a noreturn function returns");
        }
        let first_local = std::mem::replace(&mut self.first_local, caller_locals);
        for local in &mut self.memory.blocks[first_local..] {
            if local.is_local() {
                local.is_alive = false;
            }
        }
        match (value, &function.returns) {
            (Some(value), Some((shape, guard))) => {
                let value = self.check(guard, shape, value)?;
                Ok(Some(value))
            }
            (value, _) => Ok(value),
        }
    }

    /// All phis of a block read their operands before any is written.
    fn enter(
        &mut self,
        block: &super::program::LoweredBlock,
        previous: u32,
        registers: &mut [Value],
    ) -> Result<(), Stop> {
        if block.phis.is_empty() {
            return Ok(());
        }
        let mut values = Vec::with_capacity(block.phis.len());
        for phi in &block.phis {
            let Some((_, source)) = phi.incoming.iter().find(|(from, _)| *from == previous) else {
                return Stop::unsupported("a phi without a value for a predecessor");
            };
            values.push(source.get(registers).clone());
        }
        for (phi, value) in block.phis.iter().zip(values) {
            registers[phi.result as usize] = value;
        }
        Ok(())
    }

    /// A condition that decides where execution continues: undefined if it is poison or depends on undef.
    pub(crate) fn decisive(&mut self, value: &Value, width: u32) -> Result<u128, Stop> {
        let lane = value.lane(0);
        if let Lane::Bits(bits) = lane {
            return Ok(*bits);
        }
        match lane.settle(Kind::Bits(width), &mut self.scope())? {
            Some(Lane::Bits(bits)) => Ok(bits),
            _ => Stop::undefined("a branch on poison or undef"),
        }
    }

    pub(crate) fn control(&mut self, step: &Step, registers: &[Value]) -> Result<Next, Stop> {
        let operand = |index: usize| step.operands[index].get(registers);
        match &step.action {
            Action::Return => {
                Ok(Next::Return(step.operands.first().map(|it| it.get(registers).clone())))
            }
            Action::Branch(to) => Ok(Next::Block(*to)),
            Action::CondBranch(yes, no) => {
                let condition = self.decisive(operand(0), 1)?;
                Ok(Next::Block(if condition == 1 { *yes } else { *no }))
            }
            Action::Switch { width, default, cases } => {
                let value = self.decisive(operand(0), *width)?;
                let case = cases.iter().find(|(case, _)| *case == value);
                Ok(Next::Block(case.map_or(*default, |(_, block)| *block)))
            }
            Action::Unreachable => Stop::undefined("unreachable code is reached"),
            Action::Trap => Err(Stop::Ends("trap".into())),
            _ => Stop::unsupported("another action"),
        }
    }
}

impl Source {
    pub(crate) fn get<'b>(&'b self, registers: &'b [Value]) -> &'b Value {
        match self {
            Self::Register(register) => &registers[*register as usize],
            Self::Constant(value) => value,
        }
    }
}

fn relocated(value: &Value, moved: &impl Fn(Pointer) -> Pointer) -> Value {
    match value {
        Value::Lane(Lane::Pointer(pointer)) => Value::Lane(Lane::Pointer(moved(*pointer))),
        Value::Lane(lane) => Value::Lane(lane.clone()),
        Value::Many(elements) => {
            Value::Many(elements.iter().map(|element| relocated(element, moved)).collect())
        }
    }
}
