//! Functions through which other groups enter a group.

use sheaf_model::{Lens, Progress};

use crate::answer::EntryFunction;
use crate::error::Error;
use crate::group_values::greatest_inclusive;
use crate::kernel::{Ensemble, Question};
use crate::partition::Partition;
use crate::tree::NONE;

const MAX_SHOWN: usize = 20;

/// Entry functions of one group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entries {
    /// The heaviest, by descending value, then name.
    pub(crate) first: Vec<EntryFunction>,
    pub(crate) count: u64,
}

/// Entry functions of every group: the definitions of its outermost contexts.
pub(crate) fn of(
    ensemble: &Ensemble,
    question: &Question,
    partition: &Partition,
    lens: &Lens,
    progress: &Progress,
) -> Result<Vec<Entries>, Error> {
    let tree = &ensemble.tree;
    let entry = |node: usize| {
        let group = partition.group_of[node];
        (partition.is_outermost[node] && group != NONE)
            .then_some((group, tree.definition_index(node)))
    };
    let mut pairs: Vec<(u32, usize)> = (0..tree.len()).filter_map(entry).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let place = |node| Some(pairs.binary_search(&entry(node)?).unwrap_or(0));
    let group_of: Vec<u32> = (0..tree.len())
        .map(|node| {
            place(node)
                .and_then(|at| u32::try_from(at).ok())
                .unwrap_or(NONE)
        })
        .collect();
    let by_entry = Partition {
        groups: pairs.len(),
        flows: 0,
        is_outermost: partition.is_outermost.clone(),
        flow_of: vec![NONE; tree.len()],
        group_of,
    };
    let greatest = greatest_inclusive(ensemble, question, &by_entry, lens.over, progress)?;
    let mut entries = vec![Entries::default(); partition.groups];
    for (&(group, definition), max_inclusive) in pairs.iter().zip(greatest) {
        let entries = &mut entries[group as usize];
        entries.count += 1;
        let name = tree.definitions()[definition].name.to_string();
        entries.first.push(EntryFunction {
            name,
            max_inclusive,
        });
    }
    for entries in &mut entries {
        let order = |a: &EntryFunction, b: &EntryFunction| {
            b.max_inclusive
                .total_cmp(&a.max_inclusive)
                .then_with(|| a.name.cmp(&b.name))
        };
        entries.first.sort_by(order);
        entries.first.truncate(MAX_SHOWN);
    }
    Ok(entries)
}
