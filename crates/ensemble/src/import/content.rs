//! Where the bytes of inputs are, and how many of them have been read.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sheaf_ingest::Content;
use sheaf_model::Progress;

/// Bytes between two reports of progress.
const REPORTED: u64 = 1 << 20;

/// Most bytes that are taken from a pipe.
const MAX_PIPE: u64 = 8 << 30;

/// A file, or bytes that are in memory.
#[derive(Debug)]
pub(super) enum Source {
    File { path: PathBuf, len: u64 },
    Bytes(Vec<u8>),
}

impl Source {
    pub(super) fn file(path: &Path) -> Self {
        Self::File {
            path: path.to_owned(),
            len: path.metadata().map_or(0, |data| data.len()),
        }
    }

    /// What a named pipe gives, read to its end; one that cannot be read is refused like a file.
    pub(super) fn pipe(path: &Path) -> Self {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|pipe| pipe.take(MAX_PIPE).read_to_end(&mut bytes));
        match read {
            Ok(_) => Self::Bytes(bytes),
            Err(_) => Self::file(path),
        }
    }

    /// Bytes, compressed where the content is.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::File { len, .. } => *len,
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }

    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File { path, .. } => Some(path),
            Self::Bytes(_) => None,
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
        }
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { .. } => None,
            Self::Bytes(bytes) => Some(bytes),
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
}

impl<'a> Metered<'a> {
    pub(super) fn new(source: &'a Source, meter: &Meter) -> Self {
        Self {
            source,
            meter: meter.clone(),
            furthest: AtomicU64::new(0),
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
