//! Notes on what a run does not show, and on changes that concern nothing of it.

use sheaf_answers::{Note, PolicySource, ScheduleCost, WaitKind, WhatIfFact};
use sheaf_grains::schedule::ScheduleGraph;
use sheaf_model::table::FragmentEnd;

use super::prepared::{Changes, Prepared, Scheduled, cores};

impl Scheduled {
    /// Notes on parts of the structure that changes did not reach.
    pub(super) fn notes(self) -> Vec<Note> {
        self.unreached.into_iter().map(Note::from).collect()
    }
}

impl Prepared {
    /// Whether it has loops with chunks.
    pub(super) fn has_loops(&self) -> bool {
        self.recorded.num_loops() > 0
    }

    /// Parts of the structure that changes do not reach.
    pub(super) fn unreached(&self, graph: &ScheduleGraph, changes: &Changes) -> Vec<WhatIfFact> {
        let run = || self.meta.name.clone();
        let mut facts = Vec::new();
        if let Some(depth) = changes.cut_off
            && graph.num_merged_tasks() == 0
        {
            facts.push(WhatIfFact::NoTasksBelow { run: run(), depth });
        }
        let (uncut, all) = (graph.num_uncut_loops(), graph.num_loops());
        if changes.chunk_size.is_some() && (uncut > 0 || all == 0) {
            facts.push(WhatIfFact::LoopsNotCut {
                run: run(),
                loops: uncut as u64,
                of: all as u64,
            });
        }
        facts
    }

    /// Notes for readers.
    pub(super) fn cautions(&self) -> Vec<Note> {
        let run = self.meta.name.clone();
        let mut facts = Vec::new();
        let is_absent = |kind: &ScheduleCost| self.costs.count(*kind) == 0;
        let costs: Vec<ScheduleCost> = ScheduleCost::ALL.into_iter().filter(is_absent).collect();
        if !costs.is_empty() {
            let run = run.clone();
            facts.push(WhatIfFact::CostsUnknown { run, costs });
        }
        if self.policy_from == PolicySource::Assumed {
            let (run, policy) = (run.clone(), self.policy);
            facts.push(WhatIfFact::PolicyAssumed { run, policy });
        }
        let (fixed, taken) = (
            self.recorded.num_static_loops(),
            self.recorded.num_dynamic_loops(),
        );
        if self.has_loops() {
            facts.push(WhatIfFact::LoopSchedulesUnknown {
                run: run.clone(),
                fixed: fixed as u64,
                dynamic: taken as u64,
            });
        }
        if let Some(cores) = cores(&self.meta)
            && cores < f64::from(self.workers)
        {
            facts.push(WhatIfFact::WorkersWaited {
                run: run.clone(),
                workers: self.workers.into(),
                processors: cores,
            });
        }
        let ended_by = self.depth.tables().fragments.ended_by.values();
        let waits = [
            (FragmentEnd::Lock, WaitKind::Locks),
            (FragmentEnd::Message, WaitKind::Mpi),
        ];
        for (end, waits) in waits {
            if ended_by.contains(end as i32) {
                let run = run.clone();
                facts.push(WhatIfFact::WaitsLeftOut { run, waits });
            }
        }
        facts.into_iter().map(Note::from).collect()
    }
}
