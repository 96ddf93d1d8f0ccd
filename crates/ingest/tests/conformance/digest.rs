//! Compares all values of a run with digests of them.
//!
//! A digest is a line `FILE METRIC COUNT SUM HASH` in a table in `reference`. The script
//! beside it reads the same files with a reader of its own, which shares nothing with ours.
//! Each value is a line `path|rank.thread|value`, names of a path joined by `/`, floats with nine
//! decimals; lines are sorted, the sum is taken in that order, and the hash is 64-bit FNV-1a of
//! the lines joined by line ends. `nodes` are the paths themselves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sheaf_ingest::{Format, Input, NoModules, ReadOutcome, Run, Symbols, read};
use sheaf_model::Progress;

use crate::comparison::Comparison;

const REFERENCE: &str = concat!(
    include_str!("reference/call-profiles.txt"),
    include_str!("reference/hpctoolkit.txt"),
);

/// Reads files of one format; counts each, and notes those that are refused.
pub(crate) fn read_files(
    comparison: &mut Comparison,
    format: Format,
    paths: &[PathBuf],
) -> ReadOutcome {
    let contents: Vec<(String, Vec<u8>)> = paths
        .iter()
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .collect();
    let inputs: Vec<Input<'_>> = contents
        .iter()
        .map(|(name, bytes)| Input::new(name, bytes))
        .collect();
    let reading = read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap();
    for _ in paths {
        comparison.file();
    }
    for (at, error) in &reading.refused {
        comparison.differs(format!("{} is refused: {error}", contents[*at].0));
    }
    for run in &reading.runs {
        comparison.exact("format", run.format, format);
    }
    reading
}

/// The file's name.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Compares every metric of the run with the reference lines of `file`.
pub(crate) fn compare(comparison: &mut Comparison, file: &str, run: &Run) {
    let ours = digests(run);
    let reference: BTreeMap<String, String> = REFERENCE
        .lines()
        .filter_map(|line| line.strip_prefix(file)?.strip_prefix(' ')?.split_once(' '))
        .map(|(metric, rest)| (metric.to_owned(), rest.to_owned()))
        .collect();
    let metrics: Vec<&String> = ours.keys().collect();
    comparison.exact(
        &format!("{file} metrics"),
        metrics,
        reference.keys().collect(),
    );
    for (metric, (digest, lines)) in &ours {
        let what = format!("{file} {metric}");
        let Some(theirs) = reference.get(metric) else {
            continue;
        };
        if digest != theirs {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("digests");
            fs::create_dir_all(&folder).unwrap();
            fs::write(
                folder.join(format!("{file} {metric}.txt")),
                lines.join("\n"),
            )
            .unwrap();
            comparison.differs(format!("{what}: ours {digest}, reference {theirs}"));
        }
        // The digest stands for each of its values.
        for _ in lines {
            comparison.exact(&what, true, true);
        }
    }
}

type Digests = BTreeMap<String, (String, Vec<String>)>;

fn digests(run: &Run) -> Digests {
    let summary = &run.tables.summary;
    let mut paths: Vec<String> = Vec::new();
    for context in summary.contexts.rows() {
        let name = summary
            .definitions
            .row(usize::try_from(context.definition).unwrap())
            .name;
        let path = match context.parent {
            Some(parent) => format!("{}/{name}", paths[usize::try_from(parent).unwrap()]),
            None => name,
        };
        paths.push(path);
    }
    let locations: Vec<_> = summary.locations.rows().collect();
    let metrics: Vec<String> = summary.metrics.rows().map(|metric| metric.name).collect();
    let mut values: BTreeMap<&str, Vec<(String, f64)>> = BTreeMap::new();
    for value in summary.values.rows() {
        let path = &paths[usize::try_from(value.context).unwrap()];
        let place = &locations[usize::try_from(value.location).unwrap()];
        let metric = &metrics[usize::try_from(value.metric).unwrap()];
        let (text, number) = match (value.sum, value.sum_float) {
            (Some(sum), _) => (sum.to_string(), sum as f64),
            (None, Some(sum)) => (format!("{sum:.9}"), sum),
            (None, None) => continue,
        };
        let line = format!("{path}|{}.{}|{text}", place.rank, place.thread);
        values.entry(metric).or_default().push((line, number));
    }
    let nodes = paths.iter().map(|path| (path.clone(), 1.0)).collect();
    values.insert("nodes", nodes);
    values
        .into_iter()
        .map(|(metric, lines)| (metric.to_owned(), digest(lines)))
        .collect()
}

fn digest(mut lines: Vec<(String, f64)>) -> (String, Vec<String>) {
    lines.sort_by(|a, b| a.0.cmp(&b.0));
    let sum: f64 = lines.iter().map(|(_, number)| number).sum();
    let lines: Vec<String> = lines.into_iter().map(|(line, _)| line).collect();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in lines.join("\n").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    (format!("{} {sum:.6} {hash:016x}", lines.len()), lines)
}
