//! Standard output: every write is checked, because an answer that is lost is a failure.

use std::io::{self, BufWriter, Write};

use sheaf_ensemble::Error;

use crate::failure::{Exit, Failure};
use crate::interrupt::go_on_with_output;

/// Bytes that are written at once.
const PIECE: usize = 1 << 20;

/// Writes a text to standard output. It is not an error if the reader ends early, as `head` does.
///
/// # Errors
/// When standard output is closed, full or fails otherwise.
pub(crate) fn write(text: &str) -> Result<(), Failure> {
    finish(write_all(text.as_bytes()))
}

/// Streams an answer to standard output. It is not an error if the reader ends early, as `head` does.
///
/// # Errors
/// Those of the answer; when standard output is closed, full or fails otherwise.
pub(crate) fn stream(
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Error>,
) -> Result<(), Failure> {
    if is_closed() {
        return Err(cannot_write(&closed()));
    }
    let mut out = BufWriter::new(Answer);
    match write(&mut out) {
        Err(Error::Export { source }) => finish(Err(source)),
        Err(error) => Err(error.into()),
        Ok(()) => finish(out.flush()),
    }
}

/// Standard output, to which an answer goes piece by piece.
struct Answer;

impl Write for Answer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        go_on_with_output();
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// Prints the help or version that the user asked for.
///
/// # Errors
/// As for [`write()`].
pub(crate) fn help(help: &clap::Error) -> Result<(), Failure> {
    if is_closed() {
        return Err(cannot_write(&closed()));
    }
    finish(help.print().and_then(|()| io::stdout().flush()))
}

fn write_all(bytes: &[u8]) -> io::Result<()> {
    go_on_with_output();
    if is_closed() {
        return Err(closed());
    }
    let mut stdout = io::stdout().lock();
    for piece in bytes.chunks(PIECE) {
        go_on_with_output();
        stdout.write_all(piece)?;
    }
    stdout.flush()
}

fn finish(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(&error)),
        _ => Ok(()),
    }
}

fn cannot_write(error: &io::Error) -> Failure {
    Failure::new(
        Exit::NotWritable,
        format!("cannot write to standard output: {error}"),
    )
}

fn closed() -> io::Error {
    io::Error::other("it is closed or not open for writing")
}

/// Whether standard output was closed, or opened for reading only, when the process started.
fn is_closed() -> bool {
    #[cfg(target_os = "linux")]
    return at_start::is_closed();
    #[cfg(not(target_os = "linux"))]
    return false;
}

/// Looks at standard output before the runtime of Rust does: that replaces a closed descriptor by `/dev/null`, and
/// takes a failed write to one that is not open for writing as done.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "only code that runs before `main` can see that standard output is closed"
)]
mod at_start {
    use std::sync::atomic::{AtomicBool, Ordering};

    static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: functions in this section are called once, before `main`, in the C calling convention.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        // SAFETY: reading the flags of a descriptor accesses no memory of this process.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFL) };
        let is_writable = flags >= 0 && flags & libc::O_ACCMODE != libc::O_RDONLY;
        IS_CLOSED.store(!is_writable, Ordering::Relaxed);
    }

    pub(super) fn is_closed() -> bool {
        IS_CLOSED.load(Ordering::Relaxed)
    }
}
