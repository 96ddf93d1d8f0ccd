//! Databases among inputs: files that lie in one folder.

use std::collections::BTreeMap;

use rayon::prelude::*;
use sheaf_model::{Cancelled, Report, RunTables};

use crate::reader::{Context, ReadOutcome, Run, finish};
use crate::{Error, Format, Input};

/// What one database became: its run, if it can be read, and the members that are not in it.
#[derive(Default)]
pub(crate) struct Database {
    pub(crate) run: Option<(RunTables, Report)>,
    pub(crate) refused: Vec<(usize, Error)>,
}

/// An input with its position among all inputs.
pub(crate) type Member<'a> = (usize, Input<'a>);

/// Reads one database: the inputs of one folder, in order of their names.
pub(crate) type ReadDatabase = fn(&[Member<'_>], Context<'_>) -> Result<Database, Error>;

/// Reads every database among `inputs`, each in a folder of its own, as
/// [`Format::database_folder`] states.
pub(crate) fn read(
    format: Format,
    inputs: &[Member<'_>],
    context: Context<'_>,
    read: ReadDatabase,
) -> Result<ReadOutcome, Cancelled> {
    let mut folders: BTreeMap<&str, Vec<Member<'_>>> = BTreeMap::new();
    for member in inputs {
        let folder = format.database_folder(folder(member.1.name));
        folders.entry(folder).or_default().push(*member);
    }
    let databases: Vec<_> = folders
        .into_values()
        .par_bridge()
        .map(|mut members| {
            members.sort_by_key(|(at, input)| (input.name, *at));
            let database = read(&members, context);
            (members, database)
        })
        .collect();
    let mut reading = ReadOutcome::default();
    for (members, database) in databases {
        match database {
            Ok(database) => add(&mut reading, format, &members, database),
            Err(Error::Cancelled(cancelled)) => return Err(cancelled),
            Err(error) => reading
                .refused
                .extend(refuse(format, &members, None, error)),
        }
    }
    reading.runs.sort_by(|a, b| a.inputs.cmp(&b.inputs));
    reading.refused.sort_by_key(|(at, _)| *at);
    Ok(reading)
}

/// The part of a name before the file's.
fn folder(name: &str) -> &str {
    name.rfind(['/', '\\'])
        .and_then(|end| name.get(..end))
        .unwrap_or("")
}

fn add(reading: &mut ReadOutcome, format: Format, members: &[Member<'_>], database: Database) {
    let refused: Vec<usize> = database.refused.iter().map(|(at, _)| *at).collect();
    let rest: Vec<Member<'_>> = members
        .iter()
        .filter(|(at, _)| !refused.contains(at))
        .copied()
        .collect();
    reading.refused.extend(database.refused);
    let finished = database
        .run
        .map(|(tables, report)| Ok((finish(tables, format)?, report)));
    match finished {
        Some(Ok((tables, report))) => {
            let mut inputs: Vec<usize> = rest.iter().map(|(at, _)| *at).collect();
            inputs.sort_unstable();
            reading.runs.push(Run {
                format,
                inputs,
                tables,
                report,
            });
        }
        Some(Err(error)) => reading.refused.extend(refuse(format, &rest, None, error)),
        None => reading
            .refused
            .extend(refuse(format, &rest, None, Error::Empty { format })),
    }
}

/// Refuses all `members`: the one at fault, or the first, with the reason, the others because
/// of it.
pub(crate) fn refuse(
    format: Format,
    members: &[Member<'_>],
    at_fault: Option<usize>,
    error: Error,
) -> Vec<(usize, Error)> {
    let is_member = |at: usize| members.iter().any(|(member, _)| *member == at);
    let at_fault = at_fault
        .filter(|at| is_member(*at))
        .or_else(|| members.first().map(|(at, _)| *at));
    let reason = match (&error, members.iter().find(|(at, _)| Some(*at) == at_fault)) {
        (Error::Malformed { .. }, Some((_, input))) => {
            format!("`{}` of the same database is not usable", input.file_name())
        }
        _ => error.to_string(),
    };
    let mut refused: Vec<(usize, Error)> = members
        .iter()
        .filter(|(at, _)| Some(*at) != at_fault)
        .map(|(at, input)| {
            let error = match &error {
                Error::MissingMember { format, member } => Error::MissingMember {
                    format: *format,
                    member: member.clone(),
                },
                _ => Error::malformed(format, format!("`{}`", input.file_name()), &*reason),
            };
            (*at, error)
        })
        .collect();
    refused.extend(at_fault.map(|at| (at, error)));
    refused
}

#[cfg(test)]
mod tests {
    use super::folder;

    #[test]
    fn folders_are_what_stands_before_the_last_separator() {
        let names = ["a/b/meta.db", "meta.db", "/meta.db", "a\\meta.db", "ü/é"];
        assert_eq!(names.map(folder), ["a/b", "", "", "a", "ü"]);
    }
}
