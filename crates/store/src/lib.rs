#![doc = include_str!("../README.md")]

mod catalogue;
mod compact;
mod disk;
mod encoding;
mod error;
mod exposure;
mod import;
mod layout;
mod lease;
mod listing;
mod log;
mod manifest;
mod remove;
mod repair;
mod row_groups;
mod run_tables;
mod segment;
mod snapshot;
mod staging;
mod store;
mod table_file;
mod verify;
mod workspace;

#[cfg(test)]
#[path = "../tests/synthetic/mod.rs"]
mod synthetic;
#[cfg(test)]
mod tests;

pub use compact::Compaction;
pub use error::Error;
pub use exposure::{Exposure, Writers};
pub use import::{Added, CheckedRun, Importer, Published};
pub use layout::FORMAT_VERSION;
pub use remove::Removal;
pub use segment::Checks;
pub use snapshot::{Snapshot, StoredRun, TableSize};
pub use store::Store;
pub use verify::{Damage, Verification};
pub use workspace::Workspace;
