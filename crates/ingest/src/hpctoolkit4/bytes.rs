//! A member's bytes, read by offsets that are checked.

use sheaf_model::Cancelled;

use super::{FORMAT, Kind};
use crate::{Error, Input};

/// What every member begins with, before its kind.
pub(super) const MAGIC: &[u8] = b"HPCTOOLKIT";

/// Place of the version, major before minor.
const VERSION: u64 = 14;

/// Place of the first section's size and pointer.
const SECTIONS: u64 = 16;

/// What is wrong with a member, and where.
#[derive(Debug)]
pub(super) enum DatabaseFault {
    Malformed { byte: u64, reason: String },
    Cancelled(Cancelled),
}

impl DatabaseFault {
    pub(super) fn new(byte: u64, reason: impl Into<String>) -> Self {
        Self::Malformed {
            byte,
            reason: reason.into(),
        }
    }

    pub(super) fn of(self, input: &Input<'_>) -> Error {
        match self {
            Self::Malformed { byte, reason } => {
                let at = format!("byte {byte} of `{}`", input.file_name());
                Error::malformed(FORMAT, at, reason)
            }
            Self::Cancelled(cancelled) => cancelled.into(),
        }
    }
}

impl From<Cancelled> for DatabaseFault {
    fn from(cancelled: Cancelled) -> Self {
        Self::Cancelled(cancelled)
    }
}

/// The bytes of a member; all numbers are little endian, all pointers offsets from its beginning.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    bytes: &'a [u8],
    kind: Kind,
}

/// Records of one size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Records {
    begin: u64,
    count: u64,
    stride: u64,
}

impl Records {
    pub(super) fn iter(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |number| self.begin + number * self.stride)
    }

    pub(super) fn count(self) -> u64 {
        self.count
    }

    /// Place of a record.
    pub(super) fn get(self, number: u64) -> Option<u64> {
        (number < self.count).then(|| self.begin + number * self.stride)
    }
}

impl<'a> View<'a> {
    pub(super) fn new(bytes: &'a [u8], kind: Kind) -> Self {
        Self { bytes, kind }
    }

    pub(super) fn len(self) -> u64 {
        self.bytes.len() as u64
    }

    fn get<const N: usize>(self, at: u64) -> Result<[u8; N], DatabaseFault> {
        let found = usize::try_from(at).ok().and_then(|at| {
            let bytes = self.bytes.get(at..at.checked_add(N)?)?;
            bytes.try_into().ok()
        });
        found.ok_or_else(|| DatabaseFault::new(at, "what is pointed to lies outside of the file"))
    }

    pub(super) fn u8(self, at: u64) -> Result<u8, DatabaseFault> {
        self.get::<1>(at).map(|[byte]| byte)
    }

    pub(super) fn u16(self, at: u64) -> Result<u16, DatabaseFault> {
        self.get(at).map(u16::from_le_bytes)
    }

    pub(super) fn u32(self, at: u64) -> Result<u32, DatabaseFault> {
        self.get(at).map(u32::from_le_bytes)
    }

    pub(super) fn u64(self, at: u64) -> Result<u64, DatabaseFault> {
        self.get(at).map(u64::from_le_bytes)
    }

    pub(super) fn f64(self, at: u64) -> Result<f64, DatabaseFault> {
        self.get(at).map(f64::from_le_bytes)
    }

    /// The bytes from a pointer to the NUL that ends them, at most `most`.
    pub(super) fn text(self, at: u64, most: usize) -> Result<&'a [u8], DatabaseFault> {
        let rest = usize::try_from(at)
            .ok()
            .and_then(|at| self.bytes.get(at..))
            .ok_or_else(|| DatabaseFault::new(at, "the text lies outside of the file"))?;
        let rest = rest.get(..most).unwrap_or(rest);
        let end = memchr::memchr(0, rest).unwrap_or(rest.len());
        Ok(rest.get(..end).unwrap_or_default())
    }

    /// Pointer to a section, after the header was checked.
    pub(super) fn section(self, number: u64) -> Result<u64, DatabaseFault> {
        let version = self.u8(VERSION)?;
        if version != 4 {
            let reason = format!("version {version} of the format is not read, only 4");
            return Err(DatabaseFault::new(VERSION, reason));
        }
        let pair = SECTIONS + 16 * number;
        let (size, begin) = (self.u64(pair)?, self.u64(pair + 8)?);
        if begin.checked_add(size).is_none_or(|end| end > self.len()) {
            let kind = self.kind.file();
            let reason = format!("section {number} of `{kind}` does not lie in the file");
            return Err(DatabaseFault::new(pair, reason));
        }
        Ok(begin)
    }

    /// Version of the format as text.
    pub(super) fn version(self) -> Result<String, DatabaseFault> {
        Ok(format!("{}.{}", self.u8(VERSION)?, self.u8(VERSION + 1)?))
    }

    /// Records of the size that the file states, which must hold `least` bytes each; all must lie
    /// in the file.
    pub(super) fn records(
        self,
        begin: u64,
        count: u64,
        stride: u64,
        least: u64,
    ) -> Result<Records, DatabaseFault> {
        let records = Records {
            begin,
            count,
            stride,
        };
        if count == 0 {
            return Ok(records);
        }
        let end = (count.checked_mul(stride)).and_then(|size| begin.checked_add(size));
        // The last may be followed by nothing, even where the size is rounded up.
        let end = end.and_then(|end| end.checked_sub(stride)?.checked_add(least));
        if stride < least || end.is_none_or(|end| end > self.len()) {
            let reason = format!(
                "{count} records of {stride} bytes do not lie in the file of {} bytes",
                self.len()
            );
            return Err(DatabaseFault::new(begin, reason));
        }
        Ok(records)
    }
}
