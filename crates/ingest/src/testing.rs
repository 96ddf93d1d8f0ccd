//! Reads small inputs in tests of readers.

use std::fmt::Write as _;

use sheaf_model::{Progress, RunTables};

use crate::reader::{Context, Read, ReadFile};
use crate::{Error, Input, NoModules, Symbols};

/// The last run of a file, which is valid.
pub(crate) fn read_with(read: ReadFile, name: &str, text: &[u8]) -> Result<Read, Error> {
    let content = text.to_vec();
    let symbols = Symbols::new(NoModules);
    let progress = Progress::silent();
    let with = Context {
        symbols: &symbols,
        progress: &progress,
    };
    let mut runs = read(&Input::new(name, &content), with)?;
    let (tables, report) = runs.pop().unwrap();
    tables.validate().unwrap();
    Ok((tables, report))
}

/// Values as lines `path metric [rank.thread] value`, sorted; places only of runs that have several.
pub(crate) fn values_of(tables: &RunTables) -> String {
    let summary = &tables.summary;
    let row = |number: i32| usize::try_from(number).unwrap();
    let mut lines = Vec::new();
    for value in summary.values.rows() {
        let mut path = Vec::new();
        let mut at = Some(value.context);
        while let Some(number) = at {
            let context = summary.contexts.row(row(number));
            path.push(summary.definitions.row(row(context.definition)).name);
            at = context.parent;
        }
        path.reverse();
        let metric = summary.metrics.row(row(value.metric)).name;
        let mut line = format!("{} {metric}", path.join("/"));
        if summary.locations.len() > 1 {
            let place = summary.locations.row(row(value.location));
            write!(line, " {}.{}", place.rank, place.thread).unwrap();
        }
        let integer = value.sum.map(|sum| sum.to_string());
        let number = integer.or(value.sum_float.map(|sum| sum.to_string()));
        lines.push(format!("{line} {}", number.unwrap()));
    }
    lines.sort_unstable();
    lines.join("\n")
}

/// Findings as `kind count`, in their order.
pub(crate) fn findings_of(report: &sheaf_model::Report) -> String {
    let lines = report.findings.iter();
    let lines = lines.map(|found| format!("{} {}", found.kind, found.count));
    lines.collect::<Vec<_>>().join("\n")
}
