//! The aggregation tree of one run, opened group by group.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sheaf_grains::aggregation::{AggregationTree, Counts, GroupKind};
use sheaf_grains::grain_metric::Evaluation;
use sheaf_grains::grain_metric::Values;
use sheaf_grains::problem::{Diagnosis, Threshold};
use sheaf_model::{Cancelled, Progress, StructureForm, StructureId};

use super::OpenRun;
use super::ThresholdSet;
use super::columns::GrainColumn;
use super::problems::thresholds;
use crate::Error;
use crate::bounded_cache::BoundedCache;
use crate::once::{Once, Turn};

/// Bytes of the trees that a run keeps, with and without separation, by problem.
const MAX_BYTES: usize = 512 << 20;

/// Which tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeChoice {
    /// Problem that marks groups: a name such as `parallel_benefit`, or a condition such as
    /// `work_deviation > 1.2`.
    pub problem: Option<String>,
    /// Whether what has no problem is put aside; without a problem, what has none of the paper's.
    pub is_separated: bool,
    /// Runs that work deviation is from: a run, or an expression that selects some.
    pub reference: Option<String>,
}

/// One tree with its marks and values. Node numbers are those of this choice.
#[derive(Debug)]
pub(crate) struct GroupTree {
    pub(crate) tree: Arc<AggregationTree>,
    /// Conditions whose grains are marked.
    pub(crate) conditions: Vec<String>,
    /// Conditions that could not be checked, with the reason.
    pub(crate) not_checked: Vec<(String, String)>,
    /// By row of the grain; absent where nothing is looked for.
    pub(crate) is_problematic: Option<Vec<bool>>,
    /// By node; empty where nothing is looked for.
    has_problem: Vec<bool>,
    is_critical: Vec<bool>,
    /// Grains in front of each node, and behind them all.
    grains_before: Vec<u32>,
    pub(crate) counts: Counts,
    figures: Once<Figures>,
    structures: Once<Vec<StructureId>>,
    values: Mutex<BTreeMap<String, Arc<Values>>>,
    propagating: Turn,
}

/// How deep a tree is and how much of it is on screen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) depth: u32,
    pub(crate) max_open_nodes: u32,
    pub(crate) max_theta: Option<u32>,
    pub(crate) savings: Option<f64>,
}

/// Trees by choice.
#[derive(Debug)]
pub(super) struct Trees {
    kept: BoundedCache<TreeChoice, Arc<GroupTree>>,
    building: Turn,
}

impl Default for Trees {
    fn default() -> Self {
        Self {
            kept: BoundedCache::new(MAX_BYTES),
            building: Turn::default(),
        }
    }
}

impl Trees {
    /// Present bytes of the trees, which grow while they are asked.
    pub(super) fn bytes(&self) -> usize {
        self.kept.measure(|tree| tree.bytes())
    }
}

impl OpenRun {
    /// The tree of a choice, built when it is not kept.
    ///
    /// # Errors
    /// When the problem is none, or `progress` is stopped.
    pub(crate) fn group_tree(
        &self,
        choice: &TreeChoice,
        progress: &Progress,
    ) -> Result<Arc<GroupTree>, Error> {
        let Trees { kept, building } = &self.trees;
        let _turn = building.take(progress)?;
        if let Some(tree) = kept.get(choice) {
            return Ok(tree);
        }
        let tree = Arc::new(self.build_tree(choice, progress)?);
        kept.put(choice.clone(), Arc::clone(&tree), tree.bytes());
        Ok(tree)
    }

    fn build_tree(&self, choice: &TreeChoice, progress: &Progress) -> Result<GroupTree, Error> {
        let looked_for: Vec<Threshold> = match &choice.problem {
            Some(problem) => vec![Self::named_threshold(problem)?],
            None if choice.is_separated => thresholds(ThresholdSet::Paper),
            None => Vec::new(),
        };
        let grains = self.tables().grains.len();
        let diagnosis = if looked_for.is_empty() {
            Diagnosis::default()
        } else {
            self.diagnose(&looked_for, progress)?
        };
        let mut is_problematic = vec![false; grains];
        for problem in &diagnosis.problems {
            for &row in &problem.grains {
                if let Some(slot) = is_problematic.get_mut(row as usize) {
                    *slot = true;
                }
            }
        }
        if let ([], [not_checked], Some(_)) = (
            diagnosis.problems.as_slice(),
            diagnosis.not_checked.as_slice(),
            &choice.problem,
        ) {
            return Err(Error::NotMeasured {
                metric: not_checked.metric.clone(),
                reason: not_checked.reason.to_string(),
            });
        }
        let tree = self.tree(progress)?;
        let tree = if choice.is_separated {
            Arc::new(tree.separated(&is_problematic))
        } else {
            Arc::clone(tree)
        };
        let mut is_critical = vec![false; grains];
        for &row in self.critical_grains(progress)? {
            if let Some(slot) = is_critical.get_mut(row as usize) {
                *slot = true;
            }
        }
        Ok(GroupTree {
            has_problem: if looked_for.is_empty() {
                Vec::new()
            } else {
                tree.problems(&is_problematic)
            },
            is_critical: tree.problems(&is_critical),
            grains_before: grains_before(&tree),
            counts: tree.counts(),
            conditions: diagnosis
                .problems
                .into_iter()
                .map(|problem| problem.condition)
                .collect(),
            not_checked: diagnosis
                .not_checked
                .into_iter()
                .map(|it| (it.condition, it.reason.to_string()))
                .collect(),
            is_problematic: (!looked_for.is_empty()).then_some(is_problematic),
            figures: Once::default(),
            structures: Once::default(),
            values: Mutex::default(),
            propagating: Turn::default(),
            tree,
        })
    }

    fn tree(&self, progress: &Progress) -> Result<&Arc<AggregationTree>, Cancelled> {
        self.tree.get_or_make(progress, || {
            let structure = self.structure(progress)?;
            let tree = AggregationTree::stoppable(self.tables(), structure, progress)?;
            Ok(Arc::new(tree))
        })
    }

    /// Rows of the grains on the critical path of the reduced graph.
    pub(crate) fn critical_grains(&self, progress: &Progress) -> Result<&[u32], Cancelled> {
        let critical = self.critical.get_or_make(progress, || {
            let evaluation = Evaluation::of(self.tables(), self.structure(progress)?);
            Ok(evaluation.critical_grains().to_vec())
        });
        critical.map(Vec::as_slice)
    }
}

impl GroupTree {
    fn bytes(&self) -> usize {
        let values = self.known_values();
        let of_structures = if self.structures.get().is_some() {
            16
        } else {
            0
        };
        self.tree.len() * (16 + of_structures + 8 * values.len())
            + self.is_problematic.as_ref().map_or(0, Vec::len)
    }

    fn known_values(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Values>>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn figures(&self, progress: &Progress) -> Result<&Figures, Cancelled> {
        self.figures.get_or_make(progress, || {
            let marks = self.is_problematic.as_deref();
            let depth = self.tree.depth();
            progress.check()?;
            let max_open_nodes = self.tree.max_open_nodes();
            progress.check()?;
            Ok(Figures {
                depth,
                max_open_nodes,
                max_theta: marks.and_then(|marks| self.tree.max_theta(marks)),
                savings: marks.and_then(|marks| self.tree.savings(marks)),
            })
        })
    }

    /// The group around a node, and edges from the root. Looks at the children on the way down.
    pub(crate) fn place(&self, node: u32) -> (Option<u32>, u32) {
        let (mut parent, mut depth, mut at) = (None, 0, 0);
        while at != node {
            let around = |child: &u32| node < child.saturating_add(self.tree.size(*child));
            let Some(child) = self.tree.children(at).find(around) else {
                break;
            };
            (parent, depth, at) = (Some(at), depth + 1, child);
        }
        (parent, depth)
    }

    /// Ids of the structure below every node, whatever the order of children; computed when first asked for.
    pub(crate) fn structures(
        &self,
        depth: &OpenRun,
        progress: &Progress,
    ) -> Result<&[StructureId], Cancelled> {
        let structures = self.structures.get_or_make(progress, || {
            let structure = depth.structure(progress)?;
            let labelled = self.tree.labelled(depth.tables(), structure);
            progress.check()?;
            Ok(labelled.structure_ids(StructureForm::Unordered))
        });
        structures.map(Vec::as_slice)
    }

    /// Number of grains below a node, itself included.
    pub(crate) fn num_grains(&self, node: u32) -> u32 {
        let at = |node: u32| self.grains_before.get(node as usize).copied().unwrap_or(0);
        at(node.saturating_add(self.tree.size(node))) - at(node)
    }

    /// Whether a grain below a node has the problem; absent where none is looked for.
    pub(crate) fn has_problem(&self, node: u32) -> Option<bool> {
        let marks = self.is_problematic.as_ref().map(|_| &self.has_problem)?;
        marks.get(node as usize).copied()
    }

    /// Whether a grain below a node is on the critical path.
    pub(crate) fn is_critical(&self, node: u32) -> bool {
        self.is_critical.get(node as usize) == Some(&true)
    }

    /// Values of a metric for every node, from those of grains; computed when first asked for.
    pub(crate) fn values(
        &self,
        column: &GrainColumn,
        progress: &Progress,
    ) -> Result<Arc<Values>, Cancelled> {
        let _turn = self.propagating.take(progress)?;
        let name = &column.entry.name;
        if let Some(values) = self.known_values().get(name) {
            return Ok(Arc::clone(values));
        }
        let cells = Arc::new(self.propagate(column));
        self.known_values().insert(name.clone(), Arc::clone(&cells));
        Ok(cells)
    }

    fn propagate(&self, column: &GrainColumn) -> Values {
        let how = column.propagation;
        match &column.values {
            Values::Integers(array) => {
                if let Ok(values) = self.tree.propagate_integers(array, how) {
                    return Values::Integers(values);
                }
                // Sums that do not fit into 64 bits are floats.
                let floats = array.iter().map(|value| value.map(|value| value as f64));
                Values::Floats(self.tree.propagate_floats(&floats.collect(), how))
            }
            Values::Floats(array) => Values::Floats(self.tree.propagate_floats(array, how)),
        }
    }
}

fn grains_before(tree: &AggregationTree) -> Vec<u32> {
    let mut before = Vec::with_capacity(tree.len() + 1);
    let mut sum = 0;
    for node in tree.nodes() {
        before.push(sum);
        sum += u32::from(tree.kind(node) == Some(GroupKind::Grain));
    }
    before.push(sum);
    before
}
