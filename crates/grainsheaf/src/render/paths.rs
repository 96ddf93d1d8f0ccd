//! Paths, loops and scheduling of one run.

use std::fmt::Write as _;

use sheaf_answers::{LastFinishers, LoopRow, Loops, Parallelism, Paths, Policy, Proof, Scheduling};

use super::table::{Layout, Table};
use super::text::counted;
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
        let share = share.map_or_else(|| ABSENT.to_owned(), percent);
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
    let unit = answer.unit.as_str();
    let scale = Scale::of(unit, answer.rows.iter().map(|row| row.work as f64));
    let has_last = answer.last_finishers.is_some();
    let mut table = Table::default()
        .name("definition")
        .number("grains")
        .number(scale.header("work"))
        .number(scale.header("own span"))
        .number("parallelism")
        .number(scale.header("critical"));
    if has_last {
        table = table.number(scale.header("last finishers"));
    }
    let shown = if limit == 0 { answer.rows.len() } else { limit };
    for row in answer.rows.iter().take(shown) {
        let optional = |value: Option<i64>| scale.show_option(value.map(|value| value as f64));
        let mut cells = vec![
            row.definition.clone(),
            count(row.grains),
            scale.show(row.work as f64),
            optional(row.span),
            row.parallelism.map_or_else(|| ABSENT.to_owned(), number),
            scale.show(row.critical_work as f64),
        ];
        cells.extend(has_last.then(|| optional(row.last_finisher_work)));
        table.row(cells);
    }
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
    let mut rows: Vec<&LoopRow> = answer.rows.iter().collect();
    let is_cut = limit > 0 && rows.len() > limit;
    if is_cut {
        rows.sort_by_key(|row| std::cmp::Reverse(row.makespan));
        rows.truncate(limit);
    }
    let scale = Scale::of(answer.unit.as_str(), rows.iter().map(|row| row.work as f64));
    let mut table = Table::default()
        .name("loop")
        .number("chunks")
        .number(scale.header("work"))
        .number(scale.header("makespan"))
        .number("workers")
        .number("needs")
        .word("known by");
    for row in rows {
        let needs = match row.least_workers {
            Some(least) => least.to_string(),
            None => format!("{} to {}", row.least_workers_lower, row.least_workers_upper),
        };
        table.row([
            row.definition.clone(),
            row.chunks.to_string(),
            scale.show(row.work as f64),
            scale.show(row.makespan as f64),
            row.workers
                .map_or_else(|| ABSENT.to_owned(), |workers| workers.to_string()),
            needs,
            match row.proof {
                Proof::Open => "bounds only".to_owned(),
                proof => proof.to_string(),
            },
        ]);
    }
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
    let longest = answer.edges.iter().filter_map(|edge| edge.delay_max);
    let scale = Scale::of(answer.unit.as_str(), longest.map(|delay| delay as f64));
    let mut table = Table::default()
        .word("edge")
        .number("edges")
        .number("to another worker")
        .number("share")
        .number(scale.header("wait, median"))
        .number(scale.header("p99"))
        .number(scale.header("longest"));
    for edge in answer.edges.iter().filter(|edge| edge.edges > 0) {
        let shown = |value: Option<i64>| scale.show_option(value.map(|value| value as f64));
        table.row([
            edge.kind.as_str().replace('_', " "),
            count(edge.edges),
            count(edge.moved),
            percent(edge.moved as f64 / edge.edges as f64),
            shown(edge.delay_median),
            shown(edge.delay_p99),
            shown(edge.delay_max),
        ]);
    }
    table
}

/// Running and ready fragments over time; a bar for those that ran.
pub(crate) fn parallelism(answer: &Parallelism, layout: Layout) -> String {
    let figure = |row: &sheaf_answers::ParallelismRow, name: &str| row.fragments.get(name).copied();
    let scale = Scale::of(answer.unit.as_str(), answer.rows.iter().map(|row| row.end));
    let has_ready = answer.layers.len() > 1;
    let ready = |row: &sheaf_answers::ParallelismRow| -> f64 {
        let layers = answer.layers.iter().skip(1);
        layers
            .filter_map(|layer| figure(row, &format!("{layer}_mean")))
            .sum()
    };
    let mut table = Table::default()
        .number(scale.header("from"))
        .number("least")
        .number("mean")
        .number("most");
    if has_ready {
        table = table.number("ready");
    }
    table = table.word("running");
    let full = (answer.workers.max(1)) as f64;
    for row in &answer.rows {
        let shown = |name: &str| figure(row, name).map_or_else(|| ABSENT.to_owned(), number);
        let mut cells = vec![
            scale.show(row.start),
            shown("running_min"),
            shown("running_mean"),
            shown("running_max"),
        ];
        cells.extend(has_ready.then(|| number(ready(row))));
        let mean = figure(row, "running_mean").unwrap_or(0.0);
        cells.push(bar(mean / full));
        table.row(cells);
    }
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
