//! How long computations stop: they call a check that fails once the work was stopped.

use std::convert::Infallible;

/// Steps of a loop between two checks.
pub(crate) const CHECKED_EVERY: usize = 1 << 16;

/// A check that may fail.
pub(crate) type Check<'a, E> = &'a dyn Fn() -> Result<(), E>;

/// The result of work whose check never fails.
pub(crate) fn unstoppable<T>(
    work: impl FnOnce(Check<'_, Infallible>) -> Result<T, Infallible>,
) -> T {
    work(&|| Ok(())).unwrap_or_else(|never| match never {})
}
