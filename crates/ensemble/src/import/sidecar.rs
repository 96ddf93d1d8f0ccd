//! `grainsheaf.toml`: what people say of files, in a file beside them.

mod parse;
mod write;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glob::{MatchOptions, Pattern};
use sheaf_ingest::Parentage;
use sheaf_model::ParamValue;

use super::name_pattern::NamePattern;
use super::open::open_regular;
use crate::Error;
pub(crate) use write::quoted;

/// Name of the file that describes the files beside it and in folders below.
pub const SIDECAR: &str = "grainsheaf.toml";

/// A larger description is none that a person or `record` wrote.
const MAX_BYTES: u64 = 16 << 20;

/// A description of files: what holds for all, and sections for some.
///
/// ```
/// use sheaf_ensemble::Sidecar;
/// let text = "[params]\nversion = '1.3'\n\n[[files]]\nmatch = '*.cali'\nclock-hz = 2.1e9\n";
/// assert!(Sidecar::parse(text, "grainsheaf.toml".as_ref()).is_ok());
/// let error = Sidecar::parse("[parms]\n", "grainsheaf.toml".as_ref()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown key `parms`; did you mean `params`? at line 1, column 2: grainsheaf.toml"
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sidecar {
    /// Where paths of sections begin.
    folder: PathBuf,
    general: SidecarEntry,
    sections: Vec<Section>,
}

/// Descriptions of files.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SidecarEntry {
    pub(super) params_from: Vec<NamePattern>,
    pub(super) params: BTreeMap<String, ParamValue>,
    pub(super) name: Option<String>,
    pub(super) clock_hz: Option<f64>,
    pub(super) workers: Option<i64>,
    pub(super) parentage: Option<Parentage>,
    /// Content of the file that was named.
    pub(super) task_graph: Option<String>,
    pub(super) reference_elapsed_ns: Option<i64>,
    pub(super) is_complete: Option<bool>,
}

#[derive(Debug, Clone, PartialEq)]
struct Section {
    /// One of these has to match.
    patterns: Vec<Pattern>,
    entry: SidecarEntry,
}

impl Sidecar {
    /// Reads a description from a file.
    ///
    /// # Errors
    /// When it cannot be read or understood.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::parse(&text_of(path)?, path)
    }

    /// Reads a description from its text; `path` is where it is or would be.
    ///
    /// # Errors
    /// When it is no TOML, has a key that nothing is known of, or a value that does not fit.
    pub fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        parse::parse(text, path)
    }

    /// A description that gives parameters to every file.
    pub fn of_params(params: BTreeMap<String, ParamValue>) -> Self {
        let general = SidecarEntry {
            params,
            ..SidecarEntry::default()
        };
        Self {
            general,
            ..Self::default()
        }
    }

    /// Descriptions of the file at `path`, the most particular last.
    pub(super) fn of(&self, path: &Path) -> impl Iterator<Item = &SidecarEntry> {
        let within = path.strip_prefix(&self.folder).unwrap_or(path);
        let within = within.to_string_lossy().into_owned();
        let name = path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let fits = move |pattern: &Pattern| {
            // A pattern of a name alone is about files in every folder below.
            let subject = if pattern.as_str().contains('/') {
                &within
            } else {
                &name
            };
            let options = MatchOptions {
                require_literal_separator: true,
                ..MatchOptions::new()
            };
            pattern.matches_with(subject, options)
        };
        let sections = self.sections.iter();
        let fitting = sections.filter(move |section| section.patterns.iter().any(&fits));
        std::iter::once(&self.general).chain(fitting.map(|section| &section.entry))
    }
}

/// Descriptions in folders, each read once.
#[derive(Debug, Default)]
pub(super) struct Sidecars {
    folders: BTreeMap<PathBuf, Option<Arc<Sidecar>>>,
}

impl Sidecars {
    /// The description in `folder`, when there is one.
    pub(super) fn in_folder(&mut self, folder: &Path) -> Result<Option<Arc<Sidecar>>, Error> {
        if let Some(known) = self.folders.get(folder) {
            return Ok(known.clone());
        }
        let path = folder.join(SIDECAR);
        let sidecar = if path.is_file() {
            Some(Arc::new(Sidecar::parse(&text_of_regular(&path)?, &path)?))
        } else {
            None
        };
        self.folders.insert(folder.to_owned(), sidecar.clone());
        Ok(sidecar)
    }
}

/// The text of a file that the user named, of a size that fits.
fn text_of(path: &Path) -> Result<String, Error> {
    read_text(path, File::open(path))
}

/// The text of a regular file that a description names; nothing else is opened.
fn text_of_regular(path: &Path) -> Result<String, Error> {
    read_text(path, open_regular(path))
}

fn read_text(path: &Path, file: io::Result<File>) -> Result<String, Error> {
    let cannot_read = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    let mut text = String::new();
    let file = file.map_err(cannot_read)?;
    let len = file
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(cannot_read)?;
    if len as u64 > MAX_BYTES {
        let reason = format!("more than {} MB", MAX_BYTES >> 20);
        return Err(cannot_read(io::Error::other(reason)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
