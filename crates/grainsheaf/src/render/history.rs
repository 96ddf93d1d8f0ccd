//! A history: per series its changes, events, newest version and groups; then what changed where.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use sheaf_answers::{
    ChangeKind, History, HistoryDiff, HistoryEvent, HistoryGroup, HistoryLink, HistorySeries,
    Verdict,
};

use super::diff::{how, kind_words, names, verdict};
use super::selection::Selection;
use super::table::{Kind, Layout, Table, Tone};
use super::text::{counted, plain};
use super::{legend, limited, more, notes, or_absent, path, value, wrapped};
use sheaf_answers::text::{Scale, change, number, percent};

/// Versions that a line of bars shows.
const BARS: usize = 40;
/// Maximum number of events in the line of a version.
const MAX_EVENTS: usize = 6;

/// The whole answer; at most `limit` groups per series, 0 for all.
pub(crate) fn history(answer: &History, store: &Path, limit: usize, layout: Layout) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let versions = counted(answer.versions.len() as u64, "version", "versions");
    let span = match answer.versions.as_slice() {
        [] => String::new(),
        [only] => format!(" ({})", value(only)),
        [first, .., last] => format!(" ({} … {})", value(first), value(last)),
    };
    let mut metrics: Vec<&str> = Vec::new();
    for series in &answer.series {
        if !metrics.contains(&series.metric.as_str()) {
            metrics.push(&series.metric);
        }
    }
    let metric = match metrics.as_slice() {
        [] | [_] => format!("{}, exclusive", answer.metric),
        several => format!("{} metrics, exclusive", several.len()),
    };
    let _ = writeln!(
        text,
        "{}",
        plain(&format!("{versions} by {}{span}; {metric}", answer.by))
    );
    for (number, series) in answer.series.iter().enumerate() {
        let runs: usize = series.points.iter().map(|point| point.runs.len()).sum();
        let points = counted(series.points.len() as u64, "version", "versions");
        let runs = counted(runs as u64, "run", "runs");
        let metric = if metrics.len() > 1 {
            format!("{}, ", series.metric)
        } else {
            String::new()
        };
        let name = plain(&format!("{metric}{}", series.name));
        let _ = writeln!(text, "\n{name}: {points}, {runs}");
        text.push_str(&changes(series, layout));
        text.push_str(&untested(series, layout));
        text.push_str(&events(series, layout));
        text.push_str(&newest(series, layout));
        text.push_str(&groups(series, limit, layout));
        let of_series = |diff: &&HistoryDiff| diff.series == number as u64;
        let listed: Vec<&HistoryDiff> = answer.diffs.iter().filter(of_series).collect();
        for diff in &listed {
            text.push_str(&changed(series, diff, store, layout));
        }
        text.push_str(&commands(series, &listed, store));
    }
    let tested = counted(answer.tested, "group", "groups");
    let limit = match answer.tested {
        0 => String::new(),
        _ => format!(", q over all of them at most {}", number(answer.alpha)),
    };
    let _ = writeln!(text, "\n{tested} tested for changes{limit}");
    text.push_str(&legends(answer, layout));
    text.push_str(&notes(&answer.notes, layout));
    text
}

fn changes(series: &HistorySeries, layout: Layout) -> String {
    let changed = || {
        let groups = series.groups.iter();
        groups.flat_map(|group| group.changes.iter().map(move |change| (group, change)))
    };
    let is_tested = series.groups.iter().any(|group| group.p.is_some());
    if changed().next().is_none() && !is_tested && series.points.len() > 1 {
        return "  no group is tested for changes\n".to_owned();
    }
    if changed().next().is_none() {
        let p = number(series.smallest_p);
        return format!("  no group changed for good; these versions can reach p = {p}\n");
    }
    let scale = Scale::of(
        &series.unit,
        changed().flat_map(|(_, one)| [one.before, one.after]),
    );
    let mut table = Table::default()
        .name("changed")
        .word("at")
        .number(scale.header("before"))
        .number(scale.header("after"))
        .number("change")
        .number("q")
        .word("verdict");
    let has_reason = changed().any(|(_, change)| change.reason.is_some());
    if has_reason {
        table = table.word("because");
    }
    for (group, change) in changed() {
        let (word, tone) = verdict(change.verdict);
        let relative = (change.before != 0.0).then(|| change.after / change.before - 1.0);
        let cells = [
            path(&group.path),
            value(&change.version),
            scale.show(change.before),
            scale.show(change.after),
            or_absent(relative, sheaf_answers::text::change),
            // The q of a group is that of its first change; a later one is no surer than its own p.
            or_absent(group.q.map(|q| q.max(change.p)), number),
        ];
        let mut row: Vec<_> = cells.into_iter().map(|cell| (cell, Tone::Plain)).collect();
        row.push((word.to_owned(), tone));
        if has_reason {
            let reason = change.reason.as_ref();
            let text = reason.map_or_else(String::new, |reason| reason.text().to_owned());
            row.push((text, Tone::Faint));
        }
        table.toned_row(row);
    }
    table.render(layout, "  ")
}

/// The versions that are not tested against those before them, and why.
fn untested(series: &HistorySeries, layout: Layout) -> String {
    let refused = || {
        let points = series.points.iter();
        points.filter_map(|point| Some((value(&point.version), point.untested.as_ref()?.text())))
    };
    let versions: Vec<String> = refused().map(|(version, _)| version).collect();
    let Some((_, reason)) = refused().next() else {
        return String::new();
    };
    // The numbers that differ are those of one version alone.
    let reason = match reason.split_once(" (") {
        Some((reason, _)) if versions.len() > 1 => reason,
        _ => reason,
    };
    let text = format!("at {}: {reason}", versions.join(", "));
    wrapped(&text, ["  ", "    "], layout.width)
}

/// What happened, a line per version.
fn events(series: &HistorySeries, layout: Layout) -> String {
    let mut text = String::new();
    for at in series.events.chunk_by(|x, y| x.point == y.point) {
        let Some(first) = at.first() else { continue };
        let mut named = at
            .iter()
            .take(MAX_EVENTS)
            .map(event)
            .collect::<Vec<_>>()
            .join(", ");
        if at.len() > MAX_EVENTS {
            let _ = write!(named, ", … ({} in all)", at.len());
        }
        let line = format!("at {}: {named}", value(&first.version));
        text.push_str(&wrapped(&line, ["  ", "    "], layout.width));
    }
    text
}

fn event(event: &HistoryEvent) -> String {
    match (&event.change, event.kind) {
        (Some(change), kind) => {
            let how = match how(change) {
                how if how.is_empty() => how,
                how => format!(" ({how})"),
            };
            format!("{} {}{how}", kind_words(kind), names(change))
        }
        (None, ChangeKind::Appeared) => format!("+ {}", path(&event.path)),
        (None, _) => format!("− {}", path(&event.path)),
    }
}

/// The commands that show the changes at versions without a diff of their own here.
fn commands(series: &HistorySeries, listed: &[&HistoryDiff], store: &Path) -> String {
    let changes = series.groups.iter().flat_map(|group| &group.changes);
    let mut points: BTreeSet<u64> = changes.map(|change| change.point).collect();
    points.extend(series.events.iter().map(|event| event.point));
    let mut text = String::new();
    for point in points {
        if listed.iter().any(|diff| diff.point == point) {
            continue;
        }
        let at = usize::try_from(point).unwrap_or(usize::MAX);
        let point = series.points.get(at);
        if let Some((point, diff)) = point.and_then(|point| Some((point, point.diff.as_ref()?))) {
            let version = plain(&value(&point.version));
            let _ = writeln!(
                text,
                "  what changed at {version}: {}",
                plain(&command(diff, store))
            );
        }
    }
    text
}

/// Groups that the newest version made faster or slower.
fn newest(series: &HistorySeries, layout: Layout) -> String {
    let Some(last) = series.points.last() else {
        return String::new();
    };
    let judged = |group: &&HistoryGroup| {
        let verdict = group.last.as_ref().map(|last| last.verdict);
        matches!(verdict, Some(Verdict::Slower | Verdict::Faster))
    };
    let listed: Vec<&HistoryGroup> = series.groups.iter().filter(judged).collect();
    if listed.is_empty() {
        let line = format!(
            "newest, {}: {}",
            value(&last.version),
            nothing_newest(series)
        );
        return wrapped(&line, ["  ", "    "], layout.width);
    }
    let mut table = Table::default()
        .name(format!("newest, {}", value(&last.version)))
        .word("against")
        .number("runs")
        .number("change")
        .number("interval")
        .number("q")
        .word("verdict");
    for group in listed {
        let Some(last) = &group.last else { continue };
        let since = usize::try_from(last.since)
            .ok()
            .and_then(|place| series.points.get(place));
        let (word, tone) = verdict(last.verdict);
        let cells = [
            path(&group.path),
            or_absent(since, |point| format!("{} on", value(&point.version))),
            format!("{} : {}", last.runs_before, last.runs),
            or_absent(last.ratio, |ratio| change(ratio - 1.0)),
            or_absent(last.ci, |[low, high]| {
                format!("{} … {}", change(low - 1.0), change(high - 1.0))
            }),
            or_absent(last.q, number),
        ];
        let mut row: Vec<_> = cells.into_iter().map(|cell| (cell, Tone::Plain)).collect();
        row.push((word.to_owned(), tone));
        table.toned_row(row);
    }
    table.render(layout, "  ")
}

/// Why the newest version is not judged.
fn nothing_newest(series: &HistorySeries) -> &str {
    let all = || series.groups.iter().filter_map(|group| group.last.as_ref());
    if series.points.len() < 2 {
        "no earlier version to compare it with"
    } else if all().any(|last| last.verdict != Verdict::Untestable) {
        "no group is surely slower or faster"
    } else {
        let refused = all().find_map(|last| last.reason.as_ref());
        refused.map_or("too few runs to say anything", |reason| reason.text())
    }
}

fn groups(series: &HistorySeries, limit: usize, layout: Layout) -> String {
    let last = |group: &HistoryGroup| group.values.last().cloned().flatten();
    let medians = series
        .groups
        .iter()
        .filter_map(|group| Some(last(group)?.median));
    let scale = Scale::of(&series.unit, medians);
    let mut table = Table::default()
        .name("group")
        .number("share")
        .number(scale.header("newest"))
        .word("medians");
    let shown = limited(series.groups.len(), limit);
    for group in series.groups.iter().take(shown) {
        table.row([
            path(&group.path),
            or_absent(group.share, percent),
            scale.show_option(last(group).map(|value| value.median)),
            bars(group),
        ]);
    }
    let hidden = more(series.groups.len(), shown, "more group", "more groups");
    format!("{}{hidden}", table.render(layout, "  "))
}

/// A bar per version from zero up, the newest at the right; a point where the group does not occur, a mark
/// before each change.
fn bars(group: &HistoryGroup) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let medians = || group.values.iter().flatten().map(|value| value.median);
    let greatest = medians().fold(0.0, f64::max);
    let mut text = String::new();
    for (place, value) in group
        .values
        .iter()
        .enumerate()
        .skip(group.values.len().saturating_sub(BARS))
    {
        if group
            .changes
            .iter()
            .any(|change| change.point == place as u64)
        {
            text.push('|');
        }
        let step = value.as_ref().map(|value| {
            let share = if greatest > 0.0 {
                value.median / greatest
            } else {
                0.0
            };
            // The last step whose height is reached.
            STEPS
                .iter()
                .enumerate()
                .rev()
                .find(|(step, _)| share * 8.0 > *step as f64 + 0.5)
        });
        text.push(match step {
            None => '·',
            Some(None) => STEPS[0],
            Some(Some((_, bar))) => *bar,
        });
    }
    text
}

/// The command that answers a question of a store, quoted for a shell.
fn command(link: &HistoryLink, store: &Path) -> String {
    let quoted = |text: &str| text.replace('\'', "'\\''");
    let store = if store == Path::new(".grainsheaf") {
        String::new()
    } else {
        format!(" --store '{}'", quoted(&store.display().to_string()))
    };
    format!("grainsheaf{store} diff --lens '{}'", quoted(&link.lens))
}

/// What changed at a version: the command that shows it all, and its first rows.
fn changed(series: &HistorySeries, diff: &HistoryDiff, store: &Path, layout: Layout) -> String {
    let mut text = String::new();
    let versions = format!("{} against {}", value(&diff.version), value(&diff.before));
    let _ = writeln!(text, "\n  {}: {}", plain(&versions), plain(&diff.structure));
    let _ = writeln!(text, "    {}", plain(&command(&diff.link, store)));
    let rows = &diff.rows;
    let table = Selection::of(rows, &series.unit)
        .made_name("group", |row| path(&rows[row].path))
        .columns("a as before, b as now")
        .made("change", Kind::Number, |row, _| {
            let ratio = rows[row].ratio;
            or_absent(ratio, |ratio| change(ratio - 1.0))
        })
        .columns("q")
        .verdict("verdict", |row| verdict(rows[row].verdict))
        .first(0);
    text.push_str(&table.render(layout, "    "));
    text
}

/// What the columns of the tables are that this answer has.
fn legends(answer: &History, layout: Layout) -> String {
    let groups = || answer.series.iter().flat_map(|series| &series.groups);
    let is_listed = |group: &HistoryGroup| {
        let last = group.last.as_ref();
        last.is_some_and(|last| last.verdict == Verdict::Slower || last.verdict == Verdict::Faster)
    };
    let parts = [
        (
            groups().any(|group| !group.changes.is_empty()),
            "changed: medians over the runs between neighbouring changes, and their ratio",
        ),
        (
            groups().any(is_listed),
            "newest: typical ratio of runs (Hodges-Lehmann), with its interval",
        ),
        (
            !answer.diffs.is_empty(),
            "one version against another: means over runs, and the typical ratio of runs (Hodges-Lehmann)",
        ),
        (
            groups().any(|group| group.share.is_some()),
            "share: of the whole run over all versions",
        ),
    ];
    let listed = parts.iter().filter(|(is_there, _)| *is_there);
    let listed: Vec<&str> = listed.map(|(_, text)| *text).collect();
    if listed.is_empty() {
        return String::new();
    }
    legend(&listed.join("; "), layout)
}
