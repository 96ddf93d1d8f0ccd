//! What a metric is: unit, direction, how it adds up; and the names of our own metrics.

use std::fmt;
use std::str::FromStr;

/// Unit of a metric's values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unit {
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds, as some call profiles give them.
    Microseconds,
    /// Seconds, as some call profiles give them.
    Seconds,
    /// Ticks of a clock whose rate is not known.
    Ticks,
    /// Processor cycles.
    Cycles,
    /// Bytes.
    Bytes,
    /// A number of items.
    Count,
    /// A dimensionless ratio.
    Ratio,
    /// The source does not state a unit.
    Unknown,
}

/// Which way of a metric is worse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// Higher is worse: times, misses.
    HigherIsWorse,
    /// Higher is better: rates, parallelism.
    HigherIsBetter,
    /// Neither: counts of iterations.
    Neutral,
}

/// How values of one context combine into those of its ancestors and totals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MetricKind {
    /// Exclusive and additive: inclusive values are the sum over the contexts below.
    Additive,
    /// Additive over locations, but given by the source as inclusive values.
    Inclusive,
    /// Not additive: ratios and means. Never summed; undefined where absent.
    Intensive,
}

macro_rules! text_enum {
    ($type:ident, $what:literal, $($variant:ident => $text:literal),+ $(,)?) => {
        impl $type {
            /// Every value, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The text that stands for this value in stores, on the wire and in the lens.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        #[cfg(feature = "answers")]
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        #[cfg(feature = "answers")]
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "answers")]
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::Type::String)
                    .enum_values(Some([$($text),+]))
                    .into()
            }
        }

        #[cfg(feature = "answers")]
        impl utoipa::ToSchema for $type {}

        impl FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| {
                    let known: Vec<_> = Self::ALL.iter().map(|value| value.as_str()).collect();
                    format!("`{text}` is not a {}; use one of {}", $what, known.join(", "))
                })
            }
        }
    };
}
pub(crate) use text_enum;

text_enum!(Unit, "unit",
    Nanoseconds => "ns", Microseconds => "us", Seconds => "s", Ticks => "ticks",
    Cycles => "cycles", Bytes => "bytes", Count => "count", Ratio => "ratio", Unknown => "unknown");
text_enum!(Direction, "direction",
    HigherIsWorse => "higher_is_worse", HigherIsBetter => "higher_is_better", Neutral => "neutral");
text_enum!(MetricKind, "kind of metric",
    Additive => "additive", Inclusive => "inclusive", Intensive => "intensive");

impl MetricKind {
    /// Whether sums of its values over locations and contexts have a meaning.
    pub const fn adds_up(self) -> bool {
        !matches!(self, Self::Intensive)
    }
}

impl Unit {
    /// Whether it is a unit of time; cycles of a processor are one.
    pub const fn is_time(self) -> bool {
        matches!(
            self,
            Self::Nanoseconds | Self::Microseconds | Self::Seconds | Self::Ticks | Self::Cycles
        )
    }
}

/// Names of the metrics that runs of grain programs have. `_ns` becomes `_ticks` where the clock
/// rate of a run is not known.
pub mod names {
    /// Time spent computing in the context's own fragments.
    pub const WORK: &str = "work_ns";

    /// Whether a metric is [`WORK`], in the unit of any run.
    pub fn is_work(name: &str) -> bool {
        matches!(name, WORK | "work_ticks")
    }

    /// Whether a name in snake case states that values are times; some sources do not state units.
    pub fn is_called_time(name: &str) -> bool {
        let mut words = name.split('_');
        words.any(|word| matches!(word, "time" | "duration"))
    }

    /// Time spent creating grains, charged to the context of the created grain.
    pub const CREATION: &str = "creation_ns";
    /// Time a grain's own worker spent in its waits while running nothing else.
    pub const WAITING: &str = "waiting_ns";
    /// The part of waiting that was for locks, critical and ordered sections, atomic constructs, and other iterations.
    pub const LOCK_WAITING: &str = "lock_waiting_ns";
    /// Time from getting a lock, or entering such a section, to giving it back: no other grain gets it
    /// meanwhile. Only of sections and of calls that were for a single lock.
    pub const LOCK_HELD: &str = "lock_held_ns";
    /// The part of waiting that was spent in calls of MPI.
    pub const MPI: &str = "mpi_ns";
    /// Bytes that ranks hand over to MPI. Sends, broadcasts, reductions and puts count: each call adds the number
    /// of its elements times the size of their type.
    pub const MPI_BYTES: &str = "mpi_bytes";
    /// The part of work in which the worker's thread had no processor: other programs or threads ran, or it was
    /// blocked. At least so much; of the grain that ran last before its processor time was read.
    pub const OFF_CPU: &str = "off_cpu_ns";
    /// Number of grains (tasks and chunks).
    pub const GRAINS: &str = "grains";
}
