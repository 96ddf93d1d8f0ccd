//! Questions about the time of one run.

use super::{Outcome, open};
use crate::cli::paths::{
    LoopsArguments, ParallelismArguments, PathsArguments, SchedulingArguments,
};
use crate::failure::Failure;
use crate::output::Output;
use crate::render;

/// Shows what bounds the time.
pub(crate) fn paths(arguments: &PathsArguments, output: &Output) -> Outcome {
    let mut answer = open(output)?.paths(&arguments.run, &arguments.scope(), arguments.form)?;
    let limit = output.limit(arguments.limit);
    if !output.is_text() && limit > 0 {
        answer.rows.truncate(limit);
    }
    output.print_table(&answer, |layout| render::paths(&answer, limit, layout))
}

/// Shows how many workers loops need.
pub(crate) fn loops(arguments: &LoopsArguments, output: &Output) -> Outcome {
    let mut answer = open(output)?.loops(&arguments.run)?;
    let limit = output.limit(arguments.limit);
    if !output.is_text() && limit > 0 && answer.rows.len() > limit {
        answer
            .rows
            .sort_by_key(|row| std::cmp::Reverse(row.makespan));
        answer.rows.truncate(limit);
    }
    output.print_table(&answer, |layout| render::loops(&answer, limit, layout))
}

/// Shows where workers' time went.
pub(crate) fn scheduling(arguments: &SchedulingArguments, output: &Output) -> Outcome {
    let answer = open(output)?.scheduling(&arguments.run)?;
    output.print_table(&answer, |layout| render::scheduling(&answer, layout))
}

/// Shows how much ran and waited over time.
pub(crate) fn parallelism(arguments: &ParallelismArguments, output: &Output) -> Outcome {
    let window = arguments.window();
    if let (Some(start), Some(end)) = (window.start, window.end)
        && end <= start
    {
        return Err(Failure::usage(format!(
            "--end {end} is not after --start {start}"
        )));
    }
    let answer = open(output)?.parallelism(&arguments.run, &window)?;
    output.print_table(&answer, |layout| render::parallelism(&answer, layout))
}
