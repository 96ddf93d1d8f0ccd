//! What is compared of the trees of runs, kept between questions up to a bound of bytes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use sheaf_answers::{Measure, StructureBasis, StructureForm};
use sheaf_compare::similarity::RunStructure;
use sheaf_model::RunId;

/// Bytes that are kept at most.
const CAPACITY: usize = 256 << 20;

/// A tree of a run, and what is compared of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StructureKey {
    pub(crate) run: RunId,
    pub(crate) basis: StructureBasis,
    pub(crate) measure: Measure,
    pub(crate) form: StructureForm,
    /// Hash of the names of definitions, where they are not those of the run.
    pub(crate) names: Option<u64>,
}

/// A bounded cache. A run's id is the hash of its content, so entries are never stale.
#[derive(Default)]
pub(crate) struct StructureCache(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    structures: BTreeMap<StructureKey, Arc<RunStructure>>,
    /// The oldest first.
    order: VecDeque<StructureKey>,
    bytes: usize,
}

impl StructureCache {
    pub(crate) fn get(&self, key: &StructureKey) -> Option<Arc<RunStructure>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.structures.get(key).cloned()
    }

    /// Keeps a structure, and lets go of those that were put first when it is full.
    pub(crate) fn put(&self, key: StructureKey, structure: &Arc<RunStructure>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.structures.insert(key, Arc::clone(structure)).is_some() {
            return;
        }
        kept.order.push_back(key);
        kept.bytes += structure.bytes();
        while kept.bytes > CAPACITY {
            let Some(oldest) = kept.order.pop_front() else {
                break;
            };
            if let Some(gone) = kept.structures.remove(&oldest) {
                kept.bytes -= gone.bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sheaf_compare::similarity::context_tree;
    use sheaf_model::{RunMeta, RunSummary};

    use super::*;

    #[test]
    fn what_was_put_is_there_once() {
        let tree = context_tree(&RunSummary::empty(RunMeta::new("p", "test")));
        let form = StructureForm::Counted;
        let structure = Arc::new(RunStructure::of(&tree, Measure::Structure, form));
        let cache = StructureCache::default();
        let key = |byte| StructureKey {
            run: RunId([byte; 16]),
            basis: StructureBasis::Contexts,
            measure: Measure::Structure,
            form,
            names: None,
        };
        cache.put(key(1), &structure);
        cache.put(key(1), &structure);
        assert!(
            cache
                .get(&key(1))
                .is_some_and(|found| Arc::ptr_eq(&found, &structure))
        );
        assert!(cache.get(&key(2)).is_none());
        assert_eq!(cache.0.lock().unwrap().bytes, structure.bytes());
    }
}
