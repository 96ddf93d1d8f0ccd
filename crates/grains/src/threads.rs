//! Work that may wait for other work.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `work` for each item on up to `threads` threads and returns the results in the order of the items. Items begin in
/// this order. A panic goes on in the caller.
///
/// The threads are not those of rayon. A job of rayon must not wait for a value that another thread computes: that thread
/// can need rayon in turn, and all threads of rayon can wait, or a job can wait for the one below it on its own stack.
///
/// ```
/// let squares = sheaf_grains::map_on_threads(&[3, 1, 2], 2, |number| number * number);
/// assert_eq!(squares, [9, 1, 4]);
/// ```
pub fn map_on_threads<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let do_next = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return done;
            };
            done.push((at, work(item)));
        }
    };
    let others = threads.min(items.len()).saturating_sub(1);
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (0..others).map(|_| scope.spawn(do_next)).collect();
        let mut done = do_next();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
