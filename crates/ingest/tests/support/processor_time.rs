//! Processor time, which other processes of the machine do not change.

use std::time::Duration;

/// Processor time that this thread has used (`/proc/thread-self/schedstat`, first column, in ns).
pub(crate) fn of_this_thread() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}
