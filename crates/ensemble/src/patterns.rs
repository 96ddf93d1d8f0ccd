//! Lists of patterns in notes of a store: `NAME = ["one", "prefix*"]`.

use std::collections::BTreeSet;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::Error;

/// Why a text is not a pattern.
pub(crate) fn fault_of(pattern: &str) -> Option<&'static str> {
    let name = pattern.strip_suffix('*').unwrap_or(pattern);
    let is_name = !name.trim().is_empty() && !name.contains('*');
    (!is_name).then_some("write a name, or the beginning of names and `*` at its end")
}

/// The lists of a note, in the order of their keys. A list that is not there is empty.
///
/// # Errors
/// If the text is not TOML, has another key, or a pattern is malformed; the message names the line.
pub(crate) fn parse<const LISTS: usize>(
    text: &str,
    path: &Path,
    keys: [&str; LISTS],
) -> Result<[BTreeSet<String>; LISTS], Error> {
    let fault = |at: usize, reason: String| Error::in_note(text, at, &reason, path);
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        fault(at, error.message().replace('\n', ", "))
    })?;
    let mut lists = [const { BTreeSet::new() }; LISTS];
    for (key, value) in table.get_ref() {
        let name = key.get_ref().as_ref();
        let place = keys.iter().position(|key| *key == name);
        let Some(list) = place.and_then(|place| lists.get_mut(place)) else {
            let reason = format!("unknown key `{name}`; keys are {}", listed(&keys));
            return Err(fault(key.span().start, reason));
        };
        let form = || format!("write `{name} = [\"NAME\", \"PREFIX*\"]`");
        let DeValue::Array(items) = value.get_ref() else {
            return Err(fault(value.span().start, form()));
        };
        for item in items {
            let at = item.span().start;
            let DeValue::String(pattern) = item.get_ref() else {
                return Err(fault(at, form()));
            };
            if let Some(reason) = fault_of(pattern) {
                return Err(fault(at, format!("`{pattern}` is not a pattern: {reason}")));
            }
            list.insert(pattern.clone().into_owned());
        }
    }
    Ok(lists)
}

/// `a`, `b` and `c`.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}
