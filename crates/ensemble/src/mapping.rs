//! `notes/mapping.toml` of a store: which definitions of different versions are the same.

mod check;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use sheaf_answers::{MappedPair, Note, RenameFact};
use sheaf_compare::diff;
use sheaf_model::{Progress, RunSummary};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::cache::Tables;
use crate::notes::Notes;
use crate::{Ensemble, Error, View};
use sheaf_analysis::did_you_mean;

/// The note that is a store's mapping.
pub(crate) const NAME: &str = "mapping.toml";

const HEAD: &str = "\
# Definitions of different versions: `grainsheaf match` writes this file, and people may. `same` are compared as one
# in every diff, `different` never. Names are those that `grainsheaf diff` prints; `note` is for people.
";

/// A change of a store's mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MappingEdit {
    /// Two definitions are the same.
    Same(String, String),
    /// Two definitions are not.
    Different(String, String),
    /// No statement about them is left.
    Forget(String, String),
    /// The entry of a pair is as it was, with its remark.
    Restore(MappedPair),
}

/// A mapping after its change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedMapping {
    /// Pairs of the mapping after the change.
    pub entries: Vec<MappedPair>,
    /// Edits that take the change back, in their order.
    pub undo: Vec<MappingEdit>,
}

impl Ensemble {
    /// What the store's mapping says; nothing when there is none.
    ///
    /// # Errors
    /// When it cannot be read or understood; the message names the line.
    pub fn mapping(&self) -> Result<Vec<MappedPair>, Error> {
        let notes = Notes::of(self.path());
        match notes.read(NAME)? {
            Some(text) => parse(&text, &notes.path(NAME)),
            None => Ok(Vec::new()),
        }
    }

    /// Changes the store's mapping; returns what it says then, and what takes the change back. A pair has one entry,
    /// whichever of the two is named first. The file is written anew, as a whole; what people wrote as comments is lost.
    ///
    /// # Errors
    /// When an edit names a definition that no run has, contradicts a statement, or has nothing to forget; when
    /// the file cannot be read or written.
    pub fn edit_mapping(&self, edits: &[MappingEdit]) -> Result<EditedMapping, Error> {
        let runs = self.ask(&Progress::silent(), |view| {
            let entries = view.entries();
            view.summaries(&entries.iter().collect::<Vec<_>>(), Tables::Totals)
        })?;
        let notes = Notes::of(self.path());
        // Held until the new mapping is there: edits at the same time are done one after the other.
        let locked = notes.lock()?;
        let mut entries = self.mapping()?;
        let known = definition_names(&runs);
        let mut new: Vec<(String, String)> = Vec::new();
        let mut undo: Vec<MappingEdit> = Vec::new();
        for edit in edits {
            let (a, b, is_same, restored) = match edit {
                MappingEdit::Same(a, b) => (a, b, Some(true), None),
                MappingEdit::Different(a, b) => (a, b, Some(false), None),
                MappingEdit::Forget(a, b) => (a, b, None, None),
                MappingEdit::Restore(entry) => {
                    (&entry.a, &entry.b, Some(entry.same), entry.note.clone())
                }
            };
            let is_pair =
                |entry: &MappedPair| [(&entry.a, &entry.b), (&entry.b, &entry.a)].contains(&(a, b));
            let before = entries.iter().find(|entry| is_pair(entry)).cloned();
            if is_same.is_none() && before.is_none() {
                return Err(Error::NotMapped {
                    a: a.clone(),
                    b: b.clone(),
                });
            }
            entries.retain(|entry| !is_pair(entry));
            let note = before.as_ref().and_then(|entry| entry.note.clone());
            undo.push(before.map_or_else(
                || MappingEdit::Forget(a.clone(), b.clone()),
                MappingEdit::Restore,
            ));
            let Some(is_same) = is_same else {
                continue;
            };
            for name in [a, b] {
                if !known.contains(name) {
                    let nearest = did_you_mean(name, known.iter().map(String::as_str));
                    return Err(Error::UnknownDefinition {
                        name: name.clone(),
                        nearest,
                    });
                }
            }
            new.push((a.clone(), b.clone()));
            entries.push(MappedPair {
                a: a.clone(),
                b: b.clone(),
                same: is_same,
                note: restored.or(note),
            });
        }
        let is_new = |at: usize| {
            let entry = &entries[at];
            new.iter().any(|(a, b)| *a == entry.a && *b == entry.b)
        };
        let refused = check::faults(&entries, &runs)
            .into_iter()
            .find(|fault| fault.is_contradiction && fault.entries.iter().any(|&at| is_new(at)));
        if let Some(fault) = refused {
            return Err(Error::Contradiction {
                reason: fault.refusal(&entries, is_new, &runs),
            });
        }
        locked.write(NAME, &to_toml(&entries))?;
        undo.reverse();
        Ok(EditedMapping { entries, undo })
    }

    /// The mapping as diffs take it.
    pub(crate) fn diff_mapping(&self) -> Result<diff::Mapping, Error> {
        let entry = |entry: MappedPair| diff::Correspondence {
            a: entry.a,
            b: entry.b,
            is_same: entry.same,
        };
        let entries = self.mapping()?.into_iter().map(entry).collect();
        Ok(diff::Mapping { entries })
    }
}

impl View<'_> {
    /// What the mapping says that has no effect on any comparison of the store's runs, or that cannot all hold;
    /// each says what to do.
    ///
    /// # Errors
    /// As for [`Ensemble::mapping`].
    pub fn mapping_notes(&self) -> Result<Vec<Note>, Error> {
        let entries = self.ensemble.mapping()?;
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let faults = check::faults(&entries, &self.all_summaries()?);
        let notes = faults.iter().map(|fault| fault.note(&entries, false));
        Ok(notes.collect())
    }

    /// What it says that matters to a comparison of two sides, whose definitions are given: what contradicts itself,
    /// what no run has, and what has no effect here because a definition is on both sides.
    pub(crate) fn mapping_notes_of(
        &self,
        sides: [&[Arc<RunSummary>]; 2],
    ) -> Result<Vec<Note>, Error> {
        let entries = self.ensemble.mapping()?;
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let names = sides.map(definition_names);
        let is_on = |name: &String| [0, 1].map(|side: usize| names[side].contains(name));
        let mut notes = Vec::new();
        for entry in &entries {
            let (a, b) = (is_on(&entry.a), is_on(&entry.b));
            let is_across = (a[0] && b[1]) || (a[1] && b[0]);
            let both = [(&entry.a, a), (&entry.b, b)];
            let mut itself = both.iter().filter(|(_, sides)| *sides == [true, true]);
            if let Some((name, _)) = itself.next().filter(|_| is_across) {
                let unused = RenameFact::StatementUnused {
                    stated: check::stated(entry),
                    name: (*name).clone(),
                };
                notes.push(unused.into());
            }
        }
        // Only what concerns these runs, or none at all.
        let concerns = |fault: &check::EntryFault| {
            let of = fault.entries.iter().filter_map(|&at| entries.get(at));
            let mut names = of.flat_map(|entry| [&entry.a, &entry.b]);
            fault.is_contradiction && names.all(|name| is_on(name) != [false, false])
        };
        let unknown = entries
            .iter()
            .flat_map(|entry| [&entry.a, &entry.b])
            .any(|name| is_on(name) == [false, false]);
        let runs = if unknown {
            self.all_summaries()?
        } else {
            sides.concat()
        };
        let all = definition_names(&runs);
        for fault in check::faults(&entries, &runs) {
            let of = fault.entries.iter().filter_map(|&at| entries.get(at));
            let is_nowhere = of
                .flat_map(|entry| [&entry.a, &entry.b])
                .any(|name| !all.contains(name));
            if concerns(&fault) || is_nowhere {
                notes.push(fault.note(&entries, true));
            }
        }
        Ok(notes)
    }

    pub(crate) fn all_summaries(&self) -> Result<Vec<Arc<RunSummary>>, Error> {
        let entries = self.entries();
        self.summaries(&entries.iter().collect::<Vec<_>>(), Tables::Totals)
    }
}

/// Names and ids of the definitions of runs.
fn definition_names(runs: &[Arc<RunSummary>]) -> BTreeSet<String> {
    let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
    let mut names = BTreeSet::new();
    for run in runs {
        if seen.insert(run.definitions.id.value_data()) {
            for definition in run.definitions.rows() {
                names.insert(definition.name);
                names.insert(sheaf_model::DefinitionId(definition.id).to_string());
            }
        }
    }
    names
}

/// What is wrong, and at which byte.
struct SyntaxFault {
    at: usize,
    reason: String,
}

fn parse(text: &str, path: &Path) -> Result<Vec<MappedPair>, Error> {
    document(text).map_err(|fault| Error::in_note(text, fault.at, &fault.reason, path))
}

/// Entries in the order in which they stand.
fn document(text: &str) -> Result<Vec<MappedPair>, SyntaxFault> {
    let table = DeTable::parse(text).map_err(|error| SyntaxFault {
        at: error.span().map_or(0, |span| span.start),
        reason: error.message().replace('\n', ", "),
    })?;
    let mut found: Vec<(usize, MappedPair)> = Vec::new();
    for (key, value) in table.get_ref() {
        let is_same = match key.get_ref().as_ref() {
            "same" => true,
            "different" => false,
            name => return Err(unknown(key, name, &["same", "different"])),
        };
        let sections = || {
            at(
                value,
                format!("write `[[{}]]` above each pair", key.get_ref()),
            )
        };
        let DeValue::Array(pairs) = value.get_ref() else {
            return Err(sections());
        };
        for pair in pairs {
            let DeValue::Table(fields) = pair.get_ref() else {
                return Err(sections());
            };
            found.push((pair.span().start, entry(pair, fields, is_same)?));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    Ok(found.into_iter().map(|(_, entry)| entry).collect())
}

fn entry(
    pair: &Spanned<DeValue<'_>>,
    fields: &DeTable<'_>,
    is_same: bool,
) -> Result<MappedPair, SyntaxFault> {
    let (mut a, mut b, mut note) = (None, None, None);
    for (key, value) in fields {
        let name = key.get_ref().as_ref();
        let field = match name {
            "a" => &mut a,
            "b" => &mut b,
            "note" => &mut note,
            name => return Err(unknown(key, name, &["a", "b", "note"])),
        };
        let DeValue::String(text) = value.get_ref() else {
            return Err(at(value, format!("`{name}` is a text: write it in quotes")));
        };
        *field = Some(text.clone().into_owned());
    }
    let missing = |name| {
        at(
            pair,
            format!("the pair has no `{name}`: add the name of a definition"),
        )
    };
    Ok(MappedPair {
        a: a.ok_or_else(|| missing("a"))?,
        b: b.ok_or_else(|| missing("b"))?,
        same: is_same,
        note,
    })
}

fn unknown<T>(key: &Spanned<T>, name: &str, known: &[&str]) -> SyntaxFault {
    let known = known
        .iter()
        .map(|known| format!("`{known}`"))
        .collect::<Vec<_>>()
        .join(", ");
    at(key, format!("unknown key `{name}`; known are {known}"))
}

fn at<T>(value: &Spanned<T>, reason: String) -> SyntaxFault {
    SyntaxFault {
        at: value.span().start,
        reason,
    }
}

fn to_toml(entries: &[MappedPair]) -> String {
    let mut text = HEAD.to_owned();
    for entry in entries {
        let section = if entry.same { "same" } else { "different" };
        // Writing to a string does not fail.
        let _ = writeln!(text, "\n[[{section}]]");
        let note = entry.note.as_ref();
        for (key, value) in [("a", Some(&entry.a)), ("b", Some(&entry.b)), ("note", note)] {
            if let Some(value) = value {
                let _ = writeln!(text, "{key} = {}", crate::import::quoted(value));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURE: &str = "; mend the line, or remove the file";

    fn check(text: &str, expected: &str) {
        let found = match parse(text, Path::new("mapping.toml")) {
            Ok(entries) => {
                let sign = |entry: &MappedPair| if entry.same { "=" } else { "!=" };
                let line = |entry: &MappedPair| format!("{} {} {}", entry.a, sign(entry), entry.b);
                entries.iter().map(line).collect::<Vec<_>>().join("; ")
            }
            Err(error) => error.reason_alone(),
        };
        assert_eq!(found.trim_end_matches(CURE), expected);
    }

    #[test]
    fn pairs_stand_in_the_order_of_the_file() {
        check("", "");
        check(
            "[[same]]\na = 'f (task)'\nb = 'g'\n[[different]]\na='x'\nb='y'\nnote='z'\n[[same]]\na='k'\nb='l'\n",
            "f (task) = g; x != y; k = l",
        );
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        check(
            "[[same]]\na = 'f'\n",
            "the pair has no `b`: add the name of a definition at line 1, column 1",
        );
        check(
            "[[sme]]\na = 'f'\n",
            "unknown key `sme`; known are `same`, `different` at line 1, column 3",
        );
        check(
            "[[same]]\na = 3\nb = 'x'\n",
            "`a` is a text: write it in quotes at line 2, column 5",
        );
        check(
            "same = 'f'\n",
            "write `[[same]]` above each pair at line 1, column 8",
        );
    }

    #[test]
    fn what_is_written_is_read_back() {
        let entry = |a: &str, is_same, note: Option<&str>| MappedPair {
            a: a.to_owned(),
            b: "it's \"quoted\" \\ \n\u{7}".to_owned(),
            same: is_same,
            note: note.map(str::to_owned),
        };
        let entries = vec![
            entry("f", true, None),
            entry("g (task)", false, Some("why")),
        ];
        assert_eq!(parse(&to_toml(&entries), Path::new("m")).unwrap(), entries);
    }
}
