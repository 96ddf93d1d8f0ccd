//! The store's log: what was published and what was taken back, entry by entry.
//!
//! Entries are numbered without gaps and never change. Each appears under the next free number by
//! one exclusive rename, so that writers need no lock, and what one of them commits is committed
//! as a whole. An entry that is a checkpoint holds the whole state; those before it may go.
//!
//! An empty file, the mark, carries the number of the newest entry in its name. It is made after
//! the entry is durable, so an entry that is missing below the mark was lost.

use std::collections::{BTreeMap, BTreeSet, btree_map};

use serde::{Deserialize, Serialize};

use crate::disk::Place;
use crate::layout::{Layout, Tombstone, content_hash, is_segment_name, parse_tombstone};
use crate::lease::Lease;
use crate::{Error, disk};

/// Version of the entries.
const VERSION: u32 = 1;

/// Entries since the last checkpoint after which the next one is a checkpoint.
const CHECKPOINT_AFTER: usize = 64;

/// How often a writer tries the next number while others take it.
const ATTEMPTS: usize = 1_000;

/// Changes that are committed together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Changes {
    /// Segments that were published, each with its number of runs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) added: BTreeMap<String, u64>,
    /// Segments that are in the store no more, whether their files are gone or not.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) retired: BTreeSet<String>,
    /// Segments that a compaction gives another name: in the store still, and not required.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) unlisted: BTreeSet<String>,
    /// Tombstones that hide a run, as `RUN.SEGMENT`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    buried: BTreeSet<String>,
    /// Tombstones that hide nothing any more.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    expired: BTreeSet<String>,
}

/// An entry as it is on disk, on a line of its own before the line of its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    version: u32,
    number: u64,
    /// Whether `changes` is the whole state.
    is_checkpoint: bool,
    #[serde(flatten)]
    changes: Changes,
}

/// What the entries add up to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Number of the last entry; 0 when there is none.
    last: u64,
    since_checkpoint: usize,
    /// The segments that must be there, with their numbers of runs.
    pub(crate) segments: BTreeMap<String, u64>,
    /// Segments that are in the store no more, and may still have files.
    pub(crate) retired: BTreeSet<String>,
    /// Segments that a compaction gives another name.
    unlisted: BTreeSet<String>,
    tombstones: BTreeSet<String>,
    expired: BTreeSet<String>,
}

/// Entries that were read before; they never change.
pub(crate) type Entries = BTreeMap<u64, Entry>;

impl Changes {
    /// Adds tombstones that hide a run.
    pub(crate) fn bury(&mut self, tombstones: impl IntoIterator<Item = Tombstone>) {
        self.buried.extend(tombstones.into_iter().map(name_of));
    }

    /// Adds tombstones that hide nothing any more.
    pub(crate) fn expire(&mut self, tombstones: impl IntoIterator<Item = Tombstone>) {
        self.expired.extend(tombstones.into_iter().map(name_of));
    }

    /// Whether there is nothing to commit.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl State {
    fn apply(&mut self, entry: &Entry) {
        let changes = &entry.changes;
        if entry.is_checkpoint {
            *self = Self::default();
        }
        self.since_checkpoint += 1;
        self.last = entry.number;
        for name in &changes.unlisted {
            self.segments.remove(name);
            self.unlisted.insert(name.clone());
        }
        for name in &changes.retired {
            self.segments.remove(name);
            self.unlisted.remove(name);
            self.retired.insert(name.clone());
        }
        for (name, runs) in &changes.added {
            self.segments.insert(name.clone(), *runs);
            self.retired.remove(name);
            self.unlisted.remove(name);
        }
        for name in &changes.expired {
            self.tombstones.remove(name);
            self.expired.insert(name.clone());
        }
        for name in &changes.buried {
            self.tombstones.insert(name.clone());
            self.expired.remove(name);
        }
    }

    /// Whether a tombstone that is there still hides its run.
    pub(crate) fn is_in_force(&self, tombstone: &Tombstone) -> bool {
        !self.expired.contains(&name_of(tombstone.clone()))
    }

    /// The tombstones that must be there.
    pub(crate) fn tombstones(&self) -> impl Iterator<Item = Tombstone> + '_ {
        let names = self.tombstones.iter();
        names.filter_map(|name| parse_tombstone(&format!("{name}.json")))
    }

    /// All of it as the changes of a checkpoint. What is gone from disk needs no memory.
    fn to_changes(&self, layout: &Layout) -> Changes {
        let is_there = |name: &&String| layout.segment(name).exists();
        let has_file = |name: &&String| layout.tombstones().join(&format!("{name}.json")).exists();
        Changes {
            added: self.segments.clone(),
            retired: self.retired.iter().filter(is_there).cloned().collect(),
            unlisted: self.unlisted.iter().filter(is_there).cloned().collect(),
            buried: self.tombstones.clone(),
            expired: self.expired.iter().filter(has_file).cloned().collect(),
        }
    }
}

/// The numbers that the names in the log's folder carry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// Those of the entries, ascending.
    entries: Vec<u64>,
    /// The highest that a mark carries; 0 in a log that has none, as those of earlier versions.
    newest: u64,
}

impl Numbers {
    /// Whether the folder has neither entries nor marks.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// A number above all others.
    pub(crate) fn next(&self) -> u64 {
        self.entries.last().map_or(0, |&last| last).max(self.newest) + 1
    }

    fn lacks_newest(&self) -> bool {
        self.entries.last().is_none_or(|&last| last < self.newest)
    }

    fn read(layout: &Layout) -> Result<Self, Error> {
        let names = disk::names(&layout.log())?;
        Ok(Self {
            entries: names.iter().filter_map(|name| parse_number(name)).collect(),
            newest: names
                .iter()
                .filter_map(|name| parse_mark(name))
                .max()
                .unwrap_or(0),
        })
    }
}

/// The numbers of the log's entries and of its mark.
pub(crate) fn numbers(layout: &Layout) -> Result<Numbers, Error> {
    let numbers = Numbers::read(layout)?;
    // A listing may contain a mark and lack its entry if both were made meanwhile. A listing that
    // begins after the mark was made contains both.
    if numbers.lacks_newest() {
        return Numbers::read(layout);
    }
    Ok(numbers)
}

/// The state that the entries of the given numbers add up to; `None` when one is gone, because a
/// later checkpoint has replaced it. `known` holds what was read before.
pub(crate) fn state(
    layout: &Layout,
    numbers: &Numbers,
    known: &mut Entries,
) -> Result<Option<State>, Error> {
    let Numbers { entries, newest } = numbers;
    known.retain(|number, _| entries.binary_search(number).is_ok());
    for &number in entries {
        if let btree_map::Entry::Vacant(place) = known.entry(number) {
            let Some(entry) = read(layout, number)? else {
                return Ok(None);
            };
            place.insert(entry);
        }
    }
    let checkpoint = known.values().rev().find(|entry| entry.is_checkpoint);
    let Some(first) = checkpoint.map(|entry| entry.number) else {
        let missing = entries
            .first()
            .map_or(1, |number| number.saturating_sub(1).max(1));
        return Err(missing_entry(missing));
    };
    let mut state = State::default();
    for (expected, (number, entry)) in (first..).zip(known.range(first..)) {
        if *number != expected {
            return Err(missing_entry(expected));
        }
        state.apply(entry);
    }
    if state.last < *newest {
        return Err(missing_entry(state.last + 1));
    }
    Ok(Some(state))
}

/// Commits what an import has published. A compaction may have found a segment before this entry
/// lists it, and have merged or renamed it: such a segment is left out.
pub(crate) fn append_imported(
    layout: &Layout,
    lease: &Lease,
    changes: &Changes,
) -> Result<(), Error> {
    append_with(layout, lease, changes, |state, changes| {
        changes.added.retain(|name, _| {
            !state.retired.contains(name)
                && !state.unlisted.contains(name)
                && layout.segment(name).is_folder()
        });
    })
}

/// Commits changes as the next entry; it is durable when this returns.
pub(crate) fn append(layout: &Layout, lease: &Lease, changes: &Changes) -> Result<(), Error> {
    append_with(layout, lease, changes, |_, _| {})
}

/// As [`append`], with changes that `adapt` makes fit the state before each attempt.
fn append_with(
    layout: &Layout,
    lease: &Lease,
    changes: &Changes,
    adapt: impl Fn(&State, &mut Changes),
) -> Result<(), Error> {
    let mut known = Entries::new();
    for _ in 0..ATTEMPTS {
        let Some(state) = state(layout, &numbers(layout)?, &mut known)? else {
            continue;
        };
        let mut changes = changes.clone();
        adapt(&state, &mut changes);
        if changes.is_empty() {
            return Ok(());
        }
        let mut entry = Entry {
            version: VERSION,
            number: state.last + 1,
            is_checkpoint: false,
            changes,
        };
        if state.since_checkpoint >= CHECKPOINT_AFTER {
            let mut after = state;
            after.apply(&entry);
            entry.changes = after.to_changes(layout);
            entry.is_checkpoint = true;
        }
        if publish(layout, lease, &entry)? {
            if entry.is_checkpoint {
                remove_before(layout, entry.number)?;
            }
            return Ok(());
        }
    }
    Err(Error::Changed {
        segment: layout.log().path().display().to_string(),
    })
}

/// Begins the log of a store that has none. Another process that does so first is as good.
pub(crate) fn begin(layout: &Layout, lease: &Lease, changes: Changes) -> Result<(), Error> {
    disk::create_folders(&layout.log())?;
    if numbers(layout)?.is_empty() {
        checkpoint(layout, lease, 1, changes)?;
    }
    Ok(())
}

/// Commits a whole state under a number that must be free, and removes the entries before it.
/// Returns whether the number was free.
pub(crate) fn checkpoint(
    layout: &Layout,
    lease: &Lease,
    number: u64,
    changes: Changes,
) -> Result<bool, Error> {
    let entry = Entry {
        version: VERSION,
        number,
        is_checkpoint: true,
        changes,
    };
    let is_published = publish(layout, lease, &entry)?;
    if is_published {
        remove_before(layout, number)?;
    }
    Ok(is_published)
}

fn publish(layout: &Layout, lease: &Lease, entry: &Entry) -> Result<bool, Error> {
    let mut content = serde_json::to_vec(entry)
        .map_err(|source| Error::internal("describe an entry of the log", source))?;
    let hash = content_hash(&content);
    content.push(b'\n');
    content.extend_from_slice(hash.as_bytes());
    content.push(b'\n');
    let aside = lease.folder().join(ASIDE);
    disk::remove_file(&aside)?;
    disk::write(&aside, &content)?;
    let is_published = disk::rename_new(&aside, &place_of(layout, entry.number))?;
    disk::sync_folder(&layout.log())?;
    if is_published {
        mark(layout, entry.number);
    }
    Ok(is_published)
}

/// Marks an entry as the newest. The entry counts without its mark, so a failure to make the mark
/// only means that the loss of this entry would not be noticed.
fn mark(layout: &Layout, number: u64) {
    let Ok(names) = disk::names(&layout.log()) else {
        return;
    };
    if disk::create(&layout.log().join(&format!("{MARK}{number:012}"))).is_err() {
        return;
    }
    let is_older = |name: &&String| parse_mark(name).is_some_and(|marked| marked < number);
    for name in names.iter().filter(is_older) {
        let _ = disk::remove_file(&layout.log().join(name));
    }
}

/// What the names of marks begin with.
const MARK: &str = "newest.";

fn parse_mark(name: &str) -> Option<u64> {
    parse_digits(name.strip_prefix(MARK)?)
}

/// Name of an entry in a lease's folder, before it is published.
pub(crate) const ASIDE: &str = "entry.json";

/// Removes what a checkpoint has replaced.
fn remove_before(layout: &Layout, checkpoint: u64) -> Result<(), Error> {
    for number in numbers(layout)?.entries {
        if number < checkpoint {
            disk::remove_file(&place_of(layout, number))?;
        }
    }
    Ok(())
}

fn read(layout: &Layout, number: u64) -> Result<Option<Entry>, Error> {
    let place = place_of(layout, number);
    let Some(content) = disk::read(&place)? else {
        return Ok(None);
    };
    parse(number, &content)
        .map(Some)
        .map_err(|reason| damaged(number, reason))
}

fn parse(number: u64, content: &[u8]) -> Result<Entry, String> {
    let text = std::str::from_utf8(content).map_err(|_| "it is not text".to_owned())?;
    let mut lines = text.split_terminator('\n');
    let (Some(line), Some(hash), None) = (lines.next(), lines.next(), lines.next()) else {
        return Err("it does not have two lines".to_owned());
    };
    if content_hash(line.as_bytes()) != hash || !text.ends_with('\n') {
        return Err("its content does not match its checksum".to_owned());
    }
    let entry: Entry =
        serde_json::from_str(line).map_err(|source| format!("it is unreadable ({source})"))?;
    if entry.version > VERSION {
        let found = entry.version;
        return Err(format!(
            "it has version `{found}`, this program reads up to `{VERSION}`; update Grainsheaf"
        ));
    }
    if entry.number != number {
        return Err(format!("it is entry `{}`", entry.number));
    }
    let names = entry.changes.added.keys().chain(&entry.changes.retired);
    match names.into_iter().find(|name| !is_segment_name(name)) {
        Some(name) => Err(format!("`{name}` is not the name of a segment")),
        None => Ok(entry),
    }
}

fn damaged(number: u64, reason: String) -> Error {
    Error::Log {
        entry: format!("log/{}", file_name(number)),
        reason,
    }
}

fn missing_entry(number: u64) -> Error {
    damaged(number, "it is missing".to_owned())
}

fn name_of((run, segment): Tombstone) -> String {
    format!("{run}.{segment}")
}

fn file_name(number: u64) -> String {
    format!("{number:012}.json")
}

fn place_of(layout: &Layout, number: u64) -> Place {
    layout.log().join(&file_name(number))
}

fn parse_number(name: &str) -> Option<u64> {
    parse_digits(name.strip_suffix(".json")?)
}

fn parse_digits(digits: &str) -> Option<u64> {
    let is_number = digits.len() >= 12 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}
