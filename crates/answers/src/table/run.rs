//! Tables about one run, and about its grains.

use std::rc::Rc;

use super::{
    ColumnUnit, NumberedRows, OF_RUN, RATIO, SHARE, Table, Tabular, Values, columns, joined,
    option, some,
};
use crate::{
    Fragments, GrainDiff, GrainDiffRow, GrainFragment, GrainMetric, GrainRows, Grains, Group,
    Groups, LoopRow, Loops, MatchedBy, MessagePair, Parallelism, ParallelismRow, PathRow, Paths,
    Problem, ProblemDefinition, Problems, RunInfo, Scheduling, SchedulingEdge, Timeline,
    TimelineRow, Tree, path_key_text,
};

/// Columns of grains, and the place of a row.
pub(super) type GrainAt<'a> = (&'a GrainRows, usize);

columns! {
    pub(super) fn grains<'a>(row: GrainAt<'a>) {
        Text path: "Names from the outermost grain, joined by ` / `" = joined(&row.0.path[row.1]);
        Text definition: "Definition" = some(&row.0.definition[row.1]);
        Count grain: "Number of the grain in the run" = Some(row.0.grain[row.1].into());
        Text path_key: "Key of the path, the same in all runs unless the path depends on the schedule" = Some(path_key_text(row.0.path_key[row.1]).into());
        Text kind: "Kind of grain" = some(row.0.kind[row.1].as_str());
        Integer parent: "Number of the parent" = row.0.parent[row.1].map(i64::from);
        Integer rank: "Rank of the first worker" = row.0.rank[row.1].map(i64::from);
        Integer thread: "Thread of the first worker" = row.0.thread[row.1].map(i64::from);
        Integer created [OF_RUN]: "Time of creation" = row.0.created[row.1];
        Integer start [OF_RUN]: "Time of the start" = row.0.start[row.1];
        Integer end [OF_RUN]: "Time of the end" = row.0.end[row.1];
        Integer first_iteration: "First iteration of a chunk" = row.0.first_iteration[row.1];
        Integer iterations: "Iterations of a chunk" = row.0.iterations[row.1];
    }
}

impl Tabular for Grains {
    fn table(&self) -> Table<'_> {
        let rows = NumberedRows {
            source: &self.rows,
            len: self.rows.len(),
        };
        let mut table = Table::new(rows, grains());
        table.add_metrics(&self.metrics, |name| {
            let mut columns = self.rows.metrics.iter();
            let column = columns.find(|(known, _)| **known == *name);
            Box::new(move |row| column?.1.get(row))
        });
        table
    }
}

columns! {
    pub(super) fn groups(row: Group) {
        Count group: "Number of the group" = Some(row.group.into());
        Integer parent: "Number of the parent" = row.parent.map(i64::from);
        Count depth: "Levels below the root" = Some(row.depth.into());
        Text kind: "Kind of group" = some(row.kind.as_str());
        Text definition: "Definition, of a grain" = option(row.definition.as_deref());
        Integer grain: "Number of the grain" = row.grain.map(i64::from);
        Text path_key: "Key of the grain's path" = option(row.path_key.as_deref());
        Count grains: "Grains in the group" = Some(row.grains.into());
        Count children: "Children of the group" = Some(row.children.into());
        Count nodes: "Groups and grains in the group" = Some(row.nodes.into());
        Truth has_problem: "Whether a grain in it has the problem" = row.has_problem;
        Truth is_critical: "Whether the critical path passes through it" = Some(row.is_critical);
        Truth is_restructured: "Whether another grain than its parent joins it, so that it stands where it is joined" = Some(row.is_restructured);
        Text structure: "Structure id: equal structures have the same id in all runs" = option(row.structure.as_deref());
    }
}

impl Tabular for Groups {
    fn table(&self) -> Table<'_> {
        table_of_groups(&self.rows, &self.metrics)
    }
}

impl Tabular for Tree {
    fn table(&self) -> Table<'_> {
        table_of_groups(&self.groups, &self.metrics)
    }
}

fn table_of_groups<'a>(rows: &'a [Group], metrics: &'a [GrainMetric]) -> Table<'a> {
    let mut table = Table::new(rows, groups());
    table.add_metrics(metrics, |name| {
        Box::new(move |row| rows[row].metrics.get(name))
    });
    table
}

/// A problem, and a definition whose grains have it; none if no grain has it.
pub type ProblemLine<'a> = (&'a Problem, Option<&'a ProblemDefinition>);

columns! {
    pub(super) fn problems<'a>(row: ProblemLine<'a>) {
        Text metric: "Metric" = some(&row.0.metric);
        Text condition: "Condition that a problem fulfils" = some(&row.0.condition);
        Number limit: "Limit of the condition" = Some(row.0.limit);
        Count checked: "Grains with a value" = Some(row.0.checked);
        Count grains: "Grains with the problem" = Some(row.0.grains);
        Count critical_grains: "Those on the critical path" = Some(row.0.critical_grains);
        Number share_of_work [SHARE]: "Share of the work in those grains" = row.0.share_of_work;
        Number gain [OF_RUN]: "Upper bound of the elapsed time to win" = Some(row.0.gain?.time);
        Text gain_basis: "What the bound follows from" = option(row.0.gain.map(|gain| gain.basis.as_str()));
        Text definition: "Definition of some of those grains" = option(row.1.map(|found| found.definition.as_str()));
        Text site: "Source line of the definition" = option(row.1?.site.as_deref());
        Integer definition_grains: "Grains of the definition with the problem" = Some(row.1?.grains.cast_signed());
        Number definition_share [SHARE]: "Their share of the definition's grains" = Some(row.1?.share);
        Integer definition_work [OF_RUN]: "Their work" = row.1?.work;
        Number definition_gain [OF_RUN]: "Upper bound of the elapsed time to win there"
            = Some(row.1?.gain?.time);
        Number severity [RATIO]: "How far beyond the limit the worst grain is" = row.1?.severity;
    }
}

impl Problems {
    /// The rows of its table: one per problem and definition; problems that no grain has are a row without a definition.
    pub fn lines(&self) -> Vec<ProblemLine<'_>> {
        let mut lines: Vec<ProblemLine<'_>> = Vec::new();
        for problem in &self.problems {
            if problem.definitions.is_empty() {
                lines.push((problem, None));
            }
            let found = problem.definitions.iter();
            lines.extend(found.map(|found| (problem, Some(found))));
        }
        lines
    }
}

impl Tabular for Problems {
    fn table(&self) -> Table<'_> {
        Table::new(Rc::<[_]>::from(self.lines()), problems())
    }
}

columns! {
    pub(super) fn grain_diff(row: GrainDiffRow) {
        Text path: "Names from the outermost grain, joined by ` / `" = joined(&row.path);
        Text definition: "Definition" = some(&row.definition);
        Text path_key: "Key of the path" = some(&row.path_key);
        Text kind: "Kind of grain" = some(row.kind.as_str());
        Count runs_a: "Runs of the baseline that have the grain" = Some(row.runs_a.into());
        Count runs_b: "Runs of the candidate that have the grain" = Some(row.runs_b.into());
        Number a [OF_RUN]: "Mean work in the baseline" = row.a;
        Number b [OF_RUN]: "Mean work in the candidate" = row.b;
        Number delta [OF_RUN]: "b − a" = row.delta;
        Number work_deviation [RATIO]: "b / a" = row.work_deviation;
        Number lifetime_a [OF_RUN]: "Mean time from start to end in the baseline" = row.lifetime_a;
        Number lifetime_b [OF_RUN]: "Mean time from start to end in the candidate" = row.lifetime_b;
        Number stretch [RATIO]: "lifetime_b / lifetime_a" = row.stretch;
        Number delay_a [OF_RUN]: "Mean time from ready to start in the baseline" = row.delay_a;
        Number delay_b [OF_RUN]: "Mean time from ready to start in the candidate" = row.delay_b;
        Number delay_change [OF_RUN]: "delay_b − delay_a" = row.delay_change;
        Text matched_by: "How the grain was matched" = option(row.matched_by.map(MatchedBy::as_str));
        Number match_score [SHARE]: "Score of an inferred match" = row.match_score;
    }
}

impl Tabular for GrainDiff {
    fn table(&self) -> Table<'_> {
        Table::new(self.rows.as_slice(), grain_diff())
    }
}

columns! {
    pub(super) fn messages(row: MessagePair) {
        Count from: "Rank of the sender" = Some(row.from.into());
        Count to: "Rank of the receiver" = Some(row.to.into());
        Count messages: "Messages" = Some(row.messages);
        Count bytes [ColumnUnit::Named("bytes")]: "Their bytes" = Some(row.bytes);
    }
}

/// Messages between the ranks of the run.
impl Tabular for RunInfo {
    fn table(&self) -> Table<'_> {
        let pairs = self.messages.as_ref().map(|it| it.pairs.as_slice());
        Table::new(pairs.unwrap_or_default(), messages())
    }
}

columns! {
    pub(super) fn paths(row: PathRow) {
        Text definition: "Definition" = some(&row.definition);
        Count grains: "Its grains" = Some(row.grains);
        Integer work [OF_RUN]: "Their work" = Some(row.work);
        Count critical_grains: "Those on the critical path" = Some(row.critical_grains);
        Integer critical_work [OF_RUN]: "Work on the critical path" = Some(row.critical_work);
        Number critical_share [SHARE]: "That as a share of the work of the definition"
            = (row.work > 0).then(|| row.critical_work as f64 / row.work as f64);
        Integer last_finisher_work [OF_RUN]: "Work on the path of last finishers" = row.last_finisher_work;
        Integer span [OF_RUN]: "Longest path of the definition alone" = row.span;
        Number parallelism [RATIO]: "Work divided by span" = row.parallelism;
    }
}

impl Tabular for Paths {
    fn table(&self) -> Table<'_> {
        Table::new(self.rows.as_slice(), paths())
    }
}

columns! {
    pub(super) fn loops(row: LoopRow) {
        Text definition: "Definition of the loop" = some(&row.definition);
        Count first_chunk: "Number of the grain that is its first chunk" = Some(row.first_chunk.into());
        Text owner: "Path of the grain that the loop belongs to" = joined(row.owner.as_deref().unwrap_or_default());
        Count chunks: "Chunks" = Some(row.chunks.into());
        Integer workers: "Workers that executed chunks" = row.workers.map(i64::from);
        Integer work [OF_RUN]: "Work of the chunks" = Some(row.work);
        Integer makespan [OF_RUN]: "Time of the loop" = Some(row.makespan);
        Text makespan_from: "What the time is measured by" = some(row.makespan_from.as_str());
        Integer least_workers: "Minimum number of workers that keep the time" = row.least_workers.map(i64::from);
        Count least_workers_lower: "Lower bound of that number" = Some(row.least_workers_lower.into());
        Count least_workers_upper: "Upper bound of that number" = Some(row.least_workers_upper.into());
        Text proof: "How the number is known" = some(row.proof.as_str());
    }
}

impl Tabular for Loops {
    fn table(&self) -> Table<'_> {
        Table::new(self.rows.as_slice(), loops())
    }
}

columns! {
    pub(super) fn scheduling(row: SchedulingEdge) {
        Text kind: "Kind of edge" = some(row.kind.as_str());
        Count edges: "Edges" = Some(row.edges);
        Count moved: "Edges between different workers" = Some(row.moved);
        Integer delay [OF_RUN]: "Time from ready to start, summed" = row.delay;
        Integer delay_median [OF_RUN]: "Median time from ready to start" = row.delay_median;
        Integer delay_p99 [OF_RUN]: "Quantile at 99 % of that time" = row.delay_p99;
        Integer delay_max [OF_RUN]: "Maximum of that time" = row.delay_max;
    }
}

impl Tabular for Scheduling {
    fn table(&self) -> Table<'_> {
        Table::new(self.edges.as_slice(), scheduling())
    }
}

columns! {
    pub(super) fn fragments(row: GrainFragment) {
        Count worker: "Number of the worker, from 0" = Some(row.worker.into());
        Integer rank: "Rank of its process" = Some(row.rank.into());
        Integer thread: "Thread within the rank" = Some(row.thread.into());
        Integer start [OF_RUN]: "Begin, from the run's start" = Some(row.start);
        Integer duration [OF_RUN]: "Length" = Some(row.duration);
        Text ended_by: "Event that ended it" = some(row.ended_by.as_str());
    }
}

impl Tabular for Fragments {
    fn table(&self) -> Table<'_> {
        Table::new(self.rows.as_slice(), fragments())
    }
}

columns! {
    pub(super) fn timeline(row: TimelineRow) {
        Count worker: "Number of the worker, from 0" = Some(row.worker.into());
        Number start [OF_RUN]: "Begin of the interval" = Some(row.start);
        Number end [OF_RUN]: "End of the interval" = Some(row.end);
        Count intervals: "Intervals of work in it" = Some(row.intervals.into());
        Number busy [OF_RUN]: "Time in which the worker ran a grain" = Some(row.busy);
        Integer grain: "Number of the grain, if there is one" = row.grain.map(i64::from);
        Text definition: "Definition, if all grains have one" = option(row.definition.as_deref());
    }
}

impl Tabular for Timeline {
    fn table(&self) -> Table<'_> {
        Table::new(self.rows.as_slice(), timeline())
    }
}

columns! {
    pub(super) fn parallelism(row: ParallelismRow) {
        Number start [OF_RUN]: "Begin of the interval" = Some(row.start);
        Number end [OF_RUN]: "End of the interval" = Some(row.end);
    }
}

/// Three columns per layer.
impl Tabular for Parallelism {
    fn table(&self) -> Table<'_> {
        let mut table = Table::new(self.rows.as_slice(), parallelism());
        for layer in &self.layers {
            for figure in ["min", "mean", "max"] {
                let name = format!("{layer}_{figure}");
                let key = name.clone();
                let value = move |row: usize| self.rows[row].fragments.get(&key).copied();
                table.add_values(
                    name,
                    "Fragments of the layer",
                    Values::Number(Box::new(value)),
                );
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_on_the_critical_path_is_a_share_of_the_work() {
        let row = |work| PathRow {
            definition: "sort".into(),
            grains: 4,
            work,
            critical_grains: 1,
            critical_work: work / 4,
            last_finisher_work: None,
            span: None,
            parallelism: None,
        };
        let rows = [row(200), row(0)];
        let table = Table::new(rows.as_slice(), paths());
        let mut columns = table.columns().iter();
        let share = columns.find(|column| column.name == "critical_share");
        let shares = share.and_then(|column| match &column.values {
            Values::Number(of) => Some([of(0), of(1)]),
            _ => None,
        });
        assert_eq!(shares, Some([Some(0.25), None]));
    }
}
