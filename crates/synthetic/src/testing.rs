//! Runs written as text, for tests.
//!
//! ```text
//! metric load ratio intensive float       (unit, kind, float; additive integers in ns otherwise)
//! def dot module=libm.so file=dot.c line=7 kind=task name=dot:7 function=dot ordinal=1
//! run a threads=8 ~ranks=0,1
//!   main work_ns 10@0 20@1                (value@rank, or value@rank.thread; value*count)
//!   main/solve/dot work_ns 5@0 ; load 0.5@0
//!   main/idle                             (a context without values)
//! ```
//!
//! A name that no `def` line describes is a function. `~ranks` adds locations without values,
//! `~workers=4` how many workers it had, `~source=Time` the source's name of every metric, `~alias=Time` its label, `~no-values` and `~no-totals` leave out a table.
#![expect(
    clippy::unwrap_used,
    reason = "a mistake in the text of a test ends the test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_model::table::{
    ContextRow, Contexts, DefinitionRow, LocationRow, MetricRow, TotalRow, Totals, ValueRow, Values,
};
use sheaf_model::{ContextId, DefinitionId, ParamValue, RunId, RunMeta, RunSummary};

#[derive(Default, Clone)]
struct Facts {
    metrics: BTreeMap<String, Vec<String>>,
    definitions: BTreeMap<String, BTreeMap<String, String>>,
}

/// Value and count by rank and thread.
type ByLocation = BTreeMap<(i32, i32), (f64, i64)>;

#[derive(Default)]
struct Written {
    header: Vec<String>,
    /// Values by path, metric and location.
    contexts: BTreeMap<Vec<String>, BTreeMap<String, ByLocation>>,
}

/// The runs that `text` describes, in its order.
///
/// # Panics
/// If the text is not as described.
pub fn runs(text: &str) -> Vec<Arc<RunSummary>> {
    let mut facts = Facts::default();
    let mut written: Vec<Written> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match words[0].as_str() {
            "metric" => {
                facts.metrics.insert(words[1].clone(), words[2..].to_vec());
            }
            "def" => {
                facts
                    .definitions
                    .insert(words[1].clone(), pairs(&words[2..]));
            }
            "run" => written.push(Written {
                header: words[1..].to_vec(),
                ..Written::default()
            }),
            _ => written.last_mut().unwrap().context(&words),
        }
    }
    written
        .into_iter()
        .map(|run| Arc::new(run.summary(&facts)))
        .collect()
}

fn pairs(words: &[String]) -> BTreeMap<String, String> {
    let pair = |word: &String| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        (name.to_owned(), value.to_owned())
    };
    words.iter().map(pair).collect()
}

impl Written {
    fn context(&mut self, words: &[String]) {
        let path: Vec<String> = words[0].split('/').map(str::to_owned).collect();
        for length in 1..=path.len() {
            self.contexts.entry(path[..length].to_vec()).or_default();
        }
        let values = self.contexts.get_mut(&path).unwrap();
        for part in words[1..]
            .split(|word| word == ";")
            .filter(|part| !part.is_empty())
        {
            for value in &part[1..] {
                let (value, place) = value.split_once('@').unwrap_or((value, "0"));
                let (value, count) = value.split_once('*').unwrap_or((value, "1"));
                let (rank, thread) = place.split_once('.').unwrap_or((place, "0"));
                values.entry(part[0].clone()).or_default().insert(
                    (rank.parse().unwrap(), thread.parse().unwrap()),
                    (value.parse().unwrap(), count.parse().unwrap()),
                );
            }
        }
    }

    fn summary(self, facts: &Facts) -> RunSummary {
        let header = pairs(&self.header[1..]);
        let mut summary = RunSummary::empty(self.meta(&header));
        let names: BTreeSet<&String> = self.contexts.keys().flatten().collect();
        let ids: BTreeMap<DefinitionId, &String> = names
            .iter()
            .map(|&name| (definition_id(facts, name), name))
            .collect();
        summary.definitions = ids
            .iter()
            .map(|(id, name)| definition(facts, *id, name))
            .collect();
        let row_of: BTreeMap<&String, i32> = ids.values().copied().zip(0..).collect();
        // Children stand in order of their definitions' ids.
        let mut paths: Vec<&Vec<String>> = self.contexts.keys().collect();
        paths.sort_by_key(|path| path.iter().map(|name| row_of[name]).collect::<Vec<_>>());
        summary.contexts = contexts(&paths, &row_of, facts);
        let locations = self.locations(&header);
        summary.locations = locations
            .iter()
            .map(|&(rank, thread)| location(rank, thread))
            .collect();
        let metrics: BTreeSet<&String> = self.contexts.values().flat_map(BTreeMap::keys).collect();
        summary.metrics = metrics
            .iter()
            .map(|name| metric(facts, name, &header))
            .collect();
        let mut values = Vec::new();
        for (context, path) in (0..).zip(&paths) {
            for (metric, name) in (0..).zip(&metrics) {
                for (place, (value, count)) in self.contexts[*path].get(*name).into_iter().flatten()
                {
                    let location = locations.iter().position(|other| other == place).unwrap();
                    let is_integer = summary
                        .metrics
                        .is_integer
                        .value(usize::try_from(metric).unwrap());
                    values.push(ValueRow {
                        context,
                        metric,
                        location: i32::try_from(location).unwrap(),
                        count: *count,
                        #[expect(
                            clippy::cast_possible_truncation,
                            reason = "written as an integer"
                        )]
                        sum: is_integer.then_some(*value as i64),
                        sum_float: (!is_integer).then_some(*value),
                    });
                }
            }
        }
        let has_totals = !header.contains_key("~no-totals");
        if has_totals {
            summary.totals = totals(&values);
        }
        if !header.contains_key("~no-values") {
            summary.values = values.into_iter().collect::<Values>();
        }
        if has_totals {
            summary.validate().unwrap();
        }
        summary
    }

    fn meta(&self, header: &BTreeMap<String, String>) -> RunMeta {
        let name = self.header[0].clone();
        let mut id = [0; 16];
        for (place, byte) in id.iter_mut().zip(name.bytes()) {
            *place = byte;
        }
        let params = header.iter().filter(|(name, _)| !name.starts_with('~'));
        RunMeta {
            name,
            id: RunId(id),
            params: params
                .map(|(name, value)| (name.clone(), ParamValue::infer(value)))
                .collect(),
            workers: header
                .get("~workers")
                .map(|workers| workers.parse().unwrap()),
            ..RunMeta::new("program", "text")
        }
    }

    fn locations(&self, header: &BTreeMap<String, String>) -> Vec<(i32, i32)> {
        let used = self
            .contexts
            .values()
            .flat_map(BTreeMap::values)
            .flat_map(BTreeMap::keys);
        let mut locations: BTreeSet<(i32, i32)> = used.copied().collect();
        let ranks = header.get("~ranks").map_or("", String::as_str).split(',');
        locations.extend(ranks.filter_map(|rank| Some((rank.parse().ok()?, 0))));
        locations.into_iter().collect()
    }
}

fn definition_id(facts: &Facts, name: &str) -> DefinitionId {
    let facts = facts.definitions.get(name).cloned().unwrap_or_default();
    let kind = facts.get("kind").map_or("function", String::as_str);
    let function = facts.get("function").map_or(name, String::as_str);
    let ordinal = facts.get("ordinal").map_or(0, |it| it.parse().unwrap());
    DefinitionId::new(kind, function, ordinal)
}

fn definition(facts: &Facts, id: DefinitionId, name: &str) -> DefinitionRow {
    let facts = facts.definitions.get(name).cloned().unwrap_or_default();
    DefinitionRow {
        id: id.0,
        kind: facts
            .get("kind")
            .cloned()
            .unwrap_or_else(|| "function".to_owned()),
        name: facts
            .get("name")
            .cloned()
            .unwrap_or_else(|| name.to_owned()),
        function: Some(
            facts
                .get("function")
                .cloned()
                .unwrap_or_else(|| name.to_owned()),
        ),
        file: facts.get("file").cloned(),
        line: facts.get("line").map(|line| line.parse().unwrap()),
        module: facts.get("module").cloned(),
        ordinal: facts.get("ordinal").map_or(0, |it| it.parse().unwrap()),
        site: None,
    }
}

fn contexts(paths: &[&Vec<String>], row_of: &BTreeMap<&String, i32>, facts: &Facts) -> Contexts {
    let row = |path: &[String]| paths.iter().position(|other| other.as_slice() == path);
    let id = |path: &[String]| {
        let mut definitions = path.iter().map(|name| definition_id(facts, name));
        let root = ContextId::root(definitions.next().unwrap());
        definitions.fold(root, ContextId::child)
    };
    let context = |path: &&Vec<String>| ContextRow {
        id: id(path).0,
        parent: row(&path[..path.len() - 1]).map(|row| i32::try_from(row).unwrap()),
        definition: row_of[path.last().unwrap()],
        depth: i32::try_from(path.len() - 1).unwrap(),
    };
    paths.iter().map(context).collect()
}

fn location(rank: i32, thread: i32) -> LocationRow {
    LocationRow {
        rank,
        thread,
        core: None,
        numa_node: None,
    }
}

fn metric(facts: &Facts, name: &str, header: &BTreeMap<String, String>) -> MetricRow {
    let words = facts.metrics.get(name).cloned().unwrap_or_default();
    let is = |word: &str| words.iter().any(|other| other == word);
    let first = |known: &[&str], default: &str| {
        known
            .iter()
            .find(|word| is(word))
            .map_or_else(|| default.to_owned(), |&word| word.to_owned())
    };
    MetricRow {
        name: name.to_owned(),
        unit: first(&["s", "ticks", "ratio", "count", "bytes", "unknown"], "ns"),
        kind: first(&["inclusive", "intensive"], "additive"),
        direction: first(&["neutral", "higher_is_better"], "higher_is_worse"),
        is_integer: !is("float"),
        source: header.get("~source").cloned(),
        alias: header.get("~alias").cloned(),
    }
}

fn totals(values: &[ValueRow]) -> Totals {
    values
        .chunk_by(|a, b| (a.context, a.metric) == (b.context, b.metric))
        .map(|rows| {
            let integers = || rows.iter().filter_map(|row| row.sum);
            let floats = || rows.iter().filter_map(|row| row.sum_float);
            let is_integer = integers().next().is_some();
            TotalRow {
                context: rows[0].context,
                metric: rows[0].metric,
                count: rows.iter().map(|row| row.count).sum(),
                sum: is_integer.then(|| integers().sum()),
                min: integers().min(),
                max: integers().max(),
                sum_squares: None,
                sum_float: (!is_integer).then(|| floats().sum()),
                min_float: floats().reduce(f64::min),
                max_float: floats().reduce(f64::max),
                sketch_buckets: Vec::new(),
                sketch_counts: Vec::new(),
            }
        })
        .collect()
}

/// A number as short as it can be.
pub fn short(value: f64) -> String {
    ((value * 1000.0).round() / 1000.0).to_string()
}

/// Values per run: a number, or `-` where there is none.
pub fn by_run(values: &[Option<f64>]) -> String {
    let texts: Vec<String> = values
        .iter()
        .map(|value| value.map_or_else(|| "-".to_owned(), short))
        .collect();
    texts.join(" ")
}
