//! Calls of intrinsics: those of the table, and those that only constrain or pass on a value. Other calls are
//! in `unknown.rs`.

use identity::kernel::Wire;

use super::encode::Encoder;
use super::symbol::{Lane, Symbol, width};
use super::value::{constrained, shaped};
use super::{Encoding, Unencodable};
use crate::ir::{Call, Instruction, Operand, Type};
use crate::semantics::{self, Intrinsic, Reduction};

impl Encoder<'_> {
    pub(super) fn call(&mut self, call: &Call, instruction: &Instruction) -> Encoding<Symbol> {
        let arguments = &instruction.operands[..call.arguments()];
        let Some(callee) = instruction.callee() else {
            return self.unknown(call, instruction, None);
        };
        if callee == "llvm.assume" {
            return self.assume(call, arguments);
        }
        if !call.bundles.is_empty() {
            return Err(Unencodable::new("operand bundle"));
        }
        let returns = &call.returns;
        let value = if let Some(intrinsic) = Intrinsic::of(callee) {
            self.intrinsic(intrinsic, arguments, returns)?
        } else if let Some(reduction) = Reduction::of(callee) {
            self.reduce(reduction, &arguments[0])?
        } else if let Some(name) = callee.strip_prefix("llvm.") {
            match name.split('.').next().unwrap_or_default() {
                "fabs" => {
                    let value = self.with_sign(arguments, |_| Wire::FALSE)?;
                    self.rounded_off(instruction.flags, returns, value)?
                }
                "copysign" => {
                    let sign = |other: &[Wire]| other.last().copied().unwrap_or(Wire::FALSE);
                    let value = self.with_sign(arguments, sign)?;
                    self.rounded_off(instruction.flags, returns, value)?
                }
                "minimum" | "maximum" | "minimumnum" | "maximumnum" => {
                    self.extreme(name, instruction.flags, arguments, returns)?
                }
                "expect" | "ssa" => self.operand(&arguments[0])?,
                "donothing" | "sideeffect" | "dbg" | "pseudoprobe" | "var" | "prefetch" => {
                    Symbol::Many(vec![])
                }
                "memcpy" | "memmove" | "memset" => {
                    return self.memory_intrinsic(name, call, arguments);
                }
                "lifetime" => return self.lifetime(arguments, name.starts_with("lifetime.start")),
                "is" if name.starts_with("is.fpclass") => self.is_class(arguments)?,
                "trap" | "ubsantrap" => return self.trap(),
                "minnum" | "maxnum" => {
                    self.unknown_lanes(callee, instruction.flags, arguments, returns, true)?
                }
                "sqrt" | "floor" | "ceil" | "trunc" | "rint" | "nearbyint" | "round"
                | "roundeven" | "canonicalize" | "fma" | "fmuladd" | "exp" | "exp2" | "log"
                | "log2" | "log10" | "sin" | "cos" | "pow" => {
                    self.unknown_lanes(callee, instruction.flags, arguments, returns, false)?
                }
                _ => return self.opaque_intrinsic(call, instruction, callee),
            }
        } else {
            return self.unknown(call, instruction, Some(callee));
        };
        let value = constrained(self.wires, returns, &value, &call.return_attributes)?;
        if let Some(range) = instruction.attachment("range") {
            return self.ranged(value, range);
        }
        Ok(value)
    }

    fn assume(&mut self, call: &Call, arguments: &[Operand]) -> Encoding<Symbol> {
        // What bundles promise is not used of the source; the target may not promise more often.
        self.promises += call.bundles.len() as u32;
        let (value, bad) = self.determined(&arguments[0], true)?;
        let holds = value.lane()?.word[0];
        let broken = self.wires.graph.or(bad, !holds);
        self.undefined_if(broken);
        Ok(Symbol::Many(vec![]))
    }

    fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        arguments: &[Operand],
        returns: &Type,
    ) -> Encoding<Symbol> {
        let result = match returns {
            Type::Struct { fields, .. } => &fields[0],
            other => other,
        };
        let result_width = width(result.lane())?;
        let read: Vec<Vec<Lane>> =
            arguments.iter().map(|it| self.read_all(it)).collect::<Encoding<_>>()?;
        let count = result.lanes().ok_or_else(|| Unencodable::new("scalable vector"))?;
        let (mut values, mut overflows) = (vec![], vec![]);
        for at in 0..count as usize {
            let own: Option<Vec<_>> = read
                .iter()
                .enumerate()
                .map(|(number, lanes)| {
                    let at = if intrinsic.is_flag(number) { 0 } else { at };
                    lanes.get(at).map(Lane::strict)
                })
                .collect();
            let own = own.ok_or_else(|| Unencodable::new("arguments of an intrinsic"))?;
            let answer = semantics::intrinsic_lanes(self.wires, intrinsic, &own, result_width);
            let answer = answer.ok_or_else(|| Unencodable::new("arguments of an intrinsic"))?;
            let poison = answer.effect.poison;
            if let Some(overflow) = answer.overflow {
                overflows.push(Lane { word: vec![overflow], poison, undef: Wire::FALSE });
            }
            values.push(answer.effect.into());
        }
        let value = shaped(result, values);
        Ok(if overflows.is_empty() {
            value
        } else {
            Symbol::Many(vec![value, shaped(result, overflows)])
        })
    }

    fn reduce(&mut self, reduction: Reduction, argument: &Operand) -> Encoding<Symbol> {
        let lanes = self.read_all(argument)?;
        let mut lanes = lanes.iter().map(Lane::strict);
        let mut total = lanes.next().ok_or_else(|| Unencodable::new("empty vector"))?;
        let width = total.value.len() as u32;
        for lane in lanes {
            let effect = match reduction {
                Reduction::Binary(op) => {
                    let none = crate::ir::Flags::NONE;
                    semantics::binary_lanes(self.wires, op, none, &total, &lane)
                }
                Reduction::Intrinsic(intrinsic) => {
                    let pair = [total, lane];
                    let answer = semantics::intrinsic_lanes(self.wires, intrinsic, &pair, width);
                    answer.ok_or_else(|| Unencodable::new("arguments of an intrinsic"))?.effect
                }
            };
            total = effect.lane();
        }
        let lane = Lane { word: total.value, poison: total.poison, undef: Wire::FALSE };
        Ok(Symbol::Lane(lane))
    }

    /// The first operand, a float, with another sign, which may depend on the second operand.
    fn with_sign(&mut self, arguments: &[Operand], sign: fn(&[Wire]) -> Wire) -> Encoding<Symbol> {
        let first = self.read_all(&arguments[0])?;
        let second = match arguments.get(1) {
            Some(argument) => self.read_all(argument)?,
            None => first.clone(),
        };
        let lanes = first.into_iter().zip(&second).map(|(mut lane, other)| {
            if let Some(top) = lane.word.last_mut() {
                *top = sign(&other.word);
            }
            lane.poison = self.wires.graph.or(lane.poison, other.poison);
            lane
        });
        let lanes = lanes.collect();
        Ok(shaped(&arguments[0].ty, lanes))
    }
}
