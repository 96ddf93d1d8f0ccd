//! Prints an explanation: sentences, then the causes of each view.

use std::fmt::Write as _;

use sheaf_answers::text::{associated, change, difference, quantity};
use sheaf_answers::{Cause, ExplainedBy, ExplainedView, Explanation};

use super::diff::{environment, side, verdict};
use super::selection::Selection;
use super::table::{Kind, Layout};
use super::text::plain;
use super::{limited, more, notes, path};

/// The whole explanation; the first `limit` causes of each view, all if it is 0.
pub(crate) fn explain(answer: &Explanation, limit: usize, layout: Layout) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "A  {}\nB  {}", side(&answer.a), side(&answer.b));
    let environment = environment(&answer.environment, layout);
    let _ = write!(
        text,
        "\nEnvironment (associated, not shown to be a cause)\n{environment}"
    );
    if !answer.sentences.is_empty() {
        text.push_str("\nCauses\n");
        for sentence in &answer.sentences {
            let _ = writeln!(text, "  {}", plain(sentence));
            let cause = answer.causes.iter().find(|cause| cause.text == *sentence);
            let Some(cause) = cause else { continue };
            let structure = cause.structure.iter().map(|note| note.text.clone());
            for fact in structure.chain(associated(&cause.associated)) {
                let _ = writeln!(text, "    with it (associated): {}", plain(&fact));
            }
        }
    }
    for view in &answer.views {
        let _ = write!(text, "\n{}", view_text(answer, view, limit, layout));
    }
    text.push_str(&notes(&answer.notes, layout));
    text
}

fn view_text(answer: &Explanation, view: &ExplainedView, limit: usize, layout: Layout) -> String {
    let headline = headline(view, &answer.unit);
    let of_view = |(row, cause): (usize, &Cause)| (cause.by == view.by).then_some(row);
    let rows: Vec<usize> = answer
        .causes
        .iter()
        .enumerate()
        .filter_map(of_view)
        .collect();
    if rows.is_empty() {
        return format!("{headline}\n  no part differs\n");
    }
    let all = rows.len();
    let unit = match answer.unit.as_str() {
        "unknown" => "",
        unit => unit,
    };
    let causes = &answer.causes;
    let table = Selection::of(answer, unit)
        .rows(rows)
        .made("cause", Kind::Word, |row, _| {
            causes[row].kind.as_str().replace('_', " ")
        })
        .made_name("of", |row| path(&causes[row].path))
        .column("delta")
        .signed()
        .columns("share, ci_low as from, ci_high as to, q")
        .verdict("verdict", |row| verdict(causes[row].verdict))
        .name("site as source")
        .spare(&["q", "source", "from", "to"])
        .first(limit);
    let more = more(all, limited(all, limit), "more cause", "more causes");
    format!("{headline}\n{}{more}", table.render(layout, "  "))
}

/// The difference that the causes of a view add up to.
pub(super) fn headline(view: &ExplainedView, unit: &str) -> String {
    let title = match view.by {
        ExplainedBy::Workers => "By workers: elapsed time",
        ExplainedBy::Path => "Along the path of last finishers: elapsed time",
        ExplainedBy::Ranks => "By ranks: time of the slowest rank",
    };
    let relative = view.delta / view.a;
    let relative = if relative.is_finite() {
        format!(" ({})", change(relative))
    } else {
        String::new()
    };
    let [a, b] = [view.a, view.b].map(|value| quantity(unit, value));
    format!(
        "{title} {a} → {b}, {}{relative}",
        difference(unit, view.delta)
    )
}
