//! Seeded changes of samples.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Texts that formats have uses for.
const TOKENS: &[&[u8]] = &[
    b"\"",
    b"'",
    b"<",
    b">",
    b"]]>",
    b"&#0;",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\n",
    b"\r",
    b"\0",
    b"=",
    b"\\",
    b"NaN",
    b"-1",
    b"1e999",
    b"-0.0",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"18446744073709551615",
    b"4294967295",
    b"\xff\xfe",
    b"\\ud800",
    "\u{202e}".as_bytes(),
    b"null",
    b"true",
];

/// Numbers that bounds are near to.
const NUMBERS: &[u64] = &[
    0,
    1,
    2,
    127,
    128,
    255,
    32_767,
    65_535,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 53,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// A file, or the files of a database, by name.
#[derive(Clone)]
pub(crate) struct Sample {
    files: Vec<(String, Vec<u8>)>,
}

impl Sample {
    /// Writes it as a folder.
    pub(crate) fn write(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        for (name, bytes) in &self.files {
            fs::write(folder.join(name), bytes).unwrap();
        }
    }
}

/// The committed samples of a format.
pub(crate) fn samples(format: &str) -> Vec<Sample> {
    let folder = if format == "trace" {
        Path::new(ROOT).join("crates/ingest/fuzz/seeds")
    } else {
        Path::new(ROOT).join("data/samples").join(format)
    };
    let mut samples = Vec::new();
    for path in entries(&folder) {
        let files = if path.is_dir() {
            entries(&path)
        } else {
            vec![path]
        };
        let files = files.iter().filter(|path| !is_document(path));
        let files: Vec<_> = files
            .map(|path| (name_of(path), fs::read(path).unwrap()))
            .collect();
        if !files.is_empty() {
            samples.push(Sample { files });
        }
    }
    assert!(!samples.is_empty(), "no samples in {}", folder.display());
    samples
}

fn is_document(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    matches!(end, Some("c" | "cpp" | "md" | "py" | "sh"))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// A seeded generator (`SplitMix64`).
pub(crate) struct Mutator(u64);

impl Mutator {
    pub(crate) fn new(format: &str, number: u64) -> Self {
        let mut mutator = Self(number);
        for byte in format.bytes() {
            mutator.0 = mutator.next() ^ u64::from(byte);
        }
        mutator
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() >> 1).unwrap() % count.max(1)
    }

    /// A sample with one to eight changes, mostly few.
    pub(crate) fn mutant(&mut self, samples: &[Sample]) -> Sample {
        let mut sample = samples[self.below(samples.len())].clone();
        let other = &samples[self.below(samples.len())];
        let most = 1 + self.below(8);
        let changes = 1 + self.below(most);
        for _ in 0..changes {
            let file = self.below(sample.files.len());
            let foreign = &other.files[self.below(other.files.len())].1;
            self.change(&mut sample.files[file].1, foreign);
        }
        sample
    }

    fn range(&mut self, len: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        let size = self.below(most.min(len - start) + 1);
        start..start + size
    }

    fn change(&mut self, bytes: &mut Vec<u8>, foreign: &[u8]) {
        if bytes.is_empty() {
            bytes.extend_from_slice(foreign);
            return;
        }
        // Headers get their share.
        let reach = if self.below(4) == 0 {
            bytes.len().min(256)
        } else {
            bytes.len()
        };
        let at = self.below(reach);
        match self.below(11) {
            0 => bytes[at] ^= 1 << self.below(8),
            1 => bytes[at] = u8::try_from(self.below(256)).unwrap(),
            2 => self.put_number(bytes, at),
            3 => drop(bytes.drain(self.range(bytes.len(), 64))),
            4 => {
                let piece = bytes[self.range(bytes.len(), 256)].to_vec();
                bytes.splice(at..at, piece);
            }
            5 => {
                let token = TOKENS[self.below(TOKENS.len())];
                bytes.splice(at..at, token.iter().copied());
            }
            6 => {
                let token = TOKENS[self.below(TOKENS.len())];
                let end = bytes.len().min(at + token.len());
                bytes.splice(at..end, token.iter().copied());
            }
            7 => self.replace_digits(bytes, at),
            8 => {
                let piece = foreign[self.range(foreign.len(), 512)].to_vec();
                bytes.splice(at..at, piece);
            }
            9 => bytes.truncate(at),
            _ => {
                let piece = bytes[at..bytes.len().min(at + 32)].repeat(1 + self.below(40));
                bytes.splice(at..at, piece);
            }
        }
    }

    fn put_number(&mut self, bytes: &mut [u8], at: usize) {
        let number = NUMBERS[self.below(NUMBERS.len())];
        let width = [1, 2, 4, 8][self.below(4)];
        let mut encoded = number.to_le_bytes();
        if self.below(4) == 0 {
            encoded[..width].reverse();
        }
        for (byte, new) in bytes[at..].iter_mut().zip(&encoded[..width]) {
            *byte = *new;
        }
    }

    /// Replaces the next number that is written in digits.
    fn replace_digits(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let Some(start) = (at..bytes.len()).find(|&at| bytes[at].is_ascii_digit()) else {
            return;
        };
        let end = (start..bytes.len()).find(|&at| !bytes[at].is_ascii_digit());
        let number = NUMBERS[self.below(NUMBERS.len())].to_string();
        let sign = if self.below(5) == 0 { "-" } else { "" };
        let text = format!("{sign}{number}");
        bytes.splice(start..end.unwrap_or(bytes.len()), text.into_bytes());
    }
}
