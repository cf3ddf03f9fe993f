//! Constants as values, constant expressions as steps of a prologue, initialisers as bytes.

use super::{Lowering, Scratch};
use crate::interpret::access;
use crate::interpret::choices::Choices;
use crate::interpret::interpreter::Interpreter;
use crate::interpret::lane::LaneOp;
use crate::interpret::program::{Action, Source, Step};
use crate::interpret::shape::Shape;
use crate::interpret::stop::Stop;
use crate::interpret::value::{Lane, Pointer, Value};
use crate::ir::{CastOp, Constant, ConstantExpression, Type};

impl<'a> Lowering<'a> {
    pub(super) fn constant(
        &mut self,
        scratch: &mut Scratch<'a>,
        constant: &'a Constant,
        ty: &Type,
    ) -> Result<Source, Stop> {
        let shape = self.shape(ty)?;
        if let Constant::Expression(expression) = constant {
            return self.expression(scratch, expression, &shape);
        }
        Ok(Source::Constant(self.value(constant, &shape)?))
    }

    /// The value of a constant without expressions.
    pub(super) fn value(&mut self, constant: &Constant, shape: &Shape) -> Result<Value, Stop> {
        let each = |lowering: &mut Self, parts: &[Constant]| {
            let values: Result<Vec<Value>, Stop> = match shape {
                Shape::Vector(_, of) | Shape::Array(_, of) => {
                    parts.iter().map(|part| lowering.value(part, of)).collect()
                }
                Shape::Struct(fields) => parts
                    .iter()
                    .zip(&fields.fields)
                    .map(|(part, (_, field))| lowering.value(part, field))
                    .collect(),
                _ => return Stop::unsupported("a constant of another type"),
            };
            Ok(Value::Many(values?.into()))
        };
        Ok(match constant {
            Constant::Int(value) | Constant::Float(value) if shape.lanes().is_none() => {
                Value::bits(*value)
            }
            // A scalar that is written for every lane of a vector.
            Constant::Int(value) | Constant::Float(value) => filled(shape, &Lane::Bits(*value))?,
            Constant::Null => filled(shape, &Lane::Pointer(Pointer::NULL))?,
            Constant::Undef => filled(shape, &Lane::Undef)?,
            Constant::Poison => filled(shape, &Lane::Poison)?,
            Constant::Zero => zero(shape)?,
            Constant::Vector(parts) | Constant::Array(parts) | Constant::Struct(parts) => {
                each(self, parts)?
            }
            Constant::Splat(part) => {
                let Shape::Vector(lanes, of) = shape else {
                    return Stop::unsupported("a splat of another type");
                };
                let value = self.value(part, of)?;
                Value::Many(vec![value; *lanes as usize].into())
            }
            Constant::Bytes(bytes) => {
                Value::Many(bytes.iter().map(|byte| Value::bits(u128::from(*byte))).collect())
            }
            Constant::Global(name) => {
                let block = self.symbol(name)?;
                let address = self.program.memory.blocks[block as usize].base;
                Value::Lane(Lane::Pointer(Pointer { block, address }))
            }
            Constant::None => return Stop::unsupported("tokens"),
            Constant::Expression(expression) => self.folded(expression, shape)?,
            Constant::Text(_) => return Stop::unsupported("other constants"),
        })
    }

    fn expression(
        &mut self,
        scratch: &mut Scratch<'a>,
        expression: &'a ConstantExpression,
        shape: &Shape,
    ) -> Result<Source, Stop> {
        let operands = self.sources(scratch, &expression.operands)?;
        let action = self.expression_action(expression, shape)?;
        let register = scratch.lowered.registers as u32;
        scratch.lowered.registers += 1;
        scratch.lowered.prologue.push(Step { result: register, operands, action });
        Ok(Source::Register(register))
    }

    fn expression_action(
        &self,
        expression: &ConstantExpression,
        shape: &Shape,
    ) -> Result<Action, Stop> {
        let layout = &self.program.layout;
        Ok(match (&*expression.op, expression.operands.first(), &expression.element) {
            ("getelementptr", Some(_), Some(element)) => {
                self.offset(expression.flags, element, &expression.operands, shape)?
            }
            (word, Some(first), _) if CastOp::of(word).is_some() => {
                let from = self.shape(&first.ty)?;
                let op = CastOp::of(word).unwrap_or(CastOp::BitCast);
                self.cast(None, op, expression.flags, &from, shape)?
            }
            (word, _, _) => match crate::ir::BinaryOp::of(word) {
                Some(op) => {
                    let width = shape.lane_bits(layout);
                    Action::Lanes(LaneOp::Binary(op, expression.flags, width), shape.lanes())
                }
                None => return Stop::unsupported("other constant expressions"),
            },
        })
    }

    /// The value of an expression inside of another constant.
    fn folded(&mut self, expression: &ConstantExpression, shape: &Shape) -> Result<Value, Stop> {
        let mut operands = vec![];
        for operand in &expression.operands {
            let Some(constant) = operand.as_constant() else {
                return Stop::unsupported("other constant expressions");
            };
            let inner = self.shape(&operand.ty)?;
            operands.push(Source::Constant(self.value(constant, &inner)?));
        }
        let action = self.expression_action(expression, shape)?;
        let step = Step { result: 0, operands, action };
        let mut choices = Choices::all();
        let mut interpreter = Interpreter::new(&self.program, &mut choices);
        let mut registers = [Value::POISON];
        interpreter.execute(&step, &mut registers, 0)?;
        if interpreter.narrowed.is_some() || interpreter.opaque.is_some() || choices.is_used() {
            return Stop::unsupported("other constant expressions");
        }
        let [value] = registers;
        Ok(value)
    }

    /// Writes the initial values of all globals that are mentioned. Initialisers may mention others.
    pub(super) fn initialise(&mut self) {
        let mut next = 0;
        while let Some((global, block)) = self.pending.get(next).copied() {
            next += 1;
            let Some(initialiser) = &global.initialiser else { continue };
            let written = self.shape(&global.ty).and_then(|shape| {
                let value = self.value(initialiser, &shape)?;
                let address = self.program.memory.blocks[block as usize].base;
                let (layout, memory) = (&self.program.layout, &mut self.program.memory);
                access::write(memory, layout, Pointer { block, address }, &shape, &value)
            });
            if written.is_err() {
                let reason = "an initialiser without a model";
                self.program.unsupported.get_or_insert(reason.into());
            }
        }
    }
}

/// All lanes alike.
fn filled(shape: &Shape, lane: &Lane) -> Result<Value, Stop> {
    Ok(match shape {
        Shape::Void => return Stop::unsupported("values of type void"),
        Shape::Int(_) | Shape::Float(_) | Shape::Pointer => Value::Lane(lane.clone()),
        Shape::Vector(length, of) => Value::Many(vec![filled(of, lane)?; *length as usize].into()),
        Shape::Array(length, of) if *length < 1 << 15 => {
            Value::Many(vec![filled(of, lane)?; *length as usize].into())
        }
        Shape::Array(..) => return Stop::unsupported("long arrays"),
        Shape::Struct(fields) => {
            let each = fields.fields.iter().map(|(_, field)| filled(field, lane));
            Value::Many(each.collect::<Result<_, _>>()?)
        }
    })
}

/// `zeroinitializer`: zeros and null pointers.
fn zero(shape: &Shape) -> Result<Value, Stop> {
    Ok(match shape {
        Shape::Void | Shape::Int(_) | Shape::Float(_) => filled(shape, &Lane::Bits(0))?,
        Shape::Pointer => Value::Lane(Lane::Pointer(Pointer::NULL)),
        Shape::Vector(length, of) => Value::Many(vec![zero(of)?; *length as usize].into()),
        Shape::Array(length, of) if *length < 1 << 15 => {
            Value::Many(vec![zero(of)?; *length as usize].into())
        }
        Shape::Array(..) => return Stop::unsupported("long arrays"),
        Shape::Struct(fields) => {
            let each = fields.fields.iter().map(|(_, field)| zero(field));
            Value::Many(each.collect::<Result<_, _>>()?)
        }
    })
}
