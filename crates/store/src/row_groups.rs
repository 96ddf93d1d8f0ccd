//! How the rows of a segment's runs fall into row groups.

use std::ops::Range;

/// A run with at least this many rows of a table has row groups of its own.
pub(crate) const LARGE_RUN_ROWS: u64 = 8_192;

/// Most rows of a row group that one run has for itself.
pub(crate) const MAX_GROUP_ROWS: u64 = 262_144;

/// Most rows of a row group of several runs: reading one of them costs the group's dictionaries.
const MAX_SHARED_ROWS: u64 = 65_536;

/// Some rows of one run: `rows` counts from the run's first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Place of the run within its segment.
    pub(crate) run: usize,
    pub(crate) rows: Range<u64>,
}

impl Part {
    /// All rows of a run.
    pub(crate) const fn whole(run: usize, rows: u64) -> Self {
        Self { run, rows: 0..rows }
    }

    pub(crate) fn len(&self) -> u64 {
        self.rows.end - self.rows.start
    }
}

/// The row groups of a table whose runs have the given numbers of rows. Large runs are read
/// alone, so they share no group; small runs share groups, or a thousand call profiles would
/// cost a thousand groups.
pub(crate) fn row_groups(rows: impl IntoIterator<Item = u64>) -> Vec<Vec<Part>> {
    let mut groups = Vec::new();
    let mut shared = Vec::new();
    let mut shared_rows = 0;
    for (run, rows) in rows.into_iter().enumerate() {
        let is_large = rows >= LARGE_RUN_ROWS;
        if is_large || shared_rows + rows > MAX_SHARED_ROWS {
            close(&mut shared, &mut groups);
            shared_rows = 0;
        }
        if is_large {
            groups.extend(slices(rows).map(|rows| vec![Part { run, rows }]));
        } else if rows > 0 {
            shared.push(Part { run, rows: 0..rows });
            shared_rows += rows;
        }
    }
    close(&mut shared, &mut groups);
    groups
}

fn close(shared: &mut Vec<Part>, groups: &mut Vec<Vec<Part>>) {
    if !shared.is_empty() {
        groups.push(std::mem::take(shared));
    }
}

fn slices(rows: u64) -> impl Iterator<Item = Range<u64>> {
    (0..rows.div_ceil(MAX_GROUP_ROWS))
        .map(move |slice| slice * MAX_GROUP_ROWS..rows.min((slice + 1) * MAX_GROUP_ROWS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[u64], expected: &str) {
        let groups: Vec<String> = row_groups(rows.iter().copied())
            .iter()
            .map(|group| {
                let parts: Vec<String> = group
                    .iter()
                    .map(|part| format!("{}:{}..{}", part.run, part.rows.start, part.rows.end))
                    .collect();
                parts.join(" ")
            })
            .collect();
        assert_eq!(groups.join(" | "), expected);
    }

    #[test]
    fn groups_follow_runs() {
        check(&[], "");
        check(&[0, 0], "");
        check(&[3, 0, 4], "0:0..3 2:0..4");
        check(&[3, 8_192, 4], "0:0..3 | 1:0..8192 | 2:0..4");
        check(
            &[600_000],
            "0:0..262144 | 0:262144..524288 | 0:524288..600000",
        );
    }

    #[test]
    fn shared_groups_are_bounded() {
        let groups = row_groups(std::iter::repeat_n(8_000, 20));
        let sizes: Vec<u64> = groups
            .iter()
            .map(|group| group.iter().map(Part::len).sum())
            .collect();
        assert_eq!(sizes, [64_000, 64_000, 32_000]);
    }
}
