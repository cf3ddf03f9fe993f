//! Stores which cases are done, and the statistics of runs.

use std::collections::BTreeMap;
use std::ops::Range;

use rusqlite::{Connection, params};

use super::database::SqliteStore;
use crate::event::{Ended, Tally};
use crate::growth::Growth;
use crate::store::{Leases, LineKey, RunRecord, Runs, Sample, StoreError, now};

impl Leases for SqliteStore {
    fn line(&self, key: &LineKey) -> Result<i64, StoreError> {
        let targets = key.targets.join(" ");
        // SQLite's integers are signed, so the bits of the seed are stored.
        let seed = key.seed.cast_signed();
        self.with(|connection| {
            connection.execute(
                "INSERT OR IGNORE INTO line (method, seed, shard, targets) VALUES (?, ?, ?, ?)",
                params![key.method, seed, key.shard, targets],
            )?;
            connection.query_row(
                "SELECT id FROM line WHERE method = ? AND seed = ? AND shard = ? AND targets = ?",
                params![key.method, seed, key.shard, targets],
                |row| row.get(0),
            )
        })
    }

    fn lines(&self) -> Result<Vec<(LineKey, u64)>, StoreError> {
        self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT method, seed, shard, targets, coalesce(sum(after - first), 0)
                 FROM line LEFT JOIN done ON done.line = line.id GROUP BY line.id ORDER BY line.id",
            )?;
            let rows = statement.query_map([], |row| {
                let seed: i64 = row.get(1)?;
                let targets: String = row.get(3)?;
                let key = LineKey {
                    method: row.get(0)?,
                    seed: seed.cast_unsigned(),
                    shard: row.get(2)?,
                    targets: targets.split(' ').map(str::to_owned).collect(),
                };
                Ok((key, row.get(4)?))
            })?;
            rows.collect()
        })
    }

    fn done(&self, line: i64) -> Result<Vec<Range<u64>>, StoreError> {
        let rows: Vec<Range<u64>> = self.with(|connection| {
            let mut statement = connection
                .prepare("SELECT first, after FROM done WHERE line = ? ORDER BY first")?;
            let rows = statement.query_map([line], |row| Ok(row.get(0)?..row.get(1)?))?;
            rows.collect()
        })?;
        let mut ranges: Vec<Range<u64>> = vec![];
        for row in rows {
            match ranges.last_mut() {
                Some(last) if row.start <= last.end => last.end = last.end.max(row.end),
                _ => ranges.push(row),
            }
        }
        Ok(ranges)
    }

    fn finish(
        &self,
        line: i64,
        range: &Range<u64>,
        skipped: &[(String, u64)],
    ) -> Result<(), StoreError> {
        self.with(|connection| {
            let transaction = connection.transaction()?;
            finish(&transaction, line, range, skipped)?;
            transaction.commit()
        })
    }

    fn skipped(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.with(|connection| {
            let mut statement =
                connection.prepare("SELECT why, times FROM skipped ORDER BY times DESC, why")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })
    }

    fn cases(&self) -> Result<u64, StoreError> {
        self.with(|connection| {
            connection
                .query_row("SELECT coalesce(sum(after - first), 0) FROM done", [], |row| row.get(0))
        })
    }
}

/// Marks cases as done, as a part of a transaction.
pub(super) fn finish(
    connection: &Connection,
    line: i64,
    range: &Range<u64>,
    skipped: &[(String, u64)],
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO done (line, first, after) VALUES (?, ?, ?)")?
        .execute(params![line, range.start, range.end])?;
    for (why, times) in skipped {
        connection
            .prepare_cached(
                "INSERT INTO skipped (why, times) VALUES (?, ?)
                 ON CONFLICT (why) DO UPDATE SET times = times + excluded.times",
            )?
            .execute(params![why, times])?;
    }
    Ok(())
}

impl Runs for SqliteStore {
    fn begin_run(&self, command: &str) -> Result<i64, StoreError> {
        self.with(|connection| {
            connection.execute(
                "INSERT INTO run (started, command) VALUES (?, ?)",
                params![now(), command],
            )?;
            Ok(connection.last_insert_rowid())
        })
    }

    fn sample(&self, run: i64, tally: &Tally) -> Result<(), StoreError> {
        let document = serde_json::to_string(tally).unwrap_or_default();
        // The last record of a run has the operators.
        let growth = tally.growth.clone().map(|it| Growth { operators: BTreeMap::new(), ..it });
        let growth = growth.and_then(|it| serde_json::to_string(&it).ok());
        self.with(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute(
                "INSERT INTO sample (run, elapsed, cases, growth) VALUES (?, ?, ?, ?)",
                params![run, tally.elapsed.as_secs_f64(), tally.cases, growth],
            )?;
            transaction.execute("UPDATE run SET tally = ? WHERE id = ?", params![document, run])?;
            transaction.commit()
        })
    }

    fn samples(&self) -> Result<Vec<Sample>, StoreError> {
        self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT run, started, elapsed, cases, growth FROM sample JOIN run ON run.id = run
                 ORDER BY run, elapsed",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Sample {
                    run: row.get(0)?,
                    started: row.get(1)?,
                    elapsed: row.get(2)?,
                    cases: row.get(3)?,
                    growth: row
                        .get::<_, Option<String>>(4)?
                        .and_then(|text| serde_json::from_str(&text).ok()),
                })
            })?;
            rows.collect()
        })
    }

    fn end_run(&self, run: i64, tally: &Tally, ended: &Ended) -> Result<(), StoreError> {
        self.sample(run, tally)?;
        let document = serde_json::to_string(ended).unwrap_or_default();
        self.with(|connection| {
            connection.execute("UPDATE run SET ended = ? WHERE id = ?", params![document, run])
        })?;
        Ok(())
    }

    fn runs(&self) -> Result<Vec<RunRecord>, StoreError> {
        type Row = (String, Option<String>, Option<String>);
        let rows: Vec<Row> = self.with(|connection| {
            let mut statement =
                connection.prepare("SELECT command, tally, ended FROM run ORDER BY id")?;
            let rows =
                statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect()
        })?;
        let read = |(command, tally, ended): Row| RunRecord {
            command,
            tally: tally.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            ended: ended
                .and_then(|text| serde_json::from_str(&text).ok())
                .unwrap_or(Ended::Underway),
        };
        Ok(rows.into_iter().map(read).collect())
    }
}
