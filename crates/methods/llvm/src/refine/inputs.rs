//! Inputs that are likely to show a difference: edges of every width, constants of the function and their
//! neighbours, equal arguments, poison and undef, pointers to blocks that are distinct, shared or null.

use forge::Entropy;

use crate::interpret::{Byte, Input, InputBlock, Lane, Pointer, Program, Shape, Value};
use crate::ir::{Constant, FloatKind, Function, Op};

/// So many inputs for a function. The first has zeros wherever it can.
pub fn inputs(
    program: &Program,
    function: &Function,
    count: usize,
    entropy: &mut Entropy,
) -> Vec<Input> {
    let generator = Inputs::new(function);
    (0..count).map(|index| generator.input(program, index == 0, entropy)).collect()
}

/// What a function's text suggests.
#[derive(Debug)]
pub struct Inputs {
    /// Integers and bits of floats that occur.
    constants: Vec<u128>,
    loads_pointers: bool,
    /// Whether blocks are large and well aligned.
    is_roomy: bool,
}

/// Inputs whose blocks have more room: for functions that are undefined on others.
pub fn roomy_inputs(
    program: &Program,
    function: &Function,
    count: usize,
    entropy: &mut Entropy,
) -> Vec<Input> {
    let generator = Inputs { is_roomy: true, ..Inputs::new(function) };
    (0..count).map(|_| generator.input(program, false, entropy)).collect()
}

impl Inputs {
    pub fn new(function: &Function) -> Self {
        let mut constants = vec![];
        let mut loads_pointers = false;
        for instruction in function.code().into_iter().flat_map(|code| code.instructions()) {
            for operand in &instruction.operands {
                if let Some(constant) = operand.as_constant() {
                    collect(constant, &mut constants);
                }
            }
            match &instruction.op {
                Op::Switch { cases, .. } => constants.extend(cases.iter().map(|(case, _)| *case)),
                Op::Load(ty, _) => loads_pointers |= ty.lane().is_pointer(),
                _ => {}
            }
        }
        constants.sort_unstable();
        constants.dedup();
        constants.truncate(64);
        Self { constants, loads_pointers, is_roomy: false }
    }

    pub fn input(&self, program: &Program, is_plain: bool, entropy: &mut Entropy) -> Input {
        let mut draft = Draft { inputs: self, entropy, input: Input::default(), is_plain };
        let Some(function) = program.functions.first() else { return draft.input };
        // Pointers that later ones may share.
        let mut shared: Vec<Pointer> = vec![];
        for (shape, guard) in &function.parameters {
            let may_be_poison = !guard.noundef;
            let value = match shape {
                Shape::Pointer => {
                    let size = guard.dereferenceable.max(guard.dereferenceable_or_null);
                    let may_be_null = !guard.nonnull && guard.dereferenceable.unwrap_or(0) == 0;
                    let is_own = guard.is_noalias || guard.copied.is_some();
                    let candidates: &[Pointer] = if is_own { &[] } else { &shared };
                    let align = guard.align.unwrap_or(1).max(1);
                    let may_be_poison = may_be_poison && size.is_none();
                    let lane = match guard.copied {
                        // There is nothing behind a copy.
                        Some(size) => Lane::Pointer(draft.block(size, align.max(16), false)),
                        None => draft.pointer(
                            size.unwrap_or(0),
                            align,
                            may_be_null,
                            may_be_poison,
                            candidates,
                        ),
                    };
                    if let Lane::Pointer(pointer) = lane
                        && pointer.block != Pointer::NOWHERE
                        && !is_own
                    {
                        shared.push(pointer);
                    }
                    Value::Lane(lane)
                }
                _ => draft.value(shape, may_be_poison, &guard.ranges, program),
            };
            draft.input.arguments.push(value);
        }
        draft.input.answers = draft.entropy.word();
        draft.input
    }
}

fn collect(constant: &Constant, into: &mut Vec<u128>) {
    match constant {
        Constant::Int(value) | Constant::Float(value) => into.push(*value),
        Constant::Vector(parts) | Constant::Array(parts) | Constant::Struct(parts) => {
            parts.iter().for_each(|part| collect(part, into));
        }
        Constant::Splat(part) => collect(part, into),
        _ => {}
    }
}

struct Draft<'a> {
    inputs: &'a Inputs,
    entropy: &'a mut Entropy,
    input: Input,
    is_plain: bool,
}

impl Draft<'_> {
    fn value(
        &mut self,
        shape: &Shape,
        may_be_poison: bool,
        ranges: &[(u128, u128)],
        program: &Program,
    ) -> Value {
        // Equal arguments often take another way than different ones.
        let equal = self.input.arguments.iter().zip(&program.functions[0].parameters);
        let equal = equal.rev().find(|(_, (other, _))| other == shape).map(|(value, _)| value);
        if let Some(equal) = equal
            && may_be_poison
            && self.entropy.chance(1, 8)
        {
            return equal.clone();
        }
        match shape {
            Shape::Void => Value::POISON,
            Shape::Int(width) => Value::Lane(self.int(*width, may_be_poison, ranges)),
            Shape::Float(kind) => Value::Lane(self.float(*kind, may_be_poison)),
            Shape::Pointer => Value::Lane(self.pointer(0, 1, true, may_be_poison, &[])),
            Shape::Vector(lanes, of) => {
                let splat = self.entropy.chance(1, 4);
                let first = self.value(of, may_be_poison, ranges, program);
                let mut all = vec![first.clone()];
                for _ in 1..*lanes {
                    all.push(if splat {
                        first.clone()
                    } else {
                        self.value(of, may_be_poison, ranges, program)
                    });
                }
                Value::Many(all.into())
            }
            Shape::Array(length, of) => {
                let each =
                    (0..(*length).min(256)).map(|_| self.value(of, may_be_poison, ranges, program));
                Value::Many(each.collect())
            }
            Shape::Struct(fields) => {
                let fields = fields.fields.iter();
                Value::Many(
                    fields.map(|(_, it)| self.value(it, may_be_poison, ranges, program)).collect(),
                )
            }
        }
    }

    /// Poison and undef are seldom, because they hide everything else.
    fn special(&mut self, may_be_poison: bool) -> Option<Lane> {
        if !may_be_poison || self.is_plain {
            return None;
        }
        match self.entropy.below(32) {
            0 => Some(Lane::Poison),
            1 => Some(Lane::Undef),
            _ => None,
        }
    }

    fn int(&mut self, width: u32, may_be_poison: bool, ranges: &[(u128, u128)]) -> Lane {
        let mask = u128::MAX >> (128 - width);
        if let Some(lane) = self.special(may_be_poison) {
            return lane;
        }
        if self.is_plain {
            return Lane::Bits(ranges.first().map_or(0, |(first, _)| *first));
        }
        let random = u128::from(self.entropy.word()) << 64 | u128::from(self.entropy.word());
        let constants = &self.inputs.constants;
        let known = if constants.is_empty() { 0 } else { 6 };
        let bits = match self.entropy.below(12 + known) {
            0 => 0,
            1 => 1,
            2 => mask,
            3 => 1 << (width - 1),
            4 => mask >> 1,
            5 => 1_u128 << (random % u128::from(width)),
            6 => random % 16,
            7 => (random % 16).wrapping_neg(),
            8 => u128::from(width).wrapping_add(random % 3).wrapping_sub(1),
            9..=11 => random,
            _ => {
                let constant = constants[(random % constants.len() as u128) as usize];
                let offset = [0, 0, 1, u128::MAX][self.entropy.below(4) as usize];
                let signed =
                    if self.entropy.chance(1, 6) { constant.wrapping_neg() } else { constant };
                signed.wrapping_add(offset)
            }
        } & mask;
        // Values outside of the range are poison: seldom of use.
        if let Some((first, end)) = ranges.first()
            && !self.entropy.chance(1, 16)
        {
            let size = end.wrapping_sub(*first) & mask;
            if size != 0 {
                let place = if self.entropy.chance(1, 3) {
                    [0, size - 1][bits as usize % 2]
                } else {
                    bits % size
                };
                return Lane::Bits(first.wrapping_add(place) & mask);
            }
        }
        Lane::Bits(bits)
    }

    fn float(&mut self, kind: FloatKind, may_be_poison: bool) -> Lane {
        if let Some(lane) = self.special(may_be_poison) {
            return lane;
        }
        let (bits, mantissa) = match kind {
            FloatKind::Half => (16, 10),
            FloatKind::BFloat => (16, 7),
            FloatKind::Float => (32, 23),
            FloatKind::Double => (64, 52),
            FloatKind::X86Fp80 => (80, 63),
            FloatKind::Fp128 | FloatKind::PpcFp128 => (128, 112),
        };
        if self.is_plain {
            return Lane::Bits(0);
        }
        let mask = u128::MAX >> (128 - bits);
        let sign = 1_u128 << (bits - 1);
        let infinity = (sign - 1) & !((1 << mantissa) - 1);
        let one = (infinity >> 1) & !((1 << mantissa) - 1);
        let random = u128::from(self.entropy.word()) << 64 | u128::from(self.entropy.word());
        let constants = &self.inputs.constants;
        let magnitude = match self.entropy.below(14) {
            0 | 1 => 0,
            2 | 3 => one,
            4 => one + (1 << mantissa),
            5 => one - (1 << mantissa),
            6 => infinity,
            7 => infinity | 1 << (mantissa - 1),
            8 => infinity | 1,
            9 => 1,
            10 => infinity - 1,
            11 if !constants.is_empty() => constants[(random % constants.len() as u128) as usize],
            12 => one + (random & ((4 << mantissa) - 1)),
            _ => random,
        } & mask;
        Lane::Bits(if self.entropy.chance(1, 2) { magnitude ^ sign } else { magnitude })
    }

    fn pointer(
        &mut self,
        size: u64,
        align: u64,
        may_be_null: bool,
        may_be_poison: bool,
        shared: &[Pointer],
    ) -> Lane {
        if self.entropy.chance(1, 2)
            && let Some(lane) = self.special(may_be_poison)
        {
            return lane;
        }
        if may_be_null && !self.is_plain && self.entropy.chance(1, 12) {
            return Lane::Pointer(Pointer::NULL);
        }
        let roomy = u64::from(self.inputs.is_roomy);
        if !self.is_plain
            && self.entropy.chance(1 + roomy, 5 - roomy)
            && let Some(pointer) = self.entropy.pick(shared)
        {
            // Often the end of a range that begins at the other pointer.
            let skew = align.max(4) * [0, 0, 1, 1, 2, 4][self.entropy.below(6) as usize];
            return Lane::Pointer(Pointer { address: pointer.address + skew, ..*pointer });
        }
        let mut room = [16, 32, 32, 64][self.entropy.below(4) as usize];
        if self.inputs.is_roomy {
            room *= 16;
        }
        let size = size.max(room).min(4096);
        // Mostly aligned better than promised, because misaligned accesses are undefined.
        let align = if self.entropy.chance(7, 8) { align.max(16) } else { align };
        let align = if self.inputs.is_roomy { align.max(64) } else { align };
        Lane::Pointer(self.block(size, align, self.inputs.loads_pointers))
    }

    fn block(&mut self, size: u64, align: u64, with_pointers: bool) -> Pointer {
        let mood = if self.is_plain { 0 } else { self.entropy.below(16) };
        let mut bytes: Vec<Byte> = vec![];
        let mut word = 0;
        for index in 0..size {
            if index % 8 == 0 {
                word = self.entropy.word();
                // Small numbers, as little-endian words of 4 bytes.
                if mood < 8 {
                    word &= 0x0000_000f_0000_000f;
                }
            }
            bytes.push(match mood {
                14 if index % 3 == 0 => Byte::Uninitialised,
                15 if index % 16 < 4 => Byte::Poison,
                _ => Byte::Bits((word >> (8 * (index % 8))) as u8),
            });
        }
        if with_pointers {
            let inner = self.block(32, 16, false);
            for (index, byte) in bytes.iter_mut().enumerate() {
                *byte = Byte::Fragment(inner, (index % 8) as u8);
            }
        }
        self.input.blocks.push(InputBlock { bytes: bytes.into(), align: align.min(1 << 12) });
        Pointer { block: self.input.blocks.len() as u32 - 1, address: 0 }
    }
}
