//! Recordings of DAG Recorder against the recorder's own text dumps, and against the totals of an
//! independent program. `tests/grains/` compares what is computed from the tables.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop")]

mod structure;
mod tables;
mod texts;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sheaf_ingest::Hints;

use crate::comparison::{Comparison, shared};

/// A recording with the files beside it.
pub(crate) struct Recording {
    /// Folder and file without endings: `fib/mth-w2`.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl Recording {
    /// A file beside it, unpacked.
    pub(crate) fn beside(&self, ending: &str) -> Option<String> {
        let stem = self.path.to_str().unwrap().split(".dag").next().unwrap();
        text(Path::new(&format!("{stem}.{ending}")))
    }
}

/// A text, packed or not.
pub(crate) fn text(path: &Path) -> Option<String> {
    if let Ok(text) = fs::read_to_string(path) {
        return Some(text);
    }
    let packed = fs::File::open(format!("{}.gz", path.display())).ok()?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap();
    Some(text)
}

fn recordings(folder: &Path) -> Vec<Recording> {
    let mut found = Vec::new();
    for variant in fs::read_dir(folder).unwrap() {
        let variant = variant.unwrap().path();
        let Ok(files) = fs::read_dir(&variant) else {
            continue;
        };
        for file in files {
            let path = file.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
            let Some((name, _)) = name.split_once(".dag") else {
                continue;
            };
            found.push(Recording {
                name: name.to_owned(),
                bytes: fs::read(&path).unwrap(),
                path,
            });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

#[test]
fn dag_recorder() {
    let Some(folder) = shared().map(|folder| folder.join("dag-recorder")) else {
        return;
    };
    let mut comparison = Comparison::new("dag-recorder");
    let recordings = recordings(&folder);
    comparison.exact("recordings", recordings.len(), 55);
    let figures: Value =
        serde_json::from_str(&text(&folder.join("reference.json")).unwrap()).unwrap();
    for recording in &recordings {
        let name = &recording.name;
        let reading = tables::reading(recording, Hints::NONE);
        let Some(run) = reading.runs.first() else {
            comparison.differs(format!("{name}: {:?}", reading.refused));
            continue;
        };
        comparison.file();
        texts::compare(&mut comparison, recording, run);
        tables::compare(&mut comparison, recording, run, &figures["files"][name]);
    }
    structure::compare(&mut comparison, &recordings);
    comparison.finish();
}
