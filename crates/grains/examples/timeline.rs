//! How long the time line of a large run takes, and how much memory.
//!
//! `cargo run --release -p sheaf-grains --example timeline -- 18 2`: a complete binary recursion of
//! depth 18 (262,143 tasks, 655,356 fragments, 1,048,570 nodes of a DAG Recorder file) on two workers
//! that run new tasks first and steal now and then. Prints processor seconds of each step, and peaks.

#![expect(clippy::print_stdout, reason = "it is what the example is for")]

use std::time::Instant;

use sheaf_grains::grain_graph::Structure;
use sheaf_grains::timeline::{Timeline, Workers};
use sheaf_model::table::{FragmentRow, GrainKind, GrainRow, LocationRow, WaitRow};
use sheaf_model::{RunMeta, RunSummary, RunTables};
use sheaf_synthetic::processor_seconds;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |usual: usize| {
        let word = arguments.next();
        word.and_then(|word| word.parse().ok()).unwrap_or(usual)
    };
    let run = Simulation::run(number(18), number(2));
    let nodes = 4 * run.grains.len() - 2;
    println!(
        "{} grains, {} fragments, {nodes} nodes; {} before",
        run.grains.len(),
        run.fragments.len(),
        memory()
    );
    let structure = step("structure", || Structure::of(&run));
    let made = step("time line", || Timeline::of(&run, &structure));
    let Ok(timeline) = made else { return };
    step("delays", || timeline.delays(&run).is_ok());
    step("gaps", || timeline.gaps(&run).is_ok());
    step("workers", || {
        Workers::of(&run, timeline.balance().elapsed).ok()
    });
    step("resample to 2,000 parts", || {
        timeline
            .steps()
            .resample(0, timeline.balance().elapsed, 2_000)
    });
    step("resample a thousandth to 2,000 parts", || {
        let elapsed = timeline.balance().elapsed;
        timeline
            .steps()
            .resample(elapsed / 2, elapsed / 2 + elapsed / 1_000, 2_000)
    });
    println!("{:?}", timeline.balance());
    println!("imbalance {}", timeline.balance().imbalance());
}

fn step<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let (wall, processor) = (Instant::now(), processor_seconds());
    let result = work();
    println!(
        "{name}: {:.3} s of the processor, {:.3} s; {}",
        processor_seconds() - processor,
        wall.elapsed().as_secs_f64(),
        memory()
    );
    result
}

/// Resident memory now and at most.
fn memory() -> String {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
        kilobytes.map_or(0.0, |kilobytes| kilobytes / 1024.0)
    };
    format!(
        "{:.0} MB now, {:.0} MB at most",
        line("VmRSS"),
        line("VmHWM")
    )
}

/// Something that a worker can run: the next stretch of a task, from its step.
#[derive(Clone, Copy)]
struct Item {
    task: usize,
    step: u32,
    ready: i64,
}

/// Workers with a stack of their own, who steal the oldest of another.
struct Simulation {
    stacks: Vec<std::collections::VecDeque<Item>>,
    free: Vec<i64>,
    rows: Vec<GrainRow>,
    fragments: Vec<FragmentRow>,
    waits: Vec<WaitRow>,
    /// Of each task: children that run, when it began to wait, and the latest end of a child.
    open: Vec<(u32, Option<i64>, i64)>,
    random: u64,
}

impl Simulation {
    fn run(depth: usize, workers: usize) -> RunTables {
        let count = (1_usize << depth) - 1;
        let mut simulation = Self {
            stacks: vec![std::collections::VecDeque::new(); workers],
            free: vec![0; workers],
            rows: (0..count).map(grain).collect(),
            fragments: Vec::new(),
            waits: Vec::new(),
            open: vec![(0, None, 0); count],
            random: 1,
        };
        let first = Item {
            task: 0,
            step: 0,
            ready: 0,
        };
        simulation.stacks[0].push_back(first);
        while simulation.step() {}
        let Self {
            rows,
            mut fragments,
            mut waits,
            ..
        } = simulation;
        fragments.sort_by_key(|row| (row.grain, row.start));
        waits.sort_by_key(|row| (row.grain, row.start));
        let mut summary = RunSummary::empty(RunMeta::new("recursion", "simulated"));
        summary.locations = (0..)
            .take(workers)
            .map(|thread| LocationRow {
                rank: 0,
                thread,
                core: None,
                numa_node: None,
            })
            .collect();
        let mut run = RunTables::without_grains(summary);
        run.grains = rows.into_iter().collect();
        run.fragments = fragments.into_iter().collect();
        run.waits = waits.into_iter().collect();
        run
    }

    fn number(&mut self, below: u64) -> i64 {
        self.random = self
            .random
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(1);
        i64::try_from((self.random >> 33) % below).unwrap_or(0)
    }

    /// The worker that is free first runs its newest item, or steals.
    fn step(&mut self) -> bool {
        let mut order: Vec<usize> = (0..self.free.len()).collect();
        order.sort_by_key(|&worker| self.free[worker]);
        for worker in order {
            let mut item = self.stacks[worker].pop_back();
            if item.is_none() {
                let victim = (0..self.stacks.len()).find(|&it| !self.stacks[it].is_empty());
                item = victim.and_then(|victim| self.stacks[victim].pop_front());
            }
            if let Some(item) = item {
                self.execute(worker, item);
                return true;
            }
        }
        false
    }

    fn execute(&mut self, worker: usize, item: Item) {
        let start = self.free[worker].max(item.ready) + 50 + self.number(50);
        let end = start + 200 + self.number(2_000);
        self.free[worker] = end;
        let task = item.task;
        let is_leaf = 2 * task + 1 >= self.rows.len();
        let step = if is_leaf { 3 } else { item.step };
        self.fragments.push(FragmentRow {
            grain: i32::try_from(task).unwrap_or(0),
            location: i32::try_from(worker).unwrap_or(0),
            start,
            duration: end - start,
            ended_by: [1, 1, 2, 0][step as usize],
        });
        let row = &mut self.rows[task];
        row.start = row.start.or(Some(start));
        row.end = Some(end);
        row.work = Some(row.work.unwrap_or(0) + end - start);
        let next = Item {
            task,
            step: step + 1,
            ready: end,
        };
        match step {
            0 | 1 => {
                let child = 2 * task + 1 + step as usize;
                self.rows[child].created = Some(end);
                self.open[task].0 += 1;
                self.stacks[worker].push_back(next);
                self.stacks[worker].push_back(Item {
                    task: child,
                    step: 0,
                    ready: end,
                });
            }
            2 => {
                self.open[task].1 = Some(end);
                self.go_on(worker, task);
            }
            _ if task > 0 => {
                let parent = (task - 1) / 2;
                self.open[parent].0 -= 1;
                self.open[parent].2 = self.open[parent].2.max(end);
                self.go_on(worker, parent);
            }
            _ => {}
        }
    }

    fn go_on(&mut self, worker: usize, task: usize) {
        let (0, Some(begin), latest) = self.open[task] else {
            return;
        };
        let now = latest.max(begin);
        self.waits.push(WaitRow {
            grain: i32::try_from(task).unwrap_or(0),
            kind: 0,
            start: begin,
            duration: now - begin,
            line: None,
        });
        self.stacks[worker].push_back(Item {
            task,
            step: 3,
            ready: now,
        });
    }
}

fn grain(task: usize) -> GrainRow {
    let parent = task.checked_sub(1).map(|before| before / 2);
    GrainRow {
        path_key: i64::try_from(task).unwrap_or(0),
        parent: parent.and_then(|parent| i32::try_from(parent).ok()),
        kind: if task == 0 {
            GrainKind::Initial
        } else {
            GrainKind::Task
        } as i32,
        index: i64::from(task.is_multiple_of(2)),
        joined_by: parent.map(|_| 0),
        ..GrainRow::default()
    }
}
