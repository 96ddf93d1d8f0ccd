//! Where workers × time went: parts of the time of one worker, then groups.

use sheaf_answers::ScaleLoss;

use super::super::path;
use super::super::table::{Table, Tone};
use super::{Part, amount};
use sheaf_answers::text::{ABSENT, Scale, number, percent};

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
    let has_idle = whole.iter().any(|row| row.idle.is_some());
    let has_overhead = whole.iter().any(|row| row.overhead.is_some());
    let has_rest = whole.iter().any(|row| row.unexplained.is_some());
    let mut table = Table::default().number(part.answer.by.clone());
    table = table
        .number(units.header("time"))
        .number("= ideal")
        .number("+ inflation");
    for (is_there, name) in [
        (
            has_overhead,
            if part.answer.of_elapsed {
                "+ overhead"
            } else {
                "+ communication"
            },
        ),
        (has_idle, "+ idle"),
        (has_rest, "+ not working"),
    ] {
        if is_there {
            table = table.number(name);
        }
    }
    let mut table = table
        .number("lost")
        .number("work inflation")
        .spare(["work inflation", "lost"]);
    for row in &whole {
        let show = |value: f64| units.show(per_worker(row, value));
        let option = |value: Option<f64>| value.map_or_else(|| ABSENT.to_owned(), show);
        let mut cells = vec![
            amount(row.p),
            show(row.area),
            show(row.ideal),
            show(row.inflation),
        ];
        cells.extend(has_overhead.then(|| option(row.overhead)));
        cells.extend(has_idle.then(|| option(row.idle)));
        cells.extend(has_rest.then(|| option(row.unexplained)));
        cells.push(percent(1.0 - row.ideal / row.area));
        cells.push(
            row.inflation_ratio
                .map_or_else(|| ABSENT.to_owned(), number),
        );
        table.row(cells);
    }
    let title = format!("\nWhere the time of a worker went{}\n", part.of_one_run());
    format!(
        "{title}{}{}",
        table.render(part.layout, "  "),
        groups(part, &units)
    )
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
    let rows: Vec<&ScaleLoss> = rows.filter(|row| row.p.total_cmp(&last).is_eq()).collect();
    let has_overhead = rows.iter().any(|row| row.overhead.is_some());
    let has_ready = rows.iter().any(|row| row.ready.is_some());
    let mut table = Table::default().name("group");
    for name in ["took", "= ideal", "+ inflation"] {
        table = table.number(if name == "took" {
            units.header(name)
        } else {
            name.to_owned()
        });
    }
    if has_overhead {
        table = table.number("+ communication");
    }
    table = table.number("work inflation").number("interval");
    if has_ready {
        table = table.number(units.header("ready, waiting"));
    }
    let mut table = table
        .spare([units.header("ready, waiting")])
        .spare(["interval", "= ideal"]);
    let shown = rows.len().min(part.limit);
    for row in rows.iter().take(shown) {
        let show = |value: f64| units.show(value / row.workers.max(1) as f64);
        let option = |value: Option<f64>| value.map_or_else(|| ABSENT.to_owned(), show);
        let mut cells = vec![
            path(&row.path),
            show(row.area),
            show(row.ideal),
            show(row.inflation),
        ];
        cells.extend(has_overhead.then(|| option(row.overhead)));
        cells.push(
            row.inflation_ratio
                .map_or_else(|| ABSENT.to_owned(), number),
        );
        let interval = row.inflation_interval;
        cells.push(interval.map_or_else(
            || ABSENT.to_owned(),
            |[low, high]| format!("{} … {}", number(low), number(high)),
        ));
        // Of all fragments together, not of one worker.
        cells.extend(has_ready.then(|| units.show_option(row.ready)));
        let tone = match interval {
            Some([low, _]) if low > 1.0 => Tone::Bad,
            _ => Tone::Plain,
        };
        table.toned_row(cells.into_iter().map(|cell| (cell, tone)));
    }
    format!(
        "\nGroups at {} = {}{what}\n{}{}{}",
        part.answer.by,
        amount(last),
        table.render(part.layout, "  "),
        super::super::more(rows.len(), shown, "more group", "more groups"),
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
