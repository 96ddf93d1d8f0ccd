//! Parents, joins and fragments in unreduced graphs.
//!
//! A task is a chain of fragments: between two of them is a fork, from which a child goes off, or
//! a join, where children come in. Which branch of a fork is the task's own follows from the number
//! of the task that each fragment has.

use sheaf_model::Report;

use super::graph::{Graph, Kind, Neighbours};
use super::structure::Structure;
use crate::Error;
use crate::mir::{NONE, Table};
use rustc_hash::FxHashMap;

/// Tasks of an unreduced graph.
pub(super) struct Tasks {
    pub(super) structure: Structure,
    /// A row per task.
    pub(super) table: Table,
}

/// What is known of a task while its chain is followed.
#[derive(Clone, Copy)]
struct Task {
    /// Row of its first fragment.
    first: u32,
    parent: u32,
    /// Number of the parent's wait that collects it, once that is met.
    join: Option<i64>,
    place: i64,
    /// Execution so far; absent once a fragment's is.
    exec: Option<i64>,
    /// When it was created, and when its wait ended, in the parent's own execution time.
    created: Option<i64>,
    joined: Option<i64>,
    num_children: i64,
    num_joins: i64,
}

struct Walk<'a> {
    graph: &'a Graph,
    neighbours: &'a Neighbours<'a>,
    tasks: Vec<Task>,
    by_number: FxHashMap<i64, u32>,
    /// Task of each row of a fragment.
    of_row: Vec<u32>,
    /// Task that each fork and join belongs to, by node.
    owners: Vec<u32>,
    /// Children and joins of the program.
    num_roots: i64,
    num_joins: i64,
}

pub(super) fn tasks(graph: &Graph, report: &mut Report) -> Result<Tasks, Error> {
    let neighbours = Neighbours::of(graph);
    check_kinds(graph)?;
    let order = neighbours.complete_order(graph)?;
    let mut walk = Walk {
        graph,
        neighbours: &neighbours,
        tasks: Vec::new(),
        by_number: FxHashMap::default(),
        of_row: vec![NONE; graph.table.len()],
        owners: vec![NONE; graph.kinds.len()],
        num_roots: 0,
        num_joins: 0,
    };
    for node in order {
        match graph.kind(node) {
            Kind::Fork => walk.fork(node)?,
            Kind::Join => walk.join(node)?,
            Kind::Fragment => walk.fragment(node)?,
            _ => {}
        }
    }
    Ok(walk.finish(report))
}

fn check_kinds(graph: &Graph) -> Result<(), Error> {
    for (node, &kind) in (0..).zip(&graph.kinds) {
        let reason = match kind {
            Kind::Fragment | Kind::Fork | Kind::Join | Kind::Start | Kind::End => continue,
            Kind::Undeclared => "an edge names a node that is not there",
            Kind::Task | Kind::Group => "the graph has fragments, but this is a task or a group",
            Kind::Unknown => {
                "the node's `type` is none of start, end, task, fragment, fork and join"
            }
        };
        return Err(graph.broken(node, reason));
    }
    Ok(())
}

impl Walk<'_> {
    fn number(&self, fragment: u32) -> Option<i64> {
        self.graph.table.task.get(self.graph.row(fragment) as usize)
    }

    fn task_of(&self, fragment: u32) -> u32 {
        let row = self.graph.row(fragment) as usize;
        self.of_row.get(row).copied().unwrap_or(NONE)
    }

    fn owner(&self, node: u32) -> u32 {
        self.owners.get(node as usize).copied().unwrap_or(NONE)
    }

    fn set_owner(&mut self, node: u32, owner: u32) {
        if let Some(slot) = self.owners.get_mut(node as usize) {
            *slot = owner;
        }
    }

    /// A fork belongs to the task of the fragment before it, or to whom what is before it does.
    fn fork(&mut self, fork: u32) -> Result<(), Error> {
        let mut before = self.neighbours.predecessors(fork);
        let first = before.next();
        if before.next().is_some() {
            return Err(self.graph.broken(fork, "the fork has several predecessors"));
        }
        let owner = match first.map(|node| (node, self.graph.kind(node))) {
            Some((fragment, Kind::Fragment)) => self.task_of(fragment),
            Some((node, Kind::Fork | Kind::Join)) => self.owner(node),
            _ => NONE,
        };
        self.set_owner(fork, owner);
        Ok(())
    }

    /// A join belongs to the task of the fragment after it; the children that come in are
    /// collected by it.
    fn join(&mut self, join: u32) -> Result<(), Error> {
        let mut after = self.neighbours.successors(join);
        let next = after.next();
        if after.next().is_some() {
            return Err(self.graph.broken(join, "the join has several successors"));
        }
        let number = next.and_then(|next| match self.graph.kind(next) {
            Kind::Fragment => self.number(next),
            _ => None,
        });
        let owner = number.and_then(|number| self.by_number.get(&number).copied());
        let owner = owner.unwrap_or(NONE);
        let (at, instant) = if let Some(task) = self.tasks.get_mut(owner as usize) {
            task.num_joins += 1;
            (task.num_joins - 1, task.exec.map(after_first))
        } else {
            self.num_joins += 1;
            (self.num_joins - 1, None)
        };
        for branch in self.neighbours.predecessors(join) {
            if self.graph.kind(branch) != Kind::Fragment {
                continue;
            }
            let child = self.task_of(branch);
            if child == owner && owner != NONE {
                continue;
            }
            let parent = self.tasks.get(child as usize).map(|task| task.parent);
            if parent != Some(owner) {
                let branch = self.graph.ids.place(branch);
                let reason =
                    format!("the join collects {branch}, which is of another task's child");
                return Err(self.graph.broken(join, reason));
            }
            if let Some(task) = self.tasks.get_mut(child as usize) {
                (task.join, task.joined) = (Some(at), instant);
            }
        }
        self.set_owner(join, owner);
        Ok(())
    }

    fn fragment(&mut self, fragment: u32) -> Result<(), Error> {
        let Some(number) = self.number(fragment) else {
            let reason =
                "the fragment lacks the number of its task; it needs `task` or a name like `3.1`";
            return Err(self.graph.broken(fragment, reason));
        };
        let mut before = self.neighbours.predecessors(fragment);
        let first = before.next();
        if before.next().is_some() || self.neighbours.successors(fragment).len() > 1 {
            let reason = "the fragment has several predecessors or successors";
            return Err(self.graph.broken(fragment, reason));
        }
        let owner = first.map_or(NONE, |node| self.owner(node));
        let row = self.graph.row(fragment);
        let own = self.by_number.get(&number).copied();
        let task = match own {
            Some(task) if task == owner => task,
            None if first.is_none_or(|node| self.graph.kind(node) != Kind::Join) => {
                self.begin(number, row, owner)
            }
            _ => {
                let reason = format!("the fragment does not go on from task {number}");
                return Err(self.graph.broken(fragment, reason));
            }
        };
        if let Some(slot) = self.of_row.get_mut(row as usize) {
            *slot = task;
        }
        let exec = self.graph.table.exec_cycles.get(row as usize);
        if let Some(task) = self.tasks.get_mut(task as usize) {
            task.exec = task.exec.and_then(|sum| sum.checked_add(exec?));
        }
        Ok(())
    }

    fn begin(&mut self, number: i64, first: u32, parent: u32) -> u32 {
        let (place, created) = if let Some(task) = self.tasks.get_mut(parent as usize) {
            task.num_children += 1;
            (task.num_children - 1, task.exec.map(after_first))
        } else {
            self.num_roots += 1;
            (self.num_roots - 1, None)
        };
        let task = u32::try_from(self.tasks.len()).unwrap_or(NONE);
        self.by_number.insert(number, task);
        self.tasks.push(Task {
            first,
            parent,
            join: None,
            place,
            exec: Some(0),
            created,
            joined: None,
            num_children: 0,
            num_joins: 0,
        });
        task
    }

    fn finish(self, report: &mut Report) -> Tasks {
        let firsts: Vec<u32> = self.tasks.iter().map(|task| task.first).collect();
        let mut table = self.graph.table.gather(&firsts);
        merge_measured(&mut table, &self.graph.table, &self.of_row, report);
        table.exec_cycles = self.tasks.iter().map(|task| task.exec).collect();
        let created = self.tasks.iter().enumerate();
        let created = created.map(|(row, task)| table.create_instant.get(row).or(task.created));
        table.create_instant = created.collect();
        table.join_instant = self.tasks.iter().map(|task| task.joined).collect();
        let structure = Structure {
            parents: self.tasks.iter().map(|task| task.parent).collect(),
            joins: self.tasks.iter().map(|task| task.join).collect(),
            order: self.tasks.iter().map(|task| task.place).collect(),
            empty_branches: 0,
        };
        Tasks { structure, table }
    }
}

/// The instant after some execution: instants are counted from 1.
fn after_first(exec: i64) -> i64 {
    exec.saturating_add(1)
}

/// Values of fragments that differ within a task: a flag is of the task when it is of any
/// fragment; of others the first fragment's stand, which are the earliest of distances.
fn merge_measured(table: &mut Table, fragments: &Table, of_row: &[u32], report: &mut Report) {
    const FLAGS: [&str; 2] = ["on_crit_path", "problematic"];
    const EARLIEST: [&str; 2] = ["root_dist", "depth"];
    for ((name, merged), (_, values)) in table.measured.iter_mut().zip(&fragments.measured) {
        let is_flag = FLAGS.contains(&name.as_str());
        let is_expected = is_flag || EARLIEST.contains(&name.as_str());
        let mut differing = 0;
        for (row, &task) in of_row.iter().enumerate() {
            let task = task as usize;
            let is_taken = match (merged.get(task), values.get(row)) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(known), Some(value)) => {
                    differing += u64::from(known.total_cmp(&value).is_ne() && !is_expected);
                    is_flag && value > known
                }
            };
            if is_taken {
                merged.copy(task, values, row);
            }
        }
        report.add("skipped_fragment_values", differing, || Some(name.clone()));
    }
}
