//! Streams of records of which none may be longer than allowed.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crate::Error;

/// A stream that fails when more is read between two calls of [`Records::begin`] than one record
/// may have.
pub(crate) struct Records<R> {
    inner: R,
    what: &'static str,
    limit: u64,
    /// Bytes taken since the record began.
    taken: u64,
    /// Bytes taken before.
    before: u64,
}

impl<R> Records<R> {
    /// `what` one record is, with its article, and the bytes that it may have.
    pub(crate) fn new(inner: R, what: &'static str, limit: u64) -> Self {
        Self {
            inner,
            what,
            limit,
            taken: 0,
            before: 0,
        }
    }

    /// A record begins. What a parser has read ahead counts as the one before.
    pub(crate) fn begin(&mut self) {
        self.before += self.taken;
        self.taken = 0;
    }

    fn check(&self) -> io::Result<()> {
        if self.taken <= self.limit {
            return Ok(());
        }
        Err(io::Error::other(TooLong {
            what: self.what,
            limit: self.limit,
            at: self.before,
        }))
    }
}

impl<R: Read> Read for Records<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        let read = self.inner.read(buffer)?;
        self.taken += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Records<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.check()?;
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount as u64;
        self.inner.consume(amount);
    }
}

/// A record is too long; on its way through parsers that know errors of reading only.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("{what} has more than {limit} bytes")]
pub(crate) struct TooLong {
    what: &'static str,
    limit: u64,
    at: u64,
}

impl From<TooLong> for Error {
    fn from(TooLong { what, limit, at }: TooLong) -> Self {
        Self::TooLong {
            what,
            limit,
            unit: "bytes",
            at: format!("byte {at}"),
        }
    }
}

/// What a parser of XML met when it read.
pub(crate) fn error_of_shared(error: Arc<io::Error>) -> Error {
    match Arc::try_unwrap(error) {
        Ok(error) => error.into(),
        Err(error) => io::Error::new(error.kind(), error).into(),
    }
}
