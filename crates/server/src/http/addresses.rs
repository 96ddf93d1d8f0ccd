//! Ranges of network addresses.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// An address, or all that begin with the same bits.
///
/// ```
/// use sheaf_server::AddressRange;
///
/// let range: AddressRange = "10.1.0.0/16".parse()?;
/// assert!(range.contains("10.1.2.3".parse().unwrap()));
/// assert!(!range.contains("10.2.0.1".parse().unwrap()));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRange {
    base: IpAddr,
    bits: u32,
}

impl AddressRange {
    /// Whether an address is in the range. IPv4 addresses that are written as IPv6 are IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.base, canonical(address)) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - self.bits).unwrap_or(0);
                u32::from(base) & mask == u32::from(address) & mask
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - self.bits).unwrap_or(0);
                u128::from(base) & mask == u128::from(address) & mask
            }
            _ => false,
        }
    }
}

impl FromStr for AddressRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "`{text}` is not an address such as `10.1.2.3` or a range such as `10.1.0.0/16`"
            )
        };
        let (base, bits) = match text.split_once('/') {
            Some((base, bits)) => (base, Some(bits)),
            None => (text, None),
        };
        let base = canonical(base.parse().map_err(|_| expected())?);
        let most = match base {
            IpAddr::V4(_) => 32,
            IpAddr::V6(_) => 128,
        };
        let bits = bits.map_or(Ok(most), str::parse).map_err(|_| expected())?;
        if bits > most {
            return Err(expected());
        }
        Ok(Self { base, bits })
    }
}

/// An address in one form: IPv4 addresses that are written as IPv6 become IPv4.
pub(super) fn canonical(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

/// The part of an address that one customer of a network has to himself: of IPv6 the first 64 bits.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match canonical(address) {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from(u128::from(address) & (u128::MAX << 64))),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_begins_alike() {
        let check = |range: &str, address: &str| {
            let range: AddressRange = range.parse().unwrap();
            range.contains(address.parse().unwrap())
        };
        assert!(check("127.0.0.1", "127.0.0.1"));
        assert!(check("127.0.0.1", "::ffff:127.0.0.1"));
        assert!(!check("127.0.0.1", "127.0.0.2"));
        assert!(check("0.0.0.0/0", "255.0.0.1"));
        assert!(!check("0.0.0.0/0", "::1"));
        assert!(check("fd00::/8", "fdff::1"));
        assert!(!check("fd00::/8", "fe00::1"));
        assert!(check("::/0", "fe00::1"));
        for text in [
            "",
            "a",
            "10.0.0.1/33",
            "10.0.0.1/",
            "10.0.0.1/-1",
            "::1/129",
            "10.0.0",
        ] {
            assert!(text.parse::<AddressRange>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_network_is_what_one_customer_has() {
        let shown = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(shown("10.1.2.3"), "10.1.2.3");
        assert_eq!(shown("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
