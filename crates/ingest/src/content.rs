//! Inputs: content that can be opened, decompressed and limited.

mod encoding;

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sheaf_model::{Cancelled, Progress};

use crate::records::TooLong;
use crate::{Error, Format, Hints, limits};
use encoding::{Encoding, Utf16};

/// Bytes that one read asks for.
const BUFFER: usize = 256 << 10;

/// Decompressed bytes that are enough to recognise any format.
pub const SNIFF_LEN: usize = 64 << 10;

/// Something that bytes can be read from, as often as needed.
pub trait Content: Sync {
    /// Opens it at its beginning.
    ///
    /// # Errors
    /// When it cannot be opened.
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>>;

    /// Its bytes where they are in memory already.
    fn as_bytes(&self) -> Option<&[u8]> {
        None
    }

    /// Most bytes of its decompressed content that are read, if the bounds of formats are not smaller.
    fn max_bytes(&self) -> u64 {
        u64::MAX
    }
}

impl Content for [u8] {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(self))
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl Content for Vec<u8> {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(self.as_slice()))
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// One file, upload or stream.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// As the user named it; names of members of a database end in the file's name.
    pub name: &'a str,
    /// Its content, which may be compressed with gzip or zstd, and a text in UTF-16 or with a byte order mark.
    pub content: &'a dyn Content,
    /// What the user states about it.
    pub hints: &'a Hints,
    /// Its format where that is known already; else it is recognised from the content.
    pub format: Option<Format>,
}

impl<'a> Input<'a> {
    /// An input of which the user states nothing.
    pub fn new(name: &'a str, content: &'a dyn Content) -> Self {
        Self {
            name,
            content,
            hints: Hints::NONE,
            format: None,
        }
    }

    /// The name without folders and without the suffix of a compression.
    pub fn file_name(&self) -> &'a str {
        let name = self.name.rsplit(['/', '\\']).next().unwrap_or(self.name);
        name.strip_suffix(".gz")
            .or_else(|| name.strip_suffix(".zst"))
            .unwrap_or(name)
    }

    /// The decompressed content as a stream, texts as UTF-8 without a byte order mark; what is read is never kept.
    ///
    /// Reads fail when `progress` is cancelled and when the content grows beyond reason;
    /// [`Error::from`] turns such failures back into what they are.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(&self, progress: &Progress) -> Result<Stream<'a>, Error> {
        Ok(Stream::new(self.content, progress)?)
    }

    /// The decompressed content as a whole; nothing is copied where it is in memory and not
    /// compressed.
    ///
    /// # Errors
    /// When it cannot be read, or is larger than 8 GiB.
    pub fn bytes(&self, progress: &Progress) -> Result<Cow<'a, [u8]>, Error> {
        self.up_to(limits::LARGE, progress)
    }

    /// Like [`Input::bytes`], within the bound of a format.
    pub(crate) fn whole(
        &self,
        format: Format,
        progress: &Progress,
    ) -> Result<Cow<'a, [u8]>, Error> {
        self.up_to(limits::whole(format), progress)
    }

    fn up_to(&self, limit: u64, progress: &Progress) -> Result<Cow<'a, [u8]>, Error> {
        if let Some(bytes) = self.content.as_bytes()
            && Compression::of(bytes) == Compression::None
            && Encoding::of(bytes) == Encoding::Plain
        {
            let limit = limit.min(self.content.max_bytes());
            if bytes.len() as u64 > limit {
                return Err(Error::TooLarge { limit });
            }
            return Ok(Cow::Borrowed(bytes));
        }
        let mut bytes = Vec::new();
        self.open(progress)?
            .take(limit + 1)
            .read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(Error::TooLarge { limit });
        }
        Ok(Cow::Owned(bytes))
    }

    /// The first [`SNIFF_LEN`] bytes, decompressed; fewer where the content is shorter.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn start(&self) -> Result<Vec<u8>, Error> {
        let mut start = Vec::new();
        Stream::new(self.content, &Progress::silent())?
            .take(SNIFF_LEN as u64)
            .read_to_end(&mut start)?;
        Ok(start)
    }

    /// Whether the content is compressed with gzip or zstd; not where it cannot be read.
    pub(crate) fn is_compressed(&self) -> bool {
        let mut start = Vec::new();
        let opened = self.content.open();
        let read = opened.and_then(|content| content.take(4).read_to_end(&mut start));
        read.is_ok() && Compression::of(&start) != Compression::None
    }
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    fn of(start: &[u8]) -> Self {
        match start {
            [0x1f, 0x8b, 0x08, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            _ => Self::None,
        }
    }
}

/// Decompressed content of an input.
pub struct Stream<'a>(Text<'a>);

/// The content, or the text that it encodes.
enum Text<'a> {
    Plain(BufReader<Watched<'a>>),
    Decoded(BufReader<Box<dyn Read + Send + 'a>>),
}

impl<'a> Stream<'a> {
    fn new(content: &'a dyn Content, progress: &Progress) -> io::Result<Self> {
        let mut raw = BufReader::with_capacity(BUFFER, content.open()?);
        let compression = Compression::of(raw.fill_buf()?);
        let compressed = Arc::new(AtomicU64::new(0));
        let counted = Counted {
            raw,
            bytes: Arc::clone(&compressed),
        };
        let decoder: Box<dyn Read + Send + 'a> = match compression {
            Compression::None => Box::new(counted),
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(counted)),
            Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(counted)?),
        };
        let watched = Watched {
            decoder,
            progress: progress.clone(),
            compressed,
            inflated: 0,
            limit: content.max_bytes().min(limits::STREAM),
        };
        let mut plain = BufReader::with_capacity(BUFFER, watched);
        let text: Box<dyn Read + Send + 'a> = match Encoding::of(plain.fill_buf()?) {
            Encoding::Plain => return Ok(Self(Text::Plain(plain))),
            Encoding::Marked => {
                plain.consume(encoding::UTF8_MARK.len());
                return Ok(Self(Text::Plain(plain)));
            }
            Encoding::Utf16(order) => Box::new(Utf16::new(plain, order)),
        };
        Ok(Self(Text::Decoded(BufReader::with_capacity(BUFFER, text))))
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Text::Plain(text) => text.read(buffer),
            Text::Decoded(text) => text.read(buffer),
        }
    }
}

impl BufRead for Stream<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.0 {
            Text::Plain(text) => text.fill_buf(),
            Text::Decoded(text) => text.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match &mut self.0 {
            Text::Plain(text) => text.consume(amount),
            Text::Decoded(text) => text.consume(amount),
        }
    }
}

/// Counts the bytes that a decoder has taken.
struct Counted<R> {
    raw: R,
    bytes: Arc<AtomicU64>,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.raw.read(buffer)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.raw.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.bytes.fetch_add(amount as u64, Ordering::Relaxed);
        self.raw.consume(amount);
    }
}

/// Decompressed bytes, until they are too many or the user stops.
struct Watched<'a> {
    decoder: Box<dyn Read + Send + 'a>,
    progress: Progress,
    compressed: Arc<AtomicU64>,
    inflated: u64,
    limit: u64,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.progress.check().map_err(io::Error::other)?;
        let read = self.decoder.read(buffer)?;
        self.inflated += read as u64;
        let compressed = self.compressed.load(Ordering::Relaxed);
        if self.inflated > limits::FREE_BYTES && self.inflated / limits::MAX_RATIO > compressed {
            return Err(io::Error::other(Bomb));
        }
        if self.inflated > self.limit {
            return Err(io::Error::other(Endless { limit: self.limit }));
        }
        Ok(read)
    }
}

/// The content grows beyond reason when it is decompressed.
#[derive(Debug, thiserror::Error)]
#[error(
    "decompresses to more than {} times its size; decompress it first if that is meant",
    limits::MAX_RATIO
)]
struct Bomb;

/// The content does not end, or takes too much memory while it is read.
#[derive(Debug, thiserror::Error)]
#[error(
    "has more than {limit} bytes when decompressed, the most that is read{}",
    if *limit < limits::STREAM { " with the memory that is free" } else { "" }
)]
struct Endless {
    limit: u64,
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        let inner = error.get_ref();
        if inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<Cancelled>) {
            return Self::Cancelled(Cancelled);
        }
        match inner.and_then(|inner| inner.downcast_ref::<TooLong>()) {
            Some(too_long) => Self::from(*too_long),
            None => Self::Unreadable { source: error },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn decompressed(content: &dyn Content) -> Result<Vec<u8>, Error> {
        let input = Input::new("f", content);
        Ok(input.bytes(&Progress::silent())?.into_owned())
    }

    #[test]
    fn commands_for_compressed_files_begin_with_decompression() {
        let content = gzip(b"PERFILE2\0\0");
        let guess = crate::guess(&Input::new("perf.data.gz", &content)).unwrap();
        let command = "decompress it, then `perf script -i perf.data | gprof2dot";
        assert!(guess.advice.starts_with(command), "{}", guess.advice);
    }

    #[test]
    fn plain_gzip_members_and_zstd_give_the_same() {
        let text = b"one\ntwo\n".repeat(1000);
        let (left, right) = text.split_at(4000);
        let members = [gzip(left), gzip(right)].concat();
        let zstd = zstd::stream::encode_all(text.as_slice(), 3).unwrap();
        for content in [text.clone(), gzip(&text), members, zstd] {
            assert_eq!(decompressed(&content).unwrap(), text);
        }
    }

    #[test]
    fn texts_in_utf16_and_with_marks_are_read() {
        let text = "{\"name\": \"größe 😀\"}\n".repeat(40_000);
        let units = |encode: fn(u16) -> [u8; 2], mark: bool| -> Vec<u8> {
            let mark = mark.then_some(0xfeff);
            let units = mark.into_iter().chain(text.encode_utf16());
            units.flat_map(encode).collect()
        };
        let contents = [
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            units(u16::to_le_bytes, true),
            units(u16::to_be_bytes, true),
            units(u16::to_le_bytes, false),
            units(u16::to_be_bytes, false),
            gzip(&units(u16::to_be_bytes, true)),
        ];
        for (number, content) in contents.iter().enumerate() {
            let read = decompressed(content).unwrap();
            assert!(read == text.as_bytes(), "content {number}");
            let start = Input::new("f", content).start().unwrap();
            assert_eq!(start.len(), SNIFF_LEN, "content {number}");
        }
        let cut = [0xff, 0xfe, b'a', 0, 0x00, 0xd8, b'b', 0, b'c'];
        let read = decompressed(&cut.to_vec()).unwrap();
        assert_eq!(String::from_utf8(read).unwrap(), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn a_bomb_is_refused() {
        let zeros = vec![0; 1 << 20];
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        for _ in 0..1000 {
            encoder.write_all(&zeros).unwrap();
        }
        let bomb = encoder.finish().unwrap();
        let error = decompressed(&bomb).unwrap_err();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains("more than 200 times its size"), "{source}");
    }

    #[test]
    fn truncated_content_is_refused() {
        let content = gzip(&b"abcdefgh".repeat(5000));
        for len in [3, 10, 40, content.len() - 1] {
            decompressed(&content[..len].to_vec())
                .map_or_else(|_| (), |bytes| assert!(len < 10 && bytes.len() == len));
        }
    }

    #[test]
    fn cancelling_stops_a_read() {
        let content = b"abc".to_vec();
        let progress = Progress::silent();
        progress.cancel();
        let input = Input::new("f", &content);
        let read = input
            .open(&progress)
            .and_then(|mut stream| Ok(stream.read(&mut [0])?));
        assert!(matches!(read, Err(Error::Cancelled(_))));
    }
}
