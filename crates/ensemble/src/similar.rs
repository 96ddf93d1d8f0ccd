//! How alike runs are: which runs, which of their trees, and what is kept of those.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use rayon::prelude::*;
use sheaf_answers::{
    Measure, Note, Projection, RunFact, Similar, SimilarFact, StructureBasis, StructureForm,
};
use sheaf_compare::similarity::{
    self, RunStructure, SimilarityQuestion, Structures, context_tree, grain_tree,
};
use sheaf_compare::unrecorded_loops::UnrecordedLoops;
use sheaf_grains::aggregation::AggregationTree;
use sheaf_grains::grain_graph::Structure;
use sheaf_model::{Lens, Progress, RunId, RunSelector, RunSummary};
use sheaf_structure::LabelledTree;

use crate::bounded_cache::BoundedCache;
use crate::questions::with_main_metric;
use crate::runs::RunEntry;
use crate::{Error, View, select};

/// Grains whose tables are in memory at once, about a gigabyte, beside those of one run.
const WINDOW: i64 = 4_000_000;

/// Bytes of the structures that are kept between questions.
pub(crate) const MAX_STRUCTURES: usize = 256 << 20;

/// Structures of runs that are kept between questions.
pub(crate) type StructureCache = BoundedCache<StructureKey, Arc<RunStructure>>;

/// A tree of a run, and what is compared of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StructureKey {
    pub(crate) run: RunId,
    pub(crate) basis: StructureBasis,
    pub(crate) measure: Measure,
    pub(crate) form: StructureForm,
    /// Hash of the names of definitions, if they are not those of the run.
    pub(crate) names: Option<u64>,
    /// Hash of the loops that are left out, if there are any.
    pub(crate) left_out: Option<u64>,
}

/// Which runs are compared, and how.
#[derive(Debug, Clone)]
pub struct SimilarQuestion {
    /// Its `where` selects runs; level, aggregate over locations and `hide` say what metrics are compared.
    pub lens: Lens,
    /// Runs, or expressions that choose some; all that the lens selects when empty.
    pub runs: Vec<String>,
    /// What makes runs alike.
    pub measure: Measure,
    /// The metric of `work` and `metrics`; the main one, and all, when absent.
    pub metric: Option<String>,
    /// How repetition counts among all grains; when absent it does, and what follows from the number of workers
    /// is collapsed where that differs.
    pub form: Option<StructureForm>,
    /// Similarity at which runs belong together; chosen when absent.
    pub threshold: Option<f64>,
    /// Clusters of k-means; chosen when absent.
    pub clusters: Option<usize>,
    /// Where random numbers begin.
    pub seed: u64,
    /// Bytes that comparing every two runs may take.
    pub most_bytes: u64,
}

/// Bytes that a question about the likeness of runs may take when it does not say: 4,096 runs.
const MAX_BYTES: u64 = 1 << 30;
/// Bytes that two runs take: their similarity and distance while they are computed, and both as text.
const PAIR_BYTES: u64 = 64;

impl SimilarQuestion {
    /// All runs by a measure, with everything chosen.
    pub fn new(measure: Measure) -> Self {
        Self {
            lens: Lens::default(),
            runs: Vec::new(),
            measure,
            metric: None,
            form: None,
            threshold: None,
            clusters: None,
            seed: 0,
            most_bytes: MAX_BYTES,
        }
    }
}

/// What the answer is computed from.
struct Prepared {
    question: SimilarityQuestion,
    runs: Vec<Arc<RunSummary>>,
    structures: Structures,
    notes: Vec<Note>,
}

impl Prepared {
    /// What `ask` makes of it.
    fn answer<T>(
        &self,
        ask: impl FnOnce(
            &SimilarityQuestion,
            &[Arc<RunSummary>],
            &Structures,
            &Progress,
        ) -> Result<T, sheaf_analysis::Error>,
        progress: &Progress,
    ) -> Result<T, Error> {
        Ok(ask(&self.question, &self.runs, &self.structures, progress)?)
    }
}

impl View<'_> {
    /// Every run beside every other, in clusters.
    ///
    /// Trees of grain programs are built one by one, so many at a time as fit a window of grains; what is
    /// compared of them is kept.
    ///
    /// # Errors
    /// When a run or metric is unknown, nothing is selected, a number is out of range, or the store cannot be
    /// read.
    pub fn similar(&self, question: &SimilarQuestion) -> Result<Similar, Error> {
        let prepared = self.prepared(question)?;
        let mut answer = prepared.answer(similarity::similar, &self.progress)?;
        answer.notes.splice(0..0, prepared.notes);
        Note::dedup(&mut answer.notes);
        Ok(answer)
    }

    /// The runs in two pictures: by what they do, and by their parameters.
    ///
    /// # Errors
    /// As for [`View::similar`].
    pub fn projection(&self, question: &SimilarQuestion) -> Result<Projection, Error> {
        let prepared = self.prepared(question)?;
        let mut answer = prepared.answer(similarity::project, &self.progress)?;
        answer.notes.splice(0..0, prepared.notes);
        Note::dedup(&mut answer.notes);
        Ok(answer)
    }

    fn prepared(&self, question: &SimilarQuestion) -> Result<Prepared, Error> {
        let entries = self.entries();
        let selected = select::by_expression(&entries, question.lens.runs.as_ref())?;
        let selected = named(selected, &question.runs)?;
        let pairs = (selected.len() as u64).saturating_pow(2);
        let bytes = pairs.saturating_mul(PAIR_BYTES);
        if bytes > question.most_bytes {
            return Err(Error::TooManyPairs {
                runs: selected.len(),
                bytes,
                most: question.most_bytes,
            });
        }
        within("threshold", question.threshold, 0.0, 1.0)?;
        let clusters = question.clusters.map(|k| k as f64);
        within("number of clusters", clusters, 1.0, selected.len() as f64)?;
        // All metrics can distinguish clusters, whatever is compared.
        let every = Lens {
            metric: "all".to_owned(),
            ..question.lens.clone()
        };
        let runs = self.summaries_for(&every, &selected)?;
        let mut notes = Vec::new();
        let ended_early = selected.iter().filter(|run| !run.meta.is_complete).count() as u64;
        if ended_early > 0 {
            notes.push(RunFact::EndedEarly { runs: ended_early }.into());
        }
        let (numbered, number_notes) = similarity::number_alike(&runs, &self.progress)?;
        let (renaming, renaming_notes) =
            similarity::renaming(&numbered, &self.ensemble.diff_mapping()?, &self.progress)?;
        let renamed = renaming.apply(&numbered);
        let basis = basis(&selected, &renamed, question, &mut notes);
        let unrecorded = if basis == StructureBasis::Grains {
            UnrecordedLoops::among(&renamed, &mut notes)
        } else {
            UnrecordedLoops::default()
        };
        notes.extend(number_notes);
        notes.extend(renaming_notes);
        let form = question.form.unwrap_or(StructureForm::Counted);
        let compared = Compared {
            entries: &selected,
            runs: &renamed,
            is_renamed: (0..runs.len())
                .map(|at| !Arc::ptr_eq(&runs[at], &renamed[at]))
                .collect(),
            measure: question.measure,
            basis,
            form,
            unrecorded,
        };
        let structures = Structures {
            basis,
            form,
            of_run: self.structures_of(&compared)?,
        };
        let runs = renamed;
        Ok(Prepared {
            question: SimilarityQuestion {
                lens: lens(question, &runs),
                measure: question.measure,
                threshold: question.threshold,
                clusters: question.clusters,
                seed: question.seed,
                rules: self.rules.clone(),
            },
            runs,
            structures,
            notes,
        })
    }

    /// What is compared of each run's tree, from the cache where it has it.
    fn structures_of(&self, compared: &Compared<'_>) -> Result<Vec<Arc<RunStructure>>, Error> {
        let Compared { entries, runs, .. } = compared;
        let keys: Vec<StructureKey> = (0..runs.len()).map(|at| compared.key(at)).collect();
        let mut found: Vec<Option<Arc<RunStructure>>> = keys
            .iter()
            .map(|key| self.ensemble.structures.get(key))
            .collect();
        let missing: Vec<usize> = (0..runs.len()).filter(|&at| found[at].is_none()).collect();
        let mut rest = missing.as_slice();
        while !rest.is_empty() {
            let window = if compared.basis == StructureBasis::Contexts {
                rest.len()
            } else {
                window(entries, rest)
            };
            let (now, later) = rest.split_at(window);
            let read = now.par_iter().map(|&at| {
                self.progress.check()?;
                let tree = self.tree_of(compared, at)?;
                let structure = RunStructure::of(&tree, compared.measure, compared.form);
                Ok((at, Arc::new(structure)))
            });
            for (at, structure) in read.collect::<Result<Vec<_>, Error>>()? {
                let kept = Arc::clone(&structure);
                self.ensemble
                    .structures
                    .put(keys[at], kept, structure.bytes());
                found[at] = Some(structure);
            }
            rest = later;
            let done = (runs.len() - rest.len()) as u64;
            self.progress
                .report("comparing structures", done, Some(runs.len() as u64));
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// The tree that stands for the structure of a run.
    fn tree_of(&self, compared: &Compared<'_>, at: usize) -> Result<LabelledTree, Error> {
        let summary = &compared.runs[at];
        if compared.basis == StructureBasis::Contexts {
            return Ok(context_tree(summary));
        }
        let mut tables = self.grain_tables_of(&compared.entries[at].meta)?;
        if compared.basis == StructureBasis::Grains {
            return Ok(grain_tree(
                &tables,
                &summary.definitions,
                &compared.unrecorded,
            ));
        }
        let structure = Structure::of(&tables);
        let tree = AggregationTree::of(&tables, &structure);
        // Rows are as before under other names.
        tables.summary.definitions = summary.definitions.clone();
        Ok(tree.labelled(&tables, &structure))
    }
}

/// The runs whose structures are compared, under the names that they share.
struct Compared<'a> {
    entries: &'a [&'a RunEntry],
    runs: &'a [Arc<RunSummary>],
    is_renamed: Vec<bool>,
    measure: Measure,
    basis: StructureBasis,
    form: StructureForm,
    unrecorded: UnrecordedLoops,
}

impl Compared<'_> {
    fn key(&self, at: usize) -> StructureKey {
        let names = self.is_renamed[at].then(|| {
            let mut hasher = DefaultHasher::new();
            hasher.write(self.runs[at].definitions.id.value_data());
            hasher.finish()
        });
        StructureKey {
            run: self.entries[at].meta.id,
            basis: self.basis,
            measure: self.measure,
            form: self.form,
            names,
            left_out: (!self.unrecorded.is_empty()).then(|| {
                let mut hasher = DefaultHasher::new();
                self.unrecorded.hash(&mut hasher);
                hasher.finish()
            }),
        }
    }
}

/// How many of the first runs are read at once.
fn window(entries: &[&RunEntry], runs: &[usize]) -> usize {
    let mut grains = 0_i64;
    let fits = |&&at: &&usize| {
        grains = grains.saturating_add(entries[at].grains.unwrap_or(0));
        grains <= WINDOW
    };
    runs.iter().take_while(fits).count().max(1)
}

/// The runs that are named, in their order among all.
fn named<'a>(selected: Vec<&'a RunEntry>, names: &[String]) -> Result<Vec<&'a RunEntry>, Error> {
    if names.is_empty() {
        return Ok(selected);
    }
    let mut found = Vec::new();
    for name in names {
        found.extend(select::side(&selected, &RunSelector(name.clone()))?);
    }
    let is_found = |run: &&RunEntry| found.iter().any(|other| other.meta.id == run.meta.id);
    Ok(selected.into_iter().filter(is_found).collect())
}

fn within(name: &'static str, value: Option<f64>, least: f64, most: f64) -> Result<(), Error> {
    match value {
        Some(value) if !(least..=most).contains(&value) => Err(Error::OutOfRange {
            name,
            value,
            least,
            most,
        }),
        _ => Ok(()),
    }
}

/// The lens with the metric that is meant where none is named.
fn lens(question: &SimilarQuestion, runs: &[Arc<RunSummary>]) -> Lens {
    let mut lens = question.lens.clone();
    match (&question.metric, question.measure) {
        (Some(metric), _) => lens.metric.clone_from(metric),
        (None, Measure::Metrics) => "all".clone_into(&mut lens.metric),
        (None, _) => lens = with_main_metric(&lens, runs).into_owned(),
    }
    lens
}

/// The tree that stands for structures. How many members a team has follows from the number of workers, and how many
/// chunks a loop from its schedule, so these are collapsed where workers differ or runs have loops, as by `diff`.
fn basis(
    runs: &[&RunEntry],
    summaries: &[Arc<RunSummary>],
    question: &SimilarQuestion,
    notes: &mut Vec<Note>,
) -> StructureBasis {
    let with_grains = runs.iter().filter(|run| run.grains.is_some()).count();
    if !question.measure.is_of_trees() || with_grains == 0 {
        return StructureBasis::Contexts;
    }
    if with_grains == runs.len() {
        let mut workers = runs.iter().map(|run| run.meta.workers);
        let first = workers.next();
        let is_same_width = workers.all(|workers| Some(workers) == first);
        let has_loops = summaries.iter().any(|run| {
            let kinds = run.definitions.kind.iter().flatten();
            kinds.into_iter().any(|kind| kind == "loop")
        });
        if question.form.is_some() || (is_same_width && !has_loops) {
            return StructureBasis::Aggregation;
        }
        let same_workers = is_same_width;
        notes.push(SimilarFact::MembersCountAsOne { same_workers }.into());
        return StructureBasis::Grains;
    }
    let (with_grains, of) = (with_grains as u64, runs.len() as u64);
    notes.push(SimilarFact::ContextsCompared { with_grains, of }.into());
    StructureBasis::Contexts
}
