//! Scaling studies.

use sheaf_server::csv;

use super::open;
use crate::cli::Global;
use crate::cli::scale::ScaleArguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::render;

/// Groups of each point that text shows.
const GROUPS: usize = 5;

/// Shows how times change with a parameter, and where they went.
pub(crate) fn scale(
    global: &Global,
    arguments: &ScaleArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    let answer = open(global, output)?.scale(&arguments.lens(), &arguments.question())?;
    let limit = arguments.limit.unwrap_or(GROUPS);
    output.print_table(
        || serde_json::to_string(&answer),
        || csv::to_text(&answer.table_of(arguments.table.wire())),
        |layout| render::scale(&answer, limit, layout),
    )?;
    Ok(Exit::Done)
}
