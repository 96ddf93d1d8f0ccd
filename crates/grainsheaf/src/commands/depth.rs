//! Questions about one run in depth.

use sheaf_ensemble::{Error, GrainsQuestion, TreeExtent};
use sheaf_server::{Answers, DataForm};

use super::{Outcome, open};
use crate::cli::depth::{GrainsArguments, ProblemsArguments, TreeArguments};
use crate::console::Console;
use crate::failure::Exit;
use crate::output::Output;
use crate::{render, stdout};

/// Default number of grains in text.
const SHOWN_GRAINS: usize = 50;
/// Default metrics in text; metrics that the run lacks are not shown.
const SHOWN_METRICS: [&str; 4] = ["work_ns", "creation_ns", "waiting_ns", "delay_ns"];
/// Levels of a tree that a text shows.
const SHOWN_LEVELS: u32 = 3;
/// Maximum number of groups of a tree, for any number of levels.
const MAX_GROUPS: usize = 100_000;

/// Lists grains.
pub(crate) fn grains(arguments: &GrainsArguments, output: &Output) -> Outcome {
    let answers = open(output)?;
    let form = if arguments.arrow {
        output.refuse_other_than("--arrow")?;
        Some(DataForm::Arrow)
    } else {
        output.data_form()
    };
    let limit = arguments.limit.filter(|&limit| limit > 0);
    let mut question = GrainsQuestion {
        filter: arguments.filter.clone(),
        sort: arguments.sort.clone(),
        offset: 0,
        limit,
        metrics: (!arguments.metrics.is_empty()).then(|| arguments.metrics.clone()),
        is_brief: false,
        is_with_implicit: arguments.all,
        reference: arguments.reference.clone(),
    };
    if let Some(form) = form {
        stdout::stream(|out| answers.write_grains(&arguments.run, &question, form, out))?;
        return Ok(Exit::Done);
    }
    if arguments.limit.is_none() {
        question.limit = Some(SHOWN_GRAINS);
    }
    if question.metrics.is_none() {
        question.metrics = Some(telling(answers, arguments));
    }
    let answer = answers.grains(&arguments.run, &question)?;
    output.print(&answer, |layout| {
        render::grains(&answer, !arguments.metrics.is_empty(), layout)
    })
}

/// Times, and metrics that the question names.
fn telling(answers: &Answers, arguments: &GrainsArguments) -> Vec<String> {
    let sort = arguments.sort.as_deref();
    let sort = sort.map(|name| name.strip_prefix('-').unwrap_or(name));
    let compared = arguments.filter.iter().flat_map(|it| it.compared());
    let reference = arguments.reference.as_deref();
    let deviation = reference.map(|_| "work_deviation");
    let mut metrics: Vec<String> = Vec::new();
    for name in sort.into_iter().chain(compared).chain(deviation) {
        if let Some(name) = answers.grain_metric(&arguments.run, reference, name) {
            metrics.push(name);
        }
    }
    for name in SHOWN_METRICS {
        metrics.extend(answers.grain_metric(&arguments.run, reference, name));
    }
    let mut seen = std::collections::BTreeSet::new();
    metrics.retain(|name| seen.insert(name.clone()));
    metrics
}

/// Lists problems.
pub(crate) fn problems(arguments: &ProblemsArguments, output: &Output) -> Outcome {
    let answers = open(output)?;
    let conditions = &arguments.thresholds;
    let reference = arguments.reference.as_deref();
    let preset = arguments.preset.into();
    let answer = answers.problems(&arguments.run, conditions, preset, reference)?;
    output.print_table(&answer, |layout| render::problems(&answer, layout))
}

/// Shows the aggregation tree.
pub(crate) fn tree(arguments: &TreeArguments, output: &Output) -> Outcome {
    let answers = open(output)?;
    let choice = arguments.choice();
    let run = arguments.run.as_str();
    if arguments.text {
        output.refuse_other_than("--text")?;
        stdout::stream(|out| {
            answers.tree_text(run, &choice, arguments.depth, out)?;
            out.write_all(b"\n")
                .map_err(|source| Error::Export { source })
        })?;
        return Ok(Exit::Done);
    }
    let shown = ["work_ns".to_owned()];
    let metrics = output.is_text().then_some(&shown[..]);
    let extent = match arguments.depth {
        Some(levels) => TreeExtent::Levels(levels, MAX_GROUPS),
        None if output.is_text() => TreeExtent::FirstPicture(SHOWN_LEVELS),
        None => TreeExtent::default(),
    };
    let answer = answers.tree(run, &choice, metrics, extent)?;
    if let Some(note) = render::note_of_cut(&answer)
        && output.data_form() == Some(DataForm::Csv)
    {
        Console::new(output.global()).note(&note);
    }
    output.print_table(&answer, |layout| render::tree(&answer, layout))
}
