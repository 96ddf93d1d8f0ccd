//! Wrong tokens: each is answered later than the one before, and the log names who shows them.
//!
//! A right token is never delayed, whoever else shows wrong ones from the same address: its owner
//! cannot be locked out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::addresses::network;

/// Delay of the first wrong token; it doubles with each further one.
const FIRST_DELAY: Duration = Duration::from_millis(50);
const MAX_DOUBLINGS: u32 = 6;

/// Addresses that are remembered, and how long after their last wrong token.
const MAX_REMEMBERED: usize = 1024;
const REMEMBERED_FOR: Duration = Duration::from_secs(10 * 60);

/// Lines of the log within one interval.
const MAX_LINES: u32 = 10;
const INTERVAL: Duration = Duration::from_secs(60);

/// Who showed wrong tokens.
pub(super) struct Failures(Mutex<Inner>);

struct Inner {
    records: HashMap<IpAddr, Record>,
    interval_began: Instant,
    lines: u32,
}

struct Record {
    count: u32,
    last: Instant,
}

impl Failures {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Inner {
            records: HashMap::new(),
            interval_began: Instant::now(),
            lines: 0,
        }))
    }

    /// Notes a wrong token; returns how long to keep its answer back.
    pub(super) fn note(&self, address: IpAddr) -> Duration {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = inner.count(network(address), Instant::now());
        // The first, and then ever fewer of them.
        if count.is_power_of_two() && inner.may_log(Instant::now()) {
            tracing::warn!(%address, count, "wrong token");
        }
        FIRST_DELAY * (1 << (count - 1).min(MAX_DOUBLINGS))
    }
}

impl Inner {
    fn count(&mut self, network: IpAddr, now: Instant) -> u32 {
        let is_known = self.records.contains_key(&network);
        if !is_known && self.records.len() >= MAX_REMEMBERED {
            self.records
                .retain(|_, record| now.duration_since(record.last) < REMEMBERED_FOR);
            if self.records.len() >= MAX_REMEMBERED {
                let oldest = self.records.iter().min_by_key(|(_, record)| record.last);
                if let Some(oldest) = oldest.map(|(network, _)| *network) {
                    self.records.remove(&oldest);
                }
            }
        }
        let record = self.records.entry(network).or_insert(Record {
            count: 0,
            last: now,
        });
        if now.duration_since(record.last) >= REMEMBERED_FOR {
            record.count = 0;
        }
        record.count = record.count.saturating_add(1);
        record.last = now;
        record.count
    }

    fn may_log(&mut self, now: Instant) -> bool {
        if now.duration_since(self.interval_began) >= INTERVAL {
            self.interval_began = now;
            self.lines = 0;
        }
        self.lines += 1;
        self.lines <= MAX_LINES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_per_address_and_have_a_bound() {
        let failures = Failures::new();
        let note = |address: &str| failures.note(address.parse().unwrap()).as_millis();
        assert_eq!([(); 4].map(|()| note("10.0.0.1")), [50, 100, 200, 400]);
        assert_eq!(note("10.0.0.2"), 50);
        for _ in 0..100 {
            assert!(note("10.0.0.1") <= 3200);
        }
        assert_eq!(note("10.0.0.1"), 3200);
    }

    #[test]
    fn what_is_remembered_has_a_bound() {
        let failures = Failures::new();
        for number in 0..3 * MAX_REMEMBERED {
            let number = u32::try_from(number).unwrap();
            failures.note(IpAddr::V4(number.into()));
        }
        assert_eq!(failures.0.lock().unwrap().records.len(), MAX_REMEMBERED);
    }

    #[test]
    fn addresses_are_forgotten() {
        let now = Instant::now();
        let address = "10.0.0.1".parse().unwrap();
        let mut inner = Failures::new().0.into_inner().unwrap();
        assert_eq!([(); 2].map(|()| inner.count(address, now)), [1, 2]);
        assert_eq!(inner.count(address, now + REMEMBERED_FOR), 1);
    }
}
