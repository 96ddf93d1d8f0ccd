//! The tables of a run.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef, RecordBatch, new_null_array};
use arrow::datatypes::{Field, Schema, SchemaRef};

use super::column::{ArrowForm, ColumnArray, ColumnValue, CompactForm};
use super::compact::ColumnSink;
use super::declare::{Column, TableSchema, declare_compact, declare_table};
use crate::Error;

/// Version of the schemas below. Version 2 added columns that can be absent, and let some values
/// be absent; tables of version 1 are read as such.
pub const SCHEMA_VERSION: u32 = 2;

/// Every table of a run, in the order they are hashed and written.
pub const TABLES: &[TableSchema] = &[
    Definitions::SCHEMA,
    Contexts::SCHEMA,
    Locations::SCHEMA,
    Metrics::SCHEMA,
    Values::SCHEMA,
    Totals::SCHEMA,
    Grains::SCHEMA,
    Fragments::SCHEMA,
    Waits::SCHEMA,
    Dependences::SCHEMA,
    Counters::SCHEMA,
];

declare_table! {
    /// Constructs in the source that the run executed.
    ///
    /// Sorted by `id`; `definition` of the other tables is a row number here.
    Definitions, DefinitionRow, DefinitionsBuilder, "definitions", ArrowForm {
        /// Stable identity: hash of kind, normalised function and ordinal.
        id: [u8; 16],
        /// What it is: `program`, `parallel`, `task`, `taskloop`, `loop`, `single`, `sections`, `function`, ….
        kind: String,
        /// Name for people: `fib (task)`, `main:31 (loop)`; the profile's own name for call profiles.
        name: String,
        /// Function that contains the construct, demangled and normalised; the raw name for call profiles.
        function: Option<String>,
        /// Source file.
        file: Option<String>,
        /// Line of the construct, from 1.
        line: Option<i32>,
        /// Library or executable that holds the code, without folders.
        module: Option<String>,
        /// Place among the constructs of this kind in the function, from 0.
        ordinal: i32,
        /// Code address as `module+0xoffset`.
        site: Option<String>,
    }
}

declare_table! {
    /// Calling contexts: paths of definitions from the root, in pre-order.
    ///
    /// A parent stands before its children; children stand in order of their definition's id.
    Contexts, ContextRow, ContextsBuilder, "contexts", ArrowForm {
        /// Stable identity: hash of the path.
        id: [u8; 16],
        /// Row of the parent context; absent for roots.
        parent: Option<i32>,
        /// Row of the definition that the path ends in.
        definition: i32,
        /// Definitions on the path, less one.
        depth: i32,
    }
}

declare_table! {
    /// Workers, and helper threads of the runtime: where values were measured.
    ///
    /// Sorted by rank; workers of a rank by thread, behind them its helpers.
    Locations, LocationRow, LocationsBuilder, "locations", ArrowForm {
        /// Rank of the process, from 0.
        rank: i32,
        /// Worker within the rank, from 0; a helper, which is no worker, from -1 down.
        thread: i32,
        /// Processor on which the worker was first seen.
        core: Option<i32>,
        /// NUMA node of that processor.
        numa_node: Option<i32>,
    }
}

declare_table! {
    /// Metrics that the run has values of.
    ///
    /// Sorted by `name`.
    Metrics, MetricRow, MetricsBuilder, "metrics", ArrowForm {
        /// Lower snake case with the unit as suffix.
        name: String,
        /// Unit: `ns`, `us`, `s`, `ticks`, `cycles`, `bytes`, `count`, `ratio` or `unknown`.
        unit: String,
        /// How values combine: `additive`, `inclusive` or `intensive`.
        kind: String,
        /// `higher_is_worse`, `higher_is_better` or `neutral`.
        direction: String,
        /// Whether the values are exact integers (`sum` columns) or floats (`sum_float` columns).
        is_integer: bool,
        /// The name that the source used.
        source: Option<String>,
        /// The label that the source shows people in place of that name; not unique.
        alias: Option<String>,
    }
}

declare_table! {
    /// Values per context, location and metric, over the context's own grains or samples.
    ///
    /// Sorted by context, metric, location. A missing row is absent, not zero.
    Values, ValueRow, ValuesBuilder, "values", ArrowForm {
        /// Row of the context.
        context: i32,
        /// Row of the metric.
        metric: i32,
        /// Row of the location.
        location: i32,
        /// Grains, fragments or samples measured.
        count: i64,
        /// Exact sum of an integer metric.
        sum: Option<i64>,
        /// Sum of a float metric, in source order.
        sum_float: Option<f64>,
    }
}

declare_table! {
    /// Values per context and metric over all locations: one observation per grain, or per location where there are no grains.
    ///
    /// Sorted by context, metric.
    Totals, TotalRow, TotalsBuilder, "totals", ArrowForm {
        /// Row of the context.
        context: i32,
        /// Row of the metric.
        metric: i32,
        /// Observations.
        count: i64,
        /// Exact sum of an integer metric.
        sum: Option<i64>,
        /// Least observation of an integer metric.
        min: Option<i64>,
        /// Greatest observation of an integer metric.
        max: Option<i64>,
        /// Exact sum of squares of an integer metric.
        sum_squares: Option<i128>,
        /// Sum of a float metric, in source order.
        sum_float: Option<f64>,
        /// Least observation of a float metric.
        min_float: Option<f64>,
        /// Greatest observation of a float metric.
        max_float: Option<f64>,
        /// Buckets of the quantile sketch, ascending: value v ≥ 128 is in bucket 64·e + (v >> e), e = ⌊log₂ v⌋ − 6; smaller values are their own bucket.
        sketch_buckets: Vec<i32>,
        /// Observations in each of those buckets.
        sketch_counts: Vec<i64>,
    }
}

declare_table! {
    /// Tasks and loop chunks, and the implicit tasks that carry the rest of the program's work.
    ///
    /// Sorted by context, parent, sequence, index: the order does not depend on the schedule and
    /// parents stand before children.
    Grains, GrainRow, GrainsBuilder, "grains", CompactForm {
        /// Schedule-independent key of the grain: hash of its path enumeration.
        path_key: i64,
        /// Row of the context.
        context: i32,
        /// Row of the parent grain; absent for roots.
        parent: Option<i32>,
        /// What it is: 0 initial task, 1 implicit task, 2 task, 3 chunk, 4 taskloop chunk.
        kind: i32,
        /// Properties, a sum of: 1 undeferred, 2 untied, 4 final, 8 mergeable, 16 merged, 32 cancelled, 64 incomplete, 128 has dependences, 256 schedule-dependent path, 512 collapsed.
        flags: i32,
        /// Number of the work-sharing construct within the parent, from 0; absent outside one.
        sequence: Option<i64>,
        /// Place among the parent's children of that construct, from 0.
        index: i64,
        /// Number of the parent's wait that collects the grain, from 0; absent where the source leaves it to be computed.
        joined_by: Option<i64>,
        /// First iteration of a chunk.
        first_iteration: Option<i64>,
        /// Iterations of a chunk.
        iterations: Option<i64>,
        /// Row of the location that finished the grain.
        location: Option<i32>,
        /// Time of creation, from the run's start.
        created: Option<i64>,
        /// Time of the first fragment's begin.
        start: Option<i64>,
        /// Time of the last fragment's end.
        end: Option<i64>,
        /// Time spent computing: the sum over the grain's fragments; absent where the source has structure only.
        work: Option<i64>,
        /// Time its parent spent creating it.
        creation: Option<i64>,
        /// Time it spent in waits while its worker ran nothing else.
        waiting: Option<i64>,
    }
}

declare_table! {
    /// Stretches of a grain between fork, join and switch points.
    ///
    /// Sorted by grain, then time.
    Fragments, FragmentRow, FragmentsBuilder, "fragments", CompactForm {
        /// Row of the grain.
        grain: i32,
        /// Row of the location that ran it.
        location: i32,
        /// Begin, from the run's start.
        start: i64,
        /// Length.
        duration: i64,
        /// What ended it: 0 end of the grain, 1 creation of a child, 2 wait, 3 switch to another task, 4 chunk or region begin, 5 end of the trace, 6 wait for a lock, 7 MPI call.
        ended_by: i32,
    }
}

declare_table! {
    /// Waits of grains: the join points.
    ///
    /// Sorted by grain, then time.
    Waits, WaitRow, WaitsBuilder, "waits", ArrowForm {
        /// Row of the waiting grain.
        grain: i32,
        /// 0 taskwait, 1 taskgroup, 2 barrier, 3 implicit barrier, 4 end of a parallel region.
        kind: i32,
        /// Begin, from the run's start.
        start: i64,
        /// Length, including other grains that ran on the worker meanwhile.
        duration: i64,
        /// Source line of the wait, when its code address is known.
        line: Option<i32>,
    }
}

declare_table! {
    /// Dependences between sibling tasks, computed from their dependence lists.
    ///
    /// Sorted by successor, then predecessor.
    Dependences, DependenceRow, DependencesBuilder, "dependences", ArrowForm {
        /// Row of the grain that must finish first.
        predecessor: i32,
        /// Row of the grain that waits for it.
        successor: i32,
    }
}

declare_table! {
    /// Hardware counters of grains, and what else the source measured of each.
    ///
    /// Sorted by grain, metric. Empty where nothing of the kind was measured.
    Counters, CounterRow, CountersBuilder, "counters", ArrowForm {
        /// Row of the grain.
        grain: i32,
        /// Row of the metric.
        metric: i32,
        /// Value of an integer metric, over the grain's fragments.
        value: Option<i64>,
        /// Value of a float metric.
        value_float: Option<f64>,
    }
}

/// Kinds of grains, as stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum GrainKind {
    /// The program's initial task.
    Initial = 0,
    /// A member of a team.
    Implicit = 1,
    /// An explicit task.
    Task = 2,
    /// A chunk of a work-sharing loop.
    Chunk = 3,
    /// A task of a taskloop.
    TaskloopChunk = 4,
}

impl FragmentEnd {
    /// The end with the given number.
    pub const fn from_code(code: i32) -> Option<Self> {
        match code {
            0 => Some(Self::GrainEnd),
            1 => Some(Self::Creation),
            2 => Some(Self::Wait),
            3 => Some(Self::Switch),
            4 => Some(Self::Enter),
            5 => Some(Self::TraceEnd),
            6 => Some(Self::Lock),
            7 => Some(Self::Message),
            _ => None,
        }
    }
}

impl GrainKind {
    /// The kind with the given number.
    pub const fn from_code(code: i32) -> Option<Self> {
        match code {
            0 => Some(Self::Initial),
            1 => Some(Self::Implicit),
            2 => Some(Self::Task),
            3 => Some(Self::Chunk),
            4 => Some(Self::TaskloopChunk),
            _ => None,
        }
    }

    /// Whether it is a grain in the sense of the grain graph, a task or a chunk.
    pub const fn is_grain(self) -> bool {
        matches!(self, Self::Task | Self::Chunk | Self::TaskloopChunk)
    }
}

/// What ends a fragment, as stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum FragmentEnd {
    /// The grain ended.
    GrainEnd = 0,
    /// It created a child.
    Creation = 1,
    /// It began to wait.
    Wait = 2,
    /// Its worker switched to another task.
    Switch = 3,
    /// It entered a chunk or a parallel region.
    Enter = 4,
    /// The trace ended.
    TraceEnd = 5,
    /// It began to wait for a lock, a critical or ordered section, an atomic construct, or another iteration.
    Lock = 6,
    /// It called MPI.
    Message = 7,
}

/// What a grain waits at, as stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(i32)]
pub enum WaitKind {
    /// `taskwait`.
    Taskwait = 0,
    /// End of a `taskgroup`.
    Taskgroup = 1,
    /// An explicit barrier.
    Barrier = 2,
    /// The barrier that ends a work-sharing construct.
    ImplicitBarrier = 3,
    /// The barrier that ends a parallel region.
    RegionEnd = 4,
}

/// Bits of the `flags` column of grains.
pub mod flags {
    /// Ran at once inside its parent.
    pub const UNDEFERRED: i32 = 1;
    /// May move between threads.
    pub const UNTIED: i32 = 2;
    /// Final task.
    pub const FINAL: i32 = 4;
    /// Mergeable task.
    pub const MERGEABLE: i32 = 8;
    /// Merged task.
    pub const MERGED: i32 = 16;
    /// Cancelled before or while it ran.
    pub const CANCELLED: i32 = 32;
    /// Its end is not in the trace.
    pub const INCOMPLETE: i32 = 64;
    /// Has a depend clause.
    pub const HAS_DEPENDENCES: i32 = 128;
    /// Its path depends on the schedule: not comparable across runs.
    pub const SCHEDULE_DEPENDENT: i32 = 256;
    /// Stands for a whole subtree that the source did not keep.
    pub const COLLAPSED: i32 = 512;
}

/// Columns that schema 1 had not.
const ADDED: &[(&str, &str)] = &[
    ("metrics", "alias"),
    ("grains", "joined_by"),
    ("counters", "value_float"),
];

/// Columns whose values could not be absent in schema 1.
const WIDENED: &[(&str, &str)] = &[("grains", "work"), ("counters", "value")];

/// Feeds a column to the hash that becomes a run's id. Ids outlive schemas: what a run of an older
/// schema cannot have counts only where there is something of it.
fn digest_column<T: ColumnValue<F>, F>(
    table: &str,
    column: &str,
    array: &T::Array,
    hasher: &mut blake3::Hasher,
) {
    if ADDED.contains(&(table, column)) {
        if array.absent() < array.rows() {
            hasher.update(column.as_bytes());
            T::digest(array, hasher);
        }
    } else if WIDENED.contains(&(table, column)) && array.absent() == 0 {
        T::digest_present(array, hasher);
    } else {
        T::digest(array, hasher);
    }
}

/// The column of a batch that lacks it.
fn absent_column<T: ColumnValue<F>, F>(
    table: &'static str,
    column: &'static str,
    rows: usize,
) -> Result<T::Array, Error> {
    if !T::IS_NULLABLE {
        return Err(Error::MissingColumn { table, column });
    }
    let absent = new_null_array(&T::data_type(), rows);
    typed_column::<T, F>(table, column, &absent)
}

fn typed_column<T: ColumnValue<F>, F>(
    table: &'static str,
    column: &'static str,
    array: &ArrayRef,
) -> Result<T::Array, Error> {
    if array.data_type() != &T::data_type() {
        return Err(Error::ColumnType {
            table,
            column,
            expected: T::data_type().to_string(),
            found: array.data_type().to_string(),
        });
    }
    if !T::IS_NULLABLE && array.null_count() > 0 {
        let row = (0..array.len())
            .find(|&row| array.is_null(row))
            .unwrap_or(0);
        let reason = "value is null in a column that has no absent values".to_owned();
        return Err(Error::Invalid {
            table,
            row,
            column,
            reason,
        });
    }
    T::from_arrow(array).ok_or_else(|| Error::ColumnType {
        table,
        column,
        expected: T::data_type().to_string(),
        found: array.data_type().to_string(),
    })
}
