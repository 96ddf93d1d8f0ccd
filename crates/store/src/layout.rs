//! Names and places of everything in a store's folder.

use std::path::Path;

use sheaf_model::RunId;
use sheaf_model::table::{TABLES, TableSchema};

use crate::disk::Place;

/// Version of the folder's layout. Version 1 had no log.
pub const FORMAT_VERSION: u32 = 2;

/// Version of the manifests.
pub(crate) const MANIFEST_VERSION: u32 = 1;

/// Version of the encodings: segments of another one are written anew by `compact`.
pub(crate) const WRITER_VERSION: u32 = 2;

/// Name of the file that makes a folder a store.
pub(crate) const STORE_FILE: &str = "store.json";

/// Name that a segment's manifest has.
pub(crate) const MANIFEST: &str = "manifest.json";

/// How many tables a run has.
pub(crate) const TABLE_COUNT: usize = TABLES.len();

/// Rows of one run in each table, in the order of [`TABLES`].
pub(crate) type TableRows = [u64; TABLE_COUNT];

/// Digits of a content hash in names.
const HASH_DIGITS: usize = 32;

/// Paths below a store's folder.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    root: Place,
}

impl Layout {
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: Place::root(root),
        }
    }

    pub(crate) fn root(&self) -> &Place {
        &self.root
    }

    pub(crate) fn store_file(&self) -> Place {
        self.root.join(STORE_FILE)
    }

    pub(crate) fn segments(&self) -> Place {
        self.root.join("segments")
    }

    pub(crate) fn segment(&self, name: &str) -> Place {
        self.segments().join(name)
    }

    pub(crate) fn log(&self) -> Place {
        self.root.join("log")
    }

    pub(crate) fn leases(&self) -> Place {
        self.root.join("tmp")
    }

    /// Damaged segments that `repair` has set aside, for their user to look at.
    pub(crate) fn set_aside(&self) -> Place {
        self.root.join("damaged")
    }

    pub(crate) fn notes(&self) -> Place {
        self.root.join("notes")
    }

    pub(crate) fn tombstones(&self) -> Place {
        self.notes().join("tombstones")
    }

    pub(crate) fn tombstone(&self, tombstone: &Tombstone) -> Place {
        let (run, segment) = tombstone;
        self.tombstones().join(&format!("{run}.{segment}.json"))
    }
}

/// A removed run, and the segment whose copy of it is hidden.
pub(crate) type Tombstone = (RunId, String);

/// The run and segment that a tombstone's name is about.
pub(crate) fn parse_tombstone(name: &str) -> Option<Tombstone> {
    let (run, segment) = name.strip_suffix(".json")?.split_once('.')?;
    is_segment_name(segment).then_some((run.parse().ok()?, segment.to_owned()))
}

/// Name of a table's file.
pub(crate) fn file_name(table: &str) -> String {
    format!("{table}.parquet")
}

/// Place of a table in [`TABLES`].
pub(crate) fn table_index(name: &str) -> Option<usize> {
    TABLES.iter().position(|table| table.name == name)
}

/// Name of the stored column that numbers a table's rows from 0 within each run, for tables that
/// other tables refer to by row: with it, references are joins on (run, column) in any engine.
pub(crate) fn row_column(table: &str) -> Option<&'static str> {
    match table {
        "definitions" => Some("definition"),
        "contexts" => Some("context"),
        "locations" => Some("location"),
        "metrics" => Some("metric"),
        "grains" => Some("grain"),
        _ => None,
    }
}

/// The declared table with the given place.
pub(crate) fn table(index: usize) -> &'static TableSchema {
    debug_assert!(index < TABLE_COUNT, "places come from `table_index`");
    &TABLES[index.min(TABLE_COUNT - 1)]
}

/// Content hash of a file, as written in names and manifests.
pub(crate) fn content_hash(content: &[u8]) -> String {
    short_hash(&blake3::hash(content))
}

/// The digits of a hash that are written.
pub(crate) fn short_hash(hash: &blake3::Hash) -> String {
    hash.to_hex()
        .as_str()
        .get(..HASH_DIGITS)
        .unwrap_or_default()
        .to_owned()
}

/// Name of a freshly imported segment: its content's hash and its import, so that two imports
/// never meet and a tombstone means exactly one copy.
pub(crate) fn imported_name(hash: &str, import: &str) -> String {
    format!("{hash}-{import}")
}

/// The content hash in a segment's name.
pub(crate) fn hash_of(segment: &str) -> &str {
    segment.split_once('-').map_or(segment, |(hash, _)| hash)
}

/// Whether a folder below `segments` can be a segment.
pub(crate) fn is_segment_name(name: &str) -> bool {
    let hash = hash_of(name);
    hash.len() == HASH_DIGITS && name.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}
