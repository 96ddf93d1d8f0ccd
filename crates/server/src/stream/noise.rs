//! Noise of repeats.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::{Noise, NoiseCohort, NoiseGroup};

use super::Columns;

/// Groups of all configurations; parameters become columns `cohort.NAME`.
pub(crate) fn noise(answer: &Noise) -> Result<RecordBatch, ArrowError> {
    let rows: Vec<(&NoiseCohort, &NoiseGroup)> = answer
        .cohorts
        .iter()
        .flat_map(|cohort| cohort.groups.iter().map(move |group| (cohort, group)))
        .collect();
    let paths: Vec<_> = rows
        .iter()
        .map(|(_, group)| group.path.join(" / "))
        .collect();
    let mut columns = Columns::default();
    columns.text("path", paths.iter().map(|path| Some(path.as_str())));
    columns.text(
        "group",
        rows.iter().map(|(_, group)| Some(group.group.as_str())),
    );
    let mut names: Vec<&String> = answer
        .cohorts
        .iter()
        .flat_map(|cohort| cohort.values.keys())
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let values = rows.iter().map(|(cohort, _)| cohort.values.get(name));
        columns.param(&format!("cohort.{name}"), values);
    }
    columns.text("metric", rows.iter().map(|_| Some(answer.metric.as_str())));
    columns.count(
        "repeats",
        rows.iter().map(|(cohort, _)| cohort.runs.len() as u64),
    );
    columns.count("runs", rows.iter().map(|(_, group)| group.runs));
    columns.number("median", rows.iter().map(|(_, group)| Some(group.median)));
    columns.number("share", rows.iter().map(|(_, group)| group.share));
    columns.number("spread", rows.iter().map(|(_, group)| group.spread));
    columns.number("visible", rows.iter().map(|(_, group)| group.visible));
    columns.number("seen", rows.iter().map(|(_, group)| group.seen));
    columns.number("threshold", rows.iter().map(|(_, group)| group.threshold));
    columns.finish()
}
