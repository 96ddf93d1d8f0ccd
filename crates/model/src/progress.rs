//! Progress of long work, and the way to stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The work was cancelled by its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// A step of long work, as shown to a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is being done, in the user's words.
    pub name: String,
    /// Units done so far.
    pub done: u64,
    /// Units in all, when known.
    pub total: Option<u64>,
}

type Observer = dyn Fn(&Step) + Send + Sync;

/// Handle that long work reports to and asks whether to go on. Cheap to clone.
///
/// ```
/// use sheaf_model::Progress;
/// let progress = Progress::silent();
/// assert!(progress.check().is_ok());
/// progress.cancel();
/// assert!(progress.check().is_err());
/// ```
#[derive(Clone, Default)]
pub struct Progress {
    observer: Option<Arc<Observer>>,
    is_cancelled: Arc<AtomicBool>,
}

impl Progress {
    /// A handle that nobody watches.
    pub fn silent() -> Self {
        Self::default()
    }

    /// A handle that calls `observer` at every report, from whichever thread reports.
    pub fn watched(observer: impl Fn(&Step) + Send + Sync + 'static) -> Self {
        Self {
            observer: Some(Arc::new(observer)),
            is_cancelled: Arc::default(),
        }
    }

    /// Reports a step.
    pub fn report(&self, name: &str, done: u64, total: Option<u64>) {
        if let Some(observer) = &self.observer {
            observer(&Step {
                name: name.to_owned(),
                done,
                total,
            });
        }
    }

    /// Asks the work to stop at its next check.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Fails when the work was cancelled. Called at least every 100 ms of work.
    ///
    /// # Errors
    /// [`Cancelled`] after [`Progress::cancel`] was called on any clone.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled.load(Ordering::Relaxed) {
            Err(Cancelled)
        } else {
            Ok(())
        }
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress")
            .field("is_cancelled", &self.is_cancelled)
            .finish_non_exhaustive()
    }
}
