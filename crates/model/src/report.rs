//! Import reports: what was read, skipped, repaired and refused, with count and first place.

/// One kind of finding of a reader, with its count and first place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Stable name of the kind: `read_grains`, `skipped_events`, `repaired_unfinished_tasks`, …
    /// The verb comes first.
    pub kind: String,
    /// How often.
    pub count: u64,
    /// Where it was met first: a byte offset, line, thread or name.
    pub first: Option<String>,
}

/// Findings of one input, in the order of their first appearance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// One entry per kind.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Counts `count` more findings of `kind`; `first` is only called for the first of them.
    pub fn add(&mut self, kind: &str, count: u64, first: impl FnOnce() -> Option<String>) {
        if count == 0 {
            return;
        }
        match self
            .findings
            .iter_mut()
            .find(|finding| finding.kind == kind)
        {
            Some(finding) => finding.count += count,
            None => self.findings.push(Finding {
                kind: kind.to_owned(),
                count,
                first: first(),
            }),
        }
    }

    /// Adds the findings of another report, keeping the places of this one where both have one.
    pub fn merge(&mut self, other: &Self) {
        for finding in &other.findings {
            self.add(&finding.kind, finding.count, || finding.first.clone());
        }
    }

    /// How often `kind` was met.
    pub fn count(&self, kind: &str) -> u64 {
        self.findings
            .iter()
            .find(|finding| finding.kind == kind)
            .map_or(0, |found| found.count)
    }
}
