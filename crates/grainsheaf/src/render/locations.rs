//! Values of groups by rank or worker: a line per group and run, the most imbalanced first.

use sheaf_answers::text::{Scale, count, percent};
use sheaf_answers::{LocatedValues, LocationKind, Locations};

use super::stats::labelled;
use super::table::{Layout, Table};
use super::text::plain;
use super::{legend, more, notes, or_absent, path};

/// One table for all groups of the answer, of which the first `offset` were skipped.
pub(crate) fn locations(answer: &Locations, offset: usize, layout: Layout) -> String {
    let lines: Vec<_> = answer
        .groups
        .iter()
        .flat_map(|group| group.runs.iter().map(move |values| (group, values)))
        .collect();
    if lines.is_empty() {
        return format!(
            "no group has values by {}\n{}",
            answer.by,
            notes(&answer.notes, layout)
        );
    }
    let largest = lines.iter().filter_map(|(_, values)| values.spread.max);
    let scale = Scale::of(&answer.unit, largest);
    let has_runs = answer.runs.len() > 1;
    let has_absent = lines.iter().any(|(_, values)| values.absent > 0);
    let mut table = Table::default().name("group");
    if has_runs {
        table = table.name("run");
    }
    table = table.number(answer.by.as_str());
    if has_absent {
        table = table.number("absent");
    }
    for name in ["mean", "min"] {
        table = table.number(scale.header(name));
    }
    table = table.number("at").number(scale.header("max")).number("at");
    table = table.number(scale.header("max - mean")).number("imbalance");
    let spare = [scale.header("min"), "absent".to_owned()];
    let mut table = table.spare(spare);
    for (group, values) in &lines {
        let mut cells = vec![path(&group.path.names())];
        cells.extend(has_runs.then(|| run_name(answer, values)));
        cells.push(count(locations_of(answer, values)));
        cells.extend(has_absent.then(|| count(values.absent)));
        cells.extend([
            scale.show_option(values.spread.mean),
            scale.show_option(values.spread.min),
            values.min_at.text(),
            scale.show_option(values.spread.max),
            values.max_at.text(),
            scale.show_option(Some(values.excess)),
            or_absent(values.imbalance, percent),
        ]);
        table.row(cells);
    }
    let metric = labelled(answer.label.as_deref(), &answer.metric);
    let title = plain(&format!("{metric}, {}, by {}", answer.scope, answer.by));
    let total = usize::try_from(answer.num_groups).unwrap_or(usize::MAX);
    let left = total.saturating_sub(offset);
    format!(
        "{title}\n{}{}{}{}",
        table.render(layout, "  "),
        more(left, answer.groups.len(), "more group", "more groups"),
        legend(explanation(answer.by), layout),
        notes(&answer.notes, layout)
    )
}

const fn explanation(by: LocationKind) -> &'static str {
    match by {
        LocationKind::Ranks => {
            "imbalance: (max - mean) / max over the ranks of a run; at: the rank; absent: ranks without the group, \
             which count as 0"
        }
        LocationKind::Workers => {
            "imbalance: (max - mean) / max over the workers of a run; at: rank.thread; absent: workers without the \
             group, which count as 0"
        }
    }
}

fn run_of<'a>(
    answer: &'a Locations,
    values: &LocatedValues,
) -> Option<&'a sheaf_answers::LocatedRun> {
    answer.runs.get(usize::try_from(values.run).ok()?)
}

fn run_name(answer: &Locations, values: &LocatedValues) -> String {
    run_of(answer, values).map_or_else(String::new, |run| run.name.clone())
}

fn locations_of(answer: &Locations, values: &LocatedValues) -> u64 {
    run_of(answer, values).map_or(0, |run| run.locations)
}
