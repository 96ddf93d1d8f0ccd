//! Functions through which other groups enter a group.

use sheaf_answers::EntryFunction;

use crate::partition::Partition;
use crate::tree::{EnsembleTree, NONE};

const MAX_SHOWN: usize = 20;

/// Entry functions of one group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entries {
    /// The heaviest, by descending value, then name.
    pub(crate) first: Vec<EntryFunction>,
    pub(crate) count: u64,
}

/// The outermost contexts of every group, by definition.
pub(crate) struct ByEntry {
    /// Group and definition, ascending.
    pairs: Vec<(u32, usize)>,
    /// Of the outermost contexts, by pair.
    pub(crate) partition: Partition,
}

impl ByEntry {
    pub(crate) fn new(tree: &EnsembleTree, partition: &Partition) -> Self {
        let entry = |node: usize| {
            let group = partition.group_of[node];
            let is_entry = partition.is_outermost[node] && group != NONE;
            is_entry.then(|| (group, tree.definition_index(node)))
        };
        let mut pairs: Vec<(u32, usize)> = (0..tree.len()).filter_map(entry).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let place = |node| {
            let place = pairs.binary_search(&entry(node)?).ok()?;
            u32::try_from(place).ok()
        };
        let partition = Partition {
            groups: pairs.len(),
            flows: 0,
            group_of: (0..tree.len())
                .map(|node| place(node).unwrap_or(NONE))
                .collect(),
            is_outermost: partition.is_outermost.clone(),
            flow_of: vec![NONE; tree.len()],
            outside: partition.outside.clone(),
        };
        Self { pairs, partition }
    }

    /// Whether each group has one entry, so that the groups' own values are those of their entries.
    pub(crate) fn is_by_group(&self, partition: &Partition) -> bool {
        let groups = self.pairs.iter().map(|(group, _)| *group);
        self.pairs.len() == partition.groups && groups.eq((0..).take(partition.groups))
    }

    /// Entry functions of each of `groups`, given the greatest value of each pair.
    pub(crate) fn entries(
        &self,
        tree: &EnsembleTree,
        groups: usize,
        greatest: &[f64],
    ) -> Vec<Entries> {
        let mut entries = vec![Entries::default(); groups];
        for (&(group, definition), &max_inclusive) in self.pairs.iter().zip(greatest) {
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
                let by_value = b.max_inclusive.total_cmp(&a.max_inclusive);
                by_value.then_with(|| a.name.cmp(&b.name))
            };
            entries.first.sort_by(order);
            entries.first.truncate(MAX_SHOWN);
        }
        entries
    }
}
