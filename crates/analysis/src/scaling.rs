//! Scaling studies: how the time of runs changes with a parameter, and where the workers' time went.
//!
//! Runs that share all that divides them but the parameter are a *series*; runs of a series with one
//! value p of the parameter are a *point*. One rule says what its figures are of: its value, and what
//! follows from values (speedups, efficiencies, utilisation, laws), of the median over its runs; its
//! work and where that went (inflation, critical path, bounds, POP factors, losses), of the run nearest to
//! the median, so that W + O + I = p · T holds to the last unit and factors multiply. Only the
//! inflation of single groups is a ratio of medians over runs, because it has an interval. Laws, models
//! and bounds are those of [`sheaf_statistics::scaling`].

mod division;
mod fixed;
mod groups;
mod inputs;
mod inversions;
mod losses;
mod measured;
mod models;
mod points;
mod question;
#[cfg(test)]
mod tests;
mod utilisation;

use std::collections::BTreeMap;

use rayon::prelude::*;
use sheaf_answers::{
    Note, OutOfOrder, Scale, ScaleFact, ScaleLoss, ScaleModel, ScalePoint, ScaleSeries, ScalingKind,
};
use sheaf_model::{Lens, Progress, RunId};

pub use division::is_incidental;
pub use question::{ScaleQuestion, TimeBreakdown};

use sheaf_statistics::scaling::RESAMPLES;

use crate::error::Error;
use crate::kernel::State;
use crate::may_lack_loops;
use division::{SeriesKind, SeriesPartition, UNCLEAR_FROM};
use groups::Groups;
use inputs::Inputs;
use measured::Measured;

/// Seed of every interval that is drawn.
pub const SEED: u64 = 0x5CA1_AB1E;

/// A study after its runs were read and before those were opened that stand for points.
#[derive(Debug)]
pub struct ScalingAnalysis {
    lens: Lens,
    question: ScaleQuestion,
    groups: Groups,
    measured: Measured,
    division: SeriesPartition,
    notes: Vec<Note>,
}

impl ScalingAnalysis {
    /// Reads the runs of `state`, divides them into series and finds the run that stands for each point.
    ///
    /// Linear in the rows of the runs' totals and values, in parallel over runs.
    ///
    /// # Errors
    /// When no run has the metric or the parameter, the parameter is not a number, the metric does not add
    /// up, or `progress` was cancelled.
    pub fn new(
        lens: &Lens,
        question: &ScaleQuestion,
        state: State,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let (groups, measured, mut notes) = measured::read(lens, question, state, progress)?;
        let division = SeriesPartition::new(groups.runs(), question, &measured)?;
        notes.extend(division.notes.iter().cloned());
        Ok(Self {
            lens: lens.clone(),
            question: question.clone(),
            groups,
            measured,
            division,
            notes,
        })
    }

    /// Runs that stand for points, in canonical order: what [`ScalingAnalysis::finish`] wants accounts of.
    pub fn representatives(&self) -> Vec<RunId> {
        let series = self.division.series.iter();
        let points = series.flat_map(|series| &series.points);
        let mut places: Vec<usize> = points.map(|point| point.representative).collect();
        places.sort_unstable();
        let runs = self.groups.runs();
        places.into_iter().map(|run| runs[run].meta.id).collect()
    }

    /// The answer. Accounts of runs that know no times of grains are missing, and then what needs them.
    pub fn finish(&self, accounts: &BTreeMap<RunId, TimeBreakdown>) -> Scale {
        let parts: Vec<Parts> = (0..self.division.series.len())
            .into_par_iter()
            .map(|series| self.series(series, accounts))
            .collect();
        let mut notes = self.notes.clone();
        let mut of_series = Vec::new();
        let mut answer = Scale {
            schema: "scale/1".to_owned(),
            lens: self.lens.to_string(),
            by: self.question.by.clone(),
            metric: self.measured.metric.name.clone(),
            unit: self.measured.metric.unit.clone(),
            of_elapsed: self.measured.is_elapsed,
            of_time: self.measured.is_time,
            divided_by: self.division.names.clone(),
            unknown_kind: self.measured.unknown_kind(&self.question),
            seed: SEED,
            resamples: RESAMPLES as u64,
            ..Scale::default()
        };
        for part in parts {
            answer.series.push(part.series);
            answer.points.extend(part.points);
            answer.models.extend(part.models);
            answer.loss.extend(part.loss);
            answer.out_of_order.extend(part.out_of_order);
            of_series.extend(part.notes);
        }
        utilisation::add_utilisation(&mut answer);
        of_series.append(&mut answer.notes);
        notes.extend(points::basis(&answer));
        notes.extend(of_series);
        notes.extend(points::references(&answer));
        answer.missing = self.division.missing();
        Note::dedup(&mut notes);
        answer.notes = notes;
        answer
    }

    /// Work that grows may be that of a larger problem, or of the same one on workers that hinder each other.
    fn inputs_not_shown(&self, number: usize) -> ScaleFact {
        ScaleFact::InputsNotShown {
            parameter: self.question.by.clone(),
            metric: self.measured.metric.name.clone(),
            series: self.division.series[number].name.clone(),
        }
    }

    /// Whether the work grows, and recorded runs may lack the loops that show by how much their inputs do.
    fn may_lack_input(&self, number: usize, kind: &SeriesKind) -> bool {
        let points = self.division.series[number].points.iter();
        let mut runs = points.map(|point| &self.groups.runs()[point.representative].meta);
        kind.kind == ScalingKind::Strong
            && kind
                .work_exponent
                .is_some_and(|exponent| exponent >= UNCLEAR_FROM)
            && runs.any(|run| run.format == "trace" && may_lack_loops(run))
    }

    fn loops_not_shown(&self, number: usize) -> ScaleFact {
        ScaleFact::LoopsNotShown {
            parameter: self.question.by.clone(),
            series: self.division.series[number].name.clone(),
        }
    }

    fn series(&self, number: usize, accounts: &BTreeMap<RunId, TimeBreakdown>) -> Parts {
        let inputs = inputs::inputs(&self.division.series[number], self.groups.runs(), accounts);
        let kind = self
            .division
            .kind_of(number, &self.question, &self.measured, inputs);
        let mut notes = Vec::new();
        let is_guess = inputs == Inputs::Unknown && self.question.kind.is_none();
        if is_guess && kind.kind == ScalingKind::Weak {
            notes.push(self.inputs_not_shown(number).into());
        }
        if inputs == Inputs::Same
            && self.question.kind.is_none()
            && self.may_lack_input(number, &kind)
        {
            notes.push(self.loops_not_shown(number).into());
        }
        let points = points::points(self, number, &kind, accounts, &mut notes);
        let models = models::models(self, number, &kind);
        let loss = losses::losses(self, number, &kind, accounts);
        let (turn, out_of_order) = inversions::find(self, number, &kind, &points, &loss);
        let members = &self.division.series[number];
        Parts {
            series: ScaleSeries {
                name: members.name.clone(),
                values: members.values.clone(),
                kind: kind.kind,
                work_exponent: kind.work_exponent,
                constant_work: kind.has_constant_work,
                reference: members.points.first().map_or(1.0, |point| point.p),
                turn,
                runs: members
                    .points
                    .iter()
                    .map(|point| point.runs.len() as u64)
                    .sum(),
            },
            points,
            models,
            loss: loss.rows(self, number),
            out_of_order,
            notes,
        }
    }
}

/// What one series adds to the answer.
struct Parts {
    series: ScaleSeries,
    points: Vec<ScalePoint>,
    models: Vec<ScaleModel>,
    loss: Vec<ScaleLoss>,
    out_of_order: Vec<OutOfOrder>,
    notes: Vec<Note>,
}
