//! Metrics that moved with a cause. They support it, and do not show that it is the cause.

use std::collections::BTreeSet;
use std::sync::Arc;

use sheaf_answers::{Association, Cause, DiffRow};
use sheaf_compare::diff::DiffOptions;
use sheaf_model::{Lens, Level, RunSelector, RunSummary, Scope, Unit};

use super::MAX_SENTENCES;
use crate::runs::RunEntry;
use crate::{Error, View};

/// Metrics that are compared at most.
const MAX_METRICS: usize = 40;
/// Metrics that a cause has at most, those that changed most.
const MAX_PER_CAUSE: usize = 5;

impl View<'_> {
    /// Adds to the real causes of the first view the metrics of their groups that became significantly worse where the
    /// cause is slower, and better where it is faster. Times are left out: the causes are made of them. Each metric
    /// costs a diff.
    pub(super) fn associate(
        &self,
        causes: &mut [Cause],
        lens: &Lens,
        names: [&RunSelector; 2],
        sides: &[Vec<&RunEntry>; 2],
        summaries: &[Arc<RunSummary>],
    ) -> Result<(), Error> {
        let first = causes.first().map(|cause| cause.by);
        let is_real = |cause: &&mut Cause| Some(cause.by) == first && cause.verdict.is_change();
        let mut real: Vec<&mut Cause> = causes
            .iter_mut()
            .filter(is_real)
            .take(MAX_SENTENCES)
            .filter(|cause| cause.group.is_some())
            .collect();
        if real.is_empty() {
            return Ok(());
        }
        let level = if real.iter().any(|cause| cause.part.is_some()) {
            Level::Context
        } else {
            Level::Definition
        };
        for metric in other_metrics(summaries) {
            self.progress.check()?;
            let lens = Lens {
                level,
                metric,
                scope: Scope::Exclusive,
                hide_below: 0.0,
                operations: Vec::new(),
                ..lens.clone()
            };
            let found = match self.diff_of(&lens, names, sides, &DiffOptions::default()) {
                Ok(found) => found.answer,
                Err(error) if super::is_about_the_question(error.kind()) => continue,
                Err(error) => return Err(error),
            };
            for cause in &mut real {
                let is_of = |row: &&DiffRow| Some(&row.group) == cause.group.as_ref();
                let row = found.rows.iter().find(is_of);
                if let Some(row) = row.filter(|row| row.verdict == cause.verdict) {
                    cause.associated.extend(association(row, &found));
                }
            }
        }
        for cause in real {
            let change = |it: &Association| -it.ratio.ln().abs();
            cause
                .associated
                .sort_by(|a, b| change(a).total_cmp(&change(b)));
            cause.associated.truncate(MAX_PER_CAUSE);
        }
        Ok(())
    }
}

fn association(row: &DiffRow, diff: &sheaf_answers::Diff) -> Option<Association> {
    Some(Association {
        metric: diff.label.clone().unwrap_or_else(|| diff.metric.clone()),
        unit: diff.unit.clone(),
        a: row.a?,
        b: row.b?,
        ratio: row.ratio?,
        ci: row.ci?,
        q: row.q?,
    })
}

/// Names of the metrics that are no times, each once.
fn other_metrics(summaries: &[Arc<RunSummary>]) -> Vec<String> {
    let mut names = BTreeSet::new();
    for summary in summaries {
        let metrics = &summary.metrics;
        for row in 0..metrics.len() {
            let unit: Result<Unit, String> = metrics.unit.value(row).parse();
            let is_time = unit.is_ok_and(|unit| unit.is_time() && unit != Unit::Cycles);
            if !is_time {
                names.insert(metrics.name.value(row).to_owned());
            }
        }
    }
    names.into_iter().take(MAX_METRICS).collect()
}
