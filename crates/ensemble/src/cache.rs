//! Summaries of runs, kept between questions.

mod columns;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use columns::SharedColumns;
use sheaf_model::{RunId, RunSummary};

/// Bytes of summaries that are kept at most.
const CAPACITY: usize = 1 << 30;

/// A bounded cache. A run's id is the hash of its content, so entries are never stale; metadata,
/// which is not part of the content, is compared by the caller.
pub(crate) struct Cache {
    inner: Mutex<Inner>,
    shared: SharedColumns,
    capacity: usize,
}

impl Default for Cache {
    fn default() -> Self {
        Self::of_bytes(CAPACITY)
    }
}

#[derive(Default)]
struct Inner {
    entries: BTreeMap<RunId, Entry>,
    bytes: usize,
    clock: u64,
}

struct Entry {
    summary: Arc<RunSummary>,
    tables: Tables,
    bytes: usize,
    used: u64,
}

/// Which tables of a run a question looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tables {
    /// All but values by location: what adds up over locations is in the totals.
    Totals,
    /// All.
    Values,
}

impl Cache {
    /// A cache of at most so many bytes, or one summary.
    pub(crate) fn of_bytes(capacity: usize) -> Self {
        Self {
            inner: Mutex::default(),
            shared: SharedColumns::default(),
            capacity,
        }
    }

    /// The summary of a run, when it is kept with these tables.
    pub(crate) fn get(&self, run: RunId, tables: Tables) -> Option<Arc<RunSummary>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let clock = inner.clock;
        let entry = inner.entries.get_mut(&run)?;
        if entry.tables < tables {
            return None;
        }
        entry.used = clock;
        Some(Arc::clone(&entry.summary))
    }

    /// Keeps a summary, and lets go of those that were not used for longest when it is full. What it has in
    /// common with others is in memory once.
    pub(crate) fn put(&self, mut summary: RunSummary, tables: Tables) -> Arc<RunSummary> {
        let bytes = self.shared.share(&mut summary) + size(&summary);
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let summary = Arc::new(summary);
        let entry = Entry {
            bytes,
            tables,
            used: inner.clock,
            summary: Arc::clone(&summary),
        };
        if let Some(before) = inner.entries.insert(summary.meta.id, entry) {
            inner.bytes -= before.bytes;
        }
        inner.bytes += bytes;
        while inner.bytes > self.capacity && inner.entries.len() > 1 {
            let oldest = inner.entries.iter().min_by_key(|(_, entry)| entry.used);
            let Some(run) = oldest.map(|(run, _)| *run) else {
                break;
            };
            if let Some(entry) = inner.entries.remove(&run) {
                inner.bytes -= entry.bytes;
            }
        }
        summary
    }
}

/// Bytes of the summary's columns but for values by location; close enough for a bound.
fn size(summary: &RunSummary) -> usize {
    let rows =
        summary.totals.len() * 120 + summary.contexts.len() * 28 + summary.definitions.len() * 200;
    rows + 1024
}
