//! Stores generations and the entries that they add to a pool.

use std::ops::Range;

use forge::Case;
use rusqlite::types::Type;
use rusqlite::{Connection, params};
use serde::de::DeserializeOwned;

use super::database::SqliteStore;
use super::leases::finish;
use crate::campaign::generations::{Entry, Record};
use crate::store::{Pools, StoreError};

impl Pools for SqliteStore {
    fn generations(&self, line: i64) -> Result<Vec<(u64, Record)>, StoreError> {
        self.with(|connection| {
            let mut records: Vec<(u64, Record)> = connection
                .prepare("SELECT number, document FROM generation WHERE line = ? ORDER BY number")?
                .query_map([line], |row| Ok((row.get(0)?, read(&row.get::<_, String>(1)?, 1)?)))?
                .collect::<Result<_, _>>()?;
            for (number, record) in &mut records {
                record.entries = entries(connection, line, *number)?;
            }
            Ok(records)
        })
    }

    fn close(
        &self,
        line: i64,
        generation: u64,
        range: &Range<u64>,
        skipped: &[(String, u64)],
        record: &Record,
    ) -> Result<(), StoreError> {
        let document = serde_json::to_string(record).unwrap_or_default();
        self.with(|connection| {
            let transaction = connection.transaction()?;
            finish(&transaction, line, range, skipped)?;
            transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO generation (line, number, document) VALUES (?, ?, ?)",
                )?
                .execute(params![line, generation, document])?;
            for entry in &record.entries {
                let case = serde_json::to_string(&entry.case).unwrap_or_default();
                transaction
                    .prepare_cached(
                        "INSERT OR REPLACE INTO entry
                         (line, generation, number, accepted, rare, document)
                         VALUES (?, ?, ?, ?, ?, ?)",
                    )?
                    .execute(params![
                        line,
                        generation,
                        entry.case.origin.number(),
                        entry.accepted,
                        packed(&entry.rare),
                        case
                    ])?;
            }
            transaction.commit()
        })
    }
}

fn entries(connection: &Connection, line: i64, generation: u64) -> rusqlite::Result<Vec<Entry>> {
    let mut statement = connection.prepare_cached(
        "SELECT accepted, rare, document FROM entry
         WHERE line = ? AND generation = ? ORDER BY number",
    )?;
    let rows = statement.query_map(params![line, generation], |row| {
        let rare: Vec<u8> = row.get(1)?;
        let case: Case = read(&row.get::<_, String>(2)?, 2)?;
        Ok(Entry { case, accepted: row.get(0)?, rare: unpacked(&rare) })
    })?;
    rows.collect()
}

fn read<T: DeserializeOwned>(text: &str, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

/// Sorted numbers as differences, seven bits to a byte.
fn packed(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(numbers.len() + numbers.len() / 2);
    let mut last = 0;
    for number in numbers {
        let mut rest = number.wrapping_sub(last);
        last = *number;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}

fn unpacked(bytes: &[u8]) -> Vec<u64> {
    let (mut numbers, mut last, mut rest, mut shift) = (vec![], 0u64, 0u64, 0);
    for byte in bytes {
        rest |= u64::from(byte & 0x7f).wrapping_shl(shift);
        shift += 7;
        if byte & 0x80 == 0 {
            last = last.wrapping_add(rest);
            numbers.push(last);
            (rest, shift) = (0, 0);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn packed_numbers_are_unpacked(mut numbers: Vec<u64>) {
            numbers.sort_unstable();
            prop_assert_eq!(unpacked(&packed(&numbers)), numbers);
        }
    }

    #[test]
    fn neighbouring_blocks_take_a_byte_each() {
        assert_eq!(packed(&(1000..1100).collect::<Vec<_>>()).len(), 101);
    }
}
