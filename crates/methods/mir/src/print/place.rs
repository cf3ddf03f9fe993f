//! Operands and places.

use super::super::program::{Operand, Place, Projection};
use super::super::types::{Kind, TypeId, Types};
use super::{Form, Printer};

impl Printer<'_> {
    pub(super) fn operands(&mut self, operands: &[Operand]) {
        for (index, operand) in operands.iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" });
            self.operand(operand);
        }
    }

    pub(super) fn operand(&mut self, operand: &Operand) {
        match operand {
            _ if self.form == Form::Surface => self.surface_operand(operand),
            Operand::Copy(place) => self.place(place),
            Operand::Move(place) => {
                self.push("Move(");
                self.place(place);
                self.push(")");
            }
            // A bare `()` would be an aggregate, which is not an operand.
            Operand::Constant(constant) if constant.of == Types::UNIT => self.push("const { () }"),
            Operand::Constant(constant) => self.constant(*constant),
            Operand::Function(function, of) => {
                self.numbered("const { f", *function);
                self.push(" as ");
                self.of_type(*of);
                self.push(" }");
            }
            Operand::Parameter(it) => self.of_type(*it),
        }
    }

    /// A place that is assigned to or borrowed.
    pub(super) fn target(&mut self, place: &Place) {
        let plain = |projection: &Projection| !matches!(projection, Projection::Variant(..));
        if place.projections.iter().all(plain) {
            self.place(place);
            return;
        }
        let (before, after) = match self.form {
            Form::Expanded => ("(*__internal_make_place(", "))"),
            Form::Readable | Form::Surface => ("place!(", ")"),
        };
        self.push(before);
        self.place(place);
        self.push(after);
    }

    pub(super) fn place(&mut self, place: &Place) {
        if place.projections.is_empty() {
            self.local(place.local);
        } else if place.projections == [Projection::Deref] {
            self.push("*");
            self.local(place.local);
        } else {
            self.projected(place.local, &place.projections);
        }
    }

    /// Prints a place with projections, and returns its type.
    fn projected(&mut self, local: usize, projections: &[Projection]) -> TypeId {
        let types = self.types;
        let Some((last, rest)) = projections.split_last() else {
            self.local(local);
            return self.locals[local];
        };
        let of = match last {
            Projection::Deref => {
                self.push("(*");
                let of = self.projected(local, rest);
                self.push(")");
                of
            }
            Projection::Field(field) => {
                let of = self.projected(local, rest);
                let tuple = matches!(types.kind(of), Kind::Tuple(_));
                self.numbered(if tuple { "." } else { ".f" }, *field);
                of
            }
            Projection::Index(index) => {
                let of = self.projected(local, rest);
                self.push("[");
                self.local(*index);
                self.push("]");
                of
            }
            Projection::Variant(variant, field) if self.form == Form::Surface => {
                self.push("(match ");
                let of = self.projected(local, rest);
                self.variant_field(of, *variant, *field);
                of
            }
            Projection::Variant(variant, field) => {
                let whole = projections
                    .iter()
                    .try_fold(self.locals[local], |of, projection| projection.type_of(of, types));
                self.push("Field::<");
                self.of_type(whole.unwrap_or(Types::UNIT));
                self.push(">(Variant(");
                let of = self.projected(local, rest);
                self.numbered(", ", *variant);
                self.numbered("), ", *field);
                self.push(")");
                of
            }
        };
        last.type_of(of, types).unwrap_or(Types::UNIT)
    }

    pub(super) fn local(&mut self, local: usize) {
        if local == 0 {
            self.push(if self.form == Form::Surface { "ret" } else { "RET" });
        } else {
            self.numbered("_", local);
        }
    }
}
