//! The state of an execution: the machine, the frame of a function, and why an execution stops.

use foldhash::HashMap;
use ruint::aliases::U256;

use super::value::{Object, Value};
use super::world::World;
use crate::layout::Place;
use crate::model::{FunctionId, StateId, Version};
use crate::view::View;

/// The order in which operands of one operator are evaluated, where the language leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    LeftFirst,
    RightFirst,
}

/// Why an execution does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A revert with this data.
    Revert(Vec<u8>),
    /// An invalid instruction.
    Halt,
    /// Assembly ends the call, which succeeds and returns nothing.
    Finish,
    /// It took too many steps. Nothing is known about the program.
    Fuel,
    /// The model has no meaning: it was changed by hand.
    Broken,
}

/// How a statement ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return,
}

/// The execution of one function.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) locals: Vec<Value>,
    pub(super) function: FunctionId,
    pub(super) checked: bool,
}

/// The account that executes, and what it was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub(super) account: usize,
    pub(super) value: U256,
    pub(super) depth: u8,
}

/// Executes one program.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) world: World,
    pub(super) memory: Vec<Object>,
    pub(super) context: Context,
    pub(super) order: Order,
    pub(super) planted: Option<super::planted::Planted>,
    /// Whether an operator was evaluated whose operands could show their order.
    pub(super) order_matters: bool,
    pub(super) fuel: u32,
    /// Places of state variables, per contract.
    pub(super) places: Vec<HashMap<StateId, Place>>,
    pub(super) linear: Vec<Vec<u8>>,
    /// Creator, contract and salt of each creation with a salt.
    pub(super) salts: Vec<(usize, u8, U256)>,
    /// Functions whose modifiers are executed, and the modifier that comes next.
    pub(super) modified: Vec<(Frame, usize)>,
}

/// A panic with this code; an invalid instruction before 0.8.
pub(super) fn panic(version: Version, code: u8) -> Stop {
    if version < Version::V8 {
        return Stop::Halt;
    }
    let mut data = vec![0x4e, 0x48, 0x7b, 0x71];
    data.extend(U256::from(code).to_be_bytes::<32>());
    Stop::Revert(data)
}

/// The data of `Error(string)`.
pub(super) fn error_text(text: &[u8]) -> Vec<u8> {
    let mut data = vec![0x08, 0xc3, 0x79, 0xa0];
    data.extend(U256::from(32).to_be_bytes::<32>());
    data.extend(U256::from(text.len()).to_be_bytes::<32>());
    data.extend(text);
    data.resize(data.len() + (32 - text.len() % 32) % 32, 0);
    data
}

impl Machine<'_> {
    pub(super) fn panic(&self, code: u8) -> Stop {
        panic(self.view.version(), code)
    }

    /// Counts a step.
    pub(super) fn step(&mut self) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
        Ok(())
    }
}
