//! Committing a compaction, and removing what it replaced.

use std::sync::Arc;

use super::Compaction;
use crate::disk::{Owners, Place};
use crate::layout::Layout;
use crate::lease::{self, Lease};
use crate::listing::{self, Listing};
use crate::log::{self, Changes};
use crate::segment::Segment;
use crate::{Error, disk, verify};

/// Commits in one entry that the segments of `kept` take the place of `replaced`.
pub(super) fn commit(
    layout: &Layout,
    lease: &Lease,
    replaced: &[Arc<Segment>],
    mut kept: Changes,
) -> Result<(), Error> {
    lease.renew()?;
    let names = replaced.iter().map(|segment| segment.name());
    let replaced = names.filter(|name| !kept.added.contains_key(*name));
    kept.retired = replaced.map(str::to_owned).collect();
    let listing = Listing::read(layout)?;
    if let Some(state) = listing::state(layout, &listing, &mut log::Entries::new())? {
        let logged = &state.segments;
        kept.added
            .retain(|name, runs| logged.get(name) != Some(runs));
    }
    if kept.is_empty() {
        return Ok(());
    }
    log::append(layout, lease, &kept)
}

/// Removes a segment's folder that the log has retired. Returns whether it is gone; one with
/// foreign files in it stays.
pub(super) fn retire(folder: &Place, lease: &Lease, owners: &Owners) -> Result<bool, Error> {
    lease.renew()?;
    if !folder.is_folder() || !is_ours(folder, owners)? {
        return Ok(false);
    }
    let aside = lease.folder().join(&format!("retired-{}", folder.name()));
    disk::rename(folder, &aside)?;
    lease::discard_segment(&aside, owners)
}

/// Removes entries that the log lists as removed, and leftovers of dead processes.
pub(super) fn remove_replaced(
    layout: &Layout,
    lease: &Lease,
    outcome: &mut Compaction,
) -> Result<(), Error> {
    let owners = Owners::of(layout.root())?;
    for folder in retired_folders(layout)? {
        if retire(&folder, lease, &owners)? {
            outcome.removed.push(folder.path());
            outcome.retired += 1;
        }
    }
    disk::sync_folder(&layout.segments())?;
    remove_expired_tombstones(layout)?;
    let remains = lease::remains(layout)?;
    for folder in remains.leftovers {
        if lease::discard(&folder, &owners)? {
            outcome.leftovers.push(folder.path());
        }
    }
    outcome.foreign = remains.foreign.iter().map(Place::path).collect();
    outcome.foreign.extend(verify::foreign_segments(layout)?);
    outcome.removed.extend(outcome.leftovers.iter().cloned());
    outcome.removed.sort_unstable();
    outcome.foreign.sort_unstable();
    Ok(())
}

/// Folders of segments that the log has retired and that are still there.
pub(super) fn retired_folders(layout: &Layout) -> Result<Vec<Place>, Error> {
    let listing = Listing::read(layout)?;
    let Some(state) = listing::state(layout, &listing, &mut log::Entries::new())? else {
        return Ok(Vec::new());
    };
    let segments = listing.segments.iter();
    let retired = segments.filter(|name| state.retired.contains(*name));
    Ok(retired.map(|name| layout.segment(name)).collect())
}

/// Whether a segment's folder has nothing in it but its own files, and belongs to the store.
pub(super) fn is_ours(folder: &Place, owners: &Owners) -> Result<bool, Error> {
    let names = disk::names(folder)?;
    let mut names = names.iter();
    Ok(owners.own_place(folder)
        && names.all(|name| {
            let file = folder.join(name);
            lease::is_segment_file(name) && file.is_file() && owners.own_place(&file)
        }))
}

pub(super) fn remove_expired_tombstones(layout: &Layout) -> Result<(), Error> {
    let listing = Listing::read(layout)?;
    let Some(state) = listing::state(layout, &listing, &mut log::Entries::new())? else {
        return Ok(());
    };
    for tombstone in &listing.tombstones {
        if !state.is_in_force(tombstone) {
            disk::remove_file(&layout.tombstone(tombstone))?;
        }
    }
    Ok(())
}
