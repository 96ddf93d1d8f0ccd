//! The samples of a format, as inputs.

use std::fs;
use std::path::{Path, PathBuf};

use sheaf_ingest::{Input, NoModules, ReadOutcome, Symbols, read};
use sheaf_model::Progress;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/samples");
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

/// A file, or the files of a database, by name.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) format: String,
    pub(crate) name: String,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// The samples of a format, by name.
pub(crate) fn of(format: &str) -> Vec<Sample> {
    let folder = Path::new(SAMPLES).join(format);
    let samples: Vec<Sample> = entries(&folder)
        .into_iter()
        .filter(|path| !is_document(path))
        .map(|path| {
            let paths = if path.is_dir() {
                entries(&path)
            } else {
                vec![path.clone()]
            };
            Sample {
                format: format.to_owned(),
                name: name_of(&path),
                files: paths
                    .iter()
                    .map(|path| (name_of(path), fs::read(path).unwrap()))
                    .collect(),
            }
        })
        .collect();
    assert!(!samples.is_empty(), "no samples in {}", folder.display());
    samples
}

/// Programs and notes beside the samples.
fn is_document(path: &Path) -> bool {
    let ends = ["c", "cpp", "md", "py", "sh"];
    path.extension()
        .is_some_and(|end| ends.iter().any(|document| end == *document))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

impl Sample {
    /// The sample with other contents.
    pub(crate) fn with_files(&self, files: Vec<(String, Vec<u8>)>) -> Self {
        Self {
            files,
            ..self.clone()
        }
    }

    pub(crate) fn read(&self) -> ReadOutcome {
        let inputs: Vec<Input<'_>> = self
            .files
            .iter()
            .map(|(name, bytes)| Input::new(name, bytes))
            .collect();
        read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap()
    }

    pub(crate) fn check_golden(&self, text: &str) {
        let folder = Path::new(GOLDEN).join(&self.format);
        let path = folder.join(format!("{}.txt", self.name));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, text).unwrap();
        }
        let expected = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; run `make golden`", path.display()));
        assert_eq!(text, expected, "{}", path.display());
    }
}
