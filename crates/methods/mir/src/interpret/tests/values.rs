//! Uninitialised, invalid and moved values, NaNs, unions, transmutes, assumptions, arithmetic.

use super::*;

#[test]
fn uninitialised_values_must_not_be_read() {
    undefined(Uninitialised, |b| {
        let x = b.local(U32);
        b.record(l(x));
    });
    // All fields must be initialised.
    let program = |both: bool| {
        move |b: &mut Build| {
            let of = b.tuple(&[U32, U8]);
            let (x, y) = (b.local(of), b.local(of));
            b.assign(f(l(x), 0), n(5));
            if both {
                b.assign(f(l(x), 1), k(U8, 6));
            }
            b.assign(l(y), copy(l(x)));
            b.record(f(l(y), 0));
        }
    };
    undefined(Uninitialised, program(false));
    outputs(&[5], program(true));
    // The return place is read at the return.
    let program = |set: bool| {
        move |b: &mut Build| {
            let function = b.function(U32, &[], |b| {
                if set {
                    b.assign(l(0), n(8));
                }
            });
            let x = b.local(U32);
            b.call_function(function, vec![], l(x));
            b.record(l(x));
        }
    };
    undefined(Uninitialised, program(false));
    outputs(&[8], program(true));
}

#[test]
fn invalid_values_must_not_be_produced() {
    for (of, good, wrong) in [(Types::BOOL, 1, 2), (Types::CHAR, 0x10_FFFF, 0xD800)] {
        let program = |bits: u128| {
            move |b: &mut Build| {
                let from = if of == Types::BOOL { U8 } else { U32 };
                let x = b.new_local(of, Rvalue::Transmute(k(from, bits), of));
                b.record(l(x));
            }
        };
        outputs(&[good as u64], program(good));
        undefined(InvalidValue, program(wrong));
    }
    let program = |tag: u128| {
        move |b: &mut Build| {
            let of = b.choice(Repr::Int(Int::U8), &[&[], &[]]);
            let x = b.new_local(of, Rvalue::Transmute(k(U8, tag), of));
            b.record(l(x));
        }
    };
    outputs(&[1], program(1));
    undefined(InvalidValue, program(2));
}

#[test]
fn moved_places_become_uninitialised_and_must_not_overlap() {
    let program = |moved: bool| {
        move |b: &mut Build| {
            let x = b.with(U32, 4);
            let y = b.local(U32);
            b.assign(l(y), if moved { take(l(x)) } else { copy(l(x)) });
            b.record(l(y));
            b.record(l(x));
        }
    };
    undefined(Uninitialised, program(true));
    outputs(&[4, 4], program(false));
    undefined(Overlap, |b| {
        let x = b.with(U32, 4);
        b.assign(l(x), take(l(x)));
    });
    undefined(Overlap, |b| {
        let x = b.with(U32, 4);
        let y = b.local(U32);
        b.set(l(y), Rvalue::Binary(Operator::Add, copy(l(x)), take(l(x))));
    });
    undefined(Overlap, |b| {
        let x = b.with(U32, 4);
        let of = b.tuple(&[U32, U32]);
        b.new_local(of, Rvalue::Aggregate(of, 0, vec![take(l(x)), copy(l(x))]));
    });
    // The operand of a switch can be moved, too.
    let program = |moved: bool| {
        move |b: &mut Build| {
            let x = b.with(U32, 4);
            let on = if moved { take(l(x)) } else { copy(l(x)) };
            b.end(|next| Terminator::Switch { on, arms: vec![(4, next)], otherwise: 0 });
            b.record(l(x));
        }
    };
    undefined(Uninitialised, program(true));
    outputs(&[4], program(false));
    // An element and its index can be moved by one statement.
    outputs(&[9], |b| {
        let of = b.array(USIZE, 2);
        let x = b.new_local(of, Rvalue::Repeat(k(USIZE, 8), 2));
        let i = b.with(USIZE, 1);
        let y = b.local(USIZE);
        b.set(l(y), Rvalue::Binary(Operator::Add, take(l(i)), take(at(l(x), i))));
        b.record(l(y));
    });
}

#[test]
fn the_bits_of_a_nan_must_not_be_observed() {
    let zero = || k(Types::F32, 0);
    outputs(&[0, 1, 0], |b| {
        let nan = b.new_local(Types::F32, Rvalue::Binary(Operator::Div, zero(), zero()));
        let not = b.new_local(Types::F32, Rvalue::Negate(copy(l(nan))));
        let wide = b.new_local(Types::F64, Rvalue::Cast(copy(l(not)), Types::F64));
        let flag = b.local(Types::BOOL);
        for (operator, other) in [(Operator::Eq, wide), (Operator::Ne, wide)] {
            b.set(l(flag), Rvalue::Binary(operator, copy(l(wide)), copy(l(other))));
            b.record(l(flag));
        }
        let int = b.new_local(U32, Rvalue::Cast(copy(l(wide)), U32));
        b.record(l(int));
    });
    undefined(Nondeterministic, |b| {
        let nan = b.new_local(Types::F32, Rvalue::Binary(Operator::Div, zero(), zero()));
        b.record(l(nan));
    });
    undefined(Nondeterministic, |b| {
        let nan = b.new_local(Types::F32, Rvalue::Binary(Operator::Div, zero(), zero()));
        b.new_local(U32, Rvalue::Transmute(copy(l(nan)), U32));
    });
    // Its sign is unspecified.
    undefined(Nondeterministic, |b| {
        let nan = b.with(Types::F32, 0x7fc0_0000);
        let x = b.local(Types::F32);
        b.intrinsic(Intrinsic::CopySign, vec![zero(), copy(l(nan))], l(x));
    });
    // Two `f32` NaNs are not an `f64` NaN.
    undefined(Nondeterministic, |b| {
        let of = b.array(Types::F32, 2);
        let x = b.new_local(of, Rvalue::Repeat(k(Types::F32, 0x7fc0_0000), 2));
        b.new_local(Types::F64, Rvalue::Transmute(copy(l(x)), Types::F64));
    });
    // Copies keep the bits of a NaN that was transmuted from an integer.
    outputs(&[0x7fc0_1234], |b| {
        let of = Types::F32;
        let x = b.new_local(of, Rvalue::Transmute(n(0x7fc0_1234), of));
        let y = b.new_local(of, Rvalue::Use(copy(l(x))));
        let z = b.new_local(U32, Rvalue::Transmute(copy(l(y)), U32));
        b.record(l(z));
    });
}

#[test]
fn union_fields_alias() {
    let program = |field: usize, whole: bool| {
        move |b: &mut Build| {
            let bytes = b.array(U8, 4);
            let of = b.union(&[U32, U8, bytes]);
            let x = b.local(of);
            b.set(l(x), Rvalue::Aggregate(of, 0, vec![n(0x0403_0201)]));
            let byte = vec![k(U8, 9)];
            if whole {
                b.set(l(x), Rvalue::Aggregate(of, 1, byte));
            } else {
                b.assign(f(l(x), 1), k(U8, 9));
            }
            let y = b.new_local(of, Rvalue::Use(copy(l(x))));
            b.record(f(l(y), field));
        }
    };
    outputs(&[0x0403_0209], program(0, false));
    outputs(&[9], program(1, true));
    undefined(Uninitialised, program(0, true));
    undefined(Nondeterministic, |b| {
        let of = b.union(&[U32, Types::F32]);
        let x = b.local(of);
        b.assign(f(l(x), 1), k(Types::F32, 0x7fc0_0000));
        b.record(f(l(x), 0));
    });
}

#[test]
fn transmutes_keep_bits_and_must_produce_valid_references() {
    outputs(&[0x3f80_0000], |b| {
        let one = b.with(Types::F32, 0x3f80_0000);
        let x = b.new_local(U32, Rvalue::Transmute(copy(l(one)), U32));
        b.record(l(x));
    });
    // A reference that is transmuted from a pointer must not dangle.
    let program = |dead: bool| {
        move |b: &mut Build| {
            let x = b.local(U32);
            b.then(Statement::StorageLive(x));
            b.assign(l(x), n(3));
            let p = b.raw(U32, l(x));
            if dead {
                b.then(Statement::StorageDead(x));
            }
            let of = b.shared(U32);
            let r = b.new_local(of, Rvalue::Transmute(copy(l(p)), of));
            b.record(d(r));
        }
    };
    undefined(Dangling, program(true));
    outputs(&[3], program(false));
}

#[test]
fn assumptions_must_hold() {
    let program = |bits: u128| {
        move |b: &mut Build| {
            let x = b.with(Types::BOOL, bits);
            b.then(Statement::Assume(copy(l(x))));
            b.record(l(x));
        }
    };
    outputs(&[1], program(1));
    undefined(Unreachable, program(0));
    undefined(Unreachable, |b| b.end(|_| Terminator::Unreachable));
}

#[test]
fn ill_formed_programs_are_rejected() {
    undefined(IllFormed, |b| {
        let x = b.local(U8);
        b.assign(l(x), n(1));
    });
    undefined(IllFormed, |b| {
        let function = b.idle(&[U32]);
        b.call_function(function, vec![], l(0));
    });
    undefined(IllFormed, |b| b.end(|_| Terminator::Goto(9)));
    undefined(IllFormed, |b| b.record(l(9)));
}

#[test]
fn unchecked_intrinsics_are_undefined_out_of_range() {
    use Intrinsic::*;
    let cases: [(Intrinsic, u128, u128, Option<u64>); 11] = [
        (UncheckedAdd, 0xFFFF_FFFF, 1, None),
        (UncheckedAdd, 0xFFFF_FFFE, 1, Some(0xFFFF_FFFF)),
        (UncheckedSub, 0, 1, None),
        (UncheckedMul, 0x1_0000, 0x1_0000, None),
        (UncheckedDiv, 1, 0, None),
        (ExactDiv, 7, 2, None),
        (ExactDiv, 8, 2, Some(4)),
        (DisjointBitOr, 3, 1, None),
        (DisjointBitOr, 2, 1, Some(3)),
        (UncheckedShl, 1, 32, None),
        (UncheckedShl, 1, 31, Some(0x8000_0000)),
    ];
    for (which, left, right, expected) in cases {
        let made = output_of(|b| {
            let x = b.local(U32);
            b.intrinsic(which, vec![n(left), n(right)], l(x));
            b.record(l(x));
        });
        assert_eq!(made, expected.map(|word| vec![word]).ok_or(Arithmetic), "{which:?}");
    }
    undefined(Arithmetic, |b| {
        let x = b.local(U32);
        b.set(l(x), Rvalue::Binary(Operator::Rem, n(1), n(0)));
    });
    undefined(Arithmetic, |b| {
        let x = b.local(U32);
        b.intrinsic(LeadingZerosNonzero, vec![n(0)], l(x));
    });
    for (bits, expected) in [(300f32, None), (-1.0, None), (255.5, Some(255)), (-0.5, Some(0))] {
        let made = output_of(|b| {
            let x = b.local(U8);
            b.intrinsic(FloatToInt, vec![k(Types::F32, bits.to_bits().into())], l(x));
            b.record(l(x));
        });
        assert_eq!(made, expected.map(|word| vec![word]).ok_or(Arithmetic), "{bits}");
    }
}
