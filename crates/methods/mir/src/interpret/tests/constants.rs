//! Const parameters.

use super::*;

/// A const argument.
fn value(b: &mut Build, of: TypeId, bits: u64) -> TypeId {
    b.of(Kind::Value(of, bits))
}

fn constant(b: &mut Build, index: usize, of: TypeId) -> TypeId {
    b.of(Kind::Constant(index, of))
}

#[test]
fn a_const_parameter_has_the_value_of_its_argument() {
    outputs(&[10, 8, 3], |b| {
        let own = constant(b, 0, U32);
        let plus = b.const_generic((0, &[U32]), U32, &[U32], |b| {
            b.set(l(0), Rvalue::Binary(Operator::Add, copy(l(1)), Operand::Parameter(own)));
        });
        // Passes its own const parameter on.
        let again = b.const_generic((0, &[U32]), U32, &[], |b| {
            b.call(Callee::Function(plus, vec![own]), vec![Operand::Parameter(own)], l(0));
        });
        let (five, three, x) = (value(b, U32, 5), value(b, U32, 3), b.local(U32));
        b.call(Callee::Function(again, vec![five]), vec![], l(x));
        b.record(l(x));
        b.call(Callee::Function(plus, vec![three]), vec![n(5)], l(x));
        b.record(l(x));
        b.call(Callee::Function(plus, vec![three]), vec![n(0)], l(x));
        b.record(l(x));
    });
}

/// Fills an array whose length is a const argument, and records an element.
fn filled(length: u64, index: u128) -> impl FnOnce(&mut Build) {
    move |b| {
        let of = b.of(Kind::Parameter(0));
        let own = constant(b, 1, USIZE);
        let array = b.of(Kind::ArrayOf(of, 1));
        let fill = b.const_generic((1, &[USIZE]), array, &[of], |b| {
            b.set(l(0), Rvalue::RepeatOf(copy(l(1)), own));
        });
        let pick = b.const_generic((1, &[USIZE]), of, &[array, USIZE], |b| {
            b.assign(l(0), copy(at(l(1), 2)));
        });
        let given = value(b, USIZE, length);
        let whole = b.array(U32, length);
        let (x, y) = (b.local(whole), b.local(U32));
        b.call(Callee::Function(fill, vec![U32, given]), vec![n(9)], l(x));
        let arguments = vec![copy(l(x)), k(USIZE, index)];
        b.call(Callee::Function(pick, vec![U32, given]), arguments, l(y));
        b.record(l(y));
    }
}

#[test]
fn a_const_parameter_is_the_length_of_an_array() {
    outputs(&[9], filled(4, 3));
    undefined(OutOfBounds, filled(4, 4));
    undefined(OutOfBounds, filled(3, 3));
    undefined(OutOfBounds, filled(0, 0));
}

#[test]
fn an_assumption_about_a_const_parameter_must_hold() {
    let program = |given: u64| {
        move |b: &mut Build| {
            let own = constant(b, 0, Types::BOOL);
            let only = b.const_generic((0, &[Types::BOOL]), U32, &[], |b| {
                b.assign(l(0), n(7));
                b.then(Statement::Assume(Operand::Parameter(own)));
            });
            let (given, x) = (value(b, Types::BOOL, given), b.local(U32));
            b.call(Callee::Function(only, vec![given]), vec![], l(x));
            b.record(l(x));
        }
    };
    outputs(&[7], program(1));
    undefined(Unreachable, program(0));
}

#[test]
fn division_by_a_const_parameter_must_not_be_by_zero() {
    let program = |given: u64| {
        move |b: &mut Build| {
            let own = constant(b, 0, U32);
            let divide = b.const_generic((0, &[U32]), U32, &[U32], |b| {
                b.set(l(0), Rvalue::Binary(Operator::Div, copy(l(1)), Operand::Parameter(own)));
            });
            let (given, x) = (value(b, U32, given), b.local(U32));
            b.call(Callee::Function(divide, vec![given]), vec![n(9)], l(x));
            b.record(l(x));
        }
    };
    outputs(&[4], program(2));
    undefined(Arithmetic, program(0));
}

#[test]
fn unsizing_takes_the_length_from_the_const_parameter() {
    outputs(&[3], |b| {
        let array = b.of(Kind::ArrayOf(U8, 0));
        let thin = b.of(Kind::Pointer { mutable: false, to: array });
        let slice = b.of(Kind::Slice(U8));
        let wide = b.of(Kind::Pointer { mutable: false, to: slice });
        let length = b.const_generic((0, &[USIZE]), USIZE, &[array], |b| {
            let p = b.new_local(thin, Rvalue::AddressOf(false, l(1)));
            let q = b.new_local(wide, Rvalue::Unsize(copy(l(p)), wide));
            b.set(l(0), Rvalue::Length(copy(l(q))));
        });
        let whole = b.array(U8, 3);
        let x = b.new_local(whole, Rvalue::Repeat(k(U8, 1), 3));
        let (given, y) = (value(b, USIZE, 3), b.local(USIZE));
        b.call(Callee::Function(length, vec![given]), vec![copy(l(x))], l(y));
        b.record(l(y));
    });
}

#[test]
fn a_call_without_its_const_argument_is_ill_formed() {
    undefined(IllFormed, |b| {
        let own = constant(b, 0, U32);
        let same =
            b.const_generic((0, &[U32]), U32, &[], |b| b.assign(l(0), Operand::Parameter(own)));
        let x = b.local(U32);
        b.call_function(same, vec![], l(x));
    });
}
