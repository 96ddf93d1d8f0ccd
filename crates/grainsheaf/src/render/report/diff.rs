//! A comparison: outcome first, then groups, environment, structure and notes.

use sheaf_answers::{Diff, DiffRow, Verdict};
use sheaf_server::Markup;

use super::{MAX_ROWS, between, list, more};
use crate::render::diff::{
    LEGEND, SAME_ENVIRONMENT, StructureText, by_differences, environment_table, groups_table,
    metric, shown_rows, side, tested, totals, verdict,
};
use crate::render::notes::with_hints;
use crate::render::table::Layout;

/// Verdicts in the order in which they are counted.
const VERDICTS: [Verdict; 7] = [
    Verdict::Slower,
    Verdict::Faster,
    Verdict::Appeared,
    Verdict::Vanished,
    Verdict::Unchanged,
    Verdict::Inconclusive,
    Verdict::Untestable,
];

/// The first part of the report.
pub(super) fn summary(answer: &Diff) -> Markup {
    let mut html = Markup::default();
    html.element("h1", &between(answer))
        .element_as("p", "report-verdict", &verdicts(&answer.rows))
        .element("p", &format!("Total: {}", totals(answer)))
        .append(&sides(answer));
    html
}

/// Who was compared, and by what.
pub(super) fn sides(answer: &Diff) -> Markup {
    let mut html = Markup::default();
    for (letter, one) in [("A  ", &answer.a), ("B  ", &answer.b)] {
        html.open("p").text(letter).sentence(&side(one)).close("p");
    }
    html.element("p", &format!("{}; differences are B − A", metric(answer)))
        .line();
    html
}

/// `▲ 2 slower, ▼ 1 faster, = 3 unchanged`.
fn verdicts(rows: &[DiffRow]) -> String {
    let counted = VERDICTS.iter().filter_map(|&one| {
        let count = rows.iter().filter(|row| row.verdict == one).count();
        let (sign, word) = verdict(one).0.split_once(' ')?;
        (count > 0).then(|| format!("{sign} {count} {word}"))
    });
    let counted = counted.collect::<Vec<_>>().join(", ");
    if counted.is_empty() {
        "no group".to_owned()
    } else {
        format!("groups: {counted}")
    }
}

/// Everything else.
pub(super) fn tables(answer: &Diff) -> Markup {
    let mut html = Markup::default();
    html.element("h2", "Groups");
    let rows = shown_rows(answer, MAX_ROWS);
    html.append(&groups_table(answer, &rows).markup(&metric(answer)));
    more(
        &mut html,
        answer.rows.len(),
        rows.len(),
        ["group", "groups"],
    );
    html.element_as("p", "is-faint", LEGEND);
    let differences = by_differences(rows.iter().map(|&row| &answer.rows[row]), Layout::default());
    if !differences.is_empty() {
        html.element("p", differences.trim());
    }
    html.element("p", &tested(answer)).line();
    html.append(&around(answer));
    html
}

/// Environment, structure and notes.
pub(super) fn around(answer: &Diff) -> Markup {
    let mut html = Markup::default();
    html.element("h2", "Environment");
    if answer.environment.is_empty() {
        html.element("p", SAME_ENVIRONMENT);
    } else {
        let table = environment_table(&answer.environment);
        html.append(&table.markup("Parameters that differ"));
    }
    html.append(&structure(answer));
    if !answer.notes.is_empty() {
        html.element("h2", "Notes");
        list(&mut html, &with_hints(&answer.notes));
    }
    html
}

fn structure(answer: &Diff) -> Markup {
    let parts = StructureText::of(answer, MAX_ROWS);
    let mut html = Markup::default();
    html.element("h2", "Structure");
    if let Some(warning) = &parts.warning {
        html.element_as("p", "is-notable", warning);
    }
    html.open("p").sentence(&parts.verdict).close("p");
    if let Some(changes) = &parts.changes {
        html.append(&changes.markup("What happened, by definition"));
    }
    let shown = answer.structure.changes.len() - parts.hidden;
    more(
        &mut html,
        answer.structure.changes.len(),
        shown,
        ["change", "changes"],
    );
    list(&mut html, &parts.possible);
    if let Some(matched) = &parts.matched {
        html.element("p", matched);
    }
    html.element("p", &parts.groups).line();
    html
}
