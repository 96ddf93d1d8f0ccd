//! Facts about metrics in English.

use std::fmt;

use super::Runs;
use crate::MetricFact;

impl fmt::Display for MetricFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShownInTicks { asked, metric } => write!(
                f,
                "`{asked}` is shown as `{metric}`: the clock rate of the runs is not known"
            ),
            Self::MeasuredInTicks { metric, runs } => write!(
                f,
                "`{metric}` counts as not measured in {}: measured in ticks of unknown length",
                Runs(*runs)
            ),
            Self::MeasuredInOtherUnits { metric, unit, runs } => write!(
                f,
                "`{metric}` counts as not measured in {}: measured in another unit than `{unit}`",
                Runs(*runs)
            ),
            Self::MetricNotMeasured { metric, runs } => {
                write!(f, "`{metric}` was not measured in {}", Runs(*runs))
            }
            Self::Estimated {
                metric,
                runs,
                reason,
            } => write!(f, "`{metric}` is estimated in {}: {reason}", Runs(*runs)),
            Self::UnusableValues { metric, values } => write!(
                f,
                "{values} values of `{metric}` are infinite or not numbers and count as not measured"
            ),
            Self::NoValuesByLocation { by, runs } => {
                write!(f, "no values by {by} in {}", Runs(*runs))
            }
            Self::GrainsDrawn { grains, runs } => write!(
                f,
                "over grains: {grains} grains of {runs} runs are drawn, not tested, since those of one run share the \
                 machine's state"
            ),
        }
    }
}
