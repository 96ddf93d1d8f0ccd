//! Every question by name, for HTTP and the command line alike.

mod causes;
mod changes;
mod decisions;
mod groups;
mod what_if;

use std::path::Path;
use std::sync::Arc;

use sheaf_answers as api;
use sheaf_ensemble::{
    AddOptions, Caller, Checks, Ensemble, Error, Exposure, GrainDiffQuestion, GrainsQuestion,
    GraphForm, Input, LayoutOptions, LocationsQuestion, PathScope, ScaleQuestion, SimilarQuestion,
    SourceFolders, ThresholdSet, View, Window,
};
use sheaf_model::{Lens, Progress};

/// File of a store that says in a sentence what can be found in it.
const DESCRIPTION: &str = "notes/description.txt";

/// A store that answers questions. Cheap to clone.
#[derive(Clone)]
pub struct Answers {
    ensemble: Arc<Ensemble>,
    progress: Progress,
}

impl Answers {
    /// Opens a store that exists.
    ///
    /// # Errors
    /// When there is no store, or one of a later version.
    pub fn open(store: &Path) -> Result<Self, Error> {
        Ok(Self::of(Ensemble::open(store)?))
    }

    /// Opens a store, and makes an empty one where there is none.
    ///
    /// # Errors
    /// When the folder cannot be written or holds something else.
    pub fn create_or_open(store: &Path) -> Result<Self, Error> {
        Ok(Self::of(Ensemble::create_or_open(store)?))
    }

    /// As [`Answers::open`], for imports and questions of `caller`: `@new` prefers its imports. Tables
    /// are compared with their checksums as `checks` says; diffs, gates and exports always are.
    ///
    /// # Errors
    /// Those of [`Answers::open`].
    pub fn open_for(store: &Path, caller: Caller, checks: Checks) -> Result<Self, Error> {
        Ok(Self::of(
            Ensemble::open_with(store, checks)?.for_caller(caller),
        ))
    }

    /// As [`Answers::create_or_open`], for imports and questions of `caller`.
    ///
    /// # Errors
    /// Those of [`Answers::create_or_open`].
    pub fn create_or_open_for(store: &Path, caller: Caller) -> Result<Self, Error> {
        Ok(Self::of(
            Ensemble::create_or_open(store)?.for_caller(caller),
        ))
    }

    fn of(ensemble: Ensemble) -> Self {
        Self {
            ensemble: Arc::new(ensemble),
            progress: Progress::silent(),
        }
    }

    /// The same store, whose questions report to `progress` and stop when it is cancelled or its time is over.
    #[must_use]
    pub fn with_progress(&self, progress: Progress) -> Self {
        Self {
            ensemble: Arc::clone(&self.ensemble),
            progress,
        }
    }

    /// The store at this moment, for an answer that takes several questions.
    pub(crate) fn view(&self) -> Result<View<'_>, Error> {
        self.ensemble.view(&self.progress)
    }

    /// What stops its questions.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Answers from one snapshot of the store.
    pub(crate) fn ask<T>(
        &self,
        question: impl FnMut(&View<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.ensemble.ask(&self.progress, question)
    }

    pub(crate) fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// Name of the store's folder.
    pub fn name(&self) -> String {
        let path = self.ensemble.path();
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        path.file_name().map_or_else(
            || "store".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        )
    }

    /// The store, known as `name` among `stores`, to which files can be added as `imports` says.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn store(
        &self,
        name: &str,
        stores: &[String],
        imports: api::ImportPolicy,
    ) -> Result<api::StoreInfo, Error> {
        let runs = self.ask(|view| view.runs(&Lens::default()))?;
        let description = std::fs::read_to_string(self.ensemble.path().join(DESCRIPTION));
        Ok(api::StoreInfo {
            schema: "store/1".to_owned(),
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            runs: runs.runs.len() as u64,
            grains: runs.runs.iter().filter_map(|run| run.grains).sum(),
            segments: self.ensemble.num_segments()? as u64,
            description: description.ok().map(|text| text.trim().to_owned()),
            stores: stores.to_vec(),
            imports,
        })
    }

    /// The run table.
    ///
    /// # Errors
    /// When the lens selects none of the runs, or the store cannot be read.
    pub fn runs(&self, lens: &Lens) -> Result<api::Runs, Error> {
        self.ask(|view| view.runs(lens))
    }

    /// One run, as in the run table.
    ///
    /// # Errors
    /// When `run` names no run or several.
    pub fn run(&self, run: &str) -> Result<api::Run, Error> {
        self.ask(|view| view.run(run))
    }

    /// One run in full.
    ///
    /// # Errors
    /// When `run` names no run or several.
    pub fn info(&self, run: &str) -> Result<api::RunInfo, Error> {
        self.ask(|view| view.info(run))
    }

    /// Grains of one run.
    ///
    /// # Errors
    /// As for [`Answers::info`], and when the question names what grains have not.
    pub fn grains(&self, run: &str, question: &GrainsQuestion) -> Result<api::Grains, Error> {
        self.ask(|view| view.grains(run, question))
    }

    /// The stretches in which workers ran a grain, in order of time.
    ///
    /// # Errors
    /// As for [`Answers::info`], and when there is no such grain, or the source says nothing about fragments.
    pub fn fragments(
        &self,
        run: &str,
        grain: u32,
        offset: usize,
        limit: usize,
    ) -> Result<api::Fragments, Error> {
        self.ask(|view| view.fragments(run, grain, offset, limit))
    }

    /// The name of a metric of a run's grains, when the run has values of it; whatever name of it is given.
    pub fn grain_metric(&self, run: &str, reference: Option<&str>, name: &str) -> Option<String> {
        self.ask(|view| Ok(view.grain_metric(run, reference, name)))
            .ok()
            .flatten()
    }

    /// Grains of one run that are beyond thresholds.
    ///
    /// # Errors
    /// As for [`Answers::info`], and when a condition is malformed.
    pub fn problems(
        &self,
        run: &str,
        conditions: &[String],
        set: ThresholdSet,
        reference: Option<&str>,
    ) -> Result<api::Problems, Error> {
        self.ask(|view| view.problems(run, conditions, set, reference))
    }

    /// Who ran what in an interval of a run.
    ///
    /// # Errors
    /// As for [`Answers::info`], and when the run does not say when its grains ran.
    pub fn timeline(&self, run: &str, window: &Window) -> Result<api::Timeline, Error> {
        self.ask(|view| view.timeline(run, window))
    }

    /// How many fragments ran and waited in an interval of a run.
    ///
    /// # Errors
    /// As for [`Answers::timeline`].
    pub fn parallelism(&self, run: &str, window: &Window) -> Result<api::Parallelism, Error> {
        self.ask(|view| view.parallelism(run, window))
    }

    /// Where the time of a run's workers went, and who took work from whom.
    ///
    /// # Errors
    /// As for [`Answers::timeline`].
    pub fn scheduling(&self, run: &str) -> Result<api::Scheduling, Error> {
        self.ask(|view| view.scheduling(run))
    }

    /// What bounds the time of a run, or of a group of its grains.
    ///
    /// # Errors
    /// As for [`Answers::info`], and when the run has no work or there is no such group.
    pub fn paths(
        &self,
        run: &str,
        scope: &PathScope,
        form: Option<GraphForm>,
    ) -> Result<api::Paths, Error> {
        self.ask(|view| view.paths(run, scope, form))
    }

    /// How many workers the work-sharing loops of a run need.
    ///
    /// # Errors
    /// As for [`Answers::info`].
    pub fn loops(&self, run: &str) -> Result<api::Loops, Error> {
        self.ask(|view| view.loops(run))
    }

    /// Distributions over the runs of each cohort.
    ///
    /// # Errors
    /// When the lens selects nothing or names what is not there.
    pub fn stats(&self, lens: &Lens) -> Result<api::Stats, Error> {
        self.ask(|view| view.stats(lens))
    }

    /// Distributions over the grains of the runs of each cohort.
    ///
    /// # Errors
    /// As for [`Answers::stats`], and when the metric is none of single grains.
    pub fn grain_stats(&self, lens: &Lens) -> Result<api::Stats, Error> {
        self.ask(|view| view.grain_stats(lens))
    }

    /// Values of groups by rank or worker, run by run; of the first `most_runs` by name.
    ///
    /// # Errors
    /// As for [`Answers::stats`], and when there are too many values.
    pub fn locations(
        &self,
        lens: &Lens,
        question: &LocationsQuestion,
        most_runs: Option<usize>,
    ) -> Result<api::Locations, Error> {
        self.ask(|view| view.locations(lens, question, most_runs))
    }

    /// The source file of a group, with values per line.
    ///
    /// # Errors
    /// As for [`Answers::hierarchy`].
    pub fn source(
        &self,
        lens: &Lens,
        group: &str,
        around: usize,
        folders: &SourceFolders,
    ) -> Result<api::Source, Error> {
        self.ask(|view| view.source(lens, group, around, folders))
    }

    /// The ensemble-Sankey in a picture of the given extent.
    ///
    /// # Errors
    /// As for [`Answers::stats`].
    pub fn sankey(&self, lens: &Lens, width: f64, height: f64) -> Result<api::Sankey, Error> {
        let layout = LayoutOptions {
            width,
            height,
            ..LayoutOptions::default()
        };
        self.ask(|view| view.sankey(lens, &layout))
    }

    /// The tree of contexts inside a group.
    ///
    /// # Errors
    /// As for [`Answers::stats`], and when there is no such group.
    pub fn hierarchy(&self, lens: &Lens, group: &str) -> Result<api::Hierarchy, Error> {
        self.ask(|view| view.hierarchy(lens, group))
    }

    /// Histogram of a group's values.
    ///
    /// # Errors
    /// As for [`Answers::hierarchy`].
    pub fn distribution(
        &self,
        lens: &Lens,
        group: &str,
        mode: api::DistributionMode,
    ) -> Result<api::Distribution, Error> {
        self.ask(|view| view.distribution(lens, group, mode))
    }

    /// Difference of the two sides of the lens's `diff` clause.
    ///
    /// # Errors
    /// As for [`Answers::stats`], and when there are no two sides.
    pub fn diff(&self, lens: &Lens) -> Result<api::Diff, Error> {
        self.ask(|view| view.diff(lens))
    }

    /// Difference of the two sides of the lens's `diff` clause, grain by grain.
    ///
    /// # Errors
    /// When there are no two sides, a run has no grains, or times are in different units.
    pub fn grain_diff(
        &self,
        lens: &Lens,
        question: &GrainDiffQuestion,
    ) -> Result<api::GrainDiff, Error> {
        self.ask(|view| view.grain_diff(lens, question))
    }

    /// How times change with a parameter, and where workers' time went.
    ///
    /// # Errors
    /// As for [`Answers::stats`], and when the parameter is not a number.
    pub fn scale(&self, lens: &Lens, question: &ScaleQuestion) -> Result<api::Scale, Error> {
        self.ask(|view| view.scale(lens, question))
    }

    /// What the store's mapping says of definitions of different versions.
    ///
    /// # Errors
    /// When it cannot be read or understood.
    pub fn mapping(&self) -> Result<api::Mapping, Error> {
        self.describe_mapping(self.ensemble.mapping()?)
    }

    pub(super) fn describe_mapping(
        &self,
        pairs: Vec<api::MappedPair>,
    ) -> Result<api::Mapping, Error> {
        Ok(api::Mapping {
            schema: "mapping/1".to_owned(),
            pairs,
            notes: self.mapping_notes()?,
            undo: Vec::new(),
        })
    }

    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is of one lifetime, where any is asked for"
    )]
    pub(super) fn mapping_notes(&self) -> Result<Vec<api::Note>, Error> {
        self.ask(|view| view.mapping_notes())
    }

    /// How alike runs are, and which belong together.
    ///
    /// # Errors
    /// As for [`Answers::stats`], and when a number is out of range.
    pub fn similar(&self, question: &SimilarQuestion) -> Result<api::Similar, Error> {
        self.ask(|view| view.similar(question))
    }

    /// Runs in two pictures: by what they do, and by their parameters.
    ///
    /// # Errors
    /// As for [`Answers::similar`].
    pub fn projection(&self, question: &SimilarQuestion) -> Result<api::Projection, Error> {
        self.ask(|view| view.projection(question))
    }

    /// Adds inputs to the store.
    ///
    /// # Errors
    /// When the store cannot be written or the work was cancelled; bad inputs are in the answer.
    pub fn add(
        &self,
        inputs: &[Input],
        options: &AddOptions,
        progress: &Progress,
    ) -> Result<api::Add, Error> {
        self.ensemble.add(inputs, options, progress)
    }

    /// Checks every file of the store.
    ///
    /// # Errors
    /// When the store cannot be read at all.
    pub fn verify(&self, progress: &Progress) -> Result<api::Verify, Error> {
        self.ensemble.verify(progress)
    }

    /// Checks, sets damaged segments aside, and begins the store's log anew with what is sound. The
    /// answer has what was wrong before.
    ///
    /// # Errors
    /// When the store cannot be written, or is busy.
    pub fn repair(&self, progress: &Progress) -> Result<api::Verify, Error> {
        self.ensemble.repair(progress)
    }

    /// Merges segments and removes leftovers.
    ///
    /// # Errors
    /// When the store is damaged, cannot be written, or is busy.
    pub fn compact(&self, progress: &Progress) -> Result<api::Compact, Error> {
        self.ensemble.compact(progress)
    }

    /// What [`Answers::compact`] would do, without doing it.
    ///
    /// # Errors
    /// When the store is damaged.
    pub fn plan_compaction(&self, progress: &Progress) -> Result<api::Compact, Error> {
        self.ensemble.plan_compaction(progress)
    }

    /// Takes the lease of maintenance from a process that cannot be asked whether it still runs.
    ///
    /// # Errors
    /// When the process is known to be running.
    pub fn break_lease(&self) -> Result<bool, Error> {
        self.ensemble.break_lease()
    }

    /// The store's folders that others may write to.
    pub fn exposures(&self) -> Vec<Exposure> {
        self.ensemble.exposures()
    }

    /// Number of segments of the store.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn num_segments(&self) -> Result<usize, Error> {
        self.ensemble.num_segments()
    }
}
