//! Values of ranks, and how they compare with the sums that the experiment states.
//!
//! A file of a rank has a number for every node and metric; 0 states that nothing was sampled there
//! and becomes no value.

use std::collections::HashMap;

use super::experiment::{Experiment, Sort};
use super::metric_db::{MetricDb, Rank};
use crate::Error;
use crate::hpctoolkit::folders::Member;
use crate::profile::Profile;
use crate::reader::Context;

/// Relative difference of a number printed with six digits from the one that was meant.
const SIX_DIGITS: f64 = 5.1e-6;

/// Relative difference of sums that are the same but for the order of summation.
const ROUNDING: f64 = 1e-9;

/// Adds the values of every rank; those whose file cannot be read go to `refused`.
pub(super) fn add(
    profile: &mut Profile,
    experiment: &mut Experiment,
    ranks: &[(Rank, Member<'_>)],
    context: Context<'_>,
    refused: &mut Vec<(usize, Error)>,
) -> Result<(), Error> {
    let mut sums = Sums::new(experiment);
    let mut is_complete = true;
    let mut shape: Option<(usize, usize)> = None;
    for (rank, (at, input)) in ranks {
        context.progress.check()?;
        let file = match MetricDb::read(input, context.progress) {
            Ok(file) => file,
            Err(error @ Error::Cancelled(_)) => return Err(error),
            Err(error) => {
                is_complete = false;
                refused.push((*at, error));
                continue;
            }
        };
        let own_shape = (file.rows(), file.columns());
        if *shape.get_or_insert(own_shape) != own_shape {
            is_complete = false;
            let reason = format!(
                "it has {} nodes and {} metrics, others have not",
                own_shape.0, own_shape.1
            );
            let at_name = format!("`{}`", input.file_name());
            refused.push((*at, Error::malformed(super::FORMAT, at_name, reason)));
            continue;
        }
        experiment.ranks.push(*rank);
        add_rank(profile, experiment, *rank, &file, &mut sums);
    }
    let unread = ranks.len() - experiment.ranks.len();
    experiment
        .report
        .add("read_profiles", experiment.ranks.len() as u64, || None);
    experiment.ranks.dedup();
    is_complete &= sums.check(experiment, shape.map_or(0, |(rows, _)| rows));
    if !is_complete {
        let meta = profile.meta();
        meta.is_complete = false;
        meta.warnings.push(format!(
            "values of ranks do not add up to those of all: {unread} files of ranks could not be \
             read, or files are missing"
        ));
    }
    Ok(())
}

/// Takes the values from the experiment itself where it has no files of ranks.
pub(super) fn add_summaries(profile: &mut Profile, experiment: &mut Experiment) {
    let location = profile.location(0, 0);
    // Both a value and those in it are rounded.
    experiment.scopes.set_rounding(2.0 * SIX_DIGITS);
    let mut num_values = 0;
    for column in experiment.inlined.clone() {
        let mut given: Vec<(u32, f64)> = experiment
            .summaries
            .iter()
            .filter(|summary| Some(summary.metric) == column.summary)
            .map(|summary| (summary.scope, summary.value))
            .filter(|(scope, value)| (*scope as usize) < experiment.ids.len() && *value != 0.0)
            .collect();
        given.sort_by_key(|(scope, _)| *scope);
        given.dedup_by_key(|(scope, _)| *scope);
        if column.sort == Sort::Exclusive {
            given = with_zeros(&given, experiment.ids.len());
        }
        let scopes = &mut experiment.scopes;
        let to = (&column.metric, location);
        let procedures = &mut experiment.procedures;
        num_values += scopes.add(profile, procedures, &given, column.sort.rule(), to);
    }
    experiment.report.add("read_values", num_values, || None);
    profile.meta().warnings.push(
        "the database has no values of single ranks: all are of all ranks, with six digits"
            .to_owned(),
    );
}

/// Every scope with its value: chains of containment must not end at scopes without samples.
fn with_zeros(given: &[(u32, f64)], len: usize) -> Vec<(u32, f64)> {
    let mut dense: Vec<(u32, f64)> = (0..).zip(std::iter::repeat_n(0.0, len)).collect();
    for &(scope, value) in given {
        if let Some(slot) = dense.get_mut(scope as usize) {
            slot.1 = value;
        }
    }
    dense
}

fn add_rank(
    profile: &mut Profile,
    experiment: &mut Experiment,
    rank: Rank,
    file: &MetricDb<'_>,
    sums: &mut Sums,
) {
    let location = profile.location(rank.rank, rank.thread);
    let mut num_values = 0;
    for (number, column) in experiment.columns.iter().enumerate() {
        let mut given = Vec::new();
        for (scope, &id) in (0_u32..).zip(&experiment.ids) {
            let value = file.get(id, column.number).unwrap_or(0.0);
            if !value.is_finite() {
                let place = || Some(format!("node {id} of rank {}", rank.rank));
                experiment.report.add("skipped_unusable_values", 1, place);
            } else if value != 0.0 || column.sort == Sort::Exclusive {
                sums.add(number, scope, value);
                given.push((scope, value));
            }
        }
        let scopes = &mut experiment.scopes;
        let (procedures, to) = (&mut experiment.procedures, (&column.metric, location));
        num_values += scopes.add(profile, procedures, &given, column.sort.rule(), to);
        if column.number >= file.columns() {
            let place = || Some(column.name.clone());
            experiment.report.add("skipped_metrics", 1, place);
        }
    }
    experiment.report.add("read_values", num_values, || None);
}

/// Sums over ranks, by metric and scope, where the experiment has a metric to compare with.
struct Sums {
    columns: Vec<Vec<f64>>,
}

impl Sums {
    fn new(experiment: &Experiment) -> Self {
        let scopes = experiment.ids.len();
        let sums = |column: &super::experiment::Column| match column.summary {
            Some(_) => vec![0.0; scopes],
            None => Vec::new(),
        };
        Self {
            columns: experiment.columns.iter().map(sums).collect(),
        }
    }

    fn add(&mut self, column: usize, scope: u32, value: f64) {
        let sums = self.columns.get_mut(column);
        if let Some(sum) = sums.and_then(|sums| sums.get_mut(scope as usize)) {
            *sum += value;
        }
    }

    /// Compares with what the experiment states; whether all is there. The statements are not
    /// used: those of all ranks are the sums over ranks.
    fn check(&self, experiment: &mut Experiment, rows: usize) -> bool {
        let columns: HashMap<u32, &Vec<f64>> = experiment
            .columns
            .iter()
            .zip(&self.columns)
            .filter_map(|(column, sums)| Some((column.summary?, sums)))
            .collect();
        let mut is_complete = true;
        for summary in &experiment.summaries {
            let Some(sums) = columns.get(&summary.metric) else {
                continue;
            };
            let Some(sum) = sums.get(summary.scope as usize) else {
                continue;
            };
            if is_close(*sum, summary.value, SIX_DIGITS) {
                experiment.report.add("read_equal_summaries", 1, || None);
            } else {
                is_complete = false;
                let id = experiment.ids.get(summary.scope as usize);
                let place = || id.map(|id| format!("node {id}: {} for {sum}", summary.value));
                experiment.report.add("repaired_summaries", 1, place);
            }
        }
        let beyond = experiment.ids.iter().filter(|id| **id as usize > rows);
        let first = || Some(format!("files of ranks have {rows} nodes"));
        let count = beyond.count() as u64;
        experiment
            .report
            .add("skipped_nodes_without_values", count, first);
        self.compare_totals(experiment);
        is_complete && count == 0
    }

    /// Notes where what was kept of exclusive values is not what the inclusive ones of the
    /// outermost scopes add up to.
    fn compare_totals(&self, experiment: &mut Experiment) {
        let of = |sort: Sort| -> Vec<(String, &Vec<f64>)> {
            let columns = experiment.columns.iter().zip(&self.columns);
            columns
                .filter(|(column, _)| column.sort == sort)
                .map(|(column, sums)| (column.base_name().to_owned(), sums))
                .collect()
        };
        let (exclusive, inclusive) = (of(Sort::Exclusive), of(Sort::Inclusive));
        let mut differing = Vec::new();
        for (name, exclusive) in exclusive {
            let Some((_, inclusive)) = inclusive.iter().find(|(other, _)| *other == name) else {
                continue;
            };
            let scopes = (0_u32..).zip(inclusive.iter());
            let all: f64 = scopes
                .filter(|(scope, _)| experiment.scopes.is_outermost(*scope))
                .map(|(_, sum)| sum)
                .sum();
            let kept = experiment
                .scopes
                .total_of_own(exclusive, Sort::Exclusive.rule());
            if !exclusive.is_empty() && !inclusive.is_empty() && !is_close(kept, all, ROUNDING) {
                differing.push(format!("{name}: {kept} for {all}"));
            }
        }
        for place in differing {
            let kind = "read_exclusive_totals_that_differ";
            experiment.report.add(kind, 1, || Some(place));
        }
    }
}

fn is_close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= a.abs().max(b.abs()) * tolerance
}
