//! Why one side takes longer than the other: sentences, then the causes of each view.

use std::fmt::Write as _;

use sheaf_answers::text::{ABSENT, Scale, change, difference, number, percent, quantity};
use sheaf_answers::{Cause, ExplainedBy, ExplainedView, Explanation};

use super::diff::{environment, side, verdict};
use super::table::{Layout, Table, Tone};
use super::text::plain;
use super::{more, notes, path};

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
        }
    }
    for view in &answer.views {
        let _ = write!(text, "\n{}", view_text(answer, view, limit, layout));
    }
    text.push_str(&notes(&answer.notes, layout));
    text
}

fn view_text(answer: &Explanation, view: &ExplainedView, limit: usize, layout: Layout) -> String {
    let of_view = |cause: &&Cause| cause.by == view.by;
    let causes: Vec<&Cause> = answer.causes.iter().filter(of_view).collect();
    let headline = headline(view, &answer.unit);
    if causes.is_empty() {
        return format!("{headline}  no part differs\n");
    }
    let shown = match limit {
        0 => causes.len(),
        limit => limit.min(causes.len()),
    };
    let table = table(&causes[..shown], &answer.unit).render(layout, "  ");
    let more = more(causes.len(), shown, "more cause", "more causes");
    format!("{headline}{table}{more}")
}

fn headline(view: &ExplainedView, unit: &str) -> String {
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
        "{title} {a} → {b}, {}{relative}\n",
        difference(unit, view.delta)
    )
}

fn table(causes: &[&Cause], unit: &str) -> Table {
    let unit = match unit {
        "unknown" => "",
        unit => unit,
    };
    let scale = Scale::of(unit, causes.iter().map(|cause| cause.delta));
    let ends = [scale.header("from"), scale.header("to")];
    let mut table = Table::default()
        .name("cause")
        .name("of")
        .number(scale.header("delta"))
        .number("share")
        .number(ends[0].clone())
        .number(ends[1].clone())
        .number("q")
        .word("verdict")
        .name("source")
        .spare(
            ["q".to_owned(), "source".to_owned()]
                .into_iter()
                .chain(ends),
        );
    for cause in causes {
        let [low, high] = match cause.interval {
            Some(ends) => ends.map(|end| scale.show(end)),
            None => [ABSENT.to_owned(), ABSENT.to_owned()],
        };
        let (verdict, tone) = verdict(cause.verdict);
        let cells = [
            cause.kind.as_str().replace('_', " "),
            path(&cause.path),
            scale.show_signed(cause.delta),
            cause.share.map_or_else(|| ABSENT.to_owned(), percent),
            low,
            high,
            cause.q.map_or_else(|| ABSENT.to_owned(), number),
        ];
        let mut cells: Vec<_> = cells.into_iter().map(|cell| (cell, Tone::Plain)).collect();
        cells.push((verdict.to_owned(), tone));
        cells.push((cause.site.clone().unwrap_or_default(), Tone::Plain));
        table.toned_row(cells);
    }
    table
}
