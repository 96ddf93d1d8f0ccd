//! Predicts times of runs by scheduling their grain graphs again.

mod cautions;
mod check;
mod faster;
mod first;
mod no_gain;
mod prepared;
mod reference;
mod table_graph;

use std::str::FromStr;

use rayon::prelude::*;
use sheaf_answers::{NoGain, Note, Prediction, SchedulePolicy, WhatIf, WhatIfFact};
use sheaf_grains::schedule::Outcome;
use sheaf_model::RunSelector;

use crate::complete::Chosen;
use crate::runs::RunEntry;
use crate::{Error, View, select};
use prepared::{Changes, Prepared, Sum};
use reference::Reference;

/// Schedules of a prediction, if the question does not say.
const REPEATS: u32 = 5;
/// Schedules of a prediction at most.
const MAX_REPEATS: u32 = 1000;
/// Workers of a schedule at most: each takes memory.
const MAX_WORKERS: u32 = 1 << 20;

/// A question about changes of runs.
///
/// ```
/// use sheaf_ensemble::WhatIfQuestion;
/// let question = WhatIfQuestion {
///     runs: vec!["sort-t1-r1".to_owned()],
///     workers: vec![2, 4],
///     faster: vec!["sort_range (task)=20%".parse().unwrap()],
///     ..WhatIfQuestion::default()
/// };
/// assert_eq!(question.repeats, 5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIfQuestion {
    /// Runs: ids, names or expressions.
    pub runs: Vec<String>,
    /// Numbers of workers; that of each run if empty.
    pub workers: Vec<u32>,
    /// Whether to predict unlimited workers too.
    pub is_infinite: bool,
    /// Changes of work.
    pub faster: Vec<Faster>,
    /// Whether scheduling costs nothing.
    pub is_without_delay: bool,
    /// Whether creation of tasks costs nothing.
    pub is_without_creation: bool,
    /// Depth below which tasks become part of their ancestor.
    pub cut_off: Option<u32>,
    /// Iterations of every chunk of loops.
    pub chunk_size: Option<u32>,
    /// Runs that show how work and costs change with the number of workers; both stay as recorded if absent.
    pub reference: Option<String>,
    /// Scheduling policy; that of each run if absent.
    pub policy: Option<SchedulePolicy>,
    /// Schedules of each prediction.
    pub repeats: u32,
    /// First seed.
    pub seed: u64,
}

impl Default for WhatIfQuestion {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            workers: Vec::new(),
            is_infinite: false,
            faster: Vec::new(),
            is_without_delay: false,
            is_without_creation: false,
            cut_off: None,
            chunk_size: None,
            reference: None,
            policy: None,
            repeats: REPEATS,
            seed: 1,
        }
    }
}

/// Grains that take less time: `NAME=20%`.
#[derive(Debug, Clone, PartialEq)]
pub struct Faster {
    /// A definition by name or function, a path of definitions joined by ` / `, or an expression about grains.
    pub what: String,
    /// Part of the work that falls away, in percent.
    pub percent: f64,
}

impl FromStr for Faster {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || format!("`{text}` is not of the form `NAME=20%`");
        let (what, percent) = text.rsplit_once('=').ok_or_else(form)?;
        let number = percent.trim().strip_suffix('%').ok_or_else(form)?;
        let percent: f64 = number.trim().parse().map_err(|_| form())?;
        if !(0.0..=100.0).contains(&percent) {
            return Err(format!("`{percent}` % in `{text}` is not from 0 to 100"));
        }
        let what = what.trim().to_owned();
        if what.is_empty() {
            return Err(form());
        }
        Ok(Self { what, percent })
    }
}

impl View<'_> {
    /// Predicts the elapsed time of runs on other numbers of workers and with changes of their work or structure.
    ///
    /// Each run is opened in depth. The time of one schedule grows linearly with the fragments.
    ///
    /// # Errors
    /// When a selector names no run, a run has no grain graph that can be scheduled, a name of `faster` is unknown, or a
    /// number is out of its range.
    pub fn what_if(&self, question: &WhatIfQuestion) -> Result<WhatIf, Error> {
        question.check()?;
        let entries = self.entries();
        let mut notes = Vec::new();
        let runs = self.chosen_runs(&entries, question, &mut notes)?;
        let unit = super::grain_diff::common_unit(&runs)?;
        let reference = self.reference(&entries, question, &runs)?;
        let prepared = runs
            .iter()
            .map(|run| self.prepare(run, question, reference.as_ref()));
        let prepared = prepared.collect::<Result<Vec<Prepared>, Error>>()?;
        let mut rows = Vec::new();
        for run in &prepared {
            rows.extend(self.predictions(run, question, &mut notes)?);
            notes.extend(run.notes.iter().cloned());
            notes.extend(run.notes_of_reference(question));
        }
        if let Some(size) = question.chunk_size
            && prepared.iter().any(Prepared::has_loops)
        {
            let iterations = size.into();
            notes.push(WhatIfFact::ChunksInOrder { iterations }.into());
        }
        Note::dedup(&mut notes);
        let used = reference
            .as_ref()
            .filter(|_| prepared.iter().any(|run| run.has_reference(question)));
        let trust = self.trust(&entries, &runs, question, used, &mut notes)?;
        Ok(WhatIf {
            schema: "what-if/1".to_owned(),
            unit,
            changes: question.changes(),
            runs: prepared.iter().map(Prepared::answer).collect(),
            rows,
            recorded: self.recorded_times(&entries, &runs),
            trust,
            reference: reference.as_ref().map(Reference::answer),
            seed: question.seed,
            repeats: u64::from(question.repeats),
            notes,
        })
    }

    fn chosen_runs<'a>(
        &self,
        entries: &'a [RunEntry],
        question: &WhatIfQuestion,
        notes: &mut Vec<Note>,
    ) -> Result<Vec<&'a RunEntry>, Error> {
        let all: Vec<&RunEntry> = entries.iter().collect();
        let mut runs: Vec<&RunEntry> = Vec::new();
        for selector in &question.runs {
            self.progress.check()?;
            for run in select::side(&all, &RunSelector(selector.clone()))? {
                if !runs.iter().any(|known| known.meta.id == run.meta.id) {
                    runs.push(run);
                }
            }
        }
        let chosen = Chosen::new(runs, false).or_incomplete();
        if let Some(reason) = chosen.left_out(None) {
            let runs = chosen.names();
            notes.push(WhatIfFact::IncompleteRunsNotScheduled { reason, runs }.into());
        }
        let runs = chosen.runs;
        if runs.is_empty() {
            return Err(Error::EmptySelection {
                what: "the question".to_owned(),
                count: entries.len(),
            });
        }
        Ok(runs)
    }

    /// The predictions of a run, with notes on changes that concern nothing.
    fn predictions(
        &self,
        run: &Prepared,
        question: &WhatIfQuestion,
        notes: &mut Vec<Note>,
    ) -> Result<Vec<Prediction>, Error> {
        let workers = run.workers_asked(question);
        let is_of_work = question.changes_only_work();
        let predict = |&workers: &u32| -> Result<_, Error> {
            let unchanged = run.schedules(&Changes::none(question), workers, &self.progress)?;
            let changed = if question.is_changed() {
                run.schedules(&Changes::of(question), workers, &self.progress)?
            } else {
                unchanged.clone()
            };
            let row = run.row(Some(workers), &unchanged, &changed);
            let no_gain = is_of_work.then(|| run.no_gain(workers, &unchanged, &changed));
            Ok((row, changed.notes(), no_gain.flatten()))
        };
        let predicted = workers.par_iter().map(predict);
        let predicted = predicted.collect::<Result<Vec<_>, Error>>()?;
        let mut rows: Vec<Prediction> = Vec::new();
        let mut no_gains: Vec<(u32, NoGain)> = Vec::new();
        for (&workers, (row, found, no_gain)) in workers.iter().zip(predicted) {
            rows.push(row);
            notes.extend(found);
            no_gains.extend(no_gain.map(|reason| (workers, reason)));
        }
        notes.extend(run.facts_of_no_gain(&no_gains).into_iter().map(Note::from));
        if question.is_infinite {
            let of = |changes: &Changes| run.unlimited(changes);
            let unchanged = of(&Changes::none(question))?;
            let changed = of(&Changes::of(question))?;
            rows.push(run.row(None, &unchanged, &changed));
        }
        Ok(rows)
    }
}

impl WhatIfQuestion {
    /// Checks the numbers.
    ///
    /// # Errors
    /// When one is out of its range.
    fn check(&self) -> Result<(), Error> {
        let refuse = |setting: String, reason: &str| {
            Err(Error::Setting {
                setting,
                reason: reason.to_owned(),
            })
        };
        let is_out = |workers: &&u32| !(1..=MAX_WORKERS).contains(*workers);
        if let Some(workers) = self.workers.iter().find(is_out) {
            return refuse(
                format!("workers={workers}"),
                "a schedule needs 1 to 1,048,576 workers; `infinite` is for unlimited workers",
            );
        }
        if !(1..=MAX_REPEATS).contains(&self.repeats) {
            let reason = "a prediction needs 1 to 1,000 schedules";
            return refuse(format!("repeats={}", self.repeats), reason);
        }
        if self.seed.checked_add(u64::from(self.repeats) - 1).is_none() {
            let reason = "the seeds of the schedules would exceed 18,446,744,073,709,551,615";
            return refuse(format!("seed={}", self.seed), reason);
        }
        if self.chunk_size == Some(0) {
            let reason = "a chunk needs at least 1 iteration";
            return refuse("chunk-size=0".to_owned(), reason);
        }
        Ok(())
    }

    /// Whether anything but the number of workers changes.
    fn is_changed(&self) -> bool {
        !self.faster.is_empty() || self.changes_more_than_work()
    }

    /// Whether the work of grains changes, and nothing else but the number of workers.
    fn changes_only_work(&self) -> bool {
        let is_less = self.faster.iter().any(|faster| faster.percent > 0.0);
        is_less && !self.changes_more_than_work()
    }

    fn changes_more_than_work(&self) -> bool {
        self.is_without_delay
            || self.is_without_creation
            || self.cut_off.is_some()
            || self.chunk_size.is_some()
    }

    /// The changes in words.
    fn changes(&self) -> Vec<String> {
        let faster = self.faster.iter();
        let mut changes: Vec<String> = faster
            .map(|faster| {
                format!(
                    "the work of `{}` falls by {} %",
                    faster.what, faster.percent
                )
            })
            .collect();
        if self.is_without_delay {
            changes.push("scheduling costs nothing".to_owned());
        } else if self.is_without_creation {
            changes.push("creation of tasks costs nothing".to_owned());
        }
        if let Some(depth) = self.cut_off {
            changes.push(format!(
                "tasks below depth {depth} are part of their ancestor"
            ));
        }
        if let Some(size) = self.chunk_size {
            changes.push(format!("chunks of loops have {size} iterations"));
        }
        changes
    }
}

/// Elapsed times of schedules.
fn elapsed(outcomes: &[Outcome]) -> Vec<i64> {
    outcomes.iter().map(|outcome| outcome.elapsed).collect()
}

/// Several schedules together.
fn sum(outcomes: &[Outcome]) -> Sum {
    let times = outcomes.iter().map(|outcome| outcome.elapsed);
    let total: i128 = times.clone().map(i128::from).sum();
    Sum {
        mean: total as f64 / outcomes.len().max(1) as f64,
        min: times.clone().min().unwrap_or(0),
        max: times.max().unwrap_or(0),
    }
}
