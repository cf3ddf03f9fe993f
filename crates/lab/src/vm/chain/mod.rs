//! A chain for contracts with state: creation, calls between contracts, logs, value and transient storage, executed by
//! revm with its own journal and database. A sequence of transactions runs on a fresh chain and gives one text.
//!
//! Per transaction, in order:
//!
//! ```text
//! ok 0x<return data>             (`ok` alone for a creation)
//! revert 0x<revert data>
//! halt                           (by the INVALID instruction)
//! halt <reason>                  (another exceptional halt: `stack underflow`, …)
//! log c0 0x<topic> … data=0x<data>
//! ```
//!
//! At the end, the state of all contracts: their storage slots that are not zero, sorted, then their balances that are
//! not zero:
//!
//! ```text
//! storage c0 0x<slot> 0x<value>
//! balance c0 <wei>
//! ```
//!
//! Contracts are named in the order in which their creation began, reverted creations not counted. Gas, code and
//! addresses are not part of the text. A sequence in which any call ran out of gas has no text: what it does depends
//! on gas. Every line ends with a newline.
//!
//! `transaction.rs` reads transactions, `creations.rs` keeps the order of creations.

mod creations;
mod transaction;

use std::fmt::Write as _;

use revm::context::result::{ExecutionResult, HaltReason, Output};
use revm::context::{BlockEnv, CfgEnv, Context, TxEnv};
use revm::database::{CacheDB, EmptyDB};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, B256, TxKind, U256};
use revm::state::AccountInfo;
use revm::{DatabaseCommit as _, InspectEvm as _, MainBuilder as _, MainContext as _};

use creations::Creations;
pub use transaction::{Action, BadTransaction, Transaction};

/// More than any terminating program needs, even after an inner call used up all that it was given.
const GAS: u64 = 1 << 30;
/// What programs can ask about the block and the transaction.
pub const BLOCK_NUMBER: u64 = 1_000_000;
pub const TIMESTAMP: u64 = 1_700_000_000;
pub const CHAIN_ID: u64 = 1;
/// `block.prevrandao`, and `block.difficulty` before Paris.
pub const RANDOM: u64 = 0x0123_4567_89ab_cdef;
pub const COINBASE: u64 = 0xc0;
/// `tx.gasprice` and `block.basefee`. A price would change the balances of the senders.
pub const GAS_PRICE: u64 = 0;

/// The sender who deploys libraries.
const LIBRARIAN: u64 = u64::MAX;

/// The address of the sender with a number, an account without code.
pub fn sender(number: u64) -> Address {
    let mut bytes = [0x5e; 20];
    bytes[12..].copy_from_slice(&number.to_be_bytes());
    Address::from(bytes)
}

/// The balance of each sender, in wei.
pub fn fortune() -> U256 {
    U256::from(1) << 120
}

/// Why a sequence has no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRun {
    #[error("a call ran out of gas")]
    OutOfGas,
    #[error("the transaction was not executed: {0}")]
    Refused(String),
}

/// A chain with the rules of an EVM version.
#[derive(Debug)]
pub struct Chain {
    database: CacheDB<EmptyDB>,
    rules: CfgEnv,
    /// In the order in which their creation began.
    contracts: Vec<Address>,
    /// The contract of the first creation, also if that failed.
    first: Option<Address>,
    text: String,
}

/// The rules of an EVM version by solc's name, the newest for others.
pub fn rules(evm: Option<&str>) -> SpecId {
    match evm.unwrap_or_default() {
        "homestead" => SpecId::HOMESTEAD,
        "tangerineWhistle" => SpecId::TANGERINE,
        "spuriousDragon" => SpecId::SPURIOUS_DRAGON,
        "byzantium" => SpecId::BYZANTIUM,
        // Constantinople had an instruction that Petersburg repaired before either was used.
        "constantinople" | "petersburg" => SpecId::PETERSBURG,
        "istanbul" => SpecId::ISTANBUL,
        "berlin" => SpecId::BERLIN,
        "london" => SpecId::LONDON,
        "paris" => SpecId::MERGE,
        "shanghai" => SpecId::SHANGHAI,
        "cancun" => SpecId::CANCUN,
        "prague" => SpecId::PRAGUE,
        _ => SpecId::OSAKA,
    }
}

impl Chain {
    pub fn new(spec: SpecId) -> Self {
        let mut rules = CfgEnv::new_with_spec(spec);
        rules.chain_id = CHAIN_ID;
        rules.tx_chain_id_check = false;
        rules.disable_nonce_check = true;
        rules.limit_contract_code_size = Some(usize::MAX);
        rules.limit_contract_initcode_size = Some(usize::MAX);
        rules.tx_gas_limit_cap = Some(u64::MAX);
        let database = CacheDB::default();
        Self { database, rules, contracts: vec![], first: None, text: String::new() }
    }

    /// Runs the creation code with the transaction's data appended: the arguments of the constructor.
    pub fn create(&mut self, code: &[u8], transaction: &Transaction) -> Result<(), NotRun> {
        let data = [code, &transaction.data].concat();
        self.execute(TxKind::Create, data, transaction)
    }

    /// Calls the contract that was created first.
    pub fn call(&mut self, transaction: &Transaction) -> Result<(), NotRun> {
        let to = self.first.unwrap_or_else(|| sender(0).create(0));
        self.execute(TxKind::Call(to), transaction.data.clone(), transaction)
    }

    /// Deploys a library that contracts are linked with. It has no name and is not part of the text.
    pub fn deploy_library(&mut self, code: &[u8]) -> Result<Address, NotRun> {
        let action = Action::Create(String::new());
        let data = vec![];
        let transaction = Transaction { action, from: LIBRARIAN, value: U256::ZERO, data };
        let (first, text, known) = (self.first, self.text.clone(), self.contracts.len());
        self.create(code, &transaction)?;
        let created = self.contracts.get(known).copied();
        self.contracts.truncate(known);
        (self.first, self.text) = (first, text);
        created.ok_or_else(|| NotRun::Refused("a library could not be deployed".to_owned()))
    }

    fn execute(
        &mut self,
        kind: TxKind,
        data: Vec<u8>,
        transaction: &Transaction,
    ) -> Result<(), NotRun> {
        let refused = |why: String| NotRun::Refused(why);
        let caller = sender(transaction.from);
        let account = self.database.load_account(caller).map_err(|it| refused(it.to_string()))?;
        if account.info.balance.is_zero() && account.info.nonce == 0 {
            self.database.insert_account_info(caller, AccountInfo::from_balance(fortune()));
        }
        let nonce = self.database.cache.accounts.get(&caller).map_or(0, |it| it.info.nonce);
        let transaction = TxEnv {
            caller,
            gas_limit: GAS,
            gas_price: u128::from(GAS_PRICE),
            kind,
            value: transaction.value,
            data: data.into(),
            nonce,
            chain_id: None,
            ..TxEnv::default()
        };
        let context = Context::mainnet()
            .with_cfg(self.rules.clone())
            .with_block(block())
            .with_db(&mut self.database);
        let mut evm = context.build_mainnet_with_inspector(Creations::default());
        let executed = evm.inspect_tx(transaction).map_err(|it| refused(it.to_string()))?;
        let creations = std::mem::take(&mut evm.inspector);
        self.database.commit(executed.state);
        if creations.ran_out_of_gas {
            return Err(NotRun::OutOfGas);
        }
        self.contracts.extend(creations.addresses());
        if kind == TxKind::Create && self.first.is_none() {
            self.first = Some(caller.create(nonce));
        }
        self.tell(executed.result)
    }

    fn tell(&mut self, result: ExecutionResult) -> Result<(), NotRun> {
        match result {
            ExecutionResult::Success { logs, output, .. } => {
                match output {
                    Output::Call(data) => self.line(&format!("ok {data}")),
                    Output::Create(..) => self.line("ok"),
                }
                for log in logs {
                    let mut line = format!("log {}", self.name(log.address));
                    for topic in log.data.topics() {
                        let _ = write!(line, " {topic}");
                    }
                    self.line(&format!("{line} data={}", log.data.data));
                }
            }
            ExecutionResult::Revert { output, .. } => self.line(&format!("revert {output}")),
            ExecutionResult::Halt { reason: HaltReason::OutOfGas(_), .. } => {
                return Err(NotRun::OutOfGas);
            }
            ExecutionResult::Halt { reason: HaltReason::InvalidFEOpcode, .. } => {
                self.line("halt");
            }
            ExecutionResult::Halt { reason, .. } => self.line(&format!("halt {reason}")),
        }
        Ok(())
    }

    /// The text, with the state of all contracts at its end.
    pub fn finish(mut self) -> String {
        let mut balances = vec![];
        for (number, address) in self.contracts.clone().into_iter().enumerate() {
            let Some(account) = self.database.cache.accounts.get(&address) else { continue };
            balances.push((number, account.info.balance));
            let mut slots: Vec<(U256, U256)> =
                account.storage.iter().map(|(slot, value)| (*slot, *value)).collect();
            slots.retain(|(_, value)| !value.is_zero());
            slots.sort_unstable();
            for (slot, value) in slots {
                let (slot, value) = (B256::from(slot), B256::from(value));
                self.line(&format!("storage c{number} {slot} {value}"));
            }
        }
        for (number, balance) in balances.into_iter().filter(|(_, it)| !it.is_zero()) {
            self.line(&format!("balance c{number} {balance}"));
        }
        self.text
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn name(&self, address: Address) -> String {
        let number = self.contracts.iter().position(|it| *it == address);
        number.map_or_else(|| "unknown".to_owned(), |number| format!("c{number}"))
    }
}

fn block() -> BlockEnv {
    BlockEnv {
        number: U256::from(BLOCK_NUMBER),
        beneficiary: Address::left_padding_from(&COINBASE.to_be_bytes()),
        timestamp: U256::from(TIMESTAMP),
        gas_limit: u64::MAX,
        basefee: GAS_PRICE,
        difficulty: U256::from(RANDOM),
        prevrandao: Some(B256::from(U256::from(RANDOM))),
        ..BlockEnv::default()
    }
}

#[cfg(test)]
mod tests;
