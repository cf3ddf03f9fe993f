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

#[test]
fn the_size_of_a_local_variable_is_a_number() {
    let text = "define i8 @f(i8 %x) {\n %p = alloca i8, i8 %x\n store i8 1, ptr %p\n ret i8 1\n}";
    check(text, &[P], &[n(1), n(8)]);
}

#[test]
fn memory_outside_of_its_lifetime_is_not_modelled() {
    let with = |between: &str| {
        format!(
            "declare void @llvm.lifetime.start.p0(i64, ptr)\ndeclare void @llvm.lifetime.end.p0(i64, ptr)\n\
             define i8 @f(i8 %x) {{\n %p = alloca i8\n call void @llvm.lifetime.start.p0(i64 1, ptr %p)\n \
             store i8 %x, ptr %p\n {between}\n %r = load i8, ptr %p\n ret i8 %r\n}}"
        )
    };
    // A load may give anything there, a store is undefined: nothing is said about either.
    let ended = with("call void @llvm.lifetime.end.p0(i64 1, ptr %p)");
    assert!(matches!(run(&ended, &[n(1)]), Outcome::Unsupported(_)));
    assert_eq!(lane(&with(""), &[n(1)]), n(1));
}

#[test]
fn lengths_and_masks_are_no_poison() {
    let fill = "declare void @llvm.memset.p0.i8(ptr, i8, i8, i1)\ndefine i8 @f(i8 %x) {\n %p = alloca [8 x i8]\n \
                call void @llvm.memset.p0.i8(ptr %p, i8 1, i8 %x, i1 false)\n ret i8 1\n}";
    // One byte more than there is.
    check(fill, &[P, n(9)], &[n(0), n(8)]);
    let masked = "declare void @llvm.masked.store.v2i8.p0(<2 x i8>, ptr, i32, <2 x i1>)\n\
                  define i8 @f(i1 %x) {\n %p = alloca <2 x i8>\n \
                  %m = insertelement <2 x i1> <i1 true, i1 true>, i1 %x, i64 1\n \
                  call void @llvm.masked.store.v2i8.p0(<2 x i8> <i8 1, i8 2>, ptr %p, i32 1, <2 x i1> %m)\n \
                  ret i8 1\n}";
    check(masked, &[P], &[n(0), n(1)]);
}

#[test]
fn only_functions_are_called() {
    let text = "define i8 @f(i1 %x) {\n %p = alloca i8\n %g = select i1 %x, ptr %p, ptr @g\n \
                %r = call i8 %g()\n ret i8 %r\n}\ndeclare i8 @g()";
    check(text, &[n(1), P], &[n(0)]);
    let named = "define i8 @f(i1 %x) {\n %c = select i1 %x, ptr @h, ptr @g\n \
                 %r = call i8 %c(), !callees !{ptr @g}\n ret i8 %r\n}\ndeclare i8 @g()\ndeclare i8 @h()";
    check(named, &[n(1)], &[n(0)]);
}

#[test]
fn what_never_returns_does_not_return() {
    let with = |call: &str| {
        format!(
            "define i8 @f(i8 %x) {{\n call void @g() {call}\n ret i8 %x\n}}\ndefine void @g() {{\n ret void\n}}"
        )
    };
    check(&with("noreturn"), &[n(1)], &[]);
    check(&with(""), &[], &[n(1)]);
    let function = |attribute: &str| format!("define i8 @f(i8 %x) {attribute} {{\n ret i8 %x\n}}");
    check(&function(""), &[], &[n(1)]);
    check(&function("noreturn"), &[n(1)], &[]);
}

#[test]
fn results_and_arguments_of_calls_keep_their_promises() {
    let with = |call: &str, callee: &str| {
        format!(
            "define i8 @f(i8 %x) {{\n %r = call {call} @g(i8 {callee} %x)\n ret i8 1\n}}\n\
             define i8 @g(i8 %y) {{\n ret i8 %y\n}}"
        )
    };
    check(&with("noundef i8", ""), &[P, U], &[n(0)]);
    check(&with("i8", "noundef"), &[P, U], &[n(0)]);
    check(&with("noundef range(i8 1, 3) i8", ""), &[n(3)], &[n(1)]);
    check(&with("i8", ""), &[], &[P, n(3)]);
}
