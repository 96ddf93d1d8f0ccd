//! What every export of grains needs to know of a run.

use std::fmt::Write as _;
use std::io;

use arrow::array::Array;
use sheaf_answers::Values;
use sheaf_grains::grain_graph::Structure;
use sheaf_grains::grain_metric::integer_at;
use sheaf_model::table::{GrainKind, LocationRow};
use sheaf_model::{MetricKind, Progress, RunTables, TimeUnit};

use super::names::Names;
use super::ranges::Ranges;

/// Steps of a path that are shown, the innermost ones: a chain of a million tasks would have paths of
/// a million steps each.
const PATH_STEPS: usize = 64;

/// Numbers that a graph has of its nodes: earliest start, depth, and 1 on the critical path.
pub(super) const NODE_NUMBERS: [&str; 3] = ["root_dist", "depth", "on_crit_path"];

/// A run that is exported.
pub(super) struct Source<'a> {
    pub(super) tables: &'a RunTables,
    pub(super) structure: Structure,
    pub(super) names: Names,
    locations: Vec<LocationRow>,
    num_children: Vec<u32>,
    measures: Vec<Measure>,
    /// For each of [`NODE_NUMBERS`], whether the source states it for grains.
    pub(super) stated: [bool; 3],
    counters: Ranges,
    pub(super) progress: &'a Progress,
}

/// Something that the source measured of grains.
#[derive(Debug, Clone)]
pub(super) struct Measure {
    pub(super) name: String,
    /// The name that the source used.
    pub(super) source: Option<String>,
    pub(super) unit: String,
    pub(super) is_integer: bool,
    /// Row of the metric.
    row: i32,
    /// Whether values of several grains add up.
    pub(super) is_additive: bool,
}

impl Measure {
    /// The name that the source used, or else the one of the metric.
    pub(super) fn given_name(&self) -> &String {
        self.source.as_ref().unwrap_or(&self.name)
    }
}

impl<'a> Source<'a> {
    /// Of a run; what is computed from it stops when `progress` does.
    ///
    /// # Errors
    /// The work was cancelled.
    pub(super) fn new(tables: &'a RunTables, progress: &'a Progress) -> io::Result<Self> {
        let summary = &tables.summary;
        let mut num_children = vec![0; tables.grains.len()];
        for parent in tables.grains.parent.iter().flatten() {
            let slot = usize::try_from(parent).ok();
            if let Some(count) = slot.and_then(|row| num_children.get_mut(row)) {
                *count += 1;
            }
        }
        let measures = measures(tables);
        let is_stated = |name: &str| measures.iter().any(|measure| measure.given_name() == name);
        Ok(Self {
            tables,
            structure: Structure::stoppable(tables, progress).map_err(io::Error::other)?,
            progress,
            names: Names::new(summary),
            locations: summary.locations.rows().collect(),
            num_children,
            stated: NODE_NUMBERS.map(is_stated),
            measures,
            counters: Ranges::new(
                tables.counters.grain.values().iter().copied(),
                tables.grains.len(),
            ),
        })
    }

    /// Fails when the user cancelled.
    pub(super) fn check(&self) -> io::Result<()> {
        self.progress.check().map_err(io::Error::other)
    }

    pub(super) fn num_grains(&self) -> usize {
        self.tables.grains.len()
    }

    /// What the source measured besides the columns of grains.
    pub(super) fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// Whether the source states this number of [`NODE_NUMBERS`].
    pub(super) fn states(&self, name: &str) -> bool {
        let mut numbers = NODE_NUMBERS.iter().zip(self.stated);
        numbers.any(|(number, is_stated)| is_stated && *number == name)
    }

    /// The values of a measure by grain.
    pub(super) fn measured<'s>(&'s self, measure: &'s Measure) -> Values<'s> {
        let counters = &self.tables.counters;
        if measure.is_integer {
            let value = |row| integer_at(&counters.value, self.row_of(measure, row)?);
            return Values::Integer(Box::new(value));
        }
        Values::Number(Box::new(|row| {
            let at = self.row_of(measure, row)?;
            let value = &counters.value_float;
            finite(value.is_valid(at).then(|| value.value(at)))
        }))
    }

    /// The row of a grain's value in the table of counters, which is sorted by grain and metric.
    fn row_of(&self, measure: &Measure, grain: usize) -> Option<usize> {
        let rows = self.counters.of(i32::try_from(grain).ok()?);
        let metrics = self.tables.counters.metric.values().get(rows.clone())?;
        Some(rows.start + metrics.binary_search(&measure.row).ok()?)
    }

    /// Names of the flags of a grain, joined by blanks; absent if it has none.
    pub(super) fn flags(&self, grain: usize) -> Option<String> {
        let flags = self.tables.grains.flags.get(grain)?;
        Some(flag_names(flags)).filter(|names| !names.is_empty())
    }

    /// `ns` or `ticks`.
    pub(super) fn time_unit(&self) -> &'static str {
        self.tables.summary.meta.time_unit.as_str()
    }

    /// A name with the unit of the run in place of its `_ns`.
    pub(super) fn in_own_unit(&self, name: &str) -> String {
        match name.strip_suffix("_ns") {
            Some(stem) => format!("{stem}_{}", self.time_unit()),
            None => name.to_owned(),
        }
    }

    pub(super) fn is_in_ticks(&self) -> bool {
        self.tables.summary.meta.time_unit == TimeUnit::Ticks
    }

    pub(super) fn kind(&self, grain: usize) -> Option<GrainKind> {
        let kinds = self.tables.grains.kind.values();
        GrainKind::from_code(kinds.get(grain)?)
    }

    pub(super) fn parent(&self, grain: usize) -> Option<usize> {
        let parent = self.structure.parent(u32::try_from(grain).ok()?)?;
        Some(parent as usize)
    }

    pub(super) fn num_children(&self, grain: usize) -> i64 {
        self.num_children
            .get(grain)
            .map_or(0, |&count| count.into())
    }

    pub(super) fn location(&self, grain: usize) -> Option<&LocationRow> {
        let column = &self.tables.grains.location;
        let row = (grain < column.len() && column.is_valid(grain)).then(|| column.value(grain))?;
        self.locations.get(usize::try_from(row).ok()?)
    }

    pub(super) fn context(&self, grain: usize) -> i32 {
        let contexts = self.tables.grains.context.values();
        contexts.get(grain).unwrap_or(-1)
    }

    /// Steps from the root, joined by `-`: of a task its place among the children of its parent,
    /// from 1, as in the task-stats tables' lineage; of a member of a team `m`, of a chunk `c`, of a
    /// taskloop's chunk `t`; the number of the work-sharing construct stands before the place.
    pub(super) fn path(&self, grain: usize) -> String {
        let mut steps = Vec::new();
        let mut next = Some(grain);
        while let Some(grain) = next.filter(|_| steps.len() < PATH_STEPS) {
            steps.push(grain);
            next = self.parent(grain);
        }
        let mut path = String::from(if next.is_none() { "R" } else { "…" });
        for &grain in steps.iter().rev() {
            path.push('-');
            self.push_step(grain, &mut path);
        }
        path
    }

    fn push_step(&self, grain: usize, path: &mut String) {
        let grains = &self.tables.grains;
        let kind = match self.kind(grain) {
            Some(GrainKind::Implicit) => "m",
            Some(GrainKind::Chunk) => "c",
            Some(GrainKind::TaskloopChunk) => "t",
            Some(GrainKind::Initial | GrainKind::Task) | None => "",
        };
        path.push_str(kind);
        // Writing to memory cannot fail.
        if grains.sequence.is_valid(grain) {
            let _ = write!(path, "{}.", grains.sequence.value(grain));
        }
        let index = grains.index.get(grain).unwrap_or(0);
        let _ = write!(path, "{}", index.saturating_add(1));
    }
}

/// The metrics that the table of counters has values of.
fn measures(tables: &RunTables) -> Vec<Measure> {
    let metrics = &tables.summary.metrics;
    let mut is_used = vec![false; metrics.len()];
    for &metric in tables.counters.metric.values() {
        let slot = usize::try_from(metric).ok();
        if let Some(is_used) = slot.and_then(|row| is_used.get_mut(row)) {
            *is_used = true;
        }
    }
    let used = (0..).zip(metrics.rows()).zip(is_used);
    used.filter(|(_, is_used)| *is_used)
        .map(|((row, metric), _)| Measure {
            row,
            name: metric.name,
            source: metric.source,
            unit: metric.unit,
            is_additive: metric.kind == MetricKind::Additive.as_str(),
            is_integer: metric.is_integer,
        })
        .collect()
}

/// A number that files can hold.
pub(super) fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

/// Name of a kind of grain.
pub(super) const fn kind_name(kind: GrainKind) -> &'static str {
    match kind {
        GrainKind::Initial => "initial task",
        GrainKind::Implicit => "implicit task",
        GrainKind::Task => "task",
        GrainKind::Chunk => "chunk",
        GrainKind::TaskloopChunk => "taskloop chunk",
    }
}

/// Names of the flags that a number holds, joined by blanks.
fn flag_names(number: i32) -> String {
    use sheaf_model::table::flags;
    const NAMES: [(i32, &str); 10] = [
        (flags::UNDEFERRED, "undeferred"),
        (flags::UNTIED, "untied"),
        (flags::FINAL, "final"),
        (flags::MERGEABLE, "mergeable"),
        (flags::MERGED, "merged"),
        (flags::CANCELLED, "cancelled"),
        (flags::INCOMPLETE, "incomplete"),
        (flags::HAS_DEPENDENCES, "has_dependences"),
        (flags::SCHEDULE_DEPENDENT, "schedule_dependent_path"),
        (flags::COLLAPSED, "collapsed"),
    ];
    let set = NAMES.iter().filter(|(flag, _)| number & flag != 0);
    let names: Vec<&str> = set.map(|(_, name)| *name).collect();
    names.join(" ")
}
