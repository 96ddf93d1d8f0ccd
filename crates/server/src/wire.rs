//! Answers of the façade to wire types, field by field.

mod diff;
mod gate;
mod grain_diff;
mod history;
mod noise;
mod similar;
mod store;

use std::collections::BTreeMap;

use sheaf_answers as api;
use sheaf_model::{Compare, Lens, ParamValue};

pub(crate) use diff::{diff, mapping, mapping_changes, mapping_edits};
pub(crate) use gate::gate;
pub(crate) use grain_diff::{grain_diff, selection};
pub(crate) use history::history;
pub(crate) use noise::noise;
pub(crate) use similar::{projection, similar, to_form, to_measure};
pub(crate) use store::{add, compact, verify};

fn param(value: &ParamValue) -> ParamValue {
    value.clone()
}

fn params(values: &BTreeMap<String, ParamValue>) -> BTreeMap<String, ParamValue> {
    values.clone()
}

/// A text read as a lens.
pub(crate) fn lens(text: &str) -> api::LensAnswer {
    let (lens, fault) = match text.parse::<Lens>() {
        Ok(lens) => (lens, None),
        Err(error) => {
            let position = u32::try_from(error.position).unwrap_or(u32::MAX);
            (
                Lens::default(),
                Some(api::LensFault {
                    position,
                    message: error.reason,
                }),
            )
        }
    };
    let clauses = lens.clauses();
    let is_operation = |keyword: &str| matches!(keyword, "split" | "reveal" | "focus" | "hide");
    let operations = clauses.iter().filter(|clause| is_operation(clause.keyword));
    let (target, diff) = match &lens.compare {
        Compare::None => (None, None),
        Compare::Target(run) => (Some(run.0.clone()), None),
        Compare::Diff { a, b } => (None, Some([a.0.clone(), b.0.clone()])),
    };
    api::LensAnswer {
        schema: "lens/1".to_owned(),
        text: lens.to_string(),
        operations: operations.map(|clause| clause.text.clone()).collect(),
        runs: lens.runs.as_ref().map(ToString::to_string),
        by: lens.by.clone(),
        level: lens.level,
        metric: lens.metric.clone(),
        scope: lens.scope,
        over: lens.over.to_string(),
        below: lens.hide_below,
        bins: lens.bins,
        target,
        diff,
        fault,
        clauses: clauses
            .into_iter()
            .map(|clause| api::LensClause {
                keyword: clause.keyword.to_owned(),
                text: clause.text,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_lens_has_a_fault_and_defaults() {
        let answer = lens("level modul");
        assert_eq!(answer.level, sheaf_model::Level::Definition);
        assert_eq!(answer.fault.unwrap().position, 7);
        let answer = lens("hide x | target y");
        assert_eq!(answer.operations, ["hide \"x\""]);
        assert_eq!(answer.target.as_deref(), Some("y"));
    }
}
