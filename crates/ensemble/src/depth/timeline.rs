//! The time line of one run: who ran what when, how much ran and waited, and where workers' time went.

use sheaf_grains::timeline::{
    Balance, BusyPart, Delays, LAYERS, Policy, ReadyBy, Steals, Steps, Timeline, Workers,
};

use sheaf_model::{Cancelled, Progress};

use super::RunDepth;
use super::names::text;
use crate::{Error, View};

/// Rows of an answer at most; with more workers each gets fewer parts.
const MOST_ROWS: u32 = 200_000;

/// What is kept of the time of a run.
pub(crate) struct RunTimeline {
    pub(crate) balance: Balance,
    steps: Steps,
    delays: Result<Delays, String>,
    steals: Result<Steals, String>,
}

impl std::fmt::Debug for RunTimeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = f.debug_struct("RunTimeline");
        text.field("balance", &self.balance).finish_non_exhaustive()
    }
}

/// A stretch of time, and how finely to look at it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Window {
    /// Begin, from the run's start; the run's when absent.
    pub start: Option<i64>,
    /// End; the run's when absent.
    pub end: Option<i64>,
    /// Parts that the stretch is cut into where there is more to tell.
    pub parts: u32,
}

/// Answer to "who ran what when?".
#[derive(Debug, Clone)]
pub struct TimelineAnswer {
    /// Id of the run.
    pub run: sheaf_model::RunId,
    /// Time unit of the run.
    pub unit: String,
    /// The stretch that is told.
    pub window: (i64, i64),
    /// Elapsed time of the run.
    pub elapsed: i64,
    /// The workers, by rank, then thread.
    pub workers: Vec<WorkerRow>,
    /// Intervals, or equal parts of workers with more intervals than parts; by worker, then time.
    pub rows: Vec<IntervalRow>,
}

/// A worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerRow {
    /// Rank of its process.
    pub rank: i32,
    /// Thread within the rank.
    pub thread: i32,
    /// Time that it was busy in the whole run.
    pub busy: i64,
}

/// What a worker ran for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalRow {
    /// Number of the worker.
    pub worker: u32,
    /// Begin.
    pub start: f64,
    /// End.
    pub end: f64,
    /// Intervals that the row stands for.
    pub intervals: u32,
    /// Share of the time that the worker was busy.
    pub busy: f64,
    /// Grain of the interval, or of the longest one.
    pub grain: Option<u32>,
    /// Definition of that grain.
    pub definition: Option<String>,
}

/// Answer to "how much ran and waited at a time?".
#[derive(Debug, Clone)]
pub struct ParallelismAnswer {
    /// Id of the run.
    pub run: sheaf_model::RunId,
    /// Time unit of the run.
    pub unit: String,
    /// The stretch that is told.
    pub window: (i64, i64),
    /// Workers.
    pub workers: i64,
    /// Names of the layers: what runs, then, where it is known, what is ready by the kind of edge that made it
    /// so.
    pub layers: Vec<String>,
    /// Of each part in order: least, mean and greatest number of fragments of each layer.
    pub parts: Vec<Vec<(u32, f64, u32)>>,
}

/// Answer to "where did the workers' time go, and who took work from whom?".
#[derive(Debug, Clone)]
pub struct SchedulingAnswer {
    /// Id of the run.
    pub run: sheaf_model::RunId,
    /// Time unit of the run.
    pub unit: String,
    /// Where workers' time went.
    pub balance: Balance,
    /// By kind of edge: what is known of the edges that made fragments ready.
    pub edges: Vec<EdgeRow>,
    /// What the runtime does at a creation, as its steals show: `work_first`, `help_first` or `none`.
    pub policy: Option<&'static str>,
    /// Why delays and steals are absent.
    pub absent: Option<String>,
}

/// Edges of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeRow {
    /// Kind.
    pub kind: &'static str,
    /// Edges.
    pub edges: u64,
    /// Those from one worker to another.
    pub moved: u64,
    /// Time from becoming ready by such an edge to the start: sum, median, 99th percentile, greatest.
    pub delay: Option<[i64; 4]>,
}

impl RunDepth {
    /// The time line, or why there is none.
    pub(crate) fn timeline(
        &self,
        progress: &Progress,
    ) -> Result<Result<&RunTimeline, &str>, Cancelled> {
        let built = self.timeline.get_or_make(progress, || {
            let timeline =
                match Timeline::stoppable(self.tables(), self.structure(progress)?, progress)? {
                    Ok(timeline) => timeline,
                    Err(absent) => return Ok(Err(absent.to_string())),
                };
            progress.check()?;
            let delays = timeline.delays(self.tables());
            progress.check()?;
            Ok(Ok(RunTimeline {
                balance: timeline.balance().clone(),
                delays: delays.map_err(|absent| absent.to_string()),
                steals: timeline
                    .steals()
                    .cloned()
                    .map_err(|absent| absent.to_string()),
                steps: timeline.into_steps(),
            }))
        });
        Ok(built?.as_ref().map_err(String::as_str))
    }

    /// Intervals of the workers. Only pictures of the time line need them.
    fn workers(&self, progress: &Progress) -> Result<&Workers, Error> {
        let elapsed = self.timeline_or_error(progress)?.balance.elapsed;
        let built = self.workers.get_or_make(progress, || {
            let workers = Workers::of(self.tables(), elapsed);
            Ok::<_, Cancelled>(workers.map_err(|absent| absent.to_string()))
        });
        let built = built?.as_ref();
        built.map_err(|reason| Error::NoTimes {
            reason: reason.clone(),
        })
    }

    fn timeline_or_error(&self, progress: &Progress) -> Result<&RunTimeline, Error> {
        self.timeline(progress)?.map_err(|reason| Error::NoTimes {
            reason: reason.to_owned(),
        })
    }
}

impl View<'_> {
    /// Intervals of the workers of one run in a stretch of time. O(rows · log intervals).
    ///
    /// # Errors
    /// When the selector names no run or several, or the run does not say when its grains ran.
    pub fn timeline(&self, run: &str, window: &Window) -> Result<TimelineAnswer, Error> {
        let (meta, depth) = self.run_in_depth(run)?;
        let timeline = depth.timeline_or_error(&self.progress)?;
        let (start, end) = timeline.bounds(window);
        let workers = depth.workers(&self.progress)?;
        let count = u32::try_from(workers.len()).unwrap_or(u32::MAX);
        let parts = window.parts.min(MOST_ROWS / count.max(1)).max(1);
        let mut rows = Vec::new();
        for worker in 0..count {
            let most = parts as usize;
            let few = workers.between(worker, start, end).take(most + 1);
            if few.count() <= most {
                rows.extend(depth.intervals(workers, worker, (start, end)));
            } else {
                rows.extend(depth.parts(workers, worker, (start, end), parts));
            }
        }
        let locations = &depth.tables().summary.locations;
        let places = locations
            .rank
            .values()
            .iter()
            .zip(locations.thread.values());
        let worker = |(number, (&rank, &thread))| WorkerRow {
            rank,
            thread,
            busy: workers.busy(number),
        };
        Ok(TimelineAnswer {
            run: meta.id,
            unit: meta.time_unit.to_string(),
            window: (start, end),
            elapsed: timeline.balance.elapsed,
            workers: (0..).zip(places).map(worker).collect(),
            rows,
        })
    }

    /// How many fragments ran and waited in the parts of a stretch of time. O(parts · log fragments).
    ///
    /// # Errors
    /// As for [`View::timeline`].
    pub fn parallelism(&self, run: &str, window: &Window) -> Result<ParallelismAnswer, Error> {
        let (meta, depth) = self.run_in_depth(run)?;
        let timeline = depth.timeline_or_error(&self.progress)?;
        let (start, end) = timeline.bounds(window);
        let mut layers = vec!["running".to_owned()];
        if timeline.steps.has_ready() {
            let kinds = ReadyBy::ALL.iter();
            layers.extend(kinds.map(|kind| format!("ready_{}", kind_name(*kind))));
        }
        let resampled = timeline.steps.resample(start, end, window.parts.max(1));
        let told = layers.len().min(LAYERS);
        let part = |part| {
            let mean = |layer| resampled.mean(part, layer);
            let all = part.min.iter().zip(&part.max).enumerate().take(told);
            all.map(|(layer, (&min, &max))| (min, mean(layer), max))
                .collect()
        };
        Ok(ParallelismAnswer {
            run: meta.id,
            unit: meta.time_unit.to_string(),
            window: (start, end),
            workers: timeline.balance.workers,
            layers,
            parts: resampled.parts.iter().map(part).collect(),
        })
    }

    /// Where the time of workers went, and who took work from whom.
    ///
    /// # Errors
    /// As for [`View::timeline`].
    pub fn scheduling(&self, run: &str) -> Result<SchedulingAnswer, Error> {
        let (meta, depth) = self.run_in_depth(run)?;
        let timeline = depth.timeline_or_error(&self.progress)?;
        let steals = timeline.steals.as_ref().ok();
        let mut edges = Vec::new();
        if let (Some(steals), Ok(delays)) = (steals, &timeline.delays) {
            let counts = steals.edges.iter().zip(&steals.moved);
            for (kind, (&count, &moved)) in ReadyBy::ALL.into_iter().zip(counts) {
                let delay = delays.by(kind);
                edges.push(EdgeRow {
                    kind: kind_name(kind),
                    edges: count,
                    moved,
                    delay: delay.map(|delay| [delay.sum, delay.p50, delay.p99, delay.max]),
                });
            }
        }
        Ok(SchedulingAnswer {
            run: meta.id,
            unit: meta.time_unit.to_string(),
            balance: timeline.balance.clone(),
            edges,
            policy: steals.map(|steals| match steals.policy() {
                Policy::WorkFirst => "work_first",
                Policy::HelpFirst => "help_first",
                Policy::None => "none",
            }),
            absent: timeline.steals.as_ref().err().cloned(),
        })
    }
}

impl RunTimeline {
    /// How long fragments of each context were ready and waited, where that is known.
    pub(crate) fn ready_by_context(&self) -> Option<&[i64]> {
        let delays = self.delays.as_ref().ok()?;
        Some(&delays.by_context)
    }

    fn bounds(&self, window: &Window) -> (i64, i64) {
        let start = window.start.unwrap_or_else(|| self.steps.start().min(0));
        (start, window.end.unwrap_or(self.balance.elapsed).max(start))
    }
}

impl RunDepth {
    fn definition_of(&self, grain: u32) -> Option<String> {
        let names = &self.tables().summary.definitions.name;
        text(names, self.definition(grain as usize)?).map(str::to_owned)
    }

    fn intervals(
        &self,
        workers: &Workers,
        worker: u32,
        (start, end): (i64, i64),
    ) -> Vec<IntervalRow> {
        let intervals = workers.between(worker, start, end);
        let row = |interval: sheaf_grains::timeline::Interval| IntervalRow {
            worker,
            start: interval.start as f64,
            end: interval.end as f64,
            intervals: 1,
            busy: 1.0,
            grain: Some(interval.grain),
            definition: self.definition_of(interval.grain),
        };
        intervals.map(row).collect()
    }

    /// Equal parts; those in which the worker ran nothing are left out.
    fn parts(
        &self,
        workers: &Workers,
        worker: u32,
        (start, end): (i64, i64),
        count: u32,
    ) -> Vec<IntervalRow> {
        let parts = workers.resample(worker, start, end, count);
        let length = (i128::from(end) - i128::from(start)) as f64;
        let bound = |part: u32| start as f64 + length * f64::from(part) / f64::from(count);
        let row = |(number, part): (u32, BusyPart)| {
            let fragment = part.longest? as usize;
            let grain = self.tables().fragments.grain.values().get(fragment)?;
            let grain = u32::try_from(*grain).ok()?;
            Some(IntervalRow {
                worker,
                start: bound(number),
                end: bound(number + 1),
                intervals: part.intervals,
                busy: part.scaled_busy as f64 / length,
                grain: Some(grain),
                definition: self.definition_of(grain),
            })
        };
        (0..).zip(parts).filter_map(row).collect()
    }
}

/// Kinds of edges as they are named on the wire.
const fn kind_name(kind: ReadyBy) -> &'static str {
    match kind {
        ReadyBy::Synchronisation => "synchronisation",
        ReadyBy::Creation => "creation",
        ReadyBy::CreationContinuation => "creation_continuation",
        ReadyBy::WaitContinuation => "wait_continuation",
        ReadyBy::OtherContinuation => "other_continuation",
        ReadyBy::Dependence => "dependence",
    }
}
