//! How a table ends.

use std::io::{self, Read};

/// A stream that knows how many bytes it gave, and the last of them.
pub(super) struct Ending<R> {
    pub(super) inner: R,
    num_bytes: u64,
    last: Option<u8>,
}

impl<R> Ending<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner,
            num_bytes: 0,
            last: None,
        }
    }

    /// Whether a row that ends at byte `end` may have been longer: the text ends there without a line break, and its
    /// last cell is not closed by a quote.
    pub(super) fn may_be_cut(&self, end: u64) -> bool {
        let is_closed = matches!(self.last, None | Some(b'\n' | b'\r' | b'"'));
        end >= self.num_bytes && !is_closed
    }
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.num_bytes += read as u64;
        let last = read.checked_sub(1).and_then(|at| buffer.get(at));
        self.last = last.copied().or(self.last);
        Ok(read)
    }
}
