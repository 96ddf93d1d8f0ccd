//! Removing runs: a tombstone for each copy of a run that a segment holds.

use serde::Serialize;
use sheaf_model::RunId;

use crate::layout::Layout;
use crate::lease::Lease;
use crate::{Error, Store, disk};

/// What a removal did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Removal {
    /// Runs that are gone now.
    pub removed: Vec<RunId>,
    /// Runs that were not there.
    pub unknown: Vec<RunId>,
}

#[derive(Serialize)]
struct Tombstone {
    run: String,
    segment: String,
}

/// Writes tombstones. A tombstone means one segment's copy, so that a later import of the same
/// run is visible; the lease keeps compaction from moving the copy meanwhile.
pub(crate) fn remove(store: &Store, runs: &[RunId]) -> Result<Removal, Error> {
    let layout = store.layout();
    let lease = Lease::acquire_maintenance(layout)?;
    let snapshot = store.snapshot()?;
    let mut removal = Removal::default();
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
                bury(layout, &lease, *run, segment.name())?;
            }
        }
        removal.removed.push(*run);
    }
    disk::sync_folder(&layout.tombstones())?;
    Ok(removal)
}

fn bury(layout: &Layout, lease: &Lease, run: RunId, segment: &str) -> Result<(), Error> {
    let path = layout.tombstone(run, segment);
    if path.exists() {
        return Ok(());
    }
    let tombstone = Tombstone {
        run: run.to_string(),
        segment: segment.to_owned(),
    };
    let mut content = serde_json::to_vec(&tombstone)
        .map_err(|source| Error::internal("describe a tombstone", source))?;
    content.push(b'\n');
    disk::create_folders(&layout.tombstones())?;
    let aside = lease.folder().join("tombstone.json");
    disk::write(&aside, &content)?;
    disk::rename(&aside, &path)?;
    Ok(())
}
