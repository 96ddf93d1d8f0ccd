//! A run that is ready to be scheduled again.

use std::sync::Arc;

use rayon::prelude::*;
use sheaf_answers::{
    MeasuredCost, Note, Policy, PolicySource, Prediction, ScheduleCost, SchedulePolicy,
    ScheduledRun, WhatIfFact,
};
use sheaf_grains::grain_graph::{GrainGraph, LogicalFragments, Structure};
use sheaf_grains::schedule::{Costs, Extent, Machine, Outcome, ScheduleGraph, Shape, schedule};
use sheaf_model::{ParamValue, Progress, RunMeta};

use super::super::{OpenRun, lacks_edges};
use super::reference::{Carried, Reference};
use super::{WhatIfQuestion, elapsed, sum};
use crate::runs::RunEntry;
use crate::{Error, View};

/// All of the work of a grain.
pub(super) const MILLION: u32 = 1_000_000;

/// A run with what its schedules have in common.
pub(super) struct Prepared {
    pub(super) meta: Arc<RunMeta>,
    pub(super) depth: Arc<OpenRun>,
    /// Workers that it was recorded with; 1 if it does not say.
    pub(super) workers: u32,
    graph: GrainGraph,
    /// Without changes, for as many workers as were recorded.
    pub(super) recorded: ScheduleGraph,
    pub(super) costs: Costs,
    pub(super) policy: SchedulePolicy,
    pub(super) policy_from: PolicySource,
    /// Millionths of the work of each grain that stay; empty if all of it stays.
    kept: Vec<u32>,
    used: [bool; ScheduleCost::ALL.len()],
    /// Work and costs of reference runs of the same program.
    pub(super) carried: Option<Arc<Carried>>,
    pub(super) notes: Vec<Note>,
}

/// The differences from the recorded run.
#[derive(Debug, Clone)]
pub(super) struct Changes {
    is_faster: bool,
    pub(super) cut_off: Option<u32>,
    pub(super) chunk_size: Option<u32>,
    left_out: Vec<ScheduleCost>,
    pub(super) repeats: u32,
    pub(super) seed: u64,
}

impl Changes {
    pub(super) fn none(question: &WhatIfQuestion) -> Self {
        Self {
            is_faster: false,
            cut_off: None,
            chunk_size: None,
            left_out: Vec::new(),
            repeats: question.repeats,
            seed: question.seed,
        }
    }

    pub(super) fn of(question: &WhatIfQuestion) -> Self {
        Self {
            is_faster: true,
            cut_off: question.cut_off,
            chunk_size: question.chunk_size,
            left_out: left_out(question),
            ..Self::none(question)
        }
    }

    fn shape(&self, workers: u32) -> Shape {
        Shape {
            workers,
            cut_off: self.cut_off,
            chunk_size: self.chunk_size,
        }
    }
}

/// Costs that a question leaves out.
fn left_out(question: &WhatIfQuestion) -> Vec<ScheduleCost> {
    if question.is_without_delay {
        ScheduleCost::ALL.to_vec()
    } else if question.is_without_creation {
        vec![ScheduleCost::Creation]
    } else {
        Vec::new()
    }
}

/// Elapsed times of several schedules.
#[derive(Debug, Clone, Default)]
pub(super) struct Sum {
    pub(super) mean: f64,
    pub(super) min: i64,
    pub(super) max: i64,
}

/// Schedules of one graph.
#[derive(Debug, Clone)]
pub(super) struct Scheduled {
    /// Elapsed time of each.
    pub(super) elapsed: Vec<i64>,
    pub(super) times: Sum,
    pub(super) extent: Extent,
    /// Parts of the structure that changes did not reach.
    pub(super) unreached: Vec<WhatIfFact>,
}

/// A run with its graph and the costs that it shows.
pub(super) struct Opened {
    depth: Arc<OpenRun>,
    graph: GrainGraph,
    pub(super) costs: Costs,
}

/// Refuses to schedule a run.
fn refuse(run: &RunEntry, reason: &str) -> Error {
    Error::NotSchedulable {
        run: run.meta.name.clone(),
        reason: reason.to_owned(),
    }
}

impl View<'_> {
    /// Opens a run with the costs that it shows.
    ///
    /// # Errors
    /// When its graph cannot be scheduled.
    pub(super) fn opened(&self, run: &RunEntry) -> Result<Opened, Error> {
        super::super::has_grains(run)?;
        if !run.meta.is_complete {
            return Err(refuse(
                run,
                "it is incomplete, so its grain graph ends early; record it again",
            ));
        }
        if run.meta.ranks > 1 {
            return Err(refuse(
                run,
                "it has several ranks, which share no work; choose a run of one process",
            ));
        }
        let depth = self.depth(run)?;
        let tables = depth.tables();
        let structure = depth.structure(&self.progress)?;
        if tables.fragments.is_empty() && LogicalFragments::of(tables, structure).is_none() {
            return Err(refuse(
                run,
                "its source does not say how long fragments ran",
            ));
        }
        if let Some(reason) = lacks_edges(tables) {
            return Err(refuse(run, reason));
        }
        let graph = GrainGraph::unreduced(tables, structure);
        self.progress.check()?;
        let costs = Costs::of(tables, structure, &graph);
        let costs = costs.map_err(|fault| refuse(run, &fault.to_string()))?;
        self.progress.check()?;
        Ok(Opened {
            depth,
            graph,
            costs,
        })
    }

    /// Opens a run to schedule it again.
    ///
    /// # Errors
    /// When its graph cannot be scheduled, the question names what it does not have, or the reference has no run of its
    /// program with as many workers.
    pub(super) fn prepare(
        &self,
        run: &RunEntry,
        question: &WhatIfQuestion,
        reference: Option<&Reference>,
    ) -> Result<Prepared, Error> {
        let prepared = self.prepare_any(run, question, reference)?;
        if let Some(reference) = reference {
            reference.check(&prepared)?;
        }
        Ok(prepared)
    }

    /// The same, whether or not the reference has runs like it.
    pub(super) fn prepare_any(
        &self,
        run: &RunEntry,
        question: &WhatIfQuestion,
        reference: Option<&Reference>,
    ) -> Result<Prepared, Error> {
        let opened = self.opened(run)?;
        let depth = &opened.depth;
        let workers = run.meta.workers.and_then(|it| u32::try_from(it).ok());
        let workers = workers.unwrap_or(1).max(1);
        let shape = Shape {
            workers,
            ..Shape::default()
        };
        let structure = depth.structure(&self.progress)?;
        let recorded = ScheduleGraph::of(depth.tables(), structure, &opened.graph, &shape);
        let recorded = recorded.map_err(|fault| refuse(run, &fault.to_string()))?;
        self.progress.check()?;
        let (policy, policy_from) = policy(depth, question, &self.progress)?;
        let mut kept = Vec::new();
        for faster in &question.faster {
            depth.keep_less(faster, &mut kept, &self.progress)?;
        }
        let gone = left_out(question);
        let used = ScheduleCost::ALL.map(|kind| !gone.contains(&kind));
        let mut prepared = Prepared {
            meta: Arc::clone(&run.meta),
            depth: opened.depth,
            workers,
            graph: opened.graph,
            recorded,
            costs: opened.costs,
            policy,
            policy_from,
            kept,
            used,
            carried: reference.and_then(|it| it.of(&run.meta)),
            notes: Vec::new(),
        };
        prepared.notes = prepared.cautions();
        Ok(prepared)
    }
}

/// The policy that the question names, or that the run shows.
fn policy(
    depth: &OpenRun,
    question: &WhatIfQuestion,
    progress: &Progress,
) -> Result<(SchedulePolicy, PolicySource), Error> {
    if let Some(policy) = question.policy {
        return Ok((policy, PolicySource::Asked));
    }
    let named = |policy: Policy| match policy {
        Policy::WorkFirst => Some(SchedulePolicy::WorkFirst),
        Policy::HelpFirst => Some(SchedulePolicy::HelpFirst),
        Policy::None => None,
    };
    if let Ok(timeline) = depth.timeline(progress)?
        && let Ok(steals) = &timeline.steals
    {
        if let Some(policy) = named(steals.policy()) {
            return Ok((policy, PolicySource::Steals));
        }
        if let Some(policy) = named(steals.policy_by_order()) {
            return Ok((policy, PolicySource::Order));
        }
    }
    Ok((SchedulePolicy::HelpFirst, PolicySource::Assumed))
}

impl Prepared {
    /// The numbers of workers of a question; that of the run if it has none.
    pub(super) fn workers_asked(&self, question: &WhatIfQuestion) -> Vec<u32> {
        if question.workers.is_empty() {
            return vec![self.workers];
        }
        question.workers.clone()
    }

    pub(super) fn structure(&self, progress: &Progress) -> Result<&Structure, Error> {
        Ok(self.depth.structure(progress)?)
    }

    /// The graph after changes; absent if it is the recorded one.
    pub(super) fn changed_graph(
        &self,
        changes: &Changes,
        workers: u32,
        progress: &Progress,
    ) -> Result<Option<ScheduleGraph>, Error> {
        let shape = changes.shape(workers);
        let is_same = shape.cut_off.is_none() && shape.chunk_size.is_none();
        if is_same && (workers == self.workers || !self.recorded.has_static_loops()) {
            return Ok(None);
        }
        let structure = self.structure(progress)?;
        let graph = ScheduleGraph::of(self.depth.tables(), structure, &self.graph, &shape);
        let graph = graph.map_err(|fault| Error::NotSchedulable {
            run: self.meta.name.clone(),
            reason: fault.to_string(),
        })?;
        Ok(Some(graph))
    }

    /// Work of each node after changes, with as many workers.
    fn weights(&self, graph: &ScheduleGraph, changes: &Changes, workers: u32) -> Vec<i64> {
        if !changes.is_faster || self.kept.is_empty() {
            return self.scaled(graph, workers, |_| MILLION);
        }
        self.scaled(graph, workers, |grain| self.kept(grain))
    }

    /// Millionths of the work of a grain that stay.
    pub(super) fn kept(&self, grain: usize) -> u32 {
        self.kept.get(grain).copied().unwrap_or(MILLION)
    }

    /// Work of each node with as many workers, if each grain keeps some millionths of it.
    pub(super) fn scaled(
        &self,
        graph: &ScheduleGraph,
        workers: u32,
        kept: impl Fn(usize) -> u32,
    ) -> Vec<i64> {
        let inflated = self.inflated(workers);
        graph.scaled(|grain| {
            let kept = kept(grain as usize);
            let factor = inflated.as_ref().and_then(|factors| {
                let definition = self.depth.definition(grain as usize)?;
                factors.get(definition).copied().flatten()
            });
            factor.map_or(kept, |factor| {
                let product = u64::from(kept) * u64::from(factor) / u64::from(MILLION);
                u32::try_from(product).unwrap_or(u32::MAX)
            })
        })
    }

    /// Schedules the run after changes, once with each seed.
    ///
    /// # Errors
    /// When it was stopped.
    pub(super) fn schedules(
        &self,
        changes: &Changes,
        workers: u32,
        progress: &Progress,
    ) -> Result<Scheduled, Error> {
        let graph = self.changed_graph(changes, workers, progress)?;
        let graph = graph.as_ref().unwrap_or(&self.recorded);
        let weights = self.weights(graph, changes, workers);
        let costs = self.costs_with(workers).clone().without(&changes.left_out);
        let outcomes = self.times(graph, &weights, &costs, workers, changes, progress)?;
        Ok(Scheduled {
            elapsed: elapsed(&outcomes),
            times: sum(&outcomes),
            extent: graph.extent(&weights),
            unreached: self.unreached(graph, changes),
        })
    }

    /// One schedule per seed.
    ///
    /// # Errors
    /// When it was stopped.
    pub(super) fn times(
        &self,
        graph: &ScheduleGraph,
        weights: &[i64],
        costs: &Costs,
        workers: u32,
        changes: &Changes,
        progress: &Progress,
    ) -> Result<Vec<Outcome>, Error> {
        let seeds = changes.seeds().into_par_iter();
        let outcomes = seeds.map(|seed| -> Result<Outcome, Error> {
            let machine = self.machine(costs, workers, seed);
            Ok(schedule(graph, weights, &machine, progress)?)
        });
        outcomes.collect()
    }

    /// The machine of a schedule.
    pub(super) fn machine<'a>(&self, costs: &'a Costs, workers: u32, seed: u64) -> Machine<'a> {
        Machine {
            workers,
            policy: self.policy,
            has_tied_tasks: true,
            costs,
            seed,
        }
    }

    /// The run on unlimited workers without costs: its span.
    ///
    /// # Errors
    /// When it was stopped.
    pub(super) fn unlimited(&self, changes: &Changes) -> Result<Scheduled, Error> {
        let graph = self.changed_graph(changes, self.workers, &Progress::silent())?;
        let graph = graph.as_ref().unwrap_or(&self.recorded);
        let extent = graph.extent(&self.weights(graph, changes, self.workers));
        let times = Sum {
            mean: extent.span as f64,
            min: extent.span,
            max: extent.span,
        };
        Ok(Scheduled {
            elapsed: vec![extent.span],
            times,
            extent,
            unreached: self.unreached(graph, changes),
        })
    }

    /// A row of the answer.
    pub(super) fn row(
        &self,
        workers: Option<u32>,
        unchanged: &Scheduled,
        changed: &Scheduled,
    ) -> Prediction {
        let extent = &changed.extent;
        let is_recorded = workers == Some(self.workers) && self.meta.workers.is_some();
        Prediction {
            run: self.meta.id.to_string(),
            name: self.meta.name.clone(),
            workers: workers.map(u64::from),
            predicted: changed.times.mean,
            min: changed.times.min,
            max: changed.times.max,
            lower: workers.map_or(extent.span, |workers| extent.lower(workers)),
            upper: workers.map(|workers| extent.upper(workers)),
            unchanged: unchanged.times.mean,
            gain: unchanged.times.mean - changed.times.mean,
            work: extent.work,
            span: extent.span,
            inflation: self.carried.as_ref().and_then(|_| {
                self.inflated(workers?)?;
                let weights = self.recorded.weights().iter();
                let recorded: i128 = weights.map(|&weight| i128::from(weight)).sum();
                (recorded > 0).then(|| unchanged.extent.work as f64 / recorded as f64)
            }),
            parallelism: (extent.span > 0).then(|| extent.work as f64 / extent.span as f64),
            recorded: self.meta.elapsed.filter(|_| is_recorded),
        }
    }

    pub(super) fn answer(&self) -> ScheduledRun {
        let cost = |kind: ScheduleCost| MeasuredCost {
            cost: kind,
            count: self.costs.count(kind) as u64,
            median: self.costs.median(kind),
            mean: self.costs.mean(kind),
            is_used: self.used[kind as usize] && self.costs.count(kind) > 0,
        };
        ScheduledRun {
            run: self.meta.id.to_string(),
            name: self.meta.name.clone(),
            workers: self.meta.workers.map(|_| u64::from(self.workers)),
            elapsed: self.meta.elapsed,
            policy: self.policy,
            policy_from: self.policy_from,
            costs: ScheduleCost::ALL.map(cost).to_vec(),
        }
    }
}

/// Processors of the machine of a run.
pub(super) fn cores(meta: &RunMeta) -> Option<f64> {
    match meta.params.get("cores") {
        Some(ParamValue::Number(cores)) => Some(*cores),
        _ => None,
    }
}
