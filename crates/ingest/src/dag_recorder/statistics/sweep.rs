//! One pass over all events in order of time: how many leaves run, how many are ready.

use super::Predecessors;
use super::last_finish::{Gap, LastFinish, Path};
use crate::dag_recorder::dag::{Dag, Node, NodeIdx};

/// Integrals over the run.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    pub(super) running: i64,
    pub(super) delay: i64,
    pub(super) no_work: i64,
    pub(super) oversubscribed: i64,
    pub(super) elapsed: i64,
}

/// What changes at a time. Weights are counts for leaves as they ran; of collapsed ones they are
/// what ran or was ready on average, in parts of [`ONE`].
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    time: i64,
    running: i64,
    ready: i64,
    running_weight: i128,
    ready_weight: i128,
}

/// A weight of one, so that sums of weights are exact.
const ONE: i128 = 1 << 32;

/// Changes of leaves that ran as recorded, packed with their time: a start makes one ready leaf
/// run; an end makes up to three leaves ready.
mod code {
    pub(super) const START: u64 = 0;
    pub(super) const END: u64 = 1;
    pub(super) const MOST_READIED: u8 = 3;
    pub(super) const BITS: u32 = 3;
}

pub(super) fn sweep(dag: &Dag, predecessors: &Predecessors, path: Path) -> (Sweep, LastFinish) {
    let Path { found, gaps } = path;
    let (mut packed, mut steps) = events(dag, predecessors);
    packed.sort_unstable();
    steps.sort_unstable_by_key(|step| step.time);
    let mut state = State {
        workers: i128::from(dag.workers),
        now: Step::default(),
        integrals: [0; 4],
        gaps: &gaps,
        scheduler: [0; 7],
    };
    let mut steps = steps.into_iter().peekable();
    for event in packed {
        let event = unpack(event);
        while let Some(step) = steps.next_if(|step| step.time <= event.time) {
            state.apply(&step);
        }
        state.apply(&event);
    }
    steps.for_each(|step| state.apply(&step));
    state.finish(found)
}

/// Packed changes of leaves that ran as recorded, and changes of others.
fn events(dag: &Dag, predecessors: &Predecessors) -> (Vec<u64>, Vec<Step>) {
    let mut readied = vec![0_u8; dag.nodes.len()];
    let mut steps = Vec::new();
    let mut num_regular = 0;
    for (at, node) in dag.leaves() {
        let ready = predecessors.ready(dag, at);
        let before = predecessors.get(at);
        let slot = before.and_then(|before| readied.get_mut(before));
        match slot {
            Some(slot) if is_regular(node, ready) && *slot < code::MOST_READIED => *slot += 1,
            _ => push_ready(dag, at, node, ready, &mut steps),
        }
        num_regular += usize::from(!node.is_collapsed());
    }
    let mut packed = Vec::with_capacity(2 * num_regular);
    for (at, node) in dag.leaves() {
        let end = code::END + u64::from(readied[at]);
        if node.is_collapsed() {
            push_run(dag, at, node, readied[at], &mut steps);
        } else {
            packed.push(pack(node.start, code::START));
            packed.push(pack(node.end, end));
        }
    }
    (packed, steps)
}

/// Whether a leaf is ready from the end of its predecessor to its start, and no more is known.
fn is_regular(node: &Node, ready: i64) -> bool {
    !node.is_collapsed() && node.first_ready == ready && ready <= node.start
}

fn pack(time: i64, code: u64) -> u64 {
    time.cast_unsigned() << code::BITS | code
}

fn unpack(event: u64) -> Step {
    let time = (event >> code::BITS).cast_signed();
    let (running, ready) = match event & ((1 << code::BITS) - 1) {
        code::START => (1, -1),
        end => (-1, (end - code::END).cast_signed()),
    };
    Step {
        time,
        running,
        ready,
        running_weight: ONE * i128::from(running),
        ready_weight: ONE * i128::from(ready),
    }
}

/// How a leaf that is not readied by the end of another becomes ready; if it ran as recorded, its
/// start takes it away again.
fn push_ready(dag: &Dag, at: NodeIdx, node: &Node, ready: i64, steps: &mut Vec<Step>) {
    let count = Step {
        time: ready.min(node.start),
        ready: 1,
        ..Step::default()
    };
    steps.push(count);
    let Some(totals) = dag.totals(at) else {
        steps.push(Step {
            time: node.first_ready.min(node.start),
            ready_weight: ONE,
            ..Step::default()
        });
        return;
    };
    let last_start = totals.last_start.max(node.start);
    steps.push(Step {
        time: last_start,
        ready: -1,
        ..Step::default()
    });
    let sum: i128 = totals.ready.iter().map(|&time| i128::from(time)).sum();
    let length = last_start - node.first_ready;
    push_weight(node.first_ready, last_start, sum, length, steps, |step| {
        &mut step.ready_weight
    });
}

/// The run of a collapsed leaf.
fn push_run(dag: &Dag, at: NodeIdx, node: &Node, readied: u8, steps: &mut Vec<Step>) {
    let readied = i64::from(readied);
    steps.push(Step {
        time: node.start,
        running: 1,
        ..Step::default()
    });
    steps.push(Step {
        time: node.end,
        running: -1,
        ready: readied,
        ready_weight: ONE * i128::from(readied),
        ..Step::default()
    });
    let work = i128::from(dag.work(at));
    push_weight(node.start, node.end, work, node.len(), steps, |step| {
        &mut step.running_weight
    });
}

/// The average of a sum over a stretch; stretches without length have none.
fn push_weight(
    start: i64,
    end: i64,
    sum: i128,
    length: i64,
    steps: &mut Vec<Step>,
    field: impl Fn(&mut Step) -> &mut i128,
) {
    if length <= 0 {
        return;
    }
    let weight = sum * ONE / i128::from(length);
    for (time, weight) in [(start, weight), (end, -weight)] {
        let mut step = Step {
            time,
            ..Step::default()
        };
        *field(&mut step) = weight;
        steps.push(step);
    }
}

struct State<'a> {
    workers: i128,
    /// What runs and is ready since its time.
    now: Step,
    /// Of running, delay, no work, and time of oversubscription.
    integrals: [i128; 4],
    /// Gaps of the path that ended last, from the first that is not over.
    gaps: &'a [Gap],
    /// Inside of gaps: time with idle workers by kind of edge, no work, ready; the last two
    /// in parts of [`ONE`].
    scheduler: [i128; 7],
}

impl State<'_> {
    #[inline]
    fn apply(&mut self, step: &Step) {
        let length = step.time - self.now.time;
        if length > 0 {
            self.pass(i128::from(length));
            self.now.time = step.time;
        }
        self.now.running += step.running;
        self.now.ready += step.ready;
        self.now.running_weight += step.running_weight;
        self.now.ready_weight += step.ready_weight;
    }

    fn pass(&mut self, length: i128) {
        let (running, ready) = (i128::from(self.now.running), i128::from(self.now.ready));
        let (delay, no_work) = split(self.workers, running, ready);
        self.integrals[0] += running * length;
        self.integrals[1] += delay * length;
        self.integrals[2] += no_work * length;
        if running > self.workers {
            self.integrals[3] += length;
        }
        while let Some((gap, behind)) = self.gaps.split_first()
            && gap.end <= self.now.time
        {
            self.gaps = behind;
        }
        if let Some(gap) = self.gaps.first()
            && gap.start <= self.now.time
        {
            self.pass_gap(gap.in_edge as usize, length);
        }
    }

    fn pass_gap(&mut self, in_edge: usize, length: i128) {
        let (running, ready) = (self.now.running_weight, self.now.ready_weight);
        let workers = self.workers.saturating_mul(ONE);
        let (delay, no_work) = split(workers, running, ready);
        if running < workers {
            self.scheduler[in_edge] += length;
        }
        self.scheduler[5] += no_work * length;
        self.scheduler[6] += delay * length;
    }

    fn finish(self, mut found: LastFinish) -> (Sweep, LastFinish) {
        let [running, delay, no_work, oversubscribed] = self.integrals.map(clamp);
        let [end, create, create_cont, wait_cont, other_cont, idle, ready] = self.scheduler;
        found.scheduler_delay = [end, create, create_cont, wait_cont, other_cont].map(clamp);
        found.scheduler_no_work = idle as f64 / ONE as f64;
        found.scheduler_ready = ready as f64 / ONE as f64;
        let sweep = Sweep {
            running,
            delay,
            no_work,
            oversubscribed,
            elapsed: self.now.time,
        };
        (sweep, found)
    }
}

/// Idle workers for which something is ready, and for which nothing is.
fn split(workers: i128, running: i128, ready: i128) -> (i128, i128) {
    let idle = (workers - running).max(0);
    let delay = ready.clamp(0, idle);
    (delay, idle - delay)
}

fn clamp(sum: i128) -> i64 {
    i64::try_from(sum).unwrap_or(i64::MAX)
}
