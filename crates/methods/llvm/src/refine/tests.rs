//! Pairs of functions: transformations that are right, and neighbours of them that are wrong.

use super::*;
use forge::Entropy;

fn check(source: &str, target: &str) -> Check {
    let (source, target) = (Module::parse(source).unwrap(), Module::parse(target).unwrap());
    let (from, to) = (&source.functions[0], &target.functions[0]);
    let programs = (Program::new(&source, from), Program::new(&target, to));
    let mut entropy = Entropy::keyed(1);
    let inputs = inputs(&programs.0, from, 400, &mut entropy);
    Pair::new(programs.0, programs.1).check(&inputs)
}

#[track_caller]
fn holds(source: &str, target: &str) {
    let check = check(source, target);
    assert!(matches!(check, Check::Holds(Tally { agreed: 1.., .. })), "{check:#?}");
}

#[track_caller]
fn fails(source: &str, target: &str) {
    let check = check(source, target);
    assert!(matches!(check, Check::Fails(_)), "{check:#?}");
}

/// A function from the signature and the lines of its body.
fn function(signature: &str, body: &str) -> String {
    format!("define {signature} {{\n{body}\n}}\n")
}

#[test]
fn flags_may_be_dropped_and_not_added() {
    let with = |flag: &str| {
        function("i8 @f(i8 %x, i8 %y)", &format!("%r = add {flag} i8 %x, %y\nret i8 %r"))
    };
    holds(&with("nsw"), &with(""));
    fails(&with(""), &with("nsw"));
    holds(&with("nuw nsw"), &with("nsw"));
}

#[test]
fn select_is_not_and_when_the_other_arm_is_poison() {
    let select = function("i1 @f(i1 %c, i1 %x)", "%r = select i1 %c, i1 %x, i1 false\nret i1 %r");
    let and = function("i1 @f(i1 %c, i1 %x)", "%r = and i1 %c, %x\nret i1 %r");
    fails(&select, &and);
    holds(&and, &select);
    let frozen =
        function("i1 @f(i1 %c, i1 %x)", "%y = freeze i1 %x\n%r = and i1 %c, %y\nret i1 %r");
    holds(&select, &frozen);
}

#[test]
fn undef_uses_are_independent() {
    let xor = function("i8 @f(i8 %x)", "%r = xor i8 undef, undef\nret i8 %r");
    let constant = |number: u8| function("i8 @f(i8 %x)", &format!("ret i8 {number}"));
    holds(&xor, &constant(0));
    holds(&xor, &constant(77));
    let double = function("i8 @f(i8 %x)", "%y = shl i8 undef, 1\nret i8 %y");
    holds(&double, &constant(4));
    fails(&double, &constant(5));
    let twice = function("i8 @f(i8 %x)", "%y = shl i8 %x, 1\nret i8 %y");
    let sum = function("i8 @f(i8 %x)", "%y = add i8 %x, %x\nret i8 %y");
    fails(&twice, &sum);
    let sum_of_noundef = sum.replace("i8 %x)", "i8 noundef %x)");
    holds(&twice.replace("i8 %x)", "i8 noundef %x)"), &sum_of_noundef);
}

#[test]
fn freeze_must_stay() {
    let with = function("i8 @f(i8 %x)", "%y = freeze i8 %x\nret i8 %y");
    let without = function("i8 @f(i8 %x)", "ret i8 %x");
    fails(&with, &without);
    holds(&without, &with);
}

#[test]
fn speculatable_callees_write_nothing_whatever_else_is_said() {
    let callee = "declare i8 @g(ptr) nounwind willreturn speculatable memory(argmem: readwrite)\n";
    let body = "br i1 %c, label %then, label %end\nthen:\n %x = call i8 @g(ptr %p)\n br label %end\n\
                end:\n ret i8 1";
    let source = function("i8 @f(ptr %p, i1 %c)", &format!("entry:\n {body}"));
    let target = function("i8 @f(ptr %p, i1 %c)", "%x = call i8 @g(ptr %p)\nret i8 1");
    holds(&(source + callee), &(target + callee));
}

#[test]
fn stores_matter_if_somebody_can_see_them() {
    let store = function("void @f(ptr %p)", "store i8 1, ptr %p\nret void");
    let nothing = function("void @f(ptr %p)", "ret void");
    fails(&store, &nothing);
    let twice = function("void @f(ptr %p)", "store i8 2, ptr %p\nstore i8 1, ptr %p\nret void");
    holds(&twice, &store);
    fails(&nothing, &store);
    let local = function("void @f(ptr %p)", "%q = alloca i8\nstore i8 1, ptr %q\nret void");
    holds(&local, &nothing);
    let global = |body: &str| format!("@g = global i8 0\n{}", function("void @f()", body));
    fails(&global("store i8 1, ptr @g\nret void"), &global("ret void"));
    holds(&global("store i8 0, ptr @g\nret void"), &global("ret void"));
}

#[test]
fn loads_do_not_move_over_stores_that_may_alias() {
    let source = function(
        "i8 @f(ptr %p, ptr %q)",
        "store i8 1, ptr %p\nstore i8 2, ptr %q\n%r = load i8, ptr %p\nret i8 %r",
    );
    let target =
        function("i8 @f(ptr %p, ptr %q)", "store i8 1, ptr %p\nstore i8 2, ptr %q\nret i8 1");
    fails(&source, &target);
    let noalias = |text: &str| text.replace("ptr %p, ptr %q)", "ptr noalias %p, ptr noalias %q)");
    holds(&noalias(&source), &noalias(&target));
}

#[test]
fn calls_keep_their_order_and_arguments() {
    let with = |body: &str| {
        format!(
            "{}declare i8 @g(i8)\ndeclare i8 @h(i8) memory(none) willreturn nounwind\n",
            function("i8 @f(i8 %x)", body)
        )
    };
    let call = with("%r = call i8 @g(i8 %x)\nret i8 %r");
    fails(&call, &with("ret i8 0"));
    fails(&call, &with("%y = add i8 %x, 1\n%r = call i8 @g(i8 %y)\nret i8 %r"));
    holds(&call, &call);
    let pure = with("%r = call i8 @h(i8 %x)\nret i8 %x");
    holds(&pure, &with("ret i8 %x"));
    let two = with("%a = call i8 @h(i8 %x)\n%b = call i8 @h(i8 %x)\n%r = sub i8 %a, %b\nret i8 %r");
    holds(&two, &with("%a = call i8 @h(i8 %x)\n%r = sub i8 %a, %a\nret i8 %r"));
}

#[test]
fn values_are_not_forwarded_over_calls_that_may_write() {
    let with = |body: &str| format!("declare void @g()\n{}", function("i8 @f(ptr %p)", body));
    let source = with("store i8 1, ptr %p\ncall void @g()\n%r = load i8, ptr %p\nret i8 %r");
    let target = with("store i8 1, ptr %p\ncall void @g()\nret i8 1");
    fails(&source, &target);
    let early = with("call void @g()\nstore i8 1, ptr %p\nret i8 1");
    fails(&target, &early);
}

#[test]
fn new_undefined_behaviour_fails() {
    let source = function(
        "i8 @f(i1 %c, i8 %x, i8 %y)",
        "br i1 %c, label %a, label %b\na:\n%r = udiv i8 %x, %y\nret i8 %r\nb:\nret i8 0",
    );
    let hoisted = function(
        "i8 @f(i1 %c, i8 %x, i8 %y)",
        "%r = udiv i8 %x, %y\nbr i1 %c, label %a, label %b\na:\nret i8 %r\nb:\nret i8 0",
    );
    fails(&source, &hoisted);
    holds(&hoisted, &source);
}

#[test]
fn loops_are_compared_by_their_results() {
    let source = function(
        "i8 @f(i8 %n)",
        "entry:\nbr label %loop\nloop:\n%i = phi i8 [ 0, %entry ], [ %j, %loop ]\n%j = add i8 %i, 1\n%c = icmp ult i8 %j, %n\nbr i1 %c, label %loop, label %exit\nexit:\nret i8 %j",
    );
    let target = |less: &str| {
        function(
            "i8 @f(i8 %n)",
            &format!(
                "%f = freeze i8 %n\n%c = icmp {less} i8 %f, 1\n%r = select i1 %c, i8 %f, i8 1\nret i8 %r"
            ),
        )
    };
    holds(&source, &target("ugt"));
    fails(&source, &target("uge").replace("i8 1\nret", "i8 0\nret"));
}

#[test]
fn nans_are_compared_as_the_reference_allows() {
    let source = function("float @f(float %x)", "%r = fadd float %x, 0.0\nret float %r");
    let target = function("float @f(float %x)", "ret float %x");
    fails(&source, &target);
    let minus = source.replace(", 0.0", ", -0.0");
    holds(&minus, &target);
    // A sum quiets signaling NaNs. Which bits a NaN has is no finding.
    assert!(!matches!(check(&target, &minus), Check::Fails(_)));
    let negated = function("float @f(float %x)", "%r = fneg float %x\nret float %r");
    fails(&negated, &target);
}

#[test]
fn a_callee_does_the_same_whatever_one_call_of_it_says() {
    let text = |first: &str, second: &str| {
        format!(
            "declare ptr @g(ptr)\ndefine ptr @f(i1 %c, ptr %p) {{\nbr i1 %c, label %a, label %b\n\
             a:\n%x = call ptr @g(ptr %p) {first}\nret ptr %x\nb:\n%y = call ptr @g(ptr %p) {second}\nret ptr %y\n}}\n"
        )
    };
    let merged = "declare ptr @g(ptr)\ndefine ptr @f(i1 %c, ptr %p) {\n%x = call ptr @g(ptr %p)\nret ptr %x\n}\n";
    let checked = check(&text("readnone", "memory(argmem: read)"), merged);
    assert!(!matches!(checked, Check::Fails(_)), "{checked:?}");
    fails(&text("", ""), &merged.replace("ptr @g(ptr %p)", "ptr @g(ptr null)"));
}

#[test]
fn memory_behind_the_result_of_an_allocation_is_not_looked_at() {
    let text = |attribute: &str, body: &str| {
        format!(
            "declare {attribute} nonnull ptr @g()\ndefine void @f() {{\n%p = call ptr @g()\n{body}ret void\n}}\n"
        )
    };
    let store = "store i8 1, ptr %p\n";
    holds(&text("noalias", store), &text("noalias", ""));
    fails(&text("", store), &text("", ""));
}

#[test]
fn wide_choices_are_unknown_and_never_a_failure() {
    let source =
        function("i32 @f(i32 %x)", "%y = freeze i32 poison\n%r = or i32 %y, 1\nret i32 %r");
    let even = function("i32 @f(i32 %x)", "ret i32 4096");
    assert!(matches!(check(&source, &even), Check::Unknown(_)));
    let odd = function("i32 @f(i32 %x)", "ret i32 1");
    holds(&source, &odd);
}

#[test]
fn fast_math_differences_are_unknown() {
    let source = function(
        "float @f(float %x)",
        "%a = fadd reassoc float %x, 1.0\n%r = fadd reassoc float %a, 1.0\nret float %r",
    );
    let target = function("float @f(float %x)", "%r = fadd reassoc float %x, 2.0\nret float %r");
    assert!(!matches!(check(&source, &target), Check::Fails(_)));
}

/// Published miscompilations, each with functions of our own.
#[test]
fn published_miscompilations_are_refuted() {
    // LLVM 112666: the negation of a select of a nsw negation.
    let source = function(
        "i8 @f(i1 %c, i8 %x)",
        "%n = sub nsw i8 0, %x\n%s = select i1 %c, i8 %n, i8 %x\n%r = sub i8 0, %s\nret i8 %r",
    );
    let wrong = function(
        "i8 @f(i1 %c, i8 %x)",
        "%n = sub nsw i8 0, %x\n%r = select i1 %c, i8 %x, i8 %n\nret i8 %r",
    );
    let right = wrong.replace("nsw ", "");
    fails(&source, &wrong);
    holds(&source, &right);
    // LLVM 140481: a product of nsw with a large constant is not monotonic enough.
    let source =
        function("i1 @f(i8 %x)", "%m = mul nsw i8 %x, 100\n%c = icmp sgt i8 %m, -1\nret i1 %c");
    fails(&source, &function("i1 @f(i8 %x)", "%c = icmp sgt i8 %x, 0\nret i1 %c"));
    holds(&source, &function("i1 @f(i8 %x)", "%c = icmp sgt i8 %x, -1\nret i1 %c"));
    // LLVM 115575: an element beyond the length is poison, and a division by it undefined.
    let source = function(
        "<2 x i8> @f(i8 %x)",
        "%r = sdiv i8 %x, 3\n%v = insertelement <2 x i8> <i8 1, i8 2>, i8 %r, i64 2\nret <2 x i8> %v",
    );
    let wrong = function(
        "<2 x i8> @f(i8 %x)",
        "%v = insertelement <2 x i8> <i8 1, i8 2>, i8 3, i64 2\n%r = sdiv <2 x i8> <i8 1, i8 2>, %v\nret <2 x i8> %r",
    );
    fails(&source, &wrong);
}

/// What llvm/llvm-project#63059 does is known, and would hide everything else that GVN does to vectors.
#[test]
fn a_store_of_a_vector_that_is_forwarded_through_an_integer_is_no_finding() {
    let header = "i32 @f(<4 x i32> %v, ptr %p)";
    let source = function(header, "store <4 x i32> %v, ptr %p\n%r = load i32, ptr %p\nret i32 %r");
    let target = function(
        header,
        "store <4 x i32> %v, ptr %p\n%b = bitcast <4 x i32> %v to i128\n%r = trunc i128 %b to i32\nret i32 %r",
    );
    assert!(!matches!(check(&source, &target), Check::Fails(_)));
    // Without memory, it counts.
    let register = |body: &str| function("i32 @f(<4 x i32> %v)", body);
    fails(
        &register("%r = extractelement <4 x i32> %v, i64 0\nret i32 %r"),
        &register("%b = bitcast <4 x i32> %v to i128\n%r = trunc i128 %b to i32\nret i32 %r"),
    );
    fails(
        &source,
        &target
            .replace("to i32\nret", "to i32\n%s = add i32 %r, 1\nret")
            .replace("ret i32 %r", "ret i32 %s"),
    );
}

/// What ArgumentPromotion does with `byval`: the load of the callee moves to the caller, where it is never aligned.
#[test]
fn a_local_variable_may_be_at_any_address_that_its_alignment_allows() {
    let text = |align: u64, access: &str| {
        let place =
            format!("%p = alloca [12 x i8], align {align}\n%q = getelementptr i8, ptr %p, i64 4");
        let body = format!("{place}\n{access}\nret void");
        function("void @f()", &body) + "declare void @llvm.assume(i1)\n"
    };
    let load = |align: u64| format!("%r = load i64, ptr %q, align {align}");
    let never_aligned = text(8, &load(8));
    let promise = "call void @llvm.assume(i1 true) [ \"align\"(ptr %q, i64 8) ]";
    for access in [&load(8), promise] {
        let checked = check(&text(4, access), &never_aligned);
        assert_eq!(checked, Check::Unknown("the alignment of a local variable".into()));
    }
    fails(&text(4, &load(4)), &never_aligned);
}

/// What GlobalOpt does with a variable of a function that is called once: a false alarm of a hunt of LLVM 15.
#[test]
fn a_global_variable_may_be_at_any_address_that_its_alignment_allows() {
    let layout = "target datalayout = \"e-p:32:32:32\"\n";
    let store = "store ptr null, ptr @g, align 8\nret i32 0";
    let source = |global: &str| format!("{layout}{global}\n{}", function("i32 @f()", store));
    let local = store.replace("@g", "%g");
    let target = function("i32 @f()", &format!("%g = alloca ptr, align 4\n{local}"));
    let target = format!("{layout}{target}");
    let checked = check(&source("@g = internal global ptr null"), &target);
    assert_eq!(checked, Check::Unknown("the alignment of a global variable".into()));
    fails(&source("@g = internal global ptr null, align 8"), &target);
}

/// A variable that only the source mentions may have been written by a callee that is no event: a false alarm of a hunt
/// of LLVM 15.
#[test]
fn callees_write_to_variables_that_the_target_does_not_mention() {
    let text = |body: &str| {
        "@g = external global i64\ndeclare void @callee() memory(write) nounwind willreturn\n"
            .to_owned()
            + &function("void @f(i1 %c)", body)
    };
    let call = "call void @callee()\n";
    let source = text(&format!(
        "{call}br i1 %c, label %a, label %b\na:\nstore i64 0, ptr @g\nunreachable\nb:\nret void"
    ));
    holds(&source, &text(&format!("{call}ret void")));
}

/// The inliner gives what a call promises to the calls of its callee, so that two of them become one: a false alarm of a
/// hunt of LLVM 23.
#[test]
fn calls_in_a_call_that_may_not_write_may_be_one() {
    let text = |promise: &str| {
        let call = format!("call void @g() {promise}\n");
        function("void @f()", &format!("{call}{call}ret void"))
            + &function("void @g()", "call void @unknown()\nret void")
            + "declare void @unknown()\n"
    };
    let once =
        function("void @f()", "call void @unknown()\nret void") + "declare void @unknown()\n";
    let checked = check(&text("memory(read)"), &once);
    assert_eq!(checked, Check::Unknown("unknown functions in a call that may not write".into()));
    fails(&text(""), &once);
}

/// ArgumentPromotion moves the load of the callee to the caller: a false alarm of a hunt of LLVM 23.
#[test]
fn the_alignment_of_a_byval_copy_is_that_of_the_machine_unless_it_is_said() {
    let text = |byval: &str| {
        let call = format!("%r = call i64 @g(ptr {byval} %p)\nret i64 %r");
        let load = "%v = load i64, ptr %a, align 8\nret i64 %v";
        function("i64 @f(ptr %p)", &call)
            + &function(&format!("internal i64 @g(ptr {byval} %a)"), load)
    };
    let target = function("i64 @f(ptr %p)", "%v = load i64, ptr %p, align 8\nret i64 %v");
    // Where the pointer is misaligned, nothing can be said.
    holds(&text("byval(i64)"), &target);
    // What is said is also true of the pointer at the call.
    holds(&text("byval(i64) align 8"), &target);
}

/// The target has other blocks: what pointers of the source point to is not looked up there. A false alarm of a hunt of
/// LLVM 15.
#[test]
fn a_pointer_in_a_variable_that_the_target_does_not_mention_is_as_it_was() {
    let globals = "@a = global i16 5\n@b = global ptr @a\n@c = global i16 1\n";
    let load = "%p = load ptr, ptr @b\n%l = load i16, ptr %p\n";
    let store = "store i16 6, ptr @c\nstore i16 7, ptr @a\n";
    let text =
        |body: &str| format!("{globals}{}", function("void @f()", &(body.to_owned() + "ret void")));
    holds(&text(&format!("{load}{store}")), &text(store));
    let changed = "store ptr @c, ptr @b\n";
    fails(&text(&format!("{load}{changed}{store}")), &text(store));
    fails(&text(store), &text(&format!("{load}{changed}{store}")));
}

/// The callback ignores its second parameter, so that the argument may be anything: the broker must not look at it.
#[test]
fn arguments_that_a_broker_passes_on_may_be_dropped() {
    let text = |metadata: &str, argument: &str| {
        format!(
            "define void @f(i8 %x) {{\ncall void @broker(ptr @g, i8 {argument})\nret void\n}}\n\
             define internal void @g(i8 %x) {{\nret void\n}}\n\
             declare {metadata} void @broker(ptr, i8)\n!0 = !{{!1}}\n!1 = !{{i64 0, i64 1, i1 false}}\n"
        )
    };
    fails(&text("", "%x"), &text("", "7"));
    let checked = check(&text("!callback !0", "%x"), &text("!callback !0", "7"));
    assert!(!matches!(checked, Check::Fails(_)), "{checked:?}");
}

#[test]
fn a_call_through_a_pointer_calls_one_of_its_callees() {
    let text = |body: &str| {
        format!(
            "define void @f(ptr %p) {{\n{body}\nret void\n}}\n\
             declare void @g()\ndeclare void @h()\n!0 = !{{ptr @g, ptr @h}}\n!1 = !{{ptr @h}}\n"
        )
    };
    let direct = text("call void @h()");
    fails(&text("call void %p()"), &direct);
    let checked = check(&text("call void %p(), !callees !1"), &direct);
    assert!(matches!(checked, Check::Holds(Tally { agreed: 0, .. })), "{checked:?}");
    // Callees that the call does not have.
    fails(&text("call void %p()"), &text("call void %p(), !callees !0"));
}

/// Each iteration reads what the one before it stored, unless the loop promises that none does.
#[test]
fn differences_in_a_loop_with_promises_about_its_iterations_do_not_count() {
    let looping = |op: &str, loop_node: &str, result: &str| {
        format!(
            "define float @f(ptr noalias dereferenceable(64) align 16 %p, i32 %n) {{\nentry:\n  br label %loop\n\nloop:\n  \
             %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]\n  \
             %more = {op}\n  %next = add i64 %i, 1\n  %done = icmp eq i64 %next, 3\n  \
             br i1 %done, label %exit, label %loop{loop_node}\n\nexit:\n  ret float {result}\n}}\n\n\
             !0 = distinct !{{!0, !1, !2}}\n!1 = !{{!\"llvm.loop.parallel_accesses\", !3}}\n!2 = !{{!\"llvm.loop.mustprogress\"}}\n\
             !3 = distinct !{{}}\n!4 = distinct !{{!4, !5}}\n!5 = !{{!\"llvm.loop.vectorize.enable\", i1 true}}\n\
             !6 = distinct !{{!6, !2}}\n"
        )
    };
    let sum = "fadd float %sum, 2.0";
    for (node, is_promised) in [("", false), (", !llvm.loop !6", false)]
        .into_iter()
        .chain([(", !llvm.loop !0", true), (", !llvm.loop !4", true)])
    {
        let source = looping(sum, node, "%more");
        holds(&source, &looping(sum, node, "6.0"));
        let other = check(&source, &looping(sum, node, "4.0"));
        match is_promised {
            true => assert!(matches!(other, Check::Unknown(_)), "{node}: {other:?}"),
            false => assert!(matches!(other, Check::Fails(_)), "{node}: {other:?}"),
        }
    }
    // Nothing is summed up that vectors could reorder.
    let chosen = "select i1 true, float 2.0, float %sum";
    let source = looping(chosen, ", !llvm.loop !4", "%more");
    fails(&source, &looping(chosen, ", !llvm.loop !4", "4.0"));
}

/// A hunt of LLVM 23 took the attributes that it gives to `acos` for a lost call.
#[test]
fn attributes_of_a_library_function_are_no_difference_even_if_a_call_is_no_builtin() {
    let body =
        function("double @f()", "%r = call double @acos(double 0.0) nobuiltin\nret double %r");
    let declared = |behind: &str| format!("{body}\ndeclare double @acos(double) {behind}\n");
    let inferred = "nounwind willreturn memory(none)";
    let other = check(&declared("willreturn"), &declared(inferred));
    assert!(matches!(other, Check::Unknown(_)), "{other:?}");
    // A declaration that is none is left alone.
    let attributes = |behind: &str| declared(&format!("nobuiltin {behind}"));
    fails(&attributes("willreturn"), &attributes(inferred));
}

/// A false alarm of a hunt: only the local variables of the function with the call are out of reach.
#[test]
fn a_tail_call_may_access_local_variables_of_callers() {
    let module = |tail: &str, own: &str| {
        format!(
            "define i32 @f() {{\n%p = alloca i32, align 4\nstore i32 1, ptr %p, align 4\ncall void @g(ptr %p)\n\
             %r = load i32, ptr %p, align 4\nret i32 %r\n}}\n\
             define void @g(ptr %q) {{\n%own = alloca i32, align 4\nstore i32 2, ptr %own, align 4\n\
             {tail}call void @use(ptr {own})\n%r = load i32, ptr {own}, align 4\nstore i32 %r, ptr %q, align 4\n\
             ret void\n}}\ndeclare void @use(ptr)\n"
        )
    };
    holds(&module("", "%q"), &module("tail ", "%q"));
    fails(&module("", "%own"), &module("tail ", "%own"));
}

/// A false alarm of a hunt: the source may choose the branch with a function that optimisers know and the interpreter does
/// not.
#[test]
fn what_a_chosen_branch_calls_counts() {
    let module = |one: &str| {
        format!(
            "define float @f(i1 %c) {{\nentry:\n%d = freeze i1 %c\nbr i1 %d, label %a, label %b\na:\n\
             {one}\nb:\nret float 0.0\n}}\ndeclare float @llvm.pow.f32(float, float)\n"
        )
    };
    let call = "%r = call float @llvm.pow.f32(float 0.0, float 0.0)\nret float %r";
    let target = "define float @f(i1 %c) {\nret float 1.0\n}\n";
    let (source, target) = (Module::parse(&module(call)).unwrap(), Module::parse(target).unwrap());
    let pair = (&source.functions[0], &target.functions[0]);
    let poison =
        Input { arguments: vec![crate::interpret::Value::POISON], blocks: vec![], answers: 0 };
    let check = refines((&source, pair.0), (&target, pair.1), &[poison]);
    assert!(matches!(check, Check::Unknown(_)), "{check:#?}");
}
