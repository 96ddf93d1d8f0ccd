//! Groups of a run that look like one of its groups, or of another run's.

use std::collections::BTreeMap;

use sheaf_answers::{MetricValue, SimilarGroup, SimilarGroups};
use sheaf_compare::similarity::ROUNDS;
use sheaf_grains::aggregation::GroupKind;
use sheaf_model::{Progress, StructureId};
use sheaf_structure::LabelledTree;
use sheaf_structure::similarity::Features;

use super::OpenRun;
use super::group_tree::{GroupTree, TreeChoice};
use crate::{Error, View};

/// Structures that an answer has.
const MAX_STRUCTURES: usize = 100;
/// Nodes of all compared structures together: some seconds.
const MAX_NODES: u64 = 4_000_000;

/// Groups of one structure.
struct Found {
    /// That with most work.
    node: u32,
    work: f64,
    groups: u64,
}

impl View<'_> {
    /// The groups of `other`, or of the same run, that look most like a group: the labels of all rounds of
    /// Weisfeiler and Lehman, weighted Jaccard. Groups of one structure are one row. Groups of less than half or
    /// more than twice the nodes are not compared. n log n in the nodes of the distinct structures compared.
    ///
    /// # Errors
    /// When a selector names no run or several, a run has no grains, or there is no such group.
    pub fn similar_groups(
        &self,
        run: &str,
        group: u32,
        other: Option<&str>,
    ) -> Result<SimilarGroups, Error> {
        let (_, depth) = self.open_run(run)?;
        let tree = depth.group_tree(&TreeChoice::default(), &self.progress)?;
        if tree.tree.kind(group).is_none() {
            return Err(Error::UnknownGroup {
                group,
                count: tree.tree.len(),
            });
        }
        let labelled = depth.labelled(&tree, &self.progress)?;
        let wanted = features(&labelled.subtree(group as usize));
        let size = tree.tree.size(group);
        let of = depth.group_alone(&tree, group, &self.progress)?;
        let (meta, depth) = self.open_run(other.unwrap_or(run))?;
        let tree = depth.group_tree(&TreeChoice::default(), &self.progress)?;
        let labelled = depth.labelled(&tree, &self.progress)?;
        let near = depth.structures_near(&tree, size, &self.progress)?;
        let (mut rows, mut left, mut skipped) = (Vec::new(), MAX_NODES, 0);
        for (id, found) in &near.of_size {
            self.progress.check()?;
            let is_same = of.structure == Some(id.to_string());
            let nodes = u64::from(tree.tree.size(found.node));
            let value = if is_same {
                1.0
            } else if nodes > left {
                skipped += found.groups;
                continue;
            } else {
                left -= nodes;
                wanted.min_max(&features(&labelled.subtree(found.node as usize)))
            };
            rows.push((value, is_same, *id, found));
        }
        rows.sort_by(|a, b| {
            let by_value = b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
            by_value.then(a.3.node.cmp(&b.3.node))
        });
        let structures = rows.len() as u64;
        rows.truncate(MAX_STRUCTURES);
        let row = |(similarity, _, id, found): (f64, bool, StructureId, &Found)| {
            let group = depth.group_alone(&tree, found.node, &self.progress)?;
            Ok(SimilarGroup {
                structure: id.to_string(),
                similarity,
                groups: found.groups,
                group,
            })
        };
        Ok(SimilarGroups {
            schema: "similar-groups/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            of,
            structures,
            other_size: near.other_size,
            skipped,
            rows: rows.into_iter().map(row).collect::<Result<_, Error>>()?,
        })
    }
}

/// Structures of groups by their id, and the number of groups of other sizes.
struct Near {
    of_size: BTreeMap<StructureId, Found>,
    other_size: u64,
}

impl OpenRun {
    fn labelled(&self, tree: &GroupTree, progress: &Progress) -> Result<LabelledTree, Error> {
        let structure = self.structure(progress)?;
        Ok(tree.tree.labelled(self.tables(), structure))
    }

    /// Structures of about `size` nodes; grains are none.
    fn structures_near(
        &self,
        tree: &GroupTree,
        size: u32,
        progress: &Progress,
    ) -> Result<Near, Error> {
        let work = self.work_of_groups(tree, progress)?;
        let mut near = Near {
            of_size: BTreeMap::new(),
            other_size: 0,
        };
        for (node, id) in (0..).zip(tree.structures(self, progress)?) {
            if tree.tree.kind(node) == Some(GroupKind::Grain) {
                continue;
            }
            let nodes = u64::from(tree.tree.size(node));
            if 2 * nodes < u64::from(size) || nodes > 2 * u64::from(size) {
                near.other_size += 1;
                continue;
            }
            let work = work.as_ref().and_then(|cells| cells.exact(node as usize));
            let work = work.map_or(0.0, MetricValue::as_f64);
            let found = near.of_size.entry(*id).or_insert(Found {
                node,
                work,
                groups: 0,
            });
            found.groups += 1;
            if work > found.work {
                (found.node, found.work) = (node, work);
            }
        }
        Ok(near)
    }
}

fn features(tree: &LabelledTree) -> Features {
    Features::merged(&tree.weisfeiler_lehman(ROUNDS))
}
