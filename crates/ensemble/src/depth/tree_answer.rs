//! Questions to the aggregation tree: its figures, its text, its groups.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufWriter, Write};
use std::sync::Arc;

use sheaf_grains::aggregation::GroupKind;
use sheaf_model::{Progress, StructureId};

use super::RunDepth;
use super::columns::{Cells, GrainMetricEntry, GrainValue};
use super::group_tree::{GroupTree, TreeChoice};
use super::names::text;
use crate::{Error, View};

/// Groups of a first picture at most.
const FIRST_GROUPS: usize = 500;
/// Children of one group that a first picture shows at most.
const FIRST_CHILDREN: usize = 50;

/// How much of a tree an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeExtent {
    /// What a first picture shows, in so many levels at most: groups with few children are open.
    FirstPicture(u32),
    /// So many levels in full, up to a number of groups.
    Levels(u32, usize),
}

impl Default for TreeExtent {
    fn default() -> Self {
        Self::FirstPicture(u32::MAX)
    }
}

/// Answer to "what is the aggregation tree of this run?".
#[derive(Debug, Clone)]
pub struct TreeAnswer {
    /// Id of the run.
    pub run: sheaf_model::RunId,
    /// Time unit of the run.
    pub unit: String,
    /// Conditions that are looked for.
    pub conditions: Vec<String>,
    /// Conditions that could not be checked, with the reason.
    pub not_checked: Vec<(String, String)>,
    /// Whether what has no problem is put aside.
    pub is_separated: bool,
    /// Grains, implicit tasks included.
    pub grains: u32,
    /// Grains that have a problem; absent where none is looked for.
    pub problem_grains: Option<u32>,
    /// Fork-join groups.
    pub fork_joins: u32,
    /// Linear groups.
    pub linears: u32,
    /// Sibling groups.
    pub siblings: u32,
    /// Groups that are not series-parallel.
    pub unstructured: u32,
    /// Groups and grains.
    pub nodes: usize,
    /// Edges from the root to the deepest of them.
    pub depth: u32,
    /// Nodes of the graph that are visible at most while one looks at a grain.
    pub max_open_nodes: u32,
    /// The same of grains that have a problem.
    pub max_theta: Option<u32>,
    /// Share of the graph's nodes that never need to be looked at to see any grain with a problem.
    pub savings: Option<f64>,
    /// Metrics of the groups.
    pub metrics: Vec<GrainMetricEntry>,
    /// Metrics that the run has no values of, with the reason.
    pub absent: BTreeMap<String, String>,
    /// The root and what is below it, breadth first, as far as a first picture goes.
    pub groups: Vec<GroupRow>,
    /// Whether groups within those levels were left out.
    pub is_cut: bool,
}

/// Answer to "what is in this group?".
#[derive(Debug, Clone)]
pub struct GroupsAnswer {
    /// Id of the run.
    pub run: sheaf_model::RunId,
    /// Time unit of the run.
    pub unit: String,
    /// The group.
    pub group: GroupRow,
    /// Children of it.
    pub total: usize,
    /// Children left out before the first.
    pub offset: usize,
    /// Metrics of the rows.
    pub metrics: Vec<GrainMetricEntry>,
    /// Metrics that the run has no values of, with the reason.
    pub absent: BTreeMap<String, String>,
    /// The children, in program order.
    pub rows: Vec<GroupRow>,
}

/// A group or a grain of the tree.
#[derive(Debug, Clone)]
pub struct GroupRow {
    /// Number of the node, in pre-order, valid for this run and choice of tree.
    pub group: u32,
    /// The group around it.
    pub parent: Option<u32>,
    /// Edges from the root.
    pub depth: u32,
    /// `grain`, `fork_join`, `linear`, `sibling` or `unstructured`.
    pub kind: &'static str,
    /// Definition of the grain, or of all grains that a fork creates when it is the same.
    pub definition: Option<String>,
    /// Row of the grain that it is, or is with all that it forks.
    pub grain: Option<u32>,
    /// Key of that grain's path.
    pub path_key: Option<i64>,
    /// Grains in it.
    pub grains: u32,
    /// Children.
    pub children: u32,
    /// Nodes of the sub-tree.
    pub nodes: u32,
    /// Whether a grain in it has the problem; absent where none is looked for.
    pub has_problem: Option<bool>,
    /// Whether a grain in it is on the critical path.
    pub is_critical: bool,
    /// Whether it is joined by another grain than its parent.
    pub is_restructured: bool,
    /// Id of the structure below it, equal in every run; absent where it was not asked for.
    pub structure: Option<StructureId>,
    /// Values of the answer's metrics, in their order.
    pub values: Vec<Option<GrainValue>>,
}

/// Which group, and which of its children.
#[derive(Debug, Clone, Default)]
pub struct GroupsQuestion {
    /// Which tree.
    pub choice: TreeChoice,
    /// The group.
    pub group: u32,
    /// Children left out.
    pub offset: usize,
    /// Children at most.
    pub limit: usize,
    /// Metrics to tell; every one that the run has when absent.
    pub metrics: Option<Vec<String>>,
    /// Whether ids of structures are told, which looks at the whole tree the first time.
    pub is_with_structures: bool,
}

/// Metrics that were asked for, with the values of every group.
struct Valued {
    metrics: Vec<GrainMetricEntry>,
    absent: BTreeMap<String, String>,
    cells: Vec<Arc<Cells>>,
}

impl View<'_> {
    /// The figures of a tree, and its root with as much below it as is wanted.
    ///
    /// # Errors
    /// When the selector names no run or several, the run has no grains, or a problem or metric is none.
    pub fn tree(
        &self,
        run: &str,
        choice: &TreeChoice,
        metrics: Option<&[String]>,
        extent: TreeExtent,
    ) -> Result<TreeAnswer, Error> {
        let (meta, opened) = self.run_against(run, choice.reference.as_deref())?;
        let tree = opened.group_tree(choice, &self.progress)?;
        let valued = opened.valued(&tree, metrics, &self.progress)?;
        let nodes = &tree.tree;
        let marks = tree.is_problematic.as_deref();
        let counts = tree.counts;
        let figures = tree.figures(&self.progress)?;
        let (groups, is_cut) = opened.groups_of(&tree, &valued.cells, extent);
        let is_marked = |&&marked: &&bool| marked;
        let marked = |marks: &[bool]| marks.iter().filter(is_marked).count();
        Ok(TreeAnswer {
            run: meta.id,
            unit: meta.time_unit.to_string(),
            conditions: tree.conditions.clone(),
            not_checked: tree.not_checked.clone(),
            is_separated: choice.is_separated,
            grains: counts.grains,
            problem_grains: marks.and_then(|marks| u32::try_from(marked(marks)).ok()),
            fork_joins: counts.fork_joins,
            linears: counts.linears,
            siblings: counts.siblings,
            unstructured: counts.unstructured,
            nodes: nodes.len(),
            depth: figures.depth,
            max_open_nodes: figures.max_open_nodes,
            max_theta: figures.max_theta,
            savings: figures.savings,
            groups,
            is_cut,
            metrics: valued.metrics,
            absent: valued.absent,
        })
    }

    /// The children of one group.
    ///
    /// # Errors
    /// As for [`View::tree`], and when there is no such group.
    pub fn groups(&self, run: &str, question: &GroupsQuestion) -> Result<GroupsAnswer, Error> {
        let (meta, opened) = self.run_against(run, question.choice.reference.as_deref())?;
        let tree = opened.group_tree(&question.choice, &self.progress)?;
        if tree.tree.kind(question.group).is_none() {
            return Err(Error::UnknownGroup {
                group: question.group,
                count: tree.tree.len(),
            });
        }
        let valued = opened.valued(&tree, question.metrics.as_deref(), &self.progress)?;
        let (parent, depth) = tree.place(question.group);
        let children = tree.tree.children(question.group);
        let page = children.clone().skip(question.offset).take(question.limit);
        let row = |node, parent, depth| opened.group_row(&tree, &valued.cells, node, parent, depth);
        let rows = page.map(|child| row(child, Some(question.group), depth + 1));
        let mut group = row(question.group, parent, depth);
        let mut rows: Vec<GroupRow> = rows.collect();
        if question.is_with_structures {
            let structures = tree.structures(&opened, &self.progress)?;
            for row in rows.iter_mut().chain([&mut group]) {
                row.structure = structures.get(row.group as usize).copied();
            }
        }
        Ok(GroupsAnswer {
            run: meta.id,
            unit: meta.time_unit.to_string(),
            group,
            total: children.count(),
            offset: question.offset,
            rows,
            metrics: valued.metrics,
            absent: valued.absent,
        })
    }

    /// Writes a whole tree as text: `FJ[...]`, `L[...]`, `S[...]`, `U[...]` and names of grains; groups
    /// deeper than `depth` closed.
    ///
    /// # Errors
    /// As for [`View::tree`], and what the writer says.
    pub fn tree_text(
        &self,
        run: &str,
        choice: &TreeChoice,
        depth: Option<u32>,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let (_, opened) = self.run_against(run, choice.reference.as_deref())?;
        let tree = opened.group_tree(choice, &self.progress)?;
        let text = tree.tree.text().to_depth(depth.unwrap_or(u32::MAX));
        let mut out = BufWriter::new(out);
        let name = |out: &mut BufWriter<&mut dyn Write>, grain: u32| {
            out.write_all(opened.short_name(grain as usize).as_bytes())
        };
        text.write(&mut out, name)
            .and_then(|()| out.flush())
            .map_err(|source| Error::Export { source })
    }
}

impl RunDepth {
    fn valued(
        &self,
        tree: &GroupTree,
        metrics: Option<&[String]>,
        progress: &Progress,
    ) -> Result<Valued, Error> {
        let names = metrics.map_or_else(|| self.metric_names(), <[String]>::to_vec);
        let mut valued = Valued {
            metrics: Vec::new(),
            absent: BTreeMap::new(),
            cells: Vec::new(),
        };
        for (name, column) in self.columns(&names, progress)? {
            match column {
                Ok(column) => {
                    valued.cells.push(tree.values(&column, progress)?);
                    valued.metrics.push(column.entry.clone());
                }
                Err(reason) => drop(valued.absent.insert(name, reason)),
            }
        }
        Ok(valued)
    }

    /// The root and what is below it, breadth first, and whether some of it was left out.
    fn groups_of(
        &self,
        tree: &GroupTree,
        cells: &[Arc<Cells>],
        extent: TreeExtent,
    ) -> (Vec<GroupRow>, bool) {
        let (levels, most_children, most_groups) = match extent {
            TreeExtent::FirstPicture(levels) => (levels, FIRST_CHILDREN, FIRST_GROUPS),
            TreeExtent::Levels(levels, groups) => (levels, groups, groups),
        };
        let mut is_cut = false;
        let mut rows = Vec::new();
        let mut waiting = VecDeque::new();
        if !tree.tree.is_empty() {
            waiting.push_back((0_u32, None, 0_u32));
        }
        while let Some((node, parent, depth)) = waiting.pop_front() {
            let row = self.group_row(tree, cells, node, parent, depth);
            let children = row.children as usize;
            rows.push(row);
            let is_open = depth < levels
                && children <= most_children
                && rows.len() + waiting.len() + children <= most_groups;
            is_cut |= !is_open && depth < levels && children > 0;
            if is_open {
                let children = tree.tree.children(node);
                waiting.extend(children.map(|child| (child, Some(node), depth + 1)));
            }
        }
        (rows, is_cut)
    }

    fn group_row(
        &self,
        tree: &GroupTree,
        cells: &[Arc<Cells>],
        node: u32,
        parent: Option<u32>,
        depth: u32,
    ) -> GroupRow {
        let nodes = &tree.tree;
        let grain = nodes.grain(node);
        let keys = self.tables().grains.path_key.values();
        let children = nodes.children(node).count();
        GroupRow {
            group: node,
            parent,
            depth,
            kind: kind_name(nodes.kind(node)),
            definition: self.group_definition(tree, node),
            grain,
            path_key: grain.and_then(|grain| keys.get(grain as usize).copied()),
            grains: tree.num_grains(node),
            children: u32::try_from(children).unwrap_or(u32::MAX),
            nodes: nodes.size(node),
            has_problem: tree.has_problem(node),
            is_critical: tree.is_critical(node),
            is_restructured: nodes.is_restructured(node),
            structure: None,
            values: GroupTree::at(cells, node),
        }
    }

    fn group_definition(&self, tree: &GroupTree, node: u32) -> Option<String> {
        if let Some(grain) = tree.tree.grain(node) {
            return Some(self.definition_name(grain as usize).to_owned());
        }
        let set = tree.tree.set(node)? as usize;
        let structure = self.structure.get()?;
        let members = structure.members(structure.sets().get(set)?);
        let first = self.definition(*members.first()? as usize)?;
        let mut members = members.iter();
        let is_same = members.all(|&grain| self.definition(grain as usize) == Some(first));
        let name = text(&self.tables().summary.definitions.name, first)?;
        is_same.then(|| name.to_owned())
    }
}

const fn kind_name(kind: Option<GroupKind>) -> &'static str {
    match kind {
        Some(GroupKind::ForkJoin) => "fork_join",
        Some(GroupKind::Linear) => "linear",
        Some(GroupKind::Sibling) => "sibling",
        Some(GroupKind::Unstructured) => "unstructured",
        Some(GroupKind::Grain) | None => "grain",
    }
}
