//! Problems per definition.

use std::collections::BTreeMap;

use sheaf_answers::Gain;

use crate::grain_metric::Evaluation;

/// The problem grains of one definition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DefinitionSummary {
    /// Row of the definition.
    pub definition: i32,
    /// Grains of the definition that have the problem.
    pub grains: u64,
    /// Those by all grains that have the problem.
    pub share: f64,
    /// Their work in the run's time unit; absent where none is known.
    pub work: Option<i64>,
    /// Their work by that of the same grains in the reference, of those that have both; absent
    /// where nothing is compared.
    pub inflation: Option<f64>,
    /// Elapsed time that could be won at most if none of them were a problem; absent where it is not known.
    pub gain: Option<Gain>,
    /// The severity of the worst of them.
    pub severity: Option<f64>,
}

#[derive(Default)]
struct Sums {
    grains: u64,
    work: Option<i64>,
    /// Work of the grains that have a reference.
    compared: i128,
    severity: Option<f64>,
}

/// Summaries by definition, without the time that could be won.
pub(super) fn summarise(
    evaluation: &Evaluation<'_>,
    grains: &[u32],
    severity: impl Fn(u32) -> Option<f64>,
) -> Vec<DefinitionSummary> {
    let run = evaluation.run();
    let keys = &run.grains.path_key;
    let mut sums: BTreeMap<i32, Sums> = BTreeMap::new();
    let mut references: Vec<(Option<i64>, u32, i32, f64)> = Vec::new();
    let definition = |&grain: &u32| evaluation.definition(grain as usize);
    // Neighbours have the same definition, mostly.
    for grains in grains.chunk_by(|a, b| definition(a) == definition(b)) {
        let Some(definition) = grains.first().and_then(definition) else {
            continue;
        };
        let sums = sums.entry(definition).or_default();
        for &grain in grains {
            let row = grain as usize;
            sums.grains += 1;
            sums.severity = match (sums.severity, severity(grain)) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            };
            let work = &run.grains.work;
            let Some(work) = work.is_valid(row).then(|| work.value(row)) else {
                continue;
            };
            sums.work = Some(sums.work.unwrap_or(0).saturating_add(work));
            if let Some(reference) = evaluation.reference_work(row) {
                sums.compared += i128::from(work);
                let key = (row < keys.len()).then(|| keys.value(row));
                references.push((key, grain, definition, reference));
            }
        }
    }
    // Sums of floating-point numbers depend on their order: that of paths is the same in every recording.
    references.sort_unstable_by_key(|&(key, row, _, _)| (key, row));
    let mut reference_of: BTreeMap<i32, f64> = BTreeMap::new();
    for (_, _, definition, reference) in references {
        *reference_of.entry(definition).or_default() += reference;
    }
    let all = grains.len() as f64;
    let inflation = |definition: i32, sums: &Sums| {
        let reference = *reference_of.get(&definition)?;
        (reference > 0.0).then(|| sums.compared as f64 / reference)
    };
    let summary = |(definition, sums): (i32, Sums)| DefinitionSummary {
        definition,
        grains: sums.grains,
        share: sums.grains as f64 / all,
        work: sums.work,
        inflation: inflation(definition, &sums),
        gain: None,
        severity: sums.severity,
    };
    sums.into_iter().map(summary).collect()
}

/// Adds the times that could be won, and sorts by them, then work, then grains, then inflation, all descending, then
/// definition.
pub(super) fn rank(rows: &mut [DefinitionSummary], to_win: &BTreeMap<i32, Gain>) {
    for row in &mut *rows {
        row.gain = to_win.get(&row.definition).copied();
    }
    rows.sort_by(|a, b| {
        let inflation = |row: &DefinitionSummary| row.inflation.unwrap_or(f64::NEG_INFINITY);
        let time = |row: &DefinitionSummary| row.gain.map_or(-1.0, |gain| gain.time);
        time(b)
            .total_cmp(&time(a))
            .then_with(|| (b.work, b.grains).cmp(&(a.work, a.grains)))
            .then_with(|| inflation(b).total_cmp(&inflation(a)))
    });
}
