//! What became of each input of an import.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sheaf_api::{Add, FileReport, FileStatus};

use super::quantity::count;
use super::table::{Layout, Tone};
use super::text::{counted, plain};

/// One paragraph per input, then a line with the totals.
pub(crate) fn add(answer: &Add, layout: Layout) -> String {
    let mut text: String = answer
        .files
        .iter()
        .map(|file| input(file, layout))
        .collect();
    let of = |status| {
        answer
            .files
            .iter()
            .filter(|file| file.status == status)
            .count() as u64
    };
    // Several files may be one run: one process of a launch each.
    let runs: BTreeSet<&String> = answer
        .files
        .iter()
        .filter(|file| file.status == FileStatus::Added)
        .flat_map(|file| &file.runs)
        .collect();
    let _ = writeln!(
        text,
        "{} added, {} already present, {} refused",
        counted(runs.len() as u64, "run", "runs"),
        counted(of(FileStatus::Present), "input", "inputs"),
        counted(of(FileStatus::Refused), "input", "inputs"),
    );
    if let Some(batch) = &answer.batch {
        let _ = writeln!(
            text,
            "import {}: `run = @{}` selects its runs",
            plain(batch),
            plain(batch)
        );
    }
    text
}

fn input(file: &FileReport, layout: Layout) -> String {
    let (word, tone) = match file.status {
        FileStatus::Added => ("+ added  ", Tone::Good),
        FileStatus::Present => ("= present", Tone::Faint),
        FileStatus::Refused => ("! refused", Tone::Bad),
    };
    let word = tone.paint(word, layout.has_colour);
    let format = file
        .format
        .as_deref()
        .map(|format| format!(", {format}"))
        .unwrap_or_default();
    let runs = counted(file.runs.len() as u64, "run", "runs");
    let mut text = match &file.error {
        Some(error) => format!(
            "{word}  {}{}: {}\n",
            plain(&file.path),
            plain(&format),
            plain(error)
        ),
        None => format!("{word}  {}{}: {runs}\n", plain(&file.path), plain(&format)),
    };
    for finding in &file.report {
        let kind = plain(&finding.kind.replace('_', " "));
        let first = finding
            .first
            .as_deref()
            .map(|first| format!(", first at {}", plain(first)));
        let _ = writeln!(
            text,
            "           {kind}: {}{}",
            count(finding.count),
            first.unwrap_or_default()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use sheaf_api::Finding;

    use super::*;

    #[test]
    fn every_input_has_its_outcome() {
        let file = |path: &str, status, runs: usize| FileReport {
            path: path.into(),
            format: Some("caliper".into()),
            status,
            runs: (0..runs).map(|run| run.to_string()).collect(),
            report: Vec::new(),
            error: None,
        };
        let mut read = file("a.cali", FileStatus::Added, 2);
        read.report.push(Finding {
            kind: "skipped_records".into(),
            count: 1_200,
            first: Some("line 7".into()),
        });
        let mut bad = file("b\u{7}.txt", FileStatus::Refused, 0);
        bad.format = None;
        bad.error = Some("no known format".into());
        let answer = Add {
            schema: "add/1".into(),
            files: vec![read, file("c.cali", FileStatus::Present, 1), bad],
            batch: Some("b0123456789ab".into()),
            warnings: Vec::new(),
        };
        let expected = "\
+ added    a.cali, caliper: 2 runs
           skipped records: 1\u{2009}200, first at line 7
= present  c.cali, caliper: 1 run
! refused  b\\u{7}.txt: no known format
2 runs added, 1 input already present, 1 input refused
import b0123456789ab: `run = @b0123456789ab` selects its runs
";
        assert_eq!(add(&answer, Layout::default()), expected);
    }
}
