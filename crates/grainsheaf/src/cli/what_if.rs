//! Arguments of `what-if`.

use clap::Args;
use sheaf_ensemble::{Faster, SchedulePolicy, WhatIfQuestion};

/// Runs and their changes.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Each RUN is a run id, a name, or an expression that selects runs. The recorded grain graph is scheduled again, event
by event, on as many workers as asked: created tasks run by the policy that the run shows, and each creation, start,
steal, synchronisation and begin of a team costs what the run shows for it. A cost that was not measured is left
out, and the answer says so. Work and costs are as recorded, unless `--reference` names runs that show how they
change with the number of workers. `predicted` is the mean of the schedules; `lower` is max(span, work / workers), `upper`
is work / workers + span. Costs and tied tasks can make a schedule longer than `upper`.

The answer states the error of such predictions if the store has runs that differ in the number of workers alone.

Examples:
  grainsheaf what-if sort-t1-r1 --workers 2,4,8 --infinite
  grainsheaf what-if sort-t2-r1 --faster 'sort_range (task)=20%'
  grainsheaf what-if sort-t2-r1 --faster \"kind = 'task' and work_ns > 1000000=50%\"
  grainsheaf what-if sort-t2-r1 --cut-off depth=4 --no-delay
  grainsheaf what-if sort-t1-r1 --workers 2 --reference 'program == sort'
  grainsheaf what-if sort-t2-r1 --first --workers 2,8
  grainsheaf what-if 'program == sort' --check")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct WhatIfArguments {
    /// Runs.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,
    /// Numbers of workers, separated by commas [default: that of the run]
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    workers: Vec<u32>,
    /// Predict unlimited workers too
    #[arg(long)]
    infinite: bool,
    /// Let grains take less time: a definition, a path of definitions joined by ` / `, or an expression about grains
    #[arg(long, value_name = "NAME=20%")]
    faster: Vec<Faster>,
    /// Let scheduling cost nothing
    #[arg(long)]
    no_delay: bool,
    /// Let creation of tasks cost nothing
    #[arg(long)]
    without_creation_cost: bool,
    /// Let tasks below a depth be part of their ancestor; tasks that no task created have depth 1
    #[arg(long, value_name = "depth=N", value_parser = depth)]
    cut_off: Option<u32>,
    /// Iterations of every chunk of loops
    #[arg(long, value_name = "N")]
    chunk_size: Option<u32>,
    /// Runs that show how work and costs change with the number of workers [default: both are as recorded]
    #[arg(long, value_name = "RUNS")]
    reference: Option<String>,
    /// Scheduling policy: `work_first`, `help_first` or `central_queue` [default: that of the run]
    #[arg(long, value_name = "POLICY")]
    policy: Option<SchedulePolicy>,
    /// Schedules of each prediction, each with another seed
    #[arg(long, value_name = "N", default_value_t = 5)]
    repeats: u32,
    /// First seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Show what less work of each definition gains, the largest gain first
    #[arg(long, conflicts_with_all = ["check", "infinite", "faster", "no_delay", "without_creation_cost", "cut_off", "chunk_size"])]
    pub(crate) first: bool,
    /// Predict each run from those with other numbers of workers, and show the errors
    #[arg(long, conflicts_with_all = ["workers", "infinite", "faster", "no_delay", "without_creation_cost", "cut_off", "chunk_size"])]
    pub(crate) check: bool,
}

impl WhatIfArguments {
    /// The question.
    pub(crate) fn question(&self) -> WhatIfQuestion {
        WhatIfQuestion {
            runs: self.runs.clone(),
            workers: self.workers.clone(),
            is_infinite: self.infinite,
            faster: self.faster.clone(),
            is_without_delay: self.no_delay,
            is_without_creation: self.without_creation_cost,
            cut_off: self.cut_off,
            chunk_size: self.chunk_size,
            reference: self.reference.clone(),
            policy: self.policy,
            repeats: self.repeats,
            seed: self.seed,
        }
    }
}

/// Reads `depth=4`.
fn depth(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("depth=").unwrap_or(text);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().map_err(|_| {
        if is_number {
            format!("depth {number} exceeds {}", u32::MAX)
        } else {
            format!("`{text}` is not of the form `depth=4`")
        }
    })
}
