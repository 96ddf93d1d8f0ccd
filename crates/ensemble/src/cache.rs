//! Summaries of runs, kept between questions.

mod columns;

use std::sync::Arc;

use columns::SharedColumns;
use sheaf_model::{RunId, RunSummary};

use crate::bounded_cache::BoundedCache;

/// Bytes of summaries that are kept.
const MAX_BYTES: usize = 1 << 30;

/// A run's id is the hash of its content, so entries are never stale; metadata, which is not part of the content, is
/// compared by the caller.
pub(crate) struct SummaryCache {
    summaries: BoundedCache<RunId, (Arc<RunSummary>, Tables)>,
    shared: SharedColumns,
}

impl Default for SummaryCache {
    fn default() -> Self {
        Self::of_bytes(MAX_BYTES)
    }
}

/// Which tables of a run a question looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tables {
    /// All but values by location: what adds up over locations is in the totals.
    Totals,
    /// All.
    Values,
}

impl SummaryCache {
    /// A cache of at most `max_bytes`, or one summary.
    pub(crate) fn of_bytes(max_bytes: usize) -> Self {
        Self {
            summaries: BoundedCache::new(max_bytes),
            shared: SharedColumns::default(),
        }
    }

    /// The summary of a run, if it is kept with these tables.
    pub(crate) fn get(&self, run: RunId, tables: Tables) -> Option<Arc<RunSummary>> {
        let (summary, kept) = self.summaries.get(&run)?;
        (kept >= tables).then_some(summary)
    }

    /// Keeps a summary. Columns that it has in common with others are in memory once.
    pub(crate) fn put(&self, mut summary: RunSummary, tables: Tables) -> Arc<RunSummary> {
        let bytes = self.shared.share(&mut summary) + size(&summary);
        let summary = Arc::new(summary);
        let kept = (Arc::clone(&summary), tables);
        self.summaries.put(summary.meta.id, kept, bytes);
        summary
    }
}

/// Bytes of the summary's columns but for values and totals; close enough for a bound.
fn size(summary: &RunSummary) -> usize {
    summary.contexts.len() * 28 + summary.definitions.len() * 200 + 1024
}
