//! Scaling studies.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::Array;
use sheaf_analysis::scaling::{ScaleQuestion, ScalingAnalysis, TimeBreakdown};
use sheaf_answers::{CountOf, Note, Scale, ScaleFact, ScalePoint};
use sheaf_grains::map_on_threads;
use sheaf_model::table::GrainKind;
use sheaf_model::{Compare, DefinitionId, Lens, ParamValue, RunId, RunSummary, RunTables, names};

use crate::bounded_cache::BoundedCache;
use crate::cache::Tables;
use crate::runs::RunEntry;
use crate::view::check_paths;
use crate::{Error, View, complete, disturbed, select, transfer};

/// Bytes of the accounts that are kept between questions.
pub(crate) const MAX_ACCOUNTS: usize = 64 << 20;

/// Accounts of runs. Computing one opens the whole run. `None` is kept for a run without times of grains. A run's id is
/// the hash of its content, so entries are never stale.
pub(crate) type AccountCache = BoundedCache<RunId, Option<Arc<TimeBreakdown>>>;

/// The question how the last point of a series of a study differs from its first; `None` if it has one point.
#[must_use]
pub fn scale_ends(lens: &Lens, study: &Scale, series: usize) -> Option<Lens> {
    let values = &study.series.get(series)?.values;
    let of_series =
        |point: &&ScalePoint| usize::try_from(point.series).is_ok_and(|it| it == series);
    let mut points = study.points.iter().filter(of_series);
    let ends = [points.next()?, points.next_back()?];
    let [a, b] = ends.map(|point| {
        let value = ParamValue::Number(point.p);
        select::having(lens, &study.by, &value, values)
    });
    Some(Lens {
        runs: None,
        by: Vec::new(),
        compare: Compare::Diff { a, b },
        ..lens.clone()
    })
}

impl View<'_> {
    /// How the time of the runs that the lens selects changes with a parameter, and where it went.
    ///
    /// The store's rules about parameters replace those of the question. One run of each point is opened in depth, the
    /// one nearest to the median, unless it is open already.
    ///
    /// # Errors
    /// As for [`View::stats`], and when the parameter is not a number.
    pub fn scale(&self, lens: &Lens, question: &ScaleQuestion) -> Result<Scale, Error> {
        let entries = self.entries();
        let chosen = complete::deciding(lens, &entries)?;
        let runs = self.summaries(&chosen.runs, Tables::Values)?;
        check_paths(lens, &runs)?;
        let lens = &crate::questions::with_main_metric(lens, &runs);
        let state = sheaf_analysis::partial(lens, &runs, &self.progress)?;
        let question = &ScaleQuestion {
            rules: self.rules.clone(),
            parts: self.parts.clone(),
            ..question.clone()
        };
        let study = ScalingAnalysis::new(lens, question, state, &self.progress)?;
        let by_id: BTreeMap<RunId, &RunEntry> =
            entries.iter().map(|entry| (entry.meta.id, entry)).collect();
        let account_of = |run: &RunId| -> Result<(RunId, Option<Arc<TimeBreakdown>>), Error> {
            self.progress.check()?;
            let entry = by_id.get(run).filter(|entry| entry.grains.is_some());
            let account = entry.map(|entry| self.account(entry)).transpose()?;
            Ok((*run, account.flatten()))
        };
        let threads = rayon::current_num_threads();
        let accounts = map_on_threads(&study.representatives(), threads, account_of);
        let accounts: Vec<_> = accounts.into_iter().collect::<Result<_, Error>>()?;
        let known = accounts.into_iter();
        let known = known.filter_map(|(run, account)| Some((run, (*account?).clone())));
        let mut answer = study.finish(&known.collect());
        let notes = [
            chosen.note(None),
            disturbed::note(&chosen.runs, None),
            unseparated(&runs).map(Note::from),
            transfer::unknown(&runs).map(Note::from),
            transfer::incomplete(&runs).map(Note::from),
        ];
        answer.notes.splice(0..0, notes.into_iter().flatten());
        Ok(answer)
    }

    /// The account of a run with grains; `None` where its source says no times.
    fn account(&self, run: &RunEntry) -> Result<Option<Arc<TimeBreakdown>>, Error> {
        let id = run.meta.id;
        if let Some(known) = self.ensemble.accounts.get(&id) {
            return Ok(known);
        }
        let account = self.make_account(run)?.map(Arc::new);
        let bytes = account.as_deref().map_or(64, TimeBreakdown::bytes);
        self.ensemble.accounts.put(id, account.clone(), bytes);
        Ok(account)
    }

    fn make_account(&self, run: &RunEntry) -> Result<Option<TimeBreakdown>, Error> {
        let depth = self.depth(run)?;
        let Ok(timeline) = depth.timeline(&self.progress)? else {
            return Ok(None);
        };
        let balance = &timeline.balance;
        Ok(Some(TimeBreakdown {
            workers: balance.workers,
            elapsed: balance.elapsed,
            ideal_elapsed: run.meta.messages.as_ref().and_then(|it| it.ideal_elapsed),
            work: balance.work,
            overhead: balance.delay.clone().ok(),
            idle: balance.no_work.clone().ok(),
            tasks: count_tasks(depth.tables()),
            iterations: iterations(depth.tables()),
            span: depth
                .figures(&self.progress)?
                .ok()
                .and_then(|figures| figures.bound),
            ready_by_context: timeline.ready_by_context().map(<[i64]>::to_vec),
            faults: balance.faults(),
        }))
    }
}

/// Recorded runs of several ranks in which nothing is known of MPI: their work is what ranks did, waiting for each
/// other included.
fn unseparated(runs: &[Arc<RunSummary>]) -> Option<ScaleFact> {
    let is_one = |run: &&Arc<RunSummary>| {
        let names = &run.metrics.name;
        run.meta.format == "trace"
            && run.meta.ranks > 1
            && !(0..names.len()).any(|row| names.value(row) == names::MPI)
    };
    let runs = CountOf {
        count: runs.iter().filter(is_one).count() as u64,
        of: runs.len() as u64,
    };
    (runs.count > 0).then_some(ScaleFact::MpiCountsAsWork { runs })
}

/// Explicit tasks of a run. Tasks of a taskloop are its chunks.
fn count_tasks(run: &RunTables) -> i64 {
    let kinds = run.grains.kind.values().iter();
    let tasks = kinds.filter(|&kind| kind == GrainKind::Task as i32);
    i64::try_from(tasks.count()).unwrap_or(i64::MAX)
}

/// Iterations of each loop, of chunks that have ranges.
fn iterations(run: &RunTables) -> BTreeMap<DefinitionId, i64> {
    let (grains, summary) = (&run.grains, &run.summary);
    let definitions = &summary.definitions;
    let definition = |grain: usize| {
        let context = usize::try_from(grains.context.value(grain)).ok()?;
        let row = summary.contexts.definition.values().get(context)?;
        let row = usize::try_from(*row)
            .ok()
            .filter(|row| *row < definitions.len())?;
        let id = definitions.id.value(row).try_into().ok()?;
        Some(DefinitionId(id))
    };
    let mut found = BTreeMap::new();
    for grain in 0..grains.len() {
        if grains.iterations.is_valid(grain)
            && let Some(id) = definition(grain)
        {
            let sum: &mut i64 = found.entry(id).or_default();
            *sum = sum.saturating_add(grains.iterations.value(grain));
        }
    }
    found
}
