//! Units of timemory's components.

use sheaf_model::Unit;

use crate::decimal::Decimal;
use crate::json_tree::Item;
use crate::measure::{Value, snake_case};

/// What a component counts.
pub(super) enum Scale {
    /// Time, in units of a power of ten of a second.
    Time(i32),
    /// Bytes, in units of so many.
    Bytes(f64),
    /// Something else, by the name of its unit.
    Other(String),
}

/// A unit and the end of the names of metrics in it.
type Named<'a> = (Unit, &'a str);

impl Scale {
    pub(super) fn of(unit: &str) -> Self {
        match unit {
            "sec" | "s" => Self::Time(0),
            "msec" | "ms" => Self::Time(-3),
            "usec" | "us" => Self::Time(-6),
            "nsec" | "ns" => Self::Time(-9),
            "B" => Self::Bytes(1.0),
            "KB" => Self::Bytes(1e3),
            "MB" => Self::Bytes(1e6),
            "GB" => Self::Bytes(1e9),
            "KiB" => Self::Bytes(1024.0),
            "MiB" => Self::Bytes(1024.0 * 1024.0),
            "GiB" => Self::Bytes(1024.0 * 1024.0 * 1024.0),
            other => Self::Other(snake_case(other, "")),
        }
    }

    /// The value of an entry. Clocks count whole nanoseconds, which the entry holds next to the
    /// number that is shown; they are taken where both state the same.
    pub(super) fn value(&self, entry: Item<'_, '_>) -> Option<(Value, Named<'_>)> {
        let shown = entry.get("repr_data")?;
        let Self::Time(exponent) = self else {
            let value = self.in_unit(shown.as_f64()?);
            return Some((Value::Float(value), self.float_unit()));
        };
        let counted = entry.get("accum").and_then(Item::as_i64);
        let seconds = shown.as_number().and_then(Decimal::parse);
        let seconds = seconds.and_then(|seconds| seconds.shifted(*exponent));
        let nanoseconds = seconds.and_then(|seconds| seconds.in_units_of(9));
        match (counted, nanoseconds) {
            (Some(counted), Some(shown)) if counted.abs_diff(shown) <= 1 => {
                Some((Value::Integer(counted), (Unit::Nanoseconds, "ns")))
            }
            (_, Some(shown)) => Some((Value::Integer(shown), (Unit::Nanoseconds, "ns"))),
            _ => {
                let seconds = shown.as_f64()? * 10_f64.powi(*exponent);
                Some((Value::Float(seconds * 1e9), (Unit::Nanoseconds, "ns")))
            }
        }
    }

    /// Unit of numbers that are not whole.
    pub(super) fn float_unit(&self) -> Named<'_> {
        match self {
            Self::Time(_) => (Unit::Seconds, "s"),
            Self::Bytes(_) => (Unit::Bytes, "bytes"),
            Self::Other(name) => (Unit::Unknown, name),
        }
    }

    /// A number that is shown, in that unit.
    pub(super) fn in_unit(&self, shown: f64) -> f64 {
        match self {
            // Dividing by a whole power is exact where multiplying by its inverse is not.
            Self::Time(exponent) => shown / 10_f64.powi(-exponent),
            Self::Bytes(size) => shown * size,
            Self::Other(_) => shown,
        }
    }
}
