//! Memory: loads, stores, bounds, alignment, lifetimes, provenance and layouts.

use super::*;

#[test]
fn loads_read_what_stores_wrote() {
    let text =
        "define i32 @f(ptr %p) {\n store i16 -2, ptr %p\n %r = load i32, ptr %p\n ret i32 %r\n}";
    assert_eq!(lane(text, &[block(0, 0)]), n(0x0302_fffe));
    let big = format!("target datalayout = \"E\"\n{text}");
    assert_eq!(lane(&big, &[block(0, 0)]), n(0xfffe_0203));
}

#[test]
fn accesses_are_in_bounds_aligned_and_of_something() {
    let load = "define i32 @f(ptr %p) {\n %r = load i32, ptr %p, align 4\n ret i32 %r\n}";
    for bad in [NULL, P, U, block(0, 13), block(0, 2), block(0, u64::MAX)] {
        assert!(is_undefined(load, std::slice::from_ref(&bad)), "{bad:?}");
    }
    assert!(!is_undefined(load, &[block(0, 12)]));
    let store = "define void @f(ptr %p) {\n store i32 1, ptr %p, align 4\n ret void\n}";
    assert!(is_undefined(store, &[block(0, 16)]) && !is_undefined(store, &[block(0, 12)]));
}

#[test]
fn null_is_not_known_to_be_bad_in_other_address_spaces() {
    let load =
        "define i8 @f(ptr addrspace(1) %p) {\n %r = load i8, ptr addrspace(1) %p\n ret i8 %r\n}";
    assert!(matches!(run(load, &[NULL]), Outcome::Unsupported(_)));
    assert_eq!(lane(load, &[block(0, 3)]), n(3));
    let valid =
        "define i8 @f(ptr %p) null_pointer_is_valid {\n %r = load i8, ptr %p\n ret i8 %r\n}";
    assert!(matches!(run(valid, &[NULL]), Outcome::Unsupported(_)));
    let narrow = format!("target datalayout = \"p1:32:32\"\n{load}");
    assert!(matches!(run(&narrow, &[block(0, 3)]), Outcome::Unsupported(_)));
}

#[test]
fn padding_of_globals_is_undef_and_their_expressions_are_computed() {
    let text = "@g = constant { i8, i16 } { i8 1, i16 2 }\n@p = constant { ptr } { ptr getelementptr (i8, ptr @g, i64 2) }\n\
                define i8 @f(i64 %at) {\n %q = getelementptr i8, ptr @g, i64 %at\n %r = load i8, ptr %q\n ret i8 %r\n}";
    assert_eq!(lane(text, &[n(0)]), n(1));
    assert_eq!(lane(text, &[n(1)]), U);
    let through = text.replace("%q = getelementptr i8, ptr @g, i64 %at", "%q = load ptr, ptr @p");
    assert_eq!(lane(&through, &[n(0)]), n(2));
}

#[test]
fn an_alias_is_the_symbol_that_it_names() {
    let with = |linkage: &str| {
        format!(
            "@g = global i8 7\n@a = {linkage}alias i8, ptr @g\ndefine i8 @f() {{\n store i8 8, ptr @a\n %r = load i8, ptr @g\n ret i8 %r\n}}"
        )
    };
    assert_eq!(lane(&with(""), &[]), n(8));
    assert!(matches!(run(&with("weak "), &[]), Outcome::Unsupported(_)));
}

#[test]
fn constants_are_not_written() {
    let with = |kind: &str| {
        format!(
            "@g = {kind} i32 7\ndefine i32 @f() {{\n store i32 1, ptr @g\n %r = load i32, ptr @g\n ret i32 %r\n}}"
        )
    };
    assert!(is_undefined(&with("constant"), &[]));
    assert_eq!(lane(&with("global"), &[]), n(1));
    let read = "@g = constant [2 x i16] [i16 3, i16 4]\ndefine i16 @f() {\n \
                %r = load i16, ptr getelementptr (i16, ptr @g, i64 1)\n ret i16 %r\n}";
    assert_eq!(lane(read, &[]), n(4));
}

#[test]
fn memory_dies_with_its_function() {
    let text = "define i8 @f() {\n %p = call ptr @g()\n %r = load i8, ptr %p\n ret i8 %r\n}\n\
                define ptr @g() {\n %p = alloca i8\n store i8 1, ptr %p\n ret ptr %p\n}";
    assert!(is_undefined(text, &[]));
}

#[test]
fn loads_check_their_metadata() {
    let with = |metadata: &str| {
        format!("define i8 @f(ptr %p) {{\n %r = load i8, ptr %p, {metadata}\n ret i8 %r\n}}")
    };
    // The byte at an offset is the offset.
    assert_eq!(lane(&with("!range !{i8 0, i8 2}"), &[block(0, 2)]), P);
    assert_eq!(lane(&with("!range !{i8 0, i8 2}"), &[block(0, 1)]), n(1));
    let noundef =
        "define i8 @f() {\n %p = alloca i8\n %r = load i8, ptr %p, !noundef !{}\n ret i8 %r\n}";
    assert!(is_undefined(noundef, &[]));
    let nothing = "define i8 @f() {\n %p = alloca i8\n %r = load i8, ptr %p\n ret i8 %r\n}";
    assert_eq!(lane(nothing, &[]), U);
}

#[test]
fn pointers_keep_their_provenance_in_memory() {
    let text = "define i8 @f(ptr %p, ptr %q) {\n store ptr %q, ptr %p\n %r = load ptr, ptr %p\n %x = load i8, ptr %r\n ret i8 %x\n}";
    assert_eq!(lane(text, &[block(0, 0), block(1, 3)]), n(3));
}

#[test]
fn copies_move_bytes_and_must_not_overlap() {
    let with = |name: &str, to: u64| {
        format!(
            "define i8 @f(ptr %p) {{\n %q = getelementptr i8, ptr %p, i64 {to}\n \
             call void @llvm.{name}.p0.p0.i64(ptr %q, ptr %p, i64 4, i1 false)\n \
             %r = load i8, ptr %q\n ret i8 %r\n}}\n\
             declare void @llvm.{name}.p0.p0.i64(ptr, ptr, i64, i1)"
        )
    };
    assert_eq!(lane(&with("memcpy", 4), &[block(0, 1)]), n(1));
    assert!(is_undefined(&with("memcpy", 3), &[block(0, 1)]));
    assert!(!is_undefined(&with("memcpy", 0), &[block(0, 1)]));
    assert_eq!(lane(&with("memmove", 3), &[block(0, 1)]), n(1));
    let fill = "define i32 @f(ptr %p) {\n call void @llvm.memset.p0.i64(ptr %p, i8 7, i64 3, i1 false)\n \
                %r = load i32, ptr %p\n ret i32 %r\n}\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)";
    assert_eq!(lane(fill, &[block(0, 0)]), n(0x0307_0707));
    assert!(is_undefined(fill, &[block(0, 14)]));
}

#[test]
fn comparisons_of_local_addresses_decide_only_what_holds_anywhere() {
    let with = |predicate: &str| {
        format!(
            "define i1 @f(ptr %p) {{\n %q = alloca i8\n %r = icmp {predicate} ptr %p, %q\n ret i1 %r\n}}"
        )
    };
    assert_eq!(lane(&with("eq"), &[block(0, 0)]), n(0));
    assert!(matches!(run(&with("ult"), &[block(0, 0)]), Outcome::Unsupported(_)));
    // The local variable may begin where the block ends.
    assert!(matches!(run(&with("eq"), &[block(0, 16)]), Outcome::Unsupported(_)));
    let empty = "define i1 @f() {\n %a = alloca i32, i32 0\n %b = alloca i32, i32 0\n \
                 %r = icmp ne ptr %a, %b\n ret i1 %r\n}";
    assert!(matches!(run(empty, &[]), Outcome::Unsupported(_)));
}

#[test]
fn structs_are_laid_out_as_the_data_layout_says() {
    let text = "%s = type { i8, i32, [2 x i16] }\ndefine i16 @f() {\n %p = alloca %s\n \
                store %s { i8 1, i32 2, [2 x i16] [i16 3, i16 4] }, ptr %p\n \
                %q = getelementptr %s, ptr %p, i64 0, i32 2, i64 1\n %d = getelementptr i8, ptr %p, i64 10\n \
                %c = icmp eq ptr %q, %d\n %x = load i16, ptr %q\n %r = select i1 %c, i16 %x, i16 0\n ret i16 %r\n}";
    assert_eq!(lane(text, &[]), n(4));
}

/// A false alarm of a hunt: without a layout, LLVM aligns `i64` to four bytes, and with that of a machine to eight.
#[test]
fn structs_without_a_layout_are_laid_out_as_llvm_does() {
    let offset = |layout: &str| {
        let text = format!(
            "{layout}define i64 @f() {{\n %p = getelementptr {{ i8, i64, i8 }}, ptr null, i64 1, i32 1\n \
             %r = ptrtoint ptr %p to i64\n ret i64 %r\n}}"
        );
        lane(&text, &[])
    };
    assert_eq!(offset(""), n(20));
    assert_eq!(offset("target datalayout = \"e-i64:64\"\n"), n(32));
}

/// A false alarm of a hunt: EarlyCSE removes a copy that promises not to access memory.
#[test]
fn copies_that_may_not_access_memory_are_not_modelled() {
    let copy = |attributes: &str| {
        let text = format!(
            "define void @f(ptr %p, ptr %q) {{\n \
             call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 1, i1 false) {attributes}\n ret void\n}}\n\
             declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
        );
        run(&text, &[block(0, 0), block(1, 0)])
    };
    assert!(matches!(copy("memory(none)"), Outcome::Unsupported(_)));
    assert!(matches!(copy("memory(argmem: readwrite)"), Outcome::Returned { .. }));
}

#[test]
fn loops_run_until_the_limit() {
    let text = "define i8 @f(i8 %n) {\nentry:\n br label %loop\nloop:\n %i = phi i8 [ 0, %entry ], [ %j, %loop ]\n \
                %s = phi i8 [ 0, %entry ], [ %t, %loop ]\n %t = add i8 %s, %i\n %j = add i8 %i, 1\n \
                %c = icmp ult i8 %j, %n\n br i1 %c, label %loop, label %exit\nexit:\n ret i8 %t\n}";
    assert_eq!(lane(text, &[n(5)]), n(10));
    let forever = "define void @f() {\n br label %a\na:\n br label %a\n}";
    assert_eq!(run(forever, &[]), Outcome::OutOfSteps);
}

#[test]
fn atomics_change_memory() {
    let text = "define i8 @f(ptr %p) {\n %a = atomicrmw add ptr %p, i8 5 seq_cst, align 1\n \
                %b = cmpxchg ptr %p, i8 8, i8 9 seq_cst seq_cst, align 1\n %c = extractvalue { i8, i1 } %b, 1\n \
                %x = load i8, ptr %p\n %r = select i1 %c, i8 %x, i8 0\n ret i8 %r\n}";
    assert_eq!(lane(text, &[block(0, 3)]), n(9));
    assert_eq!(lane(text, &[block(0, 4)]), n(0));
}

/// A false alarm of a hunt: InstCombine removes writes to memory that a target holds to be constant.
#[test]
fn address_spaces_of_constants_are_not_modelled() {
    let writes = |triple: &str, space: u32| {
        let text = format!(
            "target triple = \"{triple}\"\ndefine void @f(ptr addrspace({space}) %p) {{\n  \
             store i8 0, ptr addrspace({space}) %p, align 1\n  ret void\n}}\n"
        );
        run(&text, &[block(0, 0)])
    };
    assert!(matches!(writes("amdgcn-amd-amdhsa", 4), Outcome::Unsupported(_)));
    assert!(matches!(writes("nvptx64-nvidia-cuda", 4), Outcome::Unsupported(_)));
    assert!(matches!(writes("amdgcn-amd-amdhsa", 1), Outcome::Returned { .. }));
    assert!(matches!(writes("x86_64-linux-gnu", 4), Outcome::Returned { .. }));
}
