//! HPCToolkit databases of version 4: `meta.db` with the tree and the metrics, `profile.db` with
//! the values of every rank and thread, and `cct.db` with the same values once more.

mod bytes;
mod cct;
mod contexts;
mod meta;
mod profiles;
mod texts;

use sheaf_model::{Cancelled, Report, RunMeta};

use crate::hpctoolkit::folders::{self, Database, Member};
use crate::profile::Profile;
use crate::program_name::{call, folder_name};
use crate::reader::{Context, ReadOutcome, Reader, Reads};
use crate::{Error, Format};
use bytes::{DatabaseFault, View};
use meta::Meta;

pub(crate) const READER: Reader = Reader {
    format: FORMAT,
    recognises: |start| {
        let kind = start.strip_prefix(bytes::MAGIC);
        kind.is_some_and(|kind| Kind::ALL.iter().any(|known| kind.starts_with(known.code())))
    },
    reads: Reads::Database(read_hpctoolkit4),
};

const FORMAT: Format = Format::HpcToolkit4;

/// What a member of a database holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Meta,
    Profile,
    Cct,
    Trace,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Meta, Self::Profile, Self::Cct, Self::Trace];

    const fn code(self) -> &'static [u8; 4] {
        match self {
            Self::Meta => b"meta",
            Self::Profile => b"prof",
            Self::Cct => b"ctxt",
            Self::Trace => b"trce",
        }
    }

    const fn file(self) -> &'static str {
        match self {
            Self::Meta => "meta.db",
            Self::Profile => "profile.db",
            Self::Cct => "cct.db",
            Self::Trace => "trace.db",
        }
    }
}

fn read_hpctoolkit4(inputs: &[Member<'_>], context: Context<'_>) -> Result<ReadOutcome, Cancelled> {
    folders::read(FORMAT, inputs, context, read_database)
}

/// The members of a database by what they hold.
#[derive(Default)]
struct Members<'a> {
    files: [Option<Member<'a>>; 4],
}

impl<'a> Members<'a> {
    /// Sorts the files of a folder; what is there twice is refused.
    fn sort(files: &[Member<'a>], refused: &mut Vec<(usize, Error)>) -> Result<Self, Error> {
        let mut members = Self::default();
        for (at, input) in files {
            let start = input.start()?;
            let code = start.get(bytes::MAGIC.len()..).unwrap_or_default();
            let kind = Kind::ALL.iter().find(|kind| code.starts_with(kind.code()));
            let slot = kind.and_then(|kind| members.files.get_mut(*kind as usize));
            match (kind, slot) {
                (_, Some(slot)) if slot.is_none() => *slot = Some((*at, *input)),
                (kind, _) => {
                    let name = kind.map_or("this", |kind| kind.file());
                    let reason = format!("the folder has another `{name}`; keep one");
                    let place = format!("`{}`", input.file_name());
                    refused.push((*at, Error::malformed(FORMAT, place, reason)));
                }
            }
        }
        Ok(members)
    }

    fn get(&self, kind: Kind) -> Option<&Member<'a>> {
        self.files.get(kind as usize).and_then(Option::as_ref)
    }

    fn all(&self) -> Vec<Member<'a>> {
        self.files.iter().flatten().copied().collect()
    }

    fn required(&self, kind: Kind) -> Result<&Member<'a>, Error> {
        self.get(kind).ok_or_else(|| Error::MissingMember {
            format: FORMAT,
            member: kind.file().to_owned(),
        })
    }
}

fn read_database(files: &[Member<'_>], context: Context<'_>) -> Result<Database, Error> {
    let mut database = Database::default();
    let members = Members::sort(files, &mut database.refused)?;
    match read_members(&members, context, &mut database.refused) {
        Ok(run) => database.run = Some(run),
        Err((_, error @ Error::Cancelled(_))) => return Err(error),
        Err((at, error)) => {
            let is_refused = |at: usize| database.refused.iter().any(|(other, _)| *other == at);
            let rest: Vec<_> = members
                .all()
                .into_iter()
                .filter(|(at, _)| !is_refused(*at))
                .collect();
            let refused = folders::refuse(FORMAT, &rest, at, error);
            database.refused.extend(refused);
        }
    }
    Ok(database)
}

/// An error, and the member that it is of where it is of one.
type MemberError = (Option<usize>, Error);

fn read_members(
    members: &Members<'_>,
    context: Context<'_>,
    refused: &mut Vec<(usize, Error)>,
) -> Result<crate::reader::Read, MemberError> {
    let of_none = |error| (None, error);
    let meta_db = members.required(Kind::Meta).map_err(of_none)?;
    let profile_db = members.required(Kind::Profile).map_err(of_none)?;
    let cct_db = members.required(Kind::Cct).map_err(of_none)?;

    let mut report = Report::default();
    let mut profile = Profile::new(RunMeta::new("", FORMAT.as_str()));
    let of = |member: &Member<'_>| {
        let at = member.0;
        move |error| (Some(at), error)
    };
    let bytes = meta_db
        .1
        .whole(FORMAT, context.progress)
        .map_err(of(meta_db))?;
    let view = View::new(&bytes, Kind::Meta);
    let mut meta = Meta::read(view, &mut profile, &mut report)
        .map_err(|fault| (Some(meta_db.0), fault.of(&meta_db.1)))?;
    drop(bytes);

    let bytes = profile_db
        .1
        .whole(FORMAT, context.progress)
        .map_err(of(profile_db))?;
    let view = View::new(&bytes, Kind::Profile);
    let mut reading = profiles::ProfileReader::new(&mut meta, &mut profile, &mut report);
    reading
        .read(view, context.progress)
        .map_err(|fault| (Some(profile_db.0), fault.of(&profile_db.1)))?;
    let held = reading.finish();
    drop(bytes);

    let bytes = cct_db
        .1
        .whole(FORMAT, context.progress)
        .map_err(of(cct_db))?;
    match cct::fingerprint(View::new(&bytes, Kind::Cct), context.progress) {
        Ok(again) if again == held => {
            report.add("read_values_equal_in_cct_db", held.count, || None);
        }
        Ok(again) => {
            let first = format!(
                "{} values in `cct.db`, {} in `profile.db`",
                again.count, held.count
            );
            report.add("skipped_cct_db_that_differs", 1, || Some(first));
        }
        Err(DatabaseFault::Cancelled(cancelled)) => return Err((None, cancelled.into())),
        Err(fault) => refused.push((cct_db.0, fault.of(&cct_db.1))),
    }
    if let Some((_, trace)) = members.get(Kind::Trace) {
        report.add("skipped_traces", 1, || Some(trace.file_name().to_owned()));
    }
    if profile.meta().program.is_empty() {
        call(profile.meta(), folder_name(meta_db.1.name));
    }
    let tables = profile.finish(&mut report).map_err(of_none)?;
    Ok((tables, report))
}
