//! Findings, their signatures and sightings in the database. The database decides what exists; the
//! folders of `folder.rs` are for people.

use forge::Ticket;
use rusqlite::{Connection, OptionalExtension, params};

use super::database::Store;
use super::error::StoreError;
use crate::finding::{Finding, Flaky};

/// What a hunt has to know of a finding that it comes upon again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    pub id: String,
    /// The ticket of its representative.
    pub ticket: Ticket,
    /// Whether an earlier ticket may take the place of that one.
    pub replaceable: bool,
}

/// A sighting that was written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighted {
    /// Whether this ticket had not shown the finding before.
    pub new: bool,
    /// How many tickets have, in all.
    pub sightings: u64,
}

impl Store {
    /// The finding that a signature leads to.
    pub fn finding_of(&self, key: &str) -> Result<Option<Brief>, StoreError> {
        let row: Option<(String, String, bool)> = self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, ticket, replaceable FROM signature JOIN finding ON finding.id = finding
                 WHERE key = ?",
            )?;
            let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            statement.query_row([key], read).optional()
        })?;
        let brief = |(id, ticket, replaceable): (String, String, bool)| {
            let ticket = ticket.parse().map_err(|error: forge::TicketError| {
                StoreError::Corrupt { path: self.database(), message: error.to_string() }
            })?;
            Ok(Brief { id, ticket, replaceable })
        };
        row.map(brief).transpose()
    }

    /// A finding by its identifier, or by a beginning of it that no other has.
    pub fn finding(&self, id: &str) -> Result<Finding, StoreError> {
        let ids: Vec<String> = self.with(|connection| {
            // Identifiers are hexadecimal, so `g` comes after everything that begins with `id`.
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

    /// Every finding that is not merged into another, the oldest first.
    pub fn findings(&self) -> Result<Vec<Finding>, StoreError> {
        let documents: Vec<(String, u64)> = self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT document, sightings FROM finding WHERE merged_into IS NULL
                 ORDER BY first_seen, id",
            )?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })?;
        documents
            .into_iter()
            .map(|(document, sightings)| self.parse(&document, sightings))
            .collect()
    }

    /// The passes that findings about a compiler blame, the one that is seen most first.
    pub fn culprits(&self, family: &str) -> Result<Vec<String>, StoreError> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT json_extract(document, '$.signature.culprit') AS culprit FROM finding
                 WHERE merged_into IS NULL AND culprit IS NOT NULL
                   AND json_extract(document, '$.signature.target') = ?
                 ORDER BY sightings DESC, id",
            )?;
            let rows = statement.query_map([family], |row| row.get(0))?;
            rows.collect()
        })
    }

    /// The tickets that showed a finding, in order.
    pub fn sightings(&self, id: &str) -> Result<Vec<(Ticket, String)>, StoreError> {
        let rows: Vec<(String, String)> = self.with(|connection| {
            let mut statement =
                connection.prepare("SELECT ticket, target FROM sighting WHERE finding = ?")?;
            let rows = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })?;
        let mut sightings: Vec<(Ticket, String)> = rows
            .into_iter()
            .filter_map(|(ticket, target)| Some((ticket.parse().ok()?, target)))
            .collect();
        sightings.sort();
        Ok(sightings)
    }

    /// A new finding, with its first sighting. It is on the disk when this returns.
    pub fn add_finding(&self, finding: &Finding) -> Result<(), StoreError> {
        self.durably(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute(
                "INSERT INTO finding (id, first_seen, ticket, replaceable, document)
                 VALUES (?, ?, ?, ?, ?)",
                params![
                    finding.id,
                    finding.first_seen,
                    finding.ticket().to_string(),
                    finding.is_replaceable(),
                    document(finding)
                ],
            )?;
            point(&transaction, &finding.signature.key(), &finding.id)?;
            see(&transaction, &finding.id, finding.ticket(), &finding.target)?;
            transaction.commit()
        })
    }

    /// What became of a finding: another representative, its reduction, its culprit.
    pub fn update_finding(&self, finding: &Finding) -> Result<(), StoreError> {
        self.durably(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute(
                "UPDATE finding SET ticket = ?, replaceable = ?, document = ? WHERE id = ?",
                params![
                    finding.ticket().to_string(),
                    finding.is_replaceable(),
                    document(finding),
                    finding.id
                ],
            )?;
            for signature in std::iter::once(&finding.signature).chain(&finding.faces) {
                point(&transaction, &signature.key(), &finding.id)?;
            }
            transaction.commit()
        })
    }

    /// Another ticket that shows a finding.
    pub fn add_sighting(
        &self,
        id: &str,
        ticket: &Ticket,
        target: &str,
    ) -> Result<Sighted, StoreError> {
        self.with(|connection| {
            let new = see(connection, id, ticket, target)?;
            let mut count =
                connection.prepare_cached("SELECT sightings FROM finding WHERE id = ?")?;
            Ok(Sighted { new, sightings: count.query_row([id], |row| row.get(0))? })
        })
    }

    /// Makes a finding a part of another, which gets its signatures and sightings.
    pub fn merge(&self, id: &str, into: &str) -> Result<(), StoreError> {
        self.durably(|connection| {
            let transaction = connection.transaction()?;
            transaction
                .execute("UPDATE signature SET finding = ? WHERE finding = ?", [into, id])?;
            transaction.execute(
                "INSERT OR IGNORE INTO sighting (finding, ticket, target)
                 SELECT ?, ticket, target FROM sighting WHERE finding = ?",
                [into, id],
            )?;
            transaction.execute("UPDATE finding SET merged_into = ? WHERE id = ?", [into, id])?;
            transaction.commit()
        })
    }

    pub fn add_flaky(&self, flaky: &Flaky) -> Result<(), StoreError> {
        let document = serde_json::to_string(flaky).unwrap_or_default();
        self.with(|connection| {
            connection.execute(
                "INSERT OR REPLACE INTO flaky (ticket, target, document) VALUES (?, ?, ?)",
                params![flaky.ticket.to_string(), flaky.target, document],
            )
        })?;
        Ok(())
    }

    pub fn flaky(&self) -> Result<Vec<Flaky>, StoreError> {
        let documents: Vec<String> = self.with(|connection| {
            let mut statement = connection.prepare("SELECT document FROM flaky ORDER BY ticket")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })?;
        Ok(documents.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
    }

    fn resolve(&self, id: &str) -> Result<Finding, StoreError> {
        let (document, merged_into, sightings): (String, Option<String>, u64) =
            self.with(|connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT document, merged_into, sightings FROM finding WHERE id = ?",
                )?;
                statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            })?;
        match merged_into {
            Some(into) => self.resolve(&into),
            None => self.parse(&document, sightings),
        }
    }

    fn parse(&self, document: &str, sightings: u64) -> Result<Finding, StoreError> {
        let finding: Finding = serde_json::from_str(document).map_err(|error| {
            StoreError::Corrupt { path: self.database(), message: error.to_string() }
        })?;
        Ok(Finding { sightings, ..finding })
    }

    /// Waits for the disk, which the ordinary writes of a hunt do not: they can be repeated.
    fn durably<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.with(|connection| {
            connection.pragma_update(None, "synchronous", "FULL")?;
            let result = work(connection);
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            result
        })
    }
}

fn document(finding: &Finding) -> String {
    // A finding is a tree of strings and numbers, which always has a form in JSON.
    serde_json::to_string(finding).unwrap_or_default()
}

fn point(connection: &Connection, key: &str, id: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO signature (key, finding) VALUES (?, ?)")?
        .execute([key, id])?;
    Ok(())
}

fn see(connection: &Connection, id: &str, ticket: &Ticket, target: &str) -> rusqlite::Result<bool> {
    let rows = connection
        .prepare_cached(
            "INSERT OR IGNORE INTO sighting (finding, ticket, target) VALUES (?, ?, ?)",
        )?
        .execute(params![id, ticket.to_string(), target])?;
    Ok(rows == 1)
}
