//! Profiles of TAU: a file `profile.RANK.CONTEXT.THREAD` per thread, all of one folder one run;
//! with several metrics, a folder `MULTI__METRIC` of such files for each.

mod build;
mod file;
mod name;
#[cfg(test)]
mod tests;

use sheaf_model::{Cancelled, Report};

use crate::hpctoolkit::folders::{self, Database, Member};
use crate::reader::{Context, ReadOutcome, Reader, Reads};
use crate::{Error, Format, limits, lossy};

/// Profiles of TAU.
pub(crate) const READER: Reader = Reader {
    format: Format::Tau,
    recognises: file::is_profile,
    reads: Reads::Database(read_tau),
};

fn read_tau(inputs: &[Member<'_>], context: Context<'_>) -> Result<ReadOutcome, Cancelled> {
    folders::read(Format::Tau, inputs, context, read_database)
}

/// Reads the files of one folder; a file that is none is refused, and the run is not complete.
fn read_database(members: &[Member<'_>], context: Context<'_>) -> Result<Database, Error> {
    let mut refused = Vec::new();
    let mut contents = Vec::new();
    for (at, input) in members {
        match input.whole(Format::Tau, context.progress) {
            Ok(bytes) => match limits::check_lines(&bytes) {
                Ok(()) => contents.push((*at, input, bytes)),
                Err(error) => refused.push((*at, error)),
            },
            Err(Error::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => refused.push((*at, error)),
        }
    }
    let texts: Vec<_> = contents
        .iter()
        .map(|(at, input, bytes)| (*at, *input, lossy::decode_lines(bytes)))
        .collect();
    let mut report = Report::default();
    let mut profiles = Vec::new();
    for (at, input, (text, num_repaired)) in &texts {
        context.progress.check()?;
        let place = file::Place::of(input.file_name(), texts.len() == 1);
        let parsed = place.and_then(|place| file::Profile::parse(text, place));
        match parsed {
            Ok(profile) => {
                let name = || Some(input.file_name().to_owned());
                report.add("repaired_texts", *num_repaired, name);
                profiles.push((*at, profile));
            }
            Err(error) => refused.push((*at, error)),
        }
    }
    let Some((_, input)) = members.first() else {
        return Ok(Database::default());
    };
    let doubles = file::doubles(&profiles);
    for at in doubles {
        profiles.retain(|(position, _)| *position != at);
        let reason =
            "another file of the folder is of the same place and metric; give one run per folder";
        refused.push((at, Error::malformed(Format::Tau, "its name", reason)));
    }
    let profiles: Vec<_> = profiles.into_iter().map(|(_, profile)| profile).collect();
    let run = if profiles.is_empty() {
        None
    } else {
        Some(build::build(
            input,
            &profiles,
            !refused.is_empty(),
            report,
            context,
        )?)
    };
    Ok(Database { run, refused })
}
