//! How alike runs are.

use std::path::Path;

use sheaf_server::{Answers, csv};

use crate::cli::similar::SimilarArguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::render;

/// Shows runs beside each other, or where they lie.
pub(crate) fn similar(
    store: &Path,
    arguments: &SimilarArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    let answers = Answers::open(store)?;
    let question = arguments.question();
    let limit = output.limit(arguments.limit);
    if arguments.projection {
        let answer = answers.projection(&question)?;
        output.print_table(
            || serde_json::to_string(&answer),
            || csv::projection(&answer),
            |layout| render::projection(&answer, limit, layout),
        )?;
    } else {
        let answer = answers.similar(&question)?;
        output.print_table(
            || serde_json::to_string(&answer),
            || csv::similar(&answer),
            |layout| render::similar(&answer, limit, layout),
        )?;
    }
    Ok(Exit::Done)
}
