//! Standard input for several launches: each gets all of it, from the position at which we got it.
//!
//! A file is opened again for every launch. A pipe can be read only once, so its content is kept in a
//! file without a name while the first launch reads it.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read, Seek as _, SeekFrom, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileExt as _, FileTypeExt as _};
use std::process::{ChildStdin, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that are passed on at once.
const BLOCK: usize = 64 << 10;

/// Content of the pipe so far. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct SharedInput {
    shared: Arc<(Mutex<Kept>, Condvar)>,
}

#[derive(Debug)]
struct Kept {
    file: File,
    len: u64,
    is_over: bool,
    /// Why not all of it could be kept.
    error: Option<String>,
}

impl SharedInput {
    /// Takes over our standard input where it is a pipe or socket; begins to read it at once, in a thread of its
    /// own, so that an open pipe does not block a program that never reads.
    ///
    /// # Errors
    /// When no temporary file can be made.
    pub(crate) fn of_pipe() -> io::Result<Option<Self>> {
        let is_pipe = !io::stdin().is_terminal()
            && std::fs::metadata("/dev/stdin")
                .is_ok_and(|stdin| stdin.file_type().is_fifo() || stdin.file_type().is_socket());
        if is_pipe {
            Self::of(io::stdin()).map(Some)
        } else {
            Ok(None)
        }
    }

    fn of(mut source: impl Read + Send + 'static) -> io::Result<Self> {
        let kept = Kept {
            file: tempfile::tempfile()?,
            len: 0,
            is_over: false,
            error: None,
        };
        let input = Self {
            shared: Arc::new((Mutex::new(kept), Condvar::new())),
        };
        let writer = input.clone();
        std::thread::spawn(move || writer.keep(&mut source));
        Ok(input)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, source: &mut impl Read) {
        let mut block = vec![0; BLOCK];
        loop {
            let read = source.read(&mut block);
            let mut kept = self.lock();
            let done = match read {
                Ok(0) => Some(None),
                Ok(count) => {
                    let bytes = block.get(..count).unwrap_or_default();
                    let written = kept.file.write_all_at(bytes, kept.len);
                    kept.len += count as u64;
                    written.err().map(Some)
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
                Err(error) => Some(Some(error)),
            };
            if let Some(error) = done {
                kept.is_over = true;
                kept.error = error.map(|error| error.to_string());
            }
            let is_over = kept.is_over;
            drop(kept);
            self.shared.1.notify_all();
            if is_over {
                return;
            }
        }
    }

    /// Why not all of it could be kept.
    pub(crate) fn error(&self) -> Option<String> {
        self.lock().error.clone()
    }

    /// Writes all of it to a launch, until that ends or closes its end.
    pub(crate) fn feed(&self, mut to: ChildStdin) {
        let input = self.clone();
        std::thread::spawn(move || {
            let mut at = 0;
            while let Some(block) = input.next_block(at) {
                at += block.len() as u64;
                // A program need not read its input to the end.
                if to.write_all(&block).is_err() {
                    break;
                }
            }
        });
    }

    /// Bytes that follow a position; `None` at the end.
    fn next_block(&self, at: u64) -> Option<Vec<u8>> {
        let mut kept = self.lock();
        while kept.len <= at && !kept.is_over {
            kept = self
                .shared
                .1
                .wait(kept)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let left = usize::try_from(kept.len.saturating_sub(at)).unwrap_or(BLOCK);
        let mut block = vec![0; left.min(BLOCK)];
        let is_read = kept.file.read_exact_at(&mut block, at).is_ok();
        (is_read && !block.is_empty()).then_some(block)
    }
}

/// Standard input of one launch. A launch reads a file from the position at which we got it. A group in the background
/// may not read the terminal: the kernel would stop it.
pub(crate) fn of_launch(shared: Option<&SharedInput>) -> Stdio {
    if shared.is_some() {
        return Stdio::piped();
    }
    if io::stdin().is_terminal() {
        return Stdio::null();
    }
    match file_again() {
        Some(file) => Stdio::from(file),
        None => Stdio::inherit(),
    }
}

/// The file that our standard input is, with a place of its own; nothing where it is no file.
fn file_again() -> Option<File> {
    let mut again = File::open("/dev/stdin").ok()?;
    if !again.metadata().ok()?.is_file() {
        return None;
    }
    // Nobody has read from it since we began: launches have places of their own.
    let mut given = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    again
        .seek(SeekFrom::Start(given.stream_position().ok()?))
        .ok()?;
    Some(again)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn read_by_cat(input: &SharedInput) -> Vec<u8> {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        input.feed(child.stdin.take().unwrap());
        child.wait_with_output().unwrap().stdout
    }

    #[test]
    fn every_launch_gets_all_of_it() {
        let (reader, mut writer) = io::pipe().unwrap();
        let input = SharedInput::of(reader).unwrap();
        let sent: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let expected = sent.clone();
        // A launch that does not read is not held up, and a pipe that is open holds up only who reads.
        let idle = Command::new("true").stdin(Stdio::piped()).spawn();
        input.feed(idle.unwrap().stdin.take().unwrap());
        let sender = std::thread::spawn(move || writer.write_all(&sent).unwrap());
        assert_eq!(read_by_cat(&input), expected);
        assert_eq!(read_by_cat(&input), expected);
        sender.join().unwrap();
        assert_eq!(input.error(), None);
    }
}
