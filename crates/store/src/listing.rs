//! The names in a store at one moment, and which of them count.

use std::collections::BTreeSet;

use crate::layout::{FORMAT_VERSION, Layout, Tombstone, is_segment_name, parse_tombstone};
use crate::log::{self, Entries, State};
use crate::store::StoreFile;
use crate::{Error, disk};

/// How often the folders are listed again while others change the store.
const ATTEMPTS: usize = 100;

/// The names that a snapshot is made of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Numbers of the log's entries and of its mark.
    pub(crate) entries: log::Numbers,
    pub(crate) segments: Vec<String>,
    /// Runs that were removed, each with the segment that still holds its rows.
    pub(crate) tombstones: BTreeSet<Tombstone>,
}

/// What of a listing is in the store.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// Names of segments, sorted.
    pub(crate) segments: Vec<String>,
    /// Those that the log lists. A process that died before it wrote to the log leaves others.
    pub(crate) logged: BTreeSet<String>,
    /// Tombstones that hide a run.
    pub(crate) tombstones: BTreeSet<Tombstone>,
}

impl Listing {
    /// The names at one moment. Listing folders is not atomic, but two equal listings in a row
    /// missed nothing that was there all the time between them: the log, which is listed first,
    /// changes before anything goes.
    pub(crate) fn read(layout: &Layout) -> Result<Self, Error> {
        let mut last = Self::read_once(layout)?;
        for _ in 0..ATTEMPTS {
            let next = Self::read_once(layout)?;
            if next == last {
                return Ok(next);
            }
            last = next;
        }
        Err(Error::Changed {
            segment: layout.root().path().display().to_string(),
        })
    }

    fn read_once(layout: &Layout) -> Result<Self, Error> {
        if !layout.store_file().exists() {
            let path = layout.root().path();
            return Err(Error::Vanished { path });
        }
        let entries = log::numbers(layout)?;
        let mut segments = disk::folder_names(&layout.segments())?;
        segments.retain(|name| is_segment_name(name));
        let tombstones = disk::names(&layout.tombstones())?;
        Ok(Self {
            entries,
            segments,
            tombstones: tombstones
                .iter()
                .filter_map(|name| parse_tombstone(name))
                .collect(),
        })
    }
}

/// What of a listing is in the store; `None` when the log went on meanwhile.
///
/// # Errors
/// [`Error::Lost`] for what the log lists and is missing; [`Error::Log`] for the log itself.
pub(crate) fn live(
    layout: &Layout,
    listing: &Listing,
    known: &mut Entries,
) -> Result<Option<Live>, Error> {
    let Some(state) = state(layout, listing, known)? else {
        return Ok(None);
    };
    match lost(layout, listing, &state).into_iter().next() {
        Some(error) => Err(error),
        None => Ok(Some(live_of(listing, &state))),
    }
}

/// The part of a listing that the log lists as in the store, including missing entries.
pub(crate) fn live_of(listing: &Listing, state: &State) -> Live {
    let segments = listing.segments.iter();
    let tombstones = listing.tombstones.iter();
    Live {
        segments: segments
            .filter(|name| !state.retired.contains(*name))
            .cloned()
            .collect(),
        logged: state.segments.keys().cloned().collect(),
        tombstones: tombstones
            .filter(|tombstone| state.is_in_force(tombstone))
            .cloned()
            .collect(),
    }
}

/// The state of the log; an empty one for stores that were made before there were logs.
pub(crate) fn state(
    layout: &Layout,
    listing: &Listing,
    known: &mut Entries,
) -> Result<Option<State>, Error> {
    if listing.entries.is_empty() && version(layout)? < FORMAT_VERSION {
        return Ok(Some(State::default()));
    }
    log::state(layout, &listing.entries, known)
}

/// What the log lists and the listing lacks: an error each.
pub(crate) fn lost(layout: &Layout, listing: &Listing, state: &State) -> Vec<Error> {
    let mut lost = Vec::new();
    for (name, runs) in &state.segments {
        if listing.segments.binary_search(name).is_err() {
            let runs = match runs {
                1 => "1 run".to_owned(),
                runs => format!("{runs} runs"),
            };
            lost.push(Error::Lost {
                what: format!("segment `{name}` ({runs})"),
                path: layout.segment(name).path(),
            });
        }
    }
    for tombstone in state.tombstones() {
        if !listing.tombstones.contains(&tombstone) {
            let (run, segment) = &tombstone;
            lost.push(Error::Lost {
                what: format!("the note that run `{run}` was removed from segment `{segment}`"),
                path: layout.tombstone(&tombstone).path(),
            });
        }
    }
    lost
}

/// The error of a segment that was published and has no manifest.
pub(crate) fn lost_manifest(layout: &Layout, name: &str) -> Error {
    Error::Lost {
        what: format!("the manifest of segment `{name}`"),
        path: layout.segment(name).join(crate::layout::MANIFEST).path(),
    }
}

/// Version of the store's layout now; another process may have brought it up to date.
pub(crate) fn version(layout: &Layout) -> Result<u32, Error> {
    let content = disk::read(&layout.store_file())?.ok_or_else(|| Error::Vanished {
        path: layout.root().path(),
    })?;
    format_version(layout, &content)
}

/// Version of the layout that the content of `store.json` states.
///
/// # Errors
/// [`Error::Description`] in a folder with segments, else [`Error::NotAStore`].
pub(crate) fn format_version(layout: &Layout, content: &[u8]) -> Result<u32, Error> {
    let path = layout.root().path();
    match serde_json::from_slice::<StoreFile>(content) {
        Ok(file) => Ok(file.format_version),
        Err(source) if layout.segments().is_folder() => Err(Error::Description {
            reason: source.to_string(),
            path,
        }),
        Err(source) => Err(Error::NotAStore {
            reason: format!("`store.json` is unreadable ({source})"),
            path,
        }),
    }
}
