//! Questions to the aggregation tree: its figures, its text, its groups.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufWriter, Write};
use std::sync::Arc;

use sheaf_answers::{GrainMetric, Group, GroupKind, GroupMetrics, Groups, Tree, path_key_text};
use sheaf_grains::aggregation;
use sheaf_grains::grain_metric::Values;
use sheaf_model::{Progress, names};

use super::OpenRun;
use super::group_tree::{GroupTree, TreeChoice};
use super::names::text_at;
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
    /// Metrics to return; every one that the run has when absent.
    pub metrics: Option<Vec<String>>,
    /// Whether the answer has ids of structures: the first time, this walks the whole tree.
    pub is_with_structures: bool,
}

/// Metrics that were asked for, with the values of every group.
struct Valued {
    metrics: Vec<GrainMetric>,
    absent: BTreeMap<String, String>,
    cells: Vec<Arc<Values>>,
    /// Names as JSON has them: in their order, each once.
    names: Arc<[String]>,
    /// The cells of each name.
    places: Vec<usize>,
}

impl Valued {
    /// Values of a group by the names of their metrics.
    fn at(&self, node: u32) -> GroupMetrics {
        let cells = self.places.iter().map(|&place| &self.cells[place]);
        GroupMetrics::new(&self.names, cells.map(|cells| cells.exact(node as usize)))
    }
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
    ) -> Result<Tree, Error> {
        let (meta, opened) = self.run_against(run, choice.reference.as_deref())?;
        let tree = opened.group_tree(choice, &self.progress)?;
        let valued = opened.valued(&tree, metrics, &self.progress)?;
        let nodes = &tree.tree;
        let marks = tree.is_problematic.as_deref();
        let counts = tree.counts;
        let figures = tree.figures(&self.progress)?;
        let (groups, is_cut) = opened.groups_of(&tree, &valued, extent);
        let is_marked = |&&marked: &&bool| marked;
        let marked = |marks: &[bool]| marks.iter().filter(is_marked).count();
        let root = groups.first().map(|root| {
            let all = root.metrics.iter();
            all.map(|(name, value)| (name.to_owned(), value)).collect()
        });
        Ok(Tree {
            schema: "tree/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            conditions: tree.conditions.clone(),
            not_checked: tree.not_checked.iter().cloned().collect(),
            is_separated: choice.is_separated,
            grains: counts.grains.into(),
            problem_grains: marks.map(|marks| marked(marks) as u64),
            fork_joins: counts.fork_joins.into(),
            linears: counts.linears.into(),
            siblings: counts.siblings.into(),
            unstructured: counts.unstructured.into(),
            nodes: nodes.len() as u64,
            depth: figures.depth.into(),
            max_open_nodes: figures.max_open_nodes.into(),
            max_theta: figures.max_theta.map(u64::from),
            savings: figures.savings,
            root: root.unwrap_or_default(),
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
    pub fn groups(&self, run: &str, question: &GroupsQuestion) -> Result<Groups, Error> {
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
        let row = |node, parent, depth| opened.group_row(&tree, &valued, node, parent, depth);
        let rows = page.map(|child| row(child, Some(question.group), depth + 1));
        let mut group = row(question.group, parent, depth);
        let mut rows: Vec<Group> = rows.collect();
        if question.is_with_structures {
            let structures = tree.structures(&opened, &self.progress)?;
            for row in rows.iter_mut().chain([&mut group]) {
                row.structure = structures.get(row.group as usize).map(ToString::to_string);
            }
        }
        Ok(Groups {
            schema: "groups/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            group,
            total: children.count() as u64,
            offset: question.offset as u64,
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

impl OpenRun {
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
            names: [].into(),
            places: Vec::new(),
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
        let metrics = &valued.metrics;
        let mut places: Vec<usize> = (0..metrics.len()).collect();
        places.sort_by_key(|&place| &metrics[place].name);
        places.dedup_by_key(|place| &metrics[*place].name);
        valued.names = places.iter().map(|&it| metrics[it].name.clone()).collect();
        valued.places = places;
        Ok(valued)
    }

    /// A group with its place, its work and its structure.
    pub(super) fn group_alone(
        &self,
        tree: &GroupTree,
        node: u32,
        progress: &Progress,
    ) -> Result<Group, Error> {
        let valued = self.valued(tree, Some(&[names::WORK.to_owned()]), progress)?;
        let (parent, depth) = tree.place(node);
        let mut group = self.group_row(tree, &valued, node, parent, depth);
        let structures = tree.structures(self, progress)?;
        group.structure = structures.get(node as usize).map(ToString::to_string);
        Ok(group)
    }

    /// Work of every group; nothing if the source has none.
    pub(super) fn work_of_groups(
        &self,
        tree: &GroupTree,
        progress: &Progress,
    ) -> Result<Option<Arc<Values>>, Error> {
        let valued = self.valued(tree, Some(&[names::WORK.to_owned()]), progress)?;
        Ok(valued.cells.into_iter().next())
    }

    /// The root and what is below it, breadth first, and whether some of it was left out.
    fn groups_of(
        &self,
        tree: &GroupTree,
        valued: &Valued,
        extent: TreeExtent,
    ) -> (Vec<Group>, bool) {
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
            let row = self.group_row(tree, valued, node, parent, depth);
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
        valued: &Valued,
        node: u32,
        parent: Option<u32>,
        depth: u32,
    ) -> Group {
        let nodes = &tree.tree;
        let grain = nodes.grain(node);
        let keys = self.tables().grains.path_key.values();
        let children = nodes.children(node).count();
        Group {
            group: node,
            parent,
            depth,
            kind: group_kind(nodes.kind(node)),
            definition: self.group_definition(tree, node),
            grain,
            path_key: grain
                .and_then(|grain| keys.get(grain as usize))
                .map(path_key_text),
            grains: tree.num_grains(node),
            children: u32::try_from(children).unwrap_or(u32::MAX),
            nodes: nodes.size(node),
            has_problem: tree.has_problem(node),
            is_critical: tree.is_critical(node),
            is_restructured: nodes.is_restructured(node),
            structure: None,
            metrics: valued.at(node),
        }
    }

    fn group_definition(&self, tree: &GroupTree, node: u32) -> Option<String> {
        if let Some(grain) = tree.tree.grain(node) {
            return Some(self.definition_name(grain as usize).to_owned());
        }
        let set = tree.tree.set(node)? as usize;
        let definition = (*self.set_definitions()?.get(set)?)?;
        let name = text_at(&self.tables().summary.definitions.name, definition as usize)?;
        Some(name.to_owned())
    }

    /// Row of the definition that all members of a sibling set have, by the number of the set; nothing where they differ.
    /// Kept, because a set may have millions of members.
    fn set_definitions(&self) -> Option<&[Option<u32>]> {
        let structure = self.structure.get()?;
        let shared = |set| {
            let mut members = structure.members(set).iter();
            let first = self.definition(*members.next()? as usize)?;
            let is_same = members.all(|&grain| self.definition(grain as usize) == Some(first));
            u32::try_from(first).ok().filter(|_| is_same)
        };
        let all = || structure.sets().iter().map(shared).collect();
        Some(self.set_definitions.get_or_init(all))
    }
}

const fn group_kind(kind: Option<aggregation::GroupKind>) -> GroupKind {
    match kind {
        Some(aggregation::GroupKind::ForkJoin) => GroupKind::ForkJoin,
        Some(aggregation::GroupKind::Linear) => GroupKind::Linear,
        Some(aggregation::GroupKind::Sibling) => GroupKind::Sibling,
        Some(aggregation::GroupKind::Unstructured) => GroupKind::Unstructured,
        Some(aggregation::GroupKind::Grain) | None => GroupKind::Grain,
    }
}
