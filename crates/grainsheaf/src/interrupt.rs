//! Signals. Ctrl-C and SIGTERM are counted here and acted on where the work is.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sheaf_model::Progress;

use crate::failure::{Exit, Failure};

/// Time that a question has to stop by itself.
const PATIENCE: Duration = Duration::from_millis(100);

/// How a process with a deadline ends, decided once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The question has an answer or an error, which is being written to a file or as the last message.
    Itself,
    /// The question, or the output of its answer, did not end at its deadline.
    Stopped,
}

static ENDING: OnceLock<Ending> = OnceLock::new();

/// Ends the process if the command, including its output, has not ended [`PATIENCE`] after its deadline; `report`
/// prints why. Freeing a large answer takes long, and a reader of the output may not read. A
/// question has nothing to clean up.
pub(crate) fn end_question(limit: Duration, report: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        std::thread::sleep(limit.saturating_add(PATIENCE));
        if ENDING.set(Ending::Stopped).is_ok() {
            report();
            std::process::exit(i32::from(Exit::Interrupted as u8));
        }
    });
}

/// Begins to write what must not be cut: from now on the process ends by itself. Does not return when the process
/// is being ended at its deadline.
pub(crate) fn begin_last_output() {
    while *ENDING.get_or_init(|| Ending::Itself) == Ending::Stopped {
        std::thread::park();
    }
}

/// Goes on with output that may end in the middle. Does not return when the process is being ended at its deadline.
pub(crate) fn go_on_with_output() {
    while ENDING.get() == Some(&Ending::Stopped) {
        std::thread::park();
    }
}

/// How often the user asked to stop. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    count: Arc<AtomicU32>,
}

impl Interrupt {
    /// Takes over the signals, once per process; `also` runs at each of them.
    ///
    /// # Errors
    /// When the system refuses the handler.
    pub(crate) fn install(also: impl Fn() + Send + 'static) -> Result<Self, Failure> {
        let interrupt = Self::default();
        let count = Arc::clone(&interrupt.count);
        let handler = move || {
            count.fetch_add(1, Ordering::Relaxed);
            also();
        };
        ctrlc::set_handler(handler)
            .map_err(|error| Failure::internal("cannot watch for Ctrl-C", &error))?;
        Ok(interrupt)
    }

    /// Stops a question at the first signal: its work ends by itself, or the process when it did not within
    /// [`PATIENCE`]. A question has nothing to clean up.
    ///
    /// # Errors
    /// When the system refuses the handler.
    pub(crate) fn stop_question(progress: Progress) -> Result<(), Failure> {
        let stop = move || {
            progress.cancel();
            std::thread::sleep(PATIENCE);
            std::process::exit(i32::from(Exit::Interrupted as u8));
        };
        Self::install(stop).map(drop)
    }

    /// Times that the user asked to stop.
    pub(crate) fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether the user asked to stop.
    pub(crate) fn is_set(&self) -> bool {
        self.count() > 0
    }

    /// Asks to stop, as a signal does.
    #[cfg(test)]
    pub(crate) fn raise(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Makes a write beyond the limit on file sizes fail as other writes do, instead of ending the process. Programs that
/// are started later are not affected: a handler, unlike an ignored signal, is not inherited.
#[cfg(unix)]
#[expect(
    unsafe_code,
    reason = "the standard library sets no handlers, and the crate for Ctrl-C none for this signal"
)]
pub(crate) fn survive_file_size_limit() {
    extern "C" fn nothing(_signal: libc::c_int) {}
    let handler: extern "C" fn(libc::c_int) = nothing;
    // SAFETY: the handler does nothing, so it may interrupt anything.
    unsafe { libc::signal(libc::SIGXFSZ, handler as libc::sighandler_t) };
}
