//! Facts about groups in English.

use std::fmt;

use crate::{GroupFact, GroupedBy};

impl fmt::Display for GroupFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameLabel {
                label,
                name,
                instead,
            } => {
                match name {
                    Some(name) => write!(f, "every definition is in {label} `{name}`")?,
                    None => write!(f, "no definition has a {label}")?,
                }
                match instead {
                    None => Ok(()),
                    Some(GroupedBy::File) => f.write_str(", so groups are source files"),
                    Some(GroupedBy::NamePrefix) => {
                        f.write_str(", so groups are beginnings of names")
                    }
                    Some(other) => write!(f, ", so groups are {other}s"),
                }
            }
            Self::NotAModule { group } => {
                write!(f, "`{group}` is not a module, so there is nothing to split")
            }
            Self::NoCaller { group } => write!(
                f,
                "`{group}` has no caller, so its values cannot be hidden in one"
            ),
            Self::NothingOutside => {
                f.write_str("nothing was measured outside of regions, so there is nothing to hide")
            }
            Self::LoopsInSomeRuns { region, runs, of } => write!(
                f,
                "all loops of `{region}` were recorded in {runs} of {of} runs: in the others, the time of missing loops counts for the region"
            ),
            Self::ContextsLeftOut { contexts } => {
                write!(f, "{contexts} of the lightest contexts are left out")
            }
            Self::CallsToCallers => {
                f.write_str("some groups call each other; calls back to a caller are drawn as arcs")
            }
        }
    }
}
