//! Answers as tables. Every column is declared once, with its name, unit, meaning and value; all forms of a table come
//! from that declaration.

mod decisions;
mod ensemble;
mod explain;
mod history;
mod locations;
mod reference;
mod run;
mod scale;
mod store;
mod what_if;

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::{GrainMetric, MetricValue, ParamValue};

pub use decisions::{GateLine, NoiseLine};
pub use reference::{ColumnReference, TableReference, columns_document, table_references};
pub use run::ProblemLine;

/// An answer that is a table.
pub trait Tabular {
    /// Its rows, cell by cell.
    fn table(&self) -> Table<'_>;
}

/// Named columns of equal length, whose cells are made when they are asked for.
#[derive(Default)]
pub struct Table<'a> {
    columns: Vec<TableColumn<'a>>,
    rows: usize,
}

/// One column.
pub struct TableColumn<'a> {
    /// Name, unique in the table.
    pub name: Cow<'a, str>,
    /// Unit of the values.
    pub unit: ColumnUnit<'a>,
    /// Meaning of a value.
    pub meaning: Cow<'a, str>,
    /// One cell per row.
    pub values: Values<'a>,
}

/// The cell of a row; `None` is absent.
pub type Cells<'a, T> = Box<dyn Fn(usize) -> Option<T> + 'a>;

/// Hands the text of a row to the caller; `None` is absent.
pub type TextCells<'a> = Box<dyn Fn(usize, &mut dyn FnMut(Option<&str>)) + 'a>;

/// Cells of one type.
pub enum Values<'a> {
    /// Texts, from traces too: they are not safe to print.
    Text(TextCells<'a>),
    /// Floating-point numbers.
    Number(Cells<'a, f64>),
    /// Integers of any size, such as times.
    Integer(Cells<'a, i64>),
    /// Numbers of things, nearly always below 2³¹.
    Count(Cells<'a, u64>),
    /// Truth values.
    Truth(Cells<'a, bool>),
    /// Values of one metric of grains: exact integers, or floats.
    Metric(Cells<'a, MetricValue>),
    /// Parameters, whose types may differ from row to row.
    Parameter(Cells<'a, ParamValue>),
}

impl<'a> Table<'a> {
    /// The columns in their order.
    pub fn columns(&self) -> &[TableColumn<'a>] {
        &self.columns
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.rows
    }

    /// Changes what a column has; its values stay.
    pub fn columns_mut(&mut self) -> &mut [TableColumn<'a>] {
        &mut self.columns
    }

    /// A table of rows with declared columns.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers make the rows for the table"
    )]
    pub fn new<R: 'a>(rows: impl TableRows<R> + 'a, columns: Vec<Column<R>>) -> Self {
        let mut table = Self {
            columns: Vec::with_capacity(columns.len()),
            rows: rows.len(),
        };
        table.add(&rows, columns);
        table
    }

    fn add<R: 'a>(&mut self, rows: &(impl TableRows<R> + 'a), columns: Vec<Column<R>>) {
        for column in columns {
            let values = match column.value {
                Value::Text(of) => {
                    let rows = rows.clone();
                    Values::Text(Box::new(move |row, write| {
                        rows.read(row, |row| write(of(row).as_deref()));
                    }))
                }
                Value::Number(of) => Values::Number(cells(rows, of)),
                Value::Integer(of) => Values::Integer(cells(rows, of)),
                Value::Count(of) => Values::Count(cells(rows, of)),
                Value::Truth(of) => Values::Truth(cells(rows, of)),
                Value::Parameter(of) => Values::Parameter(cells(rows, of)),
            };
            self.push(column.name, column.unit, column.meaning, values);
        }
    }

    /// A column `PREFIX.NAME` per parameter.
    fn add_parameters<R: 'a>(
        &mut self,
        rows: &(impl TableRows<R> + 'a),
        prefix: &str,
        names: &[&'a str],
        params: fn(&R) -> &BTreeMap<String, ParamValue>,
    ) {
        for &name in names {
            let rows = rows.clone();
            let value = move |row| rows.read(row, |row| params(row).get(name).cloned());
            let values = Values::Parameter(Box::new(value));
            self.add_values(format!("{prefix}.{name}"), "Parameter", values);
        }
    }

    /// A column for each metric of the answer.
    fn add_metrics(
        &mut self,
        metrics: &'a [GrainMetric],
        cells: impl Fn(&'a str) -> Cells<'a, MetricValue>,
    ) {
        for GrainMetric { name, unit, .. } in metrics {
            let values = Values::Metric(cells(name));
            self.push(name, ColumnUnit::Named(unit), "Value of the metric", values);
        }
    }

    /// Adds a column that only some answers have.
    pub fn add_values(
        &mut self,
        name: impl Into<Cow<'a, str>>,
        meaning: impl Into<Cow<'a, str>>,
        values: Values<'a>,
    ) {
        self.push(name, ColumnUnit::None, meaning, values);
    }

    fn push(
        &mut self,
        name: impl Into<Cow<'a, str>>,
        unit: ColumnUnit<'a>,
        meaning: impl Into<Cow<'a, str>>,
        values: Values<'a>,
    ) {
        self.columns.push(TableColumn {
            name: name.into(),
            unit,
            meaning: meaning.into(),
            values,
        });
    }
}

fn cells<'a, R: 'a, T: 'a>(
    rows: &(impl TableRows<R> + 'a),
    of: fn(&R) -> Option<T>,
) -> Cells<'a, T> {
    let rows = rows.clone();
    Box::new(move |row| rows.read(row, of))
}

/// The rows of a table.
pub trait TableRows<R>: Clone {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `read` with a row.
    fn read<T>(&self, row: usize, read: impl FnOnce(&R) -> T) -> T;
}

/// Rows that the answer holds.
impl<R> TableRows<R> for &[R] {
    fn len(&self) -> usize {
        <[R]>::len(self)
    }

    fn read<T>(&self, row: usize, read: impl FnOnce(&R) -> T) -> T {
        read(&self[row])
    }
}

/// Rows that are put together for the table.
impl<R> TableRows<R> for Rc<[R]> {
    fn len(&self) -> usize {
        <[R]>::len(self)
    }

    fn read<T>(&self, row: usize, read: impl FnOnce(&R) -> T) -> T {
        read(&self[row])
    }
}

/// Rows of a source that holds columns: a row is the source with a row number.
#[derive(Debug)]
pub struct NumberedRows<'a, S> {
    /// Where values are.
    pub source: &'a S,
    /// Number of rows.
    pub len: usize,
}

impl<S> Clone for NumberedRows<'_, S> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<'a, S> TableRows<(&'a S, usize)> for NumberedRows<'a, S> {
    fn len(&self) -> usize {
        self.len
    }

    fn read<T>(&self, row: usize, read: impl FnOnce(&(&'a S, usize)) -> T) -> T {
        read(&(self.source, row))
    }
}

/// The declaration of a column of rows `R`; [`columns!`](crate::columns) writes it.
pub struct Column<R> {
    /// Name, unique in the table.
    pub name: &'static str,
    /// Unit of the values.
    pub unit: ColumnUnit<'static>,
    /// Meaning of a value.
    pub meaning: &'static str,
    /// The value of a row.
    pub value: Value<R>,
}

/// How the value of a row is read, by its type as in [`Values`].
pub enum Value<R> {
    /// A text.
    Text(fn(&R) -> Text<'_>),
    /// A floating-point number.
    Number(fn(&R) -> Option<f64>),
    /// An integer.
    Integer(fn(&R) -> Option<i64>),
    /// A number of things.
    Count(fn(&R) -> Option<u64>),
    /// A truth value.
    Truth(fn(&R) -> Option<bool>),
    /// A parameter.
    Parameter(fn(&R) -> Option<ParamValue>),
}

/// The text of a row; `None` is absent.
pub type Text<'r> = Option<Cow<'r, str>>;

/// The unit of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnUnit<'a> {
    /// Numbers of things, texts, and numbers without a unit.
    None,
    /// The unit that the answer states for its metric.
    OfMetric,
    /// The time unit of the run.
    OfRun,
    /// The unit of the parameter.
    OfParameter,
    /// A share or a relative change: 1 is 100 %.
    Share,
    /// One value divided by another.
    Ratio,
    /// This unit.
    Named(&'a str),
}

impl<'a> ColumnUnit<'a> {
    /// Its name in the documentation; empty if there is none.
    pub const fn as_str(self) -> &'a str {
        match self {
            Self::None => "",
            Self::OfMetric => "that of the metric",
            Self::OfRun => "that of the run's times",
            Self::OfParameter => "that of the parameter",
            Self::Share => "share",
            Self::Ratio => "ratio",
            Self::Named(unit) => unit,
        }
    }
}

const OF_METRIC: ColumnUnit<'_> = ColumnUnit::OfMetric;
const OF_RUN: ColumnUnit<'_> = ColumnUnit::OfRun;
const NANOSECONDS: ColumnUnit<'_> = ColumnUnit::Named("ns");
const SHARE: ColumnUnit<'_> = ColumnUnit::Share;
const RATIO: ColumnUnit<'_> = ColumnUnit::Ratio;

/// Declares the columns of a table, one per line: type, name, unit in brackets, meaning, value of a row.
///
/// ```
/// sheaf_answers::columns! {
///     fn words(row: &'static str) {
///         Text word: "Word" = Some((*row).into());
///         Count length [sheaf_answers::ColumnUnit::Named("bytes")]: "Its length" = Some(row.len() as u64);
///     }
/// }
/// let table = sheaf_answers::Table::new(["grain", "sheaf"].as_slice(), words());
/// assert_eq!(table.num_rows(), 2);
/// assert_eq!(table.columns()[1].name, "length");
/// ```
#[macro_export]
macro_rules! columns {
    ($visibility:vis fn $table:ident $(<$life:lifetime>)? ($row:ident: $type:ty) {
        $($kind:ident $name:ident $([$unit:expr])?: $meaning:literal = $value:expr;)*
    }) => {
        $visibility fn $table $(<$life>)? () -> Vec<$crate::Column<$type>> {
            Vec::from([$($crate::Column::<$type> {
                name: stringify!($name),
                unit: [$($unit,)? $crate::ColumnUnit::None][0],
                meaning: $meaning,
                value: $crate::Value::$kind(|$row| $value),
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
fn joined<S: Borrow<str>>(path: &[S]) -> Text<'static> {
    (!path.is_empty()).then(|| Cow::Owned(path.join(" / ")))
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
