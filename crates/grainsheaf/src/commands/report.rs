//! Reports: the questions that they answer, and where they are written.

use std::path::Path;

use sheaf_answers::{Diff, Gate};
use sheaf_model::{Compare, Lens, Level, Scope};
use sheaf_server::Answers;

use crate::failure::Failure;
use crate::output::write_file;
use crate::render::{self, Material, Statistics};
use crate::stdout;

/// The report of a comparison.
///
/// # Errors
/// Those of the questions, and when the binary has no frontend.
pub(super) fn of_diff(answers: &Answers, lens: &Lens, answer: &Diff) -> Result<String, Failure> {
    let material = material(answers, &of_sides(lens, answer)?)?;
    html(render::diff_report(answer, material))
}

/// The report of a gate.
///
/// # Errors
/// As for [`of_diff`].
pub(super) fn of_gate(answers: &Answers, lens: &Lens, answer: &Gate) -> Result<String, Failure> {
    let material = material(answers, &of_sides(lens, &answer.diff)?)?;
    html(render::gate_report(answer, material))
}

/// The report of the runs of a lens.
///
/// # Errors
/// As for [`of_diff`].
pub(super) fn of_ensemble(answers: &Answers, lens: &Lens) -> Result<String, Failure> {
    let lens = Lens {
        compare: Compare::None,
        ..lens.clone()
    };
    let material = material(answers, &lens)?;
    let statistics = statistics(answers, &lens)?;
    html(render::ensemble_report(
        &lens.to_string(),
        &statistics,
        material,
    ))
}

/// The report of one run.
///
/// # Errors
/// As for [`of_diff`], and when `run` names no run or several.
pub(super) fn of_run(answers: &Answers, run: &str, lens: &Lens) -> Result<String, Failure> {
    let info = answers.info(run)?;
    let lens = selecting(lens, [&info.run.run])?;
    let material = material(answers, &lens)?;
    let statistics = statistics(answers, &lens)?;
    html(render::run_report(
        &lens.to_string(),
        &info,
        &statistics,
        material,
    ))
}

/// The lens on these runs alone, without a comparison.
fn selecting<'a>(lens: &Lens, runs: impl IntoIterator<Item = &'a String>) -> Result<Lens, Failure> {
    let ids: Vec<String> = runs.into_iter().map(|run| format!("'{run}'")).collect();
    let runs = format!("run in ({})", ids.join(", "));
    let runs = runs
        .parse()
        .map_err(|error| Failure::internal("cannot select the runs of the report", &error))?;
    Ok(Lens {
        runs: Some(runs),
        compare: Compare::None,
        ..lens.clone()
    })
}

fn of_sides(lens: &Lens, answer: &Diff) -> Result<Lens, Failure> {
    selecting(lens, answer.a.runs.iter().chain(&answer.b.runs))
}

fn material(answers: &Answers, lens: &Lens) -> Result<Material, Failure> {
    // The script of the report lays the picture out in the room that it has.
    let (width, height) = (1000.0, 600.0);
    Ok(Material {
        runs: answers.runs(lens)?,
        sankey: answers.sankey(lens, width, height)?,
        mapping: answers.mapping()?,
    })
}

/// As the views of box plots and of functions ask.
fn statistics(answers: &Answers, lens: &Lens) -> Result<Statistics, Failure> {
    let of_functions = |scope, level| {
        answers.stats(&Lens {
            by: Vec::new(),
            scope,
            level,
            ..lens.clone()
        })
    };
    Ok(Statistics {
        stats: answers.stats(lens)?,
        exclusive: of_functions(Scope::Exclusive, lens.level)?,
        inclusive: of_functions(Scope::Inclusive, lens.level)?,
        contexts: of_functions(Scope::Exclusive, Level::Context)?,
    })
}

/// The text of a report, which a binary without the frontend cannot make.
fn html(report: serde_json::Result<Option<String>>) -> Result<String, Failure> {
    let report =
        report.map_err(|error| Failure::internal("cannot write the answer as JSON", &error))?;
    report.ok_or_else(|| {
        Failure::usage("this binary was built without the frontend, which reports are made of")
            .with_hint("build it with `make build`")
    })
}

/// Writes a report to a file, which replaces one of that name, or to standard output for `-`.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(path: &Path, report: &str) -> Result<(), Failure> {
    if path == Path::new("-") {
        stdout::write(report)
    } else {
        write_file(path, report)
    }
}
