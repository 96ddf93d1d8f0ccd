//! The difference of the slowest ranks of call profiles: mean and imbalance, context by context.

use std::collections::BTreeMap;

use arrow::array::Array;
use sheaf_answers::{CauseKind, CausePart, ExplainedBy};
use sheaf_model::{RunId, RunSummary};
use sheaf_statistics::exact_sum;

use super::judge::Design;
use super::{Concern, ExplainOptions, FoundCause, FoundView, sort};

/// Exclusive values of one metric in one run, by calling context and rank.
#[derive(Debug, Clone, PartialEq)]
pub struct RankTimes {
    /// The run.
    pub id: RunId,
    /// Number of ranks.
    pub ranks: usize,
    /// Values by rank, by the names of the context from the root. A rank without the context has 0.
    pub contexts: BTreeMap<Vec<String>, Vec<f64>>,
}

impl RankTimes {
    /// The values of a metric in a run, whose definitions have their newest names. `None` where the run does not have the
    /// metric. Linear in the values.
    pub fn of(run: &RunSummary, metric: &str) -> Option<Self> {
        let metrics = &run.metrics;
        let metric = (0..metrics.len()).find(|&row| metrics.name.value(row) == metric)?;
        let ranks = &run.locations.rank;
        let mut numbers: Vec<i32> = ranks.values().to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let paths = paths(run);
        let mut contexts: BTreeMap<Vec<String>, Vec<f64>> = BTreeMap::new();
        let values = &run.values;
        for row in 0..values.len() {
            if usize::try_from(values.metric.value(row)) != Ok(metric) {
                continue;
            }
            let value = if values.sum_float.is_valid(row) {
                values.sum_float.value(row)
            } else if values.sum.is_valid(row) {
                values.sum.value(row) as f64
            } else {
                continue;
            };
            let at = |row: i32| usize::try_from(row).ok();
            let path = at(values.context.value(row)).and_then(|context| paths.get(context));
            let rank = at(values.location.value(row)).and_then(|row| ranks.values().get(row));
            let rank = rank.and_then(|rank| numbers.binary_search(rank).ok());
            if let (Some(path), Some(rank)) = (path, rank) {
                let of = contexts
                    .entry(path.clone())
                    .or_insert_with(|| vec![0.0; numbers.len()]);
                of[rank] += value;
            }
        }
        Some(Self {
            id: run.meta.id,
            ranks: numbers.len(),
            contexts,
        })
    }

    /// The total of each rank.
    fn totals(&self) -> Vec<f64> {
        let of = |rank: usize| {
            let values: Vec<f64> = self.contexts.values().map(|values| values[rank]).collect();
            exact_sum(&values)
        };
        (0..self.ranks).map(of).collect()
    }

    /// The first of the ranks with the largest total, and that total.
    fn slowest(&self) -> (usize, f64) {
        let totals = self.totals().into_iter().enumerate();
        let slowest = totals.rev().max_by(|(_, a), (_, b)| a.total_cmp(b));
        slowest.unwrap_or((0, 0.0))
    }
}

/// Names of each context from the root.
fn paths(run: &RunSummary) -> Vec<Vec<String>> {
    let contexts = &run.contexts;
    let names = &run.definitions.name;
    let mut paths: Vec<Vec<String>> = Vec::with_capacity(contexts.len());
    for row in 0..contexts.len() {
        let parent = contexts
            .parent
            .is_valid(row)
            .then(|| contexts.parent.value(row));
        let parent = parent.and_then(|parent| paths.get(usize::try_from(parent).ok()?));
        let mut path = parent.cloned().unwrap_or_default();
        let definition = usize::try_from(contexts.definition.value(row)).unwrap_or(usize::MAX);
        path.push(if definition < names.len() {
            names.value(definition).to_owned()
        } else {
            String::new()
        });
        paths.push(path);
    }
    paths
}

/// Explains the difference of the slowest ranks of two sides. `None` where a side has no runs or no ranks.
///
/// Linear in the values, but for sorting the causes.
pub fn rank_causes(sides: &[Vec<RankTimes>; 2], options: &ExplainOptions) -> Option<FoundView> {
    let has_ranks = |run: &RankTimes| run.ranks > 0;
    if sides
        .iter()
        .any(|side| side.is_empty() || !side.iter().all(has_ranks))
    {
        return None;
    }
    let mut parts: BTreeMap<(CauseKind, &[String]), [Vec<f64>; 2]> = BTreeMap::new();
    let mut elapsed = [Vec::new(), Vec::new()];
    let counts = sides.each_ref().map(Vec::len);
    for (side, runs) in sides.iter().enumerate() {
        for (number, run) in runs.iter().enumerate() {
            let (slowest, total) = run.slowest();
            elapsed[side].push(total);
            for (path, values) in &run.contexts {
                let mean = exact_sum(values) / values.len() as f64;
                for (kind, value) in [
                    (CauseKind::Mean, mean),
                    (CauseKind::Imbalance, values[slowest] - mean),
                ] {
                    let of = parts
                        .entry((kind, path.as_slice()))
                        .or_insert_with(|| counts.map(|runs| vec![0.0; runs]));
                    of[side][number] = value;
                }
            }
        }
    }
    let means = elapsed.each_ref().map(|side| mean(side));
    let delta = means[1] - means[0];
    let ids = sides
        .each_ref()
        .map(|side| side.iter().map(|run| run.id).collect::<Vec<_>>());
    let design = Design::new(&ids, means, ExplainedBy::Ranks, options);
    let mut causes: Vec<FoundCause> = Vec::new();
    for ((kind, path), values) in parts {
        let delta = mean(&values[1]) - mean(&values[0]);
        if delta == 0.0 {
            continue;
        }
        let mut cause = design.evidence(kind, Concern::Context(path.to_vec()), values);
        cause.part = Some(part(path.last().map_or("", String::as_str)));
        cause.delta = delta;
        causes.push(cause);
    }
    let known: Vec<f64> = causes.iter().map(|cause| cause.delta).collect();
    let rest = delta - exact_sum(&known);
    design.judge(&mut causes);
    sort(&mut causes);
    if rest != 0.0 {
        let mut cause = design.evidence(
            CauseKind::NotExplained,
            Concern::Run,
            counts.map(|runs| vec![0.0; runs]),
        );
        (cause.delta, cause.interval, cause.p) = (rest, None, None);
        causes.push(cause);
    }
    Some(FoundView {
        by: ExplainedBy::Ranks,
        means,
        delta,
        divisor: None,
        causes,
    })
}

fn mean(values: &[f64]) -> f64 {
    exact_sum(values) / values.len().max(1) as f64
}

/// Functions that read or write files, without prefixes such as `__libc_`.
const IO: [&str; 24] = [
    "read",
    "write",
    "pread",
    "pwrite",
    "pread64",
    "pwrite64",
    "readv",
    "writev",
    "open",
    "open64",
    "openat",
    "close",
    "fopen",
    "fopen64",
    "fclose",
    "fread",
    "fwrite",
    "fsync",
    "fdatasync",
    "fflush",
    "lseek",
    "mmap",
    "fprintf",
    "fscanf",
];
/// Prefixes of libraries that read or write files.
const IO_PREFIXES: [&str; 5] = ["H5", "nc_", "adios2_", "MPI_File_", "PMPI_File_"];

/// The part of a program that a function belongs to, by its usual name.
fn part(name: &str) -> CausePart {
    let bare = name.trim_start_matches('_');
    let bare = bare.strip_prefix("libc_").unwrap_or(bare);
    let starts = |prefix: &str| name.starts_with(prefix);
    if IO.contains(&bare) || IO_PREFIXES.into_iter().any(starts) {
        CausePart::Io
    } else if ["MPI_", "PMPI_", "mpi_", "pmpi_", "MPIR_", "MPID_"]
        .into_iter()
        .any(starts)
    {
        CausePart::Mpi
    } else {
        CausePart::Computation
    }
}
