//! From a function of a module to a [`Program`]. Constructs without a model become steps that stop the
//! run as unsupported, so that functions can be run on inputs that do not reach them.

mod call;
mod constant;
mod guard;
mod instruction;
mod library;
mod metadata;

pub(crate) use call::effects;

use std::sync::Arc;

use super::memory::{BlockKey, Byte, Memory};
use super::program::{Action, Guard, Lowered, LoweredBlock, Phi, Program, Source, Step};
use super::shape::{Layout, Shape};
use super::stop::Stop;
use crate::ir::{Block, Code, Function, Instruction, Module, Op, Operand, Type, Value as IrValue};

impl Program {
    pub fn new(module: &Module, function: &Function) -> Self {
        let layout = Layout::of(module);
        let mut lowering = Lowering {
            module,
            program: Self {
                unsupported: layout.unsupported.map(Into::into),
                layout,
                functions: vec![],
                memory: Memory::default(),
            },
            wanted: vec![function],
            pending: vec![],
        };
        // Functions that are called are appended while earlier ones are lowered.
        let mut next = 0;
        while let Some(function) = lowering.wanted.get(next) {
            let lowered = lowering.function(function, next == 0);
            match lowered {
                Ok(lowered) => lowering.program.functions.push(lowered),
                Err(stop) => {
                    if next == 0 {
                        let reason = match stop {
                            Stop::Unsupported(reason) | Stop::Undefined(reason) => reason,
                            Stop::OutOfSteps | Stop::Ends(_) => "it cannot be prepared".into(),
                        };
                        lowering.program.unsupported = Some(reason);
                    }
                    lowering.program.functions.push(Lowered::default());
                }
            }
            next += 1;
        }
        lowering.initialise();
        lowering.program
    }
}

struct Lowering<'a> {
    module: &'a Module,
    program: Program,
    wanted: Vec<&'a Function>,
    /// Globals that are mentioned and not initialised yet: index of the block.
    pending: Vec<(&'a crate::ir::Global, u32)>,
}

/// The function that is being lowered.
struct Scratch<'a> {
    code: &'a Code,
    lowered: Lowered,
    floats: Option<&'static str>,
}

impl<'a> Lowering<'a> {
    fn shape(&self, ty: &Type) -> Result<Shape, Stop> {
        self.program.layout.shape(self.module, ty)
    }

    fn function(&mut self, function: &'a Function, is_entry: bool) -> Result<Lowered, Stop> {
        let header = &function.header;
        let Some(code) = function.code() else {
            return Stop::unsupported("a body that could not be read");
        };
        for attribute in ["strictfp", "naked", "null_pointer_is_valid", "presplitcoroutine"] {
            if header.attributes.has(attribute) {
                return Stop::unsupported(format!("functions with {attribute}"));
            }
        }
        if header.variadic {
            return Stop::unsupported("variadic functions");
        }
        let mut lowered = Lowered {
            registers: code.locals.len(),
            never_returns: header.attributes.has("noreturn"),
            narrowed: guard::function_promises(&header.attributes, code),
            ..Lowered::default()
        };
        for parameter in &header.parameters {
            let shape = self.shape(&parameter.ty)?;
            let mut guard = Guard::of(&parameter.attributes, &shape);
            if parameter.attributes.has("returned") {
                lowered.narrowed = Some("returned");
            }
            // The caller's copy of a byval argument is a block like any other here.
            if is_entry && guard.unsupported == Some("byval") {
                guard.unsupported = None;
                guard.is_copy = true;
            }
            if let Some(reason) = guard.unsupported {
                return Stop::unsupported(reason);
            }
            lowered.parameters.push((shape, guard));
        }
        if header.returns != Type::Void {
            let shape = self.shape(&header.returns)?;
            let guard = Guard::of(&header.return_attributes, &shape);
            lowered.returns = Some((shape, guard));
        }
        let mut floats = None;
        for name in ["denormal-fp-math", "denormal-fp-math-f32", "denormal_fpenv"] {
            let text = header.attributes.argument(name);
            if text.is_some_and(|text| text != "ieee" && text != "ieee,ieee") {
                floats = Some("denormal modes");
            }
        }
        let mut scratch = Scratch { code, lowered, floats };
        for block in &code.blocks {
            let block = self.block(&mut scratch, block);
            scratch.lowered.blocks.push(block);
        }
        Ok(scratch.lowered)
    }

    fn block(&mut self, scratch: &mut Scratch<'a>, block: &'a Block) -> LoweredBlock {
        let mut lowered = LoweredBlock::default();
        for instruction in &block.instructions {
            if let Op::Phi(blocks) = &instruction.op {
                match self.phi(scratch, instruction, blocks) {
                    Ok(phi) => lowered.phis.push(phi),
                    Err(stop) => lowered.steps.push(unsupported(stop)),
                }
                if !instruction.flags.is_empty()
                    && let Some(phi) = lowered.phis.last_mut()
                {
                    let kept = self.kept(scratch, instruction, None);
                    let kept = kept.unwrap_or_else(unsupported);
                    if let Some(Source::Register(register)) = kept.operands.first() {
                        phi.result = *register;
                    }
                    lowered.steps.push(kept);
                }
                continue;
            }
            let step = self.step(scratch, instruction, &mut lowered.steps);
            lowered.steps.push(step.unwrap_or_else(unsupported));
        }
        lowered
    }

    fn phi(
        &mut self,
        scratch: &mut Scratch<'a>,
        instruction: &'a Instruction,
        blocks: &[crate::ir::BlockId],
    ) -> Result<Phi, Stop> {
        let mut incoming = Vec::with_capacity(blocks.len());
        for (operand, block) in instruction.operands.iter().zip(blocks) {
            incoming.push((block.0, self.source(scratch, operand)?));
        }
        Ok(Phi { result: result(instruction), incoming })
    }

    fn source(&mut self, scratch: &mut Scratch<'a>, operand: &'a Operand) -> Result<Source, Stop> {
        match &operand.value {
            IrValue::Local(local) => Ok(Source::Register(local.0)),
            IrValue::Constant(constant) => self.constant(scratch, constant, &operand.ty),
            IrValue::Metadata(_) => Stop::unsupported("metadata operands"),
        }
    }

    fn sources(
        &mut self,
        scratch: &mut Scratch<'a>,
        operands: &'a [Operand],
    ) -> Result<Vec<Source>, Stop> {
        operands.iter().map(|operand| self.source(scratch, operand)).collect()
    }

    /// The block of a global variable or function of this name.
    fn symbol(&mut self, name: &Arc<str>) -> Result<u32, Stop> {
        let names = |key: &BlockKey| match key {
            BlockKey::Global(other) | BlockKey::Function(other) => other == name,
            BlockKey::Argument(_) | BlockKey::External(_) | BlockKey::Local(_) => false,
        };
        if let Some(index) = self.program.memory.blocks.iter().position(|it| names(&it.key)) {
            return Ok(index as u32);
        }
        if let Some(global) = self.module.global(name) {
            if global.space != 0 {
                return Stop::unsupported("address spaces");
            }
            if global.prefix.contains("extern_weak") || global.prefix.contains("thread_local") {
                return Stop::unsupported("weak external and thread-local globals");
            }
            let shape = self.shape(&global.ty)?;
            let size = self.program.layout.size(&shape);
            if size > 1 << 15 {
                return Stop::unsupported("blocks above 32 KiB");
            }
            let seed =
                name.bytes().fold(3, |seed, byte| super::choices::mix(seed ^ u64::from(byte)));
            let byte = |index: u64| Byte::Bits(super::choices::mix(seed.wrapping_add(index)) as u8);
            let bytes = (0..size).map(byte).collect();
            let block = self.program.memory.add(BlockKey::Global(name.clone()), 256, bytes)?;
            let inner = &mut self.program.memory.blocks[block as usize];
            inner.is_writable = !global.is_constant;
            inner.is_visible =
                !global.prefix.contains("internal") && !global.prefix.contains("private");
            inner.is_observed = inner.is_visible;
            self.pending.push((global, block));
            return Ok(block);
        }
        if self.module.header(name).is_some() {
            let block = self.program.memory.add(BlockKey::Function(name.clone()), 256, vec![])?;
            self.program.memory.blocks[block as usize].is_writable = false;
            return Ok(block);
        }
        Stop::unsupported("aliases")
    }
}

fn result(instruction: &Instruction) -> u32 {
    instruction.result.map_or(Step::NOTHING, |local| local.0)
}

/// A step that marks the run.
fn narrow(reason: &'static str) -> Step {
    Step { result: Step::NOTHING, operands: vec![], action: Action::Narrow(reason) }
}

fn unsupported(stop: Stop) -> Step {
    let reason = match stop {
        Stop::Unsupported(reason) | Stop::Undefined(reason) | Stop::Ends(reason) => reason,
        Stop::OutOfSteps => "too many steps".into(),
    };
    Step { result: Step::NOTHING, operands: vec![], action: Action::Unsupported(reason) }
}
