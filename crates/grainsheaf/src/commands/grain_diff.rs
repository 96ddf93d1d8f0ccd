//! Comparison of two sides, grain by grain.

use sheaf_ensemble::GrainDiffQuestion;
use sheaf_model::{Lens, LocationAggregate, names};
use sheaf_server::DataForm;

use super::{Outcome, open};
use crate::cli::question::DiffArguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::stdout;

/// Compares grains of two sides.
pub(crate) fn grain_diff(lens: &Lens, arguments: &DiffArguments, output: &Output) -> Outcome {
    refuse_other_questions(arguments)?;
    let answers = open(output)?;
    let form = if arguments.arrow {
        output.refuse_other_than("--arrow")?;
        Some(DataForm::Arrow)
    } else {
        output.data_form()
    };
    let limit = output.limit(arguments.limit);
    let question = GrainDiffQuestion {
        selection: arguments.grains.map(Into::into).unwrap_or_default(),
        offset: 0,
        limit: (limit > 0).then_some(limit),
    };
    if let Some(form) = form {
        stdout::stream(|out| answers.write_grain_diff(lens, &question, form, out))?;
        return Ok(Exit::Done);
    }
    let answer = answers.grain_diff(lens, &question)?;
    output.print(&answer, |layout| render::grain_diff(&answer, layout))
}

/// Grains are compared by their own times; what is about groups and ranks means nothing here.
fn refuse_other_questions(arguments: &DiffArguments) -> Result<(), Failure> {
    if let Some(metric) = arguments
        .measured
        .metric
        .as_ref()
        .filter(|metric| !names::is_work(metric))
    {
        let fault = format!("grains are compared by work, lifetime and delay, not by `{metric}`");
        return Err(Failure::usage(fault).with_hint("leave `--metric` out"));
    }
    if arguments
        .measured
        .locations
        .over
        .is_some_and(|over| over != LocationAggregate::RanksSum)
    {
        let fault = "a grain runs on one rank: `--over` is not for `--level grain`";
        return Err(Failure::usage(fault));
    }
    if arguments.html.is_some() {
        let fault = "there is no report of grains: `--html` is not for `--level grain`";
        return Err(Failure::usage(fault).with_hint("use `--level definition`"));
    }
    if !arguments.fail_on.is_empty() {
        let fault = "grains have no verdicts: `--fail-on` is not for `--level grain`";
        return Err(Failure::usage(fault).with_hint("use `--level definition`"));
    }
    Ok(())
}
