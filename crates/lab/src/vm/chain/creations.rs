//! Records which contracts a transaction creates, in the order in which their creation begins. Creations that are
//! reverted, with or by the call that they belong to, are removed again. Also notes whether any call ran out of gas.

use revm::Inspector;
use revm::handler::FrameResult;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::{FrameInput, InstructionResult};
use revm::primitives::Address;

#[derive(Debug, Default)]
pub(super) struct Creations {
    /// An address is known when the creation ends.
    begun: Vec<Option<Address>>,
    /// The length of `begun` at the start of each call or creation in progress.
    open: Vec<usize>,
    pub(super) ran_out_of_gas: bool,
}

impl Creations {
    pub(super) fn addresses(&self) -> impl Iterator<Item = Address> + '_ {
        self.begun.iter().copied().flatten()
    }
}

impl<C> Inspector<C, EthInterpreter, FrameInput, FrameResult> for Creations {
    fn frame_start(&mut self, _: &mut C, input: &mut FrameInput) -> Option<FrameResult> {
        self.open.push(self.begun.len());
        if matches!(input, FrameInput::Create(_)) {
            self.begun.push(None);
        }
        None
    }

    fn frame_end(&mut self, _: &mut C, _: &FrameInput, result: &mut FrameResult) {
        let start = self.open.pop().unwrap_or(0);
        let ended = result.interpreter_result().result;
        self.ran_out_of_gas |= matches!(
            ended,
            InstructionResult::OutOfGas
                | InstructionResult::MemoryOOG
                | InstructionResult::MemoryLimitOOG
                | InstructionResult::PrecompileOOG
                | InstructionResult::InvalidOperandOOG
                | InstructionResult::ReentrancySentryOOG
        );
        match result {
            _ if !ended.is_ok() => self.begun.truncate(start),
            FrameResult::Create(outcome) => {
                if let Some(begun) = self.begun.get_mut(start) {
                    *begun = outcome.address;
                }
            }
            FrameResult::Call(_) => {}
        }
    }
}
