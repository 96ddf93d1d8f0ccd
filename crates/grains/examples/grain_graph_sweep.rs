//! How time and memory of the grain graph grow with the number of grains.
//!
//! ```text
//! cargo run --release -p sheaf-grains --example grain_graph_sweep [largest]
//! ```
//!
//! Made-up programs of doubling size up to `largest` tasks (4,000,000): recursion, one wide fork, a chain, phases. Printed
//! are seconds of processor time of each step, the ratio to half the size, and the most memory that a step held beyond what was held
//! before it.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use sheaf_grains::grain_graph::{ElapsedPath, GrainGraph, GraphTotals, Paths, Structure};
use sheaf_grains::timeline::Timeline;
use sheaf_model::{Progress, RunTables};
use sheaf_synthetic::Program;
use sheaf_synthetic::processor_seconds;

const STEPS: [&str; 8] = [
    "structure",
    "totals",
    "balance",
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
        ("recursion", |tasks| Program::recursion(tasks.ilog2() + 1)),
        ("fork", |tasks| Program::fork(tasks - 1)),
        ("chain", Program::chain),
        ("phases", |tasks| Program::phases(tasks / 2)),
    ];
    println!("shape      tasks     fragments  | step: seconds (ratio) MB");
    for (name, program) in shapes {
        let mut before: Option<[f64; 8]> = None;
        let mut tasks = largest / 8;
        while tasks <= largest {
            before = Some(sweep(name, &program(tasks.max(2)).run(8), before));
            tasks *= 2;
        }
    }
}

fn sweep(name: &str, run: &RunTables, before: Option<[f64; 8]>) -> [f64; 8] {
    print!(
        "{name:<10} {:<9} {:<9} |",
        run.grains.len(),
        run.fragments.len()
    );
    let mut seconds = [0.0; 8];
    let mut measured = 0;
    let whole = Peak::start();
    let structure = measure(&mut seconds, &mut measured, before, || Structure::of(run));
    let progress = Progress::silent();
    let totals = measure(&mut seconds, &mut measured, before, || {
        GraphTotals::unreduced(run, &structure, &progress).ok()?
    });
    let balance = measure(&mut seconds, &mut measured, before, || {
        Timeline::balance_of(run, &structure, &progress).ok()?.ok()
    });
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
    let held = whole.bytes();
    println!(
        " all: {:.2} s, {} MB, {} bytes a fragment; spans {span} {paths} {}, elapsed {elapsed} {}",
        seconds.iter().sum::<f64>(),
        held / 1_000_000,
        held / run.fragments.len().max(1),
        totals.map_or(0, |totals| totals.lengths.span),
        balance.map_or(0, |balance| balance.elapsed),
    );
    seconds
}

fn measure<T>(
    seconds: &mut [f64; 8],
    measured: &mut usize,
    before: Option<[f64; 8]>,
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
        peak.bytes() / 1_000_000
    );
    seconds[*measured] = spent;
    *measured += 1;
    result
}

/// The most memory that is held from here on.
struct Peak {
    held: usize,
}

impl Peak {
    fn start() -> Self {
        let held = HELD.load(Ordering::Relaxed);
        MOST.store(held, Ordering::Relaxed);
        Self { held }
    }

    fn bytes(&self) -> usize {
        MOST.load(Ordering::Relaxed).saturating_sub(self.held)
    }
}

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counting what is held.
struct Counting;

// SAFETY: every call goes to the system's allocator as it is.
#[expect(unsafe_code, reason = "an allocator cannot be counted otherwise")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let held = HELD.fetch_add(size, Ordering::Relaxed) + size;
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        MOST.fetch_max(held - layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
