//! The values of constants: expressions over them are instructions, globals have addresses.

use super::encode::Encoder;
use super::symbol::{Lane, POINTER, Symbol, width};
use super::{Encoding, Unencodable};
use crate::ir::{BinaryOp, CastOp, Constant, ConstantExpression, Instruction, Op, Predicate, Type};
use crate::semantics::Domain;

impl Encoder<'_> {
    pub(super) fn constant(&mut self, ty: &Type, constant: &Constant) -> Encoding<Symbol> {
        match constant {
            Constant::Int(value) | Constant::Float(value) => {
                let width = width(ty)?;
                Ok(Symbol::Lane(Lane::of(self.wires.word(*value, width))))
            }
            Constant::Null => {
                width(ty)?;
                Ok(Symbol::Lane(Lane::of(self.wires.word(0, POINTER as u32))))
            }
            Constant::Zero => {
                let wires = &mut *self.wires;
                Symbol::build(ty, self.module, &mut |width| Ok(Lane::of(wires.word(0, width))))
            }
            Constant::Undef => Symbol::build(ty, self.module, &mut |width| Ok(Lane::undef(width))),
            Constant::Poison => {
                Symbol::build(ty, self.module, &mut |width| Ok(Lane::poison(width)))
            }
            Constant::Splat(one) => match ty {
                Type::Vector { lanes, scalable: false, of } => {
                    let lanes = *lanes as usize;
                    self.constants(&vec![&**of; lanes], &vec![&**one; lanes])
                }
                _ => Err(Unencodable::new("scalable vector")),
            },
            Constant::Vector(elements) | Constant::Array(elements) => {
                let of = match ty {
                    Type::Vector { of, .. } | Type::Array { of, .. } => of,
                    _ => return Err(Unencodable::new("constant of another type")),
                };
                let elements: Vec<&Constant> = elements.iter().collect();
                self.constants(&vec![&**of; elements.len()], &elements)
            }
            Constant::Struct(fields) => {
                let mut ty = ty;
                while let Type::Named(name) = ty {
                    let definition = self.module.definition(name);
                    ty = definition.ok_or_else(|| Unencodable::new("opaque type"))?;
                }
                let Type::Struct { fields: types, .. } = ty else {
                    return Err(Unencodable::new("constant of another type"));
                };
                let types: Vec<&Type> = types.iter().collect();
                self.constants(&types, &fields.iter().collect::<Vec<_>>())
            }
            Constant::Bytes(bytes) => {
                let byte =
                    |byte: &u8| Symbol::Lane(Lane::of(self.wires.word(u128::from(*byte), 8)));
                Ok(Symbol::Many(bytes.iter().map(byte).collect()))
            }
            Constant::Global(name) => {
                width(ty)?;
                self.global(name)
            }
            Constant::None => Err(Unencodable::new("token")),
            Constant::Expression(expression) => self.expression(ty, expression),
            Constant::Text(_) => Err(Unencodable::new("constant that is not modelled")),
        }
    }

    fn constants(&mut self, types: &[&Type], constants: &[&Constant]) -> Encoding<Symbol> {
        let pairs = types.iter().zip(constants);
        let values = pairs.map(|(ty, it)| self.constant(ty, it));
        values.collect::<Encoding<_>>().map(Symbol::Many)
    }

    fn expression(&mut self, ty: &Type, expression: &ConstantExpression) -> Encoding<Symbol> {
        if !expression.modifier.is_empty() {
            return Err(Unencodable::new("constant expression"));
        }
        let words: Vec<&str> = expression.op.split(' ').collect();
        let op = match words.as_slice() {
            ["getelementptr"] => expression
                .element
                .as_ref()
                .map(|element| Op::GetElementPtr { element: element.clone() }),
            ["icmp", predicate] => Predicate::of(predicate).map(Op::ICmp),
            [word] => BinaryOp::of(word)
                .map(Op::Binary)
                .or_else(|| CastOp::of(word).map(|cast| Op::Cast(cast, ty.clone()))),
            _ => None,
        };
        let op = op.ok_or_else(|| Unencodable::new("constant expression"))?;
        let operands = expression.operands.clone();
        self.value(&Instruction::new(None, op, operands).with(expression.flags))
    }
}
