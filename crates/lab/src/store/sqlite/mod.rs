//! The store as a SQLite database in the output folder. Only the process that holds the lock writes; others can
//! read at the same time.
//!
//! `database.rs` opens and migrates, `lock.rs` excludes other writers, `leases.rs` stores which cases are done
//! and the statistics of runs, `findings.rs` stores findings, `pools.rs` generations.

mod database;
mod findings;
mod leases;
mod lock;
mod pools;

pub use database::SqliteStore;
