//! Noise of repeats: a table of groups per configuration, and the outcome of A/A gates.

use std::fmt::Write as _;

use sheaf_answers::{Noise, NoiseCohort, SplitCheck};

use super::selection::Selection;
use super::table::{Kind, Layout};
use super::text::{counted, plain};
use super::{limited, more, notes, or_absent, path, wrapped};
use sheaf_answers::text::{Scale, count, percent};

/// The whole answer; at most `limit` groups per configuration, 0 for all.
pub(crate) fn noise(answer: &Noise, limit: usize, layout: Layout) -> String {
    let mut text = String::new();
    for cohort in &answer.cohorts {
        // Writing to a string does not fail.
        let repeats = counted(cohort.runs.len() as u64, "repeat", "repeats");
        let _ = writeln!(
            text,
            "{} ({repeats}), {}",
            plain(&cohort.name),
            plain(&answer.metric)
        );
        text.push_str(&groups(answer, cohort, limit, layout));
        if let Some(share) = cohort.preempted_share {
            let share = percent(share);
            let _ = writeln!(
                text,
                "  pre-emption: threads were ready and had no processor for {share} of their time (median of runs)"
            );
        }
        if let Some(check) = &cohort.check {
            let _ = writeln!(text, "  A/A gates: {}", gates(check, answer.alpha));
        }
        text.push('\n');
    }
    if answer.cohorts.len() > 1 && answer.check.gates > 0 {
        let _ = writeln!(
            text,
            "All A/A gates: {}",
            gates(&answer.check, answer.alpha)
        );
    }
    text.push_str(&wrapped(LEGEND, ["", ""], layout.width.or(Some(100))));
    text.push_str(&notes(&answer.notes, layout));
    text
}

const LEGEND: &str = "spread: robust relative deviation of repeats. visible: smallest change that as many runs per side \
                      show in 4 of 5 cases, if no other group changed. seen: change between halves of the repeats that \
                      only the share alpha exceeds. limit: for `gate --thresholds`, the larger of both.";

fn groups(answer: &Noise, cohort: &NoiseCohort, limit: usize, layout: Layout) -> String {
    if cohort.groups.is_empty() {
        return format!("  no run has {}\n", plain(&answer.metric));
    }
    let lines = &answer.lines();
    let own = lines.iter().enumerate();
    let own = own.filter(|(_, line)| std::ptr::eq(line.0, cohort));
    let with = |runs: &'static str| {
        move |row: usize, _: &Scale| {
            let visible = lines[row].1.visible_with.get(runs).copied();
            or_absent(visible, percent)
        }
    };
    let table = Selection::of(answer, &answer.unit)
        .rows(own.map(|(row, _)| row))
        .made_name("group", |row| path(&lines[row].1.path))
        .columns("runs, median, share, spread, visible")
        .made("with 10", Kind::Number, with("10"))
        .made("with 20", Kind::Number, with("20"))
        .columns("seen, threshold as limit")
        .spare(&["with 20", "with 10", "share", "runs"])
        .first(limit);
    let shown = limited(cohort.groups.len(), limit);
    let hidden = more(cohort.groups.len(), shown, "more group", "more groups");
    format!("{}{hidden}", table.render(layout, "  "))
}

/// `3 of 70 failed (4.29 %), at most 5 % may; 35 ways to divide the runs, all there are`.
fn gates(check: &SplitCheck, alpha: f64) -> String {
    let ways = counted(check.splits, "way", "ways");
    let which = if check.is_all {
        "all there are"
    } else {
        "drawn at random"
    };
    let how = format!("{ways} to divide the runs, {which}");
    if !check.can_fail {
        return format!("so few runs cannot fail one; {how}");
    }
    let share = check
        .share
        .map_or_else(String::new, |share| format!(" ({})", percent(share)));
    let verdict = match check.holds {
        Some(false) => "more than",
        _ => "at most",
    };
    format!(
        "{} of {} failed{share}, {verdict} the {} that may; {how}",
        count(check.failed),
        count(check.gates),
        percent(alpha),
    )
}
