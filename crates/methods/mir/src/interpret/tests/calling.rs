//! Calls, panics, drops and generic functions.

use super::*;

#[test]
fn moved_arguments_must_not_overlap() {
    let pass = |given: fn(Local) -> Vec<Operand>| {
        move |b: &mut Build| {
            let function = b.idle(&[U32, U32]);
            let x = b.with(U32, 1);
            b.call_function(function, given(x), l(0));
            b.record(l(x));
        }
    };
    undefined(Overlap, pass(|x| vec![take(l(x)), take(l(x))]));
    undefined(Overlap, pass(|x| vec![take(l(x)), copy(l(x))]));
    undefined(Uninitialised, pass(|x| vec![take(l(x)), n(1)]));
    outputs(&[1], pass(|x| vec![copy(l(x)), copy(l(x))]));
    // An argument that is also the destination.
    let program = |moved: bool| {
        move |b: &mut Build| {
            let function = b.function(U32, &[U32], |b| b.assign(l(0), copy(l(1))));
            let x = b.with(U32, 1);
            let argument = if moved { take(l(x)) } else { copy(l(x)) };
            b.call_function(function, vec![argument], l(x));
            b.record(l(x));
        }
    };
    undefined(Overlap, program(true));
    outputs(&[1], program(false));
}

#[test]
fn a_callee_must_not_access_its_destination_or_moved_arguments() {
    let program = |into: bool, moved: bool| {
        move |b: &mut Build| {
            let pointer = b.pointer(U32);
            let function = b.function(U32, &[pointer, U32], |b| b.assign(l(0), copy(d(1))));
            let x = b.with(U32, 1);
            let p = b.raw(U32, l(x));
            let y = b.local(U32);
            let argument = if moved { take(l(x)) } else { copy(l(x)) };
            let to = l(if into { x } else { y });
            b.call_function(function, vec![copy(l(p)), argument], to.clone());
            b.record(to);
        }
    };
    undefined(Protected, program(true, false));
    undefined(Protected, program(false, true));
    outputs(&[1], program(false, false));
}

#[test]
fn function_pointers_must_have_the_right_signature() {
    let program = |right: bool| {
        move |b: &mut Build| {
            let one = b.function(U32, &[], |b| b.assign(l(0), n(4)));
            let other = b.function(U8, &[], |b| b.assign(l(0), k(U8, 4)));
            let of = b.of(Kind::Function { parameters: vec![], returns: U32 });
            let function = if right { one } else { other };
            let p = b.new_local(of, Rvalue::Use(Operand::Function(function, of)));
            let x = b.local(U32);
            b.call(Callee::Pointer(l(p)), vec![], l(x));
            b.record(l(x));
        }
    };
    outputs(&[4], program(true));
    undefined(Signature, program(false));
}

#[test]
fn panics_unwind_to_cleanup_blocks_and_catch_unwind() {
    let program = |unwind: Unwind, caught: bool| {
        move |b: &mut Build| {
            let raising = b.function(UNIT, &[], |b| {
                let unit = b.local(UNIT);
                b.call(Callee::Raise, vec![], l(unit));
            });
            let between = b.function(UNIT, &[], |b| {
                let x = b.with(U32, 7);
                let unit = b.local(UNIT);
                b.call_or(Callee::Function(raising, vec![]), vec![], l(unit), unwind);
                b.end(|_| Terminator::Return);
                b.cleanup();
                b.record(l(x));
            });
            let flag = b.local(Types::BOOL);
            if caught {
                b.call(Callee::Catch(between), vec![], l(flag));
                b.record(l(flag));
            } else {
                b.call_function(between, vec![], l(0));
            }
        }
    };
    outputs(&[1], program(Unwind::Continue, true));
    outputs(&[7, 1], program(Unwind::Cleanup(2), true));
    undefined(Panic, program(Unwind::Continue, false));
    undefined(Panic, program(Unwind::Unreachable, true));
    undefined(Panic, program(Unwind::Terminate(Reason::Abi), true));
    outputs(&[0], |b| {
        let calm = b.idle(&[]);
        let flag = b.local(Types::BOOL);
        b.call(Callee::Catch(calm), vec![], l(flag));
        b.record(l(flag));
    });
    // The destination of a call that panicked is uninitialised.
    undefined(Uninitialised, |b| {
        let raising = b.function(U32, &[], |b| {
            let unit = b.local(UNIT);
            b.assign(l(0), n(1));
            b.call(Callee::Raise, vec![], l(unit));
        });
        let outer = b.function(UNIT, &[], |b| {
            let x = b.with(U32, 7);
            let callee = Callee::Function(raising, vec![]);
            b.call_or(callee, vec![], l(x), Unwind::Cleanup(2));
            b.end(|_| Terminator::Return);
            b.cleanup();
            b.record(l(x));
        });
        let flag = b.local(Types::BOOL);
        b.call(Callee::Catch(outer), vec![], l(flag));
    });
}

#[test]
fn cleanup_blocks_can_call_switch_and_abort() {
    let program = |bits: u128| {
        move |b: &mut Build| {
            let raising = b.function(UNIT, &[], |b| {
                let unit = b.local(UNIT);
                b.call(Callee::Raise, vec![], l(unit));
            });
            let twice = b.function(U32, &[U32], |b| {
                b.set(l(0), Rvalue::Binary(Operator::Add, copy(l(1)), copy(l(1))));
            });
            let outer = b.function(UNIT, &[U32], |b| {
                let (unit, x) = (b.local(UNIT), b.local(U32));
                b.call_or(Callee::Function(raising, vec![]), vec![], l(unit), Unwind::Cleanup(2));
                b.end(|_| Terminator::Return);
                b.cleanup();
                let unwind = Unwind::Terminate(Reason::InCleanup);
                b.call_or(Callee::Function(twice, vec![]), vec![copy(l(1))], l(x), unwind);
                b.record(l(x));
                b.end(|_| Terminator::Switch { on: copy(l(1)), arms: vec![(7, 5)], otherwise: 6 });
                b.end(|_| Terminator::Resume);
                b.end(|_| Terminator::Terminate(Reason::Abi));
            });
            let flag = b.local(Types::BOOL);
            b.call(Callee::Catch(outer), vec![n(bits)], l(flag));
            b.record(l(flag));
        }
    };
    outputs(&[14, 1], program(7));
    undefined(Panic, program(8));
}

#[test]
fn tail_calls_can_be_indirect_or_generic() {
    let program = |of: TypeId, generic: bool| {
        move |b: &mut Build| {
            let t = b.of(Kind::Parameter(0));
            let same = b.generic(1, t, &[t], |b| b.assign(l(0), copy(l(1))));
            let more = b.function(U32, &[U32], |b| {
                b.set(l(0), Rvalue::Binary(Operator::Add, copy(l(1)), n(1)));
            });
            let pointer = b.of(Kind::Function { parameters: vec![U32], returns: U32 });
            let first = b.function(U32, &[U32], |b| {
                let p = b.local(pointer);
                b.set(l(p), Rvalue::Use(Operand::Function(more, pointer)));
                let arguments = vec![copy(l(1))];
                let callee =
                    if generic { Callee::Function(same, vec![of]) } else { Callee::Pointer(l(p)) };
                b.end(|_| Terminator::TailCall { callee, arguments });
            });
            let x = b.local(U32);
            b.call_function(first, vec![n(3)], l(x));
            b.record(l(x));
        }
    };
    outputs(&[4], program(U32, false));
    outputs(&[3], program(U32, true));
    undefined(IllFormed, program(U8, true));
}

#[test]
fn a_tail_call_frees_the_callers_locals() {
    let program = |own: bool| {
        move |b: &mut Build| {
            let pointer = b.pointer(U32);
            let last = b.function(U32, &[pointer], |b| b.assign(l(0), copy(d(1))));
            let first = b.function(U32, &[pointer], |b| {
                let x = b.with(U32, 9);
                let p = if own { b.raw(U32, l(x)) } else { 1 };
                let arguments = vec![copy(l(p))];
                b.end(|_| Terminator::TailCall {
                    callee: Callee::Function(last, vec![]),
                    arguments,
                });
            });
            let (x, y) = (b.with(U32, 3), b.local(U32));
            let p = b.raw(U32, l(x));
            b.call_function(first, vec![copy(l(p))], l(y));
            b.record(l(y));
        }
    };
    undefined(Dangling, program(true));
    outputs(&[3], program(false));
}

#[test]
fn whether_a_function_panics_can_depend_on_its_argument() {
    let program = |given: u128, caught: bool| {
        move |b: &mut Build| {
            let may_panic = b.function(U32, &[U32], |b| {
                let unit = b.local(UNIT);
                b.end(|_| Terminator::Switch { on: copy(l(1)), arms: vec![(0, 1)], otherwise: 3 });
                b.call(Callee::Raise, vec![], l(unit));
                b.end(|_| Terminator::Unreachable);
                b.assign(l(0), copy(l(1)));
            });
            if caught {
                let flag = b.local(Types::BOOL);
                b.call(Callee::Catch(may_panic), vec![n(given)], l(flag));
                b.record(l(flag));
            } else {
                let x = b.local(U32);
                b.call_or(
                    Callee::Function(may_panic, vec![]),
                    vec![n(given)],
                    l(x),
                    Unwind::Unreachable,
                );
                b.record(l(x));
            }
        }
    };
    outputs(&[5], program(5, false));
    undefined(Panic, program(0, false));
    outputs(&[0], program(5, true));
    outputs(&[1], program(0, true));
}

/// Writes before the panic and in the cleanup block stay visible, and the cleanup block can drop locals.
#[test]
fn effects_before_a_panic_and_in_cleanup_persist() {
    let program = |dropped: bool| {
        move |b: &mut Build| {
            let of = b.structure(Repr::Rust, &[U32]);
            let reference = b.unique(of);
            let destructor = b.function(UNIT, &[reference], |b| b.record(f(d(1), 0)));
            b.program.types.adts[0].destructor = Some(destructor);
            let pointer = b.pointer(U32);
            let raising = b.function(UNIT, &[pointer], |b| {
                let owned = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(4)]));
                let unit = b.local(UNIT);
                b.assign(d(1), n(2));
                b.call_or(Callee::Raise, vec![], l(unit), Unwind::Cleanup(2));
                b.end(|_| Terminator::Unreachable);
                b.cleanup();
                b.set(d(1), Rvalue::Binary(Operator::Add, copy(d(1)), n(1)));
                if dropped {
                    b.drop_place(l(owned));
                }
            });
            let (x, flag) = (b.with(U32, 1), b.local(Types::BOOL));
            let p = b.raw(U32, l(x));
            b.call(Callee::Catch(raising), vec![copy(l(p))], l(flag));
            b.record(l(x));
            b.record(l(flag));
        }
    };
    outputs(&[4, 3, 1], program(true));
    outputs(&[3, 1], program(false));
}

/// The caller sees a chain of tail calls as one call, also if the last callee panics.
#[test]
fn tail_calls_can_be_chained() {
    let program = |raises: bool| {
        move |b: &mut Build| {
            let last = b.function(U32, &[U32], |b| {
                if raises {
                    let unit = b.local(UNIT);
                    b.call(Callee::Raise, vec![], l(unit));
                } else {
                    b.set(l(0), Rvalue::Binary(Operator::Mul, copy(l(1)), n(10)));
                }
            });
            let middle = b.function(U32, &[U32], |b| {
                b.assign(l(0), n(99));
                b.set(l(1), Rvalue::Binary(Operator::Add, copy(l(1)), n(1)));
                let arguments = vec![take(l(1))];
                b.end(|_| Terminator::TailCall {
                    callee: Callee::Function(last, vec![]),
                    arguments,
                });
            });
            let first = b.function(U32, &[U32], |b| {
                b.record(l(1));
                let arguments = vec![copy(l(1))];
                b.end(|_| Terminator::TailCall {
                    callee: Callee::Function(middle, vec![]),
                    arguments,
                });
            });
            if raises {
                let flag = b.local(Types::BOOL);
                b.call(Callee::Catch(first), vec![n(3)], l(flag));
                b.record(l(flag));
            } else {
                let x = b.local(U32);
                b.call_function(first, vec![n(3)], l(x));
                b.record(l(x));
            }
        }
    };
    outputs(&[3, 40], program(false));
    outputs(&[3, 1], program(true));
}

#[test]
fn drop_runs_destructors_from_outside_to_inside() {
    // A struct whose destructor records its field.
    let recording = |b: &mut Build| {
        let of = b.structure(Repr::Rust, &[U32]);
        let reference = b.unique(of);
        let function = b.function(UNIT, &[reference], |b| b.record(f(d(1), 0)));
        b.program.types.adts[0].destructor = Some(function);
        of
    };
    let make = |b: &mut Build, of: TypeId, number: u128| {
        b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(number)]))
    };
    outputs(&[1, 2], |b| {
        let of = recording(b);
        let (x, y) = (make(b, of, 1), make(b, of, 2));
        let pair = b.tuple(&[of, U32, of]);
        let parts = vec![take(l(x)), n(0), take(l(y))];
        let z = b.new_local(pair, Rvalue::Aggregate(pair, 0, parts));
        b.drop_place(l(z));
    });
    undefined(Uninitialised, |b| {
        let of = recording(b);
        let x = make(b, of, 1);
        b.drop_place(l(x));
        b.drop_place(l(x));
    });
    outputs(&[4], |b| {
        let of = recording(b);
        let x = make(b, of, 4);
        let boxed = b.of(Kind::Heap(of));
        let y = b.local(boxed);
        b.call(Callee::NewBox, vec![take(l(x))], l(y));
        let choice = b.choice(Repr::Rust, &[&[U32], &[boxed]]);
        let z = b.new_local(choice, Rvalue::Aggregate(choice, 1, vec![take(l(y))]));
        b.drop_place(l(z));
    });
    // The outer destructor runs first.
    outputs(&[9, 1], |b| {
        let of = recording(b);
        let x = make(b, of, 1);
        let outer = b.structure(Repr::Rust, &[of]);
        let reference = b.unique(outer);
        let function = b.function(UNIT, &[reference], |b| {
            let nine = b.with(U32, 9);
            b.record(l(nine));
        });
        b.program.types.adts[1].destructor = Some(function);
        let y = b.new_local(outer, Rvalue::Aggregate(outer, 0, vec![take(l(x))]));
        b.drop_place(l(y));
    });
    // A drop without an effect.
    outputs(&[5], |b| {
        let x = b.with(U32, 5);
        b.drop_place(l(x));
        b.record(l(x));
    });
    // A destructor must not panic.
    undefined(Panic, |b| {
        let of = b.structure(Repr::Rust, &[U32]);
        let reference = b.unique(of);
        let function = b.function(UNIT, &[reference], |b| {
            let unit = b.local(UNIT);
            b.call(Callee::Raise, vec![], l(unit));
        });
        b.program.types.adts[0].destructor = Some(function);
        let x = make(b, of, 1);
        b.drop_place(l(x));
    });
}

#[test]
fn generic_functions_can_call_generic_functions() {
    outputs(&[5, 6, 5], |b| {
        let parameter = b.of(Kind::Parameter(0));
        let pair = b.tuple(&[parameter, parameter]);
        let twice = b.generic(1, pair, &[parameter], |b| {
            let parts = vec![copy(l(1)), copy(l(1))];
            b.set(l(0), Rvalue::Aggregate(pair, 0, parts));
        });
        let nested = b.of(Kind::Tuple(vec![pair, pair]));
        let again = b.generic(1, nested, &[parameter], |b| {
            let x = b.local(pair);
            b.call(Callee::Function(twice, vec![parameter]), vec![copy(l(1))], l(x));
            b.call(Callee::Function(twice, vec![pair]), vec![copy(l(x))], l(0));
        });
        let plain = b.tuple(&[U32, U32]);
        let bytes = b.tuple(&[U8, U8]);
        let (x, y) = (b.local(plain), b.local(bytes));
        b.call(Callee::Function(twice, vec![U32]), vec![n(5)], l(x));
        b.call(Callee::Function(twice, vec![U8]), vec![k(U8, 6)], l(y));
        b.record(f(l(x), 1));
        b.record(f(l(y), 1));
        let both = b.of(Kind::Tuple(vec![plain, plain]));
        let z = b.local(both);
        b.call(Callee::Function(again, vec![U32]), vec![n(5)], l(z));
        b.record(f(f(l(z), 1), 0));
    });
    undefined(IllFormed, |b| {
        let parameter = b.of(Kind::Parameter(0));
        let same = b.generic(1, parameter, &[parameter], |b| b.assign(l(0), copy(l(1))));
        let x = b.local(U32);
        b.call_function(same, vec![n(1)], l(x));
    });
}

#[test]
fn select_and_black_box_return_their_operands() {
    for (flag, expected) in [(1, 5), (0, 6)] {
        outputs(&[expected, expected], |b| {
            let of = b.tuple(&[U32]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(5)]));
            let y = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(6)]));
            let z = b.local(of);
            let given = vec![k(Types::BOOL, flag), copy(l(x)), take(l(y))];
            b.intrinsic(Intrinsic::Select, given, l(z));
            b.record(f(l(z), 0));
            let w = b.local(of);
            b.call(Callee::BlackBox, vec![take(l(z))], l(w));
            b.record(f(l(w), 0));
        });
    }
    undefined(Uninitialised, |b| {
        let (x, y) = (b.local(U32), b.local(U32));
        let given = vec![k(Types::BOOL, 1), n(1), copy(l(x))];
        b.intrinsic(Intrinsic::Select, given, l(y));
    });
}
