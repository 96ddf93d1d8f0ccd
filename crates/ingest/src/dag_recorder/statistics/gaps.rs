//! The time between leaves that follow each other.

use crate::dag_recorder::dag::{Dag, EdgeKind, Node, NodeIdx, NodeKind};
use crate::dag_recorder::edges::Edge;

/// Gaps by what is between.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gaps {
    /// From a creation to what its task does next.
    pub create_cont: Option<GapSummary>,
    /// Those of them where the worker changed.
    pub create_cont_migrated: Option<GapSummary>,
    /// From a creation to the begin of the task.
    pub create_child: Option<GapSummary>,
    /// Those of them where the worker changed.
    pub create_child_migrated: Option<GapSummary>,
    /// From the last end before the end of a wait to what is done next.
    pub sync: Option<GapSummary>,
    /// The task that goes on after most creations.
    pub spine: Option<Spine>,
}

/// Gaps of the task that goes on after most creations.
#[derive(Debug, Clone, PartialEq)]
pub struct Spine {
    /// Node of the task.
    pub task: usize,
    /// From its creations to what it does next.
    pub gaps: GapSummary,
    /// Those of them where the worker changed.
    pub migrated: Option<GapSummary>,
}

/// Of some gaps; a quantile p is the gap at place ⌊p·n⌋.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GapSummary {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub sum: i64,
    /// The shortest.
    pub min: i64,
    /// The tenth part is shorter.
    pub p10: i64,
    /// The median.
    pub p50: i64,
    /// The tenth part is longer.
    pub p90: i64,
    /// The hundredth part is longer.
    pub p99: i64,
    /// The longest.
    pub max: i64,
}

impl GapSummary {
    fn of(mut gaps: Vec<i64>) -> Option<Self> {
        gaps.sort_unstable();
        let quantile = |percent: usize| {
            let at = gaps.len() * percent / 100;
            gaps.get(at).or(gaps.last()).copied()
        };
        Some(Self {
            count: gaps.len() as u64,
            sum: gaps.iter().copied().fold(0, i64::saturating_add),
            min: *gaps.first()?,
            p10: quantile(10)?,
            p50: quantile(50)?,
            p90: quantile(90)?,
            p99: quantile(99)?,
            max: *gaps.last()?,
        })
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }
}

/// Gathers gaps while edges are visited.
pub(super) struct Collector {
    create_cont: Vec<i64>,
    create_cont_migrated: Vec<i64>,
    create_child: Vec<i64>,
    create_child_migrated: Vec<i64>,
    sync: Vec<i64>,
    /// Latest end before the leaf after the wait that is being visited.
    latest: Option<i64>,
    /// Task of each collective node.
    tasks: Vec<u32>,
    /// Creations after which each task goes on.
    creations: Vec<u32>,
}

impl Collector {
    pub(super) fn new(dag: &Dag) -> Self {
        let mut tasks = vec![0; dag.nodes.len()];
        for (at, node) in dag.nodes.iter().enumerate() {
            if node.kind == NodeKind::Task {
                tasks[at] = u32::try_from(at).unwrap_or(u32::MAX);
            }
            for child in dag.children(at) {
                tasks[child] = tasks[at];
            }
        }
        Self {
            create_cont: Vec::new(),
            create_cont_migrated: Vec::new(),
            create_child: Vec::new(),
            create_child_migrated: Vec::new(),
            sync: Vec::new(),
            latest: None,
            tasks,
            creations: vec![0; dag.nodes.len()],
        }
    }

    #[inline]
    pub(super) fn add(&mut self, edge: Edge, source: &Node, target: &Node, is_change: bool) {
        let gap = target.start - source.end;
        match edge.kind {
            EdgeKind::CreateCont => {
                self.create_cont.push(gap);
                if is_change {
                    self.create_cont_migrated.push(gap);
                }
                self.creations[self.tasks[edge.within] as usize] += 1;
            }
            EdgeKind::Create => {
                self.create_child.push(gap);
                if is_change {
                    self.create_child_migrated.push(gap);
                }
            }
            EdgeKind::End => {
                self.latest = self.latest.max(Some(source.end));
            }
            EdgeKind::WaitCont => {
                let latest = self.latest.take().max(Some(source.end));
                self.sync.extend(latest.map(|latest| target.start - latest));
            }
            EdgeKind::OtherCont => {}
        }
    }

    pub(super) fn finish(self, dag: &Dag) -> Gaps {
        let most = self
            .creations
            .iter()
            .copied()
            .max()
            .filter(|&most| most > 0);
        let task = most.and_then(|most| self.creations.iter().position(|&count| count == most));
        Gaps {
            spine: task.and_then(|task| self.spine(dag, task)),
            create_cont: GapSummary::of(self.create_cont),
            create_cont_migrated: GapSummary::of(self.create_cont_migrated),
            create_child: GapSummary::of(self.create_child),
            create_child_migrated: GapSummary::of(self.create_child_migrated),
            sync: GapSummary::of(self.sync),
        }
    }

    /// The gaps of one task; creations are followed by another child of their section.
    fn spine(&self, dag: &Dag, task: NodeIdx) -> Option<Spine> {
        let (mut gaps, mut migrated) = (Vec::new(), Vec::new());
        for within in 0..dag.nodes.len() {
            let is_own = self.tasks[within] as usize == task && dag.nodes[within].is_used;
            if !is_own {
                continue;
            }
            let children = dag.children(within);
            for (child, next) in children.clone().zip(children.skip(1)) {
                let source = &dag.nodes[child];
                if source.kind != NodeKind::Create {
                    continue;
                }
                let target = &dag.nodes[first_leaf(dag, next)];
                let gap = target.start - source.end;
                gaps.push(gap);
                if source.worker != -1 && target.worker != -1 && source.worker != target.worker {
                    migrated.push(gap);
                }
            }
        }
        Some(Spine {
            task,
            gaps: GapSummary::of(gaps)?,
            migrated: GapSummary::of(migrated),
        })
    }
}

/// The first leaf below a node.
fn first_leaf(dag: &Dag, mut node: NodeIdx) -> NodeIdx {
    while let Some(first) = dag.children(node).next() {
        node = first;
    }
    node
}
