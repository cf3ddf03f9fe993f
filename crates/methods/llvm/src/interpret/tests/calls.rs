use super::*;

fn events(text: &str, arguments: &[Lane]) -> Vec<String> {
    match run(text, arguments) {
        Outcome::Returned { events, .. } | Outcome::Ends { events, .. } => {
            events.iter().map(|event| event.name.to_string()).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_calls_with_effects_are_events() {
    let with = |attributes: &str| {
        format!(
            "define i8 @f(i8 %x) {{\n %r = call i8 @g(i8 %x)\n ret i8 %r\n}}\ndeclare i8 @g(i8) {attributes}"
        )
    };
    assert_eq!(events(&with(""), &[n(1)]), ["g"]);
    assert_eq!(events(&with("memory(none)"), &[n(1)]), [""; 0]);
    assert_eq!(events(&with("readonly"), &[n(1)]), [""; 0]);
    assert_eq!(events(&with("memory(inaccessiblemem: write)"), &[n(1)]), ["g"]);
    assert_eq!(lane(&with("memory(none)"), &[n(1)]), lane(&with("memory(none)"), &[n(1)]));
}

#[test]
fn answers_keep_the_promises_of_the_callee() {
    let text = "define i8 @f(i8 %x) {\n %r = call noundef range(i8 3, 5) i8 @g(i8 %x)\n ret i8 %r\n}\ndeclare i8 @g(i8)";
    assert!(matches!(lane(text, &[n(1)]), Lane::Bits(3 | 4)));
    let returned =
        "define i8 @f(i8 %x) {\n %r = call i8 @g(i8 %x)\n ret i8 %r\n}\ndeclare i8 @g(i8 returned)";
    assert_eq!(lane(returned, &[n(77)]), n(77));
    let strict =
        "define i8 @f(i8 %x) {\n %r = call i8 @g(i8 noundef %x)\n ret i8 %r\n}\ndeclare i8 @g(i8)";
    assert!(is_undefined(strict, &[P]) && !is_undefined(strict, &[n(1)]));
}

#[test]
fn callees_that_do_not_return_end_the_run() {
    let text = "define i8 @f(i8 %x) {\n call void @g()\n ret i8 %x\n}\ndeclare void @g() noreturn";
    assert!(matches!(run(text, &[n(1)]), Outcome::Ends { .. }));
    assert_eq!(events(text, &[n(1)]), ["g"]);
}

#[test]
fn functions_of_the_module_are_run() {
    let text = "define i8 @f(i8 %x) {\n %r = call i8 @g(i8 %x)\n ret i8 %r\n}\n\
                define i8 @g(i8 %x) {\n %r = add i8 %x, 1\n ret i8 %r\n}";
    assert_eq!(lane(text, &[n(1)]), n(2));
    let recursive = "define i8 @f(i8 %x) {\n %r = call i8 @f(i8 %x)\n ret i8 %r\n}";
    assert_eq!(run(recursive, &[n(1)]), Outcome::OutOfSteps);
}

#[test]
fn known_functions_and_unknown_intrinsics_are_unsupported() {
    let text = "define i32 @f(i32 %x) {\n %r = call i32 @abs(i32 %x)\n ret i32 %r\n}\ndeclare i32 @abs(i32)";
    assert!(matches!(run(text, &[n(1)]), Outcome::Unsupported(_)));
    let intrinsic = "define i32 @f(i32 %x) {\n %r = call i32 @llvm.new.i32(i32 %x)\n ret i32 %r\n}\ndeclare i32 @llvm.new.i32(i32)";
    assert!(matches!(run(intrinsic, &[n(1)]), Outcome::Unsupported(_)));
}

#[test]
fn intrinsics_of_the_table_are_computed() {
    let text = "define i1 @f(i8 %x, i8 %y) {\n %p = call { i8, i1 } @llvm.uadd.with.overflow.i8(i8 %x, i8 %y)\n \
                %r = extractvalue { i8, i1 } %p, 1\n ret i1 %r\n}\n\
                declare { i8, i1 } @llvm.uadd.with.overflow.i8(i8, i8)";
    assert_eq!(lane(text, &[n(255), n(1)]), n(1));
    assert_eq!(lane(text, &[n(254), n(1)]), n(0));
    let zeros = "define i8 @f(i8 %x) {\n %r = call i8 @llvm.ctlz.i8(i8 %x, i1 true)\n ret i8 %r\n}\ndeclare i8 @llvm.ctlz.i8(i8, i1)";
    assert_eq!(lane(zeros, &[n(0)]), P);
    assert_eq!(lane(zeros, &[n(1)]), n(7));
    let sum = "define i8 @f(i8 %x) {\n %v = insertelement <4 x i8> <i8 1, i8 2, i8 3, i8 4>, i8 %x, i64 2\n \
               %r = call i8 @llvm.vector.reduce.add.v4i8(<4 x i8> %v)\n ret i8 %r\n}\ndeclare i8 @llvm.vector.reduce.add.v4i8(<4 x i8>)";
    assert_eq!(lane(sum, &[n(10)]), n(17));
    assert_eq!(lane(sum, &[P]), P);
}
