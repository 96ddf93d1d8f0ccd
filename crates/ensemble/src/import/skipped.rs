//! Files of walked folders that are not read: how many, and what they seem to be.

use sheaf_ingest::Guess;
use sheaf_model::Report;

/// Files of no known format, or not of the one that the user asked for.
const OTHER_FILES: &str = "skipped_other_files";
/// Those of them that may hold a run once they are decompressed.
const COMPRESSED_FILES: &str = "skipped_compressed_files";
/// Beginning of the kinds of findings that state what skipped files seem to be, one kind for each format.
const LOOKS_LIKE: &str = "looks_like_";

/// The files of one folder that are not read, in the order in which they were found.
#[derive(Default)]
pub(super) struct SkippedFiles {
    files: Vec<SkippedFile>,
}

struct SkippedFile {
    name: String,
    guess: Option<Guess>,
}

impl SkippedFiles {
    pub(super) fn add(&mut self, name: String, guess: Option<Guess>) {
        self.files.push(SkippedFile { name, guess });
    }

    /// How many files there are, and for each format that some seem to have, how many have it. The first place of each
    /// is a file with a guess if there is one: users can convert it.
    pub(super) fn report(&self) -> Report {
        let mut report = Report::default();
        let (guessed, others): (Vec<_>, Vec<_>) =
            self.files.iter().partition(|file| file.guess.is_some());
        for file in guessed.iter().chain(&others) {
            report.add(file.kind(), 1, || Some(file.shown()));
        }
        for file in guessed {
            if let Some(Guess { what, advice }) = &file.guess {
                let kind = format!("{LOOKS_LIKE}{}", what.replace(' ', "_"));
                report.add(&kind, 1, || Some(format!("{}: {advice}", file.name)));
            }
        }
        report
    }

    /// Why a folder is refused that has no other files; `wanted` is the format that the user asked for.
    pub(super) fn refusal(&self, wanted: &str) -> String {
        let count = self.files.len();
        if count == 0 {
            return "the folder holds no file".to_owned();
        }
        let guessed = self.files.iter().find(|file| file.guess.is_some());
        let guessed = guessed.map(|file| format!("; {}", file.shown()));
        let guessed = guessed.unwrap_or_default();
        format!("none of the `{count}` files in the folder has {wanted} format{guessed}")
    }
}

impl SkippedFile {
    fn kind(&self) -> &'static str {
        let ends = [".xz", ".bz2", ".lz4", ".lzma", ".zip", ".7z"];
        let name = self.name.to_ascii_lowercase();
        if ends.iter().any(|end| name.ends_with(end)) {
            COMPRESSED_FILES
        } else {
            OTHER_FILES
        }
    }

    /// Its name, and what it seems to be.
    fn shown(&self) -> String {
        match &self.guess {
            Some(guess) => format!("{}: {guess}", self.name),
            None => self.name.clone(),
        }
    }
}
