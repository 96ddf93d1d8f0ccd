//! How work and costs of scheduling change with the number of workers, carried over from other runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_answers::text::counted;
use sheaf_answers::{Note, PredictionReference, WhatIfFact};
use sheaf_grains::schedule::Costs;
use sheaf_model::{RunMeta, RunSelector, RunSummary, names};
use sheaf_statistics::median;

use super::WhatIfQuestion;
use super::check::{Series, can_be_checked, workers};
use super::prepared::{MILLION, Prepared};
use crate::cache::Tables;
use crate::runs::RunEntry;
use crate::{Error, View, select};

/// Part of the work that the reference may not show without a note.
const UNSHOWN: f64 = 0.001;

type DefinitionKey = [u8; 16];
/// Sums of work by definition.
type Work = BTreeMap<DefinitionKey, f64>;

/// Runs that show how work and costs of scheduling change with the number of workers.
#[derive(Debug)]
pub(super) struct Reference {
    name: String,
    /// Complete runs of one process, of any program.
    runs: u64,
    /// Work and costs by program and unit of time. Runs of other programs are not used for a prediction.
    programs: BTreeMap<ProgramKey, Arc<Carried>>,
}

/// Program and unit of time of a run.
type ProgramKey = (String, String);

/// Work by definition, and costs, in the reference runs of one program, by number of workers.
///
/// Runs of one series differ in the number of workers alone. Only their work is compared, so that a series may have
/// another size of input than the run that is predicted.
#[derive(Debug, Default)]
pub(super) struct Carried {
    runs: u64,
    /// Series, each with the medians over its runs by number of workers.
    series: Vec<BTreeMap<u32, Work>>,
    /// Costs of the run with the median elapsed time, by number of workers.
    costs: BTreeMap<u32, Costs>,
}

fn program_of(meta: &RunMeta) -> ProgramKey {
    (meta.program.clone(), meta.time_unit.to_string())
}

impl View<'_> {
    /// The runs that a question takes as reference for `predicted`; absent if it has none.
    ///
    /// Reads the summaries of the reference runs of the same programs, and opens one of them in depth for each number of
    /// workers.
    ///
    /// # Errors
    /// When the reference selects no run of a program that has grains, or a run cannot be read.
    pub(super) fn reference(
        &self,
        entries: &[RunEntry],
        question: &WhatIfQuestion,
        predicted: &[&RunEntry],
    ) -> Result<Option<Reference>, Error> {
        let Some(name) = &question.reference else {
            return Ok(None);
        };
        let all: Vec<&RunEntry> = entries.iter().collect();
        let mut chosen = select::side(&all, &RunSelector(name.clone()))?;
        chosen.retain(|run| can_be_checked(run));
        let runs = chosen.len() as u64;
        if runs == 0 {
            return Err(refused(
                name,
                "it selects no complete run of one process that has grains with work",
            ));
        }
        let wanted: BTreeSet<ProgramKey> =
            predicted.iter().map(|run| program_of(&run.meta)).collect();
        let mut programs: BTreeMap<ProgramKey, Vec<&RunEntry>> = BTreeMap::new();
        for run in chosen {
            let program = program_of(&run.meta);
            if wanted.contains(&program) {
                programs.entry(program).or_default().push(run);
            }
        }
        let carried = |(program, runs): (ProgramKey, Vec<&RunEntry>)| {
            Ok((program, Arc::new(self.carried(&runs)?)))
        };
        let programs = programs.into_iter().map(carried);
        Ok(Some(Reference {
            name: name.clone(),
            runs,
            programs: programs.collect::<Result<_, Error>>()?,
        }))
    }

    /// Work and costs of runs of one program.
    fn carried(&self, runs: &[&RunEntry]) -> Result<Carried, Error> {
        let mut works: BTreeMap<Series, BTreeMap<u32, Vec<Work>>> = BTreeMap::new();
        let mut by_workers: BTreeMap<u32, Vec<&RunEntry>> = BTreeMap::new();
        for (run, summary) in runs.iter().zip(self.summaries(runs, Tables::Totals)?) {
            if let (Some(workers), Some(work)) = (workers(&run.meta), work_by_definition(&summary))
            {
                let series = works.entry(self.series(&run.meta)).or_default();
                series.entry(workers).or_default().push(work);
                by_workers.entry(workers).or_default().push(run);
            }
        }
        let mut costs = BTreeMap::new();
        for (workers, mut runs) in by_workers {
            runs.sort_by_key(|run| (run.meta.elapsed, run.meta.id));
            if let Some(run) = runs.get((runs.len() - 1) / 2) {
                costs.insert(workers, self.opened(run)?.costs);
            }
        }
        let medians = |by_workers: BTreeMap<u32, Vec<Work>>| {
            let each = by_workers.into_iter();
            each.map(|(workers, works)| (workers, median_work(&works)))
                .collect()
        };
        Ok(Carried {
            runs: runs.len() as u64,
            series: works.into_values().map(medians).collect(),
            costs,
        })
    }
}

fn refused(name: &str, reason: &str) -> Error {
    Error::Setting {
        setting: format!("reference={name}"),
        reason: reason.to_owned(),
    }
}

/// Work by definition; absent if the run has none.
fn work_by_definition(summary: &RunSummary) -> Option<Work> {
    let mut metrics = summary.metrics.rows();
    let metric = metrics.position(|metric| names::is_work(&metric.name))?;
    let metric = i32::try_from(metric).ok()?;
    let definitions = summary.contexts.definition.values();
    let mut work: BTreeMap<DefinitionKey, i64> = BTreeMap::new();
    for row in summary.totals.rows().filter(|row| row.metric == metric) {
        let context = usize::try_from(row.context).ok()?;
        let definition = definitions.get(context).copied();
        let key = key_of(summary, usize::try_from(definition?).ok()?)?;
        let sum = work.entry(key).or_default();
        *sum = sum.saturating_add(row.sum.unwrap_or(0));
    }
    Some(
        work.into_iter()
            .map(|(key, sum)| (key, sum as f64))
            .collect(),
    )
}

fn key_of(summary: &RunSummary, definition: usize) -> Option<DefinitionKey> {
    let ids = &summary.definitions.id;
    if definition >= summary.definitions.len() {
        return None;
    }
    ids.value(definition).try_into().ok()
}

/// The median of each definition over runs; one that a run lacks has no work in it.
fn median_work(works: &[Work]) -> Work {
    let keys = works.iter().flat_map(BTreeMap::keys);
    let keys: BTreeSet<&DefinitionKey> = keys.collect();
    let of = |key: &DefinitionKey| {
        let values = works
            .iter()
            .map(|work| work.get(key).copied().unwrap_or(0.0));
        median(&values.collect::<Vec<f64>>()).unwrap_or(0.0)
    };
    keys.into_iter().map(|key| (*key, of(key))).collect()
}

impl Reference {
    /// Work and costs of the reference runs of the same program as a run.
    pub(super) fn of(&self, meta: &RunMeta) -> Option<Arc<Carried>> {
        self.programs.get(&program_of(meta)).cloned()
    }

    /// Refuses a run if no reference run of its program has as many workers, so that nothing can be carried over.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn check(&self, run: &Prepared) -> Result<(), Error> {
        let mut series = run.carried.iter().flat_map(|it| &it.series);
        if series.any(|series| series.contains_key(&run.workers)) {
            return Ok(());
        }
        let reason = format!(
            "none of its {} runs is of program `{}` with {}, as run `{}` is; choose runs of this program with \
             this and the predicted numbers of workers",
            self.runs,
            run.meta.program,
            counted(u64::from(run.workers), "worker", "workers"),
            run.meta.name
        );
        Err(refused(&self.name, &reason))
    }

    pub(super) fn answer(&self) -> PredictionReference {
        PredictionReference {
            reference: self.name.clone(),
            runs: self.programs.values().map(|carried| carried.runs).sum(),
        }
    }
}

impl Carried {
    /// Whether a series has runs with both numbers of workers.
    fn knows(&self, from: u32, to: u32) -> bool {
        let both =
            |series: &BTreeMap<u32, Work>| series.contains_key(&from) && series.contains_key(&to);
        self.series.iter().any(both)
    }

    /// Work of a definition with `to` workers by that with `from`: the median over the series. Absent if no series has
    /// work of it with both.
    fn factor(&self, key: &DefinitionKey, from: u32, to: u32) -> Option<f64> {
        let ratios = self.series.iter().filter_map(|series| {
            let before = series.get(&from)?.get(key).copied()?;
            let behind = series.get(&to)?.get(key).copied()?;
            (before > 0.0 && behind > 0.0).then(|| behind / before)
        });
        median(&ratios.collect::<Vec<f64>>())
    }
}

impl Prepared {
    /// Millionths of the recorded work that each definition has with a number of workers; absent for a definition, and
    /// for all, if the reference does not show it.
    pub(super) fn inflated(&self, workers: u32) -> Option<Vec<Option<u32>>> {
        let carried = self.carried.as_ref()?;
        let summary = &self.depth.tables().summary;
        let definitions = 0..summary.definitions.len();
        if workers == self.workers {
            return Some(definitions.map(|_| Some(MILLION)).collect());
        }
        if !carried.knows(self.workers, workers) {
            return None;
        }
        let factor = |definition: usize| {
            let key = key_of(summary, definition)?;
            carried.factor(&key, self.workers, workers)
        };
        Some(
            definitions
                .map(|it| factor(it).map(in_millionths))
                .collect(),
        )
    }

    /// Costs of scheduling with a number of workers.
    pub(super) fn costs_with(&self, workers: u32) -> &Costs {
        let carried = self.carried.as_ref();
        let carried =
            carried.filter(|it| workers != self.workers && it.knows(self.workers, workers));
        let costs = carried.and_then(|it| it.costs.get(&workers));
        costs.unwrap_or(&self.costs)
    }

    /// Work of a definition with as many workers.
    pub(super) fn inflated_work(&self, definition: usize, work: i64, workers: u32) -> f64 {
        let factors = self.inflated(workers);
        let factor = factors.and_then(|factors| factors.get(definition).copied().flatten());
        work as f64 * f64::from(factor.unwrap_or(MILLION)) / f64::from(MILLION)
    }

    /// Whether predictions have something from the reference. Others have the error of predictions without one.
    pub(super) fn has_reference(&self, question: &WhatIfQuestion) -> bool {
        let workers = self.workers_asked(question);
        self.carried.is_some() && workers.into_iter().any(|it| self.inflated(it).is_some())
    }

    /// Notes about work that the reference does not show.
    pub(super) fn notes_of_reference(&self, question: &WhatIfQuestion) -> Vec<Note> {
        let name = &self.meta.name;
        if self.carried.is_none() {
            return Vec::new();
        }
        let mut facts = Vec::new();
        let work = work_by_definition(&self.depth.tables().summary).unwrap_or_default();
        let all: f64 = work.values().sum();
        for workers in self.workers_asked(question) {
            let Some(factors) = self.inflated(workers) else {
                facts.push(WhatIfFact::ReferenceLacksWorkers {
                    run: name.clone(),
                    recorded: self.workers.into(),
                    workers: workers.into(),
                });
                continue;
            };
            let summary = &self.depth.tables().summary;
            let of = |(definition, _): (usize, _)| {
                let key = key_of(summary, definition)?;
                work.get(&key).copied()
            };
            let absent = factors.iter().enumerate().filter(|(_, it)| it.is_none());
            let absent: f64 = absent.filter_map(of).sum();
            if absent > all * UNSHOWN {
                facts.push(WhatIfFact::ReferenceLacksWork {
                    run: name.clone(),
                    share: absent / all,
                    workers: workers.into(),
                });
            }
        }
        if question.is_infinite {
            facts.push(WhatIfFact::UnlimitedAsRecorded);
        }
        facts.into_iter().map(Note::from).collect()
    }
}

fn in_millionths(factor: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the range of u32"
    )]
    let millionths = (factor * f64::from(MILLION))
        .round()
        .clamp(0.0, f64::from(u32::MAX)) as u32;
    millionths
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: DefinitionKey = [1; 16];
    const B: DefinitionKey = [2; 16];

    fn carried(series: &[&[(u32, f64)]]) -> Carried {
        let work = |&(workers, work): &(u32, f64)| (workers, BTreeMap::from([(A, work)]));
        let series = series.iter().map(|runs| runs.iter().map(work).collect());
        Carried {
            runs: 1,
            series: series.collect(),
            costs: BTreeMap::new(),
        }
    }

    #[test]
    fn other_programs_and_units_show_nothing() {
        let sort = RunMeta::new("sort", "test");
        let reference = Reference {
            name: "all".to_owned(),
            runs: 1,
            programs: BTreeMap::from([(program_of(&sort), Arc::default())]),
        };
        let mut ticks = sort.clone();
        ticks.time_unit = sheaf_model::TimeUnit::Ticks;
        assert!(reference.of(&sort).is_some());
        assert!(reference.of(&ticks).is_none());
        assert!(reference.of(&RunMeta::new("fib", "test")).is_none());
    }

    #[test]
    fn a_factor_is_the_median_over_series_that_have_both_numbers() {
        let found = carried(&[
            &[(1, 10.0), (2, 15.0)],
            &[(1, 1000.0), (2, 2000.0)],
            &[(1, 10.0), (2, 30.0)],
            &[(1, 7.0), (4, 700.0)],
        ]);
        assert_eq!(found.factor(&A, 1, 2), Some(2.0));
        assert_eq!(found.factor(&A, 2, 1), Some(0.5));
        assert_eq!(found.factor(&A, 1, 4), Some(100.0));
        assert_eq!(found.factor(&A, 2, 4), None);
        assert_eq!(found.factor(&B, 1, 2), None);
        assert!(found.knows(1, 4) && !found.knows(2, 4));
    }

    #[test]
    fn work_that_is_absent_or_zero_gives_no_factor() {
        let found = carried(&[&[(1, 0.0), (2, 15.0)]]);
        assert_eq!(found.factor(&A, 1, 2), None);
        let [one, two] = [
            BTreeMap::from([(A, 4.0)]),
            BTreeMap::from([(A, 8.0), (B, 1.0)]),
        ];
        assert_eq!(
            median_work(&[one, two]),
            BTreeMap::from([(A, 6.0), (B, 0.5)])
        );
    }

    #[test]
    fn factors_are_rounded_to_millionths_and_stay_in_their_range() {
        assert_eq!(
            [0.5, 1.0, 2.000_000_4, 1e9].map(in_millionths),
            [500_000, MILLION, 2_000_000, u32::MAX]
        );
    }
}
