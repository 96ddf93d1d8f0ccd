//! What every definition contributes to paths.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use sheaf_answers::{PathRow, PathStep};
use sheaf_grains::grain_graph::{ElapsedPath, GrainGraph, GrainGroup, LengthFinder, NodeKind};
use sheaf_model::{Cancelled, Progress};

use crate::run_detail::OpenRun;
use crate::run_detail::names::text_at;

/// Definitions whose own span is computed: each costs a pass over the graph.
const OWN_SPANS: usize = 32;
/// Passes over the graph at a time: each takes 8 bytes for each node.
const FINDERS: usize = 2;

/// What every definition contributes.
pub(super) struct Shares<'a> {
    depth: &'a OpenRun,
    graph: &'a GrainGraph,
    rows: BTreeMap<usize, Share>,
    /// Whether all grains of the run are in scope.
    is_whole: bool,
}

#[derive(Default)]
struct Share {
    grains: u64,
    work: i64,
    critical_grains: u64,
    critical_work: i64,
    last_work: i64,
    span: Option<i64>,
}

impl<'a> Shares<'a> {
    pub(super) fn of(
        depth: &'a OpenRun,
        graph: &'a GrainGraph,
        group: Option<&GrainGroup>,
    ) -> Self {
        let mut all: Vec<Share> = Vec::new();
        all.resize_with(depth.tables().summary.definitions.len(), Share::default);
        let is_member = |grain: u32| group.is_none_or(|group| group.contains(grain));
        let definition = |grain: u32| {
            depth
                .definition(grain as usize)
                .filter(|_| is_member(grain))
        };
        for grain in 0..u32::try_from(depth.tables().grains.len()).unwrap_or(u32::MAX) {
            if let Some(share) = definition(grain).and_then(|of| all.get_mut(of)) {
                share.grains += 1;
            }
        }
        // Most nodes are of the grain of the node before.
        let mut last = (None, None);
        for node in 0..u32::try_from(graph.num_nodes()).unwrap_or(u32::MAX) {
            let grain = graph.grain(node);
            if grain != last.0 {
                last = (grain, grain.and_then(definition));
            }
            if let Some(share) = last.1.and_then(|of| all.get_mut(of)) {
                share.work = share.work.saturating_add(graph.weight(node));
            }
        }
        let rows = all.into_iter().enumerate();
        Self {
            depth,
            graph,
            rows: rows.filter(|(_, share)| share.grains > 0).collect(),
            is_whole: group.is_none(),
        }
    }

    fn definition(&self, node: u32) -> Option<(usize, u32)> {
        let grain = self.graph.grain(node)?;
        Some((self.depth.definition(grain as usize)?, grain))
    }

    pub(super) fn add_paths(&mut self, critical: &[u32], last: Option<&ElapsedPath>) {
        let mut seen = BTreeSet::new();
        for &node in critical {
            let is_stretch = self.graph.kind(node).is_some_and(NodeKind::is_stretch);
            let Some((definition, grain)) = self.definition(node) else {
                continue;
            };
            let share = self.rows.entry(definition).or_default();
            share.critical_work = share.critical_work.saturating_add(self.graph.weight(node));
            share.critical_grains += u64::from(is_stretch && seen.insert(grain));
        }
        for &node in last.map(|path| path.nodes.as_slice()).unwrap_or_default() {
            if let Some((definition, _)) = self.definition(node) {
                let share = self.rows.entry(definition).or_default();
                share.last_work = share.last_work.saturating_add(self.graph.weight(node));
            }
        }
    }

    /// The longest chain of each definition's grains, for those with most work.
    pub(super) fn add_spans(
        &mut self,
        graph: &GrainGraph,
        progress: &Progress,
    ) -> Result<(), Cancelled> {
        let mut greatest: Vec<(i64, usize)> = self
            .rows
            .iter()
            .map(|(&definition, share)| (share.work, definition))
            .collect();
        greatest.sort_unstable_by_key(|&(work, definition)| (std::cmp::Reverse(work), definition));
        greatest.truncate(OWN_SPANS);
        // The nodes of one grain follow each other, so the longest path contains all of them.
        let is_whole = self.is_whole;
        let is_known = |share: &Share| is_whole && share.grains == 1;
        let mut wanted = Vec::new();
        for (_, definition) in greatest {
            match self.rows.get_mut(&definition) {
                Some(share) if is_known(share) => share.span = Some(share.work),
                _ => wanted.push(definition),
            }
        }
        let tables = self.depth.tables();
        let found: Vec<Vec<Option<i64>>> = wanted
            .par_chunks(wanted.len().div_ceil(FINDERS).max(1))
            .map(|definitions| {
                let mut finder = LengthFinder::new(graph);
                let span = |definition: &usize| {
                    progress.check()?;
                    let row = u32::try_from(*definition).unwrap_or(u32::MAX);
                    let group = GrainGroup::definition(tables, row);
                    // A cycle would have been found before.
                    let lengths = finder.find(Some(&group)).ok();
                    Ok(lengths.map(|lengths| lengths.span))
                };
                definitions.iter().map(span).collect()
            })
            .collect::<Result<_, Cancelled>>()?;
        for (definition, span) in wanted.into_iter().zip(found.into_iter().flatten()) {
            if let Some(share) = self.rows.get_mut(&definition) {
                share.span = span;
            }
        }
        Ok(())
    }

    pub(super) fn steps(&self, critical: &[u32]) -> Vec<PathStep> {
        let mut steps: Vec<(usize, PathStep)> = Vec::new();
        let mut seen = BTreeSet::new();
        for &node in critical {
            let weight = self.graph.weight(node);
            let Some((definition, grain)) = self.definition(node) else {
                continue;
            };
            match steps.last_mut() {
                Some((known, step)) if *known == definition => {
                    step.grains += u64::from(seen.insert(grain));
                    step.work = step.work.saturating_add(weight);
                }
                _ => {
                    seen = BTreeSet::from([grain]);
                    steps.push((
                        definition,
                        PathStep {
                            definition: self.depth.definition_name(grain as usize).to_owned(),
                            grain,
                            grains: 1,
                            work: weight,
                        },
                    ));
                }
            }
        }
        steps.into_iter().map(|(_, step)| step).collect()
    }

    pub(super) fn num_grains(&self) -> u64 {
        self.rows.values().map(|share| share.grains).sum()
    }

    pub(super) fn rows(&self, has_last: bool) -> Vec<PathRow> {
        let names = &self.depth.tables().summary.definitions.name;
        let mut rows: Vec<PathRow> = self
            .rows
            .iter()
            .map(|(&definition, share)| PathRow {
                definition: text_at(names, definition).unwrap_or_default().to_owned(),
                grains: share.grains,
                work: share.work,
                critical_grains: share.critical_grains,
                critical_work: share.critical_work,
                last_finisher_work: has_last.then_some(share.last_work),
                parallelism: share
                    .span
                    .filter(|span| *span > 0)
                    .map(|span| share.work as f64 / span as f64),
                span: share.span,
            })
            .collect();
        rows.sort_by_key(|row| {
            let on_path = row.last_finisher_work.unwrap_or(row.critical_work);
            std::cmp::Reverse((on_path, row.critical_work, row.work))
        });
        rows
    }
}
