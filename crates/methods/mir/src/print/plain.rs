//! Statements and terminators as plain Rust.

use super::super::program::{
    Block, Callee, Operand, Place, Projection, Rvalue, Statement, Terminator, Unwind,
};
use super::super::types::{Kind, TypeId, Types};
use super::surface::Body;
use super::{Form, Printer, Recorded};

impl Printer<'_> {
    pub(super) fn plain_block(
        &mut self,
        number: usize,
        body: &mut Body<'_>,
        margin: usize,
    ) -> Option<()> {
        let block = &body.function.blocks[number];
        for statement in &block.statements {
            self.plain_statement(statement, body, margin)?;
        }
        match &block.terminator {
            Terminator::Call { callee, arguments, destination, unwind, .. } => {
                if matches!(unwind, Unwind::Cleanup(_) | Unwind::Terminate(_)) {
                    return None;
                }
                self.margin(margin);
                self.assignment(destination, body)?;
                self.plain_call(callee, arguments, destination)?;
                self.push(";\n");
            }
            Terminator::Drop { place, .. } => {
                let of = place.type_in(self.locals, self.types)?;
                if self.types.needs_drop(of) {
                    return None;
                }
            }
            Terminator::Record { values, .. } => {
                self.margin(margin);
                self.plain_record(body.number, number, values);
            }
            _ => {}
        }
        Some(())
    }

    fn plain_statement(
        &mut self,
        statement: &Statement,
        body: &mut Body<'_>,
        margin: usize,
    ) -> Option<()> {
        match statement {
            Statement::Assign(place, rvalue) => {
                if place.type_in(self.locals, self.types)? == Types::UNIT {
                    return Some(());
                }
                self.margin(margin);
                self.assignment(place, body)?;
                self.plain_rvalue(rvalue)?;
                self.push(";\n");
            }
            Statement::SetDiscriminant(place, variant) => {
                let of = place.type_in(self.locals, self.types)?;
                // An assignment would need values for the fields.
                if !self.is_fieldless(of) {
                    return None;
                }
                self.margin(margin);
                self.assignment(place, body)?;
                self.aggregate(of, *variant, &[]);
                self.push(";\n");
            }
            Statement::Assume(operand) => {
                self.margin(margin);
                self.wrapped("std::hint::assert_unchecked(", operand);
                self.push(";\n");
            }
            Statement::StorageLive(_) | Statement::StorageDead(_) | Statement::Retag(_) => {}
        }
        Some(())
    }

    /// `let _3: u8 = `, `_3 = `, or nothing for a unit.
    fn assignment(&mut self, place: &Place, body: &mut Body<'_>) -> Option<()> {
        if place.type_in(self.locals, self.types)? == Types::UNIT {
            return Some(());
        }
        if has_variant(place) {
            return None;
        }
        if place.projections.is_empty() && !body.declared[place.local] {
            body.declared[place.local] = true;
            let mutable = body.facts[place.local].is_mutable(false);
            self.push(if mutable { "let mut " } else { "let " });
            self.local(place.local);
            self.push(": ");
            self.of_type(self.locals[place.local]);
        } else {
            self.place(place);
        }
        self.push(" = ");
        Some(())
    }

    pub(super) fn surface_operand(&mut self, operand: &Operand) {
        let of = operand.type_in(self.locals, self.types);
        let kind = of.map(|of| self.types.kind(of));
        match operand {
            _ if of == Some(Types::UNIT) => self.push("()"),
            Operand::Copy(place) => {
                if let Some(Kind::Reference { mutable: true, .. }) = kind {
                    self.push("&mut *");
                }
                self.place(place);
            }
            Operand::Move(place) => self.place(place),
            Operand::Constant(constant) => self.constant(*constant),
            Operand::Function(function, of) => {
                self.numbered("f", *function);
                self.push(" as ");
                self.of_type(*of);
            }
            Operand::Parameter(it) => self.of_type(*it),
        }
    }

    /// The rest of a `match` that extracts a field of a variant.
    pub(super) fn variant_field(&mut self, of: TypeId, variant: usize, field: usize) {
        let Kind::Adt(index) = self.types.kind(of) else {
            return;
        };
        self.push(" { ");
        self.adt_name(*index);
        self.numbered("::V", variant);
        let count = self.types.variants(of).get(variant).map_or(0, |variant| variant.fields.len());
        for number in 0..count {
            self.push(if number > 0 { ", " } else { "(" });
            self.push(if number == field { "x" } else { "_" });
        }
        self.push(if self.types.variants(of).len() > 1 {
            ") => x, _ => unreachable!() })"
        } else {
            ") => x })"
        });
    }

    /// The discriminant of an enum, in its own type.
    pub(super) fn plain_discriminant(&mut self, place: &Place) -> Option<()> {
        let types = self.types;
        let of = place.type_in(self.locals, types)?;
        let int = types.as_int(types.discriminant_type(of))?;
        if self.is_fieldless(of) {
            self.place(place);
            self.push(" as ");
            self.push(int.name());
            return Some(());
        }
        let Kind::Adt(index) = types.kind(of) else {
            return None;
        };
        self.push("match ");
        self.place(place);
        self.push(" { ");
        for (number, discriminant) in types.discriminants(of).into_iter().enumerate() {
            self.push(if number > 0 { ", " } else { "" });
            self.adt_name(*index);
            self.numbered("::V", number);
            let empty = types.variants(of)[number].fields.is_empty();
            self.push(if empty { " => " } else { "(..) => " });
            self.text.signed(discriminant);
            self.push("_");
            self.push(int.name());
        }
        self.push(" }");
        Some(())
    }

    fn is_fieldless(&self, of: TypeId) -> bool {
        self.types.is_enum(of)
            && self.types.variants(of).iter().all(|variant| variant.fields.is_empty())
    }

    fn plain_record(&mut self, function: usize, block: usize, values: &[Place]) {
        self.push("println!(\"");
        self.record_label(function, block);
        self.form = Form::Readable;
        for (index, value) in values.iter().enumerate() {
            self.push(if index > 0 { ", " } else { " " });
            self.place(value);
            self.push(" = {:#x}");
        }
        self.form = Form::Surface;
        self.push("\"");
        for value in values {
            self.push(", ");
            let of = value.type_in(self.locals, self.types);
            match of.map_or(Recorded::Cast, |of| Recorded::of(of, self.types)) {
                Recorded::Plain | Recorded::Cast => {
                    self.place(value);
                    self.push(" as u64");
                }
                Recorded::Wide(_) => {
                    self.place(value);
                    self.push(" as u128");
                }
                Recorded::Single | Recorded::Double => {
                    self.receiver(&Operand::Copy(value.clone()));
                    self.push(".to_bits()");
                }
                Recorded::Discriminant(_) => {
                    self.push("(");
                    let _ = self.plain_discriminant(value);
                    self.push(") as u64");
                }
            }
        }
        self.push(");\n");
    }

    /// Whether a block contains an operation that requires `unsafe`.
    pub(super) fn needs_unsafe(&self, block: &Block) -> bool {
        let place = |place: &Place| self.is_unsafe_place(place);
        let operand = |operand: &Operand| operand.place().is_some_and(place);
        let statement = |statement: &Statement| match statement {
            Statement::Assign(target, rvalue) => {
                let special = matches!(
                    rvalue,
                    Rvalue::Transmute(..) | Rvalue::Offset(..) | Rvalue::Static(_)
                );
                special
                    || place(target)
                    || rvalue.place().is_some_and(place)
                    || rvalue.operands().into_iter().any(operand)
            }
            Statement::SetDiscriminant(of, _) => place(of),
            Statement::Assume(_) => true,
            _ => false,
        };
        block.statements.iter().any(statement)
            || block.terminator.operands().into_iter().any(operand)
            || match &block.terminator {
                Terminator::Call { callee, destination, .. } => {
                    matches!(callee, Callee::Intrinsic(_))
                        || matches!(callee, Callee::Pointer(of) if place(of))
                        || place(destination)
                }
                Terminator::Record { values, .. } => values.iter().any(place),
                Terminator::Unreachable => true,
                _ => false,
            }
    }

    /// Whether a place is accessed through a raw pointer or is a union field.
    fn is_unsafe_place(&self, place: &Place) -> bool {
        let mut of = self.locals[place.local];
        for projection in &place.projections {
            if self.types.is_union(of) || matches!(self.types.kind(of), Kind::Pointer { .. }) {
                return true;
            }
            of = projection.type_of(of, self.types).unwrap_or(Types::UNIT);
        }
        false
    }
}

pub(super) fn has_variant(place: &Place) -> bool {
    place.projections.iter().any(|one| matches!(one, Projection::Variant(..)))
}
