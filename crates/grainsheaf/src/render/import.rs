//! What became of each input of an import.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sheaf_answers::{Add, FileReport, FileStatus, Finding};

use super::table::{Layout, Tone};
use super::text::{counted, plain};
use sheaf_answers::text::count;

/// How much is reported of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Refused inputs only.
    Errors,
    /// Like inputs together, with skipped and repaired items.
    Short,
    /// Every input with all that its reader met.
    Full,
}

/// Like inputs that are listed one by one; more are one paragraph.
const LISTED: usize = 3;
/// Kinds of findings whose places are files, of a folder.
const SKIPPED_FILES: [&str; 2] = ["skipped_other_files", "skipped_compressed_files"];

/// A paragraph per input, or for several like ones, refused ones last; then a line with the totals.
pub(crate) fn add(answer: &Add, detail: Detail, layout: Layout) -> String {
    let mut text = String::new();
    for group in groups(&answer.files, detail) {
        match group.as_slice() {
            like if like.len() > LISTED => text.push_str(&together(like, layout)),
            like => like
                .iter()
                .for_each(|file| text.push_str(&input(file, detail, layout))),
        }
    }
    if detail != Detail::Errors {
        text.push_str(&totals(answer));
    }
    text
}

/// Inputs by outcome, format and reason, refused ones last; each for itself if everything is reported.
fn groups(files: &[FileReport], detail: Detail) -> Vec<Vec<&FileReport>> {
    let mut groups: Vec<Vec<&FileReport>> = Vec::new();
    for status in [FileStatus::Added, FileStatus::Present, FileStatus::Refused] {
        if detail == Detail::Errors && status != FileStatus::Refused {
            continue;
        }
        let first = groups.len();
        for file in files.iter().filter(|file| file.status == status) {
            let mut of_status = groups.iter_mut().skip(first);
            let like = of_status.find(|group| {
                let is_like =
                    |other: &&FileReport| other.format == file.format && other.error == file.error;
                detail != Detail::Full && group.first().is_some_and(is_like)
            });
            match like {
                Some(group) => group.push(file),
                None => groups.push(vec![file]),
            }
        }
    }
    groups
}

fn totals(answer: &Add) -> String {
    let of = |status| {
        let files = answer.files.iter();
        files.filter(|file| file.status == status).count() as u64
    };
    // Several files may be one run: one process of a launch each.
    let runs: BTreeSet<&String> = answer
        .files
        .iter()
        .filter(|file| file.status == FileStatus::Added)
        .flat_map(|file| &file.runs)
        .collect();
    let mut text = format!(
        "{} added, {} already present, {} refused\n",
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

/// The sign and word of an outcome.
fn outcome(status: FileStatus, layout: Layout) -> String {
    let (word, tone) = match status {
        FileStatus::Added => ("+ added  ", Tone::Good),
        FileStatus::Present => ("= present", Tone::Faint),
        FileStatus::Refused => ("! refused", Tone::Bad),
    };
    tone.paint(word, layout.has_colour)
}

fn format_of(file: &FileReport) -> String {
    let format = file.format.as_deref();
    format
        .map(|format| format!(", {}", plain(format)))
        .unwrap_or_default()
}

fn input(file: &FileReport, detail: Detail, layout: Layout) -> String {
    let word = outcome(file.status, layout);
    let (path, format) = (plain(&file.path), format_of(file));
    let runs = counted(file.runs.len() as u64, "run", "runs");
    let mut text = match &file.error {
        Some(error) => format!("{word}  {path}{format}: {}\n", plain(error)),
        None => format!("{word}  {path}{format}: {runs}\n"),
    };
    let findings = file.report.iter();
    for finding in findings.filter(|finding| detail == Detail::Full || is_loss(finding)) {
        write_finding(&mut text, &finding.kind, finding.count, || {
            finding.first.clone()
        });
    }
    text
}

/// One paragraph for like inputs: how many, the first and the last, and the findings of all of them.
fn together(files: &[&FileReport], layout: Layout) -> String {
    let [first, .., last] = files else {
        return String::new();
    };
    let word = outcome(first.status, layout);
    let runs: BTreeSet<&String> = files.iter().flat_map(|file| &file.runs).collect();
    let what = match &first.error {
        Some(error) => plain(error),
        None => counted(runs.len() as u64, "run", "runs"),
    };
    let mut text = format!(
        "{word}  {}{}: {what}\n           {} … {}\n",
        counted(files.len() as u64, "file", "files"),
        format_of(first),
        plain(&first.path),
        plain(&last.path),
    );
    let mut kinds: Vec<&str> = Vec::new();
    for finding in files.iter().flat_map(|file| &file.report) {
        if is_loss(finding) && !kinds.contains(&finding.kind.as_str()) {
            kinds.push(&finding.kind);
        }
    }
    for kind in kinds {
        let of_kind = || {
            files.iter().flat_map(|file| {
                let found = file.report.iter().filter(|finding| finding.kind == kind);
                found.map(|finding| (*file, finding))
            })
        };
        let total = of_kind().map(|(_, finding)| finding.count).sum();
        write_finding(&mut text, kind, total, || {
            let (file, finding) = of_kind().next()?;
            let place = finding.first.as_deref();
            Some(match place {
                // Skipped files of a folder are places themselves.
                Some(place) if SKIPPED_FILES.contains(&kind) => place.to_owned(),
                Some(place) if !place.contains(file.path.as_str()) => {
                    format!("{}, {place}", file.path)
                }
                Some(place) => place.to_owned(),
                None => file.path.clone(),
            })
        });
    }
    text
}

/// Whether the input was changed or cut on its way into the store. Counts of items that were read are not reported,
/// and guesses about skipped files are details of their number.
fn is_loss(finding: &Finding) -> bool {
    let is_detail = ["read_", "looks_like_"].map(|start| finding.kind.starts_with(start));
    !is_detail.contains(&true) || finding.kind.starts_with("read_differing_")
}

fn write_finding(text: &mut String, kind: &str, total: u64, first: impl Fn() -> Option<String>) {
    let kind = plain(&kind.replace('_', " "));
    let first = first().map(|first| format!(", first at {}", plain(&first)));
    let _ = writeln!(
        text,
        "           {kind}: {}{}",
        count(total),
        first.unwrap_or_default()
    );
}

#[cfg(test)]
mod tests {
    use sheaf_answers::Finding;

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
            kind: "read_nodes".into(),
            count: 7,
            first: None,
        });
        read.report.push(Finding {
            kind: "looks_like_data_of_Linux_perf".into(),
            count: 2,
            first: Some("a/perf.data: `perf script`".into()),
        });
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
            files: vec![bad, read, file("c.cali", FileStatus::Present, 1)],
            batch: Some("b0123456789ab".into()),
            warnings: Vec::new(),
        };
        let expected = "\
+ added    a.cali, caliper: 2 runs
           skipped records: 1\u{202f}200, first at line 7
= present  c.cali, caliper: 1 run
! refused  b\\u{7}.txt: no known format
2 runs added, 1 input already present, 1 input refused
import b0123456789ab: `run = @b0123456789ab` selects its runs
";
        let shown = |detail| add(&answer, detail, Layout::default());
        assert_eq!(shown(Detail::Short), expected);
        let nodes = "           read nodes: 7
           looks like data of Linux perf: 2, first at a/perf.data: `perf script`
           skipped records";
        let full = expected.replace("           skipped records", nodes);
        assert_eq!(shown(Detail::Full), full);
        assert_eq!(
            shown(Detail::Errors),
            "! refused  b\\u{7}.txt: no known format\n"
        );
    }

    #[test]
    fn like_inputs_are_reported_together_and_refused_ones_last() {
        let file = |number: u32, error: Option<&str>| FileReport {
            path: format!("runs/{number}.cali"),
            format: error.is_none().then(|| "caliper".into()),
            status: match error {
                Some(_) => FileStatus::Refused,
                None => FileStatus::Added,
            },
            runs: match error {
                Some(_) => Vec::new(),
                None => vec![number.to_string()],
            },
            report: vec![Finding {
                kind: "skipped_records".into(),
                count: 2,
                first: Some(format!("line {number}")),
            }],
            error: error.map(str::to_owned),
        };
        let mut files = vec![file(0, Some("cannot be read"))];
        files.extend((1..=40).map(|number| file(number, None)));
        files[1].report.push(Finding {
            kind: "skipped_other_files".to_owned(),
            count: 1,
            first: Some("runs/notes.txt".to_owned()),
        });
        let answer = Add {
            schema: "add/1".into(),
            files,
            batch: None,
            warnings: Vec::new(),
        };
        let expected = "\
+ added    40 files, caliper: 40 runs
           runs/1.cali … runs/40.cali
           skipped records: 80, first at runs/1.cali, line 1
           skipped other files: 1, first at runs/notes.txt
! refused  runs/0.cali: cannot be read
           skipped records: 2, first at line 0
40 runs added, 0 inputs already present, 1 input refused
";
        let text = add(&answer, Detail::Short, Layout::default());
        assert_eq!(text, expected);
        let full = add(&answer, Detail::Full, Layout::default());
        assert_eq!(full.lines().count(), 41 * 2 + 2);
    }
}
