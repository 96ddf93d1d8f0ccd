//! Rows of grains, column by column: a page of a run with millions of grains has no map and no names per row.

use std::sync::Arc;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::{GrainKind, GrainRow, MetricValue};

/// Columns of equal length, a row per grain. JSON has them as rows, [`GrainRow`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GrainRows {
    /// Place of each grain in the structure of the run.
    pub path: Vec<Vec<String>>,
    /// Names of definitions.
    pub definition: Vec<Arc<str>>,
    /// Rows in the run's table of grains.
    pub grain: Vec<u32>,
    /// Keys of paths, the same in every run.
    pub path_key: Vec<i64>,
    /// Kinds.
    pub kind: Vec<GrainKind>,
    /// Rows of parents.
    pub parent: Vec<Option<i32>>,
    /// Ranks of the workers that finished them.
    pub rank: Vec<Option<i32>>,
    /// Threads of these workers.
    pub thread: Vec<Option<i32>>,
    /// Times of creation.
    pub created: Vec<Option<i64>>,
    /// Times of the first begin.
    pub start: Vec<Option<i64>>,
    /// Times of the end.
    pub end: Vec<Option<i64>>,
    /// First iterations of chunks.
    pub first_iteration: Vec<Option<i64>>,
    /// Iterations of chunks.
    pub iterations: Vec<Option<i64>>,
    /// Names and values of metrics, in the order of the answer's metrics.
    pub metrics: Vec<(Arc<str>, MetricColumn)>,
}

/// Values of one metric, a row per grain: integers if it is exact.
#[derive(Debug, Clone, PartialEq)]
pub enum MetricColumn {
    /// Exact integers.
    Integers(Vec<Option<i64>>),
    /// Floats.
    Floats(Vec<Option<f64>>),
}

impl MetricColumn {
    /// The value of a row; absent if there is no such row.
    pub fn get(&self, row: usize) -> Option<MetricValue> {
        match self {
            Self::Integers(values) => values.get(row).copied()?.map(MetricValue::Integer),
            Self::Floats(values) => values.get(row).copied()?.map(MetricValue::Float),
        }
    }
}

/// A path key as texts have it: 16 hexadecimal digits.
pub fn path_key_text(key: i64) -> String {
    format!("{key:016x}")
}

impl GrainRows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.grain.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.grain.is_empty()
    }

    /// The rows one by one, put together for people and tests.
    pub fn iter(&self) -> impl Iterator<Item = GrainRow> {
        (0..self.len()).map(|row| self.row(row))
    }

    fn row(&self, row: usize) -> GrainRow {
        let metrics = self.metrics.iter();
        let metrics =
            metrics.filter_map(|(name, column)| Some((name.to_string(), column.get(row)?)));
        GrainRow {
            path: self.path[row].clone(),
            definition: self.definition[row].to_string(),
            grain: self.grain[row],
            path_key: path_key_text(self.path_key[row]),
            kind: self.kind[row],
            parent: self.parent[row],
            rank: self.rank[row],
            thread: self.thread[row],
            created: self.created[row],
            start: self.start[row],
            end: self.end[row],
            first_iteration: self.first_iteration[row],
            iterations: self.iterations[row],
            metrics: metrics.collect(),
        }
    }

    fn push(&mut self, row: GrainRow) {
        self.path.push(row.path);
        self.definition.push(row.definition.into());
        self.grain.push(row.grain);
        let key = u64::from_str_radix(&row.path_key, 16).unwrap_or(0);
        self.path_key.push(key.cast_signed());
        self.kind.push(row.kind);
        self.parent.push(row.parent);
        self.rank.push(row.rank);
        self.thread.push(row.thread);
        self.created.push(row.created);
        self.start.push(row.start);
        self.end.push(row.end);
        self.first_iteration.push(row.first_iteration);
        self.iterations.push(row.iterations);
        for (name, value) in row.metrics {
            self.push_metric(&name, value);
        }
    }

    /// Puts a value into the newest row. A column with any float has floats only.
    fn push_metric(&mut self, name: &str, value: MetricValue) {
        let row = self.grain.len() - 1;
        let known = self.metrics.iter().position(|(known, _)| **known == *name);
        let at = known.unwrap_or_else(|| {
            let column = MetricColumn::Integers(Vec::new());
            self.metrics.push((Arc::from(name), column));
            self.metrics.len() - 1
        });
        let column = &mut self.metrics[at].1;
        if let (MetricColumn::Integers(values), MetricValue::Float(_)) = (&*column, value) {
            let values = values.iter().map(|value| value.map(|it| it as f64));
            *column = MetricColumn::Floats(values.collect());
        }
        match column {
            MetricColumn::Integers(values) => {
                values.resize(row, None);
                if let MetricValue::Integer(value) = value {
                    values.push(Some(value));
                }
            }
            MetricColumn::Floats(values) => {
                values.resize(row, None);
                values.push(Some(value.as_f64()));
            }
        }
    }
}

impl Serialize for GrainRows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Keys of metrics stand in the order of their names, each once.
        let mut metrics: Vec<&(Arc<str>, MetricColumn)> = self.metrics.iter().collect();
        metrics.sort_by(|a, b| a.0.cmp(&b.0));
        metrics.dedup_by(|a, b| a.0 == b.0);
        let rows = (0..self.len()).map(|row| RowAt {
            rows: self,
            metrics: &metrics,
            row,
        });
        serializer.collect_seq(rows)
    }
}

struct RowAt<'a> {
    rows: &'a GrainRows,
    metrics: &'a [&'a (Arc<str>, MetricColumn)],
    row: usize,
}

impl Serialize for RowAt<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (rows, row) = (self.rows, self.row);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &rows.path[row])?;
        map.serialize_entry("definition", &*rows.definition[row])?;
        map.serialize_entry("grain", &rows.grain[row])?;
        map.serialize_entry("path_key", &path_key_text(rows.path_key[row]))?;
        map.serialize_entry("kind", &rows.kind[row])?;
        for (name, column) in [
            ("parent", &rows.parent),
            ("rank", &rows.rank),
            ("thread", &rows.thread),
        ] {
            if let Some(value) = column[row] {
                map.serialize_entry(name, &value)?;
            }
        }
        for (name, column) in [
            ("created", &rows.created),
            ("start", &rows.start),
            ("end", &rows.end),
            ("first_iteration", &rows.first_iteration),
            ("iterations", &rows.iterations),
        ] {
            if let Some(value) = column[row] {
                map.serialize_entry(name, &value)?;
            }
        }
        for (name, column) in self.metrics {
            if let Some(value) = column.get(row) {
                map.serialize_entry(&**name, &value)?;
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for GrainRows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<GrainRow>::deserialize(deserializer)?
            .into_iter()
            .collect())
    }
}

impl FromIterator<GrainRow> for GrainRows {
    fn from_iter<I: IntoIterator<Item = GrainRow>>(rows: I) -> Self {
        let mut columns = Self::default();
        for row in rows {
            columns.push(row);
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = r#"[{"path":["main[0]"],"definition":"main","grain":0,"path_key":"ffffffffffffffff","kind":"task","start":3,"b":2.5},{"path":["main[1]"],"definition":"main","grain":1,"path_key":"0000000000000010","kind":"chunk","rank":0,"a":7,"b":1.0}]"#;

    #[test]
    fn columns_are_written_as_the_rows_that_they_are_read_from() {
        let rows: GrainRows = serde_json::from_str(ROWS).unwrap();
        assert_eq!(rows.path_key, [-1, 16]);
        assert_eq!(serde_json::to_string(&rows).unwrap(), ROWS);
        let one_by_one: Vec<GrainRow> = rows.iter().collect();
        assert_eq!(serde_json::to_string(&one_by_one).unwrap(), ROWS);
    }
}
