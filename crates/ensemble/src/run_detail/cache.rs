//! Open runs, kept between questions up to a bound of bytes.

use std::sync::{Arc, Mutex, PoisonError};

use sheaf_model::{Progress, RunMeta};

use super::OpenRun;
use crate::Error;
use crate::once::Once;

/// Maximum number of bytes of all runs but the one that was asked for last.
const CAPACITY: usize = 2 << 30;

/// A run, and the runs that its grains are compared with. Corrected parameters are a part of it:
/// some metrics follow from them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenRunKey {
    pub(crate) run: Arc<RunMeta>,
    pub(crate) references: Vec<Arc<RunMeta>>,
}

impl OpenRunKey {
    /// A run that is compared with nothing.
    pub(crate) fn of(run: &Arc<RunMeta>) -> Self {
        Self {
            run: Arc::clone(run),
            references: Vec::new(),
        }
    }
}

/// A bounded cache. A run's id is the hash of its content, and metadata is compared, so entries
/// are never stale.
#[derive(Default)]
pub(crate) struct OpenRuns {
    /// The run that was asked for last is the last.
    entries: Mutex<Vec<(OpenRunKey, Arc<Slot>)>>,
}

/// A run that is open or being opened.
type Slot = Once<Arc<OpenRun>>;

impl OpenRuns {
    /// The run; opened when it is not, by one of those who ask while the others wait.
    pub(crate) fn get_or_open(
        &self,
        key: OpenRunKey,
        progress: &Progress,
        open: impl FnOnce() -> Result<OpenRun, Error>,
    ) -> Result<Arc<OpenRun>, Error> {
        let slot = self.slot(key);
        let depth = slot.get_or_make(progress, || open().map(Arc::new))?;
        let depth = Arc::clone(depth);
        self.shrink(CAPACITY);
        Ok(depth)
    }

    fn slot(&self, key: OpenRunKey) -> Arc<Slot> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let found = entries.iter().position(|(known, _)| *known == key);
        let entry = found.map_or_else(|| (key, Arc::default()), |at| entries.remove(at));
        let slot = Arc::clone(&entry.1);
        entries.push(entry);
        slot
    }

    /// Lets go of the runs that were not asked for for longest. What a run takes grows while it is asked,
    /// so it is measured each time.
    fn shrink(&self, capacity: usize) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = |(_, slot): &(OpenRunKey, Arc<Slot>)| slot.get().map_or(0, |it| it.bytes());
        let mut sum: usize = entries.iter().map(bytes).sum();
        while sum > capacity && entries.len() > 1 {
            sum -= bytes(&entries.remove(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use sheaf_model::RunMeta;
    use sheaf_model::table::{Counters, Dependences, Fragments, Grains, PackedFragments, Waits};
    use sheaf_model::{RunId, RunSummary, RunTables};

    use super::*;

    fn key(byte: u8) -> OpenRunKey {
        let mut meta = RunMeta::new("p", "test");
        meta.id = RunId([byte; 16]);
        OpenRunKey::of(&Arc::new(meta))
    }

    fn empty() -> OpenRun {
        OpenRun::of(RunTables {
            summary: RunSummary::empty(RunMeta::new("p", "test")),
            grains: Grains::empty(),
            fragments: Fragments::empty(),
            packed_fragments: PackedFragments::default(),
            waits: Waits::empty(),
            dependences: Dependences::empty(),
            counters: Counters::empty(),
        })
    }

    #[test]
    fn all_who_ask_at_once_share_one_opening() {
        let cache = OpenRuns::default();
        let opened = AtomicUsize::new(0);
        let ask = || {
            let open = || {
                opened.fetch_add(1, Ordering::Relaxed);
                Ok(empty())
            };
            cache
                .get_or_open(key(1), &Progress::silent(), open)
                .unwrap()
        };
        let first = ask();
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            for one in all {
                assert!(Arc::ptr_eq(&first, &one.join().unwrap()));
            }
        });
        assert_eq!(opened.into_inner(), 1);
    }

    #[test]
    fn an_opening_that_failed_is_tried_again() {
        let cache = OpenRuns::default();
        let run = key(1);
        assert!(
            cache
                .get_or_open(run.clone(), &Progress::silent(), || Err(Error::EmptyStore))
                .is_err()
        );
        assert!(
            cache
                .get_or_open(run, &Progress::silent(), || Ok(empty()))
                .is_ok()
        );
    }

    #[test]
    fn the_run_asked_for_last_stays() {
        let cache = OpenRuns::default();
        let ids = [1, 2, 1, 3].map(key);
        for id in ids {
            cache
                .get_or_open(id, &Progress::silent(), || Ok(empty()))
                .unwrap();
        }
        let kept = |cache: &OpenRuns| {
            let entries = cache.entries.lock().unwrap();
            entries
                .iter()
                .map(|(key, _)| key.run.id.0[0])
                .collect::<Vec<_>>()
        };
        assert_eq!(kept(&cache), [2, 1, 3]);
        cache.shrink(2 * empty().bytes());
        assert_eq!(kept(&cache), [1, 3]);
        cache.shrink(0);
        assert_eq!(kept(&cache), [3]);
    }
}
