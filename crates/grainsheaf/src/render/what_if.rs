//! Prints predictions.

use std::fmt::Write as _;

use sheaf_answers::text::{change, quantity};
use sheaf_answers::{
    MeasuredCost, PolicySource, PredictionReference, PredictionTrust, ScheduledRun, WhatFirst,
    WhatIf, WhatIfCheck,
};

use super::notes;
use super::selection::Selection;
use super::table::{Kind, Layout};
use super::text::{counted, plain};

/// Predictions of runs.
pub(crate) fn what_if(answer: &WhatIf, layout: Layout) -> String {
    let mut text = String::new();
    for run in &answer.runs {
        text.push_str(&scheduled(run, &answer.unit));
    }
    if !answer.changes.is_empty() {
        text.push_str("\nChanges\n");
        for change in &answer.changes {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {}", plain(change));
        }
    }
    let is_changed = !answer.changes.is_empty();
    let rows = &answer.rows;
    let table = Selection::of(answer, &answer.unit)
        .name("name as run")
        .made("workers", Kind::Number, |row, _| {
            rows[row]
                .workers
                .map_or_else(|| "unlimited".to_owned(), |workers| workers.to_string())
        })
        .columns("predicted, min as from, max as to, lower, upper")
        .column("unchanged")
        .when(is_changed)
        .column("gain")
        .when(is_changed)
        .column("inflation")
        .when(answer.reference.is_some())
        .columns("parallelism, recorded")
        .spare(&["parallelism", "from", "to"])
        .first(0);
    let _ = write!(text, "\n{}", table.render(layout, ""));
    text.push_str(&error_text(answer.trust.as_ref()));
    text.push_str(&carried(answer.reference.as_ref()));
    let _ = writeln!(text, "{}", seeds(answer.repeats, answer.seed));
    text.push_str(&notes(&answer.notes, layout));
    text
}

/// Definitions by gain.
pub(crate) fn what_first(answer: &WhatFirst, layout: Layout) -> String {
    let mut text = scheduled(&answer.run, &answer.unit);
    let mut begin = 0;
    while let Some(first) = answer.rows.get(begin) {
        let is_alike = |row: &&sheaf_answers::Priority| row.workers == first.workers;
        let count = answer.rows[begin..].iter().take_while(is_alike).count();
        let unchanged = quantity(&answer.unit, first.unchanged);
        let _ = writeln!(
            text,
            "\nGain in elapsed time on {}, of {unchanged}",
            counted(first.workers, "worker", "workers")
        );
        let rows = &answer.rows;
        let table = Selection::of(answer, &answer.unit)
            .rows(begin..begin + count)
            .name("definition")
            .columns(
                "work, critical as on critical path, gain_10 as 10 % less, gain_25 as 25 % less",
            )
            .columns("gain_50 as 50 % less, gain_parallel as parallel, share_50 as share of 50 %")
            .made_name("remark", |row| match &rows[row].reason {
                Some(reason) => format!("no gain: {reason}"),
                None if rows[row].is_uncertain => {
                    "uncertain: some schedules are no shorter".to_owned()
                }
                None => String::new(),
            })
            .spare(&["remark", "25 % less", "share of 50 %"])
            .first(0);
        text.push_str(&table.render(layout, "  "));
        begin += count;
    }
    if answer.left_out > 0 {
        let _ = writeln!(
            text,
            "{} definitions with less work are left out",
            answer.left_out
        );
    }
    text.push_str(&error_text(answer.trust.as_ref()));
    text.push_str(&carried(answer.reference.as_ref()));
    let _ = writeln!(text, "{}", seeds(answer.repeats, answer.seed));
    text.push_str(&notes(&answer.notes, layout));
    text
}

/// Predictions next to recorded times.
pub(crate) fn what_if_check(answer: &WhatIfCheck, layout: Layout) -> String {
    let table = Selection::of(answer, &answer.unit)
        .name("name as from run")
        .columns("from as its workers, workers, predicted, recorded, runs, error")
        .signed()
        .made("counts", Kind::Word, |row, _| {
            if answer.rows[row].counts { "yes" } else { "no" }.to_owned()
        })
        .first(0);
    let mut text = table.render(layout, "");
    text.push_str(&error_text(answer.trust.as_ref()));
    text.push_str(&carried(answer.reference.as_ref()));
    let _ = writeln!(text, "{}", seeds(answer.repeats, answer.seed));
    text.push_str(&notes(&answer.notes, layout));
    text
}

/// A run with the policy and the costs of its schedules.
fn scheduled(run: &ScheduledRun, unit: &str) -> String {
    let workers = run.workers.map_or_else(
        || "? workers".to_owned(),
        |workers| counted(workers, "worker", "workers"),
    );
    let elapsed = run.elapsed.map_or_else(
        || "elapsed time unknown".to_owned(),
        |elapsed| format!("elapsed {}", quantity(unit, elapsed as f64)),
    );
    let source = match run.policy_from {
        PolicySource::Asked => "as asked",
        PolicySource::Steals => "shown by steals",
        PolicySource::Order => "shown by the order on one worker",
        PolicySource::Assumed => "assumed",
    };
    let policy = run.policy.as_str().replace('_', "-");
    let cost = |cost: &MeasuredCost| match cost.median {
        Some(median) if cost.is_used => format!("{} {}", cost.cost, quantity(unit, median as f64)),
        Some(_) => format!("{} left out", cost.cost),
        None => format!("{} not measured", cost.cost),
    };
    let costs: Vec<String> = run.costs.iter().map(cost).collect();
    format!(
        "{}  {workers}, {elapsed}\n  policy  {policy}, {source}\n  costs   {} (medians)\n",
        plain(&run.name),
        costs.join(", ")
    )
}

fn error_text(trust: Option<&PredictionTrust>) -> String {
    let Some(trust) = trust else {
        return "error of predictions  unknown\n".to_owned();
    };
    let share = |value: f64| change(value).trim_start_matches('+').to_owned();
    let repeats = trust
        .repeats
        .map(|it| format!("; repeats differ by {} from their median", share(it)));
    format!(
        "error of predictions  median {}, largest {}, of {} recorded here{}\n",
        share(trust.median),
        share(trust.largest),
        trust.pairs,
        repeats.unwrap_or_default()
    )
}

/// The runs whose work and costs were carried over.
fn carried(reference: Option<&PredictionReference>) -> String {
    reference.map_or_else(String::new, |it| {
        format!(
            "work and costs        as in {} runs: {}\n",
            it.runs,
            plain(&it.reference)
        )
    })
}

fn seeds(repeats: u64, seed: u64) -> String {
    let last = seed.saturating_add(repeats.saturating_sub(1));
    if repeats == 1 {
        format!("schedules             1, seed {seed}")
    } else {
        format!("schedules             {repeats}, seeds {seed} to {last}")
    }
}
