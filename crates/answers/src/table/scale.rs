//! The tables of a scaling study.

use std::rc::Rc;

use super::{
    ColumnUnit, OF_METRIC, RATIO, SHARE, Table, Text, columns, high, joined, low, option, some,
};
use crate::{
    Culprit, IntervalBy, OutOfOrder, Scale, ScaleLoss, ScaleModel, ScalePoint, ScaleTable,
    WithinBounds,
};

/// A row with the study that it is of, which names the series.
pub(super) type Line<'a, T> = (&'a Scale, &'a T);

const PARAMETER: ColumnUnit<'_> = ColumnUnit::OfParameter;

fn series(scale: &Scale, series: u32) -> Text<'_> {
    option(
        scale
            .series
            .get(series as usize)
            .map(|series| series.name.as_str()),
    )
}

columns! {
    pub(super) fn points<'a>(row: Line<'a, ScalePoint>) {
        Text series: "Name of the series" = series(row.0, row.1.series);
        Number p [PARAMETER]: "Value of the parameter" = Some(row.1.p);
        Count runs: "Runs of the point" = Some(row.1.runs.len() as u64);
        Text run: "The run nearest to the median" = some(&row.1.run);
        Integer workers: "Workers of that run" = row.1.workers;
        Truth oversubscribed: "Whether there are more workers than processors" = Some(row.1.oversubscribed);
        Count needs_runs: "Runs from which on there are intervals" = row.1.needs_runs;
        Number value [OF_METRIC]: "Median over the runs" = Some(row.1.value);
        Number value_low [OF_METRIC]: "Lower end of its interval" = low(row.1.interval);
        Number value_high [OF_METRIC]: "Upper end of its interval" = high(row.1.interval);
        Number speedup [RATIO]: "T(p₀) / T(p)" = row.1.speedup;
        Number speedup_low [RATIO]: "Lower end of its interval" = low(row.1.speedup_interval);
        Number speedup_high [RATIO]: "Upper end of its interval" = high(row.1.speedup_interval);
        Text speedup_interval_by: "`rank` or `bootstrap`" = option(row.1.speedup_interval_by.map(IntervalBy::as_str));
        Number efficiency [SHARE]: "Speedup · p₀ / p" = row.1.efficiency;
        Number karp_flatt [RATIO]: "Serial fraction of Karp and Flatt" = row.1.karp_flatt;
        Number weak_efficiency [SHARE]: "T(p₀) / T(p), of weak scaling" = row.1.weak_efficiency;
        Number scaled_speedup [RATIO]: "Weak efficiency · p / p₀" = row.1.scaled_speedup;
        Number scaled_speedup_low [RATIO]: "Lower end of its interval" = low(row.1.scaled_speedup_interval);
        Number scaled_speedup_high [RATIO]: "Upper end of its interval" = high(row.1.scaled_speedup_interval);
        Number gustafson [RATIO]: "Serial part of Gustafson" = row.1.gustafson;
        Number utilisation [SHARE]: "Best time of the fewest workers / (p · time)" = row.1.utilisation;
        Number work [OF_METRIC]: "Work of all workers" = row.1.work;
        Number inflation [RATIO]: "Work over that of the first point" = row.1.inflation;
        Number span [OF_METRIC]: "Length of the critical path" = row.1.span;
        Number parallelism [RATIO]: "Work over the critical path" = row.1.parallelism;
        Number lower_bound [OF_METRIC]: "max(T₁ / p, T∞)" = row.1.lower_bound;
        Number upper_bound [OF_METRIC]: "T₁ / p + (p − 1) / p · T∞" = row.1.upper_bound;
        Number upper_bound_inflated [OF_METRIC]: "The same with the run's own work and path"
            = row.1.upper_bound_inflated;
        Number load_balance [SHARE]: "Mean over maximum useful time of workers" = row.1.load_balance;
        Number communication_efficiency [SHARE]: "Maximum useful time over elapsed time"
            = row.1.communication_efficiency;
        Number serialisation_efficiency [SHARE]: "Maximum useful time over time on an ideal network"
            = row.1.serialisation_efficiency;
        Number transfer_efficiency [SHARE]: "Time on an ideal network over elapsed time" = row.1.transfer_efficiency;
        Number parallel_efficiency [SHARE]: "Load balance · communication efficiency" = row.1.parallel_efficiency;
        Number computation_scaling [SHARE]: "Work of the first point over work" = row.1.computation_scaling;
        Number global_efficiency [SHARE]: "Parallel efficiency · computation scaling" = row.1.global_efficiency;
        Text bound: "Where the time lies: `below`, `greedy`, `inflated` or `above`" = option(row.1.bound.map(WithinBounds::as_str));
    }
}

columns! {
    pub(super) fn models<'a>(row: Line<'a, ScaleModel>) {
        Text series: "Name of the series" = series(row.0, row.1.series);
        Text path: "Names of the group; absent for the whole" = joined(&row.1.path);
        Text group: "Group id; absent for the whole" = option(row.1.group.as_deref());
        Text law: "Law" = some(row.1.law.as_str());
        Text formula: "Fitted function of p" = option(row.1.formula.as_deref());
        Text parameters: "Its parameters, as `name=value` with blanks between" = {
                let mut texts = Vec::new();
                for parameter in &row.1.parameters {
                    if let Some(value) = parameter.value {
                        texts.push(format!("{}={value}", parameter.name));
                    }
                }
                Some(texts.join(" ").into())
            };
        Count points: "Points that it was fitted to" = Some(row.1.points);
        Number r_squared: "Share of variance explained" = row.1.r_squared;
        Number smape [ColumnUnit::Named("%")]: "Symmetric mean absolute error" = row.1.smape;
        Number rss: "Sum of squares of residuals" = row.1.rss;
        Number rss_left_out: "The same at points left out of the fit" = row.1.rss_left_out;
        Number greatest_error [SHARE]: "Largest relative error" = row.1.greatest_error;
        Number greatest_error_at [PARAMETER]: "p of the largest error" = row.1.greatest_error_at;
        Text flags: "Flags, with blanks between" = Some(row.1.flags.iter().map(|flag| flag.as_str()).collect::<Vec<_>>().join(" ").into());
        Text reason: "Why the law was not fitted" = option(row.1.reason.as_deref());
    }
}

columns! {
    pub(super) fn loss<'a>(row: Line<'a, ScaleLoss>) {
        Text series: "Name of the series" = series(row.0, row.1.series);
        Number p [PARAMETER]: "Value of the parameter" = Some(row.1.p);
        Text run: "Run" = some(&row.1.run);
        Text reference_run: "Run that it is compared with" = some(&row.1.reference_run);
        Text path: "Names of the group; absent for the whole" = joined(&row.1.path);
        Text group: "Group id; absent for the whole" = option(row.1.group.as_deref());
        Integer workers: "Workers" = Some(row.1.workers);
        Number area [OF_METRIC]: "Workers · time, or the group's part of it" = Some(row.1.area);
        Number ideal [OF_METRIC]: "Work of the reference run" = Some(row.1.ideal);
        Number inflation [OF_METRIC]: "Work beyond it" = Some(row.1.inflation);
        Number overhead [OF_METRIC]: "Workers idle although something was ready; for call profiles, time in MPI" = row.1.overhead;
        Number idle [OF_METRIC]: "Workers idle because nothing was ready" = row.1.idle;
        Number unexplained [OF_METRIC]: "Time without work of unknown cause" = row.1.unexplained;
        Number inflation_ratio [RATIO]: "Work over that of the reference run" = row.1.inflation_ratio;
        Number inflation_low [RATIO]: "Lower end of its interval" = low(row.1.inflation_interval);
        Number inflation_high [RATIO]: "Upper end of its interval" = high(row.1.inflation_interval);
        Number ready [OF_METRIC]: "Time that fragments were ready and waited, summed" = row.1.ready;
    }
}

/// Two points out of order, and a group's part in it.
pub(super) type Inversion<'a> = (&'a Scale, &'a OutOfOrder, &'a Culprit);

columns! {
    pub(super) fn out_of_order<'a>(row: Inversion<'a>) {
        Text series: "Name of the series" = series(row.0, row.1.series);
        Number from [PARAMETER]: "First value of the parameter" = Some(row.1.p[0]);
        Number to [PARAMETER]: "Second value of the parameter" = Some(row.1.p[1]);
        Text from_run: "Run of the first point" = some(&row.1.runs[0]);
        Text to_run: "Run of the second point" = some(&row.1.runs[1]);
        Text suspect: "Run that is farther from the curve through its neighbours" = option(row.1.suspect.as_deref());
        Truth certain: "Whether the runs of both points do not overlap" = row.1.certain;
        Number from_value [OF_METRIC]: "Median of the first point" = Some(row.1.values[0]);
        Number to_value [OF_METRIC]: "Median of the second point" = Some(row.1.values[1]);
        Text path: "Names of the group" = joined(&row.2.path);
        Number delta [OF_METRIC]: "Difference of the group's time per worker" = Some(row.2.delta);
        Number share [SHARE]: "Share of the whole inversion" = Some(row.2.share);
    }
}

impl Scale {
    /// One of the tables of the study.
    pub fn table_of(&self, table: ScaleTable) -> Table<'_> {
        let scale = self;
        match table {
            ScaleTable::Points => Table::new(lines(scale, &scale.points), points()),
            ScaleTable::Models => Table::new(lines(scale, &scale.models), models()),
            ScaleTable::Loss => Table::new(lines(scale, &scale.loss), loss()),
            ScaleTable::OutOfOrder => self.table_of_inversions(&scale.out_of_order),
        }
    }

    /// The groups of some pairs of points out of order, a row each.
    pub fn table_of_inversions<'a>(
        &'a self,
        found: impl IntoIterator<Item = &'a OutOfOrder>,
    ) -> Table<'a> {
        let rows = found.into_iter().flat_map(|found| {
            let culprits = found.culprits.iter();
            culprits.map(move |culprit| (self, found, culprit))
        });
        let rows: Vec<Inversion<'a>> = rows.collect();
        Table::new(Rc::<[_]>::from(rows), out_of_order())
    }
}

fn lines<'a, T>(scale: &'a Scale, rows: &'a [T]) -> Rc<[Line<'a, T>]> {
    rows.iter().map(|row| (scale, row)).collect()
}
