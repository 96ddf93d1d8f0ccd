//! Open runs, kept between questions up to a bound of bytes.

use std::sync::Arc;

use sheaf_model::{Progress, RunId, RunMeta};

use super::OpenRun;
use crate::Error;
use crate::bounded_cache::BoundedCache;
use crate::once::Once;

/// Maximum number of bytes of all runs but the one that was asked for last.
const MAX_BYTES: usize = 2 << 30;

/// A run, and the runs that its grains are compared with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OpenRunKey {
    run: RunVersion,
    references: Vec<RunVersion>,
}

/// A run with what users can correct of its metadata: some metrics follow from parameters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RunVersion {
    id: RunId,
    name: String,
    /// The parameters as text, because numbers have no total order.
    params: String,
}

impl OpenRunKey {
    /// A run that is compared with `references`.
    pub(crate) fn new<'a>(
        run: &RunMeta,
        references: impl IntoIterator<Item = &'a RunMeta>,
    ) -> Self {
        Self {
            run: RunVersion::of(run),
            references: references.into_iter().map(RunVersion::of).collect(),
        }
    }
}

impl RunVersion {
    fn of(run: &RunMeta) -> Self {
        Self {
            id: run.id,
            name: run.name.clone(),
            params: format!("{:?}", run.params),
        }
    }
}

/// The runs that questions opened last. A run's id is the hash of its content, so entries are never stale.
pub(crate) struct OpenRuns(BoundedCache<OpenRunKey, Arc<Slot>>);

/// A run that is open or being opened.
type Slot = Once<Arc<OpenRun>>;

impl Default for OpenRuns {
    fn default() -> Self {
        Self(BoundedCache::new(MAX_BYTES))
    }
}

impl OpenRuns {
    /// The run; opened when it is not, by one of those who ask while the others wait.
    pub(crate) fn get_or_open(
        &self,
        key: OpenRunKey,
        progress: &Progress,
        open: impl FnOnce() -> Result<OpenRun, Error>,
    ) -> Result<Arc<OpenRun>, Error> {
        let slot = self.0.get_or_put(key, Arc::default);
        let run = slot.get_or_make(progress, || open().map(Arc::new))?;
        // Runs grow while they are asked.
        self.0
            .measure(|slot| slot.get().map_or(0, |run| run.bytes()));
        Ok(Arc::clone(run))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use sheaf_model::table::{Counters, Dependences, Fragments, Grains, Waits};
    use sheaf_model::{ParamValue, RunSummary, RunTables};

    use super::*;

    fn key(byte: u8) -> OpenRunKey {
        let mut meta = RunMeta::new("p", "test");
        meta.id = RunId([byte; 16]);
        OpenRunKey::new(&meta, [])
    }

    fn empty() -> OpenRun {
        OpenRun::of(RunTables {
            summary: RunSummary::empty(RunMeta::new("p", "test")),
            grains: Grains::empty(),
            fragments: Fragments::empty(),
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
    fn a_corrected_run_is_another() {
        let mut meta = RunMeta::new("p", "test");
        let [recorded, again] = [(), ()].map(|()| OpenRunKey::new(&meta, []));
        assert_eq!(recorded, again);
        meta.params
            .insert("threads".into(), ParamValue::Number(4.0));
        let corrected = OpenRunKey::new(&meta, []);
        assert_ne!(recorded, corrected);
        assert_ne!(corrected, OpenRunKey::new(&meta, [&meta]));
        meta.name = "other".into();
        assert_ne!(corrected, OpenRunKey::new(&meta, []));
    }
}
