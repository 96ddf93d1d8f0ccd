//! Reasons in English.

use std::fmt::{self, Write as _};

use super::{change as signed, number, percent};
use crate::{ChangeCount, ChangeKind, CountedGrains, TypicalChange, Why, WidthChange};

/// Groups that are named, at most.
const MAX_NAMES: usize = 3;

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InNoRun
            | Self::Appeared { .. }
            | Self::Vanished { .. }
            | Self::SameRuns
            | Self::NotMeasured { .. }
            | Self::SingleRun { .. }
            | Self::AllEqual { .. }
            | Self::NoRuns { .. }
            | Self::IncompleteRuns { .. } => self.of_runs(f),
            Self::TooFewRuns { .. } | Self::TooFewRunsForParts { .. } => self.of_few_runs(f),
            Self::RunsOnBothSides { .. }
            | Self::CommonRuns { .. }
            | Self::OtherWidth
            | Self::SidesOfOtherWidth(_)
            | Self::VersionsOfOtherWidth(_)
            | Self::LoopsOnOneSide { .. }
            | Self::LoopOnOneSide { .. }
            | Self::MayHaveChangedPlaces { .. } => self.of_sides(f),
            Self::NoTypicalChange
            | Self::Changed { .. }
            | Self::WithinThreshold { .. }
            | Self::TooSmallToTest { .. }
            | Self::NotSignificant { .. }
            | Self::IntervalContainsNone { .. }
            | Self::BelowThreshold { .. }
            | Self::TooLittleOfTotal { .. }
            | Self::NeitherWayIsWorse { .. } => self.of_change(f),
            Self::WorkOnOneSide { .. }
            | Self::DefinitionsChanged { .. }
            | Self::DependsOnThreads { .. }
            | Self::VariesFromRunToRun { .. }
            | Self::SameStructure { .. } => self.of_structure(f),
            Self::NotAsked { .. }
            | Self::WithinOwnLimit { .. }
            | Self::TooSmallToMatter { .. }
            | Self::RegressionExcluded { .. }
            | Self::TooLittleOfRun { .. }
            | Self::WholeRunSlower
            | Self::GroupsSlower { .. }
            | Self::GroupsUndecided { .. }
            | Self::WholeRunUndecided
            | Self::ElapsedLonger
            | Self::ElapsedUndecided
            | Self::WholeRunNotJudged { .. }
            | Self::NothingSlower
            | Self::SlowerNotAsked
            | Self::StructureChanged { .. }
            | Self::StructureUnchanged { .. }
            | Self::NothingCanBeSlower { .. }
            | Self::NoCommonGroup
            | Self::NotMeasuredInAllRuns { .. }
            | Self::NoTotals
            | Self::NoTypicalRatio => self.of_gate(f),
            Self::KindOfScalingUnknown { metric } => write!(
                f,
                "`{metric}` is a mean or an extreme over ranks, which does not show the total work: efficiencies need \
                 the kind of scaling, `weak` or `strong`"
            ),
        }
    }
}

impl Why {
    /// The limit that a significant change does not reach: `below 1 % of the larger total`.
    pub fn missed_limit(&self) -> Option<String> {
        match self {
            Self::BelowThreshold { threshold, .. } => {
                Some(format!("not above {}", percent(*threshold)))
            }
            Self::TooLittleOfTotal { min_share, .. } => {
                let least = percent(*min_share);
                Some(format!("below {least} of the larger total"))
            }
            _ => None,
        }
    }

    /// Reasons about missing runs and missing measurements.
    fn of_runs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unmeasured = |f: &mut fmt::Formatter<'_>, metric: &Option<String>| match metric {
            Some(metric) => write!(f, "; `{metric}` was not measured there"),
            None => Ok(()),
        };
        match self {
            Self::Appeared {
                runs_a,
                in_b,
                runs_b,
                unmeasured: metric,
            } => {
                write!(
                    f,
                    "in none of {runs_a} runs before, in {in_b} of {runs_b} now"
                )?;
                unmeasured(f, metric)
            }
            Self::Vanished {
                in_a,
                runs_a,
                runs_b,
                unmeasured: metric,
            } => {
                write!(
                    f,
                    "in {in_a} of {runs_a} runs before, in none of {runs_b} now"
                )?;
                unmeasured(f, metric)
            }
            Self::SameRuns => f.write_str("both sides are the same runs"),
            Self::NotMeasured { metric, side } => match side {
                Some(side) => write!(f, "`{metric}` was not measured in the {side}"),
                None => write!(f, "`{metric}` was not measured here"),
            },
            Self::SingleRun { runs_a, runs_b } => {
                write!(f, "not testable: {runs_a} against {runs_b} runs (n = 1)")
            }
            Self::AllEqual { values } => write!(f, "all {values} values are equal"),
            Self::NoRuns { runs_a, runs_b } => {
                write!(f, "{runs_a} against {runs_b} runs cannot be compared")
            }
            Self::IncompleteRuns {
                incomplete,
                runs,
                side,
            } => {
                let side = side.map_or_else(String::new, |side| format!("{side} "));
                let verb = if *incomplete == 1 { "is" } else { "are" };
                let noun = if *runs == 1 { "run" } else { "runs" };
                write!(f, "{incomplete} of {runs} {side}{noun} {verb} incomplete")
            }
            Self::InNoRun => f.write_str("occurs in no run"),
            _ => Ok(()),
        }
    }

    /// Reasons about numbers of runs that cannot show anything.
    fn of_few_runs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewRuns {
                runs_a,
                runs_b,
                alpha,
                smallest_p,
                needed,
            } => {
                let alpha = percent(*alpha);
                write!(f, "{runs_a} against {runs_b} runs cannot reach {alpha}")?;
                if let Some(smallest) = smallest_p {
                    write!(f, ": the smallest p is {}", number(*smallest))?;
                }
                match needed {
                    Some(needed) => write!(f, "; {needed} runs per side can"),
                    None => Ok(()),
                }
            }
            Self::TooFewRunsForParts {
                runs_a,
                runs_b,
                alpha,
                tested,
                smallest_q,
                needed,
            } => {
                let (alpha, smallest) = (percent(*alpha), number(*smallest_q));
                write!(
                    f,
                    "{runs_a} against {runs_b} runs cannot show one of {tested} parts at {alpha}: the smallest q is {smallest}"
                )?;
                needed.map_or(Ok(()), |needed| write!(f, "; {needed} runs per side can"))
            }
            _ => Ok(()),
        }
    }

    /// How the sides were run and recorded.
    fn of_sides(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunsOnBothSides { runs: 1 } => f.write_str("a run is on both sides"),
            Self::RunsOnBothSides { runs } => write!(f, "{runs} runs are on both sides"),
            Self::CommonRuns { runs } => write!(
                f,
                "nothing is tested because both sides have runs in common ({runs})"
            ),
            Self::SidesOfOtherWidth(width) => write!(f, "times are not tested because {width}"),
            Self::VersionsOfOtherWidth(WidthChange { of, numbers }) => write!(
                f,
                "times with different numbers of {of} are not tested ({numbers})"
            ),
            Self::LoopsOnOneSide { side } => write!(
                f,
                "its loops were recorded in the {side} only, and their time is its own on the other side"
            ),
            Self::LoopOnOneSide { side } => write!(
                f,
                "recorded in the {side} only: its time is its region's on the other side"
            ),
            Self::MayHaveChangedPlaces { construct, other } => write!(
                f,
                "`{construct}` of the candidate has the iterations, grains or work of `{other}`: which of them are the \
                 same is not known"
            ),
            Self::OtherWidth => {
                f.write_str("times with different numbers of workers are not tested")
            }
            _ => Ok(()),
        }
    }

    /// Reasons about the size of a change.
    fn of_change(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = |change: &Option<TypicalChange>| {
            let text = change
                .as_ref()
                .map(|change| format!("{}: ", describe(change)));
            text.unwrap_or_default()
        };
        match self {
            Self::Changed { change } => f.write_str(&describe(change)),
            Self::WithinThreshold { change, threshold } => {
                write!(f, "{}: within {}", describe(change), percent(*threshold))
            }
            Self::TooSmallToTest {
                change,
                share,
                min_share,
            } => write!(
                f,
                "{}; not tested: {} of the {}, below {}",
                describe(change),
                percent(*share),
                if change.of_elapsed {
                    "elapsed time"
                } else {
                    "work"
                },
                percent(*min_share)
            ),
            Self::NotSignificant { change, alpha } => {
                write!(f, "{}: q above {}", describe(change), percent(*alpha))
            }
            Self::IntervalContainsNone { change } => {
                write!(f, "{}: the interval contains no change", describe(change))
            }
            Self::BelowThreshold { change, .. } => {
                let limit = self.missed_limit().unwrap_or_default();
                write!(f, "{}significant, {limit}", before(change))
            }
            Self::TooLittleOfTotal { change, .. } => {
                let limit = self.missed_limit().unwrap_or_default();
                write!(f, "{}significant, but {limit}", before(change))
            }
            Self::NeitherWayIsWorse { change } => write!(
                f,
                "{}changed, but neither way is worse for this metric",
                before(change)
            ),
            Self::NoTypicalChange => f.write_str("no typical change can be given"),
            _ => Ok(()),
        }
    }

    /// Reasons about the structure.
    fn of_structure(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let definitions = |count: &u64| match count {
            1 => "1 definition has".to_owned(),
            count => format!("{count} definitions have"),
        };
        match self {
            Self::WorkOnOneSide { share } => {
                write!(f, "{} of the work occurs on one side only", percent(*share))
            }
            Self::DefinitionsChanged { changes, one_run } => {
                let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
                write!(f, "definitions: {}", changes.join(", "))?;
                if *one_run {
                    f.write_str("; one run cannot show whether they vary from run to run")?;
                }
                Ok(())
            }
            Self::DependsOnThreads {
                definitions: count,
                width,
                one_run,
            } => {
                let who = definitions(count);
                write!(f, "{who} other contexts or numbers of grains; ")?;
                match width {
                    Some(width) => write!(f, "{width}")?,
                    None => f.write_str("the sides ran with different numbers of threads")?,
                }
                if *one_run {
                    f.write_str("; one run cannot show whether it varies from run to run as well")?;
                }
                Ok(())
            }
            Self::VariesFromRunToRun { definitions: count } => write!(
                f,
                "{} other contexts or numbers of grains from run to run",
                definitions(count)
            ),
            Self::SameStructure { counted, width } => {
                f.write_str(match counted {
                    CountedGrains::None => {
                        "every run has the same call paths; how often they were called is not compared"
                    }
                    CountedGrains::All => {
                        "every run has the same contexts with the same numbers of grains"
                    }
                    CountedGrains::NotOfTeams => {
                        "every run has the same contexts with the same numbers of grains; members of teams, chunks of \
                         loops and executions of regions are not counted"
                    }
                })?;
                match width {
                    Some(width) => write!(f, "; {width}"),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Reasons for the outcome of a gate.
    fn of_gate(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = |count: &u64| match count {
            1 => "1 group".to_owned(),
            _ => format!("{count} groups"),
        };
        match self {
            Self::NotAsked { reason } => write!(f, "not asked: {reason}"),
            Self::WithinOwnLimit { reason } => {
                write!(f, "slower within its own limit: {reason}")
            }
            Self::TooSmallToMatter { reason } => write!(f, "too small to matter: {reason}"),
            Self::RegressionExcluded { reason } => write!(f, "a regression is excluded: {reason}"),
            Self::TooLittleOfRun { reason } => write!(f, "too little of the run: {reason}"),
            Self::WholeRunSlower => f.write_str("the whole run is slower"),
            Self::GroupsSlower { groups: count } => write!(f, "{} slower", groups(count)),
            Self::GroupsUndecided { groups: count } => write!(f, "{} undecided", groups(count)),
            Self::WholeRunUndecided => f.write_str("the whole run is undecided"),
            Self::ElapsedLonger => f.write_str("the elapsed time is longer"),
            Self::ElapsedUndecided => f.write_str("the elapsed time is undecided"),
            Self::WholeRunNotJudged { reason } => {
                write!(f, "the whole run is not judged: {reason}")
            }
            Self::NothingSlower => f.write_str("nothing that matters is slower"),
            Self::SlowerNotAsked => f.write_str("what is slower was not asked"),
            Self::StructureChanged { reason } => write!(f, "the structure changed: {reason}"),
            Self::StructureUnchanged { reason } => {
                write!(f, "the structure did not change: {reason}")
            }
            Self::NothingCanBeSlower { metric } => write!(
                f,
                "neither way is worse for `{metric}`: nothing can be slower"
            ),
            Self::NoCommonGroup => f.write_str("no group occurs on both sides"),
            Self::NotMeasuredInAllRuns { metric, groups } => write!(
                f,
                "`{metric}` was not measured in all runs of {}",
                names(groups)
            ),
            Self::NoTotals => f.write_str("there are no totals"),
            Self::NoTypicalRatio => {
                f.write_str("not all its values are positive, so that there is no typical ratio")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for WidthChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, numbers } = self;
        write!(
            f,
            "the sides ran with different numbers of {of} ({numbers})"
        )
    }
}

/// `2 renamed` or `3 appeared (1 below another)`
impl fmt::Display for ChangeCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match (self.kind, self.on_both_sides) {
            (ChangeKind::Appeared, true) => "in more contexts",
            (ChangeKind::Vanished, true) => "in fewer contexts",
            (ChangeKind::Wrapped, _) => "wrapped others",
            (ChangeKind::Unwrapped, _) => "no longer wrapped others",
            (kind, _) => kind.as_str(),
        };
        write!(f, "{} {word}", self.definitions)?;
        match self.below {
            0 => Ok(()),
            1 => f.write_str(" (1 below another)"),
            below => write!(f, " ({below} below others)"),
        }
    }
}

/// `typically +12.3 % (95.9 % interval +8.1 % to +15 %), 6 against 6 runs, q = 0.012, +4.2 % of the baseline's total`.
fn describe(change: &TypicalChange) -> String {
    let mut text = if change.of_elapsed {
        format!("{} of the longer elapsed time", signed(change.change))
    } else {
        format!("typically {}", signed(change.change))
    };
    if change.of_larger_mean {
        text.push_str(" of the larger mean");
    }
    if let Some(([low, high], coverage)) = change.interval.zip(change.coverage) {
        let (coverage, low, high) = (percent(coverage), signed(low), signed(high));
        // Writing to a string does not fail.
        let _ = write!(text, " ({coverage} interval {low} to {high})");
    }
    let mut parts = vec![
        text,
        format!("{} against {} runs", change.runs_a, change.runs_b),
    ];
    if change.of_larger_mean {
        parts.push("by differences as not all values are positive".to_owned());
    }
    parts.extend(change.q.map(|q| format!("q = {}", number(q))));
    parts.extend(
        change
            .impact
            .map(|impact| format!("{} of the baseline's total", signed(impact))),
    );
    parts.join(", ")
}

/// `a, b, c and 4 more`
fn names(all: &[String]) -> String {
    let shown = all.iter().take(MAX_NAMES).map(String::as_str);
    let shown = shown.collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
