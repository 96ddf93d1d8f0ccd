//! Which definitions of different versions are the same.

use sheaf_ensemble::MappingEdit;

use super::open;
use crate::cli::Global;
use crate::cli::question::MatchArguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::render;

/// Lists the store's mapping, after the changes that were asked for.
pub(crate) fn mapping(
    global: &Global,
    arguments: &MatchArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    output.refuse_csv()?;
    let answers = open(global, output)?;
    let edits = edits(arguments);
    let answer = if edits.is_empty() {
        answers.mapping()?
    } else {
        answers.edit_mapping(&edits)?
    };
    output.print(
        || serde_json::to_string(&answer),
        |layout| render::mapping(&answer, layout),
    )?;
    Ok(Exit::Done)
}

/// What was asked for; what is forgotten first, so that it can be said anew.
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
