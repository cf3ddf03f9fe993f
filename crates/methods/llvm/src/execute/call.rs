//! One call of a function: what is passed, and what must come back. Only inputs count on which the function is
//! defined, makes no choice and calls nothing unknown.

use std::sync::Arc;

use super::leaf::Leaf;
use super::library::{RECORD, SLOTS};
use crate::interpret::{
    BlockKey, Byte, Choices, Input, Interpreter, Lane, Limits, Memory, Outcome, Pointer, Program,
    Run, Value,
};
use crate::refine::text;

/// A call with a known answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The input, as text.
    pub input: String,
    /// The answer, as text.
    pub answer: String,
    /// The arguments, one leaf after the other, each at a multiple of 16.
    pub(super) arguments: Vec<u8>,
    /// Address and content of the blocks that arguments point to.
    pub(super) blocks: Vec<(u64, Vec<u8>)>,
    /// The global variables that the function mentions.
    pub(super) variables: Vec<Variable>,
    /// The bytes of the result that are known.
    pub(super) result: Vec<Option<u8>>,
    /// The bytes of each block, then of each variable, that are known afterwards.
    pub(super) memory: Vec<Vec<Option<u8>>>,
}

/// A global variable that is written before a call and read after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: Arc<str>,
    /// Which copy has its value.
    pub(super) number: usize,
    /// In bytes.
    pub(super) size: usize,
}

/// Steps that a call may take.
const STEPS: u32 = 5000;

/// The types of a function's arguments and result, as leaves.
#[derive(Debug)]
pub(super) struct Signature {
    pub(super) parameters: Vec<Vec<Leaf>>,
    pub(super) returns: Vec<Leaf>,
    pub(super) big_endian: bool,
}

impl Call {
    /// The bytes that the program writes, as far as they are known.
    pub fn expected(&self) -> Vec<Option<u8>> {
        self.result.iter().chain(self.memory.iter().flatten()).copied().collect()
    }

    /// How many bytes the program writes for it.
    pub fn record(&self) -> usize {
        self.result.len() + self.memory.iter().map(Vec::len).sum::<usize>()
    }

    /// How what a program wrote differs from the answer.
    pub fn difference(&self, record: &[u8]) -> Option<String> {
        let (result, mut rest) = record.split_at_checked(self.result.len())?;
        let mut parts = vec![("the result".to_owned(), &self.result, result)];
        for (index, known) in self.memory.iter().enumerate() {
            let (bytes, others) = rest.split_at_checked(known.len())?;
            let variable =
                index.checked_sub(self.blocks.len()).and_then(|at| self.variables.get(at));
            let what = match variable {
                Some(variable) => format!("@{}", variable.name),
                None => format!("block {index} of the input"),
            };
            parts.push((what, known, bytes));
            rest = others;
        }
        parts.into_iter().find_map(|(what, known, bytes)| {
            let is_other = |(known, byte): (&Option<u8>, &u8)| known.is_some_and(|it| it != *byte);
            let at = known.iter().zip(bytes).position(is_other)?;
            let hex = |bytes: &[Option<u8>]| {
                let one = |it: &Option<u8>| it.map_or("??".to_owned(), |it| format!("{it:02x}"));
                bytes.iter().map(one).collect::<Vec<_>>().join(" ")
            };
            let seen: Vec<Option<u8>> = bytes.iter().copied().map(Some).collect();
            Some(format!("{what} is {} instead of {}, from byte {at} on", hex(&seen), hex(known)))
        })
    }

    /// The call with this input, or why its answer is not known.
    pub(super) fn new(
        program: &Program,
        signature: &Signature,
        input: &Input,
        variables: &[Variable],
    ) -> Result<Self, String> {
        if input.blocks.len() as u64 > SLOTS {
            return Err("many blocks".to_owned());
        }
        let limits = Limits { steps: STEPS, ..Limits::default() };
        let mut choices = Choices::all();
        let run = Interpreter::run(program, input, &mut choices, limits);
        let (value, memory) = known(&run, &choices)?;
        let base = |index: u32| {
            let align = input.blocks.get(index as usize).map_or(1, |block| block.align);
            Memory::address(&BlockKey::Argument(index), align)
        };
        // Pointers of the input are offsets into its blocks.
        let given = |pointer: Pointer| match pointer.block {
            Pointer::NOWHERE => pointer.address,
            block => base(block).wrapping_add(pointer.address),
        };
        let mut arguments = vec![];
        for (value, leaves) in input.arguments.iter().zip(&signature.parameters) {
            for leaf in leaves {
                arguments.resize(arguments.len().next_multiple_of(16), 0);
                let value = leaf.of(value).ok_or("an argument of another shape")?;
                let bytes = leaf.bytes(value, signature.big_endian, &|it| Some(given(it)));
                arguments.extend(bytes.into_iter().map(Option::unwrap_or_default));
            }
        }
        let mut blocks = vec![];
        let mut after = vec![];
        for (index, block) in input.blocks.iter().enumerate() {
            let content = block.bytes.iter().map(|byte| match byte {
                Byte::Bits(bits) => *bits,
                Byte::Fragment(pointer, part) => (given(*pointer) >> (8 * part)) as u8,
                Byte::Uninitialised | Byte::Poison => 0,
            });
            let content: Vec<u8> = content.collect();
            let key = BlockKey::Argument(index as u32);
            let left = memory.blocks.iter().find(|block| block.key == key);
            after.push(match left {
                Some(left) if left.is_observed => {
                    left.bytes.iter().map(|byte| stored(*byte, memory)).collect()
                }
                _ => vec![None; content.len()],
            });
            blocks.push((base(index as u32), content));
        }
        for Variable { name, size, .. } in variables {
            let is_it = |key: &BlockKey| matches!(key, BlockKey::Global(other) if other == name);
            let left = memory.blocks.iter().find(|block| is_it(&block.key));
            after.push(match left {
                Some(left) => left.bytes.iter().map(|byte| stored(*byte, memory)).collect(),
                None => vec![None; *size],
            });
        }
        let mut result = vec![];
        if let Some(value) = value {
            for leaf in &signature.returns {
                let value = leaf.of(value).ok_or("a result of another shape")?;
                result.extend(leaf.bytes(value, signature.big_endian, &|it| address(it, memory)));
            }
        }
        let call = Self {
            input: text::input(input),
            answer: text::run(&run),
            arguments,
            blocks,
            variables: variables.to_vec(),
            result,
            memory: after,
        };
        if call.record() > RECORD {
            return Err("a long record".to_owned());
        }
        if call.result.iter().chain(call.memory.iter().flatten()).all(Option::is_none) {
            return Err("nothing to compare".to_owned());
        }
        Ok(call)
    }
}

/// The result and the memory of a run that has a single outcome.
fn known<'a>(run: &'a Run, choices: &Choices) -> Result<(Option<&'a Value>, &'a Memory), String> {
    let (value, memory, events) = match &run.outcome {
        Outcome::Returned { value, memory, events } => (value, memory, events),
        Outcome::Ends { reason, .. } => return Err(format!("it ends: {reason}")),
        Outcome::Undefined(_) => return Err("undefined on all inputs that were tried".to_owned()),
        Outcome::Unsupported(reason) => return Err(reason.to_string()),
        Outcome::OutOfSteps => return Err("it runs too long".to_owned()),
    };
    if choices.is_used() {
        return Err("it may choose a value".to_owned());
    }
    if let Some(reason) = &run.opaque {
        return Err(reason.to_string());
    }
    if let Some(reason) = run.narrowed {
        return Err(reason.to_owned());
    }
    if run.made_nan {
        return Err("bits of a NaN".to_owned());
    }
    if !events.is_empty() {
        return Err("calls of unknown functions".to_owned());
    }
    Ok((value.as_ref(), memory))
}

/// The address of what is at the same place in the executable: blocks of the input, global variables, and numbers.
fn address(pointer: Pointer, memory: &Memory) -> Option<u64> {
    match memory.block(pointer) {
        None => Some(pointer.address),
        Some(block) => match block.key {
            BlockKey::Argument(_) | BlockKey::Global(_) => Some(pointer.address),
            BlockKey::Function(_) | BlockKey::External(_) | BlockKey::Local(_) => None,
        },
    }
}

fn stored(byte: Byte, memory: &Memory) -> Option<u8> {
    match byte {
        Byte::Bits(bits) => Some(bits),
        Byte::Fragment(pointer, part) => Some((address(pointer, memory)? >> (8 * part)) as u8),
        Byte::Uninitialised | Byte::Poison => None,
    }
}

/// The same input without poison and undef.
pub(super) fn defined(mut input: Input) -> Input {
    for value in &mut input.arguments {
        define(value);
    }
    for block in &mut input.blocks {
        for byte in block.bytes.iter_mut() {
            if matches!(byte, Byte::Uninitialised | Byte::Poison) {
                *byte = Byte::Bits(0x5a);
            }
        }
    }
    input
}

fn define(value: &mut Value) {
    match value {
        Value::Lane(lane @ (Lane::Poison | Lane::Undef | Lane::Varying(_))) => {
            *lane = Lane::Bits(0);
        }
        Value::Lane(_) => {}
        Value::Many(many) => many.iter_mut().for_each(define),
    }
}
