//! Runs a sequence of transactions and writes down what can be observed.

use std::fmt::Write as _;

use foldhash::{HashMap, HashMapExt as _};
use ruint::aliases::U256;

use super::frame::{Context, Machine, Order, Stop};
use super::planted::Planted;
use super::world::World;
use crate::abi;
use crate::interface::Entry;
use crate::model::{TypeId, Version};
use crate::view::View;

/// A transaction of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Transaction {
    pub value: u64,
    /// The arguments of the constructor for the first one, calldata for others.
    pub data: Vec<u8>,
    pub sender: u8,
}

/// The number of steps that a sequence may take.
const FUEL: u32 = 60_000;

/// The behaviour of the first contract to be created, in one order of evaluation, and whether another order could
/// make a difference. `None` if it takes too long or has no meaning.
pub fn run(
    view: &View<'_>,
    contract: u8,
    entries: &[Entry],
    sequence: &[Transaction],
    order: Order,
) -> Option<(String, bool)> {
    run_planted(view, contract, entries, sequence, order, None)
}

/// The same with a mistake of a past compiler.
pub fn run_planted(
    view: &View<'_>,
    contract: u8,
    entries: &[Entry],
    sequence: &[Transaction],
    order: Order,
    planted: Option<Planted>,
) -> Option<(String, bool)> {
    let mut places = vec![];
    let mut linear = vec![];
    for number in 0..view.template.contracts.len() as u8 {
        let mut map = HashMap::new();
        map.extend(view.state_places(number));
        places.push(map);
        linear.push(view.linearised(number));
    }
    let mut machine = Machine {
        view,
        world: World::default(),
        memory: vec![],
        context: Context { account: 0, value: U256::ZERO, depth: 0 },
        order,
        planted,
        order_matters: false,
        fuel: FUEL,
        places,
        linear,
        salts: vec![],
        modified: vec![],
    };
    let mut out = String::new();
    for (index, transaction) in sequence.iter().enumerate() {
        machine.memory.clear();
        let result = if index == 0 {
            machine.deploy(contract, transaction)
        } else {
            machine.message(entries, transaction)
        };
        let text = match result {
            Ok(None) => "ok".to_owned(),
            Ok(Some(data)) => format!("ok 0x{}", Hex(&data)),
            Err(Stop::Revert(data)) => format!("revert 0x{}", Hex(&data)),
            // Which failures are which changed from release to release.
            Err(Stop::Halt) if view.version() < Version::V4Late => "revert 0x".to_owned(),
            Err(Stop::Halt) => "halt".to_owned(),
            Err(Stop::Finish | Stop::Fuel | Stop::Broken) => return None,
        };
        out.push_str(&text);
        out.push('\n');
        for log in &machine.world.logs {
            // Writing to a string cannot fail.
            let _ = write!(out, "log c{}", log.account);
            for topic in &log.topics {
                let _ = write!(out, " 0x{}", Hex(topic));
            }
            let _ = writeln!(out, " data=0x{}", Hex(&log.data));
        }
        machine.world.commit();
        if index == 0 && machine.world.accounts.is_empty() {
            // There is no code at the address: calls succeed and return nothing.
            sequence[1..].iter().for_each(|_| out.push_str("ok 0x\n"));
            break;
        }
    }
    machine.world.write(&mut out);
    Some((out, machine.order_matters))
}

/// Bytes as hexadecimal digits.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut buffer = [0; 64];
        for chunk in self.0.chunks(32) {
            for (index, byte) in chunk.iter().enumerate() {
                buffer[index * 2] = DIGITS[usize::from(byte >> 4)];
                buffer[index * 2 + 1] = DIGITS[usize::from(byte & 15)];
            }
            out.write_str(std::str::from_utf8(&buffer[..chunk.len() * 2]).unwrap_or_default())?;
        }
        Ok(())
    }
}

impl World {
    /// Storage and balances at the end.
    fn write(&self, out: &mut String) {
        for (index, account) in self.accounts.iter().enumerate() {
            let mut slots: Vec<(&U256, &U256)> = account.storage.iter().collect();
            slots.sort_unstable();
            for (slot, value) in slots {
                let _ = writeln!(out, "storage c{index} 0x{slot:064x} 0x{value:064x}");
            }
        }
        for (index, account) in self.accounts.iter().enumerate() {
            if !account.balance.is_zero() {
                let _ = writeln!(out, "balance c{index} {}", account.balance);
            }
        }
    }
}

impl Machine<'_> {
    fn deploy(&mut self, contract: u8, transaction: &Transaction) -> Result<Option<Vec<u8>>, Stop> {
        let template = self.view.template;
        let it = template.contracts.get(usize::from(contract)).ok_or(Stop::Broken)?;
        let types: Vec<TypeId> = it
            .constructor
            .map_or_else(Vec::new, |id| template.functions[usize::from(id)].parameter_types());
        let decoded = abi::decode(self.view, &types, &transaction.data);
        let data = decoded.map_err(|malformed| self.malformed(malformed))?;
        self.construct(contract, &data, U256::from(transaction.value), true)?;
        Ok(None)
    }

    fn message(
        &mut self,
        entries: &[Entry],
        transaction: &Transaction,
    ) -> Result<Option<Vec<u8>>, Stop> {
        let mark = self.world.mark();
        let value = U256::from(transaction.value);
        self.transfer(0, 0, value, true);
        self.context = Context { account: 0, value, depth: 1 };
        let contract = self.world.accounts[0].contract;
        let result = self.dispatched(contract, entries, &transaction.data);
        self.context = Context { account: 0, value: U256::ZERO, depth: 0 };
        self.modified.clear();
        let result = self.finished(result, mark);
        if result.is_err() {
            self.world.roll_back(mark);
        }
        result.map(Some)
    }
}
