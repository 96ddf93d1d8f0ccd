//! Compaction: the runs of all segments in as few as can be, named by what is in them.
//!
//! New segments are published before old ones are retired, so that every run is in the store at
//! every moment. The maintenance lease keeps removals and other compactions away; imports and
//! readers go on.

mod retire;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use sheaf_model::{Progress, RunId};

use crate::disk::{Owners, Place};
use crate::import::LARGE_RUN_GRAINS;
use crate::lease::{self, Lease};
use crate::listing::Listing;
use crate::log::Changes;
use crate::segment::Segment;
use crate::{Error, Snapshot, Store, StoredRun, disk, verify};
use retire::{
    commit, is_ours, remove_expired_tombstones, remove_replaced, retire, retired_folders,
};
use work::{Files, Work};

/// Most rows, over all tables, of a segment of several runs.
const SEGMENT_ROWS: u64 = 1 << 23;

/// What a compaction did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compaction {
    /// Runs in the store.
    pub runs: usize,
    /// Segments before.
    pub before: usize,
    /// Segments in the store.
    pub segments: usize,
    /// Segments that were written anew.
    pub written: usize,
    /// Segments that are gone.
    pub retired: usize,
    /// Removed leftovers of dead imports.
    pub leftovers: Vec<PathBuf>,
    /// Everything that was removed: segments whose runs are in others, and leftovers.
    pub removed: Vec<PathBuf>,
    /// What is in the store's folders, is not the store's, and was left alone.
    pub foreign: Vec<PathBuf>,
}

pub(crate) fn compact(store: &Store, progress: &Progress) -> Result<Compaction, Error> {
    let layout = store.layout();
    let lease = Lease::await_maintenance(layout)?;
    store.ensure_log(&lease)?;
    let snapshot = store.snapshot()?;
    let groups = group_runs(snapshot.runs());
    let mut kept = Changes::default();
    let mut outcome = Compaction {
        runs: snapshot.runs().len(),
        before: snapshot.num_segments(),
        segments: groups.len(),
        ..Compaction::default()
    };
    let mut work = Work::new(layout, &lease, &snapshot, progress);
    for group in &groups {
        let name = if let Some(segment) = work.files.find_existing(group)? {
            work.keep(segment)?
        } else {
            outcome.written += 1;
            work.write(group)?
        };
        kept.added.insert(name, group.len() as u64);
    }
    progress.check()?;
    kept.expire(Listing::read(layout)?.tombstones);
    commit(layout, &lease, snapshot.segments(), kept)?;
    remove_replaced(layout, &lease, &mut outcome)?;
    Ok(outcome)
}

/// Merges small segments when there are many of a size. What it costs is bounded by
/// [`MERGED_ROWS`], for any size of the store. Returns whether there was something to merge.
///
/// # Errors
/// [`Error::Busy`] while another process compacts or removes; [`Error::Damaged`].
pub(crate) fn merge_small(store: &Store) -> Result<bool, Error> {
    if small_segments(&store.snapshot()?).is_none() {
        return Ok(false);
    }
    let layout = store.layout();
    let lease = Lease::acquire_maintenance(layout)?;
    let snapshot = store.snapshot()?;
    let Some(small) = small_segments(&snapshot) else {
        return Ok(false);
    };
    let group: Vec<usize> = snapshot.runs_in(&small);
    let segments: Vec<Arc<Segment>> = small
        .iter()
        .filter_map(|place| snapshot.segments().get(*place).cloned())
        .collect();
    let mut merged = Changes::default();
    let progress = Progress::silent();
    if !group.is_empty() {
        let name = Work::new(layout, &lease, &snapshot, &progress).write(&group)?;
        merged.added.insert(name, group.len() as u64);
    }
    let tombstones = Listing::read(layout)?.tombstones.into_iter();
    let is_of_merged = |segment: &str| {
        let mut merged = segments.iter();
        merged.any(|one| one.name() == segment)
    };
    merged.expire(tombstones.filter(|(_, segment)| is_of_merged(segment)));
    commit(layout, &lease, &segments, merged)?;
    let owners = Owners::of(layout.root())?;
    for segment in &segments {
        retire(segment.folder(), &lease, &owners)?;
    }
    disk::sync_folder(&layout.segments())?;
    remove_expired_tombstones(layout)?;
    Ok(true)
}

/// Number of small segments, with similar numbers of runs, that are merged together.
const MERGED_SEGMENTS: usize = 8;

/// Rows, over all tables, of the segment that merging small ones gives at most.
const MERGED_ROWS: u64 = 1 << 18;

/// Places of [`MERGED_SEGMENTS`] small segments of one size, the smallest size first.
fn small_segments(snapshot: &Snapshot) -> Option<Vec<usize>> {
    if snapshot.segments().len() < MERGED_SEGMENTS {
        return None;
    }
    let mut sizes: BTreeMap<u32, (Vec<usize>, u64)> = BTreeMap::new();
    for (place, segment) in snapshot.segments().iter().enumerate() {
        let rows: u64 = segment.runs().iter().flat_map(|(_, rows)| rows).sum();
        if rows > MERGED_ROWS {
            continue;
        }
        let size = segment.runs().len().max(1).ilog(MERGED_SEGMENTS);
        let (places, total) = sizes.entry(size).or_default();
        if places.len() < MERGED_SEGMENTS && *total + rows <= MERGED_ROWS {
            places.push(place);
            *total += rows;
        }
    }
    let mut sizes = sizes.into_values().map(|(places, _)| places);
    sizes.find(|places| places.len() == MERGED_SEGMENTS)
}

/// What a compaction would do.
pub(crate) fn plan(store: &Store, progress: &Progress) -> Result<Compaction, Error> {
    let layout = store.layout();
    let snapshot = store.snapshot()?;
    let groups = group_runs(snapshot.runs());
    let files = Files {
        snapshot: &snapshot,
        copies: count_copies(&snapshot),
        progress,
    };
    let mut kept = BTreeSet::new();
    let mut outcome = Compaction {
        runs: snapshot.runs().len(),
        before: snapshot.num_segments(),
        segments: groups.len(),
        ..Compaction::default()
    };
    for group in &groups {
        match files.find_existing(group)? {
            Some(segment) => _ = kept.insert(segment.name()),
            None => outcome.written += 1,
        }
    }
    for segment in snapshot.segments() {
        if !kept.contains(segment.name()) {
            sort_retired(segment.folder(), &Owners::of(layout.root())?, &mut outcome)?;
        }
    }
    for folder in retired_folders(layout)? {
        sort_retired(&folder, &Owners::of(layout.root())?, &mut outcome)?;
    }
    let remains = lease::remains(layout)?;
    outcome.leftovers = remains.leftovers.iter().map(Place::path).collect();
    outcome.removed.extend(outcome.leftovers.iter().cloned());
    outcome
        .foreign
        .extend(remains.foreign.iter().map(Place::path));
    outcome.foreign.extend(verify::foreign_segments(layout)?);
    outcome.removed.sort_unstable();
    outcome.foreign.sort_unstable();
    Ok(outcome)
}

/// Notes whether a segment's folder is removed or contains foreign files.
fn sort_retired(folder: &Place, owners: &Owners, outcome: &mut Compaction) -> Result<(), Error> {
    if is_ours(folder, owners)? {
        outcome.removed.push(folder.path());
        outcome.retired += 1;
    } else {
        outcome.foreign.push(folder.path());
    }
    Ok(())
}

/// The runs of each segment, as places in `runs`, which are sorted by id. Large runs are alone.
/// The others are parted by the leading bits of their ids until each part is small enough: where
/// a run goes depends on the set of runs alone, and a new run changes one segment.
fn group_runs(runs: &[StoredRun]) -> Vec<Vec<usize>> {
    let (large, small): (Vec<usize>, Vec<usize>) =
        (0..runs.len()).partition(|index| runs.get(*index).is_some_and(is_large));
    let mut groups: Vec<Vec<usize>> = large.into_iter().map(|index| vec![index]).collect();
    let mut parts = vec![(small, 0)];
    while let Some((part, bit)) = parts.pop() {
        let rows: u64 = part
            .iter()
            .filter_map(|index| runs.get(*index))
            .map(total_rows)
            .sum();
        if part.is_empty() {
            continue;
        }
        if rows <= SEGMENT_ROWS || part.len() == 1 || bit >= 128 {
            groups.push(part);
            continue;
        }
        let (ones, zeros) = part.into_iter().partition(|index| {
            let id = runs
                .get(*index)
                .map(|run| u128::from_be_bytes(run.meta.id.0));
            id.is_some_and(|id| (id >> (127 - bit)) & 1 == 1)
        });
        parts.push((ones, bit + 1));
        parts.push((zeros, bit + 1));
    }
    groups
}

fn count_copies(snapshot: &Snapshot) -> BTreeMap<RunId, usize> {
    let mut copies = BTreeMap::new();
    for segment in snapshot.segments() {
        for (meta, _) in segment.runs() {
            *copies.entry(meta.id).or_default() += 1;
        }
    }
    copies
}

fn is_large(run: &StoredRun) -> bool {
    run.rows("grains") > LARGE_RUN_GRAINS || total_rows(run) > SEGMENT_ROWS
}

fn total_rows(run: &StoredRun) -> u64 {
    run.table_rows().iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TableRows;
    use sheaf_model::RunMeta;

    fn run(id: u128, rows: u64) -> StoredRun {
        let mut meta = RunMeta::new("p", "f");
        meta.id = RunId(id.to_be_bytes());
        let mut table_rows = TableRows::default();
        table_rows[0] = rows;
        StoredRun::new(meta.into(), table_rows)
    }

    #[test]
    fn groups_depend_on_the_set_of_runs_alone() {
        let half = SEGMENT_ROWS / 2;
        let ids = [1, 2, 1 << 126, 1 << 127, (1 << 127) + 1];
        let runs: Vec<_> = ids.map(|id| run(id, half)).into();
        assert_eq!(group_runs(&runs), [vec![0, 1], vec![2], vec![3, 4]]);
        let large = vec![run(1, 1), run(2, SEGMENT_ROWS + 1), run(3, 1)];
        assert_eq!(group_runs(&large), [vec![1], vec![0, 2]]);
        assert!(group_runs(&[]).is_empty());
    }
}
