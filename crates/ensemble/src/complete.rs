//! Runs that ended early take no part in a question that does not ask for them.
//!
//! A program that aborts half-way took half the time and did half the work: compared with others it looks fast.
//! A question asks for such runs when an expression of it compares `incomplete` or `is_complete`, or asks whether
//! one `exists`.

use sheaf_answers::{FirstNames, Note, Reason, RunFact, WhichSide, Why};
use sheaf_model::{Compare, Expression, Lens, RunSelector};

use crate::runs::RunEntry;
use crate::{Error, disturbed, select};

/// Names of runs in a message, at most.
const MAX_NAMES: usize = 5;
/// The runs that a question selects, with those that ended early apart.
pub(crate) struct Chosen<'a> {
    /// Runs that take part.
    pub(crate) runs: Vec<&'a RunEntry>,
    /// Runs that do not, because they are incomplete.
    pub(crate) incomplete: Vec<&'a RunEntry>,
}

impl<'a> Chosen<'a> {
    /// Divides `selected`; nothing is incomplete where the question asks for such runs.
    pub(crate) fn new(selected: Vec<&'a RunEntry>, is_asked: bool) -> Self {
        let (runs, incomplete) = selected
            .into_iter()
            .partition(|run| is_asked || run.meta.is_complete);
        Self { runs, incomplete }
    }

    /// The runs that take part in a decision.
    ///
    /// # Errors
    /// When all of them are incomplete.
    pub(crate) fn some(self, what: &str) -> Result<Self, Error> {
        if self.runs.is_empty() && !self.incomplete.is_empty() {
            return Err(Error::Incomplete {
                what: what.to_owned(),
                count: self.incomplete.len(),
                names: names(&self.incomplete).to_string(),
            });
        }
        Ok(self)
    }

    /// The runs that take part in a description: incomplete ones alone if there are no others.
    pub(crate) fn or_incomplete(mut self) -> Self {
        if self.runs.is_empty() {
            std::mem::swap(&mut self.runs, &mut self.incomplete);
        }
        self
    }

    /// How many runs are left out, and which; `of` is their side. If no others are there, only a gate shows them.
    pub(crate) fn note(&self, of: Option<WhichSide>) -> Option<Note> {
        let reason = self.left_out(of)?;
        let runs = names(&self.incomplete);
        let fact = if self.runs.is_empty() {
            RunFact::OnlyIncompleteRuns { reason, runs }
        } else {
            RunFact::IncompleteRunsLeftOut { reason, runs }
        };
        Some(fact.into())
    }

    /// Names of the runs that do not take part.
    pub(crate) fn names(&self) -> FirstNames {
        names(&self.incomplete)
    }

    /// How many runs of a side are incomplete, if any are.
    pub(crate) fn left_out(&self, side: Option<WhichSide>) -> Option<Reason> {
        let incomplete = self.incomplete.len() as u64;
        let why = Why::IncompleteRuns {
            incomplete,
            runs: self.runs.len() as u64 + incomplete,
            side,
        };
        (incomplete > 0).then(|| why.into())
    }
}

/// The runs of a lens for a decision.
///
/// # Errors
/// When the lens selects nothing, or incomplete runs alone.
pub(crate) fn deciding<'a>(lens: &Lens, entries: &'a [RunEntry]) -> Result<Chosen<'a>, Error> {
    let selected = select::compared(lens, entries)?;
    let what = lens.runs.as_ref().map_or_else(
        || "the store".to_owned(),
        |expression| format!("`{expression}`"),
    );
    Chosen::new(selected, is_asked(lens)).some(&what)
}

/// The runs of a lens for a description, which shows incomplete runs if there are no others.
///
/// # Errors
/// When the lens selects nothing.
pub(crate) fn describing<'a>(lens: &Lens, entries: &'a [RunEntry]) -> Result<Chosen<'a>, Error> {
    let selected = select::compared(lens, entries)?;
    let is_asked = is_asked(lens) || compares_incomplete(lens, &selected);
    Ok(Chosen::new(selected, is_asked).or_incomplete())
}

/// Whether one of the sides that a lens compares has no other runs than incomplete ones.
fn compares_incomplete(lens: &Lens, selected: &[&RunEntry]) -> bool {
    compared_sides(lens).into_iter().any(|name| {
        let side = select::side(selected, name);
        side.is_ok_and(|side| side.iter().all(|run| !run.meta.is_complete))
    })
}

fn compared_sides(lens: &Lens) -> Vec<&RunSelector> {
    match &lens.compare {
        Compare::None => Vec::new(),
        Compare::Target(name) => vec![name],
        Compare::Diff { a, b } => vec![a, b],
    }
}

/// Baseline and candidate.
///
/// # Errors
/// When nothing is selected for one of them.
pub(crate) fn sides<'a>(
    lens: &Lens,
    entries: &'a [RunEntry],
    names: [&RunSelector; 2],
) -> Result<[Chosen<'a>; 2], Error> {
    let selected = select::by_expression(entries, lens.runs.as_ref())?;
    let is_asked = is_asked(lens);
    let [a, b] = names.map(|name| select::side(&selected, name));
    Ok([a?, b?].map(|side| Chosen::new(side, is_asked)))
}

/// Baseline and candidate of a comparison, with notes on what each lacks.
///
/// # Errors
/// When nothing is selected for one of them, or incomplete runs alone.
pub(crate) fn comparable_sides<'a>(
    lens: &Lens,
    entries: &'a [RunEntry],
    names: [&RunSelector; 2],
) -> Result<([Vec<&'a RunEntry>; 2], Vec<Note>), Error> {
    let [a, b] = sides(lens, entries, names)?;
    let [a, b] = [
        a.some(&format!("`{}`", names[0].0))?,
        b.some(&format!("`{}`", names[1].0))?,
    ];
    let notes = [
        a.note(Some(WhichSide::Baseline)),
        b.note(Some(WhichSide::Candidate)),
        disturbed::note(&a.runs, Some(WhichSide::Baseline)),
        disturbed::note(&b.runs, Some(WhichSide::Candidate)),
    ];
    Ok(([a.runs, b.runs], notes.into_iter().flatten().collect()))
}

/// Whether a question asks for incomplete runs.
fn is_asked(lens: &Lens) -> bool {
    let asks = |expression: &Expression| {
        ["incomplete", "is_complete"]
            .iter()
            .any(|name| expression.mentions(name))
    };
    let side = |name: &RunSelector| {
        let expression = name.0.trim().parse::<Expression>();
        expression.is_ok_and(|expression| asks(&expression))
    };
    compared_sides(lens).into_iter().any(side) || lens.runs.as_ref().is_some_and(asks)
}

fn names(runs: &[&RunEntry]) -> FirstNames {
    let names = runs.iter().map(|run| run.meta.name.as_str());
    FirstNames::new(names, MAX_NAMES)
}
