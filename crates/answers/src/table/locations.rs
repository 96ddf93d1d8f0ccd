//! The table of values by rank or worker.

use std::rc::Rc;

use super::{OF_METRIC, RATIO, SHARE, Table, Tabular, columns, joined, some};
use crate::{LocatedGroup, LocatedRun, LocatedValues, LocationColumn, Locations};

/// A value with everything that it belongs to.
pub(super) struct Line<'a> {
    answer: &'a Locations,
    group: &'a LocatedGroup,
    run: &'a LocatedRun,
    values: &'a LocatedValues,
    column: LocationColumn,
    value: Option<f64>,
}

columns! {
    pub(super) fn locations<'a>(row: Line<'a>) {
        Text path: "Names from the outermost group, joined by ` / `" = joined(&row.group.path.names());
        Text group: "Group id" = some(&row.group.group);
        Text run: "Run id" = some(&row.run.run);
        Text name: "Short name of the run" = some(&row.run.name);
        Integer rank: "Rank" = Some(row.column.first.rank.into());
        Integer thread: "Thread; absent if locations are ranks" = row.column.first.thread.map(i64::from);
        Integer last_rank: "Rank of the last location, if the row is of several" = Some(row.column.last?.rank.into());
        Integer last_thread: "Thread of the last location, if the row is of several"
            = row.column.last?.thread.map(i64::from);
        Text metric: "Metric" = some(&row.answer.metric);
        Text scope: "`exclusive` or `inclusive`" = some(row.answer.scope.as_str());
        Text unit: "Unit of the values" = some(&row.answer.unit);
        Number value [OF_METRIC]: "Value; absent if the group does not occur there, but `mean` counts it as 0 if the metric adds up" = row.value;
        Number mean [OF_METRIC]: "Mean over the locations of the run" = row.values.spread.mean;
        Number relative [RATIO]: "value / mean" = relative(row);
        Number imbalance [SHARE]: "(max − mean) / max over the locations of the run" = row.values.imbalance;
    }
}

fn relative(row: &Line<'_>) -> Option<f64> {
    let mean = row.values.spread.mean.filter(|&mean| mean > 0.0)?;
    Some(row.value? / mean)
}

/// A row for each group, run and column of the run.
impl Tabular for Locations {
    fn table(&self) -> Table<'_> {
        let mut lines = Vec::new();
        for group in &self.groups {
            for values in &group.runs {
                let place = usize::try_from(values.run).ok();
                let Some(run) = place.and_then(|place| self.runs.get(place)) else {
                    continue;
                };
                let columns = run.columns.iter().zip(&values.values);
                lines.extend(columns.map(|(&column, &value)| Line {
                    answer: self,
                    group,
                    run,
                    values,
                    column,
                    value,
                }));
            }
        }
        Table::new(Rc::<[_]>::from(lines), locations())
    }
}
