//! Tables about one run, and about its grains.

use std::collections::BTreeMap;

use super::{
    Column, NONE, OF_RUN, RATIO, SHARE, Table, Tabular, Values, count, integer, joined, number,
    option, some, text, truth,
};
use crate::{
    GrainDiff, GrainDiffRow, GrainMetric, GrainRow, Grains, Group, Groups, LoopRow, Loops,
    MetricValue, Parallelism, ParallelismRow, PathRow, Paths, Problem, ProblemDefinition, Problems,
    Scheduling, SchedulingEdge, Timeline, TimelineRow,
};

pub(super) const GRAINS: &[Column<GrainRow>] = &[
    text(
        "path",
        "Names from the outermost grain, joined by ` / `",
        |row| joined(&row.path),
    ),
    text("definition", "Definition", |row| some(&row.definition)),
    count("grain", "Number of the grain in the run", |row| {
        Some(row.grain.into())
    }),
    text("path_key", "Key of the path, the same in all runs", |row| {
        some(&row.path_key)
    }),
    text("kind", "Kind of grain", |row| some(&row.kind)),
    integer("parent", NONE, "Number of the parent", |row| {
        row.parent.map(i64::from)
    }),
    integer("rank", NONE, "Rank of the first worker", |row| {
        row.rank.map(i64::from)
    }),
    integer("thread", NONE, "Thread of the first worker", |row| {
        row.thread.map(i64::from)
    }),
    integer("created", OF_RUN, "Time of creation", |row| row.created),
    integer("start", OF_RUN, "Time of the start", |row| row.start),
    integer("end", OF_RUN, "Time of the end", |row| row.end),
    integer(
        "first_iteration",
        NONE,
        "First iteration of a chunk",
        |row| row.first_iteration,
    ),
    integer("iterations", NONE, "Iterations of a chunk", |row| {
        row.iterations
    }),
];

impl Tabular for Grains {
    fn table(&self) -> Table {
        let mut table = Table::new(&self.rows, GRAINS);
        add_metrics(&mut table, &self.metrics, &self.rows, |row| &row.metrics);
        table
    }
}

pub(super) const GROUPS: &[Column<Group>] = &[
    count("group", "Number of the group", |row| Some(row.group.into())),
    integer("parent", NONE, "Number of the parent", |row| {
        row.parent.map(i64::from)
    }),
    count("depth", "Levels below the root", |row| {
        Some(row.depth.into())
    }),
    text("kind", "Kind of group", |row| some(&row.kind)),
    text("definition", "Definition, of a grain", |row| {
        option(row.definition.as_deref())
    }),
    integer("grain", NONE, "Number of the grain", |row| {
        row.grain.map(i64::from)
    }),
    text("path_key", "Key of the grain's path", |row| {
        option(row.path_key.as_deref())
    }),
    count("grains", "Grains in the group", |row| {
        Some(row.grains.into())
    }),
    count("children", "Children of the group", |row| {
        Some(row.children.into())
    }),
    count("nodes", "Groups and grains in the group", |row| {
        Some(row.nodes.into())
    }),
    truth(
        "has_problem",
        "Whether a grain in it has the problem",
        |row| row.has_problem,
    ),
    truth(
        "is_critical",
        "Whether the critical path passes through it",
        |row| Some(row.is_critical),
    ),
    truth(
        "is_restructured",
        "Whether it was made to be series-parallel",
        |row| Some(row.is_restructured),
    ),
    text("structure", "Id of its structure", |row| {
        option(row.structure.as_deref())
    }),
];

impl Tabular for Groups {
    fn table(&self) -> Table {
        let mut table = Table::new(&self.rows, GROUPS);
        add_metrics(&mut table, &self.metrics, &self.rows, |row| &row.metrics);
        table
    }
}

/// A column per metric: exact integers, unless a value is a float.
fn add_metrics<R>(
    table: &mut Table,
    metrics: &[GrainMetric],
    rows: &[R],
    values_of: impl Fn(&R) -> &BTreeMap<String, MetricValue>,
) {
    for metric in metrics {
        let values: Vec<Option<MetricValue>> = rows
            .iter()
            .map(|row| values_of(row).get(&metric.name).copied())
            .collect();
        table.add_values(metric.name.clone(), Values::Metric(values));
    }
}

/// A problem, and a definition whose grains have it; none if no grain has it.
pub(super) type ProblemLine<'a> = (&'a Problem, Option<&'a ProblemDefinition>);

pub(super) const fn problems<'a>() -> [Column<ProblemLine<'a>>; 16] {
    [
        text("metric", "Metric", |row| some(&row.0.metric)),
        text("condition", "Condition that a problem fulfils", |row| {
            some(&row.0.condition)
        }),
        number("limit", NONE, "Limit of the condition", |row| {
            Some(row.0.limit)
        }),
        count("checked", "Grains with a value", |row| Some(row.0.checked)),
        count("grains", "Grains with the problem", |row| {
            Some(row.0.grains)
        }),
        count("critical_grains", "Those on the critical path", |row| {
            Some(row.0.critical_grains)
        }),
        number(
            "share_of_work",
            SHARE,
            "Share of the work in those grains",
            |row| row.0.share_of_work,
        ),
        number(
            "gain",
            OF_RUN,
            "Upper bound of the elapsed time to win",
            |row| Some(row.0.gain.as_ref()?.time),
        ),
        text("gain_basis", "What the bound follows from", |row| {
            option(row.0.gain.as_ref().map(|gain| gain.basis.as_str()))
        }),
        text("definition", "Definition of some of those grains", |row| {
            option(row.1.map(|found| found.definition.as_str()))
        }),
        text("site", "Source line of the definition", |row| {
            option(row.1?.site.as_deref())
        }),
        integer(
            "definition_grains",
            NONE,
            "Grains of the definition with the problem",
            |row| Some(row.1?.grains.cast_signed()),
        ),
        number(
            "definition_share",
            SHARE,
            "Their share of the definition's grains",
            |row| Some(row.1?.share),
        ),
        integer("definition_work", OF_RUN, "Their work", |row| row.1?.work),
        number(
            "definition_gain",
            OF_RUN,
            "Upper bound of the elapsed time to win there",
            |row| Some(row.1?.gain.as_ref()?.time),
        ),
        number(
            "severity",
            RATIO,
            "How far beyond the limit the worst grain is",
            |row| row.1?.severity,
        ),
    ]
}

/// A row per problem and definition; problems that no grain has are a row without a definition.
impl Tabular for Problems {
    fn table(&self) -> Table {
        let mut lines: Vec<ProblemLine<'_>> = Vec::new();
        for problem in &self.problems {
            if problem.definitions.is_empty() {
                lines.push((problem, None));
            }
            lines.extend(
                problem
                    .definitions
                    .iter()
                    .map(|found| (problem, Some(found))),
            );
        }
        Table::new(&lines, &problems())
    }
}

pub(super) const GRAIN_DIFF: &[Column<GrainDiffRow>] = &[
    text(
        "path",
        "Names from the outermost grain, joined by ` / `",
        |row| joined(&row.path),
    ),
    text("definition", "Definition", |row| some(&row.definition)),
    text("path_key", "Key of the path", |row| some(&row.path_key)),
    text("kind", "Kind of grain", |row| some(&row.kind)),
    count(
        "runs_a",
        "Runs of the baseline that have the grain",
        |row| Some(row.runs_a.into()),
    ),
    count(
        "runs_b",
        "Runs of the candidate that have the grain",
        |row| Some(row.runs_b.into()),
    ),
    number("a", OF_RUN, "Mean work in the baseline", |row| row.a),
    number("b", OF_RUN, "Mean work in the candidate", |row| row.b),
    number("delta", OF_RUN, "b − a", |row| row.delta),
    number("work_deviation", RATIO, "b / a", |row| row.work_deviation),
    number(
        "lifetime_a",
        OF_RUN,
        "Mean time from start to end in the baseline",
        |row| row.lifetime_a,
    ),
    number(
        "lifetime_b",
        OF_RUN,
        "Mean time from start to end in the candidate",
        |row| row.lifetime_b,
    ),
    number("stretch", RATIO, "lifetime_b / lifetime_a", |row| {
        row.stretch
    }),
    number(
        "delay_a",
        OF_RUN,
        "Mean time from ready to start in the baseline",
        |row| row.delay_a,
    ),
    number(
        "delay_b",
        OF_RUN,
        "Mean time from ready to start in the candidate",
        |row| row.delay_b,
    ),
    number("delay_change", OF_RUN, "delay_b − delay_a", |row| {
        row.delay_change
    }),
    text("matched_by", "How the grain was matched", |row| {
        option(row.matched_by.as_deref())
    }),
    number("match_score", SHARE, "Score of an inferred match", |row| {
        row.match_score
    }),
];

impl Tabular for GrainDiff {
    fn table(&self) -> Table {
        Table::new(&self.rows, GRAIN_DIFF)
    }
}

pub(super) const PATHS: &[Column<PathRow>] = &[
    text("definition", "Definition", |row| some(&row.definition)),
    count("grains", "Its grains", |row| Some(row.grains)),
    integer("work", OF_RUN, "Their work", |row| Some(row.work)),
    count("critical_grains", "Those on the critical path", |row| {
        Some(row.critical_grains)
    }),
    integer(
        "critical_work",
        OF_RUN,
        "Work on the critical path",
        |row| Some(row.critical_work),
    ),
    integer(
        "last_finisher_work",
        OF_RUN,
        "Work on the path of last finishers",
        |row| row.last_finisher_work,
    ),
    integer(
        "span",
        OF_RUN,
        "Longest path of the definition alone",
        |row| row.span,
    ),
    number("parallelism", RATIO, "Work divided by span", |row| {
        row.parallelism
    }),
];

impl Tabular for Paths {
    fn table(&self) -> Table {
        Table::new(&self.rows, PATHS)
    }
}

pub(super) const LOOPS: &[Column<LoopRow>] = &[
    text("definition", "Definition of the loop", |row| {
        some(&row.definition)
    }),
    count(
        "first_chunk",
        "Number of the grain that is its first chunk",
        |row| Some(row.first_chunk.into()),
    ),
    text(
        "owner",
        "Path of the grain that the loop belongs to",
        |row| joined(row.owner.as_deref().unwrap_or_default()),
    ),
    count("chunks", "Chunks", |row| Some(row.chunks.into())),
    integer("workers", NONE, "Workers that executed chunks", |row| {
        row.workers.map(i64::from)
    }),
    integer("work", OF_RUN, "Work of the chunks", |row| Some(row.work)),
    integer("makespan", OF_RUN, "Time of the loop", |row| {
        Some(row.makespan)
    }),
    text("makespan_from", "What the time is measured by", |row| {
        some(&row.makespan_from)
    }),
    integer(
        "least_workers",
        NONE,
        "Minimum number of workers that keep the time",
        |row| row.least_workers.map(i64::from),
    ),
    count("least_workers_lower", "Lower bound of that number", |row| {
        Some(row.least_workers_lower.into())
    }),
    count("least_workers_upper", "Upper bound of that number", |row| {
        Some(row.least_workers_upper.into())
    }),
    text("proof", "How the number is known", |row| some(&row.proof)),
];

impl Tabular for Loops {
    fn table(&self) -> Table {
        Table::new(&self.rows, LOOPS)
    }
}

pub(super) const SCHEDULING: &[Column<SchedulingEdge>] = &[
    text("kind", "Kind of edge", |row| some(&row.kind)),
    count("edges", "Edges", |row| Some(row.edges)),
    count("moved", "Edges between different workers", |row| {
        Some(row.moved)
    }),
    integer("delay", OF_RUN, "Time from ready to start, summed", |row| {
        row.delay
    }),
    integer(
        "delay_median",
        OF_RUN,
        "Median time from ready to start",
        |row| row.delay_median,
    ),
    integer(
        "delay_p99",
        OF_RUN,
        "Quantile at 99 % of that time",
        |row| row.delay_p99,
    ),
    integer("delay_max", OF_RUN, "Maximum of that time", |row| {
        row.delay_max
    }),
];

impl Tabular for Scheduling {
    fn table(&self) -> Table {
        Table::new(&self.edges, SCHEDULING)
    }
}

pub(super) const TIMELINE: &[Column<TimelineRow>] = &[
    count("worker", "Number of the worker, from 0", |row| {
        Some(row.worker.into())
    }),
    number("start", OF_RUN, "Begin of the interval", |row| {
        Some(row.start)
    }),
    number("end", OF_RUN, "End of the interval", |row| Some(row.end)),
    count("intervals", "Intervals of work in it", |row| {
        Some(row.intervals.into())
    }),
    number(
        "busy",
        OF_RUN,
        "Time in which the worker ran a grain",
        |row| Some(row.busy),
    ),
    integer(
        "grain",
        NONE,
        "Number of the grain, if there is one",
        |row| row.grain.map(i64::from),
    ),
    text("definition", "Definition, if all grains have one", |row| {
        option(row.definition.as_deref())
    }),
];

impl Tabular for Timeline {
    fn table(&self) -> Table {
        Table::new(&self.rows, TIMELINE)
    }
}

pub(super) const PARALLELISM: &[Column<ParallelismRow>] = &[
    number("start", OF_RUN, "Begin of the interval", |row| {
        Some(row.start)
    }),
    number("end", OF_RUN, "End of the interval", |row| Some(row.end)),
];

/// Three columns per layer.
impl Tabular for Parallelism {
    fn table(&self) -> Table {
        let mut table = Table::new(&self.rows, PARALLELISM);
        for layer in &self.layers {
            for figure in ["min", "mean", "max"] {
                let name = format!("{layer}_{figure}");
                let values = self
                    .rows
                    .iter()
                    .map(|row| row.fragments.get(&name).copied());
                let values = Values::Number(values.collect());
                table.add_values(name, values);
            }
        }
        table
    }
}
