//! The file of one import: lines `time RFC3339`, `caller NAME=VALUE` and `run ID`, and a checksum at the end.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sheaf_model::{RunId, instant};

use crate::Error;
use crate::notes::Notes;

const HEAD: &str = "# Runs of one `add`, `record` or upload; `run = @ID` selects them.\n";
const CHECKSUM: &str = "checksum ";

/// One import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Batch {
    /// `b` and twelve hexadecimal digits.
    pub(super) id: String,
    /// When it was noted, in nanoseconds since 1970-01-01 UTC; absent in notes of earlier versions.
    pub(super) time: Option<i64>,
    /// Who imported, as `NAME=VALUE`.
    pub(super) caller: Vec<String>,
    /// Its runs.
    pub(super) runs: BTreeSet<RunId>,
}

impl Batch {
    /// An import that has no id yet.
    pub(super) fn new(caller: Vec<String>, runs: BTreeSet<RunId>) -> Self {
        Self {
            id: String::new(),
            time: None,
            caller,
            runs,
        }
    }

    /// The content of its file.
    pub(super) fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        // Writing to a string does not fail.
        if let Some(time) = self.time {
            let _ = writeln!(text, "time {}", instant::rfc3339_seconds(time));
        }
        for caller in &self.caller {
            let _ = writeln!(text, "caller {caller}");
        }
        for run in &self.runs {
            let _ = writeln!(text, "run {run}");
        }
        let checksum = checksum(&text);
        let _ = writeln!(text, "{CHECKSUM}{checksum}");
        text
    }

    /// Fails for an import that brought no run in.
    pub(super) fn check_runs(&self) -> Result<(), Error> {
        if self.runs.is_empty() {
            return Err(Error::NothingAdded);
        }
        Ok(())
    }

    /// Id and size, for people.
    pub(super) fn described(&self) -> String {
        let number = self.runs.len();
        let runs = if number == 1 { "run" } else { "runs" };
        format!("@{} ({number} {runs})", self.id)
    }
}

/// Whether a name in the folder is that of an import's file.
pub(super) fn is_note(name: &str) -> bool {
    number_of(name).is_some() && !id_of(name).is_empty()
}

/// The id in the name of a file.
pub(super) fn id_of(name: &str) -> &str {
    let id = name.split_once('-').map_or("", |(_, rest)| rest);
    id.strip_suffix(".txt").unwrap_or_default()
}

fn number_of(name: &str) -> Option<u64> {
    name.split_once('-')
        .and_then(|(number, _)| number.parse().ok())
}

/// Gives a batch its id and the name of its file, after the last one that there is.
pub(super) fn next_name(last: Option<&str>, batch: &mut Batch) -> String {
    let number = last
        .and_then(number_of)
        .map_or(1, |last| last.saturating_add(1));
    // The time is left out: the same import into another store has the same id.
    let time = batch.time.take();
    let hash = checksum(&format!("{number}\n{}", batch.text()));
    batch.time = time;
    batch.id = format!("b{}", hash.get(..12).unwrap_or(&hash));
    format!("{number:010}-{}.txt", batch.id)
}

/// Reads an import; `None` when its file is gone.
///
/// # Errors
/// When it cannot be read or is not what was written.
pub(super) fn read(notes: &Notes, name: &str) -> Result<Option<Batch>, Error> {
    let Some(text) = notes.read(name)? else {
        return Ok(None);
    };
    let batch = parse(&text, id_of(name));
    batch.map(Some).map_err(|reason| Error::DamagedNote {
        reason: format!(
            "{reason}; remove the file, which only says what `@{}` means",
            id_of(name)
        ),
        path: notes.path(name),
    })
}

fn parse(text: &str, id: &str) -> Result<Batch, &'static str> {
    let (content, end) = text.rsplit_once(CHECKSUM).ok_or("its end is missing")?;
    if end.trim_end() != checksum(content) {
        return Err("its checksum is wrong");
    }
    let mut batch = Batch::new(Vec::new(), BTreeSet::new());
    id.clone_into(&mut batch.id);
    for line in content.lines().filter(|line| !line.starts_with('#')) {
        match line.split_once(' ') {
            Some(("time", time)) => {
                let time = instant::parse(time).ok_or("a line is not a time")?;
                batch.time = Some(time);
            }
            Some(("caller", caller)) => batch.caller.push(caller.to_owned()),
            Some(("run", run)) => {
                batch
                    .runs
                    .insert(run.parse().map_err(|_| "a line is no id of a run")?);
            }
            _ => return Err("a line is neither time nor caller nor run"),
        }
    }
    Ok(batch)
}

fn checksum(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    hash.chars().take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_every_flipped_bit_is_noticed() {
        let runs = [1, 2]
            .map(|number: u128| RunId(number.to_be_bytes()))
            .into();
        let mut batch = Batch::new(vec!["CI_JOB_ID=a b checksum c".to_owned()], runs);
        batch.time = instant::parse("2026-01-31T12:00:00Z");
        let name = next_name(Some("0000000041-b00.txt"), &mut batch);
        assert_eq!(name, format!("0000000042-{}.txt", batch.id));
        assert!(is_note(&name) && !is_note("README.txt") && !is_note("x-y.txt"));
        let text = batch.text();
        assert_eq!(parse(&text, id_of(&name)).unwrap(), batch);
        assert!(text.contains("\ntime 2026-01-31T12:00:00Z\n"));
        // The last byte is a line end.
        for bit in 0..(text.len() - 1) * 8 {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let is_read = String::from_utf8(bytes).is_ok_and(|text| parse(&text, "b").is_ok());
            assert!(!is_read, "bit {bit}");
        }
        for length in 0..text.len() - 1 {
            assert!(parse(&text[..length], "b").is_err(), "{length} bytes");
        }
    }

    #[test]
    fn notes_of_earlier_versions_have_no_time() {
        let content = format!("{HEAD}caller A=b\nrun {}\n", RunId([7; 16]));
        let read = |content: &str| {
            let text = format!("{content}{CHECKSUM}{}\n", checksum(content));
            parse(&text, "b")
        };
        let batch = read(&content).unwrap();
        assert_eq!((batch.time, batch.runs.len()), (None, 1));
        assert!(read(&format!("{content}time noon\n")).is_err());
    }
}
