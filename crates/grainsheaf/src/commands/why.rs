//! The largest causes of a difference, at the end of an answer about it.

use sheaf_answers::Scale;
use sheaf_ensemble::scale_ends;
use sheaf_model::Lens;
use sheaf_server::Answers;

use crate::cli::values::Why;
use crate::failure::Failure;
use crate::render::Ending;

/// The causes of the difference that `lens` compares; none if they are not asked for or the runs do not permit it.
pub(super) fn why(answers: &Answers, lens: &Lens, asked: &Why) -> Result<Ending, Failure> {
    if asked.no_why {
        return Ok(Ending::default());
    }
    let answer = answers.explain_briefly(lens)?;
    Ok(Ending::of(&answer))
}

/// As [`why`], of the first and last point of each of the first `most` series.
pub(super) fn why_of_series(
    answers: &Answers,
    lens: &Lens,
    answer: &Scale,
    most: usize,
    asked: &Why,
) -> Result<Vec<Ending>, Failure> {
    let ends = (0..answer.series.len()).take(most);
    let ending = |series| match scale_ends(lens, answer, series) {
        Some(lens) => why(answers, &lens, asked),
        None => Ok(Ending::default()),
    };
    ends.map(ending).collect()
}
