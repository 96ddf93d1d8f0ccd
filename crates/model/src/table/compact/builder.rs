//! How compact columns are made.

use std::marker::PhantomData;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanBufferBuilder, PrimitiveArray};

use super::{BLOCK_ROWS, Block, CompactColumn, Integer, PADDING};

/// Builds a [`CompactColumn`].
#[derive(Debug)]
pub struct CompactBuilder<T> {
    blocks: Vec<Block>,
    bytes: Vec<u8>,
    /// Numbers of the block that is not full yet; those of absent values are any.
    pending: Vec<T>,
    /// Whether each row has a value; nothing as long as all have or none has.
    valid: Option<BooleanBufferBuilder>,
    absent: usize,
    len: usize,
}

impl<T> Default for CompactBuilder<T> {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            bytes: Vec::new(),
            pending: Vec::new(),
            valid: None,
            absent: 0,
            len: 0,
        }
    }
}

impl<T: Integer> CompactBuilder<T> {
    /// Appends a value, or its absence.
    #[inline]
    pub fn push(&mut self, value: Option<T>) {
        self.note(value.is_some(), 1);
        match value {
            Some(value) => self.pend(&[value]),
            None => self.pend_absent(1),
        }
    }

    /// Appends the values of an array.
    pub fn extend(&mut self, array: &PrimitiveArray<T::Arrow>) {
        if array.null_count() > 0 {
            array.iter().for_each(|value| self.push(value));
            return;
        }
        self.note(true, array.len());
        let mut rest: &[T] = &array.values()[..];
        while !rest.is_empty() {
            let missing = BLOCK_ROWS - self.pending.len();
            let (block, others) = rest.split_at(missing.min(rest.len()));
            if block.len() == BLOCK_ROWS {
                self.write(block);
            } else {
                self.pend(block);
            }
            rest = others;
        }
    }

    /// Appends rows without a value. Linear in the blocks.
    pub fn extend_absent(&mut self, rows: usize) {
        self.note(false, rows);
        let mut rest = rows;
        while rest > 0 {
            let part = rest.min(BLOCK_ROWS - self.pending.len());
            if part == BLOCK_ROWS {
                self.blocks.push(Block::default());
            } else {
                self.pend_absent(part);
            }
            rest -= part;
        }
    }

    /// The finished column.
    pub fn finish(mut self) -> CompactColumn<T> {
        self.write_pending();
        self.bytes.extend([0; PADDING]);
        self.blocks.shrink_to_fit();
        self.bytes.shrink_to_fit();
        CompactColumn {
            blocks: Arc::new(self.blocks),
            bytes: Arc::new(self.bytes),
            valid: self.valid.map(|mut valid| valid.finish()),
            absent: self.absent,
            len: self.len,
            number: PhantomData,
        }
    }

    /// Notes rows that have a value, or have none.
    #[inline]
    fn note(&mut self, is_valid: bool, rows: usize) {
        let known = self.len - self.absent;
        let is_mixed = if is_valid { self.absent > 0 } else { known > 0 };
        if is_mixed || self.valid.is_some() {
            let (len, was_valid) = (self.len, self.absent == 0);
            let valid = self.valid.get_or_insert_with(|| {
                let mut valid = BooleanBufferBuilder::new(len);
                valid.append_n(len, was_valid);
                valid
            });
            valid.append_n(rows, is_valid);
        }
        self.len += rows;
        self.absent += if is_valid { 0 } else { rows };
    }

    /// Adds numbers that the block has room for.
    #[inline]
    fn pend(&mut self, numbers: &[T]) {
        self.pending.extend_from_slice(numbers);
        if self.pending.len() == BLOCK_ROWS {
            self.write_pending();
        }
    }

    /// Adds rows without a value that the block has room for. In place of them, the number before makes no block wider.
    fn pend_absent(&mut self, rows: usize) {
        let number = self.pending.last().copied().unwrap_or_default();
        self.pending.extend(std::iter::repeat_n(number, rows));
        if self.pending.len() == BLOCK_ROWS {
            self.write_pending();
        }
    }

    fn write_pending(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        self.write(&pending);
        self.pending = pending;
        self.pending.clear();
    }

    fn write(&mut self, block: &[T]) {
        let Some(&first) = block.first() else {
            return;
        };
        let bounds = block
            .iter()
            .fold((first, first), |(smallest, largest), &number| {
                (smallest.min(number), largest.max(number))
            });
        let (smallest, largest) = (bounds.0.widen(), bounds.1.widen());
        let bits = 64 - largest.wrapping_sub(smallest).leading_zeros();
        let width = bits.div_ceil(8);
        let place = self.bytes.len();
        self.bytes.resize(place + block.len() * width as usize, 0);
        let target = self.bytes.get_mut(place..).unwrap_or_default();
        let differences = block
            .iter()
            .map(|number| number.widen().wrapping_sub(smallest));
        match width {
            0 => {}
            1 => write_differences::<1>(target, differences),
            2 => write_differences::<2>(target, differences),
            3 => write_differences::<3>(target, differences),
            4 => write_differences::<4>(target, differences),
            5 => write_differences::<5>(target, differences),
            6 => write_differences::<6>(target, differences),
            7 => write_differences::<7>(target, differences),
            _ => write_differences::<8>(target, differences),
        }
        self.blocks.push(Block {
            smallest,
            largest,
            place,
            mask: u64::MAX.checked_shr(64 - 8 * width).unwrap_or(0),
            width: u8::try_from(width).unwrap_or(8),
        });
    }
}

/// Writes the lower bytes of each difference.
fn write_differences<const N: usize>(target: &mut [u8], differences: impl Iterator<Item = i64>) {
    let (chunks, _) = target.as_chunks_mut::<N>();
    for (chunk, difference) in chunks.iter_mut().zip(differences) {
        let bytes = difference.to_le_bytes();
        if let Some(lower) = bytes.first_chunk() {
            *chunk = *lower;
        }
    }
}

/// A column that is under way from arrays of Arrow.
pub trait ColumnSink: Send {
    /// Appends the values of an array; whether the array has the type of the column.
    fn extend(&mut self, array: &ArrayRef) -> bool;
    /// Appends rows without a value.
    fn extend_absent(&mut self, rows: usize);
}

impl<T: Integer> ColumnSink for CompactBuilder<T> {
    fn extend(&mut self, array: &ArrayRef) -> bool {
        let array = array.as_any().downcast_ref::<PrimitiveArray<T::Arrow>>();
        array.map(|array| Self::extend(self, array)).is_some()
    }

    fn extend_absent(&mut self, rows: usize) {
        Self::extend_absent(self, rows);
    }
}
