//! The source file of a group, with values per line.

use sheaf_analysis::SourceQuestion;
use sheaf_answers::{Note, Source, SourceFact, SourceState};
use sheaf_model::{Compare, Lens, instant};

use crate::questions::with_main_metric;
use crate::runs::RunEntry;
use crate::source_files::{NoSource, SourceFolders, SourceText};
use crate::{Error, View, complete, select};

impl View<'_> {
    /// The file of a group, with `around` lines before and after it, and the values of all its definitions. `state`
    /// states why the text is not shown.
    ///
    /// # Errors
    /// As for [`View::hierarchy`].
    pub fn source(
        &self,
        lens: &Lens,
        group: &str,
        around: usize,
        folders: &SourceFolders,
    ) -> Result<Source, Error> {
        let entries = self.entries();
        let chosen = complete::describing(lens, &entries)?;
        let selected = chosen.runs.as_slice();
        let mut question = SourceQuestion {
            group: group.to_owned(),
            ..SourceQuestion::default()
        };
        if let Compare::Diff { a, b } = &lens.compare {
            let ids = |runs: Vec<&RunEntry>| runs.iter().map(|run| run.meta.id).collect();
            question.a = ids(select::side(selected, a)?);
            question.b = ids(select::side(selected, b)?);
        }
        let runs = self.summaries_for(lens, selected)?;
        let lens = &with_main_metric(lens, &runs);
        let mut answer = sheaf_analysis::source(lens, &question, &runs, &self.progress)?;
        answer.notes.splice(0..0, chosen.note(None));
        let ids = selected.iter().map(|run| run.meta.id);
        let times = selected.first().map(|run| run.batches.times(ids));
        let newest = times.and_then(|times| times.into_values().max());
        match answer.file.clone() {
            None => {
                answer.state = SourceState::Unnamed;
                let name = &answer.name;
                answer.reason = Some(format!("the recording has no source file of `{name}`"));
            }
            Some(file) => match folders.read(&file) {
                Ok(text) => add_text(&mut answer, around, text, newest),
                Err(why) => (answer.state, answer.reason) = state_of(&why),
            },
        }
        Ok(answer)
    }
}

/// Adds the lines around the definition. `newest` is when the newest run was imported.
fn add_text(answer: &mut Source, around: usize, text: SourceText, newest: Option<i64>) {
    let count = text.lines.len();
    let line = answer.line.and_then(|line| usize::try_from(line).ok());
    let middle = line.unwrap_or(1).saturating_sub(1).min(count);
    let first = middle.saturating_sub(around);
    let last = middle.saturating_add(around).saturating_add(1).min(count);
    let change = change_of(answer, &text, newest);
    answer.is_changed = change.is_some();
    answer.notes.extend(change.map(Note::from));
    answer.state = SourceState::Shown;
    answer.first_line = u32::try_from(first + 1).unwrap_or(u32::MAX);
    answer.num_lines = count as u64;
    answer.lines = text.lines[first..last].to_vec();
    answer.path = Some(text.path);
}

/// Why the file seems to be another version than the recorded one.
fn change_of(answer: &Source, text: &SourceText, newest: Option<i64>) -> Option<SourceFact> {
    let path = &text.path;
    let count = text.lines.len();
    let line = answer.line.and_then(|line| usize::try_from(line).ok());
    if let Some(line) = line.filter(|&line| line > count) {
        return Some(SourceFact::LineBeyondFile {
            path: path.clone(),
            lines: count as u64,
            line: line as u64,
        });
    }
    let function = answer.function.as_deref().and_then(identifier);
    if let Some(function) = function
        && !text.lines.iter().any(|line| line.contains(function))
    {
        return Some(SourceFact::FunctionNotInFile {
            path: path.clone(),
            function: function.to_owned(),
        });
    }
    match (text.modified_ns, newest) {
        (Some(modified), Some(newest)) if modified > newest => {
            Some(SourceFact::ChangedAfterImport {
                path: path.clone(),
                changed: instant::rfc3339_seconds(modified),
                imported: instant::rfc3339_seconds(newest),
            })
        }
        _ => None,
    }
}

/// The last name of a function, without scopes, arguments of templates and parameters; nothing if it is an operator or
/// has no name.
fn identifier(function: &str) -> Option<&str> {
    let end = function.find(['<', '(', '[']).unwrap_or(function.len());
    let name = function[..end].trim().rsplit([':', ' ', '.']).next()?;
    let is_letter = |c: char| c == '_' || c.is_alphanumeric();
    (!name.is_empty() && name.chars().all(is_letter) && name != "operator").then_some(name)
}

fn state_of(why: &NoSource) -> (SourceState, Option<String>) {
    let (state, reason) = match why {
        NoSource::NoFolder => (
            SourceState::NotServed,
            "the service shows no source files; start it with `serve --source DIR`".to_owned(),
        ),
        NoSource::NotFound => (
            SourceState::NotFound,
            "no folder of `--source` has the file; links are not followed".to_owned(),
        ),
        NoSource::TooLarge => (
            SourceState::TooLarge,
            "the file has more than 4 MiB".to_owned(),
        ),
        NoSource::NotText => (
            SourceState::NotText,
            "the file is binary: it has NUL bytes".to_owned(),
        ),
        NoSource::Failed(reason) => (
            SourceState::Unreadable,
            format!("the file cannot be read: {reason}"),
        ),
    };
    (state, Some(reason))
}

#[cfg(test)]
mod tests {
    use super::identifier;

    #[test]
    fn functions_have_a_name_without_their_scope() {
        for (function, expected) in [
            ("sort_block", Some("sort_block")),
            ("std::vector<a::b>::push_back(int)", Some("vector")),
            ("void ns::work(int, char)", Some("work")),
            ("module.Class.method", Some("method")),
            ("operator()(int)", None),
            ("<lambda>", None),
            ("", None),
        ] {
            assert_eq!(identifier(function), expected, "{function}");
        }
    }
}
