//! Resources that the process may use and did use: processors, times, switches.
#![expect(unsafe_code, reason = "asks the kernel")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, mem};

use crate::metadata::Items;

/// Adds what holds from the start: processors that the process may run on, its share of them, the load.
pub(crate) fn describe_start(items: &mut Items) {
    let processors = allowed_processors();
    if !processors.is_empty() {
        items.add("processors", ranges(&processors).as_bytes());
    }
    let nodes = numa_processors(Path::new("/sys/devices/system/node"));
    if !nodes.is_empty() {
        items.add("numa_processors", nodes.as_bytes());
    }
    if let Some(quota) = quota() {
        items.add("processor_quota", quota.as_bytes());
    }
    if let Ok(load) = fs::read_to_string("/proc/loadavg") {
        let first = load.split_whitespace().next().unwrap_or_default();
        items.add("load", first.as_bytes());
    }
}

/// Adds the usage of the process; `threads` are those that are still there.
pub(crate) fn describe_end(items: &mut Items, threads: impl Iterator<Item = u32>) {
    // SAFETY: all zero is a valid value, and the call fills it or fails.
    let usage = unsafe {
        let mut usage: libc::rusage = mem::zeroed();
        if libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) != 0 {
            return;
        }
        usage
    };
    let nanos = |time: libc::timeval| {
        i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_usec) * 1_000
    };
    let mut text = String::new();
    let _ = writeln!(text, "user_ns {}", nanos(usage.ru_utime));
    let _ = writeln!(text, "system_ns {}", nanos(usage.ru_stime));
    let _ = writeln!(text, "voluntary_switches {}", usage.ru_nvcsw);
    let _ = writeln!(text, "forced_switches {}", usage.ru_nivcsw);
    let folders: Vec<String> = threads
        .map(|thread| format!("/proc/self/task/{thread}"))
        .collect();
    // Known of all threads or not at all: a kernel keeps it or does not.
    for (key, of_thread, ended) in [
        (
            "delayed_ns",
            delay_of as fn(&str) -> Option<u64>,
            &ENDED_DELAY,
        ),
        ("migrations", migrations_of, &ENDED_MIGRATIONS),
    ] {
        let living = folders.iter().map(|folder| of_thread(folder));
        if let Some(living) = living.sum::<Option<u64>>() {
            let sum = living.saturating_add(ended.load(Ordering::Relaxed));
            let _ = writeln!(text, "{key} {sum}");
        }
    }
    items.add("usage", text.as_bytes());
}

/// Time for which threads that have ended were ready to run and had no processor.
static ENDED_DELAY: AtomicU64 = AtomicU64::new(0);

/// How often threads that have ended went on on another processor.
static ENDED_MIGRATIONS: AtomicU64 = AtomicU64::new(0);

/// Adds the kernel's figures of the calling thread, which is about to end.
pub(crate) fn end_thread() {
    let folder = "/proc/thread-self";
    ENDED_DELAY.fetch_add(delay_of(folder).unwrap_or(0), Ordering::Relaxed);
    ENDED_MIGRATIONS.fetch_add(migrations_of(folder).unwrap_or(0), Ordering::Relaxed);
}

/// Starts anew, in a process that was forked.
pub(crate) fn forget() {
    ENDED_DELAY.store(0, Ordering::Relaxed);
    ENDED_MIGRATIONS.store(0, Ordering::Relaxed);
}

/// Nanoseconds for which a thread was ready and did not run: the second number of `schedstat`.
fn delay_of(folder: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("{folder}/schedstat")).ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

/// How often the kernel moved a thread to another processor; kernels without debugging of the scheduler have no such
/// file.
fn migrations_of(folder: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("{folder}/sched")).ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("se.nr_migrations"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

/// Processor time of the calling thread in nanoseconds.
pub(crate) fn thread_time() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the result.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// Processors of the calling thread's mask, ascending; none if the kernel does not report them.
fn allowed_processors() -> Vec<usize> {
    const WORDS: usize = 128;
    let mut mask = [0_u64; WORDS];
    // SAFETY: the mask has the passed length.
    let filled = unsafe {
        libc::syscall(
            libc::SYS_sched_getaffinity,
            0,
            size_of_val(&mask),
            mask.as_mut_ptr(),
        )
    };
    if filled <= 0 {
        return Vec::new();
    }
    let is_set = |cpu: &usize| mask[cpu / 64] >> (cpu % 64) & 1 == 1;
    (0..WORDS * 64).filter(is_set).collect()
}

/// A line `NODE PROCESSORS` per NUMA node, such as `1 8-15`; empty if the kernel lists none.
fn numa_processors(folder: &Path) -> String {
    let node_of = |name: &OsStr| name.to_str()?.strip_prefix("node")?.parse::<u32>().ok();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let nodes: BTreeMap<u32, String> = entries
        .filter_map(|entry| {
            let node = node_of(&entry.file_name())?;
            let list = fs::read_to_string(entry.path().join("cpulist")).ok()?;
            Some((node, list.trim().to_owned()))
        })
        .collect();
    // Nodes of memory have no processors.
    let nodes = nodes.iter().filter(|(_, list)| !list.is_empty());
    nodes.fold(String::new(), |mut text, (node, list)| {
        let _ = writeln!(text, "{node} {list}");
        text
    })
}

/// `0-3,8` of the numbers, which are ascending.
fn ranges(numbers: &[usize]) -> String {
    let mut text = String::new();
    for run in numbers.chunk_by(|a, b| a + 1 == *b) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            continue;
        };
        let comma = if text.is_empty() { "" } else { "," };
        let _ = if first == last {
            write!(text, "{comma}{first}")
        } else {
            write!(text, "{comma}{first}-{last}")
        };
    }
    text
}

/// Processors' worth of time that the control group may use, if it is limited: `MAX PERIOD` in microseconds, the
/// smallest share of any group above.
fn quota() -> Option<String> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mut smallest: Option<(u64, u64)> = None;
    let mut folder = std::path::PathBuf::from("/sys/fs/cgroup");
    for part in path.split('/') {
        if part == ".." {
            continue;
        }
        folder.push(part);
        let Some(limit) = fs::read_to_string(folder.join("cpu.max"))
            .ok()
            .and_then(|text| limit(&text))
        else {
            continue;
        };
        let is_smaller = smallest.is_none_or(|known| {
            u128::from(limit.0) * u128::from(known.1) < u128::from(known.0) * u128::from(limit.1)
        });
        if is_smaller {
            smallest = Some(limit);
        }
    }
    smallest.map(|(max, period)| format!("{max} {period}"))
}

fn limit(text: &str) -> Option<(u64, u64)> {
    let mut words = text.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_listed_by_numa_node() {
        let folder = tempfile::tempdir().unwrap();
        for (node, list) in [("node10", "8-15\n"), ("node2", "0-3,6\n"), ("node3", "\n")] {
            fs::create_dir(folder.path().join(node)).unwrap();
            fs::write(folder.path().join(node).join("cpulist"), list).unwrap();
        }
        fs::create_dir(folder.path().join("power")).unwrap();
        assert_eq!(numa_processors(folder.path()), "2 0-3,6\n10 8-15\n");
        assert_eq!(numa_processors(Path::new("/nowhere")), "");
    }

    #[test]
    fn processors_are_written_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(ranges(&[]), "");
        assert!(!allowed_processors().is_empty());
    }

    #[test]
    fn limits_are_two_numbers() {
        assert_eq!(limit("150000 100000\n"), Some((150_000, 100_000)));
        assert_eq!(limit("max 100000\n"), None);
    }

    #[test]
    fn processor_time_passes() {
        let before = thread_time();
        let mut sum = 0_u64;
        while thread_time() == before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(thread_time() > before);
    }
}
