//! `notes/newest.txt` of a store: the runs that the last `add` or `record` brought in, which `@new` means.
//!
//! Ids of runs, one a line. Segments would not tell: compaction puts old and new runs together.

use std::collections::BTreeSet;
use std::path::PathBuf;

use sheaf_model::{Comparison, Expression, FileReport, FileStatus, ParamValue, RunId};

use crate::{Ensemble, Error};

/// Stands for these runs in expressions, `run = @new`, and wherever a run is named.
pub(crate) const NEW: &str = "@new";

/// Where a store keeps them.
const PLACE: &str = "notes/newest.txt";

impl Ensemble {
    /// The runs that the last import brought in or found to be there already; none where that is not known.
    pub(crate) fn newest(&self) -> BTreeSet<RunId> {
        let text = std::fs::read_to_string(self.newest_path()).unwrap_or_default();
        text.lines()
            .filter_map(|line| line.trim().parse().ok())
            .collect()
    }

    /// Notes what an import brought in, beside what was noted before when `is_more`. Nothing is noted where every
    /// input was refused.
    pub(crate) fn note_newest(&self, reports: &[FileReport], is_more: bool) -> Result<(), Error> {
        let known = reports
            .iter()
            .filter(|report| report.status != FileStatus::Refused);
        let mut runs: BTreeSet<RunId> = known.flat_map(|report| report.runs.clone()).collect();
        if runs.is_empty() {
            return Ok(());
        }
        if is_more {
            runs.extend(self.newest());
        }
        let text: String = runs.iter().fold(String::new(), |mut text, run| {
            text.push_str(&run.to_string());
            text.push('\n');
            text
        });
        crate::notes::write(&self.newest_path(), &text)
    }

    fn newest_path(&self) -> PathBuf {
        self.path().join(PLACE)
    }
}

/// The expression with `run = @new` as the truth value that runs have under that name.
pub(crate) fn resolved(expression: &Expression) -> Expression {
    let all = |parts: &[Expression]| parts.iter().map(resolved).collect();
    let is_new = |comparison| Expression::Compare {
        attribute: NEW.to_owned(),
        comparison,
        value: ParamValue::Boolean(true),
    };
    // Expressions are nested no deeper than the parser allows.
    match expression {
        Expression::And(parts) => Expression::And(all(parts)),
        Expression::Or(parts) => Expression::Or(all(parts)),
        Expression::Not(inner) => Expression::Not(Box::new(resolved(inner))),
        Expression::Compare {
            attribute,
            comparison: comparison @ (Comparison::Equal | Comparison::NotEqual),
            value: ParamValue::Text(value),
        } if attribute == "run" && value == NEW => is_new(*comparison),
        Expression::In { attribute, values }
            if attribute == "run" && values.iter().any(|value| value.to_string() == NEW) =>
        {
            Expression::Or(vec![expression.clone(), is_new(Comparison::Equal)])
        }
        other => other.clone(),
    }
}

/// Whether an expression asks for the newest runs.
pub(crate) fn asks_for_newest(expression: &Expression) -> bool {
    resolved(expression) != *expression
}
