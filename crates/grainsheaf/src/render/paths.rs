//! Paths, loops and scheduling of one run.

use std::fmt::Write as _;

use sheaf_answers::{LastFinishers, Loops, Parallelism, Paths, Policy, Proof, Scheduling};

use super::selection::Selection;
use super::table::{Kind, Layout, Table, Tone};
use super::text::counted;
use super::{limited, or_absent};
use sheaf_answers::text::{ABSENT, Scale, count, number, percent, quantity};

/// Characters of the widest bar.
const BAR_WIDTH: f64 = 24.0;

/// Figures of the paths, what the elapsed time consists of, the critical path, and definitions.
pub(crate) fn paths(answer: &Paths, limit: usize, layout: Layout) -> String {
    let unit = answer.unit.as_str();
    let time = |value: i64| quantity(unit, value as f64);
    let mut facts = Table::default().word("").name("");
    let mut fact = |name: &str, shown: String| facts.row([name.to_owned(), shown]);
    if let Some(scope) = &answer.scope {
        fact("local to", scope.clone());
    }
    fact("grains", count(answer.grains));
    fact("work", time(answer.work));
    fact("span", time(answer.span));
    if let Some(lock) = &answer.lock_bound {
        let held = format!("{}, {}", time(lock.held), lock.definition);
        fact("held longest", held);
    }
    let parallelism = answer.parallelism.map(number);
    fact(
        "parallelism",
        parallelism.unwrap_or_else(|| ABSENT.to_owned()),
    );
    fact("graph", answer.form.to_string());
    let mut text = facts.render(layout, "");
    match (&answer.last_finishers, &answer.absent) {
        (Some(path), _) => {
            let table = parts(path, unit);
            let _ = write!(
                text,
                "\nPath of last finishers\n{}",
                table.render(layout, "  ")
            );
        }
        (None, Some(reason)) => {
            let _ = write!(text, "\nPath of last finishers: {reason}\n");
        }
        (None, None) => {}
    }
    let _ = write!(
        text,
        "\nDefinitions\n{}",
        definitions(answer, limit, layout)
    );
    let _ = write!(text, "\nCritical path\n{}", steps(answer, limit, layout));
    text
}

fn parts(path: &LastFinishers, unit: &str) -> Table {
    let mut table = Table::default().word("").number("").number("");
    let mut row = |name: String, value: i64| {
        let share = (path.elapsed != 0).then(|| value as f64 / path.elapsed as f64);
        let share = or_absent(share, percent);
        table.row([name, quantity(unit, value as f64), share]);
    };
    row("elapsed".to_owned(), path.elapsed);
    row("work".to_owned(), path.work);
    if path.busy != 0 {
        row("workers busy".to_owned(), path.busy);
    }
    for (kind, delay) in &path.delays {
        if *delay != 0 {
            row(format!("delay, {kind}"), *delay);
        }
    }
    let others = [
        ("before", path.before),
        ("outside", path.outside),
        ("after", path.after),
    ];
    for (name, value) in others {
        if value != 0 {
            row(name.to_owned(), value);
        }
    }
    table
}

fn definitions(answer: &Paths, limit: usize, layout: Layout) -> String {
    let shown = limited(answer.rows.len(), limit);
    let table = Selection::of(answer, answer.unit.as_str())
        .name("definition")
        .columns("grains, work, span as own span, parallelism, critical_work as critical")
        .columns("last_finisher_work as last finishers")
        .if_any()
        .first(limit);
    let mut text = table.render(layout, "  ");
    if answer.rows.len() > shown {
        let all = counted(answer.rows.len() as u64, "definition", "definitions");
        let _ = writeln!(text, "  … {shown} of {all}; `--limit 0` shows all");
    }
    text
}

fn steps(answer: &Paths, limit: usize, layout: Layout) -> String {
    let scale = Scale::of(
        answer.unit.as_str(),
        answer.steps.iter().map(|step| step.work as f64),
    );
    let mut table = Table::default()
        .name("in this order")
        .number("grains")
        .number(scale.header("work"));
    let shown = if limit == 0 {
        answer.steps.len()
    } else {
        limit
    };
    for step in answer.steps.iter().take(shown) {
        table.row([
            step.definition.clone(),
            count(step.grains),
            scale.show(step.work as f64),
        ]);
    }
    let mut text = table.render(layout, "  ");
    let all = answer.steps.len() as u64 + answer.more_steps;
    let shown = shown.min(answer.steps.len()) as u64;
    if all > shown {
        let all = counted(all, "step", "steps");
        let _ = writeln!(text, "  … {} of {all}", count(shown));
    }
    text
}

/// A table of loops; those that took longest where there are many.
pub(crate) fn loops(answer: &Loops, limit: usize, layout: Layout) -> String {
    if answer.rows.is_empty() {
        return "no work-sharing loops\n".to_owned();
    }
    let rows = &answer.rows;
    let mut shown: Vec<usize> = (0..rows.len()).collect();
    let is_cut = limit > 0 && shown.len() > limit;
    if is_cut {
        shown.sort_by_key(|&row| std::cmp::Reverse(rows[row].makespan));
        shown.truncate(limit);
    }
    let table = Selection::of(answer, answer.unit.as_str())
        .rows(shown)
        .name("definition as loop")
        .columns("chunks, work, makespan, workers")
        .made("needs", Kind::Number, |row, _| {
            let row = &rows[row];
            let bounds = || format!("{} to {}", row.least_workers_lower, row.least_workers_upper);
            row.least_workers
                .map_or_else(bounds, |least| least.to_string())
        })
        .verdict("known by", |row| match rows[row].proof {
            Proof::Open => ("bounds only", Tone::Plain),
            proof => (proof.as_str(), Tone::Plain),
        })
        .first(0);
    let mut text = table.render(layout, "");
    if is_cut {
        let all = counted(answer.rows.len() as u64, "loop", "loops");
        let _ = writeln!(
            text,
            "… the longest {limit} of {all}; `--limit 0` shows all"
        );
    }
    text
}

/// Where the workers' time went, and what made fragments ready.
pub(crate) fn scheduling(answer: &Scheduling, layout: Layout) -> String {
    let unit = answer.unit.as_str();
    let all = answer.workers.saturating_mul(answer.elapsed);
    let mut facts = Table::default().word("").number("").number("");
    let mut fact = |name: &str, value: Option<i64>| {
        let share = value.filter(|_| all > 0);
        let share = share.map(|value| percent(value as f64 / all as f64));
        let shown = value.map(|value| quantity(unit, value as f64));
        let or_absent = |text: Option<String>| text.unwrap_or_else(|| ABSENT.to_owned());
        facts.row([name.to_owned(), or_absent(shown), or_absent(share)]);
    };
    fact("workers x elapsed", Some(all));
    fact("work", Some(answer.work));
    fact("delay", answer.delay);
    fact("no work", answer.no_work);
    if answer.delay.is_none() {
        fact("idle", Some(answer.idle));
    }
    let mut text = facts.render(layout, "");
    if let Some(policy) = &answer.policy {
        let meaning = match policy {
            Policy::WorkFirst => {
                "work-first: a new task runs at once, and the parent may be stolen"
            }
            Policy::HelpFirst => "help-first: the parent goes on, and new tasks wait for a worker",
            Policy::None => "not shown: nothing was stolen at a creation",
        };
        let _ = writeln!(text, "\npolicy  {meaning}");
    }
    if let Some(reason) = &answer.absent {
        let _ = writeln!(text, "\ndelays and steals are not known: {reason}");
    }
    for fault in &answer.faults {
        let _ = writeln!(text, "fault: {fault}");
    }
    if !answer.edges.is_empty() {
        let _ = write!(
            text,
            "\nMade ready by\n{}",
            edges(answer).render(layout, "  ")
        );
    }
    text
}

fn edges(answer: &Scheduling) -> Table {
    let edges = &answer.edges;
    let used = edges.iter().enumerate().filter(|(_, edge)| edge.edges > 0);
    Selection::of(answer, answer.unit.as_str())
        .rows(used.map(|(row, _)| row))
        .columns("kind as edge, edges, moved as to another worker")
        .made("share", Kind::Number, |row, _| {
            percent(edges[row].moved as f64 / edges[row].edges as f64)
        })
        .columns("delay_median")
        .headed("wait, median")
        .columns("delay_p99 as p99, delay_max as longest")
        .first(0)
}

/// Running and ready fragments over time; a bar for those that ran.
pub(crate) fn parallelism(answer: &Parallelism, layout: Layout) -> String {
    let figure = |row: usize, name: &str| answer.rows[row].fragments.get(name).copied();
    let ready = |row: usize| -> f64 {
        let layers = answer.layers.iter().skip(1);
        layers
            .filter_map(|layer| figure(row, &format!("{layer}_mean")))
            .sum()
    };
    let full = (answer.workers.max(1)) as f64;
    let ends = answer.rows.iter().map(|row| row.end);
    let table = Selection::of(answer, answer.unit.as_str())
        .columns("start as from")
        .scaled(Scale::of(answer.unit.as_str(), ends))
        .columns("running_min as least, running_mean as mean, running_max as most")
        .made("ready", Kind::Number, |row, _| number(ready(row)))
        .when(answer.layers.len() > 1)
        .made("running", Kind::Word, |row, _| {
            bar(figure(row, "running_mean").unwrap_or(0.0) / full)
        })
        .first(0);
    let workers = counted(
        u64::try_from(answer.workers).unwrap_or(0),
        "worker",
        "workers",
    );
    format!("{}a full bar is {workers}\n", table.render(layout, ""))
}

/// A bar whose length is a share of the widest.
fn bar(share: f64) -> String {
    let eighths = (share.clamp(0.0, 1.5) * BAR_WIDTH * 8.0).round();
    let whole = (eighths / 8.0).floor();
    let mut text = String::new();
    let mut drawn = 0.0;
    while drawn < whole {
        text.push('\u{2588}');
        drawn += 1.0;
    }
    let rest = eighths - whole * 8.0;
    let partial = [
        '\u{258f}', '\u{258e}', '\u{258d}', '\u{258c}', '\u{258b}', '\u{258a}', '\u{2589}',
    ];
    let mut at = 1.0;
    for block in partial {
        if (rest - at).abs() < 0.5 {
            text.push(block);
        }
        at += 1.0;
    }
    text
}
