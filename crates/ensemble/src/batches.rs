//! `notes/batches` of a store: which runs each `add`, `record` or upload brought in, which `@new` and `@BATCH` mean.
//!
//! Segments cannot say it: compaction puts old and new runs together. Each import is a file of its own, whose name
//! begins with its number in the store; the newest are kept.

mod caller;
mod file;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use sheaf_answers::FileStatus;
use sheaf_model::{Comparison, Expression, ParamValue, RunId};

use crate::notes::{LockedNotes, Notes};
use crate::{Ensemble, Error, ErrorKind};
pub use caller::Caller;
use file::{Batch, id_of, is_note, next_name};

/// Stands for the caller's last import in expressions, `run = @new`, and wherever a run is named.
pub(crate) const NEW: &str = "@new";

/// Imports that are kept.
const MAX_BATCHES: usize = 1000;
/// Bytes of their notes, without the newest.
const MAX_BYTES: u64 = 32 << 20;

/// Note of earlier versions: the runs of the last import alone.
const NEWEST: &str = "newest.txt";

/// The runs of an import.
type Runs = Arc<BTreeSet<RunId>>;

/// The imports that a store has notes of, read when one is asked for.
#[derive(Debug)]
pub(crate) struct Batches {
    store: PathBuf,
    caller: Caller,
    found: Mutex<BTreeMap<String, Runs>>,
}

impl Batches {
    pub(crate) fn new(store: PathBuf, caller: Caller) -> Self {
        let found = Mutex::default();
        Self {
            store,
            caller,
            found,
        }
    }

    /// Finds the runs that `@NAME` means. The caller is informed which import `@new` is.
    ///
    /// # Errors
    /// When there is no such import, or its note is damaged.
    pub(crate) fn find(&self, name: &str) -> Result<Runs, Error> {
        if let Some(runs) = self.get(name) {
            return Ok(runs);
        }
        let runs = Arc::new(if name == NEW {
            self.newest()?
        } else {
            self.named(name)?.runs
        });
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(name.to_owned(), Arc::clone(&runs));
        Ok(runs)
    }

    /// The runs of an import that was found before.
    pub(crate) fn get(&self, name: &str) -> Option<Runs> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.get(name).map(Arc::clone)
    }

    /// When runs came into the store, in nanoseconds since 1970-01-01 UTC: the time of the earliest import that has the
    /// run, if its note is there and has one. Notes that cannot be read are skipped; `verify` reports them.
    ///
    /// Reads notes, the earliest first, until all runs are found: at most as many as are kept.
    pub(crate) fn times(&self, runs: impl Iterator<Item = RunId>) -> BTreeMap<RunId, i64> {
        let notes = Notes::of_batches(&self.store);
        let mut wanted: BTreeSet<RunId> = runs.collect();
        let mut times = BTreeMap::new();
        let names = notes.names().unwrap_or_default();
        for name in names.iter().filter(|name| is_note(name)) {
            if wanted.is_empty() {
                break;
            }
            let Ok(Some(batch)) = file::read(&notes, name) else {
                continue;
            };
            for run in &batch.runs {
                if wanted.remove(run) {
                    times.extend(batch.time.map(|time| (*run, time)));
                }
            }
        }
        times
    }

    fn named(&self, name: &str) -> Result<Batch, Error> {
        let notes = Notes::of_batches(&self.store);
        let id = name.trim_start_matches('@');
        let unknown = |reason: &str| Error::UnknownBatch {
            batch: name.to_owned(),
            reason: reason.to_owned(),
        };
        let names = notes.names()?;
        let mut found = names
            .iter()
            .filter(|it| is_note(it) && id_of(it).starts_with(id));
        match (found.next(), found.next()) {
            _ if id.len() < 4 => Err(unknown("the id of an import begins with `b`")),
            (Some(note), None) => {
                file::read(&notes, note)?.ok_or_else(|| unknown("it was removed"))
            }
            (None, _) => Err(unknown("no import has it, and the newest 1000 are kept")),
            (Some(_), Some(_)) => Err(unknown("several imports begin so; write more of its id")),
        }
    }

    /// The newest import of the caller; without one, the newest of all.
    fn newest(&self) -> Result<BTreeSet<RunId>, Error> {
        let notes = Notes::of_batches(&self.store);
        let names = notes.names()?;
        let mut read = Vec::new();
        for name in names.iter().rev().filter(|it| is_note(it)) {
            let Some(batch) = file::read(&notes, name)? else {
                continue;
            };
            read.push(batch);
            if self.caller.identities().is_empty() {
                break;
            }
        }
        for identity in self.caller.identities() {
            if let Some(batch) = read.iter().find(|batch| batch.caller.contains(identity)) {
                batch.check_runs()?;
                self.caller
                    .inform(&format!("{}, added with {identity}", batch.described()));
                return Ok(batch.runs.clone());
            }
            if caller::is_explicit(identity) {
                return Err(Error::NothingImported {
                    caller: identity.clone(),
                });
            }
        }
        if let Some(newest) = read.first() {
            newest.check_runs()?;
        }
        match (read.into_iter().next(), self.caller.identities().first()) {
            (Some(batch), None) => {
                self.caller.inform(&format!(
                    "{}, the newest import of the store",
                    batch.described()
                ));
                Ok(batch.runs)
            }
            (Some(batch), Some(identity)) => {
                self.caller.inform(&format!(
                    "{}, the newest import of the store: none was added with {identity}",
                    batch.described()
                ));
                Ok(batch.runs)
            }
            (None, _) => self.newest_of_earlier_versions(),
        }
    }

    fn newest_of_earlier_versions(&self) -> Result<BTreeSet<RunId>, Error> {
        let text = Notes::of(&self.store).read(NEWEST)?;
        let text = text.ok_or(Error::NothingNew)?;
        let runs: BTreeSet<RunId> = text
            .lines()
            .filter_map(|line| line.trim().parse().ok())
            .collect();
        self.caller
            .inform(&format!("the {} runs of the last import", runs.len()));
        Ok(runs)
    }
}

impl Ensemble {
    /// Notes what an import brought in or found to be there, together with what batch `continued` has. Returns the
    /// id of the batch; there is none where every input was refused, and the note of such an import keeps `@new` from
    /// meaning the one before. The same runs again from the same caller are the same batch.
    pub(crate) fn note_batch(
        &self,
        reports: &[crate::import::InputReport],
        continued: Option<&str>,
    ) -> Result<Option<String>, Error> {
        let known = reports
            .iter()
            .filter(|report| report.status != FileStatus::Refused);
        let runs: BTreeSet<RunId> = known.flat_map(|report| report.runs.clone()).collect();
        if runs.is_empty() {
            let is_new = continued.is_none() && !reports.is_empty();
            // There are no runs whose note could be missed.
            let _ = is_new.then(|| self.write_batch(runs, None));
            return Ok(None);
        }
        self.write_batch(runs, continued).map(Some)
    }

    fn write_batch(&self, runs: BTreeSet<RunId>, continued: Option<&str>) -> Result<String, Error> {
        let notes = Notes::of_batches(self.path());
        let locked = notes.lock()?;
        let mut names = notes.names()?;
        names.retain(|name| is_note(name));
        let mut batch = Batch::new(self.caller().identities().to_vec(), runs);
        batch.time = now();
        let before = match continued {
            Some(id) => names.iter().rfind(|name| id_of(name) == id),
            None => names.last(),
        };
        // A damaged note is reported by `verify` and by whoever asks for it.
        let known = before.and_then(|name| file::read(&notes, name).ok().flatten());
        if let (Some(name), Some(known)) = (before, known) {
            if continued.is_some() {
                batch.runs.extend(&known.runs);
            }
            if batch.runs == known.runs && batch.caller == known.caller {
                return Ok(known.id);
            }
            if continued.is_some() {
                batch.id = known.id;
                batch.time = known.time;
                locked.write(name, &batch.text())?;
                return Ok(batch.id);
            }
        }
        let name = next_name(names.last().map(String::as_str), &mut batch);
        locked.write(&name, &batch.text())?;
        names.push(name);
        remove_old(&locked, &names)?;
        Ok(batch.id)
    }

    /// Adds what is wrong with the notes about imports to `damaged`, as path and reason.
    pub(crate) fn check_batches(&self, damaged: &mut Vec<(PathBuf, String)>) -> Result<(), Error> {
        let notes = Notes::of_batches(self.path());
        let names = match notes.names() {
            Err(error) if error.kind() != ErrorKind::Permission => {
                let reason = format!("{}; remove what is there", error.reason_alone());
                damaged.push((notes.path(""), reason));
                Vec::new()
            }
            names => names?,
        };
        for name in names.iter().filter(|name| is_note(name)) {
            if let Err(error) = file::read(&notes, name) {
                damaged.push((notes.path(name), error.reason_alone()));
            }
        }
        let notes = Notes::of(self.path());
        let reason = match notes.read(NEWEST) {
            Ok(text) => {
                let text = text.unwrap_or_default();
                let wrong = text
                    .lines()
                    .position(|line| line.trim().parse::<RunId>().is_err());
                wrong.map(|at| format!("line {} is no id of a run", at + 1))
            }
            Err(error) => Some(error.reason_alone()),
        };
        if let Some(reason) = reason {
            let reason = format!("{reason}; remove the file, which only says what `@new` means");
            damaged.push((notes.path(NEWEST), reason));
        }
        Ok(())
    }
}

/// This moment, in nanoseconds since 1970-01-01 UTC and without fractions of the second.
fn now() -> Option<i64> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    i64::try_from(since.ok()?.as_secs())
        .ok()?
        .checked_mul(1_000_000_000)
}

/// Keeps the newest batches, bounded in number and bytes.
fn remove_old(locked: &LockedNotes<'_>, names: &[String]) -> Result<(), Error> {
    let mut bytes = 0;
    for (place, name) in names.iter().rev().enumerate().skip(1) {
        bytes += locked.bytes(name);
        if place >= MAX_BATCHES || bytes > MAX_BYTES {
            locked.remove(name)?;
        }
    }
    Ok(())
}

/// The expression with `run = @NAME` as the truth value that runs have under that name.
pub(crate) fn resolved(expression: &Expression) -> Expression {
    let all = |parts: &[Expression]| parts.iter().map(resolved).collect();
    let is_in = |name: &str, comparison| Expression::Compare {
        attribute: name.to_owned(),
        comparison,
        value: ParamValue::Boolean(true),
    };
    // Expressions are nested no deeper than the parser allows.
    match expression {
        Expression::And(parts) => Expression::And(all(parts)),
        Expression::Or(parts) => Expression::Or(all(parts)),
        Expression::Not(inner) => Expression::Not(Box::new(resolved(inner))),
        Expression::Compare {
            attribute,
            comparison: comparison @ (Comparison::Equal | Comparison::NotEqual),
            value: ParamValue::Text(value),
        } if attribute == "run" && value.starts_with('@') => is_in(value, *comparison),
        Expression::In { attribute, values } if attribute == "run" => {
            let values = values.iter().map(ToString::to_string);
            let named = values.filter(|value| value.starts_with('@'));
            let mut parts: Vec<Expression> =
                named.map(|name| is_in(&name, Comparison::Equal)).collect();
            if parts.is_empty() {
                return expression.clone();
            }
            parts.insert(0, expression.clone());
            Expression::Or(parts)
        }
        other => other.clone(),
    }
}

/// The names `@…` of imports that a resolved expression asks for.
pub(crate) fn asked_for(resolved: &Expression) -> BTreeSet<String> {
    let names = resolved.compared().into_iter();
    names
        .filter(|name| name.starts_with('@'))
        .map(str::to_owned)
        .collect()
}
