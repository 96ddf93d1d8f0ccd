//! A run from the profiles of its threads.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sheaf_model::{MetricKind, Report, RunMeta, Unit};

use super::file::{Event, Number, Numbers, Place, Profile as File, Row};
use super::name::{Step, steps};
use crate::Error;
use crate::Input;
use crate::measure::{MetricSpec, Value, snake_case};
use crate::profile::{DefinitionIdx, Frame, LocationIdx, NodeIdx, Profile};
use crate::reader::{Context, Read};

mod meta;
mod missing;

/// Puts the files of one folder together; `report` is of their texts.
///
/// # Errors
/// [`Error::Cancelled`], [`Error::Invalid`].
pub(super) fn build(
    input: &Input<'_>,
    files: &[File<'_>],
    is_cut: bool,
    mut report: Report,
    context: Context<'_>,
) -> Result<Read, Error> {
    let mut meta = meta::meta(input, files);
    let missing = missing::warnings(files);
    meta.is_complete = !is_cut && missing.is_empty() && files.iter().all(|file| file.is_complete);
    meta.warnings.extend(missing);
    mark_estimated(&mut meta, files);
    let mut building = Building::new(meta, files);
    let mut counted = BTreeSet::new();
    for file in files {
        context.progress.check()?;
        building.location = building
            .locations
            .get(&file.place)
            .copied()
            .unwrap_or(building.location);
        // Files of further metrics repeat calls and events.
        let is_first = counted.insert(file.place);
        building.rows(file, is_first, &mut report);
        if is_first {
            for event in &file.events {
                building.event(event);
            }
            report.add("read_events", file.events.len() as u64, || None);
        }
        let line = || Some(format!("line {}", file.first_skipped));
        report.add("skipped_lines", file.num_skipped, line);
        report.add("skipped_aggregates", file.num_aggregates, || None);
    }
    let tables = building.profile.finish(&mut report)?;
    Ok((tables, report))
}

/// Counters of the hardware whose values are not exact counts.
fn mark_estimated(meta: &mut RunMeta, files: &[File<'_>]) {
    for file in files.iter().filter(|file| file.metric.contains("PAPI")) {
        let multiplexing = file.attributes.get("TAU_PAPI_MULTIPLEXING");
        let is_multiplexed = multiplexing.is_some_and(|value| value == "on");
        let is_wrapped = file.rows.iter().any(|row| row.numbers[3].sign() < 0);
        let reason = match (is_wrapped, is_multiplexed) {
            (true, _) => "the counter wrapped: a count is negative",
            (_, true) => "counters took turns on the hardware (TAU_PAPI_MULTIPLEXING)",
            _ => continue,
        };
        let metrics = Metrics::new(file.metric);
        for spec in [&metrics.exclusive, &metrics.inclusive] {
            meta.mark_estimated(&spec.name, reason);
        }
    }
}

/// Name, and source file.
type Named<'a> = (&'a str, Option<&'a str>);

struct Building<'a> {
    profile: Profile,
    locations: BTreeMap<Place, LocationIdx>,
    location: LocationIdx,
    /// Places of the functions of a name in a file, in order: they are numbered by it.
    places: HashMap<Named<'a>, BTreeSet<(i32, i32)>>,
    definitions: HashMap<&'a str, DefinitionIdx>,
}

impl<'a> Building<'a> {
    fn new(meta: RunMeta, files: &[File<'a>]) -> Self {
        let mut profile = Profile::new(meta);
        let places: BTreeSet<Place> = files.iter().map(|file| file.place).collect();
        // Contexts of a process hold threads of their own; with several, threads are renumbered.
        let has_contexts = places.iter().any(|place| place.context != 0);
        let mut next: BTreeMap<i32, i32> = BTreeMap::new();
        let locations = places.into_iter().map(|place| {
            let number = next.entry(place.rank).or_default();
            let thread = if has_contexts { *number } else { place.thread };
            *number += 1;
            (place, profile.location(place.rank, thread))
        });
        let locations: BTreeMap<Place, LocationIdx> = locations.collect();
        let mut places: HashMap<_, BTreeSet<_>> = HashMap::new();
        for row in files.iter().flat_map(|file| &file.rows) {
            for step in steps(row.name).map(Step::parse) {
                if let Some(place) = step.place.filter(|_| !step.is_sample()) {
                    places
                        .entry((step.name, step.file_name()))
                        .or_default()
                        .insert(place);
                }
            }
        }
        let location = locations.values().next().copied().unwrap_or(LocationIdx(0));
        Self {
            profile,
            locations,
            location,
            places,
            definitions: HashMap::new(),
        }
    }

    /// The definition of a step of a path; lines distinguish functions of one name in a file, by
    /// their order, but do not identify them.
    fn definition(&mut self, text: &'a str, groups: Option<&'a str>) -> DefinitionIdx {
        if let (Some(found), None) = (self.definitions.get(text), groups) {
            return *found;
        }
        let step = Step::parse(text);
        let alike = self.places.get(&(step.name, step.file_name()));
        let ordinal = match (alike, step.place) {
            (Some(alike), Some(place)) if alike.len() > 1 => {
                alike.iter().position(|other| *other == place).unwrap_or(0)
            }
            _ => 0,
        };
        let mut identity = step.name.to_owned();
        if let Some(file) = step.file_name() {
            identity = format!("{identity}\u{1f}{file}");
        }
        if ordinal > 0 {
            identity = format!("{identity}#{}", ordinal + 1);
        }
        let is_group = |group: &&str| !group.is_empty() && *group != "TAU_CALLPATH";
        let group = groups.and_then(|groups| groups.split('|').map(str::trim).find(is_group));
        let definition = self.profile.definition(Frame {
            kind: if step.is_sample() {
                "sample"
            } else {
                "function"
            },
            name: step.name,
            identity: Some(&identity),
            file: step.file_name(),
            line: step.place.map(|(line, _)| line).filter(|line| *line > 0),
            module: group,
        });
        self.definitions.insert(text, definition);
        definition
    }

    fn path(&mut self, row: &Row<'a>) -> Option<NodeIdx> {
        let mut node = None;
        let mut path = steps(row.name).peekable();
        while let Some(step) = path.next() {
            // Groups are those of the last step.
            let groups = path.peek().is_none().then_some(row.groups);
            let definition = self.definition(step, groups);
            node = Some(self.profile.node(node, definition));
        }
        node
    }

    /// Call paths are nodes as they stand. A function's own row sums up all its paths: what they
    /// do not explain was called from outside of any path, and makes it a root.
    fn rows(&mut self, file: &File<'a>, is_first: bool, report: &mut Report) {
        let metrics = Metrics::new(file.metric);
        let mut explained: HashMap<&str, Numbers> = HashMap::new();
        let (paths, functions): (Vec<_>, Vec<_>) = file
            .rows
            .iter()
            .partition(|row| steps(row.name).nth(1).is_some());
        for row in &paths {
            if let Some(node) = self.path(row) {
                self.add(node, row.numbers, &metrics, is_first);
            }
            let Some(last) = steps(row.name).last() else {
                continue;
            };
            let sum = explained.entry(last).or_insert([Number::Integer(0); 4]);
            for (sum, number) in sum.iter_mut().zip(row.numbers) {
                *sum = sum.plus(number);
            }
        }
        for row in &functions {
            let mut rest = row.numbers;
            if let Some(sum) = explained.get(row.name) {
                for (rest, sum) in rest.iter_mut().zip(sum) {
                    *rest = rest.minus(*sum);
                }
                let [calls, _, own, _] = rest.map(Number::sign);
                if calls < 0 || own < 0 {
                    report.add("skipped_contradicting_sums", 1, || {
                        Some(row.name.to_owned())
                    });
                }
                if calls <= 0 && own <= 0 {
                    continue;
                }
            }
            if let Some(node) = self.path(row) {
                self.add(node, rest, &metrics, is_first);
            }
        }
        report.add("read_functions", functions.len() as u64, || None);
        report.add("read_paths", paths.len() as u64, || None);
    }

    fn add(&mut self, node: NodeIdx, numbers: Numbers, metrics: &Metrics, is_first: bool) {
        let [calls, subroutines, own, total] = numbers;
        let counts = [
            ("calls", "Calls", calls),
            ("subroutine_calls", "Subrs", subroutines),
        ];
        for (name, source, number) in counts.into_iter().filter(|_| is_first) {
            self.value(
                node,
                MetricSpec::new(name, Unit::Count, MetricKind::Additive, source),
                number,
            );
        }
        self.value(node, metrics.exclusive.clone(), own);
        // Recursion makes sums of inclusive values exceed the whole.
        if total.sign() >= 0 {
            self.value(node, metrics.inclusive.clone(), total);
        }
    }

    /// An event is a context of its own; one within a call path stands below the path, with
    /// metrics of its own, since the event as a whole includes it.
    fn event(&mut self, event: &Event<'a>) {
        let [count, max, min, mean, squares] = event.numbers;
        if count.sign() <= 0 {
            return;
        }
        let (name, path) = match event.name.split_once(" : ") {
            Some((name, path)) => (name.trim(), Some(path)),
            None => (event.name, None),
        };
        let mut parent = None;
        for step in path.into_iter().flat_map(steps) {
            let definition = self.definition(step, None);
            parent = Some(self.profile.node(parent, definition));
        }
        let definition = self.profile.definition(Frame {
            kind: "event",
            name,
            ..Frame::default()
        });
        let node = self.profile.node(parent, definition);
        let prefix = if path.is_some() {
            "path_event"
        } else {
            "event"
        };
        let numbers = [
            (
                "count",
                "numevents",
                Unit::Count,
                MetricKind::Additive,
                count,
            ),
            ("max", "max", Unit::Unknown, MetricKind::Intensive, max),
            ("min", "min", Unit::Unknown, MetricKind::Intensive, min),
            ("mean", "mean", Unit::Unknown, MetricKind::Intensive, mean),
            (
                "sum_squares",
                "sumsqr",
                Unit::Unknown,
                MetricKind::Additive,
                squares,
            ),
        ];
        for (name, source, unit, kind, number) in numbers {
            let name = format!("{prefix}_{name}");
            self.value(node, MetricSpec::new(&name, unit, kind, source), number);
        }
    }

    fn value(&mut self, node: NodeIdx, spec: MetricSpec, number: Number) {
        let metric = self.profile.metric(spec);
        let value = match number {
            Number::Integer(integer) => Value::Integer(integer),
            Number::Float(float) => Value::Float(float),
        };
        self.profile.add(node, metric, self.location, value);
    }
}

/// The metrics of a file.
struct Metrics {
    exclusive: MetricSpec,
    inclusive: MetricSpec,
}

impl Metrics {
    /// Clocks of TAU count microseconds, whatever they measure; the rest counts events.
    fn new(source: &str) -> Self {
        let upper = source.to_ascii_uppercase();
        let (unit, suffix) = if upper.contains("TIME") {
            (Unit::Microseconds, "us")
        } else if upper.contains("_CYC") || upper.contains("CYCLES") {
            (Unit::Cycles, "cycles")
        } else {
            (Unit::Unknown, "")
        };
        let spec = |what: &str, kind, column: &str| {
            let name = snake_case(&format!("{source}{what}"), suffix);
            MetricSpec::new(&name, unit, kind, &format!("{source} {column}"))
        };
        Self {
            exclusive: spec("", MetricKind::Additive, "Excl"),
            inclusive: spec("_inclusive", MetricKind::Inclusive, "Incl"),
        }
    }
}
