//! What every definition contributes to paths.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rayon::prelude::*;
use sheaf_answers::{PathRow, PathStep};
use sheaf_grains::grain_graph::{GrainGraph, GrainGroup, PathPart, RunPaths};

use crate::run_detail::OpenRun;
use crate::run_detail::names::text_at;

/// Minimum of rows that are worth a part of their own.
const MIN_PART: usize = 1 << 14;
/// Definitions whose own span is computed.
const OWN_SPANS: usize = 32;

/// What every definition contributes.
pub(super) struct Shares<'a> {
    depth: &'a OpenRun,
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

impl Share {
    /// Adds grains and work.
    fn add(&mut self, other: &Self) {
        self.grains += other.grains;
        self.work = self.work.saturating_add(other.work);
    }
}

/// Sums by definition that `add` makes of parts of some rows, which are worked on side by side.
fn sum_parts(
    definitions: usize,
    rows: usize,
    add: impl Fn(&mut Vec<Share>, Range<usize>) + Sync,
) -> Vec<Share> {
    let none = || {
        let mut all = Vec::new();
        all.resize_with(definitions, Share::default);
        all
    };
    let at_once = rows.div_ceil(rayon::current_num_threads()).max(MIN_PART);
    let firsts: Vec<usize> = (0..rows).step_by(at_once).collect();
    let parts = firsts.into_par_iter().map(|first| {
        let mut part = none();
        add(&mut part, first..rows.min(first + at_once));
        part
    });
    parts.reduce(none, |mut all, part| {
        for (share, other) in all.iter_mut().zip(&part) {
            share.add(other);
        }
        all
    })
}

impl<'a> Shares<'a> {
    /// Grains and work of every definition: work of the nodes of a graph, of the fragments if there is none.
    pub(super) fn of(
        depth: &'a OpenRun,
        graph: Option<&GrainGraph>,
        group: Option<&GrainGroup>,
    ) -> Self {
        let tables = depth.tables();
        let is_member = |grain: u32| group.is_none_or(|group| group.contains(grain));
        let definition = |grain: u32| {
            depth
                .definition(grain as usize)
                .filter(|_| is_member(grain))
        };
        let definitions = tables.summary.definitions.len();
        let grains = tables.grains.len();
        let mut all = sum_parts(definitions, grains, |all, rows| {
            for grain in rows {
                let of = u32::try_from(grain).ok().and_then(definition);
                if let Some(share) = of.and_then(|of| all.get_mut(of)) {
                    share.grains += 1;
                }
            }
        });
        let weights = graph.map_or(tables.fragments.len(), GrainGraph::num_nodes);
        let works = sum_parts(definitions, weights, |all, rows| {
            // Most weights are of the grain of the weight before.
            let mut last = (None, None);
            let mut add = |grain: Option<u32>, weight: i64| {
                if grain != last.0 {
                    last = (grain, grain.and_then(definition));
                }
                if let Some(share) = last.1.and_then(|of| all.get_mut(of)) {
                    share.work = share.work.saturating_add(weight);
                }
            };
            if let Some(graph) = graph {
                for node in rows.filter_map(|node| u32::try_from(node).ok()) {
                    add(graph.grain(node), graph.weight(node));
                }
            } else {
                let fragments = &tables.fragments;
                let grains = fragments.grain.values().slice(rows.clone());
                let durations = fragments.duration.values().slice(rows);
                for (grain, duration) in grains.into_iter().zip(durations) {
                    add(u32::try_from(grain).ok(), duration);
                }
            }
        });
        for (share, other) in all.iter_mut().zip(works) {
            share.add(&other);
        }
        let rows = all.into_iter().enumerate();
        Self {
            depth,
            rows: rows.filter(|(_, share)| share.grains > 0).collect(),
            is_whole: group.is_none(),
        }
    }

    pub(super) fn add_paths(&mut self, paths: &RunPaths) {
        let mut is_seen = vec![false; self.depth.tables().grains.len()];
        for part in &paths.critical {
            let Some(definition) = self.depth.definition(part.grain as usize) else {
                continue;
            };
            let share = self.rows.entry(definition).or_default();
            share.critical_work = share.critical_work.saturating_add(part.work);
            if part.has_stretch
                && let Some(slot) = is_seen.get_mut(part.grain as usize)
            {
                share.critical_grains += u64::from(!std::mem::replace(slot, true));
            }
        }
        let fragments = &self.depth.tables().fragments;
        let last = paths.last_finishers.as_ref();
        for &row in last.map(|path| path.rows.as_slice()).unwrap_or_default() {
            let row = row as usize;
            let grain = usize::try_from(fragments.grain.value(row)).ok();
            if let Some(definition) = grain.and_then(|grain| self.depth.definition(grain)) {
                let share = self.rows.entry(definition).or_default();
                let work = fragments.duration.value(row);
                share.last_work = share.last_work.saturating_add(work);
            }
        }
    }

    /// Rows of the definitions with most work whose longest chain of grains is not known yet.
    pub(super) fn choose_spans(&mut self) -> Vec<u32> {
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
                _ => wanted.push(u32::try_from(definition).unwrap_or(u32::MAX)),
            }
        }
        wanted
    }

    /// The longest chain of grains of each chosen definition.
    pub(super) fn add_spans(&mut self, definitions: &[u32], spans: &[i64]) {
        for (&definition, &span) in definitions.iter().zip(spans) {
            if let Some(share) = self.rows.get_mut(&(definition as usize)) {
                share.span = Some(span);
            }
        }
    }

    pub(super) fn steps(&self, critical: &[PathPart]) -> Vec<PathStep> {
        let mut steps: Vec<(usize, PathStep)> = Vec::new();
        let mut seen = BTreeSet::new();
        for part in critical {
            let &PathPart { grain, work, .. } = part;
            let Some(definition) = self.depth.definition(grain as usize) else {
                continue;
            };
            match steps.last_mut() {
                Some((known, step)) if *known == definition => {
                    step.grains += u64::from(seen.insert(grain));
                    step.work = step.work.saturating_add(work);
                }
                _ => {
                    seen = BTreeSet::from([grain]);
                    steps.push((
                        definition,
                        PathStep {
                            definition: self.depth.definition_name(grain as usize).to_owned(),
                            grain,
                            grains: 1,
                            work,
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
