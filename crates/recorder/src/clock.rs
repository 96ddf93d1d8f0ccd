//! The recording clock: the time stamp counter where it can be trusted.
#![expect(unsafe_code, reason = "reads the counter and the system clock")]
#![expect(
    clippy::inline_always,
    reason = "parts of the hot path, each used in many callbacks: calls would dominate their cost"
)]

use crate::format::clock;

/// `CLOCK_MONOTONIC` in nanoseconds.
pub(crate) fn monotonic_ns() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds since the Unix epoch.
pub(crate) fn wall_ns() -> u64 {
    read_clock(libc::CLOCK_REALTIME)
}

fn read_clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the result.
    unsafe { libc::clock_gettime(id, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// The time stamp counter in units of four, which is still finer than reading it takes: most
/// differences then fit one byte.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { std::arch::x86_64::_rdtsc() >> 2 }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn counter() -> u64 {
    monotonic_ns()
}

/// A clock value and the nanoseconds of the same instant, from the tightest of a few tries.
pub(crate) fn pair(kind: u16) -> (u64, u64) {
    if kind != clock::TSC {
        let ns = monotonic_ns();
        return (ns, ns);
    }
    let mut best = (u64::MAX, 0, 0);
    for _ in 0..4 {
        let before = counter();
        let ns = monotonic_ns();
        let width = counter().saturating_sub(before);
        if width < best.0 {
            best = (width, before + width / 2, ns);
        }
    }
    (best.1, best.2)
}

/// Chooses the counter if the processor reports that it is constant and never stops and the
/// kernel itself trusts it.
pub(crate) fn choose() -> u16 {
    let kernel =
        std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let trusted = kernel.is_ok_and(|name| name.trim() == "tsc");
    if cfg!(target_arch = "x86_64") && trusted && is_invariant() {
        clock::TSC
    } else {
        clock::MONOTONIC
    }
}

/// What Linux shows as `constant_tsc` and `nonstop_tsc`: bit 8 of the advanced power
/// management leaf.
#[cfg(target_arch = "x86_64")]
fn is_invariant() -> bool {
    use std::arch::x86_64::__cpuid;
    #[allow(unused_unsafe, reason = "safe in newer compilers only")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn is_invariant() -> bool {
    false
}
