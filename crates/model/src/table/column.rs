//! The types a column can have, and how each becomes an Arrow array.

use std::fmt::Debug;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, BooleanBuilder, Decimal128Array, FixedSizeBinaryArray,
    FixedSizeBinaryBuilder, ListArray, ListBuilder, PrimitiveArray, PrimitiveBuilder, StringArray,
    StringBuilder,
};
use arrow::datatypes::{
    ArrowNativeType, ArrowPrimitiveType, DataType, Decimal128Type, Field, Float64Type, Int32Type,
    Int64Type,
};
use std::ops::Range;
use std::sync::Arc;

/// The columns of a table are arrays of Arrow.
#[derive(Clone, Copy, Debug)]
pub struct ArrowForm;

/// The columns of a table are [`CompactColumn`](super::CompactColumn)s.
#[derive(Clone, Copy, Debug)]
pub struct CompactForm;

/// A column in memory.
pub trait ColumnArray: Clone + Debug + 'static {
    /// Rows.
    fn rows(&self) -> usize;
    /// Rows without a value.
    fn absent(&self) -> usize;
}

impl<A: Array + Clone + Debug + 'static> ColumnArray for A {
    fn rows(&self) -> usize {
        self.len()
    }
    fn absent(&self) -> usize {
        self.null_count()
    }
}

/// A Rust type that one column of a table holds, in a form.
pub trait ColumnValue<F = ArrowForm>: Sized {
    /// The column in memory.
    type Array: ColumnArray;
    /// The builder of such an array.
    type Builder;
    /// Whether values can be absent.
    const IS_NULLABLE: bool;

    /// The Arrow type.
    fn data_type() -> DataType;
    /// An empty builder.
    fn builder() -> Self::Builder;
    /// Appends a value.
    fn push(builder: &mut Self::Builder, value: Self);
    /// The finished array.
    fn finish(builder: Self::Builder) -> Self::Array;
    /// The value at `row`, which must be below the array's length.
    fn get(array: &Self::Array, row: usize) -> Self;
    /// Feeds the column's content to `hasher`: equal content feeds equal bytes, regardless of the
    /// arrays' offsets, spare capacity or values under nulls.
    fn digest(array: &Self::Array, hasher: &mut blake3::Hasher);
    /// As [`ColumnValue::digest`] of the same column when its values could not be absent; asked
    /// for only where none is.
    fn digest_present(array: &Self::Array, hasher: &mut blake3::Hasher) {
        Self::digest(array, hasher);
    }
    /// Some rows as an array of Arrow; not copied if the column is one.
    fn to_arrow(array: &Self::Array, rows: Range<usize>) -> ArrayRef;
    /// The column of an array of Arrow; nothing if that has another type. Not copied if the column is one.
    fn from_arrow(array: &ArrayRef) -> Option<Self::Array>;
}

/// How a column that is an array of Arrow becomes one, and is made of one.
macro_rules! arrow_form {
    () => {
        fn to_arrow(array: &Self::Array, rows: Range<usize>) -> ArrayRef {
            Arc::new(array.slice(rows.start, rows.len()))
        }
        fn from_arrow(array: &ArrayRef) -> Option<Self::Array> {
            array.as_any().downcast_ref().cloned()
        }
    };
}

/// Builds a column of which often no value is known: absent values before the first that is known are only
/// counted, and a column without any takes no memory for values until somebody reads them.
pub struct SparseBuilder<T: ArrowPrimitiveType> {
    absent: usize,
    known: Option<PrimitiveBuilder<T>>,
}

impl<T: ArrowPrimitiveType> Default for SparseBuilder<T> {
    fn default() -> Self {
        Self {
            absent: 0,
            known: None,
        }
    }
}

impl<T: ArrowPrimitiveType> SparseBuilder<T> {
    fn push(&mut self, value: Option<T::Native>) {
        match (&mut self.known, value) {
            (Some(known), value) => known.append_option(value),
            (None, None) => self.absent += 1,
            (None, Some(value)) => {
                let mut known = PrimitiveBuilder::with_capacity(0);
                if self.absent > 0 {
                    known.append_nulls(self.absent);
                }
                known.append_value(value);
                self.known = Some(known);
            }
        }
    }

    fn finish(self) -> PrimitiveArray<T> {
        match self.known {
            Some(mut known) => fitted(known.finish()),
            None if self.absent == 0 => PrimitiveBuilder::with_capacity(0).finish(),
            None => PrimitiveArray::new_null(self.absent),
        }
    }
}

/// The array without the spare capacity of its builder. Summaries of a thousand runs are thousands of short arrays.
fn fitted<A: Array>(mut array: A) -> A {
    array.shrink_to_fit();
    array
}

/// The array of some values.
pub(crate) fn array_of<V: ColumnValue>(values: impl IntoIterator<Item = V>) -> V::Array {
    let mut builder = V::builder();
    values
        .into_iter()
        .for_each(|value| V::push(&mut builder, value));
    V::finish(builder)
}

macro_rules! primitive_column {
    ($native:ty, $arrow:ty) => {
        impl ColumnValue for $native {
            type Array = PrimitiveArray<$arrow>;
            type Builder = PrimitiveBuilder<$arrow>;
            const IS_NULLABLE: bool = false;
            arrow_form!();

            fn data_type() -> DataType {
                <$arrow as arrow::datatypes::ArrowPrimitiveType>::DATA_TYPE
            }
            fn builder() -> Self::Builder {
                PrimitiveBuilder::with_capacity(0)
            }
            fn push(builder: &mut Self::Builder, value: Self) {
                builder.append_value(value);
            }
            fn finish(mut builder: Self::Builder) -> Self::Array {
                fitted(builder.finish())
            }
            fn get(array: &Self::Array, row: usize) -> Self {
                array.value(row)
            }
            fn digest(array: &Self::Array, hasher: &mut blake3::Hasher) {
                digest_all(
                    array.len(),
                    array.values().iter().map(|value| value.to_le_bytes()),
                    hasher,
                );
            }
        }

        impl ColumnValue for Option<$native> {
            type Array = PrimitiveArray<$arrow>;
            type Builder = SparseBuilder<$arrow>;
            const IS_NULLABLE: bool = true;
            arrow_form!();

            fn data_type() -> DataType {
                <$native as ColumnValue>::data_type()
            }
            fn builder() -> Self::Builder {
                SparseBuilder::default()
            }
            fn push(builder: &mut Self::Builder, value: Self) {
                builder.push(value);
            }
            fn finish(builder: Self::Builder) -> Self::Array {
                builder.finish()
            }
            fn get(array: &Self::Array, row: usize) -> Self {
                array.is_valid(row).then(|| array.value(row))
            }
            fn digest(array: &Self::Array, hasher: &mut blake3::Hasher) {
                digest_options(
                    array.len(),
                    array.iter().map(|value| value.map(<$native>::to_le_bytes)),
                    hasher,
                );
            }
            fn digest_present(array: &Self::Array, hasher: &mut blake3::Hasher) {
                <$native as ColumnValue>::digest(array, hasher);
            }
        }
    };
}

primitive_column!(i32, Int32Type);
primitive_column!(i64, Int64Type);
primitive_column!(f64, Float64Type);

impl ColumnValue for bool {
    type Array = BooleanArray;
    type Builder = BooleanBuilder;
    const IS_NULLABLE: bool = false;
    arrow_form!();

    fn data_type() -> DataType {
        DataType::Boolean
    }
    fn builder() -> Self::Builder {
        BooleanBuilder::with_capacity(0)
    }
    fn push(builder: &mut Self::Builder, value: Self) {
        builder.append_value(value);
    }
    fn finish(mut builder: Self::Builder) -> Self::Array {
        fitted(builder.finish())
    }
    fn get(array: &Self::Array, row: usize) -> Self {
        array.value(row)
    }
    fn digest(array: &Self::Array, hasher: &mut blake3::Hasher) {
        digest_all(
            array.len(),
            (0..array.len()).map(|row| [u8::from(array.value(row))]),
            hasher,
        );
    }
}

impl ColumnValue for String {
    type Array = StringArray;
    type Builder = StringBuilder;
    const IS_NULLABLE: bool = false;
    arrow_form!();

    fn data_type() -> DataType {
        DataType::Utf8
    }
    fn builder() -> Self::Builder {
        StringBuilder::with_capacity(0, 0)
    }
    fn push(builder: &mut Self::Builder, value: Self) {
        builder.append_value(value);
    }
    fn finish(mut builder: Self::Builder) -> Self::Array {
        fitted(builder.finish())
    }
    fn get(array: &Self::Array, row: usize) -> Self {
        array.value(row).to_owned()
    }
    fn digest(array: &Self::Array, hasher: &mut blake3::Hasher) {
        for row in 0..array.len() {
            digest_text(array.value(row), hasher);
        }
    }
}

impl ColumnValue for Option<String> {
    type Array = StringArray;
    type Builder = StringBuilder;
    const IS_NULLABLE: bool = true;
    arrow_form!();

    fn data_type() -> DataType {
        DataType::Utf8
    }
    fn builder() -> Self::Builder {
        StringBuilder::with_capacity(0, 0)
    }
    fn push(builder: &mut Self::Builder, value: Self) {
        builder.append_option(value);
    }
    fn finish(mut builder: Self::Builder) -> Self::Array {
        fitted(builder.finish())
    }
    fn get(array: &Self::Array, row: usize) -> Self {
        array.is_valid(row).then(|| array.value(row).to_owned())
    }
    fn digest(array: &Self::Array, hasher: &mut blake3::Hasher) {
        for value in array {
            hasher.update(&[u8::from(value.is_some())]);
            digest_text(value.unwrap_or_default(), hasher);
        }
    }
}

impl ColumnValue for [u8; 16] {
    type Array = FixedSizeBinaryArray;
    type Builder = FixedSizeBinaryBuilder;
    const IS_NULLABLE: bool = false;
    arrow_form!();

    fn data_type() -> DataType {
        DataType::FixedSizeBinary(16)
    }
    fn builder() -> Self::Builder {
        FixedSizeBinaryBuilder::with_capacity(0, 16)
    }
    fn push(builder: &mut Self::Builder, value: Self) {
        let appended = builder.append_value(value);
        debug_assert!(
            appended.is_ok(),
            "sixteen bytes fit a column of sixteen bytes"
        );
    }
    fn finish(mut builder: Self::Builder) -> Self::Array {
        fitted(builder.finish())
    }
    fn get(array: &Self::Array, row: usize) -> Self {
        array.value(row).try_into().unwrap_or_default()
    }
    fn digest(array: &Self::Array, hasher: &mut blake3::Hasher) {
        for row in 0..array.len() {
            hasher.update(array.value(row));
        }
    }
}

/// Exact sums of squares: 38 decimal digits hold the square of any 63-bit time.
impl ColumnValue for Option<i128> {
    type Array = Decimal128Array;
    type Builder = SparseBuilder<Decimal128Type>;
    const IS_NULLABLE: bool = true;
    arrow_form!();

    fn data_type() -> DataType {
        DataType::Decimal128(38, 0)
    }
    fn builder() -> Self::Builder {
        SparseBuilder::default()
    }
    fn push(builder: &mut Self::Builder, value: Self) {
        builder.push(value);
    }
    fn finish(builder: Self::Builder) -> Self::Array {
        builder.finish().with_data_type(Self::data_type())
    }
    fn get(array: &Self::Array, row: usize) -> Self {
        array.is_valid(row).then(|| array.value(row))
    }
    fn digest(array: &Self::Array, hasher: &mut blake3::Hasher) {
        digest_options(
            array.len(),
            array.iter().map(|value| value.map(i128::to_le_bytes)),
            hasher,
        );
    }
}

macro_rules! list_column {
    ($native:ty, $arrow:ty) => {
        impl ColumnValue for Vec<$native> {
            type Array = ListArray;
            type Builder = ListBuilder<PrimitiveBuilder<$arrow>>;
            const IS_NULLABLE: bool = false;
            arrow_form!();

            fn data_type() -> DataType {
                DataType::List(Arc::new(Field::new(
                    "item",
                    <$native as ColumnValue>::data_type(),
                    false,
                )))
            }
            fn builder() -> Self::Builder {
                ListBuilder::with_capacity(PrimitiveBuilder::with_capacity(0), 0).with_field(
                    Field::new("item", <$native as ColumnValue>::data_type(), false),
                )
            }
            fn push(builder: &mut Self::Builder, value: Self) {
                builder.values().append_slice(&value);
                builder.append(true);
            }
            fn finish(mut builder: Self::Builder) -> Self::Array {
                fitted(builder.finish())
            }
            fn get(array: &Self::Array, row: usize) -> Self {
                array.value(row).as_primitive::<$arrow>().values().to_vec()
            }
            fn digest(array: &Self::Array, hasher: &mut blake3::Hasher) {
                let values = array.values().as_primitive::<$arrow>().values();
                let expected = size_of_val(&values[..]) + 8 * array.len();
                let mut portions = Portions::new(hasher, expected);
                for bounds in array.value_offsets().windows(2) {
                    // Offsets of an array are never negative and never beyond its values.
                    let list = &values[bounds[0].as_usize()..bounds[1].as_usize()];
                    portions.add((list.len() as u64).to_le_bytes());
                    for value in list {
                        portions.add(value.to_le_bytes());
                    }
                }
                portions.finish();
            }
        }
    };
}

list_column!(i32, Int32Type);
list_column!(i64, Int64Type);

/// `len` is the number of values.
pub(super) fn digest_all<const N: usize>(
    len: usize,
    values: impl Iterator<Item = [u8; N]>,
    hasher: &mut blake3::Hasher,
) {
    let mut portions = Portions::new(hasher, len * N);
    values.for_each(|value| portions.add(value));
    portions.finish();
}

pub(super) fn digest_options<const N: usize>(
    len: usize,
    values: impl Iterator<Item = Option<[u8; N]>>,
    hasher: &mut blake3::Hasher,
) {
    let mut portions = Portions::new(hasher, len * (1 + N));
    for value in values {
        portions.add([u8::from(value.is_some())]);
        portions.add(value.unwrap_or([0; N]));
    }
    portions.finish();
}

/// Gathers small pieces before they are hashed: the hash is many times faster on large ones.
struct Portions<'a> {
    hasher: &'a mut blake3::Hasher,
    bytes: Vec<u8>,
    /// Bytes gathered so far.
    len: usize,
}

impl<'a> Portions<'a> {
    /// Bytes of a portion: many times what several threads need to be faster than one.
    const SIZE: usize = 1 << 20;
    /// A portion of fewer bytes is hashed by one thread.
    const SIDE_BY_SIDE: usize = 1 << 17;
    /// Bytes of the largest piece.
    const PIECE: usize = 16;

    fn new(hasher: &'a mut blake3::Hasher, expected_bytes: usize) -> Self {
        Self {
            hasher,
            bytes: vec![0; expected_bytes.clamp(Self::PIECE, Self::SIZE)],
            len: 0,
        }
    }

    #[inline]
    fn add<const N: usize>(&mut self, piece: [u8; N]) {
        const { assert!(N <= Self::PIECE, "a piece fits in a portion") };
        if self.bytes.len() - self.len < N {
            self.hash();
        }
        if let Some(place) = self.bytes[self.len..].first_chunk_mut() {
            *place = piece;
            self.len += N;
        }
    }

    #[cold]
    fn hash(&mut self) {
        let portion = &self.bytes[..self.len];
        if portion.len() < Self::SIDE_BY_SIDE {
            self.hasher.update(portion);
        } else {
            self.hasher.update_rayon(portion);
        }
        self.len = 0;
    }

    fn finish(mut self) {
        self.hash();
    }
}

fn digest_text(text: &str, hasher: &mut blake3::Hasher) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}
