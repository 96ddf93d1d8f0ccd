//! Imports and maintenance.

use std::path::PathBuf;

use sheaf_answers as api;
use sheaf_ensemble::{AddAnswer, Compaction, Verification};
use sheaf_model::{FileReport, FileStatus};

/// Reports of an import.
pub(crate) fn add(answer: AddAnswer) -> api::Add {
    api::Add {
        schema: "add/1".to_owned(),
        files: answer.files.into_iter().map(file).collect(),
        batch: answer.batch,
        warnings: answer.warnings,
    }
}

fn file(file: FileReport) -> api::FileReport {
    let findings = file
        .report
        .findings
        .into_iter()
        .map(|finding| api::Finding {
            kind: finding.kind,
            count: finding.count,
            first: finding.first,
        });
    api::FileReport {
        path: file.path,
        format: file.format,
        status: match file.status {
            FileStatus::Added => api::FileStatus::Added,
            FileStatus::Present => api::FileStatus::Present,
            FileStatus::Refused => api::FileStatus::Refused,
        },
        runs: file.runs.iter().map(ToString::to_string).collect(),
        report: findings.collect(),
        error: file.error,
    }
}

/// What was found damaged.
pub(crate) fn verify(answer: Verification, notes: Vec<api::DamagedFile>) -> api::Verify {
    let ok = answer.damaged.is_empty() && notes.is_empty();
    let damaged = answer.damaged.into_iter().map(|damage| api::DamagedFile {
        path: if damage.segment.is_empty() {
            damage.file
        } else {
            format!("segments/{}/{}", damage.segment, damage.file)
        },
        reason: damage.reason,
    });
    api::Verify {
        schema: "verify/1".to_owned(),
        runs: answer.runs as u64,
        segments: answer.segments as u64,
        ok,
        damaged: damaged.chain(notes).collect(),
        leftovers: paths(&answer.leftovers),
        foreign: paths(&answer.foreign),
        set_aside: paths(&answer.set_aside),
    }
}

fn paths(paths: &[PathBuf]) -> Vec<String> {
    let paths = paths.iter();
    paths.map(|path| path.display().to_string()).collect()
}

/// What was merged.
pub(crate) fn compact(answer: &Compaction, is_dry_run: bool) -> api::Compact {
    api::Compact {
        schema: "compact/1".to_owned(),
        runs: answer.runs as u64,
        segments_before: answer.before as u64,
        segments: answer.segments as u64,
        removed_leftovers: answer.leftovers.len() as u64,
        removed: paths(&answer.removed),
        foreign: paths(&answer.foreign),
        is_dry_run,
    }
}
