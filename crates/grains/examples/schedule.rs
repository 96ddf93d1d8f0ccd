//! Measures the cost of scheduling: CPU seconds of each stage for one shape and size of program.
//!
//! ```text
//! cargo run --release -p sheaf-grains --example schedule -- recursion 20 8
//! ```
//!
//! Shapes: `recursion LEVELS`, `fork TASKS`, `chain TASKS`, `random TASKS`; the last number is that of workers.

#![expect(clippy::print_stdout, reason = "an example talks to people")]

use sheaf_grains::grain_graph::{GrainGraph, Structure};
use sheaf_grains::schedule::{
    Condensed, Costs, Machine, ScheduleGraph, SchedulePolicy, Shape, schedule,
};
use sheaf_model::Progress;
use sheaf_synthetic::{Program, processor_seconds};

fn main() {
    let mut words = std::env::args().skip(1);
    let shape = words.next().unwrap_or_else(|| "recursion".to_owned());
    let mut number = |default: u32| {
        let word = words.next();
        word.and_then(|word| word.parse().ok()).unwrap_or(default)
    };
    let (size, workers) = (number(20), number(8));
    let program = match shape.as_str() {
        "fork" => Program::fork(size),
        "chain" => Program::chain(size),
        "random" => Program::random(1, size),
        _ => Program::recursion(size),
    };
    let run = timed("make tables", || program.run(2));
    println!("{:>10} grains", run.grains.len());
    let structure = timed("structure", || Structure::of(&run));
    let graph = timed("grain graph", || GrainGraph::unreduced(&run, &structure));
    let Ok(costs) = timed("costs", || Costs::of(&run, &structure, &graph)) else {
        return;
    };
    let shape = Shape {
        workers,
        ..Shape::default()
    };
    let made = timed("schedule graph", || {
        ScheduleGraph::of(&run, &structure, &graph, &shape)
    });
    let Ok(graph) = made else { return };
    println!("{:>10} nodes", graph.num_nodes());
    let extent = timed("work and span", || graph.extent(graph.weights()));
    println!("{:>10} span of work {}", extent.span, extent.work);
    for policy in SchedulePolicy::ALL {
        let machine = Machine {
            workers,
            policy,
            has_tied_tasks: true,
            costs: &costs,
            seed: 1,
        };
        let name = format!("{policy}");
        let outcome = timed(&name, || {
            schedule(&graph, graph.weights(), &machine, &Progress::silent())
        });
        if let Ok(outcome) = outcome {
            println!("{:>10} elapsed, {} steals", outcome.elapsed, outcome.steals);
        }
        let made = timed("condense and compare", || {
            Condensed::of(&graph, &structure, &machine, &Progress::silent())
        });
        let Ok(Some(condensed)) = made else {
            println!("         - condensed graph");
            continue;
        };
        println!("{:>10} nodes of the condensed graph", condensed.num_nodes());
        let work = timed("sums of work", || condensed.sums(graph.weights()));
        let inside = timed("costs inside", || condensed.costs_inside(&machine));
        let outcome = timed("condensed", || {
            condensed.schedule(&work, &inside, &machine, &Progress::silent())
        });
        if let Ok(outcome) = outcome {
            println!("{:>10} elapsed, {} steals", outcome.elapsed, outcome.steals);
        }
    }
}

fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let begin = processor_seconds();
    let made = work();
    println!("{:>10.2} s  {name}", processor_seconds() - begin);
    made
}
