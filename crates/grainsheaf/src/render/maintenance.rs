//! The store as a whole: verified, compacted, runs removed.

use std::fmt::Write as _;

use sheaf_api::{Compact, Remove, Verify};

use super::table::{Layout, Tone};
use super::text::{counted, plain};

/// Whether the store is sound, and what is not.
pub(crate) fn verify(answer: &Verify, layout: Layout) -> String {
    let size = format!(
        "{} in {}",
        counted(answer.runs, "run", "runs"),
        counted(answer.segments, "segment", "segments")
    );
    let mut text = if answer.ok {
        format!(
            "{} {size}\n",
            Tone::Good.paint("= sound", layout.has_colour)
        )
    } else {
        let damaged = counted(answer.damaged.len() as u64, "file", "files");
        format!(
            "{} {damaged} of {size}\n",
            Tone::Bad.paint("! damaged", layout.has_colour)
        )
    };
    for file in &answer.damaged {
        let _ = writeln!(text, "  {}: {}", plain(&file.path), plain(&file.reason));
    }
    if !answer.leftovers.is_empty() {
        let leftovers = counted(answer.leftovers.len() as u64, "leftover", "leftovers");
        let _ = writeln!(
            text,
            "{leftovers} of unfinished imports; `grainsheaf compact` removes them"
        );
        for leftover in &answer.leftovers {
            let _ = writeln!(text, "  {}", plain(leftover));
        }
    }
    text
}

/// What compaction did.
pub(crate) fn compact(answer: &Compact) -> String {
    format!(
        "{} in {} (before: {}); {} removed\n",
        counted(answer.runs, "run", "runs"),
        counted(answer.segments, "segment", "segments"),
        answer.segments_before,
        counted(answer.removed_leftovers, "leftover", "leftovers"),
    )
}

/// Which runs are gone.
pub(crate) fn remove(answer: &Remove) -> String {
    let mut text = String::new();
    for run in &answer.removed {
        let _ = writeln!(text, "removed {run}");
    }
    let _ = writeln!(
        text,
        "{} removed",
        counted(answer.removed.len() as u64, "run", "runs")
    );
    text
}

#[cfg(test)]
mod tests {
    use sheaf_api::DamagedFile;

    use super::*;

    #[test]
    fn a_store_is_sound_or_says_what_is_not() {
        let mut answer = Verify {
            schema: "verify/1".into(),
            runs: 20,
            segments: 1,
            ok: true,
            damaged: Vec::new(),
            leftovers: Vec::new(),
        };
        assert_eq!(
            verify(&answer, Layout::default()),
            "= sound 20 runs in 1 segment\n"
        );
        answer.ok = false;
        answer.damaged.push(DamagedFile {
            path: "segments/a/grains.parquet".into(),
            reason: "wrong checksum".into(),
        });
        answer.leftovers.push("tmp/b".into());
        let expected = "\
! damaged 1 file of 20 runs in 1 segment
  segments/a/grains.parquet: wrong checksum
1 leftover of unfinished imports; `grainsheaf compact` removes them
  tmp/b
";
        assert_eq!(verify(&answer, Layout::default()), expected);
    }

    #[test]
    fn compaction_is_told_in_a_line() {
        let answer = Compact {
            schema: "compact/1".into(),
            runs: 20,
            segments_before: 20,
            segments: 1,
            removed_leftovers: 0,
        };
        let expected = "20 runs in 1 segment (before: 20); 0 leftovers removed\n";
        assert_eq!(compact(&answer), expected);
    }
}
