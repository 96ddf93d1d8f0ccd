//! Values of every group by rank or worker: where runs are imbalanced.

mod nodes;
mod presence;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rayon::prelude::*;
use sheaf_answers::{
    LocatedGroup, LocatedRun, LocatedValues, Location, LocationColumn, LocationKind, LocationOrder,
    LocationSpread, Locations, MetricFact, Note,
};
use sheaf_model::{Lens, Level, LocationAggregate, MetricKind, Progress, RunSummary, Scope};
use sheaf_statistics::Sample;

use crate::box_plot::box_plot;
use crate::context_sums::LocationAxis;
use crate::distribution::members::{self, Member};
use crate::error::Error;
use crate::group_values::GroupValues;
use crate::groups::{Grouping, Reentry};
use crate::kernel::{Question, State, UnifiedRuns, partial};
use crate::partition::Partition;
use nodes::Nodes;
use presence::Presence;

/// Values that are in memory at once, at most: 1,000 groups on 16,384 locations.
const MAX_VALUES: usize = 1 << 24;

/// Selects the kind of location and the groups of an answer.
///
/// ```
/// use sheaf_analysis::{LocationsQuestion, locations};
/// use sheaf_model::{Lens, Progress};
/// let question = LocationsQuestion::default();
/// assert!(locations(&Lens::default(), &question, &[], &Progress::silent()).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocationsQuestion {
    /// Kind of location: ranks or workers.
    pub by: LocationKind,
    /// Order of groups.
    pub order: LocationOrder,
    /// Groups left out before the first.
    pub offset: usize,
    /// Groups at most; all without.
    pub limit: Option<usize>,
    /// Columns of a run at most; one per location without.
    pub columns: Option<usize>,
}

impl Default for LocationsQuestion {
    /// All groups by rank, the most imbalanced first.
    fn default() -> Self {
        Self {
            by: LocationKind::Ranks,
            order: LocationOrder::Imbalance,
            offset: 0,
            limit: None,
            columns: None,
        }
    }
}

/// Answers how the values of every group differ between ranks or workers, run by run.
///
/// Clauses `over` and `by` of the lens do not matter. A module that is entered again further down a path is one group.
/// A location that never came to a group has no value there, and counts as 0 in the distribution (but is left out
/// where the metric is a mean). Groups of equal rank in the order asked for are sorted by name. Takes time linear in
/// the rows of the runs' values, in parallel over runs.
///
/// # Errors
/// As for [`stats`](crate::stats); when no run has values by location; and when there are too many values.
pub fn locations(
    lens: &Lens,
    question: &LocationsQuestion,
    runs: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<Locations, Error> {
    finish_locations(lens, question, partial(lens, runs, progress)?, progress)
}

/// Finishes the answer of [`locations`] from the merged state of all runs.
///
/// # Errors
/// As for [`locations`].
pub fn finish_locations(
    lens: &Lens,
    asked: &LocationsQuestion,
    state: State,
    progress: &Progress,
) -> Result<Locations, Error> {
    check_columns(asked.columns)?;
    let ensemble = UnifiedRuns::new(state)?;
    let question = ensemble.question(&lens.metric)?;
    let grouping = Grouping::new(&ensemble.tree, lens, Reentry::Merged)?;
    let partition = Partition::new(&ensemble.tree, grouping.group_of.clone(), grouping.len());
    let totals = GroupValues::new(
        &ensemble,
        &question,
        &partition,
        LocationAggregate::RanksSum,
        progress,
    )?;
    let places = Places::new(&ensemble, asked);
    check_size(&grouping, &places)?;
    let table = Table {
        by_run: by_run(
            &ensemble, &question, &partition, asked.by, lens.scope, progress,
        )?,
        is_mean: question.metric.kind == MetricKind::Intensive,
        ensemble: &ensemble,
        totals,
        places,
        scope: lens.scope,
    };
    let mut groups = table.groups(&grouping, progress)?;
    sort(&mut groups, &grouping, asked.order);
    let paths = match lens.level {
        Level::Context => ensemble.tree.name_paths(),
        Level::Module | Level::Definition => grouping.names(),
    };
    let num_groups = groups.len() as u64;
    let wanted = groups
        .into_iter()
        .skip(asked.offset)
        .take(asked.limit.unwrap_or(usize::MAX));
    let groups = wanted.map(|(number, runs)| {
        let group = &grouping.groups[number];
        LocatedGroup {
            path: match lens.level {
                Level::Context => paths.to(group.first_node),
                Level::Module | Level::Definition => paths.to(number),
            },
            group: group.id.to_string(),
            all: table.spread_over_runs(number),
            runs,
        }
    });
    let groups = groups.collect();
    let notes = [
        question.notes.clone(),
        grouping.notes.clone(),
        table.notes(asked.by),
    ]
    .concat();
    Ok(Locations {
        schema: "locations/1".to_owned(),
        lens: lens.to_string(),
        metric: question.metric.name.clone(),
        label: question.metric.label.clone(),
        scope: lens.scope,
        unit: question.metric.unit.clone(),
        by: asked.by,
        runs: table.located_runs(),
        groups,
        num_groups,
        notes,
    })
}

/// A group by its number, with its values in every run that has some.
type OfGroup = (usize, Vec<LocatedValues>);

fn check_columns(columns: Option<usize>) -> Result<(), Error> {
    if columns == Some(0) {
        return Err(Error::OutOfRange {
            name: "columns",
            value: "0".to_owned(),
            wanted: "a number of columns from 1, such as `512`",
        });
    }
    Ok(())
}

fn check_size(grouping: &Grouping, places: &[Places]) -> Result<(), Error> {
    let shown = grouping.groups.iter().filter(|group| group.is_visible);
    let locations = places.iter().map(|places| places.members.len()).sum();
    let values = shown.count().saturating_mul(locations);
    if values > MAX_VALUES {
        return Err(Error::TooManyValues {
            values,
            most: MAX_VALUES,
        });
    }
    Ok(())
}

/// The largest first; then by name and id.
fn sort(groups: &mut [OfGroup], grouping: &Grouping, order: LocationOrder) {
    let weight = |runs: &[LocatedValues]| {
        let weights = runs.iter().map(|run| match order {
            LocationOrder::Imbalance => run.excess,
            LocationOrder::Value => run.total.or(run.spread.mean).unwrap_or(0.0),
        });
        weights.fold(f64::NEG_INFINITY, f64::max)
    };
    groups.sort_by(|(a, runs_of_a), (b, runs_of_b)| {
        let (of_a, of_b) = (&grouping.groups[*a], &grouping.groups[*b]);
        weight(runs_of_b)
            .total_cmp(&weight(runs_of_a))
            .then_with(|| of_a.name.cmp(&of_b.name))
            .then_with(|| of_a.id.cmp(&of_b.id))
    });
}

const fn lanes(by: LocationKind) -> LocationAxis {
    match by {
        LocationKind::Ranks => LocationAxis::Ranks,
        LocationKind::Workers => LocationAxis::Workers,
    }
}

/// The locations of a run in their order, and how they share columns.
struct Places {
    members: Vec<Member>,
    /// Lane of each location: of workers, the order of rows is not that of ranks and threads.
    order: Vec<usize>,
    per_column: usize,
}

impl Places {
    fn new(ensemble: &UnifiedRuns, asked: &LocationsQuestion) -> Vec<Self> {
        let of_run = |(run, summary): (usize, &Arc<RunSummary>)| {
            let lanes = members::of_lanes(&summary.locations, lanes(asked.by), run);
            let mut order: Vec<usize> = (0..lanes.len()).collect();
            order.sort_by_key(|&lane| lanes[lane]);
            let most = asked.columns.unwrap_or(usize::MAX);
            Self {
                members: order.iter().map(|&lane| lanes[lane]).collect(),
                per_column: lanes.len().div_ceil(most).max(1),
                order,
            }
        };
        ensemble.runs().iter().enumerate().map(of_run).collect()
    }

    fn columns(&self, nodes: &Nodes) -> Vec<LocationColumn> {
        let column = |members: &[Member]| {
            let first = location(*members.first()?);
            let last = members.last().filter(|_| members.len() > 1);
            Some(LocationColumn {
                first,
                last: last.map(|&last| location(last)),
                node: nodes.common(members),
            })
        };
        self.members
            .chunks(self.per_column)
            .filter_map(column)
            .collect()
    }
}

fn location(member: Member) -> Location {
    match member {
        Member::Worker { rank, thread, .. } => Location {
            rank,
            thread: Some(thread),
        },
        Member::Rank { rank, .. } => Location { rank, thread: None },
        // The axis has ranks and workers only.
        Member::Run(_) | Member::Site(_) => Location {
            rank: -1,
            thread: None,
        },
    }
}

/// Values of a run by group and lane; nothing for groups without values by location.
struct OfRun {
    groups: Vec<Option<Vec<Option<f64>>>>,
    presence: Presence,
}

fn by_run(
    ensemble: &UnifiedRuns,
    question: &Question,
    partition: &Partition,
    by: LocationKind,
    scope: Scope,
    progress: &Progress,
) -> Result<Vec<OfRun>, Error> {
    (0..ensemble.num_runs())
        .into_par_iter()
        .map(|run| {
            progress.check()?;
            let view = ensemble.view(question, run);
            let sums = view.values_by(lanes(by)).sums(partition);
            let sums = match scope {
                Scope::Exclusive => &sums.exclusive,
                Scope::Inclusive => &sums.inclusive,
            };
            Ok(OfRun {
                groups: (0..partition.groups)
                    .map(|group| sums.lanes(group))
                    .collect(),
                presence: Presence::read(&view, lanes(by), partition, scope),
            })
        })
        .collect()
}

/// Values of all groups in all runs.
struct Table<'a> {
    ensemble: &'a UnifiedRuns,
    by_run: Vec<OfRun>,
    totals: GroupValues,
    places: Vec<Places>,
    scope: Scope,
    /// Whether the metric is a mean, which does not add up.
    is_mean: bool,
}

impl Table<'_> {
    /// Values that count in distributions, with the locations that they belong to, in order.
    fn counted(&self, group: usize, run: usize) -> Option<Vec<(f64, Member)>> {
        let lanes = self.by_run[run].groups[group].as_ref()?;
        let places = &self.places[run];
        let values = places.order.iter().zip(&places.members);
        let counted =
            values.filter_map(|(&lane, &member)| Some((*lanes.get(lane)?.as_ref()?, member)));
        let counted: Vec<_> = counted.filter(|(value, _)| value.is_finite()).collect();
        (!counted.is_empty()).then_some(counted)
    }

    /// Visible groups that have values in some run.
    fn groups(&self, grouping: &Grouping, progress: &Progress) -> Result<Vec<OfGroup>, Error> {
        let groups = (0..grouping.len())
            .into_par_iter()
            .filter(|&group| grouping.groups[group].is_visible)
            .map(|group| {
                progress.check()?;
                Ok((group, self.runs(group)))
            })
            .collect::<Result<Vec<OfGroup>, Error>>()?;
        let has_values = |(_, runs): &OfGroup| !runs.is_empty();
        Ok(groups.into_iter().filter(has_values).collect())
    }

    /// The group in every run that has values of it.
    fn runs(&self, group: usize) -> Vec<LocatedValues> {
        let runs = 0..self.by_run.len();
        runs.filter_map(|run| self.values(group, run)).collect()
    }

    fn values(&self, group: usize, run: usize) -> Option<LocatedValues> {
        let counted = self.counted(group, run)?;
        let spread = self.spread(&counted);
        let (min, mean, max) = (spread.min?, spread.mean?, spread.max?);
        let first = |is_beyond: fn(f64, f64) -> bool| {
            let values = counted.iter().copied();
            let found = values.reduce(|a, b| if is_beyond(b.0, a.0) { b } else { a });
            found.map(|(_, member)| location(member))
        };
        let total = self.totals.of(self.scope, group)[run].value();
        let sample = Sample::new(counted.iter().map(|(value, _)| *value));
        let balance = sample.load_balance().filter(|_| min >= 0.0);
        let cells = self.cells(group, run);
        Some(LocatedValues {
            run: run as u64,
            total: total.filter(|_| !self.is_mean),
            absent: cells.iter().filter(|cell| cell.is_none()).count() as u64,
            excess: max - mean,
            imbalance: balance.map(|balance| 1.0 - balance),
            max_at: first(|b, a| b > a)?,
            min_at: first(|b, a| b < a)?,
            values: cells
                .chunks(self.places[run].per_column)
                .map(|cells| sheaf_statistics::mean(cells.iter().flatten().copied()))
                .collect(),
            spread,
        })
    }

    /// Value at each location in order, if the group occurs there.
    fn cells(&self, group: usize, run: usize) -> Vec<Option<f64>> {
        let of_run = &self.by_run[run];
        let lanes = of_run.groups[group].as_deref().unwrap_or_default();
        let cell = |&lane: &usize| {
            let value = lanes.get(lane).copied().flatten();
            value.filter(|_| of_run.presence.has(group, lane))
        };
        self.places[run].order.iter().map(cell).collect()
    }

    fn spread_over_runs(&self, group: usize) -> LocationSpread {
        let runs = 0..self.by_run.len();
        let counted = runs.filter_map(|run| self.counted(group, run)).flatten();
        self.spread(&counted.collect::<Vec<_>>())
    }

    fn spread(&self, counted: &[(f64, Member)]) -> LocationSpread {
        let sample = Sample::new(counted.iter().map(|(value, _)| *value));
        LocationSpread {
            locations: sample.len() as u64,
            mean: sample.mean(),
            std: sample.standard_deviation(),
            min: sample.min(),
            q1: sample.quantile(0.25),
            median: sample.median(),
            q3: sample.quantile(0.75),
            max: sample.max(),
            box_plot: box_plot(&sample, counted.iter().copied(), |member| {
                members::text_of_one(member, self.ensemble)
            }),
        }
    }

    fn located_runs(&self) -> Vec<LocatedRun> {
        let runs = self.ensemble.runs().iter().zip(&self.places);
        runs.map(|(run, places)| LocatedRun {
            run: run.meta.id.to_string(),
            name: run.meta.name.clone(),
            locations: places.members.len() as u64,
            columns: places.columns(&Nodes::new(&run.locations)),
        })
        .collect()
    }

    /// Names runs whose values are known over all locations only.
    fn notes(&self, by: LocationKind) -> Vec<Note> {
        let is_without = |run: &OfRun| run.groups.iter().all(Option::is_none);
        match self.by_run.iter().filter(|run| is_without(run)).count() {
            0 => Vec::new(),
            runs => {
                let runs = runs as u64;
                vec![MetricFact::NoValuesByLocation { by, runs }.into()]
            }
        }
    }
}
