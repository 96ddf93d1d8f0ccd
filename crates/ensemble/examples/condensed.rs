//! Compares schedules of condensed graphs with schedules of the whole ones, for every run of a store that has grains.
//!
//! ```text
//! cargo run --release -p sheaf-ensemble --example condensed -- STORE [WORKERS]...
//! ```
//!
//! Prints one row per run, number of workers and policy: nodes, and the differences of the elapsed time without a change,
//! and of the gain from half of the work of a definition, the largest over all definitions, in percent of the elapsed time.

#![expect(clippy::print_stdout, reason = "an example talks to people")]

use std::error::Error;
use std::path::Path;

use sheaf_grains::grain_graph::{GrainGraph, Structure};
use sheaf_grains::schedule::{
    Condensed, Costs, Machine, ScheduleGraph, SchedulePolicy, Shape, schedule,
};
use sheaf_model::{Progress, RunTables};
use sheaf_store::Store;

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
    println!("run | workers | policy | fragments | nodes | elapsed (%) | gain (%)");
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
            for policy in SchedulePolicy::ALL {
                let machine = Machine {
                    workers,
                    policy,
                    has_tied_tasks: true,
                    costs: &costs,
                    seed: 1,
                };
                let (name, nodes) = (&run.meta.name, graph.num_nodes());
                let found = Condensed::of(&graph, &structure, &machine, &Progress::silent())?;
                let Some(condensed) = found else {
                    println!("{name} | {workers} | {policy} | {nodes} | – | – | –");
                    continue;
                };
                let gain = gain(&tables, &graph, &condensed, &machine)?;
                let elapsed = 100.0 * condensed.difference();
                let found = condensed.num_nodes();
                println!(
                    "{name} | {workers} | {policy} | {nodes} | {found} | {elapsed:.3} | {gain:.3}"
                );
            }
        }
    }
    Ok(())
}

/// The largest difference of gains, in percent of the elapsed time.
fn gain(
    run: &RunTables,
    graph: &ScheduleGraph,
    condensed: &Condensed,
    machine: &Machine<'_>,
) -> Result<f64, Box<dyn Error>> {
    let definitions = run.summary.contexts.definition.values();
    let contexts = run.grains.context.values().iter();
    let definition = |context: i32| {
        let found = definitions.get(usize::try_from(context).ok()?)?;
        u32::try_from(*found).ok()
    };
    let classes: Vec<u32> = contexts
        .map(|context| definition(context).unwrap_or(u32::MAX))
        .collect();
    let inside = condensed.costs_inside(machine);
    let elapsed = |kept: &[u32]| -> Result<[f64; 2], Box<dyn Error>> {
        let silent = Progress::silent();
        let weights = graph.scaled_by(&classes, kept);
        let whole = schedule(graph, &weights, machine, &silent)?;
        let sums = condensed.sums(&weights);
        let found = condensed.schedule(&sums, &inside, machine, &silent)?;
        Ok([whole.elapsed, found.elapsed].map(|time| time as f64))
    };
    let all = vec![MILLION; run.summary.definitions.len()];
    let [whole, found] = elapsed(&all)?;
    let mut largest = 0.0_f64;
    for definition in 0..all.len() {
        let mut kept = all.clone();
        kept[definition] /= 2;
        let [less, found_less] = elapsed(&kept)?;
        let difference = (whole - less) - (found - found_less);
        largest = largest.max(100.0 * difference.abs() / whole.max(1.0));
    }
    Ok(largest)
}
