//! Facts about definitions of several names in English.

use std::fmt;

use crate::{JoinedNames, MappingFault, MatchedBy, RenameConflict, RenameFact, StatedPair};

impl fmt::Display for JoinedNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(" → "))?;
        match self.matched_by {
            None => Ok(()),
            Some(MatchedBy::Inferred) => {
                write!(
                    f,
                    " (inferred, score {:.2})",
                    self.score.unwrap_or_default()
                )
            }
            Some(MatchedBy::Normalised) => f.write_str(" (but for what compilers add)"),
            Some(MatchedBy::Template) => f.write_str(" (but for template arguments)"),
            Some(_) => f.write_str(" (confirmed)"),
        }
    }
}

impl fmt::Display for RenameConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StatedDifferent { a, b } => {
                write!(
                    f,
                    "the mapping file says that `{a}` and `{b}` are different"
                )
            }
            Self::BothOccur { run_set, a, b } => write!(f, "{run_set} has both `{a}` and `{b}`"),
        }
    }
}

impl fmt::Display for StatedPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.same { "is" } else { "is not" };
        write!(f, "`{}` {verb} `{}`", self.a, self.b)
    }
}

impl fmt::Display for MappingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchDefinition { stated, name } => write!(
                f,
                "that {stated} has no effect: no run has a definition `{name}`"
            ),
            Self::OneDefinition { stated } => {
                write!(f, "that {stated} has no effect: they are one definition")
            }
            Self::AlwaysTogether {
                stated,
                always,
                other,
            } => write!(
                f,
                "that {stated} has no effect: every run with `{always}` has `{other}` too, which is compared with itself"
            ),
            Self::StatedTwice { a, b } => write!(
                f,
                "`{a}` and `{b}` are stated to be the same and to be different; the last statement counts"
            ),
            Self::BothInRun { a, b, run } => write!(
                f,
                "`{a}` and `{b}` cannot both be the same as another: run `{run}` has both"
            ),
            Self::SameByAnother { a, b } => write!(
                f,
                "`{a}` and `{b}` are stated to be different, and the same through another definition"
            ),
        }
    }
}

impl fmt::Display for RenameFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFollowed {
                a,
                b,
                stated,
                conflict,
            } => {
                let how = if *stated {
                    "which the mapping file says are the same"
                } else {
                    "which look the same in two versions"
                };
                write!(
                    f,
                    "`{a}` and `{b}`, {how}, are not followed as one: {conflict}"
                )
            }
            Self::ComparedAsOne { definitions, more } => {
                f.write_str("compared as one under their different names: ")?;
                for (place, definition) in definitions.iter().enumerate() {
                    write!(f, "{}{definition}", if place > 0 { ", " } else { "" })?;
                }
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                f.write_str("; the mapping can confirm or reject that")
            }
            Self::TooManyDefinitionSets { sets } => write!(
                f,
                "{sets} sets of definitions are too many to look for renames among them"
            ),
            Self::StatementUnused { stated, name } => write!(
                f,
                "the mapping file says that {stated}, which changes nothing here: `{name}` is on both sides, and \
                 compared with itself"
            ),
            Self::MappingFault {
                fault,
                in_comparison,
                ..
            } => {
                if *in_comparison {
                    f.write_str("the mapping file: ")?;
                }
                fault.fmt(f)
            }
        }
    }
}
