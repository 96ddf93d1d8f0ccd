//! Questions about a store.

use std::path::Path;

use sheaf_answers::{LocationKind, Runs, StructureVerdict, Tabular as _, Verdict};
use sheaf_ensemble::{Error, LocationsQuestion, MappingEdit, did_you_mean};
use sheaf_model::Scope;
use sheaf_server::{DataForm, csv, json};

use super::why::{why, why_of_series};
use super::{Outcome, open, report};
use crate::cli::explain::ExplainArguments;
use crate::cli::question::{
    DiffArguments, DiffLevel, FailOn, InfoArguments, MatchArguments, RunsArguments, StatsArguments,
    StatsOver,
};
use crate::cli::scale::ScaleArguments;
use crate::cli::similar::{MeasureName, SimilarArguments};
use crate::cli::what_if::WhatIfArguments;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::render::{self, Columns, Ending};
use crate::stdout;

/// Causes of a view that text shows.
const DEFAULT_CAUSES: usize = 10;

/// Lists runs.
pub(crate) fn runs(arguments: &RunsArguments, output: &Output) -> Outcome {
    let answer = open(output)?.runs(&arguments.lens())?;
    let columns = columns(&arguments.columns, &answer)?;
    output.print_table(&answer, |layout| render::runs(&answer, &columns, layout))
}

/// The columns that were asked for.
fn columns(asked: &[String], answer: &Runs) -> Result<Columns, Failure> {
    if asked.is_empty() || answer.runs.is_empty() {
        return Ok(Columns::Telling);
    }
    if asked == ["all"] {
        return Ok(Columns::Varying);
    }
    let known = |name: &String| answer.parameters.iter().any(|known| known.name == *name);
    if let Some(unknown) = asked.iter().find(|name| !known(name)) {
        let names = answer
            .parameters
            .iter()
            .map(|parameter| parameter.name.as_str());
        let nearest = did_you_mean(unknown, names);
        return Err(
            Failure::usage(format!("no run has a parameter `{unknown}`{nearest}"))
                .with_hint("`grainsheaf runs` lists them"),
        );
    }
    Ok(Columns::Named(asked.to_vec()))
}

/// Shows one run.
pub(crate) fn info(arguments: &InfoArguments, output: &Output) -> Outcome {
    let answer = open(output)?.info(&arguments.run)?;
    output.print_table(&answer, |layout| render::info(&answer, layout))
}

/// Shows distributions.
pub(crate) fn stats(arguments: &StatsArguments, output: &Output) -> Outcome {
    if let Some(by) = arguments.by_location {
        return locations(arguments, by.wire(), output);
    }
    let answers = open(output)?;
    let table = if arguments.over == Some(StatsOver::Grains) {
        if arguments.scope == Some(Scope::Inclusive) {
            let fault = "over grains there are exclusive values only: a grain has no callees";
            return Err(Failure::usage(fault).with_hint("leave `--scope` out"));
        }
        answers.grain_stats(&arguments.lens())?
    } else {
        answers.stats(&arguments.lens())?
    };
    let limit = output.limit(arguments.limit);
    // Text ends with the number of omitted rows, for which data has no place.
    let Some(form) = output.data_form() else {
        let table = table.page(arguments.offset, None);
        stdout::write(&render::stats(&table, limit, output.layout()))?;
        return Ok(Exit::Done);
    };
    let table = table.page(arguments.offset, (limit > 0).then_some(limit));
    stdout::stream(|out| {
        let written = match form {
            DataForm::Csv => csv::write(&table.table(), true, out),
            DataForm::Json | DataForm::Arrow => json::write(&table, out),
        };
        written.map_err(|source| Error::Export { source })
    })?;
    Ok(Exit::Done)
}

/// Shows values by rank or worker.
fn locations(arguments: &StatsArguments, by: LocationKind, output: &Output) -> Outcome {
    let limit = output.limit(arguments.limit);
    let question = LocationsQuestion {
        by,
        offset: arguments.offset,
        limit: (limit > 0).then_some(limit),
        ..LocationsQuestion::default()
    };
    let answer = open(output)?.locations(&arguments.lens(), &question, None)?;
    output.print_table(&answer, |layout| {
        render::locations(&answer, arguments.offset, layout)
    })
}

/// Explains the difference of two sides.
pub(crate) fn explain(arguments: &ExplainArguments, output: &Output) -> Outcome {
    let mut answer = open(output)?.explain(&arguments.lens()?)?;
    if !output.is_text() {
        let note = answer.keep_first(arguments.limit.unwrap_or(0));
        if let Some(note) = note.filter(|_| output.data_form() == Some(DataForm::Csv)) {
            Console::new(output.global()).note(&note.text);
        }
    }
    let limit = arguments.limit.unwrap_or(DEFAULT_CAUSES);
    output.print_table(&answer, |layout| render::explain(&answer, limit, layout))
}

/// Predicts times of runs.
pub(crate) fn what_if(arguments: &WhatIfArguments, output: &Output) -> Outcome {
    let answers = open(output)?;
    let question = arguments.question();
    if arguments.first {
        let answer = answers.what_first(&question)?;
        return output.print_table(&answer, |layout| render::what_first(&answer, layout));
    }
    if arguments.check {
        let answer = answers.what_if_check(&question)?;
        return output.print_table(&answer, |layout| render::what_if_check(&answer, layout));
    }
    let answer = answers.what_if(&question)?;
    output.print_table(&answer, |layout| render::what_if(&answer, layout))
}

/// Compares two sides.
pub(crate) fn diff(arguments: &DiffArguments, output: &Output) -> Outcome {
    let lens = arguments.lens()?;
    if arguments.level == Some(DiffLevel::Grain) {
        return super::grain_diff::grain_diff(&lens, arguments, output);
    }
    if arguments.grains.is_some() || arguments.arrow {
        return Err(Failure::usage(
            "`--grains` and `--arrow` are for `--level grain`",
        ));
    }
    let answers = open(output)?;
    let mut answer = answers.diff(&lens)?;
    let is_failed = is_structure_failed(&arguments.fail_on, answer.structure.verdict)
        || answer
            .rows
            .iter()
            .any(|row| fails(&arguments.fail_on, row.verdict));
    let exit = if is_failed { Exit::Failed } else { Exit::Done };
    if let Some(path) = arguments.html.as_deref() {
        let html = report::of_diff(answers, &lens, &answer)?;
        report::write(path, &html)?;
        if path == Path::new("-") {
            return Ok(exit);
        }
    }
    let limit = output.limit(arguments.limit);
    // Text ends with the number of omitted rows, for which data has no place.
    if !output.is_text() && limit > 0 {
        answer.rows.truncate(limit);
    }
    let ending = if output.is_text() {
        why(answers, &lens, &arguments.why)?
    } else {
        Ending::default()
    };
    output.print_table(&answer, |layout| {
        render::diff(&answer, &ending, limit, layout)
    })?;
    Ok(exit)
}

fn is_structure_failed(asked: &[FailOn], verdict: StructureVerdict) -> bool {
    let is_change = match verdict {
        StructureVerdict::Changed | StructureVerdict::Different => true,
        StructureVerdict::Same
        | StructureVerdict::Varies
        | StructureVerdict::ThreadCountDependent => false,
    };
    is_change && asked.contains(&FailOn::Structure)
}

fn fails(asked: &[FailOn], verdict: Verdict) -> bool {
    let matching = match verdict {
        Verdict::Slower => FailOn::Slower,
        Verdict::Appeared => FailOn::Appeared,
        Verdict::Vanished => FailOn::Vanished,
        Verdict::Faster | Verdict::Unchanged | Verdict::Inconclusive | Verdict::Untestable => {
            return false;
        }
    };
    asked.contains(&matching)
}

/// Groups of each point that text shows.
const GROUPS_PER_POINT: usize = 5;

/// Shows how times change with a parameter, and where they went.
pub(crate) fn scale(arguments: &ScaleArguments, output: &Output) -> Outcome {
    let answers = open(output)?;
    let lens = arguments.lens();
    let answer = answers.scale(&lens, &arguments.question())?;
    let limit = arguments.limit.unwrap_or(GROUPS_PER_POINT);
    let endings = if output.is_text() {
        let shown = render::series_shown(&answer, limit);
        why_of_series(answers, &lens, &answer, shown, &arguments.why)?
    } else {
        Vec::new()
    };
    output.print_table_of(
        &answer,
        || answer.table_of(arguments.table.wire()),
        |layout| render::scale(&answer, &endings, limit, layout),
    )
}

/// Shows the similarity of runs, or their projection.
pub(crate) fn similar(arguments: &SimilarArguments, output: &Output) -> Outcome {
    refuse_without_effect(arguments)?;
    let answers = open(output)?;
    let question = arguments.question();
    let limit = output.limit(arguments.limit);
    if arguments.projection {
        let answer = answers.projection(&question)?;
        output.print_table(&answer, |layout| render::projection(&answer, limit, layout))?;
    } else {
        let answer = answers.similar(&question)?;
        output.print_table(&answer, |layout| render::similar(&answer, limit, layout))?;
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

/// Lists the store's mapping, after the changes that were asked for.
pub(crate) fn mapping(arguments: &MatchArguments, output: &Output) -> Outcome {
    let answers = open(output)?;
    let edits = edits(arguments);
    let answer = if edits.is_empty() {
        answers.mapping()?
    } else {
        answers.edit_mapping(&edits)?
    };
    output.print_table(&answer, |layout| render::mapping(&answer, layout))
}

/// The requested changes; removals come first, so that a pair can be replaced.
fn edits(arguments: &MatchArguments) -> Vec<MappingEdit> {
    let all = |pairs: &[(String, String)], edit: fn(String, String) -> MappingEdit| {
        let edits = pairs.iter().map(move |(a, b)| edit(a.clone(), b.clone()));
        edits.collect::<Vec<_>>()
    };
    [
        all(&arguments.forget, MappingEdit::Forget),
        all(&arguments.confirm, MappingEdit::Same),
        all(&arguments.pin, MappingEdit::Same),
        all(&arguments.reject, MappingEdit::Different),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_verdicts_asked_for_fail() {
        assert!(fails(&[FailOn::Slower], Verdict::Slower));
        assert!(!fails(&[FailOn::Slower], Verdict::Appeared));
        assert!(!fails(&[], Verdict::Slower));
        assert!(!fails(&[FailOn::Structure], Verdict::Appeared));
        let structure = [FailOn::Slower, FailOn::Structure];
        assert!(is_structure_failed(&structure, StructureVerdict::Changed));
        assert!(is_structure_failed(&structure, StructureVerdict::Different));
        assert!(!is_structure_failed(&structure, StructureVerdict::Varies));
        assert!(!is_structure_failed(
            &structure,
            StructureVerdict::ThreadCountDependent
        ));
        assert!(!is_structure_failed(
            &[FailOn::Slower],
            StructureVerdict::Changed
        ));
        assert!(!fails(
            &[FailOn::Slower, FailOn::Vanished],
            Verdict::Inconclusive
        ));
    }
}
