//! The line of totals of a diff.

use sheaf_answers::{Diff, DiffFact, Fact, Note};

use crate::render::text::plain;
use sheaf_answers::text::{change, difference, quantity};

/// Totals of both sides and their difference, or that there are none.
pub(in crate::render) fn totals(answer: &Diff) -> String {
    let Some(totals) = &answer.totals else {
        let is_missing =
            |note: &Note| matches!(note.fact, Fact::Comparison(DiffFact::TotalsMissing { .. }));
        if answer.notes.iter().any(is_missing) {
            return "none".to_owned();
        }
        return format!("values of {} do not add up", plain(&answer.metric));
    };
    let relative = if totals.a == 0.0 {
        String::new()
    } else {
        format!(" ({})", change(totals.delta / totals.a))
    };
    format!(
        "{} → {}, {}{relative}",
        quantity(&answer.unit, totals.a),
        quantity(&answer.unit, totals.b),
        difference(&answer.unit, totals.delta),
    )
}
