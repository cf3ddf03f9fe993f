//! Calls: events, answers of callees, argument attributes and intrinsics.

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
    assert_eq!(events(&with("memory(inaccessiblemem: readwrite)"), &[n(1)]), ["g"]);
    // It cannot know how often it was called.
    assert_eq!(events(&with("memory(inaccessiblemem: write)"), &[n(1)]), [""; 0]);
    assert_eq!(lane(&with("memory(none)"), &[n(1)]), lane(&with("memory(none)"), &[n(1)]));
}

#[test]
fn answers_keep_the_promises_of_the_callee() {
    let text = "define i8 @f(i8 %x) {\n %r = call i8 @g(i8 %x)\n ret i8 %r\n}\ndeclare noundef range(i8 3, 5) i8 @g(i8)";
    assert!(matches!(lane(text, &[n(1)]), Lane::Bits(3 | 4)));
    // Those of one call do not change the answer, because other calls lack them.
    let with = |attributes: &str| {
        format!(
            "define ptr @f() {{\n %r = call {attributes} ptr @g()\n ret ptr %r\n}}\ndeclare ptr @g() memory(none)"
        )
    };
    let (plain, nonnull) = (lane(&with(""), &[]), lane(&with("nonnull"), &[]));
    assert!(plain == nonnull || plain == NULL && nonnull == P, "{plain:?} {nonnull:?}");
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
fn known_functions_and_intrinsics_without_a_model_mark_their_runs() {
    let opaque = |name: &str| {
        let text = format!(
            "define i32 @f(i32 %x) {{\n %r = call i32 @{name}(i32 %x)\n ret i32 %r\n}}\ndeclare i32 @{name}(i32)"
        );
        let run = Interpreter::run(
            &program(&text),
            &input(&[n(1)], 0),
            &mut Choices::all(),
            Limits::default(),
        );
        assert!(matches!(run.outcome, Outcome::Returned { .. }));
        run.opaque.is_some()
    };
    assert!(opaque("abs") && opaque("llvm.new.i32") && opaque("nexttowardf"));
    assert!(!opaque("g"));
}

#[test]
fn calls_through_pointers_are_events_unless_the_pointer_is_bad() {
    let text = "define void @f(ptr %p) {\n call void %p(i8 1)\n ret void\n}";
    assert_eq!(events(text, &[block(0, 0)]), ["a pointer"]);
    assert!(is_undefined(text, &[NULL]) && is_undefined(text, &[P]));
}

#[test]
fn a_callee_that_writes_its_arguments_only_is_no_event_and_writes() {
    let text = "define i32 @f(ptr %p) {\n call void @g(ptr %p)\n %r = load i32, ptr %p\n ret i32 %r\n}\n\
                declare void @g(ptr) memory(argmem: write)";
    assert_eq!(events(text, &[block(0, 0)]), [""; 0]);
    let changed = (0..8).any(|answers| {
        let input = Input { answers, ..input(&[block(0, 0)], 1) };
        !matches!(run_on(text, &input), Outcome::Returned { value, .. } if value == Some(Value::bits(0x0302_0100)))
    });
    assert!(changed);
}

#[test]
fn byval_arguments_are_copies() {
    let text = "define i8 @f(ptr %p) {\n call void @g(ptr byval(i8) %p)\n %r = load i8, ptr %p\n ret i8 %r\n}\n\
                define void @g(ptr byval(i8) %q) {\n store i8 9, ptr %q\n ret void\n}";
    assert_eq!(lane(text, &[block(0, 3)]), n(3));
    let shared = text.replace(" byval(i8)", "");
    assert_eq!(lane(&shared, &[block(0, 3)]), n(9));
    assert!(is_undefined(text, &[NULL]));
}

#[test]
fn sret_arguments_are_aligned_and_can_be_accessed() {
    let text = "define i8 @f(ptr sret(i32) %p) {\n store i8 1, ptr %p\n ret i8 1\n}";
    assert!(!is_undefined(text, &[block(0, 12)]));
    assert!(is_undefined(text, &[block(0, 13)]) && is_undefined(text, &[block(0, 16)]));
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

#[test]
fn conventions_of_call_and_callee_are_the_same() {
    let text = |call: &str, callee: &str| {
        format!(
            "define i8 @f() {{\n %r = call {call}i8 @g()\n ret i8 %r\n}}\ndefine {callee}i8 @g() {{\n ret i8 1\n}}"
        )
    };
    assert_eq!(lane(&text("", ""), &[]), n(1));
    assert_eq!(lane(&text("fastcc ", "internal fastcc "), &[]), n(1));
    for (call, callee) in [("", "fastcc "), ("fastcc ", "")] {
        assert!(matches!(run(&text(call, callee), &[]), Outcome::Unsupported(_)));
    }
}

/// A false alarm of a hunt: dead stores to memory that only the caller knows.
#[test]
fn memory_behind_a_noalias_result_is_not_seen_by_other_callees() {
    let events = |attribute: &str| {
        let text = format!(
            "declare ptr @f()\ndeclare void @g()\ndefine void @h() {{\n  \
             %p = call {attribute} nonnull ptr @f()\n  call void @g()\n  ret void\n}}\n"
        );
        match run(&text, &[]) {
            Outcome::Returned { events, .. } => events[1].memory.len(),
            other => panic!("{other:?}"),
        }
    };
    // The two blocks of the input are seen by all.
    assert_eq!(events("noalias"), 2);
    assert_eq!(events(""), 3);
}
