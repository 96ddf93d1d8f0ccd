//! Answers as tables. Every column is declared once, with its name, unit, meaning and value; all forms of a table come
//! from that declaration.

mod decisions;
mod ensemble;
mod history;
mod reference;
mod run;
mod scale;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::{MetricValue, ParamValue};

pub use reference::{ColumnReference, TableReference, columns_document, table_references};

/// An answer that is a table.
pub trait Tabular {
    /// Its rows, column by column.
    fn table(&self) -> Table;
}

/// Named columns of equal length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    columns: Vec<TableColumn>,
    rows: usize,
}

/// One column with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    /// Name, unique in the table.
    pub name: String,
    /// One value per row.
    pub values: Values,
}

/// Values of one type; `None` is absent.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Texts, from traces too: they are not safe to print.
    Text(Vec<Option<String>>),
    /// Floating-point numbers.
    Number(Vec<Option<f64>>),
    /// Integers of any size, such as times.
    Integer(Vec<Option<i64>>),
    /// Numbers of things, nearly always below 2³¹.
    Count(Vec<Option<u64>>),
    /// Truth values.
    Truth(Vec<Option<bool>>),
    /// Values of one metric of grains: exact integers, or floats.
    Metric(Vec<Option<MetricValue>>),
    /// Parameters, whose types may differ from row to row.
    Parameter(Vec<Option<ParamValue>>),
}

impl Table {
    /// The columns in their order.
    pub fn columns(&self) -> &[TableColumn] {
        &self.columns
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.rows
    }

    fn new<R>(rows: &[R], columns: Vec<Column<R>>) -> Self {
        let mut table = Self {
            columns: Vec::with_capacity(columns.len()),
            rows: rows.len(),
        };
        table.add(rows, columns);
        table
    }

    fn add<R>(&mut self, rows: &[R], columns: Vec<Column<R>>) {
        for column in columns {
            let values = match column.value {
                Value::Text(of) => {
                    let texts = rows.iter().map(|row| of(row).map(Cow::into_owned));
                    Values::Text(texts.collect())
                }
                Value::Number(of) => Values::Number(rows.iter().map(of).collect()),
                Value::Integer(of) => Values::Integer(rows.iter().map(of).collect()),
                Value::Count(of) => Values::Count(rows.iter().map(of).collect()),
                Value::Truth(of) => Values::Truth(rows.iter().map(of).collect()),
                Value::Parameter(of) => Values::Parameter(rows.iter().map(of).collect()),
            };
            self.add_values(column.name.to_owned(), values);
        }
    }

    /// A column `PREFIX.NAME` per parameter.
    fn add_parameters<R>(
        &mut self,
        rows: &[R],
        prefix: &str,
        names: &[&str],
        params: impl Fn(&R) -> &BTreeMap<String, ParamValue>,
    ) {
        for name in names {
            let values = rows.iter().map(|row| params(row).get(*name).cloned());
            let values = Values::Parameter(values.collect());
            self.add_values(format!("{prefix}.{name}"), values);
        }
    }

    fn add_values(&mut self, name: String, values: Values) {
        self.columns.push(TableColumn { name, values });
    }
}

/// The declaration of a column of rows `R`.
struct Column<R> {
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    value: Value<R>,
}

enum Value<R> {
    Text(fn(&R) -> Text<'_>),
    Number(fn(&R) -> Option<f64>),
    Integer(fn(&R) -> Option<i64>),
    Count(fn(&R) -> Option<u64>),
    Truth(fn(&R) -> Option<bool>),
    Parameter(fn(&R) -> Option<ParamValue>),
}

type Text<'r> = Option<Cow<'r, str>>;

/// The unit that the answer states for its metric.
const OF_METRIC: &str = "that of the metric";
/// The time unit of the run.
const OF_RUN: &str = "that of the run's times";
const NANOSECONDS: &str = "ns";
const SHARE: &str = "share";
const RATIO: &str = "ratio";

/// Columns of a table, one per line: type, name, unit in brackets, meaning, value of a row.
macro_rules! columns {
    ($visibility:vis fn $table:ident $(<$life:lifetime>)? ($row:ident: $type:ty) {
        $($kind:ident $name:ident $([$unit:expr])?: $meaning:literal = $value:expr;)*
    }) => {
        $visibility fn $table $(<$life>)? () -> Vec<Column<$type>> {
            Vec::from([$(Column::<$type> {
                name: stringify!($name),
                unit: [$($unit,)? ""][0],
                meaning: $meaning,
                value: Value::$kind(|$row| $value),
            }),*])
        }
    };
}
use columns;

/// A text that is always there.
#[expect(clippy::unnecessary_wraps, reason = "the value of a column")]
const fn some(text: &str) -> Text<'_> {
    Some(Cow::Borrowed(text))
}

fn option(text: Option<&str>) -> Text<'_> {
    text.map(Cow::Borrowed)
}

/// Names from the outermost, joined by ` / `; absent if there are none.
fn joined(path: &[String]) -> Text<'_> {
    (!path.is_empty()).then(|| Cow::Owned(path.join(" / ")))
}

/// A choice by the word that JSON has for it.
fn word(choice: impl Serialize) -> Text<'static> {
    match serde_json::to_value(choice) {
        Ok(serde_json::Value::String(word)) => Some(Cow::Owned(word)),
        _ => None,
    }
}

/// Names of parameters in any of the maps, in order.
fn names<'a>(maps: impl Iterator<Item = &'a BTreeMap<String, ParamValue>>) -> Vec<&'a str> {
    let mut names: Vec<&str> = maps
        .flat_map(|map| map.keys().map(String::as_str))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn low(ends: Option<[f64; 2]>) -> Option<f64> {
    ends.map(|[low, _]| low)
}

fn high(ends: Option<[f64; 2]>) -> Option<f64> {
    ends.map(|[_, high]| high)
}
