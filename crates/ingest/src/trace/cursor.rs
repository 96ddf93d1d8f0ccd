//! Reading numbers from untrusted bytes.

/// The bytes end early, or do not mean anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Damaged;

/// What was read, unless the bytes are damaged.
pub(super) type Read<T> = Result<T, Damaged>;

/// A position in a slice; every read is checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Number of bytes not yet read.
    pub(super) fn remaining(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn byte(&mut self) -> Read<u8> {
        let (&first, rest) = self.bytes.split_first().ok_or(Damaged)?;
        self.bytes = rest;
        Ok(first)
    }

    pub(super) fn take(&mut self, len: usize) -> Read<&'a [u8]> {
        let (head, rest) = self.bytes.split_at_checked(len).ok_or(Damaged)?;
        self.bytes = rest;
        Ok(head)
    }

    /// A number with its length in the trailing zero bits of the first byte: one byte per
    /// seven bits of the number, or a zero byte and eight more.
    pub(super) fn number(&mut self) -> Read<u64> {
        let &first = self.bytes.first().ok_or(Damaged)?;
        if first == 0 {
            let whole = self.take(9)?;
            return u64_at(whole, 1).ok_or(Damaged);
        }
        let len = first.trailing_zeros() as usize + 1;
        let mut word = [0; 8];
        word.get_mut(..len)
            .ok_or(Damaged)?
            .copy_from_slice(self.take(len)?);
        Ok(u64::from_le_bytes(word) >> len)
    }

    /// A number that has to fit 32 bits.
    pub(super) fn number32(&mut self) -> Read<u32> {
        u32::try_from(self.number()?).map_err(|_| Damaged)
    }

    /// A signed number in zigzag form.
    pub(super) fn signed(&mut self) -> Read<i64> {
        self.number().map(unzigzag)
    }
}

/// The signed number with zigzag form `n`: 0, -1, 1, -2, ...
pub(super) fn unzigzag(n: u64) -> i64 {
    (n >> 1).cast_signed() ^ -((n & 1).cast_signed())
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length() {
        assert_eq!(Cursor::new(&[0b1]).number(), Ok(0));
        assert_eq!(Cursor::new(&[0xff]).number(), Ok(127));
        assert_eq!(Cursor::new(&[0b10, 0b10]).number(), Ok(128));
        let mut all_ones = [0xff; 9];
        all_ones[0] = 0;
        assert_eq!(Cursor::new(&all_ones).number(), Ok(u64::MAX));
        assert_eq!(Cursor::new(&[0x80; 8]).number(), Ok(0x0080_8080_8080_8080));
    }

    #[test]
    fn cut_numbers_are_damage() {
        assert_eq!(Cursor::new(&[]).number(), Err(Damaged));
        assert_eq!(Cursor::new(&[0b10]).number(), Err(Damaged));
        assert_eq!(Cursor::new(&[0; 8]).number(), Err(Damaged));
    }

    #[test]
    fn zigzag() {
        let signed: Vec<i64> = (0..5).map(unzigzag).collect();
        assert_eq!(signed, [0, -1, 1, -2, 2]);
        assert_eq!(unzigzag(u64::MAX), i64::MIN);
    }
}
