//! Similarity of runs: the matrix, the clusters and what distinguishes them, parameters, notes.

use std::fmt::Write as _;

use sheaf_answers::{ClusterTrait, Measure, RunCluster, Similar, StructureForm};

use super::table::{Layout, Table, Tone};
use super::text::{counted, plain, shortened, width};
use super::{notes, or_absent, short_id, wrapped};
use sheaf_answers::text::{number, percent, quantity};

/// Columns of a cell of the matrix, with the blank before it.
const CELL: usize = 4;
/// Maximum width of run names next to a matrix.
const LONGEST_NAME: usize = 32;
/// Runs of a cluster that are named.
const NAMED: usize = 5;

/// The whole comparison; runs one by one where at most `limit` of them fit, 0 for all.
pub(crate) fn similar(answer: &Similar, limit: usize, layout: Layout) -> String {
    let mut text = head(answer);
    // Writing to a string does not fail.
    let _ = write!(text, "\nSimilarity, %\n{}", matrix(answer, limit, layout));
    let _ = write!(text, "\nClusters\n{}", clusters(answer, layout));
    if !answer.parameters.is_empty() {
        let _ = write!(text, "\nParameters\n{}", parameters(answer, layout));
    }
    text.push_str(&notes(&answer.notes, layout));
    text
}

fn head(answer: &Similar) -> String {
    let measure = measure(answer.measure);
    let runs = counted(answer.runs.len() as u64, "run", "runs");
    let structures = counted(answer.structures, "structure", "different structures");
    let tree = match answer.basis.as_str() {
        "aggregation_tree" => "grains",
        "grain_tree" => "tasks",
        _ => "contexts",
    };
    let form = match answer.form {
        StructureForm::Counted => "",
        StructureForm::Shape => ", repetition aside",
    };
    format!("{runs} by {measure}; {structures} of {tree}{form}\n")
}

pub(super) const fn measure(measure: Measure) -> &'static str {
    match measure {
        Measure::Structure => "structure: sub-trees in common",
        Measure::Wl => "wl: labels of all rounds in common",
        Measure::Work => "work: share of the work in common",
        Measure::Metrics => "metrics: 1 / (1 + distance in standard deviations)",
    }
}

/// Per cent, rounded down, so that 100 is nothing less.
#[expect(clippy::cast_possible_truncation, reason = "0 to 100")]
fn cell(value: Option<f64>) -> String {
    or_absent(value, |value| ((value * 100.0).floor() as i64).to_string())
}

/// The matrix of runs if it fits, else of clusters.
fn matrix(answer: &Similar, limit: usize, layout: Layout) -> String {
    let runs = &answer.runs;
    let names: Vec<String> = runs.iter().map(|run| plain(&run.name)).collect();
    let room = names
        .iter()
        .map(|name| width(name))
        .max()
        .unwrap_or(0)
        .min(LONGEST_NAME);
    let blocks = answer.clusters.len().saturating_sub(1) * 2;
    let needed = 2 + 4 + room + 2 + CELL * runs.len() + blocks;
    let is_wide = layout.width.is_some_and(|width| needed > width);
    if (limit > 0 && runs.len() > limit) || (is_wide && answer.clusters.len() > 1) {
        return between_clusters(answer, layout);
    }
    let mut text = String::new();
    let line = |text: &mut String, head: String, cells: &mut dyn FnMut(usize) -> (String, Tone)| {
        let mut line = head;
        for (at, run) in runs.iter().enumerate() {
            if at > 0 && runs[at - 1].cluster != run.cluster {
                line.push_str(" │");
            }
            let (cell, tone) = cells(at);
            let padding = " ".repeat(CELL.saturating_sub(width(&cell)));
            line.push_str(&padding);
            line.push_str(&tone.paint(&cell, layout.has_colour));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    };
    let head = |number: &str, name: &str| {
        let name = shortened(name, room);
        let padding = " ".repeat(room.saturating_sub(width(&name)));
        format!("  {number:>3}  {name}{padding} ")
    };
    line(&mut text, head("", ""), &mut |at| {
        ((at + 1).to_string(), Tone::Faint)
    });
    for (at, row) in answer.matrix.iter().enumerate() {
        if at > 0 && runs[at - 1].cluster != runs[at].cluster {
            text.push('\n');
        }
        let own = runs[at].cluster;
        let mark = if runs[at].differs == Some(true) {
            "*"
        } else {
            " "
        };
        let head = head(&format!("{}{mark}", at + 1), &names[at]);
        line(&mut text, head, &mut |other| {
            let tone = if runs[other].cluster == own {
                Tone::Plain
            } else {
                Tone::Faint
            };
            (cell(row[other]), tone)
        });
    }
    if runs.iter().any(|run| run.differs == Some(true)) {
        text.push_str("  * another structure than most, see the notes\n");
    }
    text
}

/// Mean similarity of the runs of each two clusters.
fn between_clusters(answer: &Similar, layout: Layout) -> String {
    let mut table = Table::default().name("cluster").number("runs");
    for at in 0..answer.clusters.len() {
        table = table.number((at + 1).to_string());
    }
    for (at, one) in answer.clusters.iter().enumerate() {
        let mut row = vec![(at + 1).to_string(), one.runs.len().to_string()];
        row.extend((0..answer.clusters.len()).map(|other| mean(answer, at as u64, other as u64)));
        table.row(row);
    }
    let hint = "  means over the runs of clusters; `--limit 0` shows every run where the terminal has room\n";
    table.render(layout, "  ") + hint
}

fn mean(answer: &Similar, a: u64, b: u64) -> String {
    let is_in = |at: usize, cluster| answer.runs[at].cluster == cluster;
    let pairs = answer.matrix.iter().enumerate().flat_map(|(i, row)| {
        row.iter()
            .enumerate()
            .filter(move |(j, _)| i != *j && is_in(i, a) && is_in(*j, b))
    });
    let values: Vec<f64> = pairs.filter_map(|(_, value)| *value).collect();
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    cell((!values.is_empty()).then_some(mean))
}

fn clusters(answer: &Similar, layout: Layout) -> String {
    let mut text = String::new();
    if let Some(silhouette) = answer.silhouette {
        let threshold = answer.threshold.map_or_else(String::new, |threshold| {
            format!(", put together from {} on", percent(threshold))
        });
        let _ = writeln!(text, "  silhouette {}{threshold}", number(silhouette));
    }
    for (at, cluster) in answer.clusters.iter().enumerate() {
        let about = format!("{}  {}", at + 1, about(answer, cluster));
        text.push_str(&wrapped(&about, ["  ", "     "], layout.width));
        let members = members(answer, cluster);
        text.push_str(&wrapped(&members, ["     ", "       "], layout.width));
        if at == 1 && is_reverse(&answer.clusters) {
            text.push_str("     what distinguishes it: the reverse of cluster 1\n");
        } else {
            text.push_str(&traits(&cluster.traits, layout));
        }
    }
    text
}

/// Whether there are two clusters, each of which differs from the other in the same things.
fn is_reverse(clusters: &[RunCluster]) -> bool {
    let [first, second] = clusters else {
        return false;
    };
    let what = |cluster: &RunCluster| -> Vec<(String, Option<String>)> {
        let traits = cluster.traits.iter();
        let mut what: Vec<_> = traits
            .map(|one| (one.name.clone(), one.metric.clone()))
            .collect();
        what.sort_unstable();
        what
    };
    !first.traits.is_empty() && what(first) == what(second)
}

fn about(answer: &Similar, cluster: &RunCluster) -> String {
    let mut parts = vec![counted(cluster.runs.len() as u64, "run", "runs")];
    if let (Some(mean), Some(least)) = (cluster.mean, cluster.least) {
        parts.push(if least >= 1.0 {
            "all the same".to_owned()
        } else {
            format!(
                "{} alike on average, {} at least",
                percent(mean),
                percent(least)
            )
        });
    }
    if answer.measure == Measure::Structure || cluster.structures > 1 {
        parts.push(counted(cluster.structures, "structure", "structures"));
    }
    if let (Some(nearest), Some(similarity)) = (cluster.nearest, cluster.nearest_similarity) {
        parts.push(format!(
            "{} to cluster {}",
            percent(similarity),
            nearest + 1
        ));
    }
    parts.join("; ")
}

fn members(answer: &Similar, cluster: &RunCluster) -> String {
    let name = |id: &String| {
        let run = answer.runs.iter().find(|run| run.run == *id);
        run.map_or_else(|| short_id(id), |run| plain(&run.name))
    };
    let shown: Vec<String> = cluster.runs.iter().take(NAMED).map(name).collect();
    let hidden = cluster.runs.len() - shown.len();
    let rest = if hidden > 0 {
        format!(" and {hidden} more")
    } else {
        String::new()
    };
    let medoid = if cluster.runs.len() > 2 {
        format!("; in the middle {}", name(&cluster.medoid))
    } else {
        String::new()
    };
    format!("{}{rest}{medoid}", shown.join(", "))
}

fn traits(all: &[ClusterTrait], layout: Layout) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut table = Table::default()
        .name("what distinguishes it")
        .number("here")
        .number("elsewhere")
        .number("difference");
    for one in all {
        let (inside, outside) = match (one.kind.as_str(), one.unit.as_str()) {
            ("metric", unit) => (quantity(unit, one.inside), quantity(unit, one.outside)),
            (_, "ratio") => (percent(one.inside), percent(one.outside)),
            _ => (number(one.inside), number(one.outside)),
        };
        let sign = if one.difference > 0.0 { "+" } else { "−" };
        let difference = format!("{sign}{} sd", number(one.difference.abs()));
        table.row([what(one), inside, outside, difference]);
    }
    table.render(layout, "     ")
}

fn what(one: &ClusterTrait) -> String {
    match (&one.metric, &one.value, one.kind.as_str()) {
        (Some(metric), _, _) => format!("{metric} of {}", one.name),
        (None, Some(value), _) => format!("runs with {} = {value}", one.name),
        (None, None, "group") => format!("runs with {}", one.name),
        (None, None, _) => one.name.clone(),
    }
}

fn parameters(answer: &Similar, layout: Layout) -> String {
    let mut table = Table::default()
        .name("parameter")
        .number("values")
        .number("explains")
        .number("adjusted")
        .number("p")
        .name("same as");
    for one in &answer.parameters {
        table.row([
            one.parameter.clone(),
            one.values.to_string(),
            percent(one.r_squared),
            or_absent(one.adjusted, percent),
            or_absent(one.p, number),
            one.same.join(", "),
        ]);
    }
    let legend = format!(
        "  shares of the squared distances (PERMANOVA); p of {} permutations, seed {}\n",
        answer.permutations, answer.seed
    );
    table.render(layout, "  ") + &legend
}
