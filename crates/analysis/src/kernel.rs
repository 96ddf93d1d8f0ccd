//! The kernel form of every question: partial states of slices of runs, merged in any way.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use sheaf_answers::{MetricFact, Note, RunFact};
use sheaf_model::{Lens, MetricKind, Progress, RunId, RunSummary, names};

use crate::context_sums::{self, ContextSums, LocationAxis, Sums};
use crate::error::Error;
use crate::measurements::RunView;
use crate::metric::{self, Metric, Resolved, RunMetric};
use crate::tree::EnsembleTree;

/// Stands for every metric in questions that take several.
pub const ALL_METRICS: &str = "all";

/// What is known of some runs on the way to an answer.
///
/// Merging is associative, commutative and idempotent: however runs are divided and in whatever
/// order states come together, the answer is the same to the bit. For linear aggregates over
/// locations a state holds one number per context and run; for maxima and medians, which need the
/// group before the aggregate, it refers to the values of the runs themselves.
///
/// ```
/// use std::sync::Arc;
/// use sheaf_analysis::partial;
/// use sheaf_model::{Lens, Progress, RunMeta, RunSummary};
/// let run = |name: &str| {
///     let meta = RunMeta { name: name.into(), ..RunMeta::new("sort", "trace") };
///     [Arc::new(RunSummary::empty(meta))]
/// };
/// let (lens, progress) = (Lens::default(), Progress::silent());
/// let mut state = partial(&lens, &run("b"), &progress).unwrap();
/// state.merge(partial(&lens, &run("a"), &progress).unwrap());
/// assert_eq!(state.num_runs(), 2);
/// ```
#[derive(Debug, Clone, Default)]
pub struct State {
    parts: BTreeMap<(String, RunId), Part>,
}

/// One run of a state.
#[derive(Debug, Clone)]
struct Part {
    run: Arc<RunSummary>,
    /// The metrics in question, shared with runs that have the same.
    metrics: Arc<[RunMetric]>,
    /// Values of each over all locations, where these are wanted.
    totals: Vec<Option<ContextSums>>,
    /// Grains per context, when the run counts them.
    grains: Option<Vec<i64>>,
}

/// Reads from `runs` what an answer to `lens` needs, in parallel over runs.
///
/// Takes time linear in the rows of the runs' totals (values, for an aggregate that is a maximum
/// or median, and then when the answer is finished).
///
/// # Errors
/// [`Error::Cancelled`] when `progress` was cancelled.
pub fn partial(lens: &Lens, runs: &[Arc<RunSummary>], progress: &Progress) -> Result<State, Error> {
    let metrics = runs.iter().map(|run| &run.metrics);
    let metrics = metric::lists(metrics, &lens.metric, lens.metric == ALL_METRICS);
    let parts: Vec<_> = runs
        .par_iter()
        .zip(metrics)
        .map(|(run, metrics)| {
            progress.check()?;
            let key = (run.meta.name.clone(), run.meta.id);
            Ok((key, Part::read(lens, run, metrics)))
        })
        .collect::<Result<_, Error>>()?;
    Ok(State {
        parts: parts.into_iter().collect(),
    })
}

/// Whether an answer to `lens` looks at values by location of any of the runs, rather than at totals alone: for an
/// aggregate over locations that is a maximum or median, for means, and for metrics without totals.
/// Values alone show how evenly workers share the load; they are not computed here.
pub fn needs_values(lens: &Lens, runs: &[Arc<RunSummary>]) -> bool {
    let metrics = runs.iter().map(|run| &run.metrics);
    let lists = metric::lists(metrics, &lens.metric, lens.metric == ALL_METRICS);
    let has_totals = |run: &RunSummary, row: i32| run.totals.metric.values().contains(&row);
    let is_enough = |(run, metrics): (&Arc<RunSummary>, Arc<[RunMetric]>)| {
        let grains = row_of(run, names::GRAINS).and_then(|row| i32::try_from(row).ok());
        metrics.iter().all(|metric| {
            LocationAxis::needed(lens.over, metric.metric.kind) == LocationAxis::Total
                && has_totals(run, metric.row)
        }) && grains.is_none_or(|row| has_totals(run, row))
    };
    !runs.iter().zip(lists).all(is_enough)
}

fn row_of(run: &RunSummary, metric: &str) -> Option<usize> {
    let mut names = run.metrics.name.iter();
    names.position(|name| name == Some(metric))
}

impl State {
    /// Takes in the runs of another state.
    pub fn merge(&mut self, other: Self) {
        for (key, part) in other.parts {
            self.parts.entry(key).or_insert(part);
        }
    }

    /// The state with other runs in place of these, which must have the same rows in every table.
    #[must_use]
    pub fn map_runs(mut self, map: impl Fn(&Arc<RunSummary>) -> Arc<RunSummary>) -> Self {
        for part in self.parts.values_mut() {
            part.run = map(&part.run);
        }
        self
    }

    /// Number of distinct runs.
    pub fn num_runs(&self) -> usize {
        self.parts.len()
    }
}

impl Part {
    fn read(lens: &Lens, run: &Arc<RunSummary>, metrics: Arc<[RunMetric]>) -> Self {
        let is_linear = |metric: &RunMetric| {
            LocationAxis::needed(lens.over, metric.metric.kind) == LocationAxis::Total
        };
        Self {
            totals: context_sums::read_all(run, &metrics, is_linear),
            run: run.clone(),
            metrics,
            grains: grains_of(run),
        }
    }
}

/// Grains per context of a run that counts them.
pub fn grains_of(run: &RunSummary) -> Option<Vec<i64>> {
    integers(run, names::GRAINS)
}

/// Work per context of a run that knows it, in ns.
pub fn work_of(run: &RunSummary) -> Option<Vec<i64>> {
    integers(run, names::WORK)
}

fn integers(run: &RunSummary, metric: &str) -> Option<Vec<i64>> {
    let row = row_of(run, metric)?;
    let cells = context_sums::read(
        run,
        &RunMetric::of_row(&run.metrics, row),
        LocationAxis::Total,
    );
    match cells.sums {
        Sums::Integer(sums) => Some(sums),
        Sums::Float(_) => None,
    }
}

/// Runs ready for questions: the union of their context trees, and their values.
#[derive(Debug)]
pub struct UnifiedRuns {
    /// The union of the runs' context trees.
    pub tree: EnsembleTree,
    parts: Vec<Part>,
    /// Distinct lists of metrics, and which of them each run has.
    metrics: Vec<Arc<[RunMetric]>>,
    list_of_run: Vec<usize>,
}

/// One metric of unified runs.
#[derive(Debug)]
pub struct Question {
    /// The metric.
    pub metric: Metric,
    /// For each run the place of the metric among the run's.
    in_run: Vec<Option<usize>>,
    /// Facts that limit what values mean.
    pub notes: Vec<Note>,
}

impl UnifiedRuns {
    /// Unites the context trees of a state's runs; linear in their contexts.
    ///
    /// # Errors
    /// [`Error::EmptyEnsemble`] without runs.
    pub fn new(state: State) -> Result<Self, Error> {
        let parts: Vec<Part> = state.parts.into_values().collect();
        if parts.is_empty() {
            return Err(Error::EmptyEnsemble);
        }
        let tree = EnsembleTree::union(parts.iter().map(|part| part.run.clone()));
        let (metrics, list_of_run) = metric::distinct(parts.iter().map(|part| &part.metrics));
        Ok(Self {
            tree,
            parts,
            metrics,
            list_of_run,
        })
    }

    /// Number of runs.
    pub fn num_runs(&self) -> usize {
        self.parts.len()
    }

    /// The runs, by name, then id.
    pub fn runs(&self) -> &[Arc<RunSummary>] {
        self.tree.runs()
    }

    pub(crate) fn run_names(&self) -> Vec<String> {
        self.runs()
            .iter()
            .map(|run| run.meta.id.to_string())
            .collect()
    }

    pub(crate) fn run_ids(&self) -> Vec<RunId> {
        self.runs().iter().map(|run| run.meta.id).collect()
    }

    /// The metric called `wanted` in each run.
    ///
    /// # Errors
    /// [`Error::UnknownMetric`] if no run has it.
    pub fn question(&self, wanted: &str) -> Result<Question, Error> {
        let Resolved {
            mut metric,
            in_run,
            mut notes,
        } = metric::resolve(
            wanted,
            &self.metrics,
            &self.list_of_run,
            self.runs().iter().map(|run| &run.metrics),
        )?;
        let reasons: Vec<&str> = (0..self.num_runs())
            .filter_map(|run| {
                let list = &self.metrics[self.list_of_run[run]];
                let measured = list.get(in_run[run]?)?;
                self.runs()[run].meta.estimated(&measured.metric.name)
            })
            .collect();
        metric.estimated_in = reasons.len();
        if let Some(reason) = reasons.first() {
            let estimated = MetricFact::Estimated {
                metric: metric.name.clone(),
                runs: reasons.len() as u64,
                reason: (*reason).to_owned(),
            };
            notes.push(estimated.into());
        }
        let unusable: u64 = in_run
            .iter()
            .zip(&self.parts)
            .filter_map(|(at, part)| part.totals.get((*at)?)?.as_ref())
            .map(|cells| cells.unusable)
            .sum();
        if unusable > 0 {
            let metric = metric.name.clone();
            let values = unusable;
            notes.push(MetricFact::UnusableValues { metric, values }.into());
        }
        let incomplete = self
            .runs()
            .iter()
            .filter(|run| !run.meta.is_complete)
            .count();
        if incomplete > 0 {
            let runs = incomplete as u64;
            notes.push(RunFact::EndedEarly { runs }.into());
        }
        Ok(Question {
            metric,
            in_run,
            notes,
        })
    }

    /// Names of every metric that any run was asked for, in order.
    pub fn metric_names(&self) -> Vec<String> {
        let metrics = self.metrics.iter().flat_map(|metrics| metrics.iter());
        let mut names: Vec<String> = metrics.map(|metric| metric.metric.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// One run as a question sees it.
    pub(crate) fn view(&self, question: &Question, run: usize) -> RunView<'_> {
        let part = &self.parts[run];
        let at = question.in_run[run];
        RunView {
            run: &part.run,
            nodes: self.tree.nodes_of_run(run),
            parents: self.tree.parents_in_run(run),
            metric: at.and_then(|at| part.metrics.get(at)),
            totals: at.and_then(|at| part.totals.get(at)?.as_ref()),
        }
    }

    /// Grains in each group over all runs, or observations where a run counts no grains.
    pub(crate) fn grains(&self, group_of: &[u32], groups: usize, observed: &[&[i64]]) -> Vec<u64> {
        let mut sums = vec![0_i64; groups];
        for ((run, part), observed) in self.parts.iter().enumerate().zip(observed) {
            let Some(grains) = &part.grains else {
                for (sum, count) in sums.iter_mut().zip(*observed) {
                    *sum = sum.saturating_add(*count);
                }
                continue;
            };
            for (node, count) in self.tree.nodes_of_run(run).iter().zip(grains) {
                if let Some(sum) = sums.get_mut(group_of[*node as usize] as usize) {
                    *sum = sum.saturating_add(*count);
                }
            }
        }
        sums.into_iter()
            .map(|sum| u64::try_from(sum).unwrap_or(0))
            .collect()
    }

    /// Checks that a question's values add up over contexts.
    ///
    /// # Errors
    /// [`Error::NotAdditive`] if they do not.
    pub fn require_additive(question: &Question) -> Result<(), Error> {
        match question.metric.kind {
            MetricKind::Additive | MetricKind::Inclusive => Ok(()),
            MetricKind::Intensive => Err(Error::NotAdditive {
                metric: question.metric.name.clone(),
            }),
        }
    }
}
