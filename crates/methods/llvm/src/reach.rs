//! Whether an oracle can be expected to judge a function: from its text alone, so that what a ticket draws
//! does not change whenever an oracle learns something. It decides how often a seed is drawn, nothing else.

use crate::ir::{FloatKind, Function, Instruction, Module, Op, Type};

/// First words of intrinsics behind `llvm.` without a model: those of targets, and those about coroutines,
/// garbage collection, exceptions, stacks and vector predication.
const OUT_OF_REACH: &str = "\
    aarch64 amdgcn arm bpf dx hexagon loongarch mips nvvm ppc r600 riscv s390 spv ve wasm x86 xcore \
    asan call coro eh experimental frameaddress gc gcread gcroot gcwrite get hwasan icall init instrprof \
    invariant load localaddress localescape localrecover masked matrix preserve profile ptrauth \
    read_register read_volatile_register returnaddress seh set sponentry stackprotector stackrestore \
    stacksave structured swift type va_copy va_end va_start var vp write_register xray";

/// Whether there is nothing in a function that both oracles lack.
pub fn is_in_reach(module: &Module, function: &Function) -> bool {
    let Some(code) = function.code() else { return false };
    let attributes = &function.header.attributes;
    !function.header.variadic
        && !attributes.has("presplitcoroutine")
        && !attributes.has("strictfp")
        && !attributes.has("naked")
        && module.aliases.is_empty()
        && is_plain(&function.header.returns)
        && code.locals.iter().all(|local| is_plain(&local.ty))
        && code.instructions().all(is_plain_instruction)
}

fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Int(width) => *width <= 128,
        Type::Float(kind) => !matches!(kind, FloatKind::X86Fp80 | FloatKind::PpcFp128),
        Type::Pointer { space, .. } => *space == 0,
        Type::Vector { scalable, of, lanes } => !scalable && *lanes <= 64 && is_plain(of),
        Type::Array { of, length } => *length <= 1024 && is_plain(of),
        Type::Struct { fields, .. } => fields.iter().all(is_plain),
        Type::Void | Type::Named(_) => true,
        Type::Function { .. } | Type::Label | Type::Token | Type::Metadata | Type::Other(_) => {
            false
        }
    }
}

fn is_plain_instruction(instruction: &Instruction) -> bool {
    let known = match &instruction.op {
        Op::Call(call) => !call.is_asm && instruction.callee().is_none_or(is_plain_callee),
        Op::Invoke { .. }
        | Op::LandingPad { .. }
        | Op::Resume
        | Op::IndirectBranch(_)
        | Op::VaArg(_)
        | Op::Fence(_) => false,
        Op::Alloca { modifier, .. } => modifier.is_none(),
        _ => true,
    };
    known && instruction.operands.iter().all(|operand| is_plain(&operand.ty))
}

fn is_plain_callee(name: &str) -> bool {
    let Some(intrinsic) = name.strip_prefix("llvm.") else { return true };
    let first = intrinsic.split('.').next().unwrap_or(intrinsic);
    !OUT_OF_REACH.split_whitespace().any(|it| it == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_judged(text: &str) -> bool {
        let module = Module::parse(text).unwrap();
        is_in_reach(&module, &module.functions[0])
    }

    #[test]
    fn integers_memory_and_loops_are_in_reach_and_targets_are_not() {
        assert!(is_judged(
            "declare i8 @llvm.umin.i8(i8, i8)\ndefine i8 @f(ptr %p) {\n  %x = load i8, ptr %p\n  \
             %y = call i8 @llvm.umin.i8(i8 %x, i8 1)\n  ret i8 %y\n}\n"
        ));
        assert!(!is_judged(
            "declare i8 @llvm.x86.f(i8)\ndefine i8 @f(i8 %x) {\n  %y = call i8 @llvm.x86.f(i8 %x)\n  \
             ret i8 %y\n}\n"
        ));
        assert!(!is_judged(
            "define <vscale x 2 x i8> @f(<vscale x 2 x i8> %x) {\n  ret <vscale x 2 x i8> %x\n}\n"
        ));
    }
}
