//! Turns a value into one of another type by inserted instructions.

use forge::Entropy;

use crate::ir::{
    BinaryOp, CastOp, Code, Constant, Instruction, LocalId, Op, Operand, Predicate, Type,
};

/// Instructions that are about to be inserted into a function.
#[derive(Debug)]
pub struct Builder<'a> {
    pub code: &'a mut Code,
    pub instructions: Vec<Instruction>,
}

impl<'a> Builder<'a> {
    pub fn new(code: &'a mut Code) -> Self {
        Self { code, instructions: vec![] }
    }

    /// Adds an instruction with a result of a type.
    pub fn add(&mut self, name: &str, ty: Type, op: Op, operands: Vec<Operand>) -> Operand {
        let result: LocalId = self.code.add_local(name, ty.clone());
        self.instructions.push(Instruction::new(Some(result), op, operands));
        Operand::local(ty, result)
    }

    /// The value as one of another type; none if there is no short way.
    pub fn fit(&mut self, value: &Operand, to: &Type, entropy: &mut Entropy) -> Option<Operand> {
        if value.ty == *to {
            return Some(value.clone());
        }
        if !can_fit(&value.ty, to) {
            return None;
        }
        match (value.ty.is_vector(), to.is_vector()) {
            (true, true) | (false, false) => self.fit_lanes(value, to, entropy),
            (false, true) => {
                let lane = self.fit_lanes(value, to.lane(), entropy)?;
                Some(self.splat(&lane, to))
            }
            (true, false) => {
                let at = entropy.below(u64::from(value.ty.lanes()?));
                let index = Operand::int(32, u128::from(at));
                let lane = value.ty.lane().clone();
                let element =
                    self.add("lane", lane, Op::ExtractElement, vec![value.clone(), index]);
                self.fit_lanes(&element, to, entropy)
            }
        }
    }

    /// Between types with the same number of lanes.
    fn fit_lanes(&mut self, value: &Operand, to: &Type, entropy: &mut Entropy) -> Option<Operand> {
        let cast = |op| Op::Cast(op, to.clone());
        let op = match (value.ty.lane(), to.lane()) {
            (from, to) if from == to => return Some(value.clone()),
            (Type::Int(_), Type::Int(1)) if entropy.chance(2, 3) => {
                let zero = Operand::constant(value.ty.clone(), Constant::Zero);
                let zero = if value.ty.is_vector() { zero } else { int_like(&value.ty, 0)? };
                let predicate = *entropy.pick(Predicate::ALL)?;
                return Some(self.add(
                    "test",
                    to_bools(&value.ty),
                    Op::ICmp(predicate),
                    vec![value.clone(), zero],
                ));
            }
            (Type::Int(from), Type::Int(to)) if from > to => cast(CastOp::Trunc),
            (Type::Int(_), Type::Int(_)) => {
                cast(if entropy.chance(1, 2) { CastOp::ZExt } else { CastOp::SExt })
            }
            (Type::Float(from), Type::Float(to)) if from.bits() > to.bits() => {
                cast(CastOp::FpTrunc)
            }
            (Type::Float(from), Type::Float(to)) if from.bits() < to.bits() => cast(CastOp::FpExt),
            (Type::Float(_), Type::Float(_)) => return None,
            (Type::Int(from), Type::Float(to)) if *from == to.bits() && entropy.chance(2, 3) => {
                cast(CastOp::BitCast)
            }
            (Type::Int(_), Type::Float(_)) => {
                cast(if entropy.chance(1, 2) { CastOp::UiToFp } else { CastOp::SiToFp })
            }
            (Type::Float(from), Type::Int(to)) if from.bits() == *to => cast(CastOp::BitCast),
            (Type::Float(from), Type::Int(_)) => {
                // Bits rather than a conversion: a conversion is poison for most numbers.
                let bits = value.ty.with_lane(Type::Int(from.bits()));
                let op = Op::Cast(CastOp::BitCast, bits.clone());
                let raw = self.add("bits", bits, op, vec![value.clone()]);
                return self.fit_lanes(&raw, to, entropy);
            }
            _ => return None,
        };
        Some(self.add("fit", to.clone(), op, vec![value.clone()]))
    }

    /// A vector with the value in every lane.
    fn splat(&mut self, lane: &Operand, to: &Type) -> Operand {
        let poison = Operand::constant(to.clone(), Constant::Poison);
        let index = Operand::int(32, 0);
        let first = self.add(
            "insert",
            to.clone(),
            Op::InsertElement,
            vec![poison.clone(), lane.clone(), index],
        );
        let lanes = to.lanes().unwrap_or(1) as usize;
        let mask = vec![Some(0); lanes].into();
        self.add("splat", to.clone(), Op::ShuffleVector(mask, false), vec![first, poison])
    }

    /// An operator of two values of one type.
    pub fn binary(&mut self, op: BinaryOp, a: Operand, b: Operand) -> Operand {
        let ty = a.ty.clone();
        self.add("op", ty, Op::Binary(op), vec![a, b])
    }
}

/// Whether `fit` has a way.
pub(super) fn can_fit(from: &Type, to: &Type) -> bool {
    if from == to {
        return true;
    }
    let fixed = |ty: &Type| ty.lanes().is_some_and(|lanes| lanes <= 64);
    let lanes_fit = match (from.is_vector(), to.is_vector()) {
        (true, true) => from.lanes() == to.lanes(),
        _ => true,
    };
    let plain = |ty: &Type| match ty.lane() {
        Type::Int(width) => *width <= 128,
        Type::Float(_) => true,
        _ => false,
    };
    let kinds = match (from.lane(), to.lane()) {
        (Type::Float(a), Type::Float(b)) => a.bits() != b.bits() || a == b,
        _ => true,
    };
    let exotic = |ty: &Type| {
        use crate::ir::FloatKind::{PpcFp128, X86Fp80};
        matches!(ty.lane(), Type::Float(PpcFp128 | X86Fp80))
    };
    fixed(from)
        && fixed(to)
        && lanes_fit
        && plain(from)
        && plain(to)
        && kinds
        && !exotic(from)
        && !exotic(to)
}

fn int_like(ty: &Type, value: u128) -> Option<Operand> {
    Some(Operand::int(ty.int_width()?, value))
}

/// The type of a comparison of values of a type.
fn to_bools(ty: &Type) -> Type {
    ty.with_lane(Type::BOOL)
}
