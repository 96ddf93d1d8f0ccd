//! The difference of the slowest ranks of call profiles: mean and imbalance, context by context.

use std::collections::BTreeMap;

use sheaf_answers::{CauseKind, ExplainedBy, Locations};
use sheaf_model::{Cancelled, PartRules, Progress, RunId};
use sheaf_statistics::exact_sum;

use super::judge::{Design, Measured};
use super::{Concern, ExplainOptions, FoundView};

/// The time of the slowest rank of one run, divided among contexts.
#[derive(Debug, Clone, PartialEq)]
pub struct RankTime {
    /// The run.
    pub id: RunId,
    /// The total of the slowest rank.
    total: f64,
    /// By place of the context in the answer: the mean over ranks, and the excess of the slowest rank.
    contexts: BTreeMap<usize, [f64; 2]>,
}

impl RankTime {
    /// Whether the run has values by rank.
    pub fn is_known(&self) -> bool {
        !self.contexts.is_empty()
    }
}

/// Divides the time of the slowest rank of each run, in the order of the answer's runs. `locations` has the exclusive
/// values of all contexts by rank. Linear in these values.
pub fn rank_times(locations: &Locations) -> Vec<RankTime> {
    let mut by_run: Vec<BTreeMap<usize, &[Option<f64>]>> =
        vec![BTreeMap::new(); locations.runs.len()];
    for (place, group) in locations.groups.iter().enumerate() {
        for values in &group.runs {
            let run = usize::try_from(values.run).ok();
            if let Some(of_run) = run.and_then(|run| by_run.get_mut(run)) {
                of_run.insert(place, &values.values);
            }
        }
    }
    let runs = locations.runs.iter().zip(by_run);
    runs.map(|(run, contexts)| {
        let ranks = run.columns.len();
        let of_rank = |rank: usize| {
            let values = contexts.values().filter_map(|values| *values.get(rank)?);
            exact_sum(&values.collect::<Vec<f64>>())
        };
        // If several ranks have the largest total, the first of them counts.
        let totals = (0..ranks).map(of_rank).enumerate();
        let slowest = totals.rev().max_by(|(_, a), (_, b)| a.total_cmp(b));
        let (slowest, total) = slowest.unwrap_or((0, 0.0));
        let divide = |(place, values): (usize, &[Option<f64>])| {
            let known: Vec<f64> = values.iter().copied().flatten().collect();
            let mean = exact_sum(&known) / ranks.max(1) as f64;
            let own = values.get(slowest).copied().flatten().unwrap_or(0.0);
            (place, [mean, own - mean])
        };
        RankTime {
            id: run.run.parse().unwrap_or(RunId([0; 16])),
            total,
            contexts: contexts.into_iter().map(divide).collect(),
        }
    })
    .collect()
}

/// Explains the difference of the slowest ranks of two sides. `None` where a side has no runs.
///
/// Linear in contexts and runs, but for resampling ([`super::RESAMPLES`] times the runs of each part that is tested) and
/// sorting the causes.
///
/// # Errors
/// When it was stopped.
pub fn rank_causes(
    locations: &Locations,
    sides: &[Vec<RankTime>; 2],
    parts_of: &PartRules,
    options: &ExplainOptions,
    progress: &Progress,
) -> Result<Option<FoundView>, Cancelled> {
    if sides.iter().any(Vec::is_empty) {
        return Ok(None);
    }
    let kinds = [CauseKind::Mean, CauseKind::Imbalance];
    let counts = sides.each_ref().map(Vec::len);
    let mut values: BTreeMap<(CauseKind, usize), [Vec<f64>; 2]> = BTreeMap::new();
    for (side, runs) in sides.iter().enumerate() {
        for (number, run) in runs.iter().enumerate() {
            for (&place, parts) in &run.contexts {
                for (kind, &part) in kinds.into_iter().zip(parts) {
                    let of = values
                        .entry((kind, place))
                        .or_insert_with(|| counts.map(|runs| vec![0.0; runs]));
                    of[side][number] = part;
                }
            }
        }
    }
    let parts = values.into_iter().filter_map(|((kind, place), values)| {
        let group = locations.groups.get(place)?;
        let delta = mean(&values[1]) - mean(&values[0]);
        let (_, name) = group.path.innermost(1);
        (delta != 0.0).then(|| Measured {
            kind,
            concern: Concern::Context(place),
            part: Some(parts_of.part(name.last().copied().unwrap_or_default())),
            delta,
            exact: None,
            values,
        })
    });
    let parts: Vec<Measured> = parts.collect();
    let means = sides.each_ref().map(|side| {
        let totals: Vec<f64> = side.iter().map(|run| run.total).collect();
        mean(&totals)
    });
    let delta = means[1] - means[0];
    let known: Vec<f64> = parts.iter().map(|part| part.delta).collect();
    let rest = delta - exact_sum(&known);
    let ids = sides
        .each_ref()
        .map(|side| side.iter().map(|run| run.id).collect::<Vec<_>>());
    let design = Design::new(&ids, means, options);
    let mut causes = design.causes(parts, progress)?;
    causes.extend((rest != 0.0).then(|| design.rest(rest)));
    Ok(Some(FoundView {
        by: ExplainedBy::Ranks,
        means,
        delta,
        divisor: None,
        causes,
    }))
}

fn mean(values: &[f64]) -> f64 {
    exact_sum(values) / values.len().max(1) as f64
}
