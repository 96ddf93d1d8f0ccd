//! Progress of long work, and the way to stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The work was cancelled by its user, or took longer than its deadline.
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
    deadline: Option<Deadline>,
}

/// A limit of time, and when it ends.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    limit: Duration,
    end: Option<Instant>,
}

impl Deadline {
    fn is_past(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

impl Progress {
    /// A handle without an observer.
    pub fn silent() -> Self {
        Self::default()
    }

    /// A handle that calls `observer` at every report, from whichever thread reports.
    pub fn watched(observer: impl Fn(&Step) + Send + Sync + 'static) -> Self {
        Self {
            observer: Some(Arc::new(observer)),
            ..Self::default()
        }
    }

    /// The same handle with a limit of time from now on: work that checks it after that stops.
    ///
    /// ```
    /// use std::time::Duration;
    /// use sheaf_model::Progress;
    /// let progress = Progress::silent().with_deadline(Duration::ZERO);
    /// assert!(progress.check().is_err());
    /// assert_eq!(progress.exceeded(), Some(Duration::ZERO));
    /// ```
    #[must_use]
    pub fn with_deadline(mut self, limit: Duration) -> Self {
        // A limit beyond what the clock can hold never ends.
        let end = Instant::now().checked_add(limit);
        self.deadline = Some(Deadline { limit, end });
        self
    }

    /// The time limit, if it has passed and the work was not cancelled before.
    pub fn exceeded(&self) -> Option<Duration> {
        let deadline = self.deadline.filter(Deadline::is_past)?;
        (!self.is_cancelled.load(Ordering::Relaxed)).then_some(deadline.limit)
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

    /// Fails when the work was cancelled or its limit of time is over. Called at least every 100 ms of work;
    /// costs some ten nanoseconds.
    ///
    /// # Errors
    /// [`Cancelled`] after [`Progress::cancel`] was called on any clone, and after the deadline.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_stopped() {
            Err(Cancelled)
        } else {
            Ok(())
        }
    }

    /// Whether [`Progress::check`] fails; once it does it always does. Loops that cannot fail leave early when it
    /// holds, and their caller checks before it uses the result.
    pub fn is_stopped(&self) -> bool {
        let is_past = || self.deadline.is_some_and(|deadline| deadline.is_past());
        self.is_cancelled.load(Ordering::Relaxed) || is_past()
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress")
            .field("is_cancelled", &self.is_cancelled)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
