//! Elapsed times of whole runs, which can change with the same work.

use sheaf_analysis::Metric;
use sheaf_answers::{DiffFact, TotalChange, Verdict};
use sheaf_model::names;
use sheaf_statistics::{RankSumNull, Sample, hodges_lehmann_ratio, rank_sum};

use super::{Comparison, DiffOptions, DiffSide};

/// Elapsed times of the runs of a side that have one, if the metric is the work of grains.
pub(super) fn times(side: &DiffSide<'_>, metric: &Metric) -> Vec<f64> {
    let is_work = names::is_work(&metric.name);
    let times = side.runs.iter().filter_map(|run| run.elapsed);
    times.filter(|_| is_work).map(|time| time as f64).collect()
}

impl Comparison {
    /// Adds a note if elapsed times changed otherwise than the total of the metric. Gates judge the change instead.
    pub fn note_elapsed(&mut self, options: &DiffOptions) {
        if self.untested.is_none()
            && let Some((ratio, p)) = change(&self.elapsed, options)
            && !is_shown(self.answer.total.as_ref(), ratio)
        {
            let metric = self.metric.name.clone();
            let fact = DiffFact::ElapsedDiffers { metric, ratio, p };
            self.answer.notes.push(fact.into());
        }
    }
}

/// Typical ratio of elapsed times and its p, if it is significant and above the threshold.
fn change(elapsed: &[Vec<f64>; 2], options: &DiffOptions) -> Option<(f64, f64)> {
    let [a, b] = elapsed
        .each_ref()
        .map(|side| Sample::new(side.iter().copied()));
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let null = RankSumNull::new(a.len(), b.len());
    let ratio = hodges_lehmann_ratio(&a, &b, &null, options.alpha)?;
    let p = rank_sum(&a, &b, &null)?.p;
    let is_change = p <= options.alpha && (ratio.value - 1.0).abs() > options.threshold;
    is_change.then_some((ratio.value, p))
}

/// Whether the total changed in the same way.
fn is_shown(total: Option<&TotalChange>, ratio: f64) -> bool {
    let verdict = total.map(|total| total.verdict);
    let same = if ratio > 1.0 {
        Verdict::Slower
    } else {
        Verdict::Faster
    };
    verdict == Some(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_significant_and_above_the_threshold() {
        let options = DiffOptions::default();
        let base = [100.0, 101.0, 102.0, 103.0, 104.0];
        let found = |factor: f64, runs: usize| {
            let sides = [base.to_vec(), base.map(|time| time * factor).to_vec()];
            change(&sides.map(|side| side[..runs].to_vec()), &options)
        };
        let (ratio, p) = found(1.87, 5).unwrap();
        assert!((ratio - 1.87).abs() < 0.05 && p < 0.01, "{ratio} {p}");
        assert!(found(0.5, 5).unwrap().0 < 0.55);
        assert_eq!(found(1.0, 5), None);
        assert_eq!(found(1.04, 5), None, "below the threshold");
        assert_eq!(found(1.87, 3), None, "three runs show nothing");
        assert_eq!(found(1.87, 1), None);
    }
}
