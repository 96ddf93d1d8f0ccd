//! A run reduced to what is compared.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::Array;
use sheaf_ingest::{Content, Input, NoModules, Run, Symbols, read};
use sheaf_model::{ParamValue, Progress};

/// The node of what is outside of any region.
pub(super) const NO_PATH: &str = "(no path)";

/// Between the names of a path.
const SEPARATOR: &str = "\u{1f}";

pub(super) struct Loaded {
    pub(super) window: Option<i64>,
    pub(super) ranks: i64,
    /// Call paths, names joined.
    pub(super) paths: BTreeSet<String>,
    /// Count and sum of all values, by the source's name of the metric.
    pub(super) sums: BTreeMap<String, (u64, f64)>,
    /// Sum over locations, by the metric's label or else name, and path.
    pub(super) totals: BTreeMap<String, BTreeMap<String, f64>>,
    /// How many locations have a value, likewise.
    pub(super) observations: BTreeMap<String, BTreeMap<String, i64>>,
    /// By the metric's label or else name.
    pub(super) kinds: BTreeMap<String, String>,
}

/// The runs of a file.
pub(super) fn load(name: &str, bytes: &dyn Content) -> Result<Vec<Loaded>, String> {
    let inputs = [Input::new(name, bytes)];
    let reading = read(&inputs, &Symbols::new(NoModules), &Progress::silent());
    let reading = reading.map_err(|error| error.to_string())?;
    match reading.refused.first() {
        Some((_, error)) => Err(error.to_string()),
        None => Ok(reading.runs.iter().map(reduce).collect()),
    }
}

fn row(number: i32) -> usize {
    usize::try_from(number).unwrap()
}

fn reduce(run: &Run) -> Loaded {
    let summary = &run.tables.summary;
    let name = |at: i32| summary.definitions.name.value(row(at));
    let mut paths: Vec<String> = Vec::new();
    for context in summary.contexts.rows() {
        let name = name(context.definition);
        paths.push(match context.parent {
            Some(parent) => format!("{}{SEPARATOR}{name}", paths[row(parent)]),
            None => name.to_owned(),
        });
    }
    let metrics = &summary.metrics;
    let source = |at: i32| metrics.source.value(row(at)).to_owned();
    let label = |at: i32| {
        let at = row(at);
        let labels = if metrics.alias.is_valid(at) {
            &metrics.alias
        } else {
            &metrics.source
        };
        labels.value(at).to_owned()
    };
    let mut loaded = Loaded {
        window: match summary.meta.params.get("iteration") {
            Some(ParamValue::Number(first)) => first.to_string().parse().ok(),
            _ => None,
        },
        ranks: summary.meta.ranks,
        paths: paths.iter().cloned().collect(),
        sums: BTreeMap::new(),
        totals: BTreeMap::new(),
        observations: BTreeMap::new(),
        kinds: (metrics.rows().zip(0..))
            .map(|(metric, at)| (label(at), metric.kind))
            .collect(),
    };
    for value in summary.values.rows() {
        let sum = loaded.sums.entry(source(value.metric)).or_default();
        sum.0 += u64::try_from(value.count).unwrap();
        sum.1 += value.sum_float.unwrap_or_else(|| value.sum.unwrap() as f64);
    }
    for total in summary.totals.rows() {
        let path = &paths[row(total.context)];
        let value = total.sum_float.unwrap_or_else(|| total.sum.unwrap() as f64);
        let label = label(total.metric);
        let by_path = loaded.totals.entry(label.clone()).or_default();
        by_path.insert(path.clone(), value);
        let by_path = loaded.observations.entry(label).or_default();
        by_path.insert(path.clone(), total.count);
    }
    loaded
}

impl Loaded {
    /// FNV-1a of the sorted paths, a line each.
    pub(super) fn hash(&self) -> String {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in self
            .paths
            .iter()
            .flat_map(|path| path.bytes().chain([b'\n']))
        {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        format!("{hash:016x}")
    }

    /// Sum over locations of a metric at a path, `a/b/c`; absent where nothing was measured.
    pub(super) fn value(&self, metric: &str, path: &str) -> Option<f64> {
        let path = path.replace('/', SEPARATOR);
        self.totals.get(metric)?.get(&path).copied()
    }
}
