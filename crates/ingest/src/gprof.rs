//! The text output of gprof: a flat profile and a call graph, of which either may be missing.
//!
//! gprof knows who called whom, not call paths. Each function is a root context with its own
//! time, and each arc a context of caller and callee with metrics of its own, so that nothing is
//! counted twice and no path is made up.

mod graph;
mod legend;
mod name;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sheaf_model::{MetricKind, ParamValue, Report, RunMeta, Unit};

use crate::decimal::Decimal;
use crate::measure::{MetricSpec, Value, snake_case};
use crate::profile::{DefinitionIdx, Frame, LocationIdx, NodeIdx, Profile};
use crate::program_name::named_after;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input, limits, lossy};
use graph::{Block, Times};
use name::Name;
use tables::{Flat, Tables};

/// The text output of gprof.
pub(crate) const READER: Reader = Reader {
    format: Format::Gprof,
    recognises: tables::is_gprof,
    reads: Reads::File(read_gprof),
};

fn read_gprof(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let bytes = input.whole(Format::Gprof, context.progress)?;
    limits::check_lines(&bytes)?;
    let (text, num_repaired) = lossy::decode_lines(&bytes);
    let mut report = Report::default();
    report.add("repaired_texts", num_repaired, || None);
    let tables = tables::parse(&text, &mut report, context.progress)?;
    let is_empty = tables.flat.iter().all(|flat| flat.rows.is_empty()) && tables.blocks.is_empty();
    if is_empty {
        return Err(Error::Empty {
            format: Format::Gprof,
        });
    }
    let profile = Profile::new(meta(input, &tables));
    let mut building = Building::new(profile, &tables);
    building.flat(tables.flat.as_ref());
    building.functions(&tables.blocks, &mut report);
    building.arcs(&tables.blocks, &mut report);
    let tables = building.profile.finish(&mut report)?;
    Ok(vec![(tables, report)])
}

fn meta(input: &Input<'_>, tables: &Tables<'_>) -> RunMeta {
    let mut meta = named_after(input.file_name(), Format::Gprof);
    meta.is_complete = tables.is_complete;
    let numbers = [
        ("seconds_per_sample", tables.sample),
        ("bytes_per_hit", tables.granularity.map(|found| found.0)),
        (
            "total_seconds",
            tables.granularity.and_then(|found| found.1),
        ),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            let value = ParamValue::Number(number.to_f64());
            meta.params.insert(name.to_owned(), value);
        }
    }
    let reason = "gprof records callers, not call paths; a context of two functions is an arc, \
                  its times are estimates by the share of calls";
    meta.lacks.insert("paths".to_owned(), reason.to_owned());
    if tables.has_no_time {
        let text = "no time accumulated: the program ran shorter than one sample";
        meta.warnings.push(text.to_owned());
    }
    meta
}

/// Values as they are put into the profile.
struct Building<'a> {
    profile: Profile,
    location: LocationIdx,
    unit: Unit,
    suffix: String,
    definitions: HashMap<&'a str, DefinitionIdx>,
    in_flat: HashSet<&'a str>,
}

impl<'a> Building<'a> {
    fn new(mut profile: Profile, tables: &Tables<'a>) -> Self {
        let location = profile.location(0, 0);
        let dimension = tables
            .flat
            .as_ref()
            .map_or("seconds", |flat| flat.dimension);
        let (unit, suffix) = match dimension {
            "seconds" => (Unit::Seconds, "s".to_owned()),
            "cycles" => (Unit::Cycles, "cycles".to_owned()),
            other => (Unit::Unknown, snake_case(other, "")),
        };
        Self {
            profile,
            location,
            unit,
            suffix,
            definitions: HashMap::new(),
            in_flat: HashSet::new(),
        }
    }

    fn definition(&mut self, name: Name<'a>) -> DefinitionIdx {
        if let Some(found) = self.definitions.get(name.text) {
            return *found;
        }
        let definition = self.profile.definition(Frame {
            kind: "function",
            name: name.text,
            file: name.file,
            line: name.line,
            ..Frame::default()
        });
        self.definitions.insert(name.text, definition);
        definition
    }

    fn node(&mut self, name: Name<'a>) -> NodeIdx {
        let definition = self.definition(name);
        self.profile.node(None, definition)
    }

    fn time(&mut self, node: NodeIdx, name: &str, kind: MetricKind, source: &str, value: Decimal) {
        let name = format!("{name}_{}", self.suffix);
        let metric = self
            .profile
            .metric(MetricSpec::new(&name, self.unit, kind, source));
        let value = Value::Float(value.to_f64());
        self.profile.add(node, metric, self.location, value);
    }

    fn count(&mut self, node: NodeIdx, name: &str, source: &str, value: i64) {
        let spec = MetricSpec::new(name, Unit::Count, MetricKind::Additive, source);
        let metric = self.profile.metric(spec);
        let value = Value::Integer(value);
        self.profile.add(node, metric, self.location, value);
    }

    fn flat(&mut self, flat: Option<&Flat<'a>>) {
        let Some(flat) = flat else { return };
        for row in &flat.rows {
            let node = self.node(row.name);
            self.in_flat.insert(row.name.text);
            self.time(node, "self", MetricKind::Additive, "self seconds", row.time);
            let Some(calls) = &row.calls else { continue };
            self.count(node, "calls", "calls", calls.count);
            let per_call = [
                ("self_per_call", "self", calls.time),
                ("total_per_call", "total", calls.total),
            ];
            for (name, source, value) in per_call {
                let source = format!("{source} {}", flat.per_call);
                self.time(node, name, MetricKind::Intensive, &source, value);
            }
        }
    }

    /// Primary lines: what the flat profile lacks, and what only the graph knows.
    fn functions(&mut self, blocks: &[Block<'a>], report: &mut Report) {
        let mut num_functions = 0;
        for block in blocks {
            let primary = &block.primary;
            if primary.cycle.is_some() {
                self.cycle(block);
                continue;
            }
            num_functions += 1;
            let node = self.node(primary.name);
            let Times { own, children } = primary.times;
            if !self.in_flat.contains(primary.name.text) {
                self.time(node, "self", MetricKind::Additive, "self", own);
                if let Some(calls) = primary.calls {
                    self.count(node, "calls", "called", calls);
                }
            }
            let total = own + children;
            self.time(
                node,
                "total",
                MetricKind::Inclusive,
                "self + children",
                total,
            );
            if let Some(calls) = primary.self_calls {
                self.count(node, "recursive_calls", "called +", calls);
            }
        }
        let num_flat = self.in_flat.len() as u64;
        report.add("read_functions", num_functions.max(num_flat), || None);
    }

    /// A cycle as a whole repeats what its members have: its metrics are its own.
    fn cycle(&mut self, block: &Block<'a>) {
        let primary = &block.primary;
        // Numbers of cycles are arbitrary; the members state which cycle it is.
        let members: BTreeSet<&str> = block.below.iter().map(|arc| arc.name.text).collect();
        let members: Vec<&str> = members.into_iter().collect();
        let name = format!("<cycle {} as a whole>", primary.cycle.unwrap_or_default());
        let definition = self.profile.definition(Frame {
            kind: "cycle",
            name: &name,
            identity: Some(&members.join(", ")),
            ..Frame::default()
        });
        let node = self.profile.node(None, definition);
        let total = primary.times.own + primary.times.children;
        self.time(
            node,
            "cycle_total",
            MetricKind::Inclusive,
            "self + children",
            total,
        );
        if let Some(calls) = primary.calls {
            self.count(node, "cycle_calls", "called", calls);
        }
        if let Some(calls) = primary.self_calls {
            self.count(node, "cycle_internal_calls", "called +", calls);
        }
    }

    /// Arcs, each of which the blocks of caller and callee both have.
    fn arcs(&mut self, blocks: &[Block<'a>], report: &mut Report) {
        let mut arcs = BTreeMap::new();
        let mut contradict = |text: &str| {
            report.add("skipped_contradicting_arcs", 1, || Some(text.to_owned()));
        };
        for block in blocks.iter().filter(|block| block.primary.cycle.is_none()) {
            let own = block.primary.name;
            let above = block.above.iter().map(|arc| (arc.name, own, arc));
            let below = block.below.iter().map(|arc| (own, arc.name, arc));
            for (caller, callee, arc) in above.chain(below) {
                let found = arcs
                    .entry((caller.key(), callee.key()))
                    .or_insert((caller, callee, arc));
                if (found.2.times, found.2.count) != (arc.times, arc.count) {
                    contradict(arc.name.text);
                }
            }
        }
        report.add("read_arcs", arcs.len() as u64, || None);
        for (caller, callee, arc) in arcs.into_values() {
            let parent = self.node(caller);
            let definition = self.definition(callee);
            let node = self.profile.node(Some(parent), definition);
            self.count(node, "arc_calls", "called", arc.count);
            if let Some(Times { own, children }) = arc.times {
                self.time(node, "arc_self", MetricKind::Additive, "self", own);
                self.time(
                    node,
                    "arc_children",
                    MetricKind::Additive,
                    "children",
                    children,
                );
            }
        }
    }
}
