//! The time line of one run.

use std::collections::BTreeMap;

use sheaf_answers as api;
use sheaf_ensemble::{EdgeRow, IntervalRow, ParallelismAnswer, SchedulingAnswer, TimelineAnswer};

/// Who ran what.
pub(crate) fn timeline(answer: TimelineAnswer) -> api::Timeline {
    let workers = answer.workers.iter().map(|worker| api::TimelineWorker {
        rank: worker.rank,
        thread: worker.thread,
        busy: worker.busy,
    });
    let row = |row: IntervalRow| api::TimelineRow {
        worker: row.worker,
        start: row.start,
        end: row.end,
        intervals: row.intervals,
        busy: row.busy,
        grain: row.grain,
        definition: row.definition,
    };
    api::Timeline {
        schema: "timeline/1".to_owned(),
        run: answer.run.to_string(),
        unit: answer.unit,
        start: answer.window.0,
        end: answer.window.1,
        elapsed: answer.elapsed,
        workers: workers.collect(),
        rows: answer.rows.into_iter().map(row).collect(),
    }
}

/// How much ran and waited.
pub(crate) fn parallelism(answer: ParallelismAnswer) -> api::Parallelism {
    let (start, end) = answer.window;
    let length = (i128::from(end) - i128::from(start)) as f64;
    let count = answer.parts.len() as f64;
    let bound = |part: usize| start as f64 + length * part as f64 / count;
    let row = |(number, part): (usize, &Vec<(u32, f64, u32)>)| {
        let mut fragments = BTreeMap::new();
        for (layer, &(min, mean, max)) in answer.layers.iter().zip(part) {
            fragments.insert(format!("{layer}_min"), f64::from(min));
            fragments.insert(format!("{layer}_mean"), mean);
            fragments.insert(format!("{layer}_max"), f64::from(max));
        }
        api::ParallelismRow {
            start: bound(number),
            end: bound(number + 1),
            fragments,
        }
    };
    api::Parallelism {
        schema: "parallelism/1".to_owned(),
        run: answer.run.to_string(),
        unit: answer.unit,
        start,
        end,
        workers: answer.workers,
        rows: answer.parts.iter().enumerate().map(row).collect(),
        layers: answer.layers,
    }
}

/// Where workers' time went.
pub(crate) fn scheduling(answer: SchedulingAnswer) -> api::Scheduling {
    let balance = answer.balance;
    api::Scheduling {
        schema: "scheduling/1".to_owned(),
        run: answer.run.to_string(),
        unit: answer.unit,
        workers: balance.workers,
        elapsed: balance.elapsed,
        work: balance.work,
        faults: balance.faults(),
        idle: balance.idle,
        delay: balance.delay.ok(),
        no_work: balance.no_work.ok(),
        edges: answer.edges.iter().map(edge).collect(),
        policy: answer.policy.map(str::to_owned),
        absent: answer.absent,
    }
}

fn edge(row: &EdgeRow) -> api::SchedulingEdge {
    let [delay, delay_median, delay_p99, delay_max] = match row.delay {
        Some(delay) => delay.map(Some),
        None => [None; 4],
    };
    api::SchedulingEdge {
        kind: row.kind.to_owned(),
        edges: row.edges,
        moved: row.moved,
        delay,
        delay_median,
        delay_p99,
        delay_max,
    }
}
