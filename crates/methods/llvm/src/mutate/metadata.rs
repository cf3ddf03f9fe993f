//! Metadata of loads and calls that promises something about the value: `!range`, `!nonnull`, `!noundef`,
//! `!align`, `!dereferenceable`.

use forge::Entropy;

use super::Subject;
use super::attributes::bounds;
use crate::ir::{Attachment, Instruction, Op, Type};

/// Kinds of metadata for a load of a type, or for a call that returns it.
fn kinds(ty: &Type, is_load: bool) -> &'static [&'static str] {
    match ty {
        Type::Pointer { .. } if is_load => {
            &["nonnull", "noundef", "align", "dereferenceable", "dereferenceable_or_null"]
        }
        Type::Int(1..=64) if is_load => &["range", "noundef"],
        Type::Int(1..=64) => &["range"],
        Type::Float(_) if is_load => &["noundef"],
        _ => &[],
    }
}

fn loaded(instruction: &Instruction) -> Option<(&Type, bool)> {
    match &instruction.op {
        Op::Load(ty, _) => Some((ty, true)),
        Op::Call(call) if !call.is_asm => {
            let is_intrinsic = instruction.callee().is_some_and(|it| it.starts_with("llvm."));
            // `range` says it twice, once as an attribute.
            let has_range = call.return_attributes.has("range");
            (!is_intrinsic && !has_range).then_some((&call.returns, false))
        }
        _ => None,
    }
}

pub(super) fn toggle(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code_mut()?;
    let mut users: Vec<(&mut Instruction, &'static [&'static str])> = code
        .instructions_mut()
        .filter_map(|it| {
            let kinds = loaded(it).map(|(ty, is_load)| kinds(ty, is_load))?;
            (!kinds.is_empty()).then_some((it, kinds))
        })
        .collect();
    let at = entropy.below(users.len() as u64) as usize;
    let (instruction, kinds) = users.get_mut(at)?;
    let name = *entropy.pick(kinds)?;
    if instruction.attachment(name).is_some() {
        instruction.metadata.retain(|it| &*it.name != name);
        return Some(());
    }
    let node = match name {
        "range" => {
            let ty = loaded(instruction)?.0.clone();
            let (low, high) = bounds(ty.int_width()?, entropy)?;
            format!("!{{{ty} {low}, {ty} {high}}}")
        }
        "align" => format!("!{{i64 {}}}", 1 << entropy.below(5)),
        "dereferenceable" | "dereferenceable_or_null" => {
            format!("!{{i64 {}}}", entropy.between(1, 16))
        }
        _ => "!{}".to_owned(),
    };
    instruction.metadata.push(Attachment { name: name.into(), node: node.as_str().into() });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_of;
    use super::*;

    #[test]
    fn loads_get_promises_about_their_values() {
        let text = "define i8 @f(ptr %p) {\n  %q = load ptr, ptr %p, align 8\n  %x = load i8, ptr \
                    %q, align 1\n  ret i8 %x\n}\n";
        let made = all_of(text, 19, 200, toggle);
        for wanted in ["!range", "!nonnull", "!noundef", "!align", "!dereferenceable"] {
            assert!(made.iter().any(|it| it.contains(wanted)), "{wanted}");
        }
    }
}
