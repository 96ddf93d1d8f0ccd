//! The manifest of a segment: its runs, their metadata and rows, and the checksum of every file.
//!
//! Rows of a table stand in the order of the manifest's runs, so a run's row range is the sum of
//! the rows of the runs before it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use sheaf_model::table::SCHEMA_VERSION;
use sheaf_model::{MessagePair, Messages, ParamValue, RunMeta, RunSource};

use crate::Error;
use crate::layout::{
    MANIFEST, MANIFEST_VERSION, TABLE_COUNT, TableRows, WRITER_VERSION, content_hash, hash_of,
    table, table_index,
};

/// A manifest to be written.
#[derive(Debug, Serialize)]
pub(crate) struct Manifest {
    format_version: u32,
    schema_version: u32,
    writer_version: u32,
    runs: Vec<RunEntry>,
    files: Vec<FileEntry>,
}

/// The parts of a manifest that readers use.
#[derive(Debug, Deserialize)]
pub(crate) struct Contents {
    pub(crate) writer_version: u32,
    /// The runs with their rows per table.
    #[serde(deserialize_with = "decode_runs")]
    pub(crate) runs: Vec<(Arc<RunMeta>, TableRows)>,
    pub(crate) files: Vec<FileEntry>,
}

/// One run of a segment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct RunEntry {
    id: String,
    name: String,
    program: String,
    format: String,
    time_unit: String,
    is_complete: bool,
    elapsed: Option<i64>,
    reference_elapsed_ns: Option<i64>,
    workers: Option<i64>,
    ranks: i64,
    grains: i64,
    params: BTreeMap<String, Parameter>,
    warnings: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    lacks: BTreeMap<String, String>,
    /// Rows per table, without the tables that have none.
    rows: BTreeMap<String, u64>,
    /// Absent in manifests of earlier versions.
    #[serde(default, skip_serializing_if = "SourceEntry::is_absent")]
    source: SourceEntry,
    /// Absent in manifests of earlier versions, and without MPI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    messages: Option<MessagesEntry>,
}

/// Messages between ranks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct MessagesEntry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ideal_elapsed: Option<i64>,
    calls: u64,
    kept_calls: u64,
    messages: u64,
    unmatched: u64,
    /// Sender, receiver, messages, bytes.
    pairs: Vec<(u32, u32, u64, u64)>,
}

/// The source of a run. One that is known comes before one that is not, so that adding a file again gives its source to a
/// run of an earlier version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct SourceEntry(Option<Source>);

/// The files that a run was read from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Source {
    file: String,
    files: u64,
    bytes: u64,
    reader: String,
}

/// A typed parameter; the value is a text that reads back exactly in every language.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Parameter {
    r#type: String,
    value: String,
}

/// One file of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    pub(crate) table: String,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    pub(crate) blake3: String,
}

/// What is read before the rest can be trusted to have the expected shape.
#[derive(Deserialize)]
struct Versions {
    format_version: u32,
    #[serde(default)]
    schema_version: Option<u32>,
}

impl Manifest {
    pub(crate) fn new(runs: Vec<RunEntry>, files: Vec<FileEntry>) -> Self {
        Self {
            format_version: MANIFEST_VERSION,
            schema_version: SCHEMA_VERSION,
            writer_version: WRITER_VERSION,
            runs,
            files,
        }
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = serde_json::to_vec(self)
            .map_err(|source| Error::internal("describe a segment", source))?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

impl Contents {
    /// Reads the manifest of segment `name`, whose name holds the hash of these bytes.
    pub(crate) fn parse(name: &str, path: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let damaged = |reason: String| Error::damaged(name, MANIFEST, reason);
        let versions: Versions = serde_json::from_slice(bytes)
            .map_err(|source| damaged(format!("its manifest is unreadable ({source})")))?;
        check_version("segment", versions.format_version, MANIFEST_VERSION, path)?;
        let schema_version = versions.schema_version.unwrap_or_default();
        // Later schemas only add what can be absent.
        let readable = schema_version.clamp(OLDEST_SCHEMA_VERSION, SCHEMA_VERSION);
        check_version("table schema", schema_version, readable, path)?;
        if content_hash(bytes) != hash_of(name) {
            return Err(damaged("its manifest is not the published one".to_owned()));
        }
        serde_json::from_slice(bytes)
            .map_err(|source| damaged(format!("its manifest is unreadable ({source})")))
    }
}

/// Decodes each run as soon as it is read, so that a run in text is in memory only once.
fn decode_runs<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(Arc<RunMeta>, TableRows)>, D::Error> {
    struct Runs;
    impl<'de> Visitor<'de> for Runs {
        type Value = Vec<(Arc<RunMeta>, TableRows)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of runs")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            let mut runs = Vec::new();
            while let Some(entry) = entries.next_element::<RunEntry>()? {
                let (meta, rows) = entry.decode().map_err(A::Error::custom)?;
                runs.push((Arc::new(meta), rows));
            }
            Ok(runs)
        }
    }
    deserializer.deserialize_seq(Runs)
}

/// Oldest version of the table schema that is read.
const OLDEST_SCHEMA_VERSION: u32 = 1;

/// Refuses versions other than the supported one.
pub(crate) fn check_version(
    what: &'static str,
    found: u32,
    supported: u32,
    path: &Path,
) -> Result<(), Error> {
    let path = path.to_owned();
    match found.cmp(&supported) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(Error::NewerVersion {
            what,
            found,
            supported,
            path,
        }),
        std::cmp::Ordering::Less => Err(Error::OlderVersion {
            what,
            found,
            supported,
            path,
        }),
    }
}

impl RunEntry {
    pub(crate) fn new(meta: &RunMeta, rows: &TableRows) -> Self {
        let params = meta.params.iter();
        let rows = rows.iter().enumerate().filter(|(_, rows)| **rows > 0);
        Self {
            id: meta.id.to_string(),
            name: meta.name.clone(),
            program: meta.program.clone(),
            format: meta.format.clone(),
            time_unit: meta.time_unit.to_string(),
            is_complete: meta.is_complete,
            elapsed: meta.elapsed,
            reference_elapsed_ns: meta.reference_elapsed_ns,
            workers: meta.workers,
            ranks: meta.ranks,
            grains: meta.grains,
            params: params
                .map(|(key, value)| (key.clone(), Parameter::new(value)))
                .collect(),
            warnings: meta.warnings.clone(),
            lacks: meta.lacks.clone(),
            rows: rows
                .map(|(index, rows)| (table(index).name.to_owned(), *rows))
                .collect(),
            source: SourceEntry::new(meta.source.as_ref()),
            messages: meta.messages.as_ref().map(MessagesEntry::new),
        }
    }

    /// The run as it was imported; the error names the invalid part.
    pub(crate) fn decode(self) -> Result<(RunMeta, TableRows), String> {
        let mut params = BTreeMap::new();
        for (key, parameter) in self.params {
            params.insert(key, parameter.decode()?);
        }
        let mut rows = [0; TABLE_COUNT];
        for (name, count) in &self.rows {
            let slot = table_index(name).and_then(|index| rows.get_mut(index));
            *slot.ok_or_else(|| format!("unknown table `{name}`"))? = *count;
        }
        let meta = RunMeta {
            id: self
                .id
                .parse()
                .map_err(|error: sheaf_model::Error| error.to_string())?,
            name: self.name,
            program: self.program,
            format: self.format,
            time_unit: self.time_unit.parse()?,
            is_complete: self.is_complete,
            elapsed: self.elapsed,
            reference_elapsed_ns: self.reference_elapsed_ns,
            workers: self.workers,
            ranks: self.ranks,
            grains: self.grains,
            params,
            warnings: self.warnings,
            lacks: self.lacks,
            source: self.source.decode(),
            messages: self.messages.map(MessagesEntry::decode),
        };
        Ok((meta, rows))
    }
}

impl MessagesEntry {
    fn new(messages: &Messages) -> Self {
        let pairs = messages.pairs.iter();
        Self {
            ideal_elapsed: messages.ideal_elapsed,
            calls: messages.calls,
            kept_calls: messages.kept_calls,
            messages: messages.messages,
            unmatched: messages.unmatched,
            pairs: pairs
                .map(|pair| (pair.from, pair.to, pair.messages, pair.bytes))
                .collect(),
        }
    }

    fn decode(self) -> Messages {
        let pairs = self.pairs.into_iter();
        Messages {
            ideal_elapsed: self.ideal_elapsed,
            calls: self.calls,
            kept_calls: self.kept_calls,
            messages: self.messages,
            unmatched: self.unmatched,
            pairs: pairs
                .map(|(from, to, messages, bytes)| MessagePair {
                    from,
                    to,
                    messages,
                    bytes,
                })
                .collect(),
        }
    }
}

impl SourceEntry {
    fn new(source: Option<&RunSource>) -> Self {
        Self(source.map(|source| Source {
            file: source.file.clone(),
            files: source.files,
            bytes: source.bytes,
            reader: source.reader.clone(),
        }))
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    fn decode(self) -> Option<RunSource> {
        let source = self.0?;
        Some(RunSource {
            file: source.file,
            files: source.files,
            bytes: source.bytes,
            reader: source.reader,
        })
    }
}

impl Ord for SourceEntry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.is_absent(), &self.0).cmp(&(other.is_absent(), &other.0))
    }
}

impl PartialOrd for SourceEntry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Parameter {
    fn new(value: &ParamValue) -> Self {
        Self {
            r#type: value.type_name().to_owned(),
            value: value.to_string(),
        }
    }

    fn decode(self) -> Result<ParamValue, String> {
        let value = self.value;
        let decoded = match self.r#type.as_str() {
            "number" => value.parse().ok().map(ParamValue::Number),
            "boolean" => value.parse().ok().map(ParamValue::Boolean),
            "time" => value.parse().ok().map(ParamValue::Time),
            "text" => return Ok(ParamValue::Text(value)),
            _ => None,
        };
        decoded.ok_or_else(|| format!("`{value}` is not a parameter of type `{}`", self.r#type))
    }
}
