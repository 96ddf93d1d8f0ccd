//! Resources that a run could use and did use: from items of the headers to parameters.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_model::ParamValue;

use super::meta::item;
use super::processes::Process;
use crate::trace::TraceHeader;

/// From this share of their time on that threads were ready and had no processor, it is worth a warning.
const DISTURBED_SHARE: f64 = 0.05;
/// Less than that is the start of the threads.
const SHORTEST_DELAY_NS: i128 = 10_000_000;

/// Sums over the processes of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    user_ns: i128,
    system_ns: i128,
    voluntary_switches: i128,
    forced_switches: i128,
    /// Absent if a kernel did not report it.
    delayed_ns: Option<i128>,
    /// The same.
    migrations: Option<i128>,
    cores: usize,
}

/// Adds parameters; returns the usage where all processes have stated theirs.
pub(super) fn add(
    processes: &[Process],
    params: &mut BTreeMap<String, ParamValue>,
) -> Option<Usage> {
    let mut number = |name: &str, value: f64| {
        params.insert(name.to_owned(), ParamValue::Number(value));
    };
    let headers = || processes.iter().map(|process| &process.header);
    let cores = cores(headers());
    if cores > 0 {
        number("cores", cores as f64);
    }
    let quotas = headers().filter_map(quota);
    if let Some(quota) = quotas.min_by(f64::total_cmp) {
        number("cpu_quota", quota);
    }
    let loads = headers().find_map(|header| item(header, "load")?.parse::<f64>().ok());
    if let Some(load) = loads.filter(|load| load.is_finite()) {
        number("load_at_start", load);
    }
    let mut sum = Usage {
        delayed_ns: Some(0),
        migrations: Some(0),
        cores,
        ..Usage::default()
    };
    for header in headers() {
        sum.take(item(header, "usage")?);
    }
    let seconds = |ns: i128| ns as f64 / 1e9;
    number("user_time_s", seconds(sum.user_ns));
    number("system_time_s", seconds(sum.system_ns));
    number("voluntary_switches", sum.voluntary_switches as f64);
    number("forced_switches", sum.forced_switches as f64);
    if let Some(migrations) = sum.migrations {
        number("migrations", migrations as f64);
    }
    if let (Some(delayed), Some(share)) = (sum.delayed_ns, sum.delayed_share()) {
        number("preempted_s", seconds(delayed));
        number("preempted_share", share);
    }
    Some(sum)
}

impl Usage {
    fn take(&mut self, text: &str) {
        let values: BTreeMap<&str, i128> = text
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter_map(|(key, value)| Some((key, i128::from(value.parse::<u64>().ok()?))))
            .collect();
        let value = |key: &str| values.get(key).copied();
        self.user_ns += value("user_ns").unwrap_or(0);
        self.system_ns += value("system_ns").unwrap_or(0);
        self.voluntary_switches += value("voluntary_switches").unwrap_or(0);
        self.forced_switches += value("forced_switches").unwrap_or(0);
        let add = |sum: Option<i128>, key: &str| Some(sum? + value(key)?);
        self.delayed_ns = add(self.delayed_ns, "delayed_ns");
        self.migrations = add(self.migrations, "migrations");
    }

    /// Time that threads were ready and had no processor, by that and the time that they ran.
    fn delayed_share(&self) -> Option<f64> {
        let delayed = self.delayed_ns?;
        let all = self.user_ns + self.system_ns + delayed;
        (all > 0).then(|| delayed as f64 / all as f64)
    }

    /// Warning for a run whose threads waited for processors.
    pub(super) fn warning(&self, workers: usize) -> Option<String> {
        let share = self.delayed_share()?;
        if share < DISTURBED_SHARE || self.delayed_ns? < SHORTEST_DELAY_NS {
            return None;
        }
        let cause = if self.cores > 0 && workers > self.cores {
            let plural = if self.cores == 1 { "" } else { "s" };
            format!("{workers} workers shared {} core{plural}", self.cores)
        } else {
            "other programs ran on the machine".to_owned()
        };
        Some(format!(
            "threads had no processor for {:.0} % of the time in which they could run: {cause}, and times are longer \
             for it",
            100.0 * share
        ))
    }
}

/// Processors that the processes may use: of each host those of any process, no more than control groups allow.
fn cores<'a>(headers: impl Iterator<Item = &'a TraceHeader>) -> usize {
    let mut hosts: BTreeMap<Option<&str>, (BTreeSet<usize>, f64)> = BTreeMap::new();
    for header in headers {
        let host = hosts.entry(header.host.as_deref()).or_default();
        let list = item(header, "processors").unwrap_or_default();
        host.0.extend(processors(list));
        host.1 = host.1.max(quota(header).unwrap_or(f64::INFINITY));
    }
    let allowed = hosts.values().map(|(processors, quota)| {
        let count = processors.len();
        if count as f64 <= *quota {
            count
        } else {
            whole(*quota).min(count)
        }
    });
    allowed.sum()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and a quota is positive"
)]
fn whole(quota: f64) -> usize {
    quota.ceil().max(1.0) as usize
}

fn quota(header: &TraceHeader) -> Option<f64> {
    let (time, period) = item(header, "processor_quota")?.split_once(' ')?;
    let (time, period): (u32, u32) = (time.parse().ok()?, period.parse().ok()?);
    (time > 0 && period > 0).then(|| f64::from(time) / f64::from(period))
}

/// NUMA node of each processor of the machine of a process; empty if the recorder noted none.
pub(super) fn numa_nodes(header: &TraceHeader) -> BTreeMap<usize, i32> {
    nodes_of(item(header, "numa_processors").unwrap_or_default())
}

/// The same from lines such as `1 8-15`.
fn nodes_of(text: &str) -> BTreeMap<usize, i32> {
    const MOST: usize = 1 << 10;
    let nodes = text.lines().take(MOST).filter_map(|line| {
        let (node, list) = line.split_once(' ')?;
        Some((node.parse::<i32>().ok()?, list))
    });
    nodes
        .flat_map(|(node, list)| processors(list).map(move |processor| (processor, node)))
        .collect()
}

/// The numbers of `0-3,8`, no more than a kernel can have.
fn processors(list: &str) -> impl Iterator<Item = usize> {
    const MOST: usize = 1 << 13;
    let parts = list.split(',').flat_map(|part| {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        match (low.trim().parse::<usize>(), high.trim().parse::<usize>()) {
            (Ok(low), Ok(high)) => low..high.saturating_add(1).min(MOST),
            _ => 0..0,
        }
    });
    parts.take(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read_within_limits() {
        let read = |list: &str| processors(list).collect::<Vec<_>>();
        assert_eq!(read("0-2,8"), [0, 1, 2, 8]);
        assert_eq!(read(""), [0; 0]);
        assert_eq!(read("5-3,x"), [0; 0]);
        assert_eq!(read("0-18446744073709551615").len(), 1 << 13);
    }

    #[test]
    fn numa_nodes_are_read_within_limits() {
        let nodes = [(0, 2), (1, 2), (8, 10)];
        assert_eq!(nodes_of("2 0-1\n10 8\n"), nodes.into());
        assert_eq!(nodes_of("x 0-1\n3\n-\n10 8-7"), [].into());
        let long = "1 0-99999999999\n".repeat(5_000);
        assert_eq!(nodes_of(&long).len(), 1 << 13);
    }

    #[test]
    fn usage_is_summed_and_warned_of() {
        let mut usage = Usage {
            delayed_ns: Some(0),
            cores: 2,
            ..Usage::default()
        };
        usage.take("user_ns 800000000\nsystem_ns 100000000\ndelayed_ns 50000000\nodd");
        usage.take("user_ns 0\ndelayed_ns 50000000\n");
        assert_eq!(usage.delayed_share(), Some(0.1));
        let says = |workers: usize| usage.warning(workers).unwrap();
        assert!(says(2).contains("10 % of the time in which they could run: other programs"));
        assert!(says(4).contains(": 4 workers shared 2 cores,"));
        usage.take("user_ns 1");
        assert_eq!(usage.delayed_share(), None);
    }
}
