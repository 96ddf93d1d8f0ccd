//! The tables of a scaling study.

use super::{
    Column, NONE, OF_METRIC, RATIO, Table, Text, count, high, integer, joined, low, number, option,
    some, text, truth,
};
use crate::{Culprit, OutOfOrder, Scale, ScaleLoss, ScaleModel, ScalePoint, ScaleTable};

/// A row with the study that it is of, which names the series.
pub(super) type Line<'a, T> = (&'a Scale, &'a T);

const PARAMETER: &str = "that of the parameter";

fn series(scale: &Scale, series: u32) -> Text<'_> {
    option(
        scale
            .series
            .get(series as usize)
            .map(|series| series.name.as_str()),
    )
}

#[expect(clippy::too_many_lines, reason = "a list of columns")]
pub(super) const fn points<'a>() -> [Column<Line<'a, ScalePoint>>; 35] {
    [
        text("series", "Name of the series", |row| {
            series(row.0, row.1.series)
        }),
        number("p", PARAMETER, "Value of the parameter", |row| {
            Some(row.1.p)
        }),
        count("runs", "Runs of the point", |row| {
            Some(row.1.runs.len() as u64)
        }),
        text("run", "The run nearest to the median", |row| {
            some(&row.1.run)
        }),
        integer("workers", NONE, "Workers of that run", |row| row.1.workers),
        truth(
            "oversubscribed",
            "Whether there are more workers than processors",
            |row| Some(row.1.oversubscribed),
        ),
        count(
            "needs_runs",
            "Runs from which on there are intervals",
            |row| row.1.needs_runs,
        ),
        number("value", OF_METRIC, "Median over the runs", |row| {
            Some(row.1.value)
        }),
        number("value_low", OF_METRIC, "Lower end of its interval", |row| {
            low(row.1.interval)
        }),
        number(
            "value_high",
            OF_METRIC,
            "Upper end of its interval",
            |row| high(row.1.interval),
        ),
        number("speedup", RATIO, "T(p₀) / T(p)", |row| row.1.speedup),
        number("speedup_low", RATIO, "Lower end of its interval", |row| {
            low(row.1.speedup_interval)
        }),
        number("speedup_high", RATIO, "Upper end of its interval", |row| {
            high(row.1.speedup_interval)
        }),
        text("speedup_interval_by", "`rank` or `bootstrap`", |row| {
            option(row.1.speedup_interval_by.as_deref())
        }),
        number("efficiency", RATIO, "Speedup · p₀ / p", |row| {
            row.1.efficiency
        }),
        number(
            "karp_flatt",
            RATIO,
            "Serial fraction of Karp and Flatt",
            |row| row.1.karp_flatt,
        ),
        number(
            "weak_efficiency",
            RATIO,
            "T(p₀) / T(p), of weak scaling",
            |row| row.1.weak_efficiency,
        ),
        number(
            "scaled_speedup",
            RATIO,
            "Weak efficiency · p / p₀",
            |row| row.1.scaled_speedup,
        ),
        number(
            "scaled_speedup_low",
            RATIO,
            "Lower end of its interval",
            |row| low(row.1.scaled_speedup_interval),
        ),
        number(
            "scaled_speedup_high",
            RATIO,
            "Upper end of its interval",
            |row| high(row.1.scaled_speedup_interval),
        ),
        number("gustafson", RATIO, "Serial part of Gustafson", |row| {
            row.1.gustafson
        }),
        number(
            "utilisation",
            RATIO,
            "Best time of the fewest workers / (p · time)",
            |row| row.1.utilisation,
        ),
        number("work", OF_METRIC, "Work of all workers", |row| row.1.work),
        number(
            "inflation",
            RATIO,
            "Work over that of the first point",
            |row| row.1.inflation,
        ),
        number("span", OF_METRIC, "Length of the critical path", |row| {
            row.1.span
        }),
        number("parallelism", RATIO, "Work over the critical path", |row| {
            row.1.parallelism
        }),
        number("lower_bound", OF_METRIC, "max(T₁ / p, T∞)", |row| {
            row.1.lower_bound
        }),
        number(
            "upper_bound",
            OF_METRIC,
            "T₁ / p + (p − 1) / p · T∞",
            |row| row.1.upper_bound,
        ),
        number(
            "upper_bound_inflated",
            OF_METRIC,
            "The same with the run's own work and path",
            |row| row.1.upper_bound_inflated,
        ),
        number(
            "load_balance",
            RATIO,
            "Mean over maximum useful time of workers",
            |row| row.1.load_balance,
        ),
        number(
            "communication_efficiency",
            RATIO,
            "Maximum useful time over elapsed time",
            |row| row.1.communication_efficiency,
        ),
        number(
            "parallel_efficiency",
            RATIO,
            "Load balance · communication efficiency",
            |row| row.1.parallel_efficiency,
        ),
        number(
            "computation_scaling",
            RATIO,
            "Work of the first point over work",
            |row| row.1.computation_scaling,
        ),
        number(
            "global_efficiency",
            RATIO,
            "Parallel efficiency · computation scaling",
            |row| row.1.global_efficiency,
        ),
        text(
            "bound",
            "Where the time lies: `below`, `greedy`, `inflated` or `above`",
            |row| option(row.1.bound.as_deref()),
        ),
    ]
}

pub(super) const fn models<'a>() -> [Column<Line<'a, ScaleModel>>; 15] {
    [
        text("series", "Name of the series", |row| {
            series(row.0, row.1.series)
        }),
        text("path", "Names of the group; absent for the whole", |row| {
            joined(&row.1.path)
        }),
        text("group", "Group id; absent for the whole", |row| {
            option(row.1.group.as_deref())
        }),
        text("law", "Law", |row| some(&row.1.law)),
        text("formula", "Fitted function of p", |row| {
            option(row.1.formula.as_deref())
        }),
        text(
            "parameters",
            "Its parameters, as `name=value` with blanks between",
            |row| {
                let mut texts = Vec::new();
                for parameter in &row.1.parameters {
                    if let Some(value) = parameter.value {
                        texts.push(format!("{}={value}", parameter.name));
                    }
                }
                Some(texts.join(" ").into())
            },
        ),
        count("points", "Points that it was fitted to", |row| {
            Some(row.1.points)
        }),
        number("r_squared", NONE, "Share of variance explained", |row| {
            row.1.r_squared
        }),
        number("smape", "%", "Symmetric mean absolute error", |row| {
            row.1.smape
        }),
        number("rss", NONE, "Sum of squares of residuals", |row| row.1.rss),
        number(
            "rss_left_out",
            NONE,
            "The same at points left out of the fit",
            |row| row.1.rss_left_out,
        ),
        number("greatest_error", RATIO, "Largest relative error", |row| {
            row.1.greatest_error
        }),
        number(
            "greatest_error_at",
            PARAMETER,
            "p of the largest error",
            |row| row.1.greatest_error_at,
        ),
        text("flags", "Flags, with blanks between", |row| {
            Some(row.1.flags.join(" ").into())
        }),
        text("reason", "Why the law was not fitted", |row| {
            option(row.1.reason.as_deref())
        }),
    ]
}

pub(super) const fn loss<'a>() -> [Column<Line<'a, ScaleLoss>>; 17] {
    [
        text("series", "Name of the series", |row| {
            series(row.0, row.1.series)
        }),
        number("p", PARAMETER, "Value of the parameter", |row| {
            Some(row.1.p)
        }),
        text("run", "Run", |row| some(&row.1.run)),
        text("reference_run", "Run that it is compared with", |row| {
            some(&row.1.reference_run)
        }),
        text("path", "Names of the group; absent for the whole", |row| {
            joined(&row.1.path)
        }),
        text("group", "Group id; absent for the whole", |row| {
            option(row.1.group.as_deref())
        }),
        integer("workers", NONE, "Workers", |row| Some(row.1.workers)),
        number(
            "area",
            OF_METRIC,
            "Workers · time, or the group's part of it",
            |row| Some(row.1.area),
        ),
        number("ideal", OF_METRIC, "Work of the reference run", |row| {
            Some(row.1.ideal)
        }),
        number("inflation", OF_METRIC, "Work beyond it", |row| {
            Some(row.1.inflation)
        }),
        number(
            "overhead",
            OF_METRIC,
            "Workers idle though something was ready, or communicating",
            |row| row.1.overhead,
        ),
        number(
            "idle",
            OF_METRIC,
            "Workers idle because nothing was ready",
            |row| row.1.idle,
        ),
        number(
            "unexplained",
            OF_METRIC,
            "Time without work of unknown cause",
            |row| row.1.unexplained,
        ),
        number(
            "inflation_ratio",
            RATIO,
            "Work over that of the reference run",
            |row| row.1.inflation_ratio,
        ),
        number("inflation_low", RATIO, "Lower end of its interval", |row| {
            low(row.1.inflation_interval)
        }),
        number(
            "inflation_high",
            RATIO,
            "Upper end of its interval",
            |row| high(row.1.inflation_interval),
        ),
        number(
            "ready",
            OF_METRIC,
            "Time that fragments were ready and waited, summed",
            |row| row.1.ready,
        ),
    ]
}

/// Two points out of order, and a group's part in it.
pub(super) type Inversion<'a> = (&'a Scale, &'a OutOfOrder, &'a Culprit);

pub(super) const fn out_of_order<'a>() -> [Column<Inversion<'a>>; 12] {
    [
        text("series", "Name of the series", |row| {
            series(row.0, row.1.series)
        }),
        number("from", PARAMETER, "First value of the parameter", |row| {
            Some(row.1.p[0])
        }),
        number("to", PARAMETER, "Second value of the parameter", |row| {
            Some(row.1.p[1])
        }),
        text("from_run", "Run of the first point", |row| {
            some(&row.1.runs[0])
        }),
        text("to_run", "Run of the second point", |row| {
            some(&row.1.runs[1])
        }),
        text(
            "suspect",
            "Run that is farther from the curve through its neighbours",
            |row| option(row.1.suspect.as_deref()),
        ),
        truth(
            "certain",
            "Whether the runs of both points do not overlap",
            |row| row.1.certain,
        ),
        number(
            "from_value",
            OF_METRIC,
            "Median of the first point",
            |row| Some(row.1.values[0]),
        ),
        number("to_value", OF_METRIC, "Median of the second point", |row| {
            Some(row.1.values[1])
        }),
        text("path", "Names of the group", |row| joined(&row.2.path)),
        number(
            "delta",
            OF_METRIC,
            "Difference of the group's time per worker",
            |row| Some(row.2.delta),
        ),
        number("share", RATIO, "Share of the whole inversion", |row| {
            Some(row.2.share)
        }),
    ]
}

impl Scale {
    /// One of the tables of the study.
    pub fn table_of(&self, table: ScaleTable) -> Table {
        let scale = self;
        match table {
            ScaleTable::Points => Table::new(&lines(scale, &scale.points), &points()),
            ScaleTable::Models => Table::new(&lines(scale, &scale.models), &models()),
            ScaleTable::Loss => Table::new(&lines(scale, &scale.loss), &loss()),
            ScaleTable::OutOfOrder => {
                let mut rows: Vec<Inversion<'_>> = Vec::new();
                for found in &scale.out_of_order {
                    rows.extend(found.culprits.iter().map(|culprit| (scale, found, culprit)));
                }
                Table::new(&rows, &out_of_order())
            }
        }
    }
}

fn lines<'a, T>(scale: &'a Scale, rows: &'a [T]) -> Vec<Line<'a, T>> {
    rows.iter().map(|row| (scale, row)).collect()
}
