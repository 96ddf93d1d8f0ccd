//! A gate: outcome and reasons first, then groups and what was compared.

use sheaf_answers::Gate;
use sheaf_server::Markup;

use super::diff::{around, sides};
use super::{MAX_ROWS, between, list, more};
use crate::render::diff::{metric, totals};
use crate::render::gate::{LEGEND, gate_headline, groups_table, limits, of_run, pairs, power};

/// The first part of the report.
pub(super) fn summary(answer: &Gate) -> Markup {
    let mut html = Markup::default();
    html.element("h1", &between(&answer.diff))
        .open_as("p", "report-verdict")
        .sentence(&gate_headline(answer))
        .close("p")
        .element("p", &format!("Total: {}", totals(&answer.diff)));
    for whole in of_run(answer) {
        html.element("p", &whole);
    }
    html.append(&sides(&answer.diff));
    html.element("p", &limits(answer)).line();
    html
}

/// Everything else.
pub(super) fn tables(answer: &Gate) -> Markup {
    let mut html = Markup::default();
    html.element("h2", "Groups");
    html.append(&groups_table(answer, MAX_ROWS).markup(&metric(&answer.diff)));
    let total = pairs(answer).count();
    more(&mut html, total, MAX_ROWS, ["group", "groups"]);
    html.element_as("p", "is-faint", LEGEND);
    html.element("p", &power(answer)).line();
    if !answer.groups.is_empty() {
        let reasons = answer.groups.iter().take(MAX_ROWS);
        let reasons: Vec<String> = reasons
            .filter(|group| !group.reason.text().is_empty())
            .map(|group| format!("{}: {}", crate::render::path(&group.path), group.reason))
            .collect();
        html.element("h2", "Reasons");
        list(&mut html, &reasons);
    }
    if let Some(change) = &answer.structure_change {
        html.open("p").sentence(change.text()).close("p");
    }
    html.append(&around(&answer.diff));
    html
}
