//! The comparison of two sides, grain by grain: environment, how grains matched, definitions, grains.

use std::fmt::Write as _;

use sheaf_answers::{GrainDiff, GrainDiffGroup, GrainDiffRow, MatchedBy};

use super::diff::{environment, side};
use super::selection::Selection;
use super::table::{Kind, Layout, Table, Tone};
use super::text::plain;
use super::{more, notes, or_absent, path};
use sheaf_answers::text::{Scale, change, count, difference, number, quantity};

/// The whole comparison.
pub(crate) fn grain_diff(answer: &GrainDiff, layout: Layout) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "A  {}\nB  {}", side(&answer.a), side(&answer.b));
    let _ = writeln!(
        text,
        "   work of grains matched by path; differences are B − A"
    );
    let environment = environment(&answer.environment, layout);
    let _ = write!(text, "\nEnvironment\n{environment}");
    let matching = matching(answer, layout);
    let _ = write!(text, "\nMatching\n{matching}{}", renames(answer));
    let _ = write!(text, "\nTotal\n  {}\n", total(answer));
    let _ = write!(text, "\nDefinitions\n{}", definitions(answer, layout));
    let _ = write!(text, "\nGrains\n{}", grains(answer, layout));
    text.push_str(&notes(&answer.notes, layout));
    text
}

fn matching(answer: &GrainDiff, layout: Layout) -> String {
    let all = &answer.totals;
    let mut table = Table::default()
        .word("")
        .number("grains")
        .number("work in A")
        .number("work in B");
    let work = |value: f64| quantity(&answer.unit, value);
    let rows = [
        (
            "on both sides",
            all.matched,
            Some(all.matched_work_a),
            Some(all.matched_work_b),
        ),
        ("only in A", all.only_a, Some(all.only_work_a), None),
        ("only in B", all.only_b, None, Some(all.only_work_b)),
        (
            "not matchable in A",
            all.unmatchable_a,
            Some(all.unmatchable_work_a),
            None,
        ),
        (
            "not matchable in B",
            all.unmatchable_b,
            None,
            Some(all.unmatchable_work_b),
        ),
    ];
    for (name, grains, a, b) in rows {
        if name.starts_with("not") && grains == 0 {
            continue;
        }
        let cell = |value: Option<f64>| or_absent(value, work);
        table.row([name.to_owned(), count(grains), cell(a), cell(b)]);
    }
    table.render(layout, "  ")
}

/// Definitions that grains were matched through, a line each.
fn renames(answer: &GrainDiff) -> String {
    let mut text = String::new();
    for rename in &answer.renames {
        let names: Vec<&str> = rename.names.iter().map(|one| one.name.as_str()).collect();
        let how = rename.names.iter().find_map(|name| {
            let by = name.matched_by?;
            let score = name.score.filter(|_| by == MatchedBy::Inferred);
            let score =
                score.map_or_else(String::new, |score| format!(", score {}", number(score)));
            Some(format!("{by}{score}"))
        });
        let how = how.unwrap_or_default();
        let line = format!("  through {}  {how}", names.join(" → "));
        let _ = writeln!(text, "{}", plain(&line));
    }
    text
}

fn total(answer: &GrainDiff) -> String {
    let all = &answer.totals;
    let relative = match all.a.filter(|a| *a != 0.0) {
        None => String::new(),
        Some(a) => format!(" ({})", change(all.delta / a)),
    };
    let side = |value: Option<f64>| or_absent(value, |value| quantity(&answer.unit, value));
    format!(
        "{} → {}, {}{relative}",
        side(all.a),
        side(all.b),
        difference(&answer.unit, all.delta),
    )
}

fn definitions(answer: &GrainDiff, layout: Layout) -> String {
    if answer.definitions.is_empty() {
        return "  none\n".to_owned();
    }
    let of = |it: &GrainDiffGroup| [it.a, it.b];
    let scale = Scale::of(
        &answer.unit,
        answer
            .definitions
            .iter()
            .flat_map(|it| of(&it.grains).into_iter().flatten()),
    );
    let delays = answer.definitions.iter();
    let delays = Scale::of(&answer.unit, delays.filter_map(|it| it.grains.delay_change));
    let mut table = Table::default().name("definition");
    for name in ["both", "only A", "only B"] {
        table = table.number(name);
    }
    for name in ["A", "B", "B − A"] {
        table = table.number(scale.header(name));
    }
    table = table
        .number("deviation")
        .number("median")
        .number("stretch")
        .number(delays.header("delay"));
    for it in &answer.definitions {
        let grains = &it.grains;
        table.row([
            it.definition.clone(),
            count(grains.matched),
            count(grains.only_a),
            count(grains.only_b),
            scale.show_option(grains.a),
            scale.show_option(grains.b),
            scale.show_signed(grains.delta),
            factor(grains.work_deviation),
            factor(grains.median_work_deviation),
            factor(grains.stretch),
            signed(&delays, grains.delay_change),
        ]);
    }
    table.render(layout, "  ")
}

fn grains(answer: &GrainDiff, layout: Layout) -> String {
    let rows = &answer.rows;
    if rows.is_empty() {
        return "  none\n".to_owned();
    }
    let has_cohorts = answer.a.runs.len() > 1 || answer.b.runs.len() > 1;
    let table = Selection::of(answer, &answer.unit)
        .made_name("grain", |row| path(&rows[row].path))
        .made("runs", Kind::Number, |row, _| {
            format!("{}, {}", rows[row].runs_a, rows[row].runs_b)
        })
        .when(has_cohorts)
        .columns("a as A, b as B, delta as B − A")
        .signed()
        .columns("work_deviation as deviation, stretch, delay_change as delay")
        .signed()
        .own_scale()
        .verdict("", |row| presence(&rows[row]))
        .first(0);
    let shown = usize::try_from(answer.offset).unwrap_or(usize::MAX);
    let shown = shown.saturating_add(rows.len());
    let all = usize::try_from(answer.total).unwrap_or(usize::MAX);
    let hidden = more(all, shown, "more grain", "more grains");
    format!("{}{hidden}", table.render(layout, "  "))
}

/// Symbol and word, so that nothing hangs on the colour.
fn presence(row: &GrainDiffRow) -> (&'static str, Tone) {
    match (row.runs_a > 0, row.runs_b > 0) {
        (true, false) => ("− only in A", Tone::Notable),
        (false, true) => ("+ only in B", Tone::Notable),
        _ => match row.matched_by {
            Some(MatchedBy::Path) | None => ("", Tone::Plain),
            Some(by) => (by.as_str(), Tone::Plain),
        },
    }
}

fn factor(value: Option<f64>) -> String {
    or_absent(value, number)
}

fn signed(scale: &Scale, value: Option<f64>) -> String {
    or_absent(value, |value| scale.show_signed(value))
}
