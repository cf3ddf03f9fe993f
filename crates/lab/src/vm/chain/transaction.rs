//! One transaction as text: `create C value=0 data=0x…` or `call from=1 value=5 data=0x…`. The name of a contract can
//! be preceded by its file: `case.sol:C`.

use revm::primitives::U256;

use crate::vm::evm::bytes;

/// One transaction of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    pub action: Action,
    /// The number of the sender.
    pub from: u64,
    /// In wei.
    pub value: U256,
    /// The arguments of the constructor, or the call data.
    pub data: Vec<u8>,
}

/// What a transaction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Creates a contract, by its name in the source.
    Create(String),
    /// Calls the contract that was created first.
    Call,
}

/// A text that is no transaction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a transaction ({why}): write `create CONTRACT value=0 data=0x…` or \
     `call from=0 value=0 data=0x…`"
)]
pub struct BadTransaction {
    pub text: String,
    pub why: String,
}

impl Transaction {
    pub fn parse(text: &str) -> Result<Self, BadTransaction> {
        let bad = |why: String| BadTransaction { text: text.to_owned(), why };
        let mut words = text.split_whitespace();
        let action = match words.next() {
            Some("create") => {
                let name = words.next().filter(|name| !name.contains('='));
                Action::Create(name.ok_or_else(|| bad("no contract is named".into()))?.to_owned())
            }
            Some("call") => Action::Call,
            _ => return Err(bad("it begins with neither `create` nor `call`".into())),
        };
        let mut transaction = Self { action, from: 0, value: U256::ZERO, data: vec![] };
        for word in words {
            let wrong = || bad(format!("`{word}` is wrong"));
            let (field, value) = word.split_once('=').ok_or_else(wrong)?;
            match field {
                "from" => transaction.from = value.parse().map_err(|_| wrong())?,
                "value" => {
                    let digits = !value.is_empty() && value.bytes().all(|it| it.is_ascii_digit());
                    let value = digits.then(|| U256::from_str_radix(value, 10).ok()).flatten();
                    transaction.value = value.ok_or_else(wrong)?;
                }
                "data" => transaction.data = bytes(value).ok_or_else(wrong)?,
                _ => return Err(wrong()),
            }
        }
        Ok(transaction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_are_read() {
        let create = Transaction::parse("create a.sol:C value=7 data=0x00ff").unwrap();
        assert_eq!(create.action, Action::Create("a.sol:C".to_owned()));
        assert_eq!((create.from, create.value, create.data), (0, U256::from(7), vec![0, 255]));
        let call = Transaction::parse("call from=3 data=0x").unwrap();
        assert_eq!((call.action, call.from, call.data), (Action::Call, 3, vec![]));
    }

    #[test]
    fn a_wrong_word_is_named() {
        for (text, why) in [
            ("", "neither"),
            ("send", "neither"),
            ("create", "no contract"),
            ("create value=1", "no contract"),
            ("call data=0x0", "`data=0x0`"),
            ("call value=-1", "`value=-1`"),
            ("call from=x", "`from=x`"),
            ("call gas=1", "`gas=1`"),
            ("call 1", "`1`"),
        ] {
            let error = Transaction::parse(text).unwrap_err();
            assert!(error.why.contains(why), "{text}: {error}");
        }
    }
}
