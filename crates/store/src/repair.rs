//! Rebuilding the log from what is sound, with what is damaged set aside.

use std::collections::BTreeSet;

use sheaf_model::Progress;

use crate::disk::Place;
use crate::layout::{Layout, MANIFEST, Tombstone, content_hash, hash_of};
use crate::lease::Lease;
use crate::listing::{self, Listing};
use crate::log::{self, Changes};
use crate::segment::{Checks, Segment};
use crate::verify::{self, Verification};
use crate::{Error, Store, disk, remove};

/// How often the log is written again while imports go on.
const ATTEMPTS: usize = 100;

pub(crate) fn repair(store: &Store, progress: &Progress) -> Result<Verification, Error> {
    let layout = store.layout();
    let lease = Lease::await_maintenance(layout)?;
    store.ensure_log(&lease)?;
    let mut found = verify::verify(store, progress)?;
    restore_names(layout)?;
    let damaged = found.damaged.iter().map(|damage| damage.segment.as_str());
    let damaged: BTreeSet<&str> = damaged.filter(|name| !name.is_empty()).collect();
    for name in &damaged {
        let folder = layout.segment(name);
        if folder.is_folder() {
            found.set_aside.push(set_aside(layout, &folder)?.path());
        }
    }
    lease.renew()?;
    restore_tombstones(layout, &lease)?;
    rebuild(layout, &lease)?;
    Ok(found)
}

/// The names in the store, and what the log lists; nothing if the log is damaged.
fn read(layout: &Layout) -> Result<(Listing, log::State), Error> {
    let listing = Listing::read(layout)?;
    let state = match listing::state(layout, &listing, &mut log::Entries::new()) {
        Ok(Some(state)) => state,
        Ok(None) | Err(Error::Log { .. }) => log::State::default(),
        Err(error) => return Err(error),
    };
    Ok((listing, state))
}

/// Gives lost segments their names back if their folders were renamed. A segment's name begins with the hash of its
/// manifest, which finds it under any other name.
fn restore_names(layout: &Layout) -> Result<(), Error> {
    let (listing, state) = read(layout)?;
    let is_lost = |name: &&String| listing.segments.binary_search(name).is_err();
    let mut lost: Vec<&String> = state.segments.keys().filter(is_lost).collect();
    if lost.is_empty() {
        return Ok(());
    }
    for name in disk::folder_names(&layout.segments())? {
        let folder = layout.segment(&name);
        if state.segments.contains_key(&name) {
            continue;
        }
        // What cannot be read here is not the store's, or `verify` has named it.
        let Ok(Some(manifest)) = disk::read(&folder.join(MANIFEST)) else {
            continue;
        };
        let hash = content_hash(&manifest);
        if let Some(at) = lost.iter().position(|name| hash_of(name) == hash) {
            disk::rename(&folder, &layout.segment(lost.swap_remove(at)))?;
        }
    }
    disk::sync_folder(&layout.segments())
}

/// Rewrites damaged tombstones, and missing ones that the log lists: their names have all their content.
fn restore_tombstones(layout: &Layout, lease: &Lease) -> Result<(), Error> {
    let (listing, state) = read(layout)?;
    let live = listing::live_of(&listing, &state);
    let wanted: BTreeSet<Tombstone> = state.tombstones().chain(live.tombstones).collect();
    for tombstone in &wanted {
        let content = remove::content(tombstone)?;
        let is_whole = disk::read(&layout.tombstone(tombstone))
            .is_ok_and(|found| found.as_ref() == Some(&content));
        if !is_whole {
            remove::write_tombstone(layout, lease, tombstone)?;
        }
    }
    if layout.tombstones().is_folder() {
        disk::sync_folder(&layout.tombstones())?;
    }
    Ok(())
}

/// Moves a segment out of the store without changing it.
fn set_aside(layout: &Layout, folder: &Place) -> Result<Place, Error> {
    disk::create_folders(&layout.set_aside())?;
    let mut name = folder.name().to_owned();
    let mut number = 1;
    while layout.set_aside().join(&name).exists() {
        number += 1;
        name = format!("{}.{number}", folder.name());
    }
    let target = layout.set_aside().join(&name);
    disk::rename(folder, &target)?;
    disk::sync_folder(&layout.set_aside())?;
    disk::sync_folder(&layout.segments())?;
    Ok(target)
}

/// Writes a checkpoint of what is there.
fn rebuild(layout: &Layout, lease: &Lease) -> Result<(), Error> {
    disk::create_folders(&layout.log())?;
    disk::create_folders(&layout.tombstones())?;
    for _ in 0..ATTEMPTS {
        // The number is taken before the listing: an import that has logged its segment since
        // takes the number, one that logged it before has its segment listed.
        let next = log::numbers(layout)?.next();
        let listing = Listing::read(layout)?;
        let state = listing::state(layout, &listing, &mut log::Entries::new());
        let live = match state {
            Ok(Some(state)) => listing::live_of(&listing, &state),
            Ok(None) => continue,
            // The list of retired segments is lost with the log; their runs are in other segments.
            Err(Error::Log { .. }) => listing::live_of(&listing, &log::State::default()),
            Err(error) => return Err(error),
        };
        let mut changes = Changes::default();
        for name in &live.segments {
            if let Some(segment) = Segment::open(layout, name, Checks::WhenAsked)? {
                let runs = segment.runs().len() as u64;
                changes.added.insert(name.clone(), runs);
            }
        }
        changes.bury(live.tombstones);
        if log::checkpoint(layout, lease, next, changes)? {
            return Ok(());
        }
    }
    Err(Error::Changed {
        segment: layout.log().path().display().to_string(),
    })
}
