//! How time and memory of the grain graph grow with the number of grains.
//!
//! ```text
//! cargo run --release -p sheaf-analysis --example grain_graph_sweep [largest]
//! ```
//!
//! Made-up programs of doubling size up to `largest` tasks (4,000,000): recursion, one wide fork, a chain, phases. Printed
//! are seconds of processor time of each step, the ratio to half the size, and the most memory that a step held beyond what was held
//! before it.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::fs;

use sheaf_analysis::grain_graph::{ElapsedPath, GrainGraph, Paths, Structure};
use sheaf_analysis::synthetic::Program;
use sheaf_model::RunTables;

const STEPS: [&str; 6] = [
    "structure",
    "reduced",
    "its paths",
    "unreduced",
    "its paths",
    "by elapsed",
];

/// A program of about so many tasks.
type Shape = fn(u32) -> Program;

fn main() {
    let largest = std::env::args().nth(1);
    let largest: u32 = largest
        .and_then(|text| text.parse().ok())
        .unwrap_or(4_000_000);
    let shapes: [(&str, Shape); 4] = [
        ("recursion", |tasks| Program::recursion(tasks.ilog2())),
        ("fork", |tasks| Program::fork(tasks - 1)),
        ("chain", Program::chain),
        ("phases", |tasks| Program::phases(tasks / 2)),
    ];
    println!("shape      tasks     fragments  | step: seconds (ratio) MB");
    for (name, program) in shapes {
        let mut before: Option<[f64; 6]> = None;
        let mut tasks = largest / 8;
        while tasks <= largest {
            before = Some(sweep(name, &program(tasks.max(2)).run(8), before));
            tasks *= 2;
        }
    }
}

fn sweep(name: &str, run: &RunTables, before: Option<[f64; 6]>) -> [f64; 6] {
    print!(
        "{name:<10} {:<9} {:<9} |",
        run.grains.len(),
        run.fragments.len()
    );
    let mut seconds = [0.0; 6];
    let mut measured = 0;
    let whole = Peak::start();
    let structure = measure(&mut seconds, &mut measured, before, || Structure::of(run));
    let graph = measure(&mut seconds, &mut measured, before, || {
        GrainGraph::reduced(run, &structure)
    });
    let span = measure(&mut seconds, &mut measured, before, || {
        Paths::of(&graph).map_or(0, |paths| paths.span())
    });
    drop(graph);
    let graph = measure(&mut seconds, &mut measured, before, || {
        GrainGraph::unreduced(run, &structure)
    });
    let paths = measure(&mut seconds, &mut measured, before, || {
        Paths::of(&graph).map_or(0, |paths| paths.span())
    });
    let elapsed = measure(&mut seconds, &mut measured, before, || {
        ElapsedPath::of(run, &graph).map_or(0, |path| path.elapsed)
    });
    let held = whole.megabytes();
    println!(
        " all: {:.2} s, {held} MB, {} bytes a fragment; spans {span} {paths}, elapsed {elapsed}",
        seconds.iter().sum::<f64>(),
        held * 1_000_000 / u64::try_from(run.fragments.len()).unwrap_or(1),
    );
    seconds
}

fn measure<T>(
    seconds: &mut [f64; 6],
    measured: &mut usize,
    before: Option<[f64; 6]>,
    work: impl FnOnce() -> T,
) -> T {
    let peak = Peak::start();
    let start = processor_seconds();
    let result = work();
    let spent = processor_seconds() - start;
    let ratio = before.map_or(String::new(), |before| {
        format!(" ({:.1})", spent / before[*measured].max(0.01))
    });
    print!(
        " {}: {spent:.2}{ratio} {};",
        STEPS[*measured],
        peak.megabytes()
    );
    seconds[*measured] = spent;
    *measured += 1;
    result
}

/// The most memory that is held from here on.
struct Peak {
    held: u64,
}

impl Peak {
    fn start() -> Self {
        // Linux counts the peak anew from here; elsewhere memory is not measured.
        let _ = fs::write("/proc/self/clear_refs", "5");
        Self {
            held: status("VmRSS:"),
        }
    }

    fn megabytes(&self) -> u64 {
        status("VmHWM:").saturating_sub(self.held) / 1000
    }
}

/// Kilobytes that the system says of this process.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Processor time of this process, in hundredths at best.
fn processor_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}
