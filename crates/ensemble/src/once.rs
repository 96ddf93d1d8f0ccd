//! Work that several questions may need: done by one of them while the others wait.

use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use sheaf_model::{Cancelled, Progress};

/// How often a question that waits for another looks whether it was stopped itself.
const LOOK: Duration = Duration::from_millis(20);

/// A lock whose waiters can be stopped.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    is_taken: Mutex<bool>,
    given_back: Condvar,
}

/// The turn of one question, given back when dropped.
pub(crate) struct Taken<'a>(&'a Turn);

impl Turn {
    /// Waits until nobody else has the turn. Not for jobs of rayon: if all its threads wait, the question that has the turn
    /// cannot go on. [`map_on_threads`](sheaf_grains::map_on_threads) is for such work.
    ///
    /// # Errors
    /// When `progress` is stopped before.
    pub(crate) fn take(&self, progress: &Progress) -> Result<Taken<'_>, Cancelled> {
        debug_assert!(
            rayon::current_thread_index().is_none(),
            "a job of rayon waits for a turn"
        );
        let mut is_taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *is_taken {
            progress.check()?;
            let waited = self.given_back.wait_timeout(is_taken, LOOK);
            is_taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        progress.check()?;
        *is_taken = true;
        Ok(Taken(self))
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let turn = self.0;
        *turn.is_taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        turn.given_back.notify_one();
    }
}

/// A value that is made when first asked for and kept. When the question that makes it is stopped, the next one
/// that waits makes it.
#[derive(Debug)]
pub(crate) struct Once<T> {
    value: OnceLock<T>,
    turn: Turn,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self {
            value: OnceLock::new(),
            turn: Turn::default(),
        }
    }
}

impl<T> Once<T> {
    /// The value when it is made already.
    pub(crate) fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// The value; made by `make` when it is not there.
    ///
    /// # Errors
    /// Those of `make`, after which nothing is kept; when `progress` is stopped while another makes it.
    pub(crate) fn get_or_make<E: From<Cancelled>>(
        &self,
        progress: &Progress,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&T, E> {
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let _turn = self.turn.take(progress)?;
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let value = make()?;
        Ok(self.value.get_or_init(|| value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_another_can_be_stopped() {
        let turn = Turn::default();
        let silent = Progress::silent();
        let first = turn.take(&silent);
        assert!(first.is_ok());
        let stopped = Progress::silent().with_deadline(Duration::from_millis(1));
        assert!(turn.take(&stopped).is_err());
        drop(first);
        assert!(turn.take(&silent).is_ok());
    }

    #[test]
    fn what_a_stopped_question_did_not_finish_is_made_by_the_next() {
        let once: Once<u32> = Once::default();
        let silent = Progress::silent();
        let stopped = once.get_or_make(&silent, || Err(Cancelled));
        assert_eq!(stopped, Err(Cancelled));
        assert!(once.get().is_none());
        let made: Result<_, Cancelled> = once.get_or_make(&silent, || Ok(7));
        assert_eq!(made, Ok(&7));
    }
}
