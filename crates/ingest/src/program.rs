//! Builds the tables of grain programs that other tools recorded.

mod build;
mod clock;
mod columns;
mod contexts;
mod definitions;
mod metrics;
mod tables;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeMap;

use sheaf_model::table::{FragmentEnd, GrainKind, WaitKind};
use sheaf_model::{RunMeta, RunTables, TimeUnit};

use self::clock::Clock;
use self::columns::{FragmentColumns, GrainColumns, MeasureColumns, Wait};
use self::definitions::Constructs;
use crate::measure::{MetricSpec, Value};
use crate::profile::{Frame, LocationIdx, MetricIdx};
use crate::{Error, Format};

/// A grain of the program that is being read; the number of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GrainIdx(pub(crate) u32);

/// A definition of the program that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ConstructIdx(pub(crate) u32);

/// What a source states about one grain. Times are in the unit of the run and counted from its start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grain {
    pub(crate) definition: ConstructIdx,
    pub(crate) kind: GrainKind,
    /// Sum of [`sheaf_model::table::flags`].
    pub(crate) flags: i32,
    /// Number of the work-sharing construct within the parent; `None` outside one.
    pub(crate) sequence: Option<i64>,
    /// Place among the parent's children of that construct, from 0.
    pub(crate) index: i64,
    /// Number of the parent's wait that collects it, from 0.
    pub(crate) joined_by: Option<i64>,
    pub(crate) first_iteration: Option<i64>,
    pub(crate) iterations: Option<i64>,
    pub(crate) location: Option<LocationIdx>,
    pub(crate) created: Option<i64>,
    pub(crate) start: Option<i64>,
    pub(crate) end: Option<i64>,
    /// Own work; `None` where the source has structure only.
    pub(crate) work: Option<i64>,
    pub(crate) creation: Option<i64>,
    pub(crate) waiting: Option<i64>,
}

/// A program's grains, in any order: parents may come after their children.
pub(crate) struct Program {
    meta: RunMeta,
    constructs: Constructs,
    locations: BTreeMap<(i32, i32), u32>,
    cores: Vec<Option<i32>>,
    metrics: Vec<MetricSpec>,
    grains: GrainColumns,
    fragments: FragmentColumns,
    waits: Vec<Wait>,
    dependences: Vec<(u32, u32)>,
    measures: MeasureColumns,
}

impl Program {
    /// A program without grains; every grain is below the context of the program itself, whose
    /// definition has kind `program` and the name `meta.program`.
    pub(crate) fn new(meta: RunMeta) -> Self {
        Self {
            meta,
            constructs: Constructs::default(),
            locations: BTreeMap::new(),
            cores: Vec::new(),
            metrics: Vec::new(),
            grains: GrainColumns::default(),
            fragments: FragmentColumns::default(),
            waits: Vec::new(),
            dependences: Vec::new(),
            measures: MeasureColumns::default(),
        }
    }

    /// Makes room for as many more grains and fragments, which the source was seen to hold.
    pub(crate) fn reserve(&mut self, grains: usize, fragments: usize) {
        self.grains.reserve(grains);
        self.fragments.reserve(fragments);
    }

    /// The program itself: the definition of initial tasks. Such a root is not below the
    /// program's context but in it.
    #[expect(clippy::unused_self, reason = "constructs are those of a program")]
    pub(crate) fn itself(&self) -> ConstructIdx {
        Constructs::PROGRAM
    }

    /// The construct with the frame's kind and identity.
    pub(crate) fn definition(&mut self, frame: Frame<'_>) -> ConstructIdx {
        self.constructs.construct(&frame)
    }

    pub(crate) fn location(&mut self, rank: i32, thread: i32, core: Option<i32>) -> LocationIdx {
        let next = u32::try_from(self.cores.len()).unwrap_or(u32::MAX);
        let at = *self.locations.entry((rank, thread)).or_insert(next);
        if at == next {
            self.cores.push(core);
        } else if let Some(known) = self.cores.get_mut(at as usize) {
            *known = known.or(core);
        }
        LocationIdx(at)
    }

    /// The metric with this name, for [`Program::measure`]; work, waiting, creation and the
    /// number of grains are metrics of their own, made from the grains: a metric of the source
    /// with such a name is called `source_…`.
    pub(crate) fn metric(&mut self, mut spec: MetricSpec) -> MetricIdx {
        if metrics::is_own(&spec.name) {
            spec.name.insert_str(0, "source_");
        }
        let known = self
            .metrics
            .iter()
            .position(|known| known.name == spec.name);
        let at = known.unwrap_or_else(|| {
            self.metrics.push(spec);
            self.metrics.len() - 1
        });
        MetricIdx(u32::try_from(at).unwrap_or(u32::MAX))
    }

    /// Adds a grain. Location, start, end and work that are absent are taken from its fragments.
    pub(crate) fn grain(&mut self, grain: Grain) -> GrainIdx {
        let at = u32::try_from(self.grains.len()).unwrap_or(u32::MAX);
        self.grains.push(grain);
        GrainIdx(at)
    }

    /// Makes `parent` the parent of `child`; grains without one are roots.
    pub(crate) fn set_parent(&mut self, child: GrainIdx, parent: GrainIdx) {
        if let Some(slot) = self.grains.parent.get_mut(child.0 as usize) {
            *slot = parent.0;
        }
    }

    /// Makes the path of a grain go on from an ancestor of its parent, or from the program, where
    /// it depends on the schedule which grains are between: members of the team that ran a chunk.
    pub(crate) fn set_path_parent(&mut self, child: GrainIdx, ancestor: Option<GrainIdx>) {
        let ancestor = ancestor.map_or(-1, |ancestor| i64::from(ancestor.0));
        self.grains
            .path_parent
            .set(child.0 as usize, Some(ancestor));
    }

    /// An interval of a grain; those of a grain come in order of time.
    pub(crate) fn fragment(
        &mut self,
        grain: GrainIdx,
        location: LocationIdx,
        start: i64,
        duration: i64,
        ended_by: FragmentEnd,
    ) {
        self.fragments.grain.push(grain.0);
        self.fragments.location.push(location.0);
        self.fragments.start.push(start);
        self.fragments.duration.push(duration);
        self.fragments.ended_by.push(ended_by);
    }

    /// A wait of a grain; those of a grain come in order of time.
    pub(crate) fn wait(
        &mut self,
        grain: GrainIdx,
        kind: WaitKind,
        start: i64,
        duration: i64,
        line: Option<i32>,
    ) {
        self.waits.push(Wait {
            grain: grain.0,
            kind,
            start,
            duration,
            line,
        });
    }

    pub(crate) fn dependence(&mut self, predecessor: GrainIdx, successor: GrainIdx) {
        self.dependences.push((predecessor.0, successor.0));
    }

    /// What else was measured of a grain; further values of the same grain and metric add up.
    pub(crate) fn measure(&mut self, grain: GrainIdx, metric: MetricIdx, value: Value) {
        let is_integer = self
            .metrics
            .get(metric.0 as usize)
            .map(|spec| spec.is_integer);
        let bits = match (value, is_integer) {
            (Value::Integer(value), Some(true)) => value.cast_unsigned(),
            (Value::Integer(value), Some(false)) => (value as f64).to_bits(),
            (Value::Float(value), Some(false)) => value.to_bits(),
            _ => {
                debug_assert!(false, "a float for a metric of integers");
                return;
            }
        };
        self.measures.grain.push(grain.0);
        self.measures.metric.push(metric.0);
        self.measures.bits.push(bits);
    }

    /// The tables, in the order that their schema asks for: contexts from the paths of
    /// definitions, path keys from definitions with sequence and index, or with the iterations of
    /// chunks, values and totals as for recorded runs. Iterative; linear but for sorting. Times are
    /// converted to nanoseconds when `clock_hz` is known and the run's unit is ticks: instants
    /// first, durations as their differences, so that fragments still tile.
    ///
    /// # Errors
    /// When parents form a cycle, naming the number of one grain on it.
    pub(crate) fn finish(mut self, clock_hz: Option<f64>) -> Result<RunTables, CannotBuild> {
        build::check_len("grains", self.grains.len())?;
        build::check_len("fragments", self.fragments.grain.len())?;
        build::check_len("waits", self.waits.len())?;
        build::check_len("counters", self.measures.grain.len())?;
        if self.meta.time_unit == TimeUnit::Ticks {
            if let Some(clock) = clock_hz.and_then(Clock::new) {
                self.convert(clock);
                self.meta.time_unit = TimeUnit::Nanoseconds;
            } else {
                let lacks = self.meta.lacks.entry("clock_rate".to_owned());
                lacks.or_insert_with(|| "the source counts ticks without their rate".to_owned());
            }
        }
        self.fill_from_fragments();
        self.build()
    }
}

/// Why grains make no program.
#[derive(Debug)]
pub(crate) enum CannotBuild {
    /// This grain is its own ancestor.
    Cycle(GrainIdx),
    /// Too many of something for a table.
    Tables(Error),
}

impl CannotBuild {
    /// The refusal of a file; `place` states where in it a grain is.
    pub(crate) fn refusal(self, format: Format, place: impl FnOnce(GrainIdx) -> String) -> Error {
        match self {
            Self::Cycle(grain) => {
                Error::malformed(format, place(grain), "a task is its own ancestor")
            }
            Self::Tables(error) => error,
        }
    }
}
