//! Memory that reading may take.

use std::fs;

use sheaf_ingest::Format;

/// Bytes of memory that readers take for each byte of a text, at most: rows, names and tables of what it describes.
/// Measured with inputs made of the shortest records of each format.
const PER_BYTE: u64 = 12;

/// The same for recorded traces, which are compressed by their coding: 22 bytes a task.
const PER_TRACE_BYTE: u64 = 64;

/// Bytes of memory that this process may still use: the smallest of its limit of address space, that of its control
/// group, and the memory that the machine has free. [`u64::MAX`] if none of these is known.
pub fn free_memory() -> u64 {
    let limits = [address_space(), control_group(), machine()];
    limits.into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// Most bytes of decompressed content that one of `readers` at once may read of a file, if `free` bytes of memory are
/// free.
pub(super) fn max_bytes(format: Option<Format>, free: u64, readers: usize) -> u64 {
    let per_byte = match format {
        Some(Format::Trace) => PER_TRACE_BYTE,
        _ => PER_BYTE,
    };
    free / per_byte / readers.max(1) as u64
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
    fn readers_share_the_memory_that_is_free() {
        assert_eq!(max_bytes(None, 2400, 2), 100);
        assert_eq!(max_bytes(Some(Format::Trace), 6400, 0), 100);
        let free = free_memory();
        assert!(free > 1 << 20 && free < u64::MAX, "{free}");
    }
}
