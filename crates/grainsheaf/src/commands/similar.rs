//! How alike runs are.

use sheaf_answers::Tabular as _;
use sheaf_server::csv;

use super::open;
use crate::cli::Global;
use crate::cli::similar::{MeasureName, SimilarArguments};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::render;

/// Shows runs beside each other, or where they lie.
pub(crate) fn similar(
    global: &Global,
    arguments: &SimilarArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    refuse_without_effect(arguments)?;
    let answers = open(global, output)?;
    let question = arguments.question();
    let limit = output.limit(arguments.limit);
    if arguments.projection {
        let answer = answers.projection(&question)?;
        output.print_table(
            || serde_json::to_string(&answer),
            || csv::to_text(&answer.table()),
            |layout| render::projection(&answer, limit, layout),
        )?;
    } else {
        let answer = answers.similar(&question)?;
        output.print_table(
            || serde_json::to_string(&answer),
            || csv::to_text(&answer.table()),
            |layout| render::similar(&answer, limit, layout),
        )?;
    }
    Ok(Exit::Done)
}

/// Structures have no metric, and only traits of clusters and the measure of metrics know groups.
fn refuse_without_effect(arguments: &SimilarArguments) -> Result<(), Failure> {
    let measure = match arguments.measure {
        MeasureName::Structure => "structure",
        MeasureName::Wl => "wl",
        MeasureName::Work => "work",
        MeasureName::Metrics => return Ok(()),
    };
    if arguments.measure != MeasureName::Work
        && let Some(metric) = &arguments.metric
    {
        let fault =
            format!("`--measure {measure}` compares no metric, so `{metric}` has no effect");
        return Err(Failure::usage(fault)
            .with_hint("leave `--metric` out, or add `--measure work` or `--measure metrics`"));
    }
    if arguments.projection && arguments.level.is_some() {
        let fault =
            format!("`--measure {measure} --projection` has no groups, so `--level` has no effect");
        return Err(
            Failure::usage(fault).with_hint("leave `--level` out, or add `--measure metrics`")
        );
    }
    Ok(())
}
