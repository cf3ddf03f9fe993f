//! Accounts, logs, and the journal that takes back what a reverted call did.

use foldhash::{HashMap, HashMapExt as _};
use ruint::aliases::U256;

/// An account with code.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) contract: u8,
    pub(super) storage: HashMap<U256, U256>,
    pub(super) transient: HashMap<U256, U256>,
    pub(super) immutables: HashMap<u16, U256>,
    pub(super) balance: U256,
}

/// A log entry.
#[derive(Clone, Debug)]
pub(super) struct Log {
    pub(super) account: usize,
    pub(super) topics: Vec<[u8; 32]>,
    pub(super) data: Vec<u8>,
}

#[derive(Debug)]
enum Undo {
    Storage(usize, U256, U256),
    Transient(usize, U256, U256),
    Balance(usize, U256),
}

/// A point that the world can be rolled back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    undo: usize,
    accounts: usize,
    logs: usize,
}

/// The state of the chain.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) accounts: Vec<Account>,
    pub(super) logs: Vec<Log>,
    undo: Vec<Undo>,
}

impl World {
    pub(super) fn create(&mut self, contract: u8, balance: U256) -> usize {
        self.accounts.push(Account {
            contract,
            storage: HashMap::new(),
            transient: HashMap::new(),
            immutables: HashMap::new(),
            balance,
        });
        self.accounts.len() - 1
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { undo: self.undo.len(), accounts: self.accounts.len(), logs: self.logs.len() }
    }

    pub(super) fn roll_back(&mut self, mark: Mark) {
        while self.undo.len() > mark.undo {
            match self.undo.pop() {
                Some(Undo::Storage(account, slot, value)) => {
                    put(&mut self.accounts[account].storage, slot, value);
                }
                Some(Undo::Transient(account, slot, value)) => {
                    put(&mut self.accounts[account].transient, slot, value);
                }
                Some(Undo::Balance(account, value)) => self.accounts[account].balance = value,
                None => {}
            }
        }
        self.accounts.truncate(mark.accounts);
        self.logs.truncate(mark.logs);
    }

    /// Ends a transaction: it can no longer be taken back.
    pub(super) fn commit(&mut self) {
        self.undo.clear();
        self.logs.clear();
        for account in &mut self.accounts {
            account.transient.clear();
        }
    }

    pub(super) fn load(&self, account: usize, slot: U256, transient: bool) -> U256 {
        let account = &self.accounts[account];
        let slots = if transient { &account.transient } else { &account.storage };
        slots.get(&slot).copied().unwrap_or_default()
    }

    pub(super) fn store(&mut self, account: usize, slot: U256, value: U256, transient: bool) {
        let old = self.load(account, slot, transient);
        if old == value {
            return;
        }
        let it = &mut self.accounts[account];
        if transient {
            self.undo.push(Undo::Transient(account, slot, old));
            put(&mut it.transient, slot, value);
        } else {
            self.undo.push(Undo::Storage(account, slot, old));
            put(&mut it.storage, slot, value);
        }
    }

    pub(super) fn set_balance(&mut self, account: usize, value: U256) {
        let old = std::mem::replace(&mut self.accounts[account].balance, value);
        self.undo.push(Undo::Balance(account, old));
    }
}

fn put(slots: &mut HashMap<U256, U256>, slot: U256, value: U256) {
    if value.is_zero() {
        slots.remove(&slot);
    } else {
        slots.insert(slot, value);
    }
}
