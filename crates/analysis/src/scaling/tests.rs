//! Scaling studies of runs written as text.
#![expect(clippy::float_cmp, reason = "these values are exact")]

mod conserved;
mod divided;
mod inputs;
mod repeats;
mod shown;

use std::collections::BTreeMap;
use std::sync::Arc;

use sheaf_answers::{IntervalBy, Law, MissingPoint, ModelFlag, ScalingKind, WithinBounds};
use sheaf_model::{Lens, Progress, RunId, RunSummary};

use super::*;
use sheaf_synthetic::testing;

/// Runs written as text, with `elapsed`, `workers` and `ranks` taken from parameters of these names
/// that begin with `_`.
fn runs(text: &str) -> Vec<Arc<RunSummary>> {
    let with_facts = |run: Arc<RunSummary>| {
        let mut run = (*run).clone();
        let mut fact = |name: &str| match run.meta_mut().params.remove(name) {
            Some(sheaf_model::ParamValue::Number(number)) => Some(number),
            _ => None,
        };
        let (elapsed, workers) = (fact("_elapsed"), fact("_workers"));
        let ranks = fact("_ranks");
        #[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
        let whole = |value: f64| value as i64;
        run.meta_mut().elapsed = elapsed.map(whole);
        run.meta_mut().workers = workers.map(whole);
        run.meta_mut().ranks = ranks.map_or(1, whole);
        Arc::new(run)
    };
    testing::runs(text).into_iter().map(with_facts).collect()
}

fn ask(
    lens: &str,
    question: &ScaleQuestion,
    runs: &[Arc<RunSummary>],
    accounts: &BTreeMap<RunId, TimeBreakdown>,
) -> Result<Scale, Error> {
    let lens: Lens = lens.parse().unwrap();
    let state = crate::partial(&lens, runs, &Progress::silent())?;
    let study = ScalingAnalysis::new(&lens, question, state, &Progress::silent())?;
    Ok(study.finish(accounts))
}

fn answer(lens: &str, by: &str, runs: &[Arc<RunSummary>]) -> Scale {
    ask(lens, &ScaleQuestion::new(by), runs, &BTreeMap::new()).unwrap()
}

fn refusal(lens: &str, by: &str, text: &str) -> String {
    let runs = runs(text);
    let outcome = ask(lens, &ScaleQuestion::new(by), &runs, &BTreeMap::new());
    outcome.unwrap_err().to_string()
}

/// Series with their kind and points.
fn series_text(answer: &Scale) -> String {
    let of = |(number, series): (u32, &ScaleSeries)| {
        let points = answer.points.iter().filter(|point| point.series == number);
        let points = points.map(|point| format!("{}x{}", point.p, point.runs.len()));
        let points = points.collect::<Vec<_>>().join(" ");
        format!("{} {}: {points}", series.name, series.kind)
    };
    let texts = (0..).zip(&answer.series).map(of);
    texts.collect::<Vec<_>>().join("; ")
}

/// One line per row of loss: `p path: ideal inflation overhead idle unexplained of area`.
fn loss_text(answer: &Scale) -> String {
    let part = |value: Option<f64>| value.map_or("-".to_owned(), |value| value.to_string());
    let row = |row: &ScaleLoss| {
        let path = if row.path.is_empty() {
            "all".to_owned()
        } else {
            row.path.join("/")
        };
        format!(
            "{} {path}: {} {} {} {} {} of {}",
            row.p,
            row.ideal,
            row.inflation,
            part(row.overhead),
            part(row.idle),
            part(row.unexplained),
            row.area
        )
    };
    answer.loss.iter().map(row).collect::<Vec<_>>().join("\n")
}
