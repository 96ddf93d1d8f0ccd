//! Runs out of order, and the groups that made them so.

use sheaf_answers::{Culprit, OutOfOrder, ScalePoint, ScalingKind};
use sheaf_statistics::scaling::{Inversion, Series, Trend, out_of_order, trend};
use sheaf_statistics::{RankSumNull, hodges_lehmann_ratio};

use super::ScalingAnalysis;
use super::division::{Members, SeriesKind};
use super::losses::Losses;
use super::points::ALPHA;

/// Neighbours against the trend, and the p from which on a series goes against it for good.
///
/// Points with more workers than processors are left out: their order says nothing of the program.
pub(super) fn find(
    study: &ScalingAnalysis,
    number: usize,
    kind: &SeriesKind,
    points: &[ScalePoint],
    losses: &Losses,
) -> (Option<f64>, Vec<OutOfOrder>) {
    let kept: Vec<usize> = (0..points.len())
        .filter(|&at| !points[at].oversubscribed)
        .collect();
    let medians = kept.iter().map(|&at| (points[at].p, points[at].value));
    let Ok(series) = Series::new(medians) else {
        return (None, Vec::new());
    };
    let expected = match kind.kind {
        ScalingKind::Strong => Some(Trend::Falling),
        ScalingKind::Weak | ScalingKind::Unclear => trend(&series),
    };
    let Some(direction) = expected else {
        return (None, Vec::new());
    };
    let (found, turn) = out_of_order(&series, direction);
    let members = &study.division.series[number];
    let entry = |inversion: &Inversion| {
        let pair = [kept[inversion.place], kept[inversion.place + 1]];
        OutOfOrder {
            series: points[pair[0]].series,
            p: pair.map(|at| points[at].p),
            runs: pair.map(|at| points[at].run.clone()),
            values: pair.map(|at| points[at].value),
            rising: direction == Trend::Rising,
            suspect: inversion.suspect.map(|side| points[pair[side]].run.clone()),
            certain: is_certain(members, pair),
            culprits: culprits(study, losses, pair, members),
        }
    };
    let turn = turn.map(|place| series.points()[place].0);
    (turn, found.iter().map(entry).collect())
}

/// Whether the interval of the ratio of the two leaves out 1.
fn is_certain(members: &Members, pair: [usize; 2]) -> Option<bool> {
    let [a, b] = pair.map(|at| &members.points[at].sample);
    let null = RankSumNull::new(a.len(), b.len());
    let interval = hodges_lehmann_ratio(a, b, &null, ALPHA)?.interval?;
    Some(interval.low > 1.0 || interval.high < 1.0)
}

/// Parts by their share in the difference of the two runs: those with the sign of the inversion first.
fn culprits(
    study: &ScalingAnalysis,
    losses: &Losses,
    pair: [usize; 2],
    members: &Members,
) -> Vec<Culprit> {
    let place = |at: usize| {
        let p = members.points[at].p;
        losses
            .points
            .iter()
            .position(|point| point.p.total_cmp(&p).is_eq())
    };
    let (Some(a), Some(b)) = (place(pair[0]), place(pair[1])) else {
        return of_groups(study, pair.map(|at| members.points[at].representative));
    };
    let [before, after] = [a, b].map(|place| losses.per_worker(study, place));
    let mut paths: Vec<&Vec<String>> = before.keys().chain(after.keys()).collect();
    paths.sort_unstable();
    paths.dedup();
    let delta = |path: &Vec<String>| {
        after.get(path).copied().unwrap_or(0.0) - before.get(path).copied().unwrap_or(0.0)
    };
    ranked(
        paths
            .into_iter()
            .map(|path| (path.clone(), delta(path)))
            .collect(),
    )
}

/// Of values that are no times of workers: groups by their values.
fn of_groups(study: &ScalingAnalysis, pair: [usize; 2]) -> Vec<Culprit> {
    let delta = |group: usize| {
        let [a, b] = pair.map(|run| study.measured.of_group(group, run).unwrap_or(0.0));
        (study.groups.path(group), b - a)
    };
    ranked((0..study.groups.len()).map(delta).collect())
}

fn ranked(mut deltas: Vec<(Vec<String>, f64)>) -> Vec<Culprit> {
    let total: f64 = deltas.iter().map(|(_, delta)| delta).sum();
    deltas.retain(|(_, delta)| *delta != 0.0);
    let share = |delta: f64| if total == 0.0 { 0.0 } else { delta / total };
    deltas.sort_by(|a, b| {
        share(b.1)
            .total_cmp(&share(a.1))
            .then_with(|| a.0.cmp(&b.0))
    });
    let culprit = |(path, delta)| Culprit {
        path,
        delta,
        share: share(delta),
    };
    deltas.into_iter().map(culprit).collect()
}
