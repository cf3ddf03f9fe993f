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
        if let Type::Struct { fields, .. } = &value.ty {
            let fitting: Vec<u32> =
                (0..).zip(fields.iter()).filter(|(_, it)| can_fit(it, to)).map(|it| it.0).collect();
            let at = *entropy.pick(&fitting)?;
            let field = fields[at as usize].clone();
            let op = Op::ExtractValue([at].into());
            let field = self.add("field", field, op, vec![value.clone()]);
            return self.fit(&field, to, entropy);
        }
        let same_bits = bits(&value.ty).is_some_and(|it| Some(it) == bits(to));
        if same_bits && value.ty.lanes() != to.lanes() && entropy.chance(1, 2) {
            let op = Op::Cast(CastOp::BitCast, to.clone());
            return Some(self.add("cast", to.clone(), op, vec![value.clone()]));
        }
        match (value.ty.is_vector(), to.is_vector()) {
            (true, true) => {
                let value = self.with_lanes(value, to.lanes()?)?;
                self.fit_lanes(&value, to, entropy)
            }
            (false, false) => self.fit_lanes(value, to, entropy),
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

    /// A vector with another number of lanes, some of them left out or repeated.
    fn with_lanes(&mut self, value: &Operand, lanes: u32) -> Option<Operand> {
        let old = value.ty.lanes()?;
        if old == lanes {
            return Some(value.clone());
        }
        let ty = Type::vector(lanes, value.ty.lane().clone());
        let mask = (0..lanes).map(|lane| Some(lane % old)).collect();
        let poison = Operand::constant(value.ty.clone(), Constant::Poison);
        Some(self.add("lanes", ty, Op::ShuffleVector(mask, false), vec![value.clone(), poison]))
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
    pub fn splat(&mut self, lane: &Operand, to: &Type) -> Operand {
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

/// All bits of an integer, a float or a vector of them.
fn bits(ty: &Type) -> Option<u32> {
    let lane = match ty.lane() {
        Type::Int(width) => *width,
        Type::Float(kind) => kind.bits(),
        _ => return None,
    };
    lane.checked_mul(ty.lanes()?)
}

/// Whether `fit` has a way.
pub fn can_fit(from: &Type, to: &Type) -> bool {
    if from == to {
        return true;
    }
    if let Type::Struct { fields, .. } = from {
        return fields.iter().any(|field| can_fit(field, to));
    }
    let fixed = |ty: &Type| ty.lanes().is_some_and(|lanes| lanes <= 64);
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
    // Pointers and the like, as lanes of two vectors.
    let lanes_only = from.is_vector() && to.is_vector() && from.lane() == to.lane();
    fixed(from)
        && fixed(to)
        && (lanes_only || (plain(from) && plain(to) && kinds && !exotic(from) && !exotic(to)))
}

/// Types that are near to a type: those that `fit` makes of it in one or two steps, the likely ones first.
pub fn near(ty: &Type) -> Vec<Type> {
    let scalar = |width| Type::Int(width);
    let mut all = vec![];
    match ty.lane() {
        Type::Int(width) => {
            all.extend([1, 8, 16, 32, 64].into_iter().filter(|it| it != width).map(scalar));
        }
        Type::Float(kind) => {
            use crate::ir::FloatKind::{Double, Float, Half};
            let others = [Half, Float, Double].into_iter().filter(|it| it.bits() != kind.bits());
            all.extend(others.map(Type::Float));
            all.push(scalar(kind.bits()));
        }
        _ => return all,
    }
    if ty.is_vector() {
        let lanes: Vec<Type> = all.iter().map(|it| ty.with_lane(it.clone())).collect();
        all = lanes;
        all.push(ty.lane().clone());
    } else {
        all.extend([2, 4].map(|lanes| Type::vector(lanes, ty.clone())));
    }
    all.retain(|it| can_fit(it, ty));
    all
}

fn int_like(ty: &Type, value: u128) -> Option<Operand> {
    Some(Operand::int(ty.int_width()?, value))
}

/// The type of a comparison of values of a type.
fn to_bools(ty: &Type) -> Type {
    ty.with_lane(Type::BOOL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{FloatKind, Module};

    #[test]
    fn whatever_can_be_fitted_is_valid() {
        let types = [
            Type::Int(1),
            Type::Int(8),
            Type::Int(32),
            Type::Int(64),
            Type::Float(FloatKind::Half),
            Type::Float(FloatKind::Float),
            Type::Float(FloatKind::Double),
            Type::vector(2, Type::Int(16)),
            Type::vector(4, Type::Int(8)),
            Type::vector(2, Type::Float(FloatKind::Float)),
            Type::vector(2, Type::POINTER),
            Type::vector(4, Type::POINTER),
            Type::POINTER,
            Type::Struct { fields: [Type::Int(8), Type::Int(1)].into(), packed: false },
        ];
        let mut entropy = Entropy::keyed(1);
        let mut ways = 0;
        for (from, to) in types.iter().flat_map(|a| types.iter().map(move |b| (a, b))) {
            for _ in 0..8 {
                let text = format!("define {to} @f({from} %x) {{\n  ret {to} poison\n}}\n");
                let mut module = Module::parse(&text).unwrap();
                let code = module.functions[0].code_mut().unwrap();
                let mut builder = Builder::new(code);
                let value = Operand::local(from.clone(), LocalId(0));
                let fitted = builder.fit(&value, to, &mut entropy);
                assert_eq!(fitted.is_some(), can_fit(from, to), "{from} to {to}");
                let Some(fitted) = fitted else { continue };
                let mut body = std::mem::take(&mut builder.instructions);
                body.push(Instruction::new(None, Op::Return, vec![fitted]));
                code.blocks[0].instructions = body;
                assert_eq!(module.verify(), Ok(()), "{}", module.text());
                ways += 1;
            }
        }
        assert!(ways > 500);
    }
}
