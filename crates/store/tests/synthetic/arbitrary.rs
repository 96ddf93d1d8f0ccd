//! Valid runs with arbitrary values: every column type, extremes, absent values, empty tables.

use std::sync::Arc;

use sheaf_model::table::{
    ContextRow, CounterRow, DefinitionRow, DependenceRow, FragmentRow, GrainRow, LocationRow,
    MetricRow, TotalRow, ValueRow, WaitRow,
};
use sheaf_model::{
    MessagePair, Messages, ParamValue, RunMeta, RunSource, RunSummary, RunTables, TimeUnit,
};

use super::Numbers;

/// A run whose tables have up to `rows` rows each.
pub(crate) fn run(seed: u64, rows: usize) -> RunTables {
    let mut maker = Maker {
        numbers: Numbers::new(seed),
        rows,
    };
    maker.run()
}

struct Maker {
    numbers: Numbers,
    rows: usize,
}

impl Maker {
    fn run(&mut self) -> RunTables {
        let summary = self.summary();
        let contexts = summary.contexts.len();
        let locations = summary.locations.len();
        let metrics = summary.metrics.len();
        let count = if contexts == 0 { 0 } else { self.count() };
        let grains = (0..count)
            .map(|row| self.grain(row, contexts, locations))
            .collect();
        let of_grains = |maker: &mut Self| if count == 0 { 0 } else { maker.count() };
        let fragments = if locations == 0 { 0 } else { of_grains(self) };
        let waits = of_grains(self);
        let dependences = of_grains(self);
        let counters = if metrics == 0 { 0 } else { of_grains(self) };
        RunTables {
            summary,
            grains,
            fragments: (0..fragments)
                .map(|_| FragmentRow {
                    grain: self.numbers.row(count),
                    location: self.numbers.row(locations),
                    start: self.long(),
                    duration: self.long(),
                    ended_by: self.numbers.row(6),
                })
                .collect(),
            waits: (0..waits)
                .map(|_| WaitRow {
                    grain: self.numbers.row(count),
                    kind: self.numbers.row(5),
                    start: self.long(),
                    duration: self.long(),
                    line: self.maybe(|maker| maker.numbers.row(1000)),
                })
                .collect(),
            dependences: (0..dependences)
                .map(|_| DependenceRow {
                    predecessor: self.numbers.row(count),
                    successor: self.numbers.row(count),
                })
                .collect(),
            counters: (0..counters)
                .map(|_| CounterRow {
                    grain: self.numbers.row(count),
                    metric: self.numbers.row(metrics),
                    value: self.maybe(Self::long),
                    value_float: self.maybe(Self::float),
                })
                .collect(),
        }
    }

    fn summary(&mut self) -> RunSummary {
        let (definitions, locations, metrics) = (self.count(), self.count(), self.count());
        let contexts = if definitions == 0 { 0 } else { self.count() };
        let cells = |maker: &mut Self, other: usize| {
            if contexts == 0 || metrics == 0 || other == 0 {
                0
            } else {
                maker.count()
            }
        };
        let (values, totals) = (cells(self, locations), cells(self, 1));
        // Where there are values there are totals.
        let totals = totals.max(usize::from(values > 0));
        RunSummary {
            meta: Arc::new(self.meta()),
            definitions: (0..definitions).map(|_| self.definition()).collect(),
            contexts: (0..contexts)
                .map(|row| ContextRow {
                    id: self.hash(),
                    parent: self.parent(row),
                    definition: self.numbers.row(definitions),
                    depth: self.numbers.row(100),
                })
                .collect(),
            locations: (0..locations).map(|_| self.location()).collect(),
            metrics: (0..metrics).map(|_| self.metric()).collect(),
            values: (0..values)
                .map(|_| ValueRow {
                    context: self.numbers.row(contexts),
                    metric: self.numbers.row(metrics),
                    location: self.numbers.row(locations),
                    count: self.long(),
                    sum: self.maybe(Self::long),
                    sum_float: self.maybe(Self::float),
                })
                .collect(),
            totals: (0..totals).map(|_| self.total(contexts, metrics)).collect(),
        }
    }

    fn meta(&mut self) -> RunMeta {
        let mut meta = RunMeta::new(self.text(), self.text());
        meta.name = self.text();
        if self.numbers.one_in(2) {
            meta.time_unit = TimeUnit::Ticks;
        }
        meta.is_complete = self.numbers.one_in(2);
        meta.elapsed = self.maybe(Self::long);
        meta.reference_elapsed_ns = self.maybe(Self::long);
        meta.workers = self.maybe(Self::long);
        meta.ranks = self.long();
        meta.grains = self.long();
        for _ in 0..self.numbers.below(4) {
            let value = match self.numbers.below(4) {
                0 => ParamValue::Number([0.1, -0.0, 1e300, f64::INFINITY][self.numbers.below(4)]),
                1 => ParamValue::Text(self.text()),
                2 => ParamValue::Boolean(self.numbers.one_in(2)),
                _ => ParamValue::Time(self.long()),
            };
            meta.params.insert(self.text(), value);
        }
        meta.warnings = (0..self.numbers.below(3)).map(|_| self.text()).collect();
        for _ in 0..self.numbers.below(3) {
            meta.lacks.insert(self.text(), self.text());
        }
        // These take no number of the sequence, so that runs of a seed stay the same.
        meta.messages = (!meta.is_complete).then(|| Messages {
            ideal_elapsed: meta.elapsed,
            calls: meta.params.len() as u64,
            kept_calls: 1,
            messages: u64::MAX,
            unmatched: meta.lacks.len() as u64,
            pairs: (0..4)
                .map(|rank| MessagePair {
                    from: rank,
                    to: u32::MAX - rank,
                    messages: rank.into(),
                    bytes: u64::MAX,
                })
                .collect(),
        });
        meta.source = meta.is_complete.then(|| RunSource {
            file: meta.name.clone(),
            files: meta.lacks.len() as u64,
            bytes: u64::MAX,
            reader: meta.format.clone(),
        });
        meta
    }

    fn definition(&mut self) -> DefinitionRow {
        DefinitionRow {
            id: self.hash(),
            kind: self.text(),
            name: self.text(),
            function: self.maybe(Self::text),
            file: self.maybe(Self::text),
            line: self.maybe(|maker| maker.numbers.row(1000)),
            module: self.maybe(Self::text),
            ordinal: self.numbers.row(3),
            site: self.maybe(Self::text),
        }
    }

    fn location(&mut self) -> LocationRow {
        LocationRow {
            rank: self.numbers.row(1000),
            thread: self.numbers.row(1000),
            core: self.maybe(|maker| maker.numbers.row(1000)),
            numa_node: self.maybe(|maker| maker.numbers.row(1000)),
        }
    }

    fn metric(&mut self) -> MetricRow {
        MetricRow {
            name: self.text(),
            unit: "ns".to_owned(),
            kind: "additive".to_owned(),
            direction: "neutral".to_owned(),
            is_integer: self.numbers.one_in(2),
            source: self.maybe(Self::text),
            alias: self.maybe(Self::text),
        }
    }

    fn total(&mut self, contexts: usize, metrics: usize) -> TotalRow {
        let buckets = self.numbers.below(5);
        TotalRow {
            context: self.numbers.row(contexts),
            metric: self.numbers.row(metrics),
            count: self.long(),
            sum: self.maybe(Self::long),
            min: self.maybe(Self::long),
            max: self.maybe(Self::long),
            sum_squares: self.maybe(|maker| i128::from(maker.long()) * i128::from(maker.long())),
            sum_float: self.maybe(Self::float),
            min_float: self.maybe(Self::float),
            max_float: self.maybe(Self::float),
            sketch_buckets: (0..buckets).map(|_| self.numbers.row(4096)).collect(),
            sketch_counts: (0..buckets).map(|_| self.long()).collect(),
        }
    }

    fn grain(&mut self, row: usize, contexts: usize, locations: usize) -> GrainRow {
        let located = locations > 0;
        GrainRow {
            path_key: self.long(),
            context: self.numbers.row(contexts),
            parent: self.parent(row),
            kind: self.numbers.row(5),
            flags: self.numbers.row(512),
            sequence: self.maybe(Self::long),
            index: self.long(),
            joined_by: self.maybe(Self::long),
            first_iteration: self.maybe(Self::long),
            iterations: self.maybe(Self::long),
            location: self
                .maybe(|maker| maker.numbers.row(locations))
                .filter(|_| located),
            created: self.maybe(Self::long),
            start: self.maybe(Self::long),
            end: self.maybe(Self::long),
            work: self.maybe(Self::long),
            creation: self.maybe(Self::long),
            waiting: self.maybe(Self::long),
        }
    }

    /// Often none, often one, else up to the bound.
    fn count(&mut self) -> usize {
        match self.numbers.below(6) {
            0 => 0,
            1 => self.rows.min(1),
            _ => self.numbers.below(self.rows + 1),
        }
    }

    fn parent(&mut self, row: usize) -> Option<i32> {
        (row > 0 && !self.numbers.one_in(4)).then(|| self.numbers.row(row))
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (!self.numbers.one_in(4)).then(|| make(self))
    }

    fn hash(&mut self) -> [u8; 16] {
        (u128::from(self.numbers.any()) << 64 | u128::from(self.numbers.any())).to_be_bytes()
    }

    fn long(&mut self) -> i64 {
        match self.numbers.below(8) {
            0 => 0,
            1 => i64::MAX,
            2 => i64::MIN,
            3 => self.numbers.any().cast_signed(),
            _ => i64::from(self.numbers.row(1000)),
        }
    }

    fn float(&mut self) -> f64 {
        match self.numbers.below(8) {
            0 => 0.0,
            1 => -0.0,
            2 => f64::NAN,
            3 => f64::NEG_INFINITY,
            4 => -f64::NAN,
            5 => f64::from_bits(self.numbers.any()),
            _ => f64::from(self.numbers.row(1000)) / 7.0,
        }
    }

    fn text(&mut self) -> String {
        const PARTS: [&str; 8] = ["", "fib", "main:31 (loop)", "é", "\n", "\"", "汉字", "a/b"];
        (0..self.numbers.below(4))
            .map(|_| PARTS[self.numbers.below(PARTS.len())])
            .collect()
    }
}
