//! Compact columns as columns of tables.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;

use super::super::column::{ColumnArray, ColumnValue, CompactForm, digest_all, digest_options};
use super::{ColumnSink, CompactBuilder, CompactColumn, Integer};

impl<T: Integer> ColumnArray for CompactColumn<T> {
    fn rows(&self) -> usize {
        self.len()
    }
    fn absent(&self) -> usize {
        self.null_count()
    }
}

macro_rules! compact_column {
    ($native:ty) => {
        impl ColumnValue<CompactForm> for $native {
            type Array = CompactColumn<$native>;
            type Builder = CompactBuilder<$native>;
            const IS_NULLABLE: bool = false;

            fn data_type() -> DataType {
                <$native as ColumnValue>::data_type()
            }
            fn builder() -> Self::Builder {
                CompactBuilder::default()
            }
            fn push(builder: &mut Self::Builder, value: Self) {
                builder.push(Some(value));
            }
            fn finish(builder: Self::Builder) -> Self::Array {
                builder.finish()
            }
            fn get(array: &Self::Array, row: usize) -> Self {
                array.value(row)
            }
            fn digest(array: &Self::Array, hasher: &mut blake3::Hasher) {
                let values = array.values();
                digest_all(
                    array.len(),
                    values.iter().map(<$native>::to_le_bytes),
                    hasher,
                );
            }
            fn to_arrow(array: &Self::Array, rows: Range<usize>) -> ArrayRef {
                Arc::new(array.part_to_arrow(rows))
            }
            fn from_arrow(array: &ArrayRef) -> Option<Self::Array> {
                let mut builder = CompactBuilder::default();
                ColumnSink::extend(&mut builder, array).then(|| builder.finish())
            }
        }

        impl ColumnValue<CompactForm> for Option<$native> {
            type Array = CompactColumn<$native>;
            type Builder = CompactBuilder<$native>;
            const IS_NULLABLE: bool = true;

            fn data_type() -> DataType {
                <$native as ColumnValue>::data_type()
            }
            fn builder() -> Self::Builder {
                CompactBuilder::default()
            }
            fn push(builder: &mut Self::Builder, value: Self) {
                builder.push(value);
            }
            fn finish(builder: Self::Builder) -> Self::Array {
                builder.finish()
            }
            fn get(array: &Self::Array, row: usize) -> Self {
                array.get(row)
            }
            fn digest(array: &Self::Array, hasher: &mut blake3::Hasher) {
                let values = array.iter().map(|value| value.map(<$native>::to_le_bytes));
                digest_options(array.len(), values, hasher);
            }
            fn digest_present(array: &Self::Array, hasher: &mut blake3::Hasher) {
                <$native as ColumnValue<CompactForm>>::digest(array, hasher);
            }
            fn to_arrow(array: &Self::Array, rows: Range<usize>) -> ArrayRef {
                Arc::new(array.part_to_arrow(rows))
            }
            fn from_arrow(array: &ArrayRef) -> Option<Self::Array> {
                <$native as ColumnValue<CompactForm>>::from_arrow(array)
            }
        }
    };
}

compact_column!(i32);
compact_column!(i64);
