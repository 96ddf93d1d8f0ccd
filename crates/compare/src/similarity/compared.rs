//! Every two runs compared by a measure.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use sheaf_answers::{Note, SimilarFact};
use sheaf_model::{Lens, Level, Progress, RunMeta, RunSummary, Scope, StructureId};
use sheaf_statistics::Distances;
use sheaf_structure::similarity::{Features as Counts, min_max_matrix};

use super::metrics::{Features, standardised};
use super::parameters::{Parameter, varying};
use super::{Measure, SimilarityQuestion, Structures};
use sheaf_analysis::Error;
use sheaf_analysis::GroupValues;
use sheaf_analysis::Partition;
use sheaf_analysis::{ALL_METRICS, UnifiedRuns, partial};
use sheaf_analysis::{Grouping, Reentry};

/// Runs up to which the cosine is computed too: it takes a merge for each pair.
const MAX_COSINES: usize = 200;

/// Runs whose values are compared with those of others at once: as many as the nearer caches hold.
const TILE: usize = 16;
/// Parts in which differences are added up.
const PARTS: usize = 4;

/// Parts of a run's work that shares are counted in.
const WHOLE: f64 = (1_u64 << 40) as f64;

/// Runs with what a measure makes of each pair.
pub(super) struct Compared {
    pub(super) runs: Vec<Arc<RunSummary>>,
    /// The question's lens, with the metric that was compared.
    pub(super) lens: Lens,
    /// Row by row; absent where two runs have nothing that could be compared.
    pub(super) similarity: Vec<Option<f64>>,
    pub(super) cosine: Option<Vec<f64>>,
    /// Distances in which the measure is Euclidean, or nearly.
    pub(super) distances: Distances,
    pub(super) features: Features,
    pub(super) parameters: Vec<Parameter>,
    pub(super) notes: Vec<Note>,
}

impl Compared {
    pub(super) fn new(
        question: &SimilarityQuestion,
        runs: &[Arc<RunSummary>],
        structures: &Structures,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let all = Lens {
            metric: ALL_METRICS.to_owned(),
            ..question.lens.clone()
        };
        let ensemble = UnifiedRuns::new(partial(&all, runs, progress)?)?;
        let lens = &question.lens;
        let is_one_metric = question.measure == Measure::Metrics && lens.metric != ALL_METRICS;
        let wanted = if is_one_metric {
            vec![lens.metric.clone()]
        } else {
            ensemble.metric_names()
        };
        let mut features = Features::new(lens, &ensemble, &wanted, progress)?;
        let mut notes = Vec::new();
        let mut cosine = None;
        let similarity = match question.measure {
            Measure::Structure => of_structures(structures, &mut None),
            Measure::Wl => {
                cosine = (runs.len() <= MAX_COSINES).then(Vec::new);
                of_structures(structures, &mut cosine)
            }
            Measure::Work => of_work(lens, &ensemble, progress, &mut notes)?,
            Measure::Metrics => of_metrics(&features, runs.len()),
        };
        if question.measure == Measure::Metrics {
            // Of all metrics, most are lacking somewhere; what is lacking is left out pair by pair.
            if is_one_metric {
                notes.append(&mut features.notes);
            }
            if features.small > 0 {
                let left_out = SimilarFact::SmallValuesLeftOut {
                    values: features.small as u64,
                    below: lens.hide_below,
                };
                notes.push(left_out.into());
            }
        }
        let missing = similarity.iter().filter(|value| value.is_none()).count() / 2;
        if missing > 0 {
            let pairs = missing as u64;
            notes.push(SimilarFact::PairsNotCompared { pairs }.into());
        }
        let metas: Vec<&RunMeta> = ensemble.runs().iter().map(|run| &*run.meta).collect();
        let parameters = varying(question, &metas);
        Ok(Self {
            distances: distances(question.measure, &similarity, runs.len()),
            runs: ensemble.runs().to_vec(),
            lens: lens.clone(),
            similarity,
            cosine,
            features,
            parameters,
            notes,
        })
    }

    /// The id of a run, as answers have it.
    pub(super) fn id(&self, run: usize) -> String {
        self.runs[run].meta.id.to_string()
    }

    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    pub(super) fn similarity(&self, i: usize, j: usize) -> Option<f64> {
        self.similarity[i * self.len() + j]
    }
}

/// Distances whose squares are one less the similarity: smaller by greater counts is a positive definite
/// kernel, so these are Euclidean (Gower and Legendre 1986). Of metrics the distance from which the
/// similarity came. What could not be compared is as far apart as any pair.
fn distances(measure: Measure, similarity: &[Option<f64>], n: usize) -> Distances {
    let distance = |similarity: f64| match measure {
        Measure::Metrics => 1.0 / similarity - 1.0,
        _ => (1.0 - similarity).max(0.0).sqrt(),
    };
    let greatest = similarity
        .iter()
        .flatten()
        .map(|&value| distance(value))
        .reduce(f64::max);
    let greatest = greatest.filter(|value| *value > 0.0).unwrap_or(1.0);
    Distances::of_pairs(n, |i, j| similarity[i * n + j].map_or(greatest, distance))
}

/// Runs of equal structure have equal features, so only one of each is compared.
fn of_structures(structures: &Structures, cosine: &mut Option<Vec<f64>>) -> Vec<Option<f64>> {
    let mut known: BTreeMap<StructureId, usize> = BTreeMap::new();
    let mut lists: Vec<&Counts> = Vec::new();
    let mut classes = Vec::with_capacity(structures.of_run.len());
    for run in &structures.of_run {
        let class = *known.entry(run.root).or_insert(lists.len());
        if class == lists.len() {
            lists.push(&run.features);
        }
        classes.push(class);
    }
    let matrix = min_max_matrix(&lists);
    let of_pairs = |value: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        let row = |&i: &usize| {
            classes
                .iter()
                .map(move |&j| value(i, j))
                .collect::<Vec<_>>()
        };
        classes.iter().flat_map(row).collect()
    };
    if let Some(cosine) = cosine {
        let rows = lists
            .par_iter()
            .map(|a| lists.iter().map(|b| a.cosine(b)).collect::<Vec<_>>());
        let rows: Vec<Vec<f64>> = rows.collect();
        *cosine = of_pairs(&|i, j| rows[i][j]);
    }
    let k = lists.len();
    of_pairs(&|i, j| matrix[i * k + j])
        .into_iter()
        .map(Some)
        .collect()
}

/// Smaller by greater shares of work, context by context. A run without work has nothing in common with
/// any, itself included.
fn of_work(
    lens: &Lens,
    ensemble: &UnifiedRuns,
    progress: &Progress,
    notes: &mut Vec<Note>,
) -> Result<Vec<Option<f64>>, Error> {
    let question = ensemble.question(&lens.metric)?;
    UnifiedRuns::require_additive(&question)?;
    let by_context = Lens {
        level: Level::Context,
        operations: Vec::new(),
        ..lens.clone()
    };
    let grouping = Grouping::new(&ensemble.tree, &by_context, Reentry::Merged)?;
    let partition = Partition::new(&ensemble.tree, grouping.group_of.clone(), grouping.len());
    let values = GroupValues::new(ensemble, &question, &partition, lens.over, progress)?;
    notes.extend(question.notes);
    let value = |group, run: usize| values.of(Scope::Exclusive, group)[run].or_zero().max(0.0);
    let groups = grouping.groups.iter();
    let ids: Vec<u128> = groups
        .map(|group| u128::from_be_bytes(ensemble.tree.id(group.first_node).0))
        .collect();
    let shares = |run: usize| {
        let total: f64 = (0..ids.len()).map(|group| value(group, run)).sum();
        // At most the whole, which is far below what 64 bits hold.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 2⁴⁰"
        )]
        let parts = |group| (value(group, run) / total * WHOLE).round() as u64;
        let of_groups = ids
            .iter()
            .enumerate()
            .map(|(group, &id)| (id, parts(group)));
        (total > 0.0).then(|| Counts::of(of_groups))
    };
    let lists: Vec<Option<Counts>> = (0..ensemble.num_runs())
        .into_par_iter()
        .map(shares)
        .collect();
    let known: Vec<&Counts> = lists.iter().flatten().collect();
    let matrix = min_max_matrix(&known);
    let mut place = 0..known.len();
    let places: Vec<Option<usize>> = lists
        .iter()
        .map(|list| list.as_ref().and_then(|_| place.next()))
        .collect();
    let pair = |i: Option<usize>, j: Option<usize>| Some(matrix[i? * known.len() + j?]);
    let row = |&i: &Option<usize>| places.iter().map(move |&j| pair(i, j)).collect::<Vec<_>>();
    Ok(places.iter().flat_map(row).collect())
}

/// One by one and the distance: the root of the mean squared difference, in standard deviations, of the
/// values that both runs have. Values that one of them lacks are left out, not taken for zero.
fn of_metrics(features: &Features, n: usize) -> Vec<Option<f64>> {
    let columns = standardised(&features.metrics);
    let width = columns.len();
    let mut points = vec![0.0; n * width];
    for (feature, column) in columns.iter().enumerate() {
        for (run, value) in column.iter().enumerate() {
            points[run * width + feature] = *value;
        }
    }
    let point = |run: usize| &points[run * width..(run + 1) * width];
    let runs: Vec<usize> = (0..n).collect();
    // Of the pairs of a tile every later run is fetched once for all of the tile's.
    let rows: Vec<Vec<Option<f64>>> = runs
        .par_chunks(TILE)
        .flat_map_iter(|tile| {
            let mut rows = vec![vec![Some(1.0); n]; tile.len()];
            for j in tile[0]..n {
                for (row, &i) in rows.iter_mut().zip(tile).filter(|(_, i)| **i < j) {
                    row[j] = likeness(point(i), point(j));
                }
            }
            rows
        })
        .collect();
    let row = |i: usize| (0..n).map(move |j| (i.min(j), i.max(j)));
    (0..n).flat_map(row).map(|(i, j)| rows[i][j]).collect()
}

/// One by one and the distance of two runs. Sums are taken in four parts, which the processor adds at once;
/// always the same four.
fn likeness(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() {
        return Some(1.0);
    }
    let (mut sums, mut counts) = ([0.0; PARTS], [0_u32; PARTS]);
    let mut add = |at: usize, difference: f64| {
        let is_known = !difference.is_nan();
        let square = difference * difference;
        sums[at] += if is_known { square } else { 0.0 };
        counts[at] += u32::from(is_known);
    };
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<PARTS>(), b.as_chunks::<PARTS>());
    for (a, b) in a.iter().zip(b) {
        (0..PARTS).for_each(|at| add(at, a[at] - b[at]));
    }
    for (a, b) in a_rest.iter().zip(b_rest) {
        add(0, a - b);
    }
    let (sum, count) = (sums.iter().sum::<f64>(), counts.iter().sum::<u32>());
    (count > 0).then(|| 1.0 / (1.0 + (sum / f64::from(count)).sqrt()))
}
