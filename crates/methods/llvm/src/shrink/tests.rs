//! Reductions with a predicate on the model in the place of a compiler: they end at a known minimum.

use forge::{Case, Ticket};

use crate::ir::{BinaryOp, Code, Instruction, Module, Op, Type};
use crate::method::case;
use crate::pipeline;

/// The smallest case for which the predicate holds that a greedy reduction finds.
fn reduced(text: &str, passes: &str, keeps: impl Fn(&Module, &str) -> bool) -> (Module, String) {
    let origin = Ticket::new("crossover", 1, 1).into();
    let mut current: Case = case(origin, &(pipeline::line(passes) + text), vec![]);
    let read = |case: &Case| {
        let source = &case.programs[0].source;
        (Module::parse(source).unwrap(), pipeline::of(source).unwrap_or_default().to_owned())
    };
    for _ in 0..200 {
        let smaller = super::candidates(&current).flatten().find(|it| {
            let (module, passes) = read(it);
            assert_eq!(module.verify(), Ok(()));
            keeps(&module, &passes)
        });
        match smaller {
            Some(smaller) => current = smaller,
            None => return read(&current),
        }
    }
    panic!("a reduction without an end: {}", current.programs[0].source);
}

fn codes(module: &Module) -> impl Iterator<Item = &Code> {
    module.functions.iter().filter_map(|it| it.code())
}

/// Whether there is a division of a product.
fn divides_product(module: &Module) -> bool {
    codes(module).any(|code| {
        let product = |it: &&Instruction| matches!(it.op, Op::Binary(BinaryOp::Mul));
        code.instructions().filter(product).any(|product| {
            code.instructions().any(|it| {
                matches!(it.op, Op::Binary(BinaryOp::UDiv))
                    && it.operands[0].as_local() == product.result
            })
        })
    })
}

const LARGE: &str = "\
@table = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
declare void @use(i32)
declare i32 @llvm.umax.i32(i32, i32)
define i32 @helper(i32 %a, i32 %unused) {
  %b = mul i32 %a, 3
  %c = udiv i32 %b, 7
  ret i32 %c
}
define i32 @f(i32 noundef range(i32 0, 100) %x, i32 %y, ptr nonnull align 4 %p) nounwind willreturn {
entry:
  %slot = alloca i32, align 4
  %wide = zext i32 %x to i64
  %product = mul nuw nsw i64 %wide, 9
  %quotient = udiv i64 %product, 5
  %small = trunc i64 %quotient to i32
  store volatile i32 %small, ptr %slot, align 4
  switch i32 %y, label %out [
    i32 1, label %one
    i32 2, label %two
  ]
one:
  %g = getelementptr inbounds [4 x i32], ptr @table, i64 0, i64 %wide
  %l = load i32, ptr %g, align 4, !range !{i32 0, i32 5}
  call void @use(i32 %l)
  br label %out
two:
  %h = call i32 @helper(i32 %small, i32 %y)
  br label %loop
loop:
  %i = phi i32 [ 0, %two ], [ %n, %loop ]
  %n = add i32 %i, 1
  %go = icmp ult i32 %n, %h
  br i1 %go, label %loop, label %out
out:
  %r = phi i32 [ %small, %entry ], [ %l, %one ], [ %i, %loop ]
  %m = call i32 @llvm.umax.i32(i32 %r, i32 %y)
  ret i32 %m
}
";

#[test]
fn a_large_module_is_reduced_to_the_pattern() {
    let (module, passes) = reduced(LARGE, "function(gvn,instcombine),dse", |module, passes| {
        divides_product(module) && passes.contains("instcombine")
    });
    let text = module.text();
    assert_eq!(passes, "instcombine");
    assert_eq!(module.functions.len(), 1, "{text}");
    assert!(module.globals.is_empty() && module.declarations.is_empty(), "{text}");
    let function = &module.functions[0];
    let code = function.code().unwrap();
    assert_eq!(code.instructions().count(), 3, "{text}");
    assert!(function.header.attributes.is_empty(), "{text}");
    assert!(code.instructions().all(|it| it.flags.is_empty()), "{text}");
    assert!(code.locals.iter().all(|it| it.ty.int_width() <= Some(2)), "{text}");
}

#[test]
fn vectors_and_accesses_become_plain() {
    let text = "define <4 x i32> @f(<4 x i32> %x, <4 x i32> %y, ptr %p) {\n  %v = load atomic i8, ptr \
                %p seq_cst, align 1\n  %a = shl nsw <4 x i32> %x, <i32 1, i32 2, i32 3, i32 4>\n  %b = \
                sub <4 x i32> %a, %y\n  ret <4 x i32> %b\n}\n";
    let (module, _) = reduced(text, "default<O2>", |module, _| {
        codes(module)
            .flat_map(|it| it.instructions())
            .any(|it| matches!(it.op, Op::Binary(BinaryOp::Shl)))
    });
    let text = module.text();
    let function = &module.functions[0];
    assert!(matches!(function.header.returns, Type::Int(_)), "{text}");
    assert_eq!(function.code().unwrap().instructions().count(), 2, "{text}");
    let (module, passes) = reduced(LARGE, "default<O2>", |module, passes| {
        let volatile = |it: &Instruction| matches!(&it.op, Op::Store(memory) if memory.volatile);
        codes(module).any(|it| it.instructions().any(volatile))
            && (passes.contains("default") || passes == "dse")
    });
    assert_eq!(passes, "dse");
    assert_eq!(codes(&module).flat_map(|it| it.instructions()).count(), 2, "{}", module.text());
}

/// A reduction without an end: the call stays for its effects, and each step added a parameter.
#[test]
fn a_result_without_a_use_does_not_become_a_parameter() {
    let text = "declare i8 @g()\n\
                define i8 @f() {\n  %r = call i8 @g()\n  ret i8 0\n}\n\
                define i8 @h() {\n  %r = call i8 @f()\n  ret i8 0\n}\n";
    let calls = |module: &Module| {
        let mut calls = codes(module).flat_map(Code::instructions).filter_map(|it| it.callee());
        calls.any(|callee| callee == "g") && module.functions.len() == 2
    };
    let (module, _) = reduced(text, "inline", |module, _| calls(module));
    assert!(module.functions.iter().all(|it| it.header.parameters.is_empty()), "{}", module.text());
}
