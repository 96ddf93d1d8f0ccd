//! Stretches of grains on an axis of time.

use sheaf_model::table::{Fragments, Grains};
use sheaf_model::{Progress, RunTables};

use super::{AbsenceReason, Basis, Evaluation, check};
use crate::grain_graph::{Absence, Figure, GrainGraph, NodeKind, Paths, to_u32};
use crate::spans::{Span, spans};
use crate::stopping::CHECKED_EVERY;

/// Durations below this are counted to find the median; longer ones are listed.
const SHORT: usize = if cfg!(test) { 1 << 4 } else { 1 << 16 };

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
        last_instant(self.start + self.duration, basis)
    }
}

fn last_instant(end: u64, basis: Basis) -> u64 {
    match basis {
        Basis::Logical => end,
        Basis::Real => end.saturating_sub(1),
    }
}

/// Stretches of all grains. They are made from the tables whenever they are asked for, in the order of grains, then
/// starts: a list of them takes much memory, and a pass over the tables takes little time.
#[derive(Debug)]
pub(super) struct Placed<'a> {
    source: Source<'a>,
    /// Whether the source has the stretches in their order.
    is_in_order: bool,
    /// Time from which they count.
    pub(super) origin: i64,
    /// Whether stretches count, or grains.
    pub(super) basis: Basis,
    /// Number of stretches.
    pub(super) len: usize,
    /// Last instant of all; absent if there is no stretch.
    pub(super) end: Option<u64>,
    /// Shortest duration above 0, or 0.
    pub(super) shortest: u64,
    /// Number of stretches of each short duration, from 0.
    short: Vec<usize>,
}

fn slot(duration: u64) -> usize {
    usize::try_from(duration).unwrap_or(usize::MAX)
}

/// The source of stretches.
#[derive(Debug)]
enum Source<'a> {
    /// Fragments by grain, then start; those of a grain that touch are one stretch.
    Fragments(&'a Fragments),
    /// Grains from begin to end.
    Grains(&'a Grains),
    /// Stretches by grain, then start.
    List(Vec<Span>),
}

impl<'a> Placed<'a> {
    pub(super) fn of(evaluation: &Evaluation<'a>, basis: Basis) -> Result<Self, AbsenceReason> {
        let progress = evaluation.progress();
        match basis {
            Basis::Logical => {
                let mut spans = logical(evaluation)?;
                check(progress)?;
                spans.sort_unstable();
                Self::with(Source::List(spans), basis, progress)
            }
            Basis::Real => {
                let run = evaluation.run();
                let placed = Self::real(run, progress)?;
                if placed.len > 0 {
                    return Ok(placed);
                }
                let has_starts = run.grains.start.null_count() < run.grains.len();
                let key = if has_starts { "fragments" } else { "start" };
                let lacks = run.summary.meta.lacks.get(key);
                let reason = lacks.map_or("the run has no times of begin", String::as_str);
                Err(AbsenceReason::because(reason))
            }
        }
    }

    #[cfg(test)]
    pub(super) fn of_spans(mut spans: Vec<Span>, basis: Basis) -> Self {
        spans.sort_unstable();
        Self::with(Source::List(spans), basis, &Progress::silent()).unwrap()
    }

    /// The stretches of grains; stretches of the same grain do not touch each other. If there are no fragments, a grain
    /// runs from its begin to its end. Only fragments that are not in order are listed.
    fn real(run: &'a RunTables, progress: &Progress) -> Result<Self, AbsenceReason> {
        if run.fragments.is_empty() {
            return Self::with(Source::Grains(&run.grains), Basis::Real, progress);
        }
        let placed = Self::with(Source::Fragments(&run.fragments), Basis::Real, progress)?;
        if placed.is_in_order {
            return Ok(placed);
        }
        let spans = spans(&run.fragments, 0..run.fragments.len());
        let mut spans: Vec<Span> = spans.filter(|(_, start, end)| end > start).collect();
        check(progress)?;
        spans.sort_unstable();
        let (mut merged, mut stretches) = (Merged::default(), Vec::new());
        for span in spans {
            merged.push(span, |stretch| stretches.push(stretch));
        }
        stretches.extend(merged.last);
        Self::with(Source::List(stretches), Basis::Real, progress)
    }

    fn with(source: Source<'a>, basis: Basis, progress: &Progress) -> Result<Self, AbsenceReason> {
        let (mut len, mut shortest) = (0, u64::MAX);
        let mut short = vec![0; SHORT];
        let mut bounds: Option<(i64, i64)> = None;
        let is_in_order = source.each(progress, |(_, start, end)| {
            let end = end.max(start);
            let known = bounds.unwrap_or((start, end));
            bounds = Some((known.0.min(start), known.1.max(end)));
            let duration = end.abs_diff(start);
            // One less, so that 0 is the largest.
            shortest = shortest.min(duration.wrapping_sub(1));
            if let Some(count) = short.get_mut(slot(duration)) {
                *count += 1;
            }
            len += 1;
        })?;
        let end = bounds.map(|(start, end)| last_instant(end.abs_diff(start), basis));
        Ok(Self {
            source,
            is_in_order,
            origin: bounds.map_or(0, |bounds| bounds.0),
            basis,
            len,
            end,
            shortest: shortest.wrapping_add(1),
            short,
        })
    }

    /// Calls `visit` with every stretch.
    ///
    /// # Errors
    /// When the evaluation was stopped.
    pub(super) fn each(
        &self,
        progress: &Progress,
        mut visit: impl FnMut(Interval),
    ) -> Result<(), AbsenceReason> {
        let each = self.source.each(progress, |(grain, start, end)| {
            visit(Interval {
                grain,
                start: start.abs_diff(self.origin),
                duration: end.max(start).abs_diff(start),
            });
        });
        each.map(|_| ())
    }

    /// Twice the median duration, so that it is whole.
    pub(super) fn twice_median(&self, progress: &Progress) -> Result<u64, AbsenceReason> {
        let short = |rank: usize| {
            let mut before = 0;
            let found = (0..).zip(&self.short).find(|(_, count)| {
                before += **count;
                before > rank
            });
            found.map(|(duration, _): (u64, _)| duration)
        };
        if self.len == 0 {
            return Ok(0);
        }
        let ranks = ((self.len - 1) / 2, self.len / 2);
        if let (Some(lower), Some(upper)) = (short(ranks.0), short(ranks.1)) {
            return Ok(lower.saturating_add(upper));
        }
        let num_short: usize = self.short.iter().sum();
        let mut long = Vec::with_capacity(self.len - num_short);
        self.each(progress, |stretch| {
            if slot(stretch.duration) >= SHORT {
                long.push(stretch.duration);
            }
        })?;
        let (below, &mut upper, _) = long.select_nth_unstable(ranks.1 - num_short);
        let lower = if ranks.0 == ranks.1 {
            upper
        } else {
            let below = below.iter().max().copied();
            below.or_else(|| short(ranks.0)).unwrap_or(upper)
        };
        Ok(lower.saturating_add(upper))
    }

    /// The smallest difference, above 0, of a start and the end of another stretch.
    pub(super) fn smallest_gap(&self, progress: &Progress) -> Result<u64, AbsenceReason> {
        let (mut ends, mut starts) = (Vec::new(), Vec::new());
        self.each(progress, |stretch| {
            ends.push((stretch.start + stretch.duration, starts.len()));
            starts.push(stretch.start);
        })?;
        ends.sort_unstable();
        let mut smallest = u64::MAX;
        for (at, &start) in starts.iter().enumerate() {
            if at.is_multiple_of(CHECKED_EVERY) {
                check(progress)?;
            }
            let first = ends.partition_point(|other| other.0 < start);
            if let Some(before) = first.checked_sub(1).and_then(|before| ends.get(before)) {
                smallest = smallest.min(start - before.0);
            }
            let after = ends.partition_point(|other| other.0 <= start);
            let others = ends.iter().skip(after);
            if let Some(other) = others.into_iter().find(|other| other.1 != at) {
                smallest = smallest.min(other.0 - start);
            }
        }
        Ok(if smallest == u64::MAX { 0 } else { smallest })
    }
}

impl Source<'_> {
    /// Calls `visit` with every stretch; returns whether they came in order.
    fn each(
        &self,
        progress: &Progress,
        mut visit: impl FnMut(Span),
    ) -> Result<bool, AbsenceReason> {
        let len = match self {
            Self::Fragments(fragments) => fragments.len(),
            Self::Grains(grains) => grains.len(),
            Self::List(spans) => spans.len(),
        };
        let mut merged = Merged::default();
        for first in (0..len).step_by(CHECKED_EVERY) {
            check(progress)?;
            let rows = first..len.min(first + CHECKED_EVERY);
            match self {
                Self::Fragments(fragments) => {
                    spans(fragments, rows).for_each(|span| merged.push(span, &mut visit));
                }
                Self::Grains(grains) => {
                    let time = |row: usize| Some((grains.start.get(row)?, grains.end.get(row)?));
                    let timed = rows.filter_map(|row| Some((row, time(row)?)));
                    for (row, (start, end)) in timed {
                        merged.push((to_u32(row), start, end), &mut visit);
                    }
                }
                Self::List(spans) => {
                    let spans = spans.get(rows).unwrap_or_default();
                    spans.iter().copied().for_each(&mut visit);
                }
            }
        }
        if let Some(last) = merged.last {
            visit(last);
        }
        Ok(!merged.has_disorder)
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

/// Fragments of a grain that touch, as one stretch.
#[derive(Default)]
struct Merged {
    last: Option<Span>,
    /// Start of the fragment before.
    start: i64,
    /// Whether a fragment came that is before the one before it.
    has_disorder: bool,
}

impl Merged {
    /// Adds a fragment; calls `visit` with the stretch before it if it begins a new one.
    #[inline]
    fn push(&mut self, next: Span, visit: impl FnOnce(Span)) {
        let (grain, start, end) = next;
        if end <= start {
            return;
        }
        if let Some(last) = &mut self.last {
            self.has_disorder |= (grain, start) < (last.0, self.start);
            if last.0 == grain && start <= last.2 {
                last.2 = last.2.max(end);
            } else {
                visit(std::mem::replace(last, next));
            }
        } else {
            self.last = Some(next);
        }
        self.start = start;
    }
}
