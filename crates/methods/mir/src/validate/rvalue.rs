//! Checks rvalues, and that their types match the assigned places.

use super::super::program::{Operand, Operator, Place, Rvalue};
use super::super::types::{Int, Kind, Shape, TypeId, Types};
use super::body::{Body, sized};
use super::{Check, ensure};

impl Body<'_> {
    /// Checks an rvalue, and that it has the type `wanted`.
    pub(super) fn rvalue(self, rvalue: &Rvalue, wanted: TypeId) -> Check {
        let is = |of: TypeId| ensure(of == wanted, "assignment type mismatch");
        let kind = |of: TypeId| self.types.kind(of);
        match rvalue {
            Rvalue::Use(one) => is(self.operand(one)?),
            Rvalue::Not(one) => {
                let of = self.operand(one)?;
                ensure(
                    matches!(kind(of), Kind::Int(_) | Kind::Bool),
                    "`!` of an unsupported type",
                )?;
                is(of)
            }
            Rvalue::Negate(one) => {
                let of = self.operand(one)?;
                let signed = matches!(kind(of), Kind::Int(Int { signed: true, .. }));
                ensure(signed || matches!(kind(of), Kind::Float(_)), "`-` of an unsupported type")?;
                is(of)
            }
            Rvalue::Binary(operator, left, right) => {
                is(self.binary(*operator, self.operand(left)?, self.operand(right)?)?)
            }
            Rvalue::Checked(operator, left, right) => {
                let of = self.operand(left)?;
                ensure(self.operand(right)? == of, "operands of different types")?;
                ensure(
                    self.types.as_int(of).is_some(),
                    "checked arithmetic on operands that are not integers",
                )?;
                let known = matches!(operator, Operator::Add | Operator::Sub | Operator::Mul);
                ensure(known, "unsupported checked operator")?;
                let pair = matches!(kind(wanted), Kind::Tuple(it) if **it == [of, Types::BOOL]);
                ensure(pair, "assignment type mismatch")
            }
            Rvalue::Cast(one, to) => {
                self.target(*to)?;
                self.cast(self.operand(one)?, *to)?;
                is(*to)
            }
            Rvalue::Transmute(one, to) => {
                self.target(*to)?;
                let of = self.operand(one)?;
                let (from, onto) = (self.types.layout(of), self.types.layout(*to));
                let known = from.fixed && onto.fixed || self.types.has_same_layout(of, *to);
                ensure(known, "transmute without a fixed layout")?;
                ensure(from.size == onto.size, "transmute between different sizes")?;
                is(*to)
            }
            Rvalue::PointerCast(one, to) => {
                self.target(*to)?;
                let thin = self.is_thin(self.operand(one)?) && self.is_thin(*to);
                ensure(thin, "pointer cast needs thin raw pointers")?;
                is(*to)
            }
            Rvalue::Unsize(one, to) => {
                self.target(*to)?;
                ensure(self.unsizes(self.operand(one)?, *to), "invalid unsizing")?;
                is(*to)
            }
            Rvalue::Length(one) => {
                let of = self.operand(one)?;
                let raw = matches!(kind(of), Kind::Pointer { .. });
                let slice = self.types.is_slice_pointer(of);
                ensure(raw && slice, "length needs a raw slice pointer")?;
                is(Types::USIZE)
            }
            Rvalue::Offset(pointer, count) => {
                let of = self.operand(pointer)?;
                ensure(self.is_thin(of), "offset needs a thin raw pointer")?;
                let count = self.operand(count)?;
                let good = [Types::USIZE, Types::ISIZE].contains(&count);
                ensure(good, "offset count is neither a `usize` nor an `isize`")?;
                is(of)
            }
            Rvalue::Aggregate(of, number, parts) => {
                self.target(*of)?;
                self.aggregate(*of, *number, parts)?;
                is(*of)
            }
            Rvalue::Repeat(one, count) => {
                let of = self.operand(one)?;
                ensure(self.types.is_copy(of), "repeated operand is not `Copy`")?;
                let good = *kind(wanted) == Kind::Array(of, *count);
                ensure(good, "assignment type mismatch")
            }
            Rvalue::RepeatOf(one, count) => {
                let of = self.operand(one)?;
                ensure(self.types.is_copy(of), "repeated operand is not `Copy`")?;
                let usize = self.constant_parameter(*count)? == Types::USIZE;
                ensure(usize, "repeat count is not a `usize`")?;
                let wants = self.types.array_of(of, Some(*count), 0);
                ensure(*kind(wanted) == wants, "assignment type mismatch")
            }
            Rvalue::AddressOf(mutable, place) => {
                let wants = Kind::Pointer { mutable: *mutable, to: self.place(place)? };
                ensure(*kind(wanted) == wants, "assignment type mismatch")
            }
            Rvalue::Reference(mutable, place) => {
                let wants = Kind::Reference { mutable: *mutable, to: self.place(place)? };
                ensure(*kind(wanted) == wants, "assignment type mismatch")
            }
            Rvalue::Discriminant(place) => self.discriminant(place).and_then(is),
            Rvalue::Static(number) => {
                let it = self.program.statics.get(*number).ok_or("unknown static")?;
                let wants = match it.mutable {
                    true => Kind::Pointer { mutable: true, to: it.of },
                    false => Kind::Reference { mutable: false, to: it.of },
                };
                ensure(*kind(wanted) == wants, "assignment type mismatch")
            }
        }
    }

    fn target(self, of: TypeId) -> Check {
        sized(self.types, self.function, of)
    }

    fn discriminant(self, place: &Place) -> Result<TypeId, &'static str> {
        let of = self.value(place)?;
        ensure(self.types.is_enum(of), "discriminant of a place that is not an enum")?;
        Ok(self.types.discriminant_type(of))
    }

    fn binary(
        self,
        operator: Operator,
        left: TypeId,
        right: TypeId,
    ) -> Result<TypeId, &'static str> {
        let kind = self.types.kind(left);
        let int = matches!(kind, Kind::Int(_));
        let float = matches!(kind, Kind::Float(_));
        if operator.shifts() {
            let ints = int && self.types.as_int(right).is_some();
            return ensure(ints, "shift of operands that are not integers").map(|()| left);
        }
        ensure(left == right, "operands of different types")?;
        if operator.compares() {
            let good =
                int || float || matches!(kind, Kind::Bool | Kind::Char | Kind::Pointer { .. });
            return ensure(good, "comparison of an unsupported type").map(|()| Types::BOOL);
        }
        let good = match operator {
            Operator::BitAnd | Operator::BitOr | Operator::BitXor => {
                int || matches!(kind, Kind::Bool)
            }
            _ => int || float,
        };
        ensure(good, "arithmetic on an unsupported type").map(|()| left)
    }

    fn cast(self, from: TypeId, to: TypeId) -> Check {
        ensure(from != to, "cast to the same type")?;
        let good = match (self.types.kind(from), self.types.kind(to)) {
            (Kind::Int(_) | Kind::Float(_), Kind::Int(_) | Kind::Float(_))
            | (Kind::Bool | Kind::Char, Kind::Int(_)) => true,
            (Kind::Int(_), Kind::Char) => from == Types::U8,
            (Kind::Pointer { .. }, Kind::Pointer { .. }) => {
                // The printed source has no syntax for a trait object after `as`.
                let object = |of: TypeId| self.types.object(of).is_some();
                !object(from) && !object(to) && (self.is_thin(to) || self.types.is_wide(from))
            }
            _ => false,
        };
        let address =
            |number: TypeId, pointer: TypeId| number == Types::USIZE && self.is_thin(pointer);
        // The printed source would have to name the type, and there is no syntax for its lifetime.
        ensure(
            !(address(from, to) && self.types.has_lifetime(to)),
            "integer cast to a pointer type with a lifetime",
        )?;
        ensure(good || address(from, to) || address(to, from), "invalid cast")
    }

    pub(super) fn is_thin(self, of: TypeId) -> bool {
        matches!(self.types.kind(of), Kind::Pointer { to, .. } if !self.types.is_unsized(*to))
    }

    /// Whether `object` is a trait object whose trait `of` implements.
    fn is_object_of(self, of: TypeId, object: TypeId) -> bool {
        match self.types.kind(object) {
            Kind::Object(which) => self.program.implements(of, *which),
            _ => false,
        }
    }

    fn unsizes(self, from: TypeId, to: TypeId) -> bool {
        let becomes = |array: TypeId, slice: TypeId| {
            self.is_object_of(array, slice)
                || matches!(
                    (self.types.kind(array), self.types.kind(slice)),
                    (Kind::Array(one, _) | Kind::ArrayOf(one, _), Kind::Slice(other)) if one == other
                )
        };
        match (self.types.kind(from), self.types.kind(to)) {
            (Kind::Pointer { mutable, to: one }, Kind::Pointer { mutable: same, to: other })
            | (
                Kind::Reference { mutable, to: one },
                Kind::Reference { mutable: same, to: other },
            ) => mutable == same && becomes(*one, *other),
            (Kind::Heap(one), Kind::Heap(other)) => self.is_object_of(*one, *other),
            _ => false,
        }
    }

    fn aggregate(self, of: TypeId, number: usize, parts: &[Operand]) -> Check {
        let all = |wanted: &[TypeId]| {
            ensure(wanted.len() == parts.len(), "wrong number of aggregate operands")?;
            wanted.iter().zip(parts).try_for_each(|(of, part)| {
                ensure(self.operand(part)? == *of, "aggregate operand type mismatch")
            })
        };
        let adt = match self.types.kind(of) {
            Kind::Tuple(wanted) => {
                ensure(number == 0, "variant index for a tuple")?;
                return all(wanted);
            }
            Kind::Array(element, length) => {
                ensure(number == 0, "variant index for an array")?;
                ensure(parts.len() as u64 == *length, "wrong number of aggregate operands")?;
                return parts.iter().try_for_each(|part| {
                    ensure(self.operand(part)? == *element, "aggregate operand type mismatch")
                });
            }
            _ => self.types.adt(of).ok_or("aggregate of an unsupported type")?,
        };
        match &adt.shape {
            Shape::Struct(fields) => {
                ensure(number == 0, "variant index for a struct")?;
                all(fields)
            }
            Shape::Union(fields) => {
                let field = fields.get(number).ok_or("unknown field")?;
                all(&[*field])
            }
            Shape::Enum(variants) => all(&variants.get(number).ok_or("unknown variant")?.fields),
        }
    }
}
