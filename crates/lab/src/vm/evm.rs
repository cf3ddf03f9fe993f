//! The EVM, through the interpreter of revm. Code is deployed once and called many times, each time with fresh
//! state. Contracts neither call others nor use storage, so there is no chain. Encoding the arguments is left to
//! the targets.

use std::fmt;

use expression::Kind;
use forge::{Behaviour, Outcome};
use num_bigint::BigInt;
use revm_interpreter::bytecode::Bytecode;
use revm_interpreter::host::DummyHost;
use revm_interpreter::interpreter::{EthInterpreter, ExtBytecode};
use revm_interpreter::primitives::Bytes;
use revm_interpreter::primitives::hardfork::SpecId;
use revm_interpreter::{
    CallInput, GasTable, InputsImpl, InstructionResult, InstructionTable, Interpreter,
    InterpreterAction, SharedMemory, gas_table, instruction_table,
};

/// More than any terminating program needs; a program that runs out of gas is not judged.
const GAS: u64 = 100_000_000;

/// The selector of `Panic(uint256)`.
const PANIC: [u8; 4] = [0x4e, 0x48, 0x7b, 0x71];

/// A deployed contract.
pub struct Evm {
    code: Bytecode,
    instructions: InstructionTable<EthInterpreter, DummyHost>,
    costs: GasTable,
}

/// How a call ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    Returned(Vec<u8>),
    Reverted(Vec<u8>),
    /// An exceptional halt, with its name.
    Halted(String),
    OutOfGas,
}

/// How the deployment of a contract ended, if it failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the contract could not be deployed: {0:?}")]
pub struct NotDeployed(pub End);

impl Evm {
    /// Runs the creation code, which returns the code of the contract. The size of either is not limited.
    pub fn deploy(creation: &[u8]) -> Result<Self, NotDeployed> {
        let mut evm = Self {
            code: Bytecode::new_legacy(Bytes::copy_from_slice(creation)),
            instructions: instruction_table(),
            costs: gas_table(),
        };
        match evm.call(vec![]) {
            End::Returned(code) => {
                evm.code = Bytecode::new_legacy(code.into());
                Ok(evm)
            }
            end => Err(NotDeployed(end)),
        }
    }

    pub fn call(&self, input: Vec<u8>) -> End {
        let spec = SpecId::OSAKA;
        let input = InputsImpl { input: CallInput::Bytes(input.into()), ..InputsImpl::default() };
        let code = ExtBytecode::new(self.code.clone());
        let mut interpreter: Interpreter<EthInterpreter> =
            Interpreter::new(SharedMemory::new(), code, input, false, spec, GAS);
        let action =
            interpreter.run_plain(&self.instructions, &self.costs, &mut DummyHost::new(spec));
        let InterpreterAction::Return(result) = action else {
            return End::Halted("calls another contract".to_owned());
        };
        match result.result {
            InstructionResult::Return | InstructionResult::Stop => {
                End::Returned(result.output.to_vec())
            }
            InstructionResult::Revert => End::Reverted(result.output.to_vec()),
            InstructionResult::OutOfGas
            | InstructionResult::MemoryOOG
            | InstructionResult::MemoryLimitOOG
            | InstructionResult::InvalidOperandOOG => End::OutOfGas,
            InstructionResult::InvalidFEOpcode => End::Halted("invalid".to_owned()),
            other => End::Halted(format!("{other:?}")),
        }
    }
}

impl fmt::Debug for Evm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Evm({} bytes)", self.code.len())
    }
}

impl End {
    /// The outcome of a call whose result is one word. The bits beyond the width of `kind` are not masked, so a
    /// word that is not properly extended gives a different value.
    pub fn outcome(self, kind: Kind) -> Outcome {
        let trap = |code: String| Outcome::Ran(Behaviour::Trap { code, output: String::new() });
        match self {
            Self::Returned(bytes) => match word_of(&bytes, kind.signed) {
                Some(number) => Outcome::Ran(Behaviour::Value(number.to_string())),
                None => trap(format!("{} bytes", bytes.len())),
            },
            Self::Reverted(bytes) => trap(revert(&bytes)),
            Self::Halted(name) => trap(name),
            Self::OutOfGas => Outcome::unobserved("the call ran out of gas"),
        }
    }
}

/// `panic 0x11`, `revert`, or `revert` with the returned bytes.
fn revert(bytes: &[u8]) -> String {
    if let Some((selector, rest)) = bytes.split_first_chunk::<4>()
        && *selector == PANIC
        && let Some(code) = word_of(rest, false)
    {
        return format!("panic 0x{code:02x}");
    }
    if bytes.is_empty() {
        return "revert".to_owned();
    }
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("revert 0x{digits}")
}

/// The big-endian number in 32 bytes.
fn word_of(bytes: &[u8], signed: bool) -> Option<BigInt> {
    (bytes.len() == 32).then(|| {
        if signed {
            BigInt::from_signed_bytes_be(bytes)
        } else {
            BigInt::from_bytes_be(num_bigint::Sign::Plus, bytes)
        }
    })
}

/// A number as 32 big-endian bytes, in two's complement.
pub fn word(number: &BigInt) -> [u8; 32] {
    let fill = if *number < BigInt::ZERO { 0xff } else { 0 };
    let bytes = number.to_signed_bytes_le();
    let mut word = [fill; 32];
    for (to, from) in word.iter_mut().rev().zip(bytes) {
        *to = from;
    }
    word
}

/// Bytes from hexadecimal digits.
pub fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    if !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    let pair = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const U256: Kind = Kind { signed: false, width: 256 };
    const I8: Kind = Kind { signed: true, width: 8 };

    fn value(text: &str) -> Outcome {
        Outcome::Ran(Behaviour::Value(text.to_owned()))
    }

    fn trap(code: &str) -> Outcome {
        Outcome::Ran(Behaviour::Trap { code: code.to_owned(), output: String::new() })
    }

    /// A contract with this code: the creation code returns the bytes that follow it.
    fn evm(runtime: &str) -> Evm {
        let code = bytes(runtime).unwrap();
        let length = u8::try_from(code.len()).unwrap();
        // PUSH1 n PUSH1 12 PUSH1 0 CODECOPY PUSH1 n PUSH1 0 RETURN
        let mut creation = vec![0x60, length, 0x60, 12, 0x60, 0, 0x39, 0x60, length, 0x60, 0, 0xf3];
        creation.extend(code);
        Evm::deploy(&creation).unwrap()
    }

    #[test]
    fn calls_return_words_and_are_independent() {
        // Returns the sum of both arguments, stored to memory that is empty before.
        let adder = evm("6000356020350160005260206000f3");
        let input = [word(&BigInt::from(2)), word(&BigInt::from(40))].concat();
        for _ in 0..2 {
            assert_eq!(adder.call(input.clone()).outcome(U256), value("42"));
        }
        let minus = [word(&BigInt::from(-3)), word(&BigInt::from(1))].concat();
        assert_eq!(adder.call(minus.clone()).outcome(I8), value("-2"));
        let all_but_two: BigInt = (BigInt::from(1) << 256) - 2;
        assert_eq!(adder.call(minus).outcome(U256), value(&all_but_two.to_string()));
    }

    #[test]
    fn failures_are_distinguished() {
        assert_eq!(evm("fe").call(vec![]).outcome(U256), trap("invalid"));
        assert_eq!(evm("00").call(vec![]).outcome(U256), trap("0 bytes"));
        assert_eq!(evm("60006000fd").call(vec![]).outcome(U256), trap("revert"));
        assert_eq!(evm("600056").call(vec![]).outcome(U256), trap("InvalidJump"));
        assert_eq!(evm("60015b6002565b").call(vec![]), End::OutOfGas);
        let panic = [&PANIC[..], &word(&BigInt::from(0x11))].concat();
        assert_eq!(End::Reverted(panic).outcome(U256), trap("panic 0x11"));
        assert_eq!(Evm::deploy(&[0xfe]).unwrap_err().0, End::Halted("invalid".to_owned()));
    }

    #[test]
    fn hexadecimal_digits_are_parsed() {
        assert_eq!(bytes("0x00ff"), Some(vec![0, 255]));
        assert_eq!(bytes("0"), None);
        assert_eq!(bytes("zz"), None);
        assert_eq!(bytes(""), Some(vec![]));
    }
}
