//! Tables about many runs.

use std::borrow::Cow;

use super::{
    Column, NANOSECONDS, NONE, OF_METRIC, RATIO, SHARE, Table, Tabular, Text, Values, count, high,
    integer, joined, low, names, number, option, some, text, truth, word,
};
use crate::{
    Diff, DiffRow, ProjectedRun, Projection, Run, Runs, Similar, SimilarRun, Stats, StatsRow,
};

pub(super) const RUNS: &[Column<Run>] = &[
    text("run", "Run id", |row| some(&row.run)),
    text("name", "Short name", |row| some(&row.name)),
    text("program", "Program that ran", |row| some(&row.program)),
    text("format", "Format it was read from", |row| some(&row.format)),
    integer("ranks", NONE, "Processes", |row| Some(row.ranks)),
    integer(
        "workers",
        NONE,
        "Threads of all ranks that took part",
        |row| row.workers,
    ),
    integer("grains", NONE, "Tasks and chunks", |row| {
        row.grains.map(u64::cast_signed)
    }),
    count("contexts", "Contexts of the run", |row| Some(row.contexts)),
    integer("elapsed_ns", NANOSECONDS, "Elapsed time", |row| {
        row.elapsed_ns
    }),
    integer(
        "reference_elapsed_ns",
        NANOSECONDS,
        "Elapsed time of the same run without the recorder",
        |row| row.reference_elapsed_ns,
    ),
    truth(
        "is_complete",
        "Whether the program ended by itself",
        |row| Some(row.is_complete),
    ),
    number("total", OF_METRIC, "Total of the lens's metric", |row| {
        row.total
    }),
];

impl Tabular for Runs {
    fn table(&self) -> Table {
        let parameters: Vec<&str> = self.parameters.iter().map(|it| it.name.as_str()).collect();
        let mut table = Table::new(&self.runs, RUNS);
        table.add_parameters(&self.runs, "params", &parameters, |run| &run.params);
        table
    }
}

pub(super) const STATS_GROUP: &[Column<StatsRow>] = &[
    text(
        "path",
        "Names from the outermost group, joined by ` / `",
        |row| joined(&row.path),
    ),
    text("group", "Group id", |row| some(&row.group)),
];

pub(super) const STATS: &[Column<StatsRow>] = &[
    text("metric", "Metric", |row| some(&row.metric)),
    text(
        "source_metric",
        "Name that the source used, if it is another",
        |row| option(row.source_metric.as_deref()),
    ),
    text("scope", "`exclusive` or `inclusive`", |row| {
        some(&row.scope)
    }),
    text("unit", "Unit of the values", |row| some(&row.unit)),
    count("runs", "Runs in which the group has a value", |row| {
        Some(row.runs)
    }),
    count("absent", "Runs in which the group does not occur", |row| {
        Some(row.absent)
    }),
    count(
        "not_measured",
        "Runs in which the group occurs without a value",
        |row| Some(row.not_measured),
    ),
    integer(
        "count",
        NONE,
        "Observations behind the values, over all runs",
        |row| Some(row.count.cast_signed()),
    ),
    number("mean", OF_METRIC, "Mean over runs", |row| row.mean),
    number("median", OF_METRIC, "Median over runs", |row| row.median),
    number("std", OF_METRIC, "Standard deviation over runs", |row| {
        row.std
    }),
    number("min", OF_METRIC, "Minimum over runs", |row| row.min),
    number("max", OF_METRIC, "Maximum over runs", |row| row.max),
    number("q1", OF_METRIC, "First quartile, type 7", |row| row.q1),
    number("q3", OF_METRIC, "Third quartile, type 7", |row| row.q3),
    number("p05", OF_METRIC, "Quantile at 5 %, type 7", |row| row.p05),
    number("p95", OF_METRIC, "Quantile at 95 %, type 7", |row| row.p95),
    number(
        "mad",
        OF_METRIC,
        "Median absolute deviation from the median",
        |row| row.mad,
    ),
    number(
        "median_ci_low",
        OF_METRIC,
        "Lower end of the interval of the median",
        |row| low(row.median_ci),
    ),
    number(
        "median_ci_high",
        OF_METRIC,
        "Upper end of the interval of the median",
        |row| high(row.median_ci),
    ),
    count(
        "outliers",
        "Runs beyond the fences of the box plot",
        |row| Some(row.box_plot.as_ref()?.outlier_count),
    ),
    number(
        "low_mode",
        OF_METRIC,
        "Median of the lower of two clusters of runs",
        |row| Some(row.modes.as_ref()?.low.median),
    ),
    number(
        "high_mode",
        OF_METRIC,
        "Median of the upper of two clusters of runs",
        |row| Some(row.modes.as_ref()?.high.median),
    ),
    number(
        "load_balance",
        RATIO,
        "Mean worker divided by the largest, mean over runs",
        |row| row.load_balance,
    ),
    number(
        "share",
        SHARE,
        "Mean share of the values inside of regions",
        |row| row.share,
    ),
];

impl Stats {
    /// The table with a column for each of the given parameters of cohorts, so that parts of an answer have the
    /// columns of the whole.
    pub fn table_of_cohorts(&self, cohort: &[&str]) -> Table {
        let mut table = Table::new(&self.rows, STATS_GROUP);
        table.add_parameters(&self.rows, "cohort", cohort, |row| &row.cohort);
        table.add(&self.rows, STATS);
        table
    }
}

impl Tabular for Stats {
    fn table(&self) -> Table {
        self.table_of_cohorts(&names(self.rows.iter().map(|row| &row.cohort)))
    }
}

pub(super) const DIFF: &[Column<DiffRow>] = &[
    text(
        "path",
        "Names from the outermost group, joined by ` / `",
        |row| joined(&row.path),
    ),
    text("group", "Group id", |row| some(&row.group)),
    text("metric", "Metric", |row| some(&row.metric)),
    number("a", OF_METRIC, "Mean over the baseline's runs", |row| row.a),
    number("b", OF_METRIC, "Mean over the candidate's runs", |row| {
        row.b
    }),
    number(
        "delta",
        OF_METRIC,
        "b − a; absent if a side on which the group occurs was not measured",
        |row| row.delta,
    ),
    number(
        "impact",
        SHARE,
        "delta as a share of the baseline's total",
        |row| row.impact,
    ),
    number(
        "ratio",
        RATIO,
        "Typical ratio b / a (Hodges-Lehmann on logarithms)",
        |row| row.ratio,
    ),
    number(
        "ci_low",
        RATIO,
        "Lower end of the interval of the ratio",
        |row| low(row.ci),
    ),
    number(
        "ci_high",
        RATIO,
        "Upper end of the interval of the ratio",
        |row| high(row.ci),
    ),
    number(
        "shift",
        OF_METRIC,
        "Typical difference b − a (Hodges-Lehmann)",
        |row| row.shift,
    ),
    number(
        "shift_ci_low",
        OF_METRIC,
        "Lower end of the interval of the difference",
        |row| low(row.shift_ci),
    ),
    number(
        "shift_ci_high",
        OF_METRIC,
        "Upper end of the interval of the difference",
        |row| high(row.shift_ci),
    ),
    number("p", NONE, "Two-sided p of the exact rank-sum test", |row| {
        row.p
    }),
    number(
        "q",
        NONE,
        "Benjamini-Hochberg q over the tested groups",
        |row| row.q,
    ),
    number("cliffs_delta", NONE, "Cliff's delta, −1 to 1", |row| {
        row.cliffs_delta
    }),
    text(
        "compared_by",
        "`ratio`, or `difference` if not all values are positive",
        |row| option(compared_by(row)),
    ),
    text(
        "verdict",
        "Verdict, such as `slower` or `inconclusive`",
        |row| word(row.verdict),
    ),
    text(
        "matched_by",
        "How the group was matched; absent if it is on one side only",
        |row| option(row.matched_by.as_deref()),
    ),
    count(
        "runs_a",
        "Runs of the baseline in which the group occurs",
        |row| Some(row.runs_a),
    ),
    count(
        "runs_b",
        "Runs of the candidate in which the group occurs",
        |row| Some(row.runs_b),
    ),
    count("n_a", "Values of the baseline that were compared", |row| {
        Some(row.n_a)
    }),
    count("n_b", "Values of the candidate that were compared", |row| {
        Some(row.n_b)
    }),
    text("path_a", "Path in the baseline, if it is another", |row| {
        joined(row.path_a.as_deref().unwrap_or_default())
    }),
    text("path_b", "Path in the candidate, if it is another", |row| {
        joined(row.path_b.as_deref().unwrap_or_default())
    }),
    integer(
        "line_a",
        NONE,
        "Line of the definition in the baseline",
        |row| row.line_a.map(i64::from),
    ),
    integer(
        "line_b",
        NONE,
        "Line of the definition in the candidate",
        |row| row.line_b.map(i64::from),
    ),
    text("structure", "Changes of structure, joined by `+`", |row| {
        kinds(&row.structure)
    }),
];

impl Tabular for Diff {
    fn table(&self) -> Table {
        Table::new(&self.rows, DIFF)
    }
}

/// The quantity that was tested: ratios, or differences if not all values are positive; absent if nothing was.
fn compared_by(row: &DiffRow) -> Option<&'static str> {
    row.p?;
    match (row.ratio, row.shift) {
        (Some(_), _) => Some("ratio"),
        (None, Some(_)) => Some("difference"),
        (None, None) => None,
    }
}

fn kinds(kinds: &[crate::ChangeKind]) -> Text<'_> {
    let words: Vec<Cow<'_, str>> = kinds.iter().filter_map(word).collect();
    (!words.is_empty()).then(|| Cow::Owned(words.join("+")))
}

pub(super) const SIMILAR: &[Column<SimilarRun>] = &[
    text("run", "Run id", |row| some(&row.run)),
    text("name", "Short name", |row| some(&row.name)),
    count("cluster", "Cluster, from 0", |row| Some(row.cluster)),
    text("structure", "Id of the structure", |row| {
        some(&row.structure)
    }),
    count("nodes", "Nodes of the structure", |row| Some(row.nodes)),
    truth(
        "differs",
        "Whether the structure differs from the others of its cohort",
        |row| row.differs,
    ),
];

/// The matrix: a row and a column for each run, columns under run ids.
impl Tabular for Similar {
    fn table(&self) -> Table {
        let mut table = Table::new(&self.runs, SIMILAR);
        // The matrix is symmetric.
        for (run, values) in self.runs.iter().zip(&self.matrix) {
            table.add_values(run.run.clone(), Values::Number(values.clone()));
        }
        table
    }
}

pub(super) const PROJECTION: &[Column<ProjectedRun>] = &[
    text("run", "Run id", |row| some(&row.run)),
    text("name", "Short name", |row| some(&row.name)),
    number("x", NONE, "Place by behaviour", |row| Some(row.behaviour.x)),
    number("y", NONE, "Place by behaviour", |row| Some(row.behaviour.y)),
    count("cluster", "Cluster by behaviour, from 0", |row| {
        Some(row.behaviour.cluster)
    }),
    number("parameters_x", NONE, "Place by parameters", |row| {
        Some(row.parameters.x)
    }),
    number("parameters_y", NONE, "Place by parameters", |row| {
        Some(row.parameters.y)
    }),
    count(
        "parameters_cluster",
        "Cluster by parameters, from 0",
        |row| Some(row.parameters.cluster),
    ),
];

impl Tabular for Projection {
    fn table(&self) -> Table {
        let mut table = Table::new(&self.runs, PROJECTION);
        let parameters = names(self.runs.iter().map(|run| &run.params));
        table.add_parameters(&self.runs, "params", &parameters, |run| &run.params);
        table
    }
}
