//! What becomes of the metrics of an experiment.

use sheaf_model::{MetricKind, Unit};

use super::{Builder, Declared, LEXICAL};
use crate::hpctoolkit::metrics::Named;
use crate::hpctoolkit::scopes::Rule;

/// What the values of a metric contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Sort {
    Inclusive,
    Exclusive,
    /// The experiment does not state, or they are means and the like.
    Other,
}

impl Sort {
    /// By the raw name, else by what the experiment states.
    fn of(metric: &Declared) -> Self {
        if statistic(&metric.name).is_some() {
            return Self::Other;
        }
        match (metric.name.as_str(), metric.sort.as_str()) {
            (name, _) if name.ends_with("(I)") => Self::Inclusive,
            (name, _) if name.ends_with("(E)") => Self::Exclusive,
            (_, "inclusive") => Self::Inclusive,
            (_, "exclusive") => Self::Exclusive,
            _ => Self::Other,
        }
    }

    pub(in super::super) const fn rule(self) -> Rule {
        match self {
            Self::Inclusive => Rule::Inclusive,
            Self::Exclusive => Rule::Containing(LEXICAL),
            Self::Other => Rule::OfNodes,
        }
    }
}

/// A metric with its place in the files of the ranks.
#[derive(Debug, Clone)]
pub(in super::super) struct Column {
    pub(in super::super) number: usize,
    pub(in super::super) sort: Sort,
    pub(in super::super) metric: Named,
    /// The experiment's own metric with the sum over ranks, or the metric itself where its values
    /// are in the experiment.
    pub(in super::super) summary: Option<u32>,
    pub(in super::super) name: String,
}

impl Column {
    /// The name without the letter that states what values contain.
    pub(in super::super) fn base_name(&self) -> &str {
        without_letter(&self.name)
    }
}

impl Builder {
    /// The metrics in the files of the ranks.
    pub(super) fn columns(&mut self) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        for metric in std::mem::take(&mut self.rank_metrics) {
            let is_taken = |at| columns.iter().any(|column: &Column| column.number == at);
            let Some(column) = metric.column.filter(|at| !is_taken(*at)) else {
                let first = || Some(metric.name.clone());
                self.report.add("skipped_metrics", 1, first);
                continue;
            };
            let summary = self
                .metrics
                .iter()
                .find(|other| is_sum(&other.name) && without_sum(&other.name) == metric.name);
            let units = summary.and_then(|summary| summary.units.clone());
            let summary = summary.map(|summary| summary.id);
            let described = Declared { units, ..metric };
            columns.push(self.column(&described, column, summary));
        }
        columns
    }

    /// The metrics of an experiment that holds its values itself.
    pub(super) fn inlined(&mut self) -> Vec<Column> {
        let metrics = std::mem::take(&mut self.metrics);
        let mut columns = Vec::new();
        for metric in &metrics {
            columns.push(self.column(metric, 0, Some(metric.id)));
        }
        columns
    }

    fn column(&mut self, metric: &Declared, column: usize, summary: Option<u32>) -> Column {
        let sort = Sort::of(metric);
        let (kind, word) = match sort {
            Sort::Inclusive => (MetricKind::Inclusive, "inclusive"),
            Sort::Exclusive => (MetricKind::Additive, "exclusive"),
            // What is not known to add up is never added up.
            Sort::Other => (MetricKind::Intensive, ""),
        };
        let events = match metric.units.as_deref() {
            Some("events") => Unit::Count,
            _ => Unit::Unknown,
        };
        let base = without_sum(&metric.name);
        let base = match sort {
            Sort::Other => base.as_str(),
            _ => without_letter(&base),
        };
        let mut spec = self.names.spec(base, word, kind, events);
        spec.source = Some(metric.name.clone());
        Column {
            number: column,
            sort,
            metric: Named { spec, alias: None },
            summary,
            name: metric.name.clone(),
        }
    }
}

fn is_sum(name: &str) -> bool {
    name.contains(":Sum")
}

fn without_sum(name: &str) -> String {
    name.replacen(":Sum", "", 1)
}

/// The name without the letter that states what values contain.
fn without_letter(name: &str) -> &str {
    let name = name.strip_suffix("(I)").unwrap_or(name);
    name.strip_suffix("(E)").unwrap_or(name).trim_end()
}

/// The statistic over ranks that a metric is, other than the sum.
fn statistic(name: &str) -> Option<&str> {
    let (_, rest) = name.rsplit_once(':')?;
    let word = rest.split([' ', '(']).next()?;
    matches!(
        word,
        "Mean" | "CfVar" | "CoefVar" | "StdDev" | "Min" | "Max"
    )
    .then_some(word)
}
