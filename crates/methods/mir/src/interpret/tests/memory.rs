//! Pointers, storage, alignment, layouts and overlaps.

use super::*;

#[test]
fn locals_are_accessible_only_between_storage_markers() {
    let program = |dead: bool| {
        move |b: &mut Build| {
            let x = b.local(U32);
            b.then(Statement::StorageLive(x));
            b.assign(l(x), n(7));
            let p = b.raw(U32, l(x));
            if dead {
                b.then(Statement::StorageDead(x));
                b.then(Statement::StorageDead(x));
            }
            let y = b.local(U32);
            b.assign(l(y), copy(d(p)));
            b.record(l(y));
        }
    };
    undefined(Dangling, program(true));
    outputs(&[7], program(false));
    // A second `StorageLive` makes a new allocation.
    let program = |fresh: bool| {
        move |b: &mut Build| {
            let x = b.local(U32);
            b.then(Statement::StorageLive(x));
            b.assign(l(x), n(7));
            let p = b.raw(U32, l(x));
            b.then(Statement::StorageLive(x));
            if fresh {
                b.set(l(p), Rvalue::AddressOf(true, l(x)));
            }
            b.assign(d(p), n(1));
            b.record(l(x));
        }
    };
    undefined(Dangling, program(false));
    outputs(&[1], program(true));
    // A local is dead before its `StorageLive`.
    undefined(Dangling, |b| {
        let x = b.local(U32);
        b.assign(l(x), n(7));
        b.then(Statement::StorageLive(x));
    });
    undefined(Uninitialised, |b| {
        let x = b.local(U32);
        b.then(Statement::StorageLive(x));
        b.assign(l(x), n(7));
        b.then(Statement::StorageLive(x));
        b.record(l(x));
    });
}

#[test]
fn offsets_must_be_in_bounds() {
    let program = |by: i128| {
        move |b: &mut Build| {
            let of = b.array(U32, 3);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2), n(3)]));
            let i = b.with(USIZE, 1);
            let p = b.raw(U32, at(l(x), i));
            let by = k(Types::ISIZE, by.cast_unsigned() & u128::from(u64::MAX));
            b.set(l(p), Rvalue::Offset(copy(l(p)), by));
            b.record(d(p));
        }
    };
    outputs(&[3], program(1));
    outputs(&[1], program(-1));
    undefined(OutOfBounds, program(2));
    undefined(OutOfBounds, program(-2));
    undefined(OutOfBounds, program(3));
    // If rustc chooses the layout of a struct, the bounds of a pointer to a field are those of the field.
    let program = |repr: Repr| {
        move |b: &mut Build| {
            let of = b.structure(repr, &[U32, U32]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2)]));
            let p = b.raw(U32, f(l(x), 0));
            b.set(l(p), Rvalue::Offset(copy(l(p)), k(USIZE, 1)));
            b.record(d(p));
        }
    };
    outputs(&[2], program(Repr::C));
    undefined(OutOfBounds, program(Repr::Rust));
}

#[test]
fn array_indices_must_be_in_bounds() {
    let program = |index: u128| {
        move |b: &mut Build| {
            let of = b.array(U32, 3);
            let x = b.new_local(of, Rvalue::Repeat(n(9), 3));
            let i = b.with(USIZE, index);
            b.record(at(l(x), i));
        }
    };
    outputs(&[9], program(2));
    undefined(OutOfBounds, program(3));
}

#[test]
fn slice_indices_must_be_in_bounds() {
    let program = |index: u128| {
        move |b: &mut Build| {
            let array = b.array(U32, 3);
            let slice = b.of(Kind::Slice(U32));
            let x = b.new_local(array, Rvalue::Aggregate(array, 0, vec![n(4), n(5), n(6)]));
            let thin = b.borrow(false, array, l(x));
            let wide = b.shared(slice);
            let s = b.new_local(wide, Rvalue::Unsize(copy(l(thin)), wide));
            let i = b.with(USIZE, index);
            b.record(at(d(s), i));
            let raw = b.of(Kind::Pointer { mutable: false, to: slice });
            let p = b.new_local(raw, Rvalue::AddressOf(false, d(s)));
            let length = b.new_local(USIZE, Rvalue::Length(copy(l(p))));
            b.record(l(length));
        }
    };
    outputs(&[6, 3], program(2));
    undefined(OutOfBounds, program(3));
}

#[test]
fn packed_fields_must_not_be_borrowed() {
    let program = |repr: Repr, raw: bool| {
        move |b: &mut Build| {
            let of = b.structure(repr, &[U8, U32]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 1), n(2)]));
            b.assign(f(l(x), 1), n(3));
            b.record(f(l(x), 1));
            if raw {
                b.raw(U32, f(l(x), 1));
            } else {
                b.borrow(false, U32, f(l(x), 1));
            }
        }
    };
    undefined(Misaligned, program(Repr::Packed, false));
    outputs(&[3], program(Repr::Packed, true));
    outputs(&[3], program(Repr::C, false));
    outputs(&[3], program(Repr::Rust, false));
}

#[test]
fn cast_pointers_must_be_aligned() {
    let program = |align: u64, repr_index: u128| {
        move |b: &mut Build| {
            let bytes = b.array(U8, 8);
            let of = b.structure(Repr::Align(align), &[bytes]);
            let x = b.local(of);
            b.set(f(l(x), 0), Rvalue::Repeat(k(U8, 1), 8));
            let i = b.with(USIZE, repr_index);
            let p = b.raw(U8, at(f(l(x), 0), i));
            let to = b.pointer(U32);
            let q = b.new_local(to, Rvalue::PointerCast(copy(l(p)), to));
            b.record(d(q));
        }
    };
    outputs(&[0x0101_0101], program(4, 4));
    undefined(Misaligned, program(2, 4));
    undefined(Misaligned, program(4, 2));
    undefined(OutOfBounds, program(8, 5));
}

#[test]
fn bytes_can_be_accessed_only_if_the_layout_is_fixed() {
    let program = |repr: Repr| {
        move |b: &mut Build| {
            let of = b.structure(repr, &[U8, U8]);
            let bytes = b.array(U8, 2);
            let parts = vec![k(U8, 1), k(U8, 2)];
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, parts));
            let y = b.new_local(bytes, Rvalue::Transmute(copy(l(x)), bytes));
            let i = b.with(USIZE, 1);
            b.record(at(l(y), i));
            let p = b.raw(of, l(x));
            let to = b.pointer(U8);
            let q = b.new_local(to, Rvalue::Cast(copy(l(p)), to));
            b.record(d(q));
        }
    };
    outputs(&[2, 1], program(Repr::C));
    undefined(Layout, program(Repr::Rust));
    undefined(Layout, |b| {
        let of = b.tuple(&[U8, U8]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 1), k(U8, 2)]));
        let p = b.raw(of, l(x));
        let to = b.pointer(U8);
        b.new_local(to, Rvalue::Cast(copy(l(p)), to));
    });
}

#[test]
fn typed_copies_leave_padding_uninitialised() {
    // A copy of bytes keeps the padding, a typed copy does not.
    let program = |whole: bool| {
        move |b: &mut Build| {
            let of = b.structure(Repr::C, &[U8, U32]);
            let (x, y) = (b.local(of), b.local(of));
            let p = b.raw(of, l(x));
            b.intrinsic(Intrinsic::WriteBytes, vec![copy(l(p)), k(U8, 3), k(USIZE, 1)], l(0));
            let q = b.raw(of, l(y));
            if whole {
                b.assign(l(y), copy(l(x)));
            } else {
                let constant = b.of(Kind::Pointer { mutable: false, to: of });
                let p = b.new_local(constant, Rvalue::Cast(copy(l(p)), constant));
                let arguments = vec![copy(l(p)), copy(l(q)), k(USIZE, 1)];
                b.intrinsic(Intrinsic::CopyNonoverlapping, arguments, l(0));
            }
            let bytes = b.pointer(U8);
            let r = b.new_local(bytes, Rvalue::Cast(copy(l(q)), bytes));
            b.set(l(r), Rvalue::Offset(copy(l(r)), k(USIZE, 1)));
            b.record(d(r));
        }
    };
    undefined(Uninitialised, program(true));
    outputs(&[3], program(false));
    undefined(Uninitialised, |b| {
        let of = b.structure(Repr::C, &[U8, U32]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 1), n(2)]));
        b.new_local(Types::U64, Rvalue::Transmute(copy(l(x)), Types::U64));
    });
}

#[test]
fn sources_and_destinations_must_not_overlap() {
    let program = |same: bool| {
        move |b: &mut Build| {
            let of = b.tuple(&[U32, U32]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2)]));
            let y = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(3), n(4)]));
            let from = if same { x } else { y };
            let parts = vec![copy(f(l(from), 1)), copy(f(l(from), 0))];
            b.set(l(x), Rvalue::Aggregate(of, 0, parts));
            b.record(f(l(x), 0));
        }
    };
    undefined(Overlap, program(true));
    outputs(&[4], program(false));
    // A copy to itself.
    undefined(Overlap, |b| {
        let of = b.tuple(&[U32]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1)]));
        b.assign(l(x), copy(l(x)));
    });
    // Copies of scalars must not overlap either. Operands of operators may.
    undefined(Overlap, |b| {
        let x = b.with(U32, 5);
        b.assign(l(x), copy(l(x)));
    });
    outputs(&[6], |b| {
        let x = b.with(U32, 5);
        b.set(l(x), Rvalue::Binary(Operator::Add, copy(l(x)), n(1)));
        b.record(l(x));
    });
    let ways: [fn(Operand) -> Rvalue; 3] = [
        Rvalue::Use,
        |from| Rvalue::Cast(from, Types::U32),
        |from| Rvalue::Transmute(from, Types::U32),
    ];
    for (way, from) in ways.into_iter().zip([Types::U32, Types::I32, Types::I32]) {
        let program = |same: bool| {
            move |b: &mut Build| {
                let (x, y) = (b.with(from, 5), b.with(Types::U32, 6));
                let other = if same { x } else { y };
                let p = b.raw(if same { from } else { Types::U32 }, l(other));
                let to = b.pointer(Types::U32);
                let p = b.new_local(to, Rvalue::PointerCast(copy(l(p)), to));
                b.set(d(p), way(copy(l(x))));
                b.record(d(p));
            }
        };
        undefined(Overlap, program(true));
        outputs(&[5], program(false));
    }
    // Through pointers, too.
    let program = |which: Intrinsic| {
        move |b: &mut Build| {
            let of = b.array(U8, 4);
            let parts = (1..=4).map(|byte| k(U8, byte)).collect();
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, parts));
            let (i, j) = (b.with(USIZE, 0), b.with(USIZE, 1));
            let constant = b.of(Kind::Pointer { mutable: false, to: U8 });
            let p = b.new_local(constant, Rvalue::AddressOf(false, at(l(x), i)));
            let q = b.raw(U8, at(l(x), j));
            b.intrinsic(which, vec![copy(l(p)), copy(l(q)), k(USIZE, 3)], l(0));
            let i = b.with(USIZE, 3);
            b.record(at(l(x), i));
        }
    };
    undefined(Overlap, program(Intrinsic::CopyNonoverlapping));
    outputs(&[3], program(Intrinsic::CopyOverlapping));
}

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

#[test]
fn swaps_must_not_overlap_and_compared_bytes_must_be_initialised() {
    outputs(&[2, 1], |b| {
        let (x, y) = (b.with(U32, 1), b.with(U32, 2));
        let (p, q) = (b.raw(U32, l(x)), b.raw(U32, l(y)));
        b.intrinsic(Intrinsic::TypedSwap, vec![copy(l(p)), copy(l(q))], l(0));
        b.record(l(x));
        b.record(l(y));
    });
    undefined(Overlap, |b| {
        let x = b.with(U32, 1);
        let p = b.raw(U32, l(x));
        b.intrinsic(Intrinsic::TypedSwap, vec![copy(l(p)), copy(l(p))], l(0));
    });
    let program = |set: bool| {
        move |b: &mut Build| {
            let of = b.array(U8, 2);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 1), k(U8, 200)]));
            let y = b.local(of);
            let (i, j) = (b.with(USIZE, 0), b.with(USIZE, 1));
            b.assign(at(l(y), i), k(U8, 1));
            if set {
                b.assign(at(l(y), j), k(U8, 3));
            }
            let constant = b.of(Kind::Pointer { mutable: false, to: U8 });
            let p = b.new_local(constant, Rvalue::AddressOf(false, at(l(x), i)));
            let q = b.new_local(constant, Rvalue::AddressOf(false, at(l(y), i)));
            let sign = b.local(Types::I32);
            b.intrinsic(
                Intrinsic::CompareBytes,
                vec![copy(l(q)), copy(l(p)), k(USIZE, 2)],
                l(sign),
            );
            b.record(l(sign));
        }
    };
    outputs(&[u64::MAX], program(true));
    undefined(Uninitialised, program(false));
}

#[test]
fn only_mutable_statics_can_be_written() {
    let program = |mutable: bool| {
        move |b: &mut Build| {
            let of = b.tuple(&[U8, U32]);
            b.program.statics.push(Static { mutable, of, value: vec![1, 2] });
            let kind = if mutable { b.pointer(of) } else { b.shared(of) };
            let p = b.new_local(kind, Rvalue::Static(0));
            let q = b.raw(U32, f(d(p), 1));
            b.record(d(q));
            b.assign(d(q), n(3));
            let p = b.new_local(kind, Rvalue::Static(0));
            b.record(f(d(p), 1));
        }
    };
    outputs(&[2, 3], program(true));
    undefined(Borrow, program(false));
}

#[test]
fn unused_borrows_are_pruned_in_loops() {
    outputs(&[200], |b| {
        let x = b.with(U32, 0);
        let more = b.local(Types::BOOL);
        let of = b.unique(U32);
        let r = b.local(of);
        b.end(Terminator::Goto);
        b.set(l(r), Rvalue::Reference(true, l(x)));
        b.set(d(r), Rvalue::Binary(Operator::Add, copy(d(r)), n(1)));
        b.set(l(more), Rvalue::Binary(Operator::Lt, copy(l(x)), n(200)));
        b.end(|next| Terminator::Switch { on: take(l(more)), arms: vec![(1, 1)], otherwise: next });
        b.record(l(x));
    });
}
