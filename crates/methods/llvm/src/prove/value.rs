//! The value of each instruction.

use std::sync::Arc;

use identity::kernel::Wire;

use super::calls::Unknown;
use super::encode::Encoder;
use super::float::{compare_floats, excluded, without_classes};
use super::symbol::{Lane, Symbol, width};
use super::wires::{Wires, constant};
use super::{Encoding, Unencodable};
use crate::ir::{Attributes, BinaryOp, CastOp, Flags, Header, Instruction, Op, Operand, Type};
use crate::semantics::{self, Domain};

impl Encoder<'_> {
    /// What an instruction computes. Undefined behaviour is recorded on the way.
    pub(super) fn value(&mut self, instruction: &Instruction) -> Encoding<Symbol> {
        let operands = &instruction.operands;
        let flags = instruction.flags;
        let value = match &instruction.op {
            Op::Binary(op) => {
                let (left, right) = (self.read_all(&operands[0])?, self.read_all(&operands[1])?);
                let mut lanes = vec![];
                for (a, b) in left.iter().zip(&right) {
                    let (a, b) = (a.strict(), b.strict());
                    let effect = semantics::binary_lanes(self.wires, *op, flags, &a, &b);
                    self.undefined_if(effect.undefined);
                    let mut lane = Lane::from(effect);
                    if *op == BinaryOp::Sub
                        && let Some(word) =
                            self.answers.places.difference(self.wires, &a.value, &b.value)
                    {
                        lane.word = word;
                    }
                    lanes.push(lane);
                }
                shaped(&operands[0].ty, lanes)
            }
            Op::ICmp(predicate) if operands[0].ty.lane().is_pointer() => {
                self.ordinary_pointers()?;
                let (left, right) = (self.read_all(&operands[0])?, self.read_all(&operands[1])?);
                let lanes = left.iter().zip(&right);
                let lanes = lanes.map(|(a, b)| self.compare_pointers(*predicate, flags, a, b));
                let lanes = lanes.collect::<Encoding<_>>()?;
                shaped(&operands[0].ty, lanes)
            }
            Op::ICmp(predicate) => {
                let (left, right) = (self.read_all(&operands[0])?, self.read_all(&operands[1])?);
                let lanes = left.iter().zip(&right).map(|(a, b)| {
                    let (a, b) = (a.strict(), b.strict());
                    semantics::compare_lanes(self.wires, *predicate, flags, &a, &b).into()
                });
                let lanes = lanes.collect();
                shaped(&operands[0].ty, lanes)
            }
            Op::FCmp(predicate) => {
                let kind = &operands[0].ty;
                let (left, right) = (self.read_all(&operands[0])?, self.read_all(&operands[1])?);
                let mut lanes = vec![];
                for (a, b) in left.iter().zip(&right) {
                    self.flushed(kind, a)?;
                    self.flushed(kind, b)?;
                    let result = compare_floats(self.wires, *predicate, kind, &a.word, &b.word)?;
                    let poison = self.wires.graph.or(a.poison, b.poison);
                    let mut lane = Lane { word: vec![result], poison, undef: Wire::FALSE };
                    for side in [&a.word, &b.word] {
                        let bad = excluded(self.wires, flags, kind, side)?;
                        lane.poison = self.wires.graph.or(lane.poison, bad);
                    }
                    lanes.push(lane);
                }
                shaped(kind, lanes)
            }
            Op::Select => self.select(instruction)?,
            Op::Freeze => {
                let value = self.operand(&operands[0])?;
                self.frozen(&value)?
            }
            Op::Cast(op, to) => self.cast(*op, flags, &operands[0], to)?,
            Op::Phi(from) => {
                let value = self.phi(instruction, from)?;
                self.rounded_off(flags, &operands[0].ty, value)?
            }
            Op::FNeg => {
                let mut lanes = self.read_all(&operands[0])?;
                for lane in &mut lanes {
                    let top = lane.word.len() - 1;
                    lane.word[top] = !lane.word[top];
                }
                self.rounded_off(flags, &operands[0].ty, shaped(&operands[0].ty, lanes))?
            }
            Op::FloatBinary(op) => {
                let commutes = matches!(op.word(), "fadd" | "fmul");
                self.unknown_lanes(op.word(), flags, operands, &operands[0].ty, commutes)?
            }
            Op::ExtractElement => self.extract_element(operands)?,
            Op::InsertElement => self.insert_element(operands)?,
            Op::ShuffleVector(mask, scalable) => {
                if *scalable {
                    return Err(Unencodable::new("scalable vector"));
                }
                let (first, second) = (self.operand(&operands[0])?, self.operand(&operands[1])?);
                let lanes: Vec<Lane> =
                    first.lanes().into_iter().chain(second.lanes()).cloned().collect();
                let of = lanes.first().map_or(1, |lane| lane.word.len() as u32);
                // Before LLVM 17 such a lane was undef. Each side gets what can only hide a failure.
                let is_source = self.is_source;
                let pick = |at: &Option<u32>| match at {
                    Some(at) => lanes.get(*at as usize).cloned(),
                    None if is_source => Some(Lane::poison(of)),
                    None => Some(Lane::undef(of)),
                };
                let picked = mask.iter().map(pick).collect::<Option<Vec<_>>>();
                let picked = picked.ok_or_else(|| Unencodable::new("shuffle mask"))?;
                Symbol::Many(picked.into_iter().map(Symbol::Lane).collect())
            }
            Op::ExtractValue(path) => {
                let mut value = self.operand(&operands[0])?;
                for at in path.iter() {
                    value = match value {
                        Symbol::Many(many) => many.into_iter().nth(*at as usize),
                        Symbol::Lane(_) => None,
                    }
                    .ok_or_else(|| Unencodable::new("path into an aggregate"))?;
                }
                value
            }
            Op::InsertValue(path) => {
                let mut value = self.operand(&operands[0])?;
                let element = self.operand(&operands[1])?;
                let mut place = &mut value;
                for at in path.iter() {
                    place = match place {
                        Symbol::Many(many) => many.get_mut(*at as usize),
                        Symbol::Lane(_) => None,
                    }
                    .ok_or_else(|| Unencodable::new("path into an aggregate"))?;
                }
                *place = element;
                value
            }
            Op::Call(call) => return self.call(call, instruction),
            Op::Load(..) => self.load(instruction)?,
            Op::Store(access) => return self.store(instruction, access),
            Op::Alloca { .. } => self.alloca(instruction)?,
            Op::GetElementPtr { element } => self.get_element_pointer(instruction, element)?,
            Op::CmpXchg { .. } | Op::AtomicRmw { .. } | Op::Fence(_) => {
                return Err(Unencodable::new("atomics"));
            }
            Op::VaArg(_) | Op::LandingPad { .. } | Op::Invoke { .. } | Op::Resume => {
                return Err(Unencodable::new("exceptions or variadic arguments"));
            }
            Op::Return
            | Op::Branch(_)
            | Op::CondBranch(..)
            | Op::Switch { .. }
            | Op::IndirectBranch(_)
            | Op::Unreachable => return Err(Unencodable::new("terminator inside a block")),
        };
        Ok(value)
    }

    fn select(&mut self, instruction: &Instruction) -> Encoding<Symbol> {
        let [condition, yes, no] = instruction.operands.as_slice() else {
            return Err(Unencodable::new("malformed select"));
        };
        let by_lane = condition.ty.is_vector();
        let conditions = self.read_all(condition)?;
        let (yes_value, no_value) = (self.operand(yes)?, self.operand(no)?);
        let one = |wires: &mut Wires, condition: &Lane, yes: &Symbol, no: &Symbol| {
            let chosen = Symbol::select(wires, condition.word[0], yes, no);
            chosen.poisoned(wires, condition.poison)
        };
        let value = match (by_lane, yes_value, no_value) {
            (true, Symbol::Many(yes), Symbol::Many(no)) => {
                let lanes = conditions.iter().zip(yes.iter().zip(&no));
                Symbol::Many(lanes.map(|(c, (y, n))| one(self.wires, c, y, n)).collect())
            }
            (false, yes, no) => one(self.wires, &conditions[0], &yes, &no),
            (true, ..) => return Err(Unencodable::new("malformed select")),
        };
        self.rounded_off(instruction.flags, &yes.ty, value)
    }

    /// A float under fast-math flags: NaN or infinity make it poison, and a zero may have any sign.
    pub(super) fn rounded_off(
        &mut self,
        flags: Flags,
        ty: &Type,
        value: Symbol,
    ) -> Encoding<Symbol> {
        if flags.is_empty() || !ty.lane().is_float() {
            return Ok(value);
        }
        let mut lanes: Vec<Lane> = value.lanes().into_iter().cloned().collect();
        for lane in &mut lanes {
            let bad = excluded(self.wires, flags, ty, &lane.word)?;
            let bad = self.wires.graph.and(bad, !lane.undef);
            lane.poison = self.wires.graph.or(lane.poison, bad);
            let top = lane.word.len() - 1;
            let zero = !self.wires.graph.any(&lane.word[..top]);
            if flags.has(Flags::NSZ) && zero != Wire::FALSE {
                let sign = self.choice(zero, 1)?[0];
                lane.word[top] = self.wires.graph.choose(zero, sign, lane.word[top]);
            }
        }
        Ok(shaped(ty, lanes))
    }

    /// Every lane that is poison or undef has one value, which is chosen here.
    pub(super) fn frozen(&mut self, value: &Symbol) -> Encoding<Symbol> {
        match value {
            Symbol::Many(many) => {
                many.iter().map(|it| self.frozen(it)).collect::<Encoding<_>>().map(Symbol::Many)
            }
            Symbol::Lane(lane) => {
                let open = self.wires.graph.or(lane.poison, lane.undef);
                if open == Wire::FALSE {
                    return Ok(value.clone());
                }
                let chosen = self.choice_like(open, &lane.word)?;
                Ok(Symbol::Lane(Lane::of(self.wires.select(&open, &chosen, &lane.word))))
            }
        }
    }

    fn cast(&mut self, op: CastOp, flags: Flags, operand: &Operand, to: &Type) -> Encoding<Symbol> {
        match op {
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt => {
                let width = width(to.lane())?;
                let mut lanes = vec![];
                for lane in self.read_all(operand)? {
                    let effect = semantics::cast_lane(self.wires, op, flags, &lane.strict(), width);
                    lanes.push(effect.ok_or_else(|| Unencodable::new("cast"))?.into());
                }
                Ok(shaped(to, lanes))
            }
            CastOp::BitCast => self.bit_cast(operand, to),
            CastOp::FpTrunc
            | CastOp::FpExt
            | CastOp::FpToUi
            | CastOp::FpToSi
            | CastOp::UiToFp
            | CastOp::SiToFp => {
                let operands = std::slice::from_ref(operand);
                let name = format!("{} {:?} {:?}", op.word(), operand.ty.lane(), to.lane());
                self.unknown_lanes(&name, flags, operands, to, false)
            }
            CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr => {
                self.pointer_cast(operand, to)
            }
            CastOp::AddrSpaceCast => Err(Unencodable::new("address space")),
        }
    }

    /// The same bits as another type. Between different numbers of lanes the first lane is the lowest, as
    /// on a little-endian machine.
    fn bit_cast(&mut self, operand: &Operand, to: &Type) -> Encoding<Symbol> {
        let (from_lanes, to_lanes) = (operand.ty.lanes(), to.lanes());
        if from_lanes == to_lanes {
            return self.operand(operand);
        }
        if operand.ty.lane().is_pointer() || to.lane().is_pointer() {
            return Err(Unencodable::new("pointer cast"));
        }
        if self.module.data_layout.as_deref().is_some_and(|layout| layout.starts_with('E')) {
            return Err(Unencodable::new("big-endian bitcast"));
        }
        let lanes = self.read_all(operand)?;
        let (to_lanes, width) = (to_lanes.unwrap_or(1), width(to.lane())?);
        let from_width = lanes.first().map_or(1, |lane| lane.word.len());
        let bits: Vec<Wire> = lanes.iter().flat_map(|lane| lane.word.iter().copied()).collect();
        let mut result = vec![];
        for at in 0..to_lanes as usize {
            let range = at * width as usize..(at + 1) * width as usize;
            let word = bits
                .get(range.clone())
                .ok_or_else(|| Unencodable::new("bitcast of another size"))?;
            let sources = range.start / from_width..=(range.end - 1) / from_width;
            let poison: Vec<Wire> = lanes[sources].iter().map(|lane| lane.poison).collect();
            let poison = self.wires.graph.any(&poison);
            result.push(Lane { word: word.to_vec(), poison, undef: Wire::FALSE });
        }
        Ok(shaped(to, result))
    }

    fn extract_element(&mut self, operands: &[Operand]) -> Encoding<Symbol> {
        let Symbol::Many(lanes) = self.operand(&operands[0])? else {
            return Err(Unencodable::new("malformed extractelement"));
        };
        let index = self.read_one(&operands[1])?;
        if let Some(at) = constant(&index.word) {
            let lane = usize::try_from(at).ok().and_then(|at| lanes.get(at).cloned());
            let value = lane.unwrap_or_else(|| Symbol::Lane(Lane::poison(lane_width(&lanes))));
            return Ok(value.poisoned(self.wires, index.poison));
        }
        let mut value = Symbol::Lane(Lane::poison(lane_width(&lanes)));
        for (at, lane) in lanes.iter().enumerate() {
            let here = self.is_index(&index.word, at);
            value = Symbol::select(self.wires, here, lane, &value);
        }
        Ok(value.poisoned(self.wires, index.poison))
    }

    fn insert_element(&mut self, operands: &[Operand]) -> Encoding<Symbol> {
        let Symbol::Many(mut lanes) = self.operand(&operands[0])? else {
            return Err(Unencodable::new("malformed insertelement"));
        };
        let element = self.operand(&operands[1])?;
        let index = self.read_one(&operands[2])?;
        let mut inside = Wire::FALSE;
        for (at, lane) in lanes.iter_mut().enumerate() {
            let here = self.is_index(&index.word, at);
            inside = self.wires.graph.or(inside, here);
            *lane = Symbol::select(self.wires, here, &element, lane);
        }
        let bad = self.wires.graph.or(index.poison, !inside);
        Ok(Symbol::Many(lanes).poisoned(self.wires, bad))
    }

    /// Whether an index is that number.
    fn is_index(&mut self, index: &Vec<Wire>, at: usize) -> Wire {
        let width = index.len() as u32;
        if width < 64 && at as u128 >= 1 << width {
            return Wire::FALSE;
        }
        let number = self.wires.word(at as u128, width);
        self.wires.eq(index, &number)
    }

    /// An operation on lanes that is not modelled: an unknown function, with the poison that fast-math
    /// flags make.
    pub(super) fn unknown_lanes(
        &mut self,
        name: &str,
        flags: Flags,
        operands: &[Operand],
        to: &Type,
        commutes: bool,
    ) -> Encoding<Symbol> {
        let kind = &operands[0].ty;
        let read: Vec<Vec<Lane>> =
            operands.iter().map(|operand| self.read_all(operand)).collect::<Encoding<_>>()?;
        let count = read.first().map_or(0, Vec::len);
        let name = format!("{name} {:?}", to.lane());
        let mut lanes = vec![];
        for at in 0..count {
            let own: Vec<Lane> = read.iter().filter_map(|lanes| lanes.get(at).cloned()).collect();
            let symbols: Vec<Symbol> =
                own.iter().map(|lane| Symbol::Lane(Lane::of(lane.word.clone()))).collect();
            let relaxing = flags.without(Flags::NNAN).without(Flags::NINF);
            let function =
                Unknown { name: &name, flags: relaxing, commutes, is_source: self.is_source };
            let result =
                self.answers.apply(self.wires, self.module, &function, &symbols, to.lane())?;
            let mut lane = result.lane()?.clone();
            for operand in &own {
                lane.poison = self.wires.graph.or(lane.poison, operand.poison);
                if kind.lane().is_float() {
                    let bad = excluded(self.wires, flags, kind, &operand.word)?;
                    lane.poison = self.wires.graph.or(lane.poison, bad);
                }
            }
            if to.lane().is_float() {
                let bad = excluded(self.wires, flags, to, &lane.word)?;
                lane.poison = self.wires.graph.or(lane.poison, bad);
            }
            lanes.push(lane);
        }
        Ok(shaped(to, lanes))
    }

    /// What a function returns, under the attributes of its result.
    pub(super) fn returned(
        &mut self,
        header: &Header,
        value: &Symbol,
        undetermined: Wire,
    ) -> Encoding<Symbol> {
        if header.return_attributes.has("noundef") {
            self.undefined_if(undetermined);
        }
        constrained(self.wires, &header.returns, value, &header.return_attributes)
    }
}

fn lane_width(lanes: &[Symbol]) -> u32 {
    match lanes.first() {
        Some(Symbol::Lane(lane)) => lane.word.len() as u32,
        Some(Symbol::Many(_)) | None => 1,
    }
}

/// Lanes as a value of a type with that many lanes.
pub(super) fn shaped(ty: &Type, mut lanes: Vec<Lane>) -> Symbol {
    if !ty.is_vector() && lanes.len() == 1 {
        return Symbol::Lane(lanes.remove(0));
    }
    Symbol::Many(lanes.into_iter().map(Symbol::Lane).collect())
}

/// A value under the attributes of a parameter or result: poison where they do not hold.
pub(super) fn constrained(
    wires: &mut Wires,
    ty: &Type,
    value: &Symbol,
    attributes: &Attributes,
) -> Encoding<Symbol> {
    let mut value = value.clone();
    if let Symbol::Lane(lane) = &value
        && attributes.has("nonnull")
    {
        let some = wires.graph.any(&lane.word);
        value = value.poisoned(wires, !some);
    }
    if let (Symbol::Lane(lane), Some(align)) = (&value, attributes.number("align")) {
        let low = lane.word.get(..align.trailing_zeros() as usize).unwrap_or_default().to_vec();
        let bad = wires.graph.any(&low);
        value = value.poisoned(wires, bad);
    }
    if let Some(range) = attributes.argument("range") {
        value = in_range(wires, value, range)?;
    }
    if let Some(classes) = attributes.argument("nofpclass") {
        value = without_classes(wires, value, ty, classes)?;
    }
    Ok(value)
}

/// `i8 -1, 10`: poison outside of it, lane by lane. The range may wrap.
pub(super) fn in_range(wires: &mut Wires, value: Symbol, range: &str) -> Encoding<Symbol> {
    let bad = || Unencodable::new("range");
    let (_, bounds) = range.trim().split_once(' ').ok_or_else(bad)?;
    let (low, high) = bounds.split_once(',').ok_or_else(bad)?;
    let number = |text: &str| text.trim().parse::<i128>().map_err(|_| bad());
    let (low, high) = (number(low)?, number(high)?);
    fn apply(wires: &mut Wires, value: Symbol, low: i128, high: i128) -> Symbol {
        match value {
            Symbol::Many(many) => {
                Symbol::Many(many.into_iter().map(|it| apply(wires, it, low, high)).collect())
            }
            Symbol::Lane(lane) => {
                let width = lane.word.len() as u32;
                let (first, end) =
                    (wires.word(low as u128, width), wires.word(high as u128, width));
                // `low <= x < high`, shifted so that it cannot wrap.
                let (offset, length) = (wires.sub(&lane.word, &first), wires.sub(&end, &first));
                let inside = wires.ult(&offset, &length);
                let poison = wires.graph.or(lane.poison, !inside);
                Symbol::Lane(Lane { poison, ..lane })
            }
        }
    }
    Ok(apply(wires, value, low, high))
}

/// The reason for a call that is not modelled.
pub(super) fn unknown_call(name: &str) -> Unencodable {
    let kind: Arc<str> = match name.strip_prefix("llvm.") {
        Some(rest) => {
            let word: Vec<&str> = rest.split('.').take(2).collect();
            format!("intrinsic llvm.{}", word.join(".")).into()
        }
        None => "call".into(),
    };
    Unencodable(kind)
}
