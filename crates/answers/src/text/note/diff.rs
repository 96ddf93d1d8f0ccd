//! Facts about comparisons in English.

use std::fmt;

use super::Runs;
use crate::text::{number, percent};
use crate::{ConstructPair, DiffFact, PartlyMeasured, Why};

impl fmt::Display for PartlyMeasured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in ", self.group)?;
        if self.baseline > 0 {
            write!(f, "{} of the baseline", Runs(self.baseline))?;
        }
        if self.baseline > 0 && self.candidate > 0 {
            f.write_str(" and ")?;
        }
        if self.candidate > 0 {
            write!(f, "{} of the candidate", Runs(self.candidate))?;
        }
        Ok(())
    }
}

/// Pairs of constructs, joined by commas.
fn joined(constructs: &[ConstructPair], text: impl Fn(&ConstructPair) -> String) -> String {
    constructs.iter().map(text).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for DiffFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunsWithoutMetric {
                side,
                runs,
                of,
                metric,
            } => write!(
                f,
                "{runs} of {of} runs of the {side} are left out: they have no `{metric}`"
            ),
            Self::CandidateLeftOut { runs, of } => write!(
                f,
                "{runs} of {of} runs of the baseline are the candidate's and are left out of it"
            ),
            Self::SharedRuns { runs } => {
                let runs = *runs;
                write!(f, "{}; choose sides without any", Why::CommonRuns { runs })
            }
            Self::OtherNumbers { numbers } => write!(
                f,
                "{}; a scaling study compares efficiency and work inflation",
                Why::SidesOfOtherWidth(numbers.clone())
            ),
            Self::TooFewRepeats { .. } | Self::NoRepeats { .. } => self.of_repeats(f),
            Self::GrainsNotTested | Self::RenamedGrains | Self::UnmatchableGrains { .. } => {
                self.of_grains(f)
            }
            Self::RegionNotCompared { .. }
            | Self::PlacesUnclear { .. }
            | Self::OtherOrdinals { .. } => self.of_constructs(f),
            _ => self.of_totals(f),
        }
    }
}

impl DiffFact {
    fn of_totals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnmatchedWork { share } => {
                let look = if *share > 0.9 {
                    "the sides look like different programs"
                } else {
                    "the sides differ in structure"
                };
                let share = percent(*share);
                write!(f, "{share} of the work occurs on one side only: {look}")
            }
            Self::SeparationNeeded {
                runs_a,
                runs_b,
                tested,
                needed,
            } => match needed {
                Some(needed) => write!(
                    f,
                    "with {runs_a} against {runs_b} runs and {tested} groups tested, at least {needed} groups must be \
                     completely separated before any is significant"
                ),
                None => write!(
                    f,
                    "with {runs_a} against {runs_b} runs, none of {tested} groups can be significant"
                ),
            },
            Self::ElapsedDiffers { metric, ratio, p } => elapsed_differs(f, metric, *ratio, *p),
            Self::TotalsMissing {
                metric,
                beyond_range,
            } => {
                f.write_str("there are no totals, and no shares of them: ")?;
                if *beyond_range {
                    let limit = f64::MAX;
                    write!(f, "sums of `{metric}` over the groups are beyond {limit:e}")
                } else {
                    write!(f, "no group has `{metric}` on both sides")
                }
            }
            Self::MeasuredInPart {
                metric,
                groups,
                more,
                left_out,
            } => {
                write!(f, "`{metric}` was not measured everywhere: ")?;
                for (place, group) in groups.iter().enumerate() {
                    write!(f, "{}{group}", if place > 0 { ", " } else { "" })?;
                }
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                f.write_str(
                    "; means are over runs in which it was, totals are of what was measured",
                )?;
                match left_out {
                    0 => Ok(()),
                    _ => write!(f, ", without {left_out} that a side never measured"),
                }
            }
            Self::NotConserving { over } => write!(
                f,
                "`{over}` does not conserve: the totals are sums over the groups, not values of the runs"
            ),
            _ => Ok(()),
        }
    }

    fn of_constructs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RegionNotCompared { region, side } => write!(
                f,
                "loops of `{region}` were recorded in the {side} only, as runtimes do not report static loops of GCC: \
                 it is not compared"
            ),
            Self::PlacesUnclear {
                function,
                constructs,
            } => {
                let shown = joined(constructs, |pair| {
                    let ConstructPair { a, b } = pair;
                    format!("`{b}` has the iterations, grains or work that `{a}` had")
                });
                write!(
                    f,
                    "constructs of `{function}` may have changed places: {shown}"
                )
            }
            Self::OtherOrdinals {
                function,
                constructs,
            } => {
                let shown = joined(constructs, |pair| match pair {
                    ConstructPair { a, b } if a == b => format!("`{a}`"),
                    ConstructPair { a, b } => format!("`{a}` is `{b}`"),
                });
                write!(
                    f,
                    "constructs of `{function}` have other numbers, as some were added, removed, moved or not recorded: {shown}"
                )
            }
            _ => Ok(()),
        }
    }

    fn of_repeats(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewRepeats {
                silent,
                configurations,
                max,
                needed,
            } => write!(
                f,
                "too few repeats in {silent} of {configurations} configurations (at most {max}): two halves can fail a \
                 gate from {needed} repeats on"
            ),
            Self::NoRepeats { by } => write!(
                f,
                "every run is a configuration of its own by {}; name the parameters that matter",
                by.join(", ")
            ),
            _ => Ok(()),
        }
    }

    fn of_grains(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GrainsNotTested => f.write_str(
                "grains are compared, not tested: those of one run share the machine's state; the level `definition` \
                 tests groups over runs",
            ),
            Self::RenamedGrains => f.write_str(
                "grains are matched by path: if a definition was renamed, and no match of it is inferred or confirmed, its \
                 grains and those below it are on one side only",
            ),
            Self::UnmatchableGrains { a, b } => write!(
                f,
                "{a} grains of A and {b} of B match nothing: their path depends on the schedule or is not the only one \
                 of its run"
            ),
            _ => Ok(()),
        }
    }
}

fn elapsed_differs(f: &mut fmt::Formatter<'_>, metric: &str, ratio: f64, p: f64) -> fmt::Result {
    let way = if ratio > 1.0 { "longer" } else { "shorter" };
    let (change, p) = (percent((ratio - 1.0).abs()), number(p));
    write!(
        f,
        "the elapsed time is typically {change} {way} (p = {p}), which `{metric}` does not show; \
         `explain` shows where it went"
    )
}
