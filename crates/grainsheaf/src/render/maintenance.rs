//! The store as a whole: verified, compacted, runs removed.

use std::fmt::Write as _;

use sheaf_answers::{
    Compact, Corrected, ParamValue, ParameterRules, Remarks, Remove, Restore, RunName, Verify,
};

use super::table::{Layout, Tone};
use super::text::{counted, plain};
use super::{or_absent, value};
use sheaf_answers::text::ABSENT;

/// Whether the store is sound, and what is not.
pub(crate) fn verify(answer: &Verify, is_repaired: bool, layout: Layout) -> String {
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
        list(&mut text, &answer.leftovers);
    }
    foreign(&mut text, &answer.foreign);
    if !answer.set_aside.is_empty() {
        let segments = counted(answer.set_aside.len() as u64, "segment", "segments");
        let _ = writeln!(text, "{segments} set aside; import their runs again");
        list(&mut text, &answer.set_aside);
    }
    if is_repaired {
        text.push_str("the store's log begins anew with what is sound\n");
    } else if !answer.ok {
        text.push_str("`grainsheaf verify --repair` sets damage aside and rebuilds the log\n");
    }
    text
}

fn foreign(text: &mut String, paths: &[String]) {
    if !paths.is_empty() {
        let entries = counted(paths.len() as u64, "entry is", "entries are");
        let _ = writeln!(text, "{entries} not the store's and not touched");
        list(text, paths);
    }
}

fn list(text: &mut String, paths: &[String]) {
    for path in paths {
        let _ = writeln!(text, "  {}", plain(path));
    }
}

/// What compaction did, or would do.
pub(crate) fn compact(answer: &Compact) -> String {
    let mut text = if answer.is_dry_run {
        format!(
            "would keep {} in {} (now: {}); nothing was changed\n",
            counted(answer.runs, "run", "runs"),
            counted(answer.segments, "segment", "segments"),
            answer.segments_before,
        )
    } else {
        format!(
            "{} in {} (before: {}); {} removed\n",
            counted(answer.runs, "run", "runs"),
            counted(answer.segments, "segment", "segments"),
            answer.segments_before,
            counted(answer.removed_leftovers, "leftover", "leftovers"),
        )
    };
    if !answer.removed.is_empty() {
        let verb = if answer.is_dry_run {
            "would remove"
        } else {
            "removed"
        };
        let _ = writeln!(text, "{verb}:");
        list(&mut text, &answer.removed);
    }
    foreign(&mut text, &answer.foreign);
    text
}

/// Corrected parameters by run.
pub(crate) fn set(answer: &Corrected) -> String {
    let mut text = String::new();
    let shown = |shown: Option<&ParamValue>| or_absent(shown, value);
    for run in &answer.runs {
        for (name, param) in &run.changes {
            let (before, after) = (shown(param.before.as_ref()), shown(param.after.as_ref()));
            let line = format!("{}: {name} is {after}, was {before}", run.name);
            let _ = writeln!(text, "{}", plain(&line));
        }
    }
    let runs = counted(answer.runs.len() as u64, "run", "runs");
    let _ = writeln!(text, "{runs} corrected");
    text
}

/// A run and its name.
pub(crate) fn renamed(answer: &RunName) -> String {
    let RunName { name, before, .. } = answer;
    plain(&format!("{name}: was {before}")) + "\n"
}

/// How many remarks a store has.
pub(crate) fn remarks(answer: &Remarks) -> String {
    let remarks = counted(answer.remarks.len() as u64, "remark", "remarks");
    format!("{remarks} in the store\n")
}

/// Rules of a store about its parameters.
pub(crate) fn parameter_rules(answer: &ParameterRules) -> String {
    let list = |patterns: &[String]| match patterns {
        [] => ABSENT.to_owned(),
        patterns => plain(&patterns.join(", ")),
    };
    let incidental = list(&answer.incidental);
    let configuration = list(&answer.configuration);
    format!("incidental     {incidental}\nconfiguration  {configuration}\n")
}

/// Which runs are back.
pub(crate) fn restore(answer: &Restore) -> String {
    let mut text = String::new();
    for run in &answer.restored {
        let _ = writeln!(text, "restored {run}");
    }
    text
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
    use sheaf_answers::DamagedFile;

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
            foreign: Vec::new(),
            set_aside: Vec::new(),
        };
        assert_eq!(
            verify(&answer, false, Layout::default()),
            "= sound 20 runs in 1 segment\n"
        );
        answer.ok = false;
        answer.damaged.push(DamagedFile {
            path: "segments/a/grains.parquet".into(),
            reason: "wrong checksum".into(),
        });
        answer.leftovers.push("tmp/b".into());
        answer.foreign.push("segments/mine".into());
        let expected = "\
! damaged 1 file of 20 runs in 1 segment
  segments/a/grains.parquet: wrong checksum
1 leftover of unfinished imports; `grainsheaf compact` removes them
  tmp/b
1 entry is not the store's and not touched
  segments/mine
`grainsheaf verify --repair` sets damage aside and rebuilds the log
";
        assert_eq!(verify(&answer, false, Layout::default()), expected);
    }

    #[test]
    fn compaction_lists_what_it_removed() {
        let mut answer = Compact {
            schema: "compact/1".into(),
            runs: 20,
            segments_before: 20,
            segments: 1,
            removed_leftovers: 0,
            removed: vec!["segments/a".into()],
            foreign: Vec::new(),
            is_dry_run: false,
        };
        let expected =
            "20 runs in 1 segment (before: 20); 0 leftovers removed\nremoved:\n  segments/a\n";
        assert_eq!(compact(&answer), expected);
        answer.is_dry_run = true;
        let expected = "would keep 20 runs in 1 segment (now: 20); nothing was changed\n\
                        would remove:\n  segments/a\n";
        assert_eq!(compact(&answer), expected);
    }
}
