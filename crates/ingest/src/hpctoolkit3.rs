//! HPCToolkit databases of versions 2 and 3: `experiment.xml` with the call tree, and one
//! `*.metric-db` per rank and thread with a value per node and metric.

mod experiment;
mod metric_db;
mod values;
mod xml;

use sheaf_model::Cancelled;

use crate::hpctoolkit::folders::{self, Database, Member};
use crate::profile::Profile;
use crate::program_name::{folder_name, unnamed};
use crate::reader::{Context, ReadOutcome, Reader, Reads};
use crate::{Error, Format};
use experiment::Experiment;
use metric_db::Rank;

pub(crate) const READER: Reader = Reader {
    format: FORMAT,
    recognises: |start| is_experiment(start) || start.starts_with(metric_db::MAGIC),
    reads: Reads::Database(read_hpctoolkit3),
};

const FORMAT: Format = Format::HpcToolkit3;

/// The name that hpcprof gives the member with the tree.
const EXPERIMENT: &str = "experiment.xml";

fn read_hpctoolkit3(inputs: &[Member<'_>], context: Context<'_>) -> Result<ReadOutcome, Cancelled> {
    folders::read(FORMAT, inputs, context, read_database)
}

/// Whether a document's type or root element is HPCToolkit's, after what XML allows before it.
fn is_experiment(start: &[u8]) -> bool {
    let mut rest = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = if rest.starts_with(b"<?") {
            b"?>"
        } else if rest.starts_with(b"<!--") {
            b"-->"
        } else {
            break;
        };
        match memchr::memmem::find(rest, end) {
            Some(at) => rest = rest.get(at + end.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    let rest = match rest.strip_prefix(b"<!DOCTYPE") {
        Some(name) => name.trim_ascii_start(),
        None => rest.strip_prefix(b"<").unwrap_or_default(),
    };
    rest.strip_prefix(b"HPCToolkitExperiment")
        .is_some_and(|after| !after.first().is_some_and(u8::is_ascii_alphanumeric))
}

fn read_database(members: &[Member<'_>], context: Context<'_>) -> Result<Database, Error> {
    let mut trees = Vec::new();
    let mut tables = Vec::new();
    for (at, input) in members {
        if input.start()?.starts_with(metric_db::MAGIC) {
            tables.push((*at, *input));
        } else {
            trees.push((*at, *input));
        }
    }
    let mut database = Database::default();
    let Some(((tree_at, tree), others)) = trees.split_first() else {
        return Err(missing(EXPERIMENT));
    };
    for (at, input) in others {
        let reason = format!("`{}` is in the same folder", tree.file_name());
        let error = Error::malformed(FORMAT, format!("`{}`", input.file_name()), reason);
        database.refused.push((*at, error));
    }
    let mut profile = Profile::new(unnamed(folder_name(tree.name), FORMAT));
    let mut experiment = match Experiment::read(tree, context, &mut profile) {
        Ok(experiment) => experiment,
        Err(error @ Error::Cancelled(_)) => return Err(error),
        Err(error) => {
            let refused = folders::refuse(FORMAT, members, Some(*tree_at), error);
            database.refused = refused;
            return Ok(database);
        }
    };
    if experiment.columns.is_empty() {
        for (at, input) in tables {
            let reason = "the experiment names no metrics of such files";
            let error = Error::malformed(FORMAT, format!("`{}`", input.file_name()), reason);
            database.refused.push((at, error));
        }
        values::add_summaries(&mut profile, &mut experiment);
    } else {
        let ranks = rank_files(&tables, &mut database, &mut experiment);
        values::add(
            &mut profile,
            &mut experiment,
            &ranks,
            context,
            &mut database.refused,
        )?;
        if database.refused.len() >= others.len() + tables.len() {
            database.refused.push((*tree_at, missing("*.metric-db")));
            return Ok(database);
        }
    }
    let mut report = experiment.finish(&mut profile);
    let tables = profile.finish(&mut report)?;
    database.run = Some((tables, report));
    Ok(database)
}

/// The files with values whose names state a rank and a thread, in that order.
fn rank_files<'a>(
    tables: &[Member<'a>],
    database: &mut Database,
    experiment: &mut Experiment,
) -> Vec<(Rank, Member<'a>)> {
    let mut ranks: Vec<(Rank, Member<'a>)> = Vec::new();
    for (at, input) in tables {
        let name = input.file_name();
        let fault = match Rank::of_name(name) {
            Some(_)
                if ranks
                    .iter()
                    .any(|(_, (_, other))| other.file_name() == name) =>
            {
                "a file of this name is in the same folder"
            }
            Some(rank) => {
                if ranks.iter().any(|(other, _)| *other == rank) {
                    let first = || Some(name.to_owned());
                    let kind = "repaired_files_of_one_thread";
                    experiment.report.add(kind, 1, first);
                }
                ranks.push((rank, (*at, *input)));
                continue;
            }
            None => "the name does not contain rank and thread; keep the one that hpcprof gave",
        };
        let error = Error::malformed(FORMAT, format!("`{name}`"), fault);
        database.refused.push((*at, error));
    }
    ranks.sort_by_key(|(rank, (at, input))| (*rank, input.name, *at));
    ranks
}

fn missing(member: &str) -> Error {
    Error::MissingMember {
        format: FORMAT,
        member: member.to_owned(),
    }
}
