//! Rules that only some versions of LLVM or some targets check. What is generated obeys them all, so that one case is valid
//! for every version; the tests of a corpus need not.

use super::{Invalid, Problem, Verifier};
use crate::interpret::Layout;
use crate::ir::{CastOp, Constant, Function, Instruction, Op, Type};

impl Verifier<'_> {
    /// Whether every version accepts a function that is valid.
    pub fn for_every_version(&self, function: &Function) -> Result<(), Invalid> {
        let triple = self.module.triple.as_deref().unwrap_or_default();
        let is_amdgpu = triple.starts_with("amdgcn");
        for instruction in function.code().into_iter().flat_map(|code| code.instructions()) {
            let problem = match &instruction.op {
                Op::Alloca { space, .. } if is_amdgpu && *space != AMDGPU_PRIVATE => {
                    Some(Problem::AllocaSpace)
                }
                Op::Cast(CastOp::PtrToAddr, to) if !self.has_address_width(instruction, to) => {
                    Some(Problem::AddressWidth)
                }
                _ if is_conditional_bundle(instruction) => Some(Problem::AssumeBundle),
                _ if is_wide_bundle(instruction) => Some(Problem::WideBundle),
                _ if takes_intrinsic(instruction) => Some(Problem::IntrinsicAddress),
                _ if is_narrow_stride(instruction) => Some(Problem::Stride),
                _ if has_many_exponents(instruction) => Some(Problem::Exponents),
                _ if self.is_odd_mask(instruction) => Some(Problem::PointerMask),
                _ => None,
            };
            if let Some(problem) = problem {
                return Err(Invalid::in_item(&function.header.name, problem));
            }
        }
        Ok(())
    }

    /// The address of a pointer has as many bits as an index into its address space.
    fn has_address_width(&self, instruction: &Instruction, to: &Type) -> bool {
        let Some(Type::Pointer { space, .. }) = instruction.operands.first().map(|it| it.ty.lane())
        else {
            return false;
        };
        to.lane().int_width() == Some(Layout::of(self.module).index_bits_of(*space))
    }

    /// The mask of a pointer has as many bits as an index into its address space.
    fn is_odd_mask(&self, instruction: &Instruction) -> bool {
        let is_mask = instruction.callee().is_some_and(|it| it.starts_with("llvm.ptrmask."));
        let [pointer, mask, ..] = &instruction.operands[..] else { return false };
        let Type::Pointer { space, .. } = pointer.ty.lane() else { return false };
        is_mask && mask.ty.lane().int_width() != Some(Layout::of(self.module).index_bits_of(*space))
    }
}

/// The columns of a matrix in memory are at least as far apart as they are long.
fn is_narrow_stride(instruction: &Instruction) -> bool {
    let callee = instruction.callee().unwrap_or_default();
    // The address, the stride, whether it is volatile, rows and columns; a store has the matrix before them.
    let at = match callee.strip_prefix("llvm.matrix.column.major.") {
        Some(rest) if rest.starts_with("load.") => 1,
        Some(rest) if rest.starts_with("store.") => 2,
        _ => return false,
    };
    let number = |at: usize| instruction.operands.get(at)?.as_constant()?.as_int();
    matches!((number(at), number(at + 2)), (Some(stride), Some(rows)) if stride < rows)
}

/// The exponent of `powi` is one number, also for a vector. No verifier checks it, and passes crash on others.
fn has_many_exponents(instruction: &Instruction) -> bool {
    let is_powi = instruction.callee().is_some_and(|it| it.starts_with("llvm.powi."));
    is_powi && instruction.operands.get(1).is_some_and(|it| it.ty.is_vector())
}

/// The address space of local variables on AMD's GPUs.
const AMDGPU_PRIVATE: u32 = 5;

/// From 23 on, an assumption with bundles has no condition but `true`.
fn is_conditional_bundle(instruction: &Instruction) -> bool {
    let Op::Call(call) = &instruction.op else { return false };
    let condition = instruction.operands.first().and_then(|it| it.as_constant());
    !call.bundles.is_empty()
        && instruction.callee() == Some("llvm.assume")
        && condition != Some(&Constant::Int(1))
}

/// The sizes and alignments that an assumption is about have at most 64 bits.
fn is_wide_bundle(instruction: &Instruction) -> bool {
    let Op::Call(call) = &instruction.op else { return false };
    let is_wide = |ty: &Type| ty.int_width().is_some_and(|width| width > 64);
    !call.bundles.is_empty()
        && instruction.callee() == Some("llvm.assume")
        && instruction.operands.iter().any(|it| is_wide(&it.ty))
}

fn takes_intrinsic(instruction: &Instruction) -> bool {
    let callee = instruction.callee().is_some().then(|| instruction.operands.len() - 1);
    instruction.operands.iter().enumerate().any(|(at, operand)| {
        let is_intrinsic = matches!(operand.as_constant(),
            Some(Constant::Global(name)) if name.starts_with("llvm."));
        is_intrinsic && Some(at) != callee
    })
}

#[cfg(test)]
mod tests {
    use crate::ir::Module;
    use crate::verify::{Problem, Verifier};

    fn problem(text: &str) -> Option<Problem> {
        let module = Module::parse(text).unwrap();
        assert_eq!(module.verify(), Ok(()));
        let checked = Verifier::new(&module).for_every_version(&module.functions[0]);
        checked.err().map(|invalid| invalid.problem)
    }

    #[test]
    fn an_assumption_with_bundles_has_no_condition() {
        let assume = |condition: &str, bundle: &str| {
            problem(&format!(
                "declare void @llvm.assume(i1)\ndefine void @f(i1 %c, ptr %p) {{\n  \
                 call void @llvm.assume(i1 {condition}){bundle}\n  ret void\n}}\n"
            ))
        };
        let bundle = " [ \"nonnull\"(ptr %p) ]";
        assert_eq!(assume("true", bundle), None);
        assert_eq!(assume("%c", ""), None);
        assert_eq!(assume("%c", bundle), Some(Problem::AssumeBundle));
        let aligned = |ty: &str| assume("true", &format!(" [ \"align\"(ptr %p, {ty} 8) ]"));
        assert_eq!(aligned("i64"), None);
        assert_eq!(aligned("i128"), Some(Problem::WideBundle));
    }

    #[test]
    fn local_variables_of_amd_gpus_have_an_address_space() {
        let alloca = |triple: &str, space: &str| {
            problem(&format!(
                "target triple = \"{triple}\"\ndefine void @f() {{\n  %a = alloca i8, align 1{space}\n  \
                 ret void\n}}\n"
            ))
        };
        assert_eq!(alloca("x86_64", ""), None);
        assert_eq!(alloca("amdgcn-amd-amdhsa", ""), Some(Problem::AllocaSpace));
        assert_eq!(alloca("amdgcn-amd-amdhsa", ", addrspace(5)"), None);
    }

    #[test]
    fn columns_of_a_matrix_do_not_overlap() {
        let load = |stride: &str| {
            problem(&format!(
                "declare <4 x double> @llvm.matrix.column.major.load.v4f64.i64(ptr, i64, i1, i32, i32)\n\
                 define <4 x double> @f(ptr %p, i64 %n) {{\n  %m = call <4 x double> \
                 @llvm.matrix.column.major.load.v4f64.i64(ptr %p, i64 {stride}, i1 false, i32 2, i32 2)\n  \
                 ret <4 x double> %m\n}}\n"
            ))
        };
        assert_eq!(load("2"), None);
        assert_eq!(load("%n"), None);
        assert_eq!(load("1"), Some(Problem::Stride));
    }

    #[test]
    fn the_exponent_of_powi_is_no_vector() {
        let powi = |suffix: &str, ty: &str| {
            problem(&format!(
                "declare <2 x float> @llvm.powi.v2f32.{suffix}(<2 x float>, {ty})\n\
                 define <2 x float> @f(<2 x float> %x, {ty} %n) {{\n  %r = call <2 x float> \
                 @llvm.powi.v2f32.{suffix}(<2 x float> %x, {ty} %n)\n  ret <2 x float> %r\n}}\n"
            ))
        };
        assert_eq!(powi("i32", "i32"), None);
        assert_eq!(powi("v2i32", "<2 x i32>"), Some(Problem::Exponents));
    }

    #[test]
    fn a_mask_of_a_pointer_has_the_width_of_its_indices() {
        let mask = |layout: &str, width: u32| {
            problem(&format!(
                "{layout}declare ptr @llvm.ptrmask.p0.i{width}(ptr, i{width})\n\
                 define ptr @f(ptr %p) {{\n  \
                 %m = call ptr @llvm.ptrmask.p0.i{width}(ptr %p, i{width} 2)\n  ret ptr %m\n}}\n"
            ))
        };
        assert_eq!(mask("", 64), None);
        assert_eq!(mask("", 16), Some(Problem::PointerMask));
        let layout = "target datalayout = \"p:64:64:64:32\"\n";
        assert_eq!(mask(layout, 32), None);
        assert_eq!(mask(layout, 64), Some(Problem::PointerMask));
    }

    #[test]
    fn an_address_has_the_width_of_its_indices() {
        let address = |layout: &str, ty: &str| {
            problem(&format!(
                "{layout}define {ty} @f(ptr %p) {{\n  %a = ptrtoaddr ptr %p to {ty}\n  ret {ty} %a\n}}\n"
            ))
        };
        assert_eq!(address("", "i64"), None);
        assert_eq!(address("", "i32"), Some(Problem::AddressWidth));
        let layout = "target datalayout = \"p:64:64:64:32\"\n";
        assert_eq!(address(layout, "i32"), None);
        assert_eq!(address(layout, "i64"), Some(Problem::AddressWidth));
    }

    #[test]
    fn intrinsics_are_called_and_nothing_else() {
        let text = "declare i8 @llvm.ctpop.i8(i8)\ndeclare void @g(ptr)\ndefine void @f() {\n  \
                    call void @g(ptr @llvm.ctpop.i8)\n  ret void\n}\n";
        assert_eq!(problem(text), Some(Problem::IntrinsicAddress));
    }
}
