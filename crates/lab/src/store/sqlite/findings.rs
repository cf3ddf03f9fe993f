//! Findings, their signatures, sightings and reductions in the database. The database is the authoritative
//! record; folders are rendered from it.

use forge::Origin;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::database::SqliteStore;
use crate::finding::{Exhibit, Finding, Flaky, Step};
use crate::store::{Brief, Concluded, Findings, Recorded, Sighted, StoreError};
use crate::target::PassId;

/// More merges of findings into each other than there can be: the database is not ours.
const MOST_MERGES: u32 = 10_000;

impl Findings for SqliteStore {
    fn finding_of(&self, key: &str) -> Result<Option<Brief>, StoreError> {
        let row = self.with(|connection| brief(connection, key))?;
        row.map(|row| self.read_brief(row)).transpose()
    }

    fn finding(&self, id: &str) -> Result<Finding, StoreError> {
        let ids: Vec<String> = self.with(|connection| {
            // Ids are hexadecimal, so `g` sorts after every extension of `id`.
            let mut statement = connection
                .prepare_cached("SELECT id FROM finding WHERE id >= ?1 AND id < ?1 || 'g'")?;
            let rows = statement.query_map([id], |row| row.get(0))?;
            rows.collect()
        })?;
        match ids.as_slice() {
            [first, ..] if first == id => self.resolve(id),
            [only] => self.resolve(only),
            [] => Err(StoreError::NoFinding { id: id.to_owned(), path: self.out().to_owned() }),
            several => {
                Err(StoreError::Ambiguous { id: id.to_owned(), candidates: several.join(", ") })
            }
        }
    }

    fn findings(&self) -> Result<Vec<Finding>, StoreError> {
        let documents: Vec<Row> = self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT document, sightings FROM finding WHERE merged_into IS NULL
                 ORDER BY first_seen, id",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Row { document: row.get(0)?, merged_into: None, sightings: row.get(1)? })
            })?;
            rows.collect()
        })?;
        documents.iter().map(|row| self.parse(row)).collect()
    }

    fn blamed(&self, family: &str) -> Result<Vec<PassId>, StoreError> {
        let passes: Vec<String> = self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT json_extract(document, '$.signature.passes') AS passes FROM finding
                 WHERE merged_into IS NULL AND json_array_length(passes) = 1
                   AND json_extract(document, '$.signature.target') = ?
                 ORDER BY sightings DESC, id",
            )?;
            let rows = statement.query_map([family], |row| row.get(0))?;
            rows.collect()
        })?;
        let read = |text: &String| serde_json::from_str::<Vec<PassId>>(text).ok()?.pop();
        Ok(passes.iter().filter_map(read).collect())
    }

    fn sightings(&self, id: &str) -> Result<Vec<(Origin, String)>, StoreError> {
        let rows: Vec<(String, String)> = self.with(|connection| {
            let mut statement =
                connection.prepare("SELECT ticket, target FROM sighting WHERE finding = ?")?;
            let rows = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })?;
        let mut sightings: Vec<(Origin, String)> = rows
            .into_iter()
            .filter_map(|(origin, target)| Some((origin.parse().ok()?, target)))
            .collect();
        sightings.sort();
        Ok(sightings)
    }

    fn record(&self, finding: &Finding) -> Result<Recorded, StoreError> {
        let key = finding.signature.key();
        self.durably(|store, connection| {
            let row = brief(connection, &key).map_err(store.sql())?;
            let Some(stored) = row.map(|row| store.read_brief(row)).transpose()? else {
                insert(connection, finding).map_err(store.sql())?;
                return Ok(Recorded::New);
            };
            let id = stored.id.clone();
            let represents = stored.is_better_represented_by(finding.origin());
            if represents {
                let old = store.load(connection, &id)?;
                let first_seen = old.first_seen;
                let new = Finding { id: id.clone(), first_seen, ..finding.clone() };
                write(connection, &new).map_err(store.sql())?;
            }
            let sighted = sight(connection, &id, finding.origin(), &finding.target);
            let sighted = sighted.map_err(store.sql())?;
            Ok(match represents {
                true => Recorded::Represents { id, sighted },
                false => Recorded::Again { id, sighted },
            })
        })
    }

    fn update(&self, finding: &Finding) -> Result<(), StoreError> {
        self.durably(|store, connection| write(connection, finding).map_err(store.sql()))
    }

    fn add_sighting(&self, id: &str, origin: &Origin, target: &str) -> Result<Sighted, StoreError> {
        self.with(|connection| sight(connection, id, origin, target))
    }

    fn conclude(
        &self,
        finding: &Finding,
        stays: &dyn Fn(&Finding, &Finding) -> bool,
    ) -> Result<Concluded, StoreError> {
        self.durably(|store, connection| {
            let mut concluded = Concluded::default();
            if store.load(connection, &finding.id)?.id != finding.id {
                return Ok(concluded);
            }
            write(connection, finding).map_err(store.sql())?;
            let mut join = |id: &str, into: &str| {
                concluded.merged.push((id.to_owned(), into.to_owned()));
                merge(connection, id, into).map_err(store.sql())
            };
            let other = |key: &str| {
                let row = brief(connection, key).map_err(store.sql())?;
                Ok::<_, StoreError>(row.map(|row| row.id).filter(|id| *id != finding.id))
            };
            if let Some(same) = other(&finding.signature.key())? {
                if stays(&store.load(connection, &same)?, finding) {
                    join(&finding.id, &same)?;
                    return Ok(concluded);
                }
                join(&same, &finding.id)?;
            }
            // Regardless of which was seen first: a miscompile is more useful than a verifier message.
            for alias in &finding.verifier_aliases {
                if let Some(same) = other(&alias.key())? {
                    join(&same, &finding.id)?;
                }
            }
            // Signatures of merged findings now map to this finding.
            write(connection, finding).map_err(store.sql())?;
            concluded.finding = Some(Box::new(store.load(connection, &finding.id)?));
            Ok(concluded)
        })
    }

    fn add_step(&self, id: &str, step: &Step, exhibit: &Exhibit) -> Result<(), StoreError> {
        let document = serde_json::to_string(&(step, exhibit)).unwrap_or_default();
        self.with(|connection| {
            let transaction = connection.transaction()?;
            // Only the last step is needed to continue.
            transaction.execute("DELETE FROM step WHERE finding = ?", [id])?;
            transaction.execute(
                "INSERT INTO step (finding, step, document) VALUES (?, ?, ?)",
                params![id, step.step, document],
            )?;
            transaction.commit()
        })
    }

    fn last_step(&self, id: &str) -> Result<Option<(Step, Exhibit)>, StoreError> {
        let document: Option<String> = self.with(|connection| {
            let last = "SELECT document FROM step WHERE finding = ? ORDER BY step DESC LIMIT 1";
            connection.query_row(last, [id], |row| row.get(0)).optional()
        })?;
        Ok(document.and_then(|text| serde_json::from_str(&text).ok()))
    }

    fn forget_steps(&self, id: &str) -> Result<(), StoreError> {
        self.with(|connection| connection.execute("DELETE FROM step WHERE finding = ?", [id]))?;
        Ok(())
    }

    fn add_flaky(&self, flaky: &Flaky) -> Result<(), StoreError> {
        let document = serde_json::to_string(flaky).unwrap_or_default();
        self.with(|connection| {
            connection.execute(
                "INSERT OR REPLACE INTO flaky (ticket, target, document) VALUES (?, ?, ?)",
                params![flaky.origin.to_string(), flaky.target, document],
            )
        })?;
        Ok(())
    }

    fn flaky(&self) -> Result<Vec<Flaky>, StoreError> {
        let documents: Vec<String> = self.with(|connection| {
            let mut statement = connection.prepare("SELECT document FROM flaky ORDER BY ticket")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })?;
        Ok(documents.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
    }
}

/// A row of the table `finding`.
struct Row {
    document: String,
    merged_into: Option<String>,
    sightings: u64,
}

/// The columns of a [`Brief`].
struct BriefRow {
    id: String,
    origin: String,
    replaceable: bool,
}

impl SqliteStore {
    fn sql(&self) -> impl Fn(rusqlite::Error) -> StoreError + use<> {
        StoreError::sql(&self.database())
    }

    fn read_brief(&self, row: BriefRow) -> Result<Brief, StoreError> {
        let origin = row.origin.parse().map_err(|error: forge::TicketError| {
            StoreError::Corrupt { path: self.database(), message: error.to_string() }
        })?;
        Ok(Brief { id: row.id, origin, replaceable: row.replaceable })
    }

    fn resolve(&self, id: &str) -> Result<Finding, StoreError> {
        self.load(&self.connection(), id)
    }

    /// A finding, or the one that it was merged into.
    fn load(&self, connection: &Connection, id: &str) -> Result<Finding, StoreError> {
        let read = |id: &str| {
            let mut statement = connection.prepare_cached(
                "SELECT document, merged_into, sightings FROM finding WHERE id = ?",
            )?;
            statement.query_row([id], |row| {
                Ok(Row { document: row.get(0)?, merged_into: row.get(1)?, sightings: row.get(2)? })
            })
        };
        let mut id = id.to_owned();
        for _ in 0..MOST_MERGES {
            let row = read(&id).map_err(self.sql())?;
            match row.merged_into {
                Some(into) => id = into,
                None => return self.parse(&row),
            }
        }
        let message = format!("finding {id} is merged into itself");
        Err(StoreError::Corrupt { path: self.database(), message })
    }

    fn parse(&self, row: &Row) -> Result<Finding, StoreError> {
        let finding: Finding = serde_json::from_str(&row.document).map_err(|error| {
            StoreError::Corrupt { path: self.database(), message: error.to_string() }
        })?;
        Ok(Finding { sightings: row.sightings, ..finding })
    }

    /// One transaction that is synced to disk. Other writes of a hunt are not: that work can be repeated.
    fn durably<T>(
        &self,
        work: impl FnOnce(&Self, &Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection();
        let sql = self.sql();
        connection.pragma_update(None, "synchronous", "FULL").map_err(&sql)?;
        let transact = || {
            let transaction = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(&sql)?;
            let result = work(self, &transaction)?;
            transaction.commit().map_err(&sql)?;
            Ok(result)
        };
        let result = transact();
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(&sql)?;
        result
    }
}

fn brief(connection: &Connection, key: &str) -> rusqlite::Result<Option<BriefRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, ticket, replaceable FROM signature JOIN finding ON finding.id = finding
         WHERE key = ?",
    )?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(BriefRow { id: row.get(0)?, origin: row.get(1)?, replaceable: row.get(2)? })
    };
    statement.query_row([key], read).optional()
}

fn insert(connection: &Connection, finding: &Finding) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO finding (id, first_seen, ticket, replaceable, document)
         VALUES (?, ?, ?, ?, ?)",
        params![
            finding.id,
            finding.first_seen,
            finding.origin().to_string(),
            finding.is_replaceable(),
            document(finding)
        ],
    )?;
    map_signature(connection, &finding.signature.key(), &finding.id)?;
    sight(connection, &finding.id, finding.origin(), &finding.target)?;
    Ok(())
}

fn write(connection: &Connection, finding: &Finding) -> rusqlite::Result<()> {
    connection.execute(
        "UPDATE finding SET ticket = ?, replaceable = ?, document = ? WHERE id = ?",
        params![
            finding.origin().to_string(),
            finding.is_replaceable(),
            document(finding),
            finding.id
        ],
    )?;
    let signatures = std::iter::once(&finding.signature).chain(&finding.verifier_aliases);
    signatures
        .into_iter()
        .try_for_each(|signature| map_signature(connection, &signature.key(), &finding.id))
}

/// Merges a finding into another, which gets its signatures and sightings.
fn merge(connection: &Connection, id: &str, into: &str) -> rusqlite::Result<()> {
    connection.execute("UPDATE signature SET finding = ? WHERE finding = ?", [into, id])?;
    connection.execute(
        "INSERT OR IGNORE INTO sighting (finding, ticket, target)
         SELECT ?, ticket, target FROM sighting WHERE finding = ?",
        [into, id],
    )?;
    connection.execute("UPDATE finding SET merged_into = ? WHERE id = ?", [into, id])?;
    Ok(())
}

fn document(finding: &Finding) -> String {
    // Serialising plain data with string keys does not fail.
    serde_json::to_string(finding).unwrap_or_default()
}

fn map_signature(connection: &Connection, key: &str, id: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO signature (key, finding) VALUES (?, ?)")?
        .execute([key, id])?;
    Ok(())
}

fn sight(
    connection: &Connection,
    id: &str,
    origin: &Origin,
    target: &str,
) -> rusqlite::Result<Sighted> {
    let rows = connection
        .prepare_cached(
            "INSERT OR IGNORE INTO sighting (finding, ticket, target) VALUES (?, ?, ?)",
        )?
        .execute(params![id, origin.to_string(), target])?;
    let mut count = connection.prepare_cached("SELECT sightings FROM finding WHERE id = ?")?;
    Ok(Sighted { new: rows == 1, sightings: count.query_row([id], |row| row.get(0))? })
}
