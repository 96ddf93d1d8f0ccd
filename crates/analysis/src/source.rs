//! The source file of a group, and the values of all definitions in that file.

use std::sync::Arc;

use sheaf_answers::{Source, SourceState, SourceValue};
use sheaf_model::{Lens, Level, MetricKind, Progress, RunId, RunSummary, Scope};
use sheaf_statistics::mean;

use crate::error::Error;
use crate::group_values::GroupValues;
use crate::groups::{Group, Grouping, Reentry};
use crate::kernel::{UnifiedRuns, partial};
use crate::partition::Partition;
use crate::tree::{Definition, EnsembleTree};

/// A group, and the sides of a comparison.
///
/// ```
/// use sheaf_analysis::{SourceQuestion, source};
/// use sheaf_model::{Lens, Progress};
/// let question = SourceQuestion { group: "main".into(), ..SourceQuestion::default() };
/// assert!(source(&Lens::default(), &question, &[], &Progress::silent()).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceQuestion {
    /// Id or unambiguous name of the group, at the level of the lens.
    pub group: String,
    /// Runs of the baseline.
    pub a: Vec<RunId>,
    /// Runs of the candidate.
    pub b: Vec<RunId>,
}

/// Returns the file and line of a group, and the exclusive values of every definition of that file, without text. A
/// group of several definitions has the line of the first.
///
/// # Errors
/// As for [`stats`](crate::stats), and when there is no such group.
pub fn source(
    lens: &Lens,
    asked: &SourceQuestion,
    runs: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<Source, Error> {
    let ensemble = UnifiedRuns::new(partial(lens, runs, progress)?)?;
    let question = ensemble.question(&lens.metric)?;
    let tree = &ensemble.tree;
    let chosen = Grouping::new(tree, lens, Reentry::Separate)?;
    let found = chosen.find(tree, &asked.group)?;
    let index = tree.definition_index(chosen.groups[found].first_node);
    let definition = &tree.definitions()[index];

    let by_definition = Lens {
        level: Level::Definition,
        operations: Vec::new(),
        ..lens.clone()
    };
    let grouping = Grouping::new(tree, &by_definition, Reentry::Merged)?;
    let partition = Partition::new(tree, grouping.group_of.clone(), grouping.len());
    let values = GroupValues::new(&ensemble, &question, &partition, lens.over, progress)?;
    let file = File {
        name: definition.file.as_deref(),
        values,
        runs: ensemble.run_ids(),
        is_mean: question.metric.kind == MetricKind::Intensive,
        asked,
    };
    let group = grouping
        .groups
        .iter()
        .find(|group| group.definition == Some(index));
    Ok(Source {
        schema: "source/1".to_owned(),
        lens: lens.to_string(),
        group: group.map_or_else(|| asked.group.clone(), |group| group.id.to_string()),
        name: definition.name.to_string(),
        function: definition.function.as_deref().map(str::to_owned),
        file: definition.file.as_deref().map(str::to_owned),
        line: line_of(definition),
        state: SourceState::NotServed,
        reason: None,
        is_changed: false,
        path: None,
        first_line: 1,
        lines: Vec::new(),
        num_lines: 0,
        metric: question.metric.name.clone(),
        label: question.metric.label.clone(),
        scope: Scope::Exclusive,
        unit: question.metric.unit.clone(),
        values: file.values(tree, &grouping.groups),
        notes: question.notes.clone(),
    })
}

fn line_of(definition: &Definition) -> Option<u32> {
    let line = definition.line.and_then(|line| u32::try_from(line).ok());
    line.filter(|&line| line > 0)
}

struct File<'a> {
    name: Option<&'a str>,
    values: GroupValues,
    runs: Vec<RunId>,
    /// Means have no shares.
    is_mean: bool,
    asked: &'a SourceQuestion,
}

impl File<'_> {
    /// Definitions of the file by line, then name.
    fn values(&self, tree: &EnsembleTree, groups: &[Group]) -> Vec<SourceValue> {
        let mut found: Vec<SourceValue> = groups
            .iter()
            .enumerate()
            .filter_map(|(number, group)| {
                let definition = &tree.definitions()[group.definition?];
                let is_here = self.name.is_some() && definition.file.as_deref() == self.name;
                let line = line_of(definition).filter(|_| is_here)?;
                Some(self.value(number, group, line))
            })
            .collect();
        found.sort_by(|a, b| (a.line, &a.name, &a.group).cmp(&(b.line, &b.name, &b.group)));
        found
    }

    fn value(&self, number: usize, group: &Group, line: u32) -> SourceValue {
        let measurements = self.values.of(Scope::Exclusive, number);
        let inside = self.values.inside();
        let of_side = |side: &[RunId]| {
            let runs = self.runs.iter().zip(measurements);
            let of_runs = runs.filter(|(run, _)| side.contains(run));
            mean(of_runs.filter_map(|(_, measurement)| measurement.value()))
        };
        let shares = measurements
            .iter()
            .zip(inside)
            .filter_map(|(measurement, total)| {
                let total = total.value().filter(|&total| total > 0.0)?;
                Some(measurement.value()? / total)
            });
        SourceValue {
            line,
            group: group.id.to_string(),
            name: group.name.to_string(),
            value: mean(
                measurements
                    .iter()
                    .filter_map(|measurement| measurement.value()),
            ),
            share: mean(shares).filter(|_| !self.is_mean && !group.is_outside),
            a: of_side(&self.asked.a),
            b: of_side(&self.asked.b),
        }
    }
}

#[cfg(test)]
mod tests {
    use sheaf_synthetic::testing::runs;

    use super::*;

    const RUNS: &str = "
        def sort file=sort.c line=10
        def merge file=sort.c line=30
        def other file=main.c line=5
        run a
          other work_ns 10@0
          other/sort work_ns 30@0
          other/sort/merge work_ns 60@0
        run b
          other work_ns 20@0
          other/sort work_ns 20@0
          other/plain work_ns 60@0
    ";

    fn answer(lens: &str, group: &str) -> Source {
        let lens: Lens = lens.parse().unwrap();
        let runs = runs(RUNS);
        let question = SourceQuestion {
            group: group.to_owned(),
            a: vec![runs[0].meta.id],
            b: vec![runs[1].meta.id],
        };
        source(&lens, &question, &runs, &Progress::silent()).unwrap()
    }

    #[test]
    fn values_of_a_file_are_by_line() {
        for (lens, group) in [
            ("", "sort"),
            ("scope inclusive", "merge"),
            ("level context", "other/sort"),
        ] {
            let source = answer(lens, group);
            assert_eq!(source.file.as_deref(), Some("sort.c"));
            let lines: Vec<_> = source
                .values
                .iter()
                .map(|value| {
                    (
                        value.line,
                        value.name.as_str(),
                        value.value,
                        value.a,
                        value.b,
                    )
                })
                .collect();
            assert_eq!(
                lines,
                [
                    (10, "sort", Some(25.0), Some(30.0), Some(20.0)),
                    (30, "merge", Some(60.0), Some(60.0), None),
                ]
            );
        }
        assert_eq!(answer("", "sort").line, Some(10));
        assert_eq!(answer("", "merge").values[1].share, Some(0.6));
    }

    #[test]
    fn a_group_without_file_has_no_values() {
        let source = answer("", "plain");
        assert_eq!((source.file, source.line), (None, None));
        assert!(source.values.is_empty());
    }
}
