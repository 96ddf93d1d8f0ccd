//! Numbers of workers, threads and ranks of the runs of each side.

use sheaf_answers::WidthChange;
use sheaf_model::{ParamValue, RunMeta};

use super::DiffSide;
use sheaf_analysis::parameter_of;

/// Names of the four lists of a [`WorkerCounts`]. The last one counts pairs: two sides can agree on workers and on ranks, and
/// still differ in the pairs.
const WIDTHS: [&str; 4] = ["workers", "threads", "ranks", "workers and ranks"];

/// Numbers of workers, threads and ranks that some runs had, ascending, each with how many runs had it; none
/// where they are not known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WorkerCounts([Vec<(ParamValue, usize)>; 4]);

impl WorkerCounts {
    pub(crate) fn of(runs: &[&RunMeta]) -> Self {
        let number = |value: i64| ParamValue::Number(value as f64);
        let workers = |run: &RunMeta| run.workers.map(number);
        let threads = |run: &RunMeta| parameter_of(run, "threads");
        let ranks = |run: &RunMeta| Some(number(run.ranks));
        let both = |run: &RunMeta| {
            let team = workers(run).or_else(|| threads(run))?;
            let ranks = match run.ranks {
                1 => "1 rank".to_owned(),
                ranks => format!("{ranks} ranks"),
            };
            Some(ParamValue::Text(format!("{team} in {ranks}")))
        };
        let count = |of: &dyn Fn(&RunMeta) -> Option<ParamValue>| {
            counted(runs.iter().filter_map(|run| Some((of(run)?, 1))).collect())
        };
        Self([
            count(&workers),
            count(&threads),
            count(&ranks),
            count(&both),
        ])
    }

    /// Of all runs of several.
    pub(crate) fn all(parts: &[Self]) -> Self {
        Self([0, 1, 2, 3].map(|at: usize| {
            let values = parts.iter().flat_map(|part| &part.0[at]).cloned();
            counted(values.collect())
        }))
    }

    /// What differs, where both are known: `workers` and the numbers of either. Numbers in other proportions
    /// differ: times of runs on one and on eight workers say which were more, not what a run took.
    pub(crate) fn difference(&self, other: &Self) -> Option<WidthChange> {
        self.first(other, |a, b| !has_same_proportions(a, b))
    }

    /// The same where a number is on one side only: what shows in the structure.
    fn other_numbers(&self, other: &Self) -> Option<WidthChange> {
        self.first(other, |a, b| {
            !a.iter().map(|it| &it.0).eq(b.iter().map(|it| &it.0))
        })
    }

    fn first(
        &self,
        other: &Self,
        do_differ: impl Fn(&[(ParamValue, usize)], &[(ParamValue, usize)]) -> bool,
    ) -> Option<WidthChange> {
        let pairs = WIDTHS.into_iter().zip(self.0.iter().zip(&other.0));
        let mut differ =
            pairs.filter(|(_, (a, b))| !a.is_empty() && !b.is_empty() && do_differ(a, b));
        let (what, (a, b)) = differ.next()?;
        let is_plain = a.len() == 1 && b.len() == 1;
        let words = |values: &[(ParamValue, usize)]| {
            let word = |(value, runs): &(ParamValue, usize)| match runs {
                _ if is_plain => value.to_string(),
                1 => format!("{value} in 1 run"),
                runs => format!("{value} in {runs} runs"),
            };
            values.iter().map(word).collect::<Vec<_>>().join(", ")
        };
        Some(WidthChange {
            of: what.to_owned(),
            numbers: format!("{} against {}", words(a), words(b)),
        })
    }
}

/// Each value once, ascending, with the sum of its counts.
fn counted(mut values: Vec<(ParamValue, usize)>) -> Vec<(ParamValue, usize)> {
    values.sort_by(|x, y| x.0.order(&y.0));
    values.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    values
}

/// Whether the same values have the same share of the runs on both sides.
fn has_same_proportions(a: &[(ParamValue, usize)], b: &[(ParamValue, usize)]) -> bool {
    let total = |side: &[(ParamValue, usize)]| side.iter().map(|it| it.1 as u128).sum::<u128>();
    let (in_a, in_b) = (total(a), total(b));
    let is_same = |(x, y): (&(ParamValue, usize), &(ParamValue, usize))| {
        x.0 == y.0 && x.1 as u128 * in_b == y.1 as u128 * in_a
    };
    a.len() == b.len() && a.iter().zip(b).all(is_same)
}

/// How the numbers of workers or ranks differ between the sides, where both are known.
pub(super) fn change(sides: &[DiffSide<'_>; 2]) -> Option<WidthChange> {
    compared(sides, WorkerCounts::difference)
}

/// The same where a number is on one side only.
pub(super) fn other_numbers(sides: &[DiffSide<'_>; 2]) -> Option<WidthChange> {
    compared(sides, WorkerCounts::other_numbers)
}

fn compared(
    sides: &[DiffSide<'_>; 2],
    difference: impl Fn(&WorkerCounts, &WorkerCounts) -> Option<WidthChange>,
) -> Option<WidthChange> {
    let [a, b] = sides.each_ref().map(|side| WorkerCounts::of(&side.runs));
    difference(&a, &b)
}
