//! Pointers as values: addresses, comparisons, provenance and reinterpretation.

use super::*;

#[test]
fn exposed_addresses_can_only_be_cast_back() {
    // A pointer can be cast to an integer and back.
    let program = |look: bool, through: bool| {
        move |b: &mut Build| {
            let x = b.with(U32, 7);
            let mut p = b.raw(U32, l(x));
            if through {
                let r = b.borrow(true, U32, l(x));
                p = b.raw(U32, d(r));
            }
            let number = b.new_local(USIZE, Rvalue::Cast(copy(l(p)), USIZE));
            let other = b.new_local(USIZE, Rvalue::Use(copy(l(number))));
            if look {
                b.record(l(other));
            }
            let of = b.pointer(U32);
            let q = b.new_local(of, Rvalue::Cast(copy(l(other)), of));
            b.record(d(q));
        }
    };
    outputs(&[7], program(false, false));
    undefined(Address, program(true, false));
    undefined(Address, program(false, true));
    type Use = fn(&mut Build, Local);
    let uses: [Use; 5] = [
        |b, x| {
            b.new_local(USIZE, Rvalue::Binary(Operator::Add, copy(l(x)), k(USIZE, 1)));
        },
        |b, x| {
            b.new_local(Types::BOOL, Rvalue::Binary(Operator::Eq, copy(l(x)), copy(l(x))));
        },
        |b, x| b.end(|otherwise| Terminator::Switch { on: copy(l(x)), arms: vec![], otherwise }),
        |b, x| {
            b.new_local(Types::U64, Rvalue::Transmute(copy(l(x)), Types::U64));
        },
        |b, x| {
            b.new_local(U8, Rvalue::Cast(copy(l(x)), U8));
        },
    ];
    for each in uses {
        undefined(Address, |b| {
            let x = b.with(U32, 7);
            let p = b.raw(U32, l(x));
            let number = b.new_local(USIZE, Rvalue::Cast(copy(l(p)), USIZE));
            each(b, number);
        });
    }
    // A pointer cannot be transmuted to an integer.
    undefined(Address, |b| {
        let x = b.with(U32, 7);
        let p = b.raw(U32, l(x));
        b.new_local(USIZE, Rvalue::Transmute(copy(l(p)), USIZE));
    });
}

#[test]
fn pointer_comparisons_must_not_depend_on_addresses() {
    let compare = |b: &mut Build, operator: Operator, p: Local, q: Local| {
        let is = b.new_local(Types::BOOL, Rvalue::Binary(operator, copy(l(p)), copy(l(q))));
        b.record(l(is));
    };
    // Pointers into one array compare by offset, also one past its end.
    for (operator, is) in [
        (Operator::Eq, 0),
        (Operator::Ne, 1),
        (Operator::Lt, 1),
        (Operator::Le, 1),
        (Operator::Gt, 0),
        (Operator::Ge, 0),
    ] {
        outputs(&[is], |b| {
            let array = b.of(Kind::Array(U32, 3));
            let x = b.new_local(array, Rvalue::Repeat(n(7), 3));
            let i = b.with(USIZE, 1);
            let p = b.raw(U32, at(l(x), i));
            let of = b.pointer(U32);
            let q = b.new_local(of, Rvalue::Offset(copy(l(p)), k(USIZE, 2)));
            compare(b, operator, p, q);
        });
    }
    // Two allocations have different addresses, but their order is unspecified, and the end of one can be the start of
    // the other.
    let two_locals = |operator: Operator, by: u128| {
        move |b: &mut Build| {
            let (x, y) = (b.with(U32, 7), b.with(U32, 7));
            let (p, q) = (b.raw(U32, l(x)), b.raw(U32, l(y)));
            let of = b.pointer(U32);
            let q = b.new_local(of, Rvalue::Offset(copy(l(q)), k(USIZE, by)));
            compare(b, operator, p, q);
        }
    };
    outputs(&[0], two_locals(Operator::Eq, 0));
    outputs(&[1], two_locals(Operator::Ne, 0));
    undefined(Address, two_locals(Operator::Eq, 1));
    undefined(Address, two_locals(Operator::Lt, 0));
    // The destination of a move may have the address of the source.
    let moved = |operand: fn(Place) -> Operand| {
        move |b: &mut Build| {
            let x = b.with(U32, 7);
            let p = b.raw(U32, l(x));
            let y = b.new_local(U32, Rvalue::Use(operand(l(x))));
            let q = b.raw(U32, l(y));
            compare(b, Operator::Eq, p, q);
        }
    };
    outputs(&[0], moved(copy));
    undefined(Address, moved(take));
    // A parameter may have the address of the argument.
    undefined(Address, |b| {
        let pointer = b.pointer(U32);
        let function = b.function(UNIT, &[pointer, U32], |b| {
            let q = b.raw(U32, l(2));
            compare(b, Operator::Eq, 1, q);
        });
        let x = b.with(U32, 7);
        let p = b.raw(U32, l(x));
        b.call_function(function, vec![copy(l(p)), copy(l(x))], l(0));
    });
    // The order of a tuple's fields in memory is unspecified.
    let fields = |other: usize| {
        move |b: &mut Build| {
            let of = b.tuple(&[U32, U32]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2)]));
            let (p, q) = (b.raw(U32, f(l(x), 0)), b.raw(U32, f(l(x), other)));
            compare(b, Operator::Le, p, q);
        }
    };
    outputs(&[1], fields(0));
    undefined(Address, fields(1));
}

/// A pointer is read as a pointer to another type, through a cast of a pointer to it. Once generated by mir:7:15984.
#[test]
fn pointers_can_be_reinterpreted_only_if_their_pointees_have_fixed_layouts() {
    let through_pointer = |repr: Repr| {
        move |b: &mut Build| {
            let of = b.structure(repr, &[U32, USIZE]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(7), k(USIZE, 1)]));
            let p = b.raw(of, l(x));
            let plain = b.pointer(U32);
            let q = b.local(plain);
            let to_q = b.raw(plain, l(q));
            let whole = b.pointer(of);
            let other = b.pointer(whole);
            let as_p = b.new_local(other, Rvalue::PointerCast(copy(l(to_q)), other));
            b.assign(d(as_p), copy(l(p)));
            b.record(d(q));
        }
    };
    undefined(Layout, through_pointer(Repr::Rust));
    outputs(&[7], through_pointer(Repr::C));
    let transmuted = |repr: Repr| {
        move |b: &mut Build| {
            let of = b.structure(repr, &[U32, USIZE]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(7), k(USIZE, 1)]));
            let p = b.raw(of, l(x));
            let plain = b.pointer(U32);
            let q = b.new_local(plain, Rvalue::Transmute(copy(l(p)), plain));
            b.record(d(q));
        }
    };
    undefined(Layout, transmuted(Repr::Rust));
    outputs(&[7], transmuted(Repr::C));
}

#[test]
fn pointers_without_provenance_are_integers_and_must_not_be_dereferenced() {
    let null = |b: &mut Build, address: u128| {
        let of = b.pointer(U32);
        b.with(of, address)
    };
    let compare = |operator: Operator, address: u128, other: Option<u128>| {
        move |b: &mut Build| {
            let p = null(b, address);
            let x = b.with(U32, 7);
            let q = match other {
                Some(other) => null(b, other),
                None => b.raw(U32, l(x)),
            };
            let is = Rvalue::Binary(operator, copy(l(p)), copy(l(q)));
            let is = b.new_local(Types::BOOL, is);
            b.record(l(is));
        }
    };
    // They compare with each other as integers, and null with any pointer.
    outputs(&[1], compare(Operator::Eq, 0, Some(0)));
    outputs(&[1], compare(Operator::Lt, 4, Some(8)));
    outputs(&[0], compare(Operator::Eq, 0, None));
    outputs(&[1], compare(Operator::Lt, 0, None));
    // Whether an allocation has a given address is unspecified.
    undefined(Address, compare(Operator::Eq, 8, None));
    // The address of a dangling pointer is unspecified.
    undefined(Address, |b| {
        let p = null(b, 0);
        let x = b.local(U32);
        b.then(Statement::StorageLive(x));
        let q = b.raw(U32, l(x));
        b.then(Statement::StorageDead(x));
        b.new_local(Types::BOOL, Rvalue::Binary(Operator::Ne, copy(l(p)), copy(l(q))));
    });
    // They can be cast to integers and back.
    outputs(&[8, 1], |b| {
        let of = b.pointer(U32);
        let p = null(b, 8);
        let number = b.new_local(USIZE, Rvalue::Cast(copy(l(p)), USIZE));
        b.record(l(number));
        let q = b.new_local(of, Rvalue::Cast(copy(l(number)), of));
        let is = Rvalue::Binary(Operator::Eq, copy(l(p)), copy(l(q)));
        let is = b.new_local(Types::BOOL, is);
        b.record(l(is));
    });
    undefined(Address, |b| {
        let of = b.pointer(U32);
        b.new_local(of, Rvalue::Cast(k(USIZE, 1 << 40), of));
    });
    // They must not be dereferenced or offset.
    for address in [0, 8] {
        undefined(Dangling, |b| {
            let p = null(b, address);
            b.new_local(U32, Rvalue::Use(copy(d(p))));
        });
        undefined(Dangling, |b| {
            let p = null(b, address);
            b.assign(d(p), n(1));
        });
        undefined(Dangling, |b| {
            let p = null(b, address);
            b.borrow(false, U32, d(p));
        });
        undefined(Dangling, |b| {
            let p = null(b, address);
            let of = b.pointer(U32);
            b.new_local(of, Rvalue::Offset(copy(l(p)), k(USIZE, 1)));
        });
    }
    // A reference must not be null.
    undefined(InvalidValue, |b| {
        let of = b.shared(U32);
        b.with(of, 0);
    });
}

#[test]
fn offset_from_needs_pointers_into_one_allocation() {
    let program = |other: bool| {
        move |b: &mut Build| {
            let of = b.array(U32, 4);
            let x = b.new_local(of, Rvalue::Repeat(n(0), 4));
            let y = b.new_local(of, Rvalue::Repeat(n(0), 4));
            let constant = b.of(Kind::Pointer { mutable: false, to: U32 });
            let (i, j) = (b.with(USIZE, 3), b.with(USIZE, 1));
            let p = b.new_local(constant, Rvalue::AddressOf(false, at(l(x), i)));
            let from = if other { y } else { x };
            let q = b.new_local(constant, Rvalue::AddressOf(false, at(l(from), j)));
            let by = b.local(Types::ISIZE);
            b.intrinsic(Intrinsic::OffsetFrom, vec![copy(l(q)), copy(l(p))], l(by));
            b.record(l(by));
        }
    };
    outputs(&[2u64.wrapping_neg()], program(false));
    undefined(Address, program(true));
}
