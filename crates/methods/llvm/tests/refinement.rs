//! Pairs of functions, right and wrong, judged by both oracles together: each wrong optimisation has a
//! neighbour that is right.

#![expect(clippy::unwrap_used, reason = "this is all test code")]

use llvm::check::{Checked, Effort, check};
use llvm::ir::Module;
use llvm::prove::Limits;

fn judged(source: &str, target: &str, effort: Effort) -> Checked {
    let (source, target) = (Module::parse(source).unwrap(), Module::parse(target).unwrap());
    check(&source, &target, "f", effort)
}

/// The bodies of a function with this header.
fn bodies(header: &str, source: &str, target: &str) -> Checked {
    let text = |body: &str| format!("define {header} {{\n{body}\n}}\n");
    judged(&text(source), &text(target), Effort::default())
}

#[track_caller]
fn is_right(header: &str, source: &str, target: &str) {
    assert_eq!(bodies(header, source, target), Checked::Proven);
}

#[track_caller]
fn is_wrong(header: &str, source: &str, target: &str) {
    let checked = bodies(header, source, target);
    assert!(matches!(checked, Checked::Fails(..)), "{checked:?}");
}

#[test]
fn no_wrap_flags_may_be_dropped_and_not_added() {
    let (with, without) = ("%r = add nsw i8 %a, %b\nret i8 %r", "%r = add i8 %a, %b\nret i8 %r");
    is_right("i8 @f(i8 %a, i8 %b)", with, without);
    is_wrong("i8 @f(i8 %a, i8 %b)", without, with);
}

#[test]
fn a_logical_and_is_not_a_bitwise_one() {
    let logical = "%r = select i1 %a, i1 %b, i1 false\nret i1 %r";
    let bitwise = "%r = and i1 %a, %b\nret i1 %r";
    is_right("i1 @f(i1 %a, i1 %b)", bitwise, logical);
    is_wrong("i1 @f(i1 %a, i1 %b)", logical, bitwise);
    // An argument that is not poison makes them equal.
    is_right("i1 @f(i1 %a, i1 noundef %b)", logical, bitwise);
}

#[test]
fn strength_reduction_of_signed_division_needs_a_sign() {
    is_right("i8 @f(i8 %a)", "%r = udiv i8 %a, 4\nret i8 %r", "%r = lshr i8 %a, 2\nret i8 %r");
    is_wrong("i8 @f(i8 %a)", "%r = sdiv i8 %a, 4\nret i8 %r", "%r = ashr i8 %a, 2\nret i8 %r");
    is_right(
        "i8 @f(i8 %a)",
        "%r = sdiv exact i8 %a, 4\nret i8 %r",
        "%r = ashr exact i8 %a, 2\nret i8 %r",
    );
}

#[test]
fn division_may_not_be_executed_where_it_was_not() {
    let guarded = "%c = icmp eq i4 %b, 0\nbr i1 %c, label %out, label %in\nin:\n\
                   %q = udiv i4 %a, %b\nbr label %out\nout:\n\
                   %r = phi i4 [ 0, %0 ], [ %q, %in ]\nret i4 %r";
    let hoisted = "%c = icmp eq i4 %b, 0\n%q = udiv i4 %a, %b\n\
                   %r = select i1 %c, i4 0, i4 %q\nret i4 %r";
    is_wrong("i4 @f(i4 noundef %a, i4 noundef %b)", guarded, hoisted);
    let safe = "%c = icmp eq i4 %b, 0\n%d = select i1 %c, i4 1, i4 %b\n%q = udiv i4 %a, %d\n\
                %r = select i1 %c, i4 0, i4 %q\nret i4 %r";
    is_right("i4 @f(i4 noundef %a, i4 noundef %b)", guarded, safe);
}

/// What llvm/llvm-project#112666 does: the negation gets a flag that it did not have.
#[test]
fn a_negated_select_of_a_negation_does_not_gain_nsw() {
    let source = "%n = sub i8 0, %x\n%s = select i1 %c, i8 %x, i8 %n\n%r = sub i8 0, %s\nret i8 %r";
    let target =
        |flag: &str| format!("%n = sub {flag}i8 0, %x\n%r = select i1 %c, i8 %n, i8 %x\nret i8 %r");
    is_wrong("i8 @f(i8 %x, i1 %c)", source, &target("nsw "));
    is_right("i8 @f(i8 %x, i1 %c)", source, &target(""));
}

/// What llvm/llvm-project#62401 does: `urem` by -1 becomes a comparison and a selection of one value, which
/// may be two if it is undef.
#[test]
fn an_undef_argument_must_not_be_used_twice() {
    let source = "define i4 @f(i4 %y) {\n%r = urem i4 %y, -1\nret i4 %r\n}\n";
    let twice = "define i4 @f(i4 %y) {\n%c = icmp eq i4 %y, -1\n\
                 %r = select i1 %c, i4 0, i4 %y\nret i4 %r\n}\n";
    let frozen = "define i4 @f(i4 %y) {\n%z = freeze i4 %y\n%c = icmp eq i4 %z, -1\n\
                  %r = select i1 %c, i4 0, i4 %z\nret i4 %r\n}\n";
    let undef = Effort {
        limits: Limits { undef_arguments: true, ..Limits::default() },
        ..Effort::default()
    };
    let checked = judged(source, twice, undef);
    assert!(matches!(checked, Checked::Fails(..)), "{checked:?}");
    assert_eq!(judged(source, frozen, undef), Checked::Proven);
    assert_eq!(judged(source, twice, Effort::default()), Checked::Proven);
}

/// What llvm/llvm-project#62200 does: `sdiv` becomes `udiv` because of a condition on another use.
#[test]
fn a_condition_on_one_use_of_an_undef_argument_says_nothing_about_another() {
    let source = "define i8 @f(i8 %h) {\n%d = sdiv i8 %h, 2\n%t = icmp sgt i8 %d, 1\n\
                  %r = select i1 %t, i8 %d, i8 1\nret i8 %r\n}\n";
    let target = "define i8 @f(i8 %h) {\n%d = udiv i8 %h, 2\n%t = icmp sgt i8 %h, 3\n\
                  %r = select i1 %t, i8 %d, i8 1\nret i8 %r\n}\n";
    let undef = Effort {
        limits: Limits { undef_arguments: true, ..Limits::default() },
        ..Effort::default()
    };
    let checked = judged(source, target, undef);
    assert!(matches!(checked, Checked::Fails(..)), "{checked:?}");
    assert_eq!(judged(source, target, Effort::default()), Checked::Proven);
}

#[test]
fn calls_of_unknown_functions_stay_in_order() {
    let text = |body: &str| {
        format!("declare void @g(i8)\ndefine void @f(i8 %a, i8 %b) {{\n{body}ret void\n}}\n")
    };
    let calls = |first: &str, second: &str| {
        text(&format!("call void @g(i8 %{first})\ncall void @g(i8 %{second})\n"))
    };
    let (source, swapped) = (calls("a", "b"), calls("b", "a"));
    let dropped = text("call void @g(i8 %a)\n");
    let again = text("%c = add i8 %a, 0\ncall void @g(i8 %c)\ncall void @g(i8 %b)\n");
    let effort = Effort::default();
    assert!(matches!(judged(&source, &swapped, effort), Checked::Fails(..)));
    assert!(matches!(judged(&source, &dropped, effort), Checked::Fails(..)));
    assert_eq!(judged(&again, &source, effort), Checked::Proven);
}

#[test]
fn a_store_may_not_be_lost() {
    let text = |body: &str| format!("define i8 @f(ptr %p) {{\n{body}ret i8 1\n}}\n");
    let twice = text("store i8 1, ptr %p\nstore i8 2, ptr %p\n");
    let effort = Effort::default();
    assert_eq!(judged(&twice, &text("store i8 2, ptr %p\n"), effort), Checked::Proven);
    for wrong in ["store i8 1, ptr %p\n", ""] {
        let checked = judged(&twice, &text(wrong), effort);
        assert!(matches!(checked, Checked::Fails(..)), "{checked:?}");
    }
}

/// What llvm/llvm-project#140481 does: products with large constants are decided as if they could not be
/// negative.
#[test]
fn a_product_with_a_large_constant_may_be_negative() {
    let source = "%a = mul nsw i8 %x, 100\n%r = icmp sge i8 %a, %x\nret i1 %r";
    is_wrong("i1 @f(i8 %x)", source, "ret i1 true");
    is_right("i1 @f(i8 %x)", source, "%r = icmp sgt i8 %x, -1\nret i1 %r");
}

/// What llvm/llvm-project#115575 does: an insertion beyond the length makes the vector poison, and the division
/// of all lanes undefined.
#[test]
fn a_lane_beyond_the_length_must_not_reach_a_division() {
    let source = "%s = insertelement <2 x i8> <i8 4, i8 8>, i8 %a, i64 0\n\
                  %e = extractelement <2 x i8> %s, i64 0\n%r = sdiv i8 42, %e\nret i8 %r";
    let beyond = "%s = insertelement <2 x i8> <i8 4, i8 8>, i8 %a, i64 2\n\
                  %d = sdiv <2 x i8> <i8 42, i8 42>, %s\n%r = extractelement <2 x i8> %d, i64 0\n\
                  ret i8 %r";
    let within = "%s = insertelement <2 x i8> <i8 4, i8 8>, i8 %a, i64 0\n\
                  %d = sdiv <2 x i8> <i8 42, i8 42>, %s\n%r = extractelement <2 x i8> %d, i64 0\n\
                  ret i8 %r";
    is_wrong("i8 @f(i8 noundef %a)", source, beyond);
    is_right("i8 @f(i8 noundef %a)", source, within);
}

/// An address is computed from a difference of addresses without `exact`: instsimplify of LLVM 22 and 23.
#[test]
fn a_rounded_difference_of_addresses_is_not_the_difference() {
    let source = |flag: &str| {
        format!(
            "%q = getelementptr i8, ptr %p, i64 %x\n%a = ptrtoint ptr %q to i64\n\
             %b = ptrtoint ptr %p to i64\n%d = sub i64 %a, %b\n%s = ashr {flag}i64 %d, 1\n\
             %r = getelementptr i16, ptr %p, i64 %s\nret ptr %r"
        )
    };
    let target = "%q = getelementptr i8, ptr %p, i64 %x\nret ptr %q";
    is_right("ptr @f(ptr %p, i64 %x)", &source("exact "), target);
    is_wrong("ptr @f(ptr %p, i64 %x)", &source(""), target);
}

/// A callee may promise to return an argument in another type of the same size. Neither oracle has a model of it.
#[test]
fn a_returned_argument_of_another_type_is_unknown() {
    let text = |result: &str| {
        format!(
            "declare <4 x i8> @g(<2 x i16> returned)\n\ndefine <4 x i1> @f(<2 x i16> %a) {{\n\
             %x = call <4 x i8> @g(<2 x i16> %a)\n%c = icmp slt <4 x i8> %x, zeroinitializer\n\
             ret <4 x i1> {result}\n}}\n"
        )
    };
    let checked = judged(&text("%c"), &text("zeroinitializer"), Effort::default());
    assert!(matches!(checked, Checked::Unknown(_)), "{checked:?}");
}

/// A hunt ended here: the prover took the argument for one of the callee's type.
#[test]
fn a_call_with_arguments_of_other_types_is_unknown() {
    let text = |result: &str| {
        format!(
            "define void @g(i32 %x, ptr %p) {{\n  store i32 %x, ptr %p, align 4\n  ret void\n}}\n\
             define i8 @f(i8 %x, ptr %p) {{\n  call void @g(i8 %x, ptr %p)\n  ret i8 {result}\n}}\n"
        )
    };
    let checked = judged(&text("%x"), &text("0"), Effort::default());
    assert!(matches!(checked, Checked::Unknown(_)), "{checked:?}");
}

/// A false alarm of a hunt: the callee promises the alignment that its argument names.
#[test]
fn a_promise_of_allocalign_is_unknown() {
    let text = |align: &str| {
        format!(
            "@g = global i8 0, align 1\n\
             define ptr @h(i32 allocalign %a) {{\n  ret ptr @g\n}}\n\
             define ptr @f() {{\n  %r = call {align} ptr @h(i32 512)\n  ret ptr %r\n}}\n"
        )
    };
    let checked = judged(&text(""), &text("align 512"), Effort::default());
    assert!(matches!(checked, Checked::Unknown(_)), "{checked:?}");
}
