//! From a recording to the tables of a run: tasks are grains, their leaves fragments.

use sheaf_model::table::{FragmentEnd, GrainKind, WaitKind, flags};
use sheaf_model::{Direction, MetricKind, ParamValue, Report, RunMeta, TimeUnit, Unit};

use super::dag::{Dag, NONE, Node, NodeIdx, NodeKind};
use super::names::Names;
use crate::measure::{MetricSpec, Value};
use crate::profile::{Frame, LocationIdx, MetricIdx};
use crate::program::{ConstructIdx, Grain, GrainIdx, Program};
use crate::program_name::named;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input};
use rustc_hash::FxHashMap;

pub(crate) const READER: Reader = Reader {
    format: Format::DagRecorder,
    recognises: super::read::recognises,
    reads: Reads::File(read_recording),
};

fn read_recording(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let (dag, mut report) = Dag::read(input, context.progress)?;
    context.progress.check()?;
    let program = program(&dag, input, &mut report);
    // The nodes are as large as the tables that they become.
    drop(dag);
    context.progress.check()?;
    let tables = program
        .finish(input.hints.clock_hz)
        .map_err(|error| error.refusal(Format::DagRecorder, |grain| format!("task {}", grain.0)))?;
    report.add("read_grains", tables.grains.len() as u64, || None);
    report.add("read_fragments", tables.fragments.len() as u64, || None);
    Ok(vec![(tables, report)])
}

/// The program that a recording is of.
fn program(dag: &Dag, input: &Input<'_>, report: &mut Report) -> Program {
    report.add("read_nodes", dag.nodes.len() as u64, || None);
    let names = Names::of(dag);
    let program = Program::new(meta(dag, &names, input));
    let mut builder = Builder::new(dag, names, program);
    let mut next = 0;
    while let Some(&task) = builder.tasks.get(next) {
        builder.add_task(next, task as usize);
        next += 1;
    }
    let (workers, first) = builder.wrong_workers;
    report.add("repaired_workers", workers, || {
        first.map(|node| format!("node {node}"))
    });
    builder.program
}

fn meta(dag: &Dag, names: &Names, input: &Input<'_>) -> RunMeta {
    let program = names.program(dag);
    let mut meta = named(program.as_deref(), input.file_name(), Format::DagRecorder);
    meta.time_unit = TimeUnit::Ticks;
    meta.workers = Some(dag.workers).filter(|&workers| workers > 0);
    let mut param = |name: &str, value: String| {
        meta.params
            .insert(name.to_owned(), ParamValue::infer(&value));
    };
    param("threads", dag.workers.to_string());
    param("num_workers", dag.num_workers.to_string());
    param("start_clock", dag.start_clock.to_string());
    let lacks = [
        (
            "creation",
            "the cost of a creation is not stamped: it is between two leaves",
        ),
        (
            "waiting",
            "what a worker does while its task waits is known from other tasks only",
        ),
    ];
    for (what, why) in lacks {
        meta.lacks.insert(what.to_owned(), why.to_owned());
    }
    if !dag.collapsed.is_empty() {
        let why = format!(
            "{} subgraphs are folded to their totals, so metrics cover only what was kept; the recorder states a span of {} ticks",
            dag.collapsed.len(),
            dag.root.span,
        );
        meta.lacks.insert("folded".to_owned(), why);
    }
    for file in names.unsure() {
        meta.warnings.push(format!(
            "tasks of `{file}` are known by their line: the recording is folded before the first of them"
        ));
    }
    meta
}

/// What the creator of a task knows of it.
#[derive(Debug, Clone, Copy)]
struct Created {
    parent: u32,
    index: u32,
    /// Number of the wait that collects it.
    joined_by: u32,
    position: u32,
    time: i64,
}

impl Created {
    const BY_NONE: Self = Self {
        parent: NONE,
        index: 0,
        joined_by: NONE,
        position: NONE,
        time: 0,
    };
}

struct Builder<'a> {
    dag: &'a Dag,
    names: Names,
    program: Program,
    /// Nodes of tasks; creators stand before the created.
    tasks: Vec<u32>,
    /// Grain of each task's node.
    numbers: Vec<u32>,
    created: Vec<Created>,
    /// By number of their position.
    definitions: Vec<Option<ConstructIdx>>,
    unknown: Option<ConstructIdx>,
    locations: FxHashMap<i32, LocationIdx>,
    recent: Option<(i32, LocationIdx)>,
    metrics: Option<[MetricIdx; 2]>,
    wrong_workers: (u64, Option<NodeIdx>),
}

/// A task while its leaves are added.
struct Open {
    grain: GrainIdx,
    children: u32,
    waits: u32,
    /// End and position of the wait whose length is not known yet.
    wait: Option<(i64, u32)>,
    work: i64,
    start: Option<i64>,
    end: Option<i64>,
    location: Option<LocationIdx>,
    flags: i32,
}

impl<'a> Builder<'a> {
    fn new(dag: &'a Dag, names: Names, mut program: Program) -> Self {
        let mut numbers = vec![NONE; dag.nodes.len()];
        let mut tasks = Vec::new();
        for ((at, node), number) in (0..).zip(&dag.nodes).zip(&mut numbers) {
            if node.kind == NodeKind::Task && node.is_used {
                *number = u32::try_from(tasks.len()).unwrap_or(NONE);
                tasks.push(at);
            }
        }
        program.reserve(tasks.len(), dag.leaves().count());
        Self {
            dag,
            names,
            program,
            created: vec![Created::BY_NONE; tasks.len()],
            tasks,
            numbers,
            definitions: vec![None; dag.positions.len()],
            unknown: None,
            locations: FxHashMap::default(),
            recent: None,
            metrics: None,
            wrong_workers: (0, None),
        }
    }

    fn add_task(&mut self, number: usize, task: NodeIdx) {
        let mut open = Open {
            grain: GrainIdx(u32::try_from(number).unwrap_or(NONE)),
            children: 0,
            waits: 0,
            wait: None,
            work: 0,
            start: None,
            end: None,
            location: None,
            flags: 0,
        };
        if self.dag.nodes.get(task).is_some_and(Node::is_collapsed) {
            self.add_leaf(&mut open, task);
        } else {
            self.add_leaves(&mut open, task);
        }
        self.close_wait(&mut open, None);
        self.add_grain(&open, number, task);
    }

    /// Adds the leaves of a task in the order of the program, with an own stack for sections.
    fn add_leaves(&mut self, open: &mut Open, task: NodeIdx) {
        // Grains that wait for the wait of their section, innermost section last.
        let mut pending: Vec<u32> = Vec::new();
        let mut stack = vec![(self.dag.children(task), 0)];
        while let Some((children, first_pending)) = stack.last_mut() {
            let first_pending = *first_pending;
            let Some(child) = children.next() else {
                stack.pop();
                continue;
            };
            let below = self.dag.children(child);
            if !below.is_empty() {
                stack.push((below, pending.len()));
                continue;
            }
            self.add_leaf(open, child);
            let kind = self.dag.nodes.get(child).map(|node| node.kind);
            match kind {
                Some(NodeKind::Create) => pending.extend(self.add_creation(open, child)),
                Some(NodeKind::Wait) => {
                    for grain in pending.drain(first_pending..) {
                        if let Some(created) = self.created.get_mut(grain as usize) {
                            created.joined_by = open.waits;
                        }
                    }
                    open.waits += 1;
                }
                Some(NodeKind::Section) => {
                    let totals = self.dag.totals(child);
                    let creations = totals.and_then(|totals| u32::try_from(totals.creations).ok());
                    // Its tasks are not here, but those after it keep their places.
                    open.children = open.children.saturating_add(creations.unwrap_or(0));
                    open.waits += 1;
                }
                _ => {}
            }
        }
    }

    /// Notes what a creation states about the task; its grain.
    fn add_creation(&mut self, open: &mut Open, leaf: NodeIdx) -> Option<u32> {
        let task = self.dag.created(leaf)?;
        let grain = self.numbers.get(task).copied()?;
        let (creation, task) = (self.dag.nodes.get(leaf)?, self.dag.nodes.get(task)?);
        let is_known = self.dag.source(creation.position).is_some();
        let created = Created {
            parent: open.grain.0,
            index: open.children,
            joined_by: NONE,
            position: if is_known {
                creation.position
            } else {
                task.position
            },
            time: creation.end,
        };
        open.children = open.children.saturating_add(1);
        *self.created.get_mut(grain as usize)? = created;
        Some(grain)
    }

    fn add_leaf(&mut self, open: &mut Open, leaf: NodeIdx) {
        let Some(node) = self.dag.nodes.get(leaf) else {
            return;
        };
        self.close_wait(open, Some(node.start));
        let location = self.location(leaf, node);
        let work = self.dag.work(leaf);
        let ended_by = match node.kind {
            NodeKind::Create => FragmentEnd::Creation,
            NodeKind::Wait | NodeKind::Section => FragmentEnd::Wait,
            NodeKind::Other => FragmentEnd::Switch,
            NodeKind::End | NodeKind::Task => FragmentEnd::GrainEnd,
        };
        // Of a folded subgraph only the sum is known; its begin stands for where it was.
        let length = work.min(node.len());
        self.program
            .fragment(open.grain, location, node.start, length, ended_by);
        open.work = open.work.saturating_add(work);
        open.start = open.start.or(Some(node.start));
        open.end = Some(node.end);
        open.location = Some(location);
        if matches!(node.kind, NodeKind::Wait | NodeKind::Section) {
            open.wait = Some((node.end, node.position));
        }
        if node.is_collapsed() {
            open.flags |= flags::COLLAPSED;
            self.measure_collapsed(open.grain, leaf);
        }
    }

    /// Adds the wait that the last leaf ended with, now that the next begins.
    fn close_wait(&mut self, open: &mut Open, next: Option<i64>) {
        let Some((start, position)) = open.wait.take() else {
            return;
        };
        let duration = next.map_or(0, |next| (next - start).max(0));
        let line = self.dag.source(position).and_then(|(_, line)| line);
        self.program
            .wait(open.grain, WaitKind::Taskwait, start, duration, line);
    }

    fn add_grain(&mut self, open: &Open, number: usize, task: NodeIdx) {
        let created = self.created.get(number).copied();
        let created = created.filter(|created| created.parent != NONE);
        let definition = match created {
            Some(created) => self.definition(created.position),
            None => self.program.itself(),
        };
        let is_root = task == 0;
        let grain = self.program.grain(Grain {
            definition,
            kind: if is_root {
                GrainKind::Initial
            } else {
                GrainKind::Task
            },
            flags: open.flags,
            sequence: None,
            index: created.map_or(0, |created| i64::from(created.index)),
            joined_by: created
                .map(|created| created.joined_by)
                .filter(|&wait| wait != NONE)
                .map(i64::from),
            first_iteration: None,
            iterations: None,
            location: open.location,
            created: created.map(|created| created.time),
            start: open.start,
            end: open.end,
            work: Some(open.work),
            creation: None,
            waiting: None,
        });
        if let Some(created) = created {
            self.program.set_parent(grain, GrainIdx(created.parent));
        }
    }

    fn definition(&mut self, position: u32) -> ConstructIdx {
        let slot = self.definitions.get_mut(position as usize);
        let known = slot.unwrap_or(&mut self.unknown);
        if let Some(known) = known {
            return *known;
        }
        let task = self.names.task(self.dag, position);
        let file = task.file.and_then(|file| self.dag.strings.get(file));
        let definition = self.program.definition(Frame {
            kind: "task",
            name: &task.name,
            identity: Some(&task.identity),
            file: file.map(String::as_str),
            line: task.line,
            module: None,
        });
        *known = Some(definition);
        definition
    }

    /// Where a leaf ran: of a folded subgraph that several workers ran, where it began.
    fn location(&mut self, leaf: NodeIdx, node: &Node) -> LocationIdx {
        let start_worker = self.dag.totals(leaf).map(|totals| totals.start_worker);
        let start_worker = start_worker.filter(|_| node.worker == -1);
        let worker = start_worker.unwrap_or(node.worker);
        if let Some((known, location)) = self.recent
            && known == worker
        {
            return location;
        }
        if worker < 0 {
            self.wrong_workers.0 += 1;
            self.wrong_workers.1.get_or_insert(leaf);
        }
        let program = &mut self.program;
        let location = *self
            .locations
            .entry(worker)
            .or_insert_with(|| program.location(0, worker.max(0), None));
        self.recent = (worker >= 0).then_some((worker, location));
        location
    }

    /// What a folded subgraph stands for.
    fn measure_collapsed(&mut self, grain: GrainIdx, leaf: NodeIdx) {
        let Some(totals) = self.dag.totals(leaf) else {
            return;
        };
        let program = &mut self.program;
        let [tasks, leaves] = *self.metrics.get_or_insert_with(|| {
            let names = ["collapsed_tasks", "collapsed_leaves"];
            names.map(|name| {
                program.metric(MetricSpec {
                    name: name.to_owned(),
                    unit: Unit::Count,
                    kind: MetricKind::Additive,
                    direction: Direction::Neutral,
                    is_integer: true,
                    source: Some("logical_node_counts".to_owned()),
                })
            })
        });
        let [creations, ..] = totals.nodes;
        program.measure(grain, tasks, Value::Integer(creations));
        let all = totals.nodes.iter().copied().fold(0, i64::saturating_add);
        program.measure(grain, leaves, Value::Integer(all));
    }
}
