//! How many connections there may be: in total, and from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::addresses::{AddressRange, network};
use super::caller::is_trusted;
use crate::Error;

/// Connections in total if the request does not set it.
const DEFAULT_TOTAL: usize = 4096;

/// Maximum number of refused connections that are answered at the same time.
pub(super) const MAX_REFUSED: usize = 64;

/// Bounds on the descriptors that are kept for files of stores and all else.
const MIN_RESERVE: usize = 64;
const MAX_RESERVE: usize = 1024;

/// How many connections there may be, where the caller has a wish.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// In total.
    pub total: Option<usize>,
    /// From one address.
    pub per_address: Option<usize>,
}

/// The connections that there are.
pub(super) struct Connections {
    total: usize,
    per_address: usize,
    proxies: Vec<AddressRange>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    total: usize,
    by_network: HashMap<IpAddr, usize>,
}

/// A place for one connection, given back when dropped.
pub(super) struct Admission {
    connections: Arc<Connections>,
    network: Option<IpAddr>,
}

impl Connections {
    /// Fits the limits to the descriptors that this process may open, after asking for as many as
    /// it can get.
    ///
    /// # Errors
    /// If more connections are wanted than there are descriptors for.
    pub(super) fn new(
        limits: ConnectionLimits,
        proxies: Vec<AddressRange>,
    ) -> Result<Arc<Self>, Error> {
        Self::with_descriptors(limits, proxies, raise_descriptors())
    }

    fn with_descriptors(
        limits: ConnectionLimits,
        proxies: Vec<AddressRange>,
        descriptors: usize,
    ) -> Result<Arc<Self>, Error> {
        let reserve = (descriptors / 4).clamp(MIN_RESERVE, MAX_RESERVE) + MAX_REFUSED;
        let room = descriptors.saturating_sub(reserve).max(1);
        let total = limits.total.unwrap_or(DEFAULT_TOTAL.min(room));
        if total > room {
            return Err(Error::Connections {
                wanted: total,
                room,
                descriptors,
            });
        }
        let per_address = limits.per_address.unwrap_or((total / 4).max(1));
        tracing::info!(total, per_address, descriptors, "connections");
        Ok(Arc::new(Self {
            total,
            per_address: per_address.min(total),
            proxies,
            open: Mutex::default(),
        }))
    }

    /// A place for a connection from an address, or the limit that has been reached. A trusted
    /// proxy speaks for many, so that its connections count in total alone.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Result<Admission, String> {
        let is_shared = is_trusted(address, &self.proxies);
        let network = (!is_shared).then(|| network(address));
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.total >= self.total {
            return Err(format!("all `{}` connections are taken", self.total));
        }
        if let Some(network) = network {
            let count = open.by_network.entry(network).or_default();
            if *count >= self.per_address {
                return Err(format!(
                    "all `{}` connections of one address are taken",
                    self.per_address
                ));
            }
            *count += 1;
        }
        open.total += 1;
        drop(open);
        Ok(Admission {
            connections: Arc::clone(self),
            network,
        })
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let open = &self.connections.open;
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        open.total = open.total.saturating_sub(1);
        if let Some(network) = self.network
            && let Some(count) = open.by_network.get_mut(&network)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.by_network.remove(&network);
            }
        }
    }
}

/// Raises the limit of descriptors as far as the system lets us; returns it.
fn raise_descriptors() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    // A system may refuse its own maximum; then the present limit stays.
    let current = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    current.map_or(usize::MAX, |count| {
        usize::try_from(count).unwrap_or(usize::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(total: usize, per_address: usize) -> Arc<Connections> {
        let limits = ConnectionLimits {
            total: Some(total),
            per_address: Some(per_address),
        };
        let proxies = vec!["10.0.0.1".parse().unwrap()];
        Connections::with_descriptors(limits, proxies, 1024).unwrap()
    }

    #[test]
    fn one_address_cannot_take_all_places() {
        let connections = connections(4, 2);
        let admit = |address: &str| connections.admit(address.parse().unwrap());
        let first = admit("::ffff:127.0.0.1").unwrap();
        let _second = admit("127.0.0.1").unwrap();
        let full = "all `2` connections of one address are taken";
        assert_eq!(admit("127.0.0.1").err().unwrap(), full);
        let _other = admit("127.0.0.2").unwrap();
        drop(first);
        let _third = admit("127.0.0.1").unwrap();
        let _fourth = admit("127.0.0.2").unwrap();
        let full = "all `4` connections are taken";
        assert_eq!(admit("127.0.0.3").err().unwrap(), full);
    }

    #[test]
    fn trusted_proxies_speak_for_many() {
        let connections = connections(4, 1);
        let admit = |address: &str| connections.admit(address.parse().unwrap());
        let _all: Vec<_> = (0..4).map(|_| admit("10.0.0.1").unwrap()).collect();
        assert!(admit("10.0.0.1").is_err());
    }

    #[test]
    fn descriptors_are_kept_for_files() {
        let total = |wanted: Option<usize>, descriptors| {
            let limits = ConnectionLimits {
                total: wanted,
                per_address: None,
            };
            Connections::with_descriptors(limits, Vec::new(), descriptors)
                .map(|connections| (connections.total, connections.per_address))
                .map_err(|error| error.to_string())
        };
        assert_eq!(total(None, 1024).unwrap(), (704, 176));
        assert_eq!(total(None, 1 << 20).unwrap(), (4096, 1024));
        assert_eq!(total(None, 10).unwrap(), (1, 1));
        let message = total(Some(1000), 1024).unwrap_err();
        assert!(
            message.contains("`1000`") && message.contains("`704`"),
            "{message}"
        );
    }
}
