//! The value of a group in a run, which can be absent in two ways.

/// Value of a group or context in one run.
///
/// Neither of the absent states is zero: they are left out of distributions and counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measurement {
    /// The group occurs and the metric was measured there.
    Value(f64),
    /// The group occurs, but the metric was not measured there.
    NotMeasured,
    /// The group does not occur in the run.
    Absent,
}

impl Measurement {
    /// The value, when there is one.
    pub const fn value(self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotMeasured | Self::Absent => None,
        }
    }

    /// Whether the group occurs in the run.
    pub const fn is_present(self) -> bool {
        !matches!(self, Self::Absent)
    }

    /// A group's own value, given that with everything below it: where only what is below was measured, nothing is
    /// its own. Profilers that sample keep no zeros.
    #[must_use]
    pub const fn or_zero_if_callees_measured(self, inclusive: Self) -> Self {
        match (self, inclusive) {
            (Self::NotMeasured, Self::Value(_)) => Self::Value(0.0),
            _ => self,
        }
    }

    /// The value with both absent states as zero, as totals of additive metrics take it.
    pub const fn or_zero(self) -> f64 {
        match self {
            Self::Value(value) => value,
            Self::NotMeasured | Self::Absent => 0.0,
        }
    }
}

/// Greatest value; 0 when there is none.
pub(crate) fn greatest(values: impl IntoIterator<Item = Measurement>) -> f64 {
    values
        .into_iter()
        .filter_map(Measurement::value)
        .reduce(f64::max)
        .unwrap_or(0.0)
}
