//! The table of what to optimise first: the gain from less work of each definition.

use std::collections::BTreeMap;

use rayon::prelude::*;
use sheaf_answers::{Priority, WhatFirst, WhatIfFact};

use super::super::names::text_at;
use super::no_gain::{Gain, Less};
use super::prepared::{Changes, Prepared};
use super::reference::Reference;
use super::table_graph::TableGraph;
use super::{WhatIfQuestion, elapsed, sum};
use crate::{Error, View};

/// Definitions of the table.
const MAX_DEFINITIONS: usize = 20;
/// Nodes of all schedules together from which on each prediction is one schedule.
const MANY_NODES: usize = 20_000_000;
/// Percent of the work that stay, by column; the last is for a definition whose work is divided among all workers.
const STAYS: [u64; 4] = [90, 75, 50, 0];

/// Work of a definition.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    work: i64,
    critical: i64,
}

impl Share {
    /// Half of it.
    fn half(self) -> Less {
        Less {
            work: self.work as f64 / 2.0,
            critical: self.critical as f64 / 2.0,
        }
    }
}

impl View<'_> {
    /// The gain in elapsed time from less work of each definition, the largest gain first.
    ///
    /// The schedules run in parallel: four and one more for each definition, number of workers and seed.
    ///
    /// # Errors
    /// As for [`View::what_if`], and when the selectors name more than one run.
    pub fn what_first(&self, question: &WhatIfQuestion) -> Result<WhatFirst, Error> {
        question.check()?;
        let entries = self.entries();
        let mut notes = Vec::new();
        let runs = self.chosen_runs(&entries, question, &mut notes)?;
        let &[run] = runs.as_slice() else {
            return Err(Error::AmbiguousRun {
                selector: question.runs.join(" "),
                count: runs.len(),
                runs: runs
                    .iter()
                    .take(3)
                    .map(|run| run.meta.name.clone())
                    .collect::<Vec<_>>()
                    .join(", "),
            });
        };
        let reference = self.reference(&entries, question, &[run])?;
        let prepared = self.prepare(run, question, reference.as_ref())?;
        let mut shares = shares(&prepared);
        shares.sort_by_key(|(definition, share)| (std::cmp::Reverse(share.work), *definition));
        let left_out = shares.len().saturating_sub(MAX_DEFINITIONS) as u64;
        shares.truncate(MAX_DEFINITIONS);
        notes.extend(prepared.notes.iter().cloned());
        notes.extend(prepared.notes_of_reference(question));
        let mut changes = Changes::none(question);
        let graphs = prepared.workers_asked(question).into_iter();
        let graphs =
            graphs.map(|workers| TableGraph::of(&prepared, &changes, workers, &self.progress));
        let graphs = graphs.collect::<Result<Vec<TableGraph>, Error>>()?;
        notes.extend(graphs.iter().filter_map(|graph| graph.note(&prepared)));
        let per_schedule = graphs.iter().fold(0_usize, |sum, graph| {
            sum.saturating_add(graph.num_nodes(&prepared))
        });
        let schedules = shares.len() * STAYS.len() + 1;
        if schedules.saturating_mul(per_schedule) > MANY_NODES && changes.repeats > 1 {
            changes.repeats = 1;
            notes.push(WhatIfFact::OneSchedule.into());
        }
        let mut rows = Vec::new();
        for graph in &graphs {
            rows.extend(self.priorities(&prepared, graph, &shares, &changes)?);
        }
        let used = reference
            .as_ref()
            .filter(|_| prepared.has_reference(question));
        let trust = self.trust(&entries, &[run], question, used, &mut notes)?;
        Ok(WhatFirst {
            schema: "what-if-first/1".to_owned(),
            unit: run.meta.time_unit.to_string(),
            run: prepared.answer(),
            rows,
            left_out,
            trust,
            reference: reference.as_ref().map(Reference::answer),
            seed: changes.seed,
            repeats: u64::from(changes.repeats),
            notes,
        })
    }

    fn priorities(
        &self,
        run: &Prepared,
        graph: &TableGraph,
        shares: &[(usize, Share)],
        changes: &Changes,
    ) -> Result<Vec<Priority>, Error> {
        let workers = graph.workers;
        let definitions = run.definitions();
        let kept = run.kept_by_definition(workers);
        let inside = graph.costs_inside(run, changes);
        let times =
            |kept: &[u32]| graph.times(run, (&definitions, kept), &inside, changes, &self.progress);
        let before = times(&kept)?;
        let unchanged = sum(&before).mean;
        let jobs: Vec<(usize, u64)> = (0..shares.len())
            .flat_map(|at| STAYS.map(|stays| (at, stays)))
            .collect();
        let gain = |&(at, stays): &(usize, u64)| -> Result<Gain, Error> {
            self.progress.check()?;
            let (definition, share) = shares[at];
            let divided = if stays == 0 {
                run.inflated_work(definition, share.work, workers) / f64::from(workers)
            } else {
                0.0
            };
            let after = times(&with_less(&kept, definition, stays))?;
            let gain = Gain::of(&elapsed(&before), &elapsed(&after));
            Ok(Gain {
                mean: gain.mean - divided,
                ..gain
            })
        };
        let gains: Vec<Gain> = jobs.par_iter().map(gain).collect::<Result<_, Error>>()?;
        let rows = shares.iter().zip(gains.chunks(STAYS.len()));
        let mut rows: Vec<Priority> = rows
            .filter_map(|(&(definition, share), gains)| {
                let &[gain_10, gain_25, gain_50, gain_parallel] = gains else {
                    return None;
                };
                let reason = gain_50.reason_of_none(|| share.half(), workers, unchanged);
                Some(Priority {
                    workers: u64::from(workers),
                    definition: run.definition_text(definition),
                    site: run.depth.site(definition),
                    work: share.work,
                    critical: share.critical,
                    gain_10: gain_10.mean,
                    gain_25: gain_25.mean,
                    gain_50: gain_50.mean,
                    gain_parallel: gain_parallel.mean,
                    share_50: (unchanged > 0.0).then(|| gain_50.mean / unchanged),
                    unchanged,
                    is_uncertain: reason.is_none() && gain_50.range[0] <= 0,
                    reason: reason.map(|reason| reason.text().to_owned()),
                })
            })
            .collect();
        rows.sort_by(|a, b| {
            b.gain_50
                .total_cmp(&a.gain_50)
                .then(a.definition.cmp(&b.definition))
        });
        Ok(rows)
    }
}

/// Work by definition, and the part of it on the critical path.
fn shares(run: &Prepared) -> Vec<(usize, Share)> {
    let graph = &run.recorded;
    let mut shares: BTreeMap<usize, Share> = BTreeMap::new();
    let definition = |node: u32| {
        let grain = graph.grain(node)?;
        run.depth.definition(grain as usize)
    };
    for (node, &weight) in (0..).zip(graph.weights()) {
        if weight > 0
            && let Some(definition) = definition(node)
        {
            let share = shares.entry(definition).or_default();
            share.work = share.work.saturating_add(weight);
        }
    }
    for node in graph.extent(graph.weights()).path {
        let weight = graph.weights().get(node as usize).copied().unwrap_or(0);
        if let Some(share) = definition(node).and_then(|definition| shares.get_mut(&definition)) {
            share.critical = share.critical.saturating_add(weight);
        }
    }
    shares.into_iter().collect()
}

/// Millionths of the work of each definition that stay, if one of them keeps some percent of its work.
fn with_less(kept: &[u32], definition: usize, stays: u64) -> Vec<u32> {
    let mut kept = kept.to_vec();
    if let Some(slot) = kept.get_mut(definition) {
        *slot = u32::try_from(u64::from(*slot) * stays / 100).unwrap_or(u32::MAX);
    }
    kept
}

impl Prepared {
    fn definition_text(&self, definition: usize) -> String {
        let names = &self.depth.tables().summary.definitions.name;
        text_at(names, definition).unwrap_or_default().to_owned()
    }
}
