//! The time line of one run: who ran what when, how much ran and waited, and where workers' time went.

use std::collections::BTreeMap;

use sheaf_answers::{
    Parallelism, ParallelismRow, ReadyBy, Scheduling, SchedulingEdge, TimelineRow, TimelineWorker,
};
use sheaf_grains::timeline::{
    Balance, BusyPart, Delays, Resampled, Steals, Steps, Timeline, Workers,
};
use sheaf_model::table::LocationRow;
use sheaf_model::{Cancelled, Progress};

use super::OpenRun;
use super::names::text_at;
use crate::{Error, View};

/// Rows of an answer at most; with more workers each gets fewer parts.
const MAX_ROWS: u32 = 200_000;

/// What is kept of the time of a run.
pub(crate) struct RunTimeline {
    pub(crate) balance: Balance,
    steps: Steps,
    delays: Result<Delays, String>,
    pub(super) steals: Result<Steals, String>,
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
    /// Parts that the stretch is cut into where it holds more events.
    pub parts: u32,
}

impl OpenRun {
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

    /// The balance of the workers' time, or why it is unknown. It is taken from the time line if that exists already.
    pub(crate) fn balance(&self, progress: &Progress) -> Result<Result<&Balance, &str>, Cancelled> {
        if let Some(timeline) = self.timeline.get() {
            let balance = timeline.as_ref().map(|timeline| &timeline.balance);
            return Ok(balance.map_err(String::as_str));
        }
        let balance = self.balance.get_or_make(progress, || {
            let structure = self.structure(progress)?;
            let balance = Timeline::balance_of(self.tables(), structure, progress)?;
            Ok::<_, Cancelled>(balance.map_err(|absent| absent.to_string()))
        });
        Ok(balance?.as_ref().map_err(String::as_str))
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
    pub fn timeline(&self, run: &str, window: &Window) -> Result<sheaf_answers::Timeline, Error> {
        let (meta, depth) = self.open_run(run)?;
        let timeline = depth.timeline_or_error(&self.progress)?;
        let (start, end) = timeline.bounds(window);
        let workers = depth.workers(&self.progress)?;
        let count = u32::try_from(workers.len()).unwrap_or(u32::MAX);
        let parts = window.parts.min(MAX_ROWS / count.max(1)).max(1);
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
        let locations = depth.tables().summary.locations.rows();
        let worker = |(number, location): (u32, LocationRow)| TimelineWorker {
            rank: location.rank,
            thread: location.thread,
            busy: workers.busy(number),
            core: location.core,
            node: location.numa_node,
        };
        Ok(sheaf_answers::Timeline {
            schema: "timeline/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            start,
            end,
            elapsed: timeline.balance.elapsed,
            workers: (0..).zip(locations).map(worker).collect(),
            rows,
        })
    }

    /// How many fragments ran and waited in the parts of a stretch of time. O(parts · log fragments).
    ///
    /// # Errors
    /// As for [`View::timeline`].
    pub fn parallelism(&self, run: &str, window: &Window) -> Result<Parallelism, Error> {
        let (meta, depth) = self.open_run(run)?;
        let timeline = depth.timeline_or_error(&self.progress)?;
        let (start, end) = timeline.bounds(window);
        let mut layers = vec!["running".to_owned()];
        if timeline.steps.has_ready() {
            let kinds = ReadyBy::ALL.iter();
            layers.extend(kinds.map(|kind| format!("ready_{kind}")));
        }
        let resampled = timeline.steps.resample(start, end, window.parts.max(1));
        Ok(Parallelism {
            schema: "parallelism/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            start,
            end,
            workers: timeline.balance.workers,
            rows: parallelism_rows(&resampled, &layers, (start, end)),
            layers,
        })
    }

    /// Where the time of workers went, and who took work from whom.
    ///
    /// # Errors
    /// As for [`View::timeline`].
    pub fn scheduling(&self, run: &str) -> Result<Scheduling, Error> {
        let (meta, depth) = self.open_run(run)?;
        let timeline = depth.timeline_or_error(&self.progress)?;
        let steals = timeline.steals.as_ref().ok();
        let mut edges = Vec::new();
        if let (Some(steals), Ok(delays)) = (steals, &timeline.delays) {
            let counts = steals.edges.iter().zip(&steals.moved);
            for (kind, (&count, &moved)) in ReadyBy::ALL.into_iter().zip(counts) {
                let delay = delays.by(kind);
                edges.push(SchedulingEdge {
                    kind,
                    edges: count,
                    moved,
                    delay: delay.map(|delay| delay.sum),
                    delay_median: delay.map(|delay| delay.p50),
                    delay_p99: delay.map(|delay| delay.p99),
                    delay_max: delay.map(|delay| delay.max),
                });
            }
        }
        let balance = &timeline.balance;
        Ok(Scheduling {
            schema: "scheduling/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            workers: balance.workers,
            elapsed: balance.elapsed,
            work: balance.work,
            delay: balance.delay.as_ref().ok().copied(),
            no_work: balance.no_work.as_ref().ok().copied(),
            idle: balance.idle,
            faults: balance.faults(),
            edges,
            policy: steals.map(Steals::policy),
            absent: timeline.steals.as_ref().err().cloned(),
        })
    }
}

/// Minimum, mean and maximum number of fragments of each layer in each part of a stretch of time.
fn parallelism_rows(
    resampled: &Resampled,
    layers: &[String],
    (start, end): (i64, i64),
) -> Vec<ParallelismRow> {
    let length = (i128::from(end) - i128::from(start)) as f64;
    let count = resampled.parts.len() as f64;
    let bound = |part: usize| start as f64 + length * part as f64 / count;
    let mut rows = Vec::with_capacity(resampled.parts.len());
    for (number, part) in resampled.parts.iter().enumerate() {
        let mut fragments = BTreeMap::new();
        let ends = part.min.iter().zip(&part.max);
        for (at, (layer, (&min, &max))) in layers.iter().zip(ends).enumerate() {
            fragments.insert(format!("{layer}_min"), f64::from(min));
            fragments.insert(format!("{layer}_mean"), resampled.mean(part, at));
            fragments.insert(format!("{layer}_max"), f64::from(max));
        }
        rows.push(ParallelismRow {
            start: bound(number),
            end: bound(number + 1),
            fragments,
        });
    }
    rows
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

impl OpenRun {
    fn definition_of(&self, grain: u32) -> Option<String> {
        let names = &self.tables().summary.definitions.name;
        text_at(names, self.definition(grain as usize)?).map(str::to_owned)
    }

    fn intervals(
        &self,
        workers: &Workers,
        worker: u32,
        (start, end): (i64, i64),
    ) -> Vec<TimelineRow> {
        let intervals = workers.between(worker, start, end);
        let row = |interval: sheaf_grains::timeline::Interval| TimelineRow {
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
    ) -> Vec<TimelineRow> {
        let parts = workers.resample(worker, start, end, count);
        let length = (i128::from(end) - i128::from(start)) as f64;
        let bound = |part: u32| start as f64 + length * f64::from(part) / f64::from(count);
        let row = |(number, part): (u32, BusyPart)| {
            let fragment = part.longest? as usize;
            let grain = self.tables().fragments.grain.values().get(fragment)?;
            let grain = u32::try_from(grain).ok()?;
            Some(TimelineRow {
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
