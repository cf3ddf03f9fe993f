//! Extracting functions from modules and merging modules.

use llvm::ir::Module;
use llvm::library::is_known_by_name;
use llvm::merge::Misfit;

const MODULE: &str = r#"
target triple = "x86_64-unknown-linux-gnu"

%list = type { ptr, %item }
%item = type { i32 }
%unused = type { i8 }

$shared = comdat any
$helper = comdat any

@table = internal global [2 x ptr] [ptr @data, ptr @other]
@data = global i32 1, comdat($shared), !dbg !5
@other = global ptr @"odd name"
@lonely = global i32 2
@"odd name" = alias i32, ptr @data

define i32 @entry(ptr %p) !dbg !6 {
  %a = getelementptr %list, ptr %p, i64 0, i32 1
  %v = load i32, ptr %a, align 4, !dbg !7, !access !3
  %n = call i64 @strlen(ptr @table)
  call void @helper(i32 %v)
  ret i32 %v
}

define internal void @helper(i32 %x) comdat {
  call void @use(i32 %x)
  call void @llvm.assume(i1 true)
  ret void
}

define void @jump() {
  br label %next

next:
  store ptr blockaddress(@jump, %next), ptr @lonely, align 8
  ret void
}

declare i64 @strlen(ptr)
declare void @use(i32)
declare void @llvm.assume(i1 noundef)
declare void @never()

!llvm.module.flags = !{!0}

!0 = !{i32 1, !"wchar_size", i32 4}
!3 = distinct !{!3, !4, !7}
!4 = distinct !{!"domain"}
!5 = !DIGlobalVariableExpression(var: !8, expr: !DIExpression())
!6 = distinct !DISubprogram(name: "entry")
!7 = !DILocation(line: 1, scope: !6)
!8 = distinct !DIGlobalVariable(name: "data")
"#;

fn names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    names.collect()
}

#[test]
fn a_function_is_extracted_with_what_it_needs_and_nothing_else() {
    let module = Module::parse(MODULE).unwrap();
    let part = module.extract(&["entry", "absent"]);
    assert_eq!(names(part.functions.iter().map(|it| it.name())), ["entry", "helper"]);
    assert_eq!(names(part.globals.iter().map(|it| &*it.name)), ["table", "data", "other"]);
    assert_eq!(names(part.aliases.iter().map(|it| &*it.name)), ["odd name"]);
    assert_eq!(
        names(part.declarations.iter().map(|it| &*it.header.name)),
        ["strlen", "use", "llvm.assume"]
    );
    assert_eq!(names(part.types.iter().map(|it| &*it.name)), ["list", "item"]);
    assert_eq!(part.others.len(), 2, "{:?}", part.others);
    assert_eq!(part.nodes.keys().copied().collect::<Vec<_>>(), [3, 4]);
    assert_eq!(&*part.nodes[&3], "distinct !{!3, !4}");
    assert_eq!(part.triple, module.triple);
    assert_eq!(Module::parse(&part.text()).unwrap(), part);
}

#[test]
fn merged_modules_share_nothing_but_known_declarations() {
    let module = Module::parse(MODULE).unwrap();
    let entry = module.extract(&["entry"]);
    let jump = module.extract(&["jump"]);
    let merged = Module::merge(&[&entry, &jump, &entry]);
    assert_eq!(merged.left_out, []);
    assert_eq!(
        names(merged.module.functions.iter().map(|it| it.name())),
        ["entry.0", "helper.0", "jump.1", "entry.2", "helper.2"]
    );
    assert_eq!(
        names(merged.module.declarations.iter().map(|it| &*it.header.name)),
        ["strlen", "use.0", "llvm.assume", "use.2"]
    );
    assert_eq!(&*merged.parts[2].names["odd name"], "odd name.2");
    let text = merged.module.text();
    for part in [
        "@\"odd name.2\" = alias i32, ptr @data.2",
        "$shared.0 = comdat any",
        "comdat($shared.2)",
        "blockaddress(@jump.1, %next)",
        "getelementptr %list.2, ptr %p",
        "%list.2 = type { ptr, %item.2 }",
        "!access !2",
        "!2 = distinct !{!2, !3}",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(Module::parse(&text).unwrap(), merged.module);
}

#[test]
fn modules_that_do_not_fit_together_are_left_out() {
    let parse = |text: &str| Module::parse(text).unwrap();
    let first = parse("declare ptr @malloc(i64)\ndeclare i32 @llvm.abs.i32(i32, i1)");
    let other = parse("declare ptr @malloc(i32)");
    let defined = parse("define ptr @malloc(i64 %n) {\n  ret ptr null\n}");
    let target = parse("target triple = \"arm\"");
    let layout = parse("target datalayout = \"E\"");
    let same =
        parse("declare ptr @malloc(i64)\ndeclare i32 @llvm.abs.i32(i32, i1 immarg) nounwind");
    let merged = Module::merge(&[&first, &other, &defined, &target, &layout, &same]);
    assert_eq!(
        merged.left_out,
        [
            (1, Misfit::Declaration("malloc".into())),
            (2, Misfit::Definition("malloc".into())),
            (3, Misfit::Triple),
            (4, Misfit::DataLayout),
        ]
    );
    assert_eq!(merged.parts.iter().map(|part| part.index).collect::<Vec<_>>(), [0, 5]);
    assert_eq!(merged.module.declarations.len(), 2);
}

#[test]
fn what_differing_declarations_of_a_library_function_say_goes_to_its_calls() {
    let parse = |declaration: &str| {
        let text = format!(
            "{declaration}\n\ndefine ptr @f(i64 %n) {{\n  %p = call noundef ptr @malloc(i64 %n) nounwind\n  \
             ret ptr %p\n}}\n"
        );
        Module::parse(&text).unwrap()
    };
    let plain = parse("declare ptr @malloc(i64)");
    let rich = parse(
        "declare noalias ptr @malloc(i64 noundef) allocsize(0) nounwind \"alloc-family\"=\"malloc\"",
    );
    // How a value is passed is for both sides.
    let passed = parse("declare ptr @malloc(i64 zeroext)");
    let merged = Module::merge(&[&plain, &rich, &passed]);
    assert_eq!(merged.left_out, [(2, Misfit::Declaration("malloc".into()))]);
    let text = merged.module.text();
    for part in [
        "declare ptr @malloc(i64)\n",
        "%p = call noundef ptr @malloc(i64 %n) nounwind\n",
        "%p = call noundef noalias ptr @malloc(i64 noundef %n) nounwind allocsize(0) \"alloc-family\"=\"malloc\"\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(merged.module.verify(), Ok(()));
    // A module alone stays as it is.
    let alone = Module::merge(&[&rich]).module.text();
    assert!(alone.contains("declare noalias ptr @malloc(i64 noundef) "), "{alone}");
}

#[test]
fn functions_that_llvm_knows_keep_their_names() {
    for name in ["llvm.umax.i8", "malloc", "_ZnwmSt11align_val_t", "sqrtf", "\\01fopen", "setjmp"] {
        assert!(is_known_by_name(name), "{name}");
    }
    for name in ["main", "use", "mallocs", "llvmish"] {
        assert!(!is_known_by_name(name), "{name}");
    }
}
