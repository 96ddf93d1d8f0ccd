//! Runs of task programs on simulated workers, with all that is expected of them.

use std::collections::BTreeMap;

use sheaf_model::table::{FragmentRow, GrainKind, GrainRow, LocationRow, WaitRow};
use sheaf_model::{RunMeta, RunSummary, RunTables};
use sheaf_statistics::Random;

use crate::timeline::ReadyBy;

/// A time below a bound.
fn time(random: &mut Random, bound: usize) -> i64 {
    i64::try_from(random.below(bound)).unwrap()
}

/// A task's next step, after a stretch of work.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Create(usize),
    Wait,
    End,
}

/// A stretch that ran.
#[derive(Clone, Copy)]
pub(super) struct Ran {
    pub(super) task: usize,
    pub(super) worker: i32,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) ready: i64,
    pub(super) by: ReadyBy,
    ended_by: i32,
}

/// A run, and what must come out of it.
pub(super) struct Simulated {
    pub(super) parents: Vec<Option<usize>>,
    created: Vec<Option<i64>>,
    joined_by: Vec<i64>,
    index: Vec<i64>,
    /// By task, in order of time.
    pub(super) ran: Vec<Vec<Ran>>,
    waits: Vec<Vec<(i64, i64)>>,
    pub(super) workers: u64,
    /// Least length of a stretch.
    least: i64,
}

/// A program of so many tasks on so many workers. Children of a task are created between stretches, with
/// waits here and there, and a last wait that collects the rest.
pub(super) fn simulate(seed: u64, tasks: usize, workers: u64, least: i64) -> Simulated {
    let mut random = Random::new(seed);
    let parents: Vec<Option<usize>> = (0..tasks)
        .map(|task| (task > 0).then(|| random.below(task)))
        .collect();
    let mut steps: Vec<Vec<Step>> = vec![Vec::new(); tasks];
    let mut joined_by = vec![0; tasks];
    let mut index = vec![0; tasks];
    let mut num_waits = vec![0; tasks];
    for (task, parent) in parents.iter().enumerate() {
        let Some(parent) = *parent else { continue };
        index[task] = i64::try_from(steps[parent].len()).unwrap();
        steps[parent].push(Step::Create(task));
        joined_by[task] = num_waits[parent];
        if random.below(4) == 0 {
            steps[parent].push(Step::Wait);
            num_waits[parent] += 1;
        }
    }
    for steps in &mut steps {
        if steps.last().is_some_and(|step| *step != Step::Wait) {
            steps.push(Step::Wait);
        }
        steps.push(Step::End);
    }
    let mut simulated = Simulated {
        created: vec![None; tasks],
        joined_by,
        index,
        ran: vec![Vec::new(); tasks],
        waits: vec![Vec::new(); tasks],
        parents,
        workers,
        least,
    };
    simulated.run(&mut random, &steps);
    simulated
}

/// A stretch that can run.
struct Item {
    task: usize,
    step: usize,
    ready: i64,
    by: ReadyBy,
}

impl Simulated {
    fn run(&mut self, random: &mut Random, steps: &[Vec<Step>]) {
        let mut free = BTreeMap::new();
        let mut items = vec![Item {
            task: 0,
            step: 0,
            ready: 0,
            by: ReadyBy::Creation,
        }];
        // Of waiting tasks: the step behind the wait, its begin.
        let mut waiting: BTreeMap<usize, (usize, i64)> = BTreeMap::new();
        let mut ended: Vec<Option<i64>> = vec![None; steps.len()];
        while !items.is_empty() {
            let at = random.below(items.len());
            let item = items.swap_remove(at);
            let worker =
                i32::try_from(random.below(usize::try_from(self.workers).unwrap())).unwrap();
            let free = free.entry(worker).or_insert(0);
            let start = i64::max(*free, item.ready) + time(random, 4);
            let end = start + self.least + time(random, 20);
            *free = end;
            let step = steps[item.task][item.step];
            self.ran[item.task].push(Ran {
                task: item.task,
                worker,
                start,
                end,
                ready: item.ready,
                by: item.by,
                ended_by: match step {
                    Step::End => 0,
                    Step::Create(_) => 1,
                    Step::Wait => 2,
                },
            });
            let mut push = |task, step, by| {
                items.push(Item {
                    task,
                    step,
                    ready: end,
                    by,
                });
            };
            match step {
                Step::Create(child) => {
                    self.created[child] = Some(end);
                    push(child, 0, ReadyBy::Creation);
                    push(item.task, item.step + 1, ReadyBy::CreationContinuation);
                }
                Step::Wait => {
                    waiting.insert(item.task, (item.step + 1, end));
                }
                Step::End => ended[item.task] = Some(end),
            }
            let open = [Some(item.task), self.parents[item.task]];
            for task in open.into_iter().flatten() {
                if let Some(&(step, begin)) = waiting.get(&task)
                    && let Some((ready, by)) = self.go_on(task, begin, &ended)
                {
                    waiting.remove(&task);
                    items.push(Item {
                        task,
                        step,
                        ready,
                        by,
                    });
                    self.waits[task].push((begin, ready));
                }
            }
        }
    }

    /// When a wait is over, if all that it collects has ended.
    fn go_on(&self, task: usize, begin: i64, ended: &[Option<i64>]) -> Option<(i64, ReadyBy)> {
        let number = i64::try_from(self.waits[task].len()).unwrap();
        let mut latest = (begin, ReadyBy::WaitContinuation);
        for (child, parent) in self.parents.iter().enumerate() {
            if *parent == Some(task) && self.joined_by[child] == number {
                let end = ended[child]?;
                if end >= latest.0 {
                    latest = (end, ReadyBy::Synchronisation);
                }
            }
        }
        Some(latest)
    }

    /// Tables with the tasks in an order with parents first; `is_recorded` says which wait collects a task.
    pub(super) fn tables(&self, order: &[usize], rename: &[i32], is_recorded: bool) -> RunTables {
        let mut meta = RunMeta::new("program", "text");
        meta.workers = i64::try_from(self.workers).ok();
        let mut summary = RunSummary::empty(meta);
        summary.locations = (0..i32::try_from(self.workers).unwrap())
            .map(|thread| LocationRow {
                rank: 0,
                thread,
                core: None,
                numa_node: None,
            })
            .collect();
        let mut run = RunTables::without_grains(summary);
        let mut rows = vec![0; self.parents.len()];
        for (row, &task) in (0..).zip(order) {
            rows[task] = row;
        }
        let grain = |&task: &usize| {
            let ran = &self.ran[task];
            GrainRow {
                path_key: i64::try_from(task).unwrap(),
                parent: self.parents[task].map(|parent| rows[parent]),
                kind: if task == 0 {
                    GrainKind::Initial
                } else {
                    GrainKind::Task
                } as i32,
                index: self.index[task],
                joined_by: Some(self.joined_by[task]).filter(|_| is_recorded && task > 0),
                created: self.created[task],
                start: ran.first().map(|ran| ran.start),
                end: ran.last().map(|ran| ran.end),
                work: Some(ran.iter().map(|ran| ran.end - ran.start).sum()),
                ..GrainRow::default()
            }
        };
        run.grains = order.iter().map(grain).collect();
        run.fragments = self
            .in_order(order)
            .map(|ran| FragmentRow {
                grain: rows[ran.task],
                location: rename[usize::try_from(ran.worker).unwrap()],
                start: ran.start,
                duration: ran.end - ran.start,
                ended_by: ran.ended_by,
            })
            .collect();
        let waits = order.iter().flat_map(|&task| {
            let grain = rows[task];
            let behind = self.ran[task].iter().zip(self.ran[task].iter().skip(1));
            let behind = behind.filter(|(before, _)| before.ended_by == 2);
            behind.map(move |(before, after)| WaitRow {
                grain,
                kind: 0,
                start: before.end,
                duration: after.start - before.end,
                line: None,
            })
        });
        run.waits = waits.collect();
        run
    }

    /// Stretches in the order of their rows.
    pub(super) fn in_order<'a>(&'a self, order: &'a [usize]) -> impl Iterator<Item = &'a Ran> {
        order.iter().flat_map(|&task| &self.ran[task])
    }

    /// Some order with parents before children.
    pub(super) fn shuffled(&self, random: &mut Random) -> Vec<usize> {
        let mut order = Vec::new();
        let mut free = vec![0];
        while !free.is_empty() {
            let at = random.below(free.len());
            let task = free.swap_remove(at);
            order.push(task);
            let children = self.parents.iter().enumerate();
            free.extend(
                children
                    .filter(|(_, it)| **it == Some(task))
                    .map(|(child, _)| child),
            );
        }
        order
    }
}
