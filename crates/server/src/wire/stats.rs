//! Distributions over runs, and what distributions look like.

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use sheaf_answers as api;
use sheaf_ensemble::{BoxPlot, Error, Mode, Modes, SharedBins, StatsAnswer, StatsRow};

use super::params;

/// Bytes of a row without its path, closely enough for a bound.
const ROW_BYTES: u64 = 700;
const SCHEMA: &str = "stats/1";

/// Distributions whose rows become those of the wire one by one, while they are written: the path of a row at call
/// depth n takes n names, so that all of them take memory by the square of the depth.
#[derive(Debug)]
pub struct StatsTable(StatsAnswer);

impl StatsTable {
    pub(crate) const fn new(answer: StatsAnswer) -> Self {
        Self(answer)
    }

    /// The same with a part of the rows; all from `offset` on without a limit.
    #[must_use]
    pub fn page(mut self, offset: usize, limit: Option<usize>) -> Self {
        let rows = &mut self.0.rows;
        rows.drain(..offset.min(rows.len()));
        rows.truncate(limit.unwrap_or(usize::MAX));
        self
    }

    /// Bytes of all rows on the wire, closely enough for a bound.
    pub fn num_bytes(&self) -> u64 {
        let rows = self.0.rows.iter();
        rows.map(|row| row.path.num_bytes().saturating_add(ROW_BYTES))
            .fold(0, u64::saturating_add)
    }

    /// Fails when the rows have more bytes than an answer may have.
    ///
    /// # Errors
    /// Then; the error says how many.
    pub fn within(self, most: usize) -> Result<Self, Error> {
        let bytes = self.num_bytes();
        if bytes > most as u64 {
            return Err(Error::AnswerTooLarge { bytes, most });
        }
        Ok(self)
    }

    /// Every row with its path.
    pub fn whole(&self) -> api::Stats {
        self.with_rows(self.0.rows.iter().map(row).collect())
    }

    /// Every row, but with paths for the first `limit` of each metric and scope alone, which are shown; 0 for all.
    pub fn shown(&self, limit: usize) -> api::Stats {
        let mut before: BTreeMap<(&str, String), usize> = BTreeMap::new();
        let rows = self.0.rows.iter().map(|it| {
            let number = before
                .entry((&it.metric, it.scope.to_string()))
                .or_default();
            *number += 1;
            if limit == 0 || *number <= limit {
                row(it)
            } else {
                row_at(it, Vec::new())
            }
        });
        self.with_rows(rows.collect())
    }

    /// Calls `write` with the rows of the wire, some at a time, and the parameters of all cohorts.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn in_parts<E>(
        &self,
        mut write: impl FnMut(&api::Stats) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = self.0.rows.as_slice();
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |row: &&StatsRow| {
                bytes += row.path.num_bytes() + ROW_BYTES;
                bytes <= PART_BYTES
            };
            let number = rest.iter().take_while(fits).count().max(1);
            let (part, later) = rest.split_at(number);
            write(&self.with_rows(part.iter().map(row).collect()))?;
            rest = later;
        }
        Ok(())
    }

    /// Names of the parameters of any cohort.
    pub fn cohort_names(&self) -> Vec<String> {
        let names = self.0.rows.iter().flat_map(|row| row.cohort.keys());
        let names: std::collections::BTreeSet<&String> = names.collect();
        names.into_iter().cloned().collect()
    }

    fn with_rows(&self, rows: Vec<api::StatsRow>) -> api::Stats {
        api::Stats {
            schema: SCHEMA.to_owned(),
            lens: self.0.lens.to_string(),
            rows,
            notes: self.0.notes.clone(),
        }
    }
}

/// Bytes of rows that are at hand at once.
const PART_BYTES: u64 = 4 << 20;

/// As [`api::Stats`].
impl api::Tabular for StatsTable {
    fn table(&self) -> api::Table {
        self.whole().table()
    }
}

impl Serialize for StatsTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stats = serializer.serialize_struct("Stats", 4)?;
        stats.serialize_field("schema", SCHEMA)?;
        stats.serialize_field("lens", &self.0.lens.to_string())?;
        stats.serialize_field("rows", &Rows(&self.0.rows))?;
        stats.serialize_field("notes", &self.0.notes)?;
        stats.end()
    }
}

struct Rows<'a>(&'a [StatsRow]);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(row))
    }
}

fn row(row: &StatsRow) -> api::StatsRow {
    row_at(row, row.path.to_names())
}

fn row_at(row: &StatsRow, path: Vec<String>) -> api::StatsRow {
    let row = row.clone();
    api::StatsRow {
        group: row.group.to_string(),
        cohort: params(&row.cohort),
        path,
        metric: row.metric,
        source_metric: row.source_metric,
        label: row.label,
        estimated: row.is_estimated,
        scope: row.scope,
        unit: row.unit,
        runs: row.runs,
        absent: row.absent,
        not_measured: row.not_measured,
        count: row.count,
        mean: row.mean,
        median: row.median,
        std: row.std,
        min: row.min,
        max: row.max,
        q1: row.q1,
        q3: row.q3,
        p05: row.p05,
        p95: row.p95,
        mad: row.mad,
        median_ci: row.median_interval,
        box_plot: row.box_plot.map(box_plot),
        modes: row.modes.map(modes),
        histogram: row.histogram.map(shared_bins),
        load_balance: row.load_balance,
        share: row.share,
        outside: row.is_outside,
    }
}

fn shared_bins(bins: SharedBins) -> api::SharedBins {
    api::SharedBins {
        lo: bins.lo,
        hi: bins.hi,
        counts: bins.counts,
    }
}

/// A box plot, whatever its values belong to.
pub(super) fn box_plot<Owner: ToString>(plot: BoxPlot<Owner>) -> api::BoxPlot {
    let outliers = plot.outliers.into_iter().map(|outlier| api::Outlier {
        owner: outlier.owner.to_string(),
        value: outlier.value,
    });
    api::BoxPlot {
        fences: plot.fences,
        whiskers: plot.whiskers,
        outlier_count: plot.outlier_count,
        outliers: outliers.collect(),
    }
}

/// Two clusters.
pub(super) fn modes(modes: Modes) -> api::Modes {
    let mode = |mode: Mode| api::Mode {
        count: mode.count,
        min: mode.min,
        median: mode.median,
        max: mode.max,
    };
    api::Modes {
        low: mode(modes.low),
        high: mode(modes.high),
    }
}
