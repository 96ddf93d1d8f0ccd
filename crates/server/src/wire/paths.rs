//! Paths and loops of one run.

use sheaf_answers as api;
use sheaf_ensemble::{ElapsedRow, LoopRow, LoopsAnswer, PathRow, PathStep, PathsAnswer};

/// What bounds the time.
pub(crate) fn paths(answer: PathsAnswer) -> api::Paths {
    let (last_finishers, absent) = match answer.elapsed {
        Ok(path) => (Some(last(&path)), None),
        Err(reason) => (None, Some(reason)),
    };
    let step = |step: PathStep| api::PathStep {
        definition: step.definition,
        grain: step.grain,
        grains: step.grains,
        work: step.work,
    };
    api::Paths {
        schema: "paths/1".to_owned(),
        run: answer.run.to_string(),
        unit: answer.unit,
        scope: answer.scope,
        form: answer.form.to_string(),
        grains: answer.grains,
        work: answer.work,
        span: answer.span,
        parallelism: answer.parallelism,
        lock_bound: answer.lock.map(|lock| api::LockBound {
            definition: lock.definition,
            held: lock.held,
        }),
        steps: answer.steps.into_iter().map(step).collect(),
        more_steps: answer.more_steps as u64,
        last_finishers,
        absent,
        rows: answer.rows.into_iter().map(row).collect(),
    }
}

fn last(path: &ElapsedRow) -> api::LastFinishers {
    let delays = path.delays.iter();
    api::LastFinishers {
        elapsed: path.elapsed,
        before: path.before,
        work: path.work,
        busy: path.busy,
        delay: path.delays.iter().map(|(_, delay)| delay).sum(),
        delays: delays
            .map(|(kind, delay)| ((*kind).to_owned(), *delay))
            .collect(),
        outside: path.outside,
        after: path.after,
    }
}

fn row(row: PathRow) -> api::PathRow {
    let span = row.span.filter(|span| *span > 0);
    api::PathRow {
        parallelism: span.map(|span| row.work as f64 / span as f64),
        definition: row.definition,
        grains: row.grains,
        work: row.work,
        critical_grains: row.critical_grains,
        critical_work: row.critical_work,
        last_finisher_work: row.last_work,
        span: row.span,
    }
}

/// How many workers the loops need.
pub(crate) fn loops(answer: LoopsAnswer) -> api::Loops {
    let row = |row: LoopRow| api::LoopRow {
        definition: row.definition,
        first_chunk: row.first_chunk,
        owner: row.owner,
        chunks: row.chunks,
        workers: row.workers,
        work: row.work,
        makespan: row.makespan,
        makespan_from: row.makespan_from.to_owned(),
        least_workers: (row.least_workers_lower == row.least_workers_upper)
            .then_some(row.least_workers_upper),
        least_workers_lower: row.least_workers_lower,
        least_workers_upper: row.least_workers_upper,
        proof: row.proof.to_owned(),
    };
    api::Loops {
        schema: "loops/1".to_owned(),
        run: answer.run.to_string(),
        unit: answer.unit,
        rows: answer.rows.into_iter().map(row).collect(),
    }
}
