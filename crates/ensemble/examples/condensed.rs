//! Compares schedules of condensed graphs with schedules of the whole ones, for every run of a store that has grains.
//!
//! ```text
//! cargo run --release -p sheaf-ensemble --example condensed -- STORE [WORKERS]...
//! ```
//!
//! Prints one row per run and number of workers: nodes, and the largest differences over all policies, in percent of the
//! elapsed time. *Gain* is what half of the work of a definition gains, over all definitions. *Seeds* is how much the
//! schedules of the whole graph differ with three seeds.

#![expect(clippy::print_stdout, reason = "an example talks to people")]

use std::error::Error;
use std::path::Path;

use sheaf_grains::grain_graph::{GrainGraph, Structure};
use sheaf_grains::schedule::{
    Condensed, Costs, Machine, ScheduleGraph, SchedulePolicy, Shape, schedule,
};
use sheaf_model::{Progress, RunTables};
use sheaf_store::Store;

const SEEDS: u64 = 3;
const MILLION: u32 = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [store, workers @ ..] = words.as_slice() else {
        return Err("condensed STORE [WORKERS]...".into());
    };
    let workers: Vec<u32> = workers
        .iter()
        .map(|word| word.parse())
        .collect::<Result<_, _>>()?;
    let store = Store::open(Path::new(store))?;
    let snapshot = store.snapshot()?;
    println!("run | workers | fragments | nodes | elapsed (%) | gain (%) | seeds (%)");
    for run in snapshot.runs().iter().filter(|run| run.has_grains()) {
        let tables = snapshot.tables(run.meta.id)?;
        let structure = Structure::of(&tables);
        let graph = GrainGraph::unreduced(&tables, &structure);
        let costs = Costs::of(&tables, &structure, &graph)?;
        for &workers in &workers {
            let shape = Shape {
                workers,
                ..Shape::default()
            };
            let graph = ScheduleGraph::of(&tables, &structure, &graph, &shape)?;
            let condensed = Condensed::of(&graph, &structure, workers, &costs);
            let name = format!("{} | {workers} | {}", run.meta.name, graph.num_nodes());
            let Some(condensed) = condensed else {
                println!("{name} | – | – | – | –");
                continue;
            };
            let [elapsed, gain, seeds] = compare(&tables, &graph, &condensed, &costs, workers)?;
            let nodes = condensed.num_nodes();
            println!("{name} | {nodes} | {elapsed:.3} | {gain:.3} | {seeds:.3}");
        }
    }
    Ok(())
}

/// The largest differences of elapsed times, of gains and between seeds, in percent.
fn compare(
    run: &RunTables,
    graph: &ScheduleGraph,
    condensed: &Condensed,
    costs: &Costs,
    workers: u32,
) -> Result<[f64; 3], Box<dyn Error>> {
    let definitions = run.summary.contexts.definition.values();
    let contexts = run.grains.context.values().iter();
    let definition = |&context: &i32| {
        let found = definitions.get(usize::try_from(context).ok()?)?;
        u32::try_from(*found).ok()
    };
    let classes: Vec<u32> = contexts
        .map(|context| definition(context).unwrap_or(u32::MAX))
        .collect();
    let mut largest = [0.0_f64; 3];
    for policy in SchedulePolicy::ALL {
        let machine = |seed| Machine {
            workers,
            policy,
            has_tied_tasks: true,
            costs,
            seed,
        };
        let inside = condensed.costs_inside(&machine(1));
        let elapsed = |kept: &[u32]| -> Result<[f64; 2], Box<dyn Error>> {
            let silent = Progress::silent();
            let weights = graph.scaled_by(&classes, kept);
            let whole = schedule(graph, &weights, &machine(1), &silent)?;
            let sums = condensed.sums(&weights);
            let found = condensed.schedule(&sums, &inside, &machine(1), &silent)?;
            Ok([whole.elapsed, found.elapsed].map(|time| time as f64))
        };
        let all = vec![MILLION; run.summary.definitions.len()];
        let [whole, found] = elapsed(&all)?;
        let percent = |difference: f64| 100.0 * difference.abs() / whole.max(1.0);
        largest[0] = largest[0].max(percent(found - whole));
        for definition in 0..all.len() {
            let mut kept = all.clone();
            kept[definition] /= 2;
            let [less, found_less] = elapsed(&kept)?;
            let difference = (whole - less) - (found - found_less);
            largest[1] = largest[1].max(percent(difference));
        }
        for seed in 2..=SEEDS {
            let other = schedule(graph, graph.weights(), &machine(seed), &Progress::silent())?;
            largest[2] = largest[2].max(percent(other.elapsed as f64 - whole));
        }
    }
    Ok(largest)
}
