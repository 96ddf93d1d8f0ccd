//! Use of the machine by launches, as the kernel counts it.

/// Times and switches of processes that have ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Processor time in the programs themselves and in the kernel for them, in nanoseconds.
    pub(crate) cpu_ns: i64,
}

impl Usage {
    /// Of all processes that we started and waited for, with those that they waited for.
    #[expect(
        unsafe_code,
        reason = "the standard library does not return the usage of children"
    )]
    pub(crate) fn of_children() -> Self {
        // SAFETY: all zero is a valid value, and the call fills it or fails.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
            usage
        };
        let nanos = |time: libc::timeval| {
            time.tv_sec
                .saturating_mul(1_000_000_000)
                .saturating_add(time.tv_usec.saturating_mul(1_000))
        };
        Self {
            cpu_ns: nanos(usage.ru_utime).saturating_add(nanos(usage.ru_stime)),
        }
    }

    /// Increase since an earlier reading.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns.saturating_sub(before.cpu_ns),
        }
    }
}
