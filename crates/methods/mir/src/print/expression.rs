//! Rvalues and calls as expressions of plain Rust.

use super::super::intrinsic::Intrinsic;
use super::super::program::{Callee, Operand, Operator, Place, Rvalue};
use super::super::types::{Kind, Types};
use super::Printer;
use super::plain::has_variant;

impl Printer<'_> {
    pub(super) fn plain_rvalue(&mut self, rvalue: &Rvalue) -> Option<()> {
        match rvalue {
            Rvalue::Negate(one) if self.is_int(one) => self.method(one, "wrapping_neg", &[]),
            Rvalue::Binary(operator, left, right) => self.plain_binary(*operator, left, right),
            Rvalue::Checked(operator, left, right) => {
                let name = match operator {
                    Operator::Add => "overflowing_add",
                    Operator::Sub => "overflowing_sub",
                    _ => "overflowing_mul",
                };
                self.method(left, name, std::slice::from_ref(right));
            }
            Rvalue::Transmute(one, to) => {
                let from = one.type_in(self.locals, self.types)?;
                let float = |of| match self.types.kind(of) {
                    Kind::Float(float) => Some(*float),
                    _ => None,
                };
                let int = |of| self.types.as_int(of).is_some_and(|int| !int.signed);
                if let Some(float) = float(*to).filter(|_| int(from)) {
                    self.push(float.name());
                    self.wrapped("::from_bits(", one);
                } else if float(from).is_some() && int(*to) {
                    self.method(one, "to_bits", &[]);
                } else {
                    self.push("std::mem::transmute::<");
                    self.of_type(from);
                    self.push(", ");
                    self.of_type(*to);
                    self.wrapped(">(", one);
                }
            }
            Rvalue::PointerCast(one, to) | Rvalue::Unsize(one, to) => {
                self.operand(one);
                self.push(" as ");
                self.of_type(*to);
            }
            Rvalue::Length(one) => self.method(one, "len", &[]),
            Rvalue::Offset(pointer, count) => {
                let signed = count.type_in(self.locals, self.types) == Some(Types::ISIZE);
                let name = if signed { "offset" } else { "add" };
                self.method(pointer, name, std::slice::from_ref(count));
            }
            Rvalue::AddressOf(_, place) | Rvalue::Reference(_, place) if has_variant(place) => {
                return None;
            }
            Rvalue::Discriminant(place) => self.plain_discriminant(place)?,
            Rvalue::Static(index) => {
                let mutable = self.program.statics[*index].mutable;
                self.numbered(if mutable { "&raw mut G" } else { "&G" }, *index);
            }
            Rvalue::Use(_)
            | Rvalue::Not(_)
            | Rvalue::Negate(_)
            | Rvalue::Cast(..)
            | Rvalue::Aggregate(..)
            | Rvalue::Repeat(..)
            | Rvalue::RepeatOf(..)
            | Rvalue::AddressOf(..)
            | Rvalue::Reference(..) => self.rvalue(rvalue),
        }
        Some(())
    }

    fn is_int(&self, operand: &Operand) -> bool {
        let of = operand.type_in(self.locals, self.types);
        of.is_some_and(|of| self.types.as_int(of).is_some())
    }

    fn plain_binary(&mut self, operator: Operator, left: &Operand, right: &Operand) {
        let wrapping = match operator {
            Operator::Add => "wrapping_add",
            Operator::Sub => "wrapping_sub",
            Operator::Mul => "wrapping_mul",
            Operator::Shl => "wrapping_shl",
            Operator::Shr => "wrapping_shr",
            _ => "",
        };
        if wrapping.is_empty() || !self.is_int(left) {
            self.binary(left, operator.symbol(), right);
        } else if operator.shifts() {
            self.shift(left, wrapping, right);
        } else {
            self.method(left, wrapping, std::slice::from_ref(right));
        }
    }

    fn shift(&mut self, left: &Operand, name: &str, right: &Operand) {
        self.receiver(left);
        self.push(".");
        self.push(name);
        self.push("(");
        self.operand(right);
        let cast = right.type_in(self.locals, self.types) != Some(Types::U32);
        self.push(if cast { " as u32)" } else { ")" });
    }

    fn method(&mut self, receiver: &Operand, name: &str, arguments: &[Operand]) {
        self.receiver(receiver);
        self.push(".");
        self.push(name);
        self.push("(");
        self.operands(arguments);
        self.push(")");
    }

    /// An operand before a dot, in parentheses where precedence requires it.
    pub(super) fn receiver(&mut self, operand: &Operand) {
        let before = self.text.out.len();
        self.operand(operand);
        if self.text.out[before..].starts_with(['-', '*', '&']) {
            self.text.out.insert(before, '(');
            self.push(")");
        }
    }

    pub(super) fn plain_call(
        &mut self,
        callee: &Callee,
        arguments: &[Operand],
        destination: &Place,
    ) -> Option<()> {
        match callee {
            Callee::Intrinsic(intrinsic) => {
                return self.plain_intrinsic(*intrinsic, arguments, destination);
            }
            Callee::NewBox | Callee::BoxToPointer | Callee::BoxFromPointer => return None,
            Callee::Pointer(place) if place.projections.is_empty() => self.place(place),
            Callee::Pointer(place) => {
                self.push("(");
                self.place(place);
                self.push(")");
            }
            _ => self.callee(callee, arguments),
        }
        self.push("(");
        self.operands(arguments);
        self.push(")");
        Some(())
    }

    fn plain_intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        arguments: &[Operand],
        destination: &Place,
    ) -> Option<()> {
        let (first, rest) = arguments.split_first()?;
        let second = rest.first();
        let function = match intrinsic {
            Intrinsic::UncheckedDiv | Intrinsic::ExactDiv => {
                self.binary(first, "/", second?);
                return Some(());
            }
            Intrinsic::UncheckedRem => {
                self.binary(first, "%", second?);
                return Some(());
            }
            Intrinsic::DisjointBitOr => {
                self.binary(first, "|", second?);
                return Some(());
            }
            Intrinsic::UncheckedShl => {
                self.shift(first, "wrapping_shl", second?);
                return Some(());
            }
            Intrinsic::UncheckedShr => {
                self.shift(first, "wrapping_shr", second?);
                return Some(());
            }
            Intrinsic::FloatToInt => {
                self.receiver(first);
                self.push(".to_int_unchecked::<");
                self.of_type(destination.type_in(self.locals, self.types)?);
                self.push(">()");
                return Some(());
            }
            Intrinsic::Likely | Intrinsic::Unlikely => {
                self.operand(first);
                return Some(());
            }
            Intrinsic::TypedSwap => {
                self.push("std::ptr::swap_nonoverlapping(");
                self.operands(arguments);
                self.push(", 1)");
                return Some(());
            }
            Intrinsic::CompareBytes => {
                self.used.compare_bytes = true;
                "compare_bytes("
            }
            Intrinsic::Select => "std::hint::select_unpredictable(",
            Intrinsic::CopyNonoverlapping => "std::ptr::copy_nonoverlapping(",
            Intrinsic::CopyOverlapping => "std::ptr::copy(",
            Intrinsic::WriteBytes => "std::ptr::write_bytes(",
            _ => {
                self.method(first, method_of(intrinsic)?, rest);
                return Some(());
            }
        };
        self.push(function);
        self.operands(arguments);
        self.push(")");
        Some(())
    }
}

/// The method that is equivalent to an intrinsic.
fn method_of(intrinsic: Intrinsic) -> Option<&'static str> {
    Some(match intrinsic {
        Intrinsic::ByteSwap => "swap_bytes",
        Intrinsic::BitReverse => "reverse_bits",
        Intrinsic::CountOnes => "count_ones",
        Intrinsic::LeadingZeros | Intrinsic::LeadingZerosNonzero => "leading_zeros",
        Intrinsic::TrailingZeros | Intrinsic::TrailingZerosNonzero => "trailing_zeros",
        Intrinsic::RotateLeft => "rotate_left",
        Intrinsic::RotateRight => "rotate_right",
        Intrinsic::WrappingAdd => "wrapping_add",
        Intrinsic::WrappingSub => "wrapping_sub",
        Intrinsic::WrappingMul => "wrapping_mul",
        Intrinsic::SaturatingAdd => "saturating_add",
        Intrinsic::SaturatingSub => "saturating_sub",
        Intrinsic::UncheckedAdd => "unchecked_add",
        Intrinsic::UncheckedSub => "unchecked_sub",
        Intrinsic::UncheckedMul => "unchecked_mul",
        Intrinsic::AddOverflow => "overflowing_add",
        Intrinsic::SubOverflow => "overflowing_sub",
        Intrinsic::MulOverflow => "overflowing_mul",
        Intrinsic::ReadViaCopy => "read",
        Intrinsic::VolatileLoad => "read_volatile",
        Intrinsic::VolatileStore => "write_volatile",
        Intrinsic::ArithOffset => "wrapping_offset",
        Intrinsic::OffsetFrom => "offset_from",
        Intrinsic::SquareRoot => "sqrt",
        Intrinsic::Floor => "floor",
        Intrinsic::Ceil => "ceil",
        Intrinsic::Truncate => "trunc",
        Intrinsic::RoundTiesEven => "round_ties_even",
        Intrinsic::Absolute => "abs",
        Intrinsic::CopySign => "copysign",
        Intrinsic::FusedMultiplyAdd => "mul_add",
        _ => return None,
    })
}
