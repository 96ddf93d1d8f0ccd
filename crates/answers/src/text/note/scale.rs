//! Facts about scaling studies in English.

use std::fmt;

use super::{Runs, quoted};
use crate::{CountOf, ScaleFact, SeriesPoint};

impl fmt::Display for CountOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.count, self.of)
    }
}

/// The name of a series, and the value of a parameter.
fn at(f: &mut fmt::Formatter<'_>, parameter: &str, point: &SeriesPoint) -> fmt::Result {
    write!(f, "{} at {parameter} = {}", point.series, point.value)
}

impl fmt::Display for ScaleFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WithoutParameter { parameter, runs } => {
                write!(f, "{} without `{parameter}` left out", Runs(*runs))
            }
            Self::WithoutTime { runs } => {
                write!(f, "{} without a positive time left out", Runs(*runs))
            }
            Self::ElapsedTimes { metric } => {
                write!(f, "times are elapsed times; groups show `{metric}`")
            }
            Self::NotATime { metric, parameter } => write!(
                f,
                "`{metric}` is no time: values are modelled over `{parameter}`, speedups mean nothing"
            ),
            Self::InputsNotShown {
                parameter,
                metric,
                series,
            } => write!(
                f,
                "{series}: the runs do not show their inputs; scaling counts as weak because `{metric}` of all workers \
                 grows with `{parameter}`. If the input was the same, say that it is `strong`"
            ),
            Self::LoopsNotShown { parameter, series } => write!(
                f,
                "{series}: the work grows with `{parameter}`, and static loops of GCC are not recorded; scaling counts as strong \
                 because the arguments are the same. If the input grows, use `--scaling weak`"
            ),
            Self::MpiCountsAsWork { .. }
            | Self::TransferUnknown { .. }
            | Self::TransferUpperBound { .. } => self.of_mpi(f),
            Self::UtilisationOfPoint { .. }
            | Self::UtilisationOfSeries { .. }
            | Self::UtilisationOfInputs { .. } => self.of_utilisation(f),
            _ => self.of_points(f),
        }
    }
}

impl ScaleFact {
    fn of_points(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWorkersCounted {
                parameter,
                two_values,
            } => {
                write!(
                    f,
                    "`{parameter}` counts no workers: values are modelled over it, speedups mean nothing"
                )?;
                if *two_values {
                    f.write_str("; two values do not determine a law: a diff compares them")?;
                }
                Ok(())
            }
            Self::MoreWorkersThanProcessors { parameter, values } => {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                write!(
                    f,
                    "at {parameter} = {} there are more workers than processors: times show over-subscription, not \
                     scaling",
                    values.join(", ")
                )
            }
            Self::WorkNotConstant { series } => write!(
                f,
                "{series}: work per worker is not constant, so a constant time is not the ideal"
            ),
            Self::FasterThanBound { parameter, point } => write!(
                f,
                "{}, {parameter} = {}: faster than its bound: an error of data, or the first point ran another problem",
                point.series, point.value
            ),
            Self::TimesContradict {
                parameter,
                point,
                fault,
            } => write!(
                f,
                "{}, {parameter} = {}: {fault}",
                point.series, point.value
            ),
            Self::MedianOfRuns { with_losses } => {
                let parts = if *with_losses {
                    "its work, efficiencies, bounds and losses are"
                } else {
                    "its work is"
                };
                write!(
                    f,
                    "a point's value, what follows from it, and laws are of the median over its runs; {parts} of the \
                     one run nearest to that, so that parts add up"
                )
            }
            Self::NoRunWithOne {
                parameter,
                reference,
            } => write!(
                f,
                "{}: no run with {parameter} = 1; ratios are to {parameter} = {}",
                reference.series, reference.value
            ),
            Self::SeriesWithoutOne { parameter, series } => write!(
                f,
                "{series} series have no run with {parameter} = 1; their ratios are to the first {parameter} that they \
                 have"
            ),
            _ => Ok(()),
        }
    }

    fn of_utilisation(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UtilisationOfPoint {
                parameter,
                reference,
            } => {
                f.write_str("utilisation is related to ")?;
                at(f, parameter, reference)
            }
            Self::UtilisationOfSeries { inputs } => write!(
                f,
                "utilisation: each series is related to its own best time, since {} may distinguish inputs",
                quoted(inputs)
            ),
            Self::UtilisationOfInputs {
                parameter,
                inputs,
                references,
            } => {
                write!(
                    f,
                    "utilisation is related, for each value of {}, to ",
                    quoted(inputs)
                )?;
                for (place, reference) in references.iter().enumerate() {
                    f.write_str(if place > 0 { "; " } else { "" })?;
                    at(f, parameter, reference)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn of_mpi(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MpiCountsAsWork { runs } => write!(
                f,
                "time in MPI is not separated in {runs} runs: waiting in MPI counts as work there, and load balance and \
                 communication do not show it; recording separates it for C and C++"
            ),
            Self::TransferUnknown { runs, reason } => write!(
                f,
                "communication is not divided into serialisation and transfer in {runs} runs: {reason}"
            ),
            Self::TransferUpperBound {
                runs,
                run,
                messages,
                calls,
            } => {
                write!(
                    f,
                    "transfer efficiency is an upper bound in {runs} runs: in `{run}` "
                )?;
                if let Some(messages) = messages {
                    write!(f, "{messages} messages could not be matched")?;
                }
                if messages.is_some() && calls.is_some() {
                    f.write_str(", and ")?;
                }
                match calls {
                    Some(calls) => {
                        write!(f, "it is not known what {calls} calls of MPI waited for")
                    }
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }
}
