//! The answer of a gate: outcome first, then what was compared, then groups that fail or are undecided.

mod junit;
mod markdown;

use std::fmt::Write as _;

use sheaf_answers::{
    DiffRow, Gate, GateCause, GateGroup, GateLine, GateOutcome, GateState, GateTotal, Reason,
    Verdict,
};

use super::diff::{by_differences, environment, metric, shift, side, totals};
use super::selection::Selection;
use super::table::{Kind, Layout, Table, Tone};
use super::text::{counted, plain};
use super::{legend, limited, more, notes, path, wrapped};
use sheaf_answers::text::{ABSENT, change, number, percent};

pub(crate) use junit::gate_junit;
pub(crate) use markdown::gate_markdown;

/// What the columns of groups are.
pub(super) const LEGEND: &str = "A, B: means over runs; change: typical B / A of runs (Hodges-Lehmann), with its interval; \
                      share: the greater mean as a share of the larger total";

/// The whole answer for a terminal; at most `limit` groups, 0 for all.
pub(crate) fn gate(answer: &Gate, limit: usize, layout: Layout) -> String {
    let mut text = String::new();
    let (word, tone) = outcome(answer.outcome);
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "Gate {}: {}",
        tone.paint(word, layout.has_colour),
        plain(&Reason::joined(&answer.reasons))
    );
    let diff = &answer.diff;
    let _ = writeln!(text, "\nA  {}\nB  {}", side(&diff.a), side(&diff.b));
    let _ = writeln!(text, "   {}; {}", metric(diff), limits(answer));
    let _ = write!(
        text,
        "\nEnvironment\n{}",
        environment(&diff.environment, layout)
    );
    let structure = answer.structure_change.as_ref();
    let structure = structure.map_or("no change", |change| change.text());
    let _ = write!(text, "\nStructure\n  {}\n", plain(structure));
    let _ = write!(text, "\nTotal\n  means over runs: {}\n", totals(diff));
    for whole in of_run(answer) {
        text.push_str(&wrapped(&whole, ["  ", "    "], layout.width));
    }
    let _ = write!(text, "\nGroups\n{}", groups(answer, limit, layout));
    text.push_str(&notes(&diff.notes, layout));
    text
}

/// One line that says what became of the candidate.
pub(crate) fn gate_headline(answer: &Gate) -> String {
    format!(
        "gate {}: {}",
        outcome(answer.outcome).0,
        plain(&Reason::joined(&answer.reasons))
    )
}

fn groups(answer: &Gate, limit: usize, layout: Layout) -> String {
    let rows: Vec<(&GateGroup, &DiffRow)> = pairs(answer).collect();
    if rows.is_empty() {
        return "  none\n".to_owned();
    }
    let shown = limited(rows.len(), limit);
    let hidden = more(rows.len(), shown, "more group", "more groups");
    format!(
        "{}{hidden}{}{}  {}\n",
        groups_table(answer, shown).render(layout, "  "),
        legend(LEGEND, layout),
        by_differences(rows.iter().take(shown).map(|(_, row)| *row), layout),
        power(answer)
    )
}

/// The first `limit` groups, in units that fit all of them.
pub(super) fn groups_table(answer: &Gate, limit: usize) -> Table {
    let lines = &answer.lines();
    columns(answer, lines, ["A", "B"])
        .verdict("gate", |row| match lines[row] {
            GateLine::Group(group, row) => state(group.state, row.verdict),
            GateLine::WholeRun(_) | GateLine::Elapsed(..) => ("", Tone::Plain),
        })
        .spare(&["limit", "q", "share", "interval"])
        .first(limit)
}

/// Means, change, interval, q, share and limit of the groups.
fn columns<'a>(answer: &'a Gate, lines: &'a [GateLine<'a>], sides: [&str; 2]) -> Selection<'a> {
    let group = |row: usize| match lines[row] {
        GateLine::Group(group, row) => Some((group, row)),
        GateLine::WholeRun(_) | GateLine::Elapsed(..) => None,
    };
    let typical = move |row: usize| {
        let row = group(row)?.1;
        let interval =
            |[low, high]: [f64; 2]| format!("{} … {}", change(low - 1.0), change(high - 1.0));
        let ratio = [
            row.ratio.map(|ratio| change(ratio - 1.0)),
            row.ci.map(interval),
        ];
        let ratio = ratio.map(|text| text.unwrap_or_else(|| ABSENT.to_owned()));
        Some(shift(row, &answer.diff.unit).unwrap_or(ratio))
    };
    let cell = move |row, side: usize| typical(row).map_or_else(String::new, |it| it[side].clone());
    Selection::of(answer, &answer.diff.unit)
        .rows((0..lines.len()).filter(|&row| group(row).is_some()))
        .made_name("group", move |row| {
            group(row).map_or_else(String::new, |(group, _)| path(&group.path))
        })
        .columns("a")
        .headed(sides[0])
        .columns("b")
        .headed(sides[1])
        .made("change", Kind::Number, move |row, _| cell(row, 0))
        .made("interval", Kind::Number, move |row, _| cell(row, 1))
        .columns("q, share, limit")
}

/// Sentences about the whole run and its elapsed time.
pub(super) fn of_run(answer: &Gate) -> impl Iterator<Item = String> {
    [whole_run(answer), elapsed(answer)].into_iter().flatten()
}

/// `whole run failed: typical ratio of runs +54.4 % (+40.1 % … +70.2 %), p = 0.0006`, or why it is not judged.
pub(super) fn whole_run(answer: &Gate) -> Option<String> {
    let untested = answer.untested_total.as_ref();
    let untested = untested.map(|why| format!("whole run not judged: {}", plain(why.text())));
    let total = answer.total.as_ref();
    untested.or_else(|| total.map(|total| judged("whole run", total)))
}

/// `elapsed time failed: typical ratio of runs +86.9 % (+85.1 % … +88.2 %), p = 0.0006`.
pub(super) fn elapsed(answer: &Gate) -> Option<String> {
    let elapsed = answer.elapsed.as_ref();
    elapsed.map(|elapsed| judged("elapsed time", &elapsed.change))
}

fn judged(what: &str, total: &GateTotal) -> String {
    let word = match total.state {
        GateState::Failed => "failed",
        GateState::Undecided => "undecided",
        GateState::Passed | GateState::Small => "passed",
        GateState::NotAsked => "not asked",
    };
    let interval = total.ci.map_or_else(String::new, |[low, high]| {
        format!(" ({} … {})", change(low - 1.0), change(high - 1.0))
    });
    format!(
        "{what} {word}: typical ratio of runs {}{interval}, p = {}",
        change(total.ratio - 1.0),
        number(total.p)
    )
}

/// Groups with their rows, in the gate's order.
pub(super) fn pairs(answer: &Gate) -> impl Iterator<Item = (&GateGroup, &DiffRow)> {
    answer.groups.iter().filter_map(|group| {
        let row = usize::try_from(group.row).ok()?;
        Some((group, answer.diff.rows.get(row)?))
    })
}

/// `fails on slower: more than 5 % worse and 1 % of the larger total, alpha 5 %`.
pub(super) fn limits(answer: &Gate) -> String {
    let limits = &answer.limits;
    let fails_on = |cause| limits.fail_on.contains(&cause);
    let own = match limits.thresholds {
        0 => String::new(),
        count => format!(", {} of their own", counted(count, "limit", "limits")),
    };
    let slower = format!(
        "slower: more than {} worse{own} and {} of the larger total, alpha {}",
        percent(limits.max_regression),
        percent(limits.min_share),
        percent(limits.alpha),
    );
    let structure = "a change of structure";
    let causes = match (fails_on(GateCause::Slower), fails_on(GateCause::Structure)) {
        (true, true) => format!("{structure}, and on {slower}"),
        (true, false) => slower,
        (false, true) => format!("{structure} alone"),
        (false, false) => "nothing".to_owned(),
    };
    let strict = if limits.is_strict { ", strict" } else { "" };
    format!("fails on {causes}{strict}")
}

/// What the numbers of runs can show.
pub(super) fn power(answer: &Gate) -> String {
    let tested = counted(answer.diff.tested, "group", "groups");
    let mut text = format!("{tested} tested");
    if let Some(p) = answer.diff.smallest_p {
        let _ = write!(text, "; these numbers of runs can reach p = {}", number(p));
    }
    if let Some(runs) = answer.runs_needed {
        let is_open = |group: &GateGroup| group.state == GateState::Undecided;
        let what = if answer.groups.iter().any(is_open) {
            "show one changed group"
        } else {
            "judge the whole run"
        };
        let _ = write!(text, "; {runs} runs per side can {what}");
    }
    text
}

const fn outcome(outcome: GateOutcome) -> (&'static str, Tone) {
    match outcome {
        GateOutcome::Passed => ("passed", Tone::Good),
        GateOutcome::Failed => ("failed", Tone::Bad),
        GateOutcome::Inconclusive => ("inconclusive", Tone::Notable),
    }
}

/// Symbol and word, so that nothing hangs on the colour.
const fn state(state: GateState, verdict: Verdict) -> (&'static str, Tone) {
    match state {
        GateState::Passed if matches!(verdict, Verdict::Appeared) => ("+ appeared", Tone::Notable),
        GateState::Passed if matches!(verdict, Verdict::Vanished) => ("− vanished", Tone::Notable),
        GateState::Passed if matches!(verdict, Verdict::Faster) => ("▼ faster", Tone::Good),
        GateState::Failed => ("▲ failed", Tone::Bad),
        GateState::Undecided => ("? undecided", Tone::Notable),
        GateState::Passed => ("= passed", Tone::Plain),
        GateState::Small => ("· small", Tone::Faint),
        GateState::NotAsked => ("· not asked", Tone::Faint),
    }
}
