//! Questions about the time of one run.

use sheaf_answers::Tabular as _;
use sheaf_server::csv;

use super::open;
use crate::cli::Global;
use crate::cli::paths::{
    LoopsArguments, ParallelismArguments, PathsArguments, SchedulingArguments,
};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::render;

/// Shows what bounds the time.
pub(crate) fn paths(
    global: &Global,
    arguments: &PathsArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    let mut answer =
        open(global, output)?.paths(&arguments.run, &arguments.scope(), arguments.form)?;
    let limit = output.limit(arguments.limit);
    if !output.is_text() && limit > 0 {
        answer.rows.truncate(limit);
    }
    output.print_table(
        || serde_json::to_string(&answer),
        || csv::to_text(&answer.table()),
        |layout| render::paths(&answer, limit, layout),
    )?;
    Ok(Exit::Done)
}

/// Shows how many workers loops need.
pub(crate) fn loops(
    global: &Global,
    arguments: &LoopsArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    let mut answer = open(global, output)?.loops(&arguments.run)?;
    let limit = output.limit(arguments.limit);
    if !output.is_text() && limit > 0 && answer.rows.len() > limit {
        answer
            .rows
            .sort_by_key(|row| std::cmp::Reverse(row.makespan));
        answer.rows.truncate(limit);
    }
    output.print_table(
        || serde_json::to_string(&answer),
        || csv::to_text(&answer.table()),
        |layout| render::loops(&answer, limit, layout),
    )?;
    Ok(Exit::Done)
}

/// Shows where workers' time went.
pub(crate) fn scheduling(
    global: &Global,
    arguments: &SchedulingArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    let answer = open(global, output)?.scheduling(&arguments.run)?;
    output.print_table(
        || serde_json::to_string(&answer),
        || csv::to_text(&answer.table()),
        |layout| render::scheduling(&answer, layout),
    )?;
    Ok(Exit::Done)
}

/// Shows how much ran and waited over time.
pub(crate) fn parallelism(
    global: &Global,
    arguments: &ParallelismArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    let window = arguments.window();
    if let (Some(start), Some(end)) = (window.start, window.end)
        && end <= start
    {
        return Err(Failure::usage(format!(
            "--end {end} is not after --start {start}"
        )));
    }
    let answer = open(global, output)?.parallelism(&arguments.run, &window)?;
    output.print_table(
        || serde_json::to_string(&answer),
        || csv::to_text(&answer.table()),
        |layout| render::parallelism(&answer, layout),
    )?;
    Ok(Exit::Done)
}
