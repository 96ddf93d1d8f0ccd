//! Stretches of grains on an axis of time.

use sheaf_model::Progress;

use super::{AbsenceReason, Basis, Evaluation, check};
use crate::grain_graph::{Absence, Figure, GrainGraph, NodeKind, Paths};
use crate::stopping::CHECKED_EVERY;

/// A grain, and start and end of a stretch of it.
type Span = (u32, i64, i64);

/// A stretch of a grain; times count from the earliest start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Interval {
    pub(super) grain: u32,
    pub(super) start: u64,
    pub(super) duration: u64,
}

impl Interval {
    /// Its last instant. An end by the clock is not part of the stretch.
    pub(super) fn end(&self, basis: Basis) -> u64 {
        let end = self.start + self.duration;
        match basis {
            Basis::Logical => end,
            Basis::Real => end.saturating_sub(1),
        }
    }
}

/// Stretches of all grains.
#[derive(Debug)]
pub(super) struct Placed {
    /// Sorted by grain, then start.
    pub(super) stretches: Vec<Interval>,
    /// Time from which they count.
    pub(super) origin: i64,
    /// Whether stretches count, or grains.
    pub(super) basis: Basis,
}

impl Placed {
    pub(super) fn of(evaluation: &Evaluation<'_>, basis: Basis) -> Result<Self, AbsenceReason> {
        let spans = match basis {
            Basis::Logical => logical(evaluation)?,
            Basis::Real => real(evaluation)?,
        };
        check(evaluation.progress())?;
        let origin = spans.iter().map(|span| span.1).min().unwrap_or(0);
        let mut stretches: Vec<Interval> = spans
            .into_iter()
            .map(|(grain, start, end)| {
                let from = start.abs_diff(origin);
                let duration = end.max(start).abs_diff(start);
                Interval {
                    grain,
                    start: from,
                    duration,
                }
            })
            .collect();
        stretches.sort_unstable();
        Ok(Self {
            stretches,
            origin,
            basis,
        })
    }

    /// Twice the median duration, so that it is whole.
    pub(super) fn twice_median(&self) -> u64 {
        let mut durations: Vec<u64> = self.durations().collect();
        let middle = durations.len() / 2;
        if durations.is_empty() {
            return 0;
        }
        let is_even = durations.len().is_multiple_of(2);
        let (below, &mut upper, _) = durations.select_nth_unstable(middle);
        let lower = below.iter().max().copied().filter(|_| is_even);
        upper.saturating_add(lower.unwrap_or(upper))
    }

    pub(super) fn shortest(&self) -> u64 {
        let durations = self.durations().filter(|&duration| duration > 0);
        durations.min().unwrap_or(0)
    }

    fn durations(&self) -> impl Iterator<Item = u64> + '_ {
        self.stretches.iter().map(|stretch| stretch.duration)
    }

    /// The smallest difference, above 0, of a start and the end of another stretch.
    pub(super) fn smallest_gap(&self, progress: &Progress) -> Result<u64, AbsenceReason> {
        let end = |stretch: &Interval| stretch.start + stretch.duration;
        let mut ends: Vec<(u64, usize)> = self
            .stretches
            .iter()
            .enumerate()
            .map(|(at, stretch)| (end(stretch), at))
            .collect();
        ends.sort_unstable();
        let mut smallest = u64::MAX;
        for (at, stretch) in self.stretches.iter().enumerate() {
            if at.is_multiple_of(CHECKED_EVERY) {
                check(progress)?;
            }
            let first = ends.partition_point(|other| other.0 < stretch.start);
            if let Some(before) = first.checked_sub(1).and_then(|before| ends.get(before)) {
                smallest = smallest.min(stretch.start - before.0);
            }
            let after = ends.partition_point(|other| other.0 <= stretch.start);
            let others = ends.iter().skip(after);
            if let Some(other) = others.into_iter().find(|other| other.1 != at) {
                smallest = smallest.min(other.0 - stretch.start);
            }
        }
        Ok(if smallest == u64::MAX { 0 } else { smallest })
    }
}

/// Fragments at their earliest start, with grain, start and end.
fn logical(evaluation: &Evaluation<'_>) -> Result<Vec<Span>, AbsenceReason> {
    let run = evaluation.run();
    if let Some(absence) = Absence::of(run, Figure::Unreduced) {
        return Err(AbsenceReason::because(absence.reason));
    }
    let graph = GrainGraph::unreduced(run, evaluation.structure());
    check(evaluation.progress())?;
    let paths = Paths::of(&graph).map_err(|fault| {
        AbsenceReason::because(format!("the grain graph is not sound: {fault}"))
    })?;
    check(evaluation.progress())?;
    let count = u32::try_from(graph.num_nodes()).unwrap_or(u32::MAX);
    Ok((0..count)
        .filter(|&node| graph.kind(node).is_some_and(NodeKind::is_stretch))
        .filter(|&node| graph.item(node).is_some())
        .filter_map(|node| {
            let start = paths.earliest_start(node);
            Some((
                graph.grain(node)?,
                start,
                start.saturating_add(graph.weight(node)),
            ))
        })
        .collect())
}

/// What grains did when: stretches that nothing else of the same grain touches. Where there are no
/// fragments, a grain runs from its begin to its end.
fn real(evaluation: &Evaluation<'_>) -> Result<Vec<Span>, AbsenceReason> {
    let run = evaluation.run();
    let spans = if run.fragments.is_empty() {
        let grains = &run.grains;
        let both = grains.start.iter().zip(&grains.end);
        let spans = (0..).zip(both);
        merged(spans.filter_map(|(row, (start, end))| Some((row, start?, end?))))
    } else {
        let fragments = &run.fragments;
        let durations = fragments.duration.values().iter();
        let times = fragments.start.values().iter().zip(durations);
        let rows = fragments.grain.values().iter().zip(times);
        merged(rows.map(|(grain, (start, duration))| {
            let grain = u32::try_from(grain).unwrap_or(u32::MAX);
            (grain, start, start.saturating_add(duration))
        }))
    };
    if spans.is_empty() {
        let has_starts = run.grains.start.null_count() < run.grains.len();
        let key = if has_starts { "fragments" } else { "start" };
        let lacks = run.summary.meta.lacks.get(key);
        let reason = lacks.map_or("the run has no times of begin", String::as_str);
        return Err(AbsenceReason::because(reason));
    }
    Ok(spans)
}

/// Stretches of time in order, those of a grain that touch as one. The table of fragments is in order: then no list of
/// all of them is made.
fn merged(spans: impl Iterator<Item = Span> + Clone) -> Vec<Span> {
    let spans = spans.filter(|(_, start, end)| end > start);
    let mut merged: Vec<Span> = Vec::new();
    let mut add = |next: Span| match merged.last_mut() {
        Some(last) if last.0 == next.0 && next.1 <= last.2 => last.2 = last.2.max(next.2),
        _ => merged.push(next),
    };
    if spans.clone().is_sorted() {
        spans.for_each(&mut add);
    } else {
        let mut sorted: Vec<Span> = spans.collect();
        sorted.sort_unstable();
        sorted.into_iter().for_each(&mut add);
    }
    merged
}
