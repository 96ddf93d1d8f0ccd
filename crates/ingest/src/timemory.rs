//! Output of timemory in JSON: a tree of markers per component and rank.

#[cfg(test)]
mod tests;
mod unit;

use sheaf_model::{MetricKind, ParamValue, Report, RunMeta, Unit};

use crate::json_start::JsonStart;
use crate::json_tree::{Item, JsonTree};
use crate::measure::{MetricSpec, Value, snake_case};
use crate::profile::{DefinitionIdx, Frame, LocationIdx, NodeIdx, Profile};
use crate::program_name::named_after;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input};
use unit::Scale;

/// Output of timemory.
pub(crate) const READER: Reader = Reader {
    format: Format::Timemory,
    recognises: |start| {
        let json = JsonStart::of(start);
        json.is_some_and(|json| !json.is_array && json.has("timemory"))
    },
    reads: Reads::File(read_timemory),
};

/// Members of a component that hold its trees, one per process.
const TREES: [&str; 3] = ["mpi", "upcxx", "process"];

fn read_timemory(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let bytes = input.whole(Format::Timemory, context.progress)?;
    let tree = JsonTree::parse(&bytes, Format::Timemory, context.progress)?;
    let mut report = Report::default();
    report.add("repaired_texts", tree.num_repaired_texts, || None);
    let components = tree.root().get("timemory");
    let components: Vec<_> = components.into_iter().flat_map(Item::members).collect();
    let mut profile = Profile::new(meta(input, &components));
    let mut num_nodes = 0;
    for (name, component) in components {
        let Some(ranks) = TREES.iter().find_map(|key| component.get(key)) else {
            if component.get("ranks").is_some() {
                let reason = format!(
                    "component `{name}` is a flat list; give the `.tree.json` that timemory writes next to it"
                );
                return Err(Error::malformed(
                    Format::Timemory,
                    format!("`{name}`"),
                    reason,
                ));
            }
            report.add("skipped_components", 1, || Some(name.to_owned()));
            continue;
        };
        for (rank, roots) in (0_i32..).zip(ranks.elements()) {
            let location = profile.location(rank, 0);
            let mut building = Building {
                metrics: Metrics::new(name, component),
                profile: &mut profile,
                report: &mut report,
                location,
            };
            num_nodes += building.tree(roots, context)?;
        }
    }
    if num_nodes == 0 {
        return Err(Error::Empty {
            format: Format::Timemory,
        });
    }
    report.add("read_nodes", num_nodes, || None);
    let tables = profile.finish(&mut report)?;
    Ok(vec![(tables, report)])
}

fn meta(input: &Input<'_>, components: &[(&str, Item<'_, '_>)]) -> RunMeta {
    let mut meta = named_after(input.file_name(), Format::Timemory);
    let ranks = components
        .iter()
        .filter_map(|(_, component)| component.get("mpi_size")?.as_i64());
    meta.ranks = ranks
        .max()
        .filter(|ranks| (1..1 << 31).contains(ranks))
        .unwrap_or(1);
    for key in ["mpi_size", "upcxx_size", "thread_count", "process_count"] {
        let mut values = components
            .iter()
            .filter_map(|(_, component)| component.get(key)?.as_f64());
        if let Some(value) = values.next().filter(|value| value.is_finite()) {
            meta.params
                .insert(key.to_owned(), ParamValue::Number(value));
        }
    }
    let reason = "timemory adds up the threads of a rank";
    meta.lacks.insert("threads".to_owned(), reason.to_owned());
    meta
}

/// Names and units of one component's metrics.
struct Metrics {
    /// The component in snake case.
    name: String,
    /// The component as the source names it.
    source: String,
    scale: Scale,
}

impl Metrics {
    fn new(name: &str, component: Item<'_, '_>) -> Self {
        let unit = component.get("unit_repr").and_then(Item::as_text);
        Self {
            name: snake_case(name, ""),
            source: name.to_owned(),
            scale: Scale::of(unit.unwrap_or_default()),
        }
    }

    fn spec(&self, what: &str, unit: (Unit, &str), kind: MetricKind, source: &str) -> MetricSpec {
        let (unit, suffix) = unit;
        let name = snake_case(&format!("{}_{what}", self.name), suffix);
        MetricSpec::new(&name, unit, kind, &format!("{} {source}", self.source))
    }
}

/// One component of one rank.
struct Building<'p> {
    profile: &'p mut Profile,
    report: &'p mut Report,
    metrics: Metrics,
    location: LocationIdx,
}

impl Building<'_> {
    /// Reads the trees of a rank; gives the number of nodes that were measured.
    fn tree(&mut self, roots: Item<'_, '_>, context: Context<'_>) -> Result<u64, Error> {
        let (mut num_nodes, mut num_measured) = (0_u64, 0);
        let mut open = vec![(roots.elements(), None)];
        while let Some((items, parent)) = open.last_mut() {
            let Some(item) = items.next() else {
                open.pop();
                continue;
            };
            let parent: Option<NodeIdx> = *parent;
            num_nodes += 1;
            if num_nodes.is_multiple_of(65_536) {
                context.progress.check()?;
            }
            let below = match item.get("node") {
                Some(node) if is_measured(node) => {
                    num_measured += 1;
                    let definition = self.definition(node, num_nodes);
                    let found = self.profile.node(parent, definition);
                    self.values(found, node);
                    Some(found)
                }
                // The tool's own root was never measured; its exclusive time is the negative
                // sum of its children.
                _ => {
                    let place = || Some(format!("node {num_nodes}"));
                    self.report.add("skipped_unmeasured_nodes", 1, place);
                    parent
                }
            };
            if let Some(children) = item.get("children") {
                open.push((children.elements(), below));
            }
        }
        Ok(num_measured)
    }

    fn definition(&mut self, node: Item<'_, '_>, number: u64) -> DefinitionIdx {
        let name = node.get("prefix").and_then(Item::as_text);
        if name.is_none() {
            self.report
                .add("repaired_names", 1, || Some(format!("node {number}")));
        }
        let name = name.unwrap_or("(no name)");
        let place = place_of(name);
        let identity = place.map(|(function, file, _, label)| format!("{function}@{file}{label}"));
        self.profile.definition(Frame {
            kind: "region",
            name,
            identity: identity.as_deref(),
            file: place.map(|(_, file, ..)| file),
            line: place.map(|(_, _, line, _)| line),
            module: None,
        })
    }

    fn values(&mut self, at: NodeIdx, node: Item<'_, '_>) {
        let kinds = [
            ("exclusive", "", MetricKind::Additive),
            ("inclusive", "inclusive", MetricKind::Inclusive),
        ];
        for (key, what, kind) in kinds {
            let entry = node.get(key).and_then(|found| found.get("entry"));
            let Some((value, unit)) = entry.and_then(|entry| self.metrics.scale.value(entry))
            else {
                self.report
                    .add("skipped_entries", 1, || Some(self.metrics.source.clone()));
                continue;
            };
            self.add(at, self.metrics.spec(what, unit, kind, key), value);
        }
        let Some(inclusive) = node.get("inclusive") else {
            return;
        };
        let laps = inclusive
            .get("entry")
            .and_then(|entry| entry.get("laps")?.as_i64());
        if let Some(laps) = laps {
            let spec = self
                .metrics
                .spec("laps", (Unit::Count, ""), MetricKind::Additive, "laps");
            self.add(at, spec, Value::Integer(laps));
        }
        let Some(stats) = inclusive.get("stats") else {
            return;
        };
        // Statistics of nothing are not zeros.
        let count = stats
            .get("count")
            .and_then(Item::as_i64)
            .filter(|count| *count > 0);
        let Some(count) = count else { return };
        let spec = (Unit::Count, "");
        let spec = self
            .metrics
            .spec("samples", spec, MetricKind::Additive, "inclusive count");
        self.add(at, spec, Value::Integer(count));
        let values = ["min", "max", "mean", "stddev"].map(|what| {
            let value = self.metrics.scale.in_unit(stats.get(what)?.as_f64()?);
            let unit = self.metrics.scale.float_unit();
            let source = format!("inclusive {what}");
            let spec = self
                .metrics
                .spec(what, unit, MetricKind::Intensive, &source);
            Some((spec, value))
        });
        for (spec, value) in values.into_iter().flatten() {
            self.add(at, spec, Value::Float(value));
        }
    }

    fn add(&mut self, at: NodeIdx, spec: MetricSpec, value: Value) {
        let metric = self.profile.metric(spec);
        self.profile.add(at, metric, self.location, value);
    }
}

/// Whether a node stands for a marker of the program.
fn is_measured(node: Item<'_, '_>) -> bool {
    let laps = node
        .get("inclusive")
        .and_then(|found| found.get("entry")?.get("laps")?.as_i64());
    let is_own = node
        .get("prefix")
        .and_then(Item::as_text)
        .is_some_and(|name| name.starts_with("unknown-hash="));
    !(laps == Some(0) && is_own)
}

/// Splits `function@file:line/label` into function, file, line and `/label`.
fn place_of(name: &str) -> Option<(&str, &str, i32, &str)> {
    let (function, rest) = name.split_once('@')?;
    let (file, rest) = rest.split_once(':')?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (line, label) = rest.split_at(end);
    let line = line.parse().ok().filter(|line| *line > 0)?;
    (label.is_empty() || label.starts_with('/')).then_some((function, file, line, label))
}
