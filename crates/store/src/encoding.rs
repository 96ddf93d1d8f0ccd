//! How each column is encoded in Parquet.
//!
//! Measured with `benches/store.rs`; the choice is part of the writer's version, because the same
//! runs must give the same bytes.

use arrow::datatypes::DataType;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;

use crate::Error;
use crate::layout::row_column;

/// Named in every file; the same for every build, so that equal runs give equal bytes.
const CREATED_BY: &str = "grainsheaf version 1";

const ZSTD_LEVEL: i32 = 3;

/// Largest dictionary of a column of durations, in bytes: one of more distinct values is larger
/// than the differences it saves.
const DURATION_DICTIONARY: usize = 1 << 16;

/// Encoding of a column before compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnEncoding {
    /// Distinct values once, then runs of their numbers: for few distinct values.
    Dictionary,
    /// Differences between neighbours, bit-packed: for times and sorted row numbers.
    Delta,
    /// A dictionary while it is small, then differences: for durations and sums, of which a run
    /// has few distinct ones when they are short.
    DictionaryThenDelta,
    /// The values as they are: for hashes and for floats, whose bits hardly repeat but in wholes.
    Plain,
}

impl ColumnEncoding {
    /// Name in the documented schema.
    #[cfg(test)]
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Dictionary => "dictionary",
            Self::Delta => "delta",
            Self::DictionaryThenDelta => "dictionary then delta",
            Self::Plain => "plain",
        }
    }

    /// The encoding of a column of a table.
    pub(crate) fn of(table: &str, column: &str, data_type: &DataType) -> Self {
        if matches!(
            data_type,
            DataType::Boolean | DataType::Float64 | DataType::Decimal128(..)
        ) {
            return Self::Plain;
        }
        match (table, column) {
            ("grains", "path_key") => Self::Plain,
            (
                "grains",
                "parent" | "index" | "first_iteration" | "created" | "start" | "end" | "work",
            )
            | ("fragments", "grain" | "start")
            | ("waits", "grain" | "start" | "duration")
            | ("dependences", "predecessor" | "successor")
            | ("counters", "grain") => Self::Delta,
            ("grains", "creation" | "waiting")
            | ("fragments", "duration")
            | ("counters", "value")
            | ("values" | "totals", "count" | "sum" | "min" | "max") => Self::DictionaryThenDelta,
            _ if row_column(table) == Some(column) => Self::Delta,
            _ => Self::Dictionary,
        }
    }
}

/// Properties of a table's writer; every choice that could vary is fixed here.
pub(crate) fn properties(
    table: &str,
    schema: &arrow::datatypes::Schema,
) -> Result<WriterProperties, Error> {
    let level = ZstdLevel::try_new(ZSTD_LEVEL)
        .map_err(|source| Error::internal("set the compression", source))?;
    let mut builder = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(None)
        .set_statistics_enabled(EnabledStatistics::Page);
    for field in schema.fields() {
        let path = ColumnPath::from(field.name().as_str());
        if matches!(field.data_type(), DataType::FixedSizeBinary(_)) || field.name() == "path_key" {
            builder = builder.set_column_statistics_enabled(path.clone(), EnabledStatistics::None);
        }
        builder = match ColumnEncoding::of(table, field.name(), field.data_type()) {
            ColumnEncoding::Dictionary => builder,
            ColumnEncoding::Delta => builder
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            ColumnEncoding::DictionaryThenDelta => builder
                .set_column_dictionary_page_size_limit(path.clone(), DURATION_DICTIONARY)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            ColumnEncoding::Plain => builder
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::PLAIN),
        };
    }
    Ok(builder.build())
}
