//! The store in the output folder: a SQLite database. Other processes can read it during a run; only the
//! one that holds the lock writes.
//!
//! `database.rs` opens and migrates, `lock.rs` keeps writers apart, `leases.rs` knows which cases are done
//! and how the runs went, `findings.rs` keeps findings.

mod database;
mod findings;
mod leases;
mod lock;

pub use database::SqliteStore;
