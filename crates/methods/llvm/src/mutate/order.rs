//! The order of instructions: two neighbours that do not depend on each other change places.

use forge::Entropy;

use super::Subject;
use crate::ir::{BlockId, Instruction, Op};

pub(super) fn exchange(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code_mut()?;
    let mut pairs: Vec<(BlockId, usize)> = vec![];
    for block in code.block_ids() {
        let instructions = &code.block(block).instructions;
        for (index, pair) in instructions.windows(2).enumerate() {
            let depends = pair[0].result.is_some_and(|result| {
                pair[1].operands.iter().any(|it| it.as_local() == Some(result))
            });
            if !depends && pair.iter().all(is_pure) {
                pairs.push((block, index));
            }
        }
    }
    let (block, index) = *entropy.pick(&pairs)?;
    code.block_mut(block).instructions.swap(index, index + 1);
    Some(())
}

/// Whether it only computes a value.
fn is_pure(instruction: &Instruction) -> bool {
    matches!(
        instruction.op,
        Op::Binary(_)
            | Op::FloatBinary(_)
            | Op::FNeg
            | Op::ICmp(_)
            | Op::FCmp(_)
            | Op::Select
            | Op::Freeze
            | Op::Cast(..)
            | Op::GetElementPtr { .. }
            | Op::ExtractElement
            | Op::InsertElement
            | Op::ShuffleVector(..)
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_of;
    use super::*;

    #[test]
    fn only_independent_instructions_change_places() {
        let text = "define i8 @f(i8 %x) {\n  %a = add i8 %x, 1\n  %b = mul i8 %x, 3\n  \
                    %c = xor i8 %a, %b\n  ret i8 %c\n}\n";
        let made = all_of(text, 19, 8, exchange);
        assert!(made.iter().all(|it| it.find("%b = mul") < it.find("%a = add")));
        assert!(!made.is_empty());
    }
}
