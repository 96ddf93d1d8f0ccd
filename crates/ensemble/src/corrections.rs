//! `notes/params.toml` of a store: parameters that users corrected of runs that are in it.
//!
//! Stored runs are never changed, and neither parameters nor names belong to their content: corrections replace them
//! whenever runs are listed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use sheaf_answers::Remark;
use sheaf_model::{ParamValue, Progress, RunId, RunMeta, RunSelector};
use toml::de::{DeTable, DeValue};

use crate::notes::Notes;
use crate::run_notes::RunNotes;
use crate::runs::RunEntry;
use crate::{Ensemble, Error, select};

/// The note that holds the corrections.
pub(crate) const NAME: &str = "params.toml";

const HEAD: &str = "\
# Parameters of runs that are in the store: `grainsheaf set` writes this file, and people may. Each table is called after
# the id of a run.
";

/// Corrected parameters, names and remarks: they replace metadata of stored runs, which never change.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Corrections {
    params: CorrectedParams,
    notes: RunNotes,
}

/// Corrected parameters by run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CorrectedParams(BTreeMap<RunId, BTreeMap<String, ParamValue>>);

/// Changes that a correction made to one run.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrectedRun {
    /// The run.
    pub run: RunId,
    /// Its name.
    pub name: String,
    /// The parameters that were named, with their values before and after; absent if the run has none.
    pub changes: BTreeMap<String, [Option<ParamValue>; 2]>,
    /// All parameters of the run after the correction.
    pub params: BTreeMap<String, ParamValue>,
}

impl Corrections {
    /// Lays the corrections over a run's metadata.
    pub(crate) fn apply(&self, meta: &mut Arc<RunMeta>) {
        self.params.apply(meta);
        self.notes.apply(meta);
    }

    /// The remark of a user on a run.
    pub(crate) fn remark_on(&self, run: RunId) -> Option<String> {
        self.notes.remark_on(run)
    }

    /// The remarks of users on runs and grains, by run.
    pub(crate) fn remarks(&self) -> Vec<Remark> {
        self.notes.remarks()
    }
}

impl CorrectedParams {
    fn apply(&self, meta: &mut Arc<RunMeta>) {
        if let Some(own) = self.0.get(&meta.id) {
            let own = own.iter().map(|(key, value)| (key.clone(), value.clone()));
            Arc::make_mut(meta).params.extend(own);
        }
    }
}

impl Ensemble {
    /// Reads the store's corrections.
    ///
    /// # Errors
    /// When they cannot be read or understood; the message names the line.
    pub(crate) fn corrections(&self) -> Result<Corrections, Error> {
        Ok(Corrections {
            params: self.corrected_params()?,
            notes: self.run_notes()?,
        })
    }

    /// Reads the store's corrected parameters.
    ///
    /// # Errors
    /// When they cannot be read or understood; the message names the line.
    pub(crate) fn corrected_params(&self) -> Result<CorrectedParams, Error> {
        let notes = Notes::of(self.path());
        match notes.read(NAME)? {
            Some(text) => parse(&text, &notes.path(NAME)),
            None => Ok(CorrectedParams::default()),
        }
    }

    /// Corrects parameters of the runs that a selector names: a value replaces that of the run, `None` takes the
    /// correction back. The file is written anew, as a whole.
    ///
    /// # Errors
    /// When an edit has the name of a field that the source determines, the selector names no run, none of the runs has
    /// a correction that is to be taken back, or the file cannot be read or written.
    pub fn set_params(
        &self,
        selector: &str,
        edits: &BTreeMap<String, Option<ParamValue>>,
    ) -> Result<Vec<CorrectedRun>, Error> {
        let sets = |(name, value): &(&String, &Option<ParamValue>)| {
            value.is_some() && select::is_determined(name)
        };
        if let Some((name, _)) = edits.iter().find(sets) {
            return Err(Error::Determined { name: name.clone() });
        }
        let notes = Notes::of(self.path());
        // Held until the new file is there: edits at the same time are done one after the other.
        let locked = notes.lock()?;
        let mut corrections = self.corrected_params()?;
        let (before, plain) = self.ask(&Progress::silent(), |view| {
            let entries = view.entries();
            let all: Vec<&RunEntry> = entries.iter().collect();
            let found = select::side(&all, &RunSelector(selector.to_owned()))?;
            let metas: Vec<_> = found.iter().map(|run| run.meta.clone()).collect();
            let plain = view.snapshot.runs().iter();
            let plain: BTreeMap<RunId, Arc<RunMeta>> =
                plain.map(|run| (run.meta.id, run.meta.clone())).collect();
            Ok((metas, plain))
        })?;
        corrections.0.retain(|id, _| plain.contains_key(id));
        let is_corrected = |key: &String| {
            let mut own = before.iter().filter_map(|meta| corrections.0.get(&meta.id));
            own.any(|own| own.contains_key(key))
        };
        let mut forgotten = edits.iter().filter(|(_, value)| value.is_none());
        if let Some((name, _)) = forgotten.find(|(key, _)| !is_corrected(key)) {
            return Err(Error::NotCorrected { name: name.clone() });
        }
        let mut corrected = Vec::new();
        for meta in before {
            let own = corrections.0.entry(meta.id).or_default();
            for (key, value) in edits {
                match value {
                    Some(value) => drop(own.insert(key.clone(), value.clone())),
                    None => drop(own.remove(key)),
                }
            }
            let Some(mut after) = plain.get(&meta.id).cloned() else {
                continue;
            };
            corrections.apply(&mut after);
            let value = |of: &RunMeta, key: &String| of.params.get(key).cloned();
            let pair = |key: &String| [value(&meta, key), value(&after, key)];
            let named = edits.keys().map(|key| (key.clone(), pair(key)));
            corrected.push(CorrectedRun {
                run: meta.id,
                changes: named.collect(),
                params: after.params.clone(),
                name: meta.name.clone(),
            });
        }
        corrections.0.retain(|_, own| !own.is_empty());
        locked.write(NAME, &to_toml(&corrections))?;
        Ok(corrected)
    }
}

fn parse(text: &str, path: &Path) -> Result<CorrectedParams, Error> {
    let fault = |at: usize, reason: String| Error::in_note(text, at, &reason, path);
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        fault(at, error.message().replace('\n', ", "))
    })?;
    let mut found = BTreeMap::new();
    for (key, value) in table.get_ref() {
        let name = key.get_ref().as_ref();
        let id: RunId = name
            .parse()
            .map_err(|_| fault(key.span().start, format!("`{name}` is not the id of a run")))?;
        let DeValue::Table(fields) = value.get_ref() else {
            let reason = format!("write `[{name}]` above the parameters of the run");
            return Err(fault(value.span().start, reason));
        };
        let own: &mut BTreeMap<String, ParamValue> = found.entry(id).or_default();
        for (key, value) in fields {
            let name = key.get_ref().as_ref();
            let read = match value.get_ref() {
                DeValue::String(text) => Some(ParamValue::Text(text.clone().into_owned())),
                DeValue::Boolean(value) => Some(ParamValue::Boolean(*value)),
                DeValue::Integer(number) => number.as_str().parse().ok().map(ParamValue::Number),
                DeValue::Float(number) => number.as_str().parse().ok().map(ParamValue::Number),
                _ => None,
            };
            let is_number = |value: &ParamValue| match value {
                ParamValue::Number(number) => number.is_finite(),
                _ => true,
            };
            let read = read.filter(is_number).ok_or_else(|| {
                let reason = format!("`{name}` is a text, a number, `true` or `false`");
                fault(value.span().start, reason)
            })?;
            own.insert(name.to_owned(), read);
        }
    }
    Ok(CorrectedParams(found))
}

fn to_toml(corrections: &CorrectedParams) -> String {
    let mut text = HEAD.to_owned();
    for (id, own) in &corrections.0 {
        // Writing to a string does not fail.
        let _ = writeln!(text, "\n[{id}]");
        for (key, value) in own {
            let value = match value {
                ParamValue::Number(_) | ParamValue::Boolean(_) => value.to_string(),
                ParamValue::Text(_) | ParamValue::Time(_) => {
                    crate::import::quoted(&value.to_string())
                }
            };
            let _ = writeln!(text, "{} = {value}", crate::import::quoted(key));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let params = [
            ("threads", ParamValue::Number(8.0)),
            ("rate", ParamValue::Number(-2.5)),
            ("huge", ParamValue::Number(1e300)),
            ("is \"quoted\" = 'yes'", ParamValue::Boolean(true)),
            (
                "machine",
                ParamValue::Text("it's \"n1\" \\ \n\u{7}".to_owned()),
            ),
        ];
        let params = params.map(|(key, value)| (key.to_owned(), value));
        let corrections = CorrectedParams(BTreeMap::from([
            (RunId([7; 16]), params.into_iter().collect()),
            (
                RunId([0xab; 16]),
                BTreeMap::from([("a".to_owned(), ParamValue::infer("1.20"))]),
            ),
        ]));
        assert_eq!(
            parse(&to_toml(&corrections), Path::new("p")).unwrap(),
            corrections
        );
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let id = "07".repeat(16);
        for (text, expected) in [
            (
                "[sort]\nthreads = 8\n".to_owned(),
                "`sort` is not the id of a run at line 1, column 2",
            ),
            (
                format!("[{id}]\nthreads = [8]\n"),
                "`threads` is a text, a number, `true` or `false` at line 2, column 11",
            ),
            (
                format!("{id} = 3\n"),
                "write `[07070707070707070707070707070707]` above the parameters of the run at line 1, column 36",
            ),
        ] {
            let reason = parse(&text, Path::new("p")).unwrap_err().reason_alone();
            let cure = "; mend the line, or remove the file";
            assert_eq!(reason, format!("{expected}{cure}"));
        }
    }
}
