//! Parsing and printing: the law that what is printed reads back the same, and single constructs.

#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

use llvm::ir::{Body, Constant, Flags, Instruction, Module, Op, Type, Value};

const MODULES: [(&str, &str); 2] = [
    ("opaque pointers", include_str!("modules/opaque-pointers.ll")),
    ("typed pointers", include_str!("modules/typed-pointers.ll")),
];

fn module(text: &str) -> Module {
    Module::parse(text).unwrap()
}

/// The first function of a module, which must be readable, and its instructions.
fn body(text: &str) -> (Module, Vec<Instruction>) {
    let module = module(text);
    let function = &module.functions[0];
    if let Body::Opaque { why, .. } = &function.body {
        panic!("{why}: {text}");
    }
    let instructions = function.code().unwrap().instructions().cloned().collect();
    (module, instructions)
}

/// The line comes back as it is.
fn keeps(line: &str) {
    let ret = if line.contains("ret ") { "" } else { "  ret void\n" };
    let text = format!(
        "define void @f(i32 %a, i32 %b, ptr %p, <4 x float> %v, double %d) {{\nentry:\n  {line}\n{ret}}}\n"
    );
    let (module, _) = body(&text);
    let printed = module.text();
    assert!(printed.contains(&format!("\n  {line}\n")), "{line} became {printed}");
    assert_eq!(Module::parse(&printed).unwrap(), module);
}

#[test]
fn printed_modules_read_back_the_same() {
    for (name, text) in MODULES {
        let once = module(text);
        let again = module(&once.text());
        assert_eq!(once, again, "{name}");
        assert_eq!(once.text(), again.text(), "{name}");
    }
}

#[test]
fn all_functions_are_read_but_those_with_funclets() {
    for (_, text) in MODULES {
        for function in module(text).functions {
            if let Body::Opaque { why, text, parameters } = &function.body {
                assert_eq!((function.name(), &**why), ("pads", "cleanuppad"));
                assert_eq!(&*parameters[0], "_0");
                for part in [
                    "{\n_1:\n  invoke void @personality(i1 %_0)\n          to label %_3",
                    "\n_3:",
                    "(i1 %_0) nounwind \"only\"",
                ] {
                    assert!(text.contains(part), "{part} in {text}");
                }
            }
        }
    }
}

#[test]
fn instructions_are_printed_as_llvm_prints_them() {
    for line in [
        "%x = add nuw nsw i32 %a, -7",
        "%x = icmp samesign ult i32 %a, 2147483647",
        "%x = fcmp fast une double %d, 0x7FF0000000000000",
        "%x = fmul nnan contract <4 x float> %v, splat (float 1.500000e+00)",
        "%x = uitofp nneg i32 %a to double",
        "%x = getelementptr nusw nuw i8, ptr %p, i64 3",
        "%x = load atomic volatile i32, ptr %p syncscope(\"agent\") acquire, align 4",
        "%x = load ptr, ptr %p, align 8, !dereferenceable !{i64 8}, !nonnull !{}",
        "%x = atomicrmw uinc_wrap ptr %p, i32 %a syncscope(\"agent\") seq_cst, align 4",
        "%x = cmpxchg volatile ptr %p, i32 %a, i32 %b seq_cst monotonic, align 4",
        "fence acq_rel",
        "%x = alloca [4 x i8], i32 %a, align 16, addrspace(5)",
        "%x = call i32 @g(i32 noundef signext %a, ptr sret({ i32, i8 }) align 4 %p, i32 0) nounwind \"k\"=\"v\"",
        "tail call fastcc void %p(metadata !\"text\", metadata i32 7)",
        "call void @llvm.assume(i1 true) [ \"align\"(ptr %p, i64 8), \"cold\"() ]",
        "%x = call addrspace(3) i32 (ptr, ...) @h(ptr null, double 0x3FB999999999999B)",
        "%x = shufflevector <4 x float> %v, <4 x float> poison, <2 x i32> <i32 3, i32 poison>",
        "%x = select i1 icmp eq (ptr @g, ptr null), i32 %a, i32 undef",
        "%x = freeze <2 x ptr> getelementptr (i8, <2 x ptr> splat (ptr @g), <2 x i64> <i64 1, i64 2>)",
        "store { i8, <2 x i1> } { i8 -1, <2 x i1> <i1 true, i1 false> }, ptr %p, align 2",
        "store ptr no_cfi @g, ptr %p, align 8",
        "store i129 680564733841876926926749214863536422911, ptr %p, align 4",
        "store target(\"spirv.Image\", void, 1) zeroinitializer, ptr %p, align 8",
        "store x86_fp80 0xK3FFF8000000000000000, ptr %p, align 16",
        "store fp128 0xL00000000000000003FFF000000000000, ptr %p, align 16",
        "%x = va_arg ptr %p, double",
        "%x = trunc nsw i32 %a to i1",
        "%x = ptrtoaddr ptr %p to i64",
        "store half 0xHFC00, ptr %p, align 2",
        "ret void, !note !{!\"a\", !{i32 1}}",
    ] {
        keeps(line);
    }
}

#[test]
fn floats_have_the_same_bits_in_every_spelling() {
    let value = |ty: &str, literal: &str| {
        let text = format!("@g = global {ty} {literal}");
        module(&text).globals[0].initialiser.clone().unwrap()
    };
    for (ty, spellings, bits) in [
        ("float", &["1.000000e+00", "1.0", "0x3FF0000000000000", "f0x3F800000"][..], 0x3f80_0000),
        ("float", &["0x7FF0000000000000", "+inf"], 0x7f80_0000),
        ("float", &["0xFFF8000000000000", "-qnan", "-nan(0x0)"], 0xffc0_0000),
        ("float", &["0x7FF0000020000000", "+snan(0x1)"], 0x7f80_0001),
        ("float", &["0x7FF8000020000000", "+nan(0x1)"], 0x7fc0_0001),
        ("half", &["0xH3C00", "1.0e+00", "0x3FF0000000000000", "f0x3C00"], 0x3c00),
        ("bfloat", &["0xR7F80", "+inf"], 0x7f80),
        ("double", &["-0.000000e+00", "f0x8000000000000000"], 1 << 63),
        ("x86_fp80", &["0xK3FFF8000000000000000", "1.000000e+00"], 0x3fff_8000 << 48),
        (
            "fp128",
            &["0xL0000000000000001BFFF000000000000", "f0xBFFF0000000000000000000000000001"],
            0xbfff << 112 | 1,
        ),
    ] {
        for spelling in spellings {
            assert_eq!(value(ty, spelling), Constant::Float(bits), "{ty} {spelling}");
        }
    }
}

#[test]
fn unnamed_values_get_names_that_nothing_else_has() {
    let text = "
@0 = global i32 1
@1 = global ptr @0
define i32 @f(i32 %0) {
  %2 = add i32 %0, 1
  br label %3

3:
  %\"3\" = phi i32 [ %2, %1 ]
  ret i32 %\"3\"
}
";
    let module = module(text);
    assert_eq!(&*module.globals[0].name, "_0");
    assert_eq!(module.globals[1].initialiser, Some(Constant::Global("_0".into())));
    let code = module.functions[0].code().unwrap();
    let names: Vec<&str> = code.locals.iter().map(|local| &*local.name).collect();
    assert_eq!(names, ["_0", "_2", "3"]);
    let blocks: Vec<&str> = code.blocks.iter().map(|block| &*block.name).collect();
    assert_eq!(blocks, ["_1", "_3"]);
    assert!(module.text().contains("%\"3\" = phi i32 [ %_2, %_1 ]"));

    let taken = "define i32 @f(i32 %0, i32 %_0) {\n  ret i32 %0\n}\n";
    let (module, _) = body(taken);
    assert!(module.text().contains("@f(i32 %__0, i32 %_0)"));
}

#[test]
fn attribute_groups_are_resolved() {
    let text = "
define void @f() #0 {
  call void @g() #1
  ret void
}
declare void @g() #0
attributes #0 = { nounwind alignstack=16 memory(read, argmem: none) \"a\"=\"b c\" }
attributes #1 = { cold }
";
    let (module, instructions) = body(text);
    let attributes = &module.functions[0].header.attributes;
    assert_eq!(attributes.argument("alignstack"), Some("16"));
    assert_eq!(attributes.argument("memory"), Some("read, argmem: none"));
    assert_eq!(attributes.argument("a"), Some("b c"));
    assert_eq!(&module.declarations[0].header.attributes, attributes);
    let Op::Call(call) = &instructions[0].op else { panic!() };
    assert!(call.attributes.has("cold") && call.attributes.0.len() == 1);
    assert!(!module.text().contains('#'));
}

#[test]
fn small_nodes_are_in_place_and_others_are_kept_with_what_they_refer_to() {
    let text = "
define i8 @f(ptr %p) {
  %v = load i8, ptr %p, !range !0, !tbaa !1, !access !3
  ret i8 %v
}
!0 = !{i8 0, i8 2}
!1 = !{!2, !2, i64 0}
!2 = !{!\"int\"}
!3 = !{!4}
!4 = distinct !{!4, !2}
!5 = !{!\"unused\"}
";
    let (module, instructions) = body(text);
    assert_eq!(instructions[0].attachment("range"), Some("!{i8 0, i8 2}"));
    assert_eq!(instructions[0].attachment("tbaa"), Some("!{!{!\"int\"}, !{!\"int\"}, i64 0}"));
    assert_eq!(instructions[0].attachment("access"), Some("!3"));
    assert_eq!(module.nodes.keys().copied().collect::<Vec<_>>(), [2, 3, 4]);
}

#[test]
fn debug_records_and_intrinsics_are_left_out() {
    let text = "
define void @f(i32 %x) {
    #dbg_value(i32 %x, !0, !DIExpression(DW_OP_plus), !1)
  call void @llvm.dbg.value(metadata i32 %x, metadata !0, metadata !DIExpression()) #0, !dbg !1
  ret void
}
";
    let (_, instructions) = body(text);
    assert_eq!(instructions.len(), 1);
}

#[test]
fn what_the_model_lacks_is_named_as_the_reason() {
    let text = "
define void @callbr() {
  callbr void asm \"\", \"!i\"() to label %a [label %b]
a:
  ret void
b:
  ret void
}
define void @mistyped(i32 %x) {
  %y = add i64 %x, 1
  ret void
}
define void @fine() {
  ret void
}
";
    let module = module(text);
    let why = |name: &str| match &module.function(name).unwrap().body {
        Body::Opaque { why, .. } => Some(why.to_string()),
        Body::Code(_) => None,
    };
    assert_eq!(why("callbr").as_deref(), Some("callbr"));
    assert_eq!(why("mistyped").as_deref(), Some("type of a local"));
    assert_eq!(why("fine"), None);
    assert!(Module::parse("no program").is_err());
    assert_eq!(Module::parse("; nothing\n\n"), Ok(Module::default()));
}

#[test]
fn results_of_typed_pointers_have_their_pointees() {
    let text = "
%s = type { i32, [4 x i16] }
define void @f(%s addrspace(1)* %p) {
  %e = getelementptr %s, %s addrspace(1)* %p, i64 0, i32 1, i64 2
  store i16 1, i16 addrspace(1)* %e
  %a = alloca i8
  store i8 1, i8* %a
  ret void
}
";
    let (module, _) = body(text);
    let code = module.functions[0].code().unwrap();
    assert_eq!(code.locals[1].ty, Type::parse("i16 addrspace(1)*").unwrap());
    assert_eq!(code.locals[2].ty.to_string(), "i8*");
}

#[test]
fn stars_in_strings_are_no_typed_pointers() {
    let text = "define void @f() {\n  call void asm \"call *%eax\", \"\"()\n  ret void\n}";
    assert!(!module(text).has_typed_pointers);
    assert!(module("declare void @g(i8*)").has_typed_pointers);
}

#[test]
fn flags_and_values_are_as_written() {
    let (module, instructions) = body(
        "define i8 @f(i8 %x) {\n  %y = add nuw i8 %x, -1\n  %z = sub fast i8 200, %y\n  ret i8 %z\n}",
    );
    assert_eq!(instructions[0].flags, Flags::NUW);
    assert_eq!(instructions[0].operands[1].value, Value::Constant(Constant::Int(255)));
    assert_eq!(instructions[1].flags, Flags::FAST);
    assert!(module.text().contains("sub fast i8 -56, %y"));
}
