//! From a function of a module to a [`Program`]. Constructs without a model become steps that stop the
//! run as unsupported, so that functions can be run on inputs that do not reach them.

mod call;
mod constant;
mod guard;
mod instruction;
mod library;
mod metadata;
mod vector;

pub(crate) use call::{effects, may_access};

use std::sync::Arc;

use super::memory::{Block as MemoryBlock, BlockKey, Byte, Memory};
use super::program::{Action, Guard, Lowered, LoweredBlock, Phi, Program, Source, Step};
use super::shape::{Layout, Shape};
use super::stop::Stop;
use crate::ir::{
    Attributes, Block, Code, Function, Instruction, Module, Op, Operand, Type, Value as IrValue,
};

impl Program {
    pub fn new(module: &Module, function: &Function) -> Self {
        let mut layout = Layout::of(module);
        layout.set_vscale(&function.header.attributes);
        let mut lowering = Lowering {
            module,
            program: Self {
                unsupported: layout.unsupported.map(Into::into),
                layout,
                functions: vec![],
                memory: Memory::default(),
                defined: vec![],
                called: vec![],
            },
            wanted: vec![function],
            pending: vec![],
        };
        // Functions that are called are appended while earlier ones are lowered.
        let mut next = 0;
        while let Some(function) = lowering.wanted.get(next) {
            let has_vscale = lowering.program.layout.has_vscale_of(&function.header.attributes);
            let lowered = match has_vscale {
                true => lowering.function(function),
                false => Stop::unsupported("a callee with another vscale_range"),
            };
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
        let code = lowering.wanted.iter().filter_map(|it| it.code());
        let is_foreign = |ty: &Type| matches!(ty.lane(), Type::Pointer { space: 1.., .. });
        // Null can be a valid address in other address spaces.
        if code.flat_map(|it| &it.locals).any(|local| is_foreign(&local.ty)) {
            lowering.program.memory.null_is_valid = true;
        }
        // Whether the constructors have run is not known.
        let is_variable =
            |block: &MemoryBlock| matches!(block.key, BlockKey::Global(_)) && block.is_writable;
        if module.global("llvm.global_ctors").is_some()
            && lowering.program.memory.blocks.iter().any(is_variable)
            && let Some(first) = lowering.program.functions.first_mut()
        {
            first.narrowed = Some("globals that constructors may change");
        }
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

    /// What attributes promise about a parameter or an argument.
    fn guard(&self, attributes: &Attributes, shape: &Shape) -> Guard {
        let mut guard = Guard::of(attributes, shape);
        self.add_pointee(&mut guard, attributes);
        guard.is_hidden = guard.is_noalias || guard.is_restricted || guard.copied.is_some();
        guard
    }

    fn add_pointee(&self, guard: &mut Guard, attributes: &Attributes) {
        guard.add_pointee(attributes, |ty| {
            let (shape, layout) = (self.shape(ty).ok()?, &self.program.layout);
            Some((layout.size(&shape), layout.align(&shape)))
        });
    }

    fn function(&mut self, function: &'a Function) -> Result<Lowered, Stop> {
        let header = &function.header;
        let Some(code) = function.code() else {
            return Stop::unsupported("a body that could not be read");
        };
        if header.attributes.has("null_pointer_is_valid") {
            self.program.memory.null_is_valid = true;
        }
        for attribute in ["naked", "presplitcoroutine"] {
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
            let guard = self.guard(&parameter.attributes, &shape);
            if parameter.attributes.has("returned") {
                lowered.narrowed = Some("returned");
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
        let floats = header.attributes.has("strictfp").then_some("strictfp");
        for name in ["denormal-fp-math", "denormal-fp-math-f32", "denormal_fpenv"] {
            let text = header.attributes.argument(name);
            if text.is_some_and(|text| text != "ieee" && text != "ieee,ieee") {
                lowered.flushes = true;
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
            if let Some(promise) = metadata::loop_promise(self.module, scratch.code, instruction) {
                lowered.steps.push(narrow(promise));
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
                self.shape(&Type::Pointer { space: global.space, to: None })?;
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
            if global.initialiser.is_some() {
                // Padding.
                inner.bytes.fill(Byte::Uninitialised);
                // Whoever defines a variable chooses its address.
                inner.align = global.align.unwrap_or_else(|| self.program.layout.align(&shape));
            }
            self.pending.push((global, block));
            return Ok(block);
        }
        if self.module.header(name).is_some() {
            let block =
                self.program.memory.add(BlockKey::Function(name.clone()), 256, vec![].into())?;
            self.program.memory.blocks[block as usize].is_writable = false;
            if self.module.function(name).is_some() {
                self.program.defined.push(name.clone());
            }
            return Ok(block);
        }
        // An alias of a symbol that cannot be replaced at link time is that symbol.
        let alias = self.module.aliases.iter().find(|it| it.name == *name);
        let aliasee = alias.filter(|it| !it.text.contains("weak") && !it.text.contains("ifunc"));
        match aliasee.and_then(|it| it.text.rsplit_once(" @")) {
            Some((_, target)) if !target.contains([' ', ',', ')', '"']) && target != &**name => {
                self.symbol(&target.into())
            }
            _ => Stop::unsupported("aliases"),
        }
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
