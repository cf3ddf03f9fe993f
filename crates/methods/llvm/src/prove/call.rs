//! Calls: intrinsics of the table, those that only constrain or pass on a value, and functions that are
//! not modelled.

use std::sync::Arc;

use identity::kernel::Wire;

use super::calls::Event;
use super::encode::Encoder;
use super::symbol::{Lane, Symbol, width};
use super::value::{constrained, in_range, shaped, unknown_call};
use super::{Encoding, Unencodable};
use crate::ir::{Attributes, Call, Header, Instruction, Operand, Type};
use crate::semantics::{self, Intrinsic, Reduction};

impl Encoder<'_> {
    pub(super) fn call(&mut self, call: &Call, instruction: &Instruction) -> Encoding<Symbol> {
        let arguments = &instruction.operands[..call.arguments()];
        let callee = instruction.callee().ok_or_else(|| Unencodable::new("indirect call"))?;
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
                "fabs" => self.with_sign(arguments, |_| Wire::FALSE)?,
                "copysign" => {
                    self.with_sign(arguments, |other| other.last().copied().unwrap_or(Wire::FALSE))?
                }
                "expect" | "ssa" => self.operand(&arguments[0])?,
                "donothing" | "sideeffect" => Symbol::Many(vec![]),
                "minnum" | "maxnum" | "minimum" | "maximum" | "minimumnum" | "maximumnum" => {
                    self.unknown_lanes(callee, instruction.flags, arguments, returns, true)?
                }
                "sqrt" | "floor" | "ceil" | "trunc" | "rint" | "nearbyint" | "round"
                | "roundeven" | "canonicalize" | "fma" | "fmuladd" | "exp" | "exp2" | "log"
                | "log2" | "log10" | "sin" | "cos" | "pow" => {
                    self.unknown_lanes(callee, instruction.flags, arguments, returns, false)?
                }
                _ => return Err(unknown_call(callee)),
            }
        } else {
            return self.unknown(call, instruction, callee);
        };
        let value = constrained(self.wires, &value, &call.return_attributes)?;
        Ok(value)
    }

    fn assume(&mut self, call: &Call, arguments: &[Operand]) -> Encoding<Symbol> {
        if !call.bundles.is_empty() {
            return Err(Unencodable::new("assumption with operand bundles"));
        }
        let (value, bad) = self.determined(&arguments[0])?;
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

    /// A function that is declared only, or whose body is not looked into.
    fn unknown(
        &mut self,
        call: &Call,
        instruction: &Instruction,
        callee: &str,
    ) -> Encoding<Symbol> {
        let header = self.module.header(callee).ok_or_else(|| Unencodable::new("callee"))?;
        if self.module.function(callee).is_some() {
            return Err(Unencodable::new("call of a defined function"));
        }
        if is_library_function(callee) {
            return Err(Unencodable::new("call of a library function"));
        }
        let arguments = &instruction.operands[..call.arguments()];
        let mut values = vec![];
        for (at, argument) in arguments.iter().enumerate() {
            let declared = header.parameters.get(at).map(|parameter| &parameter.attributes);
            let both = [Some(&call.argument_attributes[at]), declared];
            let has = |name: &str| both.iter().flatten().any(|attributes| attributes.has(name));
            if has("returned") || argument.ty.lane().is_pointer() {
                return Err(Unencodable::new("call with pointers"));
            }
            let (value, bad) = self.determined(argument)?;
            if has("noundef") {
                self.undefined_if(bad);
            }
            let mut value = self.passed_on(value)?;
            for attributes in both.into_iter().flatten() {
                value = constrained(self.wires, &value, attributes)?;
            }
            values.push(value);
        }
        let attributes = [&call.attributes, &header.attributes];
        let has = |name: &str| attributes.iter().any(|it| it.has(name));
        if has("noreturn") || has("returns_twice") || has("convergent") {
            return Err(Unencodable::new("call that may not return"));
        }
        let has_result = call.returns != Type::Void;
        let result = if is_pure(&attributes) {
            if !has_result {
                return Ok(Symbol::Many(vec![]));
            }
            let read: Vec<Symbol> =
                values.iter().map(|value| self.frozen_undef(value)).collect::<Encoding<_>>()?;
            self.answers.apply(self.wires, self.module, callee, &read, &call.returns, false)?
        } else {
            let number = self.events.len();
            let name: Arc<str> = callee.into();
            self.events.push(Event {
                guard: self.reached,
                callee: Arc::clone(&name),
                arguments: values,
            });
            if !has_result {
                return Ok(Symbol::Many(vec![]));
            }
            self.answers.event(self.wires, self.module, &name, number, &call.returns)?
        };
        self.answered(call, header, instruction, result)
    }

    /// The result under the attributes of call and callee, and its metadata.
    fn answered(
        &mut self,
        call: &Call,
        header: &Header,
        instruction: &Instruction,
        mut result: Symbol,
    ) -> Encoding<Symbol> {
        for attributes in [&call.return_attributes, &header.return_attributes] {
            if attributes.has("noundef") {
                let bad = result.is_undetermined(self.wires);
                self.undefined_if(bad);
            }
            result = constrained(self.wires, &result, attributes)?;
        }
        if let Some(range) = instruction.attachment("range") {
            let bounds: Vec<&str> =
                range.trim_start_matches("!{").trim_end_matches('}').split(", ").collect();
            let [low, high] = bounds.as_slice() else {
                return Err(Unencodable::new("range of several parts"));
            };
            let high = high.split_once(' ').map_or(*high, |(_, number)| number);
            result = in_range(self.wires, result, &format!("{low}, {high}"))?;
        }
        Ok(result)
    }

    /// Undef lanes with some value each.
    fn frozen_undef(&mut self, value: &Symbol) -> Encoding<Symbol> {
        match value {
            Symbol::Lane(lane) => self.read(lane).map(Symbol::Lane),
            Symbol::Many(many) => {
                let read = many.iter().map(|it| self.frozen_undef(it));
                read.collect::<Encoding<_>>().map(Symbol::Many)
            }
        }
    }
}

/// Whether a call has no effect and no other input than its arguments.
fn is_pure(attributes: &[&Attributes]) -> bool {
    let has = |name: &str| attributes.iter().any(|it| it.has(name));
    let memory = attributes.iter().find_map(|it| it.argument("memory"));
    let reads_nothing = has("readnone") || memory.is_some_and(|memory| memory == "none");
    reads_nothing && has("nounwind") && has("willreturn")
}

/// Functions that LLVM knows by name: what they do is not modelled, and not unknown to the optimiser.
fn is_library_function(name: &str) -> bool {
    crate::library::is_known_by_name(name)
}
