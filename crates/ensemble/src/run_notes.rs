//! `notes/runs.toml` of a store: names that users gave to runs, and remarks on runs and grains.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use sheaf_answers::{Remark, path_key_text};
use sheaf_model::{Progress, RunId, RunMeta};
use toml::de::{DeTable, DeValue};

use crate::import::quoted;
use crate::notes::Notes;
use crate::runs::RunEntry;
use crate::{Ensemble, Error, View, select};

/// The file.
pub(crate) const NAME: &str = "runs.toml";

/// Maximum number of bytes of a name that a user gives.
const MAX_NAME: usize = 1024;
/// Maximum number of bytes of a remark.
const MAX_REMARK: usize = 1 << 16;

const HEAD: &str = "\
# Names of runs that are in the store, and remarks on runs and grains: `grainsheaf set RUN --name NAME`, `--remark TEXT` and
# the page write this file, and people may. Tables are named after ids of runs, keys of `grains` are path keys.
";

/// Names and remarks that users gave, by run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RunNotes(BTreeMap<RunId, RunNote>);

/// The name and the remarks that users gave to one run and its grains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct RunNote {
    name: Option<String>,
    remark: Option<String>,
    /// Remarks on grains, by path key.
    grains: BTreeMap<String, String>,
}

/// A run whose name was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedRun {
    /// The run.
    pub run: RunId,
    /// Its name before.
    pub before: String,
    /// Its name now.
    pub name: String,
}

impl RunNotes {
    /// Gives a run the name of its note.
    pub(crate) fn apply(&self, meta: &mut Arc<RunMeta>) {
        let note = self.0.get(&meta.id);
        if let Some(name) = note.and_then(|note| note.name.as_ref()) {
            Arc::make_mut(meta).name.clone_from(name);
        }
    }

    /// The remark on a run.
    pub(crate) fn remark_on(&self, run: RunId) -> Option<String> {
        self.0.get(&run)?.remark.clone()
    }

    /// The remarks, by run; those on grains after that on their run.
    pub(crate) fn remarks(&self) -> Vec<Remark> {
        let mut remarks = Vec::new();
        for (run, note) in &self.0 {
            let remark = |path_key: Option<&String>, text: &String| Remark {
                run: run.to_string(),
                path_key: path_key.cloned(),
                text: text.clone(),
            };
            remarks.extend(note.remark.iter().map(|text| remark(None, text)));
            let grains = note.grains.iter();
            remarks.extend(grains.map(|(key, text)| remark(Some(key), text)));
        }
        remarks
    }
}

impl Ensemble {
    /// Reads the names and remarks that users gave.
    ///
    /// # Errors
    /// If the file cannot be read or understood; the message names the line.
    pub(crate) fn run_notes(&self) -> Result<RunNotes, Error> {
        let notes = Notes::of(self.path());
        match notes.read(NAME)? {
            Some(text) => parse(&text, &notes.path(NAME)),
            None => Ok(RunNotes::default()),
        }
    }

    /// Gives the run that a selector names another name; `None` restores the name of its import. The stored run stays as it
    /// is.
    ///
    /// # Errors
    /// When the selector does not name one run, the name is empty or longer than 1,024 bytes, or the file cannot be read or
    /// written.
    pub fn rename_run(&self, selector: &str, name: Option<&str>) -> Result<RenamedRun, Error> {
        if let Some(name) = name {
            check_text("name", name, MAX_NAME)?;
        }
        self.edit_run_note(|view, notes| {
            let entries = view.entries();
            let all: Vec<&RunEntry> = entries.iter().collect();
            let meta = &select::one(&all, selector)?.meta;
            let stored = view.snapshot.run(meta.id);
            let imported = stored.map_or(&meta.name, |run| &run.meta.name);
            let name = name.unwrap_or(imported);
            let note = notes.0.entry(meta.id).or_default();
            note.name = (name != imported).then(|| name.to_owned());
            Ok(RenamedRun {
                run: meta.id,
                before: meta.name.clone(),
                name: name.to_owned(),
            })
        })
    }

    /// Sets the remark on the run that a selector names, or on the grain of it that has a path key; `None` removes it. Returns
    /// all remarks of the store.
    ///
    /// # Errors
    /// When the selector does not name one run, no grain has the key, the remark is empty or longer than 65,536 bytes, or the
    /// file cannot be read or written.
    pub fn set_remark(
        &self,
        selector: &str,
        path_key: Option<&str>,
        text: Option<&str>,
    ) -> Result<Vec<Remark>, Error> {
        if let Some(text) = text {
            check_text("remark", text, MAX_REMARK)?;
        }
        // Opening a run can take seconds, during which others may change notes.
        if let (Some(key), Some(_)) = (path_key, text) {
            self.ask(&Progress::silent(), |view| {
                view.check_path_key(selector, key)
            })?;
        }
        self.edit_run_note(|view, notes| {
            let entries = view.entries();
            let all: Vec<&RunEntry> = entries.iter().collect();
            let run = select::one(&all, selector)?.meta.id;
            let note = notes.0.entry(run).or_default();
            let text = text.map(str::to_owned);
            match (path_key, text) {
                (None, text) => note.remark = text,
                (Some(key), Some(text)) => drop(note.grains.insert(key.to_owned(), text)),
                (Some(key), None) => drop(note.grains.remove(key)),
            }
            Ok(notes.remarks())
        })
    }

    /// Changes the notes on runs under their lock, and writes them anew, as a whole.
    fn edit_run_note<T>(
        &self,
        edit: impl Fn(&View<'_>, &mut RunNotes) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let notes = Notes::of(self.path());
        // Held until the new file exists, so that simultaneous edits follow each other.
        let locked = notes.lock()?;
        let before = self.run_notes()?;
        let (edited, answer) = self.ask(&Progress::silent(), |view| {
            let mut edited = before.clone();
            let answer = edit(view, &mut edited)?;
            // Those of removed runs stay: the runs may be restored.
            edited.0.retain(|_, note| *note != RunNote::default());
            Ok((edited, answer))
        })?;
        locked.write(NAME, &to_toml(&edited))?;
        Ok(answer)
    }
}

impl View<'_> {
    /// The remarks of users on runs and grains, by run.
    pub fn remarks(&self) -> Vec<Remark> {
        self.corrections.remarks()
    }

    /// The remark of a user on a run.
    pub(crate) fn remark_on(&self, run: RunId) -> Option<String> {
        self.corrections.remark_on(run)
    }

    fn check_path_key(&self, run: &str, key: &str) -> Result<(), Error> {
        let (_, opened) = self.open_run(run)?;
        let wanted = u64::from_str_radix(key, 16).map(u64::cast_signed);
        let keys = opened.tables().grains.path_key.values();
        // A key has one spelling in the file.
        if wanted.is_ok_and(|wanted| path_key_text(wanted) == key && keys.contains(wanted)) {
            return Ok(());
        }
        Err(Error::Setting {
            setting: key.to_owned(),
            reason: "no grain of the run has this path key; `grains --json` has them".to_owned(),
        })
    }
}

fn check_text(what: &str, text: &str, max: usize) -> Result<(), Error> {
    let fault = |reason: String| Error::Setting {
        setting: what.to_owned(),
        reason,
    };
    if text.trim().is_empty() {
        return Err(fault(format!("the {what} is empty; write one")));
    }
    if text.len() > max {
        let length = text.len();
        return Err(fault(format!(
            "a {what} has at most {max} bytes, not `{length}`; shorten it"
        )));
    }
    Ok(())
}

fn parse(text: &str, path: &Path) -> Result<RunNotes, Error> {
    let fault = |at: usize, reason: String| Error::in_note(text, at, &reason, path);
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        fault(at, error.message().replace('\n', ", "))
    })?;
    let read_text = |key: &str, value: &toml::Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::String(text) => Ok(text.clone().into_owned()),
        _ => Err(fault(
            value.span().start,
            format!("write `{key}` as a text"),
        )),
    };
    let read_table = |key: &str, at: usize| fault(at, format!("write `[{key}]` above its lines"));
    let mut found = BTreeMap::new();
    for (key, value) in table.get_ref() {
        let run = key.get_ref().as_ref();
        let id: RunId = run
            .parse()
            .map_err(|_| fault(key.span().start, format!("`{run}` is not the id of a run")))?;
        let DeValue::Table(fields) = value.get_ref() else {
            return Err(read_table(run, value.span().start));
        };
        let mut note = RunNote::default();
        for (key, value) in fields {
            match key.get_ref().as_ref() {
                "name" => note.name = Some(read_text("name", value)?),
                "remark" => note.remark = Some(read_text("remark", value)?),
                "grains" => {
                    let DeValue::Table(grains) = value.get_ref() else {
                        return Err(read_table(&format!("{run}.grains"), value.span().start));
                    };
                    for (key, value) in grains {
                        let key = key.get_ref().as_ref();
                        note.grains.insert(key.to_owned(), read_text(key, value)?);
                    }
                }
                other => {
                    let reason = format!("`{other}` is not `name`, `remark` or `grains`");
                    return Err(fault(key.span().start, reason));
                }
            }
        }
        found.insert(id, note);
    }
    Ok(RunNotes(found))
}

fn to_toml(notes: &RunNotes) -> String {
    let mut text = HEAD.to_owned();
    // Writing to a string does not fail.
    for (run, note) in &notes.0 {
        let _ = writeln!(text, "\n[{run}]");
        for (key, value) in [("name", &note.name), ("remark", &note.remark)] {
            if let Some(value) = value {
                let _ = writeln!(text, "{key} = {}", quoted(value));
            }
        }
        if !note.grains.is_empty() {
            let _ = writeln!(text, "[{run}.grains]");
        }
        for (key, remark) in &note.grains {
            let _ = writeln!(text, "{} = {}", quoted(key), quoted(remark));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_are_written_are_read_back() {
        let odd = "it's \"odd\" \\ \n\u{7}";
        let note = |name: Option<&str>, remark: Option<&str>, grains: &[(&str, &str)]| RunNote {
            name: name.map(str::to_owned),
            remark: remark.map(str::to_owned),
            grains: grains
                .iter()
                .map(|(key, text)| ((*key).to_owned(), (*text).to_owned()))
                .collect(),
        };
        let notes = RunNotes(BTreeMap::from([
            (RunId([7; 16]), note(Some("before the fix"), None, &[])),
            (RunId([0xab; 16]), note(Some(odd), Some(odd), &[])),
            (
                RunId([0; 16]),
                note(
                    None,
                    None,
                    &[("00ff00ff00ff00ff", odd), ("1", "two\nlines")],
                ),
            ),
        ]));
        assert_eq!(parse(&to_toml(&notes), Path::new("p")).unwrap(), notes);
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let id = "07".repeat(16);
        for (text, expected) in [
            (
                "sort = \"a\"\n".to_owned(),
                "`sort` is not the id of a run at line 1, column 1".to_owned(),
            ),
            (
                format!("\n{id} = 3\n"),
                format!("write `[{id}]` above its lines at line 2, column 36"),
            ),
            (
                format!("[{id}]\nname = 3\n"),
                "write `name` as a text at line 2, column 8".to_owned(),
            ),
            (
                format!("[{id}]\ntitle = \"a\"\n"),
                "`title` is not `name`, `remark` or `grains` at line 2, column 1".to_owned(),
            ),
            (
                format!("[{id}.grains]\n\"0\" = 1\n"),
                "write `0` as a text at line 2, column 7".to_owned(),
            ),
        ] {
            let reason = parse(&text, Path::new("p")).unwrap_err().reason_alone();
            let cure = "; mend the line, or remove the file";
            assert_eq!(reason, format!("{expected}{cure}"));
        }
    }
}
