//! The chain with tiny contracts in bytecode.

use super::*;
use crate::vm::evm::bytes;

/// Creation code that returns this code.
fn creation(runtime: &str) -> Vec<u8> {
    let code = bytes(runtime).unwrap();
    let length = u8::try_from(code.len()).unwrap();
    // PUSH1 n PUSH1 12 PUSH1 0 CODECOPY PUSH1 n PUSH1 0 RETURN
    let mut creation = vec![0x60, length, 0x60, 12, 0x60, 0, 0x39, 0x60, length, 0x60, 0, 0xf3];
    creation.extend(code);
    creation
}

fn run(code: &[u8], transactions: &[&str]) -> Result<String, NotRun> {
    run_with(SpecId::OSAKA, code, transactions)
}

fn run_with(spec: SpecId, code: &[u8], transactions: &[&str]) -> Result<String, NotRun> {
    let transactions: Vec<Transaction> =
        transactions.iter().map(|it| Transaction::parse(it).unwrap()).collect();
    let mut chain = Chain::new(spec);
    for transaction in &transactions {
        match transaction.action {
            Action::Create(_) => chain.create(code, transaction)?,
            Action::Call => chain.call(transaction)?,
        }
    }
    Ok(chain.finish().trim_end().to_owned())
}

fn word(number: u64) -> String {
    format!("0x{number:064x}")
}

#[test]
fn storage_and_balance_last_from_one_transaction_to_the_next() {
    // SLOAD(0) + CALLVALUE is stored and returned.
    let code = creation("600054340180600055600052602060 00f3".replace(' ', "").as_str());
    let text = run(&code, &["create C", "call value=5", "call from=1 value=2", "call"]).unwrap();
    let seven = word(7);
    assert_eq!(
        text,
        format!(
            "ok\nok {}\nok {seven}\nok {seven}\nstorage c0 {} {seven}\nbalance c0 7",
            word(5),
            word(0)
        )
    );
}

#[test]
fn transient_storage_is_cleared_between_transactions() {
    // TLOAD(0) is returned after TSTORE(0, TLOAD(0) + 1).
    let code = creation("60005c6001018060005d60005260206000f3");
    let text = run(&code, &["create C", "call", "call"]).unwrap();
    assert_eq!(text, format!("ok\nok {one}\nok {one}", one = word(1)));
    let old = run_with(SpecId::SHANGHAI, &code, &["create C", "call"]).unwrap();
    assert_eq!(old, "ok\nhalt feature or opcode not activated");
}

#[test]
fn reverts_and_halts_are_shown_and_leave_no_trace() {
    // A log and a store, then REVERT(0, 32).
    let reverts = creation("60016000556000600052600060006000a060206000fd".trim());
    let text = run(&reverts, &["create C value=1", "call value=3"]).unwrap();
    assert_eq!(text, format!("ok\nrevert {}\nbalance c0 1", word(0)));
    let text = run(&creation("6001600055fe"), &["create C", "call"]).unwrap();
    assert_eq!(text, "ok\nhalt");
    let text = run(&creation("01"), &["create C", "call"]).unwrap();
    assert_eq!(text, "ok\nhalt stack underflow");
    // The creation itself reverts.
    assert_eq!(run(&[0x60, 0, 0x60, 0, 0xfd], &["create C", "call"]).unwrap(), "revert 0x\nok 0x");
}

#[test]
fn logs_have_topics_data_and_the_name_of_the_contract() {
    // MSTORE8(0, 0xab), LOG2(0, 1, 7, 8).
    let code = creation("60ab600053600860076001 6000a2".replace(' ', "").as_str());
    let text = run(&code, &["create C", "call"]).unwrap();
    assert_eq!(text, format!("ok\nok 0x\nlog c0 {} {} data=0xab", word(7), word(8)));
}

#[test]
fn contracts_are_named_in_the_order_in_which_their_creation_begins() {
    // Creates an account with value 1 and no code, then a second with value 2: CREATE(v, 0, 0).
    let code = creation("6000600060 01f0 50 60006000 6002f0 00".replace(' ', "").as_str());
    let text = run(&code, &["create C value=10", "call"]).unwrap();
    assert_eq!(text, "ok\nok 0x\nbalance c0 7\nbalance c1 1\nbalance c2 2");
}

#[test]
fn reverted_creations_are_not_counted() {
    // The first init code is INVALID (0xfe), the second is empty.
    let code = creation("60fe600053 600160006001f0 50 600060006002f0 00".replace(' ', "").as_str());
    let text = run(&code, &["create C value=10", "call"]).unwrap();
    assert_eq!(text, "ok\nok 0x\nbalance c0 8\nbalance c1 2");
}

#[test]
fn a_sequence_that_runs_out_of_gas_has_no_text() {
    // JUMPDEST PUSH1 0 JUMP, first by the transaction, then by a call to itself with little gas.
    let code = creation("5b600056");
    assert_eq!(run(&code, &["create C", "call"]), Err(NotRun::OutOfGas));
    // With call data, loops; without, calls itself with one byte of data and 100 gas, and ignores the result.
    let code = creation("36600057600060006001 6000600030 6064f1 00".replace(' ', "").as_str());
    assert_eq!(run(&code, &["create C", "call data=0x"]).unwrap(), "ok\nok 0x");
    let loops = creation("5b36600057600060006001 6000600030 6064f1 00".replace(' ', "").as_str());
    assert_eq!(run(&loops, &["create C", "call data=0x"]), Err(NotRun::OutOfGas));
}

#[test]
fn contracts_of_any_size_can_be_created() {
    // Returns 60,000 zero bytes as code.
    let large = bytes("61ea606000f3").unwrap();
    assert_eq!(run(&large, &["create C", "call"]).unwrap(), "ok\nok 0x");
}

#[test]
fn libraries_are_neither_named_nor_called_first() {
    let mut chain = Chain::new(SpecId::OSAKA);
    let library = chain.deploy_library(&creation("6001600055")).unwrap();
    // Calls the library: its storage is not shown, and `c0` is the caller.
    let digits: String = library.iter().map(|byte| format!("{byte:02x}")).collect();
    let calls = format!("6000600060006000600073{digits}5af15000");
    let create = Transaction::parse("create C").unwrap();
    chain.create(&creation(&calls), &create).unwrap();
    chain.call(&Transaction::parse("call value=2").unwrap()).unwrap();
    assert_eq!(chain.finish(), "ok\nok 0x\nbalance c0 2\n");
}
