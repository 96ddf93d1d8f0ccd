//! Arrow schemas of every table of a run, declared once.
//!
//! Each table is a struct with a column per field, a row struct, and a builder that takes rows. Columns are typed Arrow
//! arrays, which come from and go to a [`RecordBatch`](arrow::array::RecordBatch) without a copy. Those of grains and
//! fragments, of which a run can have many millions, are [`CompactColumn`]s, which are copied.
//! Times are in the run's time unit. A nullable column is absent, never zero, where it is null.

/// Kind of the definition for values outside of every region, such as Caliper's records without a path.
pub const OUTSIDE: &str = "outside";

mod column;
mod compact;
mod declare;
mod helper;
mod packed;
mod schema;

pub(crate) use column::array_of;
pub use column::{ArrowForm, ColumnArray, ColumnValue, CompactForm};
pub use compact::{
    ColumnIter, ColumnSink, CompactBuilder, CompactColumn, Integer, Numbers, NumbersIter,
};
pub use declare::{Column, TableSchema};
pub use packed::{IntoValues, PackedColumn};
pub use schema::{
    ContextRow, Contexts, ContextsBuilder, CounterRow, Counters, CountersBuilder, DefinitionRow,
    Definitions, DefinitionsBuilder, DependenceRow, Dependences, DependencesBuilder, FragmentEnd,
    FragmentRow, Fragments, FragmentsBuilder, GrainKind, GrainRow, Grains, GrainsBuilder,
    LocationRow, Locations, LocationsBuilder, MetricRow, Metrics, MetricsBuilder, SCHEMA_VERSION,
    TABLES, TotalRow, Totals, TotalsBuilder, ValueRow, Values, ValuesBuilder, WaitKind, WaitRow,
    Waits, WaitsBuilder, flags,
};
