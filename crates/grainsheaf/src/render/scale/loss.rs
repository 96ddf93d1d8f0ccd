//! Where workers × time went: parts of the time of one worker, then groups.

use sheaf_answers::{ScaleLoss, ScaleTable};

use super::super::path;
use super::super::selection::Selection;
use super::super::table::{Kind, Tone};
use super::{Part, amount, ends};
use sheaf_answers::text::{Scale, percent};

pub(super) fn loss(part: &Part<'_>) -> String {
    let own = || {
        let rows = part.answer.loss.iter();
        rows.filter(|row| row.series == part.number)
    };
    let whole: Vec<&ScaleLoss> = own().filter(|row| row.group.is_none()).collect();
    if whole.is_empty() {
        return String::new();
    }
    let per_worker = |row: &ScaleLoss, value: f64| value / row.workers.max(1) as f64;
    let times = whole.iter().map(|row| per_worker(row, row.area));
    let units = Scale::of(&part.answer.unit, times);
    let rows = &part.answer.loss;
    let is_own = |row: &usize| rows[*row].series == part.number && rows[*row].group.is_none();
    let mut table = selection(part, units.clone())
        .rows((0..rows.len()).filter(is_own))
        .columns("p")
        .headed(&part.answer.by)
        .columns("area as time");
    let overhead = if part.answer.of_elapsed {
        "+ overhead"
    } else {
        "+ communication"
    };
    for (name, heading) in [
        ("ideal", "= ideal"),
        ("inflation", "+ inflation"),
        ("overhead", overhead),
        ("idle", "+ idle"),
        ("unexplained", "+ not working"),
    ] {
        table = table.column(name).headed(heading).if_any();
    }
    let table = table
        .made("lost", Kind::Number, |row, _| {
            percent(1.0 - rows[row].ideal / rows[row].area)
        })
        .columns("inflation_ratio as work inflation")
        .spare(&["work inflation", "lost"])
        .first(0);
    let title = format!("\nWhere the time of a worker went{}\n", part.of_one_run());
    format!(
        "{title}{}{}",
        table.render(part.layout, "  "),
        groups(part, &units)
    )
}

/// Values of one worker.
fn selection<'a>(part: &'a Part<'_>, units: Scale) -> Selection<'a> {
    let rows = &part.answer.loss;
    Selection::of_table(part.answer.table_of(ScaleTable::Loss), &part.answer.unit)
        .divided(|row| rows[row].workers.max(1) as f64)
        .scaled(units)
}

/// Groups of the point with the most workers, by what they lost.
fn groups(part: &Part<'_>, units: &Scale) -> String {
    let rows = part.answer.loss.iter();
    let rows = rows.filter(|row| row.series == part.number && row.group.is_some());
    let Some(last) = rows.clone().map(|row| row.p).reduce(f64::max) else {
        return String::new();
    };
    let what = if part.own_points().count() > 1 {
        ", by what they lost"
    } else {
        ""
    };
    let rows = &part.answer.loss;
    let is_own = |row: &usize| {
        let row = &rows[*row];
        row.series == part.number && row.group.is_some() && row.p.total_cmp(&last).is_eq()
    };
    let own: Vec<usize> = (0..rows.len()).filter(is_own).collect();
    let has_ready = own.iter().any(|&row| rows[row].ready.is_some());
    let shown = own.len().min(part.limit);
    let table = selection(part, units.clone())
        .rows(own.iter().copied())
        .made_name("group", |row| path(&rows[row].path))
        .columns("area as took, ideal as = ideal, inflation as + inflation")
        .columns("overhead as + communication")
        .if_any()
        .columns("inflation_ratio as work inflation")
        .made("interval", Kind::Number, |row, _| {
            let interval = rows[row].inflation_interval;
            ends(interval, &Scale::of("ratio", std::iter::empty()))
        })
        // Of all fragments together, not of one worker.
        .made("ready, waiting", Kind::Number, |row, units| {
            units.show_option(rows[row].ready)
        })
        .with_unit()
        .when(has_ready)
        .row_toned(|row| match rows[row].inflation_interval {
            Some([low, _]) if low > 1.0 => Tone::Bad,
            _ => Tone::Plain,
        })
        .spare(&["ready, waiting", "interval", "= ideal"])
        .first(shown);
    let hidden = super::super::more(own.len(), shown, "more group", "more groups");
    format!(
        "\nGroups at {} = {}{what}\n{}{}{}",
        part.answer.by,
        amount(last),
        table.render(part.layout, "  "),
        hidden,
        legend(part, has_ready)
    )
}

/// What columns of groups are of.
fn legend(part: &Part<'_>, has_ready: bool) -> String {
    let mut text = String::new();
    let first = part
        .own_points()
        .next()
        .filter(|_| part.own_points().count() > 1);
    if let Some(first) = first {
        let by = &part.answer.by;
        let what = if part.has_repeats() {
            "median work of runs"
        } else {
            "work"
        };
        text = format!(
            "  work inflation: {what} over that at {by} = {}\n",
            amount(first.p)
        );
    }
    if has_ready {
        text.push_str(
            "  ready, waiting: of all tasks and chunks together; other times are of one worker\n",
        );
    }
    text
}
