//! Tables about many runs.

use std::borrow::Cow;

use super::{
    ColumnUnit, NANOSECONDS, OF_METRIC, RATIO, SHARE, Table, Tabular, Text, Values, columns, high,
    joined, low, names, option, some,
};
use crate::{
    Diff, DiffRow, MatchedBy, ProjectedRun, Projection, Run, Runs, Similar, SimilarRun, Stats,
    StatsRow,
};

columns! {
    pub(super) fn runs(row: Run) {
        Text run: "Run id" = some(&row.run);
        Text name: "Short name" = some(&row.name);
        Text program: "Program that ran" = some(&row.program);
        Text format: "Format it was read from" = some(&row.format);
        Integer ranks: "Processes" = Some(row.ranks);
        Integer workers: "Threads of all ranks that took part" = row.workers;
        Integer grains: "Tasks and chunks" = row.grains.map(u64::cast_signed);
        Count contexts: "Contexts of the run" = Some(row.contexts);
        Integer elapsed_ns [NANOSECONDS]: "Elapsed time" = row.elapsed_ns;
        Integer reference_elapsed_ns [NANOSECONDS]: "Elapsed time of the same run without the recorder"
            = row.reference_elapsed_ns;
        Truth is_complete: "Whether the program ended by itself" = Some(row.is_complete);
        Number total [OF_METRIC]: "Total of the lens's metric" = row.total;
        Text source_file: "File that the run was read from, or its folder if there are several; `recorded` after `record`"
            = some(&row.source.as_ref()?.file);
        Integer source_files: "Number of these files" = Some(row.source.as_ref()?.files.cast_signed());
        Integer source_bytes [ColumnUnit::Named("bytes")]: "Their size, compressed if they are"
            = Some(row.source.as_ref()?.bytes.cast_signed());
        Text reader: "Version of Grainsheaf that read them" = some(&row.source.as_ref()?.reader);
        Text imported: "Time of the import in RFC 3339, UTC" = option(row.source.as_ref()?.imported.as_deref());
    }
}

impl Tabular for Runs {
    fn table(&self) -> Table<'_> {
        let parameters: Vec<&str> = self.parameters.iter().map(|it| it.name.as_str()).collect();
        let mut table = Table::new(self.runs.as_slice(), runs());
        table.add_parameters(&self.runs.as_slice(), "params", &parameters, |run| {
            &run.params
        });
        table
    }
}

columns! {
    pub(super) fn stats_group(row: StatsRow) {
        Text path: "Names from the outermost group, joined by ` / `" = joined(&row.path.names());
        Text group: "Group id" = some(&row.group);
    }
}

columns! {
    pub(super) fn stats(row: StatsRow) {
        Text metric: "Metric" = some(&row.metric);
        Text source_metric: "Name that the source used, if it is another" = option(row.source_metric.as_deref());
        Text scope: "`exclusive` or `inclusive`" = some(row.scope.as_str());
        Text unit: "Unit of the values" = some(&row.unit);
        Count runs: "Runs in which the group has a value" = Some(row.runs);
        Count absent: "Runs in which the group does not occur" = Some(row.absent);
        Count not_measured: "Runs in which the group occurs without a value" = Some(row.not_measured);
        Integer count: "Observations behind the values, over all runs" = Some(row.count.cast_signed());
        Number mean [OF_METRIC]: "Mean over runs" = row.mean;
        Number median [OF_METRIC]: "Median over runs" = row.median;
        Number std [OF_METRIC]: "Standard deviation over runs" = row.std;
        Number min [OF_METRIC]: "Minimum over runs" = row.min;
        Number max [OF_METRIC]: "Maximum over runs" = row.max;
        Number q1 [OF_METRIC]: "First quartile, type 7" = row.q1;
        Number q3 [OF_METRIC]: "Third quartile, type 7" = row.q3;
        Number p05 [OF_METRIC]: "Quantile at 5 %, type 7" = row.p05;
        Number p95 [OF_METRIC]: "Quantile at 95 %, type 7" = row.p95;
        Number mad [OF_METRIC]: "Median absolute deviation from the median" = row.mad;
        Number median_ci_low [OF_METRIC]: "Lower end of the interval of the median" = low(row.median_ci);
        Number median_ci_high [OF_METRIC]: "Upper end of the interval of the median" = high(row.median_ci);
        Count outliers: "Runs beyond the fences of the box plot" = Some(row.box_plot.as_ref()?.outlier_count);
        Number low_mode [OF_METRIC]: "Median of the lower of two clusters of runs"
            = Some(row.modes.as_ref()?.low.median);
        Number high_mode [OF_METRIC]: "Median of the upper of two clusters of runs"
            = Some(row.modes.as_ref()?.high.median);
        Number load_balance [RATIO]: "Mean worker divided by the largest, mean over runs" = row.load_balance;
        Number share [SHARE]: "Mean share of the values inside of regions" = row.share;
    }
}

impl Tabular for Stats {
    fn table(&self) -> Table<'_> {
        let cohort = names(self.rows.iter().map(|row| &row.cohort));
        let mut table = Table::new(self.rows.as_slice(), stats_group());
        table.add_parameters(&self.rows.as_slice(), "cohort", &cohort, |row| &row.cohort);
        table.add(&self.rows.as_slice(), stats());
        table
    }
}

columns! {
    pub(super) fn diff(row: DiffRow) {
        Text path: "Names from the outermost group, joined by ` / `" = joined(&row.path);
        Text group: "Group id" = some(&row.group);
        Text metric: "Metric" = some(&row.metric);
        Number a [OF_METRIC]: "Mean over the baseline's runs" = row.a;
        Number b [OF_METRIC]: "Mean over the candidate's runs" = row.b;
        Number delta [OF_METRIC]: "b − a; absent if a side on which the group occurs was not measured" = row.delta;
        Number impact [SHARE]: "delta as a share of the baseline's total" = row.impact;
        Number ratio [RATIO]: "Typical ratio b / a (Hodges-Lehmann on logarithms)" = row.ratio;
        Number ci_low [RATIO]: "Lower end of the interval of the ratio" = low(row.ci);
        Number ci_high [RATIO]: "Upper end of the interval of the ratio" = high(row.ci);
        Number shift [OF_METRIC]: "Typical difference b − a (Hodges-Lehmann)" = row.shift;
        Number shift_ci_low [OF_METRIC]: "Lower end of the interval of the difference" = low(row.shift_ci);
        Number shift_ci_high [OF_METRIC]: "Upper end of the interval of the difference" = high(row.shift_ci);
        Number p: "Two-sided p of the exact rank-sum test" = row.p;
        Number q: "Benjamini-Hochberg q over the tested groups" = row.q;
        Number cliffs_delta: "Cliff's delta, −1 to 1" = row.cliffs_delta;
        Text compared_by: "`ratio`, or `difference` if not all values are positive" = option(compared_by(row));
        Text verdict: "Verdict, such as `slower` or `inconclusive`" = some(row.verdict.as_str());
        Text matched_by: "How the group was matched; absent if it is on one side only"
            = option(row.matched_by.map(MatchedBy::as_str));
        Count runs_a: "Runs of the baseline in which the group occurs" = Some(row.runs_a);
        Count runs_b: "Runs of the candidate in which the group occurs" = Some(row.runs_b);
        Count n_a: "Values of the baseline that were compared" = Some(row.n_a);
        Count n_b: "Values of the candidate that were compared" = Some(row.n_b);
        Text path_a: "Path in the baseline, if it is another" = joined(row.path_a.as_deref().unwrap_or_default());
        Text path_b: "Path in the candidate, if it is another" = joined(row.path_b.as_deref().unwrap_or_default());
        Integer line_a: "Line of the definition in the baseline" = row.line_a.map(i64::from);
        Integer line_b: "Line of the definition in the candidate" = row.line_b.map(i64::from);
        Text structure: "Changes of structure, joined by `+`" = kinds(&row.structure);
    }
}

impl Tabular for Diff {
    fn table(&self) -> Table<'_> {
        self.rows.table()
    }
}

/// Rows of a comparison, which histories have too.
impl Tabular for Vec<DiffRow> {
    fn table(&self) -> Table<'_> {
        Table::new(self.as_slice(), diff())
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
    let words: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    (!words.is_empty()).then(|| Cow::Owned(words.join("+")))
}

columns! {
    pub(super) fn similar(row: SimilarRun) {
        Text run: "Run id" = some(&row.run);
        Text name: "Short name" = some(&row.name);
        Count cluster: "Cluster, from 0" = Some(row.cluster);
        Text structure: "Id of the structure" = some(&row.structure);
        Count nodes: "Nodes of the structure" = Some(row.nodes);
        Truth differs: "Whether the structure differs from the others of its cohort" = row.differs;
    }
}

/// The matrix: a row and a column for each run, columns under run ids.
impl Tabular for Similar {
    fn table(&self) -> Table<'_> {
        let mut table = Table::new(self.runs.as_slice(), similar());
        // The matrix is symmetric.
        for (run, values) in self.runs.iter().zip(&self.matrix) {
            table.add_values(
                run.run.as_str(),
                "Similarity with that run",
                Values::Number(Box::new(|row| values[row])),
            );
        }
        table
    }
}

columns! {
    pub(super) fn projection(row: ProjectedRun) {
        Text run: "Run id" = some(&row.run);
        Text name: "Short name" = some(&row.name);
        Number x: "Place by behaviour" = Some(row.behaviour.x);
        Number y: "Place by behaviour" = Some(row.behaviour.y);
        Count cluster: "Cluster by behaviour, from 0" = Some(row.behaviour.cluster);
        Number parameters_x: "Place by parameters" = Some(row.parameters.x);
        Number parameters_y: "Place by parameters" = Some(row.parameters.y);
        Count parameters_cluster: "Cluster by parameters, from 0" = Some(row.parameters.cluster);
    }
}

impl Tabular for Projection {
    fn table(&self) -> Table<'_> {
        let mut table = Table::new(self.runs.as_slice(), projection());
        let parameters = names(self.runs.iter().map(|run| &run.params));
        table.add_parameters(&self.runs.as_slice(), "params", &parameters, |run| {
            &run.params
        });
        table
    }
}
