//! Runs that belong together.

use std::collections::BTreeMap;

use sheaf_answers::{ParameterImportance, RunCluster, Similar, SimilarFact, SimilarRun};
use sheaf_model::StructureId;
use sheaf_statistics::{Dendrogram, Distances, MIN_SILHOUETTE, explained, silhouette};

use super::compared::Compared;
use super::traits::traits;
use super::{SimilarityQuestion, Structures};

/// Clusters at most that are chosen without being asked for.
const MOST: usize = 20;

/// Similarity at which two runs belong together where there are no others to say what is near.
const HALF: f64 = 0.5;

/// Permutations behind each p.
const PERMUTATIONS: usize = 999;

/// The clusters of runs, with the similarity at which runs were put together.
struct Cut {
    /// By run, in order of the dendrogram.
    clusters: Vec<usize>,
    threshold: Option<f64>,
    silhouette: Option<f64>,
}

pub(super) fn cluster(
    question: &SimilarityQuestion,
    mut compared: Compared,
    structures: &Structures,
) -> Similar {
    let n = compared.len();
    let apart = Distances::of_pairs(n, |i, j| 1.0 - compared.similarity(i, j).unwrap_or(0.0));
    let tree = Dendrogram::of(&apart);
    let cut = cut(question.threshold, &tree, &apart);
    let order = tree.order();
    // Numbered as they stand in the picture, where neighbours are alike.
    let mut number = BTreeMap::new();
    for &run in &order {
        let next = number.len();
        number.entry(cut.clusters[run]).or_insert(next);
    }
    let cluster_of: Vec<usize> = cut.clusters.iter().map(|cluster| number[cluster]).collect();
    let common = Common::of(structures);
    note(question, &cut, common.as_ref(), &mut compared);
    let runs = order.iter().map(|&run| SimilarRun {
        run: compared.id(run),
        name: compared.runs[run].meta.name.clone(),
        params: compared.runs[run].meta.params.clone(),
        cluster: cluster_of[run] as u64,
        structure: structures.of_run[run].root.to_string(),
        nodes: structures.of_run[run].nodes as u64,
        differs: common.as_ref().map(|common| common.differs[run]),
    });
    let clusters = (0..number.len()).map(|cluster| {
        let members: Vec<usize> = (0..n).filter(|&run| cluster_of[run] == cluster).collect();
        describe(&compared, structures, &cluster_of, &order, &members)
    });
    Similar {
        schema: "similar/1".to_owned(),
        lens: compared.lens.to_string(),
        measure: question.measure,
        basis: structures.basis,
        form: structures.form,
        runs: runs.collect(),
        matrix: in_order(&compared.similarity, &order),
        cosine: compared.cosine.as_ref().map(|all| in_order(all, &order)),
        clusters: clusters.collect(),
        threshold: cut.threshold,
        silhouette: cut.silhouette,
        structures: distinct(structures.of_run.iter().map(|run| run.root)),
        compared: compared.features.metrics.len() as u64,
        parameters: importance(question, &compared),
        permutations: PERMUTATIONS as u64,
        seed: question.seed,
        notes: compared.notes,
    }
}

/// Values of every two runs, as rows in the order of the picture.
fn in_order<T: Copy>(values: &[T], order: &[usize]) -> Vec<Vec<T>> {
    let n = order.len();
    let row = |&i: &usize| order.iter().map(|&j| values[i * n + j]).collect();
    order.iter().map(row).collect()
}

fn cut(threshold: Option<f64>, tree: &Dendrogram, apart: &Distances) -> Cut {
    let at = |threshold: f64| {
        let clusters = tree.cut(1.0 - threshold);
        let silhouette = silhouette(apart, &clusters);
        Cut {
            clusters,
            threshold: Some(threshold),
            silhouette,
        }
    };
    if let Some(threshold) = threshold {
        return at(threshold);
    }
    if apart.len() < 3 {
        return at(HALF);
    }
    let mut heights = tree.heights();
    heights.dedup();
    let mut best: Option<Cut> = None;
    // Fewer clusters first, so that of equally good ones the fewest are taken.
    for height in heights.iter().rev().skip(1) {
        let found = at(threshold_of(*height));
        if found.clusters.iter().max() >= Some(&MOST) {
            break;
        }
        if best
            .as_ref()
            .is_none_or(|best| found.silhouette > best.silhouette)
        {
            best = Some(found);
        }
    }
    let is_real = |cut: &Cut| cut.silhouette.is_some_and(|it| it >= MIN_SILHOUETTE);
    best.filter(is_real).unwrap_or_else(|| Cut {
        clusters: vec![0; apart.len()],
        threshold: None,
        silhouette: None,
    })
}

/// The similarity whose cut is at a height. `1 - height` may round up, and `1 - (1 - height)` is then below the height, so
/// that the runs that meet there would stay apart.
fn threshold_of(height: f64) -> f64 {
    let mut threshold = 1.0 - height;
    while 1.0 - threshold < height {
        threshold = threshold.next_down();
    }
    threshold
}

/// The first run of the structure that most have, with how many have it and whether each run has another;
/// absent where no two have the same. Of structures that occur as often, that of the first run counts.
struct Common {
    first: usize,
    count: usize,
    differs: Vec<bool>,
}

impl Common {
    fn of(structures: &Structures) -> Option<Self> {
        let roots: Vec<StructureId> = structures.of_run.iter().map(|run| run.root).collect();
        let mut counts: BTreeMap<StructureId, usize> = BTreeMap::new();
        for root in &roots {
            *counts.entry(*root).or_default() += 1;
        }
        let count = counts.values().copied().max()?;
        let first = roots
            .iter()
            .position(|root| counts.get(root) == Some(&count))?;
        let is_common = count > 1 || roots.len() == 1;
        is_common.then(|| Self {
            first,
            count,
            differs: roots.iter().map(|root| *root != roots[first]).collect(),
        })
    }
}

fn note(
    question: &SimilarityQuestion,
    cut: &Cut,
    common: Option<&Common>,
    compared: &mut Compared,
) {
    let count = compared.len();
    let is_divided = cut.clusters.iter().max() > Some(&0);
    if question.threshold.is_none() && count > 2 && !is_divided && !compared.distances.is_zero() {
        let min_silhouette = MIN_SILHOUETTE;
        let none = SimilarFact::NoClusters { min_silhouette };
        compared.notes.push(none.into());
    }
    match common {
        None if count > 1 => compared.notes.push(SimilarFact::AllStructuresDiffer.into()),
        Some(common) if common.count < count => {
            let some = SimilarFact::SomeStructuresDiffer {
                differ: (count - common.count) as u64,
                of: count as u64,
                alike: common.count as u64,
                run: compared.runs[common.first].meta.name.clone(),
            };
            compared.notes.push(some.into());
        }
        _ => {}
    }
}

fn describe(
    compared: &Compared,
    structures: &Structures,
    cluster_of: &[usize],
    order: &[usize],
    members: &[usize],
) -> RunCluster {
    let known = |i: usize, j: usize| compared.similarity(i, j);
    let pairs = || {
        let inner = members.iter().enumerate();
        inner.flat_map(|(at, &i)| members[at + 1..].iter().filter_map(move |&j| known(i, j)))
    };
    let count = pairs().count();
    let total = |run: usize| -> f64 { members.iter().filter_map(|&other| known(run, other)).sum() };
    // The first of those that are as near to all others.
    let nearest_to_all =
        |best: usize, run: usize| if total(run) > total(best) { run } else { best };
    let medoid = members.iter().copied().reduce(nearest_to_all).unwrap_or(0);
    let own = members.first().map_or(0, |&run| cluster_of[run]);
    let mut sums: BTreeMap<usize, (f64, u32)> = BTreeMap::new();
    for (other, &cluster) in cluster_of
        .iter()
        .enumerate()
        .filter(|(_, cluster)| **cluster != own)
    {
        for similarity in members.iter().filter_map(|&run| known(run, other)) {
            let entry = sums.entry(cluster).or_default();
            *entry = (entry.0 + similarity, entry.1 + 1);
        }
    }
    let means = sums
        .into_iter()
        .map(|(cluster, (sum, count))| (cluster, sum / f64::from(count)));
    let of_picture = order.iter().filter(|&&run| cluster_of[run] == own);
    let nearest = means.reduce(|best, other| if other.1 > best.1 { other } else { best });
    RunCluster {
        runs: of_picture.map(|&run| compared.id(run)).collect(),
        medoid: compared.id(medoid),
        structures: distinct(members.iter().map(|&run| structures.of_run[run].root)),
        mean: (count > 0).then(|| pairs().sum::<f64>() / count as f64),
        least: pairs().reduce(f64::min),
        nearest: nearest.map(|(cluster, _)| cluster as u64),
        nearest_similarity: nearest.map(|(_, similarity)| similarity),
        traits: traits(compared, members),
    }
}

fn distinct(ids: impl Iterator<Item = StructureId>) -> u64 {
    ids.collect::<std::collections::BTreeSet<_>>().len() as u64
}

/// How much of the distances each parameter explains, most first.
fn importance(question: &SimilarityQuestion, compared: &Compared) -> Vec<ParameterImportance> {
    let explain = |parameter: &super::parameters::Parameter| {
        let design = parameter.design();
        let found = explained(&compared.distances, &design, PERMUTATIONS, question.seed)?;
        Some(ParameterImportance {
            parameter: parameter.name.clone(),
            same: parameter.same.clone(),
            values: parameter.values.len() as u64,
            r_squared: found.r_squared,
            adjusted: found.adjusted,
            degrees: found.degrees as u64,
            p: found.p,
        })
    };
    let mut found: Vec<ParameterImportance> =
        compared.parameters.iter().filter_map(explain).collect();
    // In steps of 1e-9, so that of what explains as much the simpler comes first.
    let merit = |of: &ParameterImportance| {
        of.adjusted
            .map_or(f64::NEG_INFINITY, |it| (it * 1e9).round())
    };
    found.sort_by(|a, b| {
        let by_merit = merit(b).total_cmp(&merit(a));
        by_merit.then_with(|| (a.degrees, &a.parameter).cmp(&(b.degrees, &b.parameter)))
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 − (1 − 0.1) is 0.09999999999999998: two pairs of runs at a distance of 0.1 were left apart.
    #[test]
    fn the_cut_with_the_largest_silhouette_is_found() {
        for height in [0.1, 0.3, 1.0 / 3.0, 0.7, 1e-9, 0.0, 1.0] {
            assert!(1.0 - threshold_of(height) >= height, "{height}");
        }
        let is_pair = |i: usize, j: usize| i / 2 == j / 2;
        let apart = Distances::of_pairs(4, |i, j| if is_pair(i, j) { 0.1 } else { 0.9 });
        let tree = Dendrogram::of(&apart);
        let found = cut(None, &tree, &apart);
        assert_eq!(found.clusters, [0, 0, 1, 1]);
        assert!(found.silhouette.is_some_and(|it| it > 0.8));
        // The threshold that is reported gives the same clusters.
        let again = cut(found.threshold, &tree, &apart);
        assert_eq!(again.clusters, found.clusters);
    }
}
