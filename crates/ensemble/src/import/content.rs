//! Where the bytes of inputs are, and how many of them have been read.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::time::Duration;

use sheaf_ingest::Content;
use sheaf_model::{Cancelled, Progress};

/// Bytes between two reports of progress.
const REPORTED: u64 = 1 << 20;

/// Most bytes that are taken from a pipe.
const MAX_PIPE: u64 = 8 << 30;

/// Bytes that one read of a pipe asks for.
const PIECE: usize = 1 << 16;

/// Time between two looks at whether the user stopped.
const PATIENCE: Duration = Duration::from_millis(50);

/// A file, or bytes that are in memory.
#[derive(Debug)]
pub(super) enum Source {
    File {
        path: PathBuf,
        len: u64,
    },
    Bytes(Vec<u8>),
    /// What cannot be read, and why.
    Unreadable(String),
}

impl Source {
    pub(super) fn file(path: &Path) -> Self {
        Self::File {
            path: path.to_owned(),
            len: path.metadata().map_or(0, |data| data.len()),
        }
    }

    /// What a named pipe gives, read to its end; one that cannot be read is refused like a file.
    ///
    /// # Errors
    /// When `progress` was cancelled: a pipe may have no writer, and opening it then waits.
    pub(super) fn pipe(path: &Path, progress: &Progress) -> Result<Self, Cancelled> {
        let opened = path.to_owned();
        Ok(
            match read_stoppable(move || File::open(opened), MAX_PIPE, progress)? {
                Ok(bytes) => Self::Bytes(bytes),
                Err(error) => Self::Unreadable(error.to_string()),
            },
        )
    }

    /// Bytes, compressed where the content is.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::File { len, .. } => *len,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Unreadable(_) => 0,
        }
    }

    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File { path, .. } => Some(path),
            Self::Bytes(_) | Self::Unreadable(_) => None,
        }
    }

    pub(super) fn folder(&self) -> Option<PathBuf> {
        let parent = self.path()?.parent()?;
        let is_here = parent.as_os_str().is_empty();
        Some(if is_here {
            PathBuf::from(".")
        } else {
            parent.to_owned()
        })
    }
}

impl Content for Source {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        match self {
            Self::File { path, .. } => Ok(Box::new(File::open(path)?)),
            Self::Bytes(bytes) => Ok(Box::new(bytes.as_slice())),
            Self::Unreadable(reason) => Err(io::Error::other(reason.clone())),
        }
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { .. } | Self::Unreadable(_) => None,
            Self::Bytes(bytes) => Some(bytes),
        }
    }
}

/// Reads to the end what may wait for its writer: a pipe, standard input.
///
/// # Errors
/// When `progress` was cancelled. Inside: when it cannot be opened or read; [`io::ErrorKind::FileTooLarge`] when it
/// holds more than `limit` bytes, or more than the memory has room for.
pub fn read_stoppable<R: Read>(
    open: impl FnOnce() -> io::Result<R> + Send + 'static,
    limit: u64,
    progress: &Progress,
) -> Result<io::Result<Vec<u8>>, Cancelled> {
    let (sender, pieces) = mpsc::sync_channel(4);
    // Nothing wakes a thread that opens or reads a pipe: when the user stops, it is left alone.
    std::thread::spawn(move || send_pieces(open, &sender));
    let mut bytes: Vec<u8> = Vec::new();
    loop {
        progress.check()?;
        match pieces.recv_timeout(PATIENCE) {
            Ok(Ok(piece)) => {
                let is_full = bytes.len() as u64 + piece.len() as u64 > limit;
                if is_full || bytes.try_reserve(piece.len()).is_err() {
                    let reason = format!("more than {} bytes do not fit", bytes.len());
                    return Ok(Err(io::Error::new(io::ErrorKind::FileTooLarge, reason)));
                }
                bytes.extend_from_slice(&piece);
            }
            Ok(Err(error)) => return Ok(Err(error)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(Ok(bytes)),
        }
    }
}

/// Sends what a reader gives, piece by piece, until its end or until nobody listens.
fn send_pieces<R: Read>(
    open: impl FnOnce() -> io::Result<R>,
    pieces: &SyncSender<io::Result<Vec<u8>>>,
) {
    let mut pipe = match open() {
        Ok(pipe) => pipe,
        Err(error) => {
            let _ = pieces.send(Err(error));
            return;
        }
    };
    loop {
        let mut piece = vec![0; PIECE];
        let sent = match pipe.read(&mut piece) {
            Ok(0) => return,
            Ok(len) => {
                piece.truncate(len);
                pieces.send(Ok(piece))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let _ = pieces.send(Err(error));
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Bytes read of all inputs, reported now and then.
#[derive(Clone)]
pub(super) struct Meter {
    progress: Progress,
    read: Arc<AtomicU64>,
    total: u64,
}

impl Meter {
    pub(super) fn new(progress: &Progress, total: u64) -> Self {
        let meter = Self {
            progress: progress.clone(),
            read: Arc::default(),
            total,
        };
        meter.add(0);
        meter
    }

    fn add(&self, bytes: u64) {
        let before = self.read.fetch_add(bytes, Ordering::Relaxed);
        let after = before + bytes;
        if bytes == 0 || before / REPORTED != after / REPORTED || after == self.total {
            let done = after.min(self.total);
            self.progress.report("reading", done, Some(self.total));
        }
    }
}

/// A source whose bytes are counted when they are read for the first time.
pub(super) struct Metered<'a> {
    source: &'a Source,
    meter: Meter,
    furthest: AtomicU64,
    max_bytes: u64,
}

impl<'a> Metered<'a> {
    pub(super) fn new(source: &'a Source, meter: &Meter, max_bytes: u64) -> Self {
        Self {
            source,
            meter: meter.clone(),
            furthest: AtomicU64::new(0),
            max_bytes,
        }
    }

    fn reached(&self, position: u64) {
        let before = self.furthest.fetch_max(position, Ordering::Relaxed);
        if position > before {
            self.meter.add(position - before);
        }
    }

    /// Counts what no reader wanted to see.
    pub(super) fn finish(&self) {
        self.reached(self.source.len());
    }
}

impl Content for Metered<'_> {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(MeteredRead {
            content: self,
            inner: self.source.open()?,
            position: 0,
        }))
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        self.source.as_bytes()
    }

    fn max_bytes(&self) -> u64 {
        self.max_bytes
    }
}

struct MeteredRead<'a> {
    content: &'a Metered<'a>,
    inner: Box<dyn Read + Send + 'a>,
    position: u64,
}

impl Read for MeteredRead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.position += read as u64;
        self.content.reached(self.position);
        Ok(read)
    }
}
