//! Undefined behaviour: each test has arguments for which a function is undefined, and others for which it is not.

use super::*;

/// A function of one number that is undefined for some and fine for others.
fn check(text: &str, undefined: &[Lane], fine: &[Lane]) {
    for argument in undefined {
        assert!(is_undefined(text, std::slice::from_ref(argument)), "{text} of {argument:?}");
    }
    for argument in fine {
        assert!(!is_undefined(text, std::slice::from_ref(argument)), "{text} of {argument:?}");
    }
}

#[test]
fn divisors_must_be_neither_zero_nor_poison() {
    for op in ["udiv", "sdiv", "urem", "srem"] {
        let text = format!("define i8 @f(i8 %x) {{\n %r = {op} i8 7, %x\n ret i8 %r\n}}");
        check(&text, &[n(0), P, U], &[n(1), n(255)]);
        let vector = format!(
            "define <2 x i8> @f(i8 %x) {{\n %v = insertelement <2 x i8> <i8 1, i8 1>, i8 %x, i32 1\n \
             %r = {op} <2 x i8> <i8 7, i8 7>, %v\n ret <2 x i8> %r\n}}"
        );
        check(&vector, &[n(0), P], &[n(3)]);
    }
    let overflow = "define i8 @f(i8 %x) {\n %r = sdiv i8 %x, -1\n ret i8 %r\n}";
    check(overflow, &[n(128), P], &[n(127), n(0)]);
}

#[test]
fn branches_depend_on_defined_conditions() {
    let branch =
        "define i8 @f(i1 %c) {\n br i1 %c, label %a, label %b\na:\n ret i8 1\nb:\n ret i8 2\n}";
    check(branch, &[P, U], &[n(0), n(1)]);
    let switch = "define i8 @f(i8 %x) {\n switch i8 %x, label %a [ i8 3, label %b ]\na:\n ret i8 1\nb:\n ret i8 2\n}";
    check(switch, &[P, U], &[n(3), n(4)]);
    let derived = "define i8 @f(i8 %x) {\n %c = icmp eq i8 %x, 0\n br i1 %c, label %a, label %b\na:\n ret i8 1\nb:\n ret i8 2\n}";
    check(derived, &[P, U], &[n(0), n(1)]);
    // The condition is the same for every value of undef.
    let constant = "define i8 @f(i8 %x) {\n %m = and i8 %x, 1\n %c = icmp ult i8 %m, 2\n br i1 %c, label %a, label %b\na:\n ret i8 1\nb:\n ret i8 2\n}";
    check(constant, &[P], &[U, n(1)]);
}

#[test]
fn unreachable_code_is_not_reached() {
    let text =
        "define i8 @f(i1 %c) {\n br i1 %c, label %a, label %b\na:\n unreachable\nb:\n ret i8 2\n}";
    check(text, &[n(1)], &[n(0)]);
}

#[test]
fn assumptions_hold() {
    let text = "define i8 @f(i1 %c) {\n call void @llvm.assume(i1 %c)\n ret i8 2\n}\ndeclare void @llvm.assume(i1)";
    check(text, &[n(0), P, U], &[n(1)]);
    let bundle = |bundle: &str| {
        format!(
            "define i8 @f(ptr %p) {{\n call void @llvm.assume(i1 true) [ {bundle} ]\n ret i8 2\n}}\n\
             declare void @llvm.assume(i1)"
        )
    };
    check(&bundle("\"align\"(ptr %p, i64 8)"), &[block(0, 4)], &[block(0, 8)]);
    check(&bundle("\"align\"(ptr %p, i64 123)"), &[block(0, 8)], &[NULL]);
    check(&bundle("\"nonnull\"(ptr %p)"), &[NULL], &[block(0, 8)]);
    check(&bundle("\"noundef\"(ptr %p)"), &[P, U], &[block(0, 8), NULL]);
    check(&bundle("\"dereferenceable\"(ptr %p, i64 8)"), &[NULL, block(0, 12)], &[block(0, 8)]);
}

#[test]
fn parameters_keep_their_promises() {
    let with =
        |attribute: &str, ty: &str| format!("define i8 @f({ty} {attribute} %x) {{\n ret i8 2\n}}");
    check(&with("noundef", "i8"), &[P, U], &[n(0)]);
    check(&with("noundef range(i8 1, 4)", "i8"), &[n(0), n(4)], &[n(1), n(3)]);
    check(&with("noundef nonnull", "ptr"), &[NULL], &[block(0, 0)]);
    check(&with("nonnull", "ptr"), &[], &[NULL, P]);
    check(&with("noundef align 8", "ptr"), &[block(0, 4)], &[block(0, 8)]);
    check(&with("dereferenceable(8)", "ptr"), &[NULL, block(0, 9), P], &[block(0, 8)]);
    check(&with("dereferenceable_or_null(8)", "ptr"), &[block(0, 9)], &[NULL, block(0, 8)]);
    // A misaligned pointer is poison, which is not dereferenceable.
    check(&with("align 8 dereferenceable(1)", "ptr"), &[block(0, 4)], &[block(0, 8)]);
}

#[test]
fn results_keep_their_promises() {
    let text = "define noundef i8 @f(i8 %x) {\n ret i8 %x\n}";
    check(text, &[P, U], &[n(0)]);
    let noreturn = "define i8 @f(i8 %x) noreturn {\n ret i8 %x\n}";
    check(noreturn, &[n(1)], &[]);
}
