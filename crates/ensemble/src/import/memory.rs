//! Memory that reading may take.

use std::fs;

use sheaf_ingest::Format;

/// Bytes of memory that a reader takes for each byte of an input. Inputs of 25 MB that consist of the shortest records
/// of a format took 5 (Caliper) to 13 (HPCToolkit) times their size.
const PER_BYTE: u64 = 16;

/// The same for recorded traces: 41 times the size of a trace of a million tasks, 56 times that of eleven million.
const PER_TRACE_BYTE: u64 = 64;

/// Bytes of memory that this process may still use: the smallest of its limit of address space, that of its control
/// group, and the memory that the machine has free. [`u64::MAX`] if none of these is known.
pub fn free_memory() -> u64 {
    let limits = [address_space(), control_group(), machine()];
    limits.into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// Maximum of decompressed bytes that may be read of a file, with so much memory.
pub(super) fn max_bytes(format: Option<Format>, memory: u64) -> u64 {
    memory / per_byte(format)
}

/// Memory that reading takes about, of so many decompressed bytes.
pub(super) fn needed(format: Option<Format>, bytes: u64) -> u64 {
    bytes.saturating_mul(per_byte(format))
}

fn per_byte(format: Option<Format>) -> u64 {
    match format {
        Some(Format::Trace) => PER_TRACE_BYTE,
        _ => PER_BYTE,
    }
}

fn address_space() -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    Some(limit.saturating_sub(kilobytes("/proc/self/status", "VmSize:")?))
}

fn control_group() -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        let text = fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse().ok()
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

fn machine() -> Option<u64> {
    kilobytes("/proc/meminfo", "MemAvailable:")
}

/// The value of a line `NAME NUMBER kB`, in bytes.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_follow_from_the_memory_that_is_free() {
        for format in [None, Some(Format::Trace)] {
            let most = max_bytes(format, 1 << 20);
            assert_eq!(needed(format, most), 1 << 20);
        }
        assert_eq!(needed(None, u64::MAX), u64::MAX);
        let free = free_memory();
        assert!(free > 1 << 20 && free < u64::MAX, "{free}");
    }
}
