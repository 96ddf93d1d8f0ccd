//! Commands that decide.

use std::collections::BTreeMap;
use std::path::Path;

use sheaf_answers::Tabular as _;
use sheaf_answers::{DiffFact, Fact, Gate, GateOutcome, Noise, Note, ParamValue};
use sheaf_ensemble::HistoryOrder;
use sheaf_model::{Compare, Lens, RunSelector, visible_json};
use sheaf_server::{Answers, csv};

use super::why::why;
use super::{Outcome, open};
use crate::cli::decision::{GateArguments, HistoryArguments, NoiseArguments, ReportForm};
use crate::commands::git_order::git_order;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::{Output, write_file};
use crate::render;

/// Judges a candidate.
pub(crate) fn gate(arguments: &GateArguments, output: &Output) -> Outcome {
    let global = output.global();
    if let Some(form) = arguments.format.filter(|form| *form != ReportForm::Json) {
        output.refuse_other_than(&format!("--format {}", form_name(form)))?;
    }
    let answers = open(output)?;
    let mut options = arguments.options();
    let noise = arguments
        .thresholds
        .as_deref()
        .map(read_noise)
        .transpose()?;
    if let Some((noise, path)) = &noise {
        refuse_other_level(noise, arguments, path)?;
        options.thresholds = thresholds(noise);
    }
    let answer = answers.gate(&arguments.lens(), &options)?;
    if let Some((noise, path)) = &noise {
        refuse_other_metric(noise, &answer, path)?;
    }
    let report = match arguments.format {
        Some(ReportForm::Html) => super::report::of_gate(answers, &arguments.lens(), &answer)?,
        Some(ReportForm::Markdown) => {
            let ending = why(answers, &decided(arguments.lens(), &answer), &arguments.why)?;
            render::gate_markdown(&answer, &ending)
        }
        _ => report(&answer, arguments, output)?,
    };
    let file = arguments.output.as_deref();
    match file.filter(|path| *path != Path::new("-")) {
        Some(path) => {
            write_file(path, &report)?;
            Console::new(global).note(&render::gate_headline(&answer));
        }
        None => crate::stdout::write(&report)?,
    }
    Ok(match answer.outcome {
        GateOutcome::Failed => Exit::Failed,
        GateOutcome::Inconclusive if arguments.strict => Exit::Inconclusive,
        GateOutcome::Passed | GateOutcome::Inconclusive => Exit::Done,
    })
}

/// The lens of the runs that were compared: those of the candidate do not count for the baseline.
fn decided(lens: Lens, answer: &Gate) -> Lens {
    let is_left_out = |note: &Note| {
        matches!(
            note.fact,
            Fact::Comparison(DiffFact::CandidateLeftOut { .. })
        )
    };
    if !answer.diff.notes.iter().any(is_left_out) {
        return lens;
    }
    let side = |runs: &[String]| RunSelector(format!("run in ('{}')", runs.join("', '")));
    let (a, b) = (side(&answer.diff.a.runs), side(&answer.diff.b.runs));
    Lens {
        compare: Compare::Diff { a, b },
        ..lens
    }
}

/// Measures noise.
pub(crate) fn noise(arguments: &NoiseArguments, output: &Output) -> Outcome {
    let answer = open(output)?.noise(&arguments.lens(), &arguments.options())?;
    let limit = output.limit(arguments.limit);
    output.print_table(&answer, |layout| render::noise(&answer, limit, layout))?;
    Ok(match answer.check.holds {
        Some(false) => Exit::Failed,
        _ => Exit::Done,
    })
}

/// Follows versions.
pub(crate) fn history(arguments: &HistoryArguments, output: &Output) -> Outcome {
    let global = output.global();
    let answers = open(output)?;
    let lens = arguments.lens();
    let (order, notes) = match arguments.order.as_slice() {
        [] => (HistoryOrder::Versions, Vec::new()),
        [word, folder] if word == "git" => {
            let found = git_order(Path::new(folder), &versions(answers, &lens)?)?;
            (HistoryOrder::List(found.versions), found.notes)
        }
        [word, names] if word == "list" => {
            let names = names.split(',').map(|name| name.trim().to_owned());
            (HistoryOrder::List(names.collect()), Vec::new())
        }
        [parameter] if parameter != "git" && parameter != "list" => {
            (HistoryOrder::Parameter(parameter.clone()), Vec::new())
        }
        other => {
            let message = format!("`--order {}` is no order", other.join(" "));
            return Err(Failure::usage(message)
                .with_hint("`--order git DIR`, `--order list A,B,C` or `--order PARAMETER`"));
        }
    };
    let mut answer = answers.history(&lens, &order, &arguments.options())?;
    answer.notes.extend(notes);
    let limit = output.limit(arguments.limit);
    output.print_table(&answer, |layout| {
        render::history(&answer, &global.store, limit, layout)
    })
}

/// Values of the parameter that distinguishes versions.
fn versions(answers: &Answers, lens: &Lens) -> Result<Vec<String>, Failure> {
    let runs = answers.runs(lens)?;
    let by = lens.by.first().map_or("", String::as_str);
    let values = runs
        .cohorts
        .iter()
        .filter_map(|cohort| cohort.values.get(by));
    Ok(values.map(ParamValue::shown).collect())
}

fn read_noise(path: &Path) -> Result<(Noise, &Path), Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::file("cannot read thresholds", &error, path))?;
    let noise = serde_json::from_str::<Noise>(&text).ok();
    match noise.filter(|noise| noise.schema == "noise/1") {
        Some(noise) => Ok((noise, path)),
        None => Err(
            Failure::usage(format!("thresholds are no `noise/1`: {}", path.display()))
                .with_hint("write them with `grainsheaf noise --json`"),
        ),
    }
}

/// Of each group the largest threshold of any configuration.
fn thresholds(noise: &Noise) -> BTreeMap<String, f64> {
    let mut greatest = BTreeMap::new();
    for group in noise.cohorts.iter().flat_map(|cohort| &cohort.groups) {
        let Some(threshold) = group.threshold.filter(|it| it.is_finite()) else {
            continue;
        };
        let known = greatest.entry(group.group.clone()).or_insert(threshold);
        *known = threshold.max(*known);
    }
    greatest
}

fn refuse_other_level(
    noise: &Noise,
    arguments: &GateArguments,
    path: &Path,
) -> Result<(), Failure> {
    let level = arguments.lens().level;
    if noise.level == level {
        return Ok(());
    }
    Err(other_noise(
        "level",
        noise.level.as_str(),
        level.as_str(),
        path,
    ))
}

fn refuse_other_metric(noise: &Noise, answer: &Gate, path: &Path) -> Result<(), Failure> {
    if noise.metric == answer.diff.metric {
        return Ok(());
    }
    Err(other_noise(
        "metric",
        &noise.metric,
        &answer.diff.metric,
        path,
    ))
}

fn other_noise(what: &str, theirs: &str, ours: &str, path: &Path) -> Failure {
    Failure::usage(format!(
        "thresholds are of {what} `{theirs}`, the gate is of `{ours}`: {}",
        path.display()
    ))
}

fn report(answer: &Gate, arguments: &GateArguments, output: &Output) -> Result<String, Failure> {
    let limit = output.limit(arguments.limit);
    let json = || {
        let json = serde_json::to_string(answer)
            .map_err(|error| Failure::internal("cannot write the answer as JSON", &error))?;
        Ok(visible_json(&json).into_owned() + "\n")
    };
    match arguments.format {
        Some(ReportForm::Json) => json(),
        Some(ReportForm::Junit) => Ok(render::gate_junit(answer)),
        Some(ReportForm::Text | ReportForm::Html | ReportForm::Markdown) => {
            Ok(render::gate(answer, limit, output.layout()))
        }
        None => match output.data_form() {
            Some(sheaf_server::DataForm::Csv) => Ok(csv::to_text(&answer.table())),
            Some(_) => json(),
            None => Ok(render::gate(answer, limit, output.layout())),
        },
    }
}

const fn form_name(form: ReportForm) -> &'static str {
    match form {
        ReportForm::Text => "text",
        ReportForm::Markdown => "markdown",
        ReportForm::Junit => "junit",
        ReportForm::Html => "html",
        ReportForm::Json => "json",
    }
}
