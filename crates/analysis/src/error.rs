//! What a question to an ensemble can be wrong with.

use sheaf_model::Cancelled;

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No run was given.
    #[error("the ensemble has no runs; relax the `where` clause or import runs")]
    EmptyEnsemble,
    /// No run has the metric.
    #[error("metric `{metric}` is in none of the runs{}; known are {}", suggest(nearest.as_ref()), list(known))]
    UnknownMetric {
        /// The metric asked for.
        metric: String,
        /// Metrics of the runs, by name.
        known: Vec<String>,
        /// The known metric whose name is nearest.
        nearest: Option<String>,
    },
    /// No group has the id or name.
    #[error("group `{group}` is not in the ensemble at this level{}", suggest(nearest.as_ref()))]
    UnknownGroup {
        /// The group asked for.
        group: String,
        /// The known group whose name is nearest.
        nearest: Option<String>,
    },
    /// No context has the id, name or path.
    #[error("context `{context}` is not in the ensemble{}", suggest(nearest.as_ref()))]
    UnknownContext {
        /// The context asked for.
        context: String,
        /// The known name that is nearest.
        nearest: Option<String>,
    },
    /// Several groups or contexts have the name.
    #[error("`{name}` is the name of several; use an id: {}", list(ids))]
    Ambiguous {
        /// The name asked for.
        name: String,
        /// Ids of what it could mean, at most ten.
        ids: Vec<String>,
    },
    /// No run has the parameter.
    #[error("parameter `{parameter}` is in none of the runs{}; known are {}", suggest(nearest.as_ref()), list(known))]
    UnknownParameter {
        /// The parameter asked for.
        parameter: String,
        /// Parameters of the runs, by name.
        known: Vec<String>,
        /// The known parameter whose name is nearest.
        nearest: Option<String>,
    },
    /// A history is not by one parameter.
    #[error("a history is by one parameter, not by {}", list(given))]
    OneParameter {
        /// Those given.
        given: Vec<String>,
    },
    /// Versions are neither numbers nor version strings.
    #[error(
        "the order of `{parameter}` is unknown: `{version}` is not a version such as `1.10`; give an order"
    )]
    NoOrder {
        /// The parameter.
        parameter: String,
        /// One of its values.
        version: String,
    },
    /// No run is of a listed version.
    #[error("no run has the version `{version}` in `{parameter}`{}", suggest(nearest.as_ref()))]
    UnknownVersion {
        /// The parameter.
        parameter: String,
        /// The first listed.
        version: String,
        /// The known version that is nearest.
        nearest: Option<String>,
    },
    /// A listed version would have two places in the order.
    #[error("the order lists `{version}` of `{parameter}` twice; list every version once")]
    VersionTwice {
        /// The parameter.
        parameter: String,
        /// The version.
        version: String,
    },
    /// The metric cannot flow along edges.
    #[error(
        "metric `{metric}` does not add up over contexts, so it cannot be divided among them; choose an additive one"
    )]
    NotAdditive {
        /// The metric asked for.
        metric: String,
    },
    /// A parameter of a scaling study is no positive number.
    #[error(
        "parameter `{parameter}` of run `{run}` is `{value}`, not a positive number; scale by one that is"
    )]
    NotScalable {
        /// The parameter.
        parameter: String,
        /// Name of the run.
        run: String,
        /// Its value.
        value: String,
    },
    /// A number of the question is beyond what makes sense.
    #[error("{name} `{value}` is out of range; give {wanted}")]
    OutOfRange {
        /// What it is.
        name: &'static str,
        /// What was given.
        value: String,
        /// What makes sense, with an example.
        wanted: &'static str,
    },
    /// No column of grains holds the metric.
    #[error(
        "metric `{metric}` is not known of single grains; over grains there are `work_ns`, `creation_ns` and `waiting_ns`"
    )]
    NotOfGrains {
        /// The metric asked for.
        metric: String,
    },
    /// Values by location are more than are kept in memory.
    #[error(
        "{values} values of groups by location are more than `{most}`; choose fewer runs with `where`, or a coarser level"
    )]
    TooManyValues {
        /// Values of all groups at all locations.
        values: usize,
        /// Values at most.
        most: usize,
    },
    /// The user stopped the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Kinds of errors, for those who turn them into codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There are no runs.
    EmptyEnsemble,
    /// Something that the question names does not exist.
    Unknown,
    /// The question itself does not make sense.
    BadQuestion,
    /// The work was stopped.
    Cancelled,
}

impl Error {
    /// What kind of error it is.
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::EmptyEnsemble => ErrorKind::EmptyEnsemble,
            Self::UnknownMetric { .. }
            | Self::UnknownGroup { .. }
            | Self::UnknownContext { .. }
            | Self::UnknownParameter { .. }
            | Self::UnknownVersion { .. } => ErrorKind::Unknown,
            Self::Ambiguous { .. }
            | Self::NoOrder { .. }
            | Self::NotAdditive { .. }
            | Self::NotScalable { .. }
            | Self::NotOfGrains { .. }
            | Self::OutOfRange { .. }
            | Self::VersionTwice { .. }
            | Self::TooManyValues { .. }
            | Self::OneParameter { .. } => ErrorKind::BadQuestion,
            Self::Cancelled(_) => ErrorKind::Cancelled,
        }
    }
}

fn suggest(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<_> = names
        .iter()
        .take(20)
        .map(|name| format!("`{name}`"))
        .collect();
    let rest = names.len().saturating_sub(20);
    match rest {
        0 => quoted.join(", "),
        _ => format!("{} and {rest} more", quoted.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nearest::nearest;

    #[test]
    fn errors_say_what_to_do() {
        let known = vec!["creation_ns".to_owned(), "work_ns".to_owned()];
        let error = Error::UnknownMetric {
            nearest: nearest("wrok_ns", known.iter().map(String::as_str)),
            metric: "wrok_ns".to_owned(),
            known,
        };
        assert_eq!(
            error.to_string(),
            "metric `wrok_ns` is in none of the runs; did you mean `work_ns`?; known are `creation_ns`, `work_ns`"
        );
        assert_eq!(error.kind(), ErrorKind::Unknown);
    }

    #[test]
    fn far_names_are_not_suggested() {
        assert_eq!(nearest("abc", ["xyz"]), None);
        assert_eq!(nearest("", []), None);
        assert_eq!(nearest("Main", ["main", "mail"]).as_deref(), Some("main"));
    }
}
