//! Makes a store of profiles from a seed, for measuring answers.
//!
//! ```text
//! cargo run --release -p sheaf-ensemble --example profiles -- FOLDER RUNS CONTEXTS RANKS
//! ```
//!
//! Every run has a value for each context and rank, and the parameters `version`, five runs of each, and
//! `size`. Every fiftieth context takes a fifth longer from the middle version on, and values of all repeats
//! differ by 2 %.

use std::error::Error;
use std::path::Path;

use sheaf_model::table::{
    ContextRow, DefinitionRow, LocationRow, MetricRow, TotalRow, Totals, ValueRow, Values,
};
use sheaf_model::{ContextId, DefinitionId, ParamValue, RunMeta, RunSummary, RunTables};
use sheaf_store::Store;
use sheaf_synthetic::Numbers;

/// Callees of each context.
const CALLEES: usize = 4;
const REPEATS: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, numbers @ ..] = words.as_slice() else {
        return Err("profiles FOLDER RUNS CONTEXTS RANKS".into());
    };
    let numbers: Vec<u32> = numbers
        .iter()
        .map(|word| word.parse())
        .collect::<Result<_, _>>()?;
    let [runs, contexts, ranks] = numbers.as_slice() else {
        return Err("profiles FOLDER RUNS CONTEXTS RANKS".into());
    };
    let program = Program::new(*contexts as usize, *ranks as usize);
    let store = Store::create_or_open(Path::new(folder))?;
    let mut import = store.import()?;
    for run in 0..*runs {
        import.add(RunTables::without_grains(program.run(run, *runs)))?;
    }
    import.publish()?;
    Ok(())
}

/// What all runs have in common.
struct Program {
    contexts: usize,
    ranks: usize,
    summary: RunSummary,
}

impl Program {
    fn new(contexts: usize, ranks: usize) -> Self {
        let mut summary = RunSummary::empty(RunMeta::new("made", "made"));
        let mut ids: Vec<DefinitionId> = (0..contexts)
            .map(|at| DefinitionId::new("function", &format!("f{at}"), 0))
            .collect();
        ids.sort_unstable();
        let definition = |(at, id): (usize, &DefinitionId)| DefinitionRow {
            id: id.0,
            kind: "function".to_owned(),
            name: id.to_string(),
            function: Some(format!("f{at}")),
            module: Some(format!("module_{}", at % 20)),
            ..DefinitionRow::default()
        };
        summary.definitions = ids.iter().enumerate().map(definition).collect();
        summary.contexts = contexts_of(&ids).into_iter().collect();
        let location = |rank| LocationRow {
            rank: row(rank),
            thread: 0,
            core: None,
            numa_node: None,
        };
        summary.locations = (0..ranks).map(location).collect();
        let metric = MetricRow {
            name: "work_ns".to_owned(),
            unit: "ns".to_owned(),
            kind: "additive".to_owned(),
            direction: "higher_is_worse".to_owned(),
            is_integer: true,
            source: None,
            alias: None,
        };
        summary.metrics = std::iter::once(metric).collect();
        summary.meta_mut().ranks = i64::from(row(ranks));
        Self {
            contexts,
            ranks,
            summary,
        }
    }

    fn run(&self, number: u32, runs: u32) -> RunSummary {
        let mut random = Numbers::new(u64::from(number) + 1);
        let version = number / REPEATS;
        let is_slow = number >= runs / 2;
        let mut summary = self.summary.clone();
        let parameter = |value: u32| ParamValue::Number(f64::from(value));
        let meta = summary.meta_mut();
        meta.name = format!("made-{number:05}");
        for (key, value) in [("version", version), ("size", 1 + number % 8)] {
            meta.params.insert(key.to_owned(), parameter(value));
        }
        let mut values = Vec::with_capacity(self.contexts * self.ranks);
        let mut totals = Vec::with_capacity(self.contexts);
        for context in 0..self.contexts {
            let base = 1_000_000 >> (context * 7 % 13);
            let base = if is_slow && context % 50 == 7 {
                base * 6 / 5
            } else {
                base
            };
            let of_ranks = (0..self.ranks).map(|rank| ValueRow {
                context: row(context),
                metric: 0,
                location: row(rank),
                count: 1,
                sum: Some(base * (980 + i64::from(random.below(40))) / 1000),
                sum_float: None,
            });
            let first = values.len();
            values.extend(of_ranks);
            totals.push(total(row(context), &values[first..]));
        }
        summary.values = values.into_iter().collect::<Values>();
        summary.totals = totals.into_iter().collect::<Totals>();
        summary
    }
}

/// Contexts in pre-order, each with so many callees in order of their definitions.
fn contexts_of(ids: &[DefinitionId]) -> Vec<ContextRow> {
    let mut rows: Vec<ContextRow> = Vec::with_capacity(ids.len());
    // Caller's row, its id and depth, and the number of the context if all were numbered breadth first.
    let mut stack = vec![(None, None, 0, 0_usize)];
    while let Some((parent, above, depth, at)) = stack.pop() {
        let Some(definition) = ids.get(at) else {
            continue;
        };
        let id: ContextId = match above {
            Some(above) => ContextId::child(above, *definition),
            None => ContextId::root(*definition),
        };
        let own = row(rows.len());
        rows.push(ContextRow {
            id: id.0,
            parent,
            definition: row(at),
            depth,
        });
        let callees = (1..=CALLEES).rev().map(|callee| at * CALLEES + callee);
        stack.extend(callees.map(|callee| (Some(own), Some(id), depth + 1, callee)));
    }
    rows
}

fn total(context: i32, values: &[ValueRow]) -> TotalRow {
    let sums = || values.iter().filter_map(|value| value.sum);
    TotalRow {
        context,
        metric: 0,
        count: i64::from(row(values.len())),
        sum: Some(sums().sum()),
        min: sums().min(),
        max: sums().max(),
        sum_squares: Some(sums().map(|sum| i128::from(sum) * i128::from(sum)).sum()),
        sum_float: None,
        min_float: None,
        max_float: None,
        sketch_buckets: Vec::new(),
        sketch_counts: Vec::new(),
    }
}

fn row(at: usize) -> i32 {
    i32::try_from(at).unwrap_or(i32::MAX)
}
