//! The regions of memory that a function has for itself: its local variables, and parameters that nothing else
//! points to.

use identity::kernel::Wire;

use super::encode::Encoder;
use super::escape;
use super::memory::Region;
use super::symbol::{ADDRESS, Lane, POINTER, REGIONS, Symbol};
use super::{Encoding, Unencodable};
use crate::ir::{Constant, Function, Instruction, LocalId, Op, Operand};

/// How the numbers of regions are shared out: local variables that escape have the same in source and
/// target, in order; others need not.
const HIDDEN: usize = 12;
const PARAMETERS: usize = 40;

impl Encoder<'_> {
    /// The regions of a function: its local variables, and parameters that nothing else points to.
    pub(super) fn regions(&mut self, function: &Function, apart: &[LocalId]) -> Encoding<()> {
        let mut has_visible = false;
        let allocas: Vec<&Instruction> =
            self.code.instructions().filter(|it| matches!(it.op, Op::Alloca { .. })).collect();
        for instruction in allocas {
            let (Op::Alloca { of, align, space, modifier }, Some(result)) =
                (&instruction.op, instruction.result)
            else {
                continue;
            };
            if *space != 0 || modifier.is_some() {
                return Err(Unencodable::new("unusual alloca"));
            }
            self.ordinary_pointers()?;
            let count = match instruction.operands.first().map(|it| it.as_constant()) {
                None => 1,
                Some(Some(Constant::Int(count))) => u64::try_from(*count).unwrap_or(u64::MAX),
                Some(_) => return Err(Unencodable::new("alloca of variable size")),
            };
            let shape = self.shape(of)?;
            let is_visible = escape::escapes(self.code, result);
            has_visible |= is_visible;
            let own = match is_visible {
                true => self.counts.0,
                false => HIDDEN + self.counts.1,
            };
            match is_visible {
                true => self.counts.0 += 1,
                false => self.counts.1 += 1,
            }
            if own >= PARAMETERS || is_visible && own >= HIDDEN {
                return Err(Unencodable::new("many local variables"));
            }
            let size = self.layout.size(&shape).saturating_mul(count);
            let align = align.unwrap_or_else(|| self.layout.align(&shape));
            let has_lifetime = self.code.instructions().any(|it| {
                it.callee().is_some_and(|name| name.starts_with("llvm.lifetime.start"))
                    && it.operands.iter().any(|operand| operand.as_local() == Some(result))
            });
            let is_alive = Wire::constant(!has_lifetime);
            self.numbers.insert(result, own);
            let region = Region {
                number: own,
                size: Some(size),
                align,
                is_visible,
                is_observed: false,
                is_alive,
            };
            self.memory.regions.push(region);
        }
        for (at, parameter) in function.header.parameters.iter().enumerate() {
            let is_copy = parameter.attributes.has("byval");
            if !apart.contains(&LocalId(at as u32)) {
                if is_copy {
                    return Err(Unencodable::new("byval parameter that escapes"));
                }
                continue;
            }
            let region = Region {
                number: PARAMETERS + at,
                size: None,
                align: 1,
                is_visible: false,
                is_observed: !is_copy,
                is_alive: Wire::TRUE,
            };
            self.memory.regions.push(region);
        }
        if has_visible && escape::follows_foreign_pointers(self.code) {
            return Err(Unencodable::new("pointer that may be to a local variable"));
        }
        Ok(())
    }

    /// The number of the region of a parameter.
    pub(super) fn parameter_region(at: usize) -> Option<usize> {
        (PARAMETERS + at < REGIONS).then_some(PARAMETERS + at)
    }

    pub(super) fn alloca(&mut self, instruction: &Instruction) -> Encoding<Symbol> {
        let number = instruction.result.and_then(|it| self.numbers.get(&it).copied());
        let number = number.ok_or_else(|| Unencodable::new("alloca without region"))?;
        let mut word = vec![Wire::FALSE; POINTER];
        word[ADDRESS + number] = Wire::TRUE;
        Ok(Symbol::Lane(Lane::of(word)))
    }

    /// `llvm.lifetime.start` and `end` of a local variable.
    pub(super) fn lifetime(&mut self, arguments: &[Operand], starts: bool) -> Encoding<Symbol> {
        let local = arguments.last().and_then(|it| it.as_local());
        let number = local.and_then(|it| self.numbers.get(&it).copied());
        let number = number.ok_or_else(|| Unencodable::new("lifetime of another block"))?;
        let guard = self.reached;
        self.memory.renew(self.wires, guard, number, starts)?;
        Ok(Symbol::Many(vec![]))
    }
}
