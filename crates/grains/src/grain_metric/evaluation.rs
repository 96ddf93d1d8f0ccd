//! Evaluation of metrics: what several of them share is computed once.

use std::sync::OnceLock;

use sheaf_model::{ParamValue, Progress, RunTables};

use super::creation::CreationEstimates;
use super::inst_par::{Parallelisms, Share};
use super::loops::Loops;
use super::measures::Measures;
use super::{
    AbsenceReason, Basis, Column, GrainMetric, NodeDistances, Origin, Parallelism, Values,
};
use super::{Width, WorkDeviation, by_name, work_deviation};
use crate::grain_graph::{Structure, critical_grains};

/// Computes metrics of one run.
#[derive(Debug)]
pub struct Evaluation<'a> {
    run: &'a RunTables,
    structure: &'a Structure,
    references: Vec<&'a RunTables>,
    cores_per_socket: Option<u32>,
    distances: Option<NodeDistances>,
    progress: Progress,
    measures: OnceLock<Measures<'a>>,
    loops: OnceLock<Loops>,
    critical: OnceLock<Vec<u32>>,
    creation_estimates: OnceLock<Result<CreationEstimates, AbsenceReason>>,
    deviation: OnceLock<WorkDeviation>,
    given_reference: OnceLock<Option<Values>>,
    parallelisms: Parallelisms<'a>,
}

impl<'a> Evaluation<'a> {
    /// Of a run with its sibling sets.
    pub fn of(run: &'a RunTables, structure: &'a Structure) -> Self {
        Self {
            run,
            structure,
            references: Vec::new(),
            cores_per_socket: None,
            distances: None,
            progress: Progress::silent(),
            measures: OnceLock::new(),
            loops: OnceLock::new(),
            critical: OnceLock::new(),
            creation_estimates: OnceLock::new(),
            deviation: OnceLock::new(),
            given_reference: OnceLock::new(),
            parallelisms: Parallelisms::default(),
        }
    }

    /// Compares with a reference run, or with the medians of several.
    #[must_use]
    pub fn with_references(mut self, references: &[&'a RunTables]) -> Self {
        self.references = references.to_vec();
        self
    }

    /// States how many consecutive cores share a socket; else the run's parameter
    /// `cores_per_socket` counts.
    #[must_use]
    pub fn with_cores_per_socket(mut self, cores: u32) -> Self {
        self.cores_per_socket = Some(cores).filter(|&cores| cores > 0);
        self
    }

    /// States how far NUMA nodes are apart; else other nodes are at distance 1.
    #[must_use]
    pub fn with_distances(mut self, distances: NodeDistances) -> Self {
        self.distances = Some(distances);
        self
    }

    /// Stops when `progress` does: metrics are absent from then on, and the caller checks `progress` before it
    /// uses any.
    #[must_use]
    pub fn with_progress(mut self, progress: &Progress) -> Self {
        self.progress = progress.clone();
        self
    }

    /// Stops the work.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The run.
    pub fn run(&self) -> &'a RunTables {
        self.run
    }

    /// Its sibling sets.
    pub fn structure(&self) -> &'a Structure {
        self.structure
    }

    /// What the run is compared with.
    pub fn references(&self) -> &[&'a RunTables] {
        &self.references
    }

    pub(super) fn parent(&self, row: usize) -> Option<usize> {
        let parent = self.structure.parent(u32::try_from(row).ok()?)?;
        Some(parent as usize)
    }

    pub(super) fn measures(&self) -> &Measures<'a> {
        self.measures.get_or_init(|| Measures::of(self.run))
    }

    pub(super) fn loops(&self) -> &Loops {
        self.loops.get_or_init(|| Loops::of(self))
    }

    pub(super) fn distances(&self) -> Option<&NodeDistances> {
        self.distances.as_ref()
    }

    pub(super) fn shares(
        &self,
        basis: Basis,
        width: Width,
        share: Share,
    ) -> Result<Values, AbsenceReason> {
        self.parallelisms.shares(self, basis, width, share)
    }

    /// Instantaneous parallelism along the whole run: how many grains run, and when.
    ///
    /// # Errors
    /// The run has no times for it.
    pub fn parallelism(&self, basis: Basis, width: Width) -> Result<Parallelism, AbsenceReason> {
        self.parallelisms.profile(self, basis, width)
    }

    /// Estimated costs of creating a grain, for sources that do not measure them.
    ///
    /// # Errors
    /// The run lacks what the estimates follow from.
    pub(crate) fn creation_estimates(&self) -> Result<&CreationEstimates, AbsenceReason> {
        let estimates = self
            .creation_estimates
            .get_or_init(|| CreationEstimates::of(self));
        estimates.as_ref().map_err(Clone::clone)
    }

    /// Row of the definition of a grain.
    pub(crate) fn definition(&self, row: usize) -> Option<i32> {
        let contexts = &self.run.grains.context;
        let context = (row < contexts.len()).then(|| contexts.value(row))?;
        let definitions = &self.run.summary.contexts.definition;
        let context = usize::try_from(context).ok()?;
        (context < definitions.len()).then(|| definitions.value(context))
    }

    /// Comparison with the reference runs; of nothing where there are none.
    pub fn deviation(&self) -> &WorkDeviation {
        self.deviation
            .get_or_init(|| work_deviation(self.run, &self.references))
    }

    /// Work of a grain in the reference: of the reference runs, else as the source gives it.
    pub fn reference_work(&self, row: usize) -> Option<f64> {
        if !self.references.is_empty() {
            return self.deviation().reference.get(row).copied().flatten();
        }
        let given = self
            .given_reference
            .get_or_init(|| self.measures().get(&["work_cycles_right"]).ok());
        given.as_ref()?.get(row)
    }

    /// Workers that took part: as the run says, else those that finished grains.
    pub fn workers(&self) -> Option<i64> {
        let stated = self.run.summary.meta.workers.filter(|&workers| workers > 0);
        stated.or_else(|| {
            let mut seen = vec![false; self.run.summary.locations.len()];
            let places = &self.run.summary.locations;
            let locations = self.run.grains.location.iter().flatten();
            for location in locations.filter(|&row| !places.is_helper(row)) {
                let slot = usize::try_from(location).ok();
                if let Some(seen) = slot.and_then(|at| seen.get_mut(at)) {
                    *seen = true;
                }
            }
            let count = seen.iter().filter(|&&seen| seen).count();
            i64::try_from(count).ok().filter(|&count| count > 0)
        })
    }

    /// Cores that share a socket, where it is known.
    pub fn cores_per_socket(&self) -> Option<u32> {
        self.cores_per_socket.or_else(|| {
            let param = self.run.summary.meta.params.get("cores_per_socket");
            match param {
                Some(ParamValue::Number(number)) => {
                    let text = format!("{number}");
                    text.parse().ok().filter(|&cores| cores > 0)
                }
                _ => None,
            }
        })
    }

    /// The grains on the critical path of the reduced graph, by row.
    pub fn critical_grains(&self) -> &[u32] {
        self.critical
            .get_or_init(|| critical_grains(self.run, self.structure))
    }

    /// The values of a metric: computed, else as the source gives them.
    ///
    /// # Errors
    /// Why there are none.
    pub fn evaluate(&self, metric: &GrainMetric) -> Result<Column, AbsenceReason> {
        if let Some(values) = self.stated(metric) {
            return Ok(Column {
                values,
                origin: Origin::Given,
            });
        }
        self.compute(metric)
    }

    /// Values that the source states under the name of one of our metrics: they keep it, and the computed values have
    /// the name with [`COMPUTED`](super::COMPUTED) before it.
    pub fn stated(&self, metric: &GrainMetric) -> Option<Values> {
        let is_stated = metric.given_as.contains(&metric.id);
        is_stated.then(|| self.measures().stated(metric.id))?
    }

    /// The values of a metric by its definition; those of the source only if they cannot be computed.
    ///
    /// # Errors
    /// Why there are none.
    fn compute(&self, metric: &GrainMetric) -> Result<Column, AbsenceReason> {
        let mut needs = metric.needs.iter();
        let met = needs.try_for_each(|need| need.check(self));
        let computed = met.and_then(|()| (metric.compute)(self));
        match computed {
            Ok(values) => Ok(Column {
                values,
                origin: Origin::Computed,
            }),
            Err(absent) => {
                let given = self.measures().get(metric.given_as);
                let values = given.map_err(|_| absent)?;
                Ok(Column {
                    values,
                    origin: Origin::Given,
                })
            }
        }
    }

    /// The values of a metric by its name, or of a measure of the source.
    ///
    /// # Errors
    /// Why there are none, or that nothing has the name.
    pub fn evaluate_by_name(&self, name: &str) -> Result<Column, AbsenceReason> {
        if let Some(metric) = by_name(name) {
            let stated = metric
                .is_foreign(name)
                .then(|| self.measures().stated(name));
            return match stated.flatten() {
                Some(values) => Ok(Column {
                    values,
                    origin: Origin::Given,
                }),
                None => self.evaluate(metric),
            };
        }
        if let Some(metric) = super::computed_by_name(name) {
            return self.compute(metric);
        }
        let values = self.measures().get(&[name]).map_err(|_| {
            AbsenceReason::because(format!(
                "`{name}` is neither a metric nor a measure of the run"
            ))
        })?;
        Ok(Column {
            values,
            origin: Origin::Given,
        })
    }
}
