//! Compaction: the runs of all segments in as few as can be, named by what is in them.
//!
//! New segments are published before old ones are retired, so that every run is in the store at
//! every moment. The maintenance lease keeps removals and other compactions away; imports and
//! readers go on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use sheaf_model::{Progress, RunId};

use crate::import::LARGE_RUN_GRAINS;
use crate::layout::{Layout, TableRows, hash_of};
use crate::lease::{self, Lease};
use crate::manifest::RunEntry;
use crate::row_groups::Part;
use crate::segment::Segment;
use crate::staging::{RowSource, Staged};
use crate::store::Listing;
use crate::{Error, Snapshot, Store, StoredRun, disk, verify};

/// Most rows, over all tables, of a segment of several runs.
const SEGMENT_ROWS: u64 = 1 << 23;

/// What a compaction did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compaction {
    /// Runs in the store.
    pub runs: usize,
    /// Segments in the store.
    pub segments: usize,
    /// Segments that were written anew.
    pub written: usize,
    /// Segments that are gone.
    pub retired: usize,
    /// What dead imports had left behind and was removed.
    pub leftovers: Vec<PathBuf>,
}

pub(crate) fn compact(store: &Store, progress: &Progress) -> Result<Compaction, Error> {
    let layout = store.layout();
    let lease = Lease::acquire_maintenance(layout)?;
    let snapshot = store.snapshot()?;
    let groups = group_runs(snapshot.runs());
    let mut work = Work {
        layout,
        lease: &lease,
        snapshot: &snapshot,
        copies: count_copies(&snapshot),
        progress,
        done: 0,
        total: snapshot.runs().iter().map(total_rows).sum(),
    };
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut outcome = Compaction {
        runs: snapshot.runs().len(),
        segments: groups.len(),
        ..Compaction::default()
    };
    for group in &groups {
        let name = if let Some(segment) = work.find_existing(group)? {
            work.keep(segment)?
        } else {
            outcome.written += 1;
            work.write(group)?
        };
        names.insert(name);
    }
    progress.check()?;
    outcome.retired = retire(store, &lease, &snapshot, &names)?;
    outcome.leftovers = remove_leftovers(layout)?;
    Ok(outcome)
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

/// What writing the segments of a compaction needs.
struct Work<'a> {
    layout: &'a Layout,
    lease: &'a Lease,
    snapshot: &'a Snapshot,
    /// How many segments hold each run, whether it is removed there or not.
    copies: BTreeMap<RunId, usize>,
    progress: &'a Progress,
    done: u64,
    total: u64,
}

impl Work<'_> {
    /// The segment that has just these runs already, in the bytes that would be written. Where
    /// another segment has a copy that will go, this one must be sound: a run can have been
    /// imported again because this one is not.
    fn find_existing(&self, group: &[usize]) -> Result<Option<&Segment>, Error> {
        let wanted: Vec<RunEntry> = self
            .runs(group)
            .map(|run| RunEntry::new(&run.meta, run.table_rows()))
            .collect();
        for segment in self.snapshot.segments() {
            let is_wanted = segment.is_current()
                && segment.runs().len() == wanted.len()
                && segment.entries().eq(wanted.iter().cloned());
            if is_wanted && (self.has_only_copies(segment) || self.is_sound(segment)?) {
                return Ok(Some(segment));
            }
        }
        Ok(None)
    }

    /// Gives a segment the name of its content.
    fn keep(&self, segment: &Segment) -> Result<String, Error> {
        let name = hash_of(segment.name());
        if name != segment.name() {
            self.install(segment.folder(), name)?;
        }
        Ok(name.to_owned())
    }

    /// Publishes a sound segment's folder under a name. Another folder of that name has the same
    /// content, unless it is damaged.
    fn install(&self, folder: &Path, name: &str) -> Result<(), Error> {
        self.lease.renew()?;
        let target = self.layout.segment(name);
        if !disk::rename(folder, &target)? {
            let is_sound = match Segment::open(self.layout, name) {
                Ok(Some(segment)) => self.is_sound(&segment)?,
                Ok(None) => false,
                Err(error) if error.is_damage() => false,
                Err(error) => return Err(error),
            };
            if !is_sound {
                let aside = self.lease.folder().join(format!("damaged-{name}"));
                disk::rename(&target, &aside)?;
                disk::rename(folder, &target)?;
            }
        }
        disk::sync_folder(&self.layout.segments())
    }

    fn has_only_copies(&self, segment: &Segment) -> bool {
        let mut runs = segment.runs().iter();
        runs.all(|(meta, _)| self.copies.get(&meta.id) == Some(&1))
    }

    fn is_sound(&self, segment: &Segment) -> Result<bool, Error> {
        match self.check_files(segment) {
            Ok(()) => Ok(true),
            Err(error) if error.is_damage() => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn check_files(&self, segment: &Segment) -> Result<(), Error> {
        for file in segment.files() {
            self.progress.check()?;
            verify::check_file(segment, file)?;
        }
        Ok(())
    }

    fn write(&mut self, group: &[usize]) -> Result<String, Error> {
        self.check_sources(group)?;
        let runs: Vec<_> = self
            .runs(group)
            .map(|run| (run.meta.clone(), *run.table_rows()))
            .collect();
        let rows: Vec<(RunId, TableRows)> =
            runs.iter().map(|(meta, rows)| (meta.id, *rows)).collect();
        let folder = self.lease.folder().join(format!("segment-{}", self.done));
        let mut source = Stored { work: self, group };
        let sealed = Staged::write(&folder, &rows, &mut source)?.seal(&runs)?;
        self.install(sealed.folder(), sealed.hash())?;
        Ok(sealed.hash().to_owned())
    }

    /// Fails for damaged sources: what is written from them would look sound.
    fn check_sources(&self, group: &[usize]) -> Result<(), Error> {
        for segment in self.snapshot.sources(group) {
            self.check_files(segment)?;
        }
        Ok(())
    }

    fn runs(&self, group: &[usize]) -> impl Iterator<Item = &StoredRun> {
        group
            .iter()
            .filter_map(|index| self.snapshot.runs().get(*index))
    }
}

/// The runs of a group where they are now.
struct Stored<'w, 'a> {
    work: &'w mut Work<'a>,
    group: &'w [usize],
}

impl RowSource for Stored<'_, '_> {
    fn rows(&mut self, table_place: usize, parts: &[Part]) -> Result<Vec<RecordBatch>, Error> {
        let work = &mut *self.work;
        work.progress.check()?;
        work.lease.renew()?;
        work.done += parts.iter().map(Part::len).sum::<u64>();
        work.progress.report("compact", work.done, Some(work.total));
        let parts: Vec<Part> = parts
            .iter()
            .filter_map(|part| {
                Some(Part {
                    run: *self.group.get(part.run)?,
                    rows: part.rows.clone(),
                })
            })
            .collect();
        work.snapshot.read_parts(table_place, &parts)
    }
}

/// Removes the snapshot's segments other than `names`. A tombstone goes after the copy that it
/// hides, and before that only where the copy is one that stays.
fn retire(
    store: &Store,
    lease: &Lease,
    snapshot: &Snapshot,
    names: &BTreeSet<String>,
) -> Result<usize, Error> {
    let layout = store.layout();
    lease.renew()?;
    remove_tombstones(layout, &store.listing()?, |segment| names.contains(segment))?;
    let mut retired = 0;
    for segment in snapshot.segments() {
        let folder = segment.folder();
        if names.contains(segment.name()) || !folder.exists() {
            continue;
        }
        lease.renew()?;
        let aside = lease.folder().join(format!("retired-{}", segment.name()));
        disk::rename(folder, &aside)?;
        disk::remove(&aside)?;
        retired += 1;
    }
    disk::sync_folder(&layout.segments())?;
    remove_tombstones(layout, &store.listing()?, |segment| {
        !layout.segment(segment).exists()
    })?;
    Ok(retired)
}

fn remove_tombstones(
    layout: &Layout,
    listing: &Listing,
    is_over: impl Fn(&str) -> bool,
) -> Result<(), Error> {
    for (run, segment) in &listing.tombstones {
        if is_over(segment) {
            disk::remove_file(&layout.tombstone(*run, segment))?;
        }
    }
    Ok(())
}

fn remove_leftovers(layout: &Layout) -> Result<Vec<PathBuf>, Error> {
    let mut leftovers = lease::leftovers(layout)?;
    let strange = verify::strange_segments(layout)?;
    leftovers.extend(strange.into_iter().filter(|path| lease::is_abandoned(path)));
    for path in &leftovers {
        lease::discard(path)?;
    }
    Ok(leftovers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sheaf_model::RunMeta;

    fn run(id: u128, rows: u64) -> StoredRun {
        let mut meta = RunMeta::new("p", "f");
        meta.id = RunId(id.to_be_bytes());
        let mut table_rows = TableRows::default();
        table_rows[0] = rows;
        StoredRun::new(meta, table_rows)
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
