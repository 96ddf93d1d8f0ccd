//! A list of integers in few bytes that gives back its memory while it is read.

use std::collections::VecDeque;

/// Bytes of a block. Blocks have one size, so that the memory of one that was read is that of the next one to be written.
const BLOCK_BYTES: usize = 1 << 16;
/// Maximum of bytes that a value takes.
const VALUE_BYTES: usize = 10;

/// A column of whole numbers. Each is the difference to the one before, in as many groups of seven bits as it needs.
/// The values of a block do not depend on those of another.
///
/// ```
/// use sheaf_model::table::PackedColumn;
/// let column: PackedColumn = [7, -3, i64::MAX].into_iter().collect();
/// assert_eq!(column.values_from(1).collect::<Vec<_>>(), [-3, i64::MAX]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PackedColumn {
    blocks: VecDeque<Block>,
    len: usize,
    last: i64,
}

#[derive(Clone, Debug)]
struct Block {
    first_row: usize,
    bytes: Vec<u8>,
}

impl PackedColumn {
    /// Values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK_BYTES
    }

    /// Appends a value.
    pub fn push(&mut self, value: i64) {
        let (first_row, last) = (self.len, &mut self.last);
        let block = match self.blocks.back_mut() {
            Some(block) if block.bytes.len() + VALUE_BYTES <= BLOCK_BYTES => block,
            _ => {
                *last = 0;
                let bytes = Vec::with_capacity(BLOCK_BYTES);
                self.blocks.push_back(Block { first_row, bytes });
                match self.blocks.back_mut() {
                    Some(block) => block,
                    None => return,
                }
            }
        };
        let difference = value.wrapping_sub(*last);
        // Small negative differences are small numbers too.
        let mut rest = ((difference << 1) ^ (difference >> 63)).cast_unsigned();
        while rest >= 0x80 {
            block.bytes.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        block.bytes.push((rest & 0x7f) as u8);
        *last = value;
        self.len += 1;
    }

    /// The values from a row on.
    pub fn values_from(&self, row: usize) -> impl Iterator<Item = i64> + '_ {
        let behind = self.blocks.partition_point(|block| block.first_row <= row);
        let first = behind.saturating_sub(1);
        let before = self.blocks.get(first).map_or(0, |block| block.first_row);
        let blocks = self.blocks.range(first.min(self.blocks.len())..);
        let values = blocks.flat_map(|block| BlockValues::of(&block.bytes));
        values.skip(row.saturating_sub(before))
    }
}

impl Extend<i64> for PackedColumn {
    fn extend<I: IntoIterator<Item = i64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

impl FromIterator<i64> for PackedColumn {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        let mut column = Self::default();
        column.extend(values);
        column
    }
}

/// All values of a column, whose memory goes block by block.
#[derive(Debug)]
pub struct IntoValues {
    blocks: VecDeque<Block>,
    /// Read so far of the first block.
    at: usize,
    last: i64,
}

impl IntoIterator for PackedColumn {
    type Item = i64;
    type IntoIter = IntoValues;

    fn into_iter(self) -> IntoValues {
        IntoValues {
            blocks: self.blocks,
            at: 0,
            last: 0,
        }
    }
}

impl Iterator for IntoValues {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        loop {
            let block = self.blocks.front()?;
            if let Some(difference) = next_difference(&block.bytes, &mut self.at) {
                self.last = self.last.wrapping_add(difference);
                return Some(self.last);
            }
            self.blocks.pop_front();
            (self.at, self.last) = (0, 0);
        }
    }
}

/// The values of a block.
struct BlockValues<'a> {
    bytes: &'a [u8],
    at: usize,
    last: i64,
}

impl<'a> BlockValues<'a> {
    const fn of(bytes: &'a [u8]) -> Self {
        let (at, last) = (0, 0);
        Self { bytes, at, last }
    }
}

impl Iterator for BlockValues<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        let difference = next_difference(self.bytes, &mut self.at)?;
        self.last = self.last.wrapping_add(difference);
        Some(self.last)
    }
}

/// Reads a difference; nothing at the end.
#[inline]
fn next_difference(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let first = *bytes.get(*at)?;
    *at += 1;
    // Most differences have one byte.
    let (mut sum, mut shift) = (u64::from(first & 0x7f), 7_u32);
    if first & 0x80 == 0 {
        return Some((sum >> 1).cast_signed() ^ -(sum & 1).cast_signed());
    }
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        sum |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((sum >> 1).cast_signed() ^ -(sum & 1).cast_signed());
        }
        shift = (shift + 7).min(63);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(len: usize) -> Vec<i64> {
        let mut state = 7_u64;
        let value = |at: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            match at % 5 {
                0 => i64::MIN,
                1 => i64::MAX,
                2 => 0,
                _ => (state >> (state >> 58)).cast_signed(),
            }
        };
        (0..len).map(value).collect()
    }

    #[test]
    fn values_come_back_from_any_row() {
        for len in [0, 1, 2, 20_000] {
            let values = column(len);
            let packed: PackedColumn = values.iter().copied().collect();
            assert_eq!(packed.len(), len);
            for row in [0, 1, len / 3, len.saturating_sub(1), len, len + 1] {
                let found: Vec<i64> = packed.values_from(row).collect();
                assert_eq!(
                    found,
                    values.get(row..).unwrap_or_default(),
                    "{row} of {len}"
                );
            }
            assert_eq!(packed.into_iter().collect::<Vec<_>>(), values);
        }
    }
}
