//! Removing runs, with a tombstone for each copy of a run that a segment holds, and bringing them back.

use serde::Serialize;
use sheaf_model::RunId;

use crate::layout::{Layout, Tombstone};
use crate::lease::{Lease, TOMBSTONE};
use crate::listing::{self, Listing};
use crate::log::{self, Changes, Entries};
use crate::{Error, Store, disk};

/// What a removal did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Removal {
    /// Runs that are gone now.
    pub removed: Vec<RunId>,
    /// Runs that were not there.
    pub unknown: Vec<RunId>,
}

/// The content of a tombstone: what its name states.
#[derive(Serialize)]
struct TombstoneFile {
    run: String,
    segment: String,
}

/// Writes tombstones. A tombstone means one segment's copy, so that a later import of the same
/// run is visible; the lease keeps compaction from moving the copy meanwhile.
pub(crate) fn remove(store: &Store, runs: &[RunId]) -> Result<Removal, Error> {
    let layout = store.layout();
    let lease = Lease::await_maintenance(layout)?;
    store.ensure_log(&lease)?;
    let snapshot = store.snapshot()?;
    let mut removal = Removal::default();
    let mut tombstones = Vec::new();
    for run in runs {
        if snapshot.run(*run).is_none() {
            removal.unknown.push(*run);
            continue;
        }
        for segment in snapshot.segments() {
            let holds = segment
                .runs()
                .binary_search_by(|(meta, _)| meta.id.cmp(run))
                .is_ok();
            if holds {
                let tombstone = (*run, segment.name().to_owned());
                bury(layout, &lease, &tombstone)?;
                tombstones.push(tombstone);
            }
        }
        removal.removed.push(*run);
    }
    if !tombstones.is_empty() {
        disk::sync_folder(&layout.tombstones())?;
        let mut changes = Changes::default();
        changes.bury(tombstones);
        log::append(layout, &lease, &changes)?;
    }
    Ok(removal)
}

/// Takes back the removal of runs whose rows are still in a segment, all or none. The files of the tombstones stay until
/// compaction, and hide nothing.
pub(crate) fn restore(store: &Store, runs: &[RunId]) -> Result<(), Error> {
    let layout = store.layout();
    let lease = Lease::await_maintenance(layout)?;
    store.ensure_log(&lease)?;
    let listing = Listing::read(layout)?;
    let live = listing::live(layout, &listing, &mut Entries::new())?.unwrap_or_default();
    let mut expired = Vec::new();
    for run in runs {
        let before = expired.len();
        let holds = |(of, segment): &&Tombstone| of == run && live.segments.contains(segment);
        expired.extend(live.tombstones.iter().filter(holds).cloned());
        if expired.len() == before {
            return Err(Error::UnknownRun { run: *run });
        }
    }
    if expired.is_empty() {
        return Ok(());
    }
    let mut changes = Changes::default();
    changes.expire(expired);
    log::append(layout, &lease, &changes)
}

fn bury(layout: &Layout, lease: &Lease, tombstone: &Tombstone) -> Result<(), Error> {
    if layout.tombstone(tombstone).is_file() {
        return Ok(());
    }
    write_tombstone(layout, lease, tombstone)
}

/// Writes the file of a tombstone; one that is there is replaced.
pub(crate) fn write_tombstone(
    layout: &Layout,
    lease: &Lease,
    tombstone: &Tombstone,
) -> Result<(), Error> {
    let place = layout.tombstone(tombstone);
    let content = content(tombstone)?;
    disk::create_folders(&layout.tombstones())?;
    let aside = lease.folder().join(TOMBSTONE);
    disk::remove_file(&aside)?;
    disk::write(&aside, &content)?;
    disk::rename(&aside, &place)?;
    Ok(())
}

/// The content that the file of a tombstone has.
pub(crate) fn content((run, segment): &Tombstone) -> Result<Vec<u8>, Error> {
    let file = TombstoneFile {
        run: run.to_string(),
        segment: segment.to_owned(),
    };
    let mut content = serde_json::to_vec(&file)
        .map_err(|source| Error::internal("describe a tombstone", source))?;
    content.push(b'\n');
    Ok(content)
}
