//! Small runs for tests, written as text.
//!
//! ```text
//! workers 4
//! core 0 1 5                     (processors of the workers, from worker 0)
//! node 0 0 1                     (their NUMA nodes)
//! task - def=main work=700 exec=1000 joined=0 on=0 end=9000 run=0+50 run=90+10
//! chunk 3 sequence=0 first=0 PAPI_RES_STL_sum=7
//! ```
//!
//! A line is a grain, numbered from 0: its kind (`initial`, `member`, `task`, `chunk`), the number of
//! its parent or `-`, and what is known of it. What is no column is a measure in cycles.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_model::table::{
    ContextRow, CounterRow, DefinitionRow, FragmentRow, GrainKind, GrainRow, LocationRow, MetricRow,
};
use sheaf_model::{RunMeta, RunSummary, RunTables, TimeUnit};

/// A run before it becomes tables.
#[derive(Debug, Clone, Default)]
pub(crate) struct Written {
    pub(crate) grains: Vec<GrainRow>,
    pub(crate) fragments: Vec<FragmentRow>,
    /// Of the grain with this number.
    pub(crate) measures: Vec<(usize, String, i64)>,
    pub(crate) locations: Vec<LocationRow>,
    pub(crate) definitions: Vec<String>,
    pub(crate) workers: Option<i64>,
}

/// The run that `text` describes.
pub(crate) fn written(text: &str) -> Written {
    let mut run = Written::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap();
        let numbers = || {
            line.split_whitespace()
                .skip(1)
                .map(|word| word.parse().unwrap())
        };
        match first {
            "workers" => run.workers = numbers().next(),
            "core" => {
                for (thread, core) in (0..).zip(numbers()) {
                    run.locations.push(LocationRow {
                        rank: 0,
                        thread,
                        core: Some(i32::try_from(core).unwrap()),
                        numa_node: None,
                    });
                }
            }
            "node" => {
                for (location, node) in run.locations.iter_mut().zip(numbers()) {
                    location.numa_node = Some(i32::try_from(node).unwrap());
                }
            }
            kind => run.grain(kind, words.next().unwrap(), words),
        }
    }
    run
}

/// The tables of the run that `text` describes.
pub(crate) fn run(text: &str) -> RunTables {
    written(text).tables()
}

impl Written {
    fn grain<'a>(&mut self, kind: &str, parent: &str, words: impl Iterator<Item = &'a str>) {
        let row = self.grains.len();
        let mut grain = GrainRow {
            path_key: i64::try_from(row).unwrap(),
            parent: parent.parse().ok(),
            kind: match kind {
                "initial" => GrainKind::Initial,
                "member" => GrainKind::Implicit,
                "chunk" => GrainKind::Chunk,
                "task" => GrainKind::Task,
                other => panic!("`{other}` is no kind"),
            } as i32,
            index: i64::try_from(row).unwrap(),
            ..GrainRow::default()
        };
        for word in words {
            let (name, value) = word.split_once('=').unwrap();
            if name == "run" {
                let (start, duration) = value.split_once('+').unwrap();
                self.fragments.push(FragmentRow {
                    grain: i32::try_from(row).unwrap(),
                    location: 0,
                    start: start.parse().unwrap(),
                    duration: duration.parse().unwrap(),
                    ended_by: 0,
                });
                continue;
            }
            if name == "def" {
                grain.context = self.definition(value);
                continue;
            }
            let value: i64 = value.parse().unwrap();
            match name {
                "key" => grain.path_key = value,
                "first" => grain.first_iteration = Some(value),
                "iterations" => grain.iterations = Some(value),
                "flags" => grain.flags = i32::try_from(value).unwrap(),
                "sequence" => grain.sequence = Some(value),
                "index" => grain.index = value,
                "joined" => grain.joined_by = Some(value),
                "on" => grain.location = Some(i32::try_from(value).unwrap()),
                "created" => grain.created = Some(value),
                "start" => grain.start = Some(value),
                "end" => grain.end = Some(value),
                "work" => grain.work = Some(value),
                "creation" => grain.creation = Some(value),
                "waiting" => grain.waiting = Some(value),
                measure => self.measures.push((row, measure.to_owned(), value)),
            }
        }
        self.grains.push(grain);
    }

    fn definition(&mut self, name: &str) -> i32 {
        let known = self.definitions.iter().position(|known| known == name);
        let row = known.unwrap_or_else(|| {
            self.definitions.push(name.to_owned());
            self.definitions.len() - 1
        });
        i32::try_from(row).unwrap()
    }

    /// The tables; a context per definition.
    pub(crate) fn tables(&self) -> RunTables {
        let mut meta = RunMeta::new("program", "text");
        meta.time_unit = TimeUnit::Ticks;
        meta.workers = self.workers;
        let mut summary = RunSummary::empty(meta);
        let names: BTreeSet<&String> = self.measures.iter().map(|measure| &measure.1).collect();
        let rows: BTreeMap<&String, i32> = names.iter().copied().zip(0..).collect();
        summary.metrics = names.into_iter().map(|name| metric(name)).collect();
        summary.locations = self.locations.iter().cloned().collect();
        summary.definitions = self
            .definitions
            .iter()
            .map(|name| definition(name))
            .collect();
        let contexts = 0..i32::try_from(self.definitions.len()).unwrap();
        summary.contexts = contexts
            .map(|row| ContextRow {
                id: [0; 16],
                parent: None,
                definition: row,
                depth: 0,
            })
            .collect();
        let mut counters: Vec<CounterRow> = self
            .measures
            .iter()
            .map(|(grain, name, value)| CounterRow {
                grain: i32::try_from(*grain).unwrap(),
                metric: rows[name],
                value: Some(*value),
                value_float: None,
            })
            .collect();
        counters.sort_by_key(|row| (row.grain, row.metric));
        let mut tables = RunTables::without_grains(summary);
        tables.grains = self.grains.iter().cloned().collect();
        tables.fragments = self.fragments.iter().cloned().collect();
        tables.counters = counters.into_iter().collect();
        tables
    }
}

fn metric(name: &str) -> MetricRow {
    MetricRow {
        name: name.to_lowercase(),
        unit: "cycles".to_owned(),
        kind: "additive".to_owned(),
        direction: "neutral".to_owned(),
        is_integer: true,
        source: Some(name.to_owned()),
        alias: None,
    }
}

fn definition(name: &str) -> DefinitionRow {
    DefinitionRow {
        id: [0; 16],
        kind: "task".to_owned(),
        name: name.to_owned(),
        ..DefinitionRow::default()
    }
}

/// The five tasks of the reference on grain-graph formats, section 4.
pub(crate) const FIVE: &str = "
    core 0 1 2
    task - def=main joined=0 index=0 on=0 work=700 creation=50 end=9000 exec_cycles=1000 overhead_cycles=300
    task 0 def=foo joined=0 index=0 on=0 work=1500 creation=60 end=8000 exec_cycles=2000 overhead_cycles=500 create_instant=100 join_instant=900
    task 1 def=bar joined=0 index=0 on=1 work=600 creation=40 end=4000 exec_cycles=600 overhead_cycles=0 create_instant=200 join_instant=1200
    task 1 def=baz joined=0 index=1 on=2 work=900 creation=40 end=4500 exec_cycles=900 overhead_cycles=0 create_instant=400 join_instant=1200
    task 1 def=qux joined=1 index=2 on=0 work=100 creation=30 end=7000 exec_cycles=100 overhead_cycles=0 create_instant=1400 join_instant=1900
";
