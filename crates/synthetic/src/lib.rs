//! Made-up programs, executed on made-up workers: runs of any size and shape for tests, examples and
//! benches.
//!
//! ```
//! use sheaf_synthetic::Program;
//! let run = Program::recursion(3).run(2);
//! assert_eq!(run.grains.len(), 7);
//! run.validate().unwrap();
//! ```

mod execute;
mod tables;
pub mod testing;

use sheaf_model::RunTables;
use sheaf_statistics::Random;

/// What a task does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Runs for some time.
    Run(u32),
    /// Creates its next child.
    Create,
    /// Waits for all children created so far.
    Wait,
}

/// A program of tasks. Tasks are numbered breadth first: the children of a task are neighbours, and
/// parents come before their children.
#[derive(Clone, Debug, Default)]
pub struct Program {
    ops: Vec<Op>,
    /// First step of each task, and behind them their number.
    first_op: Vec<u32>,
    /// First child of each task, and behind them the number of tasks.
    first_child: Vec<u32>,
    /// Predecessor and successor, siblings both, the predecessor first; sorted by successor.
    dependences: Vec<(u32, u32)>,
}

impl Program {
    /// Every task creates two, waits and goes on, `levels` deep: 2^levels − 1 tasks.
    pub fn recursion(levels: u32) -> Self {
        let tasks = (1_u32 << levels) - 1;
        let leaves = 1_u32 << (levels - 1);
        Self::from_tasks(tasks, |task, ops| {
            let own = 10 + task % 7;
            ops.push(Op::Run(own));
            if task < tasks - leaves {
                for _ in 0..2 {
                    ops.extend([Op::Create, Op::Run(1 + task % 3)]);
                }
                ops.extend([Op::Wait, Op::Run(2)]);
            }
        })
    }

    /// One task creates `width` others, and waits for them.
    pub fn fork(width: u32) -> Self {
        Self::from_tasks(width + 1, |task, ops| {
            ops.push(Op::Run(10 + task % 7));
            if task == 0 {
                for _ in 0..width {
                    ops.extend([Op::Create, Op::Run(1)]);
                }
                ops.extend([Op::Wait, Op::Run(2)]);
            }
        })
    }

    /// Every task creates one, and waits for it, `depth` deep.
    pub fn chain(depth: u32) -> Self {
        Self::from_tasks(depth, |task, ops| {
            ops.push(Op::Run(1 + task % 7));
            if task + 1 < depth {
                ops.extend([Op::Create, Op::Run(1), Op::Wait, Op::Run(2)]);
            }
        })
    }

    /// One task that creates and waits for two `steps` times, as a program in phases does.
    pub fn phases(steps: u32) -> Self {
        Self::from_tasks(2 * steps + 1, |task, ops| {
            ops.push(Op::Run(10 + task % 7));
            if task == 0 {
                for _ in 0..steps {
                    ops.extend([Op::Create, Op::Run(1), Op::Create, Op::Run(1)]);
                    ops.extend([Op::Wait, Op::Run(2)]);
                }
            }
        })
    }

    /// A program that follows from `seed`: up to `tasks` tasks with up to four children each, in one or
    /// several sets, some of them never waited for, some depending on others.
    pub fn random(seed: u64, tasks: u32) -> Self {
        let mut numbers = Numbers::new(seed);
        let mut created = 1;
        let mut dependences = Vec::new();
        let mut program = Self::from_tasks(tasks.max(1), |task, ops| {
            ops.push(Op::Run(numbers.below(20)));
            let room = tasks.max(1) - created;
            // A task without a number yet is created by nobody.
            let children = if task < created {
                numbers.below(5).min(room)
            } else {
                0
            };
            for child in 0..children {
                ops.extend([Op::Create, Op::Run(numbers.below(6))]);
                if child > 0 && numbers.below(4) == 0 {
                    let before = numbers.below(child);
                    dependences.push((created + before, created + child));
                }
                if numbers.below(3) == 0 {
                    ops.extend([Op::Wait, Op::Run(numbers.below(6))]);
                }
            }
            if numbers.below(4) > 0 {
                ops.extend([Op::Wait, Op::Run(numbers.below(6))]);
            }
            created += children;
        });
        program.cut_to(created);
        program.dependences = dependences;
        program
    }

    fn from_tasks(tasks: u32, mut script: impl FnMut(u32, &mut Vec<Op>)) -> Self {
        let mut program = Self::default();
        let mut next_child = 1_u32;
        for task in 0..tasks {
            let first = program.ops.len();
            program.first_op.push(to_u32(first));
            program.first_child.push(next_child);
            script(task, &mut program.ops);
            let own = program.ops.get(first..).unwrap_or_default();
            next_child += to_u32(own.iter().filter(|op| **op == Op::Create).count());
        }
        program.first_op.push(to_u32(program.ops.len()));
        program.first_child.push(next_child);
        program
    }

    /// Leaves out tasks that nobody creates; the last ones do nothing that others see.
    fn cut_to(&mut self, tasks: u32) {
        let tasks = tasks as usize;
        self.first_op.truncate(tasks + 1);
        self.first_child.truncate(tasks + 1);
        let ops = self.first_op.last().copied().unwrap_or(0);
        self.ops.truncate(ops as usize);
    }

    /// The same program, in which each stretch of some tasks takes `factor` times as long.
    #[must_use]
    pub fn slower(mut self, factor: u32, is_slower: impl Fn(u32) -> bool) -> Self {
        for (task, bounds) in (0_u32..).zip(self.first_op.windows(2)) {
            let ops = bounds[0] as usize..bounds[1] as usize;
            for op in self.ops.get_mut(ops).unwrap_or_default() {
                if let Op::Run(time) = op
                    && is_slower(task)
                {
                    *time = time.saturating_mul(factor);
                }
            }
        }
        self
    }

    /// Number of tasks.
    pub fn num_tasks(&self) -> usize {
        self.first_op.len().saturating_sub(1)
    }

    /// The run of the program on some workers. A created task is queued, the most recent is taken first, and
    /// whoever is free takes it; a task whose wait is over goes on on any worker. Always the same.
    pub fn run(&self, workers: u32) -> RunTables {
        tables::tables(self, &execute::execute(self, workers.max(1)))
    }
}

/// Numbers that look random and follow from a seed.
#[derive(Debug)]
pub struct Numbers(Random);

impl Numbers {
    /// Those of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// The next number, below a limit; 0 where the limit is.
    pub fn below(&mut self, limit: u32) -> u32 {
        let limit = u64::from(limit.max(1));
        u32::try_from(self.0.bits() % limit).unwrap_or(0)
    }

    /// A number of 64 bits that follows from the state and looks random.
    pub fn hash(mut self) -> i64 {
        self.0.bits().cast_signed()
    }
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Processor time of this process in seconds, in hundredths at best; 0 where the system does not provide it.
pub fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program comes second, in parentheses, and may hold blanks.
    let fields = text.rsplit(')').next().unwrap_or_default();
    // User and system time are fields 14 and 15, counted from 1.
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}
