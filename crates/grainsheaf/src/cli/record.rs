//! Arguments of `record`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::name_and_value;

/// What to run, how often, and with which settings.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Every launch is added to the store when it ends. Repeats are the outer loop, so that slow changes of the machine
affect all thread counts alike. The program's standard output goes to standard error; --quiet drops it.

Examples:
  grainsheaf record -- ./sort 4194304
  grainsheaf record --threads 1,2,4,8 --repeat 5 --reference -- ./sort 4194304
  grainsheaf record --env OMP_PROC_BIND=close --param version=1.3 -- ./sort 4194304
  grainsheaf record --threads 4 --runtime /usr/lib/llvm-19/lib/libomp.so -- ./built-by-gcc
  grainsheaf record --threads 2 -- mpirun -n 4 ./stencil 1000
  grainsheaf record --threads 1,2,4,8 --repeat 10 --resume -- ./sort 4194304")]
pub(crate) struct RecordArguments {
    /// Thread counts to run with, such as `1,2,4,8` [default: the program's own]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) threads: Vec<u32>,
    /// Runs per thread count.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
    /// Unrecorded runs per thread count before the first recorded one.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) warmup: u32,
    /// Set an environment variable of the program; it is also stored as parameter `env.NAME`.
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) environment: Vec<(String, String)>,
    /// Give the runs a parameter.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) params: Vec<(String, String)>,
    /// Also run without the recorder before each recorded run, to measure the cost of recording.
    #[arg(long)]
    pub(crate) reference: bool,
    /// OpenMP runtime to load: a file, `llvm`, `intel`, or `auto`, which replaces GNU's runtime by
    /// LLVM's, because GNU's cannot be recorded.
    #[arg(long, value_name = "WHICH", default_value = "auto")]
    pub(crate) runtime: String,
    /// Name of the runs; thread count and repeat are appended if there are several.
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// Keep the traces in this folder, with one sub-folder per run.
    #[arg(long, value_name = "DIR")]
    pub(crate) keep_traces: Option<PathBuf>,
    /// Stop a launch after this many seconds; its run is kept as incomplete.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// Continue with the other launches if a run cannot be added to the store; its trace is kept.
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Skip launches that the store has with the same arguments and parameters, unless the program was built since.
    #[arg(long)]
    pub(crate) resume: bool,
    /// The program and its arguments.
    #[arg(required = true, last = true, value_name = "PROGRAM ARGS")]
    pub(crate) command: Vec<OsString>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("expected a number of seconds greater than 0".to_owned()),
    }
}
